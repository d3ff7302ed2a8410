r"""The rows of one block as k-means meets them: full ones here, sparse ones here, and those that lie elsewhere.

Each kind knows which centre is nearest to each of its rows, what the rows of each centre add up to, and which of them lies farthest;
what becomes of a block is written once from that (:func:`clouds_of`, :func:`labels_of`). Here kernels find it, cell by cell. Elsewhere
it is two products: with a column of ones beside the rows about the origin, :math:`B`, distances less the length of the row are

.. math:: C B^\top, \qquad C = \bigl[-2 c_k \;\; \|c_k\|^2\bigr]_k, \tag{1}

and with :math:`E` (k, n) the indicators of the nearest centres :math:`E W B` are the sums of the clusters, their weights last. The rows
run along the last axis of both, for a device compares what lies far apart faster than what lies together. Many rows on a card are passed
over by a kernel of our own instead (:mod:`epee.structure.kmeans_card`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from epee.arrays import (
    as_type,
    home_together,
    is_elsewhere,
    library_of,
    like,
    like_together,
    namespace,
    numbers_like,
    squares_of_rows,
    taken,
)
from epee.engines.local import in_order
from epee.moments.sparse import cell_sums
from epee.structure.kmeans_starts import chunks
from epee.table.block import Block
from epee.table.sparse import is_sparse
from epee.typing import Codes, Matrix, Vector

WORTH = 20_000_000  # rows times centres from which on a kernel is worth the second that compiling it takes


@dataclass(frozen=True)
class Clouds:
    """Count (k,), sum (k, p) and squares of the rows of each cluster, with the row of each that lies farthest from its centre."""

    count: Vector
    sums: Matrix
    squares: float
    distance: Vector  # (k,) squared distance of the farthest row, -1 where there is none
    farthest: Matrix  # (k, p)
    weight: Vector  # (k,) of the farthest row

    def __add__(self, other: Clouds) -> Clouds:
        further = other.distance > self.distance
        return Clouds(
            self.count + other.count, self.sums + other.sums, self.squares + other.squares,
            np.where(further, other.distance, self.distance),
            np.where(further[:, None], other.farthest, self.farthest),
            np.where(further, other.weight, self.weight),
        )  # fmt: skip

    def criterion(self, centres: Matrix) -> float:
        """Return J for these centres, equation (1) of :mod:`epee.structure.kmeans_passes`."""
        J = self.squares - 2.0 * np.vdot(centres, self.sums) + self.count @ np.einsum("kj,kj->k", centres, centres)
        return max(float(J), 0.0)


class BlockRows(Protocol):
    """What is asked of the rows of a block; centres (k, p) and rows are about the origin."""

    def nearest(self, centres: Matrix, distances: bool) -> tuple[Any, Any]:
        """Return the nearest centre of each row and its squared distance (n,); None for these where they cost and are not asked for."""

    def added(self, labels: Any, squared: Any, k: int) -> tuple[Vector, Matrix, float, Codes]:
        """Return count (k,), sums (k, p), squares, and the farthest row of each cluster (k,), -1 for none, here."""

    def at(self, places: Codes, squared: Any) -> tuple[Matrix, Vector, Vector]:
        """Return some rows about the origin, their squared distances and their weights, here."""

    def tallied(self, labels: Any, squared: Any, k: int) -> tuple[float, Vector]:
        """Return the weighted sum of squared distances, and the weight of each cluster (k,), here."""

    def in_one_pass(self, centres: Matrix, labels: bool) -> Any:
        """Return all of it by one kernel; None where there is none, or it is not worth being compiled."""


def clouds_of(block: Block, centres: Matrix, origin: Vector, farthest: bool) -> Clouds:
    """Return the clouds of a block around ``centres`` (k, p), about the origin, with the farthest rows if these are wanted."""
    rows, (k, p) = rows_of(block, origin), centres.shape
    quick = None if farthest else rows.in_one_pass(centres, labels=False)
    if quick is not None:
        return Clouds(quick.count, quick.sums, quick.squares, np.full(k, -1.0), np.zeros((k, p)), np.zeros(k))
    labels, squared = rows.nearest(centres, farthest)
    count, sums, squares, last = rows.added(labels, squared, k)
    there = last >= 0
    if squared is None or not there.any():
        return Clouds(count, sums, squares, np.full(k, -1.0), np.zeros((k, p)), np.zeros(k))
    far, distance, weight = rows.at(last, squared)
    return Clouds(
        count, sums, squares, np.where(there, distance, -1.0), np.where(there[:, None], far, 0.0), np.where(there, weight, 0.0)
    )  # fmt: skip


def labels_of(block: Block, centres: Matrix) -> tuple[Any, float, Vector]:
    """Return the nearest centre of each row (n,) where the rows lie, the sum of squared distances, and the weight of each cluster."""
    away = is_elsewhere(block.rows)
    origin = centres.mean(axis=0, dtype=np.float64) if away else np.zeros(centres.shape[1], dtype=centres.dtype)
    rows, about = rows_of(block, origin), centres - origin
    quick = rows.in_one_pass(about, labels=True)
    if quick is not None:
        return quick.labels, max(quick.within, 0.0), quick.count
    labels, squared = rows.nearest(about, distances=True)
    J, count = rows.tallied(labels, squared, len(centres))
    return as_type(labels, namespace(labels).int32), J, count


def rows_of(block: Block, origin: Vector) -> BlockRows:
    """Return the rows of a block as what they are."""
    if is_elsewhere(block.rows):
        return RowsThere(block, origin)
    return SparseRowsHere(block, origin) if is_sparse(block.rows) else RowsHere(block, origin)


class RowsHere:
    """Full rows in this machine's memory, by kernels."""

    def __init__(self, block: Block, origin: Vector) -> None:
        self.X, self.origin = self._laid(block), origin
        self.w: Vector | None = None if block.weight is None else np.asarray(block.weight, dtype=np.float64)

    def _laid(self, block: Block) -> Any:
        return contiguous(block.X)

    def nearest(self, centres: Matrix, distances: bool) -> tuple[Codes, Vector]:
        """Return the nearest centre of each row and the squared distance to it (n,)."""
        return nearest_centres(self.X, centres + self.origin)

    def added(self, labels: Codes, squared: Vector, k: int) -> tuple[Vector, Matrix, float, Codes]:
        """Return count (k,), sums (k, p), squares, and the farthest row of each cluster (k,), -1 for none."""
        from epee.kernels.cluster_lloyd import add_to_clouds

        count, sums, last = np.zeros(k), np.zeros((k, self.X.shape[1])), np.full(k, -1)
        weights = np.empty(0) if self.w is None else self.w
        squares = add_to_clouds(self.X, labels, squared, weights, self.origin, count, sums, last)
        return count, sums, squares, last

    def at(self, places: Codes, squared: Vector) -> tuple[Matrix, Vector, Vector]:
        """Return some rows about the origin, their squared distances and their weights."""
        weight = np.ones(len(places)) if self.w is None else self.w[places]
        return self._taken(places) - self.origin, squared[places], weight

    def _taken(self, places: Codes) -> Matrix:
        found: Matrix = self.X[places]
        return found

    def tallied(self, labels: Codes, squared: Vector, k: int) -> tuple[float, Vector]:
        """Return the weighted sum of squared distances, and the weight of each cluster (k,)."""
        w = np.ones(len(labels)) if self.w is None else self.w
        return float(w @ squared), np.bincount(labels, weights=w, minlength=k).astype(np.float64)

    def in_one_pass(self, centres: Matrix, labels: bool) -> None:
        """Return None: the kernels here are one pass, or nearly so."""


