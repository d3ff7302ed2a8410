r"""One tree of a forest, grown depth first from bytes.

At each node some columns are drawn. The rows of the node add up by bin: the weight :math:`W`, the count and the sums :math:`S_k` (weights
of the classes, or :math:`\sum w y`). A cut into bins on the left and bins on the right lowers the impurity of the node by

.. math:: \sum_k \frac{S_{Lk}^2}{W_L} + \sum_k \frac{S_{Rk}^2}{W_R} - \sum_k \frac{S_k^2}{W} \tag{1}

for the variance and for Gini's index, and by the same expression with :math:`S \log_2 (S / W)` in place of :math:`S^2 / W` for the entropy.
Weights, counts and values are whole numbers in units of a power of two, so that sums have the same bits in any order; the columns of a node
are drawn from a key that says its place in the tree. :mod:`epee.kernels.forest_twin` grows the same tree level by level in NumPy.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import forest_twin as twin
from epee.kernels.compiling import kernel
from epee.kernels.trees_split import mix

MISSING = 255
PLACES = np.zeros(64, np.int64)  # the place of a lone bit, found by a product (de Bruijn)
for _k in range(64):
    PLACES[((0x03F79D71B4CB0A89 << _k) & 0xFFFFFFFFFFFFFFFF) >> 58] = _k


@kernel
def purity(sums, W, K, entropy):
    """Return the part of (1) that one side adds: larger is purer."""
    total = 0.0
    if entropy:
        for k in range(K):
            if sums[k] > 0.0:
                total += sums[k] * np.log2(sums[k] / W)
        return total
    for k in range(K):
        total += sums[k] * sums[k]
    return total / W


@kernel
def gather(column, rows, a, b, mine, plain, table, bins, seen):
    """Add the rows of a node to the sums of their bins; return how many bins occur, and fill ``bins`` with them in order.

    ``mine`` (m, 4) holds (weight, count, value, class) of the rows of the node, in order. Of ``plain`` rows the weight is the count: the
    counts of bins are then left out, and their weights, too, where those of the classes add to them. ``seen`` (4,) is room for a bit a bin.
    """
    by_class = table.shape[1] > 3
    seen[:] = np.uint64(0)
    if plain and by_class:
        for i in range(b - a):
            v = np.int64(column[rows[a + i]])
            seen[v >> 6] |= np.uint64(1) << np.uint64(v & 63)
            table[v, 2 + np.int64(mine[i, 3])] += mine[i, 0]
    elif plain:
        for i in range(b - a):
            v = np.int64(column[rows[a + i]])
            seen[v >> 6] |= np.uint64(1) << np.uint64(v & 63)
            table[v, 1] += mine[i, 0]
            table[v, 2] += mine[i, 2]
    else:
        for i in range(b - a):
            v = np.int64(column[rows[a + i]])
            seen[v >> 6] |= np.uint64(1) << np.uint64(v & 63)
            table[v, 0] += mine[i, 0]
            table[v, 1] += mine[i, 1]
            if by_class:
                table[v, 2 + np.int64(mine[i, 3])] += mine[i, 0]
            else:
                table[v, 2] += mine[i, 2]
    size = 0
    for q in range(4):
        word = seen[q]
        while word != np.uint64(0):
            lone = word & (~word + np.uint64(1))
            v = 64 * q + PLACES[(lone * np.uint64(0x03F79D71B4CB0A89)) >> np.uint64(58)]
            bins[size] = v
            size += 1
            word ^= lone
            if plain:
                if by_class:
                    total = 0.0
                    for k in range(2, table.shape[1]):
                        total += table[v, k]
                    table[v, 1] = total
                table[v, 0] = table[v, 1]
    return size


@kernel
def between(bins, i, known, centre, at, drawn):
    """Return the bin to cut after: where the drawn value lies, or half way from one bin that occurs to the next."""
    if i == known - 1:
        return MISSING - 1  # all that is known goes left
    low, high = bins[i], bins[i + 1]
    middle = at if drawn else centre[low] / 2.0 + centre[high] / 2.0
    while low + 1 < high and centre[low + 1] <= middle:
        low += 1
    return low


@kernel
def best_cut(table, bins, size, whole, base, centre, random, key, entropy, limits, left, right):
    """Return (gain, last bin on the left, missing left) of the best cut of a column, or of one drawn; the gain is -1 if there is none."""
    K = table.shape[1] - 2
    known = size - 1 if bins[size - 1] == MISSING else size
    best, cut, to_left = -1.0, -1, 0
    only, at = -1, 0.0
    if random and known > 1:
        low, high = centre[bins[0]], centre[bins[known - 1]]
        at = low + np.float64(mix(key) >> np.uint64(11)) / 9007199254740992.0 * (high - low)
        only = 0
        while only < known - 2 and centre[bins[only + 1]] <= at:
            only += 1
    for side in range(1 if known == size else 2):  # missing cells to the right, then to the left
        W, c = 0.0, 0.0
        for k in range(K):
            left[k] = table[MISSING, 2 + k] if side else 0.0
        if side:
            W, c = table[MISSING, 0], table[MISSING, 1]
        for i in range(known - 1 if known == size or side else known):
            v = bins[i]
            W += table[v, 0]
            c += table[v, 1]
            for k in range(K):
                left[k] += table[v, 2 + k]
            if (only >= 0 and i != only) or c < limits[1] or limits[2] > W:
                continue
            if whole[1] - c < limits[1] or whole[0] - W < limits[2]:
                break
            for k in range(K):
                right[k] = whole[2 + k] - left[k]
            gain = purity(left, W, K, entropy) + purity(right, whole[0] - W, K, entropy) - base
            if gain > best:
                best, cut, to_left = gain, i, side
    for i in range(size):
        for k in range(2 + K):
            table[bins[i], k] = 0.0
    if cut >= 0:
        cut = between(bins, cut, known, centre, at, only >= 0)
    return best, cut, to_left


@kernel
def best_mean_cut(table, bins, size, whole, base, centre, limits):
    """Return what :func:`best_cut` returns, for one sum a bin and all cuts: numbers, or the shares of two classes."""
    known = size - 1 if bins[size - 1] == MISSING else size
    best, cut, to_left = -1.0, -1, 0
    W_all, c_all, S_all = whole[0], whole[1], whole[2]
    for side in range(1 if known == size else 2):  # missing cells to the right, then to the left
        W, c, S = 0.0, 0.0, 0.0
        if side:
            W, c, S = table[MISSING, 0], table[MISSING, 1], table[MISSING, 2]
        for i in range(known - 1 if known == size or side else known):
            v = bins[i]
            W += table[v, 0]
            c += table[v, 1]
            S += table[v, 2]
            if c < limits[1] or limits[2] > W:
                continue
            if c_all - c < limits[1] or W_all - W < limits[2]:
                break
            rest = S_all - S
            gain = S * S / W + rest * rest / (W_all - W) - base
            if gain > best:
                best, cut, to_left = gain, i, side
    for i in range(size):
        v = bins[i]
        table[v, 0] = table[v, 1] = table[v, 2] = 0.0
    if cut >= 0:
        cut = between(bins, cut, known, centre, 0.0, False)
    return best, cut, to_left


@kernel
def span(column, rows, a, b):
    """Return the least and the largest bin of the rows of a node."""
    low, high = np.int64(255), np.int64(0)
    for i in range(a, b):
        v = np.int64(column[rows[i]])
        low, high = min(low, v), max(high, v)
    return low, high


@kernel
def drawn_cut(column, rows, a, b, mine, low, high, whole, base, centre, key, entropy, limits, left, right):
    """Return what :func:`best_cut` returns of a cut drawn at random, without a table, where no cell is missing and bins differ."""
    K = whole.shape[0] - 2
    at = centre[low] + np.float64(mix(key) >> np.uint64(11)) / 9007199254740992.0 * (centre[high] - centre[low])
    cut, above = low, high  # the last bin with a centre up to the drawn value
    while above - cut > 1:
        middle = (cut + above) >> 1
        if centre[middle] <= at:
            cut = middle
        else:
            above = middle
    W, c = 0.0, 0.0
    left[:K] = 0.0
    if K > 1:
        for i in range(b - a):
            here = np.float64(np.int64(column[rows[a + i]]) <= cut)
            W += here * mine[i, 0]
            c += here * mine[i, 1]
            left[np.int64(mine[i, 3])] += here * mine[i, 0]
    else:
        S = 0.0
        for i in range(b - a):
            here = np.float64(np.int64(column[rows[a + i]]) <= cut)
            W += here * mine[i, 0]
            c += here * mine[i, 1]
            S += here * mine[i, 2]
        left[0] = S
    if c < limits[1] or limits[2] > W or whole[1] - c < limits[1] or whole[0] - W < limits[2]:
        return -1.0, np.int64(-1), np.int64(0)
    for k in range(K):
        right[k] = whole[2 + k] - left[k]
    gain = purity(left, W, K, entropy) + purity(right, whole[0] - W, K, entropy) - base
    return gain, cut, np.int64(0)


@kernel
def describe(rows, a, b, about, mine, whole):
    """Copy what is known of the rows of a node and add it up; return whether the node is pure."""
    width = whole.shape[0]
    squares = 0.0
    for k in range(width):
        whole[k] = 0.0
    for i in range(b - a):
        r = rows[a + i]
        w, c, v, k = about[r, 0], about[r, 1], about[r, 2], about[r, 3]
        mine[i, 0], mine[i, 1], mine[i, 2], mine[i, 3] = w, c, v, k
        whole[0] += w
        whole[1] += c
        if width > 3:
            whole[2 + np.int64(k)] += w
        else:
            whole[2] += v
            squares += v * v / w
    if width > 3:
        top = 0.0
        for k in range(2, width):
            top = max(top, whole[k])
        return top >= whole[0]
    return squares - whole[2] * whole[2] / whole[0] <= 1e-14 * squares


@kernel(twin=twin.grow, meanwhile=twin.few)
def grow(columns, centres, rows, about, flags, limits, key, first, feature, cut, missing_left, gain, sums, bounds):
    """Grow one tree on ``rows``, which end up ordered by leaf; return how many nodes it has and how deep it is.

    ``about`` (n, 4) holds the weight, the count, the weighted value and the class of each row, whole numbers all; ``flags`` (entropy,
    random cuts, columns drawn, longest branch, whether weights are counts); ``limits`` (least count to cut, least count and weight
    of a leaf, least gain). The children of a node lie side by side from ``first`` on; ``bounds`` (nodes, 2) are its rows.
    """
    entropy, random, drawn, max_depth, plain = flags[0] != 0, flags[1] != 0, flags[2], flags[3], flags[4] != 0
    p, n, width = columns.shape[0], rows.shape[0], sums.shape[1]
    table, bins, mine = np.zeros((256, width)), np.empty(256, np.int64), np.empty((n, 4))
    order, spare, seen = np.arange(p), np.empty(n, rows.dtype), np.empty(4, np.uint64)
    left, right = np.empty(width), np.empty(width)
    means = width == 3 and not random and not entropy
    stack, keys, height = np.empty((n + 2, 2), np.int64), np.empty(n + 2, np.uint64), 1
    stack[0, 0], stack[0, 1], keys[0] = 0, 0, key
    bounds[0, 0], bounds[0, 1] = 0, n
    size, deepest = 1, 0
    while height > 0:
        height -= 1
        node, depth = stack[height, 0], stack[height, 1]
        a, b = bounds[node, 0], bounds[node, 1]
        deepest = max(deepest, depth)
        whole = sums[node]
        pure = describe(rows, a, b, about, mine, whole)
        first[node] = -1
        if pure or depth >= max_depth or whole[1] < limits[0] or whole[1] < 2.0 * limits[1] or b - a < 2:
            continue
        base = purity(whole[2:], whole[0], width - 2, entropy)
        key = keys[height]
        left_key, right_key = mix(key + np.uint64(1)), mix(key + np.uint64(2))
        for j in range(p):
            order[j] = j
        best, f, at, to_left, varied = limits[3], np.int64(-1), np.int64(-1), np.int64(0), 0
        for j in range(p):
            key = mix(key)
            other = j + np.int64(key % np.uint64(p - j))
            order[j], order[other] = order[other], order[j]
            column, centre = columns[order[j]], centres[order[j]]
            low, high = span(column, rows, a, b) if random else (np.int64(0), np.int64(MISSING))
            if high < MISSING:
                found = 1 + (low < high)
                key = mix(key)
                if low < high:
                    g, c, side = drawn_cut(
                        column, rows, a, b, mine, low, high, whole, base, centre, key, entropy, limits, left, right
                    )
                else:
                    g, c, side = -1.0, np.int64(-1), np.int64(0)
            else:
                found = gather(column, rows, a, b, mine, plain, table, bins, seen)
                key = mix(key)
                if means:
                    g, c, side = best_mean_cut(table, bins, found, whole, base, centre, limits)
                else:
                    g, c, side = best_cut(
                        table, bins, found, whole, base, centre, random, key, entropy, limits, left, right
                    )
            varied += 1 if found > 1 else 0
            if g > best:
                best, f, at, to_left = g, order[j], c, side
            if varied >= drawn:
                break
        if f < 0:
            continue
        column, middle, others, gone = columns[f], np.int64(a), np.int64(0), False
        for i in range(a, b):
            r = rows[i]
            v = np.int64(column[r])
            gone |= v == MISSING
            side = np.int64(to_left if v == MISSING else v <= at)
            rows[middle] = r
            spare[others] = r
            middle += side
            others += 1 - side
        for i in range(others):
            rows[middle + i] = spare[i]
        first[node], feature[node], cut[node], gain[node] = size, f, at, best
        missing_left[node] = np.int64(to_left if gone else middle - a > others)
        bounds[size, 0], bounds[size, 1] = a, middle
        bounds[size + 1, 0], bounds[size + 1, 1] = middle, b
        stack[height, 0], stack[height, 1] = size + 1, depth + 1
        stack[height + 1, 0], stack[height + 1, 1] = size, depth + 1
        keys[height], keys[height + 1] = right_key, left_key
        height += 2
        size += 2
    return size, deepest


@kernel(twin=twin.reach, meanwhile=twin.few_walk)
def reach(X, roots, first, feature, threshold, missing_left, out):
    """Fill ``out`` (n, trees) with the leaves that the rows reach; a leaf is its own child, and rows of a strip go down in step."""
    strip = 64
    at = np.empty(strip, np.int64)
    for s in range(0, X.shape[0], strip):
        m = min(strip, X.shape[0] - s)
        for t in range(roots.shape[0]):
            at[:m] = roots[t]
            moved = 1
            while moved:
                moved = 0
                for i in range(m):
                    node = at[i]
                    v = X[s + i, feature[node]]
                    new = first[node] + (not ((v <= threshold[node]) | ((v != v) & missing_left[node])))
                    moved |= new != node
                    at[i] = new
            for i in range(m):
                out[s + i, t] = at[i]
