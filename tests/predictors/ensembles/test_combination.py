"""Combinations: the weights are the minimum over the simplex, and the error is that of new rows."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.utils.estimator_checks import estimator_checks_generator

import epee
from epee import Combination, DecisionTreeRegressor, GaussianNB, LinearDiscriminantAnalysis, LinearRegression, Ridge
from epee.errors import WrongUse
from epee.predictors.ensembles.combination import simplex_weights
from epee.risk.estimate import Risk

r = np.random.default_rng(0)
X = r.normal(size=(200, 3))
Y = X[:, 0] + np.where(X[:, 1] > 0, 2.0, 0.0) + 0.3 * r.normal(size=200)


@given(st.integers(1, 6), st.integers(0, 10_000))
def test_weights_are_the_minimum_over_the_simplex(M, seed):
    R = np.random.default_rng(seed).normal(size=(30, M)) + np.random.default_rng(seed).normal(size=(30, 1))
    E = R.T @ R
    w = simplex_weights(E)
    assert (w >= 0).all() and w.sum() == pytest.approx(1)
    slope = 2 * E @ w  # at the minimum no predictor has a smaller slope than those that are used
    assert slope.min() >= (slope @ w) - 1e-6 * np.abs(slope).max()
    found = minimize(
        lambda v: v @ E @ v,
        np.full(M, 1 / M),
        bounds=[(0, 1)] * M,
        constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
    )
    assert w @ E @ w <= found.fun * (1 + 1e-6)


def test_two_halves_are_better_than_each():
    members = [LinearRegression(), DecisionTreeRegressor(max_depth=3)]
    model = Combination(members).fit(X, Y)
    assert (model.weights_ > 0.1).all() and isinstance(model.cv_risk_, Risk)
    for member in members:
        assert model.cv_risk_.value < epee.risk.cross_validate(member, X, Y, folds=5).value
    by_hand = sum(w * m.predict(X) for w, m in zip(model.weights_, model.estimators_))
    np.testing.assert_allclose(model.predict(X), by_hand)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_the_plain_mean():
    model = Combination([("a", LinearRegression()), ("b", Ridge(10.0))], rule="mean").fit(X, Y)
    np.testing.assert_array_equal(model.weights_, [0.5, 0.5])


def test_classes_by_mean_probabilities():
    labels = np.array(["low", "middle", "high"])[np.digitize(Y, [0.0, 2.0])]
    model = Combination([LinearDiscriminantAnalysis(), GaussianNB()]).fit(X, labels)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (model.predict(X) == model.classes_[P.argmax(axis=1)]).all()
    assert model.cv_risk_.loss == "zero_one" and model.score(X, labels) > 0.7


def test_a_copy_changes_nothing():
    one, two = Combination([Ridge(1.0)]).fit(X, Y), Combination([Ridge(1.0), Ridge(1.0)]).fit(X, Y)
    np.testing.assert_allclose(one.predict(X), two.predict(X))


def test_weights_of_rows_reach_the_predictors():
    w = np.random.default_rng(1).integers(1, 3, 200).astype(float)
    model = Combination([LinearRegression(), Ridge(5.0)]).fit(X, Y, w)
    np.testing.assert_allclose(model.estimators_[0].coef_, LinearRegression().fit(X, Y, w).coef_)


@pytest.mark.parametrize(
    "members", [[Ridge(), LinearRegression()], [GaussianNB(), LinearDiscriminantAnalysis()]], ids=["numbers", "classes"]
)
def test_scikit_learn_checks(members):
    failures = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in estimator_checks_generator(Combination(members, folds=2)):
            name = getattr(check, "func", check).__name__
            if "sample_weight_equivalence" in name:
                continue  # a row given twice may be cut in two by the folds
            try:
                check(estimator)
            except BaseException as error:
                if not isinstance(error, Exception):
                    raise
                if type(error).__name__ not in ("SkipTest", "Skipped"):
                    failures.append(f"{name}: {error!r}"[:300])
    assert not failures, "\n".join(failures)


def test_wrong_use_is_a_sentence():
    for model, words in (
        (Combination([]), "empty"),
        (Combination([Ridge()], rule="x"), "rule"),
        (Combination([Ridge(), GaussianNB()]), "GaussianNB"),
    ):
        with pytest.raises(WrongUse, match=words):
            model.fit(X, Y)


def test_members_that_make_no_error_but_on_one_fold():
    """What the others said is added, not subtracted from the whole: of an error of zero no noise is left to be inverted."""
    X = np.linspace(0, 1, 40)[:, None]
    y = 3 * X[:, 0]
    y[7] += 1e6
    found = Combination([LinearRegression(), LinearRegression()], folds=40).fit(X, y)
    assert np.allclose(found.weights_.sum(), 1) and np.isfinite(found.cv_risk_.value)


def test_a_hole_is_refused_whoever_weighs_nothing():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X @ [1.0, 2.0]
    found = Combination([LinearRegression(), DecisionTreeRegressor()]).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        found.predict(np.array([[0.0, np.nan]]))
