r"""An interval for the mean of skewed losses, from three sums.

The mean :math:`\bar e` of :math:`n` losses with standard deviation :math:`s` and skewness :math:`\gamma` is not yet normal when
:math:`\gamma / \sqrt n` is not small: the samples with a small mean also have a small :math:`s`, and the t interval misses
large means far more often than small ones. Hall's transformation of :math:`T = (\bar e - \mu) / s`,

.. math:: g(T) = T + \tfrac13 \gamma T^2 + \tfrac1{27} \gamma^2 T^3 + \tfrac{\gamma}{6 n}, \tag{1}

takes that skewness away, increases everywhere and is inverted in closed form,

.. math:: g^{-1}(x) = \tfrac3\gamma \Bigl[\bigl(1 + \gamma (x - \tfrac{\gamma}{6n})\bigr)^{1/3} - 1\Bigr],
          \qquad \mu \in \bar e - s\, g^{-1}\bigl(\pm t / \sqrt n\bigr). \tag{2}

A sample shows too little of its skewness: it cannot exceed :math:`\gamma_{max} = (n - 2) / \sqrt{n - 1}`, whatever the law. The
*dominance* :math:`u = \hat\gamma / \gamma_{max}` is 1 when one loss makes the whole spread. The upper end is therefore the larger one
of (2) with :math:`\hat\gamma` and with :math:`\hat\gamma / (1 - u)`; the lower end keeps :math:`\hat\gamma`. Where :math:`u` stays
large as :math:`n` grows the third moment, or even the second, does not exist, and no interval made from the sample is honest. A sample
may miss the losses that would show it, and their neighbours tell: with :math:`k = \lfloor\sqrt n\rfloor` and the losses in decreasing
order, Hill's estimate of the tail

.. math:: \hat\xi = \tfrac1k \sum_{i \le k} \log \bigl(e_{(i)} / e_{(k+1)}\bigr) \tag{3}

is above 1/2 where the losses have no variance (squares of errors of a tail index below 4).

Of a hundred squares of normal errors one in six looks like that by chance. Their kurtosis tells more of so few: by the test of Anscombe
and Glynn, with :math:`b = n \sum e_i^2 / (\sum e_i)^2` the kurtosis of the errors, of mean :math:`3 (n - 1) / (n + 1)`, the standard
deviation :math:`\sigma_b` and the skewness :math:`\gamma_b` for normal ones,

.. math:: z = \Bigl(\frac{9A}{2}\Bigr)^{1/2} \Biggl[1 - \frac{2}{9A} - \biggl(\frac{1 - 2/A}{1 + \frac{b - \mathrm{E}\, b}{\sigma_b}
          \sqrt{2 / (A - 4)}}\biggr)^{1/3}\Biggr] \sim N(0, 1), \qquad
          A = 6 + \frac{8}{\gamma_b} \Bigl[\frac{2}{\gamma_b} + \sqrt{1 + \frac{4}{\gamma_b^2}}\Bigr]. \tag{4}
"""

from __future__ import annotations

import numpy as np

from epee.risk.intervals import Interval, normal_quantile, t_quantile
from epee.typing import Vector

FEWEST = 20  # independent units from which an error bar is known well enough
FEWEST_ROWS = 40  # losses that have a probability of 3 / n are missing from one sample in twenty: below, nobody knows how large they are

HEAVY = 0.6  # estimate of the tail from which on the variance is taken not to exist
NORMAL = 0.05  # where (4) refutes that errors are normal


def undo_skewness(x: float, skewness: float, n: float) -> float:
    """Return the inverse (2) of Hall's transformation.

    >>> undo_skewness(0.3, 0.0, 10.0), round(undo_skewness(0.3, 2.0, 10.0), 3)
    (0.3, 0.23)
    """
    if abs(skewness) < 1e-8:
        return x
    return float(3 / skewness * (np.cbrt(1 + skewness * (x - skewness / (6 * n))) - 1))


def dominance(skewness: float, n: float) -> float:
    """Return the skewness as a share of the largest that ``n`` rows can show.

    >>> round(dominance(2.0, 102.0), 2)
    0.2
    """
    return float(np.clip(skewness * np.sqrt(n - 1) / (n - 2), 0.0, 1.0)) if n > 2 else 1.0


def _hidden(skewness: float, n: float) -> float:
    """Return the skewness that a sample of this one may hide; no more than that beyond which (1) is flat."""
    return min(skewness / max(1 - dominance(skewness, n), 1e-3), 3 * float(np.sqrt(n)))


def too_dominant(skewness: float, n: float) -> bool:
    """Tell whether a few losses make so much of the spread that no interval of their mean is honest.

    The limit falls slowly with ``n``, from 0.5 up to 30 rows to 0.3 at 2,000: the share of the largest loss vanishes where moments exist.
    Squares of Gaussian errors pass it in 20 % of samples of 30 rows, 2 % of 100 and none of 300; squares of Student errors with 2.5
    degrees of freedom in 70 to 90 % at any size.
    """
    return dominance(skewness, n) > 0.5 * min(30 / n, 1.0) ** 0.12


