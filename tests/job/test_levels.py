"""Categories as trees like them."""

from __future__ import annotations

import numpy as np
import pytest

from epee.job.levels import TreeColumns, code_columns, level_means


def rows(n=400, rich=20, seed=0):
    rng = np.random.default_rng(seed)
    number = rng.normal(size=(n, 1))
    few, many = rng.integers(0, 3, n), rng.integers(0, rich, n)
    X = np.column_stack([number, np.eye(3)[few], np.eye(rich)[many]])
    return X, few, many, rng


def test_few_levels_become_codes_and_many_become_means():
    X, few, many, rng = rows()
    y = many * 1.0 + rng.normal(size=len(X))
    step = TreeColumns([(1, 4), (4, 24)]).fit(X, y)
    Z = step.transform(X)
    assert Z.shape == (400, 3) and code_columns(24, [(1, 4), (4, 24)]) == [1]
    np.testing.assert_array_equal(Z[:, 1], few)
    assert np.corrcoef(Z[:, 2], many)[0, 1] > 0.99
    gone = step.transform(np.zeros((1, 24)))  # no level: a missing cell, or one never seen
    assert np.isnan(gone[0, 1]) and gone[0, 2] == pytest.approx(y.mean())


def test_a_row_does_not_tell_its_own_target():
    """With a target of pure noise, what other folds say of a level knows nothing of it; the means of all rows do."""
    X, _, _, rng = rows(300, 60)
    y = rng.normal(size=300)
    step = TreeColumns([(1, 4), (4, 64)])
    blind, sighted = step.fit_transform(X, y)[:, -1], step.fit(X, y).transform(X)[:, -1]
    assert np.corrcoef(blind, y)[0, 1] < 0.1
    leaky = level_means(X[:, 4:], y[:, None], None)
    assert np.abs(leaky).max() < np.abs(y).max() / 2  # drawn towards the mean of all: nothing tells the levels apart
    assert np.corrcoef(sighted, y)[0, 1] >= np.corrcoef(blind, y)[0, 1]


def test_weight_two_is_the_row_twice():
    X, _, many, rng = rows(200)
    y, w = many % 5 + rng.normal(size=200), rng.integers(1, 3, 200)
    twice = np.repeat(np.arange(200), w)
    a, b = TreeColumns([(4, 24)]).fit(X, y, w), TreeColumns([(4, 24)]).fit(X[twice], y[twice])
    np.testing.assert_allclose(a.transform(X), b.transform(X), rtol=1e-9)


def test_classes_have_a_mean_each():
    X, _, many, _ = rows()
    labels = np.array(list("abc"))[many % 3]
    Z = TreeColumns([(1, 4), (4, 24)], by_class=True).fit_transform(X, labels)
    assert Z.shape == (400, 5)
    assert (np.argmax(Z[:, 2:], axis=1) == many % 3).mean() > 0.95
