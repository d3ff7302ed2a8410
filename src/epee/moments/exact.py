r"""Sums of products in double-double: what a stream of rows keeps when it will not be read again.

Of rows :math:`z_i = (1, x_i - o)` about a fixed origin it keeps :math:`G = \sum_i w_i z_i z_i^\top` with about 32 digits, and

.. math:: G_{a \cup b} = G_a + G_b, \qquad S = G_{xx} - \frac{g g^\top}{n}

lose nothing that matters: a problem whose condition number is :math:`10^{10}`, squared by the sums, still leaves 12 digits. It costs
some forty times an ordinary sum, so it is kept only for columns that need it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from epee.errors import SingularProblem
from epee.kernels.compensated import Pair, add, divide, multiply, root, subtract, total, two_sum
from epee.table.block import Block
from epee.typing import Vector


@dataclass(frozen=True, eq=False)
class ExactGram:
    """The matrix G (1 + p, 1 + p) as a pair of arrays, and its origin (p,).

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0]])
    >>> G = ExactGram.of(rows[:2], np.zeros(2)) + ExactGram.of(rows[2:], np.zeros(2))
    >>> G.scatter()[0]
    array([[2.        , 3.        ],
           [3.        , 8.66666667]])
    """

    pair: Pair
    origin: Vector

    @classmethod
    def of(cls, rows: np.ndarray, origin: Vector, weight: Vector | None = None) -> ExactGram:
        """Return the sums of rows."""
        z = two_sum(np.asarray(rows, dtype=np.float64), -origin)
        ones = np.ones((len(rows), 1))
        z = np.hstack([ones, z[0]]), np.hstack([0 * ones, z[1]])
        wz = z if weight is None else multiply(z, (weight[:, None], 0 * ones))
        columns = [total(multiply(wz, (z[0][:, j : j + 1], z[1][:, j : j + 1]))) for j in range(z[0].shape[1])]
        return cls((np.stack([c[0] for c in columns]), np.stack([c[1] for c in columns])), origin)

    def __add__(self, other: ExactGram) -> ExactGram:
        return replace(self, pair=add(self.pair, other.pair))

    def __sub__(self, other: ExactGram) -> ExactGram:
        return replace(self, pair=subtract(self.pair, other.pair))

    def scatter(self) -> Pair:
        """Return S (p, p), centred."""
        h, low = self.pair
        g: Pair = (h[0, 1:], low[0, 1:])
        n: Pair = (h[:1, 0], low[:1, 0])
        outer = multiply((g[0][:, None], g[1][:, None]), g)
        return subtract((h[1:, 1:], low[1:, 1:]), divide(outer, n))

    def mean(self) -> Pair:
        """Return the mean of the rows (p,)."""
        h, low = self.pair
        shift = divide((h[0, 1:], low[0, 1:]), (h[:1, 0], low[:1, 0]))
        return add(shift, (self.origin, 0 * self.origin))


@dataclass(frozen=True)
class ExactSummation:
    """What an engine does to a block, targets last."""

    origin: Vector

    def __call__(self, block: Block) -> ExactGram:
        y = np.asarray(block.y, dtype=np.float64).reshape(len(block), -1)
        return ExactGram.of(np.hstack([block.X, y]), self.origin, block.weight)


def exact_cholesky(S: Pair) -> Pair:
    """Return the lower triangle L with LL' = S, in double-double.

    >>> L = exact_cholesky((np.array([[4.0, 2.0], [2.0, 3.0]]), np.zeros((2, 2))))
    >>> (L[0] @ L[0].T).round(12)
    array([[4., 2.],
           [2., 3.]])
    """
    A = (S[0].copy(), S[1].copy())
    L = (np.zeros_like(A[0]), np.zeros_like(A[0]))
    for k in range(len(A[0])):
        if not A[0][k, k] > 1e-28 * S[0][k, k]:
            raise SingularProblem(
                f"the matrix is not positive definite: column {k} is a combination of the columns before it."
            )
        d = root((A[0][k, k], A[1][k, k]))
        column = divide((A[0][k:, k], A[1][k:, k]), d)
        L[0][k:, k], L[1][k:, k] = column
        rest = (column[0][1:], column[1][1:])
        outer = multiply((rest[0][:, None], rest[1][:, None]), rest)
        A[0][k + 1 :, k + 1 :], A[1][k + 1 :, k + 1 :] = subtract(
            (A[0][k + 1 :, k + 1 :], A[1][k + 1 :, k + 1 :]), outer
        )
    return L


def exact_solve(L: Pair, B: Pair) -> Pair:
    """Return S^-1 B (p, m) from the triangle of S, in double-double."""
    x = (B[0].copy(), B[1].copy())
    p = len(x[0])
    for order, T in ((range(p), L), (range(p - 1, -1, -1), (L[0].T, L[1].T))):
        for k in order:
            row = divide((x[0][k], x[1][k]), (T[0][k, k], T[1][k, k]))
            x[0][k], x[1][k] = row
            rest = slice(k + 1, None) if order.step > 0 else slice(0, k)
            product = multiply((T[0][rest, k : k + 1], T[1][rest, k : k + 1]), row)
            x[0][rest], x[1][rest] = subtract((x[0][rest], x[1][rest]), product)
    return x
