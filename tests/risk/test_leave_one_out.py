"""Leave-one-out equals fitting n times, to 1e-8, by closed form, by merges, and with weights as counts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor as Theirs
from sklearn.pipeline import make_pipeline

from epee import (
    BaselineClassifier,
    BernoulliNB,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    PolynomialFeatures,
    QuadraticDiscriminantAnalysis,
    Ridge,
    StandardScaler,
)
from epee.errors import EpeeWarning
from epee.losses.residuals import Power
from epee.risk import complexity_curve, cross_validate, loo
from epee.risk.dof import degrees_of_freedom, sharing, spread_of_squares
from epee.risk.holdout import losses_of
from epee.risk.mean_loss import mean_loss

CLASSIFIERS = [
    LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis("lsqr", shrinkage=0.3), LinearDiscriminantAnalysis("eigen", shrinkage=1.0),
    LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]), LinearDiscriminantAnalysis("lsqr", priors=[0.2, 0.3, 0.5]),
    QuadraticDiscriminantAnalysis(), GaussianNB(), GaussianNB(var_smoothing=1e-2), BernoulliNB(binarize=0.5), KNeighborsClassifier(3),
    make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
]  # fmt: skip
REGRESSORS = [
    LinearRegression(), LinearRegression(fit_intercept=False), Ridge(3.0), make_pipeline(StandardScaler(), Ridge(3.0)),
    make_pipeline(PolynomialFeatures(2), StandardScaler(), Ridge(1.0)),
]  # fmt: skip


def brute(model, X, y, w=None, loss=None, whole=False):
    n, out = len(y), []
    for i in range(n):
        left = np.ones(n) if w is None else np.array(w, dtype=float)
        left[i] -= left[i] if whole else 1
        keep = left > 0
        more = {} if w is None else {"sample_weight": left[keep]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EpeeWarning)
            fitted = clone(model).fit(X[keep], y[keep], **more)
        out.append(losses_of(fitted, X[i : i + 1], y[i : i + 1], loss)[0][0])
    return np.array(out)


def clouds(n=42):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return rng.normal(size=(n, 3)) + rng.normal(size=(3, 3))[y], y


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_classifiers(model, weighted):
    X, y = clouds()
    if weighted and (hasattr(model, "steps") or isinstance(model, KNeighborsClassifier)):
        pytest.skip("weights go to the last step only")
    w = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else None
    found = loo(model, X, y, "log", sample_weight=w)
    np.testing.assert_allclose(found.losses, brute(model, X, y, w, "log"), rtol=1e-8, atol=1e-8)
    assert found.value == pytest.approx(np.average(found.losses, weights=w))
    assert "by fitting" not in found.how
    labels = loo(model, X, y, sample_weight=w)
    np.testing.assert_array_equal(labels.losses, brute(model, X, y, w))


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=40)
    found = loo(model, X, y)
    np.testing.assert_allclose(found.losses, brute(model, X, y), rtol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)
        free = degrees_of_freedom(clone(model).fit(X, y))
    assert found.stderr == pytest.approx(np.sqrt(1 + 2 * free / 40) * found.losses.std(ddof=1) / np.sqrt(40))
    assert "by fitting" not in found.how
    absolute = loo(model, X, y, "absolute")
    np.testing.assert_allclose(absolute.losses**2, found.losses, rtol=1e-8)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(3.0)], ids=str)
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_a_row_of_sampling_weight_leaves_whole(model, scale):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(40, 3)), scale * rng.exponential(size=40)
    y = X[:, 0] + rng.normal(size=40)
    found = loo(model, X, y, sample_weight=w, weights="sampling")
    np.testing.assert_allclose(found.losses, brute(model, X, y, w / w.mean(), whole=True), rtol=1e-8)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianNB()], ids=str)
def test_classes_of_sampling_weight_leave_whole(model):
    X, y = clouds()
    w = np.random.default_rng(1).integers(1, 9, len(y)).astype(float)
    found = loo(model, X, y, "log", sample_weight=w, weights="sampling")
    np.testing.assert_allclose(found.losses, brute(model, X, y, w, "log", whole=True), rtol=1e-8, atol=1e-8)


def test_the_scale_of_sampling_weights_means_nothing():
    """Neither to what is left out nor to the degrees of freedom, which are no sum of leverages of weight 1."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(60, 4)), rng.exponential(size=60)
    y = X[:, 0] + rng.normal(size=60)
    said = [loo(LinearRegression(), X, y, sample_weight=w * c, weights="sampling") for c in (1.0, 0.001, 50.0)]
    for other in said[1:]:
        assert (said[0].value, said[0].low, said[0].high) == pytest.approx((other.value, other.low, other.high))


def test_folds_loo_is_the_same():
    X, y = clouds()
    assert cross_validate(GaussianNB(), X, y, folds="loo").value == loo(GaussianNB(), X, y).value


