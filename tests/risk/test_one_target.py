"""Losses that are all equal, and targets that are, tell no interval: nobody is shown one without a word."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from epee import LinearRegression, Ridge
from epee.risk import compare, cross_validate, holdout_error, loo

N = 60
X = np.arange(float(N))[:, None]
Z = np.random.default_rng(0).normal(size=(N, 3))
FLAT, ONE = "All losses are equal", "tested targets are equal"

WAYS = {
    "fold": lambda model, X, y, loss: cross_validate(model, X, y, loss=loss),
    "two folds": lambda model, X, y, loss: cross_validate(model, X, y, loss=loss, folds=2),
    "nested": lambda model, X, y, loss: cross_validate(model, X, y, loss=loss, interval="nested", repeats=2),
    "time": lambda model, X, y, loss: cross_validate(model, X, y, loss=loss, time=True),
    "loo": lambda model, X, y, loss: loo(model, X, y, loss=loss),
    "groups": lambda model, X, y, loss: cross_validate(model, X, y, loss=loss, groups=np.arange(N) // 3),
    "compare": lambda model, X, y, loss: compare([model, Ridge(3.0)], X, y, loss=loss, repeats=2).risks[0],
    "holdout": lambda model, X, y, loss: holdout_error(model.fit(X[::2], y[::2]), X[1::2], y[1::2], loss=loss),
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@every_way
@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("model", [LinearRegression(), DecisionTreeRegressor()])
@pytest.mark.parametrize("level", [0.0, 5.1])
def test_one_target_is_said(way, loss, model, level):
    for inputs in (X, Z):
        found = way(model, inputs, np.full(N, level), loss)
        assert FLAT in found.caution or ONE in found.caution
        assert found.has_bar or "[" not in str(found)


@every_way
def test_what_fits_targets_that_vary_exactly_is_not_doubted_for_it(way):
    found = way(LinearRegression(), Z, Z @ [1, 2, 3.0] + 0.5, "squared")
    assert found.has_bar and FLAT not in found.caution and ONE not in found.caution and found.value < 1e-25


def test_held_out_rows_of_a_rare_target_are_never_covered_in_silence():
    rng = np.random.default_rng(0)
    silent, missed = 0, 0
    for _ in range(150):
        y, inputs = np.where(rng.random(600) < 0.03, rng.gamma(2.0, 1.0, 600), 0.0), rng.normal(size=(600, 2))
        for model in (
            LinearRegression(),
            DummyRegressor(strategy="median"),
            DecisionTreeRegressor(max_depth=1, min_samples_leaf=50),
        ):
            found = holdout_error(model.fit(inputs[:540], y[:540]), inputs[540:], y[540:])
            silent += not found.caution
            missed += not found.caution and found.high < 0.15  # of some 0.17
    assert missed <= 0.05 * max(silent, 20)


def test_a_tree_that_errs_nowhere_here_is_no_certainty():
    told = np.arange(N) % 2
    found = holdout_error(DecisionTreeClassifier().fit(X, told), X + 0.1, told, loss="log")
    assert FLAT in found.caution or found.has_bar
    assert holdout_error(DecisionTreeClassifier().fit(X, told), X + 0.1, told).high > 0.02  # a rate has its own


def test_equal_folds_of_rows_that_differ_have_the_bar_of_the_rows():
    y = np.tile([1.0, -1.0, 3.0, -3.0, 2.0, -2.0], 10)
    found = cross_validate(DummyRegressor(strategy="constant", constant=0.0), X, y, folds=np.repeat(np.arange(10), 6))
    assert found.has_bar and found.low < found.value < found.high
