r"""Cross-entropy: the log loss of probabilities, and the same written on scores.

For two classes with :math:`P(1 \mid s) = \sigma(s) = 1/(1 + e^{-s})` and :math:`t \in \{0, 1\}`,

.. math:: e(s, t) = -\bigl[t \ln \sigma(s) + (1 - t) \ln(1 - \sigma(s))\bigr] = \ln(1 + e^{-m}), \quad m = \pm s; \qquad
          \partial_s e = \sigma(s) - t, \quad \partial_s^2 e = \sigma(s)(1 - \sigma(s)). \tag{1}

For :math:`K` classes with :math:`y = \mathrm{softmax}(s)` and a one-hot :math:`t`,

.. math:: e(s, t) = -\sum_k t_k \ln y_k = \ln \sum_k e^{s_k} - s_t; \qquad
          \partial_{s_k} e = y_k - t_k, \quad \partial^2_{s_k s_l} e = y_k(\delta_{kl} - y_l). \tag{2}

Adding a constant to all scores changes nothing. In base 2 the loss of a zero margin is 1, so it bounds the 0-1 loss. On
scores nothing overflows; on probabilities, a true class of probability 0 costs :math:`-\ln` of the smallest float.

References: Bishop, *Pattern Recognition and Machine Learning*, Springer, 2006, section 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epee.errors import DataError, WrongUse
from epee.losses.loss import Kind, Loss
from epee.losses.margins import MarginLoss
from epee.typing import ArrayLike, Matrix, Tensor, Vector


def sigmoid(a: ArrayLike) -> Tensor:
    r"""Return :math:`\sigma(a) = 1 / (1 + e^{-a})` without overflow; :math:`\sigma(-a) = 1 - \sigma(a)`.

    Parameters
    ----------
    a : array
        Scores, of any size: nothing overflows.

    Examples
    --------
    >>> sigmoid([-1000.0, 0.0, 1000.0])
    array([0. , 0.5, 1. ])
    """
    a = np.asarray(a, dtype=float)
    small = np.exp(-np.abs(a))
    return np.where(a >= 0, 1.0, small) / (1 + small)


def softmax(scores: ArrayLike) -> Matrix:
    r"""Return :math:`e^{s_k} / \sum_j e^{s_j}` along the last axis, without overflow.

    Parameters
    ----------
    scores : array (..., K)
        Scores, of any size.

    Examples
    --------
    >>> softmax([[1000.0, 1000.0]])
    array([[0.5, 0.5]])
    """
    scores = np.asarray(scores, dtype=float)
    out = np.exp(scores - scores.max(axis=-1, keepdims=True))
    out /= out.sum(axis=-1, keepdims=True)
    return out


@dataclass(frozen=True, eq=False)
class CrossEntropy(MarginLoss):
    r"""The log loss of the sigmoid or softmax of scores, equations (1) and (2).

    Parameters
    ----------
    base : float > 1, default=e
        The base of the logarithm; with 2 the loss bounds the 0-1 loss from above.
    form : {"sum", "max"}
        With more than two classes: add the wrong classes up, or take the worst of them.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> CrossEntropy(base=2).value([0.0, 1000.0], [1, 1])
    array([1., 0.])
    """

    name: ClassVar[str] = "log"
    unit: ClassVar[str] = "nats"
    base: float = float(np.e)

    def __post_init__(self) -> None:
        if not self.base > 1:
            raise WrongUse(f"the base of the log loss is {self.base}; it must be larger than 1.")

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            nats = np.logaddexp(0.0, -self.signs(y) * scores)
        else:
            top = scores.max(axis=1)
            nats = (
                top + np.log(np.exp(scores - top[:, None]).sum(axis=1)) - scores[np.arange(len(scores)), self.codes(y)]
            )
        return nats / np.log(self.base)

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            t = self.signs(y)
            return -t * sigmoid(-t * scores) / np.log(self.base)
        out = softmax(scores)
        out[np.arange(len(scores)), self.codes(y)] -= 1
        return out / np.log(self.base)

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            return sigmoid(scores) * sigmoid(-scores) / np.log(self.base)
        P = softmax(scores)
        each = np.arange(P.shape[1])
        out = -P[:, :, None] * P[:, None, :]  # (n, K, K)
        out[:, each, each] = out[:, each, each] + P
        return out / np.log(self.base)


@dataclass(frozen=True, eq=False)
class LogLoss(Loss):
    r"""Minus the logarithm of the probability given to the true class.

    Parameters
    ----------
    base : float > 1, default=e
        The base of the logarithm.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> LogLoss(base=2).value([[0.5, 0.5], [0.25, 0.75]], [0, 0])
    array([1., 2.])
    """

    name: ClassVar[str] = "log"
    unit: ClassVar[str] = "nats"
    kind: ClassVar[Kind] = "probability"
    base: float = float(np.e)

    def _table(self, prediction: ArrayLike) -> Matrix:
        P = np.asarray(prediction, dtype=float)
        P = np.stack([1 - P, P], axis=1) if P.ndim == 1 else P
        if P.size and not (P.min() >= -1e-6 and P.max() <= 1 + 1e-6):
            raise DataError(
                f"probabilities run from {P.min():.3g} to {P.max():.3g}; the log loss needs them between 0 and 1."
            )
        return P

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        P = self._table(prediction)
        chosen = P[np.arange(len(P)), self.codes(y)]
        return -np.log(np.clip(chosen, np.finfo(float).tiny, 1.0)) / np.log(self.base)

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        P, codes = self._table(prediction), self.codes(y)
        rows = np.arange(len(P))
        slope = -1 / np.maximum(P[rows, codes], np.finfo(float).tiny) / np.log(self.base)
        if np.ndim(prediction) == 1:
            return np.where(codes == 1, slope, -slope)
        out = np.zeros_like(P)
        out[rows, codes] = slope
        return out
