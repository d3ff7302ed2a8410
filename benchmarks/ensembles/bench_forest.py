"""Forests against scikit-learn: full trees on 100,000 x 20, rows out of the bag judged by ours in the same time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.harness import Problem
from benchmarks.problems import gaussian_classes, regression


def _as_good(ours: Any, theirs: Any) -> bool:
    X, y = gaussian_classes(5000, 20, 5, seed=1) if hasattr(ours, "classes_") else regression(5000, 20, seed=1)
    return bool(ours.score(X, y) > theirs.score(X, y) - 0.02)


def problems() -> Iterator[Problem]:
    import sklearn.ensemble as theirs

    import epee

    for name in ("RandomForest", "ExtraTrees"):
        yield Problem(
            f"{name}Classifier, 100 trees, 100,000 x 20, 5 classes",
            data=lambda: gaussian_classes(100_000, 20, 5),
            ours=lambda X, y, name=name: getattr(epee, f"{name}Classifier")(100).fit(X, y),
            rivals={
                "scikit-learn": lambda X, y, name=name: getattr(theirs, f"{name}Classifier")(
                    100, n_jobs=2, random_state=0
                ).fit(X, y)
            },
            claim={"scikit-learn": 3} if name == "RandomForest" else {},
            same=_as_good,
        )
    yield Problem(
        "RandomForestRegressor, 100 trees, a third of the columns, 100,000 x 20",
        data=lambda: regression(100_000, 20),
        ours=lambda X, y: epee.RandomForestRegressor(100, max_features=1 / 3).fit(X, y),
        rivals={
            "scikit-learn": lambda X, y: theirs.RandomForestRegressor(
                100, max_features=1 / 3, n_jobs=2, random_state=0
            ).fit(X, y)
        },
        claim={"scikit-learn": 3},
        same=_as_good,
    )
    yield Problem(
        "RandomForestClassifier, 20 trees, 10,000 x 20, 5 classes",
        data=lambda: gaussian_classes(10_000, 20, 5),
        ours=lambda X, y: epee.RandomForestClassifier(20).fit(X, y),
        rivals={"scikit-learn": lambda X, y: theirs.RandomForestClassifier(20, n_jobs=2, random_state=0).fit(X, y)},
        quick=True,
    )
