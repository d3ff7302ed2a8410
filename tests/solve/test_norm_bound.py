"""Ridge with a bound in place of a penalty: the same solutions, the other way round."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from epee import LinearRegression, Ridge
from epee.errors import WrongUse
from epee.risk import cross_validate, loo

RNG = np.random.default_rng(3)
X = RNG.standard_normal((40, 4)) * [1.0, 3.0, 0.3, 1.0]
Y = X @ [1.0, -0.5, 2.0, 0.0] + 0.3 * RNG.standard_normal(40) + 5


@given(st.floats(1e-3, 1e5))
@settings(max_examples=20, deadline=None)
def test_the_bound_of_a_penalty_gives_the_penalty_back(alpha):
    by_penalty = Ridge(alpha).fit(X, Y)
    by_bound = Ridge(bound=float(by_penalty.coef_ @ by_penalty.coef_)).fit(X, Y)
    np.testing.assert_allclose(by_bound.coef_, by_penalty.coef_, rtol=1e-8)
    assert by_bound.alpha_ == pytest.approx(alpha, rel=1e-6)
    assert by_bound.effective_dof_ == pytest.approx(by_penalty.effective_dof_, rel=1e-6)


def test_a_bound_that_does_not_bind_is_least_squares():
    free = LinearRegression().fit(X, Y)
    model = Ridge(bound=1.001 * float(free.coef_ @ free.coef_)).fit(X, Y)
    assert model.alpha_ == 0
    np.testing.assert_allclose(model.coef_, free.coef_, rtol=1e-9)


def test_it_is_the_constrained_minimum():
    s = 1.5
    Z, t = X - X.mean(axis=0), Y - Y.mean()
    found = minimize(lambda b: ((t - Z @ b) ** 2).sum(), np.zeros(4), jac=lambda b: -2 * Z.T @ (t - Z @ b), method="SLSQP",
                     constraints={"type": "ineq", "fun": lambda b: s - b @ b, "jac": lambda b: -2 * b},
                     options={"ftol": 1e-13, "maxiter": 500})  # fmt: skip
    np.testing.assert_allclose(Ridge(bound=s).fit(X, Y).coef_, found.x, atol=1e-5)


def test_every_road_and_several_targets():
    s, both = 0.8, np.column_stack([Y, 10 * Y])
    model = Ridge(bound=s).fit(X, both)
    assert model.alpha_.shape == (2,) and model.alpha_[0] != model.alpha_[1]
    np.testing.assert_allclose((model.coef_**2).sum(axis=1), s, rtol=1e-9)
    wide = X[:3]
    np.testing.assert_allclose((Ridge(bound=0.01).fit(wide, Y[:3]).coef_ ** 2).sum(), 0.01, rtol=1e-9)
    parts = Ridge(bound=s).partial_fit(X[:15], Y[:15]).partial_fit(X[15:], Y[15:])
    np.testing.assert_allclose(parts.coef_, Ridge(bound=s).fit(X, Y).coef_, rtol=1e-9)
    again = Ridge.from_state(Ridge(bound=s).fit(X, Y).to_state())
    assert again.alpha_ == Ridge(bound=s).fit(X, Y).alpha_


def test_risk_refits_what_the_row_has_moved():
    model = Ridge(bound=0.8)
    slow = [(Y[i] - model.fit(np.delete(X, i, 0), np.delete(Y, i)).predict(X[i : i + 1])[0]) ** 2 for i in range(40)]
    assert loo(model, X, Y).value == pytest.approx(np.mean(slow), rel=1e-8)
    folds = np.arange(40) % 4
    mine = [
        ((Y[folds == k] - model.fit(X[folds != k], Y[folds != k]).predict(X[folds == k])) ** 2).mean() for k in range(4)
    ]
    assert cross_validate(model, X, Y, folds=folds).value == pytest.approx(np.mean(mine), rel=1e-8)


@pytest.mark.parametrize("bad", [0, -1.0, np.inf, "much"])
def test_bounds_that_make_no_sense(bad):
    with pytest.raises(WrongUse, match="above 0"):
        Ridge(bound=bad).fit(X, Y)
