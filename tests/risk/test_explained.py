"""The share explained has the error bar of a jackknife of its units, which knows groups that move the mean of the sample."""

import numpy as np
import pytest

from epee.risk import r2
from epee.risk.explained import freedom_of_spread, pseudo_values, share_ends
from epee.risk.units import units_of
from tests.risk.test_honest_scores import FirstNumber


def pupils(rng, G):
    """Squared errors, targets and schools: schools of one to four classes of eight to twenty-five, with an input of their own."""
    school = np.repeat(np.arange(G), rng.integers(1, 5, G))
    size = rng.integers(8, 26, len(school))
    c, s = np.repeat(np.arange(len(school)), size), np.repeat(school, size)
    e = 0.4 * rng.normal(size=G)[s] + 0.4 * rng.normal(size=len(school))[c] + rng.normal(size=len(c))
    told = 0.5 * rng.normal(size=len(c)) + 0.5 * rng.normal(size=(G, 2))[s].sum(axis=1)
    return told, told + e, s


def share(squares, y):
    return np.log((squares.mean(axis=0) / y.var(axis=0)).mean())


@pytest.mark.parametrize("targets", [1, 2])
def test_a_pseudo_value_is_what_the_table_without_a_group_says(targets):
    rng = np.random.default_rng(0)
    g, Y, squares = rng.integers(0, 9, 80), rng.normal(size=(80, targets)) + 5, rng.gamma(1.0, size=(80, targets))
    found = pseudo_values(lambda v: units_of(v, groups=g), squares, Y)
    theta = [9 * share(squares, Y) - 8 * share(squares[g != k], Y[g != k]) for k in range(9)]
    np.testing.assert_allclose(found.sums, theta)


def test_counts_are_the_long_table_and_the_scale_of_sampling_weights_means_nothing():
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=60), rng.integers(1, 4, 60)
    y, model = x + rng.normal(size=60), FirstNumber()
    short = r2(model, x[:, None], y, sample_weight=w, weights="counts")
    long = r2(model, np.repeat(x, w)[:, None], np.repeat(y, w))
    assert short.value == pytest.approx(long.value)
    told = [r2(model, x[:, None], y, sample_weight=k * w, weights="sampling") for k in (1.0, 0.01)]
    assert tuple(told[0].interval) == pytest.approx(tuple(told[1].interval)) and told[0].stderr > 0
    left = [
        pseudo_values(lambda v, w=c: units_of(v, w), np.square(b - a)[:, None], b[:, None])
        for a, b, c in ((x, y, w.astype(float)), (np.repeat(x, w), np.repeat(y, w), np.ones(w.sum())))
    ]
    assert (left[0].mean, *left[0].spread()) == pytest.approx((left[1].mean, *left[1].spread()))


def test_groups_that_move_the_mean_neither_shift_the_share_nor_escape_its_interval():
    """Nominal 90 %; the plain share is too high by a fifth of its spread, for the mean of so few schools is not that of all."""
    truth, many, plain, jackknifed, kept = 1.32 / 2.07, 3000, [], [], []
    for i in range(many):
        told, y, s = pupils(np.random.default_rng([7, i]), 40)
        squares = np.square(y - told)[:, None]
        left = pseudo_values(lambda v, s=s: units_of(v, groups=s), squares, y[:, None])
        value, dof = np.exp(share(squares, y[:, None])), units_of(y, groups=s).effective - 1
        ends = share_ends(1 - value, left.mean, left.spread()[0] / np.sqrt(left.n), dof, 0.9)
        plain.append(value - truth)
        jackknifed.append(np.exp(left.mean) - truth)
        kept.append(ends.low <= 1 - truth <= ends.high)
    assert np.mean(plain) > 5 * np.std(plain) / np.sqrt(many)
    assert abs(np.mean(jackknifed)) < np.mean(plain) / 2
    assert np.mean(kept) > 0.88 - 2 * np.sqrt(0.09 / many)


def test_the_bar_of_groups_is_that_of_the_jackknife_and_says_so():
    told, y, s = pupils(np.random.default_rng(3), 40)
    rows, schools = (r2(FirstNumber(), told[:, None], y, groups=g) for g in (np.arange(len(y)), s))
    assert rows.value == schools.value and "error bar from 40 groups" in schools.how
    assert schools.stderr > 1.5 * rows.stderr


@pytest.mark.parametrize("law", ["one group", "one error", "one target", "no error"])
def test_a_share_that_one_unit_makes_has_an_interval_all_the_same(law):
    rng = np.random.default_rng(4)
    x = rng.normal(size=50)
    y, groups = x + rng.normal(size=50), None
    if law == "one group":
        groups = np.zeros(50)
    elif law == "one error":
        y = np.where(np.arange(50) == 7, x + 1, x)
    elif law == "one target":
        y = np.where(np.arange(50) == 7, 1.0, 0.0)
    else:
        y = x
    found = r2(FirstNumber(), x[:, None], y, groups=groups)
    assert np.isfinite([found.low, found.high]).all() and found.low <= found.value <= found.high
    assert law == "no error" or (found.low < found.value and found.caution)


@pytest.mark.parametrize("law", ["normal", "exponential", "uniform"])
def test_the_freedom_of_a_spread_is_that_of_its_variance(law):
    """A variance of U values varies as chi-square / nu does: by 2 / nu of its square."""
    rng = np.random.default_rng(3)
    values = getattr(rng, law)(size=(4_000, 60))
    found = values.var(axis=1, ddof=1)
    truth = 2 * found.mean() ** 2 / found.var()
    assert freedom_of_spread(units_of(values.ravel())) / 4_000 == pytest.approx(truth, rel=0.12)
    w = rng.integers(1, 4, 60)
    short, long = units_of(values[0], w.astype(float)), units_of(np.repeat(values[0], w))
    assert freedom_of_spread(short) == pytest.approx(freedom_of_spread(long))
    assert freedom_of_spread(units_of(np.ones(9))) == np.inf
