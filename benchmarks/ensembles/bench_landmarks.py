"""Kernel machines on landmarks: a hundred penalties and ten folds for the price of a few Gram matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Problem, gram
from benchmarks.problems import regression


def problems() -> Iterator[Problem]:
    from epee.predictors.kernels.landmarks import choose_landmarks, choose_width

    alphas = np.logspace(-6, 4, 100)
    yield Problem(
        "500 landmarks, 100 penalties, ten folds, 100,000 x 20",
        data=lambda: (*regression(100_000, 20), np.random.default_rng(0).standard_normal((100_000, 500))),
        ours=lambda X, y, F: choose_width(
            choose_landmarks(X, None, 500, 0), X, y[:, None], None, None, np.array([0.05]), alphas, 10, 0
        ),
        limits={"one Gram matrix of 100,000 x 500": lambda X, y, F: gram(F)},
        claim={"one Gram matrix of 100,000 x 500": 3},
    )
