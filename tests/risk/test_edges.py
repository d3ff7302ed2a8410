"""Rows far out: those that make their own prediction, and shapes that are missed where inputs reach far."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from epee import DecisionTreeRegressor, KNeighborsRegressor, LinearRegression, PolynomialRegression, Ridge
from epee.risk import cross_validate, holdout_error, loo
from epee.risk.edges import far_out, missed_far_out, reaches, reaches_of_a_line, reaches_of_new_rows


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(3.0), PolynomialRegression(2)])
def test_reaches_are_leverages_of_new_rows(model):
    """Left out, the residual of a row of leverage h is 1 / (1 - h) times as large: of a line v is that of the hat matrix."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    fitted = model.fit(X, y)
    v = reaches(y - fitted.predict(X), y - loo(model, X, y).predictions)
    assert v.min() > 0
    if isinstance(model, LinearRegression):
        assert v == pytest.approx(reaches_of_a_line(X), rel=1e-6)
        h = fitted.leverage(X)
        assert v == pytest.approx(h / (1 - h), rel=1e-6)


def test_neighbours_are_no_linear_smoother():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 1)), rng.normal(size=60)
    left_out = y - loo(KNeighborsRegressor(5), X, y).predictions
    assert reaches(y - KNeighborsRegressor(5).fit(X, y).predict(X), left_out) is None
    assert far_out(None) == ""


def test_gaussian_columns_hold_no_row_that_makes_its_own_prediction():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        p = int(rng.integers(1, 20))
        X = rng.normal(size=(60, p))
        assert "own prediction" not in loo(LinearRegression(), X, rng.normal(size=60)).caution


def test_a_fourth_power_of_few_rows_is_said():
    told = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(40, 1))
        told += "own prediction" in loo(PolynomialRegression(4), x, np.abs(x[:, 0]) + 0.5 * rng.normal(size=40)).caution
    assert told >= 14


def bent(rng, n=200):
    x = np.exp(rng.normal(size=(n, 1)))
    return x, np.sqrt(x[:, 0]) + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("how", ["fold", "nested", "loo", "hold-out"])
def test_a_line_in_place_of_a_root_is_said_where_the_column_reaches_far(how):
    x, y = bent(np.random.default_rng(2))
    if how == "loo":
        found = loo(LinearRegression(), x, y)
    elif how == "hold-out":
        found = holdout_error(LinearRegression().fit(x, y), *bent(np.random.default_rng(3)))
    else:
        found = cross_validate(LinearRegression(), x, y, interval=how)
    assert "reach far" in found.caution


def test_a_line_that_misses_nothing_is_not_said():
    """Fisher's test at 10 % alarms in a tenth of the tables whose column reaches far, and nowhere else."""
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        x = np.exp(rng.normal(size=(100, 1)))
        y = x[:, 0] + rng.normal(size=100)
        alarms += "reach far" in loo(LinearRegression(), x, y).caution
        z = rng.uniform(-1, 1, size=(100, 1))
        assert "reach far" not in loo(LinearRegression(), z, z[:, 0] ** 2 + 0.1 * rng.normal(size=100)).caution
    assert alarms <= 18


def test_other_units_say_the_same():
    rng = np.random.default_rng(4)
    X = np.column_stack([np.exp(rng.normal(size=80)), rng.normal(size=80), np.ones(80)])
    r, said, other = rng.normal(size=80), X @ [1.0, 1, 0], X * [1e9, 1e-6, 1] + [0, 5, 0]
    told = [
        missed_far_out(residuals, said, reaches_of_a_line(Z), Z)
        for residuals in (r, np.sqrt(X[:, 0]))
        for Z in (X, other)
    ]
    assert told[0] == told[1] == "" and told[2] == told[3] != ""


def test_nothing_is_said_of_classes_words_or_few_rows():
    rng = np.random.default_rng(5)
    x, y = bent(rng, 40)
    assert "reach far" not in loo(LinearRegression(), x, y).caution
    assert reaches_of_a_line(rng.normal(size=(20, 9))) is None
    far = np.exp(2 * rng.normal(size=60))
    assert missed_far_out(far, far, far, np.ones((60, 2))) == missed_far_out(far, far, far, np.empty((60, 0))) == ""
    found = cross_validate(
        DecisionTreeRegressor(max_depth=2), np.array([[np.nan, 1.0]] * 30 + [[1.0, 2.0]] * 30), rng.normal(size=60)
    )
    assert "reach far" not in found.caution


def test_held_out_rows_whose_prediction_is_mostly_noise_are_said():
    told = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, new = rng.normal(size=(2, 60, 1))
        model = PolynomialRegression(4).fit(x, np.abs(x[:, 0]) + 0.5 * rng.normal(size=60))
        v = reaches_of_new_rows(model, new)
        caution = holdout_error(model, new, np.abs(new[:, 0]) + 0.5 * rng.normal(size=60)).caution
        assert ("mostly noise" in caution) == bool((1 + v > 3 * (1 + v.mean())).any())
        told += "mostly noise" in caution
    assert told >= 6


def test_new_rows_of_gaussian_columns_lie_near_enough():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        p = int(rng.integers(1, 20))
        X, new = rng.normal(size=(2, 60, p))
        model = LinearRegression().fit(X, rng.normal(size=60))
        assert "mostly noise" not in holdout_error(model, new, rng.normal(size=60)).caution


def test_the_reach_of_a_new_row_is_the_variance_of_its_prediction():
    rng = np.random.default_rng(7)
    X, new = rng.normal(size=(40, 2)), 3 * rng.normal(size=(5, 2))
    y = rng.normal(size=(800, 40))
    said = [LinearRegression().fit(X, one).predict(new) for one in y]
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(X, y[0])
    assert reaches_of_new_rows(model, new) == pytest.approx(np.var(said, axis=0), rel=0.25)
    assert reaches_of_new_rows(DecisionTreeRegressor().fit(X, y[0]), new) is None
