"""An area of rows in groups has the error bar of a jackknife of groups, on its own scale."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from epee.risk import roc_auc
from epee.risk.ranking import area, areas_left, jackknifed
from tests.risk.test_honest_scores import FirstColumn


def families(rng, G=30):
    """Scores, classes and groups of one to twenty rows, which share a part of both."""
    g = np.repeat(np.arange(G), rng.integers(1, 21, G))
    y = (rng.random(len(g)) < expit(rng.normal(size=G)[g] - 0.8)).astype(int)
    return 1.2 * y + 0.7 * rng.normal(size=G)[g] + 0.7 * rng.normal(size=len(g)), y, g


@pytest.mark.parametrize("seed", range(5))
def test_areas_without_a_group_are_those_of_the_other_rows(seed):
    rng = np.random.default_rng(seed)
    n, g = 40, rng.integers(0, 8, 40)
    g[:8] = np.arange(8)
    score, positive, w = rng.integers(0, 9, n).astype(float), rng.random(n) < 0.4, rng.exponential(size=n)
    left = [area(score[g != k], positive[g != k], w[g != k])[0] for k in range(8)]
    assert areas_left(score, positive, w, g) == pytest.approx(left)


def test_no_area_is_told_without_all_positives():
    score, positive = np.arange(4.0), np.array([True, False, False, True])
    left = areas_left(score, positive, np.ones(4), np.array([0, 1, 2, 0]))
    assert np.isnan(left[0]) and np.isfinite(left[1:]).all()
    assert jackknifed(0.5, left) == 0 and jackknifed(1.0, np.ones(3)) == 0


def test_the_bar_is_that_of_areas_of_many_samples():
    found, bars = [], []
    for seed in range(400):
        score, y, g = families(np.random.default_rng(seed))
        a = area(score, y == 1, np.ones(len(y)))[0]
        found.append(a)
        bars.append(jackknifed(a, areas_left(score, y == 1, np.ones(len(y)), g)))
    assert 0.95 * np.std(found) < np.sqrt(np.mean(np.square(bars))) < 1.2 * np.std(found)


def test_intervals_of_groups_hold_and_keep_the_shape_of_an_area():
    truth = np.mean([area(s, y == 1, np.ones(len(y)))[0] for s, y, _ in [families(np.random.default_rng(9), 4_000)]])
    held, most = [], 120
    for seed in range(most):
        score, y, g = families(np.random.default_rng([1, seed]))
        found = roc_auc(FirstColumn(), score[:, None], y, groups=g)
        held.append(found.low <= truth <= found.high)
        assert found.high <= 1 and found.value - found.low > found.high - found.value  # which is above one half
        inner = found.at(0.5)
        assert found.low < inner.low < inner.high < found.high
    assert np.mean(held) >= 0.95 - 0.02 - 2 * np.sqrt(0.95 * 0.05 / most)