def test_a_foreign_estimator_is_fitted_n_times():
    X, y = np.random.default_rng(0).normal(size=(25, 2)), np.arange(25.0)
    found = loo(Theirs(3), X, y)
    assert "by fitting" in found.how
    np.testing.assert_allclose(found.losses, brute(Theirs(3), X, y))


def test_a_row_of_leverage_one():
    X, y = np.zeros((12, 2)), np.arange(12.0) ** 2
    X[:, 0], X[0, 1] = np.arange(12), 1.0  # the first row alone decides the second coefficient
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)
        np.testing.assert_allclose(loo(LinearRegression(), X, y).losses, brute(LinearRegression(), X, y), rtol=1e-7)


def test_a_whole_path_of_penalties():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    y = X[:, 0] + rng.normal(size=50)
    alphas = [0.1, 1.0, 10.0, 100.0]
    curve = complexity_curve(Ridge(), X, y, "alpha", alphas, folds="loo")
    np.testing.assert_allclose(curve.cv, [loo(Ridge(a), X, y).value for a in alphas], rtol=1e-10)
    assert curve.dof[0] > curve.dof[-1] and curve.per_fold.shape == (50, 4)


@pytest.mark.parametrize(("n", "p"), [(40, 3), (80, 4), (200, 10)])
def test_left_out_losses_share_what_theory_says(n, p):
    """Of Gaussian noise e, the left-out mean is e'Me and the error of the fit 1 + e'Qe: variances of quadratic forms are 2 tr(A^2)."""
    X = np.column_stack([np.ones(n), np.random.default_rng(0).normal(size=(n, p))])
    back = np.linalg.solve(X.T @ X, X.T)  # (p + 1, n)
    rest = np.eye(n) - X @ back
    M = rest @ np.diag(1 / np.diagonal(rest) ** 2) @ rest / n
    Q = back.T @ back
    exact = 2 * np.trace((M - Q) @ (M - Q))
    alone = 2 * (1 / np.diagonal(rest) ** 2).sum() / n**2  # as if the losses were independent
    assert np.sqrt(exact / alone) == pytest.approx(sharing(p + 1, n), rel=0.04)  # but for second-order terms


@pytest.mark.parametrize(("n", "p"), [(80, 4), (200, 10), (400, 10)])
def test_errors_in_two_heaps_share_more(n, p):
    """Of errors that are 1 or -1 the variance of e'Ae is twice the sum of squares off its diagonal: the squares alone hardly vary."""
    X = np.column_stack([np.ones(n), np.random.default_rng(0).normal(size=(n, p))])
    back = np.linalg.solve(X.T @ X, X.T)  # (p + 1, n)
    rest = np.eye(n) - X @ back
    left = rest / np.diagonal(rest)[:, None]  # of each row, the left-out residual of e
    A = left.T @ left / n - back.T @ back
    exact = 2 * (np.sum(A**2) - np.sum(np.diagonal(A) ** 2))
    size = (left**2).sum(axis=1)  # the mean of each squared one
    of_rows = 2 * (size**2 - (left**4).sum(axis=1))
    spread = of_rows.mean() / size.mean() ** 2
    told = sharing(p + 1, n, spread)
    assert spread < 0.5 and told == pytest.approx(
        np.sqrt(exact / (of_rows.sum() / n**2)), rel=0.04
    )  # second-order terms again


def test_the_interval_of_errors_in_two_heaps_is_longer():
    rng = np.random.default_rng(0)
    X, e = rng.normal(size=(60, 3)), rng.permutation(np.repeat([-2.0, 2.0], 30))
    found = loo(LinearRegression(), X, X[:, 0] + e + 0.1 * rng.normal(size=60), level=0.9)
    plain = mean_loss(found.losses, loss="squared", level=0.9)
    assert found.stderr > 1.25 * plain.stderr > 0
    usual = loo(LinearRegression(), X, X[:, 0] + rng.normal(size=60), level=0.9)
    assert usual.stderr == pytest.approx(
        sharing(4, 60, spread_of_squares(usual.losses, None, Power(2))) * mean_loss(usual.losses, loss="squared").stderr
    )


def test_classes_that_are_exactly_even_make_it_lean_where_nothing_tells_them():
    r = np.random.default_rng(0)
    X, even, odd = r.normal(size=(40, 1)), np.arange(40) % 2, np.arange(40) < 19
    assert "leave-one-out leans" in loo(LinearDiscriminantAnalysis(), X, even).caution
    assert (
        loo(BaselineClassifier(), X, even).value == 1.0 and "leans" in loo(BaselineClassifier(), X, even).caution
    )  # the larger class, always the other
    assert "leans" not in loo(LinearDiscriminantAnalysis(), X, odd).caution
    assert "leans" not in loo(LinearDiscriminantAnalysis(), X + 4 * even[:, None], even).caution
