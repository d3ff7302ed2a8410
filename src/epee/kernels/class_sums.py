r"""Sums of rows by cell (class, or fold and class), read once from memory.

For each row :math:`x` of cell :math:`c` with weight :math:`w`: add :math:`w(x - o)` and :math:`w(x - o)^2` to the sums
of the cell, skip cells of the table that are missing (NaN), count the levels of categorical columns, and look up the
scores of levels. An empty ``w`` stands for weights of one.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import class_sums_twin as twin
from epee.kernels.compiling import FEW_CELLS, FEW_ROWS, bearable, kernel
from epee.kernels.reordering import REORDER


def few(X, *others):
    """Tell whether a block is so small that NumPy adds it."""
    return X.size <= FEW_CELLS and X.flags.c_contiguous


def more(X, *others):
    """Tell whether NumPy adds a block while the loop is compiled."""
    return len(X) < FEW_ROWS and X.flags.c_contiguous


@kernel(twin=twin.class_sums, small=few, meanwhile=more)
def class_sums(X, cell, w, origin, count, first):
    """Add the rows (n, p) minus the origin to the sums ``first`` (cells, p), and their weights to ``count`` (cells,)."""
    n, p = X.shape
    for i in range(n):
        k = cell[i]
        u = w[i] if w.size else 1.0
        count[k] += u
        x, a = X[i], first[k]
        for j in range(p):
            a[j] += u * (x[j] - origin[j])


@kernel(twin=twin.class_squares, small=few, meanwhile=more)
def class_squares(X, cell, w, origin, count, first, second):
    """Do :func:`class_sums`, and add the squares to ``second`` (cells, p)."""
    n, p = X.shape
    for i in range(n):
        k = cell[i]
        u = w[i] if w.size else 1.0
        count[k] += u
        x, a, b = X[i], first[k], second[k]
        for j in range(p):
            d = x[j] - origin[j]
            a[j] += u * d
            b[j] += u * d * d


@kernel(fastmath=REORDER)
def column_squares(columns, cell, w, origin, count, first, second):
    """Do :func:`class_squares` for columns (p, n) that lie together: each is multiplied by the indicators of the few cells."""
    p, n = columns.shape
    own = np.zeros((count.size, 1024))
    for start in range(0, n, 1024):
        m = min(1024, n - start)
        own[:] = 0.0
        for i in range(m):
            own[cell[start + i], i] = w[start + i] if w.size else 1.0
        for k in range(count.size):
            for i in range(m):
                count[k] += own[k, i]
        for j in range(p):
            o, x = origin[j], columns[j, start : start + m]
            for k in range(count.size):
                u, a, b = own[k], 0.0, 0.0
                for i in range(m):
                    d = x[i] - o
                    a += u[i] * d
                    b += u[i] * d * d
                first[k, j] += a
                second[k, j] += b


@kernel(twin=twin.class_scatter, small=few, meanwhile=more)
def class_scatter(X, cell, w, origin, shift, scatter):
    """Add the squares of the rows about the mean of their cell, ``origin + shift[cell]``; missing cells are skipped."""
    n, p = X.shape
    for i in range(n):
        k = cell[i]
        u = w[i] if w.size else 1.0
        x, m, s = X[i], shift[k], scatter[k]
        for j in range(p):
            d = (x[j] - origin[j]) - m[j]
            s[j] += u * d * d if d == d else 0.0


@kernel(fastmath=REORDER)
def observed_squares(X, rows, w, origin, seen, first, second):
    """Add some rows of one cell to its sums (p,), missing cells aside: ``seen`` is the weight that each column has observed.

    Four rows at a time: the sums, which lie in memory, are read and written a fourth as often.
    """
    n, p = rows.size, X.shape[1]
    for t in range(0, n - 3, 4):
        i, j, k, m = rows[t], rows[t + 1], rows[t + 2], rows[t + 3]
        a, b, c, d = X[i], X[j], X[k], X[m]
        u, v, y, z = (w[i], w[j], w[k], w[m]) if w.size else (1.0, 1.0, 1.0, 1.0)
        for q in range(p):
            o = origin[q]
            e, f, g, h = a[q] - o, b[q] - o, c[q] - o, d[q] - o
            seen[q] += (u if e == e else 0.0) + (v if f == f else 0.0) + (y if g == g else 0.0) + (z if h == h else 0.0)
            e, f, g, h = (
                (e if e == e else 0.0), (f if f == f else 0.0), (g if g == g else 0.0), (h if h == h else 0.0),
            )  # fmt: skip
            first[q] += (u * e + v * f) + (y * g + z * h)
            second[q] += (u * e * e + v * f * f) + (y * g * g + z * h * h)
    for t in range(n - n % 4, n):
        a, u = X[rows[t]], w[rows[t]] if w.size else 1.0
        for q in range(p):
            e = a[q] - origin[q]
            seen[q] += u if e == e else 0.0
            e = e if e == e else 0.0
            first[q] += u * e
            second[q] += u * e * e


@kernel(meanwhile=bearable)
def any_bad_cell(X, coins, counts):
    """Tell whether a column of ``coins`` holds what is not 0 or 1, or one of ``counts`` a negative number; no early exit, so
    that the processor need not guess.
    """
    bad = False
    for i in range(X.shape[0]):
        for t in range(coins.size):
            x = X[i, coins[t]]
            bad |= (x != 0.0) & (x != 1.0) & (x == x)
        for t in range(counts.size):
            bad |= X[i, counts[t]] < 0.0
    return bad


@kernel(meanwhile=bearable)
def first_bad_cell(X, columns, kinds):
    """Return the first row and column that its kind does not allow, or -1: 1 a coin, 2 a count, 3 a code; missing cells are allowed."""
    for i in range(X.shape[0]):
        for t in range(columns.size):
            x, kind = X[i, columns[t]], kinds[t]
            if kind == 1:
                bad = x != 0.0 and x != 1.0 and x == x
            elif kind == 2:
                bad = x < 0.0
            else:
                bad = x < 0.0 or x > 1e7 or (x == x and x != np.float64(np.int64(x)))
            if bad:
                return i, columns[t]
    return -1, -1


@kernel(meanwhile=bearable)
def first_fraction(X):
    """Return the first row and column that is not a whole number, NaN and infinity among them, or -1."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[i, j]
            if not (abs(x) < 1e15 and x == np.float64(np.int64(x))):
                return i, j
    return -1, -1


