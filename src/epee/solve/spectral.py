r"""Spectra of covariance matrices: eigenvalues in decreasing order, whitening, and the choice of what counts as zero.

A symmetric matrix formed from sums of squares knows its eigenvalues to about :math:`10^{-16} \lambda_1`, so directions whose
standard deviation is below :math:`10^{-8}` of the largest cannot be told from zero.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from epee.arrays import is_elsewhere, namespace
from epee.typing import Matrix, Tensor, Vector


def descending_eigh(S: Tensor) -> tuple[Tensor, Tensor]:
    """Return eigenvalues in decreasing order and the eigenvectors as columns; leading axes are batches.

    >>> descending_eigh(np.diag([1.0, 3.0]))[0]
    array([3., 1.])
    """
    if is_elsewhere(S):
        xp = namespace(S)
        values, vectors = xp.linalg.eigh(S)
        return xp.flip(values, axis=-1), xp.flip(vectors, axis=-1)
    values, vectors = np.linalg.eigh(S)
    return values[..., ::-1], vectors[..., ::-1]


def fix_signs(axes: Matrix) -> Matrix:
    """Return rows turned so that the entry of largest size is positive: the result does not depend on the machine.

    A product, not a sign changed in place: NumPy 2.4's ``negative`` is wrong from one strided view to another on some processors.

    >>> fix_signs(np.array([[0.6, -0.8]]))
    array([[-0.6,  0.8]])
    """
    downward = axes.max(axis=1, initial=0.0) < -axes.min(axis=1, initial=0.0)
    return np.where(downward, axes.dtype.type(-1), axes.dtype.type(1))[:, None] * axes


def whitening(sigma: Matrix, tol: float = 1e-8) -> Matrix:
    """Return W (p, r) with W' Σ W = I; directions with a standard deviation below ``tol`` in standardised columns are dropped.

    >>> W = whitening(np.array([[4.0, 0.0], [0.0, 0.0]]))
    >>> W.shape, float(abs(W[0, 0]))
    ((2, 1), 0.5)
    """
    sd = np.sqrt(np.diag(sigma))
    scale = np.divide(1.0, sd, out=np.zeros_like(sd), where=sd > 0)
    values, V = descending_eigh(scale[:, None] * sigma * scale)
    kept = np.sqrt(np.maximum(values, 0.0)) > max(tol, 1e-8)
    return scale[:, None] * V[:, kept] / np.sqrt(values[kept])


def whitening_factor(sigma: Matrix, tol: float = 1e-8) -> Matrix:
    """Return W (p, r) with W' Σ W = I: where no direction is dropped a triangle, which is had sooner, else :func:`whitening`.

    >>> sigma = np.array([[4.0, 1.0], [1.0, 1.0]])
    >>> W = whitening_factor(sigma)
    >>> np.allclose(W.T @ sigma @ W, np.eye(2))
    True
    """
    variances = np.diagonal(sigma)
    if not (variances > 0).all():
        return whitening(sigma, tol)
    scale = 1.0 / np.sqrt(variances)
    R = (scale[:, None] * sigma * scale).T  # laid out as LAPACK wants it
    U, singular = scipy.linalg.lapack.dpotrf(R, overwrite_a=True)
    if singular:
        return whitening(sigma, tol)
    inverse = scipy.linalg.lapack.dtrtri(U, overwrite_c=True)[0]  # no singular value of U is below one over its length
    if not 1.0 / np.linalg.norm(inverse) > 2 * max(tol, 1e-8):
        return whitening(sigma, tol)
    return scale[:, None] * inverse


def condition(values: Vector) -> float:
    """Return the ratio of the largest to the smallest eigenvalue, infinity when one is not positive."""
    return float(values.max() / values.min()) if values.min() > 0 else float("inf")
