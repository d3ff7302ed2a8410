"""Jobs of Spark: a function of each partition of a frame, done where the partition lies; only what it found comes back.

The function gets the number of the partition and its rows as Arrow batches, and what it returns travels as bytes in a frame with one
row a partition. A fault of the data is such an answer, too: it comes back at once, with its partition, and is raised here. A
fault of the machine (a disk, the memory) is raised there, so that Spark tries again elsewhere.
"""

from __future__ import annotations

import re
import socket
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

from epee.errors import DataError, EngineLost
from epee.settings import progress

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
FOUND = "k long, found binary"  # the frame of what was found: the number of the partition, and its answer
TIMEOUT = 120.0  # seconds without a sign of an executor after which a pass is given up
OF_THE_MACHINE = (OSError, MemoryError, EOFError)  # faults that another attempt may not meet
GONE = "the driver of Spark is gone, and the pass with it: start the session again."


class Failed:
    """The answer of a partition that could not be done."""

    def __init__(self, fault: Exception) -> None:
        try:
            unpacked(packed(fault))
            self.fault = fault
        except Exception:  # noqa: BLE001  # whatever its kind does when it travels, its sentence can
            self.fault = EngineLost(f"{type(fault).__name__}: {fault}")


def packed(found: Any) -> bytes:
    """Return an object as bytes that travel; functions of a script may be among them."""
    from pyspark import cloudpickle

    data: bytes = cloudpickle.dumps(found)
    return data


def unpacked(data: Any) -> Any:
    """Return the object that travelled."""
    import pickle

    return pickle.loads(bytes(data))


class Answer(NamedTuple):
    """What partition ``k`` was reduced to, as bytes."""

    k: int
    found: bytes


@dataclass(frozen=True, eq=False)
class Lines:
    """What is not a frame but partitions of Python objects: kept rows, and the answers to passes over them.

    No plan has to be made of them, and nothing turned into cells: a job costs half of one on a frame.
    """

    sparkSession: Any  # as frames call it
    rdd: Any

    def collect(self) -> list[Answer]:
        """Bring all here."""
        found: list[Answer] = self.rdd.collect()
        return found

    def toLocalIterator(self, prefetchPartitions: bool = False) -> Iterator[Answer]:
        """Bring them here a partition at a time."""
        yield from self.rdd.toLocalIterator(prefetchPartitions)


def answers(frame: Any, function: Callable[[int, Iterator[Any]], Any]) -> Any:
    """Return the frame, still to be made, of ``function(k, batches)`` for each partition ``k``; see ``FOUND``."""
    if isinstance(frame, Lines):

        def one(k: int, lines: Iterator[Any]) -> Iterator[Answer]:
            found = attempt(lambda: function(k, lines))
            for _ in lines:
                pass
            yield Answer(k, packed(found))

        return Lines(frame.sparkSession, frame.rdd.mapPartitionsWithIndex(one))

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        k = TaskContext.get().partitionId()
        found = attempt(lambda: function(k, batches))
        for _ in batches:  # a worker that leaves rows unread is thrown away
            pass
        yield answer(k, found)

    return in_arrow(frame, task)


