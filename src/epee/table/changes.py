r"""Changes of a block, for a :class:`~epee.table.view.View`: labels to codes, rows to folds, folds to the rows a model learns from.

A change is a picklable function of one block. Two kinds need more than the block:

- one that carries an entry for each row of the table (:class:`Celled`) is *cut* to the rows of a part before it travels;
- one that needs what came before (:class:`Dealt`: the fold of a row follows from its class, its rank in that class and the size of the
  class, :mod:`epee.table.folds`) is *in order*: a stream carries along how many rows of each class have passed, and each part of a
  cluster starts from the prefix sum of the counts. So the folds are those of the rows read in order. How many there are in all is
  counted first, where nobody has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from epee.errors import DataError
from epee.table.block import Block
from epee.table.folds import fold_of, ranks_in_class
from epee.table.labels import codes_of
from epee.table.raw import RawBlock
from epee.typing import Codes, Labels, Matrix, Vector

Change = Callable[[Any], Block]

CHANGED = "the rows are not the same at each pass: a class has more of them than a pass ago; give a table that stays as it is."


@runtime_checkable
class Cut(Protocol):
    """A change with an entry for each row of the table."""

    def part(self, start: int, stop: int) -> Change:
        """Return the change of rows ``start`` to ``stop - 1`` alone, which are numbered from 0 there."""


@runtime_checkable
class InOrder(Protocol):
    """A change that needs what came before."""

    n_strata: int
    totals: np.ndarray | None

    def knowing(self, totals: np.ndarray) -> InOrder:
        """Return the change, told how many rows of each stratum (K,) there are in all."""

    def strata(self, block: Block) -> Codes | None:
        """Return the stratum of each row of a block, None where there is one only."""

    def after(self, before: np.ndarray) -> Change:
        """Return the change of rows that follow so many of each stratum (K,)."""

    def begin(self) -> Change:
        """Return a function that changes the blocks from the first on, in their order."""


@runtime_checkable
class Beside(Protocol):
    """A change that neither reads nor changes the inputs, so that a pass which needs none may leave them out."""

    inputs_untouched: bool


@runtime_checkable
class Dropping(Protocol):
    """A change that may leave rows out."""

    drops: bool


@dataclass(frozen=True, eq=False)
class Coded:
    """Labels become codes of the sorted classes, in the group axis."""

    labels: Labels
    inputs_untouched = True

    def __call__(self, block: Block) -> Block:
        return block.having(y=None, group=codes_of(block.y, self.labels, block.start))


@dataclass(frozen=True, eq=False)
class Celled:
    """Each row goes to its cell, ``cell`` (n,) over the whole table: a fold; with ``drop`` rows of cell -1 are left out.

    >>> block = Celled(np.array([0, -1, 1]), drop=True)(Block(np.arange(3.0)[:, None]))
    >>> block.fold, block.X[:, 0]
    (array([0, 1]), array([0., 2.]))
    """

    cell: Codes
    drop: bool = False
    inputs_untouched = True

    @property
    def drops(self) -> bool:
        """Whether rows are left out."""
        return self.drop

    def part(self, start: int, stop: int) -> Celled:
        """Return the cells of some rows."""
        return replace(self, cell=self.cell[start:stop])

    def __call__(self, block: Block) -> Block:
        cell = self.cell[block.start : block.start + len(block)]
        block = block.having(fold=cell)
        return block.taking(cell >= 0) if self.drop and len(cell) and cell.min() < 0 else block


@dataclass(frozen=True)
class Reweighed:
    """Weights in another unit: each is multiplied by ``factor``.

    >>> Reweighed(4.0)(Block(np.zeros((2, 1)), weight=np.array([0.25, 0.5]))).weight
    array([1., 2.])
    """

    factor: float
    inputs_untouched = True

    def __call__(self, block: Block) -> Block:
        return block.having(weight=np.asarray(block.weight, dtype=np.float64) * self.factor)


@dataclass(frozen=True, eq=False)
class Dealt:
    """Folds by rule: ``n_folds`` of them, stratified by the codes of ``n_classes`` in the group axis where given.

    ``before`` (K,) says how many rows of each class came before the first row, ``totals`` (K,) how many there are in all.
    """

    n_folds: int
    seed: int = 0
    n_classes: int | None = None
    before: np.ndarray | None = None
    totals: np.ndarray | None = None
    inputs_untouched = True

    def knowing(self, totals: np.ndarray) -> Dealt:
        """Return the folds of classes of these sizes."""
        return replace(self, totals=totals)

    @property
    def n_strata(self) -> int:
        """Classes, or one stratum."""
        return self.n_classes or 1

    def strata(self, block: Block) -> Codes | None:
        """Return the class of each row."""
        return None if self.n_classes is None else np.asarray(block.group)

    def after(self, before: np.ndarray) -> Dealt:
        """Return the folds of rows that follow so many of each class."""
        return replace(self, before=before)

    def begin(self) -> Change:
        """Return a function that deals the rows of successive blocks."""
        counts = np.zeros(self.n_strata, dtype=np.int64) if self.before is None else self.before.copy()
        totals = self.totals
        assert totals is not None, "the view counts the classes first"

        def deal(block: Block) -> Block:
            codes = self.strata(block)
            codes = np.zeros(len(block), dtype=np.intp) if codes is None else codes
            ranks = ranks_in_class(codes, counts)
            counts[:] += np.bincount(codes, minlength=len(counts))
            if (counts > totals).any():
                raise DataError(CHANGED)
            return block.having(fold=fold_of(ranks, codes, self.n_folds, self.seed, totals))

        return deal

    def __call__(self, block: Block) -> Block:
        whole = self if self.totals is not None else self.knowing(ClassCounts(self.n_classes)(block))
        return whole.begin()(block)


@dataclass(frozen=True, eq=False)
class Learned:
    """The rows of the folds that one model learns from, ``learns`` (F,), mapped by x -> scale x + shift."""

    learns: np.ndarray
    scale: Vector | None = None
    shift: Vector | None = None
    drops = True

    def __call__(self, block: Block) -> Block:
        fold = np.asarray(block.fold)
        kept = block.taking((fold >= 0) & self.learns[fold])
        X = np.asarray(kept.X, dtype=np.float64)
        if self.scale is not None and self.shift is not None:
            X = X * self.scale + self.shift
        return kept.having(X=X, fold=None)


@dataclass(frozen=True, eq=False)
class Mapped:
    """Rows of any kinds become numbers by ``row``, a picklable function from a raw block to a matrix."""

    row: Callable[[RawBlock], Matrix]

    def __call__(self, raw: RawBlock) -> Block:
        return Block(self.row(raw), raw.y, raw.weight, raw.fold, start=raw.start)


@dataclass(frozen=True)
class ClassCounts:
    """Count the rows of each class (K,) of a block, or all of them where there are no classes."""

    n_classes: int | None

    def __call__(self, block: Block) -> np.ndarray:
        if self.n_classes is None:
            return np.array([len(block)])
        return np.bincount(np.asarray(block.group), minlength=self.n_classes)