def tail(losses: Vector, copies: Vector) -> float:
    """Return Hill's estimate (3) from losses that stand for so many rows each.

    >>> losses = 1 / np.linspace(0.001, 1, 1000)
    >>> round(tail(losses, np.ones(1000)), 2), round(tail(np.repeat(losses, 2), np.full(2000, 0.5)), 2)
    (0.95, 0.95)
    """
    k = np.floor(np.sqrt(copies.sum()))
    most = int(min(np.ceil(k / copies.min()) + 1, len(losses)))  # as many can be among the largest
    top = np.argpartition(losses, len(losses) - most)[len(losses) - most :]
    top = top[np.argsort(-losses[top], kind="stable")]
    e, c = losses[top], copies[top]
    inside = np.cumsum(c) <= k + 1e-9
    if inside.all() or not inside.any() or not e[~inside][0] > 0:
        return 0.0
    return float(c[inside] @ np.log(e[inside] / e[~inside][0]) / c[inside].sum())


def too_heavy(losses: Vector, copies: Vector) -> bool:
    """Tell whether the tail (3) of losses is so heavy that the sample need not show the losses that make their mean.

    Squares of Gaussian errors pass the limit in 10 % of samples of 100 rows and none of 300; those of Student's law with 3 degrees of
    freedom in 90 %.
    """
    return tail(losses, copies) > HEAVY


def as_of_normal_errors(losses: Vector, copies: Vector) -> bool:
    """Tell whether (4) leaves it possible that losses, which stand for so many rows each, are squares of normal errors.

    References
    ----------
    Anscombe and Glynn, "Distribution of the kurtosis statistic b2 for normal samples", *Biometrika* 70, 1983.

    >>> rng = np.random.default_rng(0)
    >>> as_of_normal_errors(rng.normal(size=100) ** 2, np.ones(100)), as_of_normal_errors(rng.standard_t(3, 100) ** 2, np.ones(100))
    (True, False)
    """
    n = float(copies.sum())
    b = n * float(copies @ losses**2) / float(copies @ losses) ** 2
    spread = np.sqrt(24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5)))
    skewness = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    A = 6 + 8 / skewness * (2 / skewness + np.sqrt(1 + 4 / skewness**2))
    gap = 1 + (b - 3 * (n - 1) / (n + 1)) / spread * np.sqrt(2 / (A - 4))
    z = np.sqrt(4.5 * A) * (1 - 2 / (9 * A) - np.cbrt((1 - 2 / A) / gap))
    return bool(gap <= 0 or z < normal_quantile(1 - 2 * NORMAL))


def skewed_interval(mean: float, sd: float, skewness: float, n: float, dof: float, level: float) -> Interval:
    """Return the interval (2) for a mean of ``n`` independent units with this standard deviation and skewness.

    >>> t = skewed_interval(1.0, 1.0, 0.0, 25.0, 24.0, 0.95)
    >>> s = skewed_interval(1.0, 1.0, 2.0, 25.0, 24.0, 0.95)
    >>> bool(t.low < s.low < 1 < t.high < s.high)
    True
    """
    if not sd > 0:
        return Interval(mean, mean)
    x = t_quantile(level, dof) / np.sqrt(n)
    if skewness < 0:  # the mirror image
        ends = skewed_interval(-mean, sd, -skewness, n, dof, level)
        return Interval(-ends.high, -ends.low)
    hidden = _hidden(skewness, n)
    low = mean - sd * undo_skewness(x, skewness, n)
    high = mean - sd * min(undo_skewness(-x, skewness, n), undo_skewness(-x, hidden, n))
    return Interval(min(low, mean), max(high, mean))


def likeliest(t: float, dof: float) -> float:
    r"""Return how many standard errors a mean of Student's statistic :math:`t` most likely is from 0: :math:`t / \sqrt{1 + t^2 / \nu}`.

    Few differences may show a small spread by chance, and their mean is not as far out as :math:`t` says.

    >>> likeliest(2.0, np.inf), round(likeliest(12.0, 3.0), 2)
    (2.0, 1.71)
    """
    return t / float(np.sqrt(1 + t * t / dof))


def skewed_reach(t: float, dof: float, skewness: float, n: float) -> float:
    """Return how many times as far as :math:`t` the end of (2) lies to which the tail points: at least 1.

    >>> skewed_reach(2.0, np.inf, 0.0, 50.0), round(skewed_reach(2.0, np.inf, 2.0, 50.0), 2)
    (1.0, 1.66)
    """
    x = likeliest(t, dof) / float(np.sqrt(n))
    return max(1.0, *(undo_skewness(-x, of, n) / -x for of in (abs(skewness), _hidden(abs(skewness), n))))


def skewed_ratio(t: float, dof: float, skewness: float, n: float) -> float:
    """Return what share (1) leaves of a statistic of the mean being 0: at most 1, and 0 where its sign changes.

    >>> skewed_ratio(2.1, np.inf, 0.0, 50.0), round(skewed_ratio(-2.1, np.inf, 2.0, 50.0), 2), round(skewed_ratio(-2.1, 9.0, 2.0, 50.0), 2)
    (1.0, 0.71, 0.75)
    """
    if t == 0:
        return 1.0
    T = likeliest(t, dof) / float(np.sqrt(n))
    hidden = float(np.copysign(_hidden(abs(skewness), n), skewness))
    told = [T + g * T**2 / 3 + g**2 * T**3 / 27 + g / (6 * n) for g in (skewness, hidden)]
    return float(np.clip(min(t / T for t in told), 0.0, 1.0))
