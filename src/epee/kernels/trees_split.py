r"""The best split of a node.

Each row of the table of orders lists the rows of a node by one column, packed as ``rank << 32 | row``; equal values have equal
ranks, missing cells the last one. A sweep moves the rows to the left one by one and scores every cut between two ranks by
the decrease of the weighted impurity

.. math:: D = W I - W_L I_L - W_R I_R, \qquad W I = \begin{cases}
          W - \sum_k c_k^2 / W & \text{Gini} \\ W \log_2 W - \sum_k c_k \log_2 c_k & \text{entropy} \\
          W - \max_k c_k & \text{error} \\ \sum_i w_i (y_i - \mu)^2 & \text{squared} \\
          \sum_i w_i |y_i - \mathrm{med}| & \text{absolute} \\ -S \log(S / W) & \text{Poisson, up to a constant.}
          \end{cases}

For squares, and for Gini with two classes (twice the variance of the label), :math:`D = d^2 W / (W_L W_R)` with
:math:`d = \sum_L w_i (y_i - \mu)`, which cancels nothing. A tie goes to what was seen first: the lowest column, then the
lowest threshold, then missing cells to the right.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np

from epee.kernels.compiling import kernel

GINI, ENTROPY, ERROR, SQUARED, ABSOLUTE, POISSON = range(6)
NOTHING = 1e-10  # a share of the counts of a node that is rounding: no Poisson leaf may say 0
ROW = (1 << 32) - 1  # the bits of a packed entry that hold the row
MOST_LEVELS = 10  # with three classes or more, all subsets of so few levels are tried


class Data(NamedTuple):
    """What is split: targets, weights and columns."""

    y: Any  # (n,) values, or labels as numbers for two classes
    codes: Any  # (n,) classes
    w: Any  # (n,) weights in the impurity
    c: Any  # (n,) counts for the stopping rules
    values: Any  # the distinct values of all columns, one column after the other
    offsets: Any  # (p + 1,) where each column starts
    missing: Any  # (p,) rank of a missing cell, -1 if there is none
    categorical: Any  # (p,)
    monotone: Any  # (p,) -1, 0, 1


class Rules(NamedTuple):
    """How it is split."""

    criterion: int
    K: int  # classes; 0 for a regression
    unit: bool  # all weights are one
    counted: bool  # min_leaf and min_split ask for more than any split has
    min_split: float
    min_leaf: float
    min_weight: float
    max_depth: int
    max_features: int
    random: bool
    min_decrease: float
    pure: float  # impurity below which a node is pure


@kernel
def mix(key):
    """Return splitmix64 of a key: the random numbers of a node depend on its place only."""
    key = np.uint64(key) + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@kernel
def xlogx(x):
    """Return x log x, and 0 at 0."""
    return x * log(x) if x > 0.0 else 0.0


@kernel
def bits(x):
    """Return x log x in base 2: entropy is in bits, as scikit-learn's."""
    return xlogx(x) * 1.4426950408889634


@kernel
def allowed(left, right, sign, low, high):
    """Tell whether the values of two children respect a monotone column and the bounds set above."""
    return (left - right) * sign <= 0.0 and low <= left <= high and low <= right <= high


@kernel
def sweep_values(seg, m, left_missing, only, data, rules, W, mu, sign, low, high, best, tol, scale):
    """Sweep a column for squares, Poisson or two-class Gini; return (gain, rows on the left) of the best cut above ``best``."""
    size = seg.shape[0]
    y, w, c = data.y, data.w, data.c
    wl, d, count, cut = 0.0, 0.0, 0.0, -1
    total = 0.0
    if rules.counted:
        for t in range(size):
            total += c[seg[t] & ROW]
    if left_missing:
        for t in range(m, size):
            i = seg[t] & ROW
            wi = 1.0 if rules.unit else w[i]
            wl += wi
            d += wi * (y[i] - mu)
            count += c[i]
    poisson = rules.criterion == POISSON
    base = xlogx(mu) * W if poisson else 0.0
    for t in range(m):
        entry = seg[t]
        i = entry & ROW
        wi = 1.0 if rules.unit else w[i]
        wl += wi
        d += wi * (y[i] - mu)
        if rules.counted:
            count += c[i]
        if t + 1 < m:
            if seg[t + 1] >> 32 == entry >> 32:
                continue
        elif left_missing or m == size:
            break
        if only >= 0 and t != only:
            continue
        wr = W - wl
        if wl < rules.min_weight or wr < rules.min_weight:
            continue
        if rules.counted and (count < rules.min_leaf or total - count < rules.min_leaf):
            continue
        if poisson:
            a, b = d + wl * mu, wr * mu - d  # the sums of both sides
            if min(a, b) <= NOTHING * W * mu:
                continue
            gain = a * log(a / wl) + b * log(b / wr) - base
        else:
            gain = scale * d * d * W / (wl * wr)
        if gain > best + tol and (sign == 0 or allowed(mu + d / wl, mu - d / wr, sign, low, high)):
            best, cut = gain, t + 1
    return best, cut


