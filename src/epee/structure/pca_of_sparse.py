r"""Principal axes of sparse rows, which are never centred: only products with them are.

.. math:: (X - 1\mu^\top) v = X v - 1 (\mu^\top v). \tag{1}

Up to a thousand columns their covariance is summed from the non-zeros; up to a thousand rows the products of rows are; beyond, Lanczos'
method or random projections find the leading axes by products (1) alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.moments.sparse import centred_products
from epee.solve.sparse_rows import CentredRows
from epee.solve.spectral import descending_eigh
from epee.structure.randomised import Centred, leading_axes
from epee.typing import Matrix, Vector

FEW = 1000  # columns whose covariance, or rows whose products, are formed


@dataclass(frozen=True, eq=False)
class Axes:
    """Variances (r,) with 1/n along axes (r, p), the mean, the weight of the rows, the total variance; the rank if axes lack."""

    values: Vector
    axes: Matrix
    mean: Vector
    count: float
    inertia: float
    rank: int | None = None


def sparse_road(solver: str, n: int, p: int) -> str:
    """Return how the axes of a sparse table are found."""
    if solver not in ("auto", "arpack", "covariance_eigh", "randomized"):
        raise TypeError(
            'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while '
            f'"{solver}" was passed: it would need all cells. Here "randomized" takes sparse rows, too.'
        )
    if solver == "auto":
        return "dual" if n < p and n <= FEW else "covariance_eigh" if p <= FEW else "arpack"
    return solver


def axes_by_rows(X: Any, w: Vector | None) -> Axes:
    """Return all axes from the products of few rows."""
    Z = CentredRows.of(X, w, True)
    count, inertia = _spread(X, w)
    D = Z.root[:, None] * (X - Z.mean) if X.shape[0] * X.shape[1] < 1 << 22 else None
    if D is not None:
        G = D @ D.T
    else:
        cross = np.asarray(X @ Z.mean)
        G = (X @ X.T).toarray() - cross[:, None] - cross + Z.mean @ Z.mean
        G *= Z.root[:, None] * Z.root
    values, U = descending_eigh(G)
    kept = values > 1e-13 * max(float(values[0]), 1e-300)
    left = U[:, kept] / np.sqrt(values[kept])
    axes = np.column_stack([Z.transposed_times(u) for u in left.T]).T if kept.any() else np.zeros((0, X.shape[1]))
    spectrum = np.zeros(int(min(count, X.shape[1])))
    spectrum[: kept.sum()] = values[kept][: len(spectrum)] / count
    return Axes(spectrum, axes[: len(spectrum)], Z.mean, count, inertia)


def axes_by_lanczos(X: Any, w: Vector | None, q: int, tol: float, start: Vector) -> Axes:
    """Return the leading axes by products with the rows."""
    from scipy.sparse.linalg import svds

    Z, (count, inertia) = CentredRows.of(X, w, True), _spread(X, w)
    _, s, V = svds(Z.operator(), k=q, tol=tol, v0=start, solver="arpack")
    order = np.argsort(-s)
    return Axes(s[order] ** 2 / count, V[order], Z.mean, count, inertia, min(X.shape))


def axes_by_projections(
    X: Any, w: Vector | None, q: int, more: int, powers: Any, normaliser: str, rng: np.random.Generator
) -> Axes:
    """Return the leading axes by random projections; weights become roots in front of the rows."""
    count, inertia = _spread(X, w)
    Z = CentredRows.of(X, w, True)
    if w is not None:
        from scipy.sparse import csr_array

        X = csr_array(X.multiply(Z.root[:, None]))
    s, V = leading_axes(Rooted(X, Z.mean, Z.root), q, more, powers, rng, normaliser)
    return Axes(s**2 / count, V, Z.mean, count, inertia, min(X.shape))


@dataclass(frozen=True)
class Rooted(Centred):
    """Rows times the roots of their weights, less the mean times the same."""

    root: Vector

    def times(self, B: Matrix) -> Matrix:
        """Return the product with ``B`` (p, q) on the right."""
        return np.asarray(self.X @ B) - np.outer(self.root, self.mean @ B)

    def back(self, Y: Matrix) -> Matrix:
        """Return the product of the transpose with ``Y`` (n, q)."""
        return np.asarray(self.X.T @ Y) - np.outer(self.mean, self.root @ Y)


def _spread(X: Any, w: Vector | None) -> tuple[float, float]:
    """Return the weight of the rows and their total variance."""
    count, _, S = centred_products(X, None, w, "diagonal")
    assert S is not None
    return count, float(S.sum()) / count
