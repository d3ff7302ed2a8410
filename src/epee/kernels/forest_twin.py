r"""A tree of a forest in NumPy, all nodes of a level at once: what answers while :mod:`epee.kernels.forest` is compiled.

Weights, counts and values are whole numbers in units of a power of two (:func:`whole`), so that their sums are exact in any order, and the
draws of a node come from its place in the tree. So the tree is the same to the last bit, though the loops go down branch by branch. Left to
the compiler are the entropy, whose logarithms may differ in a bit, and drawn cuts of columns with missing cells.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_ROWS

MISSING = 255
BITS = 44  # of a sum over all rows; a level adds up to 256 columns at once, and 53 bits are exact
MOST_COLUMNS = 256


def whole(v):
    """Return the multiples of a power of two nearest to ``v``, fine enough that all sums of them are exact and have 44 bits."""
    total = float(np.abs(v).sum())
    unit = 2.0 ** (np.frexp(total)[1] - BITS) if 0 < total < np.inf else 1.0
    return np.rint(v / unit) * unit


def few(columns, centres, rows, about, flags, *others):
    """Tell whether a tree is small, and of the kind that is grown here."""
    entropy, random = flags[0], flags[1]
    small = len(rows) < FEW_ROWS and len(columns) <= MOST_COLUMNS
    return small and not entropy and not (random and bool((columns == MISSING).any()))


def few_walk(X, roots, *others):
    """Tell whether rows walk here."""
    return len(X) < FEW_ROWS


def mixed(key):
    """Return the next of random keys (m,), as :func:`epee.kernels.trees_split.mix` does."""
    key = key + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


def draws(keys, varies, drawn):
    """Return the nodes, columns and keys of the cuts that are tried: of each node, the first ``drawn`` columns of those that vary."""
    m, p = varies.shape
    order, node = np.tile(np.arange(p), (m, 1)), np.arange(m)
    tried, cut_keys, met = np.zeros((m, p), dtype=bool), np.zeros((m, p), dtype=np.uint64), np.zeros(m, dtype=np.int64)
    for j in range(p):
        keys = mixed(keys)
        other = j + (keys % np.uint64(p - j)).astype(np.int64)
        column = order[node, other]
        order[node, other] = order[:, j]
        order[:, j] = column
        keys = mixed(keys)
        cut_keys[:, j] = keys
        tried[:, j] = varies[node, column] & (met < drawn)
        met += tried[:, j]
        if (met >= drawn).all():
            break
    which, place = np.nonzero(tried)
    return which, order[which, place], cut_keys[which, place]


def purity(sums, W):
    """Return what a side adds to the gain (1) of the kernel: ``sums`` (K, m) over ``W`` (m,)."""
    total = 0.0
    for s in sums:
        total = total + s * s
    return total / W


def added(group, size, about, K):
    """Return the weights, the counts and the sums (K, size) of groups of rows; ``about`` them is known what the kernel takes."""
    w, c, v, k = about
    if K == 1:
        sums = np.bincount(group, v, size)[None]
    else:
        sums = np.bincount(k.astype(np.int64) * size + group, w, K * size).reshape(K, size)
    return np.bincount(group, w, size), np.bincount(group, c, size), sums


def first_best(gain, group, size):
    """Return the highest gain of each group (size,), -inf for an empty one, and the place of the first that has it."""
    top = np.full(size, -np.inf)
    np.maximum.at(top, group, gain)
    best = np.flatnonzero(gain == top[group])
    place = np.zeros(size, dtype=np.int64)
    place[group[best][::-1]] = best[::-1]
    return top, place


def gains(left, W, c, totals, base, limits):
    """Return the gain of cuts with ``left`` (K, m), W, c on the left of nodes with ``totals`` (W, c, sums); -inf for those not allowed."""
    W_all, c_all, S_all = totals
    fine = (c >= limits[1]) & (limits[2] <= W) & (c_all - c >= limits[1]) & (W_all - W >= limits[2])
    gain = purity(left, W) + purity(S_all - left, W_all - W) - base
    return np.where(fine & (gain > -1.0), gain, -np.inf)


def best_cuts(pair, bins, about, totals, base, centres, limits):
    """Return the best gain of each pair of a node and a column, the last bin on the left, and where missing cells go."""
    P, K = len(base), len(totals[2])
    cells, inverse = np.unique(pair * 256 + bins, return_inverse=True)
    of, b = cells >> 8, cells & 255
    W, c, S = added(inverse, len(cells), about, K)
    gone = b == MISSING
    start = np.searchsorted(of, np.arange(P))
    end = np.append(start[1:], len(of))
    absent = gone[end - 1]  # (P,) a missing cell is the last bin of a pair

    def within(sums):
        run = np.add.accumulate(sums, axis=-1)
        return run - (run[..., start] - sums[..., start])[..., of]

    to_right = within(W), within(c), within(S)
    last = np.arange(len(of)) == (end - 1)[of]
    g = gains(to_right[2], to_right[0], to_right[1], tuple(t[..., of] for t in totals), base[of], limits)
    g[last] = -np.inf  # nothing would be on the right
    top, place = first_best(g, of, P)
    side = np.zeros(P, dtype=np.int64)
    if absent.any():
        end_of = (end - 1)[of]
        before_last = np.arange(len(of)) >= end_of - 1
        g = gains(
            to_right[2] + S[:, end_of], to_right[0] + W[end_of], to_right[1] + c[end_of], tuple(t[..., of] for t in totals),
            base[of], limits,
        )  # fmt: skip
        g[~absent[of] | before_last] = -np.inf
        other, other_place = first_best(g, of, P)
        side[other > top] = 1
        place, top = np.where(other > top, other_place, place), np.maximum(top, other)
    low, after = b[place], np.minimum(place + 1, len(b) - 1)
    cut_all = (after < end) & gone[after] | (place + 1 >= end)
    high = np.where(cut_all, low, b[after])
    return top, (low, high, cut_all), side


def between(column, ends, centres):
    """Return the bin to cut after: half way from one bin that occurs to the next, or where all that is known goes left."""
    low, high, cut_all = ends
    middle = centres[column, low] / 2.0 + centres[column, high] / 2.0
    while True:
        on = (low + 1 < high) & (centres[column, np.minimum(low + 1, MISSING)] <= middle)
        if not on.any():
            return np.where(cut_all, MISSING - 1, low)
        low[on] += 1


def drawn_cuts(pair, bins, about, column, low, high, keys, totals, base, centres, limits):
    """Return the gain of a cut drawn at random for each pair, and the last bin on its left."""
    K = len(totals[2])
    at = centres[column, low] + (mixed(keys) >> np.uint64(11)).astype(np.float64) / 9007199254740992.0 * (
        centres[column, high] - centres[column, low]
    )
    cut, above = low.astype(np.int64), high.astype(np.int64)
    while (above - cut > 1).any():
        middle = (cut + above) >> 1
        up = (centres[column, middle] <= at) & (above - cut > 1)
        above = np.where(up | (above - cut <= 1), above, middle)
        cut = np.where(up, middle, cut)
    here = bins <= cut[pair]
    W, c, left = added(pair[here], len(base), [a[here] for a in about], K)
    return gains(left, W, c, totals, base, limits), cut


def grow(columns, centres, rows, about, flags, limits, key, first, feature, cut, missing_left, gain, sums, bounds):
    """Grow one tree on ``rows``, which end up ordered by leaf; return how many nodes it has and how deep it is."""
    _, random, drawn, max_depth, _ = flags
    K, n, order = sums.shape[1] - 2, len(rows), rows.copy()
    levels: list = []
    keys, start, held = np.array([key], dtype=np.uint64), np.zeros(1, np.int64), np.array([n])
    r = rows.copy()
    while len(held):
        m = len(held)
        node = np.repeat(np.arange(m), held)
        mine = tuple(about[r].T)
        W, c, S = added(node, m, mine, K)
        if K > 1:
            pure = S.max(axis=0) >= W
        else:
            squares = np.bincount(node, mine[2] * mine[2] / mine[0], m)
            pure = squares - S[0] * S[0] / W <= 1e-14 * squares
        leaf = pure | (c < limits[0]) | (c < 2.0 * limits[1]) | (held < 2) | (len(levels) >= max_depth)
        level = {
            "sums": np.column_stack([W, c, *S]), "start": start, "end": start + held, "inner": np.zeros(m, dtype=bool),
            "test": np.zeros((m, 3), np.int64), "gain": np.zeros(m),
        }  # fmt: skip
        levels.append(level)
        open_ = np.flatnonzero(~leaf)
        if len(open_):
            _cut_level(columns, centres, r, node, held, mine, (W, c, S), open_, keys, random, drawn, limits, level)
        inner = level["inner"]
        where = np.repeat(start, held) + np.arange(len(r)) - np.repeat(np.cumsum(held) - held, held)
        out = ~inner[node]
        order[where[out]] = r[out]
        r, node = r[~out], (np.cumsum(inner) - 1)[node[~out]]
        f, at, to_left = level["test"][inner].T
        v = columns[f[node], r]
        left = np.where(v == MISSING, to_left[node] != 0, v <= at[node])
        lefts = np.bincount(node[left], minlength=len(f))
        gone = np.bincount(node[v == MISSING], minlength=len(f)) > 0
        level["test"][inner, 2] = np.where(gone, to_left, lefts > held[inner] - lefts)
        r = r[np.argsort(2 * node + ~left, kind="stable")]
        start = np.column_stack([start[inner], start[inner] + lefts]).ravel()
        held = np.column_stack([lefts, held[inner] - lefts]).ravel()
        keys = np.column_stack([mixed(keys[inner] + np.uint64(1)), mixed(keys[inner] + np.uint64(2))]).ravel()
    rows[:] = order
    return _numbered(levels, first, feature, cut, missing_left, gain, sums, bounds)


def _cut_level(columns, centres, r, node, held, mine, totals, open_, keys, random, drawn, limits, level):
    """Find the cuts of the open nodes of a level."""
    W, c, S = (t[..., open_] for t in totals)
    base = purity(S, W)
    begins = (np.cumsum(held) - held)[open_]
    kept = np.isin(node, open_)
    cells = columns[:, r[kept]]
    edges = np.cumsum(held[open_]) - held[open_]
    low, high = np.minimum.reduceat(cells, edges, axis=1).T, np.maximum.reduceat(cells, edges, axis=1).T  # (m, p)
    which, column, cut_keys = draws(keys[open_], low < high, drawn)
    if not len(which):
        return
    many = held[open_][which]
    pair = np.repeat(np.arange(len(which)), many)
    at = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many) + begins[which][pair]
    bins = columns[column[pair], r[at]].astype(np.int64)
    rows_of = tuple(a[at] for a in mine)
    here = tuple(t[..., which] for t in (W, c, S))
    if random:
        found, cuts = drawn_cuts(
            pair, bins, rows_of, column, low[which, column], high[which, column], cut_keys, here, base[which], centres, limits
        )  # fmt: skip
        sides = np.zeros(len(which), dtype=np.int64)
    else:
        found, ends, sides = best_cuts(pair, bins, rows_of, here, base[which], centres, limits)
    top, place = first_best(found, which, len(open_))
    fine = top > limits[3]
    chosen, place = open_[fine], place[fine]
    if not random:
        cuts = np.zeros(len(which), dtype=np.int64)
        cuts[place] = between(column[place], [e[place] for e in ends], centres)
    level["inner"][chosen], level["gain"][chosen] = True, top[fine]
    level["test"][chosen] = np.column_stack([column[place], cuts[place], sides[place]])


def _numbered(levels, first, feature, cut, missing_left, gain, sums, bounds):
    """Fill the arrays of a tree, its nodes numbered as when one goes down branch by branch, left before right."""
    below = np.zeros(0, dtype=np.int64)
    for level in reversed(levels):  # nodes that branch, at or below each
        count = level["inner"].astype(np.int64)
        count[level["inner"]] += below.reshape(-1, 2).sum(axis=1)
        level["below"] = below = count
    number, rank, size = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), 0
    for i, level in enumerate(levels):
        inner = level["inner"]
        first[number] = np.where(inner, 1 + 2 * rank, -1)
        feature[number], cut[number], missing_left[number] = level["test"].T
        gain[number], sums[number] = level["gain"], level["sums"]
        bounds[number] = np.column_stack([level["start"], level["end"]])
        size += len(inner)
        if inner.any():
            lefts = levels[i + 1]["below"][::2]
            number = np.column_stack([1 + 2 * rank[inner], 2 + 2 * rank[inner]]).ravel()
            rank = np.column_stack([rank[inner] + 1, rank[inner] + 1 + lefts]).ravel()
    return size, len(levels) - 1


def reach(X, roots, first, feature, threshold, missing_left, out):
    """Fill ``out`` (n, trees) with the leaves that the rows reach: all trees a step at a time."""
    row = np.arange(len(X))[:, None]
    at = np.tile(roots, (len(X), 1))
    while True:
        v = X[row, feature[at]]
        new = first[at] + ~((v <= threshold[at]) | (np.isnan(v) & (missing_left[at] != 0)))
        if (new == at).all():
            break
        at = new
    out[:] = at