class SparseRowsHere(RowsHere):
    """Sparse rows, by their cells that are not 0."""

    def _laid(self, block: Block) -> Any:
        return block.rows

    def nearest(self, centres: Matrix, distances: bool) -> tuple[Codes, Vector]:
        """Return the nearest centre of each row and the squared distance to it (n,)."""
        return nearest_to_sparse(self.X, centres + self.origin)

    def added(self, labels: Codes, squared: Vector, k: int) -> tuple[Vector, Matrix, float, Codes]:
        """Return count (k,), sums (k, p), squares, and the farthest row of each cluster (k,), -1 for none."""
        X, w = self.X, np.ones(len(labels)) if self.w is None else self.w
        count = np.bincount(labels, w, k).astype(np.float64)
        sums = cell_sums(X, labels, k, w) - count[:, None] * self.origin
        last = np.full(k, -1)
        order = np.argsort(squared, kind="stable")
        order = order[w[order] > 0]
        last[labels[order]] = order  # the farthest of each cloud is written last
        lengths = np.asarray(X.multiply(X).sum(axis=1)).ravel() - 2 * (X @ self.origin) + self.origin @ self.origin
        return count, sums, float(w @ lengths), last

    def _taken(self, places: Codes) -> Matrix:
        found: Matrix = self.X[places].toarray()
        return found


