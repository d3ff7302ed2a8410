r"""Few rows of many columns: the search goes on in the span of the rows, where the weights end anyway.

A risk sees :math:`W` through the scores :math:`XW` alone, and the penalty :math:`\frac\lambda2 \|W\|^2` through its length. What of
:math:`W` is at right angles to all rows changes no score and makes it longer, so the minimum has none of it. With an orthonormal basis
:math:`X^\top = QR` the rows are :math:`R^\top` (n, n) in its coordinates, the penalty is what it was, and :math:`W = QV`: Hessians of
:math:`n^2` numbers in the place of :math:`p^2`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from epee.engines.local import one_blas_thread
from epee.optimize.linear_risk import LinearRisk
from epee.table.arrays import ArraySource
from epee.typing import Matrix

FEWEST = 200  # columns below which nothing is gained


@dataclass(frozen=True, eq=False)
class Span:
    """The risk in the coordinates of the rows' span, and the basis Q (p, n)."""

    risk: LinearRisk
    basis: Matrix

    def lifted(self, V: Matrix) -> Matrix:
        """Return weights (p + bias, M) from their coordinates (n + bias, M)."""
        n = self.basis.shape[1]
        return np.vstack([self.basis @ V[:n], V[n:]])

    def within(self, W: Matrix) -> Matrix:
        """Return the coordinates of weights, less what of them is at right angles to the rows."""
        p = self.basis.shape[0]
        return np.vstack([self.basis.T @ W[:p], W[p:]])

    def slopes(self, gradient: Matrix) -> Matrix:
        """Return the gradient along the weights; at right angles to the rows it has none."""
        return self.lifted(gradient)


def span_of(risk: LinearRisk) -> Span | None:
    """Return a risk of far more columns than rows in the span of these; None for others, and where the penalty is not their length."""
    source, p = risk.source, risk.source.n_columns
    if not isinstance(source, ArraySource) or p <= max(FEWEST, 2 * len(source.X)):
        return None
    if not risk.l2[0] > 0 or np.ptp(risk.l2[:p]) > 0 or risk.l1.any() or not np.isfinite(source.X).all():
        return None
    with one_blas_thread():
        Q, R = np.linalg.qr(np.asarray(source.X, dtype=np.float64).T)
    rows = ArraySource(np.ascontiguousarray(R.T), source.y, source.weight, source.fold, source.group)
    l2 = np.append(np.full(Q.shape[1], risk.l2[0]), risk.l2[p:])
    return Span(replace(risk, source=rows, l2=l2, l1=np.zeros_like(l2)), Q)
