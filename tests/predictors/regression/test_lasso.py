"""The lasso and the elastic net: the digits of scikit-learn and glmnet, from moments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sklearn.linear_model
from sklearn.model_selection import KFold

from epee import ElasticNet, Lasso, LassoCV, Moments, lasso_path
from epee.errors import DataError, SearchWarning, WrongUse

rng = np.random.default_rng(0)
n, p = 120, 15
X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 10
y = X @ (rng.normal(size=p) * (rng.random(p) < 0.4)) + 12 * rng.normal(size=n)
TIGHT = {"tol": 1e-14, "max_iter": 100_000}


@pytest.mark.parametrize("alpha", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("kw", [{}, {"positive": True}, {"fit_intercept": False}], ids=str)
def test_agrees_with_scikit_learn(alpha, ratio, kw):
    ours = ElasticNet(alpha, l1_ratio=ratio, **TIGHT, **kw).fit(X, y)
    theirs = sklearn.linear_model.ElasticNet(alpha, l1_ratio=ratio, **TIGHT, **kw).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


def test_agrees_with_glmnet():
    rows = np.loadtxt(Path(__file__).parents[2] / "agreement" / "glmnet" / "path.txt")
    i, j = np.arange(1, 61)[:, None], np.arange(1, 9)[None]
    Z = np.sin(i * (j + 1) * 0.37) + np.cos(i * 0.11 * j)
    t = 2 * Z[:, 0] - Z[:, 2] + 0.5 * Z[:, 7] + np.sin(1.7 * i[:, 0])
    for alpha, intercept, *beta in rows:
        ours = Lasso(alpha, **TIGHT).fit(Z, t)
        np.testing.assert_allclose(ours.coef_, beta, atol=1e-6)
        assert ours.intercept_ == pytest.approx(intercept, abs=1e-6)


def test_the_path_agrees_and_starts_from_nothing():
    C, t = X - X.mean(axis=0), y - y.mean()
    alphas, coefs, gaps = lasso_path(C, t, alphas=30, tol=1e-14, max_iter=100_000)
    theirs = sklearn.linear_model.lasso_path(C, t, alphas=alphas, tol=1e-14, max_iter=100_000)
    np.testing.assert_allclose(coefs, theirs[1], atol=1e-6)
    assert np.abs(coefs[:, 0]).max() < 1e-9 and (np.diff((coefs != 0).sum(axis=0)) >= -2).all()
    assert (gaps <= 1e-10 * (t @ t)).all()


def test_the_conditions_of_the_optimum_hold():
    """The course's form ||r||² + λ||β||₁: |2 x_j'r| ≤ λ, with equality where β_j is not zero."""
    lam = 30.0
    model = Lasso(lam / (2 * n), **TIGHT).fit(X, y)
    slope = 2 * (X - X.mean(axis=0)).T @ (y - model.predict(X))
    assert (np.abs(slope) <= lam * (1 + 1e-6)).all()
    active = model.coef_ != 0
    assert active.any() and not active.all()
    np.testing.assert_allclose(np.abs(slope[active]), lam, rtol=1e-5)


def test_an_orthonormal_design_is_soft_thresholding():
    Q = np.linalg.qr(rng.normal(size=(60, 5)) - 0)[0]
    Q = np.linalg.qr(Q - Q.mean(axis=0))[0]
    t = rng.normal(size=60)
    c = Q.T @ (t - t.mean())
    alpha = 0.3 * np.abs(c).max() / 60
    np.testing.assert_allclose(
        Lasso(alpha, **TIGHT).fit(Q, t).coef_, np.sign(c) * np.maximum(np.abs(c) - 60 * alpha, 0), atol=1e-8
    )


def test_the_constrained_form_meets_its_bound():
    free = np.abs(Lasso(0.0, **TIGHT).fit(X, y).coef_).sum()
    model = Lasso(bound=free / 3, **TIGHT).fit(X, y)
    assert np.abs(model.coef_).sum() == pytest.approx(free / 3, rel=1e-6)
    np.testing.assert_allclose(model.coef_, Lasso(model.alpha_, **TIGHT).fit(X, y).coef_, atol=1e-6)
    assert Lasso(bound=2 * free, **TIGHT).fit(X, y).alpha_ == 0


@pytest.mark.parametrize(
    "cv", [5, KFold(4, shuffle=True, random_state=0), np.arange(n) % 6], ids=["5", "splitter", "ids"]
)
def test_folds_from_one_pass_equal_refits(cv):
    ours = LassoCV(cv=cv, alphas=20, **TIGHT).fit(X, y)
    folds = [(np.flatnonzero(cv != k), np.flatnonzero(cv == k)) for k in range(6)] if isinstance(cv, np.ndarray) else cv
    theirs = sklearn.linear_model.LassoCV(cv=folds, alphas=20, **TIGHT).fit(X, y)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    assert ours.alpha_ == pytest.approx(theirs.alpha_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


def test_one_standard_error_takes_fewer_inputs():
    least, simple = LassoCV(cv=5).fit(X, y), LassoCV(cv=5, rule="one_se").fit(X, y)
    assert simple.alpha_ > least.alpha_ and simple.effective_dof_ <= least.effective_dof_
    i = int(np.flatnonzero(least.alphas_ == least.alpha_)[0])
    bar = least.mse_path_.mean(axis=1)[i] + least.mse_se_[i]
    assert simple.mse_path_.mean(axis=1)[np.flatnonzero(simple.alphas_ == simple.alpha_)[0]] <= bar


def test_moments_weights_and_several_targets():
    w = rng.integers(1, 4, n)
    a = Lasso(0.3, **TIGHT).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(
        a.coef_, Lasso(0.3, **TIGHT).fit(np.repeat(X, w, axis=0), np.repeat(y, w)).coef_, atol=1e-8
    )
    b = Lasso(0.3, **TIGHT).partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    np.testing.assert_allclose(b.coef_, Lasso(0.3, **TIGHT).fit(X, y).coef_, atol=1e-8)
    Y = np.column_stack([y, -y[::-1]])
    both = Lasso(0.3, **TIGHT).fit(X, Y)
    np.testing.assert_allclose(both.coef_[1], Lasso(0.3, **TIGHT).fit(X, Y[:, 1]).coef_, atol=1e-8)


def test_a_path_of_folds_is_what_the_risk_room_asks_for():
    fold = np.arange(n) % 3
    m = Moments.of(X, y, fold=fold).leave_one_out("fold")
    coef, intercept, dof = Lasso(**TIGHT).solve_path(m, "alpha", [0.1, 1.0])
    for k in range(3):
        one = Lasso(1.0, **TIGHT).fit(X[fold != k], y[fold != k])
        np.testing.assert_allclose(coef[k, 1, 0], one.coef_, atol=1e-8)
        assert intercept[k, 1, 0] == pytest.approx(one.intercept_) and dof[k, 1] == one.effective_dof_


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Lasso(-1.0), "alpha is -1.0"),
        (Lasso(np.nan), "alpha is nan"),
        (ElasticNet(l1_ratio=2), "l1_ratio is 2"),
        (Lasso(bound=-1), "bound is -1"),
        (Lasso(selection="all"), "selection is 'all'"),
        (LassoCV(rule="best"), "rule is 'best'"),
    ],
)
def test_parameters_that_make_no_sense(model, words):
    with pytest.raises(WrongUse, match=words):
        model.fit(X, y)


def test_too_few_sweeps_are_said():
    with pytest.warns(SearchWarning, match="duality gap"):
        Lasso(0.001, max_iter=1, tol=1e-12).fit(X, y)


def test_folds_of_a_file_without_gathering_it(tmp_path):
    from pandas import DataFrame

    rng = np.random.default_rng(5)
    X, w = rng.normal(size=(90, 3)), rng.integers(1, 4, 90).astype(float)
    y = X @ [1.0, 0.0, -2.0] + rng.normal(size=90)
    DataFrame(X, columns=list("abc")).assign(y=y, w=w).to_csv(tmp_path / "t.csv", index=False)
    for cv in (5, KFold(4, shuffle=True, random_state=0), np.arange(90) % 3):
        stream = LassoCV(cv=cv, alphas=[0.3, 0.1, 0.03]).fit(tmp_path / "t.csv", "y", sample_weight="w")
        memory = LassoCV(cv=cv, alphas=[0.3, 0.1, 0.03]).fit(X, y, w)
        np.testing.assert_allclose(stream.mse_path_, memory.mse_path_, rtol=1e-12)
        np.testing.assert_allclose(stream.coef_, memory.coef_, rtol=1e-12)
    assert list(stream.feature_names_in_) == ["a", "b", "c"]


def test_a_fold_without_weight_is_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    with pytest.raises(DataError, match="fold 0 of the cross-validation has rows of weight 0 only"):
        LassoCV(cv=5).fit(X, y, np.repeat([0.0, 1.0], [10, 40]))


@pytest.mark.parametrize("weighted", [False, True])
def test_far_more_columns_than_rows_form_no_scatter(weighted, monkeypatch):
    """The answer is that of the quadratic form, and no matrix of all columns is made."""
    rng = np.random.default_rng(0)
    X = rng.normal(3, 1, size=(40, 2100))
    y, w = X[:, :3].sum(axis=1) + 0.1 * rng.normal(size=40), rng.integers(1, 4, 40).astype(float) if weighted else None
    by_columns = Lasso(0.05, tol=1e-10, max_iter=100_000).fit(X, y, w)
    monkeypatch.setattr("epee.predictors.regression.lasso.WIDE", 10**9)
    by_scatter = Lasso(0.05, tol=1e-10, max_iter=100_000).fit(X, y, w)
    np.testing.assert_allclose(by_columns.coef_, by_scatter.coef_, atol=1e-5)
    assert by_columns.intercept_ == pytest.approx(by_scatter.intercept_, abs=1e-4)
    monkeypatch.setattr("epee.predictors.regression.lasso.WIDE", 2000)
    X[3, 7] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Lasso(0.05).fit(X, y)


def test_other_penalties_of_a_wide_table_come_from_its_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2100))
    y = X[:, :3].sum(axis=1) + 0.1 * rng.normal(size=40)
    values = [0.01, 0.3, 0.05]
    found = Lasso(0.05, tol=1e-8, max_iter=100_000).fit(X, y).variants("alpha", values)
    for value, model in zip(values, found, strict=True):
        alone = Lasso(value, tol=1e-8, max_iter=100_000).fit(X, y)
        assert model.alpha == model.alpha_ == value and model.effective_dof_ == (model.coef_ != 0).sum()
        np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-3)
        np.testing.assert_allclose(model.predict(X), alone.predict(X), atol=1e-3)
    assert Lasso(0.05).fit(X, y).fit(X[:, :5], y).variants("alpha", [0.1])[0].n_features_in_ == 5  # of the last rows
