"""The hat matrix and its kin: what predicts is a matrix, for every linear smoother."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epee import (
    KernelRegression,
    KernelRidge,
    KNeighborsRegressor,
    LinearRegression,
    PolynomialRegression,
    Ridge,
    SmoothingSpline,
)
from epee.errors import TooLarge, WrongUse
from epee.estimator.smoother import LARGEST_MATRIX, Smooths

RNG = np.random.default_rng(7)
X = RNG.standard_normal((30, 3)) @ np.diag([1.0, 2.0, 0.5]) + [1.0, -2.0, 0.0]
Y = RNG.standard_normal(30)
SMOOTHERS = [
    LinearRegression(), LinearRegression(fit_intercept=False), Ridge(3.0), Ridge(0.5, fit_intercept=False), KernelRegression(0.8),
    KernelRidge(alpha=0.5, kernel="rbf"), KNeighborsRegressor(4), PolynomialRegression(2),
]  # fmt: skip


@pytest.mark.parametrize("model", SMOOTHERS, ids=repr)
def test_predictions_are_the_matrix_times_the_values(model):
    rows = X[:, :1] if isinstance(model, PolynomialRegression) else X
    assert isinstance(model, Smooths)
    S = model.hat_matrix(rows)
    for y in (Y, Y**2 + 1e3):
        np.testing.assert_allclose(S @ y, model.fit(rows, y).predict(rows), rtol=1e-9, atol=1e-9 * np.abs(y).max())
    if not isinstance(model, KernelRidge):
        assert np.trace(S) == pytest.approx(model.degrees_of_freedom(rows), rel=1e-9)


def test_the_hat_matrix_is_the_projection_on_the_columns():
    A = np.column_stack([np.ones(30), X])
    H = LinearRegression().hat_matrix(X)
    np.testing.assert_allclose(H, A @ np.linalg.solve(A.T @ A, A.T), atol=1e-12)
    np.testing.assert_allclose(H @ H, H, atol=1e-12)
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    np.testing.assert_allclose(H @ A, A, atol=1e-10)
    np.testing.assert_allclose(np.diag(H), LinearRegression().fit(X, Y).leverage(X), atol=1e-12)


@given(st.floats(1e-3, 1e4))
@settings(max_examples=15, deadline=None)
def test_ridge_shrinks_and_never_reflects(alpha):
    S = Ridge(alpha, fit_intercept=False).hat_matrix(X)
    np.testing.assert_allclose(S, X @ np.linalg.solve(X.T @ X + alpha * np.eye(3), X.T), atol=1e-11)
    values = np.linalg.eigvalsh((S + S.T) / 2)
    assert values.min() > -1e-12 and values.max() < 1
    d2 = np.linalg.svd(X, compute_uv=False) ** 2
    assert np.trace(S) == pytest.approx((d2 / (d2 + alpha)).sum(), rel=1e-9)


def test_weights_are_counts():
    w = RNG.integers(1, 4, 30).astype(float)
    S = Ridge(2.0).hat_matrix(X, w)
    np.testing.assert_allclose(S @ Y, Ridge(2.0).fit(X, Y, sample_weight=w).predict(X), atol=1e-10)


def test_a_spline_keeps_the_penalty_that_was_chosen():
    x = np.sort(RNG.random(25))
    y = np.sin(6 * x) + 0.1 * RNG.standard_normal(25)
    with pytest.raises(WrongUse, match="fit the spline before"):
        SmoothingSpline().hat_matrix(x)
    for model in (SmoothingSpline().fit(x, y), SmoothingSpline(dof=5).fit(x, y)):
        S = model.hat_matrix(x)
        np.testing.assert_allclose(S @ y, model.predict(x), atol=1e-8)
        np.testing.assert_allclose(S, S.T, atol=1e-8)
        assert np.trace(S) == pytest.approx(model.effective_dof_, rel=1e-6)
    with pytest.raises(WrongUse, match="bandwidth is chosen"):
        KernelRegression().hat_matrix(X)


def test_more_columns_than_rows():
    wide = RNG.standard_normal((8, 20))
    np.testing.assert_allclose(
        Ridge(1.0).hat_matrix(wide) @ Y[:8], Ridge(1.0).fit(wide, Y[:8]).predict(wide), atol=1e-10
    )
    np.testing.assert_allclose(LinearRegression().hat_matrix(wide), np.eye(8), atol=1e-10)


def test_what_is_refused():
    with pytest.raises(TooLarge, match="at most"):
        LinearRegression().hat_matrix(np.zeros((LARGEST_MATRIX + 1, 1)))
    with pytest.raises(WrongUse, match="not linear"):
        LinearRegression(positive=True).hat_matrix(X)
    with pytest.raises(WrongUse, match="only the mean"):
        KNeighborsRegressor(3, statistic="median").hat_matrix(X)
