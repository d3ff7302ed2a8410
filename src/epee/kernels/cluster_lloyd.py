r"""Allocation of rows to their nearest centres, by matrix products and by bounds.

For a tile of rows :math:`x` the product of centres and rows gives :math:`\|c\|^2 - 2 c^\top x`, which ranks the centres as the
distance does; a tile of distances stays in the cache and is reduced there to the two nearest. Rows and centres are taken
relative to an origin within the cloud, so the product loses no digits to a large mean.

Bounds (Hamerly, 2010) spare most rows the product. Of each row are kept an upper bound :math:`u` of the distance to its own
centre and a lower bound :math:`\ell` of that to any other. When the centres move by :math:`\delta_k`, :math:`u` grows by
:math:`\delta_a` and :math:`\ell` shrinks by the largest :math:`\delta` of the others. While :math:`u \le \ell`, or :math:`u`
is at most half the distance from its centre to the next one, the row cannot change. The bounds are widened by the rounding
of the product, so the partition is that of the plain algorithm.
"""

from __future__ import annotations

import math

import numpy as np

from epee.kernels import lloyd_twin as twin
from epee.kernels.compiling import FEW_CELLS, FEW_ROWS, kernel
from epee.kernels.reordering import REORDER

USED_UP, SETTLED, NEAR, EMPTY = twin.ENDS
TILE = 128  # rows of a tile: 128 x 20 float64 is 20 kB, and 50 x 128 distances 51 kB


def few(X, *others):
    """Tell whether the rows are so few that NumPy allocates them; it looks at the rows alone, which stay the same all along."""
    return X.size <= FEW_CELLS


def more(X, *others):
    """Tell whether NumPy allocates rows while the loops are compiled: the same partition, sums within their rounding."""
    return len(X) < FEW_ROWS


@kernel
def two_nearest(C, c2, tile, D, best, second, index):
    """Fill, for each column of ``tile`` (p, TILE), the smallest and second smallest c2 + C @ x and the place of the first.

    ``C`` (k, p) holds minus twice the centres, ``D`` (k, TILE) is room for the product.
    """
    np.dot(C, tile, D)
    best[:] = np.inf
    second[:] = np.inf
    for k in range(C.shape[0]):
        place = C.dtype.type(k)  # of the same width as the distances, so that the loop below is vectorised
        for t in range(tile.shape[1]):  # vectorised over rows
            v = D[k, t] + c2[k]
            b = best[t]
            second[t] = min(second[t], max(v, b))
            best[t] = min(b, v)
            index[t] = place if v < b else index[t]


@kernel(fastmath=REORDER)
def squared_distance(x, origin, c):
    """Return ||x - origin - c||² by differences, which lose no digits."""
    s = x.dtype.type(0)
    for j in range(x.shape[0]):
        d = x[j] - origin[j] - c[j]
        s += d * d
    return s


@kernel(twin=twin.first_allocation, small=few, meanwhile=more)
def first_allocation(X, w, origin, C, c2, slack, labels, upper, lower, count, sums, squares):
    """Allocate every row by the product, set its bounds and add it to the sums of its cluster.

    ``X`` (n, p); ``w`` (n,) or empty; ``C`` (k, p) minus twice the centres. ``slack`` times the squared sizes bounds the
    rounding of the product. ``squares[0]`` receives the sum of w ||x||².
    """
    n, p = X.shape
    weighted = w.shape[0] > 0
    tile = np.zeros((p, TILE), X.dtype)
    D = np.empty((C.shape[0], TILE), X.dtype)
    best, second, index = np.empty(TILE, X.dtype), np.empty(TILE, X.dtype), np.zeros(TILE, X.dtype)
    largest = c2.max()
    total = 0.0
    for start in range(0, n, TILE):
        m = min(TILE, n - start)
        for t in range(m):
            for j in range(p):
                tile[j, t] = X[start + t, j] - origin[j]
        two_nearest(C, c2, tile, D, best, second, index)
        for t in range(m):
            i = start + t
            a = int(index[t])
            x2 = 0.0
            weight = w[i] if weighted else 1.0
            for j in range(p):
                v = float(tile[j, t])
                x2 += v * v
                sums[a, j] += weight * v
            wide = slack * (x2 + largest)
            labels[i] = a
            upper[i] = math.sqrt(max(best[t] + x2 + wide, 0.0))
            lower[i] = math.sqrt(max(second[t] + x2 - wide, 0.0))
            count[a] += weight
            total += weight * x2
    squares[0] = total


