"""Neighbours by the whole table of distances in NumPy: what the searches of this room mean, and what small tables use.

Distances are summed over columns in order and equal ones ranked by row, as :mod:`epee.kernels.neighbours_tree` does.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_CELLS, FEW_ROWS

MOST_WORK = 2**29  # rows times queries times columns: some two seconds


def bearable(Q, X, metric):
    """Tell whether a table of all distances may stand in while the searches are compiled: with the same bits, which powers have not."""
    return metric <= 2 and max(len(Q), len(X)) < FEW_ROWS and len(Q) * X.size <= MOST_WORK


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
    order = nearest_places(total, k)
    return np.take_along_axis(total, order, axis=1), order


def nearest_places(D, k):
    """Return the places (m, k) of the smallest of each row of ``D`` (m, n), smallest first, the first of equal ones before the others."""
    m, n = D.shape
    if 4 * k >= n or np.isnan(D).any():
        return np.argsort(D, axis=1, kind="stable")[:, :k]
    last = np.partition(D, k - 1, axis=1)[:, k - 1, None]
    inside, tied = last > D, last == D
    missing = k - inside.sum(axis=1, keepdims=True)
    inside |= tied & (np.add.accumulate(tied, axis=1, dtype=np.int32) <= missing)
    places = np.nonzero(inside)[1].reshape(m, k)
    by_distance = np.argsort(np.take_along_axis(D, places, axis=1), axis=1, kind="stable")
    return np.take_along_axis(places, by_distance, axis=1)


def few_queries(S, *others):
    """Tell whether queries are screened or settled here while a compiler would be waited for: they come 256 at a time."""
    return len(S) <= 256


def screen(S, norms, start, best, who):
    """Keep the smallest ``S + norms`` of each row of ``S`` (m, b) in ``best``, ``who`` (m, c), the largest of them first."""
    c = best.shape[1]
    scores = np.concatenate([best, S + norms[start : start + S.shape[1]]], axis=1)
    rows = np.concatenate([who, np.broadcast_to(start + np.arange(S.shape[1]), S.shape)], axis=1)
    place = np.argpartition(scores, c - 1, axis=1)[:, :c][:, ::-1]  # the largest is at c - 1
    best[:], who[:] = np.take_along_axis(scores, place, axis=1), np.take_along_axis(rows, place, axis=1)


def settle(Q, X, best, who, error, lengths, dist, found, doubtful):
    """Fill ``dist`` and ``found`` (m, k) from the candidates ``who``; mark the queries that they do not settle."""
    k = dist.shape[1]
    d = np.zeros(who.shape)
    for j in range(Q.shape[1]):
        gap = np.abs(X[who, j] - Q[:, j, None])
        d += gap * gap
    d[who < 0] = np.inf
    rows = np.where(who < 0, len(X), who)
    order = np.lexsort((rows, d))[:, :k]
    dist[:], found[:] = np.take_along_axis(d, order, axis=1), np.take_along_axis(rows, order, axis=1)
    doubtful[:] = ~(dist[:, -1] < best[:, 0].astype(np.float64) - error + lengths)
