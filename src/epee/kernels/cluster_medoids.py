r"""Partitioning around medoids: BUILD and the swaps of FasterPAM.

Of every row are kept the nearest medoid with its dissimilarity :math:`d_1` and the second nearest with :math:`d_2`. Giving up
medoid :math:`m` costs :math:`\sum_{i \in m} w_i (d_2 - d_1)`. With a candidate :math:`c` taken in for it, only rows with
:math:`d(i, c) < d_2` change what they pay, so one scan of the row of ``D`` gives the change of cost for *all* medoids that
:math:`c` might replace; the best is swapped at once when the cost drops (Schubert and Rousseeuw, 2021).
:mod:`epee.kernels.medoids_twin` does the same in NumPy.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import medoids_twin as twin
from epee.kernels.compiling import kernel


@kernel(twin=twin.build_gains, meanwhile=twin.few)
def build_gains(D, w, near, low, high, gain):
    """Fill ``gain`` with what each candidate in [low, high) would save: the sum of w max(near - d, 0).

    Four candidates are added up side by side: none of their sums waits for another, and each has its terms in order.
    """
    for s in range(low, high, 4):
        c0, c1, c2, c3 = s, min(s + 1, high - 1), min(s + 2, high - 1), min(s + 3, high - 1)
        g0, g1, g2, g3 = 0.0, 0.0, 0.0, 0.0
        for i in range(near.shape[0]):
            weight, d = w[i], near[i]
            g0 += weight * max(d - D[c0, i], 0.0)
            g1 += weight * max(d - D[c1, i], 0.0)
            g2 += weight * max(d - D[c2, i], 0.0)
            g3 += weight * max(d - D[c3, i], 0.0)
        gain[c0], gain[c1], gain[c2], gain[c3] = g0, g1, g2, g3


@kernel(twin=twin.two_medoids, meanwhile=twin.few)
def two_medoids(D, medoids, first, second, d1, d2):
    """Fill for each row the places of its two nearest medoids and their dissimilarities."""
    d1[:] = np.inf
    d2[:] = np.inf
    first[:] = 0
    second[:] = 0
    for m in range(medoids.shape[0]):
        c = medoids[m]
        for i in range(d1.shape[0]):
            d = float(D[c, i])
            if d < d1[i]:
                d2[i], second[i] = d1[i], first[i]
                d1[i], first[i] = d, m
            elif d < d2[i]:
                d2[i], second[i] = d, m


@kernel
def removal_costs(w, first, d1, d2, loss):
    """Fill what giving up each medoid would cost."""
    loss[:] = 0.0
    for i in range(d1.shape[0]):
        loss[first[i]] += w[i] * (d2[i] - d1[i])


@kernel
def swap_gain(D, w, c, first, d1, d2, loss, room, touched):
    """Return the best change of cost that candidate ``c`` brings, and the medoid it would replace."""
    n, k = d1.shape[0], loss.shape[0]
    m = 0
    for i in range(n):  # branchless: a jump mispredicted costs more than a store
        touched[m] = i
        m += D[c, i] < d2[i]
    saved = 0.0
    room[:] = loss
    for t in range(m):
        i = touched[t]
        d = float(D[c, i])
        if d < d1[i]:
            saved += w[i] * (d - d1[i])
            room[first[i]] += w[i] * (d1[i] - d2[i])
        else:
            room[first[i]] += w[i] * (d - d2[i])
    best = 0
    for j in range(1, k):
        if room[j] < room[best]:
            best = j
    return room[best] + saved, best


@kernel
def do_swap(D, w, medoids, best, c, first, second, d1, d2):
    """Put candidate ``c`` in the place ``best`` and mend the two nearest medoids of each row."""
    k = medoids.shape[0]
    medoids[best] = c
    for i in range(d1.shape[0]):
        d = float(D[c, i])
        if first[i] == best or second[i] == best:
            keep, other = (d2[i], second[i]) if first[i] == best else (d1[i], first[i])
            if d <= keep:
                d1[i], first[i], d2[i], second[i] = d, best, keep, other
                continue
            d1[i], first[i] = keep, other
            d2[i], second[i] = d, best
            if k > 2:  # the second may be any other medoid now
                for m in range(k):
                    if m != other:
                        v = float(D[medoids[m], i])
                        if v < d2[i]:
                            d2[i], second[i] = v, m
        elif d < d1[i]:
            d2[i], second[i] = d1[i], first[i]
            d1[i], first[i] = d, best
        elif d < d2[i]:
            d2[i], second[i] = d, best


@kernel(twin=twin.swap_until_settled, meanwhile=twin.few)
def swap_until_settled(D, w, medoids, is_medoid, first, second, d1, d2, start, scans, tol, trace):
    """Try candidates in turn from ``start`` on, swapping at once, until ``scans`` were tried or none of n helped.

    Returns the candidate to go on from, how many were tried, how many swaps were done, and whether the medoids are settled.
    ``trace`` receives the change of cost of each swap.
    """
    n = D.shape[0]
    loss, room = np.empty(medoids.shape[0]), np.empty(medoids.shape[0])
    touched = np.empty(n + 1, np.int64)
    removal_costs(w, first, d1, d2, loss)
    idle, swaps, c = 0, 0, start
    for s in range(scans):
        if not is_medoid[c]:
            change, best = swap_gain(D, w, c, first, d1, d2, loss, room, touched)
            if change < -tol:
                is_medoid[medoids[best]] = False
                is_medoid[c] = True
                do_swap(D, w, medoids, best, c, first, second, d1, d2)
                removal_costs(w, first, d1, d2, loss)
                if swaps < trace.shape[0]:
                    trace[swaps] = change
                swaps += 1
                idle = 0
        c = c + 1 if c + 1 < n else 0
        idle += 1
        if idle >= n:
            return c, s + 1, swaps, True
    return c, scans, swaps, False
