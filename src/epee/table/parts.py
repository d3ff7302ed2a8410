"""Parts of a source that another process can read: what a cluster maps over.

A part is a payload that travels (a file and its row groups, a slice of an array, a Dask partition still to be made) and a function that
builds a source from it where it arrives. Parts come in the order of the rows, share the origin, the schema and the
classes of the whole, and only what they are reduced to comes back. In a part rows are numbered from 0; the part knows the
number of its first row in the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from epee.table.block import Block, Readable, Source, cut
from epee.typing import Vector

TRAVEL_BYTES = 4 << 20  # of rows in one part, where the rows themselves must travel


@dataclass(frozen=True, eq=False)
class Part:
    """One part: what travels, how it becomes a source there, how to call it in a sentence.

    ``start`` is the number of its first row in the whole table and ``rows`` how many it has, where these are known; ``heavy``
    parts carry rows, so only a few should be under way at once.
    """

    payload: Any
    build: Callable[[Any], Any]
    label: str
    start: int = 0
    rows: int | None = None
    heavy: bool = False

    def then(self, change: Callable[[Any], Any]) -> Part:
        """Return the part whose source goes through a picklable function once it is built."""
        return replace(self, build=partial(_then, build=self.build, change=change))


def _then(payload: Any, build: Callable[[Any], Any], change: Callable[[Any], Any]) -> Any:
    return change(build(payload))


def arrived(payload: Any) -> Any:
    """Return a payload that is a source already."""
    return payload


class BlockSource:
    """What every source can do once it has ``names``, ``n_columns``, ``n_rows``, ``origin`` and ``blocks``.

    A class that knows a better way to cut its rows than to send them has its own :meth:`parts`.

    Attributes
    ----------
    home : str
        Where the rows lie, which says which engine adds them.
    passes : int
        How often all rows were read.
    """

    home: str = "local"
    passes: int = 0

    @property
    def is_away(self) -> bool:
        """Tell whether the rows lie in the partitions of a cluster."""
        return self.home not in ("local", "device")

    @property
    def in_order(self) -> bool:
        """Tell whether rows have the same numbers at each pass; sums do without."""
        return True

    @property
    def target_levels(self) -> np.ndarray | None:
        """The sorted labels of the target, where they are known or cheap to find."""
        return None

    @contextmanager
    def held(self) -> Iterator[Source]:
        """Keep the rows where they lie, in the form that a pass reads fastest, for the length of a method of many passes."""
        yield cast(Source, self)

    def head(self) -> Block | None:
        """Return the first 256 rows, None where there are none."""
        return next(iter(cast(Source, self).blocks(256)), None)

    def narrow(self) -> Source:
        """Return the same rows with as few inputs as can be read, for passes that look only at what lies beside them."""
        return cast(Source, self)

    def through(self, work: Callable[[Any], Any]) -> tuple[Source, Callable[[Any], Any]]:
        """Return a source and a work on its blocks that together do the same, with all that can wait done by the work."""
        return cast(Source, self), work

    def prepare(self, engine: Any, wanted: int) -> None:
        """Find what the parts must know of each other, by an engine, before they are made; mostly nothing."""

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Yield the parts in order; about ``wanted`` of them where the source can be cut anywhere.

        ``rows`` is the size of blocks that are read here and travel. ``numbered`` parts know their first row and how many
        they have, which may take a pass.
        """
        return travelling(cast(Source, self), rows)


def travelling(source: Readable, rows: int | None = None) -> Iterator[Part]:
    """Send the blocks themselves, a few at a time: for what only this process can read, such as SQL or a text file."""
    held: list[Block] = []
    k = size = 0

    def part() -> Part:
        build = partial(Held, names=source.names, n_columns=source.n_columns)
        first = held[0].start
        here = [block.having(start=block.start - first) for block in held]
        return Part(here, build, f"part {k} (rows from {first})", first, sum(map(len, here)), heavy=True)

    for block in source.blocks(rows):
        held.append(block)
        size += block.nbytes
        if size >= TRAVEL_BYTES:
            yield part()
            held, size, k = [], 0, k + 1
    if held:
        yield part()


class Held(BlockSource):
    """Blocks that travelled."""

    def __init__(self, blocks: Sequence[Block], names: Sequence[str] | None, n_columns: int) -> None:
        self._held, self.names, self.n_columns = blocks, names, n_columns
        self.n_rows = sum(map(len, blocks))

    @property
    def origin(self) -> Vector:
        """The mean of the first block."""
        mean: Vector = self._held[0].X.mean(axis=0)
        return mean

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks as they came, larger ones cut."""
        for block in self._held:
            yield from [block] if rows is None or len(block) <= rows else cut(iter([block]), rows)


class Adopted(BlockSource):
    """A source of somebody else's making, that yields blocks and need do no more."""

    def __init__(self, source: Readable) -> None:
        self.source, self.names, self.n_columns = source, source.names, source.n_columns

    @property
    def n_rows(self) -> int | None:
        """As the source says."""
        return self.source.n_rows

    @property
    def origin(self) -> Vector:
        """As the source says."""
        return self.source.origin

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks, numbered."""
        start = 0
        for block in self.source.blocks(rows):
            yield block if block.start == start else block.having(start=start)
            start += len(block)


def adopted(source: Readable) -> Source:
    """Return the source itself where it is a whole one, else one that can do the rest."""
    return cast(Source, source if isinstance(source, BlockSource) else Adopted(source))
