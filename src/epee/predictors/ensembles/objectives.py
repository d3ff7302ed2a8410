r"""What boosting descends: the slope and the curvature of a loss in the raw score of each row.

With the loss :math:`\ell(y, f)` of a raw score :math:`f`, a round of boosting sees each row through

.. math:: g = w\, \frac{\partial \ell}{\partial f}, \qquad h = w\, \frac{\partial^2 \ell}{\partial f^2}. \tag{1}

Losses of corners (absolute, quantile) and Huber's have the curvature of the squared one, and their leaves are found again from the
residuals: a median, a quantile, Huber's step from the median.

=================  =======================================================  ==============================================
loss               :math:`\ell(y, f)`                                       prediction
=================  =======================================================  ==============================================
squared            :math:`(y - f)^2 / 2`                                    :math:`f`, the mean
absolute           :math:`|y - f|`                                          :math:`f`, the median
quantile           :math:`(q - 1[y < f]) (y - f)`                           :math:`f`, the quantile
Huber              squared up to :math:`\delta`, then straight              :math:`f`
Poisson            :math:`e^f - y f`                                        :math:`e^f`
gamma              :math:`y e^{-f} + f`                                     :math:`e^f`
log, two classes   :math:`\log(1 + e^f) - y f`                              :math:`1 / (1 + e^{-f})`
log, K classes     :math:`\log \sum_k e^{f_k} - f_y`                        softmax
=================  =======================================================  ==============================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from epee.errors import DataError
from epee.estimator.base import softmax
from epee.typing import Matrix, Vector


@dataclass
class Objective:
    """One loss; ``raw`` is (n, outputs), ``y`` values or codes (n,)."""

    outputs: int = 1
    constant = True  # the curvature of a row is its weight
    refits = False  # leaves are found again from the residuals

    def check(self, y: Vector) -> None:
        """Refuse a target that the loss cannot have."""

    def start(self, y: Vector, w: Vector | None) -> Vector:
        """Return the best constant (outputs,)."""
        return np.array([np.average(y, weights=w)])

    def prepare(self, y: Vector, raw: Matrix, w: Vector | None) -> None:
        """Look at all residuals before a round."""

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        """Return the derivatives (n, outputs) of the loss, the second None where it is 1."""
        return raw - y[:, None], None

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        """Return the loss of each row (n,)."""
        return 0.5 * (y - raw[:, 0]) ** 2

    def leaf(self, residuals: Vector, w: Vector | None) -> float:
        """Return the value of a leaf from the residuals of its rows."""
        raise NotImplementedError

    def answer(self, raw: Matrix) -> np.ndarray:
        """Return what is predicted: values (n,), or probabilities (n, K)."""
        return raw[:, 0]


class Squared(Objective):
    """Half the squared error."""


@dataclass
class Quantile(Objective):
    """The tilted absolute error; 1/2 is the median."""

    level: float = 0.5
    refits = True

    def start(self, y: Vector, w: Vector | None) -> Vector:
        return np.array([weighted_quantile(y, w, self.level)])

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        return np.where(raw > y[:, None], 1 - self.level, -self.level), None

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        e = y - raw[:, 0]
        return np.where(e >= 0, self.level * e, (self.level - 1) * e)

    def leaf(self, residuals: Vector, w: Vector | None) -> float:
        return weighted_quantile(residuals, w, self.level)


@dataclass
class Absolute(Quantile):
    """The distance: twice the loss of the median, with slopes of one."""

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        return np.where(raw > y[:, None], 1.0, -1.0), None

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        return np.abs(y - raw[:, 0])


@dataclass
class Huber(Objective):
    """Squared for residuals up to a quantile of theirs, absolute beyond (Friedman, 2001)."""

    level: float = 0.9
    delta: float = np.inf
    refits = True

    def start(self, y: Vector, w: Vector | None) -> Vector:
        return np.array([weighted_quantile(y, w, 0.5)])

    def prepare(self, y: Vector, raw: Matrix, w: Vector | None) -> None:
        self.delta = weighted_quantile(np.abs(y - raw[:, 0]), w, self.level)

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        return np.clip(raw - y[:, None], -self.delta, self.delta), None

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        e = np.abs(y - raw[:, 0])
        return np.where(e <= self.delta, 0.5 * e**2, self.delta * (e - 0.5 * self.delta))

    def leaf(self, residuals: Vector, w: Vector | None) -> float:
        middle = weighted_quantile(residuals, w, 0.5)
        return middle + float(np.average(np.clip(residuals - middle, -self.delta, self.delta), weights=w))


class Poisson(Objective):
    """Counts: the mean is exp(f)."""

    constant = False

    def check(self, y: Vector) -> None:
        _refuse_sign(y, y < 0, "negative", "poisson")

    def start(self, y: Vector, w: Vector | None) -> Vector:
        mean = np.average(y, weights=w)
        if not mean > 0:
            raise DataError("loss='poisson' requires non-negative y and sum(y) > 0. Every value of y is zero.")
        return np.array([np.log(mean)])

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        mean = np.exp(raw)
        return mean - y[:, None], mean

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        return np.exp(raw[:, 0]) - y * raw[:, 0]

    def answer(self, raw: Matrix) -> np.ndarray:
        return np.exp(raw[:, 0])


class Gamma(Poisson):
    """Positive values whose spread grows with their mean exp(f)."""

    def check(self, y: Vector) -> None:
        _refuse_sign(y, y <= 0, "not positive", "gamma")

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        ratio = y[:, None] * np.exp(-raw)
        return 1 - ratio, ratio

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        return y * np.exp(-raw[:, 0]) + raw[:, 0]


class OneClass(Objective):
    """One class alone, of which every row is: there is nothing to tell."""

    def start(self, y: Vector, w: Vector | None) -> Vector:
        return np.zeros(1)

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        return np.zeros_like(raw), None

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        return np.zeros(len(y))

    def answer(self, raw: Matrix) -> np.ndarray:
        return np.ones((len(raw), 1))


class TwoClasses(Objective):
    """The log loss of two classes: f is the log-odds of the second."""

    constant = False

    def start(self, y: Vector, w: Vector | None) -> Vector:
        share = np.average(y, weights=w)
        return np.array([special.logit(np.clip(share, 1e-15, 1 - 1e-15))])

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        with np.errstate(over="ignore"):  # exp is a vector instruction, and an overflow gives 0 as it should
            P = 1.0 / (1.0 + np.exp(-raw))
        return P - y[:, None], P * (1.0 - P)

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        return np.logaddexp(0.0, raw[:, 0]) - y * raw[:, 0]

    def answer(self, raw: Matrix) -> np.ndarray:
        p = special.expit(raw[:, 0])
        return np.column_stack([1 - p, p])


class ManyClasses(Objective):
    """The log loss of K classes: one score a class."""

    constant = False

    def start(self, y: Vector, w: Vector | None) -> Vector:
        shares = np.bincount(y.astype(int), weights=w, minlength=self.outputs) / (len(y) if w is None else w.sum())
        scores = np.log(np.maximum(shares, 1e-15))
        return scores - scores.mean()

    def slopes(self, y: Vector, raw: Matrix) -> tuple[Matrix, Matrix | None]:
        P = softmax(raw)
        h = P * (1 - P)
        P[np.arange(len(y)), y.astype(int)] -= 1
        return P, h

    def losses(self, y: Vector, raw: Matrix) -> Vector:
        return special.logsumexp(raw, axis=1) - raw[np.arange(len(y)), y.astype(int)]

    def answer(self, raw: Matrix) -> np.ndarray:
        return softmax(raw)


def weighted_quantile(v: Vector, w: Vector | None, level: float) -> float:
    """Return a quantile; weights are counts, and on an edge it lies half way to the next value.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0, 4.0]), None, 0.5), weighted_quantile(np.array([1.0, 5.0]), np.array([3.0, 1.0]), 0.5)
    (2.5, 1.0)
    """
    order = np.argsort(v, kind="stable")
    below = np.arange(1.0, len(v) + 1) if w is None else np.cumsum(w[order])
    wanted = level * below[-1]
    a = min(int(np.searchsorted(below, wanted)), len(v) - 1)
    b = min(int(np.searchsorted(below, wanted, side="right")), len(v) - 1)
    return float(v[order[a]] / 2 + v[order[b]] / 2)


def _refuse_sign(y: Vector, bad: np.ndarray, word: str, loss: str) -> None:
    needed = "strictly positive y." if loss == "gamma" else "non-negative y and sum(y) > 0."
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(f"loss={loss!r} requires {needed} y is {word} in row {row} ({y[row]:g}). Choose another loss.")
