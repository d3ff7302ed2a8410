"""Rows of a Spark frame kept on the executors as they are read: what a method of many passes begins with.

Spark keeps a persisted frame cell by cell and writes it out as Arrow batches anew at each pass, which costs more than most passes do with
the rows; a frame that nobody persisted is computed anew as well. So each partition is written once, as a few Arrow streams of some
megabytes, and a later pass only copies them. They lie in Spark's storage, in memory and, what does not fit, on disk; those of an
executor that is lost are made again from the frame; all are let go when the method ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from epee.table.block import rows_for
from epee.table.spark_frames import SparkBatches, Stream, bytes_of
from epee.table.spark_jobs import Lines, answers, in_arrow, watched

if TYPE_CHECKING:
    import pyarrow as pa

CELL_BYTES = 8 << 20  # about so many in one binary cell
MOST_BYTES = 4 << 30  # in one partition; larger ones are read from the frame at each pass
SCHEMA = "k long, n long, rows binary"


class KeptBatches(SparkBatches):
    """Some columns of a Spark frame, kept from the first pass on, :meth:`fit_in`, until they are let go, :meth:`forget`."""

    def __init__(self, whole: SparkBatches, columns: Sequence[str]) -> None:
        from pyspark import StorageLevel

        self.__dict__.update(whole.__dict__)
        self._whole = whole
        session = self._X.sparkSession
        written = in_arrow(whole.selected(columns), _pack, SCHEMA)
        kept = written.rdd.map(lambda line: (line.k, line.n, bytes(line.rows)))  # bytes: what Python reads fastest
        self._rows = Lines(session, kept.persist(StorageLevel.MEMORY_AND_DISK_DESER))

    def fit_in(self) -> bool:
        """Let the executors make the rows, count them, and tell whether no partition is too large to be kept."""
        found: dict[int, list[int]] = {}
        sizes = self._rows.rdd.map(lambda line: (*line[:2], len(line[2])))
        for k, n, size in watched(self._rows.sparkSession, sizes.collect):
            counted = found.setdefault(k, [0, 0])
            counted[0] += n
            counted[1] += size
        self._counts = [found[k][0] for k in sorted(found)]
        self.n_rows, self.n_partitions = sum(self._counts), len(self._counts)
        return max(size for _, size in found.values()) <= MOST_BYTES

    @contextmanager
    def kept(self, columns: Sequence[str]) -> Iterator[SparkBatches]:
        """Return what is kept already."""
        yield self

    def selected(self, columns: Sequence[str] | None = None) -> Any:
        """Return what is kept, whatever the columns."""
        return self._rows

    def answering(self, function: Callable[[int, Iterator[pa.RecordBatch]], Any], columns: Sequence[str] | None) -> Any:
        """Return the answers, still to be made, of a function of the rows of each partition."""
        return answers(self._rows, partial(_of_kept, function=function, columns=columns))

    def lengths(self) -> list[int]:
        """Return how many rows each partition has, which is known; rows that were sorted are asked whether they are told apart."""
        if self._lengths is None:
            self._lengths = self._counts if self._whole.order.shuffle is None else self._whole.lengths()
        return self._counts

    @staticmethod
    def arriving(batches: Iterator[pa.RecordBatch], fields: pa.Schema, expected: int | None = None) -> Stream | None:
        """Return the rows of a partition that are arriving; None where there are none."""
        return SparkBatches.arriving(_unpacked(batches, fields.names), fields, expected)

    def forget(self) -> None:
        """Let the executors forget the rows."""
        with suppress(Exception):  # the driver may be gone, and the rows with it
            self._rows.rdd.unpersist()


def _pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Write the rows of a partition as Arrow streams of some whole blocks each; one without rows says so."""
    from pyspark import TaskContext

    k, held, n, most = TaskContext.get().partitionId(), list[Any](), 0, 0
    empty = True
    for batch in batches:
        step = rows_for(batch.num_columns)
        most = most or step * max(1, CELL_BYTES // (step * max(1, batch.nbytes // max(1, batch.num_rows))))
        while n + batch.num_rows >= most:
            yield _cell(k, [*held, batch.slice(0, most - n)])
            batch, held, n, empty = batch.slice(most - n), [], 0, False
        if batch.num_rows:
            held.append(batch)
            n += batch.num_rows
    if n or empty:
        yield _cell(k, held)


def _cell(k: int, held: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Return the line that holds these rows."""
    import pyarrow as pa

    together = pa.Table.from_batches(held).combine_chunks().to_batches() if held else []
    n = sum(batch.num_rows for batch in together)
    lines = [pa.array([k], pa.int64()), pa.array([n], pa.int64()), pa.array([bytes_of(together)], pa.binary())]
    return pa.record_batch(lines, names=["k", "n", "rows"])


def _unpacked(lines: Iterator[Any], columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    """Yield the rows that the lines of a partition hold, without copying them."""
    import pyarrow as pa

    for _, n, data in lines:
        if n:
            for rows in pa.ipc.open_stream(pa.py_buffer(data)):
                yield rows if columns is None else rows.select(list(columns))


def _of_kept(k: int, lines: Iterator[Any], function: Any, columns: Sequence[str] | None) -> Any:
    return function(k, _unpacked(lines, columns))
