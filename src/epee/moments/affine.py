r"""Affine maps of rows: a scaler, the filling of missing cells, an encoding; what they do to moments, rows and predictors.

With :math:`x' = A x + b`, the moments of the rows :math:`x'` follow from those of :math:`x`,

.. math:: \bar x' = A \bar x + b, \qquad S' = A S A^\top, \tag{1}

and a linear predictor of :math:`x'` is one of :math:`x`: :math:`\beta^\top x' + c = (A^\top \beta)^\top x + (c + \beta^\top
b)`. A scaler has a diagonal :math:`A`, held as a vector. Each training sample asks for its own map, so :math:`A` and :math:`b`
have a leading axis of folds.

A diagonal scatter knows no products of columns. It can still be mapped when the columns that :math:`A` adds up are never both different
from zero in a row, as a cell and the mark of its absence, or the levels of a category: then squares add,

.. math:: E[x_i'^2] = \sum_j A_{ij}^2 E[x_j^2] \quad\text{before } b. \tag{2}
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from epee.typing import Matrix, Tensor

if TYPE_CHECKING:
    from epee.moments.moments import Moments


@dataclass(frozen=True, eq=False)
class Affine:
    """The maps x -> A x + b, one for each training sample.

    Parameters
    ----------
    A : array (T, p) or (T, e, p)
        A vector scales the columns, a matrix mixes them; without the first axis, one map for all samples.
    b : array (T, p) or (T, e)

    Examples
    --------
    >>> halve = Affine(np.array([0.5, 1.0]), np.array([0.0, 3.0]))
    >>> halve.rows(np.array([[2.0, 2.0]]))
    array([[1., 5.]])
    """

    A: Tensor
    b: Tensor

    @property
    def scales(self) -> bool:
        """Tell whether columns are only scaled and moved."""
        return self.A.ndim == self.b.ndim

    def __len__(self) -> int:
        return len(self.b)

    def at(self, t: int) -> Affine:
        """Return the map of one training sample."""
        return Affine(self.A[t], self.b[t])

    def rows(self, X: Matrix) -> Matrix:
        """Return the mapped rows, of one map."""
        return X * self.A + self.b if self.scales else X @ self.A.T + self.b

    def inputs(self, targets: int) -> Affine:
        """Return the map of the inputs alone, of one by which so many targets, the last columns, pass."""
        if not targets:
            return self
        A = self.A[..., :-targets] if self.scales else self.A[..., :-targets, :-targets]
        return Affine(A, self.b[..., :-targets])

    def then(self, after: Affine) -> Affine:
        """Return the map that does this one first and then another.

        >>> first, second = Affine(np.array([2.0]), np.array([1.0])), Affine(np.array([[3.0], [1.0]]), np.array([0.0, 5.0]))
        >>> first.then(second).rows(np.array([[1.0]]))
        array([[9., 8.]])
        """
        if after.scales:
            return Affine(self.A * (after.A if self.scales else after.A[..., None]), self.b * after.A + after.b)
        A = after.A * self.A[..., None, :] if self.scales else after.A @ self.A
        return Affine(A, np.matmul(after.A, self.b[..., None])[..., 0] + after.b)

    def of(self, m: Moments) -> Moments:
        """Return the moments of the mapped rows; targets, the last columns, stay as they are.

        >>> from epee.moments.moments import Moments
        >>> X = np.array([[0.0, 1.0], [2.0, 5.0]])
        >>> Affine(np.array([[1.0, 1.0]]), np.array([1.0])).of(Moments.of(X)).mean
        array([5.])
        """
        A, b = self._beside_targets(m)
        grouped = "group" in m.axes and b.ndim > 1
        wide, more = (A[:, None], b[:, None]) if grouped else (A, b)
        mean = (m.mean * wide if self.scales else np.matmul(wide, m.mean[..., None])[..., 0]) + more
        mean = np.where(m.count[..., None] > 0, mean, 0.0)
        scatter = m.scatter
        if scatter is not None:
            by = A if m.kind == "pooled" else wide
            if m.kind == "diagonal":
                scatter = scatter * by**2 if self.scales else _disjoint(m, by)
            else:
                scatter = (
                    scatter * (by[..., :, None] * by[..., None, :])
                    if self.scales
                    else by @ scatter @ by.swapaxes(-1, -2)
                )
        return replace(m, shift=mean, scatter=scatter, origin=np.zeros(mean.shape[-1]))

    def through(self, coef: Tensor, intercept: Tensor) -> tuple[Tensor, Tensor]:
        """Return linear predictors (T, ..., k, e) and (T, ..., k) of mapped rows as predictors of the rows before."""
        middle = [1] * (coef.ndim - 3)
        b = self.b.reshape(len(self.b), *middle, 1, self.b.shape[-1])
        moved = intercept + (coef * b).sum(axis=-1)
        if self.scales:
            return coef * self.A.reshape(len(self.A), *middle, 1, self.A.shape[-1]), moved
        return np.matmul(coef, self.A.reshape(len(self.A), *middle, *self.A.shape[1:])), moved

    def _beside_targets(self, m: Moments) -> tuple[Tensor, Tensor]:
        """Return A and b for all columns of the moments: where they know only the inputs, targets pass."""
        k = m.n_columns - self.A.shape[-1]
        if not k:
            return self.A, self.b
        lead = self.b.shape[:-1]
        b = np.concatenate([self.b, np.zeros((*lead, k))], axis=-1)
        if self.scales:
            return np.concatenate([self.A, np.ones((*lead, k))], axis=-1), b
        e, q = self.A.shape[-2:]
        A = np.zeros((*lead, e + k, q + k))
        A[..., :e, :q], A[..., e:, q:] = self.A, np.eye(k)
        return A, b


def _disjoint(m: Moments, A: Tensor) -> Tensor:
    """Return a diagonal scatter mapped by (2)."""
    assert m.scatter is not None
    n = m.count[..., None]
    squares = np.matmul(A**2, (m.scatter + n * m.mean**2)[..., None])[..., 0]
    return np.maximum(squares - n * np.matmul(A, m.mean[..., None])[..., 0] ** 2, 0.0)
