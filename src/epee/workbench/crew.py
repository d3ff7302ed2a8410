"""The worker of a session as the server sees it: ask, listen, stop, close."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import Callable
from multiprocessing import get_context
from threading import Thread
from typing import Any

from epee.words.workbench_words import say
from epee.workbench.worker import STOP, work

PATIENCE = 1.0  # seconds that a process has to end by itself


class Fault(Exception):
    """What the worker could not do, in one sentence."""


def context() -> Any:
    """Return how processes start: forked from one that holds the library already, where the system can."""
    if sys.platform == "win32":
        return get_context("spawn")
    found = get_context("forkserver")
    found.set_forkserver_preload(["epee.workbench.preloaded"])
    return found


def warm() -> None:
    """Start the process that others are forked from, so that the first session need not wait for it."""
    if sys.platform != "win32":
        nothing = context().Process(target=print, args=("",), kwargs={"end": ""})  # returns once all is loaded
        nothing.start()
        nothing.join()


class Worker:
    """One process; ``hear(name, data)`` is called in the loop with what it tells meanwhile."""

    def __init__(self, loop: asyncio.AbstractEventLoop, folder: str, hear: Callable[[str, Any], None]) -> None:
        self.hear, self.loop = hear, loop
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.numbers = itertools.count()
        made = context()
        self.pipe, other = made.Pipe()
        self.process = made.Process(target=work, args=(other, folder), daemon=True, name="epee-workbench")
        self.process.start()
        other.close()
        Thread(target=self._listen, daemon=True, name="epee-workbench-ear").start()

    async def ask(self, name: str, lang: str, arguments: dict[str, Any]) -> Any:
        """Return what the worker answers to a request, or raise its sentence."""
        number = next(self.numbers)
        future = self.loop.create_future()
        self.waiting[number] = future
        try:
            self.pipe.send((number, name, arguments, lang))
        except OSError:
            self._gone()
        return await future

    def _listen(self) -> None:
        while True:
            try:
                message = self.pipe.recv()
            except (EOFError, OSError):
                break
            self._later(self._take, message)
        self._later(self._gone)

    def _later(self, function: Callable[..., None], *arguments: Any) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(function, *arguments)

    def _take(self, message: tuple[str, Any, Any]) -> None:
        kind, which, data = message
        if kind == "told":
            self.hear(which, data)
            return
        future = self.waiting.pop(which, None)
        if future is None or future.done():
            return
        if kind == "done":
            future.set_result(data)
        else:
            future.set_exception(Fault(data))

    def _gone(self) -> None:
        """Say to all who wait that the process is no more."""
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(Fault(say("worker_gone")))
        self.waiting.clear()

    @property
    def alive(self) -> bool:
        """Tell whether the process runs."""
        return bool(self.process.is_alive())

    def stop(self) -> None:
        """End the run at hand with what is done."""
        if STOP is not None and self.process.pid and self.alive:
            os.kill(self.process.pid, STOP)

    def close(self) -> None:
        """End the process, whatever it does."""
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.alive:
            self.process.kill()
            self.process.join()
        self.pipe.close()
