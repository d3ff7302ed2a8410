"""Components multiplied out: the same densities and sums as one component after the other, or not used at all."""

from __future__ import annotations

import numpy as np
import pytest

from epee import GaussianMixture
from epee.structure.gaussian_forms import Components, precision_factors
from epee.structure.gaussian_products import Expanded
from epee.structure.gaussian_steps import GaussianStep
from epee.table.arrays import ArraySource
from epee.table.block import Block


def mixture(form, K=4, p=5, seed=0, noise=None):
    rng = np.random.default_rng(seed)
    means = 3 * rng.normal(size=(K, p)) + 100
    if form in ("full", "tied"):
        A = rng.normal(size=(K, p, p))
        covariances = A @ A.swapaxes(1, 2) + 0.5 * np.eye(p)
        covariances = covariances[0] if form == "tied" else covariances
    else:
        covariances = rng.uniform(0.5, 2, (K, p) if form == "diag" else K)
    weights = rng.dirichlet(np.ones(K)) * (1.0 if noise is None else 0.9)
    return Components(weights, means, covariances, form, noise)


@pytest.mark.parametrize("form", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("noise", [None, -12.0])
@pytest.mark.parametrize("holes", [False, True])
def test_sums_equal_those_of_one_component_after_the_other(form, noise, holes, monkeypatch):
    rng, c = np.random.default_rng(1), mixture(form, noise=noise)
    X, w = c.means[rng.integers(0, 4, 700)] + rng.normal(size=(700, 5)), rng.integers(0, 3, 700).astype(float)
    if holes:
        X[::3, 1] = X[1::3, [0]] = X[1::3, 4:] = np.nan
    block = Block(X, None, w)
    together = GaussianStep(c, precision_factors(c))
    assert together.marginal(None).expanded is not None
    fast = together(block)
    monkeypatch.setattr(Expanded, "of", classmethod(lambda *_: None))
    slow = GaussianStep(c, precision_factors(c))(block)
    assert fast.log_likelihood == pytest.approx(slow.log_likelihood, rel=1e-12)
    for a, b in zip(fast.sums, slow.sums, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("form", ["diag", "spherical"])
def test_numpy_multiplies_out_what_no_compiler_is_met_for(form, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1500, 6)) + 4 * rng.integers(0, 2, (1500, 1))
    plain = GaussianMixture(3, covariance_type=form, random_state=0).fit(X)
    step = plain.expect(plain.start(ArraySource(X)))
    assert step.plain and not step.large and not step.marginal(None).expanded.compiled
    monkeypatch.setattr("epee.structure.gaussian_steps.FEWER", np.inf)
    monkeypatch.setattr(GaussianMixture, "_kept_products", lambda *_: None)
    slow = GaussianMixture(3, covariance_type=form, random_state=0).fit(X)
    assert plain.n_iter_ == slow.n_iter_
    np.testing.assert_allclose(plain.means_, slow.means_, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(plain.score_samples(X), slow.score_samples(X), rtol=1e-10)


def test_clouds_that_are_too_thin_are_not_multiplied_out():
    c = mixture("full")
    thin = np.array(c.covariances)
    thin[1] = np.diag([1e-7, 1, 1, 1, 1])
    assert Expanded.of(c, precision_factors(c)) is not None
    sharp = Components(c.weights, c.means, thin, "full")
    assert Expanded.of(sharp, precision_factors(sharp)) is None


@pytest.mark.parametrize("form", ["full", "diag", "spherical"])
def test_cells_are_drawn_from_their_conditional_law(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) + np.repeat([[0.0] * 3, [8.0] * 3], 200, axis=0)
    model = GaussianMixture(2, covariance_type=form, random_state=0).fit(X)
    holes = X.copy()
    holes[:, 1] = np.nan
    filled = model.impute(holes, draw=True, random_state=0)
    assert abs(filled[:200, 1].mean()) < 0.3 and abs(filled[200:, 1].std() - 1) < 0.2


@pytest.mark.parametrize("form", ["diag", "spherical"])
@pytest.mark.parametrize("noise", [False, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [60, 1500])
def test_products_kept_through_a_climb_give_the_climb_without_them(form, noise, weighted, n, monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 4)) * [1, 3, 0.1, 1] + 5 * rng.integers(0, 3, (n, 1)) + 100
    w = rng.integers(0, 3, n).astype(float) if weighted else None
    model = GaussianMixture(3, covariance_type=form, noise=noise, random_state=0)
    assert model._kept_products(ArraySource(X)) is not None
    kept = model.fit(X, sample_weight=w)
    assert "_products" not in vars(kept)
    monkeypatch.setattr(GaussianMixture, "_kept_products", lambda *_: None)
    made = GaussianMixture(3, covariance_type=form, noise=noise, random_state=0).fit(X, sample_weight=w)
    np.testing.assert_allclose(kept.trace_, made.trace_, rtol=1e-11)
    for name in ("weights_", "means_", "covariances_", "noise_weight_"):
        np.testing.assert_allclose(getattr(kept, name), getattr(made, name), rtol=1e-9, atol=1e-12)


def test_products_are_kept_only_of_small_full_tables_of_axes_parallel_clouds():
    X = np.random.default_rng(0).normal(size=(300, 3))
    holes = X.copy()
    holes[7, 1] = np.nan
    model = GaussianMixture(2, covariance_type="diag")
    assert model._kept_products(ArraySource(holes)) is None
    assert model._kept_products(ArraySource(np.zeros((5000, 3)))) is None
    assert GaussianMixture(2)._kept_products(ArraySource(X)) is None
