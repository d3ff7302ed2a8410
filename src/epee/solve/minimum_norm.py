r"""Systems that do not determine their answer: the shortest one is taken.

Of all :math:`\beta` with :math:`R^\top R \beta = b` the one of smallest :math:`\|\beta\|`. The rank is decided with columns of unit
norm, by the singular values of :math:`R D^{-1} = U s V^\top` (so not by the units of the columns), and a particular solution is then
freed of what lies in the null space :math:`N = D^{-1} V_0`:

.. math:: \beta_0 = D^{-1} V_1 s_1^{-2} V_1^\top D^{-1} b, \qquad \beta = \beta_0 - N (N^\top N)^{-1} N^\top \beta_0.

The columns with large entries in :math:`V_0` are those that depend on each other; they are named to the user.
"""

from __future__ import annotations

import numpy as np

from epee.stateful import Part
from epee.typing import Codes, Matrix, Tensor, Vector

NOISE = 1e-6  # the largest entry of a direction that is taken for rounding
MANY = 200  # relations between columns, which are not looked at one by one
EVEN = 1e3  # how many times a scale of columns may be another for rounding to stay where it is


class MinimumNorm(Part):
    """The pseudo-inverse of S = R'R: its ``condition`` is infinite when columns depend on each other; else it is as
    :class:`~epee.solve.cholesky.Cholesky`.

    Parameters
    ----------
    R : array (k, p)
        Any matrix with R'R = S: a triangular factor, or the rows themselves.
    tol : float
        Singular values below ``tol`` times the largest count as zero, in columns of unit norm.

    Examples
    --------
    >>> S = MinimumNorm(np.array([[1.0, 1.0], [0.0, 0.0]]))
    >>> S.rank, S.solve(np.array([2.0, 2.0])), S.dependent()
    (1, array([1., 1.]), array([0, 1]))
    """

    state_parts = ("scale", "zero", "rank", "s", "V1", "V0", "condition", "null", "U")

    def __init__(self, R: Matrix, tol: float = 1e-12) -> None:
        norms = np.sqrt((R * R).sum(axis=0))
        self.scale: Vector = np.where(norms > 0, norms, 1.0)  # (p,) D
        self.zero: Codes = np.flatnonzero(norms == 0)
        live = norms > 0
        self._decompose(*np.linalg.svd(R[:, live] / self.scale[live], full_matrices=True)[1:], tol)

    @classmethod
    def of_scatter(cls, S: Matrix, tol: float = 1e-12) -> MinimumNorm:
        """Return the same from S itself, which knows singular values only down to 1e-8 of the largest."""
        self = cls.__new__(cls)
        diagonal = np.diagonal(S)
        self.scale = np.where(diagonal > 0, np.sqrt(np.maximum(diagonal, 0.0)), 1.0)
        self.zero = np.flatnonzero(diagonal <= 0)
        live, d = np.ix_(diagonal > 0, diagonal > 0), self.scale[diagonal > 0]
        values, vectors = np.linalg.eigh(S[live] / d[:, None] / d)
        singular = np.sqrt(np.maximum(values[::-1], 0.0))
        self._decompose(singular, vectors[:, ::-1].T, max(tol, 1e-7))
        return self

    def _decompose(self, s: Vector, Vt: Matrix, tol: float) -> None:
        """Take the singular values and vectors of the columns that are not all 0."""
        p, live = len(self.scale), np.setdiff1d(np.arange(len(self.scale)), self.zero)
        self.rank = r = int((s > tol * s.max(initial=0.0)).sum())
        k = len(live) - r  # relations between columns
        self.s, self.V1, self.V0 = s[:r], np.zeros((p, r)), np.zeros((p, p - r))
        self.V1[live], self.V0[live, :k] = Vt[:r].T, Vt[r:].T
        self.V0[self.zero, k + np.arange(len(self.zero))] = 1.0
        self.condition = float("inf") if k or not r else float((self.s[0] / self.s[-1]) ** 2)
        self.null = np.zeros((p, k))  # in the units of the coefficients
        self.null[live] = null_basis(self.V0[live, :k], self.scale[live], tol * float(s[0] / s[r - 1]) if r else tol)

    def _shorten(self, beta: Tensor) -> Tensor:
        even = is_even(np.delete(self.scale, self.zero))
        along = self.null.T @ beta if even else np.linalg.lstsq(self.null, beta, rcond=None)[0]
        short = beta - self.null @ along
        short[self.zero] = 0.0
        return short

    def solve(self, B: Tensor) -> Tensor:
        """Return the shortest solution for B (p,) or (p, m)."""
        d = self.scale if np.ndim(B) == 1 else self.scale[:, None]
        s2 = self.s**2 if np.ndim(B) == 1 else (self.s**2)[:, None]
        return self._shorten((self.V1 @ ((self.V1.T @ (B / d)) / s2)) / d)

    def half_solve(self, B: Tensor) -> Tensor:
        """Return H with H'H = B' S^- B (r, m); the part of B outside the row space is not seen."""
        d, s = (self.scale, self.s) if np.ndim(B) == 1 else (self.scale[:, None], self.s[:, None])
        return (self.V1.T @ (B / d)) / s

    def inverse(self) -> Matrix:
        """Return the pseudo-inverse of S (p, p)."""
        half = self._shorten(self.V1 / self.s / self.scale[:, None])
        return half @ half.T

    @property
    def root(self) -> Matrix:
        """A matrix U (r, p) with U'U = S."""
        return self.s[:, None] * self.V1.T * self.scale

    def dependent(self, share: float = 0.1) -> Codes:
        """Return the columns that take part in an exact relation, constant columns left out."""
        if self.V0.shape[1] == 0:
            return np.empty(0, dtype=np.intp)
        part = np.sqrt((self.V0**2).sum(axis=1))
        part[self.zero] = 0.0
        return (
            np.flatnonzero(part > share * part.max(initial=0.0))
            if part.max(initial=0.0) > 1e-6
            else np.empty(0, dtype=np.intp)
        )


