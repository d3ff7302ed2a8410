"""Designs: the variance formula, optimal points of a line, and exchanges that only improve."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee import LinearRegression, design
from epee.errors import DataError, SingularProblem, WrongUse


def line(n=21):
    return np.column_stack([np.ones(n), np.linspace(-1, 1, n)])


def test_variance_is_that_of_least_squares():
    rng = np.random.default_rng(0)
    X, x0 = rng.normal(size=(15, 3)), rng.normal(size=3)
    exact = x0 @ np.linalg.inv(X.T @ X) @ x0
    assert design.prediction_variance(X, x0, sigma2=2.0) == pytest.approx(2 * exact)
    draws = [
        LinearRegression(fit_intercept=False).fit(X, rng.normal(size=15)).predict(x0[None])[0] for _ in range(2000)
    ]
    assert np.var(draws) == pytest.approx(exact, rel=0.15)
    np.testing.assert_allclose(
        design.prediction_variance(X, X), LinearRegression(fit_intercept=False).fit(X, X[:, 0]).leverage(X)
    )


@given(st.integers(0, 500))
def test_a_row_more_never_hurts_and_updates_the_determinant(seed):
    rng = np.random.default_rng(seed)
    X, x, at = rng.normal(size=(6, 3)), rng.normal(size=3), rng.normal(size=(10, 3))
    more = np.vstack([X, x])
    assert (design.prediction_variance(more, at) <= design.prediction_variance(X, at) * (1 + 1e-9)).all()
    before, after = np.linalg.det(X.T @ X), np.linalg.det(more.T @ more)
    assert after == pytest.approx(before * (1 + design.prediction_variance(X, x)), rel=1e-7)
    assert design.choose_next(X, at) == np.argmax([np.linalg.det(X.T @ X + np.outer(c, c)) for c in at])


@pytest.mark.parametrize("criterion", ["D", "A", "G"])
def test_extremes_of_a_line(criterion):
    assert sorted(design.select(line(), 2, criterion).tolist()) == [0, 20]
    assert sorted(design.select(line(), 4, criterion, repeats=True).tolist()) == [0, 0, 20, 20]
    chosen = design.select(line(), 4, criterion)
    assert len(set(chosen.tolist())) == 4


def test_a_parabola_is_measured_at_three_points():
    x = np.linspace(-1, 1, 21)
    C = np.column_stack([np.ones(21), x, x**2])
    for criterion in ("D", "G"):  # equivalent (Kiefer and Wolfowitz)
        assert sorted(design.select(C, 6, criterion, repeats=True).tolist()) == [0, 0, 10, 10, 20, 20]


@pytest.mark.parametrize("criterion", ["D", "A", "G"])
def test_close_to_the_best_of_all_subsets_and_better_than_chance(criterion):
    rng = np.random.default_rng(1)
    C = rng.normal(size=(11, 3))
    value = lambda rows: design.criterion_value(C[list(rows)], criterion, C) * (-1 if criterion == "D" else 1)  # noqa: E731
    everything = np.array([value(rows) for rows in combinations(range(11), 5)])
    found = value(design.select(C, 5, criterion))
    assert (everything < found - 1e-9).mean() < 0.01
    assert found < np.median(everything)


def test_rows_already_measured_count():
    chosen = design.select(line(), 1, measured=[[1.0, -1.0]])
    assert chosen.tolist() == [20]


def test_units_do_not_matter_for_d():
    rng = np.random.default_rng(2)
    C = rng.normal(size=(40, 3))
    assert sorted(design.select(C, 8).tolist()) == sorted(design.select(C * [1e-6, 1.0, 1e6], 8).tolist())


def test_bad_input():
    with pytest.raises(WrongUse, match="criterion"):
        design.select(line(), 2, "E")
    with pytest.raises(WrongUse, match="only 21 candidates"):
        design.select(line(), 22)
    with pytest.raises(WrongUse, match="at least one"):
        design.select(line(), 0)
    with pytest.raises(SingularProblem, match="rank 1 of 2"):
        design.select(np.ones((5, 2)), 2)
    with pytest.raises(SingularProblem, match="do not determine"):
        design.prediction_variance([[1.0, 1.0]], [1.0, 0.0])
    with pytest.raises(DataError, match="coordinates"):
        design.prediction_variance(line(), [1.0])
    with pytest.raises(DataError, match="NaN"):
        design.select([[np.nan, 1.0]], 1)
