"""Sums and steps over sparse rows against the same over the rows laid out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from epee.kernels.linear_sgd import sgd_pass, sgd_pass_many
from epee.kernels.linear_sums import logistic_sums, softmax_sums
from epee.kernels.sparse_newton import model_sweeps
from epee.kernels.sparse_sgd import _settle, sparse_sgd_pass, sparse_sgd_pass_many
from epee.kernels.sparse_sums import (
    cell_totals,
    nearest_of_sparse,
    normal_product,
    row_products,
    row_scores,
    sparse_logistic_sums,
    sparse_softmax_sums,
)

rng = np.random.default_rng(5)
n, p, K = 50, 12, 3
S = sparse.random(n, p, density=0.2, random_state=5, format="csr")
X, w, codes = S.toarray(), rng.uniform(0.5, 2.0, n), rng.integers(0, K, n)
rows, none = (S.data, S.indices, S.indptr), np.empty(0)


@pytest.mark.parametrize("weight", [w, none], ids=["weighted", "plain"])
def test_sums_and_products(weight):
    u = weight if weight.size else np.ones(n)
    sums = np.zeros((K, p))
    cell_totals(*rows, codes, weight, sums)
    assert_allclose(sums, np.eye(K)[codes].T @ (u[:, None] * X), atol=1e-14)
    v, out = rng.normal(size=p), np.empty(n)
    row_products(*rows, v, out)
    assert_allclose(out, X @ v, atol=1e-14)
    for scores in (1, 2, 5):
        W, out = rng.normal(size=(p, scores)), np.empty((n, scores))
        row_scores(*rows, W, out)
        assert_allclose(out, X @ W, atol=1e-14)
    for m in (rng.normal(size=n), none):
        level, both = m if m.size else np.ones(n), np.column_stack([v, np.ones(p)])
        r = u * (X @ v - 0.7 * level)
        assert_allclose(normal_product(*rows, weight, m, 0.7, both), level @ r)
        assert_allclose(both, np.column_stack([v, 1 + X.T @ r]), atol=1e-14)


@pytest.mark.parametrize("weight", [w, none], ids=["weighted", "plain"])
def test_cross_entropies(weight):
    coef, bias, theirs = rng.normal(size=p), 0.3, np.zeros(p + 1)
    two, both = (codes > 0).astype(np.int64), np.column_stack([coef, np.zeros(p)])
    *sums, level = sparse_logistic_sums(*rows, two, weight, bias, both)
    assert_allclose(sums, logistic_sums(X, two, weight, coef, bias, theirs))
    assert_allclose(np.append(both[:, 1], level), theirs, atol=1e-13)
    coef, biases, ours, theirs = rng.normal(size=(p, K)), rng.normal(size=K), np.zeros((p + 1, K)), np.zeros((K, p + 1))
    assert_allclose(
        sparse_softmax_sums(*rows, codes, weight, coef, biases, ours),
        softmax_sums(X, codes, weight, coef, biases, 64, theirs),
    )
    assert_allclose(ours, theirs.T, atol=1e-13)


def test_the_nearest_centre():
    C, labels, scores = rng.normal(size=(K, p)), np.full(n, 1), np.empty(n)
    D = ((X[:, None] - C) ** 2).sum(axis=2)
    changed = nearest_of_sparse(*rows, np.ascontiguousarray(C.T), (C**2).sum(axis=1), labels, scores)
    assert_array_equal(labels, D.argmin(axis=1))
    assert changed == (labels != 1).sum()
    assert_allclose(scores + (X**2).sum(axis=1), D.min(axis=1), atol=1e-12)


def test_what_was_gathered_is_settled():
    v, total, behind = rng.normal(size=p), np.ones(p), rng.normal(size=p)
    after, expected = v.copy(), 1 + 3.0 * v - behind
    _settle(after, 0.5, total, behind, 3.0)
    assert_allclose(total, expected)
    assert_allclose(after, 0.5 * v)
    assert not behind.any()


@pytest.mark.parametrize("loss", range(5))
@pytest.mark.parametrize(("l2", "l1", "averaging"), [(0.0, 0.0, True), (0.3, 0.0, True), (0.0, 0.01, False)])
def test_a_pass_one_row_at_a_time(loss, l2, l1, averaging):
    t, order = np.where(codes > 0, 1.0, -1.0), rng.permutation(n)
    kind = 3 if l2 + l1 > 0 else 2
    found = []
    for walk, table in ((sgd_pass, (X,)), (sparse_sgd_pass, rows)):
        v, state, mean, paid = np.full(p, 0.1), np.zeros(5), np.zeros(p), np.zeros(p)
        met = [
            walk(*table, t, w, order, v, state, mean, paid, loss, kind, 0.1, 0.5, 4000.0, l2, l1, True, averaging)
            for _ in range(2)
        ]
        found.append((met, v, state, mean, paid))
    for ours, theirs in zip(*found, strict=True):
        assert_allclose(theirs, ours, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("loss", range(5))
@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.01)])
@pytest.mark.parametrize("form", [0, 1])
def test_a_pass_with_several_classes(loss, l2, l1, form):
    order, steps = rng.permutation(n), (3 if l2 + l1 > 0 else 2, 0.1, 0.5, 4000.0, l2, l1, True)
    W, b, state = np.full((K, p), 0.1), np.zeros(K), np.zeros(5)
    V, a, other = np.full((p, K), 0.1), np.zeros(K), np.zeros(5)
    met = sgd_pass_many(X, codes, w, order, W, b, state, loss, form, *steps)
    assert_allclose(sparse_sgd_pass_many(*rows, codes, w, order, V, a, other, loss, form, *steps), met, rtol=1e-10)
    assert_allclose(V.T, W, atol=1e-11)
    assert_allclose(a, b, atol=1e-11)


@pytest.mark.parametrize("with_bias", [True, False])
def test_sweeps_end_at_the_minimum_of_the_model(with_bias):
    h, g, v0 = rng.uniform(0.1, 1.0, n), rng.normal(size=n), rng.normal(size=p)
    C, l1, l2 = S.tocsc(), 0.3, 0.1
    r, d, bias = g.copy(), np.zeros(p), np.array([0.2, 0.0, 0.0, 0.0, float(with_bias)])
    made = model_sweeps(C.data, C.indices, C.indptr, np.arange(p), h, r, v0, d, bias, l1, l2, 1e-12, 10_000)
    assert made < 10_000
    assert_allclose(r, g + h * (X @ d + bias[1]), atol=1e-12)
    w_new, slope = v0 + d, X.T @ r + l2 * (v0 + d)
    off = np.where(w_new != 0, np.abs(slope + l1 * np.sign(w_new)), np.maximum(np.abs(slope) - l1, 0.0))
    assert off.max() < 1e-10
    assert abs(r.sum()) < 1e-10 if with_bias else bias[1] == 0.0
