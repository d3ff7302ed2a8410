"""One pass over the rows: each block becomes a moment, and the engine adds them.

Within a block the rows are sorted by cell (fold and group), centred on the mean of their own cell, and multiplied: one
``B.T @ B`` a cell, which BLAS does at the speed of the processor. A block is centred while it lies in the cache, so the
pass costs little more than one ``X.T @ X``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epee.engines.choice import engine_for
from epee.errors import EmptyTable
from epee.moments.moments import Moments
from epee.table.arrays import ArraySource
from epee.table.block import BLOCK_ROWS, Block, Source, check_weights, refuse_bad_source
from epee.table.doors import is_stream, open_source
from epee.typing import Codes, Matrix, Scatter, Vector

LARGEST_BLOCK = 65536


@dataclass(frozen=True)
class Summation:
    """What a block is reduced to; picklable, so any engine can carry it.

    ``targets`` columns of y enter as the last columns; ``labels`` name the groups.
    """

    origin: Vector
    scatter: Scatter = "full"
    folds: int | None = None
    groups: int | None = None
    targets: int = 0
    labels: np.ndarray | None = None

    def __call__(self, block: Block) -> Moments:
        y = block.y if self.targets else None
        fold = block.fold if self.folds is not None else None
        group = block.group if self.groups is not None else None
        return replace(sum_rows(block.X, y, block.weight, fold, group, self), labels=self.labels)

    def rows(self) -> int:
        """Return how many rows a block should have: enough for each cell, and not less than the moments themselves."""
        cells = (self.folds or 1) * (self.groups or 1)
        p = len(self.origin)
        base = BLOCK_ROWS * max(1, min(4, 120 // max(p, 1)))  # narrow rows: a block of some megabytes, too
        if cells == 1:
            return base
        wanted = 64 * cells if self.scatter in ("full", "pooled") else base
        return int(min(max(base, wanted, cells * (p if self.scatter == "full" else 1)), LARGEST_BLOCK))


def sum_rows(
    X: Matrix, y: np.ndarray | None, w: Vector | None, fold: Codes | None, group: Codes | None, keep: Summation
) -> Moments:
    """Return the moments of the rows of one block."""
    p, n = X.shape[1], len(X)
    sizes = [size for size in (keep.folds, keep.groups) if size is not None]
    cell = None
    if sizes:
        codes = [np.asarray(c) for c in (fold, group) if c is not None]
        cell = codes[0] if len(codes) == 1 else codes[0] * sizes[1] + codes[1]
    order = None
    if cell is not None:
        order = np.argsort(cell.astype(np.uint16 if int(np.prod(sizes)) < 65536 else np.int64), kind="stable")
        counts = np.bincount(cell, minlength=int(np.prod(sizes)))  # (cells,)
    by_columns = (
        X.strides[0] == X.itemsize and n > 1
    )  # as columns come from a file: they stay so, nothing is transposed
    B = np.empty((len(keep.origin), n)).T if by_columns else np.empty((n, len(keep.origin)))
    with np.errstate(over="ignore", invalid="ignore"):
        for part, at in ((X, slice(0, p)), (y, slice(p, None))):
            if part is not None and (at.start == 0 or keep.targets):
                part = part.reshape(n, -1)
                if order is not None and part.shape == B.shape and part.dtype == B.dtype:
                    if by_columns:
                        np.take(part.T, order, axis=1, out=B.T, mode="clip")
                    else:
                        np.take(part, order, axis=0, out=B, mode="clip")  # straight into place
                    B -= keep.origin
                else:
                    np.subtract(part if order is None else part[order], keep.origin[at], out=B[:, at])
        if order is None:
            return _one_cell(B, w, keep)
        return _cells(B, None if w is None else w[order], counts, sizes, keep)


def _one_cell(B: Matrix, w: Vector | None, keep: Summation) -> Moments:
    """Return the moments of all rows together; B holds the rows minus the origin and is consumed."""
    count = float(len(B)) if w is None else float(w.sum())
    if count == 0:
        return Moments.zero(keep.origin, scatter=keep.scatter, targets=keep.targets)
    shift = (np.add.reduce(B, axis=0) if w is None else w @ B) / count
    scatter = None
    if keep.scatter is not None:
        B -= shift
        if w is not None:
            B *= np.sqrt(w)[:, None]
        scatter = np.einsum("ij,ij->j", B, B) if keep.scatter == "diagonal" else np.matmul(B.T, B)
    return Moments(np.array(count), shift, scatter, keep.origin, (), keep.scatter, keep.targets)


def _cells(B: Matrix, w: Vector | None, counts: np.ndarray, sizes: list[int], keep: Summation) -> Moments:
    """Return the moments of rows sorted by cell; ``counts`` are the rows in each cell."""
    zero = Moments.zero(keep.origin, folds=keep.folds, groups=keep.groups, scatter=keep.scatter, targets=keep.targets)
    full = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[full]
    weighted = B if w is None else B * w[:, None]
    total = counts[full].astype(float) if w is None else np.add.reduceat(w, starts)
    count, shift = zero.count.reshape(-1), zero.shift.reshape(-1, B.shape[1])
    count[full] = total
    shift[full] = np.add.reduceat(weighted, starts, axis=0) / np.where(total > 0, total, 1.0)[:, None]
    if zero.scatter is None:
        return zero
    for k, i in zip(full, starts, strict=True):
        B[i : i + counts[k]] -= shift[k]
    if w is not None:
        B *= np.sqrt(w)[:, None]
    if keep.scatter == "diagonal":
        zero.scatter.reshape(-1, B.shape[1])[full] = np.add.reduceat(B * B, starts, axis=0)
        return zero
    if keep.scatter == "pooled" and keep.groups is not None:  # one product a fold, whatever the groups
        per_fold = counts.reshape(-1, keep.groups).sum(axis=1)
        full = np.flatnonzero(per_fold)
        starts, counts = (np.cumsum(per_fold) - per_fold)[full], per_fold
    flat = zero.scatter.reshape(-1, B.shape[1], B.shape[1])
    for k, i in zip(full, starts, strict=True):
        rows = B[i : i + counts[k]]
        np.matmul(rows.T, rows, out=flat[k])
    return zero


def reduce_source(source: Source, keep: Summation) -> Moments:
    """Return the moments of a source by the engine that fits it; a bad cell is found and named."""
    if source.n_rows == 0:
        raise EmptyTable(
            f"Found array with 0 sample(s) (shape=(0, {source.n_columns})) while a minimum of 1 is required."
        )
    m: Moments = engine_for(source).reduce(source, keep, rows=keep.rows())
    if not m.is_finite():
        refuse_bad_source(source)
    return m


def one_pass(
    X: Any, y: Any, sample_weight: Any, fold: Any, group: Any, scatter: Scatter, origin: Vector | None,
    folds: int | None, groups: int | None,
) -> Moments:  # fmt: skip
    """Do the pass behind :meth:`Moments.of`."""
    if is_stream(X):
        source = open_source(X, y, sample_weight)
        return reduce_source(source, Summation(source.origin, scatter, folds, groups, 0))
    X = np.asarray(X)
    X = X[:, None] if X.ndim == 1 else X
    if X.dtype.kind not in "fiub":
        X = X.astype(np.float64)
    n = len(X)
    y = None if y is None else np.asarray(y, dtype=np.float64).reshape(n, -1)
    fold = None if fold is None else np.asarray(fold, dtype=np.intp)
    group = None if group is None else np.asarray(group, dtype=np.intp)
    source = ArraySource(X, y, check_weights(sample_weight, n), fold, group)
    keep = Summation(
        origin=joint_origin(source) if origin is None else np.asarray(origin, float),
        scatter=scatter,
        folds=None if fold is None else folds or int(fold.max(initial=-1)) + 1,
        groups=None if group is None else groups or int(group.max(initial=-1)) + 1,
        targets=0 if y is None else y.shape[1],
    )
    return reduce_source(source, keep)


def joint_origin(source: Source) -> Vector:
    """Return an origin for the inputs and the targets of a source."""
    head = source.head() if hasattr(source, "head") else next(iter(source.blocks(256)), None)
    if head is None or head.y is None:
        return source.origin
    with np.errstate(over="ignore", invalid="ignore"):
        return np.append(source.origin, np.asarray(head.y, dtype=np.float64).reshape(len(head), -1).mean(axis=0))
