r"""Intervals for the rate of a class at one score, when its log-odds follow a line that may bend, and nobody knows how much.

With :math:`u(s)` the share of rows below the score :math:`s`, the log-odds are a line and a random walk over the ranks,

.. math:: \log \frac{p(s)}{1 - p(s)} = a s + b + \tau \sum_{j \le J} \frac{c_j}{j}\, \tilde h_j(s), \qquad c_j \sim \mathcal N(0, 1),
          \tag{1}

where :math:`\tilde h_j` is the wave :math:`\cos(\pi j u(s))` less its own line, all of them on a scale that makes :math:`\tau` the root of
the mean square of the bend. Ranks are the same for a score and its logarithm: bends are as free where rows are dense as far out.
Each of the sizes :data:`SIZES`, and no bend at all, is believed as much as the others before the rows are seen, and afterwards by its
evidence, up to a constant and by Laplace's formula, with :math:`H` the curvature in :math:`a`, :math:`b` and the :math:`\tau c_j`,

.. math:: \log e_\tau = \ell(\hat\theta) - \tfrac12 \hat c^\top \hat c - \tfrac12 \log\det H - J \log \tau. \tag{2}

The interval is the middle part of the mean of these normal laws. A test before the bar would take the line where it is not refused as
if it were known, and few rows refuse little: here a bend that they cannot exclude lengthens the bar as far as they cannot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from epee.decision.log_odds import chance, most_likely
from epee.decision.monotone import RisingRate
from epee.stateful import Part
from epee.typing import Matrix, Vector

SIZES = (0.5, 1.0, 2.0)  # of log-odds: smaller ones cost a hundred rows little, and many rows refuse the line
WAVES = np.arange(1, 13)
HALVINGS = 18


@dataclass(frozen=True, eq=False)
class BentLine(Part):
    """The line and its bends of each size: their coefficients, last those of the score (of mean 0 and spread 1) and of 1."""

    scores: Vector  # (m,) one of each group of rows, from the lowest
    below: Vector  # (m,) the share of rows below
    unit: Vector  # (2,) mean and spread of scores
    along: Matrix  # (2, J) of each wave what is a line
    height: float  # what the waves are divided by
    centres: Matrix  # (T + 1, J + 2) of no bend first
    covariances: np.ndarray  # (T + 1, J + 2, J + 2)
    beliefs: Vector  # (T + 1,)

    @classmethod
    def of(cls, s: Vector, hit: np.ndarray, w: Vector) -> BentLine | None:
        """Fit to scores; ``hit`` tells which rows are of the class, ``w`` how many each counts for. None: two scores are on any line."""
        groups = RisingRate.of(s, hit, w)
        rows, share = groups.rows, groups.hits / groups.rows
        if len(rows) < 3:
            return None
        where = np.minimum(np.searchsorted(groups.high, s), len(rows) - 1)
        scores = np.bincount(where, w * s) / np.bincount(where, w)
        mean = np.average(scores, weights=rows)
        unit = np.array([mean, np.sqrt(np.average((scores - mean) ** 2, weights=rows))])
        below = (np.cumsum(rows) - rows / 2) / rows.sum()
        line, waves = _line(scores, unit), _waves(below)
        flat, own = most_likely(line, share, rows, jeffreys=True)
        p = chance(line @ flat)
        weigh = np.sqrt(rows * np.maximum(p * (1 - p), 1e-6))[:, None]
        along: Matrix = np.linalg.lstsq(line * weigh, waves * weigh, rcond=None)[0].astype(np.float64)
        bends = waves - line @ along
        height = float(np.sqrt(((bends * weigh) ** 2).sum() / (weigh**2).sum()))
        A = np.hstack([bends / height, line])
        gap = ((0, 0), (len(WAVES), 0))
        fits = [(np.pad(flat, gap[1]), np.pad(own, (gap[1], gap[1])))]
        evidence = [_likelihood(line @ flat, share, rows) + np.linalg.slogdet(own)[1] / 2]
        for size in SIZES:
            precision = np.append(np.full(len(WAVES), size**-2), [0.0, 0.0])
            theta, covariance = most_likely(A, share, rows, precision=precision, jeffreys=True)
            fits.append((theta, covariance))
            prior = -precision @ theta**2 / 2 - len(WAVES) * np.log(size)
            evidence.append(_likelihood(A @ theta, share, rows) + prior + np.linalg.slogdet(covariance)[1] / 2)
        centres, covariances = map(np.array, zip(*fits, strict=True))
        return cls(scores, below, unit, along, height, centres, covariances, special.softmax(evidence))

    def interval(self, s: Vector, level: float, variance: Vector) -> Matrix:
        """Return the ends (n, 2) of the interval of the log-odds at each score.

        ``variance`` (n,) is that of the line alone: what it has beyond the likelihood's is added to that of each bend.
        """
        line = _line(s, self.unit)
        A = np.hstack([(_waves(np.interp(s, self.scores, self.below)) - line @ self.along) / self.height, line])
        own = ((A @ self.covariances) * A).sum(axis=2)  # (T + 1, n)
        means, spreads = self.centres @ A.T, np.sqrt(np.maximum(own + np.maximum(variance - own[0], 0.0), 0.0))
        return np.column_stack([self._quantile(means, spreads, share) for share in ((1 - level) / 2, (1 + level) / 2)])

    def _quantile(self, means: Matrix, spreads: Matrix, share: float) -> Vector:
        """Return the log-odds (n,) below which a share of the mean of the normal laws lies: between the least and the largest of theirs."""
        each = means + special.ndtri(share) * spreads
        low, high = each.min(axis=0), each.max(axis=0)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            under = self.beliefs @ special.ndtr((middle - means) / np.maximum(spreads, 1e-12)) < share
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return high


def _line(s: Vector, unit: Vector) -> Matrix:
    return np.column_stack([(s - unit[0]) / unit[1], np.ones(len(s))])


def _waves(below: Vector) -> Matrix:
    waves: Matrix = np.cos(np.pi * np.outer(below, WAVES)) / WAVES
    return waves


def _likelihood(z: Vector, share: Vector, rows: Vector) -> float:
    return float(rows @ (share * z - np.logaddexp(0.0, z)))
