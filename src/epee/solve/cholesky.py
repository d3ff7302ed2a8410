r"""Symmetric positive definite systems by Cholesky's factor, in units that do not matter.

The matrix is first brought to a unit diagonal, :math:`C = D^{-1} S D^{-1}` with :math:`D = \operatorname{diag}(S)^{1/2}`, so that a
change of the units of the columns changes nothing (and no other diagonal scaling is much better: van der Sluis, 1969); then

.. math:: C = L L^\top, \qquad S^{-1} b = D^{-1} L^{-\top} L^{-1} D^{-1} b, \qquad
          \log\det S = 2 \sum_j (\log L_{jj} + \log D_j).

LAPACK estimates :math:`\kappa(C) = \|C\|_1 \|C^{-1}\|_1` from the factor in :math:`O(p^2)`: a solution from sums of squares
keeps about :math:`16 - \log_{10} \kappa` digits.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.linalg.lapack import dpocon, dpotrf, dtrcon, dtrtrs

from epee.errors import SingularProblem
from epee.stateful import Part
from epee.typing import Matrix, Tensor, Vector


class Cholesky(Part):
    """The factor of a symmetric positive definite matrix.

    Parameters
    ----------
    S : array (p, p)
        Symmetric; refused with the first column that depends on those before it when it is not positive definite.

    Attributes
    ----------
    condition : float
        Estimate of the condition number of the matrix with unit diagonal; 1 is best.

    Examples
    --------
    >>> S = Cholesky(np.array([[4.0, 2.0], [2.0, 3.0]]))
    >>> S.solve(np.array([8.0, 7.0])), round(S.logdet, 6)
    (array([1.25, 1.5 ]), 2.079442)
    """

    state_parts = ("scale", "L", "condition")

    def __init__(self, S: Matrix) -> None:
        S = np.asarray(S, dtype=np.float64)
        diagonal = np.diagonal(S)
        if not np.isfinite(diagonal).all() or not (diagonal > 0).all():
            bad = int(np.flatnonzero(~(diagonal > 0))[0])
            raise SingularProblem(
                f"the matrix is not positive definite: its diagonal entry {bad} is {diagonal[bad]:g}."
            )
        self.scale: Vector = np.sqrt(diagonal)  # (p,) D
        C = S / self.scale[:, None] / self.scale
        norm = float(np.abs(C).sum(axis=0).max(initial=0.0))
        L, info = dpotrf(C, lower=1, clean=1) if len(C) else (C, 0)
        self.L: Matrix = L
        if info > 0:
            raise SingularProblem(
                f"the matrix is not positive definite: column {info - 1} is a combination of the columns before it."
            )
        reciprocal = dpocon(self.L, norm, uplo="L")[0] if len(C) else 1.0
        self.condition: float = 1 / reciprocal if reciprocal > 0 else float("inf")

    @classmethod
    def of_factor(cls, R: Matrix) -> Cholesky:
        """Return the same object for S = R'R from its triangular factor R (p, p), as a QR factorisation gives it."""
        self = cls.__new__(cls)
        self.scale = np.sqrt((R * R).sum(axis=0))
        if not (self.scale > 0).all() or not (np.diagonal(R) != 0).all():
            bad = int(np.flatnonzero((self.scale == 0) | (np.diagonal(R) == 0))[0])
            raise SingularProblem(
                f"the matrix is not positive definite: column {bad} is a combination of the columns before it."
            )
        self.L = np.ascontiguousarray((R / self.scale).T)
        reciprocal = dtrcon(self.L.T, norm="1", uplo="U")[0] if len(R) else 1.0
        self.condition = (1 / reciprocal) ** 2 if reciprocal > 1e-150 else float("inf")
        return self

    def solve(self, B: Tensor) -> Tensor:
        """Return S^-1 B for B (p,) or (p, m)."""
        d = self.scale if np.ndim(B) == 1 else self.scale[:, None]
        if not len(d):
            return np.zeros_like(B)
        return cho_solve((self.L, True), B / d, check_finite=False) / d

    def half_solve(self, B: Tensor) -> Tensor:
        """Return H with H'H = B' S^-1 B: whitened coordinates of B (p, m)."""
        d = self.scale if np.ndim(B) == 1 else self.scale[:, None]
        if not len(d):
            return np.zeros_like(B)
        if np.ndim(B) == 2:  # LAPACK itself: the rows of a table come here in many parts
            return np.asarray(dtrtrs(self.L, B / d, lower=1, overwrite_b=1)[0])
        return solve_triangular(self.L, B / d, lower=True, check_finite=False)

    def inverse(self) -> Matrix:
        """Return S^-1 (p, p), symmetric."""
        half = self.half_solve(np.eye(len(self.scale)))
        return half.T @ half

    @property
    def root(self) -> Matrix:
        """The upper triangle U with U'U = S."""
        return self.L.T * self.scale

    @property
    def rank(self) -> int:
        """All of its columns."""
        return len(self.scale)

    @property
    def logdet(self) -> float:
        """Logarithm of the determinant of S."""
        return float(2 * (np.log(np.abs(np.diagonal(self.L))).sum() + np.log(self.scale).sum()))
