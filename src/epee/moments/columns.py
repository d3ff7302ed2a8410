r"""Moments of each column on its own, over the cells that are there.

With missing cells every column has its own count :math:`n_j`; mean and scatter merge column by column by the rule of
:mod:`epee.moments.moments`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.arrays import as_type, home_together, like, like_together, namespace, squares_of_columns, sum_of_rows
from epee.errors import DataError
from epee.moments.moments import share
from epee.stateful import Part
from epee.table.block import Block, rows_for
from epee.typing import Vector


@dataclass(frozen=True, eq=False)
class ColumnMoments(Part):
    """Count, mean about the origin and scatter (p,) of each column, missing cells (NaN) left out.

    >>> a = ColumnMoments.of(np.array([[1.0, np.nan], [3.0, 5.0]]), np.zeros(2))
    >>> a.count, a.mean, a.variances
    (array([2., 1.]), array([2., 5.]), array([1., 0.]))
    """

    count: Vector
    shift: Vector
    scatter: Vector
    origin: Vector

    @classmethod
    def of(cls, X: Any, origin: Vector, weight: Any = None) -> ColumnMoments:
        """Return the moments of the columns of a block, here; the rows may lie elsewhere and are summed there."""
        xp, n = namespace(X), X.shape[0]
        (about,) = like_together(X, origin)
        with np.errstate(over="ignore", invalid="ignore"):
            D = X - about
            shift = sum_of_rows(D) / n if weight is None and n else None
            if shift is not None and bool(xp.all(xp.isfinite(shift))):  # no cell is missing
                D -= shift
                count, squares = xp.full_like(shift, float(n)), squares_of_columns(D)
            else:
                there = ~xp.isnan(X)
                w = as_type(there, D.dtype)  # (n, p)
                w = w if weight is None else w * like(weight, D, D.dtype)[:, None]
                count = sum_of_rows(w)
                D = xp.where(there, D, xp.zeros_like(D))
                shift = share(sum_of_rows(w * D), count)
                D -= shift
                squares = sum_of_rows(w * D**2)
        count, shift, squares = home_together(count, shift, squares)
        return cls(count, shift, squares, np.asarray(origin, float))

    def __add__(self, other: ColumnMoments) -> ColumnMoments:
        """Merge column by column."""
        total = self.count + other.count
        part = share(other.count, total)
        delta = other.shift + (other.origin - self.origin) - self.shift
        scatter = self.scatter + other.scatter + self.count * part * delta**2
        return ColumnMoments(total, self.shift + part * delta, scatter, self.origin)

    def without(self, other: ColumnMoments) -> ColumnMoments:
        """Take rows out again, column by column; refused when more would go than there are, or the digits."""
        left = self.count - other.count
        if (left < -1e-9 * self.count).any():
            raise DataError("more cells are to be forgotten than were learned; refit on the rows that remain.")
        left = np.where(left > 1e-9 * self.count, left, 0.0)
        delta = other.shift + (other.origin - self.origin) - self.shift
        shift = np.where(left > 0, self.shift - share(other.count, left) * delta, 0.0)
        scatter = self.scatter - other.scatter - share(self.count * other.count, left) * delta**2
        if ((scatter < 1e-10 * self.scatter) & (left > 1.5) & (self.scatter > 0)).any():
            raise DataError(
                "forgetting these rows would leave fewer than 6 digits in a variance: refit on the rows that remain."
            )
        return ColumnMoments(left, shift, np.where(left > 0, np.maximum(scatter, 0.0), 0.0), self.origin)

    def is_finite(self) -> bool:
        """Tell whether no cell was infinite or too large."""
        return bool(np.isfinite(self.shift).all() and np.isfinite(self.scatter).all())

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.origin)

    @property
    def mean(self) -> Vector:
        """Mean of each column (p,)."""
        return self.origin + self.shift

    @property
    def variances(self) -> Vector:
        """Variance of each column (p,), with 1/n."""
        return share(self.scatter, self.count)


@dataclass(frozen=True)
class ColumnSummation:
    """What a block is reduced to; picklable."""

    origin: Vector

    anywhere = True

    def __call__(self, block: Block) -> ColumnMoments:
        return ColumnMoments.of(block.X, self.origin, block.weight)

    def rows(self) -> int:
        """Return how many rows a block should have."""
        return rows_for(len(self.origin))