def null_basis(V: Matrix, scale: Vector, noise: float) -> Matrix:
    """Return a basis of D^-1 V (p, k) in vectors of length 1, for orthonormal V and D the scales of the columns.

    It is orthonormal, too, unless scales are far apart. Then an entry of V that is rounding, at most ``noise``, would weigh as much as
    the others where its column is small enough beside theirs: such entries are 0. And turning vectors until they are orthogonal would cost
    the digits of their small entries, so each is freed of the columns that the others stand for, those whose coefficients are largest.

    >>> null_basis(np.array([[0.6, 1e-17], [0.8, 0.0], [1e-17, 1.0]]), np.array([1.0, 1.0, 1e-12]), 1e-14)
    array([[0. , 0.6],
           [0. , 0.8],
           [1. , 0. ]])
    """
    k = V.shape[1]
    if is_even(scale) or k > MANY:
        return np.linalg.qr(V / scale[:, None])[0]
    noise = min(noise, NOISE)
    V = np.where(np.abs(V) <= noise, 0.0, V)
    first: list[int] = []
    Q = np.empty((0, k))
    for j in np.argsort(scale, kind="stable"):
        r = V[j] - (V[j] @ Q.T) @ Q
        size = float(np.linalg.norm(r))
        if size > 0.1 / np.sqrt(
            len(V)
        ):  # so many rows of V there are: all of them would be less than one without such a one
            first, Q = [*first, int(j)], np.vstack([Q, r / size])
        if len(first) == k:
            break
    N = np.linalg.solve(V[first].T, V.T).T  # (p, k), the identity in the rows of these columns
    N = np.where(np.abs(N) <= noise, 0.0, N) / scale[:, None]
    return N / np.sqrt((N * N).sum(axis=0))


def is_even(scale: Vector) -> bool:
    """Tell whether scales are so near to each other that rounding may stay where it is."""
    return bool(scale.max(initial=1e-300) <= EVEN * scale.min(initial=np.inf))


def weakest(S: Matrix, share: float = 0.3) -> Codes:
    """Return the columns that make a scatter nearly singular: those of its smallest direction, in columns of unit norm.

    >>> weakest(np.array([[1.0, 0.999, 0.0], [0.999, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    array([0, 1])
    """
    d = np.sqrt(np.diagonal(S))
    d = np.where(d > 0, d, 1.0)
    direction = np.abs(np.linalg.eigh(S / d[:, None] / d)[1][:, 0])
    return np.flatnonzero(direction > share * direction.max())
