"""Polynomials: nested, exact, conditioned, and left-out errors of all degrees at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee import LinearRegression, PolynomialRegression
from epee.errors import ConditionWarning, WrongUse


def curve(n=40, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(n, 1))
    return x, np.sin(6 * x[:, 0]) + 0.1 * rng.normal(size=n)


@given(st.integers(0, 200), st.integers(0, 6), st.floats(-100, 100), st.sampled_from([1e-3, 1.0, 1e3]))
def test_a_polynomial_is_found_again(seed, degree, centre, width):
    rng = np.random.default_rng(seed)
    x = centre + width * rng.uniform(-1, 1, size=(30, 1))
    t = (x[:, 0] - centre) / width
    y = np.polynomial.Polynomial(rng.normal(size=degree + 1))(t)
    model = PolynomialRegression(degree).fit(x, y)
    np.testing.assert_allclose(model.predict(x), y, atol=1e-9 * max(1, np.abs(y).max()))
    assert model.coef_.shape == (degree,)


def test_coefficients_are_those_in_x():
    x, y = curve()
    for intercept in (True, False):
        model = PolynomialRegression(4, fit_intercept=intercept).fit(x, y)
        powers = LinearRegression(fit_intercept=intercept).fit(np.hstack([x**j for j in range(1, 5)]), y)
        np.testing.assert_allclose(model.coef_, powers.coef_, rtol=1e-9)
        assert model.intercept_ == pytest.approx(powers.intercept_, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(model.summary().bse, powers.summary().bse, rtol=1e-6)
        np.testing.assert_allclose(
            model.predict_interval(x), powers.predict_interval(np.hstack([x**j for j in range(1, 5)])), rtol=1e-7
        )
        by_hand = model.intercept_ + sum(c * x[:, 0] ** (j + 1) for j, c in enumerate(model.coef_))
        np.testing.assert_allclose(by_hand, model.predict(x), atol=1e-10)


def test_nested_classes():
    x, y = curve(15)
    errors = [((PolynomialRegression(d).fit(x, y).predict(x) - y) ** 2).mean() for d in range(15)]
    assert (np.diff(errors) <= 1e-12).all()
    assert errors[14] < 1e-15  # n - 1 interpolates
    assert errors[0] == pytest.approx(y.var())


def test_degree_eleven_on_the_unit_interval_is_fine():
    x, y = curve(200)
    model = PolynomialRegression(11).fit(x, y)
    powers = np.hstack([x**j for j in range(12)])
    Q, _ = np.linalg.qr(powers)
    np.testing.assert_allclose(model.predict(x), Q @ (Q.T @ y), atol=1e-9)
    assert model._line.condition_ < 100


@pytest.mark.parametrize("m", [None, 2])
def test_left_out_errors_of_all_degrees(m):
    x, y = curve(25)
    y = y if m is None else np.column_stack([y, y**2])
    w = np.array([1.0, 2.0, 1.0, 0.0, 3.0] * 5)
    degrees = [0, 1, 5, 3]
    for weight in (None, w):
        path = PolynomialRegression().left_out_path(x, y, weight, "degree", degrees)
        assert path.shape == (4, *y.shape)
        for v, d in enumerate(degrees):
            np.testing.assert_allclose(path[v], PolynomialRegression(d).left_out(x, y, weight), atol=1e-9)
        rest = np.ones(25) if weight is None else w.copy()
        rest[4] -= 1
        refit = PolynomialRegression(5).fit(x, y, sample_weight=rest)
        np.testing.assert_allclose(path[2, 4], refit.predict(x[4:5])[0], rtol=1e-7)


def test_several_inputs_add():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] ** 2 - X[:, 1] ** 3 + 1
    model = PolynomialRegression(3).fit(X, y)
    np.testing.assert_allclose(model.coef_, [0, 1, 0, 0, 0, -1], atol=1e-10)
    assert model.summary().names == ["intercept", "x0", "x0^2", "x0^3", "x1", "x1^2", "x1^3"]
    assert model.leverage(X).sum() == pytest.approx(7)


def test_streams_and_moments():
    x, y = curve(60)
    whole = PolynomialRegression(3).fit(x, y)
    parts = PolynomialRegression(3).partial_fit(x[:30], y[:30]).partial_fit(x[30:], y[30:])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-8)
    model = PolynomialRegression(5)
    m = model.moments(x, y, fold=np.arange(60) % 3)
    coef, intercept, dof = model.solve_path(m.leave_one_out("fold"), "degree", [0, 2, 5])
    assert coef.shape == (3, 3, 1, 5) and dof.tolist() == [[1, 3, 6]] * 3
    train = np.arange(60) % 3 != 1
    refit = PolynomialRegression(2).fit(x[train], y[train])
    np.testing.assert_allclose(model._basis(x) @ coef[1, 1, 0] + intercept[1, 1, 0], refit.predict(x), atol=1e-10)


def test_bad_input():
    x, y = curve(10)
    for degree in (-1, 2.5, "two"):
        with pytest.raises(WrongUse, match="degree"):
            PolynomialRegression(degree).fit(x, y)
    few = np.round(x * 2)
    with pytest.warns(ConditionWarning, match="too few distinct values for degree 5"):
        PolynomialRegression(5).fit(few, y)


def test_too_few_distinct_values_leave_powers_open():
    x = np.repeat([0.0, 1.0, 2.0], 5)[:, None]
    with pytest.warns(ConditionWarning, match="too few distinct values"):
        model = PolynomialRegression(3).fit(x, np.arange(15.0))
    table = model.summary()
    assert table.undetermined == ("x", "x^2", "x^3") and np.isfinite(
        table.bse[0]
    )  # x = 0 was measured: the intercept is known
    ends = model.predict_interval([[1.0], [1.5]])
    assert np.isfinite(ends[0]).all() and np.isinf(ends[1]).all()
