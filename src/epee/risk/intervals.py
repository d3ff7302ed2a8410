r"""Intervals for a mean of losses and for a rate.

With :math:`m` test rows of loss :math:`e_i`, mean :math:`\bar e` and standard deviation :math:`s`,

.. math:: \bar e \pm t_{m-1}\, \frac{s}{\sqrt m}. \tag{1}

A rate :math:`\hat r` of errors is a binomial share; (1) would shrink to a point at 0 or 1. Wilson's interval solves
:math:`(\hat r - r)^2 = z^2\, r (1 - r) / m` for :math:`r` instead,

.. math:: \frac{\hat r + \frac{z^2}{2m} \pm z \sqrt{\frac{\hat r (1 - \hat r)}{m} + \frac{z^2}{4 m^2}}}{1 + \frac{z^2}{m}}, \tag{2}

and that of Clopper and Pearson inverts the binomial law itself: it never covers less than it claims, and often more.
The ends of a difference :math:`\hat a - \hat b` come from those of its terms, each of which knows its own law (Zou and Donner's MOVER;
Newcombe's for two rates),

.. math:: \hat a - \hat b - \sqrt{x^2 + y^2 - 2 \rho x y}, \qquad x = \hat a - l_a, \quad y = u_b - \hat b, \tag{3}

and the mirror image above, with :math:`\rho` the correlation of the two estimates.
Quantiles come from :mod:`scipy.special`, which loads in a tenth of the time of :mod:`scipy.stats`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from epee.errors import DataError, WrongUse
from epee.losses.loss import Loss
from epee.losses.names import named
from epee.typing import Vector

MOST_COPIES = 5_000_000  # rows of whole weights are written out up to so many


class Interval(NamedTuple):
    """Two ends."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        """Tell whether a value lies inside."""
        return isinstance(value, int | float | np.floating) and bool(self.low <= value <= self.high)


def check_level(level: float) -> None:
    """Refuse a level outside (0, 1)."""
    if not 0 < level < 1:
        raise WrongUse(f"level is {level!r}; it must lie between 0 and 1, such as 0.95.")


def normal_quantile(level: float) -> float:
    r"""Return z with P(\\|Z\\| <= z) = level.

    >>> round(normal_quantile(0.95), 3)
    1.96
    """
    return float(special.ndtri((1 + level) / 2))


def t_quantile(level: float, dof: float) -> float:
    r"""Return t with P(\\|T\\| <= t) = level, for Student's law with ``dof`` degrees of freedom.

    >>> round(t_quantile(0.95, 9), 3)
    2.262
    """
    if not np.isfinite(dof) or dof > 1e7:
        return normal_quantile(level)
    return float(special.stdtrit(dof, (1 + level) / 2)) if dof > 0 else np.inf


def t_p_value(t: float, dof: float) -> float:
    """Return the two-sided p-value of a t statistic."""
    return float(2 * special.stdtr(dof, -abs(t))) if dof > 0 and np.isfinite(t) else (0.0 if np.isinf(t) else 1.0)


def normal_p_value(z: float) -> float:
    """Return the two-sided p-value of a normal statistic."""
    return float(2 * special.ndtr(-abs(z)))


def t_interval(value: float, stderr: float, dof: float, level: float) -> Interval:
    """Return value ± t · stderr."""
    half = t_quantile(level, dof) * stderr if stderr > 0 else 0.0
    return Interval(value - half, value + half)


def within_range(ends: Interval, loss: str | Loss) -> Interval:
    """Return the part of an interval where a risk can lie: between the bounds of its loss."""
    bounds = named(loss)
    low, high = np.clip(ends, bounds.low, bounds.high)
    return Interval(float(low), float(high))


def wilson(rate: float, n: float, level: float) -> Interval:
    """Return Wilson's interval (2) for a rate observed on ``n`` rows.

    >>> low, high = wilson(0.0, 20, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.0, 0.161)
    """
    z2 = normal_quantile(level) ** 2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2) * np.sqrt(max(rate * (1 - rate), 0.0) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if rate <= 0 else max(centre - half, 0.0)
    high = 1.0 if rate >= 1 else min(centre + half, 1.0)
    return Interval(float(low), float(high))


def interval_of_difference(a: float, of_a: Interval, b: float, of_b: Interval, correlation: float = 0.0) -> Interval:
    """Return the interval (3) of ``a - b`` from those of both.

    References
    ----------
    Zou and Donner, "Construction of confidence limits about effect measures: a general approach", *Statistics in Medicine* 27, 2008.

    >>> [round(end, 3) for end in interval_of_difference(0.9, wilson(0.9, 100, 0.95), 0.8, wilson(0.8, 100, 0.95))]
    [0.0, 0.199]
    """

    def reach(x: float, y: float) -> float:
        return float(np.sqrt(max(x * x + y * y - 2 * correlation * x * y, 0.0)))

    return Interval(a - b - reach(a - of_a.low, of_b.high - b), a - b + reach(of_a.high - a, b - of_b.low))


def clopper_pearson(rate: float, n: float, level: float) -> Interval:
    """Return the exact interval for a rate observed on ``n`` rows.

    >>> low, high = clopper_pearson(0.5, 10, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.187, 0.813)
    """
    k, tail = rate * n, (1 - level) / 2
    low = 0.0 if k <= 0 else float(special.betaincinv(k, n - k + 1, tail))
    high = 1.0 if k >= n else float(special.betaincinv(k + 1, n - k, 1 - tail))
    return Interval(low, high)


def asked_interval(
    kind: str, value: float, stderr: float, n: float, losses: Vector, w: Vector | None, level: float, is_rate: bool
) -> Interval:
    """Return the interval of a mean of losses that a user asks for by its name."""
    if kind in ("wilson", "exact"):
        if not is_rate:
            raise WrongUse(f"interval={kind!r} is for rates (the zero_one loss); take 't' or 'bootstrap'.")
        return wilson(value, n, level) if kind == "wilson" else clopper_pearson(value, n, level)
    if kind == "bootstrap":
        return bootstrap_interval(losses, w, level)
    if kind != "t":
        raise WrongUse(f"interval is {kind!r}; it must be 'wilson', 'exact', 't' or 'bootstrap'.")
    if not n > 1:
        raise DataError(f"a t interval needs at least 2 test rows; there are {n:g}.")
    return t_interval(value, stderr, n - 1, level)


def logit_interval(value: float, stderr: float, level: float) -> Interval:
    """Return an interval for a number between 0 and 1 that stays there: normal on the scale of log(v / (1 - v))."""
    if not 0 < value < 1 or stderr <= 0:
        return Interval(value, value)
    half = normal_quantile(level) * stderr / (value * (1 - value))
    centre = np.log(value / (1 - value))
    return Interval(float(special.expit(centre - half)), float(special.expit(centre + half)))


def weighted_mean(losses: Vector, w: Vector | None) -> tuple[float, float, float]:
    """Return the mean, its standard error and n; weights are counts.

    >>> weighted_mean(np.array([0.0, 1.0]), np.array([1.0, 3.0]))
    (0.75, 0.25, 4.0)
    """
    n = float(len(losses)) if w is None else float(w.sum())
    mean = float(losses.mean()) if w is None else float(w @ losses / n)
    squares = (losses - mean) ** 2
    total = float(squares.sum() if w is None else w @ squares)
    stderr = float(np.sqrt(total / max(n - 1, 1.0) / n)) if n > 1 else float("nan")
    return mean, stderr, n


def bootstrap_interval(
    losses: Vector, w: Vector | None, level: float, *, draws: int = 2000, seed: int = 0, copies: bool = True
) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval (Efron, 1987) of a weighted mean of losses.

    Beyond 20,000 rows the rows are first gathered, at random, into 20,000 bins: the mean is the same and so, in
    expectation, is its spread. Whole weights are counts, so such a row is drawn as often as its copies would be; rows of other
    weights are drawn whole, and all are where whole weights are no ``copies`` but the sizes of groups.
    """
    rng = np.random.default_rng(seed)
    if copies and w is not None and w.sum() <= MOST_COPIES and (w == np.round(w)).all():
        losses, w = np.repeat(losses, w.astype(np.int64)), None
    w = np.ones(len(losses)) if w is None else w
    sums, counts = w * losses, w
    if len(losses) > 20_000:
        where = rng.permutation(len(losses)) % 20_000
        sums, counts = (np.bincount(where, a).astype(float) for a in (sums, counts))
    n, means = len(sums), []
    step = max(1, 4_000_000 // n)
    for start in range(0, draws, step):
        rows = rng.integers(0, n, (min(step, draws - start), n))
        means.append(sums[rows].sum(axis=1) / np.maximum(counts[rows].sum(axis=1), 1e-300))
    found = np.sort(np.concatenate(means))
    centre = sums.sum() / counts.sum()
    below = np.clip((found < centre).mean() + (found == centre).mean() / 2, 1 / draws, 1 - 1 / draws)
    z0 = special.ndtri(below)
    pull = sums - centre * counts  # influence of each row
    scale = (pull**2).sum() ** 1.5
    a = float((pull * pull) @ pull) / (6 * scale) if scale > 0 else 0.0
    z = special.ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    ends = special.ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))
    low, high = np.quantile(found, ends)
    return Interval(float(min(low, centre)), float(max(high, centre)))  # a wild row may bend both ends to one side
