r"""How likely each row of switches is under a mixture that never saw it.

A mixture of Bernoulli laws gives the rows that taught it more than rows to come: a switch that was on once in thirty rows is held to be
as rare as that, and components bend towards single rows. So a new row is judged by the rows learned, each under the law of the others:
like these it has a conformal p-value

.. math:: \frac{1 + \#\{i : \log p_{-i}(x_i) \le \log p(x)\}}{n + 1} \tag{1}

below a level in at most that share of cases, whatever the law. To leave a row out is to take its responsibilities off the sums of the
M-step, and to climb on from there: the components forget what they bent towards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.structure.gaussian_steps import responsibilities
from epee.typing import Matrix, Vector

STEPS = 20  # of EM without a row: with fewer, three components of a hundred rows still remember it
WORK = 200_000_000  # products that all these steps may take; rows are then so many that one tells little
SMALLEST = 1e-10
MISSING = -1


@dataclass(frozen=True, eq=False)
class Taught:
    """The rows (n, p) of 0, 1 and ``MISSING`` that taught a mixture, how many each counts as (n,), and their responsibilities (n, K)."""

    rows: np.ndarray
    counts: Vector
    shares: Matrix

    def left_out(self, cells: np.ndarray) -> Matrix:
        """Return the log-density (n, P) of each row by the others, on the ``cells`` (P, p) of bool; NaN where it lacks some of them."""
        there = (self.rows != MISSING).astype(np.float64)
        on = (self.rows == 1).astype(np.float64)
        n, K = self.shares.shape
        steps = 0 if K == 1 else int(min(STEPS, WORK // (n * n * K * self.rows.shape[1])))
        whole = self.shares * self.counts[:, None]
        total = whole.sum(axis=0), whole.T @ on, whole.T @ there
        out = np.empty((n, len(cells)))
        for i in range(n):
            own = self.shares[i] * min(self.counts[i], 1.0)  # one copy of the row
            N, S, T = total[0] - own, total[1] - np.outer(own, on[i]), total[2] - np.outer(own, there[i])
            weight = self.counts.copy()
            weight[i] -= min(self.counts[i], 1.0)
            for _ in range(steps):
                yes, no = _logs(S, T)
                share = responsibilities(on @ (yes - no).T + there @ no.T + _log(N))[0] * weight[:, None]
                N, S, T = share.sum(axis=0), share.T @ on, share.T @ there
            yes, no = _logs(S, T)
            each = np.where(on[i] > 0, yes, no) @ cells.T  # (K, P)
            out[i] = responsibilities(each + _log(N / N.sum())[:, None], axis=0)[1]
        return np.where(there @ cells.T < cells.sum(axis=1), np.nan, out)


def _logs(S: Matrix, T: Matrix) -> tuple[Matrix, Matrix]:
    """Return the logarithms of the probabilities (K, p) that a switch is on, and off."""
    p = np.clip(S / np.maximum(T, 1e-12), SMALLEST, 1 - SMALLEST)
    return np.log(p), np.log1p(-p)


def _log(N: Vector) -> Vector:
    return np.log(np.maximum(N, 1e-300))


def conformal(density: Vector, left: Vector, counts: Vector) -> Vector:
    """Return the p-values (1) of rows by their log-density, from that of rows (n,) that were left out, each so many; NaN are no rows.

    >>> conformal(np.array([0.0, 2.5, 9.0]), np.array([3.0, 1.0, np.nan, 2.0]), np.ones(4))
    array([0.25, 0.75, 1.  ])
    """
    known = np.isfinite(left)
    order = np.argsort(left[known])
    below = np.append(0.0, np.cumsum(counts[known][order]))
    slack = 1e-9 * (1 + np.abs(density))  # rows that are equal stay so when they are rounded
    places = np.searchsorted(left[known][order], density + slack, side="right")
    return (1 + below[places]) / (1 + below[-1])
