"""The first pass over a table that passes by: moments of every cell, tallies of its numbers, a sample of rows, prints of the sealed ones.

All of it adds, so one reading gives all of it, wherever the rows are. Holes that nobody knew of are found in the same pass, which
is then made again with room for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.job.holding import take
from epee.job.sealing import fingerprints
from epee.job.tallies import Tallies, Tallying
from epee.moments.moments import Moments
from epee.table.block import Block
from epee.table.raw import RawBlock
from epee.typing import Codes, Matrix


@dataclass(frozen=True, eq=False)
class Seen:
    """What the first pass kept; it adds."""

    moments: Moments | None  # None while a hole was met that there is no room for
    tallies: Tallies
    sample: list[RawBlock]
    prints: list[np.ndarray]

    def __add__(self, other: Seen) -> Seen:
        both = None if self.moments is None or other.moments is None else self.moments + other.moments
        return Seen(both, self.tallies + other.tallies, self.sample + other.sample, self.prints + other.prints)


@dataclass(frozen=True, eq=False)
class Printing:
    """Return the fingerprints of the sealed rows of a block, those of cells from ``folds`` on, in a list, so that they add."""

    names: Sequence[str]
    folds: int
    targets: Sequence[str]
    classes: np.ndarray | None

    def __call__(self, block: Any) -> list[np.ndarray]:
        raw = block if isinstance(block, RawBlock) else columns_of_block(block, self.names)
        rows = np.flatnonzero(np.asarray(raw.fold) >= self.folds)
        if not len(rows):
            return []
        own = take(RawBlock({name: raw.columns[name] for name in self.names}, rows=len(raw)), rows)
        return [fingerprints(own, list(self.names), goals(np.asarray(raw.y)[rows], self.targets, self.classes))]


@dataclass(frozen=True, eq=False)
class Picking:
    """Return the fingerprints of some rows of a block by some of their columns, in a list, so that they add; ``picked`` are sorted."""

    names: Sequence[str]
    picked: Codes
    numbered = True  # it needs the numbers of the rows, on a cluster too

    def __call__(self, raw: RawBlock) -> list[np.ndarray]:
        first, last = np.searchsorted(self.picked, [raw.start, raw.start + len(raw)])
        places = self.picked[first:last] - raw.start
        return [fingerprints(take(raw, places), list(self.names))] if len(places) else []


@dataclass(frozen=True, eq=False)
class Looking:
    """Work on one block, raw or of numbers, that knows its cells.

    Parameters
    ----------
    row : function from a raw block to numbers, or None where blocks are numbers already
    keep : Summation
    kinds : mapping
        Columns of numbers to be tallied.
    holes : collection of str
        Columns that have room for missing cells.
    picked : array
        The rows of the sample.
    printing : Printing
        How the sealed rows are known again.
    """

    row: Callable[[RawBlock], Matrix] | None
    keep: Callable[[Block], Moments]
    names: Sequence[str]
    kinds: Mapping[str, str]
    holes: frozenset[str]
    picked: Codes
    printing: Printing
    numbered = True  # it needs the numbers of the rows, on a cluster too

    def __call__(self, block: Any) -> Seen:
        raw = block if isinstance(block, RawBlock) else columns_of_block(block, self.names)
        cell, y = np.asarray(block.fold), block.y
        tallies = Tallying(self.kinds)(raw)
        there = cell >= 0
        first, last = np.searchsorted(self.picked, [block.start, block.start + len(block)])
        places = self.picked[first:last] - block.start
        sample = [self._rows(raw, y, cell, block.weight, places)] if len(places) else []
        prints = self.printing(raw)
        moments = None
        if not any(tallies.columns[name].missing and name not in self.holes for name in self.kinds):
            moments = self.keep(self._numbers(block, raw, there))
        return Seen(moments, tallies, sample, prints)

    def _numbers(self, block: Any, raw: RawBlock, there: np.ndarray) -> Block:
        """Return the rows that have a target as numbers, with classes in the group axis."""
        plain = block if self.row is None else Block(self.row(raw), raw.y, raw.weight, raw.fold, start=raw.start)
        plain = plain if there.all() else plain.taking(there)
        return plain.having(group=plain.y, y=None) if self.printing.classes is not None else plain

    def _rows(self, raw: RawBlock, y: Any, cell: np.ndarray, weight: Any, places: Codes) -> RawBlock:
        some = take(RawBlock({name: raw.columns[name] for name in self.names}, rows=len(raw)), places)
        return some.having(
            y=np.asarray(y)[places],
            fold=cell[places],
            weight=None if weight is None else weight[places],
            start=raw.start,
        )


def columns_of_block(block: Block, names: Sequence[str]) -> RawBlock:
    """Return a block of numbers column by column, each where it lies if all lie whole in memory."""
    lanes, n = block.lanes(), len(block)
    columns = block.X.T if lanes is None else [lanes[0][i : i + n] for i in lanes[1].tolist()]
    return RawBlock(
        dict(zip(names, columns, strict=True)),
        block.y,
        block.weight,
        block.fold,
        start=block.start,
        rows=len(block),
    )


def goals(y: np.ndarray, targets: Sequence[str], classes: np.ndarray | None) -> dict[str, Any]:
    """Return the target by name, for fingerprints: numbers, or the labels that codes stand for."""
    import pyarrow as pa

    if classes is None:
        return dict(zip(targets, np.reshape(y, (len(y), -1)).T, strict=True))
    if classes.dtype.kind == "i":
        return {targets[0]: classes[y]}
    return {targets[0]: pa.DictionaryArray.from_arrays(pa.array(y), pa.array(classes.tolist(), pa.string()))}
