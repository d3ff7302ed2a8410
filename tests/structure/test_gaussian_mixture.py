"""Gaussian mixtures: scikit-learn's and mclust's digits, missing cells, weights, noise."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn.mixture
from scipy.stats import multivariate_normal

from epee import GaussianDensity, GaussianMixture, choose_components, expectation_maximisation, options, samples
from epee.errors import (
    ConditionWarning,
    DataError,
    DataWarning,
    MissingValues,
    SearchWarning,
    SingularProblem,
    WrongUse,
)
from epee.structure.gaussian_steps import step
from epee.structure.mixture_choice import one_mode
from epee.table.arrays import ArraySource

rng = np.random.default_rng(0)
CENTRES = np.array([[0.0, 0, 0], [4, 4, 0], [0, 5, 5]])
X = np.vstack([rng.normal(size=(120, 3)) @ rng.normal(size=(3, 3)) + c for c in CENTRES])
STARTS = {"full": np.stack([np.eye(3)] * 3), "tied": np.eye(3), "diag": np.ones((3, 3)), "spherical": np.ones(3)}
FORMS = list(STARTS)


def from_the_same_start(form, **kw):
    start = {"means_init": X[[0, 150, 300]], "weights_init": [0.3, 0.3, 0.4], "precisions_init": STARTS[form]}
    return {"n_components": 3, "covariance_type": form, "tol": 1e-10, "max_iter": 500, **start, **kw}


@pytest.mark.parametrize("form", FORMS)
def test_agrees_with_scikit_learn_from_the_same_start(form):
    kw = from_the_same_start(form, reg_covar=0.0)
    ours, theirs = GaussianMixture(**kw).fit(X), sklearn.mixture.GaussianMixture(**kw).fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bound_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-8, err_msg=name)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert ours.bic(X) == pytest.approx(theirs.bic(X), rel=1e-10)
    assert ours.aic(X) == pytest.approx(theirs.aic(X), rel=1e-10)


def test_agrees_with_mclust_on_faithful():
    stored = (Path(__file__).parents[1] / "agreement" / "mclust" / "faithful.txt").read_text().split()
    F = samples.load("faithful").to_numpy()
    start = [F[F[:, 1] <= 68], F[F[:, 1] > 68]]
    ours = GaussianMixture(
        2, weights_init=[len(s) / len(F) for s in start], means_init=[s.mean(axis=0) for s in start], reg_covar=0.0,
        precisions_init=[np.linalg.inv(np.cov(s.T, bias=True)) for s in start], tol=1e-13, max_iter=10_000,
    ).fit(F)  # fmt: skip
    assert ours.lower_bound_ * len(F) == pytest.approx(float(stored[1]), abs=1e-6)
    np.testing.assert_allclose(ours.weights_, [float(stored[3]), float(stored[4])], atol=1e-6)


@pytest.mark.filterwarnings("ignore:rows without any cell")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("holes", [0.0, 0.15])
def test_the_climb_never_falls_and_the_mean_is_preserved(form, holes):
    Z = X.copy()
    Z[np.random.default_rng(1).random(X.shape) < holes] = np.nan
    fitted = GaussianMixture(**from_the_same_start(form, tol=1e-7)).fit(Z)
    assert (np.diff(fitted.trace_) >= -1e-12).all()
    assert fitted.weights_.sum() == pytest.approx(1)
    if not holes:
        np.testing.assert_allclose(fitted.weights_ @ fitted.means_, X.mean(axis=0), rtol=1e-9)


def test_missing_cells_give_the_marginal_density():
    fitted = GaussianMixture(2, random_state=0).fit(X)
    row = np.array([[1.0, np.nan, 2.0]])
    o = [0, 2]
    direct = sum(
        w * multivariate_normal(m[o], s[np.ix_(o, o)]).pdf(row[0, o])
        for w, m, s in zip(fitted.weights_, fitted.means_, fitted.covariances_, strict=True)
    )
    assert fitted.score_samples(row)[0] == pytest.approx(np.log(direct))


def test_one_gaussian_with_missing_cells_is_the_textbook_em():
    """Little and Rubin's EM for one Gaussian, written out row by row."""
    Z = X[:60].copy()
    Z[np.random.default_rng(2).random(Z.shape) < 0.2] = np.nan
    Z = Z[~np.isnan(Z).all(axis=1)]
    mu, sigma = np.nanmean(Z, axis=0), np.diag(np.nanvar(Z, axis=0))
    for _ in range(400):
        filled, extra = Z.copy(), np.zeros((3, 3))
        for i, row in enumerate(Z):
            m = np.isnan(row)
            if m.any():
                B = np.linalg.solve(sigma[np.ix_(~m, ~m)], sigma[np.ix_(~m, m)])
                filled[i, m] = mu[m] + (row[~m] - mu[~m]) @ B
                extra[np.ix_(m, m)] += sigma[np.ix_(m, m)] - sigma[np.ix_(m, ~m)] @ B
        mu = filled.mean(axis=0)
        sigma = ((filled - mu).T @ (filled - mu) + extra) / len(Z)
    ours = GaussianDensity(tol=1e-14, max_iter=2000).fit(Z)
    np.testing.assert_allclose(ours.mean_, mu, atol=1e-6)
    np.testing.assert_allclose(ours.covariance_, sigma, atol=1e-5)


