r"""The leading axes of a large matrix by random projections.

:math:`P = \operatorname{orth}\big((A^\top A)^{t+1} \Omega\big)` for a Gaussian :math:`\Omega` holds the leading axes of :math:`A` with high
probability (Halko, Martinsson and Tropp, 2011), and :math:`AP = U S W^\top` turns it into them: the axes :math:`V = PW` are such that
:math:`AV = US`, so that the variances that are told are those of the scores. The matrix is met only through products, so centring
needs no copy of it: :math:`(X - 1\mu^\top) B = XB - 1(\mu^\top B)`. It may lie elsewhere (:mod:`epee.arrays`).

A few long columns :math:`Z` are made orthonormal by :math:`Z R^{-1}` with :math:`R^\top R = Z^\top Z`: two products, at the speed of
memory, and a small triangle. That loses the square of their condition, which the power steps do not mind and a second time makes good;
where too little would be left, reflections (QR) take its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere, like, namespace, sum_of_rows
from epee.solve.spectral import whitening_factor
from epee.typing import Matrix, Vector


@dataclass(frozen=True)
class Centred:
    """The matrix ``X - 1 mean'`` as its products."""

    X: Matrix
    mean: Vector

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def times(self, B: Matrix) -> Matrix:
        """Return the product with ``B`` (p, q) on the right."""
        return self.X @ B - self.mean @ B

    def back(self, Y: Matrix) -> Matrix:
        """Return the product of the transpose with ``Y`` (n, q); as (Y'X)', which BLAS does in half the time of X'Y."""
        found: Matrix = (Y.T @ self.X - sum_of_rows(Y)[:, None] * self.mean[None, :]).T
        return found if is_elsewhere(found) else np.ascontiguousarray(found)


def leading_axes(
    A: Centred, q: int, extra: int, powers: Any, rng: np.random.Generator, normaliser: str
) -> tuple[Vector, Matrix]:
    """Return the q largest singular values of ``A`` (n, p) and their axes (q, p), here, by ``extra`` projections more than these.

    >>> A = np.outer(np.arange(6.0), np.ones(4))
    >>> s, V = leading_axes(Centred(A, np.zeros(4)), 1, 2, "auto", np.random.default_rng(0), "auto")
    >>> bool(np.allclose(s, np.linalg.norm(A))), np.abs(V).round(6)
    (True, array([[0.5, 0.5, 0.5, 0.5]]))
    """
    n, p = A.shape
    size = min(q + extra, n, p)
    t = (7 if q < 0.1 * min(n, p) else 4) if powers == "auto" else int(powers)
    tall = p <= n
    mine, other = (A.times, A.back) if tall else (A.back, A.times)
    Y = mine(like(rng.normal(size=(min(n, p), size)), A.X, A.X.dtype))
    for _ in range(t):
        Y = mine(_settled(other(_settled(Y, normaliser, t)), normaliser, t))
    P = orthonormal(A.back(_settled(Y, normaliser, t)) if tall else Y)  # (p, size)
    Z = A.times(P)
    _, s, Wt = np.linalg.svd(at_home(orthonormal(Z).T @ Z))
    return s[:q], Wt[:q] @ at_home(P).T


def orthonormal(Z: Any) -> Any:
    """Return orthonormal columns that span the same space as those of ``Z`` (n, q), where it lies.

    >>> Q = orthonormal(np.array([[3.0, 1.0], [4.0, 1.0], [0.0, 1e-3]]))
    >>> bool(np.abs(Q.T @ Q - np.eye(2)).max() < 1e-15)
    True
    """
    return spanning(spanning(Z))


def spanning(Z: Any) -> Any:
    """Return columns that span the same space as those of ``Z`` (n, q) and are orthonormal to four digits or more."""
    xp = namespace(Z)
    W = whitening_factor(at_home(Z.T @ Z).astype(np.float64), 100 * float(xp.finfo(Z.dtype).eps) ** 0.5)
    return Z @ like(W, Z, Z.dtype) if W.shape[1] == Z.shape[1] else xp.linalg.qr(Z)[0]


def _settled(Z: Matrix, normaliser: str, powers: int) -> Matrix:
    """Return a better conditioned basis of the same space.

    "auto" is orthonormal, not LU by SciPy as in scikit-learn: NumPy and SciPy bring a BLAS each, whose threads fight.
    """
    if normaliser == "none" or (normaliser == "auto" and powers <= 2):
        return Z
    if normaliser == "LU" and not is_elsewhere(Z):
        from scipy.linalg import lu

        return lu(Z, permute_l=True, check_finite=False)[0]
    return spanning(Z)
