"""The lasso's path with its folds, from the moments of one pass."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import sklearn.linear_model as rival

from benchmarks.harness import Problem, Seconds, gram
from benchmarks.problems import regression
from epee import LassoCV


def celer_folds(X: np.ndarray, y: np.ndarray) -> Seconds:
    """Celer's path on one of the ten folds, times ten: a fold alone takes many times our whole run."""
    from celer import celer_path

    start = time.perf_counter()
    train = np.arange(len(X)) % 10 != 0
    A = np.asfortranarray(X[train] - X[train].mean(axis=0))
    t = y[train] - y[train].mean()
    largest = np.abs(A.T @ t).max() / len(t)
    celer_path(A, t, "lasso", alphas=np.geomspace(largest, largest * 1e-3, 100))
    return Seconds(10 * (time.perf_counter() - start))


def problems() -> Iterator[Problem]:
    yield Problem(
        "lasso path of 100 penalties, 10 folds, 100,000 x 200",
        data=lambda: regression(100_000, 200, informative=40, noise=5.0, correlation=0.4),
        ours=lambda X, y: LassoCV(cv=10).fit(X, y),
        rivals={
            "scikit-learn": lambda X, y: rival.LassoCV(cv=10).fit(X, y),
            "celer, a path a fold (1 fold, scaled)": celer_folds,
        },
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"scikit-learn": 15, "celer, a path a fold (1 fold, scaled)": 5},
        same=lambda a, b: abs(a.alpha_ - b.alpha_) < 1e-9 if hasattr(b, "alpha_") else True,
    )
