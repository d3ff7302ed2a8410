"""SciPy sparse matrices: rows become dense one block at a time, so memory stays bounded by the block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.table.block import BLOCK_ROWS, Block
from epee.typing import Codes, Vector


class SparseSource:
    """The rows of a sparse matrix as dense blocks, for the methods that allow it.

    >>> import scipy.sparse
    >>> source = SparseSource(scipy.sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]))
    >>> next(source.blocks()).X
    array([[0., 1.],
           [2., 0.]])
    """

    names = None

    def __init__(
        self, X: Any, y: np.ndarray | None = None, weight: Vector | None = None, fold: Codes | None = None
    ) -> None:
        self.X = X.tocsr()
        if self.X.dtype.kind not in "fiub":
            raise DataError(f"X is a sparse matrix of {self.X.dtype}; numbers are needed. Complex data not supported.")
        self.y, self.weight, self.fold = y, weight, fold
        self.n_rows, self.n_columns = self.X.shape

    @property
    def origin(self) -> Vector:
        """Zero, which keeps the zeros."""
        return np.zeros(self.n_columns)

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield dense rows."""
        step = rows or BLOCK_ROWS
        dtype = self.X.dtype if self.X.dtype in (np.float32, np.float64) else np.float64

        def part(a: np.ndarray | None, i: int) -> np.ndarray | None:
            return None if a is None else a[i : i + step]

        for i in range(0, self.n_rows, step):
            dense = self.X[i : i + step].toarray().astype(dtype, copy=False)
            yield Block(dense, part(self.y, i), part(self.weight, i), part(self.fold, i), start=i)


def refuse_sparse(X: Any, method: str = "this method") -> TypeError:
    """Return the sentence for a method that needs dense rows."""
    return TypeError(
        f"X is a SciPy sparse matrix ({type(X).__name__}), which {method} cannot take: Sparse data was passed, but dense data "
        "is required. Use X.toarray() if it fits in memory."
    )
