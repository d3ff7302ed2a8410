r"""The lasso and the elastic net on sparse rows with many columns: sweeps over the non-zeros, see :mod:`epee.kernels.lasso_sparse`.

The same answers as :class:`~epee.solve.elastic_net.Quadratic` gives from moments, for tables whose p x p scatter should not be formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.moments.sparse import centred_products
from epee.solve.sparse_rows import CentredRows, least_squares
from epee.table.sparse import SparseSource
from epee.typing import Matrix, Tensor, Vector


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Columns, weights (n,), means and mean squares (p,), centred targets (n, m)."""

    X: Any  # CSC
    weight: Vector
    x_mean: Vector
    norms: Vector
    Y: Matrix
    y_mean: Vector

    @classmethod
    def of(cls, source: SparseSource, intercept: bool = True) -> SparseColumns:
        """Return the columns of a source."""
        X, w = source.X.astype(np.float64, copy=False), source.weight
        Y = np.asarray(source.y, dtype=np.float64).reshape(X.shape[0], -1)
        weight = np.ones(X.shape[0]) if w is None else w
        count, mean, S = centred_products(X, None, w, "diagonal")
        assert S is not None
        norms, y_mean = np.maximum(S, 0.0) / count, (weight @ Y) / count
        norms[(4 * np.finfo(float).eps * mean) ** 2 * count >= S] = 0.0  # constant up to rounding
        if not intercept:
            norms, mean, y_mean = norms + mean**2, np.zeros_like(mean), np.zeros_like(y_mean)
        return cls(X.tocsc(), weight, mean, norms, Y - y_mean, y_mean)

    @property
    def yy(self) -> Vector:
        """Mean squares of the targets (m,)."""
        return (self.weight @ self.Y**2) / self.weight.sum()

    def largest_alpha(self, ratio: float) -> float:
        """Return the penalty above which every coefficient is zero."""
        weighted = self.weight[:, None] * self.Y
        c = (np.asarray(self.X.T @ weighted) - np.outer(self.x_mean, weighted.sum(axis=0))) / self.weight.sum()
        return float(np.sqrt((c**2).sum(axis=1)).max(initial=0.0)) / max(ratio, 1e-300)

    def path(
        self, alphas: Vector, ratio: float, *, tol: float, max_iter: int, positive: bool = False, start: Matrix | None = None
    ) -> tuple[Tensor, Matrix, Matrix]:  # fmt: skip
        """Return coefficients (A, m, p), gaps (A, m) and sweeps (A, m) along penalties in decreasing order."""
        from epee.kernels.lasso_sparse import sparse_path

        p, m, A = len(self.x_mean), self.Y.shape[1], len(alphas)
        W, gaps, sweeps = np.empty((A, m, p)), np.empty((A, m)), np.empty((A, m), dtype=int)
        weight = self.weight if (self.weight != 1.0).any() else np.empty(0)
        for t in range(m):
            W[:, t], gaps[:, t], sweeps[:, t] = sparse_path(
                np.ascontiguousarray(self.X.data), self.X.indices, self.X.indptr, weight, self.x_mean, self.norms,
                np.ascontiguousarray(self.Y[:, t]), np.ascontiguousarray(alphas, dtype=np.float64), float(ratio), float(tol), int(max_iter),
                bool(positive), np.zeros(p) if start is None else np.ascontiguousarray(start[t]),
            )  # fmt: skip
        return W, gaps, sweeps

    def without_penalty(self, positive: bool = False) -> Matrix:
        """Return the coefficients (m, p) of least squares, the shortest where several are."""
        if positive:
            return self.path(np.zeros(1), 1.0, tol=1e-10, max_iter=10_000, positive=True)[0][0]
        rows = CentredRows(self.X.tocsr(), np.sqrt(self.weight), self.x_mean)
        return least_squares(rows, np.sqrt(self.weight)[:, None] * self.Y, np.zeros(self.Y.shape[1])).coef.T

    def intercepts(self, W: Tensor) -> Tensor:
        """Return the intercepts (..., m) of coefficients (..., m, p)."""
        return self.y_mean - W @ self.x_mean
