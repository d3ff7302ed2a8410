"""Work with an end in time: begun only before a moment, and, where it is someone else's, in a process that can be ended.

A thread cannot be stopped while it is inside another library, and a signal reaches only the main thread between two steps of Python. A
process can: what may take too long is sent to one, which looks for modules where this one does and gets by value what lies nowhere, and the
process is ended when the moment has come.

>>> from math import inf
>>> seconds_left() == inf
True
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time as clock
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.machinery import PathFinder
from typing import Any

IDLE = 60  # seconds that a process waits for more work before it goes
_moment: ContextVar[float] = ContextVar("until when work may go on", default=math.inf)
_lock = threading.Lock()


class OutOfTime(Exception):
    """The time that some work was given is over."""


@contextmanager
def until(moment: float) -> Iterator[None]:
    """Give the work of a ``with`` block time until a moment of ``time.perf_counter``; an earlier end that is set already holds."""
    before = _moment.set(min(moment, _moment.get()))
    try:
        yield
    finally:
        _moment.reset(before)


def seconds_left() -> float:
    """Return the seconds that the work at hand still has; infinity where nobody set an end."""
    return _moment.get() - clock.perf_counter()


def check_time() -> None:
    """End the work at hand where its time is over."""
    if seconds_left() <= 0:
        raise OutOfTime


def apart(work: Callable[..., Any], *given: Any) -> Any:
    """Return ``work(*given)``, done in a process of its own, which is ended when the time is over or the wait is interrupted."""
    from joblib.externals.loky import get_reusable_executor

    check_time()
    with _lock:
        _send_hidden(given)
        path = {"PYTHONPATH": os.pathsep.join(sys.path)}
        executor = get_reusable_executor(
            max_workers=2, timeout=IDLE, kill_workers=True, env=path
        )  # workers of one that is replaced
        future = executor.submit(work, *given)
    try:
        return future.result(timeout=min(seconds_left(), threading.TIMEOUT_MAX))
    except BaseException as fault:
        if not future.done():
            executor.shutdown(wait=True, kill_workers=True)
        if seconds_left() <= 0 and (isinstance(fault, TimeoutError) or not future.done() or _killed(fault)):
            raise OutOfTime from None
        raise


def _send_hidden(given: Sequence[Any]) -> None:
    """Have classes of modules that another process could not import sent by value, those inside an estimator too."""
    try:
        from joblib.externals.cloudpickle import register_pickle_by_value
    except ModuleNotFoundError:  # joblib carries no copy of it since 1.6
        from cloudpickle import register_pickle_by_value

    parts = [part for thing in given for part in (thing, *_parameters(thing))]
    for name in {type(part).__module__ for part in parts}:
        module = sys.modules.get(name)
        if module is not None and name != "__main__" and not _importable(name):
            register_pickle_by_value(module)


def _parameters(thing: Any) -> list[Any]:
    return list(thing.get_params().values()) if hasattr(thing, "get_params") and not isinstance(thing, type) else []


def _importable(name: str) -> bool:
    """Tell whether a module is built in or lies on the path.

    >>> _importable("sklearn.svm"), _importable("builtins"), _importable("nowhere.to_be_seen")
    (True, True, False)
    """
    if name.partition(".")[0] in sys.builtin_module_names:
        return True
    where: Any = None
    for k in range(1, name.count(".") + 2):
        spec = PathFinder.find_spec(".".join(name.split(".")[:k]), where)
        if spec is None:
            return False
        where = spec.submodule_search_locations
    return True


def _killed(fault: BaseException) -> bool:
    """Tell whether a process was ended by another thread that ran out of the same time."""
    from joblib.externals.loky.process_executor import BrokenProcessPool, ShutdownExecutorError

    return isinstance(fault, BrokenProcessPool | ShutdownExecutorError)
