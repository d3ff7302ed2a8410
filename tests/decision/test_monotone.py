from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chdtri, expit, xlogy
from sklearn.isotonic import isotonic_regression

from epee import Calibrated, LinearDiscriminantAnalysis
from epee.decision.monotone import MOST, RisingRate


def likelihood(hits, rows, rates):
    return (xlogy(hits, rates) + xlogy(rows - hits, 1 - rates)).sum()


def ratio(scores, hit, at, theta):
    """Return (1) as its definition has it, for an upper end: a row of the class below all scores."""
    values, where = np.unique(scores, return_inverse=True)
    hits, rows = np.append(1.0, np.bincount(where, hit)), np.append(1.0, np.bincount(where))
    values = np.append(-np.inf, values)
    free = isotonic_regression(hits / rows, sample_weight=rows)
    bound = np.full(len(rows), theta)
    for side, cut in ((values < at, np.minimum), (values > at, np.maximum)):
        if side.any():
            bound[side] = cut(isotonic_regression(hits[side] / rows[side], sample_weight=rows[side]), theta)
    return 2 * (likelihood(hits, rows, free) - likelihood(hits, rows, bound))


@pytest.mark.parametrize("whole", [False, True])
def test_the_ends_are_where_the_likelihood_ratio_meets_its_quantile(whole):
    g = np.random.default_rng(4)
    s = g.normal(size=90)
    s = np.round(2 * s) if whole else s
    hit = g.random(90) < expit(2 * s - 1)
    new = np.append(s[:8], [-0.3, 0.3, 0.77, s.max()])
    low, high = RisingRate.of(s, hit, np.ones(90)).interval(new, 0.9).T
    for x, a, b in zip(new, low, high, strict=True):
        if b < 1 - 1e-9:
            assert ratio(s, hit, x, b) == pytest.approx(chdtri(1, 0.1), abs=1e-5)
        if a > 1e-9:  # the rate of the others, from the other side
            assert ratio(-s, ~hit, -x, 1 - a) == pytest.approx(chdtri(1, 0.1), abs=1e-5)
    assert (high < 1 - 1e-9).sum() > 6 < (low > 1e-9).sum()


def test_few_rows_at_a_score_borrow_from_their_neighbours():
    """Alone, no hit in two rows says nothing of rates up to 0.74; with no hit in 40 rows of higher scores it does."""
    s, hit = np.repeat([0.0, 1.0, 2.0], [2, 40, 40]), np.arange(82) >= 42
    rates = RisingRate.of(s, hit, np.ones(82))
    assert rates.interval(np.array([0.0]), 0.9)[0, 1] < 0.15
    assert rates.interval(np.array([1.5]), 0.9)[0, 1] == pytest.approx(1, abs=0.01)  # no row says where it rises
    assert rates.interval(np.array([1.5]), 0.9)[0, 0] == pytest.approx(0, abs=0.01)


def test_a_row_of_weight_three_is_three_rows_and_rounding_parts_no_equal_scores():
    g = np.random.default_rng(0)
    s, w = np.round(g.normal(size=60), 1), g.integers(0, 4, 60)
    hit, new = g.random(60) < expit(s), g.normal(size=20)
    one = RisingRate.of(s, hit, w.astype(float)).interval(new, 0.95)
    many = RisingRate.of((s * (1 + 1e-13 * g.normal(size=60))).repeat(w), hit.repeat(w), np.ones(w.sum())).interval(
        new, 0.95
    )
    np.testing.assert_allclose(one, many, atol=1e-7)


def test_neighbours_that_share_a_group_change_little():
    g = np.random.default_rng(1)
    s = g.normal(size=6 * MOST)
    hit, new = g.random(len(s)) < expit(2 * s), np.linspace(-2, 2, 30)
    grouped = RisingRate.of(s, hit, np.ones(len(s)))
    assert len(grouped.low) == MOST and grouped.rows.sum() == len(s)
    values = np.sort(s)
    alone = RisingRate(values, values, hit[np.argsort(s)].astype(float), np.ones(len(s)))
    a, b = grouped.interval(new, 0.9), alone.interval(new, 0.9)
    assert np.abs(a - b).mean() < 0.03 * np.diff(b).mean() and np.abs(a - b).max() < 0.2 * np.diff(b).mean()


LAWS = {
    "whole numbers": (lambda g, n: np.round(2 * g.normal(size=n)), expit),
    "steep": (lambda g, n: g.normal(size=n), lambda x: expit(5 * x)),
    "a rare class": (lambda g, n: g.normal(size=n), lambda x: expit(1.2 * x - 3)),
    "beta": (lambda g, n: g.beta(0.5, 0.5, size=n), lambda x: x),
    "level": (lambda g, n: g.normal(size=n), lambda x: 0.3 + 0 * x),
    "a kink": (lambda g, n: g.normal(size=n), lambda x: expit(3 * np.maximum(x, 0) - 1)),
}


@pytest.mark.parametrize("law", LAWS)
def test_isotonic_intervals_hold_the_chance(law):
    """Of the mean rate in a stretch they held 70 % where it is steep, and 84 % of whole numbers."""
    (draw, chance), held = LAWS[law], []
    for seed in range(100):
        g = np.random.default_rng(seed)
        t = np.zeros(1, dtype=bool)
        while not 5 <= t.sum() <= 115:
            x = draw(g, 120)
            t = g.random(120) < chance(x)
        new = draw(g, 20)
        model = Calibrated(LinearDiscriminantAnalysis(), "isotonic").fit(x[:, None], t)
        low, high = model.probability_interval(new[:, None], 0.9)[:, 1].T
        held.append(((low <= chance(new)) & (chance(new) <= high)).mean())
    assert np.mean(held) > 0.87
