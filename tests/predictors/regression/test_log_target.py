"""A regressor of the logarithm, brought back to the mean."""

from __future__ import annotations

import numpy as np
import pytest

from epee import LinearRegression, LogTarget, RandomForestRegressor
from epee.errors import DataError


def skewed(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.exp(1 + X[:, 0] - 0.5 * X[:, 1] + 0.8 * rng.normal(size=n))


def test_the_mean_comes_back():
    """With log-normal noise the mean of y is exp(f + sigma² / 2), not exp(f)."""
    X, y = skewed(20_000)
    model = LogTarget(LinearRegression()).fit(X, y)
    assert model.factor_ == pytest.approx(np.exp(0.8**2 / 2), rel=0.03)
    assert model.predict(X).mean() == pytest.approx(y.mean(), rel=1e-12)


def test_a_forest_is_brought_back_by_what_it_says_out_of_the_bag():
    X, y = skewed(600)
    model = LogTarget(RandomForestRegressor(60, min_samples_leaf=2, random_state=0)).fit(X, y)
    fitted = model.estimator_.predict(X)
    assert model.factor_ > y.mean() / np.exp(fitted).mean()  # fitted values lie too near to the rows
    assert model.factor_ == pytest.approx(y.mean() / np.exp(model.estimator_.oob_prediction_).mean(), rel=1e-12)


def test_scale_goes_through():
    X, y = skewed(200)
    np.testing.assert_allclose(
        LogTarget(LinearRegression()).fit(X, 1e6 * y).predict(X),
        1e6 * LogTarget(LinearRegression()).fit(X, y).predict(X),
        rtol=1e-9,
    )


def test_a_target_that_is_not_positive_is_refused():
    with pytest.raises(DataError, match="row 1 holds 0"):
        LogTarget(LinearRegression()).fit([[0.0], [1.0]], [1.0, 0.0])
