"""Conformal bands cover new values as often as they claim."""

from __future__ import annotations

import numpy as np
import pytest

from epee import GaussianNB, KNeighborsRegressor, LinearRegression
from epee.errors import DataError, WrongUse
from epee.risk import conformal
from epee.risk.prediction_bands import _upper


def draw(n, rng):
    X = rng.uniform(0, 2, (n, 1))
    return X, np.sin(3 * X[:, 0]) + (0.2 + 0.3 * X[:, 0]) * rng.standard_t(4, n)


@pytest.mark.parametrize("method", ["cv+", "split"])
@pytest.mark.parametrize("model", [LinearRegression(), KNeighborsRegressor(7)], ids=lambda m: type(m).__name__)
def test_coverage(method, model):
    rng, held = np.random.default_rng(0), []
    for _ in range(40):
        bands = conformal(model, *draw(60, rng), 0.9, method=method)
        X, y = draw(60, rng)
        ends = bands.predict_interval(X)
        held.append(((ends[:, 0] <= y) & (y <= ends[:, 1])).mean())
    assert 0.86 < np.mean(held) < 0.96


def test_ranks_by_definition():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(5, 19))
    np.testing.assert_array_equal(_upper(values, None, 0.9), np.sort(values, axis=1)[:, 17])  # ceil(0.9 * 20) = 18
    np.testing.assert_array_equal(_upper(values, np.ones(19), 0.9), _upper(values, None, 0.9))
    assert np.isinf(_upper(values[:, :5], None, 0.9)).all()
    w = rng.integers(1, 4, 19)
    np.testing.assert_array_equal(_upper(values, w.astype(float), 0.8), _upper(np.repeat(values, w, axis=1), None, 0.8))


def test_levels_nest_and_prediction_is_the_model():
    X, y = draw(100, np.random.default_rng(1))
    bands = conformal(LinearRegression(), X, y, 0.9)
    wide, narrow = bands.predict_interval(X[:9], 0.95), bands.predict_interval(X[:9], 0.5)
    assert (wide[:, 0] <= narrow[:, 0]).all() and (narrow[:, 1] <= wide[:, 1]).all()
    np.testing.assert_allclose(bands.predict(X), LinearRegression().fit(X, y).predict(X))
    again = bands.fit(X + 1, y)
    np.testing.assert_allclose(again.predict_interval(X[:3] + 1), bands.predict_interval(X[:3]), rtol=1e-8)


def test_bad_input():
    X, y = draw(30, np.random.default_rng(0))
    with pytest.raises(WrongUse, match="not a regressor"):
        conformal(GaussianNB(), X, y > 0)
    with pytest.raises(WrongUse, match="'cv\\+' or 'split'"):
        conformal(LinearRegression(), X, y, method="magic")
    with pytest.raises(WrongUse, match="between 0 and 1"):
        conformal(LinearRegression(), X, y, 1.5)
    with pytest.raises(DataError, match="one value a row"):
        conformal(LinearRegression(), X, np.column_stack([y, y]))
