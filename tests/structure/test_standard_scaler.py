"""Centring and reduction."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import sklearn.preprocessing

from epee import Moments, StandardScaler
from epee.errors import DataError, InfiniteValues

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 3)) * [1, 10, 0.1] + [0, 1e6, -3]


@pytest.mark.parametrize("kw", [{}, {"with_mean": False}, {"with_std": False}])
def test_agrees_with_scikit_learn(kw):
    ours, theirs = StandardScaler(**kw).fit(X), sklearn.preprocessing.StandardScaler(**kw).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), X, rtol=1e-12)


def test_missing_cells_are_left_out_and_stay():
    holes = X.copy()
    holes[::7, 1] = np.nan
    ours, theirs = StandardScaler().fit(holes), sklearn.preprocessing.StandardScaler().fit(holes)
    np.testing.assert_allclose(ours.transform(holes), theirs.transform(holes), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.n_samples_seen_, theirs.n_samples_seen_)


def test_sparse_columns_are_scaled_without_centring():
    S = scipy.sparse.random(200, 4, density=0.3, random_state=0, format="csr")
    ours = StandardScaler(with_mean=False).fit(S)
    theirs = sklearn.preprocessing.StandardScaler(with_mean=False).fit(S)
    np.testing.assert_allclose(ours.scale_, theirs.scale_)
    np.testing.assert_allclose(ours.transform(S).toarray(), theirs.transform(S).toarray())
    with pytest.raises(ValueError, match="Cannot center sparse"):
        StandardScaler().fit(S)


def test_blocks_add_up():
    whole = StandardScaler().fit(X)
    parts = StandardScaler().partial_fit(X[:10]).partial_fit(X[10:11]).partial_fit(X[11:])
    np.testing.assert_allclose(parts.mean_, whole.mean_, rtol=1e-14)
    np.testing.assert_allclose(parts.var_, whole.var_, rtol=1e-12)


def test_a_constant_column_is_divided_by_one():
    assert StandardScaler().fit(np.full((5, 1), 0.1)).scale_[0] == 1
    assert StandardScaler().fit(np.array([[1.0], [1.0], [1.0 + 1e-9]])).scale_[0] != 1


def test_the_map_of_moments_is_the_map_of_rows():
    m = Moments.of(X)
    A, b = StandardScaler().affine(m)
    scaled = m.affine(A, b)
    np.testing.assert_allclose(scaled.mean, 0, atol=1e-9)
    np.testing.assert_allclose(scaled.covariance(), m.correlation(), atol=1e-9)


def test_an_infinite_cell_is_named():
    X = np.ones((5, 2))
    X[3, 1] = np.inf
    with pytest.raises(InfiniteValues, match="column 1: 1 infinite value, first in row 3"):
        StandardScaler().fit(X)


def test_forgetting_undoes_learning():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + 5
    X[rng.random(X.shape) < 0.1] = np.nan
    more = StandardScaler().fit(X).forget(X[40:])
    plain = StandardScaler().fit(X[:40])
    np.testing.assert_allclose(more.mean_, plain.mean_, rtol=1e-12)
    np.testing.assert_allclose(more.var_, plain.var_, rtol=1e-10)
    np.testing.assert_array_equal(more.n_samples_seen_, plain.n_samples_seen_)
    with pytest.raises(DataError, match="more cells are to be forgotten"):
        plain.forget(X)


def test_dense_rows_follow_sparse_ones():
    rng = np.random.default_rng(4)
    X = rng.poisson(0.3, size=(50, 4)).astype(float)
    both = StandardScaler(with_mean=False).fit(scipy.sparse.csr_matrix(X[:20])).partial_fit(X[20:])
    np.testing.assert_allclose(both.var_, X.var(axis=0), rtol=1e-12)


@pytest.mark.parametrize("weight", [None, rng.random(100)])
def test_a_sparse_column_of_one_value_has_no_spread(weight):
    table = scipy.sparse.csc_array(np.column_stack([np.full(100, 0.1), rng.integers(0, 2, 100)]))
    scaler = StandardScaler(with_mean=False).fit(table, sample_weight=weight)
    assert scaler.var_[0] == 0.0
    assert scaler.scale_[0] == 1.0
    dense = sklearn.preprocessing.StandardScaler().fit(table.toarray(), sample_weight=weight)
    np.testing.assert_allclose(scaler.scale_, dense.scale_)


def test_half_precision_is_answered_in_kind():
    X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float16)
    scaler = StandardScaler().fit(X)
    assert scaler.transform(X).dtype == np.float16 and scaler.mean_.dtype == np.float64
    np.testing.assert_allclose(scaler.transform(X), scaler.transform(X.astype(float)), atol=2e-3)
