r"""Effective degrees of freedom of a fitted predictor.

A linear smoother :math:`\hat y = S y` has :math:`\mathrm{tr}\, S` of them; least squares has one for each coefficient, the
intercept included. For other predictors the free parameters are counted where the estimator shows them.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def degrees_of_freedom(model: Any, X: Any = None) -> float:
    """Return the effective degrees of freedom of a fitted model; NaN when they are not known.

    The estimator's own ``effective_dof_`` counts first, then the trace of its smoother by ``leverage``, then its non-zero
    coefficients and intercepts.

    >>> from sklearn.linear_model import LinearRegression
    >>> degrees_of_freedom(LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]))
    2.0
    """
    if hasattr(model, "steps"):
        model, X = model.steps[-1][1], None
    if hasattr(model, "effective_dof_"):
        apart = hasattr(model, "coef_") and getattr(model, "fit_intercept", False)  # these count the intercept apart
        return float(np.max(model.effective_dof_)) + int(apart)
    if X is not None and hasattr(model, "leverage"):
        return float(np.sum(model.leverage(X)))
    coef = getattr(model, "coef_", None)
    if coef is None or hasattr(coef, "tocsr"):
        return float("nan")
    outputs = np.atleast_2d(coef).shape[0]
    free = float(np.count_nonzero(coef))
    if isinstance(getattr(model, "rank_", None), int | np.integer):  # dependent columns share their coefficients
        free = min(free, float(outputs * model.rank_))
    return free + (outputs if getattr(model, "fit_intercept", True) else 0)
