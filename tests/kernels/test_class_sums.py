"""Sums by cell and gathered rows against their NumPy twins."""

import numpy as np
import pytest

from epee.kernels import class_sums as k
from epee.kernels.gathered_rows import centred_columns, centred_rows
from epee.kernels.two_classes import count_errors

CELLS, N, P = 3, 1300, 4  # more rows than the kernels take at a time
NONE = np.empty(0)


@pytest.fixture(params=[0, 1, 2])
def table(request):
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(N, P))
    return rng, X, rng.integers(0, CELLS, N), (NONE if request.param == 0 else rng.random(N)), rng.normal(size=P)


def ones(w):
    return w if w.size else np.ones(N)


def by_cell(cell, values):
    return np.stack([values[cell == c].sum(axis=0) for c in range(CELLS)])


def test_sums_and_squares(table):
    _, X, cell, w, origin = table
    u, D = ones(w)[:, None], X - origin
    expected = by_cell(cell, u)[:, 0], by_cell(cell, u * D), by_cell(cell, u * D**2)
    for kernel, rows in ((k.class_squares, X), (k.column_squares, np.ascontiguousarray(X.T))):
        got = np.zeros(CELLS), np.zeros((CELLS, P)), np.zeros((CELLS, P))
        kernel(rows, cell, w, origin, *got)
        for mine, theirs in zip(got, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11)
    count, first = np.zeros(CELLS), np.zeros((CELLS, P))
    k.class_sums(X, cell, w, origin, count, first)
    np.testing.assert_allclose(first, expected[1], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(count, expected[0])


def test_scatter_and_missing_cells(table):
    rng, X, cell, w, origin = table
    X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    shift = rng.normal(size=(CELLS, P))
    scatter = np.zeros((CELLS, P))
    k.class_scatter(X, cell, w, origin, shift, scatter)
    d = np.nan_to_num(X - origin - shift[cell])
    np.testing.assert_allclose(scatter, by_cell(cell, ones(w)[:, None] * d**2), rtol=1e-11)
    rows = rng.permutation(N)[:101]
    seen, first, second = np.zeros(P), np.zeros(P), np.zeros(P)
    k.observed_squares(X, rows, w, origin, seen, first, second)
    u, D = ones(w)[rows, None], (X - origin)[rows]
    np.testing.assert_allclose(seen, (u * ~np.isnan(D)).sum(axis=0))
    np.testing.assert_allclose(first, np.nansum(u * D, axis=0), atol=1e-11)
    np.testing.assert_allclose(second, np.nansum(u * D**2, axis=0))


def test_levels(table):
    rng, _, cell, w, _ = table
    X = rng.integers(0, 4, (N, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    columns, offsets = np.array([0, 2]), np.array([0, 4, 9])
    count, cells, top = np.zeros(CELLS), np.zeros((CELLS, 9)), np.full(2, -1)
    assert k.count_levels(X, cell, w, columns, offsets, count, cells, top)
    expected = np.zeros((CELLS, 9))
    for t, j in enumerate(columns):
        there = ~np.isnan(X[:, j])
        np.add.at(expected, (cell[there], offsets[t] + X[there, j].astype(int)), ones(w)[there])
    np.testing.assert_allclose(cells, expected)
    assert top.tolist() == [np.nanmax(X[:, j]) for j in columns]
    highest = np.full(2, -1)
    assert k.highest_levels(X, columns, highest) == (-1, -1) and highest.tolist() == top.tolist()
    lookup, scores = rng.normal(size=(9, 2)), np.zeros((N, 2))
    k.level_scores(X, columns, offsets, lookup, scores)
    twin = sum(
        np.where(np.isnan(X[:, [j]]), 0.0, lookup[offsets[t] + np.nan_to_num(X[:, j]).astype(int)])
        for t, j in enumerate(columns)
    )
    np.testing.assert_allclose(scores, twin)
    X[7, 2] = 1.5
    assert not k.count_levels(X, cell, w, columns, offsets, count, cells, top)
    assert k.highest_levels(X, columns, highest) == (7, 2)


def test_bad_cells(table):
    rng, X, *_ = table
    coins, counts, none = np.array([0]), np.array([1]), np.empty(0, np.int64)
    X = np.column_stack([rng.integers(0, 2, N), rng.integers(0, 9, N)]).astype(float)
    X[3, 0] = np.nan
    columns, kinds = np.array([0, 1]), np.array([1, 2])
    assert not k.any_bad_cell(X, coins, counts) and k.first_bad_cell(X, columns, kinds) == (-1, -1)
    assert k.first_fraction(X[:3]) == (-1, -1) and k.first_fraction(X) == (3, 0)
    for row, column, value in ((900, 0, 0.5), (800, 1, -1.0)):
        X[row, column] = value
        assert k.any_bad_cell(X, coins, counts) and k.first_bad_cell(X, columns, kinds) == (row, column)
    assert not k.any_bad_cell(X, none, none)
    assert k.first_bad_cell(np.array([[1.0], [2e7]]), np.array([0]), np.array([3])) == (1, 0)


def test_a_whole_table_is_its_parts(table):
    rng, X, cell, w, origin = table
    X = np.column_stack([X, rng.integers(0, 3, N)])
    origin = np.append(origin, 0.0)
    columns, offsets, none = np.array([4]), np.array([0, 3]), np.empty(0, np.int64)
    shape = (CELLS, 5)
    count, seen, first, second = np.zeros(CELLS), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    cells, top = np.zeros((CELLS, 3)), np.full(1, -1)
    assert k.table_sums(X, cell, w, origin, none, none, columns, offsets, count, seen, first, second, cells, top) == 0
    u = ones(w)[:, None]
    np.testing.assert_allclose(count, by_cell(cell, u)[:, 0])
    np.testing.assert_allclose(first, by_cell(cell, u * (X - origin)), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(second, by_cell(cell, u * (X - origin) ** 2), rtol=1e-10)
    np.testing.assert_allclose(cells.sum(axis=1), count)
    order, ends = np.empty(N, np.int64), np.empty(CELLS + 1, np.int64)
    k.sort_by_cell(cell, order, ends)
    assert order.tolist() == np.argsort(cell, kind="stable").tolist()
    assert ends[:CELLS].tolist() == np.cumsum(np.bincount(cell, minlength=CELLS)).tolist()


def test_gathered_rows(table):
    rng, X, cell, _, origin = table
    Y, rows = rng.normal(size=(N, 2)), rng.permutation(N)[:60]
    o = np.append(origin, rng.normal(size=2))
    B, mean = np.empty((60, P + 2)), np.empty(P + 2)
    centred_rows(X, Y, rows, o, B, mean)
    D = np.hstack([X[rows], Y[rows]]) - o
    np.testing.assert_allclose(mean, D.mean(axis=0), atol=1e-13)
    np.testing.assert_allclose(B, D - D.mean(axis=0), atol=1e-12)
    memory, first = np.ascontiguousarray(X.T).ravel(), N * np.arange(P)
    counts = np.bincount(cell, minlength=CELLS + 1)  # the last cell has no rows
    places = np.cumsum(np.append(0, counts[:-1] + 5))
    B, means = np.full((P, places[-1] + 5), np.nan), np.zeros((CELLS + 1, P))
    centred_columns(memory, first, np.argsort(cell, kind="stable"), counts, places, origin, B, means)
    for c in range(CELLS):
        D = (X - origin)[cell == c]
        np.testing.assert_allclose(means[c], D.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(B[:, places[c] : places[c] + counts[c]], (D - D.mean(axis=0)).T, atol=1e-12)
        assert (B[:, places[c] + counts[c] : places[c] + counts[c] + 5] == 0).all()


@pytest.mark.parametrize("by_rows", [False, True])
def test_errors_of_two_classes(table, by_rows):
    rng, X, cell, w, origin = table
    m, q, right = 2, P - 1, rng.integers(0, 2, N) == 1
    X, origin = np.ascontiguousarray(X[:, :q]), origin[:q]
    levels, slopes, squares = (rng.normal(size=shape) for shape in ((CELLS, m), (CELLS, m, q), (CELLS, m, q)))
    bends, bend_of = np.zeros((CELLS, 1, q, P)), np.array([-1, 0])  # as wide as a step
    bends[..., :q] = np.tril(rng.normal(size=(CELLS, 1, q, q)))
    order = np.argsort(cell, kind="stable")[np.count_nonzero(cell == 0) :]  # the first cell is not judged
    counts, sums, step = np.bincount(cell[order], minlength=CELLS), np.zeros((m, CELLS)), q if by_rows else 1
    memory, first = (X.ravel(), np.arange(q)) if by_rows else (X.T.ravel(), N * np.arange(q))
    some = w[order] if w.size else w
    count_errors(
        memory, first, step, order, counts, some, right[order], origin, levels, slopes, squares, bends, bend_of, sums
    )
    c, u, weight = cell[order], (X - origin)[order], ones(w)[order]
    odds = levels[c] + np.einsum("nmp,np->nm", slopes[c], u) + np.einsum("nmp,np->nm", squares[c], u**2)
    odds[:, 1] += np.einsum("ni,nij,nj->n", u, bends[c, 0, :, :q], u)
    wrong = (odds > 0) != right[order][:, None]
    expected = np.stack([np.bincount(c, weight * wrong[:, j], minlength=CELLS) for j in range(m)])
    np.testing.assert_allclose(sums, expected)
