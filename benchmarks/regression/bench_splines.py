"""Smoothing splines with their penalty by generalised cross-validation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.interpolate import make_smoothing_spline

from benchmarks.harness import Problem
from epee import SmoothingSpline


def wave(n: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(n) / 10.0
    return x, np.sin(100 * x / n) + 0.3 * np.random.default_rng(0).normal(size=n)


def problems() -> Iterator[Problem]:
    yield Problem(
        "smoothing spline by GCV, n = 10,000",
        data=lambda: wave(10_000),
        ours=lambda x, y: SmoothingSpline().fit(x, y),
        rivals={"SciPy make_smoothing_spline": make_smoothing_spline},
        claim={"SciPy make_smoothing_spline": 3},
        quick=True,
    )
    yield Problem(
        "smoothing spline by GCV, n = 100,000",
        data=lambda: wave(100_000),
        ours=lambda x, y: SmoothingSpline().fit(x, y),
        rivals={"SciPy make_smoothing_spline": make_smoothing_spline},
        limits={
            "ten times the fit of n = 10,000": lambda x, y: [SmoothingSpline().fit(*wave(10_000)) for _ in range(10)]
        },
        claim={"SciPy make_smoothing_spline": 3, "ten times the fit of n = 10,000": 2},
    )
