"""Effective degrees of freedom of a fitted predictor, ours or anyone's."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from epee.estimator.dof import shown_degrees_of_freedom
from epee.estimator.protocol import Counted


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


def sharing(dof: float, n: float) -> float:
    """Return by how much longer the error bar of losses that share training rows is: (1) of :mod:`epee.risk.leave_one_out`.

    1 where the degrees of freedom are not known, and never more than as many as there are rows give.

    >>> round(sharing(5.0, 60.0), 3), sharing(float("nan"), 60.0)
    (1.08, 1.0)
    """
    return float(np.sqrt(1 + 2 * min(max(dof, 0.0), n) / n)) if np.isfinite(dof) else 1.0
