r"""Effective degrees of freedom of a fitted predictor, as far as its public attributes show them.

A linear smoother :math:`\hat y = S y` has :math:`\mathrm{tr}\, S` of them; least squares has one for each coefficient, the
intercept included. For other predictors the free parameters are counted where the estimator shows them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.table.sparse import is_sparse


def shown_degrees_of_freedom(model: Any, X: Any = None) -> float:
    """Return the effective degrees of freedom of a fitted model; NaN when they are not known.

    ``effective_dof_`` counts first, then the trace of the smoother by ``leverage``, then non-zero coefficients and intercepts.

    >>> from sklearn.linear_model import LinearRegression
    >>> shown_degrees_of_freedom(LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]))
    2.0
    """
    if hasattr(model, "effective_dof_"):
        apart = hasattr(model, "coef_") and getattr(model, "fit_intercept", False)  # these count the intercept apart
        return float(np.max(model.effective_dof_)) + int(apart)
    if X is not None and hasattr(model, "leverage"):
        return float(np.sum(model.leverage(X)))
    coef = getattr(model, "coef_", None)
    if coef is None or is_sparse(coef):
        return float("nan")
    outputs = np.atleast_2d(coef).shape[0]
    free = float(np.count_nonzero(coef))
    if isinstance(getattr(model, "rank_", None), int | np.integer):  # dependent columns share their coefficients
        free = min(free, float(outputs * model.rank_))
    return free + (outputs if getattr(model, "fit_intercept", True) else 0)
