r"""Moments of a table of all kinds of columns with missing cells, each column on its own, by fold and group.

Column :math:`j` has its own count :math:`n_j`, the weight of the rows in which it is observed, with mean and scatter
over these; the columns named categorical have the counts of their levels besides. Columns merge by the rule of
:mod:`epee.moments.moments`, levels add.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from epee.errors import DataError, WrongUse
from epee.moments.class_sums import LOST, cells_of, weights_of
from epee.moments.counts import Additive, Counting, Counts
from epee.moments.moments import AXES, share
from epee.table.block import BLOCK_ROWS, Block
from epee.typing import Codes, Tensor, Vector


@dataclass(frozen=True, eq=False)
class TableMoments(Additive):
    """Counts, means and scatters (axes, p) of columns over their observed cells, and counts of levels.

    ``seen`` (axes, p) is the observed weight of each column, ``levels`` the :class:`Counts` of the columns ``columns``.
    """

    _stacked: ClassVar[tuple[str, ...]] = ("count", "seen", "shift", "spread", "cells")
    scatter: ClassVar[None] = None
    targets: ClassVar[int] = 0
    count: Tensor
    seen: Tensor
    shift: Tensor
    spread: Tensor
    cells: Tensor
    levels: Codes
    columns: Codes
    origin: Vector
    axes: tuple[str, ...] = ()
    labels: np.ndarray | None = None

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.origin)

    @property
    def mean(self) -> Tensor:
        """Mean of the observed cells of each column (axes, p); the origin where there are none."""
        return self.origin + self.shift

    @property
    def variances(self) -> Tensor:
        """Variance of the observed cells of each column (axes, p), with 1/n."""
        return share(self.spread, self.seen)

    @property
    def counts(self) -> Counts:
        """Counts of the levels of the categorical columns."""
        return Counts(self.count, self.cells, self.levels, self.axes, self.labels)

    def _with_counts(self, c: Counts) -> TableMoments:
        return replace(self, cells=c.cells, levels=c.levels)

    def _aligned(self, other: TableMoments) -> tuple[TableMoments, TableMoments]:
        if self.p != other.p or not np.array_equal(self.columns, other.columns):
            raise WrongUse(f"moments of a table of {self.p} columns cannot add to those of another one of {other.p}.")
        a, b = self._same_groups(other)
        if not np.array_equal(a.origin, b.origin):
            b = replace(b, shift=np.where(b.seen > 0, b.shift + (b.origin - a.origin), 0.0), origin=a.origin)
        if not np.array_equal(a.levels, b.levels):
            a, b = a._with_counts(a.counts.widened(b.levels)), b._with_counts(b.counts.widened(a.levels))
        return a, b

    def __add__(self, other: TableMoments) -> TableMoments:
        """Merge, column by column."""
        a, b = self._aligned(other)
        seen = a.seen + b.seen
        part, delta = share(b.seen, seen), b.shift - a.shift
        return replace(
            a, count=a.count + b.count, seen=seen, shift=a.shift + part * delta,
            spread=a.spread + b.spread + a.seen * part * delta**2, cells=a.cells + b.cells,
        )  # fmt: skip

    def without(self, other: TableMoments) -> TableMoments:
        """Take rows out again; refused when more would go than there are."""
        a, b = self._aligned(other)
        counts = a.counts.without(b.counts)
        seen = a.seen - b.seen
        if (seen < -1e-9 * a.seen).any():
            raise DataError("more cells are to be forgotten than were learned; refit on the rows that remain.")
        seen = np.where(seen > 1e-9 * a.seen, seen, 0.0)
        shift = np.where(seen > 0, a.shift + share(b.seen, seen) * (a.shift - b.shift), 0.0)
        spread = a.spread - b.spread - share(seen * b.seen, a.seen) * (b.shift - shift) ** 2
        if ((spread < 1e-10 * a.spread) & (seen > 1.5) & (a.spread > 0)).any():
            raise DataError(
                "forgetting these rows would leave fewer than 6 digits in a variance: refit on the rows that remain."
            )
        return replace(
            a, count=counts.count, seen=seen, shift=shift, spread=np.where(seen > 0, np.maximum(spread, 0.0), 0.0),
            cells=counts.cells, levels=counts.levels,
        )  # fmt: skip


@dataclass(frozen=True)
class TableSummation:
    """What a block is reduced to; ``columns`` are categorical, with at least ``levels`` levels."""

    origin: Vector
    columns: Codes
    levels: Codes
    folds: int | None = None
    groups: int | None = None
    labels: np.ndarray | None = None
    names: Sequence[str] | None = None

    def rows(self) -> int:
        """Return how many rows a block should have."""
        return 16 * BLOCK_ROWS

    def kinds_to_check(self) -> tuple[Codes, Codes]:
        """Return the columns that may hold 0 and 1 alone, and those that may hold no negative number."""
        none = np.zeros(0, dtype=np.int64)
        return none, none

    def refuse(self, block: Block) -> None:
        """Raise the sentence about a cell that its kind does not allow."""

    def __call__(self, block: Block) -> TableMoments:
        from epee.kernels.class_sums import class_scatter, table_sums

        sizes = [(axis, size) for axis, size in zip(AXES, (self.folds, self.groups), strict=True) if size is not None]
        lead, p = tuple(size for _, size in sizes), len(self.origin)
        X, cell, w = np.ascontiguousarray(block.X), cells_of(block, self.folds, self.groups), weights_of(block)
        flat = (int(np.prod(lead)), p)
        count, seen, first, second = np.zeros(flat[0]), np.zeros(flat), np.zeros(flat), np.zeros(flat)
        levels = Counting(self.columns, self.levels, self.folds, self.groups, None, self.names)
        counted, top = Counts.zero(levels.room(), folds=self.folds, groups=self.groups), self.levels - 1
        found = table_sums(
            X, cell, w, self.origin, *self.kinds_to_check(), self.columns, counted.offsets, count, seen, first, second,
            counted.cells.reshape(flat[0], -1), top,
        )  # fmt: skip
        if found == 1:
            self.refuse(block.having(X=X))
        if found == 2:  # a level without room: look how many there are
            return replace(self, levels=levels(block.having(X=X)).levels)(block)
        shift = share(first, seen)
        with np.errstate(over="ignore", invalid="ignore"):
            spread = second - seen * shift**2
        if (spread < LOST * second).any():
            spread = np.where(np.isfinite(second), 0.0, np.nan)
            class_scatter(X, cell, w, self.origin, shift, spread)
        counted = counted.cut(top + 1)
        wide = (*lead, p)
        return TableMoments(
            count.reshape(lead), seen.reshape(wide), shift.reshape(wide), spread.reshape(wide), counted.cells, counted.levels, self.columns,
            self.origin, tuple(axis for axis, _ in sizes), self.labels,
        )  # fmt: skip
