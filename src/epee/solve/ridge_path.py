r"""All ridge penalties from one decomposition.

With :math:`S = V \Lambda V^\top` and :math:`c` the scatter of inputs against targets,

.. math:: \beta_\alpha = V (\Lambda + \alpha)^{-1} V^\top c, \qquad
          df(\alpha) = \sum_j \frac{\lambda_j}{\lambda_j + \alpha}, \qquad
          RSS(\alpha) = TSS - \sum_j \frac{\lambda_j + 2\alpha}{(\lambda_j + \alpha)^2} (V^\top c)_j^2, \tag{1}

so a penalty costs :math:`O(p^2)` once :math:`O(p^3)` was paid, for every fold at once. Rows fewer than columns give the same from
the small side: :math:`Z Z^\top = U \Lambda U^\top`, :math:`V = Z^\top U \Lambda^{-1/2}`.

Eigenvectors of :math:`S` are exact only relative to its largest eigenvalue: where columns of very different size, or
nearly collinear ones, would cost digits, those penalties are solved one by one with the columns brought to unit size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epee.arrays import namespace
from epee.moments.moments import Moments
from epee.solve.spectral import descending_eigh
from epee.solve.tridiagonal import tridiagonal_path
from epee.stateful import Part
from epee.typing import ArrayLike, Matrix, Tensor, Vector

SPREAD = 1e7  # of the eigenvalues of S + alpha I: nine digits are left below it


def ridge_path(xx: Tensor, xy: Tensor, alphas: ArrayLike) -> Tensor:
    """Return the coefficients (..., A, p, m) of every penalty.

    Parameters
    ----------
    xx : array (..., p, p)
        Scatter of the inputs; leading axes are folds.
    xy : array (..., p, m)
        Scatter of inputs against targets.
    alphas : array (A,)
        Penalties, not negative.

    Examples
    --------
    >>> ridge_path(np.diag([1.0, 3.0]), np.array([[2.0], [3.0]]), [0.0, 1.0])[..., 0]
    array([[2.  , 1.  ],
           [1.  , 0.75]])
    """
    return ridge_path_with_spectrum(xx, xy, alphas)[0]


def ridge_path_with_spectrum(xx: Tensor, xy: Tensor, alphas: ArrayLike) -> tuple[Tensor, Tensor]:
    """Return the coefficients of :func:`ridge_path` and the eigenvalues (..., p) that they came from."""
    alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    many = xx.ndim == 3 and len(xx) >= 4 and len(alphas) >= 10
    found = tridiagonal_path(xx, xy, alphas) if many else None
    if found is None:
        values, V = descending_eigh(xx)  # (..., p), (..., p, p)
        found = spectral_path(values, V, np.swapaxes(V, -1, -2) @ xy, alphas), values
    coef, values = found
    if not values.shape[-1]:
        return coef, values
    spread = (values[..., :1] + alphas) / np.maximum(values[..., -1:] + alphas, 1e-300)  # (..., A)
    for a in np.flatnonzero((spread > SPREAD).reshape(-1, len(alphas)).any(axis=0)):
        exact = _scaled_solve(xx, xy, alphas[a])
        if exact is not None:
            coef[..., a, :, :] = exact
    return coef, values


def spectral_path(values: Tensor, V: Tensor, rotated: Tensor, alphas: Vector) -> Tensor:
    """Return (1) for all penalties, (..., A, p, m), from eigenvalues, eigenvectors and V'c (..., p, m)."""
    floor = 1e-14 * values[..., :1] if values.shape[-1] else values
    kept = np.where(values > floor, values, 0.0)
    total = kept[..., None, :] + alphas[:, None]  # (..., A, p)
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    inner = inverse[..., None] * rotated[..., None, :, :]  # (..., A, p, m)
    A, p, m = inner.shape[-3:]
    flat = np.moveaxis(inner, -3, -2).reshape(*inner.shape[:-3], p, A * m)
    return np.moveaxis((V @ flat).reshape(*inner.shape[:-3], V.shape[-2], A, m), -2, -3)


def _scaled_solve(xx: Tensor, xy: Tensor, alpha: float) -> Tensor | None:
    p = xx.shape[-1]
    S = xx + alpha * np.eye(p)
    d = np.sqrt(np.diagonal(S, axis1=-2, axis2=-1))
    if not (d > 0).all():
        return None
    scaled = S / d[..., :, None] / d[..., None, :]
    if not np.linalg.eigvalsh(scaled).min() > 1e-14:
        return None
    return np.linalg.solve(scaled, xy / d[..., None]) / d[..., None]


