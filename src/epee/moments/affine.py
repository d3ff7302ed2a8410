r"""Affine maps of rows: a scaler, the filling of missing cells, an encoding; what they do to moments, rows and predictors.

With :math:`x' = A x + b`, the moments of the rows :math:`x'` follow from those of :math:`x`,

.. math:: \bar x' = A \bar x + b, \qquad S' = A S A^\top, \tag{1}

and a linear predictor of :math:`x'` is one of :math:`x`: :math:`\beta^\top x' + c = (A^\top \beta)^\top x + (c + \beta^\top
b)`. A scaler has a diagonal :math:`A`, held as a vector; an encoding has few entries (:class:`epee.moments.entries.Entries`). Each
training sample asks for its own map, so :math:`A` and :math:`b` have a leading axis of folds.

A diagonal scatter knows no products of columns. It can still be mapped when the columns that :math:`A` adds up are never both different
from zero in a row, as a cell and the mark of its absence, or the levels of a category: then squares add,

.. math:: E[x_i'^2] = \sum_j A_{ij}^2 E[x_j^2] \quad\text{before } b. \tag{2}
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from epee.moments.entries import Entries
from epee.typing import Matrix, Tensor

if TYPE_CHECKING:
    from epee.moments.moments import Moments
    from epee.table.encoder import TableEncoder


@dataclass(frozen=True, eq=False)
class Affine:
    """The maps x -> A x + b, one for each training sample.

    Parameters
    ----------
    A : array (T, p) or (T, e, p), or Entries
        A vector scales the columns, a matrix mixes them, as do entries; without the first axis, one map for all samples.
    b : array (T, p) or (T, e)

    Examples
    --------
    >>> halve = Affine(np.array([0.5, 1.0]), np.array([0.0, 3.0]))
    >>> halve.rows(np.array([[2.0, 2.0]]))
    array([[1., 5.]])
    """

    A: Tensor | Entries
    b: Tensor

    @classmethod
    def encoding(cls, encoder: TableEncoder, m: Moments) -> Affine:
        """Return the maps that encode rows and fill them with the means of moments without groups; targets have no part in them."""
        row, column, weight, b = encoder.fill_entries(m)
        return cls(Entries(row, column, weight, m.n_columns), b).inputs(m.targets)

    @property
    def dense(self) -> Tensor:
        """A as an array."""
        return self.A.dense() if isinstance(self.A, Entries) else self.A

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
        out: Matrix = self.A.onto(X) if isinstance(self.A, Entries) else X * self.A if self.scales else X @ self.A.T
        out += self.b  # in place: fresh memory costs more than the sum
        return out

    def inputs(self, targets: int) -> Affine:
        """Return the map of the inputs alone, of one by which so many targets, the last columns, pass."""
        if not targets:
            return self
        if isinstance(self.A, Entries):
            return Affine(self.A.without(targets), self.b[..., :-targets])
        A = self.A[..., :-targets] if self.scales else self.A[..., :-targets, :-targets]
        return Affine(A, self.b[..., :-targets])

    def then(self, after: Affine) -> Affine:
        """Return the map that does this one first and then another.

        >>> first, second = Affine(np.array([2.0]), np.array([1.0])), Affine(np.array([[3.0], [1.0]]), np.array([0.0, 5.0]))
        >>> first.then(second).rows(np.array([[1.0]]))
        array([[9., 8.]])
        """
        second = after.dense
        if after.scales:
            b = self.b * second + after.b
            if isinstance(self.A, Entries):
                return Affine(self.A.scaled(second), b)
            return Affine(self.A * (second if self.scales else second[..., None]), b)
        A = second * self.dense[..., None, :] if self.scales else second @ self.dense
        return Affine(A, np.matmul(second, self.b[..., None])[..., 0] + after.b)

    def of(self, m: Moments) -> Moments:
        """Return the moments of the mapped rows; targets, the last columns, stay as they are.

        >>> from epee.moments.moments import Moments
        >>> X = np.array([[0.0, 1.0], [2.0, 5.0]])
        >>> Affine(np.array([[1.0, 1.0]]), np.array([1.0])).of(Moments.of(X)).mean
        array([5.])
        """
        A, b = self._beside_targets(m)
        grouped = "group" in m.axes and b.ndim > 1
        wide, more = (_beside_groups(A), b[:, None]) if grouped else (A, b)
        mean = np.where(m.count[..., None] > 0, _moved(wide, m.mean, self.scales) + more, 0.0)
        scatter = m.scatter
        if scatter is not None:
            by = A if m.kind == "pooled" else wide
            if m.kind == "diagonal":
                dense = by.dense() if isinstance(by, Entries) else by
                scatter = scatter * dense**2 if self.scales else _disjoint(m, dense)
            elif isinstance(by, Entries):
                scatter = by.around(scatter)
            elif self.scales:
                scatter = scatter * by[..., :, None]
                scatter *= by[..., None, :]
            else:
                scatter = by @ scatter @ by.swapaxes(-1, -2)
        return replace(m, shift=mean, scatter=scatter, origin=np.zeros(mean.shape[-1]))

    def of_each(self, m: Moments) -> Moments:
        """Return the moments of the mapped columns, each by itself, of moments without groups: enough for whoever scales.

        >>> from epee.moments.moments import Moments
        >>> X = np.array([[0.0, 1.0], [2.0, 5.0]])
        >>> Affine(np.array([2.0, 1.0]), np.zeros(2)).of_each(Moments.of(X)).variances
        array([4., 4.])
        """
        if m.scatter is None or m.kind == "diagonal":
            return self.of(m)
        A, b = self._beside_targets(m)
        mean = np.where(m.count[..., None] > 0, _moved(A, m.mean, self.scales) + b, 0.0)
        if isinstance(A, Entries):
            squares = A.around_each(m.scatter)
        elif self.scales:
            squares = np.diagonal(m.scatter, axis1=-2, axis2=-1) * A**2
        else:
            squares = ((A @ m.scatter) * A).sum(axis=-1)
        return replace(m, shift=mean, scatter=squares, kind="diagonal", origin=np.zeros(mean.shape[-1]))

    def through(self, coef: Tensor, intercept: Tensor) -> tuple[Tensor, Tensor]:
        """Return linear predictors (T, ..., k, e) and (T, ..., k) of mapped rows as predictors of the rows before."""
        middle = [1] * (coef.ndim - 3)
        b = self.b.reshape(len(self.b), *middle, 1, self.b.shape[-1])
        moved = intercept + (coef * b).sum(axis=-1)
        if isinstance(self.A, Entries):
            return self.A.before(coef), moved
        if self.scales:
            return coef * self.A.reshape(len(self.A), *middle, 1, self.A.shape[-1]), moved
        return np.matmul(coef, self.A.reshape(len(self.A), *middle, *self.A.shape[1:])), moved

    def _beside_targets(self, m: Moments) -> tuple[Tensor | Entries, Tensor]:
        """Return A and b for all columns of the moments: where they know only the inputs, targets pass."""
        k = m.n_columns - self.A.shape[-1]
        if not k:
            return self.A, self.b
        lead = self.b.shape[:-1]
        b = np.concatenate([self.b, np.zeros((*lead, k))], axis=-1)
        if isinstance(self.A, Entries):
            return self.A.beside(k), b
        if self.scales:
            return np.concatenate([self.A, np.ones((*lead, k))], axis=-1), b
        e, q = self.A.shape[-2:]
        A = np.zeros((*lead, e + k, q + k))
        A[..., :e, :q], A[..., e:, q:] = self.A, np.eye(k)
        return A, b


def _beside_groups(A: Tensor | Entries) -> Tensor | Entries:
    """Return the maps of samples with an axis for the groups of each."""
    return replace(A, weight=A.weight[:, None]) if isinstance(A, Entries) else A[:, None]


def _moved(A: Tensor | Entries, v: Tensor, scales: bool) -> Tensor:
    """Return A v for vectors (..., p)."""
    if isinstance(A, Entries):
        return A.onto(v)
    return v * A if scales else np.matmul(A, v[..., None])[..., 0]


def _disjoint(m: Moments, A: Tensor) -> Tensor:
    """Return a diagonal scatter mapped by (2)."""
    assert m.scatter is not None
    n = m.count[..., None]
    squares = np.matmul(A**2, (m.scatter + n * m.mean**2)[..., None])[..., 0]
    return np.maximum(squares - n * np.matmul(A, m.mean[..., None])[..., 0] ** 2, 0.0)
