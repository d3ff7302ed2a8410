r"""Minimising a risk of one score with an L1 term on wide sparse rows: Newton's model, swept column by column.

With the slopes :math:`g_i` and curvatures :math:`h_i` of the losses at the scores :math:`s = Xw + b` the next step minimises

.. math:: g^\top X d + \tfrac12 (Xd)^\top \mathrm{diag}(h)\, Xd
          + \sum_j \bigl(\lambda_1 |w_j + d_j| + \tfrac12 \lambda_2 (w_j + d_j)^2\bigr)
          \tag{1}

by coordinate descent on the columns that are off 0 or about to leave it; the matrix is never formed, so there may be as many of them as
there are rows. As the step is known by :math:`Xd`, shortening it costs no look at the table.

Reference: Yuan, Ho and Lin, "An improved GLMNET for L1-regularized logistic regression", *Journal of Machine Learning Research*, 2012.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from epee.engines.local import one_blas_thread
from epee.losses.entropy import CrossEntropy
from epee.losses.margins import SquaredHinge
from epee.optimize.descent import Trace
from epee.optimize.linear_descent import Minimum
from epee.optimize.linear_risk import LinearRisk, row_terms
from epee.solve.sparse_rows import has_many_sparse_columns
from epee.typing import Codes, Matrix, Vector

FLAT = 1e-10  # of the largest curvature: less is taken for so much
SWEEPS = 200  # at most for one model
ROUGH, FINE = (
    0.3,
    0.05,
)  # of the largest subgradient: how far a model is solved that held little of what it promised, and one that held it
HELD = 0.1  # of the largest subgradient before: what a model leaves that is worth solving further


def goes_by_columns(risk: LinearRisk) -> bool:
    """Tell whether a risk is one for these sweeps: one score, curvatures, thousands of sparse columns."""
    return risk.M == 1 and isinstance(risk.loss, CrossEntropy | SquaredHinge) and has_many_sparse_columns(risk.source)


class Columns:
    """The sparse columns of a risk with what belongs to their rows, and its parts at given scores."""

    def __init__(self, risk: LinearRisk) -> None:
        source: Any = risk.source
        self.risk, self.p = risk, source.n_columns
        self.rows = source.X.astype(np.float64, copy=False)
        self.held = self.rows.tocsc()
        self.codes: Codes = np.asarray(source.group if source.group is not None else source.y)
        w = np.ones(source.n_rows) if source.weight is None else np.asarray(source.weight, dtype=np.float64)
        self.w: Vector = w if risk.class_weight is None else w * risk.class_weight[self.codes]
        self.count = float(self.w.sum())

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """The cells by column."""
        return self.held.data, self.held.indices, self.held.indptr

    def scores(self, W: Matrix) -> Vector:
        """Return s (n,)."""
        s: Vector = self.rows @ W[: self.p, 0]
        return s + W[self.p, 0] if self.risk.bias else s

    def value(self, s: Vector, W: Matrix) -> float:
        """Return the risk, penalties included."""
        losses = row_terms(self.risk.loss, s, self.codes, False)[0]
        l2, l1 = self.risk.l2, self.risk.l1
        return float(self.w @ losses) / self.count + float(l1 @ np.abs(W[:, 0]) + 0.5 * (l2 @ W[:, 0] ** 2))

    def slopes(self, s: Vector, W: Matrix) -> tuple[Vector, Vector, Matrix]:
        """Return g (n,), h (n,), both divided by the count, and the gradient (d, 1) of the smooth part."""
        from epee.kernels.sparse_sums import row_products

        _, g, h = row_terms(self.risk.loss, s, self.codes, True)
        assert h is not None
        g, h = np.ravel(g) * self.w / self.count, np.ravel(h) * self.w / self.count
        gradient = np.empty((self.risk.d, 1))
        row_products(*self.arrays, g, gradient[: self.p, 0])
        if self.risk.bias:
            gradient[self.p] = g.sum()
        return g, np.maximum(h, FLAT * float(h.max(initial=1e-300))), gradient + self.risk.l2[:, None] * W


def minimise_columns(
    risk: LinearRisk,
    W: Matrix | None,
    tol: float,
    max_iter: int,
    watch: Callable[[Matrix], None] | None,
    violation: Any,
) -> Minimum:
    """Minimise a risk with an L1 (or elastic) penalty; ``violation(W, gradient, l1)`` says how far each coordinate is from its best."""
    from epee.kernels.sparse_newton import model_sweeps

    columns, trace, why, k = Columns(risk), Trace(), "", 0
    W, p = np.zeros((risk.d, 1)) if W is None else W.copy(), columns.p
    with one_blas_thread():
        s = columns.scores(W)
        value, before = columns.value(s, W), np.inf
        for k in range(max_iter + 1):
            g, h, gradient = columns.slopes(s, W)
            away = violation(W, gradient, risk.l1)
            size = float(away.max())
            trace.add(W[:, 0], value, size, 1.0)
            if size <= tol or k == max_iter:
                break
            active = np.flatnonzero((W[:p, 0] != 0) | (away[:p, 0] > 0))
            d, r = np.zeros(p), g.copy()
            last = (W[p, 0], 0.0, risk.l1[p], risk.l2[p], 1.0) if risk.bias else (0.0,) * 5
            bias, l1, l2 = np.array(last), float(risk.l1[0]), float(risk.l2[0])
            share = ROUGH if k == 0 or size > HELD * before else FINE
            goal, before = share * min(size, 1.0), size
            model_sweeps(*columns.arrays, active, h, r, W[:p, 0].copy(), d, bias, l1, l2, max(goal, 0.1 * tol), SWEEPS)
            step = np.append(d, bias[1]) if risk.bias else d
            v = columns.scores(step[:, None])  # Xd
            promised = float(gradient[:, 0] @ step + risk.l1 @ (np.abs(W[:, 0] + step) - np.abs(W[:, 0])))
            found = _shorten(columns, W, s, value, step[:, None], v, promised)
            if found is None:
                why = "no step lowers the risk any more"
                break
            W, s, value = found
            if watch is not None:
                watch(W)
    converged = size <= tol
    reason = (
        f"the largest subgradient {size:.2g} is at most tol = {tol:.3g}"
        if converged
        else f"{why or f'max_iter = {max_iter} steps were taken'}; the largest subgradient is {size:.2g}"
    )
    return Minimum(W, value, gradient, converged, reason, k, trace)


def _shorten(
    columns: Columns, W: Matrix, s: Vector, value: float, d: Matrix, v: Vector, promised: float
) -> tuple[Matrix, Vector, float] | None:
    """Return weights, scores and value after the longest step of 1, 1/2, 1/4, ... that lowers the risk as promised."""
    step = 1.0
    for _ in range(40):
        new, scores = W + step * d, s + step * v
        there = columns.value(scores, new)
        if there <= value + 1e-4 * step * min(promised, 0.0) + 1e-15 * abs(value):
            return new, scores, there
        step *= 0.5
    return None
