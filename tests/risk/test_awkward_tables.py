"""On wide tables, rare levels and columns that depend on each other: figures that refits give, inside their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from epee import LeastSquaresClassifier, LinearDiscriminantAnalysis, LinearRegression, Ridge
from epee.errors import EpeeWarning, WrongUse
from epee.risk.cross_validation import cross_validate
from epee.risk.curves import learning_curve
from epee.risk.estimate import Risk
from epee.risk.holdout import holdout_error
from epee.risk.intervals import Interval

pytestmark = pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")


def levels(n, L, rng, steep=1.5):
    share = 1 / np.arange(1, L + 1) ** steep
    return np.eye(L)[rng.choice(L, n, p=share / share.sum())]


def tables():
    rng = np.random.default_rng(0)
    rare = levels(300, 200, rng)
    y = rng.normal(size=300) + rare[:, :3] @ [3, 2, 1]
    yield "rare levels", rare, y
    yield "rare levels and numbers", np.column_stack([rare, 1e3 * rng.normal(size=(300, 3))]), y
    yield "two categories", np.column_stack([levels(300, 40, rng), levels(300, 40, rng)]), y
    copies = levels(300, 30, rng, 2.5)
    yield "levels that are copies", np.column_stack([copies, copies[:, ::-1] * [2.0], rng.normal(size=(300, 2))]), y
    wide = rng.normal(size=(60, 80))
    yield "wide", wide, wide[:, 0] + rng.normal(size=60)
    yield "hardly more rows than columns", wide[:, :55], wide[:, 0] + rng.normal(size=60)
    A = rng.normal(size=(200, 20))
    A = np.column_stack([A, A @ rng.normal(size=(20, 10))])
    for near in (0.0, 1e-6, 1e-12):  # between 1e-7 and 1e-12 sums cannot see what the rows still can
        yield f"dependent but for {near:g}", A + near * rng.normal(size=A.shape), A[:, 0] + rng.normal(size=200)
    yield "perfect", A[:, :6], A[:, :6] @ np.arange(6.0)
    t = np.linspace(0, 1, 150)[:, None]
    yield "powers", t ** np.arange(1, 16), np.sin(6 * t[:, 0]) + 0.1 * rng.normal(size=150)


TABLES = {name: (X, y) for name, X, y in tables()}
MODELS = [LinearRegression(), Ridge(1e-8), Ridge(1.0)]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_risk_is_that_of_refits(name, model):
    X, y = TABLES[name]
    fold = np.arange(len(y)) % 5
    found = cross_validate(model, X, y, folds=fold)
    refits = [
        np.mean((y[fold == k] - model.fit(X[fold != k], y[fold != k]).predict(X[fold == k])) ** 2) for k in range(5)
    ]
    np.testing.assert_allclose(found.per_fold, refits, rtol=1e-4, atol=1e-12 * np.var(y))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("model", [*MODELS, LeastSquaresClassifier()], ids=repr)
@pytest.mark.parametrize("interval", ["fold", "nested"])
def test_estimates_lie_in_their_intervals_and_within_reason(name, model, interval):
    X, y = TABLES[name]
    if isinstance(model, LeastSquaresClassifier):
        y = (y > np.median(y)).astype(int)
    repeats = 2 if interval == "nested" else 1
    found = cross_validate(model, X, y, folds=5, interval=interval, repeats=repeats, random_state=0)
    assert 0 <= found.low <= found.value <= found.high
    assert np.isfinite([found.value, found.stderr, found.low, found.high]).all()
    assert found.value < 1e3 * max(np.var(y), 1e-12)


def test_a_level_that_a_training_sample_lacks_has_coefficient_zero():
    rng = np.random.default_rng(1)
    X = levels(120, 40, rng)
    y = rng.normal(size=120) + 1e6
    found = cross_validate(LinearRegression(), X, y, folds=6, repeats=20, random_state=0)
    assert found.value < 10


@pytest.mark.parametrize("seed", range(12))
def test_a_few_rows_give_nested_intervals_that_hold_their_estimates(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(12, 40)), int(rng.integers(1, 4))))
    sharp = X[:, 0] + (10 * np.sign(X[:, 0]) if seed % 3 == 0 else 0) + 0.3 * rng.normal(size=len(X)) > 0
    wild = X.sum(axis=1) + rng.standard_cauchy(size=len(X))
    for folds in (3, 5):
        how = {"folds": folds, "interval": "nested", "repeats": 2, "random_state": seed}
        for model, y, loss in (
            (LinearDiscriminantAnalysis(), sharp, "zero_one"),
            (LinearDiscriminantAnalysis(), sharp, "log"),
            (LinearRegression(), wild, "squared"),
        ):
            found = cross_validate(model, X, y, loss=loss, **how)
            assert 0 <= found.low <= found.value <= found.high
            assert found.low <= found.pooled + found.stderr
            assert found.high >= found.pooled - found.stderr


@pytest.mark.parametrize("seed", range(8))
def test_bootstrap_and_extrapolation_hold_their_estimates(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    y = X.sum(axis=1) + rng.standard_cauchy(size=60)
    model = LinearRegression().fit(X[:30], y[:30])
    held = holdout_error(model, X[30:], y[30:], interval="bootstrap")
    curve = learning_curve(LinearRegression(), X, y, sizes=[12, 20, 30, 40], folds=4, random_state=seed)
    for found in (held, curve.extrapolate(600)):
        assert found.low <= found.value <= found.high


def test_an_interval_holds_its_estimate_or_is_refused():
    assert Risk(1.0, 0.1, Interval(1.0 + 1e-12, 2.0)).low == 1.0
    assert np.isnan(Risk(float("nan"), 0.1, Interval(0.0, 1.0)).value)
    for low, high in ((0.006, 0.046), (0.06, 0.08), (0.0, -1e15)):
        with pytest.raises(WrongUse, match="does not hold its own estimate"):
            Risk(0.05, 0.01, Interval(low, high))
    assert issubclass(EpeeWarning, UserWarning)
