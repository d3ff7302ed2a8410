from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from epee.decision.log_odds import chance, most_likely


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("jeffreys", [False, True])
def test_the_coefficients_make_the_price_least(rng, jeffreys):
    A = np.column_stack([rng.normal(size=(60, 3)), np.ones(60)])
    w, t, prior = rng.integers(1, 4, 60).astype(float), rng.random(60), np.array([4.0, 1.0, 0.0, 0.0])

    def curvature(theta):
        p = chance(A @ theta)
        return (A * (w * p * (1 - p))[:, None]).T @ A + np.diag(prior)

    def price(theta):
        z = A @ theta
        value = w @ (np.logaddexp(0, z) - t * z) + prior @ theta**2 / 2
        return value - np.linalg.slogdet(curvature(theta))[1] / 2 if jeffreys else value

    theta, covariance = most_likely(A, t, w, precision=prior, jeffreys=jeffreys)
    np.testing.assert_allclose(theta, optimize.minimize(price, np.zeros(4), tol=1e-10).x, atol=1e-5)
    np.testing.assert_allclose(covariance, np.linalg.inv(curvature(theta)), rtol=1e-6)


def test_jeffreys_prior_keeps_the_slope_finite_where_a_score_parts_the_classes():
    s = np.arange(20.0)
    theta, covariance = most_likely(
        np.column_stack([s, np.ones(20)]), (s > 9).astype(float), np.ones(20), jeffreys=True
    )
    assert 0.3 < theta[0] < 10 and np.isfinite(covariance).all()
