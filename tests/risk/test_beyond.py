"""Targets beyond the farthest: what a predictor that never says so much would lose there."""

from __future__ import annotations

import numpy as np
import pytest

from epee import DecisionTreeRegressor, KNeighborsRegressor, LinearRegression
from epee.risk import holdout_error
from epee.risk.beyond import lost_beyond

SAID = "however far out"
SHOWN = 0  # a table of prices of which it is said


@pytest.mark.parametrize(("shape", "t"), [(0.2, 4.0), (0.2, 8.0), (0.0, 3.0), (-0.3, 2.0)])
def test_what_lies_beyond_is_that_of_the_pareto_law(shape, t):
    """Of a generalised Pareto law of scale 1 the mean of (d - t)_+^2 is 2 s^2 P(d > t) / ((1 - xi)(1 - 2 xi)), s = 1 + xi t."""
    u = (np.arange(200_000) + 0.5) / 200_000
    d = -np.log(u) if shape == 0 else (u**-shape - 1) / shape
    scale = 1 + shape * t
    above = np.exp(-t) if shape == 0 else scale ** (-1 / shape)
    truth = 2 * scale**2 * above / ((1 - shape) * (1 - 2 * shape))
    assert lost_beyond(d, np.ones(len(d)), t) == pytest.approx(truth, rel=0.05)


def test_a_row_that_counts_twice_is_two_rows():
    rng = np.random.default_rng(7)
    d, c = rng.exponential(size=60), rng.integers(1, 4, 60)
    assert lost_beyond(d, c, 3.0) == pytest.approx(lost_beyond(np.repeat(d, c), np.ones(c.sum()), 3.0), rel=0.15)
    assert lost_beyond(7 * d, c, 21.0) == pytest.approx(49 * lost_beyond(d, c, 3.0))


def test_nothing_lies_beyond_what_is_bounded_or_told_by_few():
    assert lost_beyond(np.linspace(0, 1, 400), np.ones(400), 1.1) == 0
    assert lost_beyond(np.append(np.zeros(50), np.ones(5)), np.ones(55), 1.0) == 0
    assert lost_beyond(np.repeat([0.0, 1.0], 50), np.ones(100), 1.0) == 0  # peaks without a spread


def marked(model, draw, seeds, n=200):
    told = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        (x, y), (new, z) = (draw(rng, n) for _ in range(2))
        told.append(SAID in holdout_error(model.fit(x, y), new, z).caution)
    return np.mean(told)


def prices(rng, n):
    x = np.exp(rng.normal(size=(n, 1)))
    return x, x[:, 0] + 0.5 * rng.normal(size=n)


@pytest.mark.parametrize("model", [DecisionTreeRegressor(max_depth=4), KNeighborsRegressor(5)])
def test_prices_are_said_of_what_averages_targets(model):
    assert marked(model, prices, range(20)) >= 0.5


def test_a_line_goes_on():
    assert marked(LinearRegression(), prices, range(20)) == 0


@pytest.mark.parametrize("law", ["normal", "uniform", "laplace"])
@pytest.mark.parametrize("n", [50, 400])
def test_targets_without_a_long_tail_are_not(law, n):
    def draw(rng, n):
        x = getattr(rng, law)(size=(n, 1))
        return x, x[:, 0] + 0.5 * rng.normal(size=n)

    assert marked(DecisionTreeRegressor(max_depth=4), draw, range(25), n) <= 0.04 * (law == "laplace")


def test_frames_are_asked_as_arrays_are():
    rng = np.random.default_rng(SHOWN)
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    (x, y), (new, z) = (prices(rng, 200) for _ in range(2))
    plain = holdout_error(DecisionTreeRegressor(max_depth=6).fit(x, y), new, z)
    assert SAID in plain.caution
    for frame in (pd.DataFrame, pl.DataFrame):
        model = DecisionTreeRegressor(max_depth=6).fit(frame({"a": x[:, 0]}), y)
        assert holdout_error(model, frame({"a": new[:, 0]}), z).caution == plain.caution


def test_a_predictor_that_refuses_such_rows_is_left_alone():
    rng = np.random.default_rng(SHOWN)

    class Careful(DecisionTreeRegressor):
        def predict(self, X):
            if np.abs(X).max() > 1e3:
                raise ValueError("no such row")
            return super().predict(X)

    (x, y), (new, z) = (prices(rng, 200) for _ in range(2))
    assert SAID not in holdout_error(Careful(max_depth=6).fit(x, y), new, z).caution
