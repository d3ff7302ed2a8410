"""One command in this process, and where its time goes: ``python -m benchmarks.one_run learn table.csv -t y``.

The last line of standard error is JSON: the seconds of the whole process, ``all``, and in them those of ``imports`` (whoever asks for
them, and whenever), of ``compiling`` and loading what was compiled, of ``reading`` the table and the saved predictor, of ``writing`` files,
and of ``computing``, which is the rest.
"""

from __future__ import annotations

import builtins
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

spent = {"imports": 0.0, "reading": 0.0, "writing": 0.0}
inside: list[str] = []  # what is being timed: an import during a read is an import


def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, its time counted under a name and taken from whatever it was called in."""

    def call(*given: Any, **options: Any) -> Any:
        if name in inside:
            return function(*given, **options)
        inside.append(name)
        start = time.perf_counter()
        try:
            return function(*given, **options)
        finally:
            took = time.perf_counter() - start
            inside.pop()
            spent[name] += took
            if inside:
                spent[inside[-1]] -= took

    return call


def each_timed(name: str, function: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Return a function whose iterator is timed at every step."""

    def call(*given: Any, **options: Any) -> Iterator[Any]:
        step = timed(name, partial(next, function(*given, **options), None))
        yield from iter(step, None)

    return call


class Watched:
    """A stream whose writing is timed."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.write = stream, timed("writing", stream.write)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def since_start() -> float:
    """Return the seconds since the process began: the interpreter's own start is waited for, too."""
    try:
        with open(f"/proc/{os.getpid()}/stat", encoding="ascii") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        with open("/proc/uptime", encoding="ascii") as file:
            return float(file.read().split()[0]) - ticks / os.sysconf("SC_CLK_TCK")
    except OSError:
        return time.perf_counter()


def main(words: list[str]) -> int:
    """Run the command with its parts timed."""
    builtins.__import__ = timed("imports", builtins.__import__)
    from epee.cli.app import run, spare_pandas

    spare_pandas(words)
    from epee.cli.shared_options import load_lean

    load_lean()
    from epee.job import bundle, learned, learning, predictor, understanding, writing
    from epee.table import source

    learning.hold = timed("reading", learning.hold)
    source.open_table = understanding.open_table = timed("reading", source.open_table)
    for place in (learning, learned):
        made = getattr(place, "Learned", None)
        if made is not None:
            made.save, made.report = timed("writing", made.save), timed("writing", made.report)
            break
    atomic = writing.atomic

    @contextmanager
    def watched(*given: Any, **options: Any) -> Any:
        with atomic(*given, **options) as stream:
            yield Watched(stream)

    if words[0] == "predict":
        writing.atomic = watched
        bundle.load = timed("reading", bundle.load)
        predictor.Predictor.open = timed("reading", predictor.Predictor.open)
        source.TableSource.raw_blocks = each_timed("reading", source.TableSource.raw_blocks)
    code = run(words)
    from epee.kernels.compiling import spent as met

    compiling = met()["compiling"] + met()["loading"]
    parts = {**spent, "compiling": compiling, "all": since_start()}
    parts["computing"] = parts["all"] - sum(v for k, v in parts.items() if k != "all")
    print("\n" + json.dumps({k: round(v, 3) for k, v in parts.items()}), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
