r"""A k-d tree over weighted points, for the searches of clustering.

A node holds the rows ``low .. high`` of a permutation, the box around them and the smallest of their sizes. With a size on
each point the tree finds the nearest cluster for Ward's jump

.. math:: \Delta(A, B) = \frac{\omega_A \omega_B}{\omega_A + \omega_B} \|g_A - g_B\|^2,

which grows with :math:`\omega_B`, so that the box and the smallest size bound it from below; sizes that do not count give
plain nearest neighbours. Coordinates lie one column after another, so a leaf is scanned by vector instructions. Distances are sums of
squared differences: no digits are lost, and the distance of a to b is that of b to a to the last bit.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import cluster_twin as twin
from epee.kernels.compiling import bearable, kernel
from epee.kernels.selecting import select

LEAF = 32


@kernel(meanwhile=bearable)
def build_tree(X, size):
    """Return a tree over the rows of ``X`` (m, p) with sizes (m,).

    Returns ``order`` (m,), the coordinates in that order (p, m), the sizes in that order, and the nodes: ``span`` (N, 3) of
    low, high and left child (-1 for a leaf; the right child follows the left), ``box`` (N, 2, p), ``least`` (N,) smallest sizes.
    """
    m, p = X.shape
    room = 4 * (m // LEAF) + 8
    order, keys = np.arange(m), np.empty(m)
    span = np.empty((room, 3), np.int64)
    box = np.empty((room, 2, p))
    least = np.empty(room)
    columns = np.ascontiguousarray(X.T)
    span[0, 0], span[0, 1] = 0, m
    nodes, node = 1, 0
    while node < nodes:
        low, high = span[node, 0], span[node, 1]
        widest, width = 0, -1.0
        for j in range(p):
            column = columns[j]
            lo, up = np.inf, -np.inf
            for t in range(low, high):
                v = column[order[t]]
                lo = min(lo, v)
                up = max(up, v)
            box[node, 0, j], box[node, 1, j] = lo, up
            if up - lo > width:
                widest, width = j, up - lo
        smallest = np.inf
        for t in range(low, high):
            smallest = min(smallest, size[order[t]])
        least[node] = smallest
        span[node, 2] = -1
        if high - low > LEAF:
            middle = (low + high) // 2
            for t in range(low, high):
                keys[t] = columns[widest, order[t]]
            select(keys[low:high], order[low:high], middle - low)
            span[node, 2] = nodes
            span[nodes, 0], span[nodes, 1] = low, middle
            span[nodes + 1, 0], span[nodes + 1, 1] = middle, high
            nodes += 2
        node += 1
    P = np.empty((p, m))
    S = np.empty(m)
    for t in range(m):
        S[t] = size[order[t]]
    for j in range(p):
        for t in range(m):
            P[j, t] = columns[j, order[t]]
    return order, P, S, span[:nodes], box[:nodes], least[:nodes]


@kernel
def box_distance(x, box):
    """Return the squared distance from x to a box (2, p)."""
    s = 0.0
    for j in range(x.shape[0]):
        d = max(max(box[0, j] - x[j], x[j] - box[1, j]), 0.0)
        s += d * d
    return s


@kernel
def scan(x, s, P, S, low, high, ward, out):
    """Fill out[:high - low] with the jumps, or the squared distances, from x of size s to the points low .. high."""
    m = high - low
    for t in range(m):
        out[t] = 0.0
    for j in range(x.shape[0]):
        v = x[j]
        column = P[j, low:high]
        for t in range(m):
            d = column[t] - v
            out[t] += d * d
    if ward:
        for t in range(m):
            out[t] *= s * S[low + t] / (s + S[low + t])


@kernel(twin=twin.nearest_clusters, meanwhile=twin.few_clusters)
def nearest_clusters(rows, X, size, names, P, S, span, box, least, E, ES, enames, ward, best, name):
    """Find for each of ``rows`` its nearest other cluster, among the tree and the list ``E`` (p, e) of newer ones.

    ``best`` and ``name`` (n,) hold a first guess for each row (infinity and -1 when there is none) and receive the answer. Ties
    go to the lowest name. A point that is no longer there has an infinite coordinate.
    """
    stack = np.empty(256, np.int64)
    bounds = np.empty(256)
    out = np.empty(max(LEAF, 256))
    for r in range(rows.shape[0]):
        i = rows[r]
        x, s = X[i], size[i]
        b, who = best[i], name[i]
        for low in range(0, ES.shape[0], 256):
            high = min(low + 256, ES.shape[0])
            scan(x, s, E, ES, low, high, ward, out)
            for t in range(high - low):
                v = out[t]
                if v <= b and enames[low + t] != i and (v < b or enames[low + t] < who or who < 0):
                    b, who = v, enames[low + t]
        depth = 1
        stack[0], bounds[0] = 0, 0.0
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if bounds[depth] > b:
                continue
            left = span[node, 2]
            if left < 0:
                low, high = span[node, 0], span[node, 1]
                scan(x, s, P, S, low, high, ward, out)
                for t in range(high - low):
                    v = out[t]
                    if v <= b:
                        c = names[low + t]
                        if c != i and (v < b or c < who or who < 0):
                            b, who = v, c
                continue
            d0, d1 = box_distance(x, box[left]), box_distance(x, box[left + 1])
            if ward:
                d0 *= s * least[left] / (s + least[left])
                d1 *= s * least[left + 1] / (s + least[left + 1])
            near, far = (left, left + 1) if d0 <= d1 else (left + 1, left)
            stack[depth], bounds[depth] = far, max(d0, d1)
            stack[depth + 1], bounds[depth + 1] = near, min(d0, d1)
            depth += 2
        best[i], name[i] = b, who


@kernel(meanwhile=bearable)
def merge_pairs(X, size, active, nn, gap, rows, fresh, left, right, height, done):
    """Merge every pair of mutual nearest clusters that has a member in ``rows``; return how many merges there are now.

    The union of a and b < a lives on in the place of the lower; ``fresh`` is 1 for a union and 2 for the place that it left.
    """
    p = X.shape[1]
    for r in range(rows.shape[0]):
        i = rows[r]
        j = nn[i]
        if j < 0 or fresh[i] != 0 or fresh[j] != 0 or nn[j] != i:
            continue
        a, b = min(i, j), max(i, j)
        done = merge_two(X, size, active, a, b, gap[i], fresh, left, right, height, done, p)
    return done


@kernel(meanwhile=bearable)
def merge_two(X, size, active, a, b, gap, fresh, left, right, height, done, p):
    """Merge cluster b into a at squared height ``gap``."""
    total = size[a] + size[b]
    share = size[b] / total
    for j in range(p):
        X[a, j] += share * (X[b, j] - X[a, j])
    size[a] = total
    active[b] = False
    fresh[a], fresh[b] = 1, 2
    left[done], right[done], height[done] = a, b, gap
    return done + 1
