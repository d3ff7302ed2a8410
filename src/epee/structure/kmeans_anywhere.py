r"""A pass of k-means written against the namespace of its rows: the road of rows that lie elsewhere.

Distances to all centres are one product, :math:`\|c_k\|^2 - 2 x_i^\top c_k` up to the length of the row, and with :math:`E` (n, k) the
indicators of the nearest centres the sums of the clusters are another, :math:`E^\top W X`. Everything is about a common origin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home, like, namespace
from epee.typing import Matrix, Vector


def nearest_anywhere(X: Any, centres: Matrix, origin: Vector) -> tuple[Any, Any, Any, Any]:
    """Return the rows about the origin, the nearest of ``centres`` (k, p) about it, squared distances to it, and lengths.

    >>> nearest_anywhere(np.array([[0.0], [5.0]]), np.array([[1.0], [4.0]]), np.zeros(1))[1:3]
    (array([0, 1]), array([1., 1.]))
    """
    xp = namespace(X)
    B = X - like(origin, X, X.dtype)
    C = like(centres, X, X.dtype)
    D = B @ (-2 * C.T) + xp.sum(C * C, axis=1)  # (n, k)
    lengths = xp.sum(B * B, axis=1)
    labels = xp.argmin(D, axis=1)
    squared = xp.min(D, axis=1) + lengths
    return B, labels, xp.where(squared > 0, squared, xp.zeros_like(squared)), lengths


def labels_anywhere(X: Any, weight: Any, centres: Matrix) -> tuple[np.ndarray, float, Vector]:
    """Return the nearest centre of each row (n,) here, the sum of squared distances, and the weight of each cluster (k,)."""
    xp, origin = namespace(X), centres.mean(axis=0, dtype=np.float64)
    _, labels, squared, _ = nearest_anywhere(X, centres - origin, origin)
    here = at_home(labels).astype(np.int32)
    w = None if weight is None else like(weight, X, X.dtype)
    J = float(xp.sum(squared) if w is None else w @ squared)
    return here, J, np.bincount(here, None if weight is None else at_home(weight), len(centres)).astype(np.float64)


def sums_anywhere(
    X: Any, weight: Any, centres: Matrix, origin: Vector, farthest: bool
) -> tuple[Vector, Matrix, float, Vector, Matrix, Vector]:
    """Return count (k,), sums (k, p), squares, and of each cluster distance, place and weight of its farthest row, if asked for."""
    xp, (k, p) = namespace(X), centres.shape
    B, labels, squared, lengths = nearest_anywhere(X, centres, origin)
    there = labels[:, None] == like(range(k), labels, labels.dtype)[None, :]  # (n, k)
    E = xp.astype(there, X.dtype)
    w = None if weight is None else like(weight, X, X.dtype)
    if w is not None:
        E = E * w[:, None]
    count, sums = _home(xp.sum(E, axis=0)), _home(E.T @ B)
    squares = float(xp.sum(lengths) if w is None else w @ lengths)
    if not farthest:
        return count, sums, squares, np.full(k, -1.0), np.zeros((k, p)), np.zeros(k)
    counts = there if w is None else there & (w > 0)[:, None]
    far = xp.where(counts, squared[:, None], -xp.ones_like(E))
    last = at_home(xp.argmax(far, axis=0))  # (k,)
    rows = like(last, labels)
    distance = np.array([float(far[int(i), c]) for c, i in enumerate(last)])
    weights = np.ones(k) if w is None else _home(xp.take(w, rows))
    found = distance >= 0
    return (
        count, sums, squares, distance, np.where(found[:, None], _home(xp.take(B, rows, axis=0)), 0.0),
        np.where(found, weights, 0.0),
    )  # fmt: skip


def _home(a: Any) -> np.ndarray:
    return at_home(a).astype(np.float64)
