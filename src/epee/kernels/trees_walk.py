r"""Rows that walk down a tree, and trees that are cut back.

Weakest-link pruning: a branch :math:`T_t` is worth its leaves while

.. math:: \alpha < g(t) = \frac{R(t) - R(T_t)}{|T_t| - 1}; \tag{1}

the node with the smallest :math:`g` is cut first, its ancestors are counted again, until only the root is left. Each node keeps
the :math:`\alpha` at which it ceases to branch; along a path from the root these decrease, so one walk of a row down the
largest tree gives its prediction by every pruned tree.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from epee.kernels import trees_twin as twin
from epee.kernels.compiling import FEW_CELLS, FEW_ROWS, kernel

FEW_NODES = 300  # of a tree that Python itself goes through
MORE_NODES = 4_000  # that it goes through while the loop is compiled


def few_nodes(left, *others):
    """Tell whether a tree is so small that its loops are left to Python."""
    return len(left) <= FEW_NODES


def more_nodes(left, *others):
    """Tell whether a tree is small enough for Python while its loops are compiled."""
    return len(left) <= MORE_NODES


def bearable_rows(X, *others):
    """Tell whether rows walk in NumPy while the loop is compiled."""
    return len(X) < FEW_ROWS


def few_lost(X, rows, *others):
    """Tell whether the losses of rows are left to Python while the loop is compiled."""
    return len(rows) < FEW_ROWS


def few_rows(X, left, right, feature, threshold, missing_left, heavier_left, set_of, sets, levels, starts, out):
    """Tell whether rows walk in NumPy: few of them, by thresholds alone."""
    return X.size <= FEW_CELLS and len(sets) == 0


@kernel
def goes_left(x, node, feature, threshold, missing_left, heavier_left, set_of, sets, levels, starts):
    """Tell where a row goes at a node; an unknown category follows the heavier side."""
    f = feature[node]
    v = x[f]
    if np.isnan(v):
        return missing_left[node] != 0
    if set_of[node] < 0:
        return v <= threshold[node]
    a, b = starts[f], starts[f + 1]
    while b > a:
        middle = (a + b) >> 1
        if levels[middle] < v:
            a = middle + 1
        else:
            b = middle
    if a < starts[f + 1] and levels[a] == v:
        return sets[set_of[node], a - starts[f]] != 0
    return heavier_left[node] != 0


@kernel(twin=twin.walk, small=few_rows, meanwhile=bearable_rows)
def walk(X, left, right, feature, threshold, missing_left, heavier_left, set_of, sets, levels, starts, out):
    """Fill ``out`` with the leaf of each row."""
    plain = sets.shape[0] == 0
    for i in range(X.shape[0]):
        x, node = X[i], 0
        while left[node] >= 0:
            if plain and x[feature[node]] == x[feature[node]]:
                node = left[node] if x[feature[node]] <= threshold[node] else right[node]
            elif goes_left(x, node, feature, threshold, missing_left, heavier_left, set_of, sets, levels, starts):
                node = left[node]
            else:
                node = right[node]
        out[i] = node


@kernel(small=few_nodes, meanwhile=more_nodes)
def weakest_links(left, right, risk, tol):
    """Return the alpha (nodes,) at which each node ceases to branch by (1); leaves have -inf."""
    n = left.shape[0]
    parent, leaves, branch = np.full(n, -1), np.ones(n, dtype=np.int64), risk.copy()
    for t in range(n - 1, -1, -1):  # children come after their parent
        if left[t] >= 0:
            parent[left[t]] = parent[right[t]] = t
            leaves[t] = leaves[left[t]] + leaves[right[t]]
            branch[t] = branch[left[t]] + branch[right[t]]
    ceases = np.full(n, -np.inf)
    version = np.zeros(n, dtype=np.int64)
    heap = [(0.0, 0, 0) for _ in range(0)]
    for t in range(n):
        if left[t] >= 0:
            heappush(heap, ((risk[t] - branch[t]) / (leaves[t] - 1), t, 0))
    alpha = 0.0
    alive = np.ones(n, dtype=np.uint8)
    stack = np.empty(n + 1, dtype=np.int64)
    while len(heap) > 0:
        g, t, seen = heappop(heap)
        if alive[t] == 0 or seen != version[t]:
            continue
        if g > alpha + tol:
            alpha = g
        stack[0] = t
        height = 1
        while height > 0:  # the branch goes, with all that still branches in it
            height -= 1
            node = stack[height]
            if alive[node] and left[node] >= 0:
                ceases[node] = alpha
                alive[node] = 0
                stack[height], stack[height + 1] = left[node], right[node]
                height += 2
        gained, lost = risk[t] - branch[t], leaves[t] - 1
        above = parent[t]
        while above >= 0:
            branch[above] += gained
            leaves[above] -= lost
            version[above] += 1
            if leaves[above] > 1:
                heappush(heap, ((risk[above] - branch[above]) / (leaves[above] - 1), above, version[above]))
            above = parent[above]
    return ceases


@kernel(meanwhile=few_lost)
def path_losses(
    X,
    rows,
    y,
    codes,
    w,
    K,
    left,
    right,
    feature,
    threshold,
    missing_left,
    heavier_left,
    set_of,
    sets,
    levels,
    starts,
    first,
    value,
    losses,
    absolute,
    sums,
    squares,
):
    """Add to ``sums`` and ``squares`` (A + 1,) the steps, from one alpha to the next, of the losses of the pruned trees.

    ``first[t]`` is the index of the first alpha at which node t does not branch. ``losses`` (nodes, K) are those of a class.
    """  # fmt: skip
    A = sums.shape[0] - 1
    for r in range(rows.shape[0]):
        i = rows[r]
        node, upto = 0, A
        while True:
            at = min(first[node], upto) if left[node] >= 0 else 0
            if at < upto:
                if K > 0:
                    loss = losses[node, codes[i]]
                else:
                    loss = abs(y[i] - value[node])
                    if not absolute:
                        loss = loss * loss
                sums[at] += w[i] * loss
                sums[upto] -= w[i] * loss
                squares[at] += w[i] * loss * loss
                squares[upto] -= w[i] * loss * loss
                upto = at
            if upto == 0:
                break
            if goes_left(X[i], node, feature, threshold, missing_left, heavier_left, set_of, sets, levels, starts):
                node = left[node]
            else:
                node = right[node]


@kernel(small=few_nodes, meanwhile=more_nodes)
def preorder(left, right):
    """Return the nodes reachable from the root, each before its left branch and that before its right one."""
    out, stack = np.empty(left.shape[0], dtype=np.int64), np.empty(left.shape[0] + 1, dtype=np.int64)
    stack[0] = 0
    height, size = 1, 0
    while height > 0:
        height -= 1
        node = stack[height]
        out[size] = node
        size += 1
        if left[node] >= 0:
            stack[height], stack[height + 1] = right[node], left[node]
            height += 2
    return out[:size]


@kernel(small=few_nodes, meanwhile=more_nodes)
def depths(left, right):
    """Return the depth of each node of a tree whose parents come before their children."""
    out = np.zeros(left.shape[0], dtype=np.int64)
    for t in range(left.shape[0]):
        if left[t] >= 0:
            out[left[t]] = out[right[t]] = out[t] + 1
    return out