@kernel(twin=twin.next_allocation, small=few, meanwhile=more)
def next_allocation(X, w, origin, centres, C, c2, slack, drift, others, half, labels, upper, lower, count, sums):
    """Move the bounds, and allocate again the rows that they do not settle; return how many changed cluster.

    ``drift`` (k,) is how far each centre moved, ``others`` (k,) the largest move among the other centres, ``half`` (k,) half the
    distance to the nearest other centre. ``count`` and ``sums`` receive the changes only.
    """
    n, p = X.shape
    weighted = w.shape[0] > 0
    tile = np.zeros((p, TILE), X.dtype)
    D = np.empty((C.shape[0], TILE), X.dtype)
    best, second, index = np.empty(TILE, X.dtype), np.empty(TILE, X.dtype), np.zeros(TILE, X.dtype)
    rows = np.empty(TILE, np.int64)
    largest = c2.max()
    changed, m = 0, 0
    for i in range(n):
        a = labels[i]
        u = upper[i] + drift[a]
        low = lower[i] - others[a]
        lower[i] = low
        safe = max(low, half[a])
        if u > safe:
            u = math.sqrt(squared_distance(X[i], origin, centres[a])) * (1.0 + slack)
            if u > safe:
                rows[m] = i
                m += 1
        upper[i] = u
        if m == TILE or (i == n - 1 and m > 0):
            for t in range(m):
                r = rows[t]
                for j in range(p):
                    tile[j, t] = X[r, j] - origin[j]
            two_nearest(C, c2, tile, D, best, second, index)
            for t in range(m):
                r = rows[t]
                a, b = labels[r], int(index[t])
                x2 = 0.0
                for j in range(p):
                    x2 += float(tile[j, t]) * float(tile[j, t])
                wide = slack * (x2 + largest)
                lower[r] = math.sqrt(max(second[t] + x2 - wide, 0.0))
                if a != b:
                    upper[r] = math.sqrt(max(best[t] + x2 + wide, 0.0))
                    weight = w[r] if weighted else 1.0
                    labels[r] = b
                    count[a] -= weight
                    count[b] += weight
                    for j in range(p):
                        v = weight * float(tile[j, t])
                        sums[a, j] -= v
                        sums[b, j] += v
                    changed += 1
            m = 0
    return changed


