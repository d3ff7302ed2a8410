"""k-medoids swaps from the same start, against the kmedoids package."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Problem
from benchmarks.problems import clouds


def data(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    from scipy.spatial.distance import cdist

    X = clouds(n, 10, k)
    return cdist(X, X), np.random.default_rng(1).choice(n, k, replace=False)


def package(D: np.ndarray, start: np.ndarray) -> float:
    import kmedoids

    return float(kmedoids.fasterpam(D, start.astype(np.uint64), max_iter=100).loss)


def problems() -> Iterator[Problem]:
    from epee import KMedoids

    for n, k, quick in ((5000, 10, False), (5000, 100, False), (1500, 10, True)):
        yield Problem(
            f"KMedoids {n:,} points, k = {k}, table given",
            data=lambda n=n, k=k: data(n, k),
            ours=lambda D, start: KMedoids(len(start), "precomputed", init=start).fit(D).inertia_,
            rivals={"kmedoids fasterpam": package},
            claim={"kmedoids fasterpam": 1},
            same=lambda a, b: abs(a - b) < 0.01 * b,
            quick=quick,
        )
