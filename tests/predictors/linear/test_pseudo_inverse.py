from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee import Hebb, PseudoInverse
from epee.errors import WrongUse
from tests.predictors.generative.leaving import check_left_out


def problem(n, p, K, rank, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    rng.shuffle(y)
    return rng.normal(size=(n, rank)) @ rng.normal(size=(rank, p)) + y[:, None] + 2, y


def exact(X, y, K, w=None):
    A = np.hstack([np.ones((len(X), 1)), X])
    D = np.where(np.eye(K)[y] > 0, 1.0, -1.0)
    root = np.ones(len(X)) if w is None else np.sqrt(w)
    return np.linalg.pinv(root[:, None] * A, rcond=1e-10) @ (root[:, None] * D)


def loss(model, X, y):
    return float(((np.where(y == 1, 1, -1) - model.decision_function(X)) ** 2).sum())


@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
@given(st.integers(8, 30), st.integers(2, 12), st.integers(2, 3), st.integers(1, 12), st.integers(0, 99), st.booleans())
def test_equals_pinv_of_any_shape_and_rank(n, p, K, rank, seed, weighted):
    X, y = problem(n, p, K, min(rank, p), seed)
    w = np.random.default_rng(seed).integers(1, 4, n).astype(float) if weighted else None
    m, V = PseudoInverse(tol=1e-10).fit(X, y, w), exact(X, y, K, w)
    expected = V[:, 1:] if K == 2 else V
    np.testing.assert_allclose(np.vstack([m.intercept_, m.coef_.T]), expected, atol=1e-6, rtol=1e-6)


def test_normal_equations_and_hebb():
    X, y = problem(50, 4, 2, 4, 0)
    m, d = PseudoInverse().fit(X, y), 2.0 * y - 1
    A = np.hstack([np.ones((50, 1)), X])
    np.testing.assert_allclose(A.T @ (A @ np.append(m.intercept_, m.coef_) - d), 0, atol=1e-9)
    assert loss(m, X, y) <= loss(Hebb().fit(X, y), X, y)
    assert m.rank_ == 5


def test_many_columns_take_the_short_side():
    X, y = problem(9, 20_000, 2, 9, 0)
    m = PseudoInverse().fit(X, y)
    assert not hasattr(m, "moments_") and m.rank_ == 9
    np.testing.assert_allclose(m.decision_function(X), 2.0 * y - 1, atol=1e-8)
    with pytest.raises(WrongUse, match="begin with partial_fit"):
        m.partial_fit(X, y)


@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
def test_moments_alone_find_the_least_norm():
    X, y = problem(60, 5, 2, 3, 1)
    rows, sums = PseudoInverse().fit(X, y), PseudoInverse().fit_moments(PseudoInverse().moments(X, y))
    np.testing.assert_allclose(sums.coef_, rows.coef_, atol=1e-6)
    np.testing.assert_allclose(sums.intercept_, rows.intercept_, atol=1e-6)


@pytest.mark.filterwarnings("ignore::epee.errors.EpeeWarning")
@pytest.mark.parametrize(("n", "p", "rank"), [(30, 4, 4), (30, 5, 3), (12, 20, 20)])
@pytest.mark.parametrize("K", [2, 3])
def test_left_out(n, p, rank, K):
    X, y = problem(n, p, K, rank, 3)
    w = np.random.default_rng(0).integers(1, 4, n).astype(float)
    for weights in (None, w):
        check_left_out(lambda: PseudoInverse(tol=1e-10), X, y, weights, every=3, tol=1e-7)


def test_bad_input():
    with pytest.raises(WrongUse, match="tol"):
        PseudoInverse(tol=2.0).fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
