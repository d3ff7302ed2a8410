r"""The best split of a node that answers several questions at once.

The impurity of a node is the mean of the impurities of its outputs, so a cut is scored by the mean over outputs of the gains of
:mod:`epee.kernels.trees_split`. Sums over classes of squares, or of :math:`c \log c`, add over outputs: one number a side is enough.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.trees_levels import impurity_of, spread_around_median
from epee.kernels.trees_split import ABSOLUTE, ENTROPY, GINI, NOTHING, POISSON, ROW, add_to, bits, deviation, xlogx


class Several(NamedTuple):
    """The outputs of the rows."""

    values: Any  # (n, outputs) numbers; without rows where there are classes
    codes: Any  # (n, outputs) classes; without rows where there are numbers
    starts: Any  # (outputs + 1,) where the classes of each output start in the values of a node


@kernel
def describe_several(seg, go, side, data, rules, nodes, node, several):
    """Fill the statistics of the node made of the rows of ``seg`` that go to ``side`` (all if -1)."""
    K, value, m = rules.K, nodes.value[node], several.starts.shape[0] - 1
    W, count, rows = 0.0, 0.0, 0
    value[:] = 0.0
    for t in range(seg.shape[0]):
        i = seg[t] & ROW
        if side < 0 or go[i] == side:
            wi = data.w[i]
            W += wi
            count += data.c[i]
            rows += 1
            for o in range(m):
                if K > 0:
                    value[several.starts[o] + several.codes[i, o]] += wi
                else:
                    value[o] += wi * several.values[i, o]
    nodes.weight[node], nodes.count[node], nodes.rows[node] = W, count, rows
    total = 0.0
    if K > 0:
        for o in range(m):
            total += impurity_of(rules.criterion, value[several.starts[o] : several.starts[o + 1]], W)
        nodes.impurity[node] = max(total / W / m, 0.0)
        return
    y, w = np.empty(rows), np.empty(rows)
    for o in range(m):
        value[o] /= W
        r = 0
        for t in range(seg.shape[0]):
            i = seg[t] & ROW
            if side < 0 or go[i] == side:
                y[r], w[r] = several.values[i, o], data.w[i]
                r += 1
        if rules.criterion == ABSOLUTE:
            value[o], spread = spread_around_median(y, w)
            total += spread
        elif rules.criterion == POISSON:
            for t in range(rows):
                total += w[t] * xlogx(y[t])
            total -= W * xlogx(value[o])
        else:
            for t in range(rows):
                total += w[t] * (y[t] - value[o]) ** 2
    nodes.impurity[node] = max(total / W / m, 0.0)


@kernel
def add_deviations(seg, m, left_missing, y, w, out):
    """Add to ``out`` (m,) the absolute deviations from both medians when the rows up to each one are on the left."""
    size = seg.shape[0]
    mine = np.empty(size)
    for t in range(size):
        mine[t] = y[seg[t] & ROW]
    by_y = np.argsort(mine, kind="mergesort")
    ladder, place = np.empty(size), np.empty(size, dtype=np.int64)
    for t in range(size):
        ladder[t] = mine[by_y[t]]
        place[by_y[t]] = t
    tree, sums, Ws, Ss = np.zeros((2, size + 1)), np.zeros((2, size + 1)), np.zeros(2), np.zeros(2)
    for t in range(size):
        i, side = seg[t] & ROW, 0 if left_missing and t >= m else 1
        add_to(tree[side], sums[side], place[t], w[i], w[i] * y[i])
        Ws[side] += w[i]
        Ss[side] += w[i] * y[i]
    for t in range(m):
        i = seg[t] & ROW
        for side in range(2):
            s = 1.0 - 2.0 * side
            add_to(tree[side], sums[side], place[t], s * w[i], s * w[i] * y[i])
            Ws[side] += s * w[i]
            Ss[side] += s * w[i] * y[i]
        if t + 1 < m and seg[t + 1] >> 32 != seg[t] >> 32:
            for side in range(2):
                out[t] += deviation(tree[side], sums[side], ladder, Ws[side], Ss[side])[1]


@kernel
def sweep_several(seg, m, left_missing, only, data, rules, several, value, W, impurity, best, tol, left):
    """Sweep a column; return (gain, rows on the left) of the best cut above ``best``. ``left`` is room like ``value``."""
    size, K, outputs = seg.shape[0], rules.K, several.starts.shape[0] - 1
    w, c, codes, starts = data.w, data.c, several.codes, several.starts
    left[:] = 0.0
    wl, count, total, cut = 0.0, 0.0, 0.0, -1
    apart = np.zeros(m if rules.criterion == ABSOLUTE else 0)
    if rules.criterion == ABSOLUTE:
        for o in range(outputs):
            add_deviations(seg, m, left_missing, several.values[:, o], w, apart)
    for t in range(size):
        total += c[seg[t] & ROW]
    if left_missing:
        for t in range(m, size):
            i = seg[t] & ROW
            wl += w[i]
            count += c[i]
            for o in range(outputs):
                if K > 0:
                    left[starts[o] + codes[i, o]] += w[i]
                else:
                    left[o] += w[i] * (several.values[i, o] - value[o])
    a, b = 0.0, 0.0  # sums over classes on the left and on the right: of squares, or of c log c
    if K > 0:
        for k in range(value.shape[0]):
            r = value[k] - left[k]
            a += left[k] * left[k] if rules.criterion == GINI else bits(left[k])
            b += r * r if rules.criterion == GINI else bits(r)
    for t in range(m):
        i = seg[t] & ROW
        wi = w[i]
        wl += wi
        count += c[i]
        for o in range(outputs):
            if K == 0:
                left[o] += wi * (several.values[i, o] - value[o])
                continue
            k = starts[o] + codes[i, o]
            before, after = left[k], left[k] + wi
            left[k] = after
            if rules.criterion == GINI:
                a += wi * (before + after)
                b -= wi * (2.0 * value[k] - before - after)
            elif rules.criterion == ENTROPY:
                a += bits(after) - bits(before)
                b += bits(value[k] - after) - bits(value[k] - before)
        if t + 1 < m:
            if seg[t + 1] >> 32 == seg[t] >> 32:
                continue
        elif left_missing or m == size:
            break
        wr = W - wl
        if (only >= 0 and t != only) or wl < rules.min_weight or wr < rules.min_weight:
            continue
        if rules.counted and (count < rules.min_leaf or total - count < rules.min_leaf):
            continue
        gain, empty = 0.0, False
        if K > 0:
            if rules.criterion == GINI:
                rest = outputs * (wl + wr) - a / wl - b / wr
            elif rules.criterion == ENTROPY:
                rest = outputs * (bits(wl) + bits(wr)) - a - b
            else:
                rest = outputs * (wl + wr)
                for o in range(outputs):
                    u, v = 0.0, 0.0
                    for k in range(starts[o], starts[o + 1]):
                        u = max(u, left[k])
                        v = max(v, value[k] - left[k])
                    rest -= u + v
            gain = impurity - rest / outputs
        elif rules.criterion == ABSOLUTE:
            gain = impurity - apart[t] / outputs
        else:
            for o in range(outputs):
                if rules.criterion == POISSON:
                    x, y = left[o] + wl * value[o], wr * value[o] - left[o]  # the sums of both sides
                    if min(x, y) <= NOTHING * W * value[o]:
                        empty = True
                        break
                    gain += x * log(x / wl) + y * log(y / wr) - xlogx(value[o]) * W
                else:
                    gain += left[o] * left[o] * W / (wl * wr)
            gain /= outputs
        if not empty and gain > best + tol:
            best, cut = gain, t + 1
    return best, cut
