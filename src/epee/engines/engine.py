"""Who adds: the protocol of engines, the registry of their names, and what a worker of any engine does with a part.

An engine maps a work over the blocks of a source, and merges what it finds. It knows nothing of classes, folds or methods: what the
parts of a source must know of each other is found by ``source.prepare(engine, wanted)``. Works and merges are pure and
picklable, so a part that is lost is done again and changes no digit.

Another package adds an engine by an entry point of the group ``epee.engines``. Its name is what users write in
``epee.engine("name")`` and what a source calls its ``home``; its value is called without arguments to make the engine.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Protocol, TypeVar, runtime_checkable

from epee.engines.local import LOCAL, alone, tree
from epee.errors import DataError, WrongUse
from epee.errors import EngineLost as EngineLost
from epee.table.block import Block, Readable
from epee.table.parts import Part, adopted
from epee.table.prefetch import one_core

T = TypeVar("T")


@runtime_checkable
class Engine(Protocol):
    """Who adds the blocks of a source."""

    name: str

    def reduce(
        self,
        source: Readable,
        work: Callable[[Any], T],
        *,
        merge: Callable[[T, T], T] = operator.add,
        rows: int | None = None,
    ) -> T:
        """Return the merged results of ``work(block)`` over all blocks, of about ``rows`` rows each.

        A work with a true attribute ``numbered`` needs the numbers that rows have in the whole table.
        """

    def map(self, source: Readable, work: Callable[[Any], T], *, rows: int | None = None) -> Iterator[T]:
        """Yield ``work(block)`` in the order of the rows, each when it is asked for; blocks are numbered."""


def parts_of(engine: Engine, source: Readable, wanted: int, rows: int | None, work: Any = None) -> Iterator[Part]:
    """Yield the parts of a source for an engine that sends them away; numbered where ``work`` is None or says so."""
    whole = adopted(source)
    whole.prepare(engine, wanted)
    return whole.parts(wanted, rows, numbered=work is None or getattr(work, "numbered", False))


def parts_for(threads: int) -> int:
    """Return how many parts to make: enough to even out those that take longer, few enough for the scheduler.

    >>> parts_for(2), parts_for(1000)
    (16, 2000)
    """
    return threads * max(2, min(8, 1024 // threads))


def _blocks(payload: Any, build: Any, rows: int | None, start: int) -> Iterator[Any]:
    """Yield the blocks of a part, with the numbers that their rows have in the whole table."""
    for block in build(payload).blocks(rows):
        if len(block):
            yield block.having(start=block.start + start) if start else block


def reduce_part(payload: Any, build: Any, work: Any, merge: Any, rows: int | None, start: int, label: str) -> Any:
    """Reduce one part on a worker to ``(result,)``; None when it has no rows. A fault is told with the part."""
    with alone(), one_core():
        try:
            found = [(part,) for part in _done(_blocks(payload, build, rows, start), work)]
            return (tree((part for (part,) in found), merge),) if found else None
        except Exception as fault:
            raise named(fault, label) from fault


def map_part(payload: Any, build: Any, work: Any, rows: int | None, start: int, label: str) -> list[Any]:
    """Return ``work(block)`` for each block of one part."""
    with alone(), one_core():
        try:
            return list(_done(_blocks(payload, build, rows, start), work))
        except Exception as fault:
            raise named(fault, label) from fault


def _done(blocks: Iterator[Block], work: Any) -> Iterator[Any]:
    """Yield ``work(block)``: on the card of this worker, where it has one and the work can be done there, else here."""
    card = card_of_worker() if getattr(work, "anywhere", False) else None
    if card is None:
        yield from map(work, blocks)
        return
    from epee.engines.libraries import travelling

    for block in travelling(card, blocks):
        found = work(block)
        yield found.here() if hasattr(found, "here") else found  # sums go on from here


@lru_cache(maxsize=1)
def card_of_worker() -> Any:
    """Return the library of the card that this process was given by the variable ``EPEE_DEVICE``; None where it was given none.

    "cuda" is an error where there is no card, "auto" the CPU. Whoever starts the worker says which card it sees, one to each.
    """
    asked = os.environ.get("EPEE_DEVICE", "")
    if not asked:
        return None
    if asked not in ("cuda", "auto"):
        raise WrongUse(f"EPEE_DEVICE is {asked!r}; it must be 'cuda' or 'auto', or not be set.")
    from epee.engines.libraries import find_library

    try:
        return find_library()
    except WrongUse:
        if asked == "cuda":
            raise
        return None


def merge_parts(found: list[Any], merge: Any) -> Any:
    """Merge what :func:`reduce_part` gave for some parts, in their order; None when none had rows."""
    there = [part[0] for part in found if part is not None]
    return (tree(there, merge),) if there else None


def total_of(merged: Any) -> Any:
    """Return the one result that is left, or say that there were no rows."""
    if merged is None:
        raise DataError("Found array with 0 sample(s): the parts hold no rows, and a minimum of 1 is required.")
    return merged[0]


def named(fault: Exception, label: str) -> Exception:
    """Return the same kind of fault with the part in its sentence, where its kind can carry one."""
    words = str(fault)
    sentence = words if words.startswith(label) else f"{label}: {words or type(fault).__name__}"
    try:
        return type(fault)(sentence)
    except TypeError:
        return DataError(sentence) if isinstance(fault, ValueError) else EngineLost(sentence)


def _dask() -> Engine:
    from epee.engines.dask_engine import DaskEngine

    return DaskEngine()


def _spark() -> Engine:
    from epee.engines.spark_engine import SparkEngine

    return SparkEngine()


def _dask_at_home() -> Engine:
    """Return the engine for partitions that nobody asked processes for: a script may not be able to start any."""
    from epee.engines.dask_engine import DaskEngine, find_client

    return DaskEngine(find_client(processes=False))


def _cuda() -> Engine:
    from epee.engines.device import cuda

    return cuda()


def _auto() -> Engine:
    from epee.engines.device import auto

    found: Engine = auto()
    return found


def _device_at_home() -> Engine:
    from epee.engines.device import device_at_home

    return device_at_home()


ENGINES: dict[str, Callable[[], Engine]] = {
    "local": lambda: LOCAL,
    "dask": _dask,
    "spark": _spark,
    "cuda": _cuda,
    "auto": _auto,
}
HOMES: dict[str, Callable[[], Engine]] = {"dask": _dask_at_home, "device": _device_at_home}


def make_engine(name: str, at_home: bool = False) -> Engine:
    """Return the engine of a name, ours or that of another package.

    >>> make_engine("local").name
    'local'
    """
    make = (HOMES.get(name) if at_home else None) or ENGINES.get(name)
    if make is None:
        theirs = {entry.name: entry for entry in entry_points(group="epee.engines")}
        if name not in theirs:
            known = ", ".join(repr(n) for n in [*ENGINES, *theirs])
            raise WrongUse(
                f"engine {name!r} is not one of {known}, the address of a scheduler, a Dask client or a Spark session."
            )
        make = theirs[name].load()
    try:
        return make()
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] in ("dask", "distributed"):
            raise WrongUse("the Dask engine needs Dask: pip install 'epee[dask]'.") from fault
        if (fault.name or "").partition(".")[0] == "pyspark":
            raise WrongUse("the Spark engine needs PySpark and Java: pip install 'epee[spark]'.") from fault
        raise
