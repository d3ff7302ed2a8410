r"""What one pass tells of a table that has no target: tallies of its columns, and the sums behind means and correlations.

With :math:`D_{ij} = 1` where cell :math:`i` of column :math:`j` is there and :math:`Y = D \circ (X - c)` about a constant
:math:`c`, the rows where two columns are both there have

.. math:: N = D^\top D, \qquad P = Y^\top Y, \qquad A = Y^\top D, \qquad Q = (Y \circ Y)^\top D, \tag{1}

and these add. So correlations on the rows where both cells are there, and the principal axes of the table with missing cells at the mean,
come from one reading. Of very many columns the first 2,000 are paired; means and spreads are there of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from epee.engines.choice import engine_for
from epee.job.holding import columns_of, joined, take
from epee.job.policy import Policy
from epee.job.tallies import Tallies, Tallying
from epee.table.encoding import missing_of
from epee.table.raw import RawBlock
from epee.table.raw_rows import RawRows
from epee.table.schema import Column
from epee.table.source import TableSource
from epee.typing import Codes, Matrix, Vector

MOST_PATTERNS = 10_000  # of missing cells that are told apart
MOST_PAIRED = 2_000  # columns whose pairs are summed: four square matrices


@dataclass(frozen=True, eq=False)
class ColumnSums:
    """The diagonals of (1): how many cells of each column are there, their sums and squares about ``centre`` (p,); they add."""

    centre: Vector
    n: Vector
    sums: Vector
    squares: Vector

    @classmethod
    def of(cls, X: Matrix, centre: Vector | None = None) -> ColumnSums:
        """Sum some rows (n, p) with NaN where a cell is missing; about their own mean, unless another centre is given."""
        there = np.isfinite(X)
        n = there.sum(axis=0).astype(np.float64)
        if centre is None:
            centre = np.where(there, X, 0.0).sum(axis=0) / np.maximum(n, 1)
        Y = np.where(there, X - centre, 0.0)
        return cls(centre, n, Y.sum(axis=0), np.einsum("ij,ij->j", Y, Y))

    def __add__(self, other: ColumnSums) -> ColumnSums:
        return ColumnSums(self.centre, self.n + other.n, self.sums + other.sums, self.squares + other.squares)

    @cached_property
    def mean(self) -> Vector:
        """Mean of each column."""
        return self.centre + self.sums / np.maximum(self.n, 1)

    @cached_property
    def variance(self) -> Vector:
        """Variance of each column, with 1/n."""
        n = np.maximum(self.n, 1)
        return np.maximum(self.squares / n - (self.sums / n) ** 2, 0.0)


@dataclass(frozen=True, eq=False)
class PairSums:
    """The sums (1) about ``centre`` (p,); they add."""

    centre: Vector
    count: Matrix  # N
    products: Matrix  # P
    sums: Matrix  # A
    squares: Matrix  # Q

    @classmethod
    def of(cls, X: Matrix, centre: Vector | None = None) -> PairSums:
        """Sum some rows (n, p) with NaN where a cell is missing."""
        there = np.isfinite(X)
        centre = ColumnSums.of(X).centre if centre is None else centre
        Y, D = np.where(there, X - centre, 0.0), there.astype(np.float64)
        return cls(centre, D.T @ D, Y.T @ Y, Y.T @ D, (Y**2).T @ D)

    def __add__(self, other: PairSums) -> PairSums:
        parts = ("count", "products", "sums", "squares")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in parts})

    @property
    def columns(self) -> ColumnSums:
        """What they tell of single columns."""
        return ColumnSums(self.centre, *(np.diagonal(part) for part in (self.count, self.sums, self.squares)))

    def correlation(self) -> Matrix:
        """Return the correlations on the rows where both cells are there."""
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self.sums / self.count
            variance = self.squares / self.count - mean**2
            R = (self.products / self.count - mean * mean.T) / np.sqrt(variance * variance.T)
        R = np.clip(np.where(np.isfinite(R), R, 0.0), -1, 1)
        np.fill_diagonal(R, 1.0)
        return R

    def scaled_scatter(self) -> Matrix:
        """Return the scatter of centred and scaled columns with missing cells at the mean."""
        d = self.columns.mean - self.centre
        S = self.products - self.sums * d - (self.sums * d).T + d[:, None] * d * self.count
        sd = np.sqrt(self.columns.variance)
        return S / (sd[:, None] * sd)

    def take(self, columns: Codes) -> PairSums:
        """Return the sums of some columns."""
        c = np.ix_(columns, columns)
        return PairSums(self.centre[columns], self.count[c], self.products[c], self.sums[c], self.squares[c])


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass tells; it adds. ``patterns`` counts the rows by the columns that are missing in them."""

    tallies: Tallies
    columns: ColumnSums
    pairs: PairSums
    patterns: Counter[bytes]
    sample: list[RawBlock]
    numbers: Sequence[str]  # the columns of numbers, of which the first are those of ``pairs``

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each column of numbers stands among them."""
        return {name: j for j, name in enumerate(self.numbers)}

    def __add__(self, other: Survey) -> Survey:
        patterns = Counter(dict((self.patterns + other.patterns).most_common(MOST_PATTERNS)))
        return Survey(
            self.tallies + other.tallies, self.columns + other.columns, self.pairs + other.pairs, patterns, self.sample + other.sample,
            self.numbers,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Surveying:
    """Work on one raw block; ``numbers`` are the columns of (1), ``picked`` the rows of the sample."""

    kinds: Mapping[str, str]
    numbers: Sequence[str]
    centre: Vector
    picked: Codes
    numbered = True  # it needs the numbers of the rows, on a cluster too

    def __call__(self, raw: RawBlock) -> Survey:
        X = np.column_stack([raw.columns[name] for name in self.numbers]) if self.numbers else np.empty((len(raw), 0))
        gone = np.column_stack([missing_of(raw, Column(name, kind)) for name, kind in self.kinds.items()]).astype(bool)
        first, last = np.searchsorted(self.picked, [raw.start, raw.start + len(raw)])
        sample = [take(raw, self.picked[first:last] - raw.start)] if last > first else []
        patterns = Counter(row.tobytes() for row in np.packbits(gone, axis=1))
        pairs = PairSums.of(X[:, :MOST_PAIRED], self.centre[:MOST_PAIRED])
        return Survey(Tallying(self.kinds)(raw), ColumnSums.of(X, self.centre), pairs, patterns, sample, self.numbers)


def survey(
    source: TableSource, held: bool, kinds: Mapping[str, str], policy: Policy, seed: int
) -> tuple[Survey, RawBlock, Codes]:
    """Return what one pass tells, and the rows that are looked at with their numbers: all, or a seeded sample."""
    n = source.count()
    picked = policy.sample(np.arange(n), policy.looked, seed)
    numbers = [name for name, kind in kinds.items() if kind in ("number", "boolean", "date")]
    table = TableSource(source.batches, types=source.types, columns=list(kinds))
    head = table.raw_head()
    centre = ColumnSums.of(np.column_stack([head.columns[name] for name in numbers])).centre if numbers else np.empty(0)
    work = Surveying(kinds, numbers, centre, picked)
    if held:
        every = columns_of(source, list(kinds))
        found: Any = work(every)
    else:
        found = engine_for(RawRows(table)).reduce(RawRows(table), work)
    return found, joined(found.sample, source.label), picked
