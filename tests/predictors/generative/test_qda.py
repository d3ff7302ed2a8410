from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import OAS, LedoitWolf
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Theirs

from epee import GaussianNB, LinearDiscriminantAnalysis
from epee import QuadraticDiscriminantAnalysis as Ours
from epee.errors import SingularProblem, WrongUse
from epee.predictors.generative.threshold import ring_frontier
from tests.older import as_of
from tests.predictors.generative.leaving import check_left_out

rng = np.random.default_rng(0)
N = 150
y = rng.integers(0, 3, N)
X = (rng.normal(size=(N, 4)) * (1 + y[:, None])) @ rng.normal(size=(4, 4)) + y[:, None] + 2
w = rng.integers(1, 4, N).astype(float)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reg_param": 0.2},
        {"priors": [0.2, 0.3, 0.5]},
        {"solver": "eigen", "shrinkage": 0.3},
        {"solver": "eigen", "shrinkage": "auto"},
    ],
)
@as_of("1.9")
def test_agrees_with_scikit_learn(options):
    ours, theirs = Ours(store_covariance=True, **options).fit(X, y), Theirs(store_covariance=True, **options).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-9)
    np.testing.assert_allclose(ours.scalings_, theirs.scalings_, rtol=1e-8)
    for a, b in zip(ours.rotations_, theirs.rotations_, strict=True):
        np.testing.assert_allclose(np.abs(a.T @ b), np.eye(4), atol=1e-6)


@pytest.mark.parametrize("estimator", [OAS(), LedoitWolf()])
def test_covariance_estimators(estimator):
    ours, theirs = (kind(solver="eigen", covariance_estimator=estimator).fit(X, y) for kind in (Ours, Theirs))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8)


def test_oas_from_moments_alone():
    ours, theirs = (
        Ours(solver="eigen", shrinkage="oas").fit(X, y),
        Theirs(solver="eigen", covariance_estimator=OAS()).fit(X, y),
    )
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8)


def test_scores_are_log_posteriors():
    m = Ours().fit(X, y)
    logs = np.stack(
        [
            multivariate_normal(X[y == k].mean(axis=0), np.cov(X[y == k].T, bias=True)).logpdf(X)
            + np.log((y == k).mean())
            for k in range(3)
        ],
        axis=1,
    )
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    np.testing.assert_allclose(m.predict_log_proba(X), logs, atol=1e-9)


def test_shapes_of_the_clouds():
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(
        Ours(covariance_type="tied").fit(X, y).predict_log_proba(X), lda.predict_log_proba(X), atol=1e-8
    )
    nb = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(
        Ours(covariance_type="diagonal").fit(X, y).predict_log_proba(X), nb.predict_log_proba(X), atol=1e-9
    )
    ball = Ours(covariance_type="spherical", store_covariance=True).fit(X, y)
    for k in range(3):
        np.testing.assert_allclose(
            ball.covariance_[k], np.trace(np.cov(X[y == k].T, bias=True)) / 4 * np.eye(4), rtol=1e-10
        )
    np.testing.assert_allclose(Ours(rounding=1.0).fit(X, y)._score(X), ball._score(X), atol=1e-9)
    nearest = Ours(tying=1.0, rounding=1.0, priors=[1 / 3] * 3).fit(X, y).predict(X)
    assert (nearest == np.argmin(((X[:, None] - ball.means_) ** 2).sum(axis=2), axis=1)).all()


@pytest.mark.parametrize("weights", [None, w])
@pytest.mark.parametrize(
    "options",
    [
        {}, {"priors": [0.2, 0.3, 0.5]}, {"reg_param": 0.2}, {"solver": "eigen", "shrinkage": 0.3}, {"solver": "eigen", "shrinkage": "oas"},
        {"covariance_type": "tied"}, {"covariance_type": "diagonal"}, {"covariance_type": "spherical"}, {"tying": 0.3, "rounding": 0.2},
        {"covariance_type": "diag", "tying": 0.5, "rounding": 0.1, "reg_param": 0.1},
    ],
)  # fmt: skip
def test_left_out(options, weights):
    check_left_out(lambda: Ours(**options), X, y, weights, every=17)


def test_friedman_grid_is_that_of_refits():
    rows, labels = X[:45], y[:45]
    m = Ours(covariance_type="regularised", grid=([0.0, 0.5, 1.0], [0.0, 0.5])).fit(rows, labels)
    for i, lam in enumerate((0.0, 0.5, 1.0)):
        for j, gamma in enumerate((0.0, 0.5)):
            wrong = [
                Ours(tying=lam, rounding=gamma)
                .fit(np.delete(rows, r, axis=0), np.delete(labels, r))
                .predict(rows[r : r + 1])[0]
                != labels[r]
                for r in range(45)
            ]
            assert np.isclose(m.loo_errors_[i, j], np.mean(wrong))
    assert m.loo_errors_.min() == m.loo_errors_[[0.0, 0.5, 1.0].index(m.tying_), [0.0, 0.5].index(m.rounding_)]
    fixed = Ours(tying="loo", rounding=0.25, grid=([0.0, 1.0], [0.0])).fit(rows, labels)
    assert fixed.rounding_ == 0.25 and fixed.loo_errors_.shape == (2, 1)


def test_regularisation_saves_small_classes():
    rows, labels = rng.normal(size=(24, 10)) + np.repeat([0, 1.5], 12)[:, None], np.repeat([0, 1], 12)
    m = Ours(covariance_type="regularised").fit(rows, labels)
    assert np.isfinite(m.predict_proba(rows)).all() and np.isinf(m.loo_errors_[0, 0]) is np.False_
    tiny = Ours(covariance_type="regularised").fit(rows[8:16], labels[8:16])
    assert np.isinf(tiny.loo_errors_[0, 0]) and tiny.tying_ + tiny.rounding_ > 0


