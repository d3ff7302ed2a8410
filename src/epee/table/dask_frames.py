"""Dask data frames and arrays, with the collections that go beside them, as batches: one partition at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from epee.errors import DataError, EmptyTable
from epee.table.batches import agree
from epee.table.frames import FrameBatches, to_arrow
from epee.table.parts import Part

if TYPE_CHECKING:
    import pyarrow as pa


class DaskBatches:
    """A Dask data frame or array, one partition at a time; the Dask engine does better.

    Parameters
    ----------
    X : dask DataFrame or Array
    beside : mapping, optional
        Columns that are collections of their own, with the same partitions: ``{"y": dask_series}``. Those of an array with
        two axes are called ``y0``, ``y1``, ...; ``beside_names`` says what each became.
    """

    home = "dask"

    def __init__(self, X: Any, beside: Mapping[str, Any] | None = None) -> None:
        self.label = "the Dask collection"
        self.notes: list[str] = []
        self.kinds: Mapping[str, str] = {}
        self.n_rows: int | None = None
        self._lengths: list[int] | None = None
        self._X = X if hasattr(X, "partitions") and hasattr(X, "columns") else X.rechunk({1: -1})
        own = set(map(str, X.columns)) if hasattr(X, "columns") else set()
        self._beside = {_free(name, own): matched(name, column, X) for name, column in (beside or {}).items()}
        self.beside_names = {
            name: _names_of(new, column) for name, (new, column) in zip(beside or {}, self._beside.items(), strict=True)
        }
        self._pieces: dict[tuple[str, ...] | None, list[Any]] = {}
        self.head = next((table for table in self.each(_first_rows, several=1) if table.num_rows), None)
        if self.head is None:
            raise EmptyTable(
                "the Dask collection has no rows: Found array with 0 sample(s), and a minimum of 1 is required."
            )
        self.fields: pa.Schema = self.head.schema

    def pieces(self, columns: Sequence[str] | None = None) -> list[Any]:
        """Return the partitions, still to be made, of these columns."""
        import dask

        frame = hasattr(self._X, "columns")
        names = None if columns is None else [name for name in columns if not self._is_beside(name)]
        key = tuple(columns) if frame and names is not None and set(names) <= set(self._X.columns) else None  # type: ignore[arg-type]
        if key not in self._pieces:
            X = self._X if key is None or not names else self._X[names]
            pieces = _delayed(X)
            wanted = {
                n: c for n, c in self._beside.items() if columns is None or any(self._is_beside(k, n) for k in columns)
            }
            if wanted:
                columns_of = zip(*(_delayed(column) for column in wanted.values()), strict=True)
                join = dask.delayed(_joined, pure=False)
                pieces = [
                    join(piece, list(wanted), list(parts), k)
                    for k, (piece, parts) in enumerate(zip(pieces, columns_of, strict=True))
                ]
            self._pieces[key] = pieces
        return self._pieces[key]

    def _is_beside(self, name: str, of: str | None = None) -> bool:
        """Tell whether a column comes from a collection beside the table, or from a certain one."""
        return any(name in _names_of(new, column) for new, column in self._beside.items() if of is None or new == of)

    def each(
        self, function: Callable[[pa.Table], Any], columns: Sequence[str] | None = None, several: int = 256
    ) -> Iterator[Any]:
        """Yield a function of each partition, found where the partition lies; only its result comes here."""
        import dask

        pieces = self.pieces(columns)
        fields = None if columns is None else self.fields.empty_table().select(list(columns)).schema
        for i in range(0, len(pieces), several):
            some = enumerate(pieces[i : i + several], i)
            yield from dask.compute(
                *(dask.delayed(_apply, pure=False)(piece, function, fields, k) for k, piece in some)
            )

    def lengths(self) -> list[int]:
        """Return how many rows each partition has; takes a pass when nobody has counted."""
        if self._lengths is None:
            self._lengths = list(self.each(_rows_of, self.fields.names[:1]))
            self.n_rows = sum(self._lengths)
        return self._lengths

    def parts(self, wanted: int, columns: Sequence[str], numbered: bool) -> Iterator[Part]:
        """Hand over the partitions as they are, to be made where they are used."""
        fields = self.fields.empty_table().select(list(columns)).schema
        lengths = self.lengths() if numbered else None
        start = 0
        for k, piece in enumerate(self.pieces(columns)):
            rows = None if lengths is None else lengths[k]
            yield Part(piece, partial(_partition, fields=fields, k=k), f"partition {k}", start, rows)
            start += rows or 0

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns, bringing them here; a partition whose columns or types differ is named."""
        lengths = []
        for table in self.each(_whole, columns, several=4):
            yield from table.to_batches(rows)
            lengths.append(table.num_rows)
        self.n_rows, self._lengths = sum(lengths), lengths

    def where(self, row: int) -> str:
        """Return the number of the row."""
        return f"row {row}"

    def fingerprint(self) -> str:
        """Return the name of the graph, which Dask derives from its contents."""
        name = (
            self._X.name if hasattr(self._X, "name") and isinstance(self._X.name, str) else self._X.__dask_tokenize__()
        )
        return hashlib.blake2b(repr(name).encode(), digest_size=16).hexdigest()


