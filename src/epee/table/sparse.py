"""SciPy sparse matrices: rows become dense one block at a time, so memory stays bounded by the block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.table.block import BLOCK_ROWS, Block
from epee.table.parts import TRAVEL_BYTES, BlockSource, Part, arrived
from epee.typing import Codes, Vector


class SparseSource(BlockSource):
    """The rows of a sparse matrix as dense blocks, for the methods that allow it.

    >>> import scipy.sparse
    >>> source = SparseSource(scipy.sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]))
    >>> next(source.blocks()).X
    array([[0., 1.],
           [2., 0.]])
    """

    names = None

    def __init__(
        self,
        X: Any,
        y: np.ndarray | None = None,
        weight: Vector | None = None,
        fold: Codes | None = None,
        group: Codes | None = None,
    ) -> None:
        self.X = X.tocsr()
        if self.X.dtype.kind not in "fiub":
            raise DataError(f"X is a sparse matrix of {self.X.dtype}; numbers are needed. Complex data not supported.")
        self.y, self.weight, self.fold, self.group = y, weight, fold, group
        self.n_rows, self.n_columns = self.X.shape

    @property
    def origin(self) -> Vector:
        """Zero, which keeps the zeros."""
        return np.zeros(self.n_columns)

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield dense rows."""
        step = rows or BLOCK_ROWS
        dtype = self.X.dtype if self.X.dtype in (np.float32, np.float64) else np.float64

        for i in range(0, self.n_rows, step):
            at = slice(i, i + step)
            dense = self.X[at].toarray().astype(dtype, copy=False)
            yield Block(dense, _at(self.y, at), _at(self.weight, at), _at(self.fold, at), _at(self.group, at), i)

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Yield slices that stay sparse, of a few megabytes at most."""
        n = self.n_rows
        a_row = 12 * max(1, self.X.nnz // max(n, 1))  # a value and its column
        step = max(1, min(-(-n // max(1, wanted)), TRAVEL_BYTES // a_row))
        for k, i in enumerate(range(0, max(n, 1), step)):
            at = slice(i, i + step)
            piece = SparseSource(
                self.X[at], _at(self.y, at), _at(self.weight, at), _at(self.fold, at), _at(self.group, at)
            )
            yield Part(piece, arrived, f"part {k} (rows from {i})", i, piece.n_rows, heavy=True)


def _at(a: np.ndarray | None, rows: slice) -> np.ndarray | None:
    return None if a is None else a[rows]


def refuse_sparse(X: Any, method: str = "this method") -> TypeError:
    """Return the sentence for a method that needs dense rows."""
    return TypeError(
        f"X is a SciPy sparse matrix ({type(X).__name__}), which {method} cannot take: Sparse data was passed, but dense data "
        "is required. Use X.toarray() if it fits in memory."
    )
