r"""The loops of boosted trees: bins of eight columns in a word, sums by bin, the best cut of a node, rows that walk.

A row is kept as bytes, one a column, eight to a word of 64 bits: one load brings the bins of eight columns. What a row adds to a
histogram is a pair of whole numbers,

.. math:: a_i = \left(\mathrm{rint}(2^s g_i),\; \mathrm{rint}(2^t h_i)\, 2^b + c_i\right), \tag{1}

gradient :math:`g`, then curvature :math:`h` above the count :math:`c < 2^b`. Whole numbers add without rounding, so a histogram has the
same bits for any cut of the rows and any number of threads, and the histogram of a child is that of its parent less that of its sibling.

The twin of every function here, in NumPy, is :mod:`epee.kernels.boosting_twin`: it answers for few rows while the loops are compiled.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import boosting_twin as twin
from epee.kernels.compiling import kernel
from epee.kernels.selecting import select
from epee.kernels.trees_split import mix

CHUNK = 1024  # rows gathered at once: their words and pairs stay in the nearest cache
JOINT = 1024  # rows from which a node adds both numbers of a pair in one word
MISSING = 255  # the bin of a missing cell
SUPPORT = 10.0  # rows that a category needs to be sorted among the others; the rest go right together
FLAT = 1e-12  # of what a node is worth: a cut that gains less gains what rounding makes, and weight 2 would not be the row twice


@kernel(twin=twin.bin_rows, meanwhile=twin.few_rows)
def bin_rows(X, thresholds, starts, out):
    """Fill ``out`` (n, 8 G) with the bin of each cell: how many thresholds of its column lie below it."""
    n, p = X.shape
    at, cells = np.empty(CHUNK, np.int64), np.empty(CHUNK)
    for s in range(0, n, CHUNK):
        m = min(CHUNK, n - s)
        for f in range(p):
            for i in range(m):
                at[i], cells[i] = starts[f], X[s + i, f]
            length = starts[f + 1] - starts[f]
            while length > 0:  # all rows halve what is left in step: no row waits, and nothing is guessed
                half = (length + 1) >> 1
                for i in range(m):
                    at[i] += half * np.int64(thresholds[at[i] + half - 1] < cells[i])
                length -= half
            for i in range(m):
                out[s + i, f] = MISSING if cells[i] != cells[i] else at[i] - starts[f]


@kernel(twin=twin.pack, meanwhile=twin.few_rows)
def pack(g, h, c, gradient_scale, curvature_scale, bits, out):
    """Fill ``out`` (n, 2) with the pairs (1); ``h`` is empty where it is the weight itself."""
    varies = h.shape[0] > 0
    for i in range(g.shape[0]):
        out[i, 0] = np.int64(np.rint(g[i] * gradient_scale))
        out[i, 1] = c[i] + ((np.int64(np.rint(h[i] * curvature_scale)) << bits) if varies else 0)


@kernel
def fill_joint(words, rows, start, end, pairs, bits, out):
    """Add as :func:`fill` does, both of a pair in one word."""
    G = words.shape[1]
    sums, mask = np.zeros((8 * G, 256), np.int64), (np.int64(1) << bits) - 1
    both, word = np.empty(CHUNK, np.int64), np.empty((G, CHUNK), np.uint64)
    for s in range(start, end, CHUNK):
        m = min(CHUNK, end - s)
        for i in range(m):
            r = rows[s + i]
            both[i] = (pairs[r, 0] << bits) + pairs[r, 1]
            for g in range(G):
                word[g, i] = words[r, g]
        for g in range(G):
            eight_sums = sums[8 * g : 8 * g + 8]
            for i in range(m):
                eight, a = word[g, i], both[i]
                for j in range(8):
                    eight_sums[j, np.int64((eight >> np.uint64(8 * j)) & np.uint64(255))] += a
    for f in range(8 * G):
        for k in range(256):
            out[f, k, 0] += sums[f, k] >> bits
            out[f, k, 1] += sums[f, k] & mask


@kernel(twin=twin.fill, meanwhile=twin.few_listed)
def fill(words, rows, start, end, pairs, bits, out):
    """Add the pairs of ``rows[start:end]`` to the histograms ``out`` (8 G, 256, 2) of all columns.

    With ``bits`` above 0 the second of a pair is a count, and their sums fit a word: the first above that many bits. A node of many
    rows then adds one word a cell, and both are read off the sums.
    """
    G = words.shape[1]
    if bits > 0 and end - start >= JOINT:
        fill_joint(words, rows, start, end, pairs, bits, out)
        return
    pair, word = np.empty((CHUNK, 2), np.int64), np.empty((G, CHUNK), np.uint64)
    for s in range(start, end, CHUNK):
        m = min(CHUNK, end - s)
        for i in range(m):
            r = rows[s + i]
            pair[i, 0], pair[i, 1] = pairs[r, 0], pairs[r, 1]
            for g in range(G):
                word[g, i] = words[r, g]
        for g in range(G):
            sums = out[8 * g : 8 * g + 8]
            for i in range(m):
                eight, a, b = word[g, i], pair[i, 0], pair[i, 1]
                for j in range(8):
                    k = np.int64((eight >> np.uint64(8 * j)) & np.uint64(255))
                    sums[j, k, 0] += a
                    sums[j, k, 1] += b


@kernel(twin=twin.split_rows, meanwhile=twin.few_listed)
def split_rows(bins, rows, spare, start, end, goes_left):
    """Put the rows of a node whose bin in a column (n,) goes left before the others, in order; return where the others begin."""
    left, right = start, 0
    for i in range(start, end):
        r = rows[i]
        side = goes_left[bins[r]]
        rows[left] = r
        spare[right] = r
        left += side
        right += 1 - side
    for i in range(right):
        rows[left + i] = spare[i]
    return left


@kernel(twin=twin.add_values, meanwhile=twin.few_rows)
def add_values(rows, bounds, values, raw):
    """Add to ``raw`` the value of the leaf of each row; leaf j holds ``rows[bounds[j, 0]:bounds[j, 1]]``."""
    for j in range(values.shape[0]):
        for i in range(bounds[j, 0], bounds[j, 1]):
            raw[rows[i]] += values[j]


@kernel(twin=twin.follow, meanwhile=twin.few_columns)
def follow(columns, first, tests, goes_left, values, raw):
    """Add to ``raw`` (n,) the value of the leaf that each row reaches, whose bins lie in ``columns`` (p, n).

    A tree grows its nodes in an order in which children come after their parents, so one way through the nodes brings all rows down.
    """
    n, m = raw.shape[0], first.shape[0]
    rows, spare, bounds = np.empty(n, np.int32), np.empty(n, np.int32), np.empty((m, 2), np.int64)
    for i in range(n):
        rows[i] = i
    bounds[0, 0], bounds[0, 1] = 0, n
    for node in range(m):
        a, b, left = bounds[node, 0], bounds[node, 1], first[node]
        if left < 0:
            for i in range(a, b):
                raw[rows[i]] += values[node]
        else:
            middle = split_rows(columns[tests[node, 0]], rows, spare, a, b, goes_left[node])
            bounds[left, 0], bounds[left, 1], bounds[left + 1, 0], bounds[left + 1, 1] = a, middle, middle, b


@kernel(twin=twin.draw, meanwhile=twin.whatever)
def draw(allowed, wanted, key):
    """Keep, of the columns that are ``allowed`` (p,), those with the ``wanted`` smallest random keys; of equal ones the first."""
    p = allowed.shape[0]
    keys, m = np.empty(p, np.uint64), 0
    for f in range(p):
        if allowed[f]:
            keys[m] = mix(key + np.uint64(f))
            m += 1
    if wanted >= m:
        return
    last = max(wanted, 1) - 1
    select(keys[:m], np.empty(m, np.uint8), last)  # no one follows the keys
    limit, left = keys[last], wanted
    for i in range(m):
        left -= np.int64(keys[i] < limit)
    for f in range(p):
        if allowed[f]:
            own = mix(key + np.uint64(f))
            if own == limit:
                left -= 1
            if own > limit or (own == limit and left < 0):
                allowed[f] = 0


@kernel
def bounded(G, H, l2, low, high):
    """Return the value of a leaf, -G / (H + l2), kept between its bounds."""
    return min(max(-G / (H + l2 + 1e-15), low), high)


@kernel
def gain_of(g_left, h_left, g_all, h_all, parent, sign, low, high, l2):
    """Return by how much a cut lowers twice the quadratic loss of a node; -1 where it breaks the order of a monotone column."""
    g_right, h_right = g_all - g_left, h_all - h_left
    a, b = bounded(g_left, h_left, l2, low, high), bounded(g_right, h_right, l2, low, high)
    if (sign > 0 and a > b) or (sign < 0 and a < b):
        return -1.0
    return parent - g_left * a - g_right * b


@kernel(error_model="numpy")
def cut_gains(left, m, whole, counts, scales, limits, node, sign, out):
    """Fill ``out[:m]`` with what :func:`gain_of` says of cuts whose left sides are the pairs ``left`` (2, m); 0 where a cut is not allowed.

    No step waits for the one before and none branches, so that several cuts are weighed at once.
    """
    bits, mask = counts[0], counts[1]
    g_unit, h_unit, c_unit = scales[0], scales[1], scales[2]
    least, least_h, l2 = limits[0], limits[1], limits[2]
    g_all, h_all, c_all, parent = whole
    low, high = node[1], node[2]
    constant = h_unit == 0.0
    first, second = left[0], left[1]
    for i in range(m):
        g, c = first[i] * g_unit, (second[i] & mask) * c_unit
        h = c if constant else (second[i] >> bits) * h_unit
        g_right, h_right = g_all - g, h_all - h
        a = min(max(-g / (h + l2 + 1e-15), low), high)
        b = min(max(-g_right / (h_right + l2 + 1e-15), low), high)
        gain = parent - g * a - g_right * b
        fine = (c >= least) & (c_all - c >= least) & (h >= least_h) & (h_right >= least_h)
        fine &= not (((sign > 0) & (a > b)) | ((sign < 0) & (a < b)))
        out[i] = gain if fine else 0.0


@kernel(twin=twin.find_split, meanwhile=twin.whatever)
def find_split(
    sums, total, counts, allowed, n_bins, missing, categorical, monotone, scales, limits, node, best, goes_left, pair
):
    """Find the best cut of a node: fill ``best``, ``goes_left`` (256,), the bins that go left, and ``pair`` (2,), what they add to.

    ``total`` (2,) is the pair of the node; ``counts`` (bits, mask); ``scales`` (gradient, curvature, count); ``limits`` (least
    count, least curvature, l2); ``node`` (value, low, high); ``best`` gets (gain, column, bin, missing left).
    """  # fmt: skip
    bits, mask = counts[0], counts[1]
    g_unit, h_unit, c_unit = scales[0], scales[1], scales[2]
    constant = h_unit == 0.0
    least, least_h, l2 = limits[0], limits[1], limits[2]
    value, low, high = node[0], node[1], node[2]
    g_all, c_all = total[0] * g_unit, (total[1] & mask) * c_unit
    h_all = c_all if constant else (total[1] >> bits) * h_unit
    parent = g_all * value
    tie = FLAT * abs(parent)
    top, column, cut, to_left = 0.0, -1, 0, 0
    order, keys = np.empty(256, np.int64), np.empty(256)
    chosen, n_chosen = np.empty(256, np.int64), 0
    left, gains = np.empty((2, 256), np.int64), np.empty(256)
    for f in range(n_bins.shape[0]):
        if not allowed[f]:
            continue
        m, own, own_cut, own_left = n_bins[f], 0.0, -1, 0
        if categorical[f]:
            used, support = 0, c_all / h_all
            for k in range(m + missing[f]):
                b = k if k < m else MISSING
                c = (sums[f, b, 1] & mask) * c_unit
                h = c if constant else (sums[f, b, 1] >> bits) * h_unit
                if h * support >= SUPPORT:
                    slope, at = sums[f, b, 0] * g_unit / (h + SUPPORT), used
                    while at > 0 and keys[at - 1] > slope:  # to its place among those before
                        order[at], keys[at] = order[at - 1], keys[at - 1]
                        at -= 1
                    order[at], keys[at] = b, slope
                    used += 1
            for backwards in range(2):
                a0, a1 = np.int64(0), np.int64(0)
                for i in range((used + 1) // 2 - backwards if used > 1 else 0):
                    b = order[used - 1 - i if backwards else i]
                    a0 += sums[f, b, 0]
                    a1 += sums[f, b, 1]
                    c_left = (a1 & mask) * c_unit
                    h_left = c_left if constant else (a1 >> bits) * h_unit
                    if c_left < least or h_left < least_h:
                        continue
                    if c_all - c_left < least or h_all - h_left < least_h:
                        break
                    gain = gain_of(a0 * g_unit, h_left, g_all, h_all, parent, monotone[f], low, high, l2)
                    if gain > own:
                        own, own_cut, own_left = gain, i, backwards
            if own > top * (1.0 + FLAT) + tie:
                n_chosen = own_cut + 1
                for i in range(n_chosen):
                    chosen[i] = order[used - 1 - i if own_left else i]
        else:
            for side in range(1 + missing[f]):  # missing cells to the right, then to the left
                a0, a1 = (total[0], total[1]) if side else (np.int64(0), np.int64(0))
                steps = m - 1 + missing[f] - side
                for step in range(steps):
                    if side:
                        a0 -= sums[f, m - 1 - step, 0]
                        a1 -= sums[f, m - 1 - step, 1]
                    else:
                        a0 += sums[f, step, 0]
                        a1 += sums[f, step, 1]
                    left[0, step], left[1, step] = a0, a1
                cut_gains(left, steps, (g_all, h_all, c_all, parent), counts, scales, limits, node, monotone[f], gains)
                peak = 0.0
                for step in range(steps):
                    peak = max(peak, gains[step])
                if peak > own * (1.0 + FLAT) + tie:
                    step = 0
                    while gains[step] < peak * (1.0 - FLAT) - tie:  # the first of those that rounding alone tells apart
                        step += 1
                    own, own_cut, own_left = gains[step], m - 2 - step if side else step, side
        if own > top * (1.0 + FLAT) + tie:
            top, column, cut, to_left = own, f, own_cut, own_left
    if top <= tie:
        top, column, cut, to_left = 0.0, -1, 0, 0
    best[0], best[1], best[2], best[3] = top, column, cut, to_left
    if column < 0:
        return
    goes_left[:] = 0
    if categorical[column]:
        for i in range(n_chosen):
            goes_left[chosen[i]] = 1
        best[3] = goes_left[MISSING]
    else:
        goes_left[: cut + 1] = 1
        goes_left[MISSING] = to_left
    pair[:] = 0
    for b in range(256):
        if goes_left[b]:
            pair[0] += sums[column, b, 0]
            pair[1] += sums[column, b, 1]


@kernel(twin=twin.walk, meanwhile=twin.few_rows, brief=twin.short_walk)
def walk(X, roots, depths, first, feature, threshold, missing_left, set_of, sets, value, outputs, out):
    """Add to ``out`` (n, K) the leaves that the rows reach in each tree; tree t adds to output ``outputs[t]``.

    The children of a node lie side by side from ``first[node]`` on, and a leaf is its own child: so the rows of a strip go down
    in step, and no step waits for another.
    """
    strip = 64
    at = np.empty(strip, np.int64)
    plain = sets.shape[0] == 0
    for s in range(0, X.shape[0], strip):
        m = min(strip, X.shape[0] - s)
        for t in range(roots.shape[0]):
            at[:m] = roots[t]
            k = outputs[t]
            for _ in range(depths[t]):
                if plain:
                    for i in range(m):
                        node = at[i]
                        v = X[s + i, feature[node]]
                        at[i] = first[node] + (not ((v <= threshold[node]) | ((v != v) & missing_left[node])))
                else:
                    for i in range(m):
                        node = at[i]
                        v = X[s + i, feature[node]]
                        j = set_of[node]
                        if v != v or (j >= 0 and not 0 <= v < MISSING):
                            left = missing_left[node]
                        elif j >= 0:
                            left = sets[j, np.int64(v)] != 0
                        else:
                            left = v <= threshold[node]
                        at[i] = first[node] + (not left)
            for i in range(m):
                out[s + i, k] += value[at[i]]
