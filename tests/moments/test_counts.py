"""Counts obey the laws of everything that adds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee.errors import DataError, WrongUse
from epee.moments.counts import Counts
from epee.moments.tables import TableMoments, TableSummation
from epee.table.block import Block


@st.composite
def tables(draw):
    n, p = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    X = rng.integers(0, 4, (n, p)).astype(float)
    X[rng.random((n, p)) < 0.2] = np.nan
    return X, rng.integers(0, 3, n), rng.integers(1, 4, n).astype(float), draw(st.integers(0, n))


def equal(a, b):
    a, b = a.widened(b.levels), b.widened(a.levels)
    return np.allclose(a.count, b.count) and np.allclose(a.cells, b.cells)


@given(tables())
def test_laws(table):
    X, g, w, cut = table
    whole = Counts.of(X, group=g, groups=3)
    parts = Counts.of(X[:cut], group=g[:cut], groups=3), Counts.of(X[cut:], group=g[cut:], groups=3)
    assert equal(parts[0] + parts[1], whole)
    assert equal(parts[1] + parts[0], whole)
    assert equal(whole + Counts.zero(np.zeros(X.shape[1]), groups=3), whole)
    assert equal(whole.without(parts[0]), parts[1])
    k = w.astype(int)
    assert equal(
        Counts.of(X, group=g, groups=3, sample_weight=w), Counts.of(X.repeat(k, axis=0), group=g.repeat(k), groups=3)
    )
    assert equal(Counts.from_bytes(whole.to_bytes()), whole)


@given(tables())
def test_folds_are_an_axis(table):
    X, g, w, _ = table
    fold = np.arange(len(X)) % 3
    c = Counts.of(X, group=g, groups=3, fold=fold, folds=3, sample_weight=w)
    assert equal(c.merge("fold"), Counts.of(X, group=g, groups=3, sample_weight=w))
    left = c.leave_one_out("fold")
    for k in range(3):
        rest = fold != k
        assert equal(left.at("fold", k), Counts.of(X[rest], group=g[rest], groups=3, sample_weight=w[rest]))
    assert np.allclose(c.merge("group").count, c.count.sum(axis=1))


def test_labels_widen():
    a, b = Counts.of([[0.0]], group=[0], groups=1), Counts.of([[1.0]], group=[0], groups=1)
    from dataclasses import replace

    both = replace(a, labels=np.array(["a"])) + replace(b, labels=np.array(["b"]))
    assert both.labels.tolist() == ["a", "b"] and both.cells.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_bad_codes_are_named():
    with pytest.raises(
        DataError, match=r"Negative values in data passed to Counts \(input X\): column 1 holds -1 in row 2"
    ):
        Counts.of([[0.0, 0.0], [0.0, 0.0], [0.0, -1.0]])
    with pytest.raises(DataError, match="no code of a category"):
        Counts.of([[0.5]])
    with pytest.raises(WrongUse, match="columns"):
        Counts.of([[1.0]]) + Counts.of([[1.0, 1.0]])


def sums(X, g, w=None, origin=None, columns=(0,)):
    columns = np.array(columns, dtype=np.int64)
    origin = np.zeros(X.shape[1]) if origin is None else origin
    return TableSummation(origin, columns, np.zeros(len(columns), dtype=np.int64), None, 3)(Block(X, None, w, None, g))


def close(a: TableMoments, b: TableMoments):
    a, b = a._aligned(b)
    return all(
        np.allclose(getattr(a, name), getattr(b, name), atol=1e-9)
        for name in ("count", "seen", "shift", "spread", "cells")
    )


@given(tables())
def test_tables_merge(table):
    X, g, w, cut = table
    X = np.hstack([X, X**2 + 1e3])
    whole = sums(X, g)
    assert close(sums(X[:cut], g[:cut]) + sums(X[cut:], g[cut:]), whole)
    assert close(sums(X, g, origin=np.full(X.shape[1], 7.0)), whole)
    k = w.astype(int)
    assert close(sums(X, g, w), sums(X.repeat(k, axis=0), g.repeat(k)))
    for c in range(3):
        for j in range(X.shape[1]):
            x = X[g == c, j]
            x = x[~np.isnan(x)]
            assert whole.seen[c, j] == len(x)
            if len(x):
                assert np.isclose(whole.mean[c, j], x.mean()) and np.isclose(whole.variances[c, j], x.var(), atol=1e-9)


def test_no_digits_are_lost_far_from_the_origin():
    rng = np.random.default_rng(0)
    X = 1e9 + rng.standard_normal((500, 1))
    m = sums(X, np.zeros(500, dtype=np.int64), columns=())
    assert np.isclose(m.variances[0, 0], X.var(), rtol=1e-6)
