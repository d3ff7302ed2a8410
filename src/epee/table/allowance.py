"""How much memory a table, and what is made of it, may take: what the user allows, or a share of what is free."""

from __future__ import annotations

import os
from contextlib import suppress

from epee.settings import options

SHARE = 0.6  # of the free memory, when nobody has said how much


def allowed_memory() -> int:
    """Return how many bytes may be taken now."""
    return options.memory or max(int(SHARE * free_memory()), 1 << 28)


def free_memory() -> int:
    """Return the bytes that the system, or the group of processes that this one belongs to, can still give."""
    free = _total()
    with suppress(OSError, ValueError, IndexError), open("/proc/meminfo", encoding="ascii") as lines:
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    for most, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):  # no such limit
            free = min(free, max(_number(most) - _number(used), 0))
    return free


def _number(path: str) -> int:
    with open(path, encoding="ascii") as stream:
        return int(stream.read())


def _total() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return 4 << 30


def in_words(size: float) -> str:
    """Return a number of bytes as people write it.

    >>> in_words(2_500_000_000), in_words(64_000_000)
    ('2.5 GB', '64 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
