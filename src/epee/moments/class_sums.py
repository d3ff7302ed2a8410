r"""One pass that needs no scatter between columns: counts, means and variances by class, at the speed of memory.

The sums :math:`\sum w(x - o)` and :math:`\sum w(x - o)^2` of a block give :math:`S = \sum w (x-o)^2 - (\sum
w(x-o))^2/n`. Where that difference would lose more than four digits, the block, which still lies in the cache, is read
once more about its means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from epee.arrays import is_elsewhere
from epee.moments.moments import Moments
from epee.moments.passes import Summation
from epee.moments.sparse import holds_zeros, sparse_moments
from epee.table.block import Block
from epee.typing import Codes, Tensor

FEW = 12  # cells for which columns from a file are summed as they lie
LOST = 1e-4  # the part of a sum of squares below which its centred remainder is summed again


@dataclass(frozen=True)
class ClassSummation(Summation):
    """A :class:`Summation` for ``scatter`` "diagonal" or None with cells, by compiled loops."""

    def __call__(self, block: Block) -> Moments:
        if is_elsewhere(block.rows):
            return super().__call__(block)
        from epee.kernels.class_sums import class_scatter, class_squares, class_sums, column_squares

        if holds_zeros(block):
            return sparse_moments(block, self, cells_of(block, self.folds, self.groups))
        zero = Moments.zero(self.origin, folds=self.folds, groups=self.groups, scatter=self.scatter, targets=0)
        X, cell, w = block.X, cells_of(block, self.folds, self.groups), weights_of(block)
        count, first = zero.count.reshape(-1), zero.shift.reshape(-1, X.shape[1])
        by_columns = X.flags.f_contiguous and X.dtype == np.float64 and len(count) <= FEW and self.scatter is not None
        X = X if by_columns else np.ascontiguousarray(X)
        if zero.scatter is None:
            class_sums(X, cell, w, self.origin, count, first)
            first /= np.where(count > 0, count, 1.0)[:, None]
            return replace(zero, labels=self.labels)
        second = zero.scatter.reshape(first.shape)
        if by_columns:
            column_squares(X.T, cell, w, self.origin, count, first, second)
        else:
            class_squares(X, cell, w, self.origin, count, first, second)
        squares = second.copy()
        first /= np.where(count > 0, count, 1.0)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            second -= count[:, None] * first**2
        if (second < LOST * squares).any():
            second[:] = 0.0
            class_scatter(np.ascontiguousarray(X), cell, w, self.origin, first, second)
            _keep_bad(second, squares)
        return replace(zero, labels=self.labels)


def _keep_bad(scatter: Tensor, squares: Tensor) -> None:
    """Let a sum that was not finite stay so: the loops skip NaN, and the caller must see it."""
    np.copyto(scatter, np.nan, where=~np.isfinite(squares))


def cells_of(block: Block, folds: int | None, groups: int | None) -> Codes:
    """Return the cell (n,) of each row: its fold, its group or both, fold first."""
    if folds is None and groups is None:
        return np.zeros(len(block), dtype=np.int64)
    if folds is None:
        return np.ascontiguousarray(block.group, dtype=np.int64)
    if groups is None or block.group is None:
        return np.ascontiguousarray(block.fold, dtype=np.int64)
    return np.asarray(block.fold, dtype=np.int64) * groups + block.group


def weights_of(block: Block) -> np.ndarray:
    """Return the weights as the compiled loops take them: empty when all are one."""
    return np.empty(0) if block.weight is None else np.ascontiguousarray(block.weight)
