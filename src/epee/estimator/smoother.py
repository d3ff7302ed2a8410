r"""Linear smoothers: the matrix that makes predictions of values.

Least squares, ridge, splines, kernel regression and neighbours are linear in the values that they learn from:

.. math:: \hat y = S y, \qquad S_{ij} = \frac{\partial \hat y_i}{\partial y_j}. \tag{1}

Least squares has the hat matrix :math:`H = X(X^\top X)^{-1}X^\top`, a projection: :math:`H^2 = H = H^\top`, trace the number of
parameters. Ridge has :math:`S_\lambda = X(X^\top X + \lambda I)^{-1}X^\top`, which shrinks. The trace of either is the number of
degrees of freedom, and a column of :math:`S` is the answer to a target that is 1 in one row and 0 in all others: so (1) is read off
by teaching the method the columns of the identity, whatever the method.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from sklearn.base import clone

from epee.errors import ConditionWarning, TooLarge, WrongUse
from epee.typing import Matrix

LARGEST_MATRIX = 3000  # rows: 72 MB, and as much again on the way


@runtime_checkable
class Smooths(Protocol):
    """A method whose predictions are linear in the values it learns from."""

    def hat_matrix(self, X: Any, sample_weight: Any = None) -> Matrix:
        """Return S (n, n) with ``fit(X, y).predict(X) == S @ y`` for every y."""


class LinearSmoother:
    """Gives ``hat_matrix`` to a regressor that is linear in its values."""

    if TYPE_CHECKING:
        _several_targets: bool

    def _settled(self) -> Any:
        """Return an unfitted copy whose parameters no longer depend on the values; says why where there is none."""
        if getattr(self, "positive", False):
            raise WrongUse("positive=True makes predictions that are not linear in y: there is no hat matrix.")
        return clone(self)

    def hat_matrix(self, X: Any, sample_weight: Any = None) -> Matrix:
        r"""Return the matrix :math:`S` (n, n) of :math:`\hat y = S y`: what each value has to say in each prediction.

        Parameters
        ----------
        X : array (n, p)
            The rows, at most some thousands: the matrix has :math:`n^2` entries.
        sample_weight : array (n,), optional
            Counts.

        Notes
        -----
        It depends on the rows and the parameters, never on values. Where a parameter was chosen from values (a penalty by
        cross-validation), it is the matrix of the choice that was made, so that the method must be fitted first. Its diagonal are
        the leverages, its trace the degrees of freedom.
        """
        n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
        if n > LARGEST_MATRIX:
            raise TooLarge(
                f"the hat matrix of {n} rows would have {n}² entries; it is given for at most {LARGEST_MATRIX} rows. "
                "Its diagonal is leverage(X), where the method has it, and its trace effective_dof_."
            )
        model, unit = self._settled(), np.eye(n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConditionWarning)  # coefficients may be undetermined; predictions are not
            if self._several_targets:
                S: Matrix = np.asarray(model.fit(X, unit, sample_weight=sample_weight).predict(X))
                return S
            columns = [clone(model).fit(X, unit[j], sample_weight=sample_weight).predict(X) for j in range(n)]
        return np.column_stack(columns)
