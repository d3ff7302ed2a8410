"""Allocation of rows to centres in NumPy: what :mod:`epee.kernels.cluster_lloyd` means, and what small tables use.

No bounds are kept: every row is allocated by the product each time, which gives the same partition.
"""

from __future__ import annotations

import numpy as np


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
