"""The growth of a tree in NumPy: what :mod:`epee.kernels.trees_grow` means, and what small tables use.

All columns of a node are swept at once, cumulated sums in place of loops. Sums run in the same order and gains are the same expressions,
so both find the same splits; only logarithms may differ in their last bit, which the tolerance between two gains absorbs. Medians,
Poisson's criterion, columns drawn by lot and monotone columns are left to the loops: for few rows, while they are compiled, to Python.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_CELLS, FEW_ROWS

GINI, ENTROPY, ERROR, SQUARED = range(4)
ROW = (1 << 32) - 1
TO_BITS = 1.4426950408889634


def few(
    orders,
    go,
    data,
    rules,
    nodes,
    start,
    end,
    turn,
    depth,
    key,
    defer,
    later,
    later_keys,
    levels,
    best,
    medians,
    several,
):
    """Tell whether a tree is small, and of the kind that is grown here; a branch goes the way of its tree."""
    _, p, m = orders.shape
    return p * m <= FEW_CELLS and defer == 0 and levels is None and in_numpy(data, rules, medians, p)


MOST_CELLS = 400_000  # that NumPy sweeps meanwhile
MOST_STEPS = 600_000  # of loops that Python itself takes meanwhile: a second or two


def in_numpy(data, rules, medians, p):
    """Tell whether a tree is of the kind that is grown here."""
    plain = medians is None and not rules.random and rules.criterion <= SQUARED
    return plain and rules.max_features >= p and not data.monotone.any()


def bearable(
    orders, go, data, rules, nodes, start, end, turn, depth, key, defer, later, later_keys, levels, best, medians, several
):  # fmt: skip
    """Tell whether a tree may be grown here while the loops are compiled."""
    p, m = orders.shape[1], end - start
    if m >= FEW_ROWS or defer > 0:
        return False
    if in_numpy(data, rules, medians, p):
        return p * m <= MOST_CELLS
    steps = min(rules.max_features, p) * m * max(np.log2(max(m, 2)), 1.0)
    return steps * (6 if medians is not None else 1) <= MOST_STEPS


def bearable_rows(seg, go, side, data, rules, nodes, node, medians, several):
    """Tell whether a node may be described here while the loop is compiled."""
    return len(seg) < FEW_ROWS


def few_rows(seg, go, side, data, rules, nodes, node, medians, several):
    """Tell whether a node is described here."""
    return medians is None and len(data.missing) * len(seg) <= FEW_CELLS and rules.criterion <= SQUARED


def last(sums):
    """Return the last of cumulated sums: the total, added in order."""
    return np.add.accumulate(sums)[-1]


def accumulated(steps, begin):
    """Return the cumulated sums of steps (q, m) from a beginning on, in their place."""
    steps[:, 0] += begin
    return np.add.accumulate(steps, axis=1, out=steps)


def in_bits(x):
    """Return x log2 x, and 0 at 0."""
    return x * np.log(np.where(x > 0.0, x, 1.0)) * TO_BITS


def describe(seg, go, side, data, rules, nodes, node, medians, several):
    """Fill the statistics of the node made of the rows of ``seg`` that go to ``side`` (all if -1)."""
    if medians is not None or rules.criterion > SQUARED:
        from epee.kernels.trees_grow import describe as loop

        loop.py_func(seg, go, side, data, rules, nodes, node, medians, several)
        return
    rows = seg & ROW
    if side >= 0:
        rows = rows[go[rows] == side]
    w = data.w[rows]
    W = last(w)
    nodes.weight[node], nodes.count[node], nodes.rows[node] = W, last(data.c[rows]), len(rows)
    parts, spread = outputs_of(data, rules, several), 0.0
    for codes, y, mine in parts:
        if rules.K > 0:
            counts = np.bincount(codes[rows], w, mine.stop - mine.start)
            nodes.value[node, mine] = counts
            if rules.criterion == GINI:
                spread += W - last(counts * counts) / W
            elif rules.criterion == ENTROPY:
                spread += in_bits(W) - last(in_bits(counts))
            else:
                spread += W - counts.max()
        else:
            mu = last(w * y[rows]) / W
            nodes.value[node, mine] = mu
            spread += last(w * (y[rows] - mu) ** 2)
    nodes.impurity[node] = max(spread / W / len(parts), 0.0)


def outputs_of(data, rules, several):
    """Return what is predicted, output by output: codes (n,), values (n,), and where its statistics lie in those of a node."""
    if several is None:
        return [(data.codes, data.y, slice(0, max(rules.K, 1)))]
    starts, K = several.starts, rules.K
    return [
        (several.codes[:, o] if K else None, None if K else several.values[:, o], slice(starts[o], starts[o + 1]))
        for o in range(len(starts) - 1)
    ]


def cut_gains(rows, first, data, rules, nodes, node, several):
    """Return the gain (q, m) of cutting each of q columns after each of its rows (q, m); ``first`` go left before any other."""
    w = data.w[rows]
    W, value = nodes.weight[node], nodes.value[node]
    wf = data.w[first]
    wl = accumulated(w.copy(), last(wf) if len(wf) else 0.0)
    wr = W - wl
    fine = (wl >= rules.min_weight) & (wr >= rules.min_weight)
    if rules.counted:
        before, all_of_them = data.c[first].sum(), nodes.count[node]
        count = before + np.add.accumulate(data.c[rows], axis=1)
        fine &= (count >= rules.min_leaf) & (all_of_them - count >= rules.min_leaf)
    parts, gain = outputs_of(data, rules, several), 0.0
    for codes, y, mine in parts:
        K = mine.stop - mine.start if rules.K else 0
        if K == 0 or (K == 2 and rules.criterion == GINI and several is None):
            mu, scale = (value[mine.start], 1.0) if K == 0 else (value[1] / W, 2.0)
            begin = last(wf * (y[first] - mu)) if len(first) else 0.0
            d = accumulated(w * (y[rows] - mu), begin)
            gain = gain + scale * d * d * W / (wl * wr)
        else:
            before = np.bincount(codes[first], wf, K)
            impurity = 0.0 if several is not None else nodes.impurity[node] * W
            gain = gain + class_gains(codes[rows], w, before, wl, wr, rules, value[mine], impurity)
    if several is not None:
        gain = gain / len(parts) + (nodes.impurity[node] * W if rules.K else 0.0)
    return np.where(fine & (gain == gain), gain, -np.inf)


def class_gains(codes, w, start, wl, wr, rules, totals, impurity):
    """Return the gains (q, m) for K classes; ``start`` (K,) is on the left before the first row."""
    (q, m), K = codes.shape, len(totals)
    left = np.zeros((q, m + 1, K))
    left[:, 0] = start
    flat, place = left.reshape(-1), codes + K * (np.arange(1, m + 1) + (m + 1) * np.arange(q)[:, None])
    flat[place] = w  # the class of each row in the line after it
    np.add.accumulate(left, axis=1, out=left)
    if rules.criterion == ERROR:
        return impurity - (wl - left[:, 1:].max(axis=2)) - (wr - (totals - left[:, 1:]).max(axis=2))
    after, before, mine = flat[place], flat[place - K], totals[codes]
    if rules.criterion == GINI:
        up, down = w * (before + after), -w * (2.0 * mine - before - after)
        a, b = last(start * start), last((totals - start) ** 2)
    else:
        up, down = in_bits(after) - in_bits(before), in_bits(mine - after) - in_bits(mine - before)
        a, b = last(in_bits(start)), last(in_bits(totals - start))
    a, b = accumulated(up, a), accumulated(down, b)
    if rules.criterion == GINI:
        return impurity - (wl - a / wl) - (wr - b / wr)
    return impurity - (in_bits(wl) - a) - (in_bits(wr) - b)


def better(gain, best, tol):
    """Return the last of the gains (m,) that, taken in order, beat the best so far by more than the tolerance, and its place or -1."""
    if not gain.max() > best + tol:
        return best, -1
    highest = np.maximum.accumulate(gain)
    new = np.flatnonzero(np.concatenate([[gain[0] > -np.inf], highest[1:] > highest[:-1]]))
    place = -1
    for t, g in zip(new.tolist(), gain[new].tolist()):
        if g > best + tol:
            best, place = g, t
    return best, place


def level_sums(seg, data, mu, weight, count, total, table):
    """Add up, for each level (L,), the weights, the counts, the values around ``mu`` and the weights of the classes (L, K)."""
    rows, level, (L, K) = seg & ROW, seg >> 32, table.shape
    w = data.w[rows]
    weight[:], count[:] = np.bincount(level, w, L), np.bincount(level, data.c[rows], L)
    total[:] = np.bincount(level, w * (data.y[rows] - mu), L)
    if K > 1:
        table[:] = np.bincount(level * K + data.codes[rows], w, L * K).reshape(L, K)


def gains_beside_holes(rank, rows, there, named, data, rules, nodes, node, several):
    """Return, for each column with missing cells, its gains where these go right and left; columns that miss the same rows at once."""
    size = rank.shape[1]
    alike: dict[bytes, list[int]] = {}
    for f in np.flatnonzero((there > 0) & (there < size) & ~named).tolist():
        alike.setdefault(rows[f, there[f] :].tobytes(), []).append(f)
    found: dict[int, list[np.ndarray]] = {}
    for columns in alike.values():
        m = int(there[columns[0]])
        ties = rank[columns, 1:m] == rank[columns, : m - 1]
        for first in (rows[columns[0], :0], rows[columns[0], m:]):
            gain = cut_gains(rows[columns, :m], first, data, rules, nodes, node, several)
            gain[:, :-1][ties] = -np.inf
            if len(first):
                gain[:, -1] = -np.inf
            for f, line in zip(columns, gain):
                found.setdefault(f, []).append(line)
    return found


def find_split(S, data, rules, nodes, node, several, levels, best_levels):
    """Return (gain, column, rows on the left, missing to the left, threshold) of the best split of a node; column -1 if none."""
    p, size = S.shape
    by_values = several is None and (rules.K == 0 or (rules.K == 2 and rules.criterion == GINI))
    W = nodes.weight[node]
    tol = 1e-12 * nodes.impurity[node] * W + (0.0 if by_values else 1e-13 * W)
    rank, rows = S >> 32, S & ROW
    there = np.where(data.missing >= 0, (rank != data.missing[:, None]).sum(axis=1), size)
    named = data.categorical != 0
    there[named] = size
    whole = np.flatnonzero((there == size) & (rank[:, 0] < rank[:, -1]) & ~named)
    nobody = rows[0, :0]
    gains = np.full((p, size), -np.inf)
    if len(whole):
        found = cut_gains(rows[whole], nobody, data, rules, nodes, node, several)
        found[:, :-1][rank[whole, 1:] == rank[whole, :-1]] = -np.inf
        found[:, -1] = -np.inf
        gains[whole] = found
    holed = gains_beside_holes(rank, rows, there, named, data, rules, nodes, node, several)
    best, column, cut, to_left, threshold = -np.inf, -1, -1, 0, 0.0
    for f in range(p):
        m = int(there[f])
        if m == 0 or (m == size and rank[f, 0] == rank[f, -1]):
            continue
        if named[f]:
            new = _sweep_levels(S[f], f, data, rules, nodes, node, levels, best, tol)
            if new > best:
                best, column, cut = new, f, 0
                best_levels[: len(levels)] = levels
            continue
        for side, gain in enumerate([gains[f]] if m == size else holed[f]):
            new, t = better(gain, best, tol)
            if t >= 0:
                best, column, cut, to_left = new, f, t + 1, side
                values = data.values[data.offsets[f] : data.offsets[f + 1]]
                if cut == m:
                    threshold = np.inf
                else:
                    u, v = values[rank[f, t]], values[rank[f, t + 1]]
                    threshold = u / 2.0 + v / 2.0
                    threshold = threshold if u <= threshold < v else u
    return best, column, cut, to_left, threshold


def _sweep_levels(seg, f, data, rules, nodes, node, levels, best, tol):
    """Return the gain of the best set of levels of a column above ``best``, and write it to ``levels``."""
    from epee.kernels.trees_levels import sweep_levels

    W, value, K = nodes.weight[node], nodes.value[node], rules.K
    size = data.offsets[f + 1] - data.offsets[f] + (1 if data.missing[f] >= 0 else 0)
    mu = value[0] if K == 0 else (value[1] / W if K == 2 else 0.0)
    impurity, scale = nodes.impurity[node] * W, 1.0 if K == 0 else 2.0
    return sweep_levels.py_func(seg, -1, data, rules, W, mu, impurity, value, best, tol, levels[:size], scale)


def is_final(rules, nodes, node, depth):
    """Tell whether the stopping rules make a node a leaf before any split is sought."""
    return (
        depth >= rules.max_depth
        or nodes.rows[node] < 2
        or (rules.counted and (nodes.count[node] < rules.min_split or nodes.count[node] < 2 * rules.min_leaf))
        or nodes.weight[node] < 2 * rules.min_weight
        or nodes.impurity[node] <= rules.pure
    )


def grow(
    orders,
    go,
    data,
    rules,
    nodes,
    start,
    end,
    turn,
    depth,
    key,
    defer,
    later,
    later_keys,
    levels,
    best,
    medians,
    several,
):
    """Grow the tree below the node 0, described already; return how many nodes it has and how many are left for later: none."""
    if not in_numpy(data, rules, medians, orders.shape[1]):
        from epee.kernels.trees_grow import grow as loop

        return loop.py_func(
            orders, go, data, rules, nodes, start, end, turn, depth, key, defer, later, later_keys, levels, best, medians, several
        )  # fmt: skip
    stack, size = [(0, orders[turn][:, start:end], depth)], 1
    with np.errstate(invalid="ignore", divide="ignore"):
        while stack:
            node, S, depth = stack.pop()
            if is_final(rules, nodes, node, depth):
                continue
            gain, f, cut, to_left, threshold = find_split(S, data, rules, nodes, node, several, levels, best)
            if f < 0 or (rules.min_decrease > 0.0 and gain * (1.0 + 1e-12) < rules.min_decrease):
                continue
            seg = S[f]
            by_set, m = data.categorical[f] != 0, len(seg)
            if by_set:
                go[seg & ROW] = best[seg >> 32]
            else:
                m = m if data.missing[f] < 0 else int((seg >> 32 != data.missing[f]).sum())
                go[seg[:m] & ROW] = np.arange(m) < cut
                go[seg[m:] & ROW] = to_left
            left, right = size, size + 1
            size += 2
            for side in range(2):
                describe(seg, go, 1 - side, data, rules, nodes, left + side, medians, several)
            nodes.left[node], nodes.right[node], nodes.feature[node], nodes.threshold[node] = left, right, f, threshold
            nodes.gain[node] = gain
            heavier_left = nodes.weight[left] > nodes.weight[right]
            nodes.missing_left[node] = to_left if m < len(seg) else heavier_left
            if by_set:  # a level that is not here follows the heavier side
                width = data.offsets[f + 1] - data.offsets[f]
                here = np.unique(seg >> 32)
                nodes.sets[node] = heavier_left
                nodes.sets[node, here[here < width]] = best[here[here < width]]
                nodes.threshold[node] = np.nan
                nodes.missing_left[node] = best[width] if here[-1] == width else heavier_left
            nodes.low[left] = nodes.low[right] = nodes.low[node]
            nodes.high[left] = nodes.high[right] = nodes.high[node]
            if is_final(rules, nodes, left, depth + 1) and is_final(rules, nodes, right, depth + 1):
                continue
            side = go[S & ROW].astype(bool)  # (p, m), as many true in each row
            stack.append((right, S[~side].reshape(len(S), -1), depth + 1))
            stack.append((left, S[side].reshape(len(S), -1), depth + 1))
    return size, 0


def walk(X, left, right, feature, threshold, missing_left, heavier_left, set_of, sets, levels, starts, out):
    """Fill ``out`` with the leaf of each row: all rows go down a level at a time."""
    node, going = np.zeros(len(X), dtype=np.int64), np.arange(len(X))
    rank = _ranks(X, levels, starts) if len(sets) else None
    while len(going):
        at = node[going]
        inner = left[at] >= 0
        going, at = going[inner], at[inner]
        v = X[going, feature[at]]
        goes_left = v <= threshold[at]
        if rank is not None:
            level, mine = rank[going, feature[at]], set_of[at]
            by_set = np.where(level >= 0, sets[np.maximum(mine, 0), np.maximum(level, 0)] != 0, heavier_left[at] != 0)
            goes_left = np.where(mine >= 0, by_set, goes_left)
        goes_left = np.where(np.isnan(v), missing_left[at] != 0, goes_left)
        node[going] = np.where(goes_left, left[at], right[at])
    out[:] = node


def _ranks(X, levels, starts):
    """Return the rank (n, p) of each cell among the levels of its column, -1 for one that is none of them."""
    out = np.full(X.shape, -1)
    for f in range(X.shape[1]):
        mine = levels[starts[f] : starts[f + 1]]
        if len(mine):
            place = np.minimum(np.searchsorted(mine, X[:, f]), len(mine) - 1)
            out[:, f] = np.where(mine[place] == X[:, f], place, -1)
    return out