def in_arrow(
    frame: Any, task: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]], schema: Any = FOUND
) -> Any:
    """Return the frame, still to be made, of what a task makes of the batches of each partition."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")  # none is made here
        return frame.mapInArrow(task, schema)


def by_groups(made: Any, n: int, size: int, function: Callable[[list[Any]], Any]) -> Any:
    """Return the frame of a function of each ``size`` successive answers of ``n``, each group done by one task."""

    def groups(lines: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        found: dict[int, list[tuple[int, Any]]] = {}
        for k, data in lines:
            found.setdefault(k // size, []).append((k, unpacked(data)))
        for k, some in sorted(found.items()):
            each = [part for _, part in sorted(some, key=lambda pair: pair[0])]
            failed = next((part for part in each if isinstance(part, Failed)), None)
            yield k, failed or attempt(lambda each=each: function(each))

    if isinstance(made, Lines):
        keyed = made.rdd.map(lambda each: (each.k // size, each)).partitionBy(-(-n // size), int)
        grouped = keyed.mapPartitions(
            lambda pairs: (Answer(k, packed(f)) for k, f in groups(each for _, each in pairs))
        )
        return Lines(made.sparkSession, grouped)

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        lines = (
            (k, d)
            for b in batches
            for k, d in zip(b.column("k").to_pylist(), b.column("found").to_pylist(), strict=True)
        )
        for k, found in groups(lines):
            yield answer(k, found)

    return in_arrow(made.selectExpr("k", "found", f"k div {size} AS g").repartition("g"), task)


def attempt(work: Callable[[], Any]) -> Any:
    """Return what a work finds, or that it failed; a fault of the machine is raised for Spark to try again."""
    try:
        return work()
    except OF_THE_MACHINE:
        raise
    except Exception as fault:  # noqa: BLE001  # it is raised where the user is
        return Failed(fault)


def answer(k: int, found: Any) -> pa.RecordBatch:
    """Return one row of a frame of answers."""
    import pyarrow as pa

    return pa.record_batch([pa.array([k], pa.int64()), pa.array([packed(found)], pa.binary())], names=["k", "found"])


def opened(rows: Iterable[Any]) -> list[tuple[int, Any]]:
    """Return the answers by number, or raise the fault of the first partition that failed."""
    found = sorted(((int(row.k), unpacked(row.found)) for row in rows), key=lambda pair: pair[0])
    for _, each in found:
        if isinstance(each, Failed):
            raise each.fault
    return found


def brought(frame: Any, timeout: float = TIMEOUT) -> list[tuple[int, Any]]:
    """Return the answers in a frame, by number of the partition."""
    return opened(watched(frame.sparkSession, frame.collect, timeout=timeout))


def one_by_one(frame: Any) -> Iterator[tuple[int, Any]]:
    """Yield the answers in a frame in order, a partition at a time: for those that together are large."""
    rows = frame.toLocalIterator(prefetchPartitions=True)
    while True:
        try:
            row = next(rows, None)
        except Exception as fault:
            raise told(fault) from fault
        if row is None:
            return
        yield from opened([row])


def context_of(session: Any) -> Any:
    """Return the Spark context of a classic session, None for Spark Connect."""
    return None if "connect" in type(session).__module__ else session.sparkContext


def watched(session: Any, action: Callable[..., T], *given: Any, timeout: float = TIMEOUT) -> T:
    """Return what an action of Spark returns; give it up when no executor has worked for too long, or when it is interrupted."""
    from pyspark import InheritableThread

    context, group = context_of(session), f"epee-{uuid4().hex[:12]}"
    said: dict[str, Any] = {}

    def work() -> None:
        try:
            if context is not None:
                context.setJobGroup(group, "épée: a pass over the rows", interruptOnCancel=True)
            said["found"] = action(*given)
        except Exception as fault:  # noqa: BLE001  # raised in the thread that waits
            said["fault"] = fault

    thread = (Thread if context is None else InheritableThread)(
        target=work
    )  # a classic one takes the user's job settings along
    thread.daemon = True  # a driver that is gone may never answer it
    thread.start()
    thread.join(0.5)
    try:
        with progress("passing over the partitions") as tick:
            seen, quiet_since = 0, None
            while thread.is_alive():
                working, finished = signs(session, context, group)
                tick(max(0, finished - seen))
                quiet_since = None if working or finished > seen else quiet_since or time.monotonic()
                seen = max(seen, finished)
                if quiet_since is not None and time.monotonic() - quiet_since > timeout:
                    raise EngineLost(
                        f"no executor of Spark has worked for {timeout:g} s: the pass was given up. See whether the cluster has any left."
                    )
                thread.join(0.5)
    except BaseException:
        _cancel(context, group)
        raise
    if "found" not in said:
        fault = said.get("fault", EngineLost(GONE))
        raise told(fault) from fault
    found: T = said["found"]
    return found


def _cancel(context: Any, group: str) -> None:
    try:
        if context is not None:
            context.cancelJobGroup(group)
    except Exception:  # noqa: BLE001  # the driver is gone: there is nothing left to stop
        pass


def signs(session: Any, context: Any, group: str) -> tuple[bool, int]:
    """Return whether anybody seems to be at work on a group of jobs, and how many tasks are finished."""
    if context is None:  # a server that is gone is asked again for ten minutes, so one must look oneself
        endpoint = getattr(getattr(session.client, "_builder", None), "endpoint", None)
        return endpoint is None or takes_calls(endpoint), 0
    try:
        tracker = context.statusTracker()
        jobs = [job for k in tracker.getJobIdsForGroup(group) if (job := tracker.getJobInfo(k)) is not None]
        stages = [stage for job in jobs for k in job.stageIds if (stage := tracker.getStageInfo(k)) is not None]
    except Exception:  # noqa: BLE001  # the driver does not answer
        return False, 0
    planning = not any(job.status == "RUNNING" for job in jobs)
    return planning or any(s.numActiveTasks for s in stages), sum(s.numCompletedTasks for s in stages)


def takes_calls(endpoint: str, timeout: float = 2.0) -> bool:
    """Tell whether somebody listens at ``host:port``.

    >>> takes_calls("127.0.0.1:1")
    False
    """
    host, _, port = endpoint.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=timeout):
            return True
    except (OSError, ValueError):
        return False


def told(fault: Exception) -> Exception:
    """Return what went wrong in Spark as one sentence."""
    text = str(fault)
    kind = type(fault).__name__
    if isinstance(fault, DataError | EngineLost):
        return fault
    if (
        kind in ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError")
        or "StatusCode.UNAVAILABLE" in text
    ):
        return EngineLost(GONE)
    ours = re.search(r"\b(partition \d+: .*)", text) or re.search(r"\b(part \d+ \(.*)", text)
    if ours:
        return EngineLost(f"{ours[1].strip()} (Spark tried it as often as it may).")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return EngineLost(f"Spark gave up the pass: {lines[0] if lines else kind}")
