r"""Moments of sparse rows, from the cells that are not 0.

With the origin at 0 the sums of squares and products of a block are :math:`Q = X^\top W X`, whose cost is that of the non-zeros, and
centring is a change of rank one:

.. math:: S = Q - n\, \bar x \bar x^\top. \tag{1}

The difference would lose digits where :math:`n \bar x_j^2` is nearly :math:`Q_{jj}`. By the inequality of Cauchy and Schwarz
:math:`n \bar x_j^2 \le f_j\, Q_{jj}` for a column of which the share :math:`f_j` is not 0: a column that loses a digit is at least
nine tenths full, and holding it whole costs no more than it did. So such columns, as the targets, are laid out and centred first, and for
a centred column :math:`d` (1) is :math:`d^\top W X` without a subtraction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.engines.local import in_order
from epee.moments.moments import Moments
from epee.table.block import Block
from epee.table.sparse import AT_ONCE, is_sparse, rows_between
from epee.typing import Codes, Matrix, Tensor, Vector

if TYPE_CHECKING:
    from epee.moments.passes import Summation

KEPT = 0.1  # the part of a sum of squares that must be left once it is centred: one digit may go
FILLED = 0.05  # the share of cells from which on products of all of them by BLAS are faster
MANY = 100_000  # cells that are held, from which on it is worth loading compiled code


def holds_zeros(block: Block) -> bool:
    """Tell whether a block is sparse enough for sums over its non-zeros."""
    if block.unlaid:
        return False
    rows = block.rows
    return is_sparse(rows) and rows.nnz < FILLED * rows.shape[0] * rows.shape[1]


def sparse_moments(block: Block, keep: Summation, cell: Codes | None) -> Moments:
    """Return the moments of a sparse block, by cell (fold first, then group) where there are some."""
    zero = Moments.zero(keep.origin, folds=keep.folds, groups=keep.groups, scatter=keep.scatter, targets=keep.targets)
    with np.errstate(over="ignore", invalid="ignore"):
        if cell is None:
            _fill(zero, 0, block, keep, slice(None))
        elif keep.scatter in ("full", "pooled") or keep.targets:
            for k in np.unique(cell):
                _fill(zero, int(k), block, keep, np.flatnonzero(cell == k))
        else:
            _by_cell(zero, block, keep, cell)
    return replace(zero, labels=keep.labels)


def _fill(zero: Moments, k: int, block: Block, keep: Summation, rows: Any) -> None:
    """Add the sums of some rows to cell ``k``."""
    X = block.rows[rows] if not isinstance(rows, slice) else block.rows
    w = None if block.weight is None else block.weight[rows]
    y = (
        None
        if block.y is None or not keep.targets
        else np.asarray(block.y, dtype=np.float64)[rows].reshape(X.shape[0], -1)
    )
    count, mean, S = centred_products(X, y, w, keep.scatter)
    q = len(keep.origin)
    zero.count.reshape(-1)[k] = count
    zero.shift.reshape(-1, q)[k] = mean - keep.origin if count > 0 else 0.0
    if zero.scatter is None or S is None:
        return
    if keep.scatter == "pooled" and keep.groups is not None:
        k //= keep.groups  # one scatter a fold, whatever the groups
    zero.scatter.reshape((-1, q) if keep.scatter == "diagonal" else (-1, q, q))[k] += S


def centred_products(
    X: Any, y: Matrix | None, w: Vector | None, scatter: str | None
) -> tuple[float, Vector, Tensor | None]:
    """Return the weight, the mean (q,) and the scatter of sparse rows with dense targets ``y`` (n, m) as last columns."""
    n, p = X.shape
    weights = np.ones(n) if w is None else w
    count = float(weights.sum())
    y = np.empty((n, 0)) if y is None else y
    x_mean, y_mean = (X.T @ weights) / (count or 1.0), (weights @ y) / (count or 1.0)
    mean = np.append(x_mean, y_mean)
    if scatter is None:
        return count, mean, None
    squares = X.multiply(X).T @ weights  # (p,)
    left = squares - count * x_mean**2
    full = np.flatnonzero(left < KEPT * squares)
    D = X[:, full].toarray() - x_mean[full] if len(full) else np.empty((n, 0))
    D = np.concatenate([D, y - y_mean], axis=1)  # (n, c), centred
    D -= (weights @ D) / (count or 1.0)  # of what rounding left
    DW = D * weights[:, None]
    at = np.append(full, p + np.arange(y.shape[1]))
    if scatter == "diagonal":
        S = np.append(left, np.zeros(y.shape[1]))
        S[at] = np.einsum("ij,ij->j", DW, D)
        return count, mean, S
    S = np.zeros((len(mean), len(mean)))
    S[:p, :p] = _gram(X, w) - np.outer(count * x_mean, x_mean)
    if len(at):
        across = np.asarray(X.T @ DW) - np.outer(x_mean, DW.sum(axis=0))  # (p, c)
        S[:p, at], S[at, :p] = across, across.T
        S[np.ix_(at, at)] = DW.T @ D
    return count, mean, S


def _gram(X: Any, w: Vector | None) -> Matrix:
    """Return X'WX (p, p)."""
    if w is not None:
        X = X.multiply(np.sqrt(w)[:, None]).tocsr()
    X = X.astype(np.float64, copy=False)
    Q: Matrix = (X.T @ X).toarray()
    return Q


