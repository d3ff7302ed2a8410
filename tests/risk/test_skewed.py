"""The test of normal errors holds its level, and is that of Anscombe and Glynn."""

import numpy as np
import pytest
from scipy import stats

from epee.risk.skewed import NORMAL, as_of_normal_errors


@pytest.mark.parametrize("n", [40, 67, 200])
def test_normal_errors_are_refuted_as_often_as_it_says(n):
    squares = np.random.default_rng(n).normal(size=(2000, n)) ** 2
    refuted = np.mean([not as_of_normal_errors(e, np.ones(n)) for e in squares])
    assert refuted == pytest.approx(NORMAL, abs=3 * np.sqrt(NORMAL / 2000))


def test_errors_of_mean_zero_have_the_test_of_their_kurtosis():
    rng = np.random.default_rng(0)
    for _ in range(50):
        e = rng.standard_t(8, 80)
        e -= e.mean()
        found = as_of_normal_errors(e**2, np.ones(80))
        assert found == (stats.kurtosistest(e).statistic < stats.norm.ppf(1 - NORMAL))


def test_rows_that_count_twice_are_two():
    e = np.random.default_rng(1).standard_t(4, (40, 60)) ** 2
    for own in e:
        assert as_of_normal_errors(own, np.full(60, 2.0)) == as_of_normal_errors(np.repeat(own, 2), np.ones(120))
