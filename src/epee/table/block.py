"""A block: some thousands of rows, small enough to stay in the cache; and a source: blocks that can be read again.

This is the only place that checks the cells of a table. A pass does not look for NaN beforehand: the sums it makes are
not finite when a cell is not, and only then are the rows searched, so the check of a clean table costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.lib.stride_tricks import as_strided

from epee.arrays import at_home
from epee.errors import DataError, InfiniteValues, MissingValues
from epee.table.raw import numbers_of
from epee.typing import Codes, Matrix, Vector

if TYPE_CHECKING:
    import pyarrow as pa

    from epee.table.parts import Part

BLOCK_ROWS = 4096  # 4096 x 100 float64 is 3.3 MB: measured best between 2,000 and 8,000


def rows_for(p: int) -> int:
    """Return how many rows of ``p`` columns a block should have: more of narrow ones, for a block of some megabytes, too.

    >>> rows_for(100), rows_for(30)
    (4096, 16384)
    """
    return BLOCK_ROWS * max(1, min(4, 120 // max(p, 1)))


@dataclass(frozen=True)
class Block:
    """Rows ``start, start + 1, ...`` of a source.

    ``X`` (n, p) numbers; ``y`` (n,) labels or values, (n, m) for several targets, or None; ``weight`` (n,) counts or None;
    ``fold`` and ``group`` (n,) where each row goes along these axes, or None.
    """

    X: Matrix
    y: np.ndarray | None = None
    weight: Vector | None = None
    fold: Codes | None = None
    group: Codes | None = None
    start: int = 0

    unlaid: ClassVar[bool] = False  # whether the rows, full ones and here, are laid out only when they are asked for

    def __len__(self) -> int:
        return len(self.X)

    @property
    def rows(self) -> Any:
        """The rows as they lie, for products: ``X``, or a sparse matrix where most cells are 0 and are not held."""
        return self.X

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return int(self.X.nbytes)

    def having(self, **parts: Any) -> Block:
        """Return the block with other parts beside its rows: ``block.having(group=codes)``."""
        return replace(self, **parts)

    def between(self, i: int, j: int) -> Block:
        """Return rows ``i`` to ``j - 1`` of the block, as views."""
        return self.having(X=self.X[i:j], **self._beside(lambda a: a[i:j]), start=self.start + i)

    def followed_by(self, other: Block) -> Block:
        """Return the rows of both blocks."""
        return self.having(X=_stacked(self.X, other.X), **_both(self, other))

    def taking(self, rows: np.ndarray) -> Block:
        """Return some rows, by a mask or by their places; ``start`` stays that of the block."""
        return self.having(X=self.X[rows], **self._beside(lambda a: a[rows]))

    def lanes(self) -> tuple[Vector, np.ndarray] | None:
        """Return memory (m,) in which column ``j`` lies whole from ``first[j]`` on, and ``first`` (p,); None where rows lie so."""
        if not (self.X.flags.f_contiguous and self.X.dtype == np.float64):
            return None
        return self.X.reshape(-1, order="F"), np.arange(self.X.shape[1]) * len(self)

    def _beside(self, change: Any) -> dict[str, Any]:
        return {name: change(a) for name in BESIDE if (a := getattr(self, name)) is not None}


BESIDE = ("y", "weight", "fold", "group")


class ColumnBlock(Block):
    """Rows that still lie in the columns of an Arrow batch; the thread that works on them lays them out.

    There they are copied by one call that does not hold Python's lock, while the next batch is being read.

    >>> import pyarrow as pa
    >>> block = ColumnBlock(pa.record_batch({"a": [1, 2], "b": [0.5, None]}), np.dtype(float))
    >>> block.between(1, 2).X
    array([[ 2., nan]])
    """

    batch: pa.RecordBatch
    dtype: np.dtype[Any]
    unlaid = True

    def __init__(self, batch: pa.RecordBatch, dtype: np.dtype[Any], **beside: Any) -> None:
        self.__dict__.update(dict.fromkeys(BESIDE) | {"start": 0, "batch": batch, "dtype": dtype} | beside)

    @cached_property
    def X(self) -> Matrix:
        """The rows (n, p), NaN where a cell is missing; each column stays together in memory."""
        import pyarrow as pa

        t = pa.from_numpy_dtype(self.dtype)
        columns = [
            column if column.type == t else pa.array(np.asarray(numbers_of(column), dtype=self.dtype))
            for column in self.batch.columns
        ]
        plain = pa.RecordBatch.from_arrays(columns, names=self.batch.schema.names)
        rows: Matrix = plain.to_tensor(null_to_nan=True, row_major=False).to_numpy()
        return rows

    def lanes(self) -> tuple[Vector, np.ndarray] | None:
        """Return memory that holds the columns where Arrow has put them: all of it is never touched, nothing is copied."""
        columns = self.batch.columns
        if self.dtype != np.float64 or any(str(c.type) != "double" or c.null_count for c in columns):
            return super().lanes()
        starts = np.array([c.buffers()[1].address + 8 * c.offset for c in columns])
        lowest = int(starts.argmin())
        first, odd = np.divmod(starts - starts[lowest], 8)
        if odd.any():
            return super().lanes()
        least = columns[lowest].to_numpy()
        return as_strided(least, (int(first.max()) + len(self),), (8,), writeable=False), first

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def having(self, **parts: Any) -> Block:
        """Return the block with other parts; with other rows it is a plain one."""
        beside = {name: getattr(self, name) for name in (*BESIDE, "start")} | parts
        return Block(**beside) if "X" in parts else ColumnBlock(self.batch, self.dtype, **beside)

    def between(self, i: int, j: int) -> Block:
        """Return rows ``i`` to ``j - 1`` of the block, as views."""
        beside = self._beside(lambda a: a[i:j])
        return ColumnBlock(self.batch.slice(i, j - i), self.dtype, **beside, start=self.start + i)

    def followed_by(self, other: Block) -> Block:
        """Return the rows of both blocks."""
        import pyarrow as pa

        assert isinstance(other, ColumnBlock)
        batch = pa.Table.from_batches([self.batch, other.batch]).combine_chunks().to_batches()[0]
        return ColumnBlock(batch, self.dtype, **_both(self, other), start=self.start)

    def __reduce__(self) -> Any:
        """Travel as the rows alone."""
        return Block, (self.X, self.y, self.weight, self.fold, self.group, self.start)


def _both(a: Block, b: Block) -> dict[str, Any]:
    """Return what goes beside the rows of two blocks."""
    return {name: _stacked(u, getattr(b, name)) for name in BESIDE if (u := getattr(a, name)) is not None}


def _stacked(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the rows of both; columns that lie together in memory stay so."""
    if a.ndim == 2 and a.strides[0] == a.itemsize:
        return np.concatenate([a.T, b.T], axis=1).T
    return np.concatenate([a, b])


