r"""Rows far from the origin: the search goes on about their mean, where the bias does not follow every weight.

With a free bias, :math:`w^\top x + b = w^\top (x - c) + (b + w^\top c)`: the same scores, the same penalty. In the coordinates of the rows
themselves a slope of the bias of :math:`10^{-10}` is one of :math:`10^{-4}` of the weight of a column about :math:`10^6`, which rounding
does not let fall any more; about the mean slopes are as they would be for columns without one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from epee.optimize.linear_risk import LinearRisk
from epee.table.arrays import ArraySource
from epee.typing import Matrix, Vector

FAR = 1e4  # standard deviations from the origin to the mean of a column
CONSTANT = 1e-14  # standard deviation of a column that does not vary, as a share of its mean
LOOKED = 1_000  # rows that tell where a table lies
MOST_CELLS = 4_000_000  # of the rows about their mean, which are a copy


@dataclass(frozen=True, eq=False)
class About:
    """The risk of the rows about ``centre`` (p,), their mean or near it."""

    risk: LinearRisk
    centre: Vector

    def lifted(self, V: Matrix) -> Matrix:
        """Return weights (p + 1, M) of the rows from those of the rows about their mean."""
        return np.vstack([V[:-1], V[-1:] - self.centre @ V[:-1]])

    def within(self, W: Matrix) -> Matrix:
        """Return weights of the rows about their mean."""
        return np.vstack([W[:-1], W[-1:] + self.centre @ W[:-1]])

    def slopes(self, gradient: Matrix) -> Matrix:
        """Return the gradient along the weights of the rows."""
        return np.vstack([gradient[:-1] + self.centre[:, None] * gradient[-1:], gradient[-1:]])


def about_mean(risk: LinearRisk) -> About | None:
    """Return the risk of rows at hand that are far from the origin; None for others, and where the bias is not free."""
    source = risk.source
    if not isinstance(source, ArraySource) or not risk.bias or risk.l2[-1] or risk.l1.any():
        return None
    if not 0 < source.X.size <= MOST_CELLS:
        return None
    some = np.asarray(source.X[:: 1 + len(source.X) // LOOKED], dtype=np.float64)
    centre, spread = some.mean(axis=0), some.std(axis=0)
    far = (np.abs(centre) > FAR * spread) & (spread > CONSTANT * np.abs(centre))
    if not np.isfinite(centre).all() or not far.any():
        return None
    rows = ArraySource(source.X - centre, source.y, source.weight, source.fold, source.group)
    return About(replace(risk, source=rows), centre)
