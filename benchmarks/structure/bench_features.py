"""Manifolds and the choice of inputs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sklearn.linear_model
import sklearn.manifold as rival
from scipy.spatial import procrustes
from sklearn.datasets import make_s_curve
from sklearn.feature_selection import SequentialFeatureSelector

from benchmarks.harness import Problem, Seconds
from benchmarks.problems import regression
from epee import Isomap, LinearRegression, LocallyLinearEmbedding, SelectFeatures


def same(ours: object, theirs: object) -> bool:
    return bool(procrustes(ours.embedding_, theirs.embedding_)[2] < 1e-6)  # type: ignore[attr-defined]


def one_step_scaled(X: np.ndarray, y: np.ndarray) -> Seconds:
    """Time scikit-learn's first of ten forward steps, and scale it up by the number of fits of all ten."""
    import time

    start = time.perf_counter()
    SequentialFeatureSelector(
        sklearn.linear_model.LinearRegression(), n_features_to_select=1, cv=10, scoring="neg_mean_squared_error"
    ).fit(X, y)
    p = X.shape[1]
    return Seconds((time.perf_counter() - start) * sum(p - k for k in range(10)) / p)


def problems() -> Iterator[Problem]:
    yield Problem(
        "Isomap, 5,000 points of an S-curve",
        data=lambda: (make_s_curve(5_000, random_state=0)[0],),
        ours=lambda X: Isomap(n_neighbors=10).fit(X),
        rivals={"scikit-learn": lambda X: rival.Isomap(n_neighbors=10).fit(X)},
        claim={"scikit-learn": 2},
        same=same,
    )
    yield Problem(
        "LLE, 5,000 points of an S-curve",
        data=lambda: (make_s_curve(5_000, random_state=0)[0],),
        ours=lambda X: LocallyLinearEmbedding(n_neighbors=12).fit(X),
        rivals={"scikit-learn": lambda X: rival.LocallyLinearEmbedding(n_neighbors=12).fit(X)},
        claim={"scikit-learn": 1.5},
        quick=True,
    )
    yield Problem(
        "forward selection of 10 among 100 columns, 10 folds, n = 50,000",
        data=lambda: regression(50_000, 100, informative=20, noise=3.0, correlation=0.3),
        ours=lambda X, y: SelectFeatures(LinearRegression(), n_features=10).fit(X, y),
        rivals={"scikit-learn, scaled up from its first step": one_step_scaled},
        claim={"scikit-learn, scaled up from its first step": 100},
    )