@runtime_checkable
class Readable(Protocol):
    """The least that rows need to be learned from: blocks that can be read again, always in the same order."""

    @property
    def names(self) -> Sequence[str] | None:
        """What the columns are called, if anything."""

    @property
    def n_columns(self) -> int:
        """Number of columns."""

    @property
    def n_rows(self) -> int | None:
        """Number of rows, None while nobody has counted them."""

    @property
    def origin(self) -> Vector:
        """A point (p,) within the cloud: sums are taken about it, so a large mean costs no digits."""

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the rows in order, at most ``rows`` at a time; each block knows the number of its first row."""


class Source(Readable, Protocol):
    """Rows that an engine can add wherever they lie; :class:`~epee.table.parts.BlockSource` has all that is not read."""

    @property
    def home(self) -> str:
        """Where the rows lie, ``"local"``, ``"dask"`` or ``"spark"``, which says which engine adds them."""

    @property
    def is_away(self) -> bool:
        """Whether the rows lie in the partitions of a cluster."""

    @property
    def passes(self) -> int:
        """How often all rows were read."""

    @property
    def in_order(self) -> bool:
        """Whether rows have the same numbers at each pass."""

    @property
    def target_levels(self) -> np.ndarray | None:
        """The sorted labels of the target, where they are known or cheap to find."""

    def held(self) -> AbstractContextManager[Source]:
        """Keep the rows in the form that a pass reads fastest, for the length of a method of many passes."""

    def head(self) -> Block | None:
        """Return the first rows."""

    def narrow(self) -> Source:
        """Return the same rows with as few inputs as can be read."""

    def through(self, work: Callable[[Any], Any]) -> tuple[Source, Callable[[Any], Any]]:
        """Return a source and a work that together do the same, with all that can wait done by the work."""

    def prepare(self, engine: Any, wanted: int) -> None:
        """Find what the parts must know of each other, by an engine, before they are made."""

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Yield the parts in order; about ``wanted`` of them where the source can be cut anywhere."""


