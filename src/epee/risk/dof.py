"""Effective degrees of freedom of a fitted predictor, ours or anyone's."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from epee.estimator.dof import shown_degrees_of_freedom
from epee.estimator.protocol import Counted
from epee.losses.loss import Loss
from epee.losses.residuals import Power
from epee.typing import Vector

GAUSSIAN = 2.0  # the variance of squared Gaussian errors, in units of their squared mean


def degrees_of_freedom(model: Any, X: Any = None) -> float:
    """Return the effective degrees of freedom of a fitted model; NaN when they are not known.

    An estimator that knows the protocol says them itself; of any other, what its public attributes show counts.

    >>> from sklearn.linear_model import LinearRegression
    >>> degrees_of_freedom(LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]))
    2.0
    """
    if isinstance(model, Pipeline):
        model, X = model.steps[-1][1], None
    return float(model.degrees_of_freedom(X)) if isinstance(model, Counted) else shown_degrees_of_freedom(model, X)


def sharing(dof: float, n: float, spread: float = GAUSSIAN) -> float:
    """Return by how much longer the error bar of losses that share training rows is: (1) of :mod:`epee.risk.leave_one_out`.

    ``spread`` is the variance of the losses in units of their squared mean, no larger than that of squared Gaussian errors. 1 where the
    degrees of freedom are not known, and never more than as many as there are rows give.

    >>> round(sharing(5.0, 60.0), 3), round(sharing(5.0, 60.0, 0.5), 3), sharing(float("nan"), 60.0)
    (1.08, 1.291, 1.0)
    """
    if not np.isfinite(dof):
        return 1.0
    d = min(max(dof, 0.0), n)
    return float(np.sqrt(1 + 4 * d / n / np.clip(spread, min(4 * d / n, GAUSSIAN), GAUSSIAN))) if d > 0 else 1.0


def spread_of_squares(losses: Vector, weight: Vector | None, loss: Loss) -> float:
    """Return the variance of squared errors in units of their squared mean; of any other loss, what Gaussian errors have.

    >>> spread_of_squares(np.array([1.0, 3.0]), None, Power(2)), spread_of_squares(np.array([1.0, 3.0]), None, Power(1))
    (0.25, 2.0)
    """
    seen = np.isfinite(losses)
    w = np.ones(int(seen.sum())) if weight is None else weight[seen]
    if not (isinstance(loss, Power) and loss.power == 2 and w.sum() > 0):
        return GAUSSIAN
    mean = float(np.average(losses[seen], weights=w))
    return float(np.average((losses[seen] / mean - 1) ** 2, weights=w)) if mean > 0 else GAUSSIAN
