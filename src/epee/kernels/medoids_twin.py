"""The functions of :mod:`epee.kernels.cluster_medoids` in NumPy, with the same bits: what answers for few rows while they are compiled.

A sum along a row is the last of its partial sums, which are taken in order.
"""

from __future__ import annotations

import numpy as np

from epee.kernels.compiling import FEW_ROWS


def few(D, *others):
    """Tell whether a table of dissimilarities is small."""
    return len(D) < FEW_ROWS


def build_gains(D, w, near, low, high, gain):
    """Fill ``gain`` with what each candidate in [low, high) would save: the sum of w max(near - d, 0)."""
    gain[low:high] = np.cumsum(w * np.maximum(near - D[low:high], 0.0), axis=1)[:, -1]


def two_medoids(D, medoids, first, second, d1, d2):
    """Fill for each row the places of its two nearest medoids and their dissimilarities."""
    d1[:], d2[:], first[:], second[:] = np.inf, np.inf, 0, 0
    for m, c in enumerate(medoids):
        take_in(D[c].astype(np.float64), m, np.arange(len(d1)), first, second, d1, d2)


def take_in(d, m, rows, first, second, d1, d2):
    """Let medoid ``m``, at ``d`` from some rows, be the first or the second nearest of those that it is nearer to."""
    nearest = d < d1[rows]
    next_ = ~nearest & (d < d2[rows])
    i = rows[nearest]
    d2[i], second[i] = d1[i], first[i]
    d1[i], first[i] = d[nearest], m
    d2[rows[next_]], second[rows[next_]] = d[next_], m


def removal_costs(w, first, d1, d2, k):
    """Return what giving up each of k medoids would cost."""
    return np.bincount(first, w * (d2 - d1), k)


def swap_gain(D, w, c, first, d1, d2, loss):
    """Return the best change of cost that candidate ``c`` brings, and the medoid it would replace."""
    i = np.flatnonzero(D[c] < d2)
    d, near, far, weight = D[c, i].astype(np.float64), d1[i], d2[i], w[i]
    closer = d < near
    room = loss.copy()
    np.add.at(room, first[i], weight * (np.where(closer, near, d) - far))
    saved = np.cumsum((weight * (d - near))[closer])
    best = int(np.argmin(room))
    return room[best] + (saved[-1] if len(saved) else 0.0), best


def do_swap(D, medoids, best, c, first, second, d1, d2):
    """Put candidate ``c`` in the place ``best`` and mend the two nearest medoids of each row."""
    medoids[best] = c
    d = D[c].astype(np.float64)
    was_first = first == best
    had = was_first | (second == best)
    take_in(d[~had], best, np.flatnonzero(~had), first, second, d1, d2)
    i = np.flatnonzero(had)
    keep, other = np.where(was_first, d2, d1)[i], np.where(was_first, second, first)[i]
    nearer = d[i] <= keep
    j, far = i[nearer], i[~nearer]
    d1[j], first[j], d2[j], second[j] = d[j], best, keep[nearer], other[nearer]
    d1[far], first[far], d2[far], second[far] = keep[~nearer], other[~nearer], d[far], best
    if len(medoids) > 2 and len(far):  # the second may be any other medoid now
        V = D[np.ix_(medoids, far)].astype(np.float64)
        V[first[far], np.arange(len(far))] = np.inf
        m = np.argmin(V, axis=0)
        least = V[m, np.arange(len(far))]
        closer = least < d2[far]
        d2[far[closer]], second[far[closer]] = least[closer], m[closer]


def swap_until_settled(D, w, medoids, is_medoid, first, second, d1, d2, start, scans, tol, trace):
    """Try candidates in turn from ``start`` on, swapping at once, until ``scans`` were tried or none of n helped."""
    n, k = len(D), len(medoids)
    loss = removal_costs(w, first, d1, d2, k)
    idle, swaps, c = 0, 0, start
    for s in range(scans):
        if not is_medoid[c]:
            change, best = swap_gain(D, w, c, first, d1, d2, loss)
            if change < -tol:
                is_medoid[medoids[best]] = False
                is_medoid[c] = True
                do_swap(D, medoids, best, c, first, second, d1, d2)
                loss = removal_costs(w, first, d1, d2, k)
                if swaps < len(trace):
                    trace[swaps] = change
                swaps += 1
                idle = 0
        c = c + 1 if c + 1 < n else 0
        idle += 1
        if idle >= n:
            return c, s + 1, swaps, True
    return c, scans, swaps, False
