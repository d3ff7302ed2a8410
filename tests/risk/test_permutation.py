"""Importance: what is not used does not matter, what is used does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from epee import LinearDiscriminantAnalysis, LinearRegression
from epee.errors import WrongUse
from epee.risk import importance


@pytest.fixture
def line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 4))
    return X, 3 * X[:, 1] + X[:, 3] + 0.3 * rng.normal(size=240)


def test_ranks_and_size(line):
    X, y = line
    found = importance(LinearRegression().fit(X[:120], y[:120]), X[120:], y[120:], repeats=20)
    assert list(found.order[:2]) == [1, 3] and abs(found.value[0]) < 0.02
    assert found.value[1] == pytest.approx(2 * 9, rel=0.25)  # shuffling doubles the variance of 3 x: E (3x - 3x')² = 18
    assert (found.low[[1, 3]] > 0).all() and found.stderr[1] > 0


def test_not_fitted_takes_folds(line):
    X, y = line
    found = importance(LinearRegression(), X, y)
    assert "folds" in found.how and found.order[0] == 1
    again = importance(LinearRegression(), X, y)
    np.testing.assert_array_equal(found.value, again.value)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(line, frame):
    X, y = line
    table = frame(dict(zip("abcd", X.T, strict=True)))
    found = importance(LinearDiscriminantAnalysis(), table, y > 0, repeats=3)
    assert found.names == list("abcd") and found.order[0] == 1 and "b" in str(found)


def test_weights_and_bad_input(line):
    X, y = line
    w = np.where(np.arange(240) < 120, 1.0, 0.0)
    found = importance(LinearRegression(), X, y, sample_weight=w)
    assert found.order[0] == 1
    with pytest.raises(WrongUse, match="at least one shuffle"):
        importance(LinearRegression(), X, y, repeats=0)


def test_a_few_far_rows_are_said(line):
    X, y = line
    assert not importance(LinearRegression(), X, y).caution
    far = X.copy()
    far[7, [1, 3]] = 15.0, -15.0
    found = importance(LinearRegression(), far, y + 3 * (far - X)[:, 1] + (far - X)[:, 3])
    assert "the columns 1, 3" in found.caution and str(found).endswith(found.caution)
