"""One pass over the rows: each block becomes a moment, and the engine adds them.

A block is centred while it lies in the cache and multiplied by itself, which BLAS does at the speed of the processor; so the
pass costs little more than one ``X.T @ X``.

With cells (fold and group) the rows of a block are sorted by cell, and each cell is centred on its own mean. Where only the
scatter pooled over some groups is wanted, they need not be: it is the total less that between the means, as long as
the difference keeps its digits.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere, like
from epee.engines.choice import engine_for
from epee.errors import EmptyTable
from epee.moments.anywhere import moments_anywhere
from epee.moments.gram import NARROW, gram, products
from epee.moments.moments import Moments, brought_here
from epee.moments.sizes import refuse_large
from epee.moments.sparse import holds_zeros, sparse_moments
from epee.table.arrays import ArraySource
from epee.table.block import (
    Block,
    ColumnBlock,
    Readable,
    Source,
    check_weights,
    refuse_bad_cells,
    refuse_bad_source,
    rows_for,
)
from epee.table.doors import is_stream, open_source
from epee.table.elsewhere import ElsewhereSource
from epee.table.sparse import SparseSource, is_sparse
from epee.typing import Matrix, Scatter, Vector

LARGEST_BLOCK, ENOUGH_ROWS = 65536, 16384
FEW_GROUPS = 16  # whose sums are a product with their indicators; more are sorted
MANY = 8192  # rows of a block, from which on it is worth loading compiled code
SCRATCH = 1 << 20  # cells of a matrix whose room a thread keeps: 8 MB
PIECE = 512  # rows that are multiplied at a time where many cells are
KEPT = 0.1  # the part of a total scatter that must be left within the groups: one digit may go

_own = threading.local()


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

    anywhere = True  # blocks may lie elsewhere

    def __call__(self, block: Block) -> Moments:
        if not block.unlaid and is_elsewhere(block.rows):
            return moments_anywhere(block, self)
        cell = self.cell_of(block)
        if holds_zeros(block):
            return sparse_moments(block, self, cell)
        found: Moments | None = None
        if cell is None:
            found = _together(block, self)
        elif self.scatter in ("full", "pooled"):
            found = _columns_by_cell(block, self, cell)
            if found is None and self.scatter == "pooled" and self.folds is None and (self.groups or 0) <= FEW_GROUPS:
                found = _pooled(block, self)
        if found is None:
            found = _sorted(block, self, cell)
        return replace(found, labels=self.labels)

    def cell_of(self, block: Block) -> Any:
        """Return the cell (n,) of each row, fold first; None where there is only one."""
        fold = block.fold if self.folds is not None else None
        group = block.group if self.groups is not None else None
        if fold is None or group is None:
            return fold if group is None else group
        assert self.groups is not None
        if not block.unlaid and is_elsewhere(block.rows):
            return like(fold, block.X) * self.groups + like(group, block.X)
        return np.asarray(fold) * self.groups + np.asarray(group)

    def width(self) -> int:
        """Return how many numbers a row takes where all of a block is multiplied at once: its columns and indicators of its cell."""
        return 3 * len(self.origin) + (self.folds or 1) * (self.groups or 1)

    def rows(self) -> int:
        """Return how many rows a block should have: enough for each cell, and not less than the moments themselves."""
        cells = (self.folds or 1) * (self.groups or 1)
        p = len(self.origin)
        base = rows_for(p)
        if cells == 1:
            return base
        wanted = 64 * cells if self.scatter in ("full", "pooled") else base
        if self.scatter == "full":  # a thousand rows a cell are at the speed of BLAS, and the block in the cache
            wanted = max(wanted, min(1024 * cells, ENOUGH_ROWS, SCRATCH // (2 * p)))
        return int(min(max(base, wanted, cells * (p if self.scatter == "full" else 1)), LARGEST_BLOCK))


def rows_about(block: Block, keep: Summation, order: np.ndarray | None = None, beside: int = 0) -> Matrix:
    """Return the rows (n, q) minus the origin, targets last, in another order if asked; columns that lie together stay so.

    ``beside`` more columns are left to be filled.
    """
    n, q = len(block), len(keep.origin)
    lanes = block.lanes() if isinstance(block, ColumnBlock) and order is None and n > 1 else None
    X = None if lanes else block.X
    by_columns = X is None or (X.strides[0] == X.itemsize and n > 1)  # as they come from a file
    B = _scratch(q + beside, n).T if by_columns else _scratch(n, q + beside)
    p = q - keep.targets
    if lanes:
        memory, first = lanes
        for j, k in enumerate(first):
            np.subtract(memory[k : k + n], keep.origin[j], out=B.T[j])
    for part, at in ((X, slice(0, p)), (block.y if keep.targets else None, slice(p, q))):
        if part is None:
            continue
        part = part.reshape(n, -1)
        cells, out = (part.T, B.T[at]) if by_columns else (part, B[:, at])
        origin = keep.origin[at, None] if by_columns else keep.origin[at]
        if order is None:
            np.subtract(cells, origin, out=out)
        elif part.dtype == B.dtype:  # straight into place
            np.take(cells, order, axis=int(by_columns), out=out, mode="clip")
            out -= origin
        else:
            np.subtract(np.take(cells, order, axis=int(by_columns), mode="clip"), origin, out=out)
    return B


def _scratch(n: int, m: int) -> Matrix:
    """Return room for an (n, m) matrix, which the next call in this thread takes again: fresh pages would cost as much as a sum."""
    if n * m > SCRATCH:
        return np.empty((n, m))
    if getattr(_own, "room", np.empty(0)).size < n * m:
        _own.room = np.empty(n * m)
    return _own.room[: n * m].reshape(n, m)


def _centre(B: Matrix, w: Vector | None) -> tuple[float, Vector]:
    """Return the weight of the rows and their mean (q,), and take it from them."""
    count = float(len(B)) if w is None else float(w.sum())
    mean = (np.add.reduce(B, axis=0) if w is None else w @ B) / (count or 1.0)
    B -= mean
    return count, mean


def _together(block: Block, keep: Summation) -> Moments:
    """Return the moments of all rows of a block."""
    w, scatter = block.weight, None
    with np.errstate(over="ignore", invalid="ignore"):
        B = rows_about(block, keep)
        count, shift = _centre(B, w)
        if keep.scatter is not None:
            if w is not None:
                B *= np.sqrt(w)[:, None]
            scatter = np.einsum("ij,ij->j", B, B) if keep.scatter == "diagonal" else gram(B)
    return Moments(np.array(count), shift, scatter, keep.origin, (), keep.scatter, keep.targets)


def _pooled(block: Block, keep: Summation) -> Moments | None:
    r"""Return the moments by group with :math:`S_W = S_T - \sum_k n_k (\bar x_k - \bar x)(\bar x_k - \bar x)^\top`.

    The indicators of the groups stand beside the rows, so one product holds the total scatter and the sums of each group.
    None where the difference would cost more than a digit.
    """
    q, K, w = len(keep.origin), keep.groups or 0, block.weight
    with np.errstate(over="ignore", invalid="ignore"):
        B = rows_about(block, keep, beside=K)
        _, shift = _centre(B[:, :q], w)
        B.T[q:] = np.eye(K).take(np.asarray(block.group), axis=1, mode="clip")
        if w is not None:
            B *= np.sqrt(w)[:, None]
        sums = gram(B)
        total, count = sums[:q, :q], np.bincount(np.asarray(block.group), w, K).astype(np.float64)
        apart = sums[q:, :q] / np.where(count > 0, count, 1.0)[:, None]  # (K, q) means of the groups about that of all
        within = total - (count[:, None] * apart).T @ apart
        if (np.diagonal(within) < KEPT * np.diagonal(total)).any():
            return None
    zero = Moments.zero(keep.origin, groups=K, scatter="pooled", targets=keep.targets)
    return replace(zero, count=count, shift=np.where(count[:, None] > 0, shift + apart, 0.0), scatter=within)


def _sorted(block: Block, keep: Summation, cell: np.ndarray) -> Moments:
    """Return the moments by cell of rows that are sorted by it."""
    cells = (keep.folds or 1) * (keep.groups or 1)
    order = _order(cell, cells)
    counts = np.bincount(cell, minlength=cells)  # (cells,)
    w = None if block.weight is None else block.weight[order]
    zero = Moments.zero(keep.origin, folds=keep.folds, groups=keep.groups, scatter=keep.scatter, targets=keep.targets)
    full = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[full]
    with np.errstate(over="ignore", invalid="ignore"):
        B = rows_about(block, keep, order)
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
            flat[k] = gram(B[i : i + counts[k]])
    return zero


def _columns_by_cell(block: Block, keep: Summation, cell: np.ndarray) -> Moments | None:
    """Return the moments by cell of many rows that lie in columns, which compiled code sorts and centres in one call.

    Each cell begins at a piece of its own, and zeros follow it, so all pieces are multiplied at once. None where the rows do
    not lie so, or are not worth it.
    """
    q, n, cells = len(keep.origin), len(block), (keep.folds or 1) * (keep.groups or 1)
    large = max(MANY, cells * PIECE) <= n < 65536 and q <= NARROW
    if not large or block.weight is not None:
        return None
    lanes = block.lanes()
    if lanes is None:
        return None
    from epee.kernels.gathered_rows import centred_columns

    memory, first = lanes
    order, counts = _order(cell, cells).astype(np.uint16), np.bincount(cell, minlength=cells)
    p, pieces = len(first), -(-counts // PIECE)  # (cells,)
    piece = np.cumsum(pieces) - pieces
    zero = Moments.zero(keep.origin, folds=keep.folds, groups=keep.groups, scatter=keep.scatter, targets=keep.targets)
    B, shift = _scratch(q, int(pieces.sum()) * PIECE), zero.shift.reshape(-1, q)
    centred_columns(memory, first, order, counts, piece * PIECE, keep.origin[:p], B[:p], shift[:, :p])
    if keep.targets and block.y is not None:
        y = np.ascontiguousarray(block.y.reshape(n, -1).T, dtype=np.float64)
        first = np.arange(len(y)) * n
        centred_columns(y.reshape(-1), first, order, counts, piece * PIECE, keep.origin[p:], B[p:], shift[:, p:])
    zero.count.reshape(-1)[:] = counts
    if keep.scatter == "pooled" and keep.groups is not None:  # the pieces of all groups of a fold follow each other
        counts, piece = counts.reshape(-1, keep.groups).sum(axis=1), piece[:: keep.groups]
    full = np.flatnonzero(counts)
    with np.errstate(over="ignore", invalid="ignore"):
        zero._sums().reshape(-1, q, q)[full] = products(B.reshape(q, -1, PIECE).transpose(1, 2, 0), piece[full])
    return zero


def _order(cell: np.ndarray, cells: int) -> np.ndarray:
    """Return the rows sorted by cell, those of a cell in their order."""
    return np.argsort(cell.astype(np.uint16 if cells < 65536 else np.int64), kind="stable")


def reduce_source(source: Readable, keep: Any, holes: bool = False, stay: bool = False) -> Any:
    """Return the moments of a source by the engine that fits it; a bad cell is found and named.

    They are brought here from wherever they were summed, unless they may ``stay``. With ``holes`` a missing cell (NaN) is no bad one
    to begin with: it is named only if no cell is infinite.
    """
    if source.n_rows == 0:
        raise EmptyTable(
            f"Found array with 0 sample(s) (shape=(0, {source.n_columns})) while a minimum of 1 is required."
        )
    rows = max(keep.rows(), source.rows_at_once) if isinstance(source, SparseSource) else keep.rows()
    with np.errstate(over="ignore", invalid="ignore"):
        m = engine_for(source).reduce(source, keep, rows=rows)
    m = m if stay else brought_here(m)
    if not m.is_finite():
        for block in source.blocks() if holes else ():
            refuse_bad_cells(np.where(np.isnan(block.X), 0.0, block.X), source.names, block.start)
        refuse_bad_source(source)
    return m


def one_pass(
    X: Any, y: Any, sample_weight: Any, fold: Any, group: Any, scatter: Scatter, origin: Vector | None,
    folds: int | None, groups: int | None,
) -> Moments:  # fmt: skip
    """Do the pass behind :meth:`Moments.of`."""
    if is_elsewhere(X):
        return _pass_elsewhere(X, y, sample_weight, fold, group, scatter, origin, folds, groups)
    if is_stream(X):
        source = open_source(X, y, sample_weight)
        _refuse_wide(None, source.n_columns, scatter)
        return reduce_source(source, Summation(source.origin, scatter, folds, groups, 0))
    if not is_sparse(X):
        X = np.asarray(X)
        X = X[:, None] if X.ndim == 1 else X
        if X.dtype.kind not in "fiub":
            X = X.astype(np.float64)
    n = X.shape[0]
    _refuse_wide(n, X.shape[1], scatter)
    y = None if y is None else np.asarray(y, dtype=np.float64).reshape(n, -1)
    fold = None if fold is None else np.asarray(fold, dtype=np.intp)
    group = None if group is None else np.asarray(group, dtype=np.intp)
    kind = SparseSource if is_sparse(X) else ArraySource
    held: Any = kind(X, y, check_weights(sample_weight, n), fold, group)
    keep = Summation(
        origin=joint_origin(held) if origin is None else np.asarray(origin, float),
        scatter=scatter,
        folds=None if fold is None else folds or int(fold.max(initial=-1)) + 1,
        groups=None if group is None else groups or int(group.max(initial=-1)) + 1,
        targets=0 if y is None else y.shape[1],
    )
    return reduce_source(held, keep)


def _pass_elsewhere(
    X: Any, y: Any, sample_weight: Any, fold: Any, group: Any, scatter: Scatter, origin: Vector | None, folds: int | None,
    groups: int | None,
) -> Moments:  # fmt: skip
    """Do the pass over an array that lies elsewhere; what lies beside it may be here or there."""
    held = ElsewhereSource(X[:, None] if X.ndim == 1 else X, y, sample_weight, fold, group)
    _refuse_wide(held.n_rows, held.n_columns, scatter)

    def size(given: int | None, part: Any) -> int | None:
        return None if part is None else given or (int(at_home(part).max(initial=-1)) + 1)

    targets = 0 if held.y is None else 1 if held.y.ndim == 1 else int(held.y.shape[1])
    about = joint_origin(held) if origin is None else np.asarray(origin, float)
    found: Moments = reduce_source(
        held, Summation(about, scatter, size(folds, held.fold), size(groups, held.group), targets)
    )
    return found


def _refuse_wide(n: int | None, p: int, scatter: Scatter) -> None:
    """Refuse a scatter that is too large, however few the rows: it is the square of the columns that is kept."""
    if scatter in ("full", "pooled"):
        refuse_large(n, p, square=True)


def joint_origin(source: Source) -> Vector:
    """Return an origin for the inputs and the targets of a source."""
    if isinstance(source, ElsewhereSource):
        return source.joint_origin
    head = source.head() if hasattr(source, "head") else next(iter(source.blocks(256)), None)
    if head is None or head.y is None:
        return source.origin
    with np.errstate(over="ignore", invalid="ignore"):
        return np.append(source.origin, np.asarray(head.y, dtype=np.float64).reshape(len(head), -1).mean(axis=0))
