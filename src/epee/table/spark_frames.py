"""Spark data frames as batches: rows are made, counted and reduced on the executors, a partition each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from epee.errors import DataError, EmptyTable, WrongUse
from epee.table.changes import CHANGED
from epee.table.parts import Part
from epee.table.raw import kind_of_type
from epee.table.schema import refuse_duplicates
from epee.table.spark_jobs import answers, brought, context_of, one_by_one, watched
from epee.table.spark_order import Order, order_holds, order_of, plan_of, refuse_unordered
from epee.table.spark_types import arrow_type, quoted

if TYPE_CHECKING:
    import pyarrow as pa

HEAD = 256  # first rows
STRETCH = 1 << 18  # rows of a partition that are looked at together
GUESSED = 64  # partitions, where nobody has counted them
AT_ONCE = 20_000_000  # cells that come here by one job; more come a partition at a time


@dataclass(frozen=True)
class Partition:
    """What stands for the rows of partition ``k`` of ``n`` of a frame, or of each of them where ``k`` is None."""

    frame: Any
    k: int | None
    n: int

    def __reduce__(self) -> Any:
        raise WrongUse("only Spark can add the rows of a Spark frame: leave engine(...) out, or write them to Parquet.")


class SparkBatches:
    """A Spark data frame, classic or of Spark Connect; the Spark engine adds it where it lies.

    Rows are numbered in the order of the partitions, in which Spark would collect them; where that order does not hold
    from one pass to the next, :mod:`epee.table.spark_order` says what to sort by, once somebody needs the numbers.
    """

    home = "spark"

    def __init__(self, X: Any) -> None:
        self.label = "the Spark frame"
        self.notes: list[str] = []
        self.kinds: Mapping[str, str] = {}
        self.n_rows: int | None = None
        self._lengths: list[int] | None = None
        self._X = X
        if X.isStreaming:
            raise DataError(
                "the Spark frame is a stream, which cannot be read twice: write it to a table and read that."
            )
        refuse_duplicates(X.columns)
        self.head = head_of(X)
        self.fields: pa.Schema = self.head.schema

    def selected(self, columns: Sequence[str] | None = None) -> Any:
        """Return the frame of these columns."""
        if columns is None or list(columns) == self._X.columns:  # each plan less is some ten milliseconds
            return self._X
        return self._X.select(*map(quoted, columns))

    @cached_property
    def n_partitions(self) -> int:
        """How many partitions there are; behind a shuffle, or in a Connect session, only a guess, which shapes the tree of merges."""
        if self._lengths is not None:
            return len(self._lengths)
        if context_of(self._X.sparkSession) is None or self.order.shuffle is not None:
            return GUESSED
        return int(self._X.rdd.getNumPartitions())

    @cached_property
    def order(self) -> Order:
        """In which order the rows come, as the plan says."""
        return order_of(plan_of(self._X))

    @property
    def in_order(self) -> bool:
        """Tell whether rows have the same numbers at each pass."""
        return order_holds(self.order, self._X.columns)

    def answering(self, function: Callable[[int, Iterator[pa.RecordBatch]], Any], columns: Sequence[str] | None) -> Any:
        """Return the frame, still to be made, of a function of the rows of each partition."""
        return answers(self.selected(columns), function)

    @contextmanager
    def kept(self, columns: Sequence[str]) -> Iterator[SparkBatches]:
        """Keep these columns on the executors, as a pass reads them, unless the session is one of Spark Connect.

        See :mod:`epee.table.spark_kept`.
        """
        from epee.table.spark_kept import KeptBatches

        if context_of(self._X.sparkSession) is None:
            yield self
            return
        batches = KeptBatches(self, columns)
        try:
            yield batches if batches.fit_in() else self
        finally:
            batches.forget()

    def each(self, function: Callable[[pa.Table], Any], columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield a function of stretches of rows, found where they lie; only its result comes here."""
        for _, found in brought(self.answering(partial(_stretches, function=function), columns)):
            yield from found

    def lengths(self) -> list[int]:
        """Return how many rows each partition has; takes a pass when nobody has counted."""
        if self._lengths is None:
            order = self.order
            refuse_unordered(order, self._X.columns)
            keys = order.keys if order.shuffle and set(order.keys or ()) < set(self._X.columns) else None
            found = dict(brought(self.answering(partial(_rows_of, keys=keys), keys or self._X.columns[:1])))
            self._lengths = [found.get(k, 0) for k in range(max(found) + 1)]
            self.n_rows = sum(self._lengths)
        return self._lengths

    def parts(self, wanted: int, columns: Sequence[str], numbered: bool) -> Iterator[Part]:
        """Hand over the partitions as they are, to be made where they are used; as one part where none needs to be told apart."""
        fields = self.fields.empty_table().select(list(columns)).schema
        frame = self.selected(columns)
        if not numbered:
            yield Part(
                Partition(frame, None, self.n_partitions), partial(self.arriving, fields=fields), "the Spark frame"
            )
            return
        start = 0
        lengths = self.lengths()
        for k, rows in enumerate(lengths):
            build = partial(self.arriving, fields=fields, expected=rows)
            yield Part(Partition(frame, k, len(lengths)), build, f"partition {k}", start, rows)
            start += rows

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns: of a small table by one job, of a larger one a partition at a time."""
        n = sum(self.lengths())
        frame = self.answering(_whole, columns)
        found = brought(frame) if n * len(columns) <= AT_ONCE else one_by_one(frame)
        seen = 0
        for _, data in found:
            table = table_in(data)
            seen += table.num_rows
            yield from table.to_batches(rows)
        if seen != n:
            raise DataError(CHANGED)

    @staticmethod
    def arriving(batches: Iterator[pa.RecordBatch], fields: pa.Schema, expected: int | None = None) -> Stream | None:
        """Return the rows of a partition that are arriving; None where there are none."""
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            if expected:
                raise DataError(CHANGED)
            return None
        return Stream(chain([first], batches), fields, expected)

    def where(self, row: int) -> str:
        """Return the number of the row."""
        return f"row {row}"

    def fingerprint(self) -> str:
        """Return a hash of the columns, of how many rows there are and of the first ones."""
        h = hashlib.blake2b(digest_size=16)
        h.update(f"{self.fields}{self.lengths()}{self.head.to_pydict()}".encode())
        return h.hexdigest()


class Stream:
    """Batches that pass once: the rows of a partition, as the task that reduces them is handed them."""

    def __init__(self, batches: Iterator[pa.RecordBatch], fields: pa.Schema, expected: int | None) -> None:
        self.label, self.fields, self.n_rows = "the partition", fields, expected
        self.notes: list[str] = []
        self.kinds: Mapping[str, str] = {}
        self._batches: Iterator[pa.RecordBatch] | None = batches

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns, once."""
        assert self._batches is not None, "the rows of a partition pass once"
        batches, self._batches = self._batches, None
        seen = 0
        for batch in batches:
            seen += batch.num_rows
            yield batch.select(list(columns))
        if self.n_rows is not None and seen != self.n_rows:
            raise DataError(CHANGED)

    def where(self, row: int) -> str:
        """Return the number of the row."""
        return f"row {row} of the partition"

    def fingerprint(self) -> str:
        """Return nothing: nobody asks it of a part."""
        return ""