def _delayed(X: Any) -> list[Any]:
    """Return the partitions of a collection, still to be made."""
    return list(X.to_delayed() if hasattr(X, "partitions") and not hasattr(X, "chunks") else X.to_delayed().ravel())


def _free(name: str, taken: set[str]) -> str:
    """Return a name that the table does not have."""
    while name in taken:
        name += "'"
    return name


def _names_of(name: str, column: Any) -> list[str]:
    """Return the names of the columns of a collection beside a table."""
    if getattr(column, "ndim", 1) == 1:
        return [name]
    wide = column.columns if hasattr(column, "columns") else range(column.shape[1])
    return [name] if len(wide) == 1 else [f"{name}{j}" for j in range(len(wide))]


def matched(name: str, column: Any, X: Any) -> Any:
    """Return a collection that goes beside ``X``, or say that its partitions are others."""
    if getattr(column, "ndim", 1) == 2 and hasattr(column, "chunks"):
        column = column.rechunk({1: -1})
    ours, theirs = _partitions(X), _partitions(column)
    if ours != theirs:
        how = "y.rechunk({0: X.chunks[0]})" if hasattr(column, "chunks") else "y.repartition(...) as X"
        raise DataError(
            f"{name} has {theirs} partitions and X has {ours}: partition k of both must hold the same rows; use {how}."
        )
    sizes = [getattr(c, "chunks", ((float("nan"),),))[0] for c in (X, column)]
    if len(sizes[0]) == len(sizes[1]):
        for k, (a, b) in enumerate(zip(*sizes, strict=True)):
            if a == a and b == b and a != b:
                raise unequal(name, k, int(a), int(b))
    return column


def _partitions(X: Any) -> int:
    return int(X.numblocks[0]) if hasattr(X, "numblocks") else int(X.npartitions)


def unequal(name: str, k: int, ours: int, theirs: int) -> DataError:
    """Return the sentence for a partition whose rows are not as many as what goes beside them."""
    return DataError(
        f"partition {k}: X has {ours} rows and {name} has {theirs}: inconsistent numbers of samples; partition k of both must "
        "hold the same rows."
    )


def _joined(part: Any, names: Sequence[str], columns: Sequence[Any], k: int) -> pa.Table:
    """Return partition ``k`` of a table with the columns that go beside it."""
    import numpy as np
    import pyarrow as pa

    table = table_of(part)
    for name, column in zip(names, columns, strict=True):
        values = np.asarray(column)
        if len(values) != table.num_rows:
            raise unequal(name, k, table.num_rows, len(values))
        values = values[:, None] if values.ndim == 1 else values
        for j, new in enumerate([name] if values.shape[1] == 1 else [f"{name}{j}" for j in range(values.shape[1])]):
            cells = values[:, j]
            table = table.append_column(new, pa.array(cells.tolist() if cells.dtype.kind in "OUT" else cells))
    return table


def _partition(payload: Any, fields: pa.Schema, k: int) -> FrameBatches | None:
    """Return one Dask partition where it was made; one whose columns or types differ is named."""
    table = conform(table_of(payload), fields, k)
    return FrameBatches(table, f"partition {k}") if table.num_rows else None


def table_of(part: Any) -> pa.Table:
    """Return a Dask partition, a frame or a block of an array, as an Arrow table."""
    if hasattr(part, "columns") or hasattr(part, "column_names"):
        return to_arrow(part)
    import numpy as np
    import pyarrow as pa

    block = np.asarray(part)
    return pa.table({f"x{j}": block[:, j] for j in range(block.shape[1])})


def _apply(part: Any, function: Callable[[pa.Table], Any], fields: pa.Schema | None, k: int) -> Any:
    table = table_of(part)
    return function(table if fields is None else conform(table, fields, k))


def conform(table: pa.Table, fields: pa.Schema, k: int) -> pa.Table:
    """Return the columns that ``fields`` names, with their types, of partition ``k``; what differs is named."""
    import pyarrow as pa

    if not table.num_rows:
        return fields.empty_table()
    there = [name for name in fields.names if name in table.column_names]
    known = agree([("the first partition", fields), (f"partition {k}", table.select(there).schema)], "partitions")
    arrays = [table.column(name) for name in known.names]  # where the types of numbers differ, float64 holds them all
    return pa.table([a if a.type == t else a.cast(t) for a, t in zip(arrays, known.types, strict=True)], schema=known)


def _rows_of(table: pa.Table) -> int:
    return int(table.num_rows)


def _first_rows(table: pa.Table) -> pa.Table:
    return table.slice(0, 256)


def _whole(table: pa.Table) -> pa.Table:
    return table
