"""Limits on memory, looked at before the work: under a tight one the libraries below end the process without a word.

A limit that the system keeps (``ulimit -v``, ``RLIMIT_AS``) is one on addresses, of which threads and libraries take more than they
use. The other is what the user allows (``options.memory``, ``--memory``), or a share of what is free.
"""

from __future__ import annotations

import os

from epee.errors import TooLarge
from epee.table.allowance import allowed_memory, in_words

LEAST = 1_300_000_000  # addresses that a run on a small table takes, with its libraries and threads
BESIDE = 300_000_000  # of these, what is taken after the table has been opened
CELL = 64  # bytes a cell of a table in memory: as read, encoded, cut into folds


def limit() -> int | None:
    """Return the limit on addresses in bytes, or None where there is none."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return None
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def taken() -> int:
    """Return the addresses that the process has taken, in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def refuse_tight_limit() -> None:
    """Refuse a limit under which not even a small table can be learned from."""
    most = limit()
    if most is not None and most < LEAST:
        raise TooLarge(
            f"not enough memory: the limit of this process is {most / 1e9:.1f} GB (ulimit -v), "
            f"and {LEAST / 1e9:.1f} GB are needed at least."
        )


def refuse_beyond_limit(cells: float) -> None:
    """Refuse a table of so many cells where it cannot be held within the limit."""
    needed = BESIDE + CELL * cells
    room = allowed_memory()
    if CELL * cells > room:
        raise TooLarge(
            f"not enough memory: a table of {cells:,.0f} cells needs about {in_words(needed)}, and {in_words(room)} may be taken. "
            "Learn from a sample of it, or allow more with --memory."
        )
    most = limit()
    if most is not None and taken() + needed > most:
        raise TooLarge(
            f"not enough memory: a table of {cells:,.0f} cells needs about {needed / 1e9:.1f} GB, and the limit of this process "
            f"(ulimit -v) leaves {max(most - taken(), 0) / 1e9:.1f} GB. Learn from a sample of it."
        )
