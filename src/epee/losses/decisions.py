r"""Losses on decided labels: the 0-1 loss and any table of costs.

.. math:: e(\hat y, y) = c_{\hat y y}, \qquad c_{dt} = \text{cost of deciding } d \text{ when } t \text{ is true.}
          \tag{1}

The 0-1 loss is :math:`c_{dt} = 1 - \delta_{dt}`; its mean is the error rate. A last row beyond the :math:`K` classes is
the cost of refusing to decide. Both are piecewise constant in the parameters of a predictor: no gradient is of any use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epee.errors import DataError, WrongUse
from epee.losses.loss import Kind, Loss
from epee.typing import ArrayLike, Codes, Matrix, Vector


@dataclass(frozen=True, eq=False)
class ZeroOne(Loss):
    """1 for a wrong label, 0 for the right one; the mean is the error rate.

    Parameters
    ----------
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> ZeroOne().value(["a", "b", "b"], ["a", "b", "a"])
    array([0., 0., 1.])
    """

    name: ClassVar[str] = "zero_one"
    kind: ClassVar[Kind] = "label"
    convex: ClassVar[bool] = False
    is_rate: ClassVar[bool] = True
    unit: ClassVar[str] = "points"
    high: ClassVar[float] = 1.0

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        prediction, y = np.asarray(prediction), np.asarray(y)
        if prediction.shape != y.shape:
            raise WrongUse(f"predictions have shape {prediction.shape} and truths {y.shape}; they must be the same.")
        wrong = prediction != y
        return (wrong if wrong.ndim < 2 else wrong.reshape(len(wrong), -1).any(axis=1)).astype(float)


@dataclass(frozen=True, eq=False)
class Costs(Loss):
    r"""The cost :math:`c_{dt}` of deciding d when t is true.

    Parameters
    ----------
    costs : array (K, K) or (K + 1, K)
        Row d, column t, in the order of ``classes_``; a last row K is the cost of rejection. Costs are not negative.
    reject_label : object, default=None
        The label that stands for rejection; None means -1 for numeric labels and "reject" for text.
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> Costs([[0, 5], [1, 0]], classes=["healthy", "ill"]).value(["healthy", "ill"], ["ill", "healthy"])
    array([5., 1.])
    """

    name: ClassVar[str] = "costs"
    kind: ClassVar[Kind] = "label"
    convex: ClassVar[bool] = False
    unit: ClassVar[str] = "cost"
    costs: Matrix
    reject_label: object = None

    def __post_init__(self) -> None:
        costs = np.asarray(self.costs, dtype=float)
        if costs.ndim != 2 or costs.shape[0] - costs.shape[1] not in (0, 1) or costs.shape[1] < 2:
            raise WrongUse(
                f"the costs have shape {costs.shape}; they must be K x K, or (K + 1) x K with a last row for rejection."
            )
        if not np.isfinite(costs).all() or (costs < 0).any():
            d, t = np.argwhere(~(np.isfinite(costs) & (costs >= 0)))[0]
            raise WrongUse(f"costs[{d}, {t}] is {costs[d, t]}; a cost must be finite and not negative.")
        object.__setattr__(self, "costs", costs)
        if self.classes is not None:
            object.__setattr__(self, "classes", np.asarray(self.classes))
            if len(self.classes) != costs.shape[1]:
                raise WrongUse(
                    f"the costs have {costs.shape[1]} columns and there are {len(self.classes)} classes; they must agree."
                )

    @property
    def low(self) -> float:
        """The smallest cost: no mean lies below it."""
        return float(self.costs.min())

    @property
    def high(self) -> float:
        """The largest cost: no mean lies above it."""
        return float(self.costs.max())

    def rejection(self) -> object:
        """Return the label that stands for rejection."""
        if self.reject_label is not None:
            return self.reject_label
        return "reject" if self.classes is not None and self.classes.dtype.kind in "USOT" else -1

    def decisions(self, prediction: ArrayLike) -> Codes:
        """Return the rows of the table that decisions stand for; K is rejection."""
        prediction, K = np.asarray(prediction), self.costs.shape[1]
        rejected = prediction.astype(object) == self.rejection()
        if not rejected.any():
            return self.codes(prediction)
        if self.costs.shape[0] == K:
            row = int(np.argmax(rejected))
            raise DataError(f"row {row} is rejected and the costs have no row for rejection; give {K + 1} rows.")
        codes = np.full(prediction.shape, K, dtype=np.intp)
        codes[~rejected] = self.codes(
            prediction[~rejected].astype(self.classes.dtype if self.classes is not None else np.intp)
        )
        return codes

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        decided, truth = self.decisions(prediction), self.codes(y)
        for what, codes, limit in (
            ("decision", decided, self.costs.shape[0]),
            ("true class", truth, self.costs.shape[1]),
        ):
            if codes.size and (codes.min() < 0 or codes.max() >= limit):
                row = int(np.argmax((codes < 0) | (codes >= limit)))
                raise DataError(
                    f"row {row}: the {what} {codes[row]} is outside the costs, which know 0 to {limit - 1}."
                )
        return self.costs[decided, truth]
