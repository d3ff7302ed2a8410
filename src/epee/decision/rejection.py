r"""What rejection buys: the error of the rows that are decided against the share of those that are not.

Rows are refused in the order of the expected cost :math:`r(x)` of their best decision: those with :math:`r(x) > c` are
rejected at a rejection cost :math:`c`. With 0-1 costs :math:`r = 1 - \max_t P(t \mid x)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.lazy import drawn
from epee.risk.intervals import check_level
from epee.risk.rates import few_values_interval
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
        Ends of the interval of the error: that of a rate when costs are 0 and 1, else of a loss of few values
        (:mod:`epee.risk.rates`).
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
        cls, table: Matrix, costs: Matrix, truth: Codes, w: Vector, chosen: float | None, level: float
    ) -> ErrorReject:
        """Compute the curve from expected costs (n, K) of the decisions, the costs (K, K), the true classes and the rows each is worth."""
        check_level(level)
        expected, losses = table.min(axis=1), costs[table.argmin(axis=1), truth]
        order = np.argsort(expected, kind="stable")
        e, x, u = expected[order], losses[order], w[order]
        n, total = np.cumsum(u), np.cumsum(u * x)
        ends = np.flatnonzero(np.append(np.diff(e) > 1e-12, True) & (n > 0))  # equals are decided together
        n_k, error = n[ends], total[ends] / n[ends]
        is_rate = bool(np.isin(costs, (0.0, 1.0)).all())
        values = np.unique(costs[costs > 0])
        shares = np.array([np.cumsum(u * (x == v))[ends] / n_k for v in values]).T.reshape(-1, len(values))  # (m, V)
        low, high = np.array([few_values_interval(values, r, m, level) for r, m in zip(shares, n_k, strict=True)]).T
        low, high = np.minimum(low, error), np.maximum(high, error)  # which are sums in another order
        rate = 1 - n_k / n[-1]
        return cls(e[ends], rate, error, low, high, rate * e[ends] + (1 - rate) * error, chosen, level, is_rate)

    def at(self, reject_cost: float) -> tuple[float, float]:
        """Return the rate of rejection and the error of what is decided at a rejection cost."""
        k = int(np.searchsorted(self.reject_cost, reject_cost * (1 + 1e-12), side="right")) - 1
        return (float(self.reject_rate[k]), float(self.error[k])) if k >= 0 else (1.0, 0.0)

    plot = drawn("decision.plot_error_reject", "Draw the curve with its band; returns the axes.")
