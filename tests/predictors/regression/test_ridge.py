"""Ridge, its choice of penalty, and Tikhonov's general form."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.linear_model import RidgeCV as TheirRidgeCV
from sklearn.model_selection import ShuffleSplit

from epee import LinearRegression, Ridge, RidgeCV, Tikhonov
from epee.errors import ConditionWarning, DataError, WrongUse

ALPHAS = np.geomspace(0.01, 1000, 15)


def sample(n=50, p=6, m=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 3
    Y = X @ rng.normal(size=(p, m or 1)) + 3 * rng.normal(size=(n, m or 1))
    return X, Y if m else Y[:, 0]


@pytest.mark.parametrize("shape", [(50, 6), (8, 30)])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("m", [None, 3])
def test_agreement_with_scikit_learn(shape, intercept, m):
    X, y = sample(*shape, m)
    w = np.random.default_rng(1).integers(0, 3, shape[0]).astype(float)
    for alpha in (0.1, 20.0) if m is None else (0.1, np.array([0.1, 2.0, 30.0])):
        for weight in (None, w):
            ours = Ridge(alpha, fit_intercept=intercept).fit(X, y, weight)
            theirs = TheirRidge(alpha, fit_intercept=intercept).fit(X, y, weight)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(
        Ridge(0.5, fit_intercept=intercept).fit(sp.csr_array(X), y).coef_, TheirRidge(0.5, fit_intercept=intercept).fit(X, y).coef_,
        rtol=1e-8, atol=1e-10,
    )  # fmt: skip


def test_positive():
    X, y = sample()
    ours, theirs = (
        Ridge(2.0, positive=True).fit(X, y),
        TheirRidge(2.0, positive=True, tol=1e-12, max_iter=10**5).fit(X, y),
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    objective = lambda r: ((y - r.predict(X)) ** 2).sum() + 2 * (r.coef_**2).sum()  # noqa: E731
    assert objective(ours) <= objective(theirs) + 1e-9 and (ours.coef_ >= 0).all()


@given(st.integers(0, 300), st.sampled_from([(20, 4), (6, 12)]))
def test_degrees_of_freedom_and_shrinkage(seed, shape):
    X, y = sample(*shape, seed=seed)
    Z = X - X.mean(axis=0)
    d2 = np.linalg.svd(Z, compute_uv=False) ** 2
    before, size = np.inf, np.inf
    for alpha in (0.01, 1.0, 100.0):
        model = Ridge(alpha).fit(X, y)
        assert model.effective_dof_ == pytest.approx((d2 / (d2 + alpha)).sum(), rel=1e-7)
        assert model.effective_dof_ < before and np.linalg.norm(model.coef_) <= size * (1 + 1e-9)
        before, size = model.effective_dof_, np.linalg.norm(model.coef_)
        S = Z @ np.linalg.solve(Z.T @ Z + alpha * np.eye(shape[1]), Z.T)
        np.testing.assert_allclose(model.leverage(X), np.diag(S) + 1 / shape[0], atol=1e-8)
        dual = Z.T @ np.linalg.solve(Z @ Z.T + alpha * np.eye(shape[0]), y - y.mean())  # a combination of the rows
        np.testing.assert_allclose(model.coef_, dual, rtol=1e-6, atol=1e-9)


def test_limits():
    X, y = sample()
    np.testing.assert_allclose(Ridge(0.0).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-10)
    assert np.abs(Ridge(1e12).fit(X, y).coef_).max() < 1e-8
    assert Ridge(1e12).fit(X, y).intercept_ == pytest.approx(y.mean())


def test_constrained_form():
    X, y = sample(40, 3)
    beta = Ridge(5.0).fit(X, y).coef_
    Z, t = X - X.mean(axis=0), y - y.mean()
    rng = np.random.default_rng(0)
    rss = ((t - Z @ beta) ** 2).sum()
    for _ in range(200):  # nothing within the ball does better
        other = rng.normal(size=3)
        other *= np.linalg.norm(beta) * rng.random() / np.linalg.norm(other)
        assert ((t - Z @ other) ** 2).sum() >= rss - 1e-9


def test_ill_conditioned_ridge_keeps_its_digits():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 1))
    X = np.hstack([x, x + 1e-7 * rng.normal(size=(80, 1)), rng.normal(size=(80, 1))])
    y = X @ [1.0, 1.0, 1.0] + 0.1 * rng.normal(size=80)
    alpha = 1e-12
    Z, t = X - X.mean(axis=0), y - y.mean()
    stacked = np.vstack([Z, np.sqrt(alpha) * np.eye(3)])
    Q, R = np.linalg.qr(stacked)
    exact = np.linalg.solve(R, Q.T @ np.append(t, np.zeros(3)))
    np.testing.assert_allclose(Ridge(alpha).fit(X, y).coef_, exact, rtol=1e-6)


@pytest.mark.parametrize("shape", [(30, 4), (8, 15)])
@pytest.mark.parametrize("m", [None, 2])
def test_left_out_predictions_equal_refits(shape, m):
    X, y = sample(*shape, m)
    alphas = [0.5, 7.0]
    path = Ridge().left_out_path(X, y, None, "alpha", alphas)
    for a, alpha in enumerate(alphas):
        refits = np.array(
            [Ridge(alpha).fit(np.delete(X, i, 0), np.delete(y, i, 0)).predict(X[i : i + 1])[0] for i in range(len(X))]
        )
        np.testing.assert_allclose(path[a], refits, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(Ridge(alpha).left_out(X, y), refits, rtol=1e-8, atol=1e-9)


def test_paths_by_fold():
    X, y = sample(60, 5)
    fold = np.arange(60) % 4
    for intercept in (True, False):
        model = Ridge(fit_intercept=intercept)
        coef, b, dof = model.solve_path(model.moments(X, y, fold=fold).leave_one_out("fold"), "alpha", ALPHAS)
        assert coef.shape == (4, 15, 1, 5) and b.shape == (4, 15, 1) and dof.shape == (4, 15)
        theirs = TheirRidge(ALPHAS[3], fit_intercept=intercept).fit(X[fold != 1], y[fold != 1])
        np.testing.assert_allclose(coef[1, 3, 0], theirs.coef_, rtol=1e-9)
        np.testing.assert_allclose(b[1, 3, 0], theirs.intercept_, rtol=1e-8, atol=1e-12)
        fitted = Ridge(ALPHAS[3], fit_intercept=intercept).fit(X[fold != 1], y[fold != 1])
        assert dof[1, 3] == pytest.approx(fitted.effective_dof_ + intercept)
    path = Ridge().path(X, y, ALPHAS)
    np.testing.assert_allclose(path.coef[4], Ridge(ALPHAS[4]).fit(X, y).coef_, rtol=1e-9)
    assert (np.diff(path.dof) < 0).all()
    assert Ridge().solve_path(model.moments(X, y), "tol", [1]) is None


@pytest.mark.parametrize("shape", [(60, 8), (12, 30)])
def test_choice_by_leaving_one_out_is_scikit_learns(shape):
    X, y = sample(*shape)
    theirs, ours = (
        TheirRidgeCV(ALPHAS, store_cv_results=True).fit(X, y),
        RidgeCV(ALPHAS, criterion="loo", store_cv_results=True).fit(X, y),
    )
    assert ours.alpha_ == theirs.alpha_ and ours.best_score_ == pytest.approx(theirs.best_score_)
    np.testing.assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    X, Y = sample(*shape, 3)
    ours, theirs = (
        RidgeCV(ALPHAS, criterion="loo", alpha_per_target=True).fit(X, Y),
        TheirRidgeCV(ALPHAS, alpha_per_target=True).fit(X, Y),
    )
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_)
    score = "neg_mean_absolute_error"
    ours, theirs = RidgeCV(ALPHAS, scoring=score).fit(X, y), TheirRidgeCV(ALPHAS, scoring=score).fit(X, y)
    assert ours.alpha_ == theirs.alpha_ and ours.best_score_ == pytest.approx(theirs.best_score_)


def test_choice_by_folds():
    X, y = sample(60, 8)
    theirs = TheirRidgeCV(ALPHAS, cv=5, scoring="neg_mean_squared_error").fit(X, y)
    ours = RidgeCV(ALPHAS, cv=5).fit(X, y)
    assert ours.alpha_ == theirs.alpha_ and ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-10)
    assert RidgeCV(ALPHAS, cv=5, rule="one_se").fit(X, y).alpha_ >= ours.alpha_
    shuffled = ShuffleSplit(4, random_state=0)  # not a partition: refits
    theirs = TheirRidgeCV(ALPHAS, cv=shuffled, scoring="neg_mean_squared_error").fit(X, y)
    assert RidgeCV(ALPHAS, cv=shuffled).fit(X, y).best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)


def test_criteria_are_their_formulas():
    X, y = sample(40, 5)
    n = 40
    fits = [Ridge(a).fit(X, y) for a in ALPHAS]
    err = np.array([((y - f.predict(X)) ** 2).mean() for f in fits])
    t = np.array([f.effective_dof_ + 1 for f in fits])
    s2 = err[0] * n / (n - t[0])
    for name, values in (
        ("gcv", err / (1 - t / n) ** 2),
        ("aic", err + 2 * t / n * s2),
        ("bic", err + np.log(n) * t / n * s2),
    ):
        model = RidgeCV(ALPHAS, criterion=name).fit(X, y)
        np.testing.assert_allclose(model.criterion_values_, values, rtol=1e-9)
        assert model.alpha_ == ALPHAS[np.argmin(values)] and model.best_score_ == pytest.approx(-values.min())
        m = model.moments(X, y)
        assert RidgeCV(ALPHAS, criterion=name).fit_moments(m).alpha_ == model.alpha_
    loo = RidgeCV(ALPHAS, criterion="loo").fit(X, y)
    left = Ridge().left_out_path(X, y, None, "alpha", ALPHAS)
    np.testing.assert_allclose(loo.criterion_values_, ((left - y) ** 2).mean(axis=1), rtol=1e-9)
    assert loo.effective_dof_ == pytest.approx(Ridge(loo.alpha_).fit(X, y).effective_dof_)


def test_gcv_equals_loo_when_all_leverages_are_equal():
    angle = 2 * np.pi * np.arange(24) / 24
    X = np.column_stack([np.cos(angle), np.sin(angle)])  # rows on a circle
    y = np.random.default_rng(0).normal(size=24)
    a, b = (RidgeCV(ALPHAS, criterion=c).fit(X, y).criterion_values_ for c in ("gcv", "loo"))
    np.testing.assert_allclose(a, b, rtol=1e-10)


def test_noiseless_targets_do_not_confuse_gcv():
    X, _ = sample(60, 4)
    model = RidgeCV(ALPHAS).fit(X, X @ [1.0, 2.0, 3.0, 4.0])
    assert model.alpha_ == ALPHAS[0]


def test_bad_penalties():
    X, y = sample()
    for bad in (-1.0, np.nan, np.inf, "much"):
        with pytest.raises(WrongUse, match="alpha"):
            Ridge(bad).fit(X, y)
        with pytest.raises(WrongUse, match="alphas"):
            RidgeCV([1.0, bad] if not isinstance(bad, str) else bad).fit(X, y)
        with pytest.raises(WrongUse, match="C ="):
            Tikhonov(C=bad).fit(X, y)
    with pytest.raises(WrongUse, match="2 values for 1 targets"):
        Ridge([1.0, 2.0]).fit(X, y)
    for wrong in (
        Ridge(solver="best"),
        RidgeCV(criterion="cp"),
        RidgeCV(rule="two_se"),
        RidgeCV([]),
        RidgeCV(gcv_mode="x"),
    ):
        with pytest.raises(WrongUse):
            wrong.fit(X, y)
    with pytest.raises(WrongUse, match="need the rows"):
        RidgeCV(criterion="loo").fit_moments(RidgeCV().moments(X, y))


def test_tikhonov_is_its_formula():
    X, y = sample(30, 4)
    rng = np.random.default_rng(0)
    F, g, C = rng.normal(size=(3, 4)), rng.normal(size=3), 2.5
    exact = np.linalg.solve(X.T @ X + C * F.T @ F, X.T @ y + C * F.T @ g)
    np.testing.assert_allclose(Tikhonov(F, g, C, fit_intercept=False).fit(X, y).coef_, exact, rtol=1e-9)
    model = Tikhonov(F, g, C).fit(X, y)
    gradient = X.T @ (model.predict(X) - y) + C * F.T @ (F @ model.coef_ - g)
    assert np.abs(gradient).max() < 1e-8 * np.abs(X.T @ y).max()
    ridge = Ridge(C).fit(X, y)
    plain = Tikhonov(np.eye(4), np.zeros(4), C).fit(X, y)
    np.testing.assert_allclose(plain.coef_, ridge.coef_, rtol=1e-10)
    assert plain.effective_dof_ == pytest.approx(ridge.effective_dof_)
    np.testing.assert_allclose(plain.left_out(X, y), ridge.left_out(X, y), rtol=1e-9)
    wide_X, wide_y = sample(5, 9)
    np.testing.assert_allclose(
        Tikhonov(C=3.0).fit(wide_X, wide_y).coef_, Ridge(3.0).fit(wide_X, wide_y).coef_, rtol=1e-8
    )


def test_tikhonov_under_a_change_of_units():
    X, y = sample(30, 4)
    D = np.array([1e-6, 1.0, 1e3, 1e6])
    F, g = np.diff(np.eye(4), axis=0), np.ones(3)
    a, b = Tikhonov(F, g, 10.0).fit(X, y), Tikhonov(F * D, g, 10.0).fit(X * D, y)
    np.testing.assert_allclose(a.predict(X), b.predict(X * D), rtol=1e-8)


def test_tikhonov_bad_input():
    X, y = sample(30, 4)
    wrong = [
        (np.eye(3), None, "F has 3 columns"),
        (np.eye(4), np.ones(2), "g has shape"),
        (np.full((1, 4), np.nan), None, "NaN"),
    ]
    for F, g, words in wrong:
        with pytest.raises(DataError, match=words):
            Tikhonov(F, g).fit(X, y)
    X = np.column_stack([X, X[:, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConditionWarning)
        with pytest.warns(ConditionWarning, match="determined neither by the rows nor by F"):
            Tikhonov(np.eye(5)[1:2]).fit(X, y)


def test_folds_of_a_file_without_gathering_it(tmp_path, monkeypatch):
    from pandas import DataFrame

    import epee.predictors.regression.ridge_cv as room

    rng = np.random.default_rng(5)
    X, w = rng.normal(size=(90, 3)), rng.integers(1, 4, 90).astype(float)
    y = X @ [1.0, 0.0, -2.0] + rng.normal(size=90)
    DataFrame(X, columns=list("abc")).assign(y=y, w=w).to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.delattr(room, "gather")
    for how in ({"cv": 5}, {"criterion": "kfold"}):
        stream = RidgeCV([0.1, 1, 10], **how).fit(tmp_path / "t.csv", "y", sample_weight="w")
        memory = RidgeCV([0.1, 1, 10], **how).fit(X, y, w)
        np.testing.assert_allclose(stream.criterion_values_, memory.criterion_values_, rtol=1e-12)
        np.testing.assert_allclose(stream.coef_, memory.coef_, rtol=1e-12)
    with pytest.raises(DataError, match="fold 0 of the cross-validation has rows of weight 0 only"):
        RidgeCV(cv=5).fit(X, y, np.repeat([0.0, 1.0], [18, 72]))
