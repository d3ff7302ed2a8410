r"""Least squares and ridge where columns depend on each other exactly, from sums alone.

Cholesky's factor with pivots brings the columns into an order in which the first :math:`r` are independent and the others are
combinations of them, :math:`X = X_J B` with :math:`B = [I, A]`, :math:`A = S_{JJ}^{-1} S_{JD}`: levels of a category that add up to one, a
level that is another one's copy. What the rows see of :math:`\beta` is :math:`\theta = B\beta`, and of all :math:`\beta` with the same
:math:`\theta` the shortest is :math:`B^\top (B B^\top)^{-1} \theta`. So

.. math:: \Bigl(S_{JJ} + \alpha (B B^\top)^{-1}\Bigr)\, \theta = c_J, \qquad
          (B B^\top)^{-1} = I - A (I + A^\top A)^{-1} A^\top, \tag{1}

is the ridge of all the columns in the :math:`r` that count, and for :math:`\alpha = 0` the shortest solution of least squares. A pivot
that is neither rounding nor clearly positive means that sums cannot tell: the rows must.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpocon, dposv, dpotrf, dpotrs, dpstrf, dtrtrs

from epee.solve.soundness import stationary
from epee.typing import Codes, Matrix, Vector

ROUNDING = 2e-13  # a pivot of a correlation matrix below this is zero: the column is a combination of others
CLEAR = 1e-7  # and above this it is not; between the two the sums cannot tell
LARGEST_CONDITION = 1e8  # of the columns that are kept: half of the digits are left


class Dependent:
    """The columns of a scatter S (p, p) of positive diagonal in an order that shows who depends on whom.

    Attributes
    ----------
    first, rest : arrays (r,) and (p - r,)
        Independent columns, and those that are combinations of them.
    weights : array (r, p - r)
        A of (1), in the units of the columns.
    clear : bool
        Whether the sums tell one kind from the other, with digits left to solve.

    Examples
    --------
    >>> found = Dependent(np.array([[2.0, 0.0, 2.0], [0.0, 1.0, 0.0], [2.0, 0.0, 2.0]]))
    >>> sorted(found.first.tolist()), found.solve(np.array([[2.0], [1.0], [2.0]])).ravel().round(12)
    ([0, 1], array([0.5, 1. , 0.5]))
    """

    def __init__(self, S: Matrix) -> None:
        self.S = S
        self._scale = scale = np.sqrt(np.diagonal(S))
        R = S / scale[:, None] / scale
        factor, order, r, _ = dpstrf(R, lower=1, tol=ROUNDING)
        self.first: Codes = order[:r] - 1
        self.rest: Codes = order[r:] - 1
        self._L = L = np.asfortranarray(factor[:r, :r])  # its lower triangle; what is above stays unread
        A, _ = dtrtrs(L, factor[r:, :r].T, lower=1, trans=1) if r < len(S) else (np.zeros((r, 0)), 0)
        self.weights: Matrix = A * scale[self.rest] / scale[self.first, None]
        kept = R[self.first[:, None], self.first]
        norm = float(np.abs(kept).sum(axis=0).max(initial=0.0))
        smallest = float(np.diagonal(L).min(initial=1.0)) ** 2
        self.clear = bool(r and smallest > CLEAR and dpocon(L, norm, uplo="L")[0] * LARGEST_CONDITION > 1)

    def solve(self, C: Matrix, alpha: float = 0.0) -> Matrix | None:
        """Return the coefficients (p, m) of (1) for the right-hand sides C (p, m); None when digits would be lost."""
        J, A = self.first, self.weights
        inner, info = dpotrf(np.eye(A.shape[1]) + A.T @ A, lower=1) if A.shape[1] else (np.zeros((0, 0)), 0)
        if info or not self.clear:
            return None
        half = dtrtrs(inner, A.T, lower=1)[0] if A.shape[1] else A.T  # (p - r, r): half'half = A (I + A'A)^-1 A'
        d = self._scale[J]
        if alpha:
            S = self.S[J[:, None], J] + alpha * (np.eye(len(J)) - half.T @ half)
            d = np.sqrt(np.diagonal(S))
            _, theta, info = dposv(S / d[:, None] / d, C[J] / d[:, None], lower=1)
        else:
            theta, info = dpotrs(self._L, C[J] / d[:, None], lower=1)
        if info:
            return None
        theta = theta / d[:, None]
        coef, short = np.empty(C.shape), half @ theta
        coef[J] = theta - half.T @ short
        coef[self.rest] = dtrtrs(inner, short, lower=1, trans=1)[0] if len(short) else short
        return coef if stationary(self.S, coef, C - alpha * coef) else None


def shortest_solution(S: Matrix, C: Matrix, alpha: float, varies: Vector) -> Matrix | None:
    """Return the coefficients (p, m) where columns may depend on each other, 0 for those that do not vary; None when digits are lost.

    >>> S = np.ones((2, 2))
    >>> shortest_solution(S, np.array([[3.0], [3.0]]), 0.0, np.ones(2, dtype=bool)).ravel()
    array([1.5, 1.5])
    """
    if varies.all():
        return Dependent(S).solve(C, alpha)
    coef = np.zeros(C.shape)
    if not varies.any():
        return coef
    found = Dependent(S[np.ix_(varies, varies)]).solve(C[varies], alpha)
    if found is None:
        return None
    coef[varies] = found
    return coef
