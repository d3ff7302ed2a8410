r"""The best split of a column of categories.

For two classes, or a number to predict, the best of all subsets of levels is a prefix of the levels ordered by their mean
(Breiman et al., 1984, 4.2.2). With three classes or more all subsets are tried up to ten levels, in Gray's order, which
changes one level at a time; beyond that, the prefixes of the orders by the share of each class.
"""

from __future__ import annotations

from math import log

import numpy as np

from epee.kernels import trees_twin as twin
from epee.kernels.compiling import kernel
from epee.kernels.trees_split import ABSOLUTE, ENTROPY, GINI, MOST_LEVELS, NOTHING, POISSON, ROW, bits, xlogx


@kernel
def impurity_of(criterion, counts, W):
    """Return the weighted impurity W I of class weights."""
    total = 0.0
    for k in range(counts.shape[0]):
        if criterion == GINI:
            total += counts[k] * counts[k]
        elif criterion == ENTROPY:
            total += bits(counts[k])
        else:
            total = max(total, counts[k])
    if criterion == GINI:
        return W - total / W
    return bits(W) - total if criterion == ENTROPY else W - total


@kernel
def spread_around_median(y, w):
    """Return the median and the sum of absolute deviations from it."""
    order = np.argsort(y, kind="mergesort")
    half, below = 0.0, 0.0
    for t in range(y.shape[0]):
        half += w[t] / 2.0
    median = y[order[-1]]
    for t in range(y.shape[0]):
        below += w[order[t]]
        if below >= half:
            median = y[order[t]]
            if below == half and t + 1 < y.shape[0]:
                median = (median + y[order[t + 1]]) / 2.0
            break
    spread = 0.0
    for t in range(y.shape[0]):
        spread += w[t] * abs(y[t] - median)
    return median, spread


@kernel(twin=twin.level_sums)
def level_sums(seg, data, mu, weight, count, total, table):
    """Add up, for each level (L,), the weights, the counts, the values around ``mu`` and the weights of the classes (L, K)."""
    K = table.shape[1]  # 1 without classes, and then not looked at
    for t in range(seg.shape[0]):
        i, level = seg[t] & ROW, seg[t] >> 32
        wi = data.w[i]
        weight[level] += wi
        count[level] += data.c[i]
        total[level] += wi * (data.y[i] - mu)
        if K > 1:
            table[level, data.codes[i]] += wi


@kernel
def sweep_levels(seg, only, data, rules, W, mu, impurity, totals, best, tol, chosen, scale):
    """Return gain of the best set of levels above ``best``, written to ``chosen`` (levels,) as ones on the left; else -inf."""
    L, K = chosen.shape[0], rules.K
    many = K > 2 or (K == 2 and rules.criterion != GINI)
    weight, count, total = np.zeros(L), np.zeros(L), np.zeros(L)
    table = np.zeros((L, max(K, 1)))
    level_sums(seg, data, mu, weight, count, total, table)
    present, s, all_count, found = np.empty(L, dtype=np.int64), 0, 0.0, -np.inf
    for level in range(L):
        all_count += count[level]
        if weight[level] > 0.0:
            present[s] = level
            s += 1
    if s < 2:
        return found
    inside, outside = np.zeros(max(K, 1)), np.zeros(max(K, 1))
    if many and s <= MOST_LEVELS and only < 0 and K > 2:
        taken = np.zeros(s, dtype=np.uint8)
        wl, nl = 0.0, 0.0
        for code in range(1, 2 ** (s - 1)):
            bit = 0
            while (code >> bit) & 1 == 0:
                bit += 1
            level = present[bit + 1]  # the first level stays on the right
            taken[bit + 1] = 1 - taken[bit + 1]
            step = 1.0 if taken[bit + 1] else -1.0
            for k in range(K):
                inside[k] += step * table[level, k]
                outside[k] = totals[k] - inside[k]
            wl += step * weight[level]
            nl += step * count[level]
            wr = W - wl
            if min(wl, wr) < max(rules.min_weight, 1e-300):
                continue
            if rules.counted and min(nl, all_count - nl) < rules.min_leaf:
                continue
            gain = impurity - impurity_of(rules.criterion, inside, wl) - impurity_of(rules.criterion, outside, wr)
            if gain > best + tol:
                best = found = gain
                chosen[:] = 0
                for j in range(s):
                    chosen[present[j]] = taken[j]
        return found
    orders = K if many and K > 2 else 1
    for o in range(orders):
        keys = np.empty(s)
        for j in range(s):
            level = present[j]
            if K > 0 and many:
                keys[j] = table[level, o if K > 2 else 1] / weight[level]
            else:
                keys[j] = total[level] / weight[level]
        by_key = np.argsort(keys, kind="mergesort")
        order = np.empty(s, dtype=np.int64)
        for j in range(s):
            order[j] = present[by_key[j]]
        wl, nl, d = 0.0, 0.0, 0.0
        inside[:] = 0.0
        for j in range(s - 1):
            level = order[j]
            for k in range(K):
                inside[k] += table[level, k]
                outside[k] = totals[k] - inside[k]
            wl += weight[level]
            nl += count[level]
            d += total[level]
            wr = W - wl
            if (only >= 0 and j != only % (s - 1)) or min(wl, wr) < rules.min_weight:
                continue
            if rules.counted and min(nl, all_count - nl) < rules.min_leaf:
                continue
            if many:
                gain = impurity - impurity_of(rules.criterion, inside, wl) - impurity_of(rules.criterion, outside, wr)
            elif rules.criterion == POISSON:
                a, b = d + wl * mu, wr * mu - d
                if min(a, b) <= NOTHING * W * mu:
                    continue
                gain = a * log(a / wl) + b * log(b / wr) - xlogx(mu) * W
            elif rules.criterion == ABSOLUTE:
                gain = impurity - absolute_sides(seg, order[: j + 1], L, data)
            else:
                gain = scale * d * d * W / (wl * wr)
            if gain > best + tol:
                best = found = gain
                chosen[:] = 0
                for i in range(j + 1):
                    chosen[order[i]] = 1
    return found


@kernel
def absolute_sides(seg, levels, L, data):
    """Return the sum of absolute deviations on both sides of a split of levels."""
    left = np.zeros(L, dtype=np.uint8)
    for level in levels:
        left[level] = 1
    total = 0.0
    for side in range(2):
        rows = np.empty(seg.shape[0], dtype=np.int64)
        m = 0
        for t in range(seg.shape[0]):
            if left[seg[t] >> 32] == side:
                rows[m] = seg[t] & ROW
                m += 1
        y, w = np.empty(m), np.empty(m)
        for t in range(m):
            y[t], w[t] = data.y[rows[t]], data.w[rows[t]]
        total += spread_around_median(y, w)[1]
    return total
