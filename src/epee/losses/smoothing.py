r"""Margin losses with their corners rounded.

A maximum over a set is smoothed by a quadratic on the set (Nesterov), of width :math:`\delta`:

.. math:: \max(0, z) \;\to\; \varphi_\delta(z) = \max_{0 \le u \le 1}\; u z - \tfrac\delta2 u^2
          = \tfrac{z^2}{2\delta} \;(0 \le z \le \delta), \quad z - \tfrac\delta2 \;(z > \delta), \tag{1}

and :math:`\max_j z_j` over the classes by the projection of :math:`z/\delta` on the simplex. The value is below the true one by at
most :math:`\delta/2` for each corner, so :math:`\delta` is the price of a derivative.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from epee.losses.entropy import sigmoid
from epee.losses.margins import HingeLoss, MarginLoss, PerceptronLoss
from epee.typing import ArrayLike, Matrix, Tensor, Vector


@dataclass(frozen=True, eq=False)
class Smoothed(MarginLoss):
    """The hinge or the perceptron criterion with rounded corners.

    Parameters
    ----------
    sharp : MarginLoss
        The loss to smooth.
    width : float > 0, default=0.1
        How much is rounded; smaller is nearer to the sharp loss and harder to minimise.
    form : {"sum", "max"}
        With more than two classes: add the wrong classes up, or take the worst of them.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> Smoothed(sharp=HingeLoss(), width=0.5).value([0.0, 0.75, 2.0], [1, 1, 1])
    array([0.75  , 0.0625, 0.    ])
    """

    name: ClassVar[str] = "smoothed"
    sharp: MarginLoss = field(default_factory=HingeLoss)
    width: float = 0.1

    @property
    def _margin(self) -> float:
        return 0.0 if isinstance(self.sharp, PerceptronLoss) else 1.0

    def _rounded(self, z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the value, slope and curvature of (1)."""
        share = np.clip(z / self.width, 0.0, 1.0)
        bend = np.where((share > 0) & (share < 1), 1 / self.width, 0.0)
        return share * (np.maximum(z, 0.0) - self.width / 2 * share), share, bend

    def metric(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        """Return the curvature plus a little of that of a parabola above the loss, which is never 0 where the slope is not."""
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            z = self._margin - self.signs(y) * scores
            _, share, bend = self._rounded(z)
            return bend + 0.1 * share / np.maximum(z, self.width)
        _, slope, _, truth = self._gap_terms(scores, y)
        rows, each = np.arange(len(scores)), np.arange(scores.shape[1])
        slope[rows, truth] = 0.0
        extra = 0.1 * slope / np.maximum(np.abs(scores - scores[rows, truth][:, None] + self._margin), self.width)
        out = self.second(scores, y)
        out[:, each, each] = out[:, each, each] + extra
        out[rows, truth] -= extra
        out[rows, :, truth] -= extra
        out[rows, truth, truth] += extra.sum(axis=1)
        return out

    def _gap_terms(self, scores: Matrix, y: ArrayLike) -> tuple[Vector, Matrix, Matrix, np.ndarray]:
        truth, rows = self.codes(y), np.arange(len(scores))
        gaps = self._margin + scores - scores[rows, truth][:, None]  # (n, K)
        gaps[rows, truth] = 0.0 if self.sharp.form == "max" else -1.0
        if self.sharp.form == "sum":
            value, slope, bend = self._rounded(gaps)
        else:
            slope = project_on_simplex(gaps / self.width)
            value = slope * gaps - self.width / 2 * slope**2
            bend = np.where(slope > 0, 1 / self.width, 0.0)
        return value.sum(axis=1), slope, bend, truth

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            return self._rounded(self._margin - self.signs(y) * scores)[0]
        return self._gap_terms(scores, y)[0]

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            t = self.signs(y)
            return -t * self._rounded(self._margin - t * scores)[1]
        _, slope, _, truth = self._gap_terms(scores, y)
        rows = np.arange(len(scores))
        slope[rows, truth] -= slope.sum(axis=1)
        return slope

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            return self._rounded(self._margin - self.signs(y) * scores)[2]
        _, _, bend, truth = self._gap_terms(scores, y)
        rows, each = np.arange(len(scores)), np.arange(scores.shape[1])
        if self.sharp.form == "sum":
            bend[rows, truth] = 0.0
        core = np.zeros((*bend.shape, bend.shape[1]))
        core[:, each, each] = bend
        if self.sharp.form == "max":  # the derivative of a projection on the simplex: centred on the active face
            active = (bend > 0).astype(float)
            core -= active[:, :, None] * active[:, None, :] / (self.width * active.sum(axis=1))[:, None, None]
        total = core.sum(axis=2)  # differences s_j - s_t bring the row and the column of the truth
        core[rows, truth] -= total
        core[rows, :, truth] -= total
        core[rows, truth, truth] += total.sum(axis=1)
        return core


@dataclass(frozen=True, eq=False)
class SoftHinge(MarginLoss):
    r"""The hinge of two classes as a soft plus, :math:`h \ln(1 + e^{(1 - m)/h})`: its slope lies strictly between -1 and 0.

    Parameters
    ----------
    width : float > 0, default=0.3
        The h of the formula; smaller is nearer to the hinge.
    form : {"sum", "max"}
        With more than two classes: add the wrong classes up, or take the worst of them.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> SoftHinge(width=0.5).value([1.0], [1]).round(4)
    array([0.3466])
    """

    name: ClassVar[str] = "soft_hinge"
    width: float = 0.3

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        lack = (1 - self.signs(y) * np.asarray(prediction, dtype=float)) / self.width
        return self.width * (np.maximum(lack, 0.0) + np.log1p(np.exp(-np.abs(lack))))

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        t = self.signs(y)
        return -t * sigmoid((1 - t * np.asarray(prediction, dtype=float)) / self.width)

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        share = sigmoid((1 - self.signs(y) * np.asarray(prediction, dtype=float)) / self.width)
        return share * (1 - share) / self.width


def project_on_simplex(Z: Matrix) -> Matrix:
    """Return the nearest point of the probability simplex to each row.

    >>> project_on_simplex(np.array([[0.2, 0.8], [3.0, 0.0]]))
    array([[0.2, 0.8],
           [1. , 0. ]])
    """
    ordered = -np.sort(-Z, axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, Z.shape[1] + 1)
    last = (ordered > excess).sum(axis=1) - 1
    return np.maximum(Z - excess[np.arange(len(Z)), last][:, None], 0.0)
