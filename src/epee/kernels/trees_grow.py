"""The growth of a tree, depth first.

Two tables of orders take turns: a node of even depth reads the first and writes its children to the second, each column keeping
its order, so that nothing is ever sorted again. A node smaller than ``defer`` rows is left for later: such subtrees
share no rows and grow in threads.

What a tree does not need is not compiled: ``levels`` is None without categorical columns, ``medians`` None unless errors are
absolute and ``several`` None for one output, and numba drops the branches of a None before it looks into them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from epee.kernels import trees_twin as twin
from epee.kernels.compiling import kernel
from epee.kernels.trees_levels import impurity_of, spread_around_median, sweep_levels
from epee.kernels.trees_several import describe_several, sweep_several
from epee.kernels.trees_split import (
    GINI,
    POISSON,
    ROW,
    mix,
    sweep_absolute,
    sweep_classes,
    sweep_values,
    xlogx,
)


class Nodes(NamedTuple):
    """Room for the nodes of a tree; a leaf has no children (-1)."""

    left: Any
    right: Any
    feature: Any
    missing_left: Any
    rows: Any
    threshold: Any
    impurity: Any
    weight: Any
    count: Any
    gain: Any
    low: Any  # bounds of the value, from monotone columns above
    high: Any
    value: (
        Any  # (nodes, K) class weights, those of all outputs side by side, or (nodes, outputs) the means or the medians
    )
    sets: Any  # (nodes, levels) ones for the levels that go left


@kernel
def uniform(key):
    """Return a number in [0, 1) from a key."""
    return np.float64(mix(key) >> np.uint64(11)) / 9007199254740992.0


@kernel
def find_split(order, s, e, data, rules, nodes, node, key, left, levels, best_levels, medians, several):
    """Return (gain, column, rows on the left, missing to the left, threshold) of the best split of a node; column -1 if none."""
    p, K = order.shape[0], rules.K
    W, impurity = nodes.weight[node], nodes.impurity[node] * nodes.weight[node]
    value = nodes.value[node]
    by_values = several is None and (K == 0 or (K == 2 and rules.criterion == GINI))
    scale = 1.0 if K == 0 else 2.0
    mu = value[0] if K == 0 else (value[1] / W if K == 2 else 0.0)
    tol = 1e-12 * impurity + (0.0 if by_values else 1e-13 * W)
    best, column, cut, to_left, threshold = -np.inf, -1, -1, 0, 0.0
    columns = np.arange(p)
    seen = 0
    for j in range(p):
        if rules.max_features < p:
            key = mix(key)
            other = j + np.int64(key % np.uint64(p - j))
            columns[j], columns[other] = columns[other], columns[j]
        f = columns[j]
        seg = order[f, s:e]
        m, absent = e - s, data.missing[f]
        if absent >= 0 and data.categorical[f] == 0:
            while m > 0 and seg[m - 1] >> 32 == absent:
                m -= 1
        if m == 0 or (seg[0] >> 32 == seg[m - 1] >> 32 and m == e - s):
            continue
        seen += 1
        only, at = -1, 0.0
        if rules.random:
            key = mix(key)
            if data.categorical[f]:
                only = np.int64(key % np.uint64(1 << 30))  # type: ignore[assignment]
            else:
                first, last = (
                    data.values[data.offsets[f] + (seg[0] >> 32)],
                    data.values[data.offsets[f] + (seg[m - 1] >> 32)],
                )
                at = first + uniform(key) * (last - first)
                a, b = 0, m
                while b - a > 1:
                    middle = (a + b) >> 1
                    if data.values[data.offsets[f] + (seg[middle] >> 32)] <= at:
                        a = middle
                    else:
                        b = middle
                only = a
        sign, low, high = data.monotone[f], nodes.low[node], nodes.high[node]
        if levels is not None and data.categorical[f]:
            size = data.offsets[f + 1] - data.offsets[f] + (1 if absent >= 0 else 0)
            gain = sweep_levels(seg, only, data, rules, W, mu, impurity, value, best, tol, levels[:size], scale)
            if gain > best:
                best, column, cut = gain, f, 0
                for level in range(size):
                    best_levels[level] = levels[level]
        else:
            for side in range(2 if m < e - s else 1):
                if several is not None:
                    gain, c = sweep_several(
                        seg, m, side == 1, only, data, rules, several, value, W, impurity, best, tol, left
                    )
                elif medians is not None:
                    gain, c = sweep_absolute(
                        seg, m, side == 1, only, data, rules, W, impurity, sign, low, high, best, tol
                    )
                elif by_values:
                    gain, c = sweep_values(
                        seg, m, side == 1, only, data, rules, W, mu, sign, low, high, best, tol, scale
                    )
                else:
                    gain, c = sweep_classes(seg, m, side == 1, only, data, rules, value, W, impurity, best, tol, left)
                if c >= 0:
                    best, column, cut, to_left = gain, f, c, side
                    if c == m:
                        threshold = np.inf
                    elif rules.random:
                        threshold = at
                    else:
                        u, v = (
                            data.values[data.offsets[f] + (seg[c - 1] >> 32)],
                            data.values[data.offsets[f] + (seg[c] >> 32)],
                        )
                        threshold = u / 2.0 + v / 2.0
                        if not u <= threshold < v:
                            threshold = u
        if seen == rules.max_features:
            break
    return best, column, cut, to_left, threshold


@kernel(twin=twin.describe, small=twin.few_rows, meanwhile=twin.bearable_rows)
def describe(seg, go, side, data, rules, nodes, node, medians, several):
    """Fill the statistics of the node made of the rows of ``seg`` that go to ``side`` (all if -1)."""
    if several is not None:
        describe_several(seg, go, side, data, rules, nodes, node, several)
        return
    K, value = rules.K, nodes.value[node]
    W, count, rows, total = 0.0, 0.0, 0, 0.0
    value[:] = 0.0
    for t in range(seg.shape[0]):
        i = seg[t] & ROW
        if side < 0 or go[i] == side:
            wi = data.w[i]
            W += wi
            count += data.c[i]
            rows += 1
            if K > 0:
                value[data.codes[i]] += wi
            else:
                total += wi * data.y[i]
    nodes.weight[node], nodes.count[node], nodes.rows[node] = W, count, rows
    if K > 0:
        nodes.impurity[node] = max(impurity_of(rules.criterion, value, W) / W, 0.0)
        return
    mu = total / W
    if medians is not None:
        y, w, m = np.empty(rows), np.empty(rows), 0
        for t in range(seg.shape[0]):
            i = seg[t] & ROW
            if side < 0 or go[i] == side:
                y[m], w[m] = data.y[i], data.w[i]
                m += 1
        value[0], spread = spread_around_median(y, w)
        nodes.impurity[node] = spread / W
        return
    spread = 0.0
    for t in range(seg.shape[0]):
        i = seg[t] & ROW
        if side < 0 or go[i] == side:
            spread += data.w[i] * (xlogx(data.y[i]) if rules.criterion == POISSON else (data.y[i] - mu) ** 2)
    value[0] = mu
    nodes.impurity[node] = max((spread / W - xlogx(mu)) if rules.criterion == POISSON else spread / W, 0.0)


@kernel
def is_final(rules, nodes, node, depth):
    """Tell whether the stopping rules make a node a leaf before any split is sought."""
    return (
        depth >= rules.max_depth
        or nodes.rows[node] < 2
        or (rules.counted and (nodes.count[node] < rules.min_split or nodes.count[node] < 2 * rules.min_leaf))
        or nodes.weight[node] < 2 * rules.min_weight
        or nodes.impurity[node] <= rules.pure
    )


@kernel(twin=twin.grow, small=twin.few, meanwhile=twin.bearable)
def grow(
    orders, go, data, rules, nodes, start, end, turn, depth, key, defer, later, later_keys, levels, best_levels, medians,
    several,
):  # fmt: skip
    """Grow the tree below the node 0, described already; return how many nodes it has and how many are left for later."""
    p = orders.shape[1]
    left_counts = np.zeros(nodes.value.shape[1])
    stack = np.empty((end - start + 2, 5), dtype=np.int64)
    keys = np.empty(end - start + 2, dtype=np.uint64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, start, end, turn, depth
    keys[0] = key
    height, size, put_off = 1, 1, 0
    while height > 0:
        height -= 1
        node, s, e = stack[height, 0], stack[height, 1], stack[height, 2]
        turn, depth = stack[height, 3], stack[height, 4]
        key = keys[height]
        if is_final(rules, nodes, node, depth):
            continue
        if e - s < defer:
            for j in range(5):
                later[put_off, j] = stack[height, j]
            later_keys[put_off] = key
            put_off += 1
            continue
        gain, f, cut, to_left, threshold = find_split(
            orders[turn],
            s,
            e,
            data,
            rules,
            nodes,
            node,
            key,
            left_counts,
            levels,
            best_levels,
            medians,
            several,
        )
        if f < 0 or (rules.min_decrease > 0.0 and gain * (1.0 + 1e-12) < rules.min_decrease):
            continue
        seg = orders[turn, f, s:e]
        if best_levels is not None and data.categorical[f]:
            for t in range(e - s):
                go[seg[t] & ROW] = best_levels[seg[t] >> 32]
        else:
            m = e - s
            absent = data.missing[f]
            if absent >= 0:
                while seg[m - 1] >> 32 == absent:
                    m -= 1
            for t in range(e - s):
                go[seg[t] & ROW] = t < cut if t < m else to_left
        left, right = size, size + 1
        size += 2
        for side in range(2):
            describe(seg, go, 1 - side, data, rules, nodes, np.int64(left + side), medians, several)
        heavier_left = nodes.weight[left] > nodes.weight[right]
        nodes.left[node], nodes.right[node], nodes.feature[node], nodes.threshold[node] = left, right, f, threshold
        nodes.gain[node] = gain
        if best_levels is not None and data.categorical[f]:
            width = data.offsets[f + 1] - data.offsets[f]
            for level in range(nodes.sets.shape[1]):
                nodes.sets[node, level] = heavier_left  # a level that is not here follows the heavier side
            for t in range(e - s):
                if seg[t] >> 32 < width:
                    nodes.sets[node, seg[t] >> 32] = best_levels[seg[t] >> 32]
            nodes.threshold[node] = np.nan
            nodes.missing_left[node] = best_levels[width] if seg[e - s - 1] >> 32 == width else heavier_left
        else:
            nodes.missing_left[node] = to_left if m < e - s else heavier_left
        low, high = nodes.low[node], nodes.high[node]
        nodes.low[left] = nodes.low[right] = low
        nodes.high[left] = nodes.high[right] = high
        if data.monotone[f] != 0:
            if rules.K == 2:
                middle = (nodes.value[left, 1] / nodes.weight[left] + nodes.value[right, 1] / nodes.weight[right]) / 2.0
            else:
                middle = (nodes.value[left, 0] + nodes.value[right, 0]) / 2.0
            up, down = (left, right) if data.monotone[f] > 0 else (right, left)
            nodes.high[up] = middle
            nodes.low[down] = middle
        if is_final(rules, nodes, left, depth + 1) and is_final(rules, nodes, right, depth + 1):
            continue
        n_left = nodes.rows[left]
        for f in range(p):
            source, target = orders[turn, f, s:e], orders[1 - turn, f, s:e]
            a, b = 0, n_left
            for t in range(e - s):
                entry = source[t]
                side = np.int64(go[entry & ROW])  # type: ignore[assignment]
                target[a if side else b] = entry
                a += side
                b += 1 - side
        stack[height, 0], stack[height, 1], stack[height, 2], stack[height, 3], stack[height, 4] = (
            right, s + n_left, e, 1 - turn, depth + 1,
        )  # fmt: skip
        keys[height] = mix(key + np.uint64(2))
        height += 1
        stack[height, 0], stack[height, 1], stack[height, 2], stack[height, 3], stack[height, 4] = (
            left, s, s + n_left, 1 - turn, depth + 1,
        )  # fmt: skip
        keys[height] = mix(key + np.uint64(1))
        height += 1
    return size, put_off
