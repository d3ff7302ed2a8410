r"""The best cut between two normal classes in one dimension, and between two rings.

Class 1 with :math:`(\mu_1, \sigma_1^2, P_1)` wins over class 2 where :math:`P_1\,\mathcal N(x; \mu_1, \sigma_1^2) >
P_2\,\mathcal N(x; \mu_2, \sigma_2^2)`; the logarithm of the ratio, times :math:`\sigma_1^2\sigma_2^2`, is :math:`y(x) =
w_2 x^2 + w_1 x + w_0` with

.. math:: w_2 = \frac{\sigma_1^2 - \sigma_2^2}2, \qquad w_1 = \mu_1\sigma_2^2 - \mu_2\sigma_1^2, \qquad
          w_0 = \frac{\mu_2^2\sigma_1^2 - \mu_1^2\sigma_2^2}2 - \sigma_1^2\sigma_2^2 \log\frac{\sigma_1 P_2}{\sigma_2
          P_1}, \tag{1}

so class 1 lies where :math:`y > 0`. There are two cuts, one (equal variances), or none (one class always wins).

Two rings are spherical clouds about one centre; with :math:`\sigma_1 < \sigma_2` in :math:`d` dimensions the frontier
is the sphere

.. math:: \|x\|^2 = \frac{\sigma_1^2\sigma_2^2}{\sigma_2^2 - \sigma_1^2}
          \Big(d \log\frac{\sigma_2^2}{\sigma_1^2} + 2\log\frac{P_1}{P_2}\Big). \tag{2}
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.base import encode_labels
from epee.table.block import check_weights, refuse_bad_cells
from epee.typing import ArrayLike, Labels, Vector


@dataclass(frozen=True)
class GaussianThreshold:
    r"""The optimal decision between two normal laws on a line.

    Parameters
    ----------
    means, variances, priors : pairs of float
        Of class 1 and class 2, in the order of ``classes``.
    classes : pair of labels, default=(1, 2)
        What ``predict`` answers.

    Attributes
    ----------
    w2, w1, w0 : float
        Coefficients of :math:`y(x)` in (1), positive for the first class; with equal variances divided by
        :math:`\sigma^4`, as the course does: then :math:`w_1 = (\mu_1 - \mu_2)/\sigma^2` and :math:`y` is the log-odds.
    roots : tuple of float
        The cuts, in increasing order: two, one or none.
    error : float
        The expected prediction error of the decision, exactly.

    References
    ----------
    Duda, Hart and Stork, *Pattern Classification*, section 2.6.

    Examples
    --------
    >>> GaussianThreshold((0.0, 2.0), (1.0, 1.0), (0.5, 0.5)).roots
    (1.0,)
    >>> t = GaussianThreshold.of([8, 9, 10, 14, 15, 16, 17], ["info"] * 3 + ["math"] * 4)
    >>> t.classes, t.predict([9, 15]).tolist()
    (('info', 'math'), ['info', 'math'])
    """

    means: tuple[float, float]
    variances: tuple[float, float]
    priors: tuple[float, float] = (0.5, 0.5)
    classes: tuple[Any, Any] = (1, 2)

    def __post_init__(self) -> None:
        if not all(np.isfinite(v) and v > 0 for v in self.variances):
            k = 0 if not self.variances[0] > 0 else 1
            raise DataError(
                f"class {self.classes[k]!r} has the variance {self.variances[k]}; a normal law needs a positive one."
            )
        if min(self.priors) < 0 or not np.isclose(sum(self.priors), 1.0):
            raise WrongUse(f"the priors are {self.priors}; they must be non-negative and sum to 1.")

    @classmethod
    def of(
        cls, x: ArrayLike, y: Any, *, sample_weight: ArrayLike | None = None, priors: Any = None
    ) -> GaussianThreshold:
        """Learn from values and labels of two classes: means, variances with 1/n, frequencies unless ``priors`` are given."""
        x = np.asarray(x, dtype=np.float64).ravel()
        refuse_bad_cells(x, what="x")
        classes, codes = encode_labels(y, len(x))
        if len(classes) != 2:
            raise DataError(f"y has {len(classes)} classes; a threshold is between two.")
        w = check_weights(sample_weight, len(x))
        w = np.ones(len(x)) if w is None else w
        n = np.bincount(codes, weights=w)
        mean = np.bincount(codes, weights=w * x) / n
        variance = np.bincount(codes, weights=w * (x - mean[codes]) ** 2) / n
        shares = n / n.sum() if priors is None else np.asarray(priors, dtype=float)
        labels = classes.tolist()
        return cls(tuple(mean.tolist()), tuple(variance.tolist()), tuple(shares.tolist()), (labels[0], labels[1]))

    @property
    def is_linear(self) -> bool:
        """Whether the variances are equal, so that the cut is a point."""
        v1, v2 = self.variances
        return abs(v1 - v2) <= 1e-12 * max(v1, v2)

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """The coefficients ``(w2, w1, w0)`` of (1)."""
        (m1, m2), (v1, v2), (p1, p2) = self.means, self.variances, self.priors
        with np.errstate(divide="ignore"):
            odds = float(np.log(p2) - np.log(p1))
        if self.is_linear:
            return 0.0, (m1 - m2) / v1, (m2**2 - m1**2) / (2 * v1) - odds
        w0 = (m2**2 * v1 - m1**2 * v2) / 2 - v1 * v2 * (0.5 * float(np.log(v1 / v2)) + odds)
        return (v1 - v2) / 2, m1 * v2 - m2 * v1, w0

    @property
    def w2(self) -> float:
        """Coefficient of the square."""
        return self.coefficients[0]

    @property
    def w1(self) -> float:
        """Coefficient of x."""
        return self.coefficients[1]

    @property
    def w0(self) -> float:
        """Constant."""
        return self.coefficients[2]

    def score(self, x: ArrayLike) -> Vector:
        """Return the log-odds of the first class at each point."""
        x = np.asarray(x, dtype=np.float64)
        (m1, m2), (v1, v2), (p1, p2) = self.means, self.variances, self.priors
        with np.errstate(divide="ignore"):
            return np.log(p1) - np.log(p2) - 0.5 * np.log(v1 / v2) - (x - m1) ** 2 / (2 * v1) + (x - m2) ** 2 / (2 * v2)

    @property
    def roots(self) -> tuple[float, ...]:
        """The cuts in increasing order, found about the midpoint of the means so that a large mean costs no digits."""
        if min(self.priors) == 0:
            return ()
        centre = (self.means[0] + self.means[1]) / 2
        moved = GaussianThreshold((self.means[0] - centre, self.means[1] - centre), self.variances, self.priors)
        a, b, c = moved.coefficients
        if a == 0:
            return () if b == 0 else (centre - c / b,)
        inside = b * b - 4 * a * c
        if inside < 0:
            return ()
        q = -0.5 * (b + np.copysign(np.sqrt(inside), b))  # the stable half of the quadratic formula
        found = {q / a, c / q} if q != 0 else {0.0}
        return tuple(sorted(centre + float(r) for r in found))

    def predict(self, x: ArrayLike) -> Labels:
        """Return the better class at each point; the first where both are as likely."""
        return np.where(self.score(x) >= 0, *(np.asarray([c]) for c in self.classes)).ravel()

    @property
    def error(self) -> float:
        """The expected prediction error, from the normal distribution function."""
        from scipy.special import ndtr

        ends = [-np.inf, *self.roots, np.inf]
        total = 0.0
        for low, high in pairwise(ends):
            middle = _inside(low, high)
            wrong = 1 if float(self.score(middle)) >= 0 else 0
            m, sd = self.means[wrong], np.sqrt(self.variances[wrong])
            total += self.priors[wrong] * float(ndtr((high - m) / sd) - ndtr((low - m) / sd))
        return total


def _inside(low: float, high: float) -> float:
    """Return a point strictly between two ends, of which each may be infinite."""
    if np.isinf(low):
        return 0.0 if np.isinf(high) else high - 1.0 - abs(high)
    return low + 1.0 + abs(low) if np.isinf(high) else (low + high) / 2


def ring_frontier(
    variance_1: float, variance_2: float, dimension: int = 2, priors: tuple[float, float] = (0.5, 0.5)
) -> float:
    """Return the squared radius (2) of the frontier between two spherical classes about one centre.

    >>> round(ring_frontier(0.5, 2.0), 4), ring_frontier(0.5, 2.0) == ring_frontier(2.0, 0.5)
    (1.8484, True)
    """
    if not (variance_1 > 0 and variance_2 > 0) or variance_1 == variance_2:
        raise WrongUse(
            f"the variances are {variance_1} and {variance_2}; they must be positive and differ, else there is no frontier."
        )
    a, b = variance_1, variance_2
    squared = a * b / (b - a) * (dimension * np.log(b / a) + 2 * np.log(priors[0] / priors[1]))
    if squared <= 0:
        raise WrongUse("one class is so rare that the other wins everywhere: there is no frontier.")
    return float(squared)