@kernel(twin=twin.alternate, small=twin.few_passes, meanwhile=more)
def alternate(X, w, origin, centres, slack, tol, by_shift, trace):
    """Allocate and move until nothing changes, the centres (k, p) about the origin move little, or ``trace`` (2 passes) is full.

    The criterion after each half of a pass goes to ``trace``. With ``by_shift`` centres that together move by at most ``tol`` times the
    mean variance of a column end it, else a criterion that falls by at most ``tol`` of itself. Returns the passes made, why it ended
    (:data:`USED_UP`, :data:`SETTLED`, :data:`NEAR` or :data:`EMPTY`: a cluster lost its rows, and someone else must go on), how far
    the centres moved last, and how far they might.
    """
    (n, p), k = X.shape, centres.shape[0]
    labels, upper, lower = np.empty(n, np.int32), np.empty(n), np.empty(n)
    count, sums, squares = np.zeros(k), np.zeros((k, p)), np.zeros(1)
    here, before, C = np.empty((k, p), X.dtype), np.empty((k, p), X.dtype), np.empty((k, p), X.dtype)
    c2, drift, others, half = np.empty(k, X.dtype), np.zeros(k), np.zeros(k), np.empty(k)
    own, members = np.empty(k), np.zeros(k, np.int64)
    bound, shift = 0.0, 0.0
    for t in range(trace.shape[0] // 2):
        for a in range(k):
            own[a], far = 0.0, 0.0
            for j in range(p):
                here[a, j] = centres[a, j]
                C[a, j] = -2 * here[a, j]
                own[a] += centres[a, j] * centres[a, j]
                gap = float(here[a, j]) - float(before[a, j])
                far += gap * gap
            drift[a] = math.sqrt(far) * (1.0 + 1e-12)
            c2[a] = X.dtype.type(0)
            for j in range(p):
                c2[a] += here[a, j] * here[a, j]
        changed = n
        if t == 0:
            first_allocation(X, w, origin, C, c2, slack, labels, upper, lower, count, sums, squares)
            total, middle = 0.0, 0.0
            for a in range(k):
                total += count[a]
            for j in range(p):
                line = 0.0
                for a in range(k):
                    line += sums[a, j]
                middle += line * line
            bound = tol * max(squares[0] / total - middle / (total * total), 0.0) / p
        else:
            for a in range(k):
                others[a], nearest_one = 0.0, np.inf
                for b in range(k):
                    if b != a:
                        others[a] = max(others[a], drift[b])
                        far = 0.0
                        for j in range(p):
                            gap = float(here[a, j]) - float(here[b, j])
                            far += gap * gap
                        nearest_one = min(nearest_one, far)
                half[a] = math.sqrt(nearest_one) / 2 * (1.0 - slack)
            changed = next_allocation(
                X, w, origin, here, C, c2, slack, drift, others, half, labels, upper, lower, count, sums
            )
        before[:] = here
        members[:] = 0
        for i in range(n):
            members[labels[i]] += 1
        J, lost, shift = squares[0], False, 0.0
        for a in range(k):
            lost = lost or members[a] == 0 or count[a] <= 0.0
            J += count[a] * own[a]
            for j in range(p):
                J -= 2.0 * centres[a, j] * sums[a, j]
        trace[2 * t] = max(J, 0.0)
        if lost:
            return t, EMPTY, shift, bound
        J = squares[0]
        for a in range(k):
            for j in range(p):
                moved = sums[a, j] / count[a]
                gap = moved - centres[a, j]
                shift += gap * gap
                centres[a, j] = moved
                J += count[a] * moved * moved - 2.0 * moved * sums[a, j]
        trace[2 * t + 1] = max(J, 0.0)
        if changed == 0:
            return t + 1, SETTLED, shift, bound
        if by_shift and shift <= bound:
            return t + 1, NEAR, shift, bound
        if not by_shift and t > 0 and abs(trace[2 * t + 1] - trace[2 * t - 1]) <= tol * trace[2 * t + 1]:
            return t + 1, NEAR, shift, bound
    return trace.shape[0] // 2, USED_UP, shift, bound


@kernel(twin=twin.nearest, small=few, meanwhile=more)
def nearest(X, origin, C, c2, labels, squared):
    """Fill the nearest centre of each row and its squared distance."""
    n, p = X.shape
    tile = np.zeros((p, TILE), X.dtype)
    D = np.empty((C.shape[0], TILE), X.dtype)
    best, second, index = np.empty(TILE, X.dtype), np.empty(TILE, X.dtype), np.zeros(TILE, X.dtype)
    for start in range(0, n, TILE):
        m = min(TILE, n - start)
        for t in range(m):
            for j in range(p):
                tile[j, t] = X[start + t, j] - origin[j]
        two_nearest(C, c2, tile, D, best, second, index)
        for t in range(m):
            labels[start + t] = int(index[t])
            squared[start + t] = squared_distance(X[start + t], origin, C[int(index[t])] * X.dtype.type(-0.5))


@kernel
def add_to_clouds(X, labels, squared, w, origin, count, sums, last):
    """Add each row minus the origin to its cluster; ``last`` (k,) is the farthest row of each, -1 where there is none.

    An empty ``w`` stands for weights of one. Returns the weighted sum of squares of all rows.
    """
    total = 0.0
    for i in range(X.shape[0]):
        k, x2 = labels[i], 0.0
        u = w[i] if w.size else 1.0
        count[k] += u
        for j in range(X.shape[1]):
            d = float(X[i, j]) - origin[j]
            sums[k, j] += u * d
            x2 += d * d
        total += u * x2
        if u > 0.0 and (last[k] < 0 or squared[i] >= squared[last[k]]):
            last[k] = i
    return total


@kernel(twin=twin.own_distances, small=few, meanwhile=more)
def own_distances(X, origin, centres, labels, squared):
    """Fill the squared distance of each row to the centre of its cluster."""
    for i in range(X.shape[0]):
        squared[i] = squared_distance(X[i], origin, centres[labels[i]])


@kernel(twin=twin.closer, small=few, meanwhile=more)
def closer(X, candidates, squared, out):
    """Fill ``out`` (c, n) with the smaller of ``squared`` (n,) and the squared distance to each candidate (c, p)."""
    zero = np.zeros(X.shape[1], X.dtype)
    for i in range(X.shape[0]):
        for c in range(candidates.shape[0]):
            out[c, i] = min(squared[i], squared_distance(X[i], zero, candidates[c]))