@pytest.mark.filterwarnings("ignore:rows without any cell")
def test_imputation_leaves_observed_cells_and_beats_the_mean():
    Z = X.copy()
    holes = np.random.default_rng(3).random(X.shape) < 0.15
    Z[holes] = np.nan
    fitted = GaussianMixture(3, random_state=0, n_init=3).fit(Z)
    filled = fitted.impute(Z)
    np.testing.assert_array_equal(filled[~holes], X[~holes])
    error = np.mean((filled - X)[holes] ** 2)
    assert error < 0.8 * np.mean((np.broadcast_to(np.nanmean(Z, axis=0), X.shape) - X)[holes] ** 2)
    drawn = fitted.impute(Z, draw=True, random_state=0)
    assert np.isfinite(drawn).all() and np.mean((drawn - X)[holes] ** 2) > error


def test_weights_are_counts():
    w = np.random.default_rng(4).integers(1, 4, len(X))
    kw = from_the_same_start("full")
    a, b = GaussianMixture(**kw).fit(X, sample_weight=w), GaussianMixture(**kw).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(a.means_, b.means_, rtol=1e-9)
    np.testing.assert_allclose(a.covariances_, b.covariances_, rtol=1e-8, atol=1e-10)


def test_noise_takes_the_outliers():
    dirt = np.random.default_rng(5).uniform(-30, 30, (40, 3))
    both = np.vstack([X, dirt])
    clean = GaussianMixture(**from_the_same_start("full", noise=0.1)).fit(both)
    assert clean.noise_weight_ == pytest.approx(40 / 400, abs=0.03)
    assert (clean.predict(dirt) == -1).mean() > 0.9
    np.testing.assert_allclose(clean.means_, CENTRES, atol=0.6)
    assert (np.diff(clean.trace_) >= -1e-12).all()


def test_outliers_are_flagged_at_the_stated_rate():
    fitted = GaussianMixture(**from_the_same_start("full")).fit(X)
    drawn = fitted.set_params(random_state=7).sample(20_000)[0]
    assert (
        0.035 < fitted.outliers(drawn, 0.05).mean() < 0.05
    )  # the fitted law is narrower than what is known of the true one
    holes = drawn.copy()
    holes[::2, 1] = np.nan
    assert 0.035 < fitted.outliers(holes, 0.05).mean() < 0.05
    assert fitted.outliers([[50.0, 50, 50]], 0.01).all()
    many = fitted._mass
    fitted._mass = 1e9
    assert fitted.outliers(drawn, 0.05).mean() == pytest.approx(0.05, abs=0.008)
    assert many == pytest.approx(360)


@pytest.mark.parametrize("form", ["full", "diag", "spherical"])
def test_new_rows_of_the_true_law_are_flagged_at_the_stated_rate(form):
    """A threshold from the fitted law would flag 4.8 % at 1 %, from 30 rows in three columns."""
    rates = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        fitted = GaussianDensity(covariance_type=form).fit(rng.normal(size=(30, 3)))
        rates.append(fitted.outliers(rng.normal(size=(1000, 3)), 0.01, draws=4000).mean())
    assert np.mean(rates) == pytest.approx(0.01, abs=2.5 * np.std(rates) / np.sqrt(40) + 0.001)


