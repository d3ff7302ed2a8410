r"""Trees of clusters without the table of distances: single linkage by Prim's algorithm, centroid linkage by lazy nearest neighbours."""

from __future__ import annotations

import math

import numpy as np

from epee.kernels import cluster_twin as twin
from epee.kernels.compiling import bearable, kernel


@kernel
def distances_from(P, m, c, out):
    """Fill out[:m] with the squared distances of the first m columns of ``P`` (p, n) to column c."""
    for t in range(m):
        out[t] = 0.0
    for j in range(P.shape[0]):
        v = P[j, c]
        column = P[j]
        for t in range(m):
            d = column[t] - v
            out[t] += d * d


@kernel(twin=twin.spanning_tree, meanwhile=twin.few_columns)
def spanning_tree(P, low, high, length):
    """Fill the n - 1 edges of a minimum spanning tree of the columns of ``P`` (p, n), which is consumed (Prim).

    The rows still outside lie first; the newest member of the tree lies just behind them.
    """
    p, n = P.shape
    name = np.arange(n)
    near = np.zeros(n, np.int64)
    best = np.full(n, np.inf)
    out = np.empty(n)
    x = np.empty(p)
    for m in range(n - 1, 0, -1):  # m rows are outside; row m has just joined
        for t in range(m):
            out[t] = 0.0
        for j in range(p):
            v = P[j, m]
            column = P[j]
            for t in range(m):
                d = column[t] - v
                out[t] += d * d
        who = name[m]
        least = np.inf
        for t in range(m):
            v = out[t]
            near[t] = who if v < best[t] else near[t]
            best[t] = min(best[t], v)
            least = min(least, best[t])
        at = 0
        while best[at] != least:
            at += 1
        low[n - 1 - m], high[n - 1 - m], length[n - 1 - m] = near[at], name[at], math.sqrt(least)
        last = m - 1  # the one that joins changes places with the last outsider
        for j in range(p):
            x[j] = P[j, at]
            P[j, at] = P[j, last]
            P[j, last] = x[j]
        name[at], name[last] = name[last], name[at]
        best[at], near[at] = best[last], near[last]


@kernel
def centroid_tree(P, size, nn, best, Z):
    """Fill SciPy's Z (n - 1, 4) of centroid linkage from first nearest neighbours; all arguments but Z are consumed.

    ``P`` (p, n) centroids as columns. ``best`` is a lower bound of each cluster's distance to its nearest; it is exact unless
    the cluster is stale: its nearest was merged away. A stale cluster is looked up again only when it comes to the front. Clusters that
    are left lie first, in no order.
    """
    p, n = P.shape
    name = np.arange(n)  # what SciPy calls the cluster in each place
    rows = np.ones(n)
    stale = np.zeros(n, np.bool_)
    out = np.empty(n)
    m = n
    for done in range(n - 1):
        while True:
            least = np.inf
            for t in range(m):
                least = min(least, best[t])
            a = 0
            while best[a] != least:
                a += 1
            if not stale[a]:
                break
            distances_from(P, m, a, out)
            out[a] = np.inf
            least = np.inf
            for t in range(m):
                least = min(least, out[t])
            b = 0
            while out[b] != least:
                b += 1
            best[a], nn[a], stale[a] = least, b, False
        b = nn[a]
        total = size[a] + size[b]
        Z[done, 0], Z[done, 1] = min(name[a], name[b]), max(name[a], name[b])
        Z[done, 2], Z[done, 3] = math.sqrt(best[a]), rows[a] + rows[b]
        share = size[b] / total
        for j in range(p):
            P[j, a] += share * (P[j, b] - P[j, a])
        size[a], rows[a], name[a] = total, rows[a] + rows[b], n + done
        last = m - 1
        for t in range(m):  # whose nearest went away is stale; the last cluster moves into the place of b
            if nn[t] == a or nn[t] == b:
                stale[t] = True
            elif nn[t] == last:
                nn[t] = b
        if b != last:
            for j in range(p):
                P[j, b] = P[j, last]
            size[b], rows[b], name[b] = size[last], rows[last], name[last]
            nn[b], best[b], stale[b] = nn[last], best[last], stale[last]
            a = b if a == last else a
        m = last
        if m == 1:
            break
        distances_from(P, m, a, out)
        out[a] = np.inf
        least, at = np.inf, 0
        for t in range(m):
            if out[t] < best[t]:
                best[t], nn[t], stale[t] = out[t], a, False
            least = min(least, out[t])
        while out[at] != least:
            at += 1
        best[a], nn[a], stale[a] = least, at, False


@kernel
def _find(parent, i):
    """Return the root of i in a forest of unions, halving the way to it."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel(meanwhile=bearable)
def name_merges(left, right, height, Z):
    """Fill SciPy's Z (n - 1, 4) from merges in order of height, each named by one row of either side."""
    n = left.shape[0] + 1
    parent = np.arange(2 * n - 1)
    rows = np.ones(2 * n - 1)
    for t in range(n - 1):
        a, b = _find(parent, left[t]), _find(parent, right[t])
        Z[t, 0], Z[t, 1], Z[t, 2], Z[t, 3] = min(a, b), max(a, b), height[t], rows[a] + rows[b]
        parent[a] = n + t
        parent[b] = n + t
        rows[n + t] = rows[a] + rows[b]


@kernel(meanwhile=bearable)
def cut_tree(Z, merges, labels):
    """Fill the cluster of each row after the first ``merges`` merges, numbered in the order of the first rows."""
    n = Z.shape[0] + 1
    parent = np.arange(n + merges)
    for t in range(merges):
        parent[int(Z[t, 0])] = n + t
        parent[int(Z[t, 1])] = n + t
    for i in range(n + merges - 1, -1, -1):
        parent[i] = parent[parent[i]]
    number = np.full(n + merges, -1)
    found = 0
    for i in range(n):
        r = parent[i]
        if number[r] < 0:
            number[r] = found
            found += 1
        labels[i] = number[r]
