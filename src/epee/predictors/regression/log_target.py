r"""A regressor of the logarithm of a positive target.

Where errors grow with the target, :math:`\log y` is easier to predict than :math:`y`. But :math:`e^{E \log y}` is not :math:`E\,y`: it lies
below it. So the answer is brought back to the mean,

.. math:: \hat y(x) = c\; e^{f(x)}, \qquad c = \frac{\sum_i w_i\, y_i}{\sum_i w_i\, e^{f_i}}, \tag{1}

with :math:`f_i` what the regressor says of row i: out of the bag where it is a forest that can tell, else fitted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from epee.errors import DataError, WrongUse
from epee.estimator.base import Regressor
from epee.typing import Matrix, Vector


class LogTarget(MetaEstimatorMixin, Regressor):
    r"""Predict a positive number by a regressor of its logarithm, brought back to the mean by (1).

    Parameters
    ----------
    estimator : regressor
        Fitted to :math:`\log y`.

    Attributes
    ----------
    estimator_ : regressor
        The fitted one.
    factor_ : float
        The :math:`c` of (1).
    range_ : tuple of float
        The least and the largest logarithm that were learned from: :math:`f` stays between them, since an exponential of a line that
        leaves them knows no bounds.

    Notes
    -----
    Costs one fit of ``estimator`` and one prediction of its rows. A target that is not positive is refused.

    References
    ----------
    N. Duan, "Smearing estimate: a nonparametric retransformation method", *JASA* 78, 1983.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> X = np.arange(6.0)[:, None]
    >>> LogTarget(LinearRegression()).fit(X, 2.0 ** X[:, 0]).predict([[3.5]]).round(4)
    array([11.3137])
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @property
    def _takes_missing(self) -> bool:
        return bool(get_tags(self.estimator).input_tags.allow_nan)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _fit(self, X: Matrix, y: Vector, w: Vector | None) -> None:
        if not (y > 0).all():
            row = int(np.argmin(y > 0))
            raise DataError(
                f"y must be positive to have a logarithm; row {row} holds {y[row]:g}. Fit it without LogTarget."
            )
        if w is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise WrongUse(f"{type(self.estimator).__name__} takes no sample_weight; leave the weights away.")
        self.estimator_ = clone(self.estimator).fit(X, np.log(y), **({} if w is None else {"sample_weight": w}))
        self.range_ = float(np.log(y.min())), float(np.log(y.max()))
        logs = np.asarray(getattr(self.estimator_, "oob_prediction_", None), dtype=np.float64)
        if logs.shape != y.shape or not np.isfinite(logs).all():
            logs = np.asarray(self.estimator_.predict(X), dtype=np.float64).reshape(y.shape)
        logs = np.clip(logs, *self.range_)
        weight, top = np.ones(len(y)) if w is None else w, float(logs.max())
        self.factor_ = float(weight @ y / (weight @ np.exp(logs - top))) * float(np.exp(-top))

    def _predict(self, X: Matrix) -> Vector:
        return self.factor_ * np.exp(np.clip(np.asarray(self.estimator_.predict(X), dtype=np.float64), *self.range_))

    @property
    def effective_dof_(self) -> float:
        """Those of the regressor, and the factor."""
        check_is_fitted(self)
        inner = getattr(self.estimator_, "degrees_of_freedom", None)
        return float("nan") if inner is None else float(inner()) + 1.0
