"""A view: the rows of a source seen through a change of its blocks. Codes, folds, encodings, bases are all views.

Nothing is held of the rows. The parts of a view are the parts of its source, each seen through the change, so whatever can
be added on a cluster can still be added there; and an engine that has threads lets them do the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from epee.table.block import Block, Readable, Source
from epee.table.changes import Beside, Change, Cut, Dropping, InOrder
from epee.table.parts import BlockSource, Part, adopted, travelling
from epee.typing import Vector


class View(BlockSource):
    """A source whose blocks are ``change(block)``.

    Parameters
    ----------
    source : Source
    change : picklable function from block to block
        See :mod:`epee.table.changes` for those that need more than one block.
    names : sequence of str, optional
        Where the change makes other columns, what they are called.
    n_columns : int, optional
        Where the change makes other columns without names, how many.
    origin : array (p,), optional
        A point within the cloud; by default that of the source, or the mean of the first rows where the columns are others.

    Examples
    --------
    >>> from epee.table.arrays import ArraySource
    >>> from epee.table.changes import Celled
    >>> source = View(ArraySource(np.zeros((4, 1))), Celled(np.array([0, 1, 0, 1])))
    >>> [block.fold.tolist() for block in source.blocks(3)]
    [[0, 1, 0], [1]]
    """

    def __init__(
        self,
        source: Readable,
        change: Change,
        *,
        names: Sequence[str] | None = None,
        n_columns: int | None = None,
        origin: Vector | None = None,
    ) -> None:
        self.source, self.change, self._origin = adopted(source), change, origin
        self._other = names is not None or n_columns is not None
        self._names, self._n_columns = names, n_columns if names is None else len(names)
        self.n_rows = _rows(self.source, change)
        self._head: Block | None = None
        self._before: dict[int, np.ndarray] = {}  # rows of each stratum before the part that begins there

    @property
    def names(self) -> Sequence[str] | None:
        """What the columns are called, if anything."""
        return self._names if self._other else self.source.names

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.source.n_columns if self._n_columns is None else self._n_columns

    @property
    def home(self) -> str:
        """Where the rows of the source lie."""
        return self.source.home

    @property
    def passes(self) -> int:
        """How often the source was read."""
        return self.source.passes

    @property
    def in_order(self) -> bool:
        """Whether those of the source are."""
        return self.source.in_order

    @contextmanager
    def held(self) -> Iterator[Source]:
        """Keep the rows of the source."""
        with self.source.held() as source:
            if source is self.source:
                yield cast(Source, self)
                return
            view = copy(self)
            view.source, view.n_rows = source, _rows(source, self.change)
            yield cast(Source, view)

    @property
    def target_levels(self) -> np.ndarray | None:
        """The labels of the source."""
        return self.source.target_levels

    @property
    def origin(self) -> Vector:
        """A point within the cloud."""
        if self._origin is not None:
            return self._origin[: self.n_columns]
        head = self.head() if self._other else None
        if head is None or not len(head):
            return self.source.origin if not self._other else np.zeros(self.n_columns)
        with np.errstate(over="ignore", invalid="ignore"):
            mean: Vector = np.asarray(head.X, dtype=np.float64).mean(axis=0)
        return mean

    def head(self) -> Block | None:
        """Return the first rows, changed."""
        if self._head is None:
            head = self.source.head()
            self._head = None if head is None else self.change(head)
        return self._head

    def narrow(self) -> Source:
        """Return the view of fewer inputs, where the change looks at none."""
        if not (isinstance(self.change, Beside) and self.change.inputs_untouched):
            return cast(Source, self)
        return _over(self.source.narrow(), bare=self._bare(self.change))

    def through(self, work: Callable[[Any], Any]) -> tuple[Source, Callable[[Any], Any]]:
        """Leave the change to whoever works on the block, unless it must see the blocks in order."""
        if isinstance(self.change, InOrder):
            return cast(Source, self), work
        return self.source.through(Changing(self.change, work))

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the changed blocks."""
        change = self._dealing().begin() if isinstance(self.change, InOrder) else self.change
        for block in self.source.blocks(rows):
            yield change(block)

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Yield the parts of the source, each seen through the part of the change that belongs to it."""
        change = self.change
        numbered = numbered or isinstance(change, Cut | InOrder)
        pieces = self.source.parts(wanted, rows, numbered)
        if not isinstance(change, InOrder):
            for piece in pieces:
                mine = (
                    change if not isinstance(change, Cut) else change.part(piece.start, piece.start + (piece.rows or 0))
                )
                yield piece.then(partial(_over, bare=self._bare(mine)))
            return
        for piece in pieces:
            if piece.heavy:  # read here in order, so changed here
                yield from travelling(cast(Source, self), rows)
                return
            if piece.start not in self._before:
                self._count([p.start for p in self.source.parts(wanted, rows, True)], None)
            yield piece.then(partial(_over, bare=self._bare(self._dealing().after(self._before[piece.start]))))

    def prepare(self, engine: Any, wanted: int) -> None:
        """Let the engine count the rows of each stratum before each part, where the change needs them."""
        self.source.prepare(engine, wanted)
        if not isinstance(self.change, InOrder):
            return
        starts = []
        for piece in self.source.parts(wanted, None, True):
            if piece.heavy:
                return
            starts.append(piece.start)
        if not set(starts) <= set(self._before):
            self._count(starts, engine)
        self._dealing(engine)

    def _count(self, starts: list[int], engine: Any) -> None:
        """Find how many rows of each stratum come before each of these rows; where there is one stratum, all of them."""
        assert isinstance(self.change, InOrder)
        K, ordered = self.change.n_strata, sorted(set(starts))
        if K == 1:
            self._before = {s: np.array([s]) for s in ordered}
            return
        found = self._between(ordered, engine)
        total, self._before = np.zeros(K, dtype=np.int64), {}
        for i, s in enumerate(ordered):
            self._before[s] = total
            total = total + found.get(i, 0)
        if ordered and ordered[0] == 0:
            self.change = self.change.knowing(total)

    def _between(self, starts: list[int], engine: Any) -> dict[int, np.ndarray]:
        """Count the rows of each stratum in the stretches that begin at these rows."""
        assert isinstance(self.change, InOrder)
        counting, narrow = StrataBetween(self.change, starts), self.source.narrow()
        if engine is None:
            return StrataBetween.merge_all(counting(block) for block in narrow.blocks())
        found: dict[int, np.ndarray] = engine.reduce(narrow, counting, merge=StrataBetween.merge)
        return found

    def _dealing(self, engine: Any = None) -> InOrder:
        """Return the change, knowing how many rows of each stratum there are; where nobody has counted them, a pass does."""
        assert isinstance(self.change, InOrder)
        if self.change.totals is None:
            K, n = self.change.n_strata, self.source.n_rows
            known = (
                np.array([n])
                if K == 1 and n is not None
                else self._between([0], engine).get(0, np.zeros(K, dtype=np.int64))
            )
            self.change = self.change.knowing(known)
        return self.change

    def _bare(self, change: Change) -> View:
        """Return this view without its source, with a change that may be cut."""
        bare = copy(self)
        bare._head = None
        bare.source, bare.change, bare._before = cast(Source, None), change, {}
        return bare


def _over(source: Source, bare: View) -> View:
    """Return a bare view over a source."""
    view = copy(bare)
    view.source, view.n_rows = source, _rows(source, bare.change)
    return view


def _rows(source: Source, change: Change) -> int | None:
    """Return the rows of a view as known now: a method that goes by their number must not change its mind between passes."""
    return None if isinstance(change, Dropping) and change.drops else source.n_rows


@dataclass(frozen=True, eq=False)
class Changing:
    """Work on a block once it is changed."""

    change: Change
    work: Callable[[Any], Any]

    def __call__(self, block: Any) -> Any:
        return self.work(self.change(block))


@dataclass(frozen=True, eq=False)
class StrataBetween:
    """Count the rows of each stratum of a block in the stretches of rows that begin at ``starts``: {stretch: counts (K,)}."""

    change: InOrder
    starts: list[int]
    numbered = True  # it needs the numbers of the rows, on a cluster too

    def __call__(self, block: Block) -> dict[int, np.ndarray]:
        strata, K, starts = self.change.strata(block), self.change.n_strata, np.asarray(self.starts)
        strata = np.zeros(len(block), dtype=np.intp) if strata is None else strata
        first = int(np.searchsorted(starts, block.start, side="right")) - 1
        ends = np.append(starts[1:], np.iinfo(np.int64).max) - block.start  # of each stretch, counted from this block
        found, i = {}, 0
        while i < len(block):
            j = int(min(ends[first], len(block)))
            if j > i:
                found[first] = np.bincount(strata[i:j], minlength=K)
            i, first = j, first + 1
        return found

    @staticmethod
    def merge(a: dict[int, np.ndarray], b: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        """Return the sum of two such counts."""
        return a | {k: a[k] + c if k in a else c for k, c in b.items()}

    @staticmethod
    def merge_all(found: Iterator[dict[int, np.ndarray]]) -> dict[int, np.ndarray]:
        """Return the sum of many."""
        total: dict[int, np.ndarray] = {}
        for each in found:
            total = StrataBetween.merge(total, each)
        return total
