"""Moments of sparse rows are those of the same rows laid out, to nearly all digits and at any cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from epee.moments.moments import Moments
from epee.moments.sparse import centred_products, holds_zeros
from epee.table.sparse import SparseBlock, SparseSource

SCATTERS = ("full", "diagonal", None)


def rows_of(seed: int, n: int = 60, p: int = 30, filled: float = 0.03) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < filled)
    X[:, 0] = 1e6 + rng.normal(size=n)  # a full column far from 0, where a difference of sums would lose ten digits
    X[:, 1] = 3.0
    return X


@given(seed=st.integers(0, 200), cut=st.integers(0, 60), scatter=st.sampled_from(SCATTERS), weighted=st.booleans())
@settings(max_examples=40, deadline=None)
def test_any_cut_of_sparse_rows_gives_the_sums_of_the_dense_ones(seed, cut, scatter, weighted):
    X, rng = rows_of(seed), np.random.default_rng(seed)
    w = rng.integers(0, 3, len(X)).astype(float) + (np.arange(len(X)) == 0) if weighted else np.ones(len(X))
    y, S = rng.normal(size=len(X)), sparse.csr_array(X)
    parts = [Moments.of(S[at], y[at], sample_weight=w[at], scatter=scatter, origin=np.zeros(31))
             for at in (slice(0, cut), slice(cut, None)) if w[at].any()]  # fmt: skip
    total = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    dense = Moments.of(X, y, sample_weight=w, scatter=scatter)
    np.testing.assert_allclose(total.mean, dense.mean, rtol=1e-12, atol=1e-12)
    if scatter is not None:
        sd = np.sqrt(np.maximum(dense.variances, 1e-300) * dense.count)
        size = sd if scatter == "diagonal" else np.outer(sd, sd)
        scale = size**2 if scatter == "diagonal" else size
        assert (np.abs(total.scatter - dense.scatter) <= 1e-9 * scale + 1e-12).all()
        assert total.variances[1] == 0  # a constant column stays one


@pytest.mark.parametrize("scatter", ["full", "pooled", "diagonal", None])
@pytest.mark.parametrize("folds", [False, True])
def test_folds_and_classes_of_sparse_rows(scatter, folds):
    X, rng = rows_of(3, n=200), np.random.default_rng(3)
    group, fold = rng.integers(0, 3, 200), rng.integers(0, 4, 200) if folds else None
    assert holds_zeros(SparseBlock(sparse.csr_array(X[:, 2:])))
    ours = Moments.of(sparse.csr_array(X), group=group, fold=fold, scatter=scatter)
    dense = Moments.of(X, group=group, fold=fold, scatter=scatter)
    np.testing.assert_allclose(ours.count, dense.count)
    np.testing.assert_allclose(ours.mean, dense.mean, rtol=1e-12, atol=1e-12)
    if scatter is not None:
        np.testing.assert_allclose(ours.scatter, dense.scatter, rtol=1e-8, atol=1e-8)


def test_a_row_of_weight_two_is_the_row_twice():
    X = sparse.csr_array(rows_of(5))
    w = np.random.default_rng(5).integers(0, 3, 60)
    count, mean, S = centred_products(X, None, w.astype(float), "full")
    many, mean2, S2 = centred_products(X[np.repeat(np.arange(60), w)], None, None, "full")
    assert count == many
    np.testing.assert_allclose(mean, mean2, rtol=1e-13)
    np.testing.assert_allclose(S, S2, rtol=1e-10, atol=1e-9)


def test_cells_held_twice_count_once_and_blocks_can_be_cut_and_joined():
    X = sparse.coo_array(([1.0, 2.0, 5.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
    source = SparseSource(sparse.csr_array((X.data, X.col, [0, 2, 3]), shape=(2, 3)))
    block = next(source.blocks())
    np.testing.assert_array_equal(block.X, [[0, 3, 0], [5, 0, 0]])
    back = block.between(0, 1).followed_by(block.between(1, 2))
    np.testing.assert_array_equal(back.X, block.X)
    np.testing.assert_array_equal(block.taking(np.array([1])).X, [[5, 0, 0]])
    assert block.having(weight=np.ones(2)).rows.nnz == 2
