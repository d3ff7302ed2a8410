r"""Exact neighbours from distances in float32.

A product of matrices in float32 gives :math:`s = \|x\|^2 - 2 q^\top x`, which ranks the rows as the distance does, within an
error :math:`e(q)` that is known beforehand. The rows with the smallest :math:`s` are the candidates; their distances are then
computed in float64. With :math:`\hat s` the largest value kept, every other row has :math:`\|x-q\|^2 \ge \hat s - e + \|q\|^2`;
a query whose k-th exact distance is below that is settled, any other is doubtful and goes to the search by boxes.
"""

from __future__ import annotations

import numpy as np

from epee.kernels import neighbours_twin as twin
from epee.kernels.compiling import kernel
from epee.kernels.neighbours_heap import sink, unwind
from epee.kernels.neighbours_tree import exact
from epee.kernels.selecting import replace_largest, select

STRIDE = 64
GROUPS = 4  # of scores, for each that is kept
FEW = 16  # that come in one by one


@kernel(twin=twin.screen, meanwhile=twin.few_queries)
def screen(S, norms, start, best, who):
    """Keep the smallest ``S + norms`` of each row of ``S`` (m, b) in ``best``, ``who`` (m, c), the largest of them first.

    Those below the largest so far are written one behind the other, without a branch. A few then take the place of the largest one by
    one; of many, together with those that are kept, the smallest are selected. Where nothing is kept yet the c-th smallest of the least
    of groups is a first limit: so many are no larger, and few more.
    """
    width, c = S.shape[1], best.shape[1]
    keys, rows = (
        np.empty(c + width, S.dtype),
        np.empty(c + width, np.int64),
    )  # those kept so far, once they are many, and those that came
    groups = min(GROUPS * c, width)
    for i in range(S.shape[0]):
        scores, limit, n, many = S[i], best[i, 0], c, False
        if limit == np.inf and groups > c:
            keys[:groups] = np.inf
            for first in range(0, width - groups + 1, groups):
                part, part_norms = scores[first : first + groups], norms[start + first : start + first + groups]
                for t in range(groups):
                    s = part[t] + part_norms[t]
                    keys[t] = s if s < keys[t] else keys[t]
            select(keys[:groups], rows[:groups], c - 1)
            limit = np.nextafter(keys[c - 1], S.dtype.type(np.inf))  # itself too
        for first in range(0, width, STRIDE):
            last = min(first + STRIDE, width)
            part, part_norms = scores[first:last], norms[start + first : start + last]
            hits = 0
            for t in range(last - first):
                hits += part[t] + part_norms[t] < limit
            if hits == 0:
                continue
            for t in range(last - first):
                s = part[t] + part_norms[t]
                keys[n], rows[n] = s, start + first + t
                n += s < limit
            if n >= 4 * c:  # a lower limit lets fewer in
                if not many:
                    keys[:c], rows[:c] = best[i], who[i]
                select(keys[:n], rows[:n], c - 1)
                limit, n, many = keys[c - 1], c, True
        if many or n - c > FEW:
            if not many:
                keys[:c], rows[:c] = best[i], who[i]
            select(keys[:n], rows[:n], c - 1)
            best[i, 0], who[i, 0] = keys[c - 1], rows[c - 1]
            best[i, 1:], who[i, 1:] = keys[: c - 1], rows[: c - 1]
            continue
        for t in range(c, n):
            if keys[t] < best[i, 0]:
                replace_largest(best[i], who[i], keys[t], rows[t])


@kernel(twin=twin.settle, meanwhile=twin.few_queries)
def settle(Q, X, best, who, error, lengths, dist, found, doubtful):
    """Fill ``dist`` and ``found`` (m, k) from the candidates ``who``; mark the queries that they do not settle."""
    k = dist.shape[1]
    for i in range(Q.shape[0]):
        dist[i] = np.inf
        found[i] = X.shape[0]
        for t in range(who.shape[1]):
            row = who[i, t]
            if row < 0:
                continue
            d = exact(Q[i], X[row], 0, 2.0)
            if d < dist[i, 0] or (d == dist[i, 0] and row < found[i, 0]):
                sink(dist[i], found[i], 0, k, d, row)
        doubtful[i] = not dist[i, 0] < np.float64(best[i, 0]) - error[i] + lengths[i]
        unwind(dist[i], found[i])
