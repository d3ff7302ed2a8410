r"""How well scores rank: the area under the ROC curve with an interval that holds for few positives, and average precision.

The area :math:`\theta = P(s_+ > s_-) + \frac12 P(s_+ = s_-)` is a mean over pairs. Each positive has a *placement* :math:`a_i`, the share
of negatives below it, each negative the share :math:`b_j` of positives above, and (DeLong, DeLong and Clarke-Pearson)

.. math:: \mathrm{se}^2 = \frac{\mathrm{var}(a)}{P} + \frac{\mathrm{var}(b)}{N}, \tag{1}

with :math:`P - 1` and :math:`N - 1` under the variances and Satterthwaite's degrees of freedom, on the scale of
:math:`\log \theta / (1 - \theta)`. Where the smaller class has few members, or the ranking is perfect, (1) has seen too little: the
interval is widened to hold Newcombe's method 5, all :math:`\theta` with :math:`(\hat\theta - \theta)^2 \le z^2 V(\theta)`,

.. math:: V(\theta) = \frac{\theta (1 - \theta)}{P N} \Bigl[1 + \bigl(\tfrac{P + N}{2} - 1\bigr)
          \Bigl(\frac{1 - \theta}{2 - \theta} + \frac{\theta}{1 + \theta}\Bigr)\Bigr]. \tag{2}

Of rows in groups, which hold positives and negatives both, few groups make pairs among themselves and the area curves in their sums: the
error bar is that of a jackknife of groups where it is longer than what (1) becomes by their sums. With :math:`U` groups, and
:math:`\theta_{(u)}` the area without one of them,

.. math:: \mathrm{se}^2 = \theta^2 (1 - \theta)^2\, \frac{U - 1}{U} \sum_u \bigl(\ell_u - \bar\ell\bigr)^2, \qquad
          \ell_u = \log \frac{\theta_{(u)}}{1 - \theta_{(u)}}. \tag{3}

Average precision :math:`\frac1P \sum_k \frac{k}{k + f_k}`, with :math:`f_k` negatives above the k-th positive, counts that positive among
those that it ranks, and is too large when positives are few. To count half of it,
:math:`\frac{k - 1/2}{k - 1/2 + f_k}`, takes about half of that away.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import special

from epee.risk.intervals import Interval, normal_quantile, t_quantile
from epee.risk.units import units_of
from epee.typing import Codes, Vector

FEW_OF_A_CLASS = 30  # below, (2) stands beside (1)
DRAWN = 16_000  # weights of rows in samples that are looked at together: they stay in the cache


def counts_drawn(rng: np.random.Generator, copies: Codes, n: int, draws: int) -> Iterator[np.ndarray]:
    """Yield how often each of ``n`` rows is in some bootstrap samples of their ``copies``, (samples, n), until ``draws`` are drawn."""
    some = max(1, DRAWN // n)
    for start in range(0, draws, some):
        lots = (rng.integers(0, len(copies), len(copies)) for _ in range(min(some, draws - start)))
        yield np.stack([np.bincount(copies[lot], minlength=n) for lot in lots])


def area(score: Vector, positive: np.ndarray, w: Vector) -> tuple[float, Vector]:
    """Return the area and the placement of each row (n,): the share of the other class on the right side of it.

    >>> area(np.array([1.0, 2.0, 3.0]), np.array([False, True, False]), np.ones(3))
    (0.5, array([1. , 0.5, 0. ]))
    """
    wp, wn = np.where(positive, w, 0.0), np.where(positive, 0.0, w)
    values, where = np.unique(score, return_inverse=True)
    where = where.reshape(-1)
    p, q = np.bincount(where, wp, minlength=len(values)), np.bincount(where, wn, minlength=len(values))
    below, above = np.cumsum(q) - q / 2, p.sum() - np.cumsum(p) + p / 2
    placement = np.where(positive, below[where] / q.sum(), above[where] / p.sum())
    return float(wp @ placement / p.sum()), placement


def areas_left(score: Vector, positive: np.ndarray, w: Vector, groups: Codes) -> Vector:
    """Return the area without each group (G,), coded from 0; NaN where no positive or no negative is left.

    >>> score, positive = np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True])
    >>> areas_left(score, positive, np.ones(4), np.array([0, 1, 1, 2])).tolist()
    [0.5, 1.0, 0.5]
    """
    whole, placement = area(score, positive, w)
    p, q = np.bincount(groups, np.where(positive, w, 0.0)), np.bincount(groups, np.where(positive, 0.0, w))
    P, N = p.sum(), q.sum()
    pairs = np.bincount(groups, w * placement * np.where(positive, N, P))  # on the right side, of which it has a row
    inside, order, ends = np.zeros(len(p)), np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))
    for g in np.flatnonzero((p > 0) & (q > 0)):  # whose own pairs were counted twice
        rows = order[ends[g - 1] if g else 0 : ends[g]]
        inside[g] = area(score[rows], positive[rows], w[rows])[0] * p[g] * q[g]
    others = (P - p) * (N - q)
    return np.divide(whole * P * N - pairs + inside, others, out=np.full(len(p), np.nan), where=others > 0)


def jackknifed(value: float, left: Vector) -> float:
    """Return the standard error (3) of an area from those without each group; 0 where one of them cannot be told, or nothing is left over.

    >>> round(jackknifed(0.75, np.array([0.7, 0.75, 0.8])), 3)
    0.058
    """
    if not (0 < value < 1 and ((left > 0) & (left < 1)).all()):
        return 0.0
    spread = float(np.var(special.logit(left))) * (len(left) - 1)
    return value * (1 - value) * float(np.sqrt(spread))


def area_error(placement: Vector, positive: np.ndarray, w: Vector, sampled: bool = False) -> tuple[float, float]:
    """Return the standard error (1) and its degrees of freedom; the sandwich's where weights are ``sampled``, not counts."""
    parts, dofs = [], []
    for own in (positive, ~positive):
        units = units_of(placement[own], w[own], weights="sampling" if sampled else "counts")
        parts.append(units.spread()[0] ** 2 / units.n)
        dofs.append(max(units.effective - 1, 1.0))
    total = sum(parts)
    dof = total**2 / sum(v**2 / d for v, d in zip(parts, dofs, strict=True)) if total > 0 else min(dofs)
    return float(np.sqrt(total)), float(dof)


