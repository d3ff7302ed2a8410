"""Intervals for rates and means: against statsmodels, and by what they must do at the ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from epee.errors import WrongUse
from epee.risk.intervals import (
    bootstrap_interval,
    check_level,
    clopper_pearson,
    logit_interval,
    t_interval,
    t_p_value,
    t_quantile,
    weighted_mean,
    wilson,
)


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_rates_agree_with_statsmodels(n, share, level):
    k = round(share * n)
    for ours, name in ((wilson, "wilson"), (clopper_pearson, "beta")):
        theirs = proportion_confint(k, n, alpha=1 - level, method=name)
        np.testing.assert_allclose(ours(k / n, n, level), np.nan_to_num(theirs, nan=[0.0, 1.0][int(k == n)]), atol=1e-9)


def test_exact_is_never_narrower_in_coverage():
    n, level = 30, 0.9
    from scipy.stats import binom

    for r in np.linspace(0.01, 0.99, 25):
        chance = binom.pmf(np.arange(n + 1), n, r)
        covers = [clopper_pearson(k / n, n, level) for k in range(n + 1)]
        assert sum(c for c, i in zip(chance, covers, strict=True) if r in i) >= level


def test_t_quantile_and_p_value_are_inverse():
    assert t_p_value(t_quantile(0.95, 7), 7) == pytest.approx(0.05)
    assert t_quantile(0.95, np.inf) == pytest.approx(1.959964, abs=1e-6)


def test_weights_are_counts():
    rng = np.random.default_rng(0)
    e, w = rng.random(20), rng.integers(1, 5, 20).astype(float)
    np.testing.assert_allclose(weighted_mean(e, w), weighted_mean(np.repeat(e, w.astype(int)), None))


def test_bootstrap_follows_the_skew():
    e = np.random.default_rng(0).exponential(size=60)
    low, high = bootstrap_interval(e, None, 0.95)
    mean, stderr, n = weighted_mean(e, None)
    t = t_interval(mean, stderr, n - 1, 0.95)
    assert low > t.low and high > t.high  # the long tail is on the right


def test_bootstrap_of_many_rows_is_near_the_normal_interval():
    e = np.random.default_rng(0).normal(size=30_000)
    mean, stderr, _ = weighted_mean(e, None)
    np.testing.assert_allclose(
        bootstrap_interval(e, None, 0.95, draws=600), t_interval(mean, stderr, np.inf, 0.95), atol=0.3 * stderr
    )


def test_logit_stays_inside():
    low, high = logit_interval(0.98, 0.05, 0.95)
    assert 0 < low < 0.98 < high < 1


@pytest.mark.parametrize("level", [0, 1, 1.5, -1])
def test_levels_outside_are_refused(level):
    with pytest.raises(WrongUse, match="between 0 and 1"):
        check_level(level)
