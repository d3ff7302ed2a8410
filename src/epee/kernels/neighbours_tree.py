r"""A balanced tree of boxes for the exact search of neighbours in few dimensions.

Node :math:`i` has the children :math:`2i+1, 2i+2`; the node at place :math:`q` of level :math:`l` holds the rows
:math:`\lfloor nq/2^l \rfloor .. \lfloor n(q+1)/2^l \rfloor` of a permutation, cut at the median of its widest side. A box
is as tight as its rows. A search goes down to the nearest box first and leaves out a box that is farther than the k-th
neighbour so far. A leaf lies in memory by columns, so that its distances are computed several at a time.

``metric``: 0 squared Euclidean, 1 Manhattan, 2 Chebyshev, 3 the p-th power of Minkowski's distance. Sums run over columns
in order, as in :mod:`epee.kernels.neighbours_screen`, so that both searches return the same bits.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.neighbours_heap import sink, unwind
from epee.kernels.reordering import REORDER
from epee.kernels.selecting import select

SLACK = 1.0 + 1e-12  # a box is never left out because its bound was rounded up
UNIT = 2.0**-23  # twice the unit roundoff of float32


@kernel
def build(X, centre, rows, boxes, leaves, node, level, place, depth):
    """Build the tree below a node down to ``depth``: permute ``rows``, fill ``boxes`` (nodes, 2, p) and ``leaves`` (n p,).

    The leaves hold ``X - centre`` in float32, so that a common offset costs no digits.
    """
    n, p = X.shape
    stack = np.empty((2 * depth + 3, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = node, level, place
    height = 1
    keys = np.empty(n // 2**level + 2)
    while height > 0:
        height -= 1
        node, level, place = stack[height, 0], stack[height, 1], stack[height, 2]
        start, end = (n * place) >> level, (n * (place + 1)) >> level
        low, high = boxes[node, 0], boxes[node, 1]
        low[:] = np.inf
        high[:] = -np.inf
        for t in range(start, end):
            x = X[rows[t]]
            for j in range(p):
                low[j] = min(low[j], x[j])
                high[j] = max(high[j], x[j])
        if level == depth:
            size = end - start
            for t in range(size):
                x = X[rows[start + t]]
                for j in range(p):
                    leaves[start * p + j * size + t] = x[j] - centre[j]
            continue
        widest = 0
        for j in range(1, p):
            if high[j] - low[j] > high[widest] - low[widest]:
                widest = j
        for t in range(start, end):
            keys[t - start] = X[rows[t], widest]
        middle = (n * (2 * place + 1)) >> (level + 1)
        select(keys[: end - start], rows[start:end], middle - start)
        stack[height, 0], stack[height, 1], stack[height, 2] = 2 * node + 2, level + 1, 2 * place + 1
        stack[height + 1, 0], stack[height + 1, 1], stack[height + 1, 2] = 2 * node + 1, level + 1, 2 * place
        height += 2


@kernel(fastmath=True)
def gap(q, box, metric, power):
    """Return the distance from a point to a box, in the scale of the metric; its rounding is within SLACK."""
    total = 0.0
    if metric == 0:
        for j in range(q.shape[0]):
            d = max(max(box[0, j] - q[j], q[j] - box[1, j]), 0.0)
            total += d * d
    elif metric == 1:
        for j in range(q.shape[0]):
            total += max(max(box[0, j] - q[j], q[j] - box[1, j]), 0.0)
    elif metric == 2:
        for j in range(q.shape[0]):
            total = max(total, max(max(box[0, j] - q[j], q[j] - box[1, j]), 0.0))
    else:
        for j in range(q.shape[0]):
            total += max(max(box[0, j] - q[j], q[j] - box[1, j]), 0.0) ** power
    return total


@kernel
def exact(q, x, metric, power):
    """Return the distance between two points in the scale of the metric, summed over columns in order."""
    total = 0.0
    for j in range(q.shape[0]):
        d = abs(x[j] - q[j])
        if metric == 0:
            total += d * d
        elif metric == 1:
            total += d
        elif metric == 2:
            total = max(total, d)
        else:
            total += d**power
    return total


@kernel
def root(d, metric, power):
    """Return the distance itself from its value in the scale of the metric."""
    if metric == 0:
        return np.sqrt(d)
    return d ** (1.0 / power) if metric == 3 else d


@kernel
def loosened(best, error, p, metric, power):
    """Return a limit in float32 that no row as near as ``best`` exceeds, though its coordinates were rounded."""
    d = (root(best, metric, power) + error) * (1.0 + (p + 8) * UNIT)
    if metric == 0:
        d = d * d
    elif metric == 3:
        d = d**power
    return np.float32(d * (1.0 + (p + 8 + power) * 2 * UNIT))


@kernel(fastmath=REORDER)
def rough(q, block, size, metric, power, out):
    """Fill ``out`` with distances in float32 from q to the rows of a leaf, which lies by columns in ``block``."""
    p = q.shape[0]
    if metric == 0:
        j = p % 4  # four columns a sweep: less traffic to ``out``
        out[:size] = np.float32(0.0)
        for i in range(j):
            a = q[i]
            column = block[i * size : (i + 1) * size]
            for t in range(size):
                u = column[t] - a
                out[t] += u * u
        while j < p:
            a, b, c, d = q[j], q[j + 1], q[j + 2], q[j + 3]
            C0, C1 = block[j * size : (j + 1) * size], block[(j + 1) * size : (j + 2) * size]
            C2, C3 = block[(j + 2) * size : (j + 3) * size], block[(j + 3) * size : (j + 4) * size]
            for t in range(size):
                u, v, y, z = C0[t] - a, C1[t] - b, C2[t] - c, C3[t] - d
                out[t] += u * u + v * v + y * y + z * z
            j += 4
        return
    out[:size] = np.float32(0.0)
    for j in range(p):
        a = q[j]
        column = block[j * size : (j + 1) * size]
        if metric == 1:
            for t in range(size):
                out[t] += abs(column[t] - a)
        elif metric == 2:
            for t in range(size):
                out[t] = max(out[t], abs(column[t] - a))
        else:
            for t in range(size):
                out[t] += abs(column[t] - a) ** power


@kernel
def search(Q, X, centre, spread, rows, boxes, leaves, depth, metric, power, dist, found):
    """Fill ``dist`` and ``found`` (m, k) with the rows of ``X`` nearest to the queries ``Q`` (m, p), nearest first.

    ``spread`` is the largest norm of a row of ``X - centre``, where the entries of ``X`` are at most one.
    """
    n, p, k = rows.shape[0], Q.shape[1], dist.shape[1]
    first_leaf = 2**depth - 1
    stack = np.empty(2 * depth + 3, dtype=np.int64)
    bounds = np.empty(2 * depth + 3)
    scratch = np.empty((n >> depth) + 2, dtype=np.float32)
    small = np.empty(p, dtype=np.float32)
    power32 = np.float32(power)
    for i in range(Q.shape[0]):
        q, best, who = Q[i], dist[i], found[i]
        best[:] = np.inf
        who[:] = n
        for j in range(p):
            small[j] = q[j] - centre[j]
        far = root(exact(q, centre, metric, power), metric, power)
        error = UNIT * (spread + far) + p * (1.0 + far) * 2.0**-50  # the second term: centring in float64
        limit, bound = np.float32(np.inf), np.inf
        stack[0], bounds[0] = 0, 0.0
        height = 1
        while height > 0:
            height -= 1
            node = stack[height]
            if bounds[height] > bound:
                continue
            while node < first_leaf:
                left = 2 * node + 1
                a, b = gap(q, boxes[left], metric, power), gap(q, boxes[left + 1], metric, power)
                node = left if a <= b else left + 1
                if max(a, b) <= bound:
                    stack[height], bounds[height] = 2 * left + 1 - node, max(a, b)
                    height += 1
                if min(a, b) > bound:
                    node = -1
                    break
            if node < 0:
                continue
            place = node - first_leaf
            start, end = (n * place) >> depth, (n * (place + 1)) >> depth
            size = end - start
            rough(small, leaves[start * p : end * p], size, metric, power32, scratch)
            hits = 0
            for t in range(size):
                hits += scratch[t] <= limit
            if hits == 0:
                continue
            for t in range(size):
                if scratch[t] <= limit:
                    row = rows[start + t]
                    d = exact(q, X[row], metric, power)
                    if d < best[0] or (d == best[0] and row < who[0]):
                        sink(best, who, 0, k, d, row)
                        limit, bound = loosened(best[0], error, p, metric, power), best[0] * SLACK
        unwind(best, who)
