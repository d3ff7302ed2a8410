"""Neighbours by the whole table of distances in NumPy: what the searches of this room mean, and what small tables use.

Distances are summed over columns in order and equal ones ranked by row, as :mod:`epee.kernels.neighbours_tree` does.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_CELLS


def few(Q, X):
    """Tell whether a table of all distances is quicker than a tree that must first be built, by a compiler that must first be met."""
    return X.size <= FEW_CELLS and Q.size <= FEW_CELLS


def search_all(Q, X, k, metric, power):
    """Return the distances, in the scale of the metric, and the row numbers (m, k) of the nearest rows, nearest first."""
    total = np.zeros((len(Q), len(X)))
    with np.errstate(all="ignore"):  # as in the loops: what is too far is infinitely far
        for j in range(Q.shape[1]):
            d = np.abs(X[:, j] - Q[:, j, None])
            if metric == 0:
                total += d * d
            elif metric == 1:
                total += d
            elif metric == 2:
                np.maximum(total, d, out=total)
            else:
                total += d**power
    order = np.argsort(total, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(total, order, axis=1), order
