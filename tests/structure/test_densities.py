"""Kernel densities and mixtures of counts."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.neighbors
from scipy.stats import poisson
from sklearn.datasets import load_digits

from epee import BernoulliMixture, KernelDensity, PoissonMixture
from epee.errors import DataError, DataWarning, SearchWarning, WrongUse

rng = np.random.default_rng(0)
X, Q = rng.normal(size=(80, 3)), rng.normal(size=(20, 3))


@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"])
def test_agrees_with_scikit_learn(kernel):
    w = rng.integers(1, 4, len(X))
    ours = KernelDensity(bandwidth=1.7, kernel=kernel).fit(X, sample_weight=w).score_samples(Q)
    theirs = sklearn.neighbors.KernelDensity(bandwidth=1.7, kernel=kernel).fit(X, sample_weight=w).score_samples(Q)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_leave_one_out_bandwidth_equals_brute_force():
    x = X[:, :1]
    kde = KernelDensity(bandwidth="loo").fit(x)
    i = int(np.argmax(kde.likelihoods_))
    brute = [
        KernelDensity(bandwidth=kde.bandwidth_).fit(np.delete(x, j, axis=0)).score_samples(x[j : j + 1])[0]
        for j in range(len(x))
    ]
    assert kde.likelihoods_[i] == pytest.approx(np.mean(brute))
    assert kde.likelihoods_[0] < kde.likelihoods_[i] > kde.likelihoods_[-1]
    w = rng.integers(1, 3, len(x))
    repeated = KernelDensity(bandwidth="loo").fit(np.repeat(x, w, axis=0))
    assert KernelDensity(bandwidth="loo").fit(x, sample_weight=w).bandwidth_ == pytest.approx(
        repeated.bandwidth_, rel=0.05
    )


def test_a_density_integrates_to_one():
    grid = np.linspace(-9, 9, 4001)[:, None]
    for kernel in ("gaussian", "epanechnikov", "cosine"):
        density = np.exp(KernelDensity(bandwidth=0.5, kernel=kernel).fit(X[:, :1]).score_samples(grid))
        assert np.trapezoid(density, grid[:, 0]) == pytest.approx(1, abs=1e-6)


def test_missing_cells_of_a_query_are_filled_from_neighbours():
    x = np.repeat([[0.0, 0.0], [5.0, 5.0]], 20, axis=0) + 0.1 * rng.normal(size=(40, 2))
    kde = KernelDensity(bandwidth=0.5).fit(x)
    assert kde.impute([[5.0, np.nan]])[0, 1] == pytest.approx(5, abs=0.2)
    one = KernelDensity(bandwidth=0.5).fit(x[:, :1])
    assert kde.score_samples([[5.0, np.nan]])[0] == pytest.approx(one.score_samples([[5.0]])[0])


def test_samples_and_outliers():
    kde = KernelDensity(bandwidth=0.5).fit(X)
    drawn = kde.sample(20_000, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T, bias=True) + 0.25 * np.eye(3), atol=0.06)
    assert kde.outliers(drawn[:5000], 0.1).mean() == pytest.approx(0.1, abs=0.03)


def test_bad_bandwidths_and_kernels():
    for kw, words in (
        ({"bandwidth": 0}, "positive"),
        ({"bandwidth": "best"}, "'loo'"),
        ({"kernel": "square"}, "tophat"),
    ):
        with pytest.raises(WrongUse, match=words):
            KernelDensity(**kw).fit(X)


def test_one_component_is_maximum_likelihood():
    B = (X > 0).astype(float)
    np.testing.assert_allclose(BernoulliMixture().fit(B).means_[0], B.mean(axis=0))
    C = rng.poisson([1.0, 5.0], size=(100, 2))
    fitted = PoissonMixture().fit(C)
    np.testing.assert_allclose(fitted.means_[0], C.mean(axis=0))
    np.testing.assert_allclose(fitted.score_samples(C), poisson(C.mean(axis=0)).logpmf(C).sum(axis=1))


@pytest.mark.parametrize("model", [BernoulliMixture, PoissonMixture])
def test_components_are_found_with_missing_cells(model):
    truth = np.array([[0.9, 0.9, 0.1, 0.1, 0.5], [0.1, 0.1, 0.9, 0.9, 0.5]]) * (1 if model is BernoulliMixture else 8)
    labels = np.arange(600) % 2
    draws = np.random.default_rng(1)
    rows = (
        (draws.random((600, 5)) < truth[labels]) * 1.0
        if model is BernoulliMixture
        else draws.poisson(truth[labels]) * 1.0
    )
    rows[draws.random(rows.shape) < 0.1] = np.nan
    fitted = model(2, random_state=0, n_init=3, tol=1e-7, max_iter=2000).fit(rows)
    order = np.argsort(-fitted.means_[:, 0])
    np.testing.assert_allclose(fitted.means_[order], truth, atol=0.1 * truth.max())
    assert (np.diff(fitted.trace_) >= -1e-12).all()
    agree = (fitted.predict(rows) == np.argsort(order)[labels]).mean()
    assert agree > 0.9
    filled = fitted.impute(rows)
    assert np.isfinite(filled).all()
    drawn = fitted.sample(5000)[0]
    np.testing.assert_allclose(drawn.mean(axis=0), fitted.weights_ @ fitted.means_, atol=0.05 * truth.max())


def test_digits_form_readable_clusters():
    X, y = load_digits(return_X_y=True)
    keep = y < 3
    fitted = BernoulliMixture(3, binarize=8, random_state=0, n_init=3).fit(X[keep])
    labels = fitted.predict(X[keep])
    assert sum(np.bincount(y[keep][labels == k]).max() for k in range(3)) / keep.sum() > 0.9


def test_values_that_are_no_counts():
    with pytest.raises(DataError, match="column 1 holds 2 in row 0"):
        BernoulliMixture(binarize=None).fit([[0.0, 2.0], [1.0, 0.0]])
    with pytest.raises(DataError, match="Negative values.*column 0 holds -1 in row 1"):
        PoissonMixture().fit([[1.0], [-1.0]])


def test_cells_of_a_file_are_held_to_the_law(tmp_path):
    from pandas import DataFrame

    rng = np.random.default_rng(0)
    X = (rng.random((200, 4)) < np.repeat([[0.9, 0.9, 0.1, 0.1], [0.1, 0.1, 0.9, 0.9]], 100, axis=0)).astype(float)
    DataFrame(3 * X, columns=list("abcd")).to_parquet(tmp_path / "t.parquet")
    stream = BernoulliMixture(2, random_state=0).fit(tmp_path / "t.parquet")
    assert stream.lower_bound_ == pytest.approx(BernoulliMixture(2, random_state=0).fit(X).lower_bound_, rel=1e-12)
    with pytest.raises(DataError, match="holds 3 in row"):
        BernoulliMixture(2, binarize=None).fit(tmp_path / "t.parquet")
    DataFrame(-X, columns=list("abcd")).to_parquet(tmp_path / "n.parquet")
    with pytest.raises(DataError, match="Negative values"):
        PoissonMixture(2).fit(tmp_path / "n.parquet")


def test_more_components_than_distinct_counts():
    with pytest.warns(DataWarning, match="n_components is 3, but the rows have only 2 distinct points"):
        PoissonMixture(3).fit([[1.0], [1.0], [2.0], [2.0]])


def test_outliers_on_the_cells_that_are_there():
    rng = np.random.default_rng(0)
    X = rng.poisson(5.0, (4000, 6)).astype(float)
    X[:, :5][rng.random((4000, 5)) < 0.5] = np.nan
    assert PoissonMixture(1, random_state=0).fit(X).outliers(X, 0.05).mean() == pytest.approx(0.05, abs=0.015)


def test_repeated_rows_have_no_best_bandwidth():
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 1)), 10, axis=0)
    with pytest.warns(SearchWarning, match="rows repeat"):
        KernelDensity(bandwidth="loo").fit(X)
    with pytest.raises(DataError, match="at least two rows"):
        KernelDensity(bandwidth="loo").fit(X[:1])


def test_em_on_a_file_and_on_what_is_no_model(tmp_path):
    from pandas import DataFrame

    from epee import GaussianMixture, LinearRegression, expectation_maximisation

    X = np.random.default_rng(0).normal(size=(40, 2))
    DataFrame(X, columns=list("ab")).to_parquet(tmp_path / "t.parquet")
    file, rows = (
        expectation_maximisation(GaussianMixture(2, random_state=0), table) for table in (tmp_path / "t.parquet", X)
    )
    assert file.trace == pytest.approx(rows.trace)
    with pytest.raises(WrongUse, match="LinearRegression has no 'start'"):
        expectation_maximisation(LinearRegression(), X)
