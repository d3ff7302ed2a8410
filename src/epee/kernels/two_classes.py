"""Errors of several predictors of two classes, counted tile of rows by tile in one call that needs no Python."""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import kernel
from epee.kernels.reordering import REORDER

TILE = 64  # rows of a cell that are judged together, column by column: they stay in the nearest cache
STEP = 4  # columns of a bend that are added at once


@kernel(fastmath=REORDER)
def count_errors(memory, first, step, order, counts, w, right, origin, levels, slopes, squares, bends, bend_of, sums):
    """Add the weight of the rows that each predictor has wrong to ``sums`` (m, cells).

    Cell ``j`` of row ``i`` lies in ``memory`` at ``first[j] + step * i``; ``order`` has the rows cell by cell, ``counts`` (cells,) how many
    there are, and ``right`` and ``w`` are in that order: whether each is of the second class, and its weight, 1 where ``w`` is empty.

    The cell says which fit of each predictor judges a row. Log-odds are quadratic about ``origin``: ``levels`` (cells, m), ``slopes`` and
    ``squares`` (cells, m, q), ``bends`` (cells, b, q, r), of which ``bend_of`` (m,) names one or -1: lower triangles, with zeros beside
    them up to r, a multiple of ``STEP``.
    """
    q, m, i = first.size, levels.shape[1], 0
    U, odds, turned = np.zeros((q + STEP, TILE)), np.empty(TILE), np.empty(TILE)
    for c in range(counts.size):
        end = i + counts[c]
        while i < end:
            n = min(TILE, end - i)
            rows, told = order[i : i + n], right[i : i + n]
            for j in range(q):
                u, at, o = U[j], first[j], origin[j]
                for t in range(n):
                    u[t] = memory[at + step * rows[t]] - o
            for k in range(m):
                odds[:] = levels[c, k]
                for j in range(q):
                    u, b, a = U[j], slopes[c, k, j], squares[c, k, j]
                    for t in range(TILE):
                        odds[t] += (b + a * u[t]) * u[t]
                if bend_of[k] >= 0:
                    B = bends[c, bend_of[k]]
                    for r in range(q):
                        turned[:] = 0.0
                        for j in range(0, r + 1, STEP):
                            u0, u1, u2, u3 = U[j], U[j + 1], U[j + 2], U[j + 3]
                            b0, b1, b2, b3 = B[r, j], B[r, j + 1], B[r, j + 2], B[r, j + 3]
                            for t in range(TILE):
                                turned[t] += b0 * u0[t] + b1 * u1[t] + b2 * u2[t] + b3 * u3[t]
                        u = U[r]
                        for t in range(TILE):
                            odds[t] += turned[t] * u[t]
                for t in range(n):
                    if (odds[t] > 0.0) != told[t]:
                        sums[k, c] += w[i + t] if w.size else 1.0
            i += n
