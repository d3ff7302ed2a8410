r"""What every loss is.

A loss :math:`e(\hat y, y) \ge 0` compares a prediction with the truth, one row at a time. Four kinds differ by what
they ask of a predictor (``needs``):

===============  =================  =====================================================================
kind             needs              prediction given to ``value``
===============  =================  =====================================================================
``label``        ``labels``         the label decided, :math:`(n,)`
``value``        ``values``         the number predicted, :math:`(n,)` or :math:`(n, m)`
``score``        ``scores``         decision scores, :math:`(n,)` for two classes or :math:`(n, K)`
``probability``  ``probabilities``  class probabilities, :math:`(n,)` for the second class or :math:`(n, K)`
===============  =================  =====================================================================

Classes are given as codes :math:`0 \dots K-1`, or as labels once the loss was bound to ``classes_``
(:meth:`Loss.bind`).

A loss also says what its mean is: whether it is a rate (``is_rate``, written in percent, its differences in points), between
which bounds it lies (``low``, ``high``) and in which ``unit``: "points", "target", "target²", "cost", "nats", or "" for none. Nearly
every loss looks at one row at a time (``rowwise``); that of a ranking (:mod:`epee.losses.ordering`) looks at a whole test sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from epee.errors import DataError, WrongUse
from epee.typing import ArrayLike, Codes, Labels, Tensor, Vector

Kind = Literal["label", "value", "score", "probability"]
_NEEDS = {"label": "labels", "value": "values", "score": "scores", "probability": "probabilities"}
_OFFERS = {"labels": ("predict",), "values": ("predict",), "scores": ("decision_function", "predict_proba"),
           "probabilities": ("predict_proba",)}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Loss:
    """The base of all losses: one number per row, and its derivatives.

    A loss of your own derives from this one, sets ``name`` and ``kind``, and writes :meth:`value`.

    Parameters
    ----------
    classes : array of labels, default=None
        The classes that the columns of scores stand for; ``bind`` sets it.

    Examples
    --------
    >>> from epee.losses import resolve
    >>> resolve("squared").value([1.0, 2.0], [1.0, 5.0])
    array([0., 9.])
    """

    name: ClassVar[str] = ""
    kind: ClassVar[Kind] = "value"
    convex: ClassVar[bool] = True
    rowwise: ClassVar[bool] = True
    is_rate: ClassVar[bool] = False
    unit: ClassVar[str] = ""
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = math.inf
    classes: Labels | None = field(default=None, kw_only=True, repr=False)

    @property
    def needs(self) -> str:
        """What a predictor must offer: "labels", "values", "scores" or "probabilities"."""
        return _NEEDS[self.kind]

    def bind(self, classes: ArrayLike) -> Loss:
        """Return the same loss, reading truths as labels in the order of ``classes``."""
        return replace(self, classes=np.asarray(classes))

    def value(self, prediction: ArrayLike, y: ArrayLike) -> Vector:
        """Return the loss of every row, (n,)."""
        raise WrongUse(
            f"the loss {type(self).__name__} does not say how to compute its value; write its method value()."
        )

    def gradient(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        """Return the derivative of each row's loss by its prediction; the shape of the prediction."""
        raise WrongUse(f"the loss {self.name!r} has no useful gradient: it is flat wherever it is smooth.")

    def second(self, prediction: ArrayLike, y: ArrayLike) -> Tensor:
        """Return the second derivative: the shape of the prediction, or (n, K, K) for class scores."""
        raise WrongUse(f"the loss {self.name!r} has no second derivative.")

    def codes(self, y: ArrayLike) -> Codes:
        """Return the truths as codes 0 ... K-1."""
        y = np.asarray(y)
        if self.classes is None:
            if y.dtype.kind not in "iub" and not (y.dtype.kind == "f" and np.array_equal(y, y.astype(np.intp))):
                raise WrongUse(
                    f"the loss {self.name!r} was given labels {y.dtype} but no classes; bind(classes_) it first."
                )
            return y.astype(np.intp)
        order = np.argsort(self.classes)
        place = np.minimum(np.searchsorted(self.classes, y, sorter=order), len(order) - 1)
        codes = order[place]
        if (stranger := self.classes[codes] != y).any():
            row = int(np.argmax(stranger))
            label = y[row].item() if hasattr(y[row], "item") else y[row]
            raise DataError(
                f"row {row}: the label {label!r} is none of the predictor's classes ({_list(self.classes)})."
            )
        return codes.astype(np.intp)

    def ask(self, model: Any, X: Any) -> Any:
        """Return what this loss needs of a fitted ``model`` on ``X``: labels, values, scores or probabilities."""
        offers = _OFFERS[self.needs]
        if not self.rowwise and len(getattr(model, "classes_", ())) > 2:
            offers = offers[::-1]  # by one class of several, rows are ranked by probabilities
        for method in offers:
            if hasattr(model, method):
                out = getattr(model, method)(X)
                if method == "predict_proba" and self.needs == "scores":  # log-odds rank as scores do
                    logs = np.log(np.maximum(out, np.finfo(float).tiny))
                    return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs
                return out
        raise WrongUse(
            f"the loss {self.name!r} needs {self.needs}, and {type(model).__name__} has no {' or '.join(_OFFERS[self.needs])}; "
            f"choose another loss."
        )

    def weighed(self, prediction: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None) -> Vector:
        """Return the loss of every row of a sample with weights, on which a row's loss depends only where rows are ranked."""
        return self.value(prediction, y)

    def of(self, model: Any, X: Any, y: ArrayLike) -> Vector:
        """Return the loss of a fitted ``model`` on every row of ``X``, (n,)."""
        loss = self.bind(model.classes_) if self.classes is None and hasattr(model, "classes_") else self
        return loss.value(loss.ask(model, X), y)


def _list(values: Labels) -> str:
    shown = ", ".join(str(v) for v in values[:10])
    return shown + (", ..." if len(values) > 10 else "")


def residual(prediction: ArrayLike, y: ArrayLike) -> Tensor:
    """Return prediction - y in double precision, refusing shapes that would broadcast by accident."""
    prediction, y = np.asarray(prediction, dtype=float), np.asarray(y, dtype=float)
    if prediction.shape != y.shape:
        raise WrongUse(f"predictions have shape {prediction.shape} and truths {y.shape}; they must be the same.")
    return prediction - y


def over_outputs(rows: Tensor) -> Vector:
    """Add the losses of several outputs: (n, m) -> (n,)."""
    return rows if rows.ndim < 2 else rows.reshape(len(rows), -1).sum(axis=1)
