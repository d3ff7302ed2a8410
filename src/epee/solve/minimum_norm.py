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
        self._decompose(*np.linalg.svd(R / self.scale, full_matrices=True)[1:], tol)

    @classmethod
    def of_scatter(cls, S: Matrix, tol: float = 1e-12) -> MinimumNorm:
        """Return the same from S itself, which knows singular values only down to 1e-8 of the largest."""
        self = cls.__new__(cls)
        diagonal = np.diagonal(S)
        self.scale = np.where(diagonal > 0, np.sqrt(np.maximum(diagonal, 0.0)), 1.0)
        self.zero = np.flatnonzero(diagonal <= 0)
        values, vectors = np.linalg.eigh(S / self.scale[:, None] / self.scale)
        singular = np.sqrt(np.maximum(values[::-1], 0.0))
        self._decompose(singular, vectors[:, ::-1].T, max(tol, 1e-7))
        return self

    def _decompose(self, s: Vector, Vt: Matrix, tol: float) -> None:
        self.rank = int((s > tol * s.max(initial=0.0)).sum())
        self.s, self.V1, V0 = s[: self.rank], Vt[: self.rank].T, Vt[self.rank :].T  # (p, r), (p, p - r)
        self.V0 = V0
        exact = self.rank < len(self.scale) - len(self.zero)  # a relation between columns, not only columns of zeros
        self.condition = float("inf") if exact or not self.rank else float((self.s[0] / self.s[-1]) ** 2)
        self.null = np.linalg.qr(V0 / self.scale[:, None])[
            0
        ]  # (p, p - r) orthonormal, in the units of the coefficients

    def _shorten(self, beta: Tensor) -> Tensor:
        short = beta - self.null @ (self.null.T @ beta)
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


def weakest(S: Matrix, share: float = 0.3) -> Codes:
    """Return the columns that make a scatter nearly singular: those of its smallest direction, in columns of unit norm.

    >>> weakest(np.array([[1.0, 0.999, 0.0], [0.999, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    array([0, 1])
    """
    d = np.sqrt(np.diagonal(S))
    d = np.where(d > 0, d, 1.0)
    direction = np.abs(np.linalg.eigh(S / d[:, None] / d)[1][:, 0])
    return np.flatnonzero(direction > share * direction.max())
