"""Shortest paths in a sparse graph: arrays in, arrays out.

Nodes wait in buckets by their distance rather than in a heap (Dial; Meyer and Sanders' delta-stepping in one thread). A node whose
distance still falls within the bucket in hand is walked again, so the result is exact whatever the width of the buckets.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_ROWS, kernel


def few(indptr, *others):
    """Tell whether the nodes are few enough for SciPy while the loop is compiled."""
    return len(indptr) <= FEW_ROWS


def by_dijkstra(indptr, indices, weights, width, rings, sources, start, stop, out):
    """Do what :func:`shortest_paths` does, by SciPy: a distance is the smallest of the sums along paths, in their order, by either."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    n = len(indptr) - 1
    out[start:stop] = dijkstra(csr_array((weights, indices, indptr), shape=(n, n)), indices=sources[start:stop])


@kernel(twin=by_dijkstra, meanwhile=few)
def shortest_paths(indptr, indices, weights, width, rings, sources, start, stop, out):
    """Write the distances from sources[start:stop] to all nodes into rows start..stop of ``out``; inf when there is no path.

    ``width`` is that of a bucket and ``rings`` how many are kept: more than the longest edge divided by the width.
    """
    n = len(indptr) - 1
    size = len(indices) + n + 1
    node_of = np.empty(size, dtype=np.int32)
    key_of = np.empty(size)
    after = np.empty(size, dtype=np.int32)
    head = np.full(rings, -1, dtype=np.int32)
    for s in range(start, stop):
        dist = out[s]
        for i in range(n):
            dist[i] = np.inf
        root = sources[s]
        dist[root] = 0.0
        node_of[0], key_of[0], after[0] = root, 0.0, -1
        head[0] = 0
        free, used, waiting, ring = -1, 1, 1, 0
        while waiting > 0:
            entry = head[ring]
            if entry < 0:
                ring += 1
                if ring == rings:
                    ring = 0
                continue
            head[ring] = after[entry]
            waiting -= 1
            u, d = node_of[entry], key_of[entry]
            after[entry] = free
            free = entry
            if d > dist[u]:
                continue
            for e in range(indptr[u], indptr[u + 1]):
                v = indices[e]
                new = d + weights[e]
                if new < dist[v]:
                    dist[v] = new
                    if free >= 0:
                        entry = free
                        free = after[free]
                    else:
                        entry = used
                        used += 1
                    place = int(new / width) % rings
                    node_of[entry], key_of[entry], after[entry] = v, new, head[place]
                    head[place] = entry
                    waiting += 1
