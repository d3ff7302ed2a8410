"""The product of a matrix with itself, B'B, for the shapes that passes have: many rows, few columns.

BLAS libraries copy their operands into panels, which pays for large matrices. OpenBLAS spares itself the copies where
M N K is at most a million. So a narrow matrix is multiplied strip by strip, a thousand rows or two at a time, all in one
call: a little more than half of the symmetric product, in half the time.
"""

from __future__ import annotations

import numpy as np

from epee.typing import Matrix, Tensor

SMALL = 900_000  # M N K below which OpenBLAS multiplies without copies
NARROW = 64  # columns up to which that is faster
STRIPS = 4


def gram(B: Matrix) -> Matrix:
    """Return B'B (p, p), symmetric to the last bit.

    >>> gram(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[10., 14.],
           [14., 20.]])
    """
    n, p = B.shape
    strip = -(-p // STRIPS)
    most = SMALL // max(p * strip, 1)
    if p > NARROW or 8 * n < most:
        return np.matmul(B.T, B)
    rows = n // -(-n // most)  # of pieces of equal size
    whole = n - n % rows
    by_columns = B.strides[0] == B.itemsize
    pieces = B[:whole].T.reshape(p, -1, rows).transpose(1, 2, 0) if by_columns else B[:whole].reshape(-1, rows, p)
    S: Matrix = products(pieces, np.zeros(1, dtype=np.intp))[0]
    if whole < n:
        S += np.matmul(B[whole:].T, B[whole:])
    return S


def products(pieces: Tensor, first: np.ndarray) -> Tensor:
    """Return B'B (cells, p, p) of the rows of each cell, which begins at piece ``first`` (cells,) of the ``pieces`` (c, rows, p).

    >>> products(np.ones((3, 10, 1)), np.array([0, 2])).ravel()
    array([20., 10.])
    """
    p = pieces.shape[2]
    strip, S = -(-p // STRIPS), np.zeros((len(first), p, p))
    for i in range(0, p, strip):
        j = (
            i - 1 if i and i + strip >= p else i
        )  # a square would be taken for a symmetric product, which is slower here
        parts = np.matmul(pieces[:, :, i : i + strip].transpose(0, 2, 1), pieces[:, :, j:])
        S[:, i : i + strip, j:] = np.add.reduceat(parts, first, axis=0)
    S = np.triu(S)
    S += np.triu(S, 1).transpose(0, 2, 1)
    return S
