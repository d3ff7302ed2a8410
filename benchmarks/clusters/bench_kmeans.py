"""k-means from the same start for the same number of passes, against scikit-learn, its Intel build and faiss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Problem
from benchmarks.problems import clouds

PASSES = 20


def data(n: int, p: int, k: int, distance: float, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    X = clouds(n, p, k, distance=distance, dtype=dtype)
    return X, X[np.random.default_rng(1).choice(n, k, replace=False)].copy()


def ours(X: np.ndarray, start: np.ndarray) -> float:
    from epee import KMeans

    return KMeans(len(start), init=start, max_iter=PASSES, tol=0).fit(X).inertia_


def sklearn(algorithm: str) -> Any:
    def run(X: np.ndarray, start: np.ndarray) -> float:
        from sklearn.cluster import KMeans

        return KMeans(len(start), init=start, n_init=1, max_iter=PASSES, tol=0, algorithm=algorithm).fit(X).inertia_

    return run


def intelex(X: np.ndarray, start: np.ndarray) -> float:
    from sklearnex.cluster import KMeans

    return KMeans(len(start), init=start, n_init=1, max_iter=PASSES, tol=0).fit(X).inertia_


def faiss(X: np.ndarray, start: np.ndarray) -> float:
    import faiss as library

    model = library.Kmeans(X.shape[1], len(start), niter=PASSES, max_points_per_centroid=10**9)
    model.train(X, init_centroids=start)
    return float(model.index.search(X, 1)[0].sum(dtype=np.float64))


def problems() -> Iterator[Problem]:
    from epee import KMeans
    from epee.table.arrays import ArraySource

    rivals = {"scikit-learn": sklearn("lloyd"), "scikit-learn elkan": sklearn("elkan"), "scikit-learn-intelex": intelex}
    for dtype, words in ((np.float64, "float64"), (np.float32, "float32")):
        who = rivals | ({"faiss": faiss} if dtype is np.float32 else {})
        for distance, shape in ((4.0, "clouds"), (0.0, "no clouds at all")):
            yield Problem(
                f"KMeans 200,000 x 20, k = 50, {PASSES} passes, {words}, {shape}",
                data=lambda distance=distance, dtype=dtype: data(200_000, 20, 50, distance, dtype),
                ours=ours,
                rivals=who,
                claim=dict.fromkeys(who, 1.5),
                same=lambda a, b: abs(a - b) < 1e-3 * b,
            )
    yield Problem(
        "KMeans 20,000 x 10, k = 10, k-means++ to convergence",
        data=lambda: (clouds(20_000, 10, 10),),
        ours=lambda X: KMeans(10, random_state=0).fit(X).inertia_,
        rivals={
            "scikit-learn": lambda X: __import__("sklearn.cluster").cluster.KMeans(10, random_state=0).fit(X).inertia_
        },
        quick=True,
    )
    yield Problem(
        "KMeans of a stream, 500,000 x 10, k = 10, 5 passes",
        data=lambda: (clouds(500_000, 10, 10),),
        ours=lambda X: KMeans(10, init=X[:10], max_iter=5, tol=0).fit(ArraySource(X)),
        claim={"extra MB": 60},
    )
