r"""The four shapes of a Gaussian component, and the sums that fit them.

About a fixed centre :math:`c_k` (the mean of the last step) the rows with responsibilities :math:`\tau_{ik}` give

.. math:: N_k = \sum_i \tau_{ik}, \qquad s_k = \sum_i \tau_{ik} (x_i - c_k), \qquad
          Q_k = \sum_i \tau_{ik} (x_i - c_k)(x_i - c_k)^\top,

so that :math:`\mu_k = c_k + s_k / N_k` and :math:`\Sigma_k = Q_k / N_k - (s_k/N_k)(s_k/N_k)^\top`: the weighted covariance about the
**new** mean, whose correction vanishes as the steps do, so no digits cancel.

A component that closes on a single row would have an infinite likelihood. The eigenvalues of :math:`\Sigma_k` are therefore held
above a floor :math:`\varepsilon`: clipping them is the exact maximiser under that constraint, so the climb stays monotone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.linalg

from epee.errors import SingularProblem
from epee.stateful import Part
from epee.typing import Matrix, Tensor, Vector

Form = Literal["full", "tied", "diag", "spherical"]
LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class Components(Part):
    """Weights (K,), means (K, p), covariances in scikit-learn's shape for the form, and the log-density of the noise."""

    weights: Vector
    means: Matrix
    covariances: Tensor
    form: Form
    noise: float | None = None  # log-density of the uniform component, whose weight is 1 - sum(weights)

    @property
    def n_components(self) -> int:
        """Number of Gaussian components."""
        return len(self.means)

    def matrices(self) -> Tensor:
        """Return the covariances as matrices (K, p, p)."""
        K, p = self.means.shape
        if self.form == "full":
            return self.covariances
        if self.form == "tied":
            return np.broadcast_to(self.covariances, (K, p, p))
        values = self.covariances if self.form == "diag" else np.repeat(self.covariances[:, None], p, axis=1)
        return values[:, :, None] * np.eye(p)

    def log_weights(self) -> Vector:
        """Return log weights (K,)."""
        with np.errstate(divide="ignore"):
            return np.log(self.weights)


COLLAPSED = (
    "Fitting the mixture model failed because some components have ill-defined empirical covariance (for instance caused by singleton or "
    "collapsed samples). Try to decrease the number of components, increase reg_covar, or scale the input data."
)


def precision_factors(components: Components) -> Tensor:
    """Return U with U U' = Σ^{-1}, in scikit-learn's shapes: (K, p, p), (p, p), (K, p) or (K,)."""
    form, sigma = components.form, components.covariances
    if form in ("diag", "spherical"):
        if (sigma <= 0).any():
            raise SingularProblem(COLLAPSED)
        return 1.0 / np.sqrt(sigma)
    stack = sigma[None] if form == "tied" else sigma
    try:
        L = np.linalg.cholesky(stack)
        pivots = np.diagonal(L, axis1=1, axis2=2) ** 2  # what a column adds to those before it, which may be rounding
        sound = (pivots > 1e-14 * np.diagonal(stack, axis1=1, axis2=2)).all(axis=1)
    except np.linalg.LinAlgError:
        sound = np.array([not scipy.linalg.lapack.dpotrf(matrix.T)[1] for matrix in stack])
    if not sound.all():
        k = int(np.argmin(sound))
        raise SingularProblem(f"{COLLAPSED} The first is component {k}.")
    factors = np.empty_like(stack)
    for k, lower in enumerate(L):
        factors[k] = scipy.linalg.lapack.dtrtri(lower.T)[0]  # of the transposed, which is upper, as LAPACK lays it out
    return factors[0] if form == "tied" else factors


def log_determinants(factors: Tensor, form: Form, p: int) -> Vector:
    """Return log det U of each component (or one number for "tied")."""
    if form == "full":
        return np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    if form == "tied":
        return np.log(np.diag(factors)).sum()
    return np.log(factors).sum(axis=1) if form == "diag" else p * np.log(factors)


def shape_covariances(N: Vector, Q: Tensor, form: Form, floor: float, weight: float | None = None) -> Tensor:
    """Return covariances from centred sums: ``Q`` (K, p, p), or (K, p) for the diagonal forms; eigenvalues kept above the floor."""
    if form == "tied":
        return clip(Q.sum(axis=0) / (N.sum() if weight is None else weight), floor)
    if form == "full":
        sigma = Q / N[:, None, None]
        sigma = (sigma + sigma.swapaxes(1, 2)) / 2
        return sigma if _all_above(sigma, floor) else np.stack([clip(matrix, floor) for matrix in sigma])
    variances = Q / N[:, None]
    return np.maximum(variances, floor) if form == "diag" else np.maximum(variances.mean(axis=1), floor)


def _all_above(sigma: Tensor, floor: float) -> bool:
    """Tell whether no eigenvalue of any matrix is below the floor: there is a factor of what lies above it."""
    try:
        np.linalg.cholesky(sigma - floor * np.eye(sigma.shape[-1]))
    except np.linalg.LinAlgError:
        return False
    return True


def clip(sigma: Matrix, floor: float) -> Matrix:
    """Return the matrix with its eigenvalues held above the floor; untouched when they are.

    Where there is a factor, eigenvalues are the squares of its singular values, by Jacobi's rotations: each has its own digits, however
    far the units of the columns lie apart, while those of the matrix have the digits of the largest.

    References
    ----------
    Drmač and Veselić, "New fast and accurate Jacobi SVD algorithm", *SIAM Journal on Matrix Analysis* 29, 2008.

    >>> clip(np.diag([2.0, 0.0]), 0.5)
    array([[2. , 0. ],
           [0. , 0.5]])
    >>> clip(np.array([[1e-16, 0.0, 0.6], [0.0, 1.0, 5e7], [0.6, 5e7, 1e16]]), 1e-6)[1, 1].round(6)
    np.float64(1.0)
    """
    sigma = (sigma + sigma.T) / 2
    values, vectors = _eigen(sigma)
    if values.min() >= floor:
        return sigma
    return (vectors * np.maximum(values, floor)) @ vectors.T


def _eigen(sigma: Matrix) -> tuple[Vector, Matrix]:
    """Return eigenvalues and eigenvectors, with the digits of each where the matrix has a factor."""
    try:
        factor = np.linalg.cholesky(sigma)
    except np.linalg.LinAlgError:
        return np.linalg.eigh(sigma)
    found, _, vectors, work, _, failed = scipy.linalg.lapack.dgejsv(factor.T, joba=0, jobu=3, jobv=0)
    return np.linalg.eigh(sigma) if failed else ((found * (work[0] / work[1])) ** 2, vectors)


def free_parameters(K: int, p: int, form: Form, noise: bool = False) -> int:
    """Return how many numbers a mixture is free to choose.

    >>> free_parameters(2, 3, "full")
    19
    """
    shape = {"full": K * p * (p + 1) // 2, "tied": p * (p + 1) // 2, "diag": K * p, "spherical": K}[form]
    return shape + K * p + K - 1 + int(noise)
