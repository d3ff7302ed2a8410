r"""Centring and reduction: columns of mean 0 and variance 1.

.. math:: z_{ij} = \frac{x_{ij} - \bar x_j}{\sigma_j}, \qquad \sigma_j^2 = \frac1n \sum_i (x_{ij} - \bar x_j)^2.

The covariance of the standardised table is the correlation matrix of the raw one.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from epee.engines.choice import engine_for
from epee.estimator.base import SameColumns
from epee.estimator.moment import Keep, MomentTransformer
from epee.moments.columns import ColumnMoments, ColumnSummation
from epee.moments.moments import Moments
from epee.table.block import check_weights, refuse_bad_cells
from epee.typing import Matrix, Vector


class StandardScaler(SameColumns, MomentTransformer):
    r"""Columns of mean 0 and variance 1: :math:`z_{ij} = (x_{ij} - \bar x_j) / \sigma_j`.

    Parameters
    ----------
    copy : bool, default=True
        False lets ``transform`` write into the array it is given, when that holds floats.
    with_mean : bool, default=True
        Subtract the mean; a sparse matrix keeps its zeros only without.
    with_std : bool, default=True
        Divide by the standard deviation; a constant column is divided by 1.

    Attributes
    ----------
    mean_, var_, scale_ : arrays (p,)
        Means, variances (with 1/n) and the divisors; None where not used.
    n_samples_seen_ : int or array (p,)
        Rows behind the sums; one number a column when cells are missing.

    Notes
    -----
    One pass of 2p sums. Missing cells (NaN) are left out of the sums and stay missing. In a cross-validation the scaler
    is re-estimated for each fold from that fold's own training moments, without another pass.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 3.4.

    Examples
    --------
    >>> StandardScaler().fit_transform([[1.0], [3.0]])
    array([[-1.],
           [ 1.]])
    """

    keeps = Keep(scatter="diagonal")
    moments_: Any  # sums of columns, each with its own count
    mean_: Any
    scale_: Any
    _sparse_seen: bool
    _takes_missing = True
    _takes_sparse = True

    def __init__(self, *, copy: bool = True, with_mean: bool = True, with_std: bool = True) -> None:
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.with_mean
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the means and variances of the columns of ``X`` (n, p); ``y`` is ignored."""
        for name in ("moments_", "mean_", "var_", "scale_"):
            self.__dict__.pop(name, None)
        return self.partial_fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add the rows of ``X`` to the sums."""
        first = not hasattr(self, "moments_")
        if hasattr(X, "tocsr") or (not first and self._sparse_seen):
            return self._fit_sparse(X, sample_weight, first)
        source = self.rows_in(X, None, sample_weight, reset=first)
        with np.errstate(over="ignore", invalid="ignore"):
            origin = np.nan_to_num(source.origin) if first else self.moments_.origin
            keep = ColumnSummation(origin)
            m = engine_for(source).reduce(source, keep, rows=keep.rows())
        if not (np.isfinite(m.variances).all() and np.isfinite(m.mean).all()):
            for block in source.blocks():
                refuse_bad_cells(np.where(np.isnan(block.X), 0.0, block.X), source.names, block.start)
        self._sparse_seen = False
        return self.fit_moments(m if first else self.moments_ + m)

    def _fit_sparse(self, X: Any, sample_weight: Any, first: bool) -> Self:
        """Take the sums of a sparse matrix column by column, zeros included."""
        if self.with_mean:
            raise ValueError("Cannot center sparse matrices: pass `with_mean=False` instead.")
        X = sparse.csc_matrix(self._enter(X, reset=first))
        w = check_weights(sample_weight, X.shape[0])
        rows = np.ones(X.shape[0]) if w is None else w
        there, squares = X.copy(), X.copy()
        squares.data = squares.data.astype(np.float64) ** 2
        missing = np.isnan(there.data)
        there.data, squares.data = np.where(missing, 0.0, there.data), np.where(missing, 0.0, squares.data)
        gone = X.copy()
        gone.data = missing.astype(float)
        count = rows.sum() - np.asarray(gone.T @ rows).ravel()
        mean = np.asarray(there.T @ rows).ravel() / np.maximum(count, 1e-300)
        scatter = np.maximum(np.asarray(squares.T @ rows).ravel() - count * mean**2, 0.0)
        m = ColumnMoments(count, mean, scatter, np.zeros(X.shape[1]))
        self._sparse_seen = True
        return self.fit_moments(m if first else self.moments_ + m)

    def fit_moments(self, m: Any) -> Self:
        """Take the means and variances from moments of columns, or of rows with classes and targets, which are left aside."""
        if isinstance(m, Moments):
            rows, p = m.merge("group") if "group" in m.axes else m, m.p
            n = np.full(p, float(rows.count))
            m = ColumnMoments(n, rows.shift[:p], rows.variances[:p] * n, rows.origin[:p])
        self.moments_ = m
        self.n_features_in_ = len(m.mean)
        count = np.broadcast_to(m.count, m.mean.shape)
        seen = count if (count != count[0]).any() else count[0]
        whole = np.asarray(seen).round().astype(np.int64)
        self.n_samples_seen_ = (whole if whole.ndim else int(whole)) if np.allclose(whole, seen) else seen
        self._solve(m)
        return self

    def _solve(self, m: Any) -> None:
        self.mean_ = m.mean if self.with_mean or self.with_std else None
        self.var_ = m.variances if self.with_std else None
        self.scale_ = scales(m.variances, m.mean, m.count) if self.with_std else None

    def affine(self, m: Moments) -> tuple[Vector, Vector]:
        """Return the map ``x -> A x + b`` that the training rows behind ``m`` ask for."""
        variances, mean = m.variances[..., : m.p], m.x_mean
        A = 1.0 / scales(variances, mean, m.count[..., None]) if self.with_std else np.ones_like(mean)
        return A, -mean * A if self.with_mean else np.zeros_like(mean)

    def transform(self, X: Any, copy: bool | None = None) -> Matrix:
        """Return the standardised rows."""
        check_is_fitted(self)
        X = self._enter(X, reset=False)
        if hasattr(X, "tocsr"):
            if self.with_mean:
                raise ValueError("Cannot center sparse matrices: pass `with_mean=False` instead.")
            return X if self.scale_ is None else X.multiply(1.0 / self.scale_).tocsr().astype(X.dtype)
        copy = self.copy if copy is None else copy
        X = X.copy() if copy or not X.flags.writeable else X
        if self.with_mean:
            X -= self.mean_.astype(X.dtype)
        if self.with_std:
            X /= self.scale_.astype(X.dtype)
        return X

    def inverse_transform(self, X: Any, copy: bool | None = None) -> Matrix:
        """Return the rows in their own units again."""
        check_is_fitted(self)
        if hasattr(X, "tocsr"):
            return X if self.scale_ is None else X.multiply(self.scale_).tocsr()
        X = np.array(X, dtype=np.result_type(np.asarray(X).dtype, np.float32), copy=True)
        refuse_bad_cells(np.where(np.isnan(X), 0.0, X))
        if self.with_std:
            X *= self.scale_.astype(X.dtype)
        if self.with_mean:
            X += self.mean_.astype(X.dtype)
        return X


def scales(variances: np.ndarray, mean: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return the divisors: the standard deviations, and 1 for a column that rounding alone makes vary.

    >>> scales(np.array([4.0, 1e-33]), np.array([1.0, 1.0]), np.array([10.0]))
    array([2., 1.])
    """
    eps = np.finfo(float).eps
    noise = count * eps * variances + (count * mean * eps) ** 2
    return np.where(variances <= noise, 1.0, np.sqrt(variances))
