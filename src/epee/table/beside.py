"""Columns that are held here beside the rows of a table that is read anew on each pass, each cell at the number of its row.

The table may be anywhere: what it can do (be read in parts by other processes, lie on a cluster) it can still do, and each part takes along
the cells of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from epee.errors import DataError
from epee.table.batches import Away, Batches, Divided
from epee.table.parts import Part

if TYPE_CHECKING:
    import pyarrow as pa


class BesideBatches:
    """The batches of a table with more columns, Arrow arrays with a cell for each row."""

    def __init__(self, batches: Batches, columns: Mapping[str, pa.Array]) -> None:
        import pyarrow as pa

        self.batches, self.columns = batches, dict(columns)
        self.label, self.notes, self.kinds = batches.label, list(batches.notes), batches.kinds
        self.n_rows: int | None = batches.n_rows
        self.fields = pa.schema([*batches.fields, *(pa.field(name, a.type) for name, a in self.columns.items())])

    def _own(self, columns: Sequence[str]) -> list[str]:
        """Return those of some columns that the table has; its first, so that rows can be counted, where it has none of them."""
        return [name for name in columns if name not in self.columns] or list(self.batches.fields.names[:1])

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns, those of the table and those beside it."""
        start = 0
        for batch in self.batches.read(self._own(columns), rows):
            yield joined(batch, columns, self.columns, start)
            start += batch.num_rows
        self.n_rows = start

    def where(self, row: int) -> str:
        """Return how to find a row again."""
        return self.batches.where(row)

    def fingerprint(self) -> str:
        """Return that of the table, from which the columns beside it are made."""
        return self.batches.fingerprint()


class BesideParts(BesideBatches):
    """The same of a table of which other processes can read parts by themselves."""

    def parts(self, wanted: int, columns: Sequence[str], numbered: bool) -> Iterator[Part]:
        """Yield parts that take their cells along; for that they are numbered."""
        own = self._own(columns)
        for piece in cast(Divided, self.batches).parts(wanted, own, True):
            mine = {name: self.columns[name].slice(piece.start, piece.rows) for name in columns if name in self.columns}
            yield piece.then(partial(_placed, mine=mine))


class BesideAway(BesideParts):
    """The same of a table whose rows lie on a cluster."""

    def __init__(self, batches: Any, columns: Mapping[str, pa.Array]) -> None:
        super().__init__(batches, columns)
        self.home: str = batches.home
        self.head = batches.head
        for name, array in self.columns.items():
            self.head = self.head.append_column(name, array.slice(0, self.head.num_rows))

    def lengths(self) -> list[int]:
        """Return how many rows each partition has."""
        return cast(Away, self.batches).lengths()

    def each(self, function: Callable[[pa.Table], Any], columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield a function of each partition, found there where it needs no column from here."""
        names = self.fields.names if columns is None else list(columns)
        away = cast(Away, self.batches)
        if not any(name in self.columns for name in names):
            yield from away.each(function, names)
            return
        import pyarrow as pa

        start = 0
        for table in away.each(_whole, self._own(names)):
            batch = pa.RecordBatch.from_arrays(
                [column.combine_chunks() for column in table.columns], names=table.column_names
            )
            yield function(pa.Table.from_batches([joined(batch, names, self.columns, start)]))
            start += table.num_rows


def beside(batches: Batches, columns: Mapping[str, pa.Array]) -> Batches:
    """Return the batches of a table with more columns beside it.

    >>> import pyarrow as pa
    >>> from epee.table.frames import FrameBatches
    >>> both = beside(FrameBatches(pa.table({"a": [1, 2, 3]})), {"b": pa.array([4.0, 5.0, 6.0])})
    >>> [batch.to_pydict() for batch in both.read(["b", "a"], 2)]
    [{'b': [4.0, 5.0], 'a': [1, 2]}, {'b': [6.0], 'a': [3]}]
    """
    make = BesideAway if isinstance(batches, Away) else BesideParts if isinstance(batches, Divided) else BesideBatches
    return make(batches, columns)


def joined(batch: pa.RecordBatch, columns: Sequence[str], beside: Mapping[str, pa.Array], start: int) -> pa.RecordBatch:
    """Return some columns of a batch whose first row is ``start``, with those held beside the table."""
    import pyarrow as pa

    arrays = []
    for name in columns:
        array = beside[name].slice(start, batch.num_rows) if name in beside else batch.column(name)
        if len(array) != batch.num_rows:
            raise DataError("the table has more rows than when it was read before; start again.")
        arrays.append(array)
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def _placed(batches: Batches | None, mine: dict[str, pa.Array]) -> Batches | None:
    """Return a part of the table with the cells of its rows."""
    return None if batches is None else BesideBatches(batches, mine)


def _whole(table: pa.Table) -> pa.Table:
    return table
