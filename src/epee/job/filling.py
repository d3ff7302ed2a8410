r"""Missing cells, filled inside the folds.

A missing cell takes the mean of the rows that were learned from,

.. math:: \hat x = o\,x + (1 - o)\,\bar x, \tag{1}

with :math:`o` = 1 where the cell is there. In a cross-validation every fold fills with the means of its own training rows: for those who
live on sums the filling is an affine map (:mod:`epee.table.encoding`), for all others this step.
"""

from __future__ import annotations

import numpy as np

from epee.estimator.base import SameColumns, Transformer
from epee.typing import Matrix, Vector


class FillMissing(SameColumns, Transformer):
    """Fill NaN with the mean of the column over the training rows; a column without a cell is filled with 0.

    >>> FillMissing().fit_transform([[1.0], [np.nan], [3.0]])
    array([[1.],
           [2.],
           [3.]])
    """

    _takes_missing = True

    @classmethod
    def by(cls, fill: Vector) -> FillMissing:
        """Return the step that fills each column with a given value."""
        made = cls()
        made.fill_, made.n_features_in_ = fill, len(fill)
        return made

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        there = ~np.isnan(X)
        weight = there if w is None else there * w[:, None]
        total = weight.sum(axis=0)
        sums = (np.where(there, X, 0.0) * weight).sum(axis=0)
        self.fill_ = np.divide(sums, total, out=np.zeros(X.shape[1]), where=total > 0)

    def _transform(self, X: Matrix) -> Matrix:
        return np.where(np.isnan(X), self.fill_, X)