def cell_sums(X: Any, cell: Codes, cells: int, w: Vector | None) -> Matrix:
    """Return the sums (cells, p) of the rows of each cell.

    >>> from scipy import sparse
    >>> cell_sums(sparse.csr_array([[1.0, 0.0], [2.0, 0.0], [0.0, 5.0]]), np.array([0, 0, 1]), 2, None)
    array([[3., 0.],
           [0., 5.]])
    """
    sums: Matrix = np.zeros((cells, X.shape[1]))
    add_cells(X, cell, w, sums)
    return sums


def add_cells(X: Any, cell: Codes, w: Vector | None, sums: Matrix) -> None:
    """Add each row, times its weight, to the row of ``sums`` (cells, p) that is its cell."""
    from scipy.sparse import csr_array

    n = len(cell)
    if X.nnz > MANY:
        from epee.kernels.sparse_sums import cell_totals

        cell_totals(
            X.data, X.indices, X.indptr, np.asarray(cell, dtype=np.int64), np.empty(0) if w is None else w, sums
        )
    else:
        weights = np.ones(n) if w is None else w
        members = csr_array((weights, (cell, np.arange(n))), shape=(len(sums), n))
        sums += (members @ X).toarray()


def rows_times(X: Any, W: Matrix) -> Matrix:
    """Return X W (n, K), in threads where the rows have many cells.

    >>> from scipy import sparse
    >>> rows_times(sparse.csr_array([[1.0, 0.0], [2.0, 5.0]]), np.array([[1.0, 3.0], [2.0, 0.0]]))
    array([[ 1.,  3.],
           [12.,  6.]])
    """
    if X.nnz < AT_ONCE or X.format != "csr":
        return np.asarray(X @ W)
    from epee.kernels.sparse_sums import row_scores

    W, out = np.ascontiguousarray(W, dtype=np.float64), np.empty((X.shape[0], W.shape[1]))
    step = -(-X.shape[0] // max(2, X.nnz // AT_ONCE))

    def work(i: int) -> None:
        rows = rows_between(X, i, i + step)
        row_scores(rows.data, rows.indices, rows.indptr, W, out[i : i + step])

    for _ in in_order(work, range(0, X.shape[0], step)):
        pass
    return out


def _by_cell(zero: Moments, block: Block, keep: Summation, cell: Codes) -> None:
    """Fill in means, and variances if asked, of every cell by one product with the indicators of the cells."""
    X, w, p = block.rows, block.weight, block.rows.shape[1]
    count = zero.count.reshape(-1)
    count[:] = np.bincount(cell, w, len(count))
    means = zero.shift.reshape(-1, p)  # summed in place: (cells, p) may be larger than the rows
    add_cells(X, cell, w, means)
    means /= np.where(count > 0, count, 1.0)[:, None]
    if keep.origin.any():
        means = means.copy()
        zero.shift.reshape(-1, p)[:] = np.where(count[:, None] > 0, means - keep.origin, 0.0)
    if zero.scatter is None:
        return
    squares = cell_sums(X.multiply(X).tocsr(), cell, len(count), w)
    left = squares - count[:, None] * means**2
    full = np.flatnonzero((left < KEPT * squares).any(axis=0))
    if len(full):  # in one of the cells at least
        D = X[:, full].toarray() - means[cell][:, full]
        D *= D if w is None else D * w[:, None]
        order = np.argsort(cell, kind="stable")
        there = np.flatnonzero(np.bincount(cell, minlength=len(count)))
        starts = np.searchsorted(cell[order], there)
        left[np.ix_(there, full)] = np.add.reduceat(D[order], starts, axis=0)
    zero.scatter.reshape(-1, p)[:] = left
