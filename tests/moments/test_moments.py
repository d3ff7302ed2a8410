"""The laws of moments: what makes a fit a sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from epee.errors import InfiniteValues, MissingValues, SingularProblem, TooLarge, WrongUse
from epee.moments.moments import Moments, stack
from epee.moments.passes import MANY, Summation
from epee.settings import options
from epee.table.block import Block

KINDS = ["full", "pooled", "diagonal", None]
cells = st.floats(-1e3, 1e3, width=32)


@st.composite
def tables(draw, least=1):
    n = draw(st.integers(least, 30))
    p = draw(st.integers(1, 4))
    X = draw(arrays(float, (n, p), elements=cells))
    fold = draw(arrays(np.int64, n, elements=st.integers(0, 2)))
    group = draw(arrays(np.int64, n, elements=st.integers(0, 2)))
    weight = draw(arrays(np.int64, n, elements=st.integers(1, 3)))
    return X, fold, group, weight


def of(X, fold, group, weight, scatter, origin=None, rows=slice(None)):
    return Moments.of(
        X[rows], sample_weight=weight[rows], fold=fold[rows], group=group[rows], scatter=scatter, folds=3, groups=3,
        origin=np.zeros(X.shape[1]) if origin is None else origin,
    )  # fmt: skip


def assert_close(a: Moments, b: Moments, rtol=1e-9):
    size = max(1.0, float(np.abs(b.mean).max(initial=0)))
    np.testing.assert_allclose(a.count, b.count)
    full = a.count > 0
    np.testing.assert_allclose(a.mean[full], b.mean[full], rtol=rtol, atol=rtol * size)
    if a.scatter is not None:
        np.testing.assert_allclose(
            a.scatter, b.scatter, rtol=rtol, atol=rtol * size**2 * max(1.0, float(a.count.sum()))
        )


@pytest.mark.parametrize("kind", KINDS)
@given(tables(least=2), st.data())
def test_any_cut_of_the_rows_gives_the_same_total(kind, table, data):
    cut = data.draw(st.integers(1, len(table[0]) - 1))
    assert_close(of(*table, kind, rows=slice(cut)) + of(*table, kind, rows=slice(cut, None)), of(*table, kind))


@pytest.mark.parametrize("kind", KINDS)
@given(tables(least=3))
def test_order_and_grouping_do_not_matter(kind, table):
    a, b, c = (of(*table, kind, rows=slice(k, None, 3)) for k in range(3))
    assert_close((a + b) + c, a + (b + c))
    assert_close(a + b, b + a)


@pytest.mark.parametrize("kind", KINDS)
@given(tables())
def test_zero_is_neutral_and_bytes_survive(kind, table):
    m = of(*table, kind)
    zero = Moments.zero(m.origin, folds=3, groups=3, scatter=kind)
    assert_close(m + zero, m, rtol=1e-15)
    assert_close(zero + m, m, rtol=1e-12)
    assert_close(Moments.from_bytes(m.to_bytes()), m, rtol=1e-15)
    assert np.isfinite((zero + zero).mean).all()


@pytest.mark.parametrize("kind", KINDS)
@given(tables())
def test_weight_two_is_the_row_twice(kind, table):
    X, fold, group, w = table
    repeated = [np.repeat(a, w, axis=0) for a in (X, fold, group)]
    assert_close(of(*table, kind), of(*repeated, np.ones(int(w.sum()), int), kind))


@pytest.mark.parametrize("kind", KINDS)
@given(tables(), st.floats(-1e6, 1e6))
def test_a_shift_moves_the_means_and_nothing_else(kind, table, shift):
    X, fold, group, w = table
    a, b = of(*table, kind), of(X + shift, fold, group, w, kind, origin=np.full(X.shape[1], shift))
    np.testing.assert_allclose((b.mean - a.mean)[a.count > 0], shift, atol=1e-6)
    if kind is not None:
        np.testing.assert_allclose(a.scatter, b.scatter, atol=1e-3 * (1 + np.abs(X).max()))


@pytest.mark.parametrize("kind", KINDS)
@given(tables())
def test_leaving_folds_out_equals_refitting(kind, table):
    X, fold, group, w = table
    m = of(*table, kind)
    others = m.leave_one_out("fold")
    assert_close(m.regroup("fold", 1 - np.eye(3)), others)
    for k in range(3):
        rows = fold != k
        if rows.any():
            direct = Moments.of(
                X[rows], sample_weight=w[rows], group=group[rows], groups=3, scatter=kind, origin=m.origin
            )
            assert_close(others.at("fold", k), direct)


@given(tables())
def test_axes_merge_to_the_whole(table):
    X, fold, group, w = table
    whole = Moments.of(X, sample_weight=w, origin=np.zeros(X.shape[1]))
    for kind in ("full", "pooled"):
        assert_close(of(*table, kind).merge("fold").merge("group"), whole)
    pooled, full = of(*table, "pooled"), of(*table, "full")
    np.testing.assert_allclose(pooled.scatter, full.scatter.sum(axis=1), atol=1e-6)


@given(tables(least=2))
def test_affine_map_equals_mapping_the_rows(table):
    X, fold, group, w = table
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(2, X.shape[1])), rng.normal(size=2)
    assert_close(of(*table, "full").affine(A, b), of(X @ A.T + b, fold, group, w, "full"), rtol=1e-8)
    scale = rng.normal(size=X.shape[1])
    assert_close(of(*table, "pooled").affine(scale), of(X * scale, fold, group, w, "pooled"), rtol=1e-8)


def test_against_numpy():
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(500, 4)) + 3, rng.integers(1, 4, 500)
    m = Moments.of(X, sample_weight=w)
    np.testing.assert_allclose(m.covariance(), np.cov(X.T, fweights=w, bias=True), rtol=1e-12)
    np.testing.assert_allclose(m.covariance(ddof=1), np.cov(X.T, fweights=w), rtol=1e-12)
    np.testing.assert_allclose(m.correlation(), np.corrcoef(np.repeat(X, w, axis=0).T), rtol=1e-10)
    np.testing.assert_allclose(m.inertia(), np.trace(np.cov(X.T, fweights=w, bias=True)))


def test_targets_enter_as_last_columns():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    m = Moments.of(X, y)
    assert (m.p, m.targets) == (3, 1)
    np.testing.assert_allclose(m.xy[:, 0], (X - X.mean(0)).T @ (y - y.mean()))
    np.testing.assert_allclose(m.y_mean, [y.mean()])


def test_a_mean_of_a_billion_costs_no_digits():
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(50_000, 2))
    X = Z + 1e9
    exact = X - 1e9  # what float64 kept of the numbers
    np.testing.assert_allclose(Moments.of(X).covariance(), np.cov(exact.T, bias=True), rtol=1e-9, atol=1e-9)


def test_numacc4_of_nist_through_merged_blocks():
    """NIST's NumAcc4: 1001 values about 10000000.2 whose sample standard deviation is 0.1 exactly."""
    x = np.array([10000000.2] + [10000000.1, 10000000.3] * 500)
    total = Moments.of(x[:143])
    for i in range(143, 1001, 143):
        total = total + Moments.of(x[i : i + 143])
    sd = float(np.sqrt(total.covariance(ddof=1)[0, 0]))
    assert -np.log10(abs(sd - 0.1) / 0.1) >= 8


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(4)
    X, group = rng.normal(size=(20_000, 80)), rng.integers(0, 3, 20_000)  # wide enough for BLAS to use its own threads
    results = []
    for threads in (1, 2, 5):
        with options(threads=threads):
            results.append(Moments.of(X, group=group))
    for other in results[1:]:
        assert (other.scatter == results[0].scatter).all()
        assert (other.shift == results[0].shift).all()


