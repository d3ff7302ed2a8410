r"""Matrices that add up a few columns each: an encoding picks levels and fills cells, and nearly all its entries are zero.

Every training sample has its own matrix, and all have their entries in the same places. With one entry in nearly every row, what is a
product of matrices otherwise, :math:`O(p^3)`, is a look at :math:`p^2` numbers,

.. math:: (A S A^\top)_{ij} = \sum_{a \in i} \sum_{b \in j} w_a w_b S_{c_a c_b}, \tag{1}

where :math:`a` runs through the entries of row :math:`i`, :math:`w` are their weights and :math:`c` their columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from epee.engines.local import in_order
from epee.typing import Codes, Matrix, Tensor

WORTH_THREADS = 1_000_000  # numbers of a stack


@dataclass(frozen=True, eq=False)
class Entries:
    """Matrices (..., e, p) with entries in the same places.

    Parameters
    ----------
    row, column : arrays (entries,)
        Where they lie; ``row`` ascends, and each row has one at least.
    weight : array (..., entries)
    columns : int
        p, the number of columns.

    Examples
    --------
    >>> pick = Entries(np.array([0, 1, 1]), np.array([2, 0, 1]), np.array([1.0, 1.0, 0.5]), 3)
    >>> pick.dense()
    array([[0. , 0. , 1. ],
           [1. , 0.5, 0. ]])
    >>> pick.onto(np.array([[1.0, 2.0, 3.0]]))
    array([[3., 2.]])
    """

    row: Codes
    column: Codes
    weight: Tensor
    columns: int

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the matrices."""
        return (*self.weight.shape[:-1], int(self.row[-1]) + 1 if len(self.row) else 0, self.columns)

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return self.weight.ndim + 1

    @property
    def _starts(self) -> Codes:
        return np.searchsorted(self.row, np.arange(self.shape[-2] + 1)).astype(np.int64)

    def __getitem__(self, sample: int) -> Entries:
        return replace(self, weight=self.weight[sample])

    def dense(self) -> Tensor:
        """Return the matrices with their zeros."""
        A = np.zeros(self.shape)
        A[..., self.row, self.column] = self.weight
        return A

    def scaled(self, by: Tensor) -> Entries:
        """Return the matrices with each row multiplied by its number, of ``by`` (..., e)."""
        return replace(self, weight=self.weight * by[..., self.row])

    def beside(self, passing: int) -> Entries:
        """Return the matrices for some more columns behind, which pass as they are."""
        e, last = self.shape[-2], np.arange(passing)
        weight = np.concatenate([self.weight, np.ones((*self.weight.shape[:-1], passing))], axis=-1)
        return Entries(
            np.append(self.row, e + last), np.append(self.column, self.columns + last), weight, self.columns + passing
        )

    def without(self, passing: int) -> Entries:
        """Return the matrices without their last rows and columns, which pass."""
        stays = self.row < self.shape[-2] - passing
        return Entries(self.row[stays], self.column[stays], self.weight[..., stays], self.columns - passing)

    def onto(self, v: Tensor) -> Tensor:
        """Return A v for vectors (..., p)."""
        each = v[..., self.column] * self.weight
        return each if len(self.row) == self.shape[-2] else np.add.reduceat(each, self._starts[:-1], axis=-1)

    def before(self, coef: Tensor) -> Tensor:
        """Return the rows coef A (T, ..., p) of coefficients (T, ..., e)."""
        middle = [1] * (coef.ndim - 2)
        each = coef[..., self.row] * self.weight.reshape(len(self.weight), *middle, -1)
        out, left = np.zeros((*coef.shape[:-1], self.columns)), np.arange(len(self.column))
        while len(left):  # a column that several rows take is met again
            places, first = np.unique(self.column[left], return_index=True)
            out[..., places] += each[..., left[first]]
            left = np.delete(left, first)
        return out

    def around(self, S: Tensor) -> Tensor:
        """Return A S A' (..., e, e) of symmetric S (..., p, p), equation (1)."""
        from epee.kernels.congruence import congruence

        p, e, starts = self.columns, self.shape[-2], self._starts
        stack = np.ascontiguousarray(S).reshape(-1, p, p)
        weight = np.broadcast_to(self.weight, (*S.shape[:-2], len(self.row))).reshape(len(stack), -1)
        weight, column = np.ascontiguousarray(weight), self.column.astype(np.int64)
        half = max(1, -(-len(stack) // 2)) if stack.size > WORTH_THREADS else max(1, len(stack))

        def mapped(at: int) -> Tensor:
            out = np.empty((len(stack[at : at + half]), e, e))
            congruence(stack[at : at + half], starts, column, weight[at : at + half], out)
            return out

        parts = list(in_order(mapped, range(0, len(stack), half)))
        out = parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, e, e)), *parts])
        return out.reshape(*S.shape[:-2], e, e)

    def around_each(self, S: Tensor) -> Matrix:
        """Return the diagonal (..., e) of A S A' alone."""
        out = np.empty((*S.shape[:-2], self.shape[-2]))
        starts, w = self._starts, np.broadcast_to(self.weight, (*S.shape[:-2], len(self.row)))
        single = np.diff(starts) == 1
        a = starts[:-1][single]
        out[..., single] = w[..., a] ** 2 * S[..., self.column[a], self.column[a]]
        for i in np.flatnonzero(~single):
            a = np.arange(starts[i], starts[i + 1])
            c, own = self.column[a], w[..., a]
            out[..., i] = (own * np.matmul(S[..., c[:, None], c], own[..., None])[..., 0]).sum(axis=-1)
        return out