def test_weights_are_counts_and_parts_add():
    k = w.astype(int)
    weighted, repeated = Ours().fit(X, y, sample_weight=w), Ours().fit(X.repeat(k, axis=0), y.repeat(k))
    np.testing.assert_allclose(weighted._score(X), repeated._score(X), rtol=1e-9)
    parts = Ours().partial_fit(X[:70], y[:70]).partial_fit(X[70:], y[70:])
    np.testing.assert_allclose(parts._score(X), Ours().fit(X, y)._score(X), rtol=1e-9)


def test_mahalanobis_is_invariant():
    A = rng.normal(size=(4, 4)) + 2 * np.eye(4)
    d = Ours().fit(X, y).mahalanobis(X)
    np.testing.assert_allclose(Ours().fit(X @ A + 5, y).mahalanobis(X @ A + 5), d, rtol=1e-6)
    k = 1
    r = X - X[y == k].mean(axis=0)
    exact = np.sqrt(np.einsum("ij,jk,ik->i", r, np.linalg.inv(np.cov(X[y == k].T, bias=True)), r))
    np.testing.assert_allclose(d[:, k], exact, rtol=1e-8)


def test_two_rings():
    angle, which = rng.uniform(0, 2 * np.pi, 400), np.arange(400) % 2
    radius = np.sqrt(rng.uniform(0.9, 1.1, 400) + 3 * which)
    ring = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    m = Ours(covariance_type="spherical", priors=[0.5, 0.5]).fit(ring, which)
    assert m.score(ring, which) == 1.0
    s1, s2 = (float(v) for v in m._sigma[:, 0])
    frontier = ring_frontier(s1, s2)
    assert 2 * s1 < frontier < 2 * s2 and np.isclose(ring_frontier(s2, s1), frontier)
    exact = Ours(covariance_type="spherical", priors=[0.5, 0.5]).fit(
        np.vstack([ring, -ring]), np.tile(which, 2)
    )  # means are 0 exactly
    s1, s2 = (float(v) for v in exact._sigma[:, 0])
    on = np.sqrt(ring_frontier(s1, s2)) * np.column_stack([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(exact.decision_function(on), 0, atol=1e-10)


def test_sampling_comes_back():
    m = Ours().fit(X, y)
    rows, labels = m.sample(30_000, random_state=0)
    again = Ours(store_covariance=True).fit(rows, labels)
    np.testing.assert_allclose(again.means_, m.means_, atol=0.3)
    np.testing.assert_allclose(again.priors_, m.priors_, atol=0.02)


def test_small_units_are_no_singularity():
    np.testing.assert_allclose(
        Ours().fit(1e-4 * X, y).predict_proba(1e-4 * X), Ours().fit(X, y).predict_proba(X), rtol=1e-8
    )


def test_bad_input():
    flat = X.copy()
    flat[y == 1, 2] = 3.0
    with pytest.raises(SingularProblem, match=r"covariance matrix of class .*1.* is not full rank.*reg_param"):
        Ours().fit(flat, y)
    twin = np.hstack([X, X[:, :1] + X[:, 1:2]])
    with pytest.raises(SingularProblem, match="rank 4 of 5 columns"):
        Ours().fit(twin, y)
    with pytest.raises(SingularProblem, match="class .*shrinkage"):
        Ours(solver="eigen").fit(twin, y)
    with pytest.raises(SingularProblem, match="column 2 is constant in it"):
        Ours(covariance_type="diagonal").fit(flat, y)
    with pytest.raises(SingularProblem, match="only 1 sample in class 9"):
        Ours().fit(np.vstack([X, X[:1]]), np.append(y, 9))
    with pytest.raises(WrongUse, match="reg_param is -1"):
        Ours(reg_param=-1).fit(X, y)
    with pytest.raises(WrongUse, match="tying is 2"):
        Ours(tying=2).fit(X, y)
    with pytest.raises(WrongUse, match="shrinkage not supported"):
        Ours(shrinkage=0.1).fit(X, y)
    with pytest.raises(WrongUse, match="priors sum to"):
        Ours(priors=[0.5, 0.5, 0.5]).fit(X, y)
    with pytest.raises(WrongUse, match="covariance_type 'round'"):
        Ours(covariance_type="round").fit(X, y)
    assert (
        Ours(solver="eigen", shrinkage="auto").fit(X, y).left_out(X, y) is None
    )  # an estimated covariance has no formula


def test_degrees_of_freedom_rank_the_shapes_of_the_clouds():
    K, p = 3, 4
    found = {
        kind: Ours(covariance_type=kind).fit(X, y).effective_dof_ for kind in ("tied", "spherical", "diagonal", "full")
    }
    assert found == {
        "tied": K * (p + 1),
        "spherical": K * (p + 2),
        "diagonal": K * (2 * p + 1),
        "full": K * (p + 1) * (p + 2) / 2,
    }
    assert found["diagonal"] == GaussianNB().fit(X, y).effective_dof_
    assert found["tied"] < Ours(tying=0.5).fit(X, y).effective_dof_ < found["full"]
    assert not hasattr(Ours(), "effective_dof_")


def test_the_simplest_shape_within_one_standard_error_is_chosen():
    from epee.risk import complexity_curve

    clouds = np.random.default_rng(5).normal(size=(150, 3)) + 2 * np.eye(3)[np.arange(150) % 3]
    kinds = ["full", "diagonal", "tied"]
    curve = complexity_curve(Ours(), clouds, np.arange(150) % 3, "covariance_type", kinds, random_state=0)
    assert curve.chosen == "tied"
    assert curve.dof.tolist() == [30, 21, 12]
