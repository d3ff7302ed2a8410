"""Cross-validation in one pass, against scikit-learn and against one Gram matrix."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Problem, Seconds, gram
from benchmarks.problems import gaussian_classes, regression

ALPHAS = np.geomspace(1e-2, 1e4, 100)


def _close(ours: Any, theirs: Any) -> bool:
    return bool(np.abs(ours.value - np.mean(theirs)) < 2e-3)


def _search(estimator: Any, X: np.ndarray, y: np.ndarray, some: int) -> Seconds:
    """Time GridSearchCV on some of the penalties and scale up to all of them."""
    import time

    from sklearn.model_selection import GridSearchCV

    start = time.perf_counter()
    GridSearchCV(
        estimator, {"alpha": ALPHAS[:: len(ALPHAS) // some]}, cv=10, scoring="neg_mean_squared_error", refit=False
    ).fit(X, y)
    return Seconds((time.perf_counter() - start) * len(ALPHAS) / some)


def _theirs(X: np.ndarray, y: np.ndarray) -> Seconds:
    from sklearn.linear_model import Ridge

    return _search(Ridge(), X, y, 2)


def _intel(X: np.ndarray, y: np.ndarray) -> Seconds:
    from sklearnex.linear_model import Ridge

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _search(Ridge(), X, y, 4)


def _scores(name: str) -> Any:
    def run(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from sklearn import discriminant_analysis, naive_bayes
        from sklearn.model_selection import cross_val_score

        cls = getattr(discriminant_analysis, name, None) or getattr(naive_bayes, name)
        return 1 - cross_val_score(cls(), X, y, cv=10)

    return run


def problems() -> Iterator[Problem]:
    import epee
    from epee.risk import compare, complexity_curve, cross_validate, loo

    yield Problem(
        "Ridge, 100 penalties x 10 folds, 200,000 x 100",
        data=lambda: regression(200_000, 100),
        ours=lambda X, y: complexity_curve(epee.Ridge(), X, y, "alpha", ALPHAS),
        rivals={"GridSearchCV, scikit-learn (2 penalties, scaled)": _theirs, "GridSearchCV, intelex (4 penalties, scaled)": _intel},
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={
            "GridSearchCV, scikit-learn (2 penalties, scaled)": 500, "GridSearchCV, intelex (4 penalties, scaled)": 150, "one X.T @ X": 4,
        },
    )  # fmt: skip
    for name, claim in (("LinearDiscriminantAnalysis", 60), ("QuadraticDiscriminantAnalysis", 12), ("GaussianNB", 10)):
        yield Problem(
            f"10-fold CV of {name}, 0-1 loss, 200,000 x 100, 10 classes",
            data=lambda: gaussian_classes(200_000, 100, 10),
            ours=lambda X, y, name=name: cross_validate(getattr(epee, name)(), X, y),
            rivals={"cross_val_score": _scores(name)},
            limits={"one X.T @ X": lambda X, y: gram(X)},
            claim={"cross_val_score": claim},
            same=_close,
        )
    yield Problem(
        "Ridge, 100 penalties x 10 folds x 20 repeats, 100,000 x 50",
        data=lambda: regression(100_000, 50),
        ours=lambda X, y: complexity_curve(epee.Ridge(), X, y, "alpha", ALPHAS, repeats=20),
        limits={"one X.T @ X": lambda X, y: gram(X)},
        claim={"one X.T @ X": 10},
        quick=True,
    )
    yield Problem(
        "leave-one-out of least squares, 5,000 x 50",
        data=lambda: regression(5_000, 50),
        ours=lambda X, y: loo(epee.LinearRegression(), X, y),
        rivals={"LeaveOneOut, scikit-learn (250 rows, scaled)": _leave_one_out},
        claim={"LeaveOneOut, scikit-learn (250 rows, scaled)": 500},
    )
    yield Problem(
        "compare eight closed-form classifiers, 10 folds, 100,000 x 50, 2 classes",
        data=lambda: gaussian_classes(100_000, 50, 2),
        ours=lambda X, y: compare(_eight(), X, y, repeats=1),
        rivals={"one cross_val_score of LDA, scikit-learn": _scores("LinearDiscriminantAnalysis")},
        claim={"one cross_val_score of LDA, scikit-learn": 1},
    )
    yield Problem(
        "nested interval of least squares, 30 repeats, 100 x 20",
        data=lambda: regression(100, 20),
        ours=lambda X, y: cross_validate(epee.LinearRegression(), X, y, interval="nested", repeats=30),
        claim={"seconds": 0.04},
        quick=True,
    )


def _eight() -> dict[str, Any]:
    import epee

    gaussian = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB"]
    linear = ["Hebb", "PseudoInverse", "LeastSquaresClassifier", "FisherDiscriminant"]
    models = {name: getattr(epee, name)() for name in gaussian + linear}
    return models | {"shrunk LDA": epee.LinearDiscriminantAnalysis("lsqr", shrinkage=0.1)}


def _leave_one_out(X: np.ndarray, y: np.ndarray) -> Seconds:
    import time

    from sklearn.linear_model import LinearRegression

    start = time.perf_counter()
    for i in range(250):
        keep = np.arange(len(y)) != i
        LinearRegression().fit(X[keep], y[keep]).predict(X[i : i + 1])
    return Seconds((time.perf_counter() - start) * len(y) / 250)
