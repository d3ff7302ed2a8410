"""Robust lines: outliers, agreement with statsmodels and linear programming, monotone objectives."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from epee import LinearRegression, RobustRegression
from epee.errors import ConditionWarning, SearchWarning, WrongUse
from epee.losses import Huber

LOSSES = ["absolute", "l1.5", "huber", "tukey", "welsch", "geman_mcclure"]


def sample(n=80, wild=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 1
    y = X @ [1.0, 0.0, -2.0] + 0.5 + rng.normal(size=n)
    y[:wild] += 50
    return X, y


def least_absolute(X, y, w):
    A, n = np.column_stack([np.ones(len(X)), X]), len(X)
    k = A.shape[1]
    c = np.concatenate([np.zeros(k), w, w])
    return linprog(
        c, A_eq=np.hstack([A, np.eye(n), -np.eye(n)]), b_eq=y, bounds=[(None, None)] * k + [(0, None)] * (2 * n)
    ).fun


@settings(max_examples=15)
@given(st.integers(0, 500), st.booleans())
def test_least_absolute_deviations_are_exact(seed, weighted):
    X, y = sample(30, 4, seed)
    w = np.random.default_rng(seed).integers(1, 4, 30).astype(float) if weighted else np.ones(30)
    model = RobustRegression("absolute").fit(X, y, w)
    assert w @ np.abs(y - model.predict(X)) == pytest.approx(least_absolute(X, y, w), rel=1e-9)
    assert (np.abs(y - model.predict(X)) < 1e-9).sum() >= 4  # a vertex


@pytest.mark.parametrize(
    ("loss", "norm"), [("huber", sm.robust.norms.HuberT()), ("tukey", sm.robust.norms.TukeyBiweight())]
)
def test_iterated_scale_is_statsmodels(loss, norm):
    X, y = sample()
    theirs = sm.RLM(y, sm.add_constant(X), M=norm).fit(tol=1e-12, maxiter=500)
    ours = RobustRegression(loss).fit(X, y)
    np.testing.assert_allclose(np.append(ours.intercept_, ours.coef_), theirs.params, rtol=1e-7)
    assert ours.scale_ == pytest.approx(theirs.scale, rel=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_does_not_increase(loss):
    X, y = sample()
    model = RobustRegression(loss, scale="mad").fit(X, y)
    assert model.converged_ and (np.diff(model.trace_) <= 1e-9 * model.trace_[0]).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_one_gross_outlier_moves_the_fit_by_a_bounded_amount(loss):
    X, y = sample(wild=0)
    coefs = []
    for size in (1e2, 1e4, 1e6):
        z = y.copy()
        z[3] = size
        coefs.append(RobustRegression(loss).fit(X, z).coef_)
    if loss == "l1.5":  # its pull still grows, like the root
        assert np.abs(coefs[2] - coefs[0]).max() > 0.1
    else:
        np.testing.assert_allclose(coefs[1], coefs[2], atol=1e-5)
        assert np.abs(coefs[0] - RobustRegression(loss).fit(X, y).coef_).max() < 0.3


@pytest.mark.parametrize("loss", ["tukey", "welsch", "geman_mcclure"])
def test_bounded_losses_shut_outliers_out(loss):
    X, y = sample()
    model = RobustRegression(loss).fit(X, y)
    clean = LinearRegression().fit(X[8:], y[8:])
    assert model.weights_[:8].max() < 1e-4 and np.median(model.weights_[8:]) > 0.8
    np.testing.assert_allclose(model.coef_, clean.coef_, atol=0.15)


@pytest.mark.parametrize("c", [0.7, 1.345, 2.0])
def test_the_constant_is_that_of_statsmodels_at_a_given_scale_and_an_iterated_one(c):
    X, y = sample()
    theirs = sm.RLM(y, sm.add_constant(X), M=sm.robust.norms.HuberT(c)).fit(tol=1e-12, maxiter=500)
    for scale in ("iterated", theirs.scale):
        ours = RobustRegression("huber", c=c, scale=scale).fit(X, y)
        np.testing.assert_allclose(np.append(ours.intercept_, ours.coef_), theirs.params, rtol=1e-7)
    np.testing.assert_allclose(ours.coef_, RobustRegression(Huber(c), scale=theirs.scale).fit(X, y).coef_, rtol=1e-12)


def test_extremes_are_least_squares():
    X, y = sample(wild=0)
    line = LinearRegression().fit(X, y)
    np.testing.assert_allclose(RobustRegression("squared").fit(X, y).coef_, line.coef_, rtol=1e-9)
    np.testing.assert_allclose(RobustRegression(Huber(1.0), scale=1e6).fit(X, y).coef_, line.coef_, rtol=1e-8)
    without = RobustRegression("huber", fit_intercept=False).fit(X, y)
    assert without.intercept_ == 0


def test_first_order_condition_of_a_power():
    X, y = sample(wild=0)
    model = RobustRegression("l1.5").fit(X, y)
    r = y - model.predict(X)
    pull = np.sqrt(np.abs(r)) * np.sign(r)
    assert np.abs(np.column_stack([np.ones(80), X]).T @ pull).max() < 1e-6 * np.abs(pull).sum()


def test_bad_input():
    X, y = sample()
    for wrong in (RobustRegression("l0.5"), RobustRegression("hinge"), RobustRegression(scale=-1.0), RobustRegression(scale="sd"),
                  RobustRegression(max_iter=0), RobustRegression(c=0.0), RobustRegression("absolute", c=1.0)):  # fmt: skip
        with pytest.raises(WrongUse):
            wrong.fit(X, y)
    with pytest.warns(SearchWarning, match="did not settle"):
        RobustRegression("huber", max_iter=1).fit(X, y)


def test_far_from_the_origin_nothing_is_lost():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2)) + 1e9  # as rounded there
    y = (X - 1e9) @ [2.0, -1.0] + rng.normal(size=50)
    for loss in ("tukey", "absolute"):
        near, far = RobustRegression(loss).fit(X - 1e9, y), RobustRegression(loss).fit(X, y)
        np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-8)


def test_dependent_columns_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    with pytest.warns(ConditionWarning, match="columns 0, 1, 2 are linearly dependent"):
        RobustRegression().fit(np.column_stack([X, X.sum(axis=1)]), X[:, 0])
