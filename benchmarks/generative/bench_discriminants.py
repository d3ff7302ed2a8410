"""Gaussian classifiers: quadratic discriminant analysis and naive Bayes, fitting and predicting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Problem, gram, memory_copy
from benchmarks.problems import gaussian_classes


def fitted(ours: Any, theirs: Any) -> tuple[Any, Any, np.ndarray]:
    """Return the two models, fitted to the same rows, and the rows."""
    X, y = gaussian_classes(200_000, 100, 10)
    return ours.fit(X, y), theirs.fit(X, y), X


def alike(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return bool((ours == theirs).mean() > 0.9999)


def problems() -> Iterator[Problem]:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as TheirQDA
    from sklearn.naive_bayes import GaussianNB as TheirNB

    from epee import GaussianNB, QuadraticDiscriminantAnalysis

    big = {"data": lambda: gaussian_classes(200_000, 100, 10)}
    limits = {"one X.T @ X": lambda X, y: gram(X), "memory copy": lambda X, y: memory_copy(X)}
    yield Problem(
        "QDA fit, 200,000 x 100, 10 classes",
        ours=lambda X, y: QuadraticDiscriminantAnalysis().fit(X, y),
        rivals={
            "scikit-learn": lambda X, y: TheirQDA().fit(X, y),
            "scikit-learn eigen": lambda X, y: TheirQDA(solver="eigen").fit(X, y),
        },
        limits=limits,
        claim={"scikit-learn": 8, "scikit-learn eigen": 8, "one X.T @ X": 4},
        same=lambda a, b: bool(np.allclose(a.scalings_, b.scalings_, rtol=1e-8)),
        **big,
    )
    yield Problem(
        "GaussianNB fit, 200,000 x 100, 10 classes",
        ours=lambda X, y: GaussianNB().fit(X, y),
        rivals={"scikit-learn": lambda X, y: TheirNB().fit(X, y)},
        limits=limits,
        claim={"scikit-learn": 2},
        same=lambda a, b: bool(np.allclose(a.var_, b.var_, rtol=1e-8)),
        quick=True,
        **big,
    )
    yield Problem(
        "QDA predict, 200,000 x 100, 10 classes",
        data=lambda: fitted(QuadraticDiscriminantAnalysis(), TheirQDA()),
        ours=lambda ours, theirs, X: ours.predict(X),
        rivals={"scikit-learn": lambda ours, theirs, X: theirs.predict(X)},
        limits={"one X.T @ X": lambda ours, theirs, X: gram(X)},
        same=alike,
    )
    yield Problem(
        "GaussianNB predict, 200,000 x 100, 10 classes",
        data=lambda: fitted(GaussianNB(), TheirNB()),
        ours=lambda ours, theirs, X: ours.predict(X),
        rivals={"scikit-learn": lambda ours, theirs, X: theirs.predict(X)},
        limits={"memory copy": lambda ours, theirs, X: memory_copy(X)},
        same=alike,
    )
    yield Problem(
        "QDA regularised by leave-one-out, 25 pairs, 2,000 x 20, 4 classes",
        data=lambda: gaussian_classes(2_000, 20, 4),
        ours=lambda X, y: QuadraticDiscriminantAnalysis(covariance_type="regularised").fit(X, y),
        limits={"one fit": lambda X, y: QuadraticDiscriminantAnalysis(tying=0.5, rounding=0.5).fit(X, y)},
        quick=True,
    )
