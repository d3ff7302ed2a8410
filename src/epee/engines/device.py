"""The engine on a graphics card: the same map and merge, on rows that lie there.

Rows that lie there already, as arrays of CuPy, PyTorch or JAX, are worked on in place by their own library. Others are sent: a table
that fits goes whole and once, a larger one or a file block by block through page-locked buffers (:mod:`epee.engines.libraries`). A work
says by an attribute ``anywhere`` that it takes blocks of any library; what cannot be done there is done here, on the CPU, and that
is said once, by the words ``said`` of the work. Blocks have a fixed size and are merged in a fixed tree: the same rows give the same bits.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from epee.arrays import memory_of, whole_products
from epee.engines.libraries import Library, find_library, is_full, travelling
from epee.engines.local import LOCAL, tree
from epee.errors import EngineLost, EngineWarning, WrongUse
from epee.table.block import Block, Readable
from epee.table.elsewhere import ElsewhereSource

T = TypeVar("T")
BLOCK_BYTES = 1 << 30  # of a block and what is made of it, on the device, at least
BLOCK_SHARE = 32  # and this part of the memory of a card that is larger
SENT_BYTES = (
    1 << 27
)  # of a block that travels: long enough for the full speed of the bus, and of the threads that fill its buffer
FEWEST_ROWS = 1024
SINGLE_ROWS = 1 << 16  # that are added up in 32 bits
SHARE = 0.4  # of the free memory that a table may take: as much again is needed to work on it
_told: set[str] = set()


class DeviceEngine:
    """Map and merge on a device.

    Parameters
    ----------
    library : Library, optional
        Who sends rows there; None where they lie there already.
    gives_up : bool, default=True
        Whether a device without memory is an error; otherwise the CPU takes over, and a sentence says so.
    """

    def __init__(self, library: Library | None = None, *, gives_up: bool = True) -> None:
        self.library, self.gives_up = library, gives_up
        self.name = "device" if library is None else "cuda"

    def reduce(
        self,
        source: Readable,
        work: Callable[[Any], T],
        *,
        merge: Callable[[T, T], T] = operator.add,
        rows: int | None = None,
    ) -> T:
        """Return the merged results of ``work(block)`` over all blocks."""
        if not self._can(source, work):
            return LOCAL.reduce(source, work, merge=merge, rows=rows)
        try:
            with whole_products(getattr(source, "X", None)):
                return tree(map(work, self._blocks(source, work)), merge)
        except Exception as fault:  # noqa: BLE001 - every library has its own word for a full device
            self._or_give_up(fault)
            return LOCAL.reduce(source, work, merge=merge, rows=rows)

    def map(self, source: Readable, work: Callable[[Any], T], *, rows: int | None = None) -> Iterator[T]:
        """Yield ``work(block)`` in the order of the rows."""
        if not self._can(source, work):
            yield from LOCAL.map(source, work, rows=rows)
            return
        done = 0
        try:
            for block in self._blocks(source, work):
                with whole_products(block.X):
                    found = work(block)
                done = block.start + block.X.shape[0]
                yield found
        except Exception as fault:  # noqa: BLE001 - every library has its own word for a full device
            self._or_give_up(fault)
            yield from map(work, _after(source, done))

    def sent(self, X: Any) -> Any:
        """Return a table of numbers on the device where it fits, else as it is."""
        if self.library is None or not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiub":
            return X
        if X.nbytes > SHARE * self.library.free():
            return X
        try:
            return self.library.send(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))
        except Exception as fault:  # noqa: BLE001 - every library has its own word for a full device
            self._or_give_up(fault)
            return X

    def _can(self, source: Readable, work: Any) -> bool:
        """Tell whether a work takes the rows of a source on the device; if not, say so once."""
        if getattr(work, "anywhere", False) and (self.library is not None or isinstance(source, ElsewhereSource)):
            return True
        reads = source.n_columns and not getattr(work, "narrow", False)
        if reads and not getattr(
            work, "quiet", False
        ):  # nothing need be said where rows are not read, or only looked at
            named = getattr(work, "__name__", type(work).__name__)
            what = getattr(work, "said", None) or asker_of(source) or named
            tell_once(f"{what} has no road on the device: it runs on the CPU, and the rows are brought there.")
        return False

    def _blocks(self, source: Readable, work: Any) -> Iterator[Block]:
        width = work.width() if hasattr(work, "width") else 3 * source.n_columns
        if isinstance(source, ElsewhereSource):
            most = max(BLOCK_BYTES, (memory_of(source.X) or 0) // BLOCK_SHARE) // (8 * max(1, width))
            single = not str(source.X.dtype).endswith("64")
            return source.there(max(FEWEST_ROWS, min(most, SINGLE_ROWS) if single else most))
        assert self.library is not None
        return travelling(self.library, source.blocks(max(FEWEST_ROWS, SENT_BYTES // (8 * max(1, source.n_columns)))))

    def _or_give_up(self, fault: Exception) -> None:
        """Raise what went wrong, unless the device is full and the CPU may take over."""
        if not is_full(fault):
            raise fault
        words = ". ".join(str(fault).strip().splitlines()[0].split(". ")[:2]).rstrip(
            "."
        )  # what else it says is for engineers
        if self.gives_up:
            raise EngineLost(
                f"the device has no memory left ({words}): use smaller tables, or engine('auto'), which then turns to the CPU."
            ) from fault
        tell_once(f"the device has no memory left ({words}): the CPU takes over.")


def asker_of(source: Any) -> str | None:
    """Return the name of the method that reads a source, or what it is a view of; None where nobody said."""
    while source is not None:
        if getattr(source, "asked_by", None):
            return str(source.asked_by)
        source = getattr(source, "source", None)
    return None


def _after(source: Readable, row: int) -> Iterator[Block]:
    """Yield the rows from a number on, here."""
    for block in source.blocks():
        if block.start + len(block) > row:
            yield block.between(max(0, row - block.start), len(block))


def tell_once(sentence: str) -> None:
    """Warn of something that need not be said again."""
    if sentence not in _told:
        _told.add(sentence)
        warnings.warn(sentence, EngineWarning, stacklevel=2)


def device_at_home() -> DeviceEngine:
    """Return the engine of rows that lie on a device already."""
    return DeviceEngine(gives_up=False)


def cuda() -> DeviceEngine:
    """Return the engine of ``engine("cuda")``: it fails where there is no device."""
    return DeviceEngine(find_library())


def auto() -> Any:
    """Return the engine of ``engine("auto")``: the device where there is one, else the threads of this process, and says so."""
    try:
        return DeviceEngine(find_library(), gives_up=False)
    except WrongUse as fault:
        tell_once(f"{fault} The CPU is used.")
        return LOCAL
