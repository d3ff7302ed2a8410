"""Tables that pass by once: Arrow's readers, and iterators of frames (``pandas.read_csv(..., chunksize=...)``, a generator of batches).

A source is read again and again, so a stream is first copied to a temporary file, batch by batch: memory holds one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from epee.errors import DataError, EmptyTable, WrongUse
from epee.table.frames import is_frame, to_arrow
from epee.table.parquet import ParquetBatches
from epee.table.spool import Spool

if TYPE_CHECKING:
    import pyarrow as pa


class StreamBatches(ParquetBatches):
    """The copy of a stream; it disappears with the object."""

    def __init__(self, X: Any, label: str = "the stream") -> None:
        parts = iter(X)
        first = next(parts, None)
        if first is None:
            raise EmptyTable(f"{label} has no rows: Found array with 0 sample(s), and a minimum of 1 is required.")
        if not is_frame(first):
            raise WrongUse(f"{label} gives a {type(first).__name__}: it must give frames of pandas, polars or Arrow.")
        head = _plain(to_arrow(first))
        self.spool = Spool(".parquet").write(head.schema, _agreeing(chain([head], parts), head.schema, label), label)
        super().__init__([self.spool.path], label)


def _agreeing(parts: Iterator[Any], fields: pa.Schema, label: str) -> Iterator[pa.RecordBatch]:
    """Yield the batches of frames as the first has its columns, or refuse one that has others."""
    import pyarrow as pa

    for number, part in enumerate(parts, 1):
        table = to_arrow(part)
        gone = [name for name in fields.names if name not in table.column_names]
        if gone or table.num_columns > len(fields):
            other = gone or [name for name in table.column_names if name not in fields.names]
            raise DataError(f"{label}: part {number} and part 1 do not both have column {other[0]!r}.")
        table = table.select(fields.names)
        try:
            table = table.cast(fields)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as fault:
            raise _other_type(table, fields, f"part {number}", label) from fault
        yield from table.to_batches()


def _other_type(table: pa.Table, fields: pa.Schema, part: str, label: str) -> DataError:
    """Return the sentence about a column that cannot be read as in the first part."""
    import pyarrow as pa

    for field in fields:
        column = table.column(field.name)
        try:
            column.cast(field.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            break
    return DataError(
        f"{label}: column {field.name!r} is {column.type} in {part} and {field.type} in part 1; make them one type."
    )


def _plain(table: pa.Table) -> pa.Table:
    """Return a table whose categories are texts: another part may have other ones."""
    import pyarrow as pa

    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
