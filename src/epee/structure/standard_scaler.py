r"""Centring and reduction: columns of mean 0 and variance 1.

.. math:: z_{ij} = \frac{x_{ij} - \bar x_j}{\sigma_j}, \qquad \sigma_j^2 = \frac1n \sum_i (x_{ij} - \bar x_j)^2.

The covariance of the standardised table is the correlation matrix of the raw one.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, WrongUse
from epee.estimator.base import SameColumns, refuse_vector
from epee.estimator.callbacks import Callbacks
from epee.estimator.keep import Keep
from epee.estimator.moment import MomentTransformer
from epee.moments.columns import ColumnMoments, ColumnSummation
from epee.moments.moments import Moments
from epee.table.block import Source, refuse_bad_cells
from epee.table.partitions import by_partition
from epee.table.sparse import SparseSource, is_sparse
from epee.typing import Matrix, Vector


def column_sums(model: Any, source: Source, folds: int | None, origin: Vector | None) -> ColumnSummation:
    """Return the sums of each column over the cells that are there."""
    if folds is not None:
        raise WrongUse("StandardScaler has no sums by fold: its map in a fold is `affine` of that fold's moments.")
    return ColumnSummation(np.nan_to_num(source.origin) if origin is None else origin)


def sparse_sums(source: SparseSource) -> ColumnMoments:
    """Return the sums of a sparse matrix column by column, zeros included, at the cost of the cells that are not."""
    X = sparse.csc_matrix(source.X)
    rows = np.ones(X.shape[0]) if source.weight is None else source.weight
    columns = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    missing = np.isnan(X.data)
    values, weight = np.where(missing, 0.0, X.data).astype(np.float64), rows[X.indices] * ~missing

    def total(cells: Vector) -> Vector:
        return np.bincount(columns, weights=cells, minlength=X.shape[1]).astype(np.float64)

    count = rows.sum() - total(rows[X.indices] * missing)
    mean = total(weight * values) / np.maximum(count, 1e-300)
    zeros = np.maximum(count - total(weight), 0.0)  # cells that are not stored lie at -mean from the mean
    same = np.diff(X.indptr) == X.shape[0]
    zeros[same] = 0.0  # where all are stored, sums in two orders leave a rest
    scatter = total(weight * (values - mean[columns]) ** 2) + zeros * mean**2
    if same.any() and X.shape[0]:  # a column of one value has that mean and no scatter, whatever the rounding
        first = np.where(same, X.indptr[:-1], 0)
        same &= total(~missing & (values == values[first][columns])) == X.shape[0]
        mean, scatter = np.where(same, values[first], mean), np.where(same, 0.0, scatter)
    return ColumnMoments(count, mean, scatter, np.zeros(X.shape[1]))


class StandardScaler(Callbacks, SameColumns, MomentTransformer):
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

    keeps = Keep(scatter="diagonal", by=column_sums)
    moments_: Any  # sums of columns, each with its own count
    mean_: Any
    scale_: Any
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
        """Learn from the rows of ``X`` (n, p); ``y`` is ignored."""
        with self._told(X, y, sample_weight):
            return super().fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; the order and the cut of the rows do not matter."""
        if not hasattr(self, "moments_"):
            return self.fit(X, y, sample_weight)
        with self._told(X, y, sample_weight):
            return super().partial_fit(X, y, sample_weight)

    def _view(self, source: Source, reset: bool) -> Source:
        if isinstance(source, SparseSource) and self.with_mean:
            raise ValueError("Cannot center sparse matrices: pass `with_mean=False` instead.")
        return source

    def _reduce(self, source: Source, keep: Any) -> Any:
        return sparse_sums(source) if isinstance(source, SparseSource) else super()._reduce(source, keep)

    def _look(self, m: Any) -> None:
        """A constant column is divided by 1."""

    def _take(self, m: Any) -> None:
        """Take moments of columns, or of rows with classes and targets, which are left aside."""
        if isinstance(m, Moments):
            rows, p = m.merge("group") if "group" in m.axes else m, m.p
            n = np.full(p, float(rows.count))
            m = ColumnMoments(n, rows.shift[:p], rows.variances[:p] * n, rows.origin[:p])
        super()._take(m)

    def _solve(self, m: Any) -> None:
        count = np.broadcast_to(m.count, m.mean.shape)
        seen = count if (count != count[0]).any() else count[0]
        whole = np.asarray(seen).round().astype(np.int64)
        self.n_samples_seen_ = (whole if whole.ndim else int(whole)) if np.allclose(whole, seen) else seen
        self.mean_ = m.mean if self.with_mean or self.with_std else None
        self.var_ = m.variances if self.with_std else None
        self.scale_ = scales(m.variances, m.mean, m.count) if self.with_std else None

    def affine(self, m: Moments) -> tuple[Vector, Vector]:
        """Return the map ``x -> A x + b`` that the training rows behind ``m`` ask for."""
        variances, mean = m.variances[..., : m.p], m.x_mean
        A = 1.0 / scales(variances, mean, m.count[..., None]) if self.with_std else np.ones_like(mean)
        return A, -mean * A if self.with_mean else np.zeros_like(mean)

    @by_partition
    def transform(self, X: Any, copy: bool | None = None) -> Matrix:
        """Return the standardised rows."""
        check_is_fitted(self)
        half = getattr(X, "dtype", None) == np.float16  # reckoned in float64, answered in kind
        X = self._enter(X, reset=False)
        if is_sparse(X):
            if self.with_mean:
                raise ValueError("Cannot center sparse matrices: pass `with_mean=False` instead.")
            return X if self.scale_ is None else X.multiply(1.0 / self.scale_).tocsr().astype(X.dtype)
        copy = self.copy if copy is None else copy
        X = X.copy() if copy or not X.flags.writeable else X
        if self.with_mean:
            X -= self.mean_.astype(X.dtype)
        if self.with_std:
            X /= self.scale_.astype(X.dtype)
        return X.astype(np.float16) if half else X

    def inverse_transform(self, X: Any, copy: bool | None = None) -> Matrix:
        """Return the rows in their own units again."""
        check_is_fitted(self)
        if is_sparse(X):
            if self.with_mean:
                raise DataError("Cannot uncenter sparse matrices: pass `with_mean=False` instead, or X.toarray().")
            return X if self.scale_ is None else X.multiply(self.scale_).tocsr()
        refuse_vector(X)
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
    return np.where(variances <= noise, 1.0, np.sqrt(np.maximum(variances, 0.0)))  # a constant column may round below 0
