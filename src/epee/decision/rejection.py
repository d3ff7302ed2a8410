r"""What rejection buys: the error of the rows that are decided against the share of those that are not.

Rows are refused in the order of the expected cost :math:`r(x)` of their best decision: those with :math:`r(x) > c` are
rejected at a rejection cost :math:`c`. With 0-1 costs :math:`r = 1 - \max_t P(t \mid x)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.lazy import drawn
from epee.risk.intervals import check_level, t_quantile, wilson
from epee.typing import Codes, Matrix, Vector


@dataclass(frozen=True, eq=False)
class ErrorReject:
    """The error-reject curve.

    Attributes
    ----------
    reject_cost : array (m,)
        In increasing order; rows whose expected cost is above are rejected.
    reject_rate, error : arrays (m,)
        Share of the rows that are rejected, and the mean cost of those that are decided.
    low, high : arrays (m,)
        Ends of the interval of the error: Wilson's when costs are 0 and 1, Student's else.
    cost : array (m,)
        Mean cost of all rows, rejection included.
    chosen : float or None
        The rejection cost in force.
    """

    reject_cost: Vector
    reject_rate: Vector
    error: Vector
    low: Vector
    high: Vector
    cost: Vector
    chosen: float | None
    level: float
    is_rate: bool

    @classmethod
    def of(
        cls, table: Matrix, costs: Matrix, truth: Codes, w: Vector | None, chosen: float | None, level: float
    ) -> ErrorReject:
        """Compute the curve from expected costs (n, K) of the decisions, the costs (K, K) and the true classes."""
        check_level(level)
        w = np.ones(len(truth)) if w is None else w
        expected, losses = table.min(axis=1), costs[table.argmin(axis=1), truth]
        order = np.argsort(expected, kind="stable")
        e, x, u = expected[order], losses[order], w[order]
        n, total, squares = np.cumsum(u), np.cumsum(u * x), np.cumsum(u * x * x)
        ends = np.flatnonzero(np.append(np.diff(e) > 1e-12, True) & (n > 0))  # equals are decided together
        n_k, error = n[ends], total[ends] / n[ends]
        is_rate = bool(np.isin(costs, (0.0, 1.0)).all())
        variance = np.maximum(squares[ends] / n_k - error**2, 0.0)
        low, high = np.empty_like(error), np.empty_like(error)
        for i, (r, m, v) in enumerate(zip(error, n_k, variance, strict=True)):
            if is_rate:
                low[i], high[i] = wilson(float(r), float(m), level)
            else:
                half = t_quantile(level, max(m - 1, 1)) * np.sqrt(v / max(m - 1, 1))
                low[i], high[i] = max(r - half, 0.0), r + half
        rate = 1 - n_k / n[-1]
        return cls(e[ends], rate, error, low, high, rate * e[ends] + (1 - rate) * error, chosen, level, is_rate)

    def at(self, reject_cost: float) -> tuple[float, float]:
        """Return the rate of rejection and the error of what is decided at a rejection cost."""
        k = int(np.searchsorted(self.reject_cost, reject_cost * (1 + 1e-12), side="right")) - 1
        return (float(self.reject_rate[k]), float(self.error[k])) if k >= 0 else (1.0, 0.0)

    plot = drawn("decision.plot_error_reject", "Draw the curve with its band; returns the axes.")