@pytest.mark.parametrize(
    ("cloud", "number"),
    [
        (lambda r: r.standard_t(3, (300, 2)), 1),
        (lambda r: np.round(r.normal(size=(300, 2)), 1), 1),
        (lambda r: r.exponential(size=(200, 2)), 1),
        (lambda r: r.uniform(size=(200, 1)), 1),
        (lambda r: r.uniform(size=(200, 2)) + np.outer(np.repeat([0.0, 2.0], 100), [1, 0]), 2),
        (lambda r: r.normal(size=(300, 2)) + np.outer(np.repeat([0.0, 3.5], 150), [1, 0]), 2),
    ],
)
def test_long_tails_and_rounding_are_no_clusters(cloud, number):
    found = [
        choose_components(GaussianMixture(random_state=0), cloud(np.random.default_rng(s)), (1, 2, 3)).chosen
        for s in range(4)
    ]
    assert found == [number] * 4


def test_components_of_one_cloud_are_said_to_be_one_cloud():
    Z = np.random.default_rng(0).exponential(size=(200, 2))
    found = choose_components(GaussianMixture(random_state=0), Z, (1, 2, 3))
    assert found.best > 1 == found.clouds == found.chosen == found.model.n_components
    assert str(found) == (
        f"BIC: {found.best} components describe the density, and the rows show 1 cloud: "
        "no valley parts the components of a cloud."
    )
    with options(language="fr"):
        assert "1 nuage : aucun creux" in str(found)
    two = choose_components(GaussianMixture(random_state=0), Z[:, :1], (2, 3))
    assert (two.clouds, two.chosen) == (1, 2)  # one was not tried


def test_valleys_are_the_same_for_any_axes_and_for_rows_given_twice():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(120, 2)) + np.outer(np.arange(120) % 2, [3.0, 0])
    a = np.clip(Z[:, 0] / 3 + 0.1 * rng.normal(size=120), 0.01, 0.99)
    p = one_mode(Z, a, 1 - a, straight=False)
    turned = Z @ np.array([[2.0, 1.0], [0.3, -5.0]]) + 1e6
    assert one_mode(turned, a, 1 - a, straight=False) == pytest.approx(p) == one_mode(Z, 1 - a, a, straight=False)
    assert one_mode(np.tile(Z, (2, 1)), np.tile(a, 2), np.tile(1 - a, 2), straight=False) <= p <= 1
    assert one_mode(Z, a, 0 * a, straight=False) == 1 == one_mode(np.zeros((120, 2)), a, 1 - a, straight=False)


@pytest.mark.parametrize("form", ["full", "tied", "diag", "spherical"])
def test_clouds_with_holes_and_with_noise_are_told(form):
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(200, 2)) + np.outer(np.arange(200) % 2, [7.0, 7.0])
    Z[::9, 0] = np.nan
    assert choose_components(GaussianMixture(covariance_type=form, random_state=0), Z, (1, 2, 3)).chosen == 2
    far = np.vstack([Z[~np.isnan(Z).any(axis=1)], rng.uniform(-30, 30, (12, 2))])
    assert (
        choose_components(GaussianMixture(covariance_type=form, noise=True, random_state=0), far, (1, 2, 3)).chosen == 2
    )


def test_mixtures_of_scikit_learn_are_chosen_too():
    rng, Theirs = np.random.default_rng(3), sklearn.mixture.GaussianMixture
    Z = rng.normal(size=(200, 2)) + np.outer(np.arange(200) % 2, [6.0, 0.0])
    assert choose_components(Theirs(random_state=0), Z, (1, 2, 3)).chosen == 2
    assert choose_components(Theirs(random_state=0), rng.uniform(size=(200, 2)), (1, 2, 3)).chosen == 1