def head_of(frame: Any) -> pa.Table:
    """Return the first 256 rows of a frame by Java alone: a Python worker that is told to stop early is lost with all it has loaded.

    Cells that are no cells (lists, structures, vectors) keep their type and stay empty.
    """
    import pyarrow as pa

    kinds = {field.name: arrow_type(field.dataType) for field in frame.schema.fields}
    cells = {name: t for name, t in kinds.items() if kind_of_type(t) is not None}
    asked = [f"unix_micros({quoted(n)}) AS {quoted(n)}" if _zoned(t) else quoted(n) for n, t in cells.items()]
    plain = list(map(quoted, kinds)) == asked
    few = watched(frame.sparkSession, (frame if plain else frame.selectExpr(*(asked or ["1 AS nothing"]))).head, HEAD)
    if not few:
        raise EmptyTable("the Spark frame has no rows: Found array with 0 sample(s), and a minimum of 1 is required.")
    columns = {
        name: pa.array([row[name] for row in few], pa.int64() if _zoned(t) else t).cast(t) if name in cells else pa.nulls(len(few), t)
        for name, t in kinds.items()
    }  # fmt: skip
    return pa.table(columns)


def _zoned(t: pa.DataType) -> bool:
    """Tell a moment of time: as an object of Python it would be in the zone of this machine."""
    import pyarrow.types as is_

    return bool(is_.is_timestamp(t) and t.tz is not None)


def _stretches(k: int, batches: Iterator[pa.RecordBatch], function: Callable[[pa.Table], Any]) -> list[Any]:
    """Return a function of each stretch of the rows of a partition."""
    import pyarrow as pa

    found, held, rows = [], [], 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= STRETCH:
            found.append(function(pa.Table.from_batches(held)))
            held, rows = [], 0
    if rows:
        found.append(function(pa.Table.from_batches(held)))
    return found


def _rows_of(k: int, batches: Iterator[pa.RecordBatch], keys: Sequence[str] | None) -> int:
    """Count the rows of a partition; where they were sorted, see that their keys tell them apart."""
    rows, last = 0, None
    for batch in batches:
        if keys and batch.num_rows:
            _refuse_ties(batch, last, keys, k, rows)
            last = batch.slice(batch.num_rows - 1)
        rows += batch.num_rows
    return rows


def _refuse_ties(batch: pa.RecordBatch, last: pa.RecordBatch | None, keys: Sequence[str], k: int, start: int) -> None:
    """Name the first two successive rows with the same keys."""
    import numpy as np
    import pyarrow as pa

    table = pa.Table.from_batches([batch] if last is None else [last, batch])
    same = np.ones(max(table.num_rows - 1, 0), dtype=bool)
    for name in keys:
        codes = table.column(name).combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
        same &= codes[1:] == codes[:-1]
    if same.any():
        row = start + int(np.flatnonzero(same)[0]) - (last is not None)
        by = ", ".join(map(repr, keys))
        raise DataError(
            f"partition {k}: rows {row} and {row + 1} have the same {by}, so the order of the Spark frame does not hold: sort by more "
            "columns."
        )


def _whole(k: int, batches: Iterator[pa.RecordBatch]) -> bytes:
    return bytes_of(list(batches))


def bytes_of(batches: Sequence[pa.RecordBatch]) -> bytes:
    """Return batches as they are written to an Arrow stream."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    if batches:
        with pa.ipc.new_stream(sink, batches[0].schema) as stream:
            for batch in batches:
                stream.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def table_in(data: bytes) -> pa.Table:
    """Return the table in the bytes of an Arrow stream."""
    import pyarrow as pa

    return pa.ipc.open_stream(data).read_all().replace_schema_metadata(None) if data else pa.table({})