def test_float32_sums_in_float64():
    X = np.random.default_rng(5).normal(size=(2000, 3)).astype(np.float32)
    np.testing.assert_allclose(Moments.of(X).scatter, Moments.of(X.astype(float)).scatter, rtol=1e-14)


def test_labels_align_when_moments_add():
    from dataclasses import replace

    a = replace(Moments.of(np.ones((2, 1)), group=[0, 1]), labels=np.array(["a", "c"]))
    b = replace(Moments.of(np.ones((3, 1)), group=[0, 0, 1]), labels=np.array(["b", "c"]))
    total = a + b
    assert total.labels.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(total.count, [1, 2, 2])


@pytest.mark.parametrize("kind", ["full", "pooled", "diagonal"])
def test_without_undoes_plus_and_refuses_when_digits_go(kind):
    rng = np.random.default_rng(6)
    X, g = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    a, b = (
        Moments.of(X[s], group=g[s], groups=2, scatter=kind, origin=np.zeros(2)) for s in (slice(40), slice(40, None))
    )
    assert_close((a + b).without(b), a, rtol=1e-10)
    far = Moments.of(1e9 * X[40:], group=g[40:], groups=2, scatter=kind, origin=np.zeros(2))
    with pytest.raises(SingularProblem, match="refit"):
        (a + far).without(far)


