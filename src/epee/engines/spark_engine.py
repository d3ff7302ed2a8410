"""The Spark engine: the same map and merge on executors.

Each partition of a frame is reduced by one task to one moment, eight moments at a time are merged by the tasks of the next stage,
and so on; what is left is merged here. Only moments come back, and of an iterative method only its parameters go the other way.
A task is a pure function of its partition and answers with its number, and answers are merged in the order of the
numbers: an attempt that is lost is done again and changes no digit, and of two attempts Spark hands on one, so no row counts twice.

Files that the executors can read are cut into parts as for any other engine, one a task.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from epee.engines.engine import map_part, merge_parts, parts_for, parts_of, reduce_part, total_of
from epee.engines.local import one_blas_thread
from epee.errors import EngineLost, TooLarge, WrongUse
from epee.table.block import Readable
from epee.table.parts import TRAVEL_BYTES, Part
from epee.table.spark_frames import Partition
from epee.table.spark_jobs import (
    TIMEOUT,
    answer,
    answers,
    attempt,
    brought,
    by_groups,
    context_of,
    in_arrow,
    one_by_one,
    packed,
    takes_calls,
    unpacked,
)

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
FAN = 8  # moments merged at once
FEW = 2 * FAN  # moments that are merged here
LIGHT = 1 << 20  # bytes of parts that go along with the function
HEAVY = 64 << 20  # bytes of parts in one broadcast, of rows in one job
CONNECT_MOST = 100 << 20  # bytes of parts that a Connect session takes
ROWS_AT_ONCE = 20_000_000  # of which what is found comes by one job; of more, a partition at a time


class SparkEngine:
    """Map and merge on the executors of a Spark session.

    Parameters
    ----------
    session : pyspark.sql.SparkSession, optional
        For what is no Spark frame, which has its own; by default the active one, or one on this machine.
    timeout : float, default=120
        Seconds without a sign of an executor after which a pass is given up.
    """

    name = "spark"

    def __init__(self, session: Any = None, *, timeout: float = TIMEOUT) -> None:
        self._session, self.timeout = session, timeout

    @property
    def session(self) -> Any:
        """The session for what is no Spark frame."""
        if self._session is None:
            self._session = find_session()
        return self._session

    def reduce(
        self,
        source: Readable,
        work: Callable[[Any], T],
        *,
        merge: Callable[[T, T], T] = operator.add,
        rows: int | None = None,
    ) -> T:
        """Return the merged results of ``work(block)`` over all blocks of all partitions."""
        parts = parts_of(self, source, self._wanted(source), rows, work)
        merged = None
        for job in self._jobs(parts, _reduced, work, merge, rows):
            made, n = job.frame(), job.n_answers()
            while n > FEW:
                made, n = by_groups(made, n, FAN, partial(_merged, merge=merge)), -(-n // FAN)
            answered, found = _merged([each for _, each in brought(made, self.timeout)], merge)
            job.check(answered)
            merged = merge_parts([merged, found], merge)
            job.forget()
        total: T = total_of(merged)
        return total

    def map(self, source: Readable, work: Callable[[Any], T], *, rows: int | None = None) -> Iterator[T]:
        """Yield ``work(block)`` in the order of the rows."""
        for job in self._jobs(parts_of(self, source, self._wanted(source), rows), map_part, work, rows):
            large = job.rows > ROWS_AT_ONCE
            for _, blocks in one_by_one(job.frame()) if large else brought(job.frame(), self.timeout):
                yield from blocks
            job.forget()

    def _wanted(self, source: Readable) -> int:
        """Return how many parts to make of what is no Spark frame."""
        if getattr(source, "home", "local") == "spark":
            return 1
        context = context_of(self.session)
        return parts_for(32 if context is None else context.defaultParallelism)

    def _jobs(self, parts: Iterator[Part], function: Any, *rest: Any) -> Iterator[Job]:
        """Yield the jobs that do all parts: one, but for rows that are read here and travel, of which a few are under way at once."""
        held: list[Part] = []
        size = 0
        for part in parts:
            held.append(part)
            if part.heavy:
                size += TRAVEL_BYTES
                if size >= HEAVY:
                    yield self._job(held, function, rest)
                    held, size = [], 0
        if held:
            yield self._job(held, function, rest)

    def _job(self, parts: list[Part], function: Any, rest: tuple[Any, ...]) -> Job:
        first = parts[0].payload
        session = first.frame.sparkSession if isinstance(first, Partition) else self.session
        return Job(session, parts, function, rest)


@dataclass(eq=False)
class Job:
    """A function of some parts, as one job of Spark."""

    session: Any
    parts: list[Part]
    function: Any
    rest: tuple[Any, ...]
    _broadcasts: list[Any] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many rows there are, as far as that is known."""
        return sum(part.rows or 0 for part in self.parts)

    @property
    def _lying(self) -> Partition | None:
        """The first partition, where the parts are those of a Spark frame."""
        first = self.parts[0].payload
        return first if isinstance(first, Partition) else None

    def n_answers(self) -> int:
        """Return how many answers there will be, as far as the plan tells."""
        if self._lying is None or self._lying.k is not None:
            return len(self.parts)
        return self._lying.n

    def frame(self) -> Any:
        """Return the frame of answers, still to be made."""
        carried, function, rest = self._carried(), self.function, self.rest
        if self._lying is not None:
            return answers(self._lying.frame, lambda k, batches: _done(carried.of(k), batches, function, rest))

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for k in batch.column(0).to_pylist():
                    yield answer(k, attempt(lambda k=k: _done(carried.of(k), None, function, rest)))

        n = len(self.parts)
        return in_arrow(self.session.range(0, n, 1, n), task)

    def check(self, answered: int) -> None:
        """See that every part answered."""
        alike = self._lying is not None and self._lying.k is None
        if not alike and answered != len(self.parts):
            raise EngineLost(f"{answered} of {len(self.parts)} partitions answered: {OTHERS}")

    def forget(self) -> None:
        """Let the executors forget what was sent to them."""
        for sent in self._broadcasts:
            sent.destroy()
        self._broadcasts.clear()

    def _carried(self) -> Carried:
        """Return the parts as they travel: with the function where they are light, else by broadcasts that hold some of them each."""
        if self._lying is not None and self._lying.k is None:
            return Carried([packed((None, self.parts[0].build, 0, ""))], [], one=True)
        each = [packed((None if self._lying is not None else p.payload, p.build, p.start, p.label)) for p in self.parts]
        size, context = sum(map(len, each)), context_of(self.session)
        if size <= LIGHT or (context is None and size <= CONNECT_MOST):
            return Carried(each, [])
        if context is None:
            raise TooLarge(
                f"what the parts must know of their rows is {size >> 20} MB, more than Spark Connect takes: use a classic session for "
                "this table."
            )
        groups: list[list[bytes]] = [[]]
        for data in each:
            if sum(map(len, groups[-1])) + len(data) > HEAVY and groups[-1]:
                groups.append([])
            groups[-1].append(data)
        self._broadcasts = [context.broadcast(group) for group in groups]
        return Carried([], [(len(group), sent) for group, sent in zip(groups, self._broadcasts, strict=True)])


