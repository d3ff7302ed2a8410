"""Folds that a user gives stay as they are, and what the predictor leaves over is looked at as with numbered folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeavePOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.tree import DecisionTreeRegressor

from epee import LinearDiscriminantAnalysis, LinearRegression, Ridge
from epee.risk import compare, complexity_curve, cross_validate
from epee.risk.cross_validation import fold_error, independent_folds

N = 150
FOLDS: dict[str, Any] = {
    "a splitter": KFold(10, shuffle=True, random_state=0),
    "ids": np.random.default_rng(0).permutation(N) % 10,
    "pairs": list(KFold(10, shuffle=True, random_state=0).split(np.zeros(N))),
    "repeated": RepeatedKFold(n_splits=5, n_repeats=2, random_state=0),
    "along the file": TimeSeriesSplit(10),
    "that overlap": ShuffleSplit(10, test_size=0.2, random_state=0),
}


def series(rho: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    e, X = rng.normal(size=N), rng.normal(size=(N, 2))
    for i in range(1, N):
        e[i] = rho * e[i - 1] + np.sqrt(1 - rho**2) * e[i]
    return X, X[:, 0] + e


def risk_of(m: Any) -> float:
    """Return the risk of a line in a table of :func:`series`."""
    return float(1 + (m.coef_[0] - 1) ** 2 + m.coef_[1] ** 2 + m.intercept_**2)


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("model", [LinearRegression(), DecisionTreeRegressor(max_depth=2, random_state=0)])
def test_rows_in_time_are_found_in_any_folds(name, model):
    X, y = series(0.9)
    found, numbered = (cross_validate(model, X, y, folds=folds) for folds in (FOLDS[name], 10))
    assert "follow each other" in found.caution and "follow each other" in numbered.caution and found.kin
    plain = cross_validate(model, *series(0.0), folds=FOLDS[name])
    assert "follow each other" not in plain.caution
    curve = complexity_curve(Ridge(), X, y, "alpha", [0.1, 1.0], folds=FOLDS[name])
    assert "follow each other" in curve.caution
    for risk in compare([LinearRegression(), Ridge()], X, y, folds=FOLDS[name]).risks:
        assert "follow each other" in risk.caution


@pytest.mark.parametrize("name", ["a splitter", "ids", "repeated"])
def test_nested_intervals_find_them_too(name):
    X, y = series(0.9)
    found = cross_validate(LinearRegression(), X, y, folds=FOLDS[name], interval="nested")
    numbered = cross_validate(LinearRegression(), X, y, folds=10, interval="nested", repeats=2)
    assert "follow each other" in found.caution
    assert found.high - found.low == pytest.approx(numbered.high - numbered.low, rel=0.5)


def test_classes_in_time_are_found_in_given_folds():
    X, y = series(0.95)
    found = cross_validate(LinearDiscriminantAnalysis(), X, (y > 0) * 1, folds=FOLDS["ids"], loss="log")
    assert found.kin


def test_the_folds_of_a_number_say_the_same_when_they_are_given():
    for seed in range(6):
        X, y = series(0.4, seed)
        numbered = cross_validate(LinearRegression(), X, y)
        given = cross_validate(LinearRegression(), X, y, folds=numbered.folds)
        told = [(r.value, r.stderr, *r.interval) for r in (given, numbered)]
        assert told[0] == pytest.approx(told[1])
        assert (given.caution, given.kin) == (numbered.caution, numbered.kin)


@pytest.mark.parametrize("name", ["a splitter", "along the file"])
def test_independent_rows_are_marked_as_rarely_as_is_said(name):
    """At 1 % a sentence, at 5 % a longer interval: the counts lie below what chance gives in 999 of 1000 such studies."""
    said = doubted = 0
    for seed in range(120):
        found = cross_validate(LinearRegression(), *series(0.0, seed), folds=FOLDS[name])
        said += bool(found.kin)
        doubted += bool(found.kin) or "may belong together" in found.how
    assert said <= stats.binom(120, 0.01).ppf(0.999) and doubted <= stats.binom(120, 0.05).ppf(0.999)


def test_folds_along_the_file_are_told_of_time():
    X, y = series(0.0)
    assert "time= knows more" in cross_validate(LinearRegression(), X, y, folds=TimeSeriesSplit(5)).how
    for folds in (FOLDS["that overlap"], KFold(5), [(np.arange(100), np.arange(100, N))]):
        assert "time=" not in cross_validate(LinearRegression(), X, y, folds=folds).how


def test_groups_that_belong_together_are_found_where_folds_leave_some_out():
    """Sixty patients, one after the other in the file, each like the one before."""
    rng = np.random.default_rng(0)
    g, X = np.repeat(np.arange(60), 3), rng.normal(size=(180, 2))
    level = np.zeros(60)
    for i in range(1, 60):
        level[i] = 0.9 * level[i - 1] + rng.normal()
    y = X[:, 0] + level[g] + 0.3 * rng.normal(size=180)
    for folds in (GroupKFold(5), GroupShuffleSplit(4, test_size=0.25, random_state=0)):
        found = cross_validate(Ridge(), X, y, folds=folds, groups=g)
        assert "Groups that follow each other" in found.caution and "60 groups" in found.how


def test_test_sets_that_overlap_are_worth_as_many_as_do_not():
    """Pairs of rows left out: the mean of all pairs has the error bar of the rows, by (2)."""
    X, y = series(0.0)
    X, y = X[:40], y[:40]
    pairs, alone = (cross_validate(Ridge(), X, y, folds=folds) for folds in (LeavePOut(2), np.arange(40)))
    assert pairs.stderr == pytest.approx(alone.stderr, rel=0.1)
    assert independent_folds(780, 38 / 779) == pytest.approx(20)
    means = np.random.default_rng(0).normal(size=12)
    value, bar, K = fold_error(means, 1)
    assert (value, bar, K) == pytest.approx((means.mean(), means.std(ddof=1) / np.sqrt(12), 12))


@pytest.mark.parametrize("splits", [5, 40])
def test_intervals_of_test_sets_that_overlap_hold_the_risk(splits):
    held = 0
    for seed in range(60):
        X, y = series(0.0, seed)
        folds = ShuffleSplit(splits, test_size=0.2, random_state=seed)
        found = cross_validate(LinearRegression(), X, y, folds=folds, level=0.9)
        held += found.low <= risk_of(LinearRegression().fit(X, y)) <= found.high
    assert held >= stats.binom(60, 0.9).ppf(0.001)