def area_interval(value: float, stderr: float, dof: float, P: float, N: float, level: float) -> Interval:
    """Return the interval of an area: (1) on the logit scale, with (2) where a class is small or nothing was ranked wrongly.

    References
    ----------
    Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2", *Statistics in Medicine*
    25, 2006.

    >>> [round(end, 3) for end in area_interval(1.0, 0.0, 2.0, 3.0, 97.0, 0.95)]
    [0.7, 1.0]
    """
    score = score_interval(value, P, N, level)
    if not (0 < value < 1 and stderr > 0):
        return score
    half, centre = t_quantile(level, dof) * stderr / (value * (1 - value)), np.log(value / (1 - value))
    low, high = float(special.expit(centre - half)), float(special.expit(centre + half))
    if min(P, N) < FEW_OF_A_CLASS:
        low, high = min(low, score.low), max(high, score.high)
    return Interval(min(low, value), max(high, value))


def score_interval(value: float, P: float, N: float, level: float) -> Interval:
    """Return Newcombe's method 5, equation (2), by bisection."""
    z2 = normal_quantile(level) ** 2

    def outside(t: float) -> bool:
        spread = t * (1 - t) / (P * N) * (1 + ((P + N) / 2 - 1) * ((1 - t) / (2 - t) + t / (1 + t)))
        return (value - t) ** 2 > z2 * spread

    ends = []
    for far in (0.0, 1.0):
        a, b = far, value  # far is outside, or the end itself; the value is inside
        for _ in range(60):
            middle = (a + b) / 2
            a, b = (middle, b) if outside(middle) else (a, middle)
        ends.append(b)
    return Interval(ends[0], ends[1])


def precision_over_recall(tp: np.ndarray, fp: np.ndarray, own: float = 1.0) -> np.ndarray:
    """Return average precision from true and false positives at each threshold, (T,) or (T, samples); NaN without positives.

    A share ``own`` of the positive itself is counted.

    >>> float(precision_over_recall(np.array([1.0, 2.0]), np.array([0.0, 1.0])))
    0.8333333333333333
    """
    step = np.diff(tp, axis=0, prepend=np.zeros_like(tp[:1]))
    kept = tp - (1 - own) * np.minimum(step, 1.0)
    total = kept + fp
    precision = np.divide(kept, total, out=np.ones_like(kept), where=total > 0)
    last = tp[-1]
    return np.divide((step * precision).sum(axis=0), last, out=np.full(np.shape(last), np.nan), where=last > 0)
