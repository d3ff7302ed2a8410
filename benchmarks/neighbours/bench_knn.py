"""Nearest neighbours against scikit-learn, scikit-learn-intelex and SciPy's tree; leave-one-out of every k."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Problem
from benchmarks.problems import gaussian_classes, regression


def rows_and_queries(n: int, p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = gaussian_classes(n + 10_000, p, 5)
    return X[:n].copy(), y[:n], X[n:].copy()


def ours(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> np.ndarray:
    from epee import KNeighborsClassifier

    return KNeighborsClassifier(10).fit(X, y).predict(Q)


def sklearn(algorithm: str) -> Any:
    def call(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> np.ndarray:
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(10, algorithm=algorithm, n_jobs=-1).fit(X, y).predict(Q)

    return call


def intelex(algorithm: str) -> Any:
    def call(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> np.ndarray:
        from sklearnex.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(10, algorithm=algorithm, n_jobs=-1).fit(X, y).predict(Q)

    return call


def scipy_tree(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> np.ndarray:
    from scipy.spatial import cKDTree

    rows = cKDTree(X).query(Q, 10, workers=-1)[1]
    votes = np.zeros((len(Q), int(y.max()) + 1))
    for k in range(10):
        votes[np.arange(len(Q)), y[rows[:, k]]] += 1
    return votes.argmax(axis=1)


def same(a: Any, b: Any) -> bool:
    return bool((np.asarray(a) == np.asarray(b)).all())


def problems() -> Iterator[Problem]:
    yield Problem(
        "kNN classification, 100,000 x 10, k = 10, 10,000 queries",
        data=lambda: rows_and_queries(100_000, 10),
        ours=ours,
        rivals={
            "scikit-learn kd_tree": sklearn("kd_tree"),
            "scikit-learn brute": sklearn("brute"),
            "scikit-learn-intelex kd_tree": intelex("kd_tree"),
            "scikit-learn-intelex brute": intelex("brute"),
            "SciPy cKDTree": scipy_tree,
        },
        claim={
            "scikit-learn kd_tree": 1, "scikit-learn brute": 1, "scikit-learn-intelex kd_tree": 1,
            "scikit-learn-intelex brute": 1, "SciPy cKDTree": 1,
        },
        same=same,
    )  # fmt: skip
    yield Problem(
        "kNN classification, 20,000 x 100, k = 10, 10,000 queries",
        data=lambda: rows_and_queries(20_000, 100),
        ours=ours,
        rivals={
            "scikit-learn brute": sklearn("brute"),
            "scikit-learn-intelex brute": intelex("brute"),
            "scikit-learn-intelex auto": intelex("auto"),
        },
        claim={"scikit-learn brute": 1, "scikit-learn-intelex brute": 1, "scikit-learn-intelex auto": 1},
        same=same,
        quick=True,
    )
    for n, p in ((20_000, 10), (10_000, 100)):
        yield Problem(
            f"kNN leave-one-out for k = 1..50, {n:,} x {p}",
            data=lambda n=n, p=p: gaussian_classes(n, p, 5),  # type: ignore[misc]
            ours=left_out,
            limits={"one search of 50 neighbours": one_search},
            claim={"one search of 50 neighbours": 1.5},
            quick=True,
        )
    yield Problem(
        "kernel regression, bandwidth by leave-one-out, 4,000 x 3",
        data=lambda: regression(4_000, 3),
        ours=kernel,
        claim={"seconds": 10.0},
    )


def left_out(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from epee import KNeighborsClassifier

    return KNeighborsClassifier().left_out_path(X, y, None, "n_neighbors", np.arange(1, 51))


def one_search(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from epee import KNeighborsClassifier

    return KNeighborsClassifier(50).fit(X, y).kneighbors()[1]


def kernel(X: np.ndarray, y: np.ndarray) -> Any:
    from epee import KernelRegression

    return KernelRegression().fit(X, y)