OTHERS = "the partitions of the Spark frame are not the same at each pass; keep it, df.persist()."


@dataclass(frozen=True, eq=False)
class Carried:
    """Parts that travel: bytes of each, or broadcasts that hold so many of them each; one for all where they are alike."""

    each: list[bytes]
    sent: list[tuple[int, Any]]
    one: bool = False

    def of(self, k: int) -> Any:
        """Return payload, build, start and label of part ``k``."""
        if self.one:
            payload, build, start, _ = unpacked(self.each[0])
            return payload, build, start, f"partition {k}"
        here = k
        for size, sent in self.sent:
            if here < size:
                return unpacked(sent.value[here])
            here -= size
        if not 0 <= here < len(self.each):
            raise EngineLost(f"partition {k} is new: {OTHERS}")
        return unpacked(self.each[here])


def _done(part: Any, batches: Any, function: Any, rest: tuple[Any, ...]) -> Any:
    """Do a function of a part on an executor."""
    payload, build, start, label = part
    with one_blas_thread():
        return function(payload if batches is None else batches, build, *rest, start, label)


def _reduced(*part: Any) -> tuple[int, Any]:
    """Reduce one part; and say that it is one."""
    return 1, reduce_part(*part)


def _merged(found: list[tuple[int, Any]], merge: Any) -> tuple[int, Any]:
    """Merge what some parts were reduced to, and count them."""
    return sum(n for n, _ in found), merge_parts([each for _, each in found], merge)


def find_session() -> Any:
    """Return the active Spark session, or one on this machine."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return SparkSession.getActiveSession() or SparkSession.builder.appName("epee").getOrCreate()


def connect(address: str) -> Any:
    """Return a session of the Spark master or of the Spark Connect server at an address, ``spark://host:port`` or ``sc://host:port``."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    scheme, _, rest = address.partition("://")
    places = [each if ":" in each else f"{each}:15002" for each in rest.partition("/")[0].split(",")]
    nobody = f"no Spark answers at {address!r}: start one there, or correct the address."
    if not any(takes_calls(place, timeout=10.0) for place in places):
        raise WrongUse(nobody)
    try:
        return (SparkSession.builder.remote if scheme == "sc" else SparkSession.builder.master)(address).getOrCreate()
    except (PySparkException, OSError) as fault:
        raise WrongUse(nobody) from fault
