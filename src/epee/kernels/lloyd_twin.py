"""Allocation of rows to centres in NumPy: what :mod:`epee.kernels.cluster_lloyd` means, and what small tables use.

No bounds are kept: every row is allocated by the product each time, which gives the same partition.
"""

from __future__ import annotations

import numpy as np

ENDS = USED_UP, SETTLED, NEAR, EMPTY = range(4)  # why the passes of a table ended
FEW_CELLS = 20_000  # numbers in a table of which every row is allocated anew sooner than its bounds are looked at


def few_passes(X, *others):
    """Tell whether the rows are so few that NumPy makes all passes over them."""
    return X.size <= FEW_CELLS


def product(X, origin, C, c2):
    """Return the rows about the origin (n, p), and the place and value of the smallest c2 + C @ x of each."""
    Z = X - origin
    D = Z @ C.T + c2  # (n, k)
    place = D.argmin(axis=1)
    return Z, place, D[np.arange(len(Z)), place]


def add(labels, weight, Z, count, sums):
    """Add rows to the sums of their clusters, in order."""
    np.add.at(count, labels, weight)
    np.add.at(sums, labels, weight[:, None] * Z)


def first_allocation(X, w, origin, C, c2, slack, labels, upper, lower, count, sums, squares):
    """Allocate every row and add it to the sums of its cluster; ``squares[0]`` receives the sum of w ||x||²."""
    Z, place, _ = product(X, origin, C, c2)
    weight = w if len(w) else np.ones(len(X))
    labels[:] = place
    upper[:], lower[:] = np.inf, 0.0  # nobody is safe
    add(labels, weight, Z.astype(np.float64), count, sums)
    squares[0] = weight @ np.einsum("ij,ij->i", Z, Z).astype(np.float64)


def next_allocation(X, w, origin, centres, C, c2, slack, drift, others, half, labels, upper, lower, count, sums):
    """Allocate again; return how many changed cluster. ``count`` and ``sums`` receive the changes only."""
    Z, place, _ = product(X, origin, C, c2)
    moved = np.flatnonzero(place != labels)
    if len(moved):
        weight = w[moved] if len(w) else np.ones(len(moved))
        rows = Z[moved].astype(np.float64)
        add(labels[moved], -weight, rows, count, sums)
        add(place[moved], weight, rows, count, sums)
        labels[moved] = place[moved]
    return len(moved)


def criterion(centres, count, sums, squares):
    """Return the sum of squared distances to the centres, from the sums of their rows."""
    J = squares - 2.0 * np.vdot(centres, sums) + count @ np.einsum("kj,kj->k", centres, centres)
    return max(float(J), 0.0)


def alternate(X, w, origin, centres, slack, tol, by_shift, trace):
    """Allocate and move, each row anew at every pass; return the passes, why they ended, the last shift and its bound."""
    (n, p), k = X.shape, len(centres)
    Z = X - origin
    wide, weight = Z.astype(np.float64), w if len(w) else np.ones(n)
    squares = float(weight @ np.einsum("ij,ij->i", wide, wide))
    bound, shift, labels = 0.0, 0.0, np.full(n, -1)
    for t in range(len(trace) // 2):
        here = centres.astype(X.dtype)
        place = (Z @ (-2 * here).T + np.einsum("kj,kj->k", here, here)).argmin(axis=1)
        changed, labels = np.count_nonzero(place != labels), place
        E = place == np.arange(k)[:, None]  # (k, n)
        lost = not E.any(axis=1).all()
        E = E * weight
        count, sums = E.sum(axis=1), E @ wide
        if t == 0:
            total = count.sum()
            bound = tol * max(squares / total - float((sums.sum(axis=0) ** 2).sum()) / total**2, 0.0) / p
        trace[2 * t] = criterion(centres, count, sums, squares)
        if lost or (count <= 0).any():
            return t, EMPTY, 0.0, bound
        new = sums / count[:, None]
        trace[2 * t + 1] = criterion(new, count, sums, squares)
        shift = float(((new - centres) ** 2).sum())
        centres[:] = new
        if changed == 0:
            return t + 1, SETTLED, shift, bound
        if by_shift and shift <= bound:
            return t + 1, NEAR, shift, bound
        if not by_shift and t and abs(trace[2 * t + 1] - trace[2 * t - 1]) <= tol * trace[2 * t + 1]:
            return t + 1, NEAR, shift, bound
    return len(trace) // 2, USED_UP, shift, bound


def nearest(X, origin, C, c2, labels, squared):
    """Fill the nearest centre of each row and its squared distance."""
    Z, place, _ = product(X, origin, C, c2)
    d = Z + 0.5 * C[place]
    labels[:] = place
    squared[:] = np.einsum("ij,ij->i", d, d)


def own_distances(X, origin, centres, labels, squared):
    """Fill the squared distance of each row to the centre of its cluster."""
    d = X - origin - centres[labels]
    squared[:] = np.einsum("ij,ij->i", d, d)


def closer(X, candidates, squared, out):
    """Fill ``out`` (c, n) with the smaller of ``squared`` (n,) and the squared distance to each candidate (c, p)."""
    d = X[None] - candidates[:, None]  # (c, n, p)
    np.minimum(squared, np.einsum("cnp,cnp->cn", d, d), out=out)
