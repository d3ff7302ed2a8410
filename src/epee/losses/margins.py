r"""Losses of a score: the margin losses of linear classifiers.

With two classes, :math:`t = \pm 1` and a score :math:`s`, everything depends on the margin :math:`m = t s`:

.. math:: \text{perceptron } \max(0, -m), \quad \text{hinge } \max(0, 1 - m), \quad
          \text{squared hinge } \max(0, 1 - m)^2, \quad \text{squares } (1 - m)^2. \tag{1}

The hinge has the same expression of the subgradient as the perceptron, :math:`-t`, on another active set: the margin
violations :math:`m < 1`, not the errors :math:`m < 0`. With :math:`K` classes and one score each, wrong classes are compared
with the true one, :math:`\Delta_j = s_j - s_t`:

.. math:: \text{sum: } \sum_{j \ne t} \varphi(\Delta_j), \qquad \text{max: } \max_{j \ne t} \varphi(\Delta_j), \qquad
          \varphi(\Delta) = \max(0, a + \Delta)^q \tag{2}

(the sum leaves out :math:`j = t`, which would add a constant). For the hinge the sum is the course's (Weston and Watkins), the
maximum that of Crammer and Singer; for the perceptron the maximum is the rule that corrects the predicted class.

References: Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, 2nd ed., 2009, sections 4.5 and 12.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from epee.errors import WrongUse
from epee.losses.loss import Kind, Loss
from epee.typing import ArrayLike, Codes, Matrix, Tensor, Vector


@dataclass(frozen=True, eq=False)
class MarginLoss(Loss):
    r"""A decreasing function of the margin; children give :math:`a` and :math:`q` of equation (2).

    Parameters
    ----------
    form : {"sum", "max"}
        With K classes, whether all wrong classes count or only the worst one.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.
    """

    kind: ClassVar[Kind] = "score"
    margin: ClassVar[float] = 1.0
    order: ClassVar[int] = 1
    form: Literal["sum", "max"] = "sum"

    def __post_init__(self) -> None:
        if self.form not in ("sum", "max"):
            raise WrongUse(f"the form of the loss {self.name!r} is {self.form!r}; it must be 'sum' or 'max'.")

    def signs(self, y: ArrayLike) -> Vector:
        """Return the truths of two classes as -1 and +1; codes 0, 1 and signs are understood."""
        truth = self.codes(y) if self.classes is not None else np.asarray(y)
        return np.where(truth > 0, 1.0, -1.0)

    def _phi(self, z: Tensor) -> Tensor:
        z = np.maximum(z, 0.0)
        return z if self.order == 1 else z * z

    def _slope(self, z: Tensor) -> Tensor:
        return (z > 0).astype(float) if self.order == 1 else 2 * np.maximum(z, 0.0)

    def _bend(self, z: Tensor) -> Tensor:
        return np.where((z > 0) & (self.order == 2), 2.0, 0.0)

    def _gaps(self, scores: ArrayLike, y: ArrayLike) -> tuple[Matrix, Codes]:
        """Return a + s_j - s_t, with -inf at j = t and, for the form "max", everywhere but the worst class."""
        scores, truth = np.asarray(scores, dtype=float), self.codes(y)
        rows = np.arange(len(scores))
        gaps = self.margin + scores - scores[rows, truth][:, None]  # (n, K)
        gaps[rows, truth] = -np.inf
        if self.form == "max":
            worst = gaps.argmax(axis=1)
            kept = np.full_like(gaps, -np.inf)
            kept[rows, worst] = gaps[rows, worst]
            gaps = kept
        return gaps, truth

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            return self._phi(self.margin - self.signs(y) * scores)
        return self._phi(self._gaps(scores, y)[0]).sum(axis=1)

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            t = self.signs(y)
            return -t * self._slope(self.margin - t * scores)
        gaps, truth = self._gaps(scores, y)
        out = self._slope(gaps)
        out[np.arange(len(out)), truth] = -out.sum(axis=1)  # the entry at the truth was 0
        return out

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        if self.order == 1:
            raise WrongUse(f"the loss {self.name!r} has no second derivative: it is made of straight pieces.")
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            return self._bend(self.margin - self.signs(y) * scores)
        gaps, truth = self._gaps(scores, y)
        bend, rows = self._bend(gaps), np.arange(len(gaps))  # (n, K)
        out = np.zeros((*bend.shape, bend.shape[1]))
        each = np.arange(bend.shape[1])
        out[:, each, each] = bend
        out[rows, truth] -= bend
        out[rows, :, truth] -= bend
        out[rows, truth, truth] = bend.sum(axis=1)
        return out


@dataclass(frozen=True, eq=False)
class PerceptronLoss(MarginLoss):
    r"""The perceptron criterion :math:`\max(0, -m)`: what is on the wrong side costs its score.

    Positively homogeneous in the scores; 0 exactly when no row is strictly wrong.

    Parameters
    ----------
    form : {"sum", "max"}
        With more than two classes: add the wrong classes up, or take the worst of them.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> PerceptronLoss().value([2.0, -3.0], [1, 1])
    array([0., 3.])
    """

    name: ClassVar[str] = "perceptron"
    margin: ClassVar[float] = 0.0
    form: Literal["sum", "max"] = "max"


@dataclass(frozen=True, eq=False)
class HingeLoss(MarginLoss):
    r"""The hinge :math:`\max(0, 1 - m)` of support vector machines: an upper bound of the 0-1 loss.

    Parameters
    ----------
    form : {"sum", "max"}
        With more than two classes: add the wrong classes up, or take the worst of them.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> HingeLoss().value([2.0, 0.5, -1.0], [1, 1, 1])
    array([0. , 0.5, 2. ])
    >>> HingeLoss("max").value([[1.0, 1.5, 0.5]], [0])
    array([1.5])
    """

    name: ClassVar[str] = "hinge"


@dataclass(frozen=True, eq=False)
class SquaredHinge(MarginLoss):
    r"""The squared hinge :math:`\max(0, 1 - m)^2`: smooth, harder on large violations.

    Parameters
    ----------
    form : {"sum", "max"}
        With more than two classes: add the wrong classes up, or take the worst of them.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> SquaredHinge().value([-1.0], [1])
    array([4.])
    """

    name: ClassVar[str] = "squared_hinge"
    order: ClassVar[int] = 2


@dataclass(frozen=True, eq=False)
class SignedSquares(MarginLoss):
    r"""Squares to the targets :math:`\pm 1`: :math:`(1 - m)^2`, or :math:`\sum_k (s_k - t_k)^2` with :math:`K` classes.

    Punishes points that are right with a large margin, which is why it is pulled by far, well-classified rows.

    Parameters
    ----------
    form : {"sum", "max"}
        With more than two classes: add the wrong classes up, or take the worst of them.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> SignedSquares().value([1.0, 3.0], [1, 1])
    array([0., 4.])
    """

    name: ClassVar[str] = "squared"

    def _targets(self, scores: Tensor, y: ArrayLike) -> Tensor:
        if scores.ndim == 1:
            return self.signs(y)
        targets = np.full(scores.shape, -1.0)
        targets[np.arange(len(scores)), self.codes(y)] = 1.0
        return targets

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        scores = np.asarray(prediction, dtype=float)
        square = (scores - self._targets(scores, y)) ** 2
        return square if scores.ndim == 1 else square.sum(axis=1)

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        scores = np.asarray(prediction, dtype=float)
        return 2 * (scores - self._targets(scores, y))

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        scores = np.asarray(prediction, dtype=float)
        if scores.ndim == 1:
            return np.full(scores.shape, 2.0)
        return np.broadcast_to(2 * np.eye(scores.shape[1]), (*scores.shape, scores.shape[1])).copy()