class RowsThere:
    """Rows that lie elsewhere, by products there; what comes back is as small as the centres."""

    def __init__(self, block: Block, origin: Vector) -> None:
        self.X, self.origin = block.rows, origin
        self.w: Any = None if block.weight is None else like(block.weight, self.X, self.X.dtype)

    @cached_property
    def B(self) -> Any:
        """The rows about the origin, with a column of ones (n, p + 1)."""
        xp = namespace(self.X)
        return xp.concat([self.X - like(self.origin, self.X, self.X.dtype), xp.ones_like(self.X[:, :1])], axis=1)

    def nearest(self, centres: Matrix, distances: bool) -> tuple[Any, Any]:
        """Return the nearest centre of each row by (1) and, if asked for, the squared distance to it (n,)."""
        xp = namespace(self.X)
        (C,) = like_together(self.X, np.column_stack([-2.0 * centres, (centres**2).sum(axis=1)]))  # (k, p + 1)
        D = C @ self.B.T  # (k, n)
        labels = xp.argmin(D, axis=0)
        return labels, xp.clip(xp.min(D, axis=0) + self._lengths, 0.0, None) if distances else None

    @cached_property
    def _lengths(self) -> Any:
        """The squared length of each row (n,)."""
        return squares_of_rows(self.B[:, :-1])

    def added(self, labels: Any, squared: Any, k: int) -> tuple[Vector, Matrix, float, Codes]:
        """Return count (k,), sums (k, p), squares, and the farthest row of each cluster (k,), -1 for none or if not asked for."""
        xp, p, w = namespace(self.X), self.X.shape[1], self.w
        E = self._indicators(labels, k)
        squares = xp.linalg.vector_norm(self.B[:, :p]) ** 2 if w is None else w @ self._lengths
        both, total = home_together(E @ self.B, squares)  # (k, p + 1): in the column of ones the counts
        last = np.full(k, -1)
        if squared is not None:
            far = xp.where(E > 0, squared[None, :], -xp.ones_like(E))
            places, distance = home_together(as_type(xp.argmax(far, axis=1), xp.float64), xp.max(far, axis=1))
            last = np.where(distance >= 0, places.astype(np.intp), -1)
        return both[:, p], both[:, :p], float(total), last

    def at(self, places: Codes, squared: Any) -> tuple[Matrix, Vector, Vector]:
        """Return some rows about the origin, their squared distances and their weights, here; a place of -1 is that of any row."""
        xp, rows = namespace(self.X), like(np.maximum(places, 0).astype(np.int64), self.X)
        w = xp.ones_like(squared) if self.w is None else self.w
        far, distance, weight = home_together(taken(self.B, rows), taken(squared, rows), taken(w, rows))
        return far[:, :-1], distance, weight

    def tallied(self, labels: Any, squared: Any, k: int) -> tuple[float, Vector]:
        """Return the weighted sum of squared distances, and the weight of each cluster (k,), here."""
        xp = namespace(self.X)
        J = xp.sum(squared) if self.w is None else self.w @ squared
        total, count = home_together(J, xp.sum(self._indicators(labels, k), axis=1))
        return float(total), count

    def in_one_pass(self, centres: Matrix, labels: bool) -> Any:
        """Return all of it by one kernel; None where there is none, or it is not worth being compiled."""
        (k, p), n = centres.shape, self.X.shape[0]
        held = library_of(self.X)
        if n * k < WORTH or held not in ("torch", "cupy") or find_spec("triton") is None or find_spec("torch") is None:
            return None
        torch = import_module("torch")
        X, w = (a if a is None or held == "torch" else torch.from_dlpack(a) for a in (self.X, self.w))
        if not X.is_cuda:
            return None
        from epee.structure.kmeans_card import card_pass, fits

        if not fits(k, p):
            return None
        found = card_pass(X, w, centres, self.origin, labels)
        return found if held == "torch" or not labels else found.handed_to(namespace(self.X))

    def _indicators(self, labels: Any, k: int) -> Any:
        """Return the weight of each row in the line of its centre (k, n)."""
        own = labels[None, :] == numbers_like(k, labels, labels.dtype)[:, None]
        E = as_type(own, self.X.dtype)
        return E if self.w is None else E * self.w[None, :]


def nearest_to_sparse(X: Any, centres: Matrix) -> tuple[Codes, Vector]:
    """Return the nearest centre of each sparse row and the squared distance to it, by one product with the non-zeros."""
    scores = np.einsum("kj,kj->k", centres, centres) - 2 * np.asarray(X @ centres.T)  # (n, k)
    labels = scores.argmin(axis=1).astype(np.int32)
    squared = scores[np.arange(len(labels)), labels] + np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return labels, np.maximum(squared, 0.0)


def nearest_centres(X: Matrix, centres: Matrix) -> tuple[Codes, Vector]:
    """Return the nearest centre of each row and the squared distance to it.

    >>> labels, squared = nearest_centres(np.array([[0.0], [5.0]]), np.array([[1.0], [4.0]]))
    >>> labels, squared
    (array([0, 1], dtype=int32), array([1., 1.]))
    """
    from epee.kernels.cluster_lloyd import nearest

    X = contiguous(X)
    origin = centres.mean(axis=0).astype(X.dtype)
    about = (centres - origin).astype(X.dtype)  # (k, p)
    C, c2 = np.ascontiguousarray(-2 * about), np.einsum("kj,kj->k", about, about)
    labels: Codes = np.empty(len(X), dtype=np.int32)
    squared = np.empty(len(X))

    def work(s: slice) -> None:
        nearest(X[s], origin, C, c2, labels[s], squared[s])

    for _ in in_order(work, chunks(len(X))):
        pass
    return labels, squared


def contiguous(X: Any) -> Matrix:
    """Return rows as kernels take them: in C's order, of 32 or 64 bits."""
    X = np.asarray(X)
    return np.ascontiguousarray(X, dtype=None if X.dtype in (np.float32, np.float64) else np.float64)
