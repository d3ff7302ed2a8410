"""Errors of several predictors of two classes, counted row by row in one call that needs no Python."""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.reordering import REORDER


@kernel(fastmath=REORDER)
def count_errors(X, cell, codes, w, origin, first, levels, slopes, squares, bends, bend_of, sums, weights):
    """Add the weight of the rows that each predictor has wrong to ``sums`` (m, parts), and of all rows to ``weights`` (parts,).

    The row's cell, from ``first`` on, says which fit of each predictor judges it. Log-odds are quadratic about ``origin``:
    ``levels`` (cells, m), ``slopes`` and ``squares`` (cells, m, q), ``bends`` (cells, b, q, q), of which ``bend_of`` (m,) names one
    or -1. An empty ``w`` stands for weights of one.
    """
    n, q = X.shape
    m = levels.shape[1]
    u, turned = np.empty(q), np.empty(q)
    for i in range(n):
        c = cell[i] - first
        if c < 0:
            continue
        x, weight = X[i], w[i] if w.size else 1.0
        for j in range(q):
            u[j] = x[j] - origin[j]
        weights[c + first] += weight
        for k in range(m):
            odds, b, a = levels[c, k], slopes[c, k], squares[c, k]
            for j in range(q):
                odds += (b[j] + a[j] * u[j]) * u[j]
            if bend_of[k] >= 0:
                B = bends[c, bend_of[k]]
                turned[:] = 0.0
                for r in range(q):
                    row, by = B[r], u[r]
                    for j in range(q):
                        turned[j] += by * row[j]
                for j in range(q):
                    odds += turned[j] * u[j]
            if (odds > 0.0) != (codes[i] == 1):
                sums[k, c + first] += weight
