from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from epee import QuadraticDiscriminantAnalysis
from epee.errors import DataError, WrongUse
from epee.predictors.generative.optimal import OptimalClassifier
from epee.predictors.generative.threshold import GaussianThreshold, ring_frontier

NUMBERS = st.floats(-5, 5)
VARIANCES = st.floats(0.1, 9)


@given(NUMBERS, NUMBERS, VARIANCES, VARIANCES, st.floats(0.05, 0.95))
def test_roots_are_where_the_weighted_densities_cross(m1, m2, v1, v2, p):
    t = GaussianThreshold((m1, m2), (v1, v2), (p, 1 - p))
    for root in t.roots:
        a, b = p * norm.pdf(root, m1, v1**0.5), (1 - p) * norm.pdf(root, m2, v2**0.5)
        assert np.isclose(a, b, rtol=1e-5, atol=1e-300)
    x = np.linspace(-20, 20, 401)
    y = t.w2 * x**2 + t.w1 * x + t.w0
    clear = np.abs(t.score(x)) > 1e-6
    assert (np.sign(y[clear]) == np.sign(t.score(x)[clear])).all()
    assert len(t.roots) <= 2 and 0 <= t.error <= 0.5 + 1e-12
    assert (t.predict(x)[clear] == np.where(t.score(x)[clear] > 0, 1, 2)).all()


def test_is_the_map_rule_and_its_error_the_quadrature():
    x = np.array([8.0, 9, 11, 12, 10, 14, 15, 16, 17, 12])
    y = np.array(["info"] * 5 + ["math"] * 5)
    t = GaussianThreshold.of(x, y)
    qda = QuadraticDiscriminantAnalysis().fit(x[:, None], y)
    grid = np.linspace(5, 20, 301)
    assert (t.predict(grid) == qda.predict(grid[:, None])).all()
    best = OptimalClassifier(
        [norm(m, v**0.5) for m, v in zip(t.means, t.variances, strict=True)], t.priors, support=(-20, 50)
    )
    assert np.isclose(best.epe(), t.error, atol=1e-12)


def test_equal_variances():
    t = GaussianThreshold((3.0, 1.0), (2.0, 2.0), (0.5, 0.5))
    assert t.roots == (2.0,) and t.w2 == 0 and np.isclose(t.w1, 1.0)
    moved = GaussianThreshold((3.0, 1.0), (2.0, 2.0), (0.2, 0.8))
    assert moved.roots[0] > 2  # towards the rarer class
    assert GaussianThreshold((1.0, 1.0), (1.0, 1.0), (0.3, 0.7)).roots == ()
    assert GaussianThreshold((0.0, 0.0), (1.0, 100.0), (0.001, 0.999)).roots == ()  # one class wins everywhere


def test_a_large_mean_costs_no_digits():
    near, far = GaussianThreshold((0.0, 3.0), (1.0, 4.0)), GaussianThreshold((1e8, 1e8 + 3.0), (1.0, 4.0))
    np.testing.assert_allclose(np.array(far.roots) - 1e8, near.roots, atol=1e-6)


def test_ring_frontier_balances_the_densities():
    for d in (1, 2, 5):
        r2 = ring_frontier(0.5, 2.0, d, (0.4, 0.6))
        logs = [np.log(p) - d / 2 * np.log(2 * np.pi * v) - r2 / (2 * v) for p, v in ((0.4, 0.5), (0.6, 2.0))]
        assert np.isclose(*logs)


def test_bad_input():
    with pytest.raises(DataError, match="class 2 has the variance 0"):
        GaussianThreshold((0.0, 1.0), (1.0, 0.0))
    with pytest.raises(WrongUse, match="sum to 1"):
        GaussianThreshold((0.0, 1.0), (1.0, 1.0), (0.5, 0.6))
    with pytest.raises(DataError, match="3 classes"):
        GaussianThreshold.of([1.0, 2.0, 3.0], [0, 1, 2])
    with pytest.raises(DataError, match="contains NaN"):
        GaussianThreshold.of([1.0, np.nan, 3.0], [0, 1, 1])
    with pytest.raises(WrongUse, match="differ"):
        ring_frontier(1.0, 1.0)
