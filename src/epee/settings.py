"""What the user may set once for everything: threads, progress, language.

>>> import epee
>>> epee.options.threads = 1            # None: as many as the machine has
>>> with epee.options(progress=False, language="fr"):
...     pass

Threads and progress belong to the process. The language belongs to the work at hand: ``with options(language="fr")`` holds for
its own thread (a :class:`contextvars.ContextVar`), and ``options.language = "fr"`` is what holds where nothing else was said.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any

from epee.errors import WrongUse

_spoken: ContextVar[str | None] = ContextVar("the language of épée", default=None)


def bytes_of(size: Any) -> int:
    """Return a size in bytes from a number, or from a text with a unit.

    >>> bytes_of("2GB"), bytes_of("1.5 MiB"), bytes_of(4096)
    (2000000000, 1572864, 4096)
    """
    found = re.fullmatch(r"\s*(\d+(?:[.,]\d+)?)\s*([kmgt]?)(i?)b?\s*", str(size), re.IGNORECASE)
    value = 0.0 if found is None else float(found[1].replace(",", "."))
    if found is None or value <= 0:
        raise WrongUse(
            f"memory is {size!r}; it must be a number of bytes above 0, or one with a unit such as 500MB or 2GB."
        )
    return int(value * (1024 if found[3] else 1000) ** " kmgt".index(found[2].lower() or " "))


@dataclass
class Options:
    """Settings of the whole library.

    Parameters
    ----------
    threads : int or None
        How many blocks are worked on at once; None is one for each core this process may use.
    progress : bool or None
        Show progress on standard error for work of more than a second; None shows it when that is a terminal.
    language : {"en", "fr"}
        Language of words in reports, pictures and verdicts, where no ``with`` block, ``lang=`` or ``--lang`` says another.
    memory : int, str or None
        The most that a table and what is made of it may take, in bytes or as "2GB"; None is a share of what is free.
    """

    threads: int | None = None
    progress: bool | None = None
    language: str = "en"
    memory: int | None = None
    _listeners: list[Callable[[str, int, int | None], None]] = field(default_factory=list, repr=False)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in {f.name for f in fields(self)}:
            known = ", ".join(f.name for f in fields(self) if not f.name.startswith("_"))
            raise AttributeError(f"epee.options has no option {name!r}; it has {known}.")
        if name == "threads" and value is not None and (int(value) != value or value < 1):
            raise ValueError(f"threads is {value!r}; it must be a whole number of at least 1, or None.")
        if name == "language":
            _check_language(value)
        if name == "memory" and value is not None:
            value = bytes_of(value)
        super().__setattr__(name, value)

    def __getattribute__(self, name: str) -> Any:
        """Return an option; the language is that of the context, where one is set."""
        return (_spoken.get() if name == "language" else None) or super().__getattribute__(name)

    @contextmanager
    def __call__(self, **changes: Any) -> Iterator[Options]:
        """Set options for the length of a ``with`` block: the language for this thread, the others for all."""
        language = changes.pop("language", None)
        if language is not None:
            _check_language(language)
        before = {name: getattr(self, name) for name in changes}
        spoken = _spoken.get()
        _spoken.set(language or spoken)
        try:
            for name, value in changes.items():
                setattr(self, name, value)
            yield self
        finally:
            _spoken.set(spoken)
            for name, value in before.items():
                setattr(self, name, value)

    def thread_count(self) -> int:
        """Return how many threads to use now."""
        if self.threads is not None:
            return self.threads
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def shows_progress(self) -> bool:
        """Tell whether progress goes to standard error."""
        return sys.stderr.isatty() if self.progress is None else self.progress


def _check_language(language: Any) -> None:
    if language not in ("en", "fr"):
        raise ValueError(f"language is {language!r}; épée speaks 'en' and 'fr'.")


options = Options()


@contextmanager
def listening(listener: Callable[[str, int, int | None], None]) -> Iterator[None]:
    """Tell a listener of all progress for the length of a ``with`` block: ``listener(words, done, total)``."""
    options._listeners.append(listener)
    try:
        yield
    finally:
        options._listeners.remove(listener)


def announce(words: str) -> None:
    """Say beforehand that something takes a while: to whoever is :func:`listening`, or on standard error where progress is shown."""
    from epee.words.progress_words import say

    words = say(words) if words in say else words
    for listener in options._listeners:
        listener(words, 0, 1)
    if not options._listeners and options.shows_progress():
        print(words, file=sys.stderr, flush=True)


@contextmanager
def progress(words: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show how far some work is, once it has taken more than a second.

    Yields ``tick(steps=1)``, to be called as steps are done. Whoever is :func:`listening` (the command line, the workbench) is told
    at every tick.

    >>> with progress("fitting", total=3) as tick:
    ...     for _ in range(3):
    ...         tick()
    """
    from epee.words.progress_words import say

    start, done, shown, words = time.monotonic(), 0, False, say(words) if words in say else words
    listeners = options._listeners  # one list, whoever joins it later; a tick is called thousands of times

    def tick(steps: int = 1) -> None:
        nonlocal done, shown
        done += steps
        for listener in listeners:
            listener(words, done, total)
        if not listeners and time.monotonic() - start > 1 and options.shows_progress():
            share = f"{100 * done / total:3.0f} %" if total else f"{done}"
            print(f"\r{words}: {share}", end="", file=sys.stderr, flush=True)
            shown = True

    try:
        yield tick
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