class Sliceable(Protocol):
    """Rows that can be cut and joined: blocks, raw or of numbers."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def between(self, i: int, j: int) -> Self:
        """Return rows ``i`` to ``j - 1``."""

    def followed_by(self, other: Any) -> Self:
        """Return the rows of both."""


S = TypeVar("S", bound=Sliceable)


def cut(parts: Iterator[S], step: int) -> Iterator[S]:
    """Yield the same rows in blocks of exactly ``step``, without copies but at the seams.

    >>> sizes = [len(b) for b in cut(iter([Block(np.zeros((5, 1))), Block(np.zeros((4, 1)))]), 2)]
    >>> sizes
    [2, 2, 2, 2, 1]
    """
    left: S | None = None
    for part in parts:
        i = 0
        if left is not None:
            i = min(step - len(left), len(part))
            left = left.followed_by(part.between(0, i))
            if len(left) < step:
                continue
            yield left
            left = None
        while i + step <= len(part):
            yield part.between(i, i + step)
            i += step
        if i < len(part):
            left = part.between(i, len(part))
    if left is not None and len(left):
        yield left


def column_name(names: Sequence[str] | None, j: int) -> str:
    """Return how to call column ``j`` in a sentence.

    >>> column_name(["age", "size"], 1), column_name(None, 1)
    ("column 'size'", 'column 1')
    """
    return f"column {j}" if names is None else f"column {str(names[j])!r}"


def refuse_bad_cells(X: np.ndarray, names: Sequence[str] | None = None, start: int = 0, what: str = "X") -> None:
    """Raise a sentence that names the first bad column if a cell of ``X`` is NaN or infinite.

    >>> import numpy as np
    >>> refuse_bad_cells(np.array([[1.0, 2.0], [np.nan, 3.0]]), names=["age", "size"])
    Traceback (most recent call last):
        ...
    epee.errors.MissingValues: Input X contains NaN: column 'age': 1 missing value (NaN), first in row 1. Fill or drop them.
    """
    if X.dtype.kind not in "fc":
        return
    table = X.reshape(len(X), -1)
    bad = ~np.isfinite(table)
    if not bad.any():
        return
    j = int(np.flatnonzero(bad.any(axis=0))[0])
    missing = np.isnan(table[:, j])
    count = int(missing.sum()) or int(bad[:, j].sum())
    row = start + int(np.flatnonzero(missing if missing.any() else bad[:, j])[0])
    where = what if X.ndim == 1 else column_name(names, j)
    plural = "s" if count > 1 else ""
    if missing.any():
        raise MissingValues(
            f"Input {what} contains NaN: {where}: {count} missing value{plural} (NaN), first in row {row}. Fill or drop them."
        )
    raise InfiniteValues(
        f"Input {what} contains infinity: {where}: {count} infinite value{plural}, first in row {row}. Replace or drop them."
    )


def refuse_bad_source(source: Readable) -> None:
    """Search a source whose sums are not finite for the cell that made them so, and raise the sentence."""
    for block in source.blocks():
        refuse_bad_cells(block.X, source.names, block.start)
        if block.y is not None and block.y.dtype.kind == "f":
            refuse_bad_cells(block.y, None, block.start, what="y")
    largest = max((float(np.abs(block.X).max(initial=0.0)) for block in source.blocks()), default=0.0)
    raise InfiniteValues(
        f"Input X contains values as large as {largest:.3g}, whose squares exceed the range of float64 (infinity). "
        "Rescale the columns."
    )


def check_weights(weight: Any, n: int) -> Vector | None:
    """Return the weights as floats (n,), or raise a sentence; None stays None.

    >>> check_weights([1, 0, 2], 3)
    array([1., 0., 2.])
    """
    if weight is None:
        return None
    try:
        w = np.asarray(at_home(weight), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight holds what is no number ({error}): give each row a number.") from error
    if w.ndim == 0:
        w = np.full(n, float(w))
    if w.shape != (n,):
        wanted = f"sample_weight.shape == {w.shape}, expected {(n,)}: one weight for each row."
        raise ValueError(wanted if w.ndim < 2 else f"Sample weights must be 1D array or scalar: {wanted}")
    if not np.isfinite(w).all():
        row = int(np.flatnonzero(~np.isfinite(w))[0])
        raise MissingValues(
            f"sample_weight contains NaN or infinity, first in row {row}. Give each row a finite weight."
        )
    if (w < 0).any():
        row = int(np.flatnonzero(w < 0)[0])
        raise ValueError(
            f"sample_weight is negative in row {row} ({w[row]:g}). Negative values in data: weights are counts."
        )
    if not w.any():
        raise ValueError("all the weights in sample_weight are zero: there is nothing to learn from.")
    return w
