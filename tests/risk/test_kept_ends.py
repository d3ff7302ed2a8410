"""A figure that comes back from a file has the intervals that it had, and makes up no others."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import epee
from epee import LinearDiscriminantAnalysis, LinearRegression, RandomForestRegressor
from epee.errors import BadFile, WrongUse
from epee.risk import holdout_error, loo
from epee.risk.estimate import Difference, Risk
from epee.risk.intervals import Interval, t_interval
from epee.risk.kept_ends import LEVELS, KeptEnds

rng = np.random.default_rng(0)


def skewed(n=120):
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + rng.standard_exponential(n) ** 1.5


def figures():
    X, y = skewed()
    line, forest = LinearRegression().fit(*skewed()), RandomForestRegressor(20, random_state=0).fit(X, y)
    labels = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    cloud = LinearDiscriminantAnalysis().fit(X, labels)
    yield "skewed", holdout_error(line, X, y)
    yield "rate", holdout_error(cloud, rng.normal(size=(120, 2)), labels, level=0.93)
    yield "groups", holdout_error(line, X, y, groups=np.arange(120) // 4)
    yield "time", holdout_error(line, X, y, time=True)
    yield "out of the bag", forest.oob_risk_
    yield "left out", loo(LinearRegression(), X, y)


def back(risk):
    return Risk.from_state(Risk.to_state(risk))


def test_a_figure_that_comes_back_has_the_intervals_that_it_had():
    for name, risk in figures():
        again = back(risk)
        for level in (*LEVELS, risk.level):
            assert again.at(level).interval == pytest.approx(risk.at(level).interval), name
        twice = back(again.at(0.9))
        assert twice.level == 0.9 and twice.at(0.99).interval == pytest.approx(risk.at(0.99).interval), name
        with pytest.raises(WrongUse, match="measure it again"):
            again.at(0.873)


def test_the_law_of_student_needs_no_table():
    risk = Risk(2.0, 0.3, t_interval(2.0, 0.3, 9, 0.95), dof=9)
    assert back(risk).at(0.873).interval == pytest.approx(risk.at(0.873).interval)


def test_the_first_version_refuses_what_it_does_not_know():
    _, risk = next(figures())
    state = {name: value for name, value in risk.to_state().items() if name != "ends"} | {"version": 1}
    old = Risk.from_state(state)
    assert old.at(old.level).interval == pytest.approx(risk.interval)
    with pytest.raises(WrongUse, match="at level 0.95, and not at 0.9"):
        old.at(0.9)
    plain = Risk(2.0, 0.3, t_interval(2.0, 0.3, 9, 0.95), dof=9)
    students = {name: value for name, value in plain.to_state().items() if name != "ends"} | {"version": 1}
    assert Risk.from_state(students).at(0.9).interval == pytest.approx(plain.at(0.9).interval)


def test_figures_of_groups_that_come_back_are_not_paired_row_by_row():
    """Their units stayed behind: rows of a group would be taken for independent ones."""
    X, y = skewed()
    g = np.arange(120) // 10
    a, b = (holdout_error(LinearRegression().fit(*skewed()), X, y, groups=g) for _ in range(2))
    here, there = a - b, back(a) - back(b)
    assert here.how.startswith("paired") and there.how == "independent samples"
    assert there.value == pytest.approx(here.value) and isinstance(there, Difference)
    alone = [replace(one, in_units=None) for one in (a, b)]
    assert (back(alone[0]) - back(alone[1])).stderr == pytest.approx((alone[0] - alone[1]).stderr)


@pytest.mark.parametrize("table", [np.zeros((2, 2)), np.array([[0.95, 2.0, 1.0]])])
def test_ends_that_are_none_are_refused(table):
    with pytest.raises(BadFile, match="ends that are none"):
        KeptEnds(table)


def test_a_learned_predictor_keeps_the_intervals_of_its_test(tmp_path):
    X, y = skewed(200)
    table = pd.DataFrame(X, columns=["a", "b"]).assign(y=y)
    learned = epee.learn(table, "y", predictors=["linear"])
    loaded, copied = epee.load(learned.save(tmp_path / "line.epee")), pickle.loads(pickle.dumps(learned))
    for one in (loaded, copied):
        for level in (0.5, 0.9, 0.95, 0.99):
            assert one.risk.at(level).interval == pytest.approx(learned.risk.at(level).interval)
        with pytest.raises(WrongUse, match="comes from a file"):
            one.risk.at(0.42)
    assert Interval(*loaded.risk.interval) == loaded.risk.interval
