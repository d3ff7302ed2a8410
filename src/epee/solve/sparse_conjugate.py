r"""Ridge regression on sparse rows by conjugate gradients: products with the cells that are held, on the side that is quicker.

With the centred rows :math:`Z = W^{1/2}(X - 1\bar x^\top)` the solution of :math:`(Z^\top Z + \alpha I)\beta = Z^\top t` is also
:math:`\beta = Z^\top a` with :math:`(Z Z^\top + \alpha I) a = t`. The products

.. math:: Z^\top Z v = X^\top W (X v - c 1) - \bar x\, 1^\top W (X v - c 1), \quad c = \bar x^\top v, \qquad
          Z Z^\top u = W^{1/2} \bigl( X (X^\top q - c \bar x) - 1\, \bar x^\top (X^\top q - c \bar x) \bigr), \quad
          q = W^{1/2} u, \; c = 1^\top q, \tag{1}

read each row, or each column, once. Begun at 0, after :math:`k` products both sides are at slopes of the same space
:math:`Z^\top \mathcal K_k(Z Z^\top, t)`, so neither needs fewer than the other. That of the columns is at the least penalised squares in
it, and takes the rows as they lie; only where most columns are nearly empty are the shorter vectors of the rows worth laying the cells
out by columns.

A search stops where ``tol`` says: once the residual :math:`r` is below that share of the right side, as scikit-learn's, and the last
product has moved the solution by less than that share of its length. Without a ``tol`` the slopes are sought to eight digits: no
eigenvalue is below :math:`\alpha`, so a residual is an error of at most :math:`\|r\| / \alpha`. Squaring the condition number costs
digits, so a penalty that is tiny beside the largest eigenvalue, and an end whose residual is not what the recurrence made of it, are left
to :mod:`epee.solve.sparse_rows`, which has the way without squares.

Reference: Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.engines.local import in_order, one_blas_thread
from epee.solve.sparse_rows import CentredRows, Iterated
from epee.table.sparse import AT_ONCE
from epee.typing import Matrix, Vector

EXACT = 1e-8  # of the length of the solution: how far it may be from the exact one
FLOOR = 1e-14  # of the right side, below which a residual is rounding
MILD = 1e-8  # of the largest eigenvalue: a penalty from which on the digits suffice
PATIENCE = 500  # products
SURE = 1e-7  # of the right side: a residual above it is not the work of rounding while a penalty is mild
FILLED = 4  # cells a column, from which on long vectors cost less than laying the cells out by columns


@dataclass(frozen=True, eq=False)
class Side:
    """The products (1) of the columns or, ``dual``, of the rows, cut into parts of some cells each for the threads."""

    Z: CentredRows
    dual: bool
    parts: list[tuple[Any, ...]]

    @classmethod
    def of(cls, Z: CentredRows, dual: bool | None = None) -> Side:
        """Choose a side, unless one is asked for, and lay the cells out for it."""
        n, p = Z.X.shape
        if dual is None:
            dual = bool(n < p and Z.X.nnz < FILLED * p)
        held = Z.X.tocsc() if dual else Z.X
        weight, mean = (np.empty(0), Z.mean) if dual else (Z.root**2, np.empty(0))
        cuts = np.unique(np.searchsorted(held.indptr, np.arange(0, held.nnz, AT_ONCE)))
        parts = []
        for i, j in zip(cuts, [*cuts[1:], len(held.indptr) - 1], strict=True):
            beside = (a[i:j] if a.size else a for a in (weight, mean))
            room = np.empty((n if dual else p, 2))
            parts.append((held.data, held.indices, held.indptr[i : j + 1], *beside, room))
        return cls(Z, dual, parts)

    def times(self, v: Vector) -> Vector:
        """Return Z'Z v, or ZZ'v on the side of the rows."""
        from epee.kernels.sparse_sums import normal_product

        Z = self.Z
        v = Z.root * v if self.dual else v
        c = float(v.sum()) if self.dual else float(Z.mean @ v)
        c = c if Z.mean.any() else 0.0

        def work(part: tuple[Any, ...]) -> float:
            *cells, both = part
            both[:, 0], both[:, 1] = v, 0.0
            return float(normal_product(*cells, c, both))

        total = sum(in_order(work, self.parts))
        out = self.parts[0][-1][:, 1].copy()
        for *_, both in self.parts[1:]:
            out += both[:, 1]
        if self.dual:
            out -= total
            out *= Z.root
        else:
            out -= total * Z.mean
        return out

    def right_side(self, t: Vector) -> Vector:
        """Return what the product must be: Z't, or t."""
        return t if self.dual else self.Z.transposed_times(t)

    def slopes(self, found: Vector) -> Vector:
        """Return the coefficients of what was found."""
        return self.Z.transposed_times(found) if self.dual else found


def conjugate_gradients(
    Z: CentredRows, T: Matrix, alphas: Vector, *, tol: float | None = None, max_iter: int | None = None
) -> Iterated | None:
    r"""Minimise :math:`\|Z\beta - t\|^2 + \alpha\|\beta\|^2` for each column of ``T`` (n, m) with its own penalty.

    ``tol`` says when to stop, None asks for all digits. None is returned where that is not safe.

    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> conjugate_gradients(CentredRows.of(X, None, False), np.array([[2.0], [5.0], [5.0]]), np.array([1.0])).coef.round(9)
    array([[1.],
           [2.]])
    """
    if (alphas <= 0).any():
        return None
    side, steps, good = Side.of(Z), 0, True
    coef = np.zeros((Z.X.shape[1], T.shape[1]))
    with one_blas_thread():
        for k, alpha in enumerate(alphas):
            found = _descend(side, side.right_side(T[:, k]), float(alpha), tol, max_iter)
            if found is None:
                return None
            x, taken, there = found
            coef[:, k] = side.slopes(x)
            steps, good = max(steps, taken), good and there
    return Iterated(coef, steps, good, "sparse_cg")


def _descend(
    side: Side, b: Vector, alpha: float, tol: float | None, max_iter: int | None
) -> tuple[Vector, int, bool] | None:
    """Return the solution of (A + alpha) x = b, the products it took and whether it is as near as asked; None where digits are missing."""
    x, r = np.zeros_like(b), b.copy()
    d, square = r.copy(), float(r @ r)
    least, largest, moved = max(FLOOR, tol or 0.0) ** 2 * square, 0.0, 0.0
    for k in range(PATIENCE if max_iter is None else max_iter + 1):
        length = float(x @ x)
        goal = least if tol is not None else max((EXACT * alpha) ** 2 * length, least)
        if square <= goal and (tol is None or moved <= max(tol, FLOOR) ** 2 * length):
            return (x, k, True) if _is_true(side, x, b, alpha, goal) else None
        if k == max_iter:
            return x, k, False
        q = side.times(d)
        q += alpha * d
        bend, size = float(d @ q), float(d @ d)
        largest = max(largest, bend / size)
        if alpha < MILD * largest:
            break
        step = square / bend
        moved = step**2 * size
        x += step * d
        r -= step * q
        square, before = float(r @ r), square
        d *= square / before
        d += r
    return None


def _is_true(side: Side, x: Vector, b: Vector, alpha: float, goal: float) -> bool:
    """Tell whether the residual is what the recurrence made of it; one far above rounding is."""
    if goal > SURE**2 * float(b @ b):
        return True
    left = b - side.times(x) - alpha * x
    return float(left @ left) <= 100 * goal
