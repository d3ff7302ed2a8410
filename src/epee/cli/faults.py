"""From an exception to an exit code and one sentence.

====  ==========================================================
code  meaning
====  ==========================================================
0     done; also when the reader of our output went away
1     a failure inside
2     wrong use: an unknown option, an absent target
3     bad data: empty, ragged, corrupt
4     the environment: unreadable, read-only, full, memory
5     done, but not conclusive where that was asked
130   interrupted
143   terminated
====  ==========================================================
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from typing import Any

import typer

from epee.cli.phrases import say
from epee.errors import DataError, EpeeWarning, TableWarning, TooLarge, WrongUse
from epee.settings import options
from epee.table.spool import remove_unfinished
from epee.words.fault_words import in_french
from epee.words.usage_words import usage_in_french

DONE, FAILURE, WRONG_USE, BAD_DATA, ENVIRONMENT, INCONCLUSIVE, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 5, 130, 143

PATIENCE = 1.0  # seconds between a signal and the end

# Typer exports its parser's BadParameter, whose parents are the errors of use; their module depends on Typer's version.
_UsageError: Any = typer.BadParameter.__mro__[1]


class Terminated(BaseException):
    """The process was asked to end (SIGTERM)."""


def exit_code(error: BaseException) -> int:
    """Return the exit code of an exception.

    >>> exit_code(WrongUse("no column 'speices'; did you mean 'species'?")), exit_code(PermissionError())
    (2, 4)
    """
    match error:
        case typer.Exit():
            return error.exit_code
        case BrokenPipeError():
            return DONE
        case KeyboardInterrupt() | typer.Abort():
            return INTERRUPTED
        case Terminated():
            return TERMINATED
        case SystemExit(code=code):
            return code if isinstance(code, int) else DONE if code is None else FAILURE
        case WrongUse() | _UsageError():
            return WRONG_USE
        case OSError() | MemoryError() | TooLarge():
            return ENVIRONMENT
        case _ if is_shortage(error):
            return ENVIRONMENT
        case DataError():
            return BAD_DATA
        case _:
            return FAILURE


def sentence(error: BaseException) -> str:
    r"""Return what to say of an exception on standard error, in one line; nothing where silence is the custom.

    >>> sentence(DataError("column 'a\x1b[31m': no rows."))
    "epee: column 'a\\x1b[31m': no rows."
    """
    match error:
        case typer.Exit() | BrokenPipeError() | SystemExit():
            return ""
        case KeyboardInterrupt() | typer.Abort():
            words = say("interrupted")
        case Terminated():
            words = say("terminated")
        case _UsageError():
            said = error.format_message()
            said = usage_in_french(said) if options.language == "fr" else said
            words = f"{said.rstrip('.')}{'' if said.endswith('?') else '.'} {say('try', command=_path(error))}"
        case MemoryError():
            words = say("memory")
        case OSError(strerror=str(reason), filename=name) if name is not None:
            words = _spoken(f"{name}: {reason}.")
        case OSError(strerror=str(reason)):
            words = _spoken(reason if reason.endswith((".", "?")) else f"{reason}.")
        case OSError() | WrongUse() | DataError():
            words = _spoken(str(error))
        case _ if is_shortage(error):
            words = say("memory")
        case _:
            words = say("inside", what=f"{type(error).__name__}: {error}")
    return "epee: " + one_line(words)


def _spoken(words: str) -> str:
    """Return a sentence of ours in the language that was asked for, its settings as one types them in a shell.

    >>> _spoken("take it as text with types={'unit price': 'category'}.")
    "take it as text with --type 'unit price=category'."
    """
    said = in_french(words) if options.language == "fr" else words
    return re.sub(r"types=\{(['\"])(.*?)\1: '(\w+)'\}", lambda found: f"--type {quote(f'{found[2]}={found[3]}')}", said)


def is_shortage(error: BaseException) -> bool:
    """Tell whether an error of another name says that memory or threads ran out.

    >>> is_shortage(RuntimeError("can't start new thread")), is_shortage(RuntimeError("boom"))
    (True, False)
    """
    if not isinstance(error, RuntimeError | ImportError) and type(error).__name__ != "ArrowException":
        return False
    signs = ("can't start new thread", "launch worker thread", "failed to map segment", "annot allocate memory")
    return any(sign in str(error) for sign in signs)


def one_line(words: str) -> str:
    r"""Return words without line ends, and with control characters made visible: data must not steer the terminal.

    >>> print(one_line("a\n  b\x1b[0m"))
    a b\x1b[0m
    """
    joined = re.sub(r"\s*[\r\n]\s*", " ", words.strip())
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda match: match[0].encode("unicode_escape").decode(), joined)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Turn SIGTERM into :class:`Terminated` as Ctrl-C is KeyboardInterrupt, so that half-written files are removed on the way out.

    An exception is raised between two steps of Python; where one step lasts (a factorisation of a large matrix, say), a
    second thread ends the process after some patience.
    """
    if threading.current_thread() is not threading.main_thread():  # only there may handlers be set
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise Terminated

    heard, told = os.pipe()
    os.set_blocking(told, False)
    before = signal.signal(signal.SIGTERM, stop)
    woken = signal.set_wakeup_fd(told, warn_on_full_buffer=False)  # the system's handler writes there at once
    watch = threading.Thread(target=_watch, args=(heard,), name="epee-signals", daemon=True)
    watch.start()
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.set_wakeup_fd(woken)
        os.close(told)  # the end that the watch waits for
        watch.join()
        os.close(heard)


def _watch(heard: int) -> None:
    """Wait for a signal; when the command has not ended soon after it, end the process."""
    while number := os.read(heard, 1):
        code = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}.get(signal.Signals(number[0]))
        if code is not None and not _closes(heard, PATIENCE):
            remove_unfinished()
            words = "epee: " + say("interrupted" if code == INTERRUPTED else "terminated") + "\n"
            os.write(2, words.encode())
            os._exit(code)


def _closes(heard: int, seconds: float) -> bool:
    """Tell whether the other end of a pipe is closed within some seconds, whatever else comes through it."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([heard], [], [], left)[0] and not os.read(heard, 64):
            return True
    return False


def _path(error: Any) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if context is not None else "epee"


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Show our warnings as sentences, each once; what a table says of itself is told with its notes."""
    with warnings.catch_warnings():
        usual, said = warnings.showwarning, set[str]()

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, EpeeWarning):
                usual(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                print(message, file=sys.stderr)

        warnings.showwarning = show
        warnings.simplefilter("ignore", TableWarning)
        yield
