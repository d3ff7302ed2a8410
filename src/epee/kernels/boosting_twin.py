"""The functions of :mod:`epee.kernels.boosting` in NumPy: what they mean, and what small tables use while nothing is compiled.

Sums of whole numbers are exact in any order, and what is done with them is the same arithmetic in the same order, so both give
the same trees to the last bit.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_ROWS

MISSING = 255
SUPPORT = 10.0
FLAT = 1e-12
AT_ONCE = 30_000  # rows times trees that are gone down in step: they stay in the cache
HALF = 26  # bits: whole numbers of 60 are added in two parts, which floats hold exactly


def few_rows(rows, *others):
    """Tell whether a few rows are done here while the loop is compiled."""
    return len(rows) < FEW_ROWS


def few_listed(table, rows, *others):
    """Tell the same of what lists its rows second."""
    return len(rows) < FEW_ROWS


def whatever(*others):
    """What looks at bins or columns alone is done here for any number of rows."""
    return True


def few_columns(columns, *others):
    """Tell the same of bins that lie column by column."""
    return columns.shape[1] < FEW_ROWS


def few_grown(words, columns, rows, *others):
    """Tell whether a few rows are grown step by step while the one call is compiled."""
    return len(rows) < FEW_ROWS


def no_tree(*others):
    """Return that no node was grown."""
    return 0


def bin_rows(X, thresholds, starts, out):
    """Fill ``out`` (n, 8 G) with the bin of each cell: how many thresholds of its column lie below it."""
    for f in range(X.shape[1]):
        column = np.searchsorted(thresholds[starts[f] : starts[f + 1]], X[:, f], side="left")
        out[:, f] = np.where(np.isnan(X[:, f]), MISSING, column)


def pack(g, h, c, gradient_scale, curvature_scale, bits, out):
    """Fill ``out`` (n, 2) with the pairs of whole numbers that the rows add."""
    out[:, 0] = np.rint(g * gradient_scale).astype(np.int64)
    out[:, 1] = c
    if len(h):
        out[:, 1] += np.rint(h * curvature_scale).astype(np.int64) << bits


def fill(words, rows, start, end, pairs, bits, out):
    """Add the pairs of ``rows[start:end]`` to the histograms ``out`` (8 G, 256, 2) of all columns; ``bits`` only makes the loops quick."""
    chosen = rows[start:end]
    width = out.shape[0]
    place = (words[chosen].view(np.uint8) + 256 * np.arange(width)).ravel()  # (m 8 G,)
    flat = out.reshape(-1, 2)
    for j in range(2):
        mine = pairs[chosen, j]
        for part, up in ((mine >> HALF, HALF), (mine & (2**HALF - 1), 0)):
            flat[:, j] += np.bincount(place, np.repeat(part, width), len(flat)).astype(np.int64) << up


def split_rows(bins, rows, spare, start, end, goes_left):
    """Put the rows of a node whose bin in a column (n,) goes left before the others, in order; return where the others begin."""
    here = rows[start:end].copy()
    left = goes_left[bins[here]] != 0
    middle = start + int(left.sum())
    rows[start:middle], rows[middle:end] = here[left], here[~left]
    return middle


def add_values(rows, bounds, values, raw):
    """Add to ``raw`` the value of the leaf of each row; leaf j holds ``rows[bounds[j, 0]:bounds[j, 1]]``."""
    for (a, b), value in zip(bounds, values):
        raw[rows[a:b]] += value


def follow(columns, first, tests, goes_left, values, raw):
    """Add to ``raw`` (n,) the value of the leaf that each row reaches, whose bins lie in ``columns`` (p, n)."""
    at = np.zeros(len(raw), dtype=np.int64)
    for node in np.flatnonzero(first >= 0):
        here = np.flatnonzero(at == node)
        at[here] = first[node] + (goes_left[node][columns[tests[node, 0], here]] == 0)
    raw += values[at]


def draw(allowed, wanted, key):
    """Keep, of the columns that are ``allowed`` (p,), those with the ``wanted`` smallest random keys."""
    there = np.flatnonzero(allowed)
    with np.errstate(over="ignore"):  # splitmix64
        x = np.uint64(key) + there.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    allowed[there[np.argsort(x, kind="stable")[wanted:]]] = 0


def bounded(G, H, l2, low, high):
    """Return the value of a leaf, -G / (H + l2), kept between its bounds."""
    return np.minimum(np.maximum(-G / (H + l2 + 1e-15), low), high)


def gain_of(g_left, h_left, g_all, h_all, parent, sign, low, high, l2):
    """Return by how much cuts lower twice the quadratic loss of a node; -1 where they break the order of a monotone column."""
    g_right, h_right = g_all - g_left, h_all - h_left
    a, b = bounded(g_left, h_left, l2, low, high), bounded(g_right, h_right, l2, low, high)
    broken = ((sign > 0) & (a > b)) | ((sign < 0) & (a < b))
    return np.where(broken, -1.0, parent - g_left * a - g_right * b)


def find_split(
    sums, total, counts, allowed, n_bins, missing, categorical, monotone, scales, limits, node, best, goes_left, pair
):
    """Find the best cut of a node: fill ``best`` (gain, column, bin, missing left), ``goes_left`` (256,) and ``pair`` (2,)."""
    bits, mask = counts[:2]
    g_unit, h_unit, c_unit = scales
    least, least_h, l2 = limits
    value, low, high = node
    p = len(n_bins)
    g_all, c_all = total[0] * g_unit, (total[1] & mask) * c_unit
    h_all = (total[1] >> bits) * h_unit if h_unit else c_all
    parent = g_all * value
    tie = FLAT * abs(parent)

    def gains(left, sign):
        """Return the gain (..., m) of cuts whose left side adds to ``left`` (..., m, 2); 0 where they are not allowed."""
        c_left = (left[..., 1] & mask) * c_unit
        h_left = (left[..., 1] >> bits) * h_unit if h_unit else c_left
        fine = (c_left >= least) & (c_all - c_left >= least) & (h_left >= least_h) & (h_all - h_left >= least_h)
        gain = gain_of(left[..., 0] * g_unit, h_left, g_all, h_all, parent, sign, low, high, l2)
        return np.where(fine, np.maximum(gain, 0.0), 0.0)

    with np.errstate(invalid="ignore", divide="ignore"):
        numeric = (np.asarray(allowed) != 0) & (np.asarray(categorical) == 0)
        width = int(n_bins.max(initial=1))
        left = np.cumsum(sums[:p, :width], axis=1)  # (p, bins, 2)
        k = np.arange(width)
        signs = monotone[:, None]
        there = np.asarray(missing) != 0
        gain = gains(left, signs)
        gain[~numeric] = 0.0
        gain[k >= (n_bins - 1 + there)[:, None]] = 0.0
        cut = np.argmax(
            gain >= gain.max(axis=1, keepdims=True) * (1.0 - FLAT) - tie, axis=1
        )  # (p,) the first of equals
        top = gain[np.arange(p), cut]
        side = np.zeros(p, dtype=np.int64)
        if (there & numeric).any():
            gain = gains(left + sums[:p, MISSING][:, None], signs)
            gain[~(numeric & there)] = 0.0
            gain[k >= (n_bins - 1)[:, None]] = 0.0
            peak = gain.max(axis=1)
            other = (
                width - 1 - np.argmax(gain[:, ::-1] >= peak[:, None] * (1.0 - FLAT) - tie, axis=1)
            )  # the last of equals
            better = peak > top * (1.0 + FLAT) + tie
            top, cut = np.where(better, gain[np.arange(p), other], top), np.where(better, other, cut)
            side[better] = 1
        sets = {}
        for f in np.flatnonzero((np.asarray(allowed) != 0) & (np.asarray(categorical) != 0)).tolist():
            units = (bits, mask, h_unit, c_unit, g_unit, c_all / h_all)
            top[f], sets[f] = _best_set(sums[f], n_bins[f], there[f], gains, monotone[f], *units)
    column, most = -1, 0.0
    for f in np.flatnonzero(top > 0).tolist():
        if top[f] > most * (1.0 + FLAT) + tie:
            column, most = f, top[f]
    if column < 0 or not most > tie:
        best[:4] = 0.0, -1, 0, 0
        return
    goes_left[:] = 0
    if categorical[column]:
        goes_left[sets[column]] = 1
        side[column], cut[column] = goes_left[MISSING], len(sets[column]) - 1
    else:
        goes_left[: cut[column] + 1] = 1
        goes_left[MISSING] = side[column]
    best[:4] = top[column], column, cut[column], side[column]
    pair[:] = sums[column][goes_left != 0].sum(axis=0)


def _best_set(sums, m, missing, gains, sign, bits, mask, h_unit, c_unit, g_unit, support):
    """Return the best gain of a column of categories, and the bins that go left for it."""
    bins = np.concatenate([np.arange(m), [MISSING]]) if missing else np.arange(m)
    c = (sums[bins, 1] & mask) * c_unit
    h = (sums[bins, 1] >> bits) * h_unit if h_unit else c
    used = h * support >= SUPPORT
    bins = bins[used]
    bins = bins[np.argsort(sums[bins, 0] * g_unit / (h[used] + SUPPORT), kind="stable")]
    top, chosen = 0.0, bins[:0]
    for backwards in (0, 1):
        order = bins[::-1] if backwards else bins
        tried = order[: (len(bins) + 1) // 2 - backwards if len(bins) > 1 else 0]
        if len(tried):
            gain = gains(np.cumsum(sums[tried], axis=0), sign)
            i = int(np.argmax(gain))
            if gain[i] > top:
                top, chosen = gain[i], tried[: i + 1]
    return top, chosen


def short_walk(X, roots, depths, *others):
    """Tell whether rows go down all trees here in a tenth of a second or two: some 20 nanoseconds a row and step."""
    return len(X) * int(depths.sum()) <= 8_000_000


def walk(X, roots, depths, first, feature, threshold, missing_left, set_of, sets, value, outputs, out):
    """Add to ``out`` (n, K) the leaves that the rows reach in each tree; tree t adds to output ``outputs[t]``.

    All trees are gone down in step, some rows at a time: a leaf is its own child, so shallow trees wait in their leaves.
    """
    step = max(1, AT_ONCE // max(len(roots), 1))
    for s in range(0, len(X), step):
        leaves = _leaves(X[s : s + step], roots, depths, first, feature, threshold, missing_left, set_of, sets)
        for at, k in zip(leaves, outputs):
            out[s : s + step, k] += value[at]


def _leaves(X, roots, depths, first, feature, threshold, missing_left, set_of, sets):
    """Return the leaves (T, n) that rows reach."""
    cells, begins = np.ascontiguousarray(X).ravel(), np.arange(len(X)) * X.shape[1]
    plain = not len(sets) and not np.isnan(cells).any()
    at = np.repeat(roots, len(X)).reshape(len(roots), len(X))
    for _ in range(int(depths.max(initial=0))):
        v = cells.take(begins + feature.take(at))
        if plain:
            at = first.take(at) + (v > threshold.take(at))
            continue
        j = set_of[at]
        known = ~np.isnan(v) & ((j < 0) | ((v >= 0) & (v < MISSING)))
        with np.errstate(invalid="ignore"):
            left = v <= threshold[at]
            if len(sets):
                code = np.where(known & (j >= 0), v, 0).astype(np.int64)
                left = np.where(j >= 0, sets[np.maximum(j, 0), code] != 0, left)
        at = first[at] + ~np.where(known, left, missing_left[at])
    return at
