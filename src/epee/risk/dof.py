"""Effective degrees of freedom of a fitted predictor, ours or anyone's."""

from __future__ import annotations

from typing import Any

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