@kernel
def sweep_classes(seg, m, left_missing, only, data, rules, totals, W, impurity, best, tol, left):
    """Sweep a column for any criterion on K classes; ``left`` (K,) is room to count in."""
    size, K = seg.shape[0], rules.K
    codes, w, c = data.codes, data.w, data.c
    left[:] = 0.0
    wl, count, total, cut = 0.0, 0.0, 0.0, -1
    if rules.counted:
        for t in range(size):
            total += c[seg[t] & ROW]
    if left_missing:
        for t in range(m, size):
            i = seg[t] & ROW
            wi = 1.0 if rules.unit else w[i]
            left[codes[i]] += wi
            wl += wi
            count += c[i]
    a, b = 0.0, 0.0  # sums over classes on the left and on the right: of squares, or of c log c
    for k in range(K):
        r = totals[k] - left[k]
        if rules.criterion == GINI:
            a += left[k] * left[k]
            b += r * r
        elif rules.criterion == ENTROPY:
            a += bits(left[k])
            b += bits(r)
    for t in range(m):
        entry = seg[t]
        i = entry & ROW
        wi = 1.0 if rules.unit else w[i]
        k = codes[i]
        before, after = left[k], left[k] + wi
        left[k] = after
        wl += wi
        if rules.criterion == GINI:
            a += wi * (before + after)
            b -= wi * (2.0 * totals[k] - before - after)
        elif rules.criterion == ENTROPY:
            a += bits(after) - bits(before)
            b += bits(totals[k] - after) - bits(totals[k] - before)
        if rules.counted:
            count += c[i]
        if t + 1 < m:
            if seg[t + 1] >> 32 == entry >> 32:
                continue
        elif left_missing or m == size:
            break
        if only >= 0 and t != only:
            continue
        wr = W - wl
        if wl < rules.min_weight or wr < rules.min_weight:
            continue
        if rules.counted and (count < rules.min_leaf or total - count < rules.min_leaf):
            continue
        if rules.criterion == GINI:
            gain = impurity - (wl - a / wl) - (wr - b / wr)
        elif rules.criterion == ENTROPY:
            gain = impurity - (bits(wl) - a) - (bits(wr) - b)
        else:
            u, v = 0.0, 0.0
            for j in range(K):
                u = max(u, left[j])
                v = max(v, totals[j] - left[j])
            gain = impurity - (wl - u) - (wr - v)
        if gain > best + tol:
            best, cut = gain, t + 1
    return best, cut


@kernel
def add_to(tree, sums, at, w, wy):
    """Add to a binary indexed tree of weights and of weighted values."""
    at += 1
    while at < tree.shape[0]:
        tree[at] += w
        sums[at] += wy
        at += at & -at


@kernel
def descend(tree, sums, goal, inclusive):
    """Return how many entries of a binary indexed tree come before the total ``goal``, with their weight and sum."""
    at, below, sum_below = 0, 0.0, 0.0
    step = 1
    while step * 2 < tree.shape[0]:
        step *= 2
    while step > 0:
        if at + step < tree.shape[0]:
            reached = below + tree[at + step]
            if reached < goal or (inclusive and reached == goal):
                at += step
                below = reached
                sum_below += sums[at]
        step >>= 1
    return at, below, sum_below


@kernel
def deviation(tree, sums, ladder, W, S):
    """Return the median of what a binary indexed tree holds, and the sum of absolute deviations from it."""
    first, below, sum_below = descend(tree, sums, W / 2.0, False)
    last, _, _ = descend(tree, sums, W / 2.0, True)
    low = ladder[first]  # any point between the two central values has the same deviations
    return (low + ladder[min(last, ladder.shape[0] - 1)]) / 2.0, low * below - sum_below + (S - sum_below) - low * (
        W - below
    )


@kernel
def sweep_absolute(seg, m, left_missing, only, data, rules, W, impurity, sign, low, high, best, tol):
    """Sweep a column for absolute errors: binary indexed trees over the ranks of y hold both sides."""
    size = seg.shape[0]
    y, w, c = data.y, data.w, data.c
    mine = np.empty(size)
    for t in range(size):
        mine[t] = y[seg[t] & ROW]
    by_y = np.argsort(mine, kind="mergesort")
    ladder, place = np.empty(size), np.empty(size, dtype=np.int64)
    for t in range(size):
        ladder[t] = mine[by_y[t]]
        place[by_y[t]] = t
    tree, sums = np.zeros((2, size + 1)), np.zeros((2, size + 1))
    Ws, Ss, counts = np.zeros(2), np.zeros(2), np.zeros(2)
    for t in range(size):
        i = seg[t] & ROW
        side = 0 if left_missing and t >= m else 1
        add_to(tree[side], sums[side], place[t], w[i], w[i] * y[i])
        Ws[side] += w[i]
        Ss[side] += w[i] * y[i]
        counts[side] += c[i]
    cut = -1
    for t in range(m):
        i = seg[t] & ROW
        for side in range(2):
            s = 1.0 - 2.0 * side
            add_to(tree[side], sums[side], place[t], s * w[i], s * w[i] * y[i])
            Ws[side] += s * w[i]
            Ss[side] += s * w[i] * y[i]
            counts[side] += s * c[i]
        if t + 1 < m:
            if seg[t + 1] >> 32 == seg[t] >> 32:
                continue
        elif left_missing or m == size:
            break
        if (only >= 0 and t != only) or Ws[0] < rules.min_weight or Ws[1] < rules.min_weight:
            continue
        if rules.counted and (counts[0] < rules.min_leaf or counts[1] < rules.min_leaf):
            continue
        a, u = deviation(tree[0], sums[0], ladder, Ws[0], Ss[0])
        b, v = deviation(tree[1], sums[1], ladder, Ws[1], Ss[1])
        gain = impurity - u - v
        if gain > best + tol and (sign == 0 or allowed(a, b, sign, low, high)):
            best, cut = gain, t + 1
    return best, cut
