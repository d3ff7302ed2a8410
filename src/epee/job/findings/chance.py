r"""Tail probabilities and intervals that several findings use.

For a count :math:`k` out of :math:`n` the hypothesis "the share is at most (at least) :math:`s`" is tested by the binomial law itself;
a mean with its standard error by the normal law; a correlation by Fisher's :math:`\operatorname{artanh}`.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from epee.risk.intervals import Interval, clopper_pearson
from epee.typing import Vector


def at_most(k: float, n: float, share: float) -> float:
    """Return the p-value of "the share is at most ``share``" when ``k`` of ``n`` were seen.

    >>> round(at_most(9, 10, 0.5), 4)
    0.0107
    """
    return float(special.bdtrc(k - 1, n, share)) if k > 0 else 1.0


def at_least(k: float, n: float, share: float) -> float:
    """Return the p-value of "the share is at least ``share``" when ``k`` of ``n`` were seen.

    >>> round(at_least(1, 10, 0.5), 4)
    0.0107
    """
    return float(special.bdtr(k, n, share))


def above(value: float, stderr: float, limit: float = 0.0, *, dof: float | None = None) -> float:
    """Return the p-value of "the truth is at most ``limit``" for an estimate with its standard error.

    By the normal law, or by Student's with ``dof``, for a standard error that rests on few folds.
    """
    if not (np.isfinite(value) and np.isfinite(stderr)) or (dof is not None and dof < 1):
        return 1.0
    if stderr <= 0:
        return 0.0 if value > limit else 1.0
    t = -(value - limit) / stderr
    return float(special.ndtr(t) if dof is None else special.stdtr(dof, t))


def correlation_above(r: float, n: float, limit: float) -> float:
    """Return the p-value of "the correlation is at most ``limit``" by Fisher's transformation."""
    if n < 4 or not np.isfinite(r):
        return 1.0
    r = min(r, 1 - 1e-15)
    return above(float(np.arctanh(r)), 1 / np.sqrt(n - 3), float(np.arctanh(limit)))


def fisher_interval(r: float, n: float, z: float = 1.96) -> Interval:
    """Return the interval of a correlation by Fisher's transformation.

    >>> low, high = fisher_interval(0.5, 103)
    >>> round(low, 2), round(high, 2)
    (0.34, 0.63)
    """
    half = z / np.sqrt(max(n - 3, 1))
    centre = np.arctanh(np.clip(r, -1 + 1e-15, 1 - 1e-15))
    return Interval(float(np.tanh(centre - half)), float(np.tanh(centre + half)))


def share_interval(k: float, n: float) -> Interval:
    """Return the exact interval of a share, of level 0.95."""
    return clopper_pearson(k / n, n, 0.95)


def gamma_tail(value: float, sample: Vector) -> float:
    """Return the tail beyond ``value`` of the Pearson III law with the mean, variance and skewness of a sample.

    A few hundred permutations give three moments well, and no tail at all; this gives the tail.
    """
    mean, sd = float(sample.mean()), float(sample.std())
    if sd <= 0:
        return 0.0 if value > mean else 1.0
    skew = max(float(((sample - mean) ** 3).mean() / sd**3), 0.05)
    shape = 4 / skew**2
    return float(special.gammaincc(shape, max(shape + (value - mean) / sd * np.sqrt(shape), 0.0)))


def two_samples(a: Vector, b: Vector, both: Vector | None = None) -> tuple[float, float]:
    """Return the largest gap between two distribution functions, and its p-value (Kolmogorov and Smirnov).

    Between two values of b its distribution is flat and that of a rises: the gap is largest just below a value of b, or at it.
    ``both`` are the values of the two in order, where they are known.

    >>> round(two_samples(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.5]))[0], 3)
    0.333
    """
    both = np.sort(np.concatenate([a, b])) if both is None else both
    b = np.sort(b)
    D = 0.0
    for side in ("left", "right"):
        in_both, in_b = (np.searchsorted(values, b, side=side) for values in (both, b))
        D = max(D, float(np.abs((in_both - in_b) / len(a) - in_b / len(b)).max()))
    m = len(a) * len(b) / (len(a) + len(b))
    root = np.sqrt(m)
    return D, float(special.kolmogorov(D * (root + 0.12 + 0.11 / root)))


def independent(counts: np.ndarray) -> float:
    """Return the p-value of the chi-square test of a table (r, c) of counts; columns too small to test are merged."""
    small = np.minimum.reduce(np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1), axis=0) < 5
    if small.any():
        counts = np.column_stack([counts[:, ~small], counts[:, small].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)
    dof = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if dof < 1 or (expected <= 0).any() or expected.min() < 1:
        return 1.0
    return float(special.chdtrc(dof, ((counts - expected) ** 2 / expected).sum()))
