r"""Moments of each column on its own, over the cells that are there.

With missing cells every column has its own count :math:`n_j`; mean and scatter merge column by column by the rule of
:mod:`epee.moments.moments`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere, like, namespace
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
    def of(cls, X: np.ndarray, origin: Vector, weight: Vector | None = None) -> ColumnMoments:
        """Return the moments of the columns of a block."""
        if weight is None and len(X):
            with np.errstate(over="ignore", invalid="ignore"):
                D = np.subtract(X, origin, dtype=np.float64)
                shift = D.sum(axis=0) / len(X)
                if np.isfinite(shift).all():  # no cell is missing
                    D -= shift
                    return cls(
                        np.full(X.shape[1], float(len(X))),
                        shift,
                        np.einsum("ij,ij->j", D, D),
                        np.asarray(origin, float),
                    )
        there = ~np.isnan(X)
        w = there * (1.0 if weight is None else weight[:, None])  # (n, p)
        count = w.sum(axis=0)
        D = np.where(there, X, 0.0) - origin
        shift = share((w * D).sum(axis=0), count)
        D -= shift
        return cls(count, shift, (w * D**2).sum(axis=0), np.asarray(origin, float))

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
        if is_elsewhere(block.rows):
            return self._elsewhere(block)
        return ColumnMoments.of(block.X, self.origin, block.weight)

    def _elsewhere(self, block: Block) -> ColumnMoments:
        """Do the same where the rows lie, and bring home what is left."""
        X: Any = block.X
        xp = namespace(X)
        there = ~xp.isnan(X)
        w = xp.astype(there, X.dtype)
        if block.weight is not None:
            w = w * like(block.weight, X, X.dtype)[:, None]
        D = xp.where(there, X - like(self.origin, X, X.dtype), xp.zeros_like(X))
        count = xp.sum(w, axis=0)
        shift = share(xp.sum(w * D, axis=0), count)
        scatter = xp.sum(w * (D - shift) ** 2, axis=0)
        n, mean, squares = (at_home(a).astype(np.float64) for a in (count, shift, scatter))
        return ColumnMoments(n, mean, squares, np.asarray(self.origin, float))

    def rows(self) -> int:
        """Return how many rows a block should have."""
        return rows_for(len(self.origin))
