"""L1 on wide sparse rows: the subgradient says so, liblinear agrees, and the default tolerance is tight enough."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Theirs

import epee

rng = np.random.default_rng(0)
n, p = 800, 3000
S = sparse.random_array((n, p), density=0.006, rng=rng, format="csr")
S.data = np.round(1 + 3 * S.data)
y = (S @ np.where(rng.random(p) < 0.1, rng.normal(size=p), 0.0) + 0.5 * rng.normal(size=n) > 0).astype(int)
w = rng.integers(1, 4, n).astype(float)


def price(model, C: float, weight=None) -> float:
    """Return what is minimised, the bias free."""
    margin = np.where(y > 0, 1.0, -1.0) * (S @ model.coef_[0] + model.intercept_[0])
    return C * (np.ones(n) if weight is None else weight) @ np.logaddexp(0.0, -margin) + np.abs(model.coef_).sum()


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
@pytest.mark.parametrize("C", [0.3, 1.0, 10.0])
def test_the_price_is_that_of_liblinear_at_its_tightest(C):
    theirs = Theirs(C=C, solver="liblinear", tol=1e-10, max_iter=2000, intercept_scaling=1e4, l1_ratio=1).fit(S, y)
    loose = epee.LogisticRegression(C=C, l1_ratio=1.0).fit(S, y)
    assert price(loose, C) <= price(theirs, C) * (1 + 1e-6)
    tight = epee.LogisticRegression(C=C, l1_ratio=1.0, tol=1e-9).fit(S, y)
    np.testing.assert_allclose(tight.coef_, theirs.coef_, atol=2e-3)
    assert ((tight.coef_ != 0) == (theirs.coef_ != 0)).mean() > 0.999


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
def test_weights_are_copies_and_liblinear_penalises_the_bias():
    twice = np.repeat(np.arange(n), w.astype(int))
    how = {"l1_ratio": 1.0, "tol": 1e-9, "class_weight": {0: 1.0, 1: 2.0}}
    a, b = (
        epee.LogisticRegression(**how).fit(S, y, sample_weight=w),
        epee.LogisticRegression(**how).fit(S[twice], y[twice]),
    )
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-5)
    ours = epee.LogisticRegression(l1_ratio=1.0, tol=1e-9, solver="liblinear").fit(S, y)
    theirs = Theirs(solver="liblinear", tol=1e-10, max_iter=2000, l1_ratio=1).fit(S, y)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
def test_the_elastic_net_and_the_squared_hinge():
    mixed = epee.LogisticRegression(l1_ratio=0.5, C=2.0, tol=1e-9).fit(S, y)
    g = S.T @ (1 / (1 + np.exp(-(S @ mixed.coef_[0] + mixed.intercept_[0]))) - y) + mixed.coef_[0] / 4
    off = np.where(mixed.coef_[0] != 0, np.abs(g + np.sign(mixed.coef_[0]) / 4), np.maximum(np.abs(g) - 0.25, 0.0))
    assert off.max() < 1e-5
    from sklearn.svm import LinearSVC

    ours = epee.LinearClassifier("squared_hinge", "l1", 1 / n, fit_intercept=False, tol=1e-9).fit(S, y)
    theirs = LinearSVC(penalty="l1", dual=False, fit_intercept=False, tol=1e-9, max_iter=20_000).fit(S, y)
    price = [
        float((np.maximum(1 - np.where(y > 0, 1, -1) * (S @ m.coef_[0]), 0) ** 2).sum() + np.abs(m.coef_).sum())
        for m in (ours, theirs)
    ]
    assert price[0] <= price[1] * (1 + 1e-9)
    # Liblinear draws its order and stops before the minimum, so the answer is judged by its own law: 0 lies in g + sign(w)
    w, signs = ours.coef_[0], np.where(y > 0, 1, -1)
    g = -2 * (S.T @ (signs * np.maximum(1 - signs * (S @ w), 0)))
    off = np.where(w != 0, np.abs(g + np.sign(w)), np.maximum(np.abs(g) - 1, 0.0))
    assert off.max() < 1e-5


def test_rows_laid_out_stop_no_earlier():
    """A penalty below the tolerance is a penalty all the same."""
    X = S[:, :60].toarray()
    ours = epee.LogisticRegression(l1_ratio=1.0, C=50.0).fit(np.repeat(X, 5, axis=0), np.repeat(y, 5))
    exact = epee.LogisticRegression(l1_ratio=1.0, C=50.0, tol=1e-10, max_iter=1000).fit(
        np.repeat(X, 5, axis=0), np.repeat(y, 5)
    )
    np.testing.assert_allclose(ours.coef_, exact.coef_, atol=1e-2)
