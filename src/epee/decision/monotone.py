r"""Intervals for the rate of a class at one score, when all that is known is that the rate does not fall as the score rises.

A stretch of scores that share an isotonic rate is where the data show no rise, not where there is none: a chance at its end is not its
mean. What no shape but a rising one allows is told by the likelihood: with :math:`\ell(r)` the log-likelihood of the rates, largest over
rising ones and over those that also pass :math:`\theta` at the score :math:`s`,

.. math:: \Lambda_s(\theta) = 2 \Bigl\{\max_{r \nearrow} \ell(r) - \max_{r \nearrow,\; r(s) = \theta} \ell(r)\Bigr\},
          \qquad \{\theta : \Lambda_s(\theta) \le \chi^2_{1,\,\mathrm{level}}\}. \tag{1}

The second maximum is the isotonic fit of the rows below :math:`s`, no more than :math:`\theta`, and that of the rows above, no less. Where
the scores take few values, :math:`\Lambda` follows :math:`\chi^2_1`; where they are dense and the chance rises smoothly, the law of
Banerjee and Wellner, with a 90 % quantile of 1.6 in the place of 2.7; the limits between lie between (Tang, Banerjee and Kosorok). On a
level stretch it comes close to :math:`\chi^2_1`. No table tells these apart, so the largest quantile is taken: an interval of 90 % holds
the chance in 90 % of cases where it is level or the scores are few, in some 96 % where it rises.

An isotonic fit goes astray at its two ends, where few rows speak: the upper end of the interval is given one row of the class below all
scores, and the lower end one of the others above them, the rows that the map itself is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from epee.stateful import Part
from epee.typing import Matrix, Vector

MOST = 500  # groups of scores; stretches of n rows that share a rate have some n^(2/3), so many more than a group
HAIR = 1e-9  # of the range of scores: differences that are rounding errors
HALVINGS = 32


@dataclass(frozen=True, eq=False)
class RisingRate(Part):
    """Rows in groups of equal scores, from the lowest; with more than :data:`MOST` scores neighbours share a group."""

    low: Vector  # (m,) the least score of each group
    high: Vector  # (m,)
    hits: Vector  # (m,) rows of the class
    rows: Vector  # (m,)

    @classmethod
    def of(cls, s: Vector, hit: np.ndarray, w: Vector) -> RisingRate:
        """Group scores; ``hit`` tells which rows are of the class, ``w`` how many rows each one counts for."""
        order = np.argsort(s, kind="stable")
        order = order[w[order] > 0]
        s, hit, w = s[order], hit[order], w[order]
        apart = np.diff(s, prepend=s[0]) > HAIR * (s[-1] - s[0])
        group = np.cumsum(apart)
        if group[-1] >= MOST:
            first = np.flatnonzero(np.diff(group, prepend=-1))
            group = np.minimum((MOST * (np.cumsum(w) - w) / w.sum()).astype(np.intp), MOST - 1)[first][group]
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        stops = np.append(starts[1:], len(s)) - 1
        return cls(s[starts], s[stops], np.add.reduceat(w * hit, starts), np.add.reduceat(w, starts))

    def interval(self, s: Vector, level: float) -> Matrix:
        """Return the ends (n, 2) of the interval (1) of the rate at each score.

        References
        ----------
        Banerjee and Wellner, "Confidence intervals for current status data", *Scandinavian Journal of Statistics* 32, 2005; Tang, Banerjee
        and Kosorok, "Likelihood based inference for current status data on a grid", *Annals of Statistics* 40, 2012.

        >>> answers = RisingRate.of(np.repeat([1.0, 2.0], 50), np.arange(100) % 50 < np.repeat([10, 30], 50), np.ones(100))
        >>> answers.interval(np.array([1.0, 1.5, 2.0]), 0.9).round(2).tolist()
        [[0.12, 0.32], [0.12, 0.71], [0.47, 0.71]]
        """
        hair = HAIR * (self.high[-1] - self.low[0])
        below, upto = np.searchsorted(self.high, s - hair), np.searchsorted(self.low, s + hair, "right")
        places, which = np.unique(below * (len(self.low) + 1) + upto, return_inverse=True)
        below, upto = np.divmod(places, len(self.low) + 1)
        price = float(special.chdtri(1, 1 - level))
        upper = _upper_end(self.hits, self.rows, below, upto, price)
        others = (self.rows - self.hits)[::-1]  # of whose rate the lower end is the upper one
        lower = 1 - _upper_end(others, self.rows[::-1], len(others) - upto, len(others) - below, price)
        return np.column_stack([lower, upper])[which.reshape(-1)]


def _upper_end(hits: Vector, rows: Vector, below: np.ndarray, upto: np.ndarray, price: float) -> Vector:
    """Return the largest rate (Q,) that the rows allow between the groups ``below`` a score and those from ``upto`` on."""
    sums = np.concatenate([[[0.0, 0.0]], np.cumsum(np.column_stack([hits, rows]), axis=0)])
    here = (sums[upto] - sums[below]).T
    left = _blocks(np.append(1.0, hits), np.append(1.0, rows), below)  # the added row is group 0
    others = _blocks((rows - hits)[::-1], rows[::-1], len(rows) - upto - 1)
    H, W = np.hstack([left[0], others[1] - others[0]]), np.hstack([left[1], others[1]])  # (Q, b)
    side = np.repeat([1.0, -1.0], [left[0].shape[1], others[0].shape[1]])
    rates = H / np.where(W > 0, W, 1.0)
    free = _likelihood(H, W, rates)

    def pooled(theta: Vector) -> tuple[np.ndarray, Vector, Vector]:
        """Return the blocks that have to pass the rate, and all rows that do."""
        on = side * (rates - theta[:, None]) > 0
        return on, here[0] + np.einsum("qb,qb->q", H, on), here[1] + np.einsum("qb,qb->q", W, on)

    def value(theta: Vector) -> Vector:
        on, h, w = pooled(theta)
        likelihood: Vector = np.einsum("qb,qb->q", free, ~on) + _likelihood(h, w, theta)
        return likelihood

    def rises(theta: Vector) -> np.ndarray:
        _, h, w = pooled(theta)
        return h > theta * w

    best = _halved(np.zeros(len(below)), rises)
    least = value(best) - price / 2
    return _halved(best, lambda theta: value(theta) > least)


def _halved(low: Vector, more: Callable[[Vector], np.ndarray]) -> Vector:
    """Return where ``more`` becomes false between ``low`` and 1."""
    high = np.ones_like(low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        on = more(middle)
        low, high = np.where(on, middle, low), np.where(on, high, middle)
    return high


def _blocks(hits: Vector, rows: Vector, last: np.ndarray) -> tuple[Matrix, Matrix]:
    """Return hits and rows of the blocks (Q, b) of the isotonic fit of the groups up to each ``last`` (-1: none), and empty ones.

    The fit of one group more differs in the blocks that it is pooled with: each group keeps its block, and where the one before ends.
    """
    H, W, before = hits.tolist(), rows.tolist(), [0] * len(hits)
    for i in range(len(H)):
        j = i - 1
        while j >= 0 and H[j] * W[i] >= H[i] * W[j]:
            H[i], W[i], j = H[i] + H[j], W[i] + W[j], before[j]
        before[i] = j
    h, w, back = np.append(H, 0.0), np.append(W, 0.0), np.append(before, -1).astype(np.intp)
    walk = [last]
    while (walk[-1] >= 0).any():
        walk.append(back[walk[-1]])
    at = np.stack(walk, axis=1)
    return h[at], w[at]


def _likelihood(hits: np.ndarray, rows: np.ndarray, rate: np.ndarray) -> np.ndarray:
    return np.asarray(special.xlogy(hits, rate) + special.xlog1py(np.maximum(rows - hits, 0.0), -rate))
