"""Trees of clusters by whole tables of distances in NumPy: what answers for few rows while the loops are compiled, with the same bits.

Squared distances are added column by column, as in :mod:`epee.kernels.cluster_tree`, and equal ones go to the lowest name.
"""

from __future__ import annotations

import math

import numpy as np

from epee.kernels.compiling import FEW_ROWS


def few_clusters(rows, X, *others):
    """Tell whether the clusters are few enough for a table of distances."""
    return len(X) < FEW_ROWS


def few_columns(P, *others):
    """Tell the same of points that lie in columns."""
    return P.shape[1] < FEW_ROWS


def nearest_clusters(rows, X, size, names, P, S, span, box, least, E, ES, enames, ward, best, name):
    """Find for each of ``rows`` its nearest other cluster, among the tree and the list ``E`` (p, e) of newer ones."""
    points, sizes, called = np.concatenate([P, E], axis=1), np.concatenate([S, ES]), np.concatenate([names, enames])
    for start in range(0, len(rows), 256):
        some = rows[start : start + 256]
        D = np.zeros((len(some), len(called)))
        for j in range(X.shape[1]):
            d = points[j] - X[some, j, None]
            D += d * d
        if ward:
            s = size[some, None]
            D *= s * sizes / (s + sizes)
        D[called == some[:, None]] = np.nan
        nearest = np.fmin.reduce(D, axis=1)
        who = np.where(nearest[:, None] == D, called, np.iinfo(np.int64).max).min(axis=1)
        guess, known = best[some], name[some]
        closer = (nearest < guess) | ((nearest == guess) & ((who < known) | (known < 0)))
        best[some], name[some] = np.where(closer, nearest, guess), np.where(closer, who, known)


def spanning_tree(P, low, high, length):
    """Fill the n - 1 edges of a minimum spanning tree of the columns of ``P`` (p, n), which is consumed (Prim)."""
    p, n = P.shape
    name, near, best = np.arange(n), np.zeros(n, np.int64), np.full(n, np.inf)
    for m in range(n - 1, 0, -1):
        out = np.zeros(m)
        for j in range(p):
            d = P[j, :m] - P[j, m]
            out += d * d
        closer = out < best[:m]
        near[:m][closer] = name[m]
        best[:m][closer] = out[closer]
        at, last = int(np.argmin(best[:m])), m - 1
        low[n - 1 - m], high[n - 1 - m], length[n - 1 - m] = near[at], name[at], math.sqrt(best[at])
        P[:, [at, last]] = P[:, [last, at]]
        name[[at, last]] = name[[last, at]]
        best[at], near[at] = best[last], near[last]
