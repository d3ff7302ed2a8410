"""Priors: the course's slope, ridge and lasso as special cases, bounds, posterior and evidence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from scipy.stats import multivariate_normal
from sklearn.linear_model import Lasso

from epee import LinearRegression, MapRegression, Ridge
from epee.errors import DataWarning, WrongUse
from epee.predictors.regression.priors import FlatPrior, GaussianPrior, LaplacePrior, UniformPrior


def sample(n=60, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 1
    return X, X @ [1.0, 0.0, -2.0, 0.3][:p] + 0.5 + rng.normal(size=n)


@given(st.integers(0, 300), st.floats(0.01, 100), st.floats(0.1, 10))
def test_the_slope_of_the_course(seed, sd, sigma2):
    X, y = sample(20, 1, seed)
    x, n = X[:, 0], 20
    a = ((x * y).mean() - x.mean() * y.mean()) / ((x**2).mean() - x.mean() ** 2 + sigma2 / (n * sd**2))
    model = MapRegression(GaussianPrior(sd=sd), sigma2=sigma2).fit(X, y)
    assert model.coef_[0] == pytest.approx(a, rel=1e-8, abs=1e-12)
    assert model.intercept_ == pytest.approx(y.mean() - a * x.mean(), rel=1e-8, abs=1e-9)
    assert model.coef_[0] == pytest.approx(Ridge(sigma2 / sd**2).fit(X, y).coef_[0], rel=1e-8, abs=1e-12)


def test_limits_of_the_slope():
    X, y = sample(30, 1)
    assert abs(MapRegression(GaussianPrior(sd=1e-8), sigma2=1.0).fit(X, y).coef_[0]) < 1e-9
    wide = MapRegression(GaussianPrior(sd=1e8), sigma2=1.0).fit(X, y).coef_
    np.testing.assert_allclose(wide, LinearRegression().fit(X, y).coef_, rtol=1e-9)


def test_an_intercept_that_leaves_its_bounds_is_held_and_the_slope_changes():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, size=(40, 1))
    y = 2 * x[:, 0] + 3 + 0.1 * rng.normal(size=40)  # the true intercept is 3, the prior says [0, 1]
    free = MapRegression(GaussianPrior(sd=5.0), sigma2=0.01).fit(x, y)
    held = MapRegression(GaussianPrior(sd=5.0), intercept_prior=UniformPrior(0, 1), sigma2=0.01).fit(x, y)
    assert held.intercept_ == 1.0 and held.coef_[0] > free.coef_[0] + 1
    alpha = 0.01 / 25
    assert held.coef_[0] == pytest.approx(x[:, 0] @ (y - 1) / (x[:, 0] @ x[:, 0] + alpha), rel=1e-9)
    inside = MapRegression(GaussianPrior(sd=5.0), intercept_prior=UniformPrior(0, 9), sigma2=0.01).fit(x, y)
    np.testing.assert_allclose(inside.coef_, free.coef_, rtol=1e-7)


def test_laplace_is_the_lasso():
    X, y = sample()
    for scale in (0.02, 0.2):
        ours = MapRegression(LaplacePrior(scale=scale), sigma2=1.0).fit(X, y)
        theirs = Lasso(1 / scale / len(y), tol=1e-14).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
    assert (MapRegression(LaplacePrior(scale=0.01), sigma2=1.0).fit(X, y).coef_ == 0).sum() >= 1
    shifted = MapRegression(LaplacePrior(mean=0.7, scale=1e-4), sigma2=1.0).fit(X, y)
    assert (shifted.coef_ == 0.7).all()


def test_uniform_and_truncated_priors_are_bounds():
    X, y = sample()
    ours = MapRegression(
        [UniformPrior(-0.5, 0.5), FlatPrior(), FlatPrior(low=-1.0), UniformPrior(0, 9)], sigma2=1.0
    ).fit(X, y)
    A = np.column_stack([X - X.mean(axis=0)])
    theirs = lsq_linear(A, y - y.mean(), bounds=([-0.5, -np.inf, -1, 0], [0.5, np.inf, np.inf, 9]), tol=1e-14).x
    np.testing.assert_allclose(ours.coef_, theirs, atol=1e-7)
    truncated = MapRegression(GaussianPrior(sd=1.0, low=0.0), sigma2=1.0).fit(X, y)
    assert (truncated.coef_ >= 0).all() and truncated.coef_[2] == 0


def test_priors_by_name_and_column():
    from pandas import DataFrame

    X, y = sample()
    frame = DataFrame(X, columns=list("abcd"))
    named = MapRegression({"c": ("gaussian", {"sd": 0.1})}, sigma2=1.0).fit(frame, y)
    listed = MapRegression([None, None, GaussianPrior(sd=0.1), "flat"], sigma2=1.0).fit(X, y)
    np.testing.assert_allclose(named.coef_, listed.coef_, rtol=1e-10)


def test_posterior_and_evidence():
    X, y = sample(40)
    s2, sd, sd0 = 1.3, 2.0, 3.0
    A = np.column_stack([np.ones(40), X])
    joint = MapRegression(GaussianPrior(sd=sd), intercept_prior=GaussianPrior(sd=sd0), sigma2=s2).fit(X, y)
    P = np.diag(1 / np.array([sd0, *[sd] * 4]) ** 2)
    V = np.linalg.inv(A.T @ A / s2 + P)
    np.testing.assert_allclose(joint.posterior_covariance_, V, rtol=1e-8)
    np.testing.assert_allclose(np.append(joint.intercept_, joint.coef_), V @ A.T @ y / s2, rtol=1e-8)
    law = multivariate_normal(np.zeros(40), s2 * np.eye(40) + A @ np.linalg.inv(P) @ A.T)
    assert joint.log_evidence_ == pytest.approx(law.logpdf(y), rel=1e-9)
    free = MapRegression(GaussianPrior(sd=sd), sigma2=s2).fit(X, y)
    nearly = MapRegression(GaussianPrior(sd=sd), intercept_prior=GaussianPrior(sd=1e4), sigma2=s2).fit(X, y)
    assert free.log_evidence_ == pytest.approx(nearly.log_evidence_ + np.log(1e4 * np.sqrt(2 * np.pi)), abs=1e-5)
    np.testing.assert_allclose(free.posterior_covariance_, nearly.posterior_covariance_, rtol=1e-5, atol=1e-9)
    ends = free.coef_interval(0.9)
    np.testing.assert_allclose(ends.mean(axis=1), free.coef_)
    np.testing.assert_allclose(
        ends[:, 1] - ends[:, 0], 2 * 1.6448536269514722 * np.sqrt(np.diag(free.posterior_covariance_))[1:]
    )
    band = free.predict_interval(X, 0.9, "mean")
    variance = np.einsum("ij,jk,ik->i", A, free.posterior_covariance_, A)
    np.testing.assert_allclose((band[:, 1] - band[:, 0]) / 2, 1.6448536269514722 * np.sqrt(variance))


def test_the_evidence_prefers_the_right_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    y = X @ rng.normal(scale=2.0, size=8) + rng.normal(size=200)
    scales = [0.02, 2.0, 200.0]
    evidence = [MapRegression(GaussianPrior(sd=s), sigma2=1.0).fit(X, y).log_evidence_ for s in scales]
    assert np.argmax(evidence) == 1


def test_several_targets():
    X, y = sample()
    Y = np.column_stack([y, -2 * y])
    both = MapRegression(sigma2=1.0).fit(X, Y)
    np.testing.assert_allclose(both.coef_[0], MapRegression(sigma2=1.0).fit(X, y).coef_)
    assert both.posterior_covariance_.shape == (2, 5, 5) and len(both.log_evidence_) == 2
    assert both.predict_interval(X).shape == (60, 2, 2)


def test_bad_input():
    X, y = sample()
    for make in (
        lambda: GaussianPrior(sd=0.0), lambda: LaplacePrior(scale=-1.0), lambda: UniformPrior(2, 1),
        lambda: MapRegression("cauchy").fit(X, y),
        lambda: MapRegression([None]).fit(X, y), lambda: MapRegression({"z": None}).fit(X, y), lambda: MapRegression(sigma2=-1.0).fit(X, y),
        lambda: MapRegression("laplace", sigma2=1.0).fit(X, y).posterior_covariance_,
        lambda: MapRegression("flat", sigma2=1.0).fit(X, y).log_evidence_,
    ):  # fmt: skip
        with pytest.raises(WrongUse):
            make()
    with pytest.warns(DataWarning, match="no residual degrees of freedom"):
        MapRegression().fit(X[:4], y[:4])