def test_samples_have_the_moments_of_the_law():
    fitted = GaussianMixture(**from_the_same_start("full"), random_state=1).fit(X)
    drawn, labels = fitted.sample(40_000)
    np.testing.assert_allclose(drawn.mean(axis=0), fitted.weights_ @ fitted.means_, atol=0.1)
    np.testing.assert_allclose(np.bincount(labels) / 40_000, fitted.weights_, atol=0.01)


def test_the_floor_keeps_a_component_from_closing_on_a_point():
    Z = np.vstack([X, np.repeat([[50.0, 50, 50]], 3, axis=0)])
    kw = {"n_components": 2, "means_init": [X.mean(axis=0), [50, 50, 50]], "random_state": 0}
    floored = GaussianMixture(reg_covar=1e-3, **kw).fit(Z)
    np.testing.assert_allclose(np.linalg.eigvalsh(floored.covariances_[1]), 1e-3)
    with pytest.raises(SingularProblem, match="collapsed"):
        GaussianMixture(reg_covar=0.0, **kw).fit(Z)


def test_blocks_and_pickled_steps_add_up():
    fitted = GaussianMixture(**from_the_same_start("full")).fit(X)
    work = pickle.loads(pickle.dumps(step(fitted._components())))
    parts = [work(block) for block in ArraySource(X).blocks(rows=50)]
    whole = work(next(iter(ArraySource(X).blocks())))
    total = sum(parts[1:], start=parts[0])
    assert total.log_likelihood == pytest.approx(whole.log_likelihood)
    for a, b in zip(total.sums, whole.sums, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-8)


def test_the_recipe_runs_on_any_model():
    climb = expectation_maximisation(GaussianMixture(3, random_state=0), X, tol=1e-6)
    assert climb.converged and climb.theta.n_components == 3
    seen = []
    expectation_maximisation(
        GaussianMixture(2, random_state=0), X, max_iter=3, tol=0, watch=lambda i, t, v: seen.append(v)
    )
    assert seen == sorted(seen) and len(seen) == 3


@pytest.mark.parametrize("criterion", ["bic", "icl", "cv"])
def test_the_number_of_components_is_found(criterion):
    choice = choose_components(GaussianMixture(random_state=0, n_init=2), X, (1, 2, 3, 4, 5), criterion=criterion)
    assert choice.chosen == 3
    assert (choice.stderr[[0, 1]] > 0).all()


def test_a_start_of_kmeans_or_of_wide_variances():
    for how in ("kmeans", "wide", "k-means++", "random_from_data"):
        fitted = GaussianMixture(3, init_params=how, random_state=0, n_init=3, max_iter=300).fit(X)
        assert fitted.lower_bound_ > -4.3


@pytest.mark.parametrize(
    ("kw", "words"),
    [
        ({"covariance_type": "round"}, "full, tied, diag, spherical"),
        ({"init_params": "guess"}, "kmeans"),
        ({"n_components": 0}, "at least 1"),
        ({"reg_covar": -1.0}, "not be negative"),
        ({"n_components": 2, "means_init": [[0.0, 0.0]]}, "should have the shape"),
        ({"n_components": 2, "weights_init": [0.9, 0.9]}, "normalized"),
    ],
)
def test_parameters_that_make_no_sense(kw, words):
    with pytest.raises(WrongUse, match=words):
        GaussianMixture(**kw).fit(X)


def test_data_that_cannot_be_used():
    with pytest.raises(DataError, match="only 2 distinct points"):
        GaussianMixture(3, reg_covar=0).fit(np.repeat([[0.0], [1.0]], 5, axis=0))
    with pytest.warns(DataWarning, match="only 2 distinct points"):
        few = GaussianMixture(3, random_state=0).fit(np.repeat([[0.0], [1.0]], 5, axis=0))
    assert few.score(np.array([[0.0], [1.0]])) > few.score(np.array([[0.5], [0.5]]))
    hole = X.copy()
    hole[:, 1] = np.nan
    with pytest.raises(MissingValues, match="column 1 is missing in every row"):
        GaussianMixture(2).fit(hole)
    empty_row = X.copy()
    empty_row[7] = np.nan
    with pytest.warns(DataWarning, match="rows without any cell: 1"):
        assert GaussianMixture(2, random_state=0).fit(empty_row).n_skipped_ == 1
    with pytest.warns(SearchWarning, match="increase max_iter"):
        GaussianMixture(3, max_iter=1, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConditionWarning)
        GaussianMixture(2, random_state=0).fit(X + 1e8)


