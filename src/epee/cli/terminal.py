"""What people see on a terminal: progress, sentences, and tables that fit its width.

Data go to standard output, words to standard error; neither is coloured when it is not a terminal, when ``NO_COLOR`` is set, or
when ``--no-color`` asks so.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from epee.cli.faults import one_line
from epee.settings import listening, options


def console(no_color: bool = False, *, words: bool = False) -> Any:
    """Return a Rich console on standard output, or, for words, on standard error."""
    from rich.console import Console

    stream = sys.stderr if words else sys.stdout
    wide = None if stream.isatty() else 110
    return Console(file=stream, no_color=no_color or None, highlight=False, width=wide, soft_wrap=False)


def tell(sentences: Iterable[str], quiet: bool = False) -> None:
    """Print sentences on standard error, one a line; characters that steer a terminal are made visible.

    On a terminal long sentences are broken between words.
    """
    if quiet:
        return
    width = get_terminal_size().columns if sys.stderr.isatty() else 0
    for sentence in sentences:
        words = one_line(sentence)
        print(
            fill(words, width, break_long_words=False, break_on_hyphens=False) if width > 20 else words, file=sys.stderr
        )


@contextmanager
def shown_progress(board: bool = False) -> Iterator[None]:
    """Show what is being done on the last line of a terminal; elsewhere, a line now and then when it takes long.

    With ``board``, the lines of the leaderboard stand above it as they come, and go when the whole of it is printed.
    """
    if options.progress is False:
        yield
        return
    if not sys.stderr.isatty():
        with listening(Patience()):
            yield
        return
    from rich.console import Console

    task = [""]  # what has no end to count towards holds until the next such task

    def sentence(words: str, done: int, total: int | None) -> str:
        share = f" {done}/{total}" if total and total < 1000 else f" {100 * done // total} %" if total else ""
        if total is None:
            task[0] = words
        within = f"{task[0]}: " if task[0] and total is not None else ""
        return one_line(within + words + share)

    if board:
        from rich.live import Live

        from epee.cli.filling_board import FillingBoard
        from epee.job.witness import watched

        lines = FillingBoard()
        live = Live(lines, console=Console(file=sys.stderr), refresh_per_second=8, transient=True)
        with live, watched(lines), listening(lambda *given: lines.say(sentence(*given))):
            yield
        return
    with (
        Console(file=sys.stderr).status("", spinner="dots") as status,
        listening(lambda *given: status.update(sentence(*given))),
    ):
        yield


class Patience:
    """Says what takes so long after 20 seconds, then each time twice as much has passed."""

    def __init__(self, first: float = 20.0) -> None:
        self.start, self.next = time.monotonic(), first

    def __call__(self, words: str, done: int, total: int | None) -> None:
        passed = time.monotonic() - self.start
        if passed >= self.next:
            self.next = 2 * passed
            share = f" ({done}/{total})" if total else ""
            print(f"{passed:.0f} s: {one_line(words)}{share}", file=sys.stderr, flush=True)
