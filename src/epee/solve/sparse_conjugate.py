r"""Ridge regression on sparse rows by conjugate gradients: products with the cells that are held, on the short side.

With the centred rows :math:`Z = W^{1/2}(X - 1\bar x^\top)` the solution of :math:`(Z^\top Z + \alpha I)\beta = Z^\top t` is also
:math:`\beta = Z^\top a` with :math:`(Z Z^\top + \alpha I) a = t`. The shorter of the two vectors is sought, and its products

.. math:: Z^\top Z v = X^\top W (X v - c 1) - \bar x\, 1^\top W (X v - c 1), \quad c = \bar x^\top v, \qquad
          Z Z^\top u = W^{1/2} \bigl( X (X^\top q - c \bar x) - 1\, \bar x^\top (X^\top q - c \bar x) \bigr), \quad
          q = W^{1/2} u, \; c = 1^\top q, \tag{1}

read each row, or each column, once. No eigenvalue is below :math:`\alpha`, so a residual :math:`r` is an error of at most
:math:`\|r\| / \alpha`: that bound says when to stop. Squaring the condition number costs digits, so a penalty that is tiny beside the
largest eigenvalue, and an end whose residual is not what the recurrence made of it, are left to :mod:`epee.solve.sparse_rows`, which has
the way without squares.

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


@dataclass(frozen=True, eq=False)
class ShortSide:
    """The products (1) of the shorter side, cut into parts of some cells each for the threads."""

    Z: CentredRows
    dual: bool
    parts: list[tuple[Any, ...]]

    @classmethod
    def of(cls, Z: CentredRows) -> ShortSide:
        """Lay the cells out for the shorter side."""
        n, p = Z.X.shape
        dual = n < p
        held = Z.X.tocsc() if dual else Z.X
        weight, mean = (np.empty(0), Z.mean) if dual else (Z.root**2, np.empty(0))
        cuts = np.unique(np.searchsorted(held.indptr, np.arange(0, held.nnz, AT_ONCE)))
        parts = []
        for i, j in zip(cuts, [*cuts[1:], len(held.indptr) - 1], strict=True):
            beside = (a[i:j] if a.size else a for a in (weight, mean))
            parts.append((held.data, held.indices, held.indptr[i : j + 1], *beside))
        return cls(Z, dual, parts)

    def times(self, v: Vector) -> Vector:
        """Return Z'Z v, or ZZ'v on the side of the rows."""
        from epee.kernels.sparse_sums import normal_product

        Z = self.Z
        v = Z.root * v if self.dual else v
        c = float(v.sum()) if self.dual else float(Z.mean @ v)
        c = c if Z.mean.any() else 0.0

        def work(part: tuple[Any, ...]) -> tuple[float, Vector]:
            out = np.zeros(len(v))
            return normal_product(*part, c, v, out), out

        found = list(in_order(work, self.parts))
        total, out = sum(t for t, _ in found), found[0][1]
        for _, other in found[1:]:
            out += other
        return Z.root * (out - total) if self.dual else out - total * Z.mean

    def right_side(self, t: Vector) -> Vector:
        """Return what the product must be: Z't, or t."""
        return t if self.dual else self.Z.transposed_times(t)

    def slopes(self, found: Vector) -> Vector:
        """Return the coefficients of what was found."""
        return self.Z.transposed_times(found) if self.dual else found


def conjugate_gradients(Z: CentredRows, T: Matrix, alphas: Vector) -> Iterated | None:
    r"""Minimise :math:`\|Z\beta - t\|^2 + \alpha\|\beta\|^2` for each column of ``T`` (n, m) with its own penalty.

    None where that is not safe.


    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> conjugate_gradients(CentredRows.of(X, None, False), np.array([[2.0], [5.0], [5.0]]), np.array([1.0])).coef.round(9)
    array([[1.],
           [2.]])
    """
    if (alphas <= 0).any():
        return None
    side, steps = ShortSide.of(Z), 0
    coef = np.zeros((Z.X.shape[1], T.shape[1]))
    with one_blas_thread():
        for k, alpha in enumerate(alphas):
            x, taken = _descend(side, side.right_side(T[:, k]), float(alpha))
            if x is None:
                return None
            coef[:, k] = side.slopes(x)
            steps = max(steps, taken)
    return Iterated(coef, steps, True)


def _descend(side: ShortSide, b: Vector, alpha: float) -> tuple[Vector | None, int]:
    """Return the solution of (A + alpha) x = b and the products it took; None for the solution where digits are missing."""
    x, r = np.zeros_like(b), b.copy()
    d, square = r.copy(), float(r @ r)
    least, largest = FLOOR**2 * square, 0.0
    for k in range(PATIENCE):
        goal = max((EXACT * alpha) ** 2 * float(x @ x), least)
        if square <= goal:
            left = b - side.times(x) - alpha * x
            return (x if float(left @ left) <= 100 * max(goal, least) else None), k
        q = side.times(d)
        q += alpha * d
        bend = float(d @ q)
        largest = max(largest, bend / float(d @ d))
        if alpha < MILD * largest:
            break
        step = square / bend
        x += step * d
        r -= step * q
        square, before = float(r @ r), square
        d *= square / before
        d += r
    return None, PATIENCE
