"""Some rows of a table, gathered and centred on their own mean in two sweeps instead of five.

The NumPy twin of :func:`centred_rows` is::

    B = np.hstack([X[rows], Y[rows]]) - origin
    mean = B.mean(axis=0)
    B -= mean

:func:`centred_columns` does so for the rows of many cells, of a table whose columns lie together.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.reordering import REORDER


@kernel
def centred_rows(X, Y, rows, origin, B, mean):
    """Write rows of X (n, p) and Y (n, m) minus the origin into B, centred on their mean, which goes to ``mean``."""
    n, p, m = len(rows), X.shape[1], Y.shape[1]
    mean[:] = 0.0
    for i in range(n):
        r = rows[i]
        for j in range(p):
            v = X[r, j] - origin[j]
            B[i, j] = v
            mean[j] += v
        for j in range(m):
            v = Y[r, j] - origin[p + j]
            B[i, p + j] = v
            mean[p + j] += v
    mean /= np.float64(max(n, 1))
    for i in range(n):
        for j in range(p + m):
            B[i, j] -= mean[j]


@kernel(fastmath=REORDER)
def centred_columns(memory, first, order, counts, places, origin, B, means):
    """Write columns minus the origin into B (p, m), cell after cell, each centred on its mean.

    Column ``j`` lies in ``memory`` from ``first[j]`` on; ``order`` (n,) sorts the rows by cell, ``counts`` (cells,) are
    their numbers. A cell begins at its place in B, and zeros fill B up to the next; cells without rows have no place.
    """
    for j in range(first.size):
        x, b, o, r, end = memory[first[j] : first[j] + order.size], B[j], origin[j], 0, 0
        for c in range(counts.size):
            n = counts[c]
            if n == 0:
                continue
            b[end : places[c]] = 0.0
            rows, out, total = order[r : r + n], b[places[c] : places[c] + n], 0.0
            for i in range(n):
                v = x[rows[i]] - o
                out[i] = v
                total += v
            means[c, j] = total / n
            for i in range(n):
                out[i] -= means[c, j]
            r, end = r + n, places[c] + n
        b[end:] = 0.0
