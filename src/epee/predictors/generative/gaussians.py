r"""Scores of Gaussian classes: squared Mahalanobis distances and log-determinants, in logarithms and by matrix
products.

Of a covariance :math:`\Sigma_k` a factor :math:`W_k` with :math:`W_k^\top \Sigma_k W_k = I` gives

.. math:: (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k) = \|W_k^\top (x - \mu_k)\|^2, \qquad
          \log|\Sigma_k| = -2 \log |\det W_k|. \tag{1}

:math:`W_k` comes from a Cholesky factor in standardised columns, so small or large units cost no digits. Of a diagonal
:math:`\Sigma_k` the squares are expanded about a common centre into two products, except in columns whose class means
lie too many standard deviations apart for that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.errors import SingularProblem
from epee.estimator.protocol import QuadraticForm
from epee.stateful import Part
from epee.typing import Labels, Matrix, Tensor, Vector

MOST_LOST = 1e6  # how much larger the terms of a quadratic form may be than its value: six digits of sixteen
FAR = 1e5  # squared distance of means, in variances, beyond which expanded squares would lose digits
LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class FullGaussians(Part):
    """Gaussians with factors ``half`` (K, p, p), one for all (1, p, p) when tied, of covariances with ``logdet`` (K,)."""

    means: Matrix
    half: Tensor
    logdet: Vector
    centre: Vector
    ratio: tuple[Matrix, Vector, float] | None = None

    @classmethod
    def of(
        cls, means: Matrix, sigma: Tensor, classes: Labels, tol: float, remedy: str, empty: np.ndarray, scale: Vector
    ) -> FullGaussians:
        """Factor covariances (K, p, p), or (1, p, p) for all classes; a singular one is refused with its class and the
        remedy.

        ``scale`` (p,) is the standard deviation of each column in the whole sample: the unit in which a variance is
        small.
        """
        factors = []
        for k, S in enumerate(sigma):
            who = "the classes together" if len(sigma) == 1 else f"class {classes.tolist()[k]!r}"
            factors.append(_unit(len(S)) if len(sigma) > 1 and empty[k] else _factor(S, scale, tol, who, remedy))
        half, logdet = (np.stack(part) for part in zip(*factors, strict=True))
        centre = means[~empty].mean(axis=0)
        logdet = np.broadcast_to(logdet, (len(means),))
        return cls(means, half, logdet, centre, _log_ratio(means - centre, half, logdet, scale))

    def log_ratio(self) -> QuadraticForm | None:
        """Return the log of the ratio of the second density to the first; None for other numbers, or where digits would be lost."""
        return None if self.ratio is None else QuadraticForm(self.ratio[0], None, *self.ratio[1:], self.centre)

    def distances(self, X: Matrix) -> Matrix:
        """Return the squared Mahalanobis distance of each row to each class (n, K)."""
        Z = X - self.centre
        out = np.empty((len(X), len(self.means)))
        tied = len(self.half) == 1
        for k, mean in enumerate(self.means):
            if k == 0 or not tied:
                T = Z @ self.half[k]  # (n, p)
            R = T - (mean - self.centre) @ self.half[0 if tied else k]
            out[:, k] = np.einsum("ij,ij->i", R, R)
        return out

    def log_densities(self, X: Matrix) -> Matrix:
        """Return the log-density of each row in each class (n, K), without the factor of 2 pi."""
        return -0.5 * (self.distances(X) + self.logdet)

    def scores(self, X: Matrix) -> Matrix:
        """Return the log-densities (n, K) up to a number common to the classes: for two, their difference is enough."""
        if self.ratio is None:
            return self.log_densities(X)
        bend, slope, level = self.ratio
        Z = X - self.centre
        T = Z @ bend
        T += slope  # in place: fresh memory costs more than the sum
        half = 0.5 * (np.einsum("ij,ij->i", T, Z) + level)
        return np.column_stack([-half, half])


def _log_ratio(M: Matrix, half: Tensor, logdet: Vector, scale: Vector) -> tuple[Matrix, Vector, float] | None:
    r"""Return the log of the ratio of two densities as :math:`z^\top B z + b^\top z + c`, one product in place of two.

    None for other numbers of classes, and where the terms are so much larger than their sum that digits would be lost.
    """
    if len(half) != 2:
        return None
    P = half @ half.swapaxes(1, 2)
    if not (np.abs(P) * np.outer(scale, scale)).sum(axis=(1, 2)).max() < MOST_LOST:
        return None
    linear = np.matmul(P, M[:, :, None])[:, :, 0]
    own = (linear * M).sum(axis=1) + logdet
    return 0.5 * (P[0] - P[1]), linear[1] - linear[0], float(0.5 * (own[0] - own[1]))


def _unit(p: int) -> tuple[Matrix, float]:
    return np.eye(p), 0.0


def _factor(S: Matrix, scale: Vector, tol: float, who: str, remedy: str) -> tuple[Matrix, float]:
    """Return W (p, p) with W' S W = I and log|S|."""
    from scipy.linalg.lapack import dpotrf, dtrtri

    scale = np.where(scale > 0, scale, 1.0)
    R = S / scale / scale[:, None]
    L, info = dpotrf(R, lower=1, clean=1)
    if info == 0:
        inverse, _ = dtrtri(L, lower=1)
        smallest = 1.0 / np.einsum("ij,ij->", inverse, inverse)  # at most the smallest eigenvalue of R, at least it / p
        if smallest > max(tol, 1e-13) or _is_regular(S, R, tol):
            return inverse.T / scale[:, None], float(2 * (np.log(np.diagonal(L)).sum() + np.log(scale).sum()))
    rank = int((np.linalg.eigvalsh(R) > 1e-12).sum())
    raise SingularProblem(
        f"The covariance matrix of {who} is not full rank: singular, or too close to it (rank {rank} of {len(S)} columns). {remedy}"
    )


