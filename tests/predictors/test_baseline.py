from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from epee import BaselineClassifier, BaselineRegressor
from epee.errors import WrongUse

rng = np.random.default_rng(0)
y = rng.integers(0, 3, 31)
v = rng.integers(0, 6, 31).astype(float)
w = rng.integers(1, 4, 31).astype(float)
X = np.full((31, 2), np.nan)  # nobody looks


def test_agrees_with_scikit_learn():
    ours, theirs = BaselineClassifier().fit(X, y, w), DummyClassifier(strategy="prior").fit(X, y, w)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert (ours.predict(X) == theirs.predict(X)).all()
    sure = BaselineClassifier("most_frequent").fit(X, y).predict_proba(X)
    np.testing.assert_allclose(sure, DummyClassifier(strategy="most_frequent").fit(X, y).predict_proba(X))
    for statistic in ("mean", "median"):
        ours, theirs = BaselineRegressor(statistic).fit(X, v), DummyRegressor(strategy=statistic).fit(X, v)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_best_constants():
    grid = np.linspace(-1, 7, 801)
    assert (
        np.abs(v - BaselineRegressor("median").fit(X, v).constant_).sum()
        <= np.abs(v - grid[:, None]).sum(axis=1) + 1e-9
    ).all()
    assert (
        ((v - BaselineRegressor().fit(X, v).constant_) ** 2).sum() <= ((v - grid[:, None]) ** 2).sum(axis=1) + 1e-9
    ).all()
    assert BaselineRegressor("median").fit(X[:4], [1.0, 2.0, 3.0, 1e9]).constant_ == 2.5
    assert BaselineRegressor().fit(X, np.column_stack([v, -v])).predict(X[:2]).shape == (2, 2)


@pytest.mark.parametrize("weights", [None, w])
def test_left_out(weights):
    found = BaselineClassifier().left_out(X, y, weights)
    for statistic in ("mean", "median"):
        values = BaselineRegressor(statistic).left_out(X, v, weights)
        for i in range(31):
            u = np.ones(31) if weights is None else weights.copy()
            u[i] -= 1
            assert np.isclose(BaselineRegressor(statistic).fit(X, v, u).constant_, values[i])
            np.testing.assert_allclose(np.exp(found[i]), BaselineClassifier().fit(X, y, u).class_prior_, atol=1e-12)


def test_bad_input():
    with pytest.raises(WrongUse, match="strategy 'none'"):
        BaselineClassifier("none").fit(X, y)
    with pytest.raises(WrongUse, match="statistic 'mode'"):
        BaselineRegressor("mode").fit(X, v)


@pytest.mark.parametrize("targets", [1, 2])
def test_the_means_of_all_folds_come_at_once(targets):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=(60, targets))
    model = BaselineRegressor()
    m = model.moments(X, y if targets > 1 else y[:, 0], fold=np.arange(60) % 4).leave_one_out("fold")
    slopes, means = model.solve_stack(m)
    assert slopes.shape == (4, targets, 3) and not slopes.any()
    np.testing.assert_allclose(means.squeeze(), [one.constant_ for one in model.solve_each(m)], rtol=1e-14)
    assert BaselineRegressor("median").solve_stack(m) is None
