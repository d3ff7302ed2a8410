"""Frames of pandas, polars, Arrow and their kin, seen as Arrow columns; narwhals knows them all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError, EmptyTable
from epee.table.schema import find_name, refuse_duplicates

if TYPE_CHECKING:
    import pyarrow as pa

_ROOMS = ("pandas", "polars", "pyarrow", "modin", "cudf", "duckdb", "ibis", "narwhals", "fireducks")


def is_frame(X: Any) -> bool:
    """Tell a frame from an array, without importing any library of frames."""
    rooms = {base.__module__.split(".")[0].lstrip("_") for base in type(X).__mro__}
    if rooms.isdisjoint(_ROOMS):
        return False
    return type(X).__name__ == "LazyFrame" or hasattr(X, "columns") or hasattr(X, "column_names")


def is_dask(X: Any) -> bool:
    """Tell a Dask collection, without importing Dask."""
    return hasattr(X, "__dask_graph__") and type(X).__module__.split(".")[0] in ("dask", "dask_expr")


def is_spark(X: Any) -> bool:
    """Tell a Spark data frame, of a classic session or of Spark Connect, without importing PySpark."""
    return type(X).__module__.partition(".")[0] == "pyspark" and hasattr(X, "mapInArrow")


def is_away(X: Any) -> bool:
    """Tell a collection whose rows lie on a cluster: of Dask or of Spark."""
    return is_dask(X) or is_spark(X)


def passes_once(X: Any) -> bool:
    """Tell a stream of frames from what can be read again.

    >>> passes_once(iter([])), passes_once([])
    (True, False)
    """
    return isinstance(X, Iterator) or type(X).__name__ == "RecordBatchReader"


class FrameBatches:
    """A frame that is already in memory; nothing is copied that Arrow can share."""

    def __init__(self, X: Any, label: str = "the frame") -> None:
        self.label = label
        self.notes: list[str] = []
        self.kinds: Mapping[str, str] = {}
        self._table = to_arrow(X)
        self.fields = self._table.schema
        self.n_rows: int | None = self._table.num_rows
        if not self.n_rows:
            raise EmptyTable(
                f"{label} has no rows: Found array with 0 sample(s) (shape=(0, {len(self.fields)})) while a minimum of 1 is required."
            )

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns."""
        yield from self._table.select(list(columns)).to_batches(rows)

    def where(self, row: int) -> str:
        """Return the number of the row."""
        return f"row {row}"

    def fingerprint(self) -> str:
        """Return a hash of the schema and of the first and last rows."""
        h = hashlib.blake2b(digest_size=16)
        h.update(f"{self.fields}{self.n_rows}".encode())
        for part in (self._table.slice(0, 1000), self._table.slice(max(0, (self.n_rows or 0) - 1000))):
            h.update(repr(part.to_pydict()).encode())
        return h.hexdigest()


def to_arrow(X: Any) -> pa.Table:
    """Return a frame as an Arrow table with text names; a lazy frame is collected, the columns of an array are numbered.

    >>> import pyarrow as pa
    >>> to_arrow(pa.record_batch({"a": [1, 2]})).column_names
    ['a']
    """
    import pyarrow as pa

    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise DataError(f"Expected 2D array, got {X.ndim}D array instead: a table has rows and columns.")
        return columns_of_array(X, numbered_names(X.shape[1]))
    if isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    if isinstance(X, pa.Table):
        refuse_duplicates(X.column_names)
        return X.replace_schema_metadata(None)
    import narwhals as nw

    if type(X).__module__.startswith("pandas"):
        refuse_duplicates(str(name) for name in X.columns)
    try:
        frame: Any = nw.from_native(X)
    except TypeError as fault:
        raise TypeError(
            f"X is a {type(X).__name__}, which is no table that épée can read: give an array, a frame or a path."
        ) from fault
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    arrays, names = [], [str(name) for name in frame.columns]
    refuse_duplicates(names)
    for series, name in zip(map(frame.get_column, frame.columns), names, strict=True):
        try:
            array = series.to_arrow()
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, ValueError) as fault:
            raise _mixed(series, name) from fault
        arrays.append(array)
    return pa.table(arrays, names=names)


def taken_apart(X: Any, *beside: Any) -> tuple[Any, ...]:
    """Return a frame in memory without the columns that are named ``beside`` it, and their values; anything else as it is.

    >>> import pyarrow as pa
    >>> X, y, weight = taken_apart(pa.table({"a": [1.0, 2.0], "y": [3.0, 4.0]}), "y", None)
    >>> X.column_names, y, weight
    (['a'], array([3., 4.]), None)
    """
    if not any(isinstance(one, str | list | tuple) for one in beside) or not is_frame(X):
        return X, *beside
    import narwhals as nw

    frame: Any = nw.from_native(X)
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    columns, gone, out = list(frame.columns), set(), []
    for one in beside:
        names = [one] if isinstance(one, str) else _names_among(one, columns, len(frame))
        for name in names:
            find_name(name, columns)
        gone |= set(names)
        values = [frame.get_column(name).to_numpy() for name in names]
        out.append(values[0] if isinstance(one, str) else np.column_stack(values) if names else one)
    return (frame.drop(list(gone)).to_native() if gone else X), *out


def _names_among(given: Any, columns: list[str], n: int) -> list[str]:
    """Return the names of several columns, or nothing where what is given are the values of rows."""
    if not isinstance(given, list | tuple) or len(given) == n or len(set(map(str, given))) < len(given):
        return []
    return list(given) if all(name in columns for name in given) else []


def numbered_names(p: int) -> tuple[str, ...]:
    """Return the names of columns that have none.

    >>> numbered_names(2)
    ('x0', 'x1')
    """
    return tuple(f"x{j}" for j in range(p))


def is_number(name: str) -> bool:
    """Tell whether a name is one of :func:`numbered_names`.

    >>> is_number("x12"), is_number("x1a")
    (True, False)
    """
    return name.startswith("x") and name[1:].isdecimal()


def columns_of_array(X: np.ndarray, names: Sequence[str]) -> pa.Table:
    """Return an array as an Arrow table: numbers, or, where a column of an object array is none, texts."""
    import pyarrow as pa

    arrays = []
    for j, name in enumerate(names):
        column = X[:, j]
        if column.dtype.kind in "fiub":
            arrays.append(pa.array(np.ascontiguousarray(column)))
            continue
        for cell in column:
            if not isinstance(cell, str | bytes | float | int | np.number | np.bool_ | None):
                raise TypeError(f"column {name!r}: argument must be a string or a number, not {type(cell).__name__!r}.")
        try:
            arrays.append(pa.array(column.astype(np.float64)))
        except (TypeError, ValueError):
            texts = [None if cell is None or cell != cell else str(cell) for cell in column]
            arrays.append(pa.array(texts, pa.string()))
    return pa.table(arrays, names=list(names))


def _mixed(series: Any, name: str) -> DataError:
    """Return the sentence about a column whose cells are of several types."""
    cells = list(series)
    kinds: dict[str, tuple[int, Any]] = {}
    for row, cell in enumerate(cells):
        if cell is not None and cell == cell:
            kinds.setdefault(type(cell).__name__, (row, cell))
    shown = ", ".join(f"{kind} (row {row}: {cell!r})" for kind, (row, cell) in list(kinds.items())[:3])
    return DataError(f"column {name!r} mixes cells of several types: {shown}; make them one.")
