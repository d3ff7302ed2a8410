"""Errors along a parameter: against grid search, and the rules of choice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as Theirs
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline

from epee import (
    KNeighborsClassifier,
    Lasso,
    LinearDiscriminantAnalysis,
    LinearRegression,
    PolynomialFeatures,
    Ridge,
    StandardScaler,
)
from epee.errors import WrongUse
from epee.risk import complexity_curve, cross_validate
from epee.risk.complexity import choose

ALPHAS = np.geomspace(1e-2, 1e3, 12)


@pytest.fixture
def line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 6))
    return X, X @ [1.0, 0.5, 0, 0, 0, 0] + rng.normal(size=90)


def test_ridge_path_equals_grid_search(line):
    X, y = line
    splitter = KFold(5, shuffle=True, random_state=0)
    curve = complexity_curve(Ridge(), X, y, "alpha", ALPHAS, folds=splitter)
    search = (
        GridSearchCV(Theirs(), {"alpha": ALPHAS}, cv=splitter, scoring="neg_mean_squared_error").fit(X, y).cv_results_
    )
    np.testing.assert_allclose(curve.cv, -search["mean_test_score"], rtol=1e-10)
    np.testing.assert_allclose(
        curve.train, [((Theirs(alpha=a).fit(X, y).predict(X) - y) ** 2).mean() for a in ALPHAS], rtol=1e-10
    )
    H = [
        np.trace(X0 @ np.linalg.solve(X0.T @ X0 + a * np.eye(6), X0.T)) + 1
        for a in ALPHAS
        for X0 in [X - X.mean(axis=0)]
    ]
    np.testing.assert_allclose(curve.dof, H, rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "parameter"),
    [(Ridge(), "alpha"), (make_pipeline(StandardScaler(), Ridge()), "ridge__alpha"), (Lasso(), "alpha")],
)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_a_path_is_its_points(line, model, parameter, loss):
    X, y = line
    values = [0.01, 0.1, 1.0]
    curve = complexity_curve(model, X, y, parameter, values, folds=4, loss=loss, repeats=2)
    points = [cross_validate(model.set_params(**{parameter: v}), X, y, folds=4, loss=loss, repeats=2) for v in values]
    tol = 1e-10 if "Lasso" not in str(model) else 1e-4
    np.testing.assert_allclose(curve.cv, [p.value for p in points], rtol=tol)
    np.testing.assert_allclose(curve.stderr, [p.stderr for p in points], rtol=max(10 * tol, 1e-9))


def test_a_nearly_perfect_path_reads_the_rows(line):
    X, _ = line
    y = X @ np.arange(6.0)
    curve = complexity_curve(Ridge(), X, y, "alpha", [1e-10, 1e-8, 1.0], folds=5)
    expected = [cross_validate(Theirs(alpha=a), X, y, folds=5).value for a in (1e-8, 1.0)]
    np.testing.assert_allclose(curve.cv[1:], expected, rtol=1e-4)
    assert curve.cv[0] < 1e-18


def test_degrees_of_a_polynomial(line):
    x = np.linspace(-1, 1, 60)[:, None]
    y = x[:, 0] ** 3 - x[:, 0] + 0.1 * np.random.default_rng(0).normal(size=60)
    model = make_pipeline(PolynomialFeatures(include_bias=False), LinearRegression())
    curve = complexity_curve(model, x, y, "polynomialfeatures__degree", range(1, 8))
    assert (np.diff(curve.train) <= 1e-12).all()  # nested classes
    assert curve.chosen == 3 and list(curve.dof) == list(range(2, 9))


def test_neighbours_and_the_direction_of_simplicity():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    larger = complexity_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1, 5, 15, 40], simpler="larger")
    smaller = complexity_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1, 5, 15, 40], simpler="smaller")
    assert larger.chosen >= larger.best >= smaller.chosen
    assert larger.train[0] == 0
    least = complexity_curve(LinearDiscriminantAnalysis("lsqr"), X, y, "shrinkage", [0.0, 1.0], rule="min")
    assert least.chosen == least.best == 0.0


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.floats(0, 2))
def test_the_rule(cv, bar):
    cv = np.array(cv, dtype=float)
    order = np.arange(len(cv), dtype=float)
    best, chosen = choose(cv, np.full(len(cv), bar), order)
    assert cv[best] == cv.min() and not (cv[:best] == cv.min()).any()  # the simplest on ties
    assert cv[chosen] <= cv.min() + bar and chosen <= best
    assert not (cv[:chosen] <= cv.min() + bar).any()
    assert choose(cv, np.full(len(cv), bar), order, "min") == (best, best)


def test_edges_and_bad_words(line):
    X, y = line
    curve = complexity_curve(Ridge(), X, y, "alpha", [1e3, 1e4, 1e5])
    assert curve.at_edge and curve.best == 1e3
    for change, sentence in (({"parameter": "beta"}, "has no parameter 'beta'"), ({"values": []}, "values is empty"),
                             ({"rule": "most"}, "'one_se' or 'min'"), ({"simpler": "no"}, "'smaller' or 'larger'")):  # fmt: skip
        with pytest.raises(WrongUse, match=sentence):
            complexity_curve(**({"model": Ridge(), "X": X, "y": y, "parameter": "alpha", "values": [1.0]} | change))
