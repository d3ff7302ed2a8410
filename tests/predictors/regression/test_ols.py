"""Least squares against statsmodels, scikit-learn and its own properties."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression as Theirs

from epee import LinearRegression
from epee.errors import ConditionWarning, DataError, DataWarning, WrongUse


def sample(n=60, p=4, m=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + [3.0, -1.0, 10.0, 0.0][:p]
    Y = X @ rng.normal(size=(p, m or 1)) + 2 + rng.normal(size=(n, m or 1))
    return X, Y if m else Y[:, 0]


def agrees(table, theirs):
    np.testing.assert_allclose(table.params, theirs.params, rtol=1e-8)
    np.testing.assert_allclose(table.bse, theirs.bse, rtol=1e-8)
    np.testing.assert_allclose(table.tvalues, theirs.tvalues, rtol=1e-8)
    np.testing.assert_allclose(table.pvalues, theirs.pvalues, rtol=1e-7, atol=1e-300)
    np.testing.assert_allclose(table.conf_int, theirs.conf_int(), rtol=1e-8)
    for name in (
        "nobs",
        "df_model",
        "df_resid",
        "rsquared",
        "rsquared_adj",
        "fvalue",
        "f_pvalue",
        "llf",
        "aic",
        "bic",
        "scale",
        "ssr",
    ):
        np.testing.assert_allclose(getattr(table, name), getattr(theirs, name), rtol=1e-8, err_msg=name)


@pytest.mark.parametrize("intercept", [True, False])
def test_summary_is_statsmodels(intercept):
    X, y = sample()
    A = sm.add_constant(X) if intercept else X
    table = LinearRegression(fit_intercept=intercept).fit(X, y).summary()
    agrees(table, sm.OLS(y, A, hasconst=intercept).fit())
    assert table.names == (["intercept"] if intercept else []) + ["x0", "x1", "x2", "x3"]
    assert "R²" in str(table) and "x3" in str(table)
    assert table.to_frame().shape == (4 + intercept, 6)


def test_weights_as_counts_are_repeated_rows_and_as_precision_are_wls():
    X, y = sample()
    w = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    model = LinearRegression().fit(X, y, sample_weight=w)
    again = np.repeat(np.arange(60), w.astype(int))
    agrees(model.summary(), sm.OLS(y[again], sm.add_constant(X[again])).fit())
    agrees(model.summary(weights="precision"), sm.WLS(y, sm.add_constant(X), weights=w).fit())


def test_generalised_least_squares():
    X, y = sample()
    G = 0.7 ** np.abs(np.arange(60)[:, None] - np.arange(60))
    model = LinearRegression().fit(X, y, covariance=G)
    theirs = sm.GLS(y, sm.add_constant(X), sigma=G).fit()
    agrees(model.summary(), theirs)
    np.testing.assert_allclose(model.predict(X[:3]), theirs.predict(sm.add_constant(X)[:3]))
    v = np.random.default_rng(2).gamma(2, size=60)
    agrees(LinearRegression().fit(X, y, covariance=v).summary(), sm.GLS(y, sm.add_constant(X), sigma=v).fit())
    same = LinearRegression().fit(X, y, covariance=np.eye(60))
    np.testing.assert_allclose(same.coef_, LinearRegression().fit(X, y).coef_)
    L = np.linalg.cholesky(G)
    whitened = LinearRegression(fit_intercept=False).fit(np.linalg.solve(L, sm.add_constant(X)), np.linalg.solve(L, y))
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), whitened.coef_)
    for bad, words in (
        (np.ones(5), "shape"),
        (-np.ones(60), "must be positive"),
        (np.ones((60, 60)), "cannot be inverted"),
    ):
        with pytest.raises(DataError, match=words):
            LinearRegression().fit(X, y, covariance=bad)


def test_intervals_and_influence_are_statsmodels():
    X, y = sample()
    model, theirs = LinearRegression().fit(X, y), sm.OLS(y, sm.add_constant(X)).fit()
    frame = theirs.get_prediction(sm.add_constant(X)).summary_frame(alpha=0.1)
    np.testing.assert_allclose(
        model.predict_interval(X, 0.9, "mean"), frame[["mean_ci_lower", "mean_ci_upper"]], rtol=1e-8
    )
    np.testing.assert_allclose(
        model.predict_interval(X, 0.9, "prediction"), frame[["obs_ci_lower", "obs_ci_upper"]], rtol=1e-8
    )
    influence = theirs.get_influence()
    np.testing.assert_allclose(model.leverage(X), influence.hat_matrix_diag, rtol=1e-8)
    np.testing.assert_allclose(model.studentised_residuals(X, y), influence.resid_studentized_external, rtol=1e-8)
    np.testing.assert_allclose(
        model.studentised_residuals(X, y, external=False), influence.resid_studentized_internal, rtol=1e-8
    )
    np.testing.assert_allclose(model.cooks_distance(X, y), influence.cooks_distance[0], rtol=1e-8)
    np.testing.assert_allclose(model.parameter_covariance_, theirs.cov_params(), rtol=1e-8)
    np.testing.assert_allclose(model.coef_covariance_, theirs.cov_params()[1:, 1:], rtol=1e-8)
    assert model.sigma2_ == pytest.approx(theirs.ssr / 60) and model.residual_variance_ == pytest.approx(theirs.scale)


@given(st.integers(0, 1000))
def test_hat_matrix(seed):
    X, y = sample(25, 3, seed=seed)
    model = LinearRegression().fit(X, y)
    A = np.column_stack([np.ones(25), X])
    H = A @ np.linalg.solve(A.T @ A, A.T)
    h = model.leverage(X)
    np.testing.assert_allclose(h, np.diag(H), atol=1e-9)
    assert h.sum() == pytest.approx(4) and (h >= 0).all() and (h <= 1 + 1e-12).all()
    r = model.residuals(X, y)
    assert np.abs(A.T @ r).max() < 1e-9 * np.abs(A).sum()  # orthogonal to the columns
    err = y @ y - y @ H @ y  # the training error, by the hat matrix
    assert model.sigma2_ * 25 == pytest.approx(err, rel=1e-7)


def test_law_of_the_estimator():
    rng = np.random.default_rng(0)
    X, beta, sigma, p = rng.normal(size=(20, 2)), np.array([1.0, -1.0]), 0.5, 3
    fits = [LinearRegression().fit(X, X @ beta + sigma * rng.normal(size=20)) for _ in range(2000)]
    coefs = np.array([f.coef_ for f in fits])
    V = sigma**2 * np.linalg.inv((X - X.mean(0)).T @ (X - X.mean(0)))
    assert np.abs(coefs.mean(axis=0) - beta).max() < 4 * np.sqrt(V.max() / 2000)
    np.testing.assert_allclose(np.cov(coefs.T), V, atol=0.15 * V.max())
    errors = np.array([f.sigma2_ for f in fits])
    assert abs(errors.mean() - sigma**2 * (1 - p / 20)) < 4 * errors.std() / np.sqrt(2000)


@pytest.mark.parametrize("m", [None, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_agreement_with_scikit_learn(m, intercept):
    X, y = sample(m=m)
    w = np.random.default_rng(3).gamma(2, size=60)
    for weight in (None, w):
        ours, theirs = (
            LinearRegression(fit_intercept=intercept).fit(X, y, weight),
            Theirs(fit_intercept=intercept).fit(X, y, weight),
        )
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
        assert np.shape(ours.coef_) == np.shape(theirs.coef_) and np.shape(ours.intercept_) == np.shape(
            theirs.intercept_
        )
    ours, theirs = LinearRegression(fit_intercept=intercept).fit(X, y), Theirs(fit_intercept=intercept).fit(X, y)
    np.testing.assert_allclose(ours.singular_, theirs.singular_, rtol=1e-8)
    assert ours.rank_ == theirs.rank_
    np.testing.assert_allclose(
        LinearRegression(fit_intercept=intercept).fit(sp.csr_array(X), y).coef_, theirs.coef_, rtol=1e-8
    )
    if m is None:
        a, b = LinearRegression(positive=True).fit(X, y), Theirs(positive=True).fit(X, y)
        np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-10)
    else:
        each = [LinearRegression(fit_intercept=intercept).fit(X, y[:, k]) for k in range(m)]
        np.testing.assert_allclose(ours.coef_, [e.coef_ for e in each], rtol=1e-12)
        np.testing.assert_allclose(ours.sigma2_, [e.sigma2_ for e in each], rtol=1e-9)
        assert ours.predict_interval(X).shape == (60, m, 2) and ours.coef_covariance_.shape == (m, 4, 4)
        np.testing.assert_allclose(ours.summary(target=1).bse, each[1].summary().bse, rtol=1e-9)


def test_streams_merges_and_forgetting_change_nothing():
    X, y = sample(90)
    whole = LinearRegression().fit(X, y)
    parts = LinearRegression().partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-10)
    np.testing.assert_allclose(
        parts.forget(X[70:], y[70:]).coef_, LinearRegression().fit(X[:70], y[:70]).coef_, rtol=1e-8
    )
    m = whole.moments(X[:50], y[:50]) + whole.moments(X[50:], y[50:])
    np.testing.assert_allclose(LinearRegression().fit_moments(m).coef_, whole.coef_, rtol=1e-10)


def test_offset():
    X, y = sample()
    d = np.sin(np.arange(60.0))
    model = LinearRegression().fit(X, y, offset=d)
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y - d).coef_)
    np.testing.assert_allclose(model.predict(X, offset=d), model.predict(X) + d)
    with pytest.raises(DataError, match="one known value for each row"):
        LinearRegression().fit(X, y, offset=d[:5])


@pytest.mark.parametrize("intercept", [True, False])
def test_left_out_predictions_equal_refits(intercept):
    X, y = sample(20, 3)
    w = np.array([1.0, 2.0, 3.0, 1.0] * 5)
    for weight in (None, w):
        left = LinearRegression(fit_intercept=intercept).left_out(X, y, weight)
        for i in (0, 5, 10):
            rest = np.ones(20) if weight is None else w.copy()
            rest[i] -= 1
            refit = LinearRegression(fit_intercept=intercept).fit(X, y, sample_weight=rest)
            assert left[i] == pytest.approx(refit.predict(X[i : i + 1])[0], rel=1e-9)


def test_a_row_that_decides_its_own_prediction_is_refitted():
    X, y = sample(12, 2)
    X = np.column_stack([X, np.zeros(12)])
    X[4, 2] = 1.0  # only this row speaks of the third column: leverage 1
    left = LinearRegression().left_out(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rest = LinearRegression().fit(np.delete(X, 4, 0), np.delete(y, 4))
    assert left[4] == pytest.approx(rest.predict(X[4:5])[0])


def test_rank_deficient_is_said_and_shortest():
    X, y = sample()
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(ConditionWarning, match=r"columns 0, 1, 4 are linearly dependent \(rank 4 of 5\)"):
        model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, Theirs().fit(X, y).coef_, rtol=1e-8)
    assert model.rank_ == 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sm.OLS(y, sm.add_constant(X)).fit()
    np.testing.assert_allclose(model.predict(X), theirs.fittedvalues, rtol=1e-8)
    from pandas import DataFrame

    with pytest.warns(ConditionWarning, match="'a', 'b', 'e'"):
        LinearRegression().fit(DataFrame(X, columns=list("abcde")), y)


def test_wide_tables_take_the_small_side():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 40)), rng.normal(size=10)
    with pytest.warns(ConditionWarning, match="10 rows for 40 columns"):
        model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, Theirs().fit(X, y).coef_, atol=1e-10)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-10)
    more_X, more_y = rng.normal(size=(60, 40)), rng.normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConditionWarning)
        model.partial_fit(more_X, more_y)
    np.testing.assert_allclose(model.coef_, Theirs().fit(np.vstack([X, more_X]), np.append(y, more_y)).coef_, rtol=1e-7)
    with pytest.warns(ConditionWarning):
        huge = LinearRegression().fit(rng.normal(size=(5, 50_000)), rng.normal(size=5))  # 20 GB, were S formed
    assert huge.coef_.shape == (50_000,)


def test_ill_conditioned_columns_are_named_and_solved():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    X[:, 2] = X[:, 0] + 1e-7 * rng.normal(size=100)
    y = X @ [1.0, 1.0, 1.0] + 0.1 * rng.normal(size=100)
    with pytest.warns(ConditionWarning, match="columns 0, 2 are nearly collinear"):
        model = LinearRegression().fit(X, y)
    Q, R = np.linalg.qr(np.column_stack([np.ones(100), X]))
    np.testing.assert_allclose(model.coef_, np.linalg.solve(R, Q.T @ y)[1:], rtol=1e-6)
    with pytest.warns(
        ConditionWarning, match="columns 0, 2 are linearly dependent, or so nearly that sums cannot tell"
    ):
        LinearRegression().fit_moments(model.moments_)


def test_exact_fits_have_no_false_residuals():
    X, _ = sample(500)
    y = X @ [1.0, 2.0, 3.0, 4.0] + 5
    model = LinearRegression().fit(X, y)
    assert model.sigma2_ < 1e-26 * y.var()


def test_constant_columns_get_zero():
    X, y = sample()
    X[:, 1] = 7.0
    with pytest.warns(DataWarning, match="column 1 is constant"):
        model = LinearRegression().fit(X, y)
    assert model.coef_[1] == 0 and np.isfinite(model.coef_).all()


def test_bad_input():
    X, y = sample(5, 4)
    model = LinearRegression().fit(X, y)
    for ask in (lambda: model.coef_covariance_, model.summary, lambda: model.predict_interval(X)):
        with pytest.raises(DataError, match="no residual degrees of freedom: 5 rows for 5 parameters"):
            ask()
    X, y = sample()
    model = LinearRegression().fit(X, y)
    for wrong in (lambda: model.predict_interval(X, 1.5), lambda: model.predict_interval(X, 0.9, "both"),
                  lambda: model.summary(weights="other"), lambda: model.summary(level=0),
                  lambda: LinearRegression(positive=True).fit(X, y).summary()):  # fmt: skip
        with pytest.raises(WrongUse):
            wrong()


def test_float32():
    X, y = sample(200)
    np.testing.assert_allclose(
        LinearRegression().fit(X.astype(np.float32), y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-4
    )


def dependent_sample():
    X, y = sample()
    return np.column_stack([X, X[:, 0] + X[:, 1]]), y


def test_standard_errors_where_columns_depend_on_each_other():
    X, y = dependent_sample()
    with pytest.warns(ConditionWarning):
        model = LinearRegression().fit(X, y)
    table, clean = model.summary(), LinearRegression().fit(X[:, :4], y).summary()
    assert table.undetermined == ("x0", "x1", "x4")
    assert np.isinf(table.bse[[1, 2, 5]]).all() and (table.pvalues[[1, 2, 5]] == 1).all()
    np.testing.assert_allclose(
        table.bse[[0, 3, 4]], clean.bse[[0, 3, 4]], rtol=1e-9
    )  # estimable: as in any full-rank design
    assert "depend on each other: x0, x1, x4" in str(table)
    inside, outside = X[:1], X[:1] + np.eye(5)[4]
    ends = model.predict_interval(np.vstack([inside, outside]), 0.95)
    clean_ends = LinearRegression().fit(X[:, :4], y).predict_interval(inside[:, :4], 0.95)
    np.testing.assert_allclose(ends[:1], clean_ends, rtol=1e-9)
    assert np.isinf(ends[1]).all()


def test_standard_error_of_a_constant_column_is_infinite():
    X, y = sample()
    with pytest.warns(DataWarning, match="constant"):
        table = LinearRegression().fit(np.column_stack([X, np.full(len(X), 7.0)]), y).summary()
    assert table.undetermined == ("x4",)
    np.testing.assert_allclose(table.bse[:5], LinearRegression().fit(X, y).summary().bse, rtol=1e-9)


def test_dependent_columns_of_general_least_squares_are_named_without_the_ones():
    X, y = dependent_sample()
    with pytest.warns(ConditionWarning, match=r"columns 'x0', 'x1', 'x4' are linearly dependent"):
        table = LinearRegression().fit(X, y, covariance=np.linspace(1, 2, len(y))).summary()
    assert table.undetermined == ("x0", "x1", "x4")


def test_summary_of_an_absent_target():
    with pytest.raises(WrongUse, match="target is 1; it must be one of 0 to 0"):
        LinearRegression().fit(*sample()).summary(target=1)


def test_precision_weights_named_in_a_file(tmp_path):
    from pandas import DataFrame

    X, y = sample()
    w = np.random.default_rng(3).uniform(0.5, 2.0, len(y))
    frame = DataFrame(X, columns=list("abcd")).assign(y=y, w=w)
    frame.to_csv(tmp_path / "t.csv", index=False)
    ours = LinearRegression().fit(tmp_path / "t.csv", "y", sample_weight="w").summary(weights="precision")
    theirs = sm.WLS(y, sm.add_constant(X), weights=w).fit()
    np.testing.assert_allclose(ours.bse, theirs.bse, rtol=1e-8)
    assert ours.llf == pytest.approx(theirs.llf, rel=1e-8)
