"""The process of one session: takes requests, answers with plain data or a sentence, and can be stopped in mid-run.

A process, not a thread: the page stays quick while it computes, a run can be ended at any line, and what it held goes back to the
system with it. A request is ``(number, name, arguments, language)``; an answer ``("done" | "fault", number, data)``; what is said
meanwhile ``("told", name, data)``.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from threading import Lock, current_thread, main_thread
from typing import Any

LOADED = (
    "epee.workbench.desk", "epee.job.facts", "epee.job.exploration", "epee.predictors.generative.lda", "pyarrow.csv", "duckdb",
)  # fmt: skip
STOP = getattr(signal, "SIGUSR1", None)  # systems without it finish the predictor at hand


def work(pipe: Connection, folder: str) -> None:
    """Answer requests until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which closes the pipe
    from epee.settings import options
    from epee.workbench.desk import Desk

    options.progress = False
    mouth = Mouth(pipe)
    desk = Desk(mouth.tell, folder)
    mouth.stop = desk.stop
    if STOP is not None:
        signal.signal(STOP, mouth.heard)
    while True:
        try:
            number, name, arguments, lang = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            with options(language=lang):
                answer = ("done", number, _answer(desk, name, arguments))
        except (EOFError, BrokenPipeError):
            return
        except Exception as fault:  # noqa: BLE001 - whatever a table may lead to is one sentence on the page
            answer = ("fault", number, sentence(fault, lang))
        mouth.send(answer)


class Mouth:
    """Sends whole messages: a stop that comes in the middle of one waits until it is sent."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.lock, self.busy, self.wanted = pipe, Lock(), False, False
        self.stop: Callable[[], None] = lambda: None

    def tell(self, name: str, data: Any) -> None:
        """Say something before the answer is there; any thread may."""
        self.send(("told", name, data))

    def send(self, message: Any) -> None:
        """Send one message."""
        if current_thread() is not main_thread():
            with self.lock:
                self.pipe.send(message)
            return
        self.busy = True
        try:
            with self.lock:
                self.pipe.send(message)
        finally:
            self.busy = False
        if self.wanted:
            self.wanted = False
            self.stop()

    def heard(self, number: int, frame: Any) -> None:
        """Take the signal to stop."""
        if self.busy:
            self.wanted = True
        else:
            self.stop()


def _answer(desk: Any, name: str, arguments: dict[str, Any]) -> Any:
    import warnings

    from epee.errors import EpeeWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)  # what matters of them stands in the notes
        return getattr(desk, name)(**arguments)


def sentence(fault: BaseException, lang: str) -> str:
    """Return what the command line would say of a fault."""
    from epee.cli.faults import sentence as said
    from epee.settings import options

    with options(language=lang):
        return said(fault).removeprefix("epee: ")


def prepare() -> None:
    """Load what sessions will need, once for all of them."""
    from importlib import import_module

    for module in LOADED:
        import_module(module)
