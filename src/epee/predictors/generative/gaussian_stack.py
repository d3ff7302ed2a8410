r"""Many Gaussian classifiers at once: the scores of all their classes from one product of matrices.

With a factor :math:`W_k` of each covariance, :math:`W_k^\top \Sigma_k W_k = I`, the score of class :math:`k` is

.. math:: s_k(x) = c_k - \tfrac12 \|W_k^\top (x - \mu_k)\|^2. \tag{1}

The whitened rows :math:`W_k^\top (x - \mu_k)` are affine in :math:`x`, so those of all classes of all models are one product, also
behind an affine map :math:`x = A z + b` of other rows (a scaler, the filling of missing cells). Rows are taken about a common origin
:math:`o` and squares are not expanded, so no digits are lost.

Of independent columns :math:`W_k` is diagonal. There, with :math:`u = x - o` and :math:`d_k = \mu_k - o`, (1) is linear in the columns and
their squares,

.. math:: s_k(x) = c_k - \tfrac12 w_k^2 \cdot d_k^2 + (w_k^2 \circ d_k) \cdot u - \tfrac12 w_k^2 \cdot u^2, \tag{2}

unless means lie so many standard deviations from the origin that digits would be lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.estimator.stack import Stack
from epee.moments.affine import Affine
from epee.typing import Matrix, Tensor, Vector

AT_ONCE = 50_000  # numbers of rows that are scored together: they stay in the cache
MOST_MIXED = 2_000_000  # numbers of factors behind a map that mixes columns
FAR = 1e5  # squared distance of a mean from the origin, in variances, beyond which (2) would lose digits
NUMBERS = 400_000  # of whitened rows at once: three megabytes


class Gaussians(Stack):
    r"""Scores (1) of T training samples and K classes.

    Parameters
    ----------
    white : array (T, K, r, p)
        The transposed factors.
    mean : array (T, K, r)
        The whitened means about the origin, :math:`W_k^\top (\mu_k - o)`.
    level : array (T, K)
        The constants of (1).
    origin : array (p,)

    Examples
    --------
    >>> two = Gaussians.of(np.ones((1, 2, 1, 1)), np.array([[[0.0], [3.0]]]), np.zeros((1, 2)))
    >>> two.raw(np.array([[1.0]]), [0])
    array([[[-0.5, -2. ]]])
    """

    def __init__(self, white: Tensor, mean: Tensor, level: Matrix, origin: Vector) -> None:
        self.white, self.mean, self.level, self.origin = white, mean, level, origin

    @classmethod
    def of(cls, half: Tensor, means: Tensor, level: Matrix) -> Gaussians:
        """Return the scores of factors (T, K, p, r) and means (T, K, p)."""
        white, origin = half.swapaxes(-1, -2), means.mean(axis=(0, 1))
        return cls(white, np.matmul(white, (means - origin)[..., None])[..., 0], level, origin)

    def __len__(self) -> int:
        return len(self.level)

    @property
    def numbers_a_row(self) -> int:
        """How many numbers a row and its scores under all models take."""
        T, K, r, p = self.white.shape
        return 2 * T * K * r + T * K + p

    def behind(self, before: Affine, origin: Vector) -> Gaussians:
        """Return the scores of the rows before an affine map, one for each training sample, about another origin."""
        A = before.dense
        centre = before.b + (A * origin if before.scales else np.matmul(A, origin))  # (T, p)
        moved = np.matmul(self.white, (centre - self.origin)[:, None, :, None])[..., 0]
        white = self.white * A[:, None, None, :] if before.scales else np.matmul(self.white, A[:, None])
        return Gaussians(white, self.mean - moved, self.level, origin)

    def raw(self, X: Matrix, which: Any) -> Tensor:
        """Return the scores (n, t, K) of the rows under some of the models."""
        white, mean, level = self.white[which], self.mean[which].reshape(-1, 1), self.level[which]
        t, K, r, p = white.shape
        flat = white.reshape(-1, p)  # (t K r, p)
        out = np.empty((t * K, len(X)))
        step = max(32, NUMBERS // max(len(flat), 1))
        for i in range(0, len(X), step):
            Z = flat @ (X[i : i + step] - self.origin).T
            Z -= mean
            Z *= Z
            out[:, i : i + step] = Z.reshape(t * K, r, -1).sum(axis=1)
        out *= -0.5
        out += level.reshape(-1, 1)
        return np.ascontiguousarray(out.T).reshape(len(X), t, K)


class AxisGaussians(Stack):
    """Scores (2) of T training samples and K classes with independent columns.

    Parameters
    ----------
    half : array (T, K, p)
        One over the standard deviations.
    mean : array (T, K, p)
        The means about the origin.
    level : array (T, K)
    origin : array (p,)
    """

    def __init__(self, half: Tensor, mean: Tensor, level: Matrix, origin: Vector) -> None:
        self.half, self.mean, self.level, self.origin = half, mean, level, origin

    @classmethod
    def of(cls, half: Tensor, means: Tensor, level: Matrix) -> Stack:
        """Return the scores of factors and means (T, K, p)."""
        origin = means.mean(axis=(0, 1))
        return cls(half, means - origin, level, origin)._kept()

    def _kept(self) -> Stack:
        """Return these scores in the way that loses no digits."""
        near = bool(((self.half * self.mean) ** 2 < FAR).all())
        return self if near else self._whole()

    def _whole(self) -> Gaussians:
        white = self.half[..., None] * np.eye(self.half.shape[-1])
        return Gaussians(white, self.half * self.mean, self.level, self.origin)

    def __len__(self) -> int:
        return len(self.level)

    @property
    def numbers_a_row(self) -> int:
        """How many numbers a row and its scores under all models take."""
        T, K, p = self.half.shape
        return 2 * T * K + 3 * p

    def behind(self, before: Affine, origin: Vector) -> Stack | None:
        """Return the scores of the rows before an affine map, one for each training sample, about another origin.

        A map that mixes columns makes matrices of the vectors; None where these would be large.
        """
        if not before.scales and self.half.size * before.A.shape[-1] > MOST_MIXED:
            return None
        A = before.dense
        if not before.scales or not A.all():
            return self._whole().behind(before, origin)
        moved = (before.b + A * origin - self.origin)[:, None]  # (T, 1, p)
        return AxisGaussians(self.half * A[:, None], (self.mean - moved) / A[:, None], self.level, origin)._kept()

    def raw(self, X: Matrix, which: Any) -> Tensor:
        """Return the scores (n, t, K) of the rows under some of the models."""
        precision, mean = self.half[which] ** 2, self.mean[which]  # (t, K, p)
        t, K, p = mean.shape
        pull = precision * mean
        level = self.level[which] - 0.5 * (pull * mean).sum(axis=-1)
        once, twice = pull.reshape(-1, p).T, -0.5 * precision.reshape(-1, p).T
        out, some = np.empty((len(X), t * K)), max(AT_ONCE // max(p, 1), 64)
        for i in range(0, len(X), some):
            U = X[i : i + some] - self.origin
            out[i : i + some] = U @ once + (U * U) @ twice
        out += level.reshape(-1)
        return out.reshape(len(X), t, K)
