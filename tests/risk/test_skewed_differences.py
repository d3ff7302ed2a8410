"""A paired difference that few rows make: less sure than Student's test says."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from epee.risk.paired_tests import by_rows, corrected_t
from epee.risk.skewed import skewed_ratio, undo_skewness
from epee.risk.units import units_of


def of_losses(a):
    return SimpleNamespace(losses=a, row_losses=a, weight=None, n=len(a), in_units=None)


def test_without_skewness_the_test_is_students():
    d = np.repeat([-1.0, 3.0], 30)
    found = corrected_t(d.reshape(-1, 6).mean(axis=0) + np.arange(6) / 10, 1 / 5, n=60)
    told = by_rows(of_losses(d), of_losses(np.zeros(60)), found)
    assert told.p_value == found.p_value and told.interval == found.interval and not told.caution


@pytest.mark.parametrize("T", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("skewness", [0.3, 1.5])
def test_the_ratio_undoes_what_the_interval_does(T, skewness):
    """Hall's inverse of what is left of T is T again, where all skewness shows."""
    t = T * 1e9**0.5
    left = skewed_ratio(t, np.inf, -skewness, 1e9)
    assert left < 1 and undo_skewness(left * T, -skewness, 1e9) == pytest.approx(T, rel=1e-4)
    assert skewed_ratio(t, np.inf, skewness, 1e9) == 1.0


def test_few_folds_with_a_small_spread_are_no_mean_far_out():
    """Of three degrees of freedom a large t comes from a small spread: its mean is about the root of three errors from 0."""
    few, many = (skewed_ratio(12.0, dof, -4.0, 200.0) for dof in (3.0, 1e6))
    assert few > 2 * many and few == pytest.approx(skewed_ratio(3**0.5, np.inf, -4.0, 200.0), rel=0.01)


def test_p_below_a_level_is_zero_outside_its_interval():
    rng = np.random.default_rng(0)
    for _ in range(300):
        d = rng.exponential(size=60) ** 2 * rng.choice([1, -1]) + rng.normal(scale=0.5) - rng.choice([0, 2])
        plain = corrected_t(d.reshape(10, 6).mean(axis=1), 1 / 9, n=60)
        found = by_rows(of_losses(d), of_losses(np.zeros(60)), plain)
        against = (found.value > 0) != (units_of(d).spread()[1] > 0)  # few rows pull the mean to where it is not
        assert (found.p_value > plain.p_value) == against
        assert found.p_value >= plain.p_value and found.low <= found.value <= found.high
        for level in (0.5, 0.9, 0.95, 0.99):
            low, high = found.at(level).interval
            assert (found.p_value < 1 - level) == (not low <= 0 <= high)


def test_small_errors_often_against_large_ones_rarely_alarm_less():
    """Equal means, one side skewed: the fold test alone alarms in 11 % of tables of 60 rows."""
    plain, told = [], []
    for i in range(600):
        rng = np.random.default_rng([1, i])
        a, b = rng.exponential(size=60), 5 * rng.exponential(size=60) * (rng.random(60) < 0.2)
        d = a - b
        found = corrected_t(d.reshape(10, 6).mean(axis=1), 0.0, n=60)
        mended = by_rows(of_losses(a), of_losses(b), found)
        plain.append(found.p_value < 0.05), told.append(mended.p_value < 0.05)
    assert np.mean(told) < 0.8 * np.mean(plain)


def test_a_single_row_that_makes_the_difference_is_said():
    d = np.zeros(60)
    d[7] = 5.0
    d += np.random.default_rng(2).normal(scale=0.01, size=60)
    found = by_rows(of_losses(d), of_losses(np.zeros(60)), corrected_t(d.reshape(10, 6).mean(axis=1), 1 / 9, n=60))
    assert "few rows" in found.caution


def test_what_both_get_wrong_makes_no_difference_of_few_rows():
    """A row that both miss by far is in either loss, but not in the difference; one that one alone misses is."""
    rng = np.random.default_rng(3)
    plain, far = rng.normal(size=(2, 60)) ** 2, np.zeros(60)
    far[7] = 100.0
    found = corrected_t((plain[0] - plain[1]).reshape(10, 6).mean(axis=1), 1 / 9, n=60)
    assert not by_rows(of_losses(plain[0] + far), of_losses(plain[1] + far), found).caution
    assert "few rows" in by_rows(of_losses(plain[0] + far), of_losses(plain[1]), found).caution


def test_the_interval_is_longer_to_the_side_of_the_tail():
    rng = np.random.default_rng(4)
    d = rng.exponential(size=60) - 0.2
    plain = corrected_t(d.reshape(10, 6).mean(axis=1), 1 / 9, n=60)
    for sign in (1, -1):
        found = by_rows(
            of_losses(sign * d), of_losses(np.zeros(60)), corrected_t(sign * d.reshape(10, 6).mean(axis=1), 1 / 9, n=60)
        )
        low, high = found.value - found.low, found.high - found.value
        assert (high > 1.05 * low) if sign > 0 else (low > 1.05 * high)
        assert min(low, high) == pytest.approx(plain.high - plain.value) and found.p_value == plain.p_value
