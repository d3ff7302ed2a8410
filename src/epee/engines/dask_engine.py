"""The Dask engine: the same map and merge on a cluster.

Each part of the source is reduced where it lies, and the results are merged in a tree on the workers, eight at a time: only moments cross the
network, and of an iterative method only its parameters go the other way. Tasks are pure functions of their part, so one
that is lost with its worker is run again and changes no digit; nothing is counted twice.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from epee.engines.local import tree
from epee.errors import DataError
from epee.settings import options, progress
from epee.table.block import Source

T = TypeVar("T")
FAN = 8  # results merged at once
PARTS_A_THREAD = 4  # enough to even out parts that take longer


class EngineLost(RuntimeError):
    """The cluster died, or a part cannot be done on it."""


@lru_cache(maxsize=1)
def local_client() -> Any:
    """Return a client of a cluster on this machine: one process a core, started once."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=options.thread_count(), threads_per_worker=1, dashboard_address=None)
    return Client(cluster)


def find_client() -> Any:
    """Return the current Dask client, or one of a cluster on this machine."""
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return local_client()


def reduce_part(payload: Any, build: Any, work: Any, merge: Any, rows: int | None, label: str) -> Any:
    """Reduce one part on a worker; None when it has no rows. A fault is told with the part."""
    try:
        with options(threads=1):
            source = build(payload)
            if source.n_rows == 0:
                return None
            found = [work(block) for block in source.blocks(rows) if len(block)]
            return tree(found, merge) if found else None
    except Exception as fault:
        raise _named(fault, label) from fault


def map_part(payload: Any, build: Any, work: Any, rows: int | None, label: str) -> list[Any]:
    """Return ``work(block)`` for each block of one part."""
    try:
        with options(threads=1):
            return [work(block) for block in build(payload).blocks(rows)]
    except Exception as fault:
        raise _named(fault, label) from fault


def _named(fault: Exception, label: str) -> Exception:
    """Return the same kind of fault with the part in its sentence, where its kind can carry one."""
    sentence = f"{label}: {fault}"
    try:
        return type(fault)(sentence)
    except TypeError:
        return DataError(sentence) if isinstance(fault, ValueError) else EngineLost(sentence)


def merge_parts(found: list[Any], merge: Any) -> Any:
    """Merge results on a worker; parts without rows have none."""
    there = [part for part in found if part is not None]
    return tree(there, merge) if there else None


class DaskEngine:
    """Map and merge on a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        By default the current one, or a cluster on this machine with a process for each core.
    timeout : float, default=30
        Seconds without a sign of the scheduler after which the work is given up.
    """

    name = "dask"

    def __init__(self, client: Any = None, *, timeout: float = 30.0) -> None:
        self.client = find_client() if client is None else client
        self.timeout = timeout

    def _wanted(self) -> int:
        threads = sum(self.client.nthreads().values()) or 1
        return PARTS_A_THREAD * threads

    def _parts(self, source: Source) -> Iterator[Any]:
        from epee.table.parts import parts_of

        return parts_of(source, self._wanted())

    def reduce(
        self, source: Source, work: Callable[[Any], T], *, merge: Callable[[T, T], T] = operator.add, rows: int | None = None
    ) -> T:
        """Return the merged results of ``work(block)`` over all blocks of all parts."""
        layer = [self._submit(reduce_part, part, work, merge, rows) for part in self._parts(source)]
        with progress("passing over the parts", len(layer)) as tick:
            for future in layer:
                self._wait(future)
                tick()
        while len(layer) > 1:
            layer = [
                self.client.submit(merge_parts, layer[i : i + FAN], merge, pure=False) for i in range(0, len(layer), FAN)
            ]
        total = self._value(layer[0]) if layer else None
        if total is None:
            raise DataError("Found array with 0 sample(s): the parts hold no rows, and a minimum of 1 is required.")
        return total

    def map(self, source: Source, work: Callable[[Any], T], *, rows: int | None = None) -> Iterator[T]:
        """Yield ``work(block)`` in the order of the rows, a few parts ahead."""
        waiting: deque[Any] = deque()
        for part in self._parts(source):
            waiting.append(self._submit(map_part, part, work, rows))
            if len(waiting) > self._wanted():
                yield from self._value(waiting.popleft())
        while waiting:
            yield from self._value(waiting.popleft())

    def _submit(self, function: Any, part: Any, *rest: Any) -> Any:
        """Send a part to where it is reduced; a partition still to be made is made there, and let go after."""
        from dask import delayed

        if hasattr(part.payload, "__dask_graph__"):
            return self.client.compute(delayed(function, pure=False)(part.payload, part.build, *rest, part.label))
        return self.client.submit(function, part.payload, part.build, *rest, part.label, pure=False)

    def _wait(self, future: Any) -> None:
        """Wait for a result to exist somewhere; raise what went wrong."""
        from distributed import wait

        self._patiently(lambda: wait(future, timeout=2.0))
        if future.status == "error":
            self._value(future)

    def _value(self, future: Any) -> Any:
        """Bring a result here."""
        return self._patiently(lambda: future.result(timeout=2.0))

    def _patiently(self, ask: Callable[[], Any]) -> Any:
        import time
        from concurrent.futures import CancelledError

        from distributed.scheduler import KilledWorker

        quiet_since: float | None = None
        while True:
            try:
                return ask()
            except TimeoutError:
                if self._alive():
                    quiet_since = None
                    continue
                quiet_since = quiet_since or time.monotonic()
                if time.monotonic() - quiet_since > self.timeout:
                    raise EngineLost(
                        f"the Dask scheduler has not answered for {self.timeout:g} s: the pass was given up. Start it again."
                    ) from None
            except KilledWorker as fault:
                raise EngineLost(
                    f"a part killed several workers in turn, most likely by its memory: {fault}. Use smaller partitions or larger workers."
                ) from fault
            except CancelledError as fault:
                raise EngineLost("the Dask scheduler is gone and the pass with it. Start it again.") from fault

    def _alive(self) -> bool:
        comm = getattr(self.client, "scheduler_comm", None)
        return self.client.status == "running" and comm is not None and not comm.comm.closed()
