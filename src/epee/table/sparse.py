"""SciPy sparse matrices: a block of rows of which only the cells that are not 0 are held.

A sum that knows of it takes ``block.rows``, a CSR matrix, whose products cost its non-zeros; any other takes ``block.X`` and gets
the rows of this one block laid out, so memory stays bounded by the block, or a refusal where even a block would not fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from epee.errors import DataError, InfiniteValues, MissingValues
from epee.table.block import BESIDE, BLOCK_ROWS, Block, column_name
from epee.table.parts import TRAVEL_BYTES, BlockSource, Part, arrived
from epee.typing import Codes, Matrix, Vector

MOST_CELLS = 1 << 27  # of rows laid out at once: 1 GiB
AT_ONCE = 1 << 20  # cells that are held, in a block of rows too wide to be laid out: 12 MB


def is_sparse(X: Any) -> bool:
    """Tell whether ``X`` is a matrix or an array of SciPy that holds its non-zeros alone.

    Its class is asked: a remote frame takes any name that it is asked for to be that of a column.

    >>> from scipy import sparse
    >>> is_sparse(sparse.eye_array(2)), is_sparse(np.eye(2))
    (True, False)
    """
    return hasattr(type(X), "tocsr")


def laid_out(X: Any) -> Matrix:
    """Return all cells of a table, sparse or not; refused where they would not fit."""
    if not is_sparse(X):
        dense: Matrix = X
        return dense
    n, p = X.shape
    if n * p > MOST_CELLS:
        raise DataError(
            f"{n:,} sparse rows of {p:,} columns are {n * p:,} cells, too many to lay out: Sparse data was passed, but dense data "
            "is required. Take fewer columns, or a method on the cells that are not 0."
        )
    return np.asarray(X.toarray())


def refuse_bad_sparse(X: Any, names: Any = None, missing: bool = False) -> None:
    """Raise a sentence that names the first column of a sparse table with a bad cell; with ``missing`` NaN is none.

    >>> import scipy.sparse
    >>> refuse_bad_sparse(scipy.sparse.csr_array([[0.0, 1.0], [np.nan, 0.0]]))
    Traceback (most recent call last):
        ...
    epee.errors.MissingValues: Input X contains NaN: column 0: 1 missing value (NaN), first in row 1. Fill or drop them.
    """
    if X.dtype.kind not in "fc" or not X.nnz or np.isfinite(X.data.sum()):
        return
    coo = X.tocoo()
    bad = np.isinf(coo.data) if missing else ~np.isfinite(coo.data)
    if not bad.any():
        return
    j = int(coo.col[bad].min())
    here = (coo.col == j) & bad
    gone = here & np.isnan(coo.data)
    here = gone if gone.any() else here
    count, row, where = int(here.sum()), int(coo.row[here].min()), column_name(names, j)
    plural = "s" if count > 1 else ""
    if gone.any():
        raise MissingValues(
            f"Input X contains NaN: {where}: {count} missing value{plural} (NaN), first in row {row}. Fill or drop them."
        )
    raise InfiniteValues(
        f"Input X contains infinity: {where}: {count} infinite value{plural}, first in row {row}. Replace or drop them."
    )


class SparseBlock(Block):
    """Rows of a CSR matrix.

    >>> import scipy.sparse
    >>> block = SparseBlock(scipy.sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]))
    >>> block.rows.nnz, block.between(1, 2).X
    (2, array([[2., 0.]]))
    """

    held: Any  # CSR

    def __init__(self, rows: Any, **beside: Any) -> None:
        self.__dict__.update(dict.fromkeys(BESIDE) | {"start": 0, "held": rows} | beside)

    @property
    def rows(self) -> Any:
        """The rows as they lie, sparse."""
        return self.held

    @cached_property
    def X(self) -> Matrix:
        """The rows laid out (n, p)."""
        return laid_out(self.rows)

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @property
    def nbytes(self) -> int:
        """Bytes of the cells that are held."""
        return int(self.rows.data.nbytes + self.rows.indices.nbytes + self.rows.indptr.nbytes)

    def having(self, **parts: Any) -> Block:
        """Return the block with other parts; with other rows it is a plain one."""
        beside = {name: getattr(self, name) for name in (*BESIDE, "start")} | parts
        return Block(**beside) if "X" in parts else SparseBlock(**{"rows": self.rows} | beside)

    def between(self, i: int, j: int) -> Block:
        """Return rows ``i`` to ``j - 1`` of the block."""
        return SparseBlock(self.rows[i:j], **self._beside(lambda a: a[i:j]), start=self.start + i)

    def followed_by(self, other: Block) -> Block:
        """Return the rows of both blocks."""
        from scipy.sparse import vstack

        beside = {
            name: np.concatenate([a, getattr(other, name)]) for name in BESIDE if (a := getattr(self, name)) is not None
        }
        return SparseBlock(vstack([self.rows, other.rows], format="csr"), **beside, start=self.start)

    def taking(self, rows: np.ndarray) -> Block:
        """Return some rows, by a mask or by their places; ``start`` stays that of the block."""
        return SparseBlock(self.rows[rows], **self._beside(lambda a: a[rows]), start=self.start)

    def lanes(self) -> None:
        """Return None: no column lies whole."""

    def __reduce__(self) -> Any:
        return _arrived, (self.rows, {name: getattr(self, name) for name in (*BESIDE, "start")})


def _arrived(rows: Any, beside: dict[str, Any]) -> SparseBlock:
    return SparseBlock(rows, **beside)


class SparseSource(BlockSource):
    """The rows of a sparse matrix as sparse blocks.

    >>> import scipy.sparse
    >>> source = SparseSource(scipy.sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]))
    >>> next(source.blocks()).X
    array([[0., 1.],
           [2., 0.]])
    """

    def __init__(
        self,
        X: Any,
        y: np.ndarray | None = None,
        weight: Vector | None = None,
        fold: Codes | None = None,
        group: Codes | None = None,
        names: Any = None,
    ) -> None:
        X = X.tocsr()
        if X.dtype.kind not in "fiub":
            raise DataError(f"X is a sparse matrix of {X.dtype}; numbers are needed. Complex data not supported.")
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        if not X.has_canonical_format:  # a cell that is held twice is their sum
            X = X.copy()
            X.sum_duplicates()
        self.X = X
        self.y, self.weight, self.fold, self.group, self.names = y, weight, fold, group, names
        self.n_rows, self.n_columns = self.X.shape

    @property
    def origin(self) -> Vector:
        """Zero, which keeps the zeros."""
        return np.zeros(self.n_columns)

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield sparse rows, as views."""
        step = rows or self.rows_at_once
        for i in range(0, self.n_rows, step):
            yield SparseBlock(rows_between(self.X, i, i + step), **self._beside(i, step), start=i)

    @property
    def rows_at_once(self) -> int:
        """How many rows a block has: the usual number, more where they are so wide that nobody could lay them out."""
        if BLOCK_ROWS * self.n_columns <= MOST_CELLS:
            return BLOCK_ROWS
        return max(BLOCK_ROWS, -(-int(self.n_rows) // max(1, -(-int(self.X.nnz) // AT_ONCE))))

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Yield slices, of a few megabytes at most."""
        n = self.n_rows
        a_row = 12 * max(1, self.X.nnz // max(n, 1))  # a value and its column
        step = max(1, min(-(-n // max(1, wanted)), TRAVEL_BYTES // a_row))
        for k, i in enumerate(range(0, max(n, 1), step)):
            piece = SparseSource(self.X[i : i + step], **self._beside(i, step), names=self.names)
            yield Part(piece, arrived, f"part {k} (rows from {i})", i, piece.n_rows, heavy=True)

    def taking(self, rows: Any) -> SparseSource:
        """Return some rows, by their places or a slice."""
        return SparseSource(
            self.X[rows],
            **{name: None if (a := getattr(self, name)) is None else a[rows] for name in BESIDE},
            names=self.names,
        )

    def widened(self, columns: int) -> SparseSource:
        """Return the rows with columns of 0 up to so many: a file of sparse rows ends where its last cell is."""
        X = self.X.copy()
        X.resize((self.n_rows, columns))
        return SparseSource(X, self.y, self.weight, self.fold, self.group)

    def _beside(self, i: int, step: int) -> dict[str, Any]:
        return {name: None if (a := getattr(self, name)) is None else a[i : i + step] for name in BESIDE}


def rows_between(X: Any, i: int, j: int) -> Any:
    """Return rows ``i`` to ``j - 1`` of a CSR matrix as a view: SciPy's own slices copy.

    >>> import scipy.sparse
    >>> X = scipy.sparse.csr_array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    >>> part = rows_between(X, 1, 9)
    >>> part.toarray(), bool(np.shares_memory(part.data, X.data))
    (array([[2., 0.],
           [0., 3.]]), True)
    """
    j = min(j, X.shape[0])
    a, b = X.indptr[i], X.indptr[j]
    if a == 0 and j == X.shape[0] and i == 0:
        return X
    part = type(X)((j - i, X.shape[1]), dtype=X.dtype)
    part.data, part.indices, part.indptr = X.data[a:b], X.indices[a:b], X.indptr[i : j + 1] - a
    part.has_sorted_indices = part.has_canonical_format = True
    return part


def having_cells(X: Any, data: Vector) -> Any:
    """Return a CSR matrix with other numbers in the cells that are held: where these lie is shared, not copied.

    >>> import scipy.sparse
    >>> X = scipy.sparse.csr_array([[0.0, 1.0], [2.0, 0.0]])
    >>> having_cells(X, np.array([5.0, 6.0])).toarray()
    array([[0., 5.],
           [6., 0.]])
    """
    other = type(X)(X.shape, dtype=data.dtype)
    other.data, other.indices, other.indptr = data, X.indices, X.indptr
    other.has_sorted_indices, other.has_canonical_format = X.has_sorted_indices, X.has_canonical_format
    return other


def refuse_lossy_graph(X: Any) -> None:
    """Refuse a sparse table of distances that does not tell a distance of 0 from none: dok forgets zeros, bsr and dia add some."""
    if is_sparse(X) and X.format not in ("csr", "csc", "coo", "lil"):
        raise TypeError(
            f"Sparse matrix in {X.format!r} format is not supported due to its handling of explicit zeros: distances of 0 would be lost "
            "or made up. Build the table of distances as csr, csc, coo or lil."
        )


def refuse_sparse(X: Any, method: str = "this method") -> TypeError:
    """Return the sentence for a method that needs dense rows."""
    return TypeError(
        f"X is a SciPy sparse matrix ({type(X).__name__}), which {method} cannot take: Sparse data was passed, but dense data "
        "is required. Use X.toarray() if it fits in memory."
    )
