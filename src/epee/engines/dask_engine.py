"""The Dask engine: the same map and merge on a cluster.

Each part of the source is reduced where it lies, and the results are merged in a tree on the workers, eight at a time: only
moments cross the network, and of an iterative method only its parameters go the other way. Tasks are pure functions of their part, so one
that is lost with its worker is run again and changes no digit; nothing is counted twice.
"""

from __future__ import annotations

import operator
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from epee.engines.engine import map_part, merge_parts, parts_for, parts_of, reduce_part, total_of
from epee.engines.local import one_blas_thread
from epee.errors import EngineLost
from epee.settings import options, progress
from epee.table.block import Readable

T = TypeVar("T")
FAN = 8  # results merged at once
FEW = 4  # groups of parts under way at once where the rows themselves travel


@lru_cache(maxsize=2)
def _cluster_here(processes: bool) -> Any:
    from distributed import Client, LocalCluster

    cores = options.thread_count()
    workers = (
        {"n_workers": cores, "threads_per_worker": 1} if processes else {"n_workers": 1, "threads_per_worker": cores}
    )
    return Client(LocalCluster(**workers, processes=processes, dashboard_address=":0"), set_as_default=False)


def local_client(processes: bool = True) -> Any:
    """Return a client of a cluster on this machine, started once: a process a core, or threads of this process."""
    client = _cluster_here(processes)
    if client.status != "running":
        _cluster_here.cache_clear()
        client = _cluster_here(processes)
    return client


def find_client(processes: bool = True) -> Any:
    """Return the current Dask client, or one of a cluster on this machine."""
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return local_client(processes)


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
        return parts_for(sum(self.client.nthreads().values()) or 1)

    def reduce(
        self,
        source: Readable,
        work: Callable[[Any], T],
        *,
        merge: Callable[[T, T], T] = operator.add,
        rows: int | None = None,
    ) -> T:
        """Return the merged results of ``work(block)`` over all blocks of all parts."""
        parts = parts_of(self, source, self._wanted(), rows, work)
        layer: list[Any] = []
        with one_blas_thread(), progress("passing over the parts") as tick:
            for future in self._groups(parts, work, merge, rows):
                self._wait(future)
                layer.append(future)
                tick(FAN)
            while len(layer) > 1:
                groups = [layer[i : i + FAN] for i in range(0, len(layer), FAN)]
                layer = [self.client.submit(merge_parts, group, merge, pure=False) for group in groups]
            merged = self._value(layer[0]) if layer else None
        total: T = total_of(merged)
        return total

    def _groups(self, parts: Iterator[Any], work: Any, merge: Any, rows: int | None) -> Iterator[Any]:
        """Yield the futures of merged groups of parts, in order; those of single parts are let go at once."""
        from dask import delayed

        waiting: deque[Any] = deque()
        lazy: list[Any] = []
        for group in _in_groups(parts):
            if hasattr(group[0].payload, "__dask_graph__"):  # a partition still to be made is made where it is reduced
                made = [
                    delayed(reduce_part, pure=False)(p.payload, p.build, work, merge, rows, p.start, p.label)
                    for p in group
                ]
                lazy.append(delayed(merge_parts, pure=False)(made, merge))
                continue
            leaves = [
                self.client.submit(reduce_part, p.payload, p.build, work, merge, rows, p.start, p.label, pure=False)
                for p in group
            ]
            waiting.append(self.client.submit(merge_parts, leaves, merge, pure=False))
            if group[0].heavy and len(waiting) >= FEW:
                yield waiting.popleft()
        waiting.extend(self.client.compute(lazy) if lazy else ())
        while waiting:
            yield waiting.popleft()

    def map(self, source: Readable, work: Callable[[Any], T], *, rows: int | None = None) -> Iterator[T]:
        """Yield ``work(block)`` in the order of the rows, a few parts ahead."""
        for found in self._each(parts_of(self, source, self._wanted(), rows), map_part, work, rows):
            yield from found

    def _each(self, parts: Iterator[Any], function: Any, *rest: Any) -> Iterator[Any]:
        """Yield the result of a function of each part, in order, a few parts ahead."""
        waiting: deque[Any] = deque()
        ahead = self._wanted() // 2
        with one_blas_thread():
            for part in parts:
                waiting.append(self._submit(function, part, *rest))
                if len(waiting) > ahead:
                    yield self._value(waiting.popleft())
            while waiting:
                yield self._value(waiting.popleft())

    def _submit(self, function: Any, part: Any, *rest: Any) -> Any:
        from dask import delayed

        if hasattr(part.payload, "__dask_graph__"):
            task = delayed(function, pure=False)(part.payload, part.build, *rest, part.start, part.label)
            return self.client.compute(task)
        return self.client.submit(function, part.payload, part.build, *rest, part.start, part.label, pure=False)

    def _wait(self, future: Any) -> None:
        """Wait for a result to exist somewhere; raise what went wrong."""
        fault = self._patiently(lambda: future.exception(timeout=2.0))
        if fault is not None:
            self._value(future)

    def _value(self, future: Any) -> Any:
        """Bring a result here."""
        return self._patiently(lambda: future.result(timeout=2.0))

    def _patiently(self, ask: Callable[[], Any]) -> Any:
        """Ask again while the scheduler lives; give up when it has been silent for the timeout."""
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
                quiet_since = time.monotonic() if quiet_since is None else quiet_since
                if time.monotonic() - quiet_since > self.timeout:
                    raise EngineLost(
                        f"the Dask scheduler has not answered for {self.timeout:g} s: the pass was given up. Start it again."
                    ) from None
            except KilledWorker as fault:
                raise EngineLost(
                    f"a part killed several workers in turn, most likely by its memory: {fault} Use smaller partitions or larger workers."
                ) from fault
            except CancelledError as fault:
                raise EngineLost("the Dask scheduler is gone and the pass with it. Start it again.") from fault

    def _alive(self) -> bool:
        comm = getattr(self.client, "scheduler_comm", None)
        return self.client.status == "running" and comm is not None and not comm.comm.closed()


def _in_groups(parts: Iterator[Any]) -> Iterator[list[Any]]:
    group: list[Any] = []
    for part in parts:
        group.append(part)
        if len(group) == FAN:
            yield group
            group = []
    if group:
        yield group
