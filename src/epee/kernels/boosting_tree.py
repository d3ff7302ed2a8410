r"""The trees of one round of boosting in one call, for the rows of a single thread.

The same steps in the same order as :class:`epee.predictors.ensembles.growth.Growth`, which asks for them one by one: histograms are whole
numbers, so both give the same tree to the last bit. A node of a small table takes a few microseconds here, a hundred there. Numbers are
written one by one, and room is made in few kinds, since each kind of expression on arrays takes the compiler a good part of a second.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import boosting_twin as twin
from epee.kernels.boosting import MISSING, draw, fill, find_split, split_rows
from epee.kernels.compiling import kernel

STRIDE = np.uint64(0x94D049BB133111EB)  # between the keys of two nodes


@kernel
def clear(sums, n_bins):
    """Set the histograms of all columns to 0, in the bins that each column has and in that of missing cells."""
    for f in range(n_bins.shape[0]):
        for b in range(n_bins[f]):
            sums[f, b, 0] = 0
            sums[f, b, 1] = 0
        sums[f, MISSING, 0] = 0
        sums[f, MISSING, 1] = 0


@kernel
def grow(
    words,
    columns,
    rows,
    spare,
    pairs,
    n_bins,
    missing,
    categorical,
    monotone,
    counts,
    scales,
    limits,
    shape,
    wanted,
    key,
    pool,
    first,
    tests,
    gains,
    goes_left,
    values,
    totals,
    bounds,
):
    """Grow a tree, best leaf first; return its number of nodes.

    ``shape`` is (most leaves, longest branch); ``wanted`` columns are drawn for a node, all where it is their number; ``pool`` (leaves + 1,
    8 G, 256, 2) is room for histograms. By node: ``first`` child (-1 for a leaf) and depth, ``tests`` (column, bin, missing
    left), ``gains``, the bins that go left, ``values`` (value, low, high), the pair ``totals``, and ``bounds`` of its rows.
    """  # fmt: skip
    bits, mask, joint = counts
    h_unit, c_unit, g_unit = scales[1], scales[2], scales[0]
    least, least_h, l2 = limits
    most, deepest = shape
    p = n_bins.shape[0]
    slot, free = np.empty(first.shape[0], np.int64), np.empty(pool.shape[0], np.int64)
    for i in range(pool.shape[0]):
        free[i] = i
    n_free = pool.shape[0] - 1
    slot[0] = free[n_free]
    first[0, 0], first[0, 1], bounds[0, 0], bounds[0, 1] = -1, 0, 0, rows.shape[0]
    clear(pool[slot[0]], n_bins)
    fill(words, rows, bounds[0, 0], bounds[0, 1], pairs, joint, pool[slot[0]])
    totals[0, 0], totals[0, 1] = pool[slot[0], 0, MISSING, 0], pool[slot[0], 0, MISSING, 1]
    for b in range(n_bins[0]):
        totals[0, 0] += pool[slot[0], 0, b, 0]
        totals[0, 1] += pool[slot[0], 0, b, 1]
    c = (totals[0, 1] & mask) * c_unit
    h = (totals[0, 1] >> bits) * h_unit if h_unit != 0.0 else c
    values[0, 0], values[0, 1], values[0, 2] = -(totals[0, 0] * g_unit) / (h + l2 + 1e-15), -np.inf, np.inf
    best, sides = np.empty(4), np.empty(4)  # sides: counts of both, then curvatures
    left_pairs = np.empty((first.shape[0], 2), np.int64)
    open_, allowed = np.empty(first.shape[0], np.uint8), np.empty(p, np.uint8)
    for i in range(first.shape[0]):
        open_[i] = 0
    size, leaves = 1, 1
    child, k = 0, 0
    fresh = np.empty(2, np.int64)  # the nodes whose cuts are to be found
    fresh[0], n_fresh = 0, 1
    while True:
        for i in range(n_fresh):
            child = fresh[i]
            for f in range(p):
                allowed[f] = 1
            if wanted < p:
                draw(allowed, wanted, key + np.uint64(child) * STRIDE)
            find_split(
                pool[slot[child]],
                totals[child],
                counts,
                allowed,
                n_bins,
                missing,
                categorical,
                monotone,
                scales,
                limits,
                (values[child, 0], values[child, 1], values[child, 2]),
                best,
                goes_left[child],
                left_pairs[child],
            )
            if best[1] >= 0:
                gains[child], open_[child] = best[0], 1
                tests[child, 0], tests[child, 1], tests[child, 2] = (
                    np.int64(best[1]),
                    np.int64(best[2]),
                    np.int64(best[3] != 0),
                )
            else:
                free[n_free] = slot[child]
                n_free += 1
        if leaves >= most:
            break
        k, top = -1, -1.0
        for i in range(size):
            if open_[i] and gains[i] > top:
                k, top = i, gains[i]
        if k < 0:
            break
        left, open_[k] = size, 0
        first[k, 0] = left
        size += 2
        leaves += 1
        column = tests[k, 0]
        middle = split_rows(columns[column], rows, spare, bounds[k, 0], bounds[k, 1], goes_left[k])
        n_fresh = 0
        for s in range(2):
            j = left + s
            first[j, 0], first[j, 1] = -1, first[k, 1] + 1
            for i in range(2):
                totals[j, i] = left_pairs[k, i] if s == 0 else totals[k, i] - left_pairs[k, i]
            c = (totals[j, 1] & mask) * c_unit
            h = (totals[j, 1] >> bits) * h_unit if h_unit != 0.0 else c
            sides[s], sides[2 + s] = c, h
            values[j, 1], values[j, 2] = values[k, 1], values[k, 2]
            values[j, 0] = min(max(-(totals[j, 0] * g_unit) / (h + l2 + 1e-15), values[k, 1]), values[k, 2])
            bounds[j, 0], bounds[j, 1] = (bounds[k, 0], middle) if s == 0 else (middle, bounds[k, 1])
        if monotone[column] != 0:
            below = left if monotone[column] > 0 else left + 1
            between = (values[left, 0] + values[left + 1, 0]) / 2
            values[below, 2] = between
            values[2 * left + 1 - below, 1] = between
        if not missing[column]:  # none were seen: they follow the larger side
            tests[k, 2] = np.int64(sides[0] > sides[1])
            goes_left[k, MISSING] = np.uint8(tests[k, 2])
        for s in range(2):
            if leaves < most and first[k, 1] + 1 < deepest and sides[s] >= 2 * least and sides[2 + s] >= 2 * least_h:
                fresh[n_fresh] = left + s
                n_fresh += 1
        if n_fresh == 0:
            free[n_free] = slot[k]
            n_free += 1
            continue
        small = left if sides[0] <= sides[1] else left + 1
        large = 2 * left + 1 - small
        n_free -= 1
        slot[small], slot[large] = free[n_free], slot[k]
        clear(pool[slot[small]], n_bins)
        fill(words, rows, bounds[small, 0], bounds[small, 1], pairs, joint, pool[slot[small]])
        whole, part = pool[slot[large]], pool[slot[small]]
        for f in range(p):
            for b in range(n_bins[f]):
                whole[f, b, 0] -= part[f, b, 0]
                whole[f, b, 1] -= part[f, b, 1]
            whole[f, MISSING, 0] -= part[f, MISSING, 0]
            whole[f, MISSING, 1] -= part[f, MISSING, 1]
        for j in (small, large):
            if not ((n_fresh > 0 and fresh[0] == j) or (n_fresh > 1 and fresh[1] == j)):
                free[n_free] = slot[j]
                n_free += 1
    return size


@kernel(twin=twin.no_tree, meanwhile=twin.few_grown)
def grow_round(
    words,
    columns,
    chosen,
    rows,
    spare,
    slopes,
    curves,
    copies,
    powers,
    pairs,
    n_bins,
    missing,
    categorical,
    monotone,
    counts,
    count_unit,
    limits,
    shape,
    wanted,
    keys,
    rate,
    pool,
    sizes,
    first,
    tests,
    gains,
    goes_left,
    values,
    totals,
    bounds,
    raw,
):
    """Grow the trees of all K outputs; return K, 0 while it is being compiled: who calls it takes the steps one by one.

    ``slopes`` (K, n) and ``curves`` (K or 1, n; none where the curvature is the count) become whole numbers by the ``powers`` (K, 2);
    ``keys`` (K,) are those of the draws. What :func:`grow` fills has one more axis in front, and ``sizes`` (K,) are the numbers of nodes.
    With a ``rate`` above 0 the values of the leaves are multiplied by it and added to ``raw`` (K, n).
    """
    K, n = slopes.shape
    for k in range(K):
        by_slope, by_curve, varies = powers[k, 0], powers[k, 1], curves.shape[0] > 0
        for i in range(n):
            pairs[i, 0] = np.int64(np.rint(slopes[k, i] * by_slope))
            pairs[i, 1] = copies[i]
        if varies:
            curve = curves[min(k, curves.shape[0] - 1)]
            for i in range(n):
                pairs[i, 1] += np.int64(np.rint(curve[i] * by_curve)) << counts[0]
        for i in range(chosen.shape[0]):
            rows[i] = chosen[i]
        scales = (1.0 / by_slope, 1.0 / by_curve if varies else 0.0, count_unit)
        sizes[k] = grow(
            words, columns, rows, spare, pairs, n_bins, missing, categorical, monotone, counts, scales, limits, shape, wanted, keys[k],
            pool, first[k], tests[k], gains[k], goes_left[k], values[k], totals[k], bounds[k],
        )  # fmt: skip
        if rate > 0.0:
            for j in range(sizes[k]):
                if first[k, j, 0] < 0:
                    values[k, j, 0] *= rate
                    for i in range(bounds[k, j, 0], bounds[k, j, 1]):
                        raw[k, rows[i]] += values[k, j, 0]
    return K
