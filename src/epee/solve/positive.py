r"""Least squares with coefficients that are not negative.

.. math:: \min_{\beta \ge 0} \; \beta^\top S \beta - 2 b^\top \beta = \min_{\beta \ge 0} \|U \beta - U^{-\top} b\|^2 + \text{constant},
          \qquad U^\top U = S,

a problem of :math:`p` rows whatever the size of the table, solved by the active sets of Lawson and Hanson.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import nnls

from epee.typing import Matrix


def non_negative(factor: Any, B: Matrix) -> Matrix:
    """Return the coefficients (p, m) for the right-hand sides B (p, m); ``factor`` holds S.

    >>> from epee.solve.cholesky import Cholesky
    >>> non_negative(Cholesky(np.eye(2)), np.array([[1.0], [-1.0]])).ravel()
    array([1., 0.])
    """
    U, half = factor.root / factor.scale, factor.half_solve(B)  # (r, p) in columns of unit norm, (r, m)
    varies = np.sqrt((U * U).sum(axis=0)) > 1e-8  # a constant column is all rounding, and would be divided by it
    solved = np.zeros(B.shape)
    for k in range(B.shape[1] if varies.any() else 0):  # SciPy's search does not survive a table without columns
        solved[varies, k] = nnls(U[:, varies], half[:, k])[0]
    return solved / factor.scale[:, None]
