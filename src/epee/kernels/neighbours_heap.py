"""A heap of the k nearest so far, ordered by (distance, row): the farthest on top, and of equals the later row.

The order is total, so the k nearest rows are the same whatever order they are looked at: every search agrees, ties included.
"""

from __future__ import annotations

from epee.kernels.compiling import kernel


@kernel(inline="always")
def farther(d, i, e, j):
    """Tell whether (distance d, row i) comes after (e, j)."""
    return d > e or (d == e and i > j)


@kernel
def sink(dist, rows, at, size, d, i):
    """Put (d, i) at ``at`` of the heap and let it sink below all that are farther."""
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and farther(dist[child + 1], rows[child + 1], dist[child], rows[child]):
            child += 1
        if not farther(dist[child], rows[child], d, i):
            break
        dist[at] = dist[child]
        rows[at] = rows[child]
        at = child
    dist[at] = d
    rows[at] = i


@kernel
def unwind(dist, rows):
    """Sort a heap in place, nearest first."""
    for last in range(dist.shape[0] - 1, 0, -1):
        d, i = dist[last], rows[last]
        dist[last] = dist[0]
        rows[last] = rows[0]
        sink(dist, rows, 0, last, d, i)
