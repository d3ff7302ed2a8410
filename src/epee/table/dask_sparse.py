"""Dask arrays whose blocks are sparse: every partition a sparse matrix where it lies, never laid out whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from epee.errors import DataError, EmptyTable
from epee.table.block import Block
from epee.table.dask_frames import matched, unequal
from epee.table.parts import BlockSource, Part, arrived
from epee.table.sparse import SparseSource, is_sparse, refuse_bad_sparse
from epee.typing import Vector


def has_sparse_blocks(X: Any) -> bool:
    """Tell whether a Dask array says that its blocks are sparse.

    >>> has_sparse_blocks(np.eye(2))
    False
    """
    return hasattr(X, "numblocks") and is_sparse(getattr(X, "_meta", None))


class DaskSparse(BlockSource):
    """The rows of a Dask array of sparse blocks, with what lies beside them.

    Parameters
    ----------
    X : dask Array (n, p) of sparse blocks
    y, sample_weight : dask collections with the same partitions, or arrays (n,) where the sizes of the blocks are known
    """

    home = "dask"
    names = None

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        if X.ndim != 2 or np.isnan(X.shape[1]):
            raise DataError(f"the Dask array has shape {X.shape}: rows of a known number of columns are needed.")
        self._X = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
        self.n_columns = int(X.shape[1])
        sizes = self._X.chunks[0]
        self._sizes = None if np.isnan(sizes).any() else [int(size) for size in sizes]
        self.n_rows: int | None = None if self._sizes is None else sum(self._sizes)
        if self.n_rows == 0:
            raise EmptyTable(
                "the Dask array has no rows: Found array with 0 sample(s), and a minimum of 1 is required."
            )
        self._beside = [self._cut("y", y), self._cut("sample_weight", sample_weight)]
        self._y = y
        self._made: list[Any] | None = None

    def _cut(self, name: str, column: Any) -> list[Any]:
        """Return what goes beside each block, still to be made where it is a collection."""
        k = int(self._X.numblocks[0])
        if column is None:
            return [None] * k
        if hasattr(column, "__dask_graph__"):
            column = matched(name, column, self._X)
            pieces = column.to_delayed()
            return list(np.ravel(np.asarray(pieces, dtype=object)))
        if self._sizes is None:
            raise DataError(
                f"{name} is an array, and the sizes of the blocks of X are not known: call X.compute_chunk_sizes(), or give "
                f"{name} as a Dask array with the same partitions."
            )
        values = np.asarray(column)
        if len(values) != self.n_rows:
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: X has {self.n_rows} rows and {name} has {len(values)}."
            )
        ends = np.cumsum([0, *self._sizes])
        return [values[a:b] for a, b in pairwise(ends)]

    @property
    def origin(self) -> Vector:
        """Zero, which keeps the zeros."""
        return np.zeros(self.n_columns)

    def _pieces(self) -> list[Any]:
        """Return the partitions as sources, still to be made."""
        import dask

        if self._made is None:
            make = dask.delayed(_source_of, pure=False)
            blocks = self._X.to_delayed().ravel()
            together = enumerate(zip(blocks, *self._beside, strict=True))
            self._made = [make(block, y, w, self.n_columns, k) for k, (block, y, w) in together]
        return self._made

    def lengths(self) -> list[int]:
        """Return how many rows each partition has; takes a pass where nobody has counted."""
        import dask

        if self._sizes is None:
            self._sizes = list(dask.compute(*(dask.delayed(_rows_of, pure=False)(piece) for piece in self._pieces())))
            self.n_rows = sum(self._sizes)
        return self._sizes

    @property
    def target_levels(self) -> np.ndarray | None:
        """The sorted labels of the target, found where they lie."""
        import dask

        if self._y is None:
            return None
        found = dask.compute(*(dask.delayed(np.unique, pure=False)(part) for part in self._beside[0]))
        return np.unique(np.concatenate([np.asarray(part) for part in found]))

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Hand over the partitions as they are, to be made where they are used."""
        lengths = self.lengths() if numbered else self._sizes
        start = 0
        for k, piece in enumerate(self._pieces()):
            here = None if lengths is None else lengths[k]
            yield Part(piece, arrived, f"partition {k}", start, here)
            start += here or 0

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield sparse rows, bringing a partition here at a time."""
        start = 0
        for piece in self._pieces():
            source = piece.compute()
            for block in source.blocks(rows):
                yield block.having(start=start + block.start)
            start += source.n_rows


def _source_of(block: Any, y: Any, weight: Any, columns: int, k: int) -> SparseSource:
    """Return partition ``k`` where it was made; what does not fit is named with it."""
    rows = block.tocsr() if is_sparse(block) else _as_sparse(block)
    if rows.shape[1] != columns:
        raise DataError(f"partition {k} has {rows.shape[1]} columns, and the array {columns}.")
    refuse_bad_sparse(rows)
    for name, column in (("y", y), ("sample_weight", weight)):
        if column is not None and len(column) != rows.shape[0]:
            raise unequal(name, k, rows.shape[0], len(column))
    w = None if weight is None else np.asarray(weight, dtype=np.float64)
    if w is not None and not (np.isfinite(w) & (w >= 0)).all():
        row = int(np.flatnonzero(~(np.isfinite(w) & (w >= 0)))[0])
        raise DataError(f"partition {k}: sample_weight is {w[row]:g} in row {row}; weights are numbers of at least 0.")
    return SparseSource(rows, None if y is None else np.asarray(y), w)


def _as_sparse(block: Any) -> Any:
    from scipy.sparse import csr_array

    return csr_array(np.asarray(block))


def _rows_of(source: SparseSource) -> int:
    return int(source.n_rows)
