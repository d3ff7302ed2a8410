"""Penalties, and the best constant."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from epee.errors import WrongUse
from epee.losses import L1, L2, Elastic, best_constant


@pytest.mark.parametrize(
    "penalty", [L1(0.3), L2(0.3), Elastic(0.3, ratio=0.25), L2(0.3, bias=0), L1(0.3, 0, True)], ids=repr
)
def test_gradient_and_prox(penalty):
    rng = np.random.default_rng(0)
    w = rng.normal(size=5)
    eye = 1e-6 * np.eye(5)
    slopes = [(penalty.value(w + e) - penalty.value(w - e)) / 2e-6 for e in eye]
    assert_allclose(penalty.gradient(w), slopes, atol=1e-8)
    best = penalty.prox(w, 0.7)
    objective = lambda v: ((v - w) ** 2).sum() / 2 + 0.7 * penalty.value(v)  # noqa: E731
    for _ in range(50):
        assert objective(best) <= objective(best + 0.1 * rng.normal(size=5)) + 1e-12
    if penalty.bias is not None and not penalty.penalise_bias:
        assert best[penalty.bias] == w[penalty.bias]


def test_the_l2_gradient_is_a_vector():
    assert_allclose(L2(2.0).gradient([1.0, -3.0]), [4.0, -12.0])


def test_same_score_weights():
    """x = (1, 1, 1): two weight vectors of one score; L2 prefers the spread one, L1 is indifferent."""
    a, b = np.array([1.0, 0, 0]), np.full(3, 1 / 3)
    assert a.sum() == pytest.approx(b.sum())
    assert L2(1.0).value(b) < L2(1.0).value(a)
    assert L1(1.0).value(b) == pytest.approx(L1(1.0).value(a))


def test_priors_are_penalties():
    from scipy.stats import laplace, norm

    w, v = np.array([0.3, -1.2]), np.array([1.0, 0.1])
    gap = norm.logpdf(v, scale=0.5).sum() - norm.logpdf(w, scale=0.5).sum()
    assert L2.from_gaussian_prior(0.5).value(w) - L2.from_gaussian_prior(0.5).value(v) == pytest.approx(gap)
    gap = laplace.logpdf(v, scale=2).sum() - laplace.logpdf(w, scale=2).sum()
    assert L1.from_laplace_prior(2.0).value(w) - L1.from_laplace_prior(2.0).value(v) == pytest.approx(gap)
    with pytest.raises(WrongUse, match="not negative"):
        L1(-1.0)


@pytest.mark.parametrize("power", [1.0, 1.2, 1.5, 2.0, 3.0, 6.0])
def test_best_constant_balances(power):
    rng = np.random.default_rng(4)
    y, w = rng.exponential(size=31), rng.integers(1, 4, 31)
    h = best_constant(y, power, w)
    assert h == pytest.approx(best_constant(np.repeat(y, w), power), rel=1e-9)
    if power > 1:
        left, right = y < h, y > h
        assert w[left] @ (h - y[left]) ** (power - 1) == pytest.approx(
            w[right] @ (y[right] - h) ** (power - 1), rel=1e-6
        )
    for other in h + np.array([-0.1, 0.1]):
        assert w @ abs(y - h) ** power <= w @ abs(y - other) ** power


def test_best_constant_landmarks():
    assert best_constant([1.0, 2.0, 3.0, 10.0], 1) == 2.5
    assert best_constant([1.0, 2.0, 3.0, 1e6], 1) == 2.5  # one outlier does not move the median
    assert best_constant([1.0, 5.0], 1, [3, 1]) == 1.0
    assert best_constant([4.0, 4.0], 3) == 4.0
