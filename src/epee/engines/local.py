"""The local engine: threads over blocks, in constant memory.

Block ``i`` is always reduced alone, and results are merged in a fixed binary tree over the block numbers. So the answer is the
same, bit for bit, whatever the number of threads; and sums are pairwise, so rounding grows with the logarithm of the
number of blocks. BLAS is held to one thread meanwhile: our threads times its threads would fight for the cores.
"""

from __future__ import annotations

import itertools
import operator
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

from epee.settings import options
from epee.table.block import Readable
from epee.table.parts import adopted

T = TypeVar("T")
_inside = threading.local()  # a worker that asks for a reduction itself must not wait for the pool it sits in


@contextmanager
def alone() -> Iterator[None]:
    """Do all reductions of this thread in it: for a worker of another engine, whose neighbours have the other cores."""
    before = getattr(_inside, "working", False)
    _inside.working = True
    try:
        yield
    finally:
        _inside.working = before


def free_threads() -> int:
    """Return how many threads a computation of its own may use here: one inside a worker, whose neighbours have the others."""
    return 1 if getattr(_inside, "working", False) else options.thread_count()


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="epee")


@lru_cache(maxsize=4)
def _controller(scipy_loaded: bool) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


class _Held:
    """How many blocks of code hold BLAS to one thread at the moment, and the limits that took its threads."""

    lock = threading.Lock()
    count = 0
    limits: ClassVar[list[Any]] = []
    scipy = False


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread: ours do the work.

    Blocks may overlap in any order, as generators and threads do: the first to come takes the threads, the last to go gives
    them back.
    """
    with _Held.lock:
        scipy = "scipy.linalg" in sys.modules  # it brings a BLAS of its own, perhaps while NumPy's is held
        if not _Held.count or scipy != _Held.scipy:
            _Held.limits.append(_controller(scipy).limit(limits=1))
            _Held.scipy = scipy
        _Held.count += 1
    try:
        yield
    finally:
        with _Held.lock:
            _Held.count -= 1
            while not _Held.count and _Held.limits:
                _give_back(_Held.limits.pop())


def _give_back(limit: Any) -> None:
    """Undo a limit; threadpoolctl lets only the thread that set it do so, unless it is told that nobody owns it."""
    for library in _controller(_Held.scipy).lib_controllers:
        getattr(type(library), "clear_controlling_thread", lambda: None)()
    limit.restore_original_limits()
    for library in _controller(_Held.scipy).lib_controllers:
        getattr(type(library), "clear_controlling_thread", lambda: None)()


def in_order(work: Callable[[Any], T], items: Iterable[Any], ahead: int = 2) -> Iterator[T]:
    """Yield ``work(item)`` for each item, in order, some of them at once; at most a few are held.

    >>> list(in_order(abs, [-1, -2, -3]))
    [1, 2, 3]
    """
    iterator = iter(items)
    head = list(itertools.islice(iterator, 2))
    if len(head) < 2 or getattr(_inside, "working", False):
        for item in itertools.chain(head, iterator):
            yield work(item)
        return
    threads = options.thread_count()
    if threads == 1:
        with one_blas_thread():  # as with more threads: the order in which BLAS adds is part of the answer
            for item in itertools.chain(head, iterator):
                yield work(item)
        return

    def run(item: Any) -> T:
        _inside.working = True
        return work(item)

    pool, waiting = _pool(threads), deque[Future[T]]()
    with one_blas_thread():
        try:
            for item in itertools.chain(head, iterator):
                waiting.append(pool.submit(copy_context().run, run, item))  # the language goes along
                if len(waiting) >= threads + ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def tree(parts: Iterable[T], merge: Callable[[T, T], T] = operator.add) -> T:
    """Merge parts in a fixed binary tree, holding only as many as its height.

    >>> tree("abcde", lambda a, b: f"({a}{b})")
    '(((ab)(cd))e)'
    """
    waiting: list[tuple[int, T]] = []  # (height, merged part), heights decreasing
    for part in parts:
        height = 0
        while waiting and waiting[-1][0] == height:
            part = merge(waiting.pop()[1], part)
            height += 1
        waiting.append((height, part))
    if not waiting:
        raise ValueError("there is nothing to merge: Found array with 0 sample(s), a minimum of 1 is required.")
    _, total = waiting.pop()
    while waiting:
        total = merge(waiting.pop()[1], total)
    return total


class LocalEngine:
    """Threads over the blocks of a source."""

    name = "local"

    def reduce(
        self,
        source: Readable,
        work: Callable[[Any], T],
        *,
        merge: Callable[[T, T], T] = operator.add,
        rows: int | None = None,
    ) -> T:
        """Return the merged results of ``work(block)`` over all blocks."""
        behind, work = adopted(source).through(work)
        return tree(in_order(work, behind.blocks(rows)), merge)

    def map(self, source: Readable, work: Callable[[Any], T], *, rows: int | None = None) -> Iterator[T]:
        """Yield ``work(block)`` in the order of the rows."""
        behind, work = adopted(source).through(work)
        return in_order(work, behind.blocks(rows))


LOCAL = LocalEngine()