@dataclass(frozen=True, eq=False)
class RidgeSpectrum(Part):
    """One decomposition of centred rows or their scatter: everything that (1) needs.

    ``values`` (r,), ``V`` (p, r), ``rotated`` (r, m) = V'c, ``tss`` (m,). From rows V = Z'B is formed when it is asked for:
    one penalty needs only Z' times a vector.
    """

    values: Vector
    rotated: Matrix
    tss: Vector
    axes: Matrix | None = None  # V
    rows: tuple[Matrix, Matrix] | None = None  # Z (n, p) and B (n, r)

    @cached_property
    def V(self) -> Matrix:
        """The axes (p, r)."""
        if self.rows is None:
            return self.axes  # type: ignore[return-value]
        Z, B = self.rows
        return Z.T @ B

    @classmethod
    def of_scatter(cls, S: Matrix, C: Matrix, tss: Vector) -> RidgeSpectrum:
        """Return the spectrum of a scatter (p, p)."""
        values, V = descending_eigh(S)
        return cls(np.where(values > 1e-14 * values[0], values, 0.0), V.T @ C, tss, V)

    @classmethod
    def of_rows(cls, Z: Matrix, T: Matrix) -> RidgeSpectrum:
        """Return the spectrum of centred, weighted rows (n, p) with n <= p, by their n x n products."""
        values, U = descending_eigh(Z @ Z.T)
        r = int((values > 1e-13 * values[0]).sum()) if values[0] > 0 else 0
        root = np.sqrt(values[:r])
        return cls(values[:r], root[:, None] * (U[:, :r].T @ T), (T**2).sum(axis=0), None, (Z, U[:, :r] / root))

    def coef(self, alphas: ArrayLike) -> Tensor:
        """Return the coefficients (A, p, m)."""
        alphas = np.atleast_1d(np.asarray(alphas, dtype=float))
        if self.rows is None or "V" in self.__dict__:
            return spectral_path(self.values, self.V, self.rotated, alphas)
        Z, B = self.rows
        inner = spectral_path(self.values, B, self.rotated, alphas)  # (A, n, m): weights of the rows
        return np.moveaxis(np.tensordot(Z, inner, axes=([0], [1])), 0, 1)

    def dof(self, alphas: ArrayLike) -> Vector:
        """Return the effective degrees of freedom (A,), intercept apart."""
        return effective_dof(self.values, np.atleast_1d(np.asarray(alphas, dtype=float)))

    def rss(self, alphas: ArrayLike) -> Matrix:
        """Return the residual sums of squares (A, m), not below rounding."""
        a = np.atleast_1d(np.asarray(alphas, dtype=float))[:, None]
        total = self.values + a  # (A, r)
        part = np.divide(self.values + 2 * a, total**2, out=np.zeros_like(total), where=total > 0)
        return np.maximum(self.tss - part @ self.rotated**2, 1e-16 * self.tss)


def effective_dof(values: Any, alphas: Vector) -> Tensor:
    """Return the sum of λ / (λ + α) for each penalty, (..., A).

    >>> effective_dof(np.array([1.0, 3.0]), np.array([0.0, 1.0]))
    array([2.  , 1.25])
    """
    kept = np.maximum(values, 0.0)[..., None, :]
    total = kept + alphas[:, None]
    return np.divide(kept, total, out=np.zeros(np.broadcast_shapes(kept.shape, total.shape)), where=total > 0).sum(
        axis=-1
    )


def squared_error(m: Moments, coef: Tensor, intercept: Tensor) -> Tensor:
    """Return the mean squared error (F, A, m) of linear predictors (F, A, m, p) on the rows behind the moments of each fold."""
    xp, (F, A, k, p) = namespace(coef), coef.shape
    C = xp.matrix_transpose(m.xy)[:, None, :, :]  # (F, 1, m, p)
    flat = xp.reshape(coef, (F, A * k, p))  # one product a fold, whatever the penalties
    squares = xp.reshape(flat @ m.xx, (F, A, k, p))
    yy = xp.linalg.diagonal(m.yy)[:, None, :]
    spread = xp.sum(coef * (squares - 2 * C), axis=-1) + yy
    fitted = xp.reshape(flat @ m.x_mean[:, :, None], (F, A, k))
    shift = m.y_mean[:, None, :] - intercept - fitted
    return xp.where(spread > 0, spread, xp.zeros_like(spread)) / m.count[:, None, None] + shift**2
