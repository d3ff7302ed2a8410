r"""Least squares and ridge where columns depend on each other exactly, from sums alone.

Cholesky's factor with pivots brings the columns into an order in which the first :math:`r` are independent and the others are
combinations of them, :math:`X = X_J B` with :math:`B = [I, A]`, :math:`A = S_{JJ}^{-1} S_{JD}`: levels of a category that add up to one, a
level that is another one's copy. What the rows see of :math:`\beta` is :math:`\theta = B\beta`, and of all :math:`\beta` with the same
:math:`\theta` the shortest is :math:`B^\top (B B^\top)^{-1} \theta`. So

.. math:: \Bigl(S_{JJ} + \alpha (B B^\top)^{-1}\Bigr)\, \theta = c_J, \qquad
          (B B^\top)^{-1} = I - A (I + A^\top A)^{-1} A^\top, \tag{1}

is the ridge of all the columns in the :math:`r` that count, and for :math:`\alpha = 0` the shortest solution of least squares. A pivot
that is neither rounding nor clearly positive means that sums cannot tell: the rows must.

Who depends on whom hardly changes from one training sample to the next. The order found for one is tried on the next, where Cholesky's
factor without pivots and the squares that are left of the other columns confirm it at half the cost.
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
    """The columns of a scatter S (p, p) in an order that shows who depends on whom; those that do not vary are left aside.

    Parameters
    ----------
    S : array (p, p)
    varies : array of bool (p,), optional
        Columns of positive squares; all by default.
    like : Dependent, optional
        That of another sample, whose order is tried first.

    Attributes
    ----------
    first, rest : arrays (r,) and (q,)
        Independent columns, and those that are combinations of them.
    weights : array (r, q)
        A of (1), in the units of the columns.
    clear : bool
        Whether the sums tell one kind from the other, with digits left to solve.

    Examples
    --------
    >>> found = Dependent(np.array([[2.0, 0.0, 2.0], [0.0, 1.0, 0.0], [2.0, 0.0, 2.0]]))
    >>> sorted(found.first.tolist()), found.solve(np.array([[2.0], [1.0], [2.0]])).ravel().round(12)
    ([0, 1], array([0.5, 1. , 0.5]))
    """

    def __init__(self, S: Matrix, varies: Vector | None = None, like: Dependent | None = None) -> None:
        self.S = S
        here = np.arange(len(S)) if varies is None else np.flatnonzero(varies)
        self._scale = scale = np.ones(len(S))
        scale[here] = np.sqrt(np.diagonal(S)[here])
        found = None if like is None else self._ordered(like, here)
        self.first, self.rest, self._L, W, norm = found or self._pivoted(here)
        L = self._L
        A = dtrtrs(L, W, lower=1, trans=1)[0] if W.size else W
        self.weights: Matrix = A * scale[self.rest] / scale[self.first, None]
        smallest = float(np.diagonal(L).min(initial=1.0)) ** 2
        self.clear = bool(
            not len(here)
            or (len(self.first) and smallest > CLEAR and dpocon(L, norm, uplo="L")[0] * LARGEST_CONDITION > 1)
        )

    def _correlations(self, rows: Codes, columns: Codes) -> Matrix:
        """Return some of S scaled to a unit diagonal, in Fortran's order."""
        R = np.empty((len(rows), len(columns)), order="F")
        R[:] = self.S[np.ix_(rows, columns)]
        R /= self._scale[rows, None]
        R /= self._scale[columns]
        return R

    def _pivoted(self, here: Codes) -> tuple[Codes, Codes, Matrix, Matrix, float]:
        """Return, by pivots: columns that are independent, the others, the factor L of the former, L^-1 R of the latter, and the norm of
        what L is a factor of.
        """
        factor, order, r, _ = dpstrf(self._correlations(here, here), lower=1, tol=ROUNDING, overwrite_a=1)
        L = np.asfortranarray(factor[:r, :r])  # its lower triangle; what is above stays unread
        first = here[order[:r] - 1]
        return first, here[order[r:] - 1], L, factor[r:, :r].T, _norm(self._correlations(first, first))

    def _ordered(self, like: Dependent, here: Codes) -> tuple[Codes, Codes, Matrix, Matrix, float] | None:
        """Return the same in the order that another sample had, None when it does not hold here."""
        first, rest = (among[np.isin(among, here)] for among in (like.first, like.rest))
        if len(first) + len(rest) < len(here) or not len(first):
            return None
        R = self._correlations(first, first)
        norm = _norm(R)
        L, info = dpotrf(R, lower=1, overwrite_a=1)
        if info or float(np.diagonal(L).min()) ** 2 <= CLEAR:
            return None
        W = dtrtrs(L, self._correlations(first, rest), lower=1)[0] if len(rest) else np.zeros((len(first), 0))
        left = 1.0 - np.einsum("ij,ij->j", W, W)  # squares that the independent columns do not tell
        return None if (np.abs(left) > ROUNDING).any() else (first, rest, L, W, norm)

    def solve(self, C: Matrix, alpha: float = 0.0) -> Matrix | None:
        """Return the coefficients (p, m) of (1) for the right-hand sides C (p, m); None when digits would be lost.

        Columns that do not vary get 0.
        """
        J, A = self.first, self.weights
        coef = np.zeros(C.shape)
        if not len(J) and self.clear:
            return coef
        inner, info = dpotrf(np.eye(A.shape[1]) + A.T @ A, lower=1) if A.shape[1] else (np.zeros((0, 0)), 0)
        if info or not self.clear:
            return None
        half = dtrtrs(inner, A.T, lower=1)[0] if A.shape[1] else A.T  # (q, r): half'half = A (I + A'A)^-1 A'
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
        short = half @ theta
        coef[J] = theta - half.T @ short
        coef[self.rest] = dtrtrs(inner, short, lower=1, trans=1)[0] if len(short) else short
        if len(J) + len(self.rest) == len(C):
            return coef if stationary(self.S, coef, C - alpha * coef) else None
        v = np.sort(np.concatenate([J, self.rest]))
        return coef if stationary(self.S[np.ix_(v, v)], coef[v], C[v] - alpha * coef[v]) else None


def _norm(R: Matrix) -> float:
    """Return the largest sum of sizes in a column."""
    return float(np.abs(R).sum(axis=0).max(initial=0.0))
