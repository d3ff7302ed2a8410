"""Naive Bayes of discrete and mixed tables: bound by the speed of memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Problem, memory_copy
from benchmarks.problems import binary_classes, category_classes

KINDS = ["gaussian"] * 10 + ["bernoulli"] * 4 + ["poisson"] * 2 + ["categorical"] * 4


def mixed_table(n: int, K: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of the kinds above with 5 % of the cells missing."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    X = np.empty((n, 20))
    X[:, :10] = rng.standard_normal((n, 10)) + 0.3 * y[:, None]
    X[:, 10:14] = rng.random((n, 4)) < 0.2 + 0.1 * y[:, None]
    X[:, 14:16] = rng.poisson(1.0 + y[:, None], (n, 2))
    X[:, 16:] = rng.integers(0, 6, (n, 4))
    X[rng.random((n, 20)) < 0.05] = np.nan
    return X, y


def problems() -> Iterator[Problem]:
    from sklearn import naive_bayes

    from epee import BernoulliNB, CategoricalNB, MixedNB

    yield Problem(
        "MixedNB fit, 1,000,000 x 20, 5 % missing",
        data=lambda: mixed_table(1_000_000),
        ours=lambda X, y: MixedNB(KINDS).fit(X, y),
        limits={"memory copy": lambda X, y: memory_copy(X)},
        claim={"memory copy": 2.5},
        quick=True,
    )
    yield Problem(
        "BernoulliNB fit, 200,000 x 100, 10 classes",
        data=lambda: binary_classes(200_000, 100, 10),
        ours=lambda X, y: BernoulliNB().fit(X, y),
        rivals={"scikit-learn": lambda X, y: naive_bayes.BernoulliNB().fit(X, y)},
        limits={"memory copy": lambda X, y: memory_copy(X)},
        same=lambda a, b: bool(np.allclose(a.feature_log_prob_, b.feature_log_prob_)),
    )
    yield Problem(
        "CategoricalNB fit, 200,000 x 50, 10 classes",
        data=lambda: category_classes(200_000, 50, 10),
        ours=lambda X, y: CategoricalNB().fit(X, y),
        rivals={"scikit-learn": lambda X, y: naive_bayes.CategoricalNB().fit(X, y)},
        same=lambda a, b: bool(np.allclose(np.hstack(a.feature_log_prob_), np.hstack(b.feature_log_prob_))),
    )