@kernel(meanwhile=bearable)
def highest_levels(X, columns, top):
    """Raise ``top`` (q,) to the largest code of each column; return the first row and column that is no code, or -1."""
    for i in range(X.shape[0]):
        for t in range(columns.size):
            x = X[i, columns[t]]
            if x == x:
                level = np.int64(x)
                if x < 0.0 or x > 1e7 or x != level:
                    return i, columns[t]
                top[t] = max(top[t], level)
    return -1, -1


@kernel(meanwhile=bearable)
def count_levels(X, cell, w, columns, offsets, count, cells, top):
    """Add the weight of each row to the level that each column holds; ``cells`` (cells, levels of all columns).

    Raises ``top`` (q,) to the largest code of each column. Returns False, and half-done sums, at a cell that is no code or
    has no room.
    """
    bad = False
    for i in range(X.shape[0]):
        k, x = cell[i], X[i]
        u = w[i] if w.size else 1.0
        count[k] += u
        levels = cells[k]
        for t in range(columns.size):
            v = x[columns[t]]
            if v >= 0.0 and v < offsets[t + 1] - offsets[t]:
                level = np.int64(v)
                bad |= level != v
                levels[offsets[t] + level] += u
                if level > top[t]:
                    top[t] = level
            else:
                bad |= v == v
    return not bad


@kernel(meanwhile=bearable)
def table_sums(X, cell, w, origin, coins, counts, columns, offsets, count, seen, first, second, cells, top):
    """Look for bad cells, sum squares and count levels, some rows at a time while they lie in the cache.

    Returns 0, 1 at a cell that its kind does not allow, 2 at a level without room (sums are then half done).
    """
    n, again = X.shape[0], np.zeros(count.size)
    order, ends = np.empty(1024, np.int64), np.empty(count.size + 1, np.int64)
    for start in range(0, n, 1024):
        end = min(start + 1024, n)
        rows, own, u = X[start:end], cell[start:end], w[start:end]
        if any_bad_cell(rows, coins, counts):
            return 1
        if columns.size and not count_levels(rows, own, u, columns, offsets, again, cells, top):
            return 2
        sort_by_cell(own, order, ends)
        begin = 0
        for k in range(count.size):
            mine = order[begin : ends[k]]
            observed_squares(rows, mine, u, origin, seen[k], first[k], second[k])
            for i in mine:
                count[k] += u[i] if u.size else 1.0
            begin = ends[k]
    return 0


@kernel
def sort_by_cell(cell, order, ends):
    """Write the rows sorted by cell into ``order`` and where each cell ends into ``ends`` (cells + 1,)."""
    ends[:] = 0
    for i in range(cell.size):
        ends[cell[i] + 1] += 1
    for k in range(1, ends.size):
        ends[k] += ends[k - 1]
    for i in range(cell.size):
        order[ends[cell[i]]] = i
        ends[cell[i]] += 1


@kernel(meanwhile=bearable)
def level_scores(X, columns, offsets, table, scores):
    """Add ``table`` (levels of all columns, K) at the level of each cell; what is missing or unknown has no say."""
    K = scores.shape[1]
    for i in range(X.shape[0]):
        s = scores[i]
        for t in range(columns.size):
            x = X[i, columns[t]]
            if x >= 0.0 and x < offsets[t + 1] - offsets[t]:
                row = table[offsets[t] + np.int64(x)]
                for k in range(K):
                    s[k] += row[k]
