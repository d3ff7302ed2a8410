r"""A pass of k-means written against the namespace of its rows: the road of rows that lie elsewhere.

Distances to all centres are one product, :math:`\|c_k\|^2 - 2 x_i^\top c_k` up to the length of the row, and with :math:`E` (k, n) the
indicators of the nearest centres the sums of the clusters are another, :math:`E W X`. Everything is about a common origin. The rows run
along the last axis of both, for a device compares what lies far apart faster than what lies together. Many rows that PyTorch holds on
a card are passed over by a kernel of our own instead (:mod:`epee.structure.kmeans_card`).
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from epee.arrays import at_home, library_of, like, namespace, numbers_like
from epee.typing import Matrix, Vector

WORTH = 20_000_000  # rows times centres from which on a kernel is worth the second that compiling it takes


def nearest_anywhere(X: Any, centres: Matrix, origin: Vector) -> tuple[Any, Any, Any]:
    """Return rows about the origin with a column of ones, distances to ``centres`` (k, p) less their length, and the nearest.

    >>> nearest_anywhere(np.array([[0.0], [5.0]]), np.array([[1.0], [4.0]]), np.zeros(1))[2]
    array([0, 1])
    """
    xp = namespace(X)
    B = xp.concat([X - like(origin, X, X.dtype), xp.ones_like(X[:, :1])], axis=1)
    C = like(np.column_stack([-2.0 * centres, (centres**2).sum(axis=1)]), X, X.dtype)  # (k, p + 1)
    D = C @ B.T  # (k, n)
    return B, D, xp.argmin(D, axis=0)


def labels_anywhere(X: Any, weight: Any, centres: Matrix) -> tuple[np.ndarray, float, Vector]:
    """Return the nearest centre of each row (n,) here, the sum of squared distances, and the weight of each cluster (k,)."""
    xp, origin, k = namespace(X), centres.mean(axis=0, dtype=np.float64), len(centres)
    fused = _by_kernel(X, weight, centres - origin, origin, labels=True)
    if fused is not None:
        return at_home(fused.labels), max(fused.within, 0.0), fused.count
    B, D, labels = nearest_anywhere(X, centres - origin, origin)
    w = None if weight is None else like(weight, X, X.dtype)
    squared = _squared(xp, B, D)
    J = float(xp.sum(squared) if w is None else w @ squared)
    count = xp.sum(_indicators(xp, labels, k, X.dtype, w), axis=1)
    return at_home(xp.astype(labels, xp.int32)), J, _home(count)


def sums_anywhere(
    X: Any, weight: Any, centres: Matrix, origin: Vector, farthest: bool
) -> tuple[Vector, Matrix, float, Vector, Matrix, Vector]:
    """Return count (k,), sums (k, p), squares, and of each cluster distance, place and weight of its farthest row, if asked for."""
    xp, (k, p) = namespace(X), centres.shape
    none = np.full(k, -1.0), np.zeros((k, p)), np.zeros(k)
    fused = None if farthest else _by_kernel(X, weight, centres, origin)
    if fused is not None:
        return fused.count, fused.sums, fused.squares, *none
    B, D, labels = nearest_anywhere(X, centres, origin)
    w = None if weight is None else like(weight, X, X.dtype)
    E = _indicators(xp, labels, k, X.dtype, w)
    both = _home(E @ B)  # (k, p + 1): sums, and in the column of ones the counts
    if w is None:
        squares = float(xp.linalg.vector_norm(B[:, :p])) ** 2
    else:
        squares = float(w @ xp.sum(B[:, :p] * B[:, :p], axis=1))
    if not farthest:
        return both[:, p], both[:, :p], squares, *none
    far = xp.where(E > 0, _squared(xp, B, D)[None, :], -xp.ones_like(E))
    last = at_home(xp.argmax(far, axis=1))  # (k,)
    rows = like(last, labels)
    distance = np.array([float(far[c, int(i)]) for c, i in enumerate(last)])
    weights = np.ones(k) if w is None else _home(xp.take(w, rows))
    found = distance >= 0
    return (
        both[:, p], both[:, :p], squares, distance,
        np.where(found[:, None], _home(xp.take(B, rows, axis=0))[:, :p], 0.0), np.where(found, weights, 0.0),
    )  # fmt: skip


def _by_kernel(X: Any, weight: Any, centres: Matrix, origin: Vector, labels: bool = False) -> Any:
    """Return the pass of a kernel on the card; None where there is none, or it is not worth being compiled."""
    (k, p), n = centres.shape, X.shape[0]
    if library_of(X) != "torch" or not X.is_cuda or n * k < WORTH or find_spec("triton") is None:
        return None
    from epee.structure.kmeans_card import card_pass, fits

    return card_pass(X, None if weight is None else like(weight, X), centres, origin, labels) if fits(k, p) else None


def _indicators(xp: Any, labels: Any, k: int, dtype: Any, w: Any) -> Any:
    """Return the weight of each row in the line of its centre (k, n)."""
    E = xp.astype(labels[None, :] == numbers_like(k, labels, labels.dtype)[:, None], dtype)
    return E if w is None else E * w[None, :]


def _squared(xp: Any, B: Any, D: Any) -> Any:
    """Return the squared distance of each row to its centre, (n,)."""
    rows = B[:, :-1]  # without the column of ones
    squared = xp.min(D, axis=0) + xp.sum(rows * rows, axis=1)
    return xp.where(squared > 0, squared, xp.zeros_like(squared))


def _home(a: Any) -> np.ndarray:
    return at_home(a).astype(np.float64)