def _is_regular(S: Matrix, R: Matrix, tol: float) -> bool:
    """Tell whether the smallest variance of a direction is above ``tol``, in the units of the columns or in standardised ones."""
    of_R = np.linalg.eigvalsh(R)[0]
    return bool(of_R > 1e-13 and (of_R > tol or np.linalg.eigvalsh(S)[0] > tol))


class DiagonalGaussians(Part):
    """Gaussians with means and variances (K, p): scores by two matrix products."""

    state_parts = ("means", "variances", "centre", "far", "squares", "linear", "constants", "constant")

    def __init__(self, means: Matrix, variances: Matrix, centre: Vector) -> None:
        self.means, self.variances, self.centre = means, variances, centre
        m = means - centre  # (K, p)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            inverse = 1.0 / variances
            self.far = np.flatnonzero(~((m**2 * inverse).max(axis=0, initial=0.0) < FAR))
            logs = -0.5 * np.log(variances)
        near = np.ones(m.shape[1], dtype=bool)
        near[self.far] = False
        inverse, m = np.where(near, inverse, 0.0), np.where(near, m, 0.0)
        self.squares, self.linear = -0.5 * inverse.T, (m * inverse).T  # (p, K)
        self.constants = (logs - 0.5 * m**2 * inverse).T  # (p, K): of each column, so that missing ones can be left out
        self.constant = self.constants.sum(axis=0)

    def log_densities(self, X: Matrix, missing: np.ndarray | None = None) -> Matrix:
        """Return the log-density (n, K) without the factor of 2 pi; cells marked in ``missing`` (n, p) are integrated out."""
        Z = X - self.centre  # (n, p)
        if missing is not None:
            Z[missing] = 0.0
        scores = Z @ self.linear
        if len(self.far):
            R = X[:, None, self.far] - self.means[:, self.far]  # (n, K, far)
            squares = R**2 / self.variances[:, self.far]
            scores -= 0.5 * (squares if missing is None else np.where(missing[:, None, self.far], 0.0, squares)).sum(
                axis=2
            )
        scores += np.multiply(Z, Z, out=Z) @ self.squares
        scores += self.constant if missing is None else (~missing).astype(np.float64) @ self.constants
        return scores

    def log_ratio(self) -> QuadraticForm | None:
        """Return the log of the ratio of the second density to the first; None for other numbers, or where digits would be lost."""
        if len(self.far) or len(self.means) != 2:
            return None
        squares, slope = (table[:, 1] - table[:, 0] for table in (self.squares, self.linear))
        return QuadraticForm(None, squares, slope, float(self.constant[1] - self.constant[0]), self.centre)

    def scores(self, X: Matrix) -> Matrix:
        """Return the log-densities: here the difference of two would be no cheaper."""
        return self.log_densities(X)

    def distances(self, X: Matrix) -> Matrix:
        """Return the squared Mahalanobis distance of each row to each class (n, K)."""
        return -2 * (self.log_densities(X) + 0.5 * np.log(self.variances).sum(axis=1))
