"""Every method takes rows that lie elsewhere, answers in kind with the CPU's numbers, and says once where it learns on the CPU."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

from epee.arrays import is_elsewhere, library_of
from epee.errors import EngineWarning, EpeeWarning
from epee.estimator.registry import METHODS
from tests.contract.test_laws import COUNTS, HALF_LABELLED, arguments_of
from tests.elsewhere.libraries import close

NOT_OF_ROWS = (
    "fit",
    "partial_fit",
    "forget",
    "clean",
    "plot",
    "score",
    "fit_transform",
    "fit_predict",
    "decision_path",
    "draw",
)

LEARNS_THERE = {
    "BernoulliNB", "ComplementNB", "DiscriminantFactorAnalysis", "ElasticNet", "FisherDiscriminant", "GaussianDensity",
    "GaussianMixture", "GaussianNB", "Hebb", "KMeans", "LandmarkClassifier", "LandmarkRegressor", "Lasso", "LassoCV",
    "LeastSquaresClassifier", "LinearDiscriminantAnalysis", "LinearRegression", "LogisticRegression", "MapRegression", "MultinomialNB",
    "Nystroem", "PCA", "PoissonNB", "PoissonRegressor", "PseudoInverse", "QuadraticDiscriminantAnalysis", "Ridge",
    "RidgeCV", "StandardScaler", "Tikhonov",
}  # fmt: skip
AROUND_OTHERS = {
    "BayesDecision",
    "OpenClassifier",
    "RandomisedClassifier",
}  # which learn there, or say what the one inside says
KEPT_HERE = {
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "TableEncoder",
}  # rows are held here in any case: nothing need be said


def rows_for(method):
    """Return few rows and a target that the method can take."""
    rng = np.random.default_rng(4)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 3)) + 0.9 * y[:, None]
    if method.name == "SmoothingSpline":
        X = X[:, :1]
    if method.name in COUNTS:
        X = np.floor(np.abs(X))
    if method.kind in ("regressor", "predictor") or method.name == "SelectFeatures":
        t = X @ np.ones(X.shape[1]) + rng.normal(size=60)
        return X, np.floor(np.abs(t)) if method.name == "PoissonRegressor" else np.exp(
            t / 9
        ) if method.name == "LogTarget" else t
    return X, np.where(np.arange(60) % 4, y, -1) if method.name in HALF_LABELLED else y


def fitted(method, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)
        return method.example(**arguments_of(method, X.shape[1])).fit(X, y)


def of_rows(model):
    """Yield the names of public methods that need rows and nothing else."""
    for name in dir(type(model)):
        if name.startswith("_") or name in NOT_OF_ROWS or not callable(getattr(type(model), name, None)):
            continue
        try:
            first, *rest = inspect.signature(getattr(model, name)).parameters.values()
        except (ValueError, TypeError, AttributeError):
            continue
        if first.name == "X" and all(
            p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in rest
        ):
            yield name


def numbers(answer):
    """Return the arrays of numbers in an answer that is an array, or several."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [a for a in parts if is_elsewhere(a) or (isinstance(a, np.ndarray) and a.dtype.kind in "fiub")]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_answers_are_of_the_kind_that_came_in(method, send):
    X, y = rows_for(method)
    here = fitted(method, X, y)
    asked = 0
    for name in of_rows(here):
        try:
            known = numbers(getattr(here, name)(X))
        except (ValueError, TypeError, AttributeError):  # it needs other rows than these
            continue
        if not known:
            continue
        asked += 1
        found = numbers(getattr(here, name)(send(X)))
        assert [library_of(a) for a in found] == [library_of(send(X))] * len(known), name
        assert all(close(a, b, 1e-9) for a, b in zip(found, known, strict=True)), name
    assert asked or not hasattr(here, "predict")


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_what_learns_on_the_cpu_says_so_once(method, send):
    X, y = rows_for(method)
    said = [[], []]
    for again in range(2):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            method.example(**arguments_of(method, X.shape[1])).fit(send(X), send(y))
        said[again] = [str(w.message) for w in heard if issubclass(w.category, EngineWarning)]
        if not said[0]:
            break
    assert len(said[0]) <= 1
    if method.name not in AROUND_OTHERS:
        assert all(method.name in sentence for sentence in said[0])
        assert (method.name in LEARNS_THERE | KEPT_HERE) == (said[0] == [])
    assert said[1] == []
