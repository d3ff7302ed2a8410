"""Reading ahead: a thread fetches the next batches while the present one is being worked on.

The queue is short, so memory stays bounded by a few batches; leaving the loop early stops the thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from queue import Empty, Full, Queue
from time import sleep
from typing import Any, TypeVar

LAST_WORDS = 0.1  # seconds for what Arrow's threads have begun, and tell nobody of
T = TypeVar("T")
_END = object()
_thread = threading.local()


@contextmanager
def one_core() -> Iterator[None]:
    """Read in this thread alone: for a worker of a cluster, whose neighbours have the other cores."""
    before = reads_alone()
    _thread.alone = True
    try:
        yield
    finally:
        _thread.alone = before


def reads_alone() -> bool:
    """Tell whether this thread may not ask others to read for it."""
    return bool(getattr(_thread, "alone", False))


def ahead(make: Callable[[], Iterator[T]], depth: int = 2) -> Iterator[T]:
    """Yield what the iterator yields, produced in another thread at most ``depth`` items early.

    >>> list(ahead(lambda: iter(range(5))))
    [0, 1, 2, 3, 4]
    """
    if reads_alone():
        yield from make()
        return
    queue: Queue[Any] = Queue(maxsize=depth)
    stop = threading.Event()

    def put(item: Any) -> bool:
        while not stop.is_set() and threading.main_thread().is_alive():
            try:
                queue.put(item, timeout=0.1)
            except Full:
                continue
            return True
        return False

    def work() -> None:
        items: Iterator[T] | None = None
        try:
            items = make()
            for item in items:
                if not put((item, None)):
                    break
            else:
                put((_END, None))
        except BaseException as fault:  # noqa: BLE001  # handed to the reader, who raises it
            put((_END, fault))
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
            if not threading.main_thread().is_alive():  # the process ends: Arrow's own threads first, or it would abort
                sleep(LAST_WORDS)

    def take() -> Any:
        while True:
            try:
                return queue.get(timeout=0.1)
            except Empty:  # a reader that is itself read ahead waits for nobody when the process ends
                if not thread.is_alive() and queue.empty():
                    raise RuntimeError("the process ends, and with it the reading ahead.") from None

    # no daemon: at the end of the process such a thread would be cut off within Arrow, which then aborts
    thread = threading.Thread(target=copy_context().run, args=(work,), name="epee-read-ahead")
    thread.start()
    try:
        while True:
            item, fault = take()
            if fault is not None:
                raise fault
            if item is _END:
                return
            yield item
            del item
    finally:
        stop.set()
        while True:
            try:
                queue.get_nowait()
            except Empty:
                break
        thread.join()
