"""Quantile regression: the minimum of the pinball loss, as a linear programme finds it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import QuantileRegressor as Theirs

import epee
from epee import BaselineRegressor, QuantileRegressor
from epee.errors import SearchWarning, WrongUse


def table(seed, n, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.gamma(1, 5, size=p) + 100 * rng.normal(size=p)
    return X, X @ rng.normal(size=p) + 3 * rng.standard_t(2, size=n) + 1000, rng.integers(0, 4, n).astype(float)


def cost(model, X, y, w=None):
    r = model.predict(X) - y
    q = model.quantile
    return np.average(np.maximum((1 - q) * r, -q * r), weights=w) + model.alpha * np.abs(model.coef_).sum()


@pytest.mark.parametrize("alpha", [0.0, 0.03, 1.0])
@pytest.mark.parametrize("q", [0.05, 0.5, 0.9])
def test_it_loses_no_more_than_a_linear_programme(q, alpha):
    for seed, (n, p) in enumerate([(30, 1), (60, 4), (300, 6)]):
        X, y, w = table(seed, n, p)
        ours = QuantileRegressor(quantile=q, alpha=alpha).fit(X, y, sample_weight=w)
        theirs = Theirs(quantile=q, alpha=alpha).fit(X, y, sample_weight=w)
        assert cost(ours, X, y, w) <= cost(theirs, X, y, w) * (1 + 1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(12, 80), st.integers(1, 3), st.floats(0.05, 0.95))
def test_its_share_lies_under_the_line_and_it_follows_shifts_and_scales(seed, n, p, q):
    X, y, _ = table(seed, n, p)
    model = QuantileRegressor(quantile=q, alpha=0).fit(X, y)
    r = y - model.predict(X)
    near = 1e-7 * np.abs(r).max()
    assert (r < -near).sum() <= q * n + 1e-6 <= (r <= near).sum() + 2e-6
    moved = QuantileRegressor(quantile=q, alpha=0).fit(X, 5 * y - 7)
    assert cost(moved, X, 5 * y - 7) == pytest.approx(5 * cost(model, X, y), rel=1e-8)


def test_a_weight_of_two_is_the_row_twice_and_columns_may_depend_on_each_other():
    X, y, w = table(5, 60, 3)
    twice = QuantileRegressor(quantile=0.7, alpha=0).fit(
        np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    )
    model = QuantileRegressor(quantile=0.7, alpha=0).fit(X, y, sample_weight=w)
    assert cost(twice, X, y, w) == pytest.approx(cost(model, X, y, w), rel=1e-10)
    levels = np.eye(3)[np.arange(60) % 3]  # which add up to the constant
    both = QuantileRegressor(quantile=0.7, alpha=0).fit(np.column_stack([X, levels]), y)
    less = QuantileRegressor(quantile=0.7, alpha=0).fit(np.column_stack([X, levels[:, 1:]]), y)
    assert cost(both, np.column_stack([X, levels]), y) == pytest.approx(
        cost(less, np.column_stack([X, levels[:, 1:]]), y)
    )


def test_wrong_use_and_an_early_end():
    X, y, _ = table(1, 40, 2)
    for wrong in ({"quantile": 1.0}, {"alpha": -1}, {"solver": "magic"}):
        with pytest.raises(WrongUse):
            QuantileRegressor(**wrong).fit(X, y)
    with pytest.warns(SearchWarning, match="did not settle"):
        QuantileRegressor(solver_options={"max_iter": 1}).fit(X, y)
    flat = QuantileRegressor(alpha=0).fit(X, np.full(40, 3.0))
    np.testing.assert_allclose(flat.predict(X), 3.0)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.83])
def test_a_constant_quantile_and_the_one_without_each_row(q):
    y = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
    model = BaselineRegressor("quantile", quantile=q).fit(y[:, None], y)

    def loss(c, y):
        return np.maximum((1 - q) * (c - y), q * (y - c)).mean()

    assert loss(float(model.constant_), y) <= min(loss(c, y) for c in y) + 1e-12
    left = model.left_out(y[:, None], y)
    for i in range(len(y)):
        rest = np.delete(y, i)
        assert left[i] == BaselineRegressor("quantile", quantile=q).fit(rest[:, None], rest).constant_


@pytest.mark.parametrize(
    ("loss", "key", "fitted"),
    [("quantile0.9", "quantile", {"quantile": 0.9}), ("absolute", "quantile", {"quantile": 0.5}), ("huber", "robust", {"loss": "huber"}),
     ("poisson", "poisson", {}), ("quantile0.9", "boosting", {"loss": "quantile", "quantile": 0.9}),
     ("poisson", "boosting", {"loss": "poisson"}), ("absolute", "boosting", {"loss": "absolute_error"})],
)  # fmt: skip
def test_the_loss_asked_for_is_the_loss_fitted(loss, key, fitted):
    from epee.estimator.method import Setting
    from epee.job.hierarchy import hierarchy

    (candidate,) = (c for c in hierarchy(Setting("regression", 200, 3, loss=loss), None) if c.key == key)
    s = Setting("regression", 200, 3, loss=loss)
    assert candidate.suits(s) and fitted.items() <= candidate.make(s)[-1].get_params().items()
    other = Setting("regression", 200, 3, loss="squared")
    assert key == "boosting" or not candidate.suits(other)


def test_learning_a_high_quantile():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    t = pa.table({"x": x, "z": rng.normal(size=400), "y": 4 * x + 3 * rng.exponential(size=400)})
    learned = epee.learn(t, "y", loss="quantile0.9", predictors=["linear", "quantile"], folds=5)
    assert learned.facts["chosen"]["key"] == "quantile"
    assert abs((t.column("y").to_numpy() <= learned.predict(t)).mean() - 0.9) < 0.04
    assert [h["name"] for h in learned.card["headline"]] == ["quantile0.9"]  # of which R² says nothing
