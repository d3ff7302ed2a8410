r"""The variance of a linear prediction, known before any value is measured.

With rows :math:`X` to be measured, noise of variance :math:`\sigma^2` and least squares, the prediction at :math:`x_0` will have

.. math:: \operatorname{Var} x_0^\top \hat\beta = \sigma^2\, x_0^\top (X^\top X)^{-1} x_0. \tag{1}

A row more never increases it, and the candidate where it is largest is the one that increases :math:`\det X^\top X` most. The rows
are taken as they are: put a column of ones among them for an intercept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import DataError, SingularProblem
from epee.moments.qr import triangle
from epee.solve.minimum_norm import MinimumNorm
from epee.table.block import refuse_bad_cells
from epee.typing import ArrayLike, Matrix


def as_rows(rows: ArrayLike, what: str) -> Matrix:
    """Return finite rows (n, p); a vector is one column of them."""
    X = np.asarray(rows, dtype=np.float64)
    X = X[:, None] if X.ndim == 1 else X
    if X.ndim != 2 or not X.size:
        raise DataError(f"{what} must be a table of rows, not an array of shape {X.shape}.")
    refuse_bad_cells(X, what=what)
    return X


def inverse_root(X: Matrix, what: str = "the rows") -> Matrix:
    """Return W (p, p) with W W' = (X'X)^-1, or say which columns are not determined."""
    R = triangle(X)
    inverse = MinimumNorm(R)
    if inverse.rank < X.shape[1]:
        columns = inverse.dependent() if len(inverse.dependent()) else inverse.zero
        raise SingularProblem(
            f"{what} do not determine the coefficients (rank {inverse.rank} of {X.shape[1]}): columns "
            f"{', '.join(map(str, columns[:5]))} depend on each other or are zero. Add rows, or drop columns."
        )
    W: Any = np.linalg.solve(R, np.eye(len(R)))
    return W


def prediction_variance(X: ArrayLike, x0: ArrayLike, *, sigma2: float = 1.0) -> Any:
    """Return the variance (1) of the prediction at one point, or at each of several.

    Parameters
    ----------
    X : array (n, p)
        Rows to be measured.
    x0 : array (p,) or (k, p)
        Where to predict.
    sigma2 : float
        Variance of the noise.

    Examples
    --------
    >>> X = np.array([[1.0, -1.0], [1.0, 1.0]])               # a line measured at -1 and 1
    >>> float(round(prediction_variance(X, [1.0, 0.0]), 12)), prediction_variance(X, [[1.0, 1.0], [1.0, 2.0]]).round(12)
    (0.5, array([1. , 2.5]))
    """
    X = as_rows(X, "X")
    points = np.asarray(x0, dtype=np.float64)
    at = np.atleast_2d(points)
    if at.shape[1] != X.shape[1]:
        raise DataError(f"x0 has {at.shape[1]} coordinates, but X has {X.shape[1]} columns.")
    half = at @ inverse_root(X)
    variance = sigma2 * np.einsum("ij,ij->i", half, half)
    return float(variance[0]) if points.ndim == 1 else variance


def choose_next(X: ArrayLike, candidates: ArrayLike) -> int:
    """Return the candidate that is predicted worst from the rows so far: the next one to measure.

    Parameters
    ----------
    X : array (n, p)
        Rows measured so far.
    candidates : array (m, p)
        Rows that could be measured next.

    Examples
    --------
    >>> choose_next([[1.0, 0.0], [1.0, 1.0]], [[1.0, 0.5], [1.0, 3.0]])
    1
    """
    return int(np.argmax(prediction_variance(X, as_rows(candidates, "candidates"))))
