r"""The roads to the axes that start from rows in memory: the small side, the rows themselves, projections, and rows with holes.

- *dual*: with more columns than rows, :math:`X^c X^{c\top} w = n \lambda w` is small, and :math:`u = X^{c\top} w / \sqrt{n\lambda}`;
- *full*: the singular values of the rows, for directions below :math:`10^{-8}` of the first;
- *randomised*: the range of :math:`(X^c X^{c\top})^t X^c \Omega` for a Gaussian :math:`\Omega`; *arpack*: Lanczos' steps;
- *missing*: the covariance that EM finds where cells are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from epee.arrays import is_elsewhere, like, like_together
from epee.errors import DataWarning, InfiniteValues, MissingValues
from epee.estimator.base import list_columns, say
from epee.moments.passes import Summation, reduce_source
from epee.solve.spectral import descending_eigh
from epee.structure.kmeans_starts import as_generator
from epee.structure.randomised import Centred, leading_axes
from epee.table.block import refuse_bad_cells
from epee.table.elsewhere import ElsewhereSource
from epee.typing import Matrix, Vector

LARGEST_WITH_HOLES = 1000  # columns that EM can take
STEEP = 1e-7  # a smallest eigenvalue below this part of the largest: the dual axes would be orthogonal to few digits


class AxesOfRows:
    """Finds the axes of rows in memory, sets ``mean_``, and hands variances and axes to ``_set``."""

    if TYPE_CHECKING:
        n_components: Any
        svd_solver: str
        random_state: Any
        n_oversamples: int
        iterated_power: Any
        power_iteration_normalizer: str
        tol: float
        mean_: Vector
        _set: Any
        _keep_count: Any

    def _fit_missing(self, X: Matrix, w: Vector | None) -> None:
        """Take the axes of the covariance that EM finds for rows with missing cells."""
        from epee.structure.gaussian import GaussianDensity

        refuse_bad_cells(np.where(np.isnan(X), 0.0, X), getattr(self, "feature_names_in_", None))
        if X.shape[1] > LARGEST_WITH_HOLES:
            raise MissingValues(
                f"Input X contains NaN: with missing cells PCA takes at most {LARGEST_WITH_HOLES} columns, not {X.shape[1]}. Fill them."
            )
        empty = np.flatnonzero(np.isnan(X).all(axis=0))
        if len(empty):
            raise MissingValues(f"Input X contains NaN: {list_columns(empty, self)} missing in every row. Drop it.")
        blank = np.isnan(X).all(axis=1)
        if blank.any():
            say(
                f"rows without any cell: {blank.sum()}, first row {int(np.argmax(blank))}. They are skipped.",
                DataWarning,
            )
            X, w = X[~blank], None if w is None else w[~blank]
        scale = np.nanstd(X, axis=0).mean() or 1.0
        self._filler = GaussianDensity(reg_covar=1e-9 * scale**2, tol=1e-9, max_iter=1000)
        self._filler.fit(X, sample_weight=w)
        n = float(len(X) if w is None else w.sum())
        self._keep_count(n, int(min(n, X.shape[1])))
        values, vectors = descending_eigh(self._filler.covariance_)
        self.mean_ = self._filler.mean_
        rank = int(min(n, X.shape[1]))
        self._set(np.maximum(values[:rank], 0.0), vectors.T[:rank].copy(), n, float(values.sum()))

    def _fit_dual(self, X: Matrix, w: Vector | None) -> None:
        """Use the n x n side: the Gram matrix of the rows, centred after the product when that costs no digits."""
        if w is not None and not w.all():
            X, w = X[w > 0], w[w > 0]
        n = len(X)
        weights = np.ones(n) if w is None else w
        total = weights.sum()
        with np.errstate(over="ignore", invalid="ignore"):
            G = (
                np.matmul(X, X.T, dtype=np.float64)
                if X.dtype == np.float64
                else X.astype(np.float64) @ X.astype(np.float64).T
            )
            if not np.isfinite(G).all():
                refuse_bad_cells(X, getattr(self, "feature_names_in_", None))
                raise InfiniteValues(
                    "Input X contains values whose squares exceed the range of float64 (infinity). Rescale the columns."
                )
        raw = np.trace(G)
        row = G @ weights / total
        G = G - row[:, None] - row + weights @ row / total  # (n, n), centred
        A: Matrix = X
        if np.trace(G) < 1e-4 * raw:  # a large mean: centre the rows first
            A = X.astype(np.float64) - weights @ X / total
            G = A @ A.T
        root = np.sqrt(weights)
        values, W = descending_eigh(root[:, None] * G * root)
        values = np.maximum(values, 0.0)
        clear = values > 1e-13 * max(values[0], np.finfo(float).tiny)
        wanted = int(clear.sum()) if not isinstance(self.n_components, int | np.integer) else int(self.n_components)
        if (
            values[clear][:wanted].min(initial=np.inf) < STEEP * values[0]
        ):  # squares know the last of these axes too badly
            self.mean_ = (weights @ X / total).astype(np.float64)
            _, s, axes = np.linalg.svd(root[:, None] * (X - self.mean_), full_matrices=False)
            values, clear = s**2, s > 1e-14 * s[0]
            axes = axes[clear]
        else:
            left = root[:, None] * W[:, clear] / np.sqrt(values[clear])
            both = np.vstack([weights[None] / total, left.T]) @ A  # the mean and the axes in one product
            self.mean_ = both[0].astype(np.float64, copy=False) if A is X else (weights @ X / total).astype(np.float64)
            axes = both[1:]
        rank = int(min(total, X.shape[1]))  # as many as the rows counted by weight can span
        spectrum = np.zeros(rank)
        kept = values[clear][:rank] / total
        spectrum[: len(kept)] = kept
        self._set(spectrum, axes[:rank], total, values.sum() / total)

    def _fit_full(self, X: Matrix, w: Vector | None) -> None:
        refuse_bad_cells(X, getattr(self, "feature_names_in_", None))
        weights = np.ones(len(X)) if w is None else w
        total = weights.sum()
        self.mean_ = (weights @ X / total).astype(np.float64)
        A = np.sqrt(weights)[:, None] * (X - self.mean_)
        _, s, V = np.linalg.svd(A, full_matrices=False)
        self._set(s**2 / total, V, total, float((s**2).sum() / total))

    def _fit_randomised(self, X: Any, w: Vector | None) -> None:
        """Find a few axes by random projections; the rows may lie elsewhere, and are multiplied there."""
        mean, total, square = self._centre(X, w)
        if w is not None or total * (mean @ mean) > 1e4 * square:  # a large mean would cost digits in the products
            X, mean = self._rows_about_mean(X, w), np.zeros(X.shape[1])
        q, rng = self._few(X), as_generator(self.random_state)
        rows = Centred(X, like(mean, X, X.dtype))
        s, V = leading_axes(rows, q, self.n_oversamples, self.iterated_power, rng, self.power_iteration_normalizer)
        self._set(s**2 / total, V, total, square / total, rank=min(X.shape))

    def _fit_arpack(self, X: Matrix, w: Vector | None) -> None:
        from scipy.sparse.linalg import svds

        _, total, square = self._centre(X, w)
        start = check_random_state(self.random_state).uniform(-1, 1, min(X.shape))
        _, s, V = svds(self._rows_about_mean(X, w), k=self._few(X), tol=self.tol, v0=start)
        self._set(s[::-1] ** 2 / total, V[::-1], total, square / total, rank=min(X.shape))

    def _few(self, X: Any) -> int:
        most = min(X.shape) - (self.svd_solver == "arpack")
        return most if self.n_components is None else int(self.n_components)

    def _centre(self, X: Any, w: Vector | None) -> tuple[Vector, float, float]:
        """Keep the mean; return it with the number of rows and the sum of squares about it."""
        if is_elsewhere(X):
            source = ElsewhereSource(X, None, w)
            sums = reduce_source(source, Summation(source.origin, "diagonal"))
            self.mean_ = sums.mean
            return self.mean_, float(sums.count), float(sums.scatter.sum())
        refuse_bad_cells(X, getattr(self, "feature_names_in_", None))
        weights = np.ones(len(X)) if w is None else w
        total = float(weights.sum())
        self.mean_ = (weights @ X / total).astype(np.float64)
        square, few = 0.0, max(1, 2**17 // X.shape[1])  # a megabyte at a time
        for i in range(0, len(X), few):
            D = X[i : i + few] - self.mean_
            square += float(weights[i : i + few] @ np.einsum("ij,ij->i", D, D))
        return self.mean_, total, square

    def _rows_about_mean(self, X: Any, w: Vector | None) -> Any:
        mean, root = like_together(X, self.mean_, np.ones(1) if w is None else np.sqrt(w))
        return X - mean if w is None else (X - mean) * root[:, None]