def test_bad_cells_are_named():
    with pytest.raises(MissingValues, match=r"column 1: 2 missing values \(NaN\), first in row 1"):
        Moments.of([[1.0, 2.0], [3.0, np.nan], [1.0, np.nan]])
    with pytest.raises(InfiniteValues, match="infinity"):
        Moments.of([[1.0, np.inf], [3.0, 1.0]])
    with pytest.raises(InfiniteValues, match="squares exceed"):
        Moments.of([[1e308], [-1e308], [1e308]])
    small = Moments.of(np.array([[1e-310], [3e-310]]))
    assert np.isfinite(small.mean).all() and np.isfinite(small.scatter).all()


def test_wrong_use_says_what_is_there():
    m = Moments.of(np.ones((3, 2)), scatter=None)
    with pytest.raises(WrongUse, match="keep no scatter"):
        m.covariance()
    with pytest.raises(WrongUse, match="no axis 'fold'"):
        m.merge("fold")
    with pytest.raises(WrongUse, match="cannot add"):
        m + Moments.of(np.ones((3, 3)), scatter=None)


def test_stack_puts_moments_side_by_side():
    a, b = Moments.of(np.eye(3)), Moments.of(2 * np.eye(3))
    both = stack([a, b], "fold")
    assert both.axes == ("fold",)
    assert_close(both.merge("fold"), a + b)


@pytest.mark.parametrize("apart", [0.0, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("weighted", [False, True])
def test_pooled_scatter_keeps_its_digits_however_far_the_groups(apart, order, weighted):
    rng = np.random.default_rng(3)
    g = rng.integers(0, 3, 2000)
    noise = rng.normal(size=(2000, 5))
    X = np.asarray(noise + apart * g[:, None] + 1e6, order=order)
    w = rng.integers(0, 3, 2000).astype(float) if weighted else None
    m = Moments.of(X, group=g, groups=4, scatter="pooled", sample_weight=w)
    rows = np.repeat(np.arange(2000), np.ones(2000, dtype=int) if w is None else w.astype(int))
    exact = sum(
        np.cov((X - 1e6 - apart * g[:, None])[rows][g[rows] == k].T, bias=True) * (g[rows] == k).sum() for k in range(3)
    )
    np.testing.assert_allclose(m.scatter, exact, rtol=1e-8, atol=1e-8 * np.abs(exact).max())
    np.testing.assert_allclose(m.mean[:3], [X[rows][g[rows] == k].mean(axis=0) for k in range(3)], rtol=1e-14)
    assert m.count[3] == 0 and not m.shift[3].any()


@pytest.mark.parametrize("folds", [None, 2])
@pytest.mark.parametrize("targets", [0, 1, 2])
@pytest.mark.parametrize("scatter", KINDS)
def test_large_blocks_of_columns_equal_those_of_rows(folds, targets, scatter):
    rng = np.random.default_rng(4)
    n = 2 * MANY + 77
    X, y = rng.normal(size=(n, 6)) + 1e4, rng.normal(size=(n, targets)) if targets else None
    group = rng.choice([0, 1, 3], n, p=[0.7, 0.29, 0.01])  # group 2 has no row
    fold = None if folds is None else np.arange(n) % folds
    keep = Summation(np.full(6 + targets, 1e4), scatter, folds, 4, targets)
    rows = keep(Block(X, y, None, fold, group))
    columns = keep(Block(np.asfortranarray(X), y, None, fold, group))
    np.testing.assert_array_equal(rows.count, columns.count)
    np.testing.assert_allclose(columns.shift, rows.shift, rtol=1e-9, atol=1e-13)
    if scatter is not None:
        np.testing.assert_allclose(columns.scatter, rows.scatter, rtol=1e-10, atol=1e-9)


def test_a_bad_cell_of_a_column_stays_visible():
    X = np.ones((2 * MANY, 3), order="F")
    X[-1, 1] = np.nan
    assert not Summation(np.zeros(3), groups=2)(Block(X, group=np.arange(len(X)) % 2)).is_finite()


def test_a_scatter_that_is_too_wide_is_refused_before_it_is_allocated():
    wide = np.broadcast_to(np.float32(1.0), (3, 25_000))
    with pytest.raises(TooLarge, match="3 rows and 25000 columns: a matrix of side 25000 would take 5 GB"):
        Moments.of(wide)
    assert Moments.of(wide, scatter="diagonal").count == 3