def test_one_gaussian_is_maximum_likelihood():
    g = GaussianDensity().fit(X)
    np.testing.assert_allclose(g.covariance_, np.cov(X.T, bias=True))
    np.testing.assert_allclose(g.score_samples(X), multivariate_normal(g.mean_, g.covariance_).logpdf(X))
    one = GaussianDensity().fit(X[:, :1])
    n, sd = len(X), X[:, 0].std()
    assert one.score_samples(X[:, :1]).sum() == pytest.approx(-n * np.log(sd * np.sqrt(2 * np.pi)) - n / 2)
    diag = GaussianDensity(covariance_type="diag").fit(X)
    np.testing.assert_allclose(diag.covariance_, np.diag(X.var(axis=0)))
    D = X - X.mean(axis=0)
    np.testing.assert_allclose(g.mahalanobis(X), np.einsum("ij,jk,ik->i", D, np.linalg.inv(g.covariance_), D))
    with pytest.raises(SingularProblem, match="no more rows than columns"):
        GaussianDensity().fit(X[:3])


def test_rows_without_cells_are_counted_in_a_file_too(tmp_path):
    from pandas import DataFrame

    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    X[[3, 9]] = np.nan
    DataFrame(X, columns=list("ab")).to_parquet(tmp_path / "t.parquet")
    for rows in (X, tmp_path / "t.parquet"):
        with pytest.warns(DataWarning, match="rows without any cell: 2"):
            assert GaussianMixture(random_state=0).fit(rows).n_skipped_ == 2


def test_rows_of_weight_zero_are_no_rows():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 4.0]])
    with pytest.raises(DataError, match="only 2 distinct points"):
        GaussianMixture(3, reg_covar=0).fit(X, sample_weight=[1, 1, 0, 0])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    far = GaussianMixture(noise=True).fit(np.vstack([X, [[1e3, 1e3]]]), sample_weight=np.append(np.ones(100), 0))
    assert far.noise_density_ == pytest.approx(GaussianMixture(noise=True).fit(X).noise_density_)


def test_draws_for_rows_without_cells_follow_the_seed():
    model = GaussianMixture(2).fit(np.random.default_rng(0).normal(size=(50, 2)))
    blank = np.full((5, 2), np.nan)
    one, two = (model.impute(blank, draw=True, random_state=4) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_one_covariance_for_two_clouds_far_from_the_origin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) + np.repeat([[0.0, 0.0], [4.0, 4.0]], 100, axis=0) + 1e9
    near, far = (GaussianMixture(2, covariance_type="tied", random_state=0).fit(rows) for rows in (X - 1e9, X))
    assert far.score(X) == pytest.approx(near.score(X - 1e9), rel=1e-9)


def test_choice_from_a_file(tmp_path):
    from pandas import DataFrame

    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 1)) + np.repeat([[0.0], [9.0]], 50, axis=0)
    DataFrame(X, columns=["a"]).to_parquet(tmp_path / "t.parquet")
    assert choose_components(GaussianMixture(random_state=0), tmp_path / "t.parquet", (1, 2, 3)).chosen == 2
    with pytest.raises(WrongUse, match="values is empty"):
        choose_components(GaussianMixture(), X, ())


@pytest.mark.parametrize("form", ["full", "tied"])
@pytest.mark.parametrize("seed", range(4))
def test_a_column_below_the_floor_takes_no_digits_of_the_others(form, seed):
    X = np.random.default_rng(seed).normal(size=(40, 3)) * [1e-8, 1.0, 1e8]
    found = GaussianMixture(1, covariance_type=form, random_state=0).fit(X).covariances_.reshape(3, 3)
    there = np.cov(X.T, bias=True)
    np.testing.assert_allclose(found[1:, 1:], there[1:, 1:], rtol=1e-6)
    assert found[0, 0] == pytest.approx(1e-6)
