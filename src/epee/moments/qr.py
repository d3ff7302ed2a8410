r"""A triangular factor of rows that merges: sums of squares without squaring.

Of rows :math:`z_i = (1, x_i - o)` about an origin :math:`o`, with weights :math:`w_i`, it keeps the upper triangle :math:`R`
with a positive diagonal of

.. math:: \sqrt{W} Z = Q R, \qquad R^\top R = Z^\top W Z. \tag{1}

Two of them merge by one small factorisation (TSQR; Demmel, Grigori, Hoemmen and Langou, 2012), because

.. math:: \begin{pmatrix} R_a \\ R_b \end{pmatrix} = Q R \quad\Longrightarrow\quad R^\top R = R_a^\top R_a + R_b^\top R_b. \tag{2}

The first row holds :math:`\sqrt n\,(1, \bar x - o)`; below it lies the factor of the centred rows, :math:`R_c^\top R_c = S`. A
scatter knows directions of relative size :math:`10^{-8}`; its factor knows them down to :math:`10^{-16}`.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.table.block import Block
from epee.typing import Matrix, Vector


def triangle(A: Matrix) -> Matrix:
    """Return R of A = QR with a diagonal that is not negative, so that it is unique.

    >>> triangle(np.array([[3.0, 1.0], [4.0, 2.0]])).round(12)
    array([[5. , 2.2],
           [0. , 0.4]])
    """
    R: Any = np.linalg.qr(A, mode="r")
    k = len(R)
    return R * np.where(R[np.arange(k), np.arange(k)] < 0, -1.0, 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class QRFactor:
    """The triangular factor of rows with a constant first column.

    Parameters
    ----------
    R : array (k, 1 + p), k <= 1 + p
        Equation (1); fewer rows than columns while fewer were seen.
    origin : array (p,)

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0]])
    >>> f = QRFactor.of(rows[:2]) + QRFactor.of(rows[2:])
    >>> bool(np.allclose(f.centred.T @ f.centred, [[2.0, 3.0], [3.0, 26 / 3]]))
    True
    """

    R: Matrix
    origin: Vector

    @classmethod
    def zero(cls, origin: Vector) -> QRFactor:
        """Return the factor of no rows: neutral for ``+``."""
        return cls(np.zeros((0, 1 + len(origin))), np.asarray(origin, float))

    @classmethod
    def of(
        cls, X: Matrix, y: Matrix | None = None, weight: Vector | None = None, origin: Vector | None = None
    ) -> QRFactor:
        """Return the factor of rows, with ``y``, when given, as the last columns."""
        rows = np.asarray(X, dtype=np.float64)
        if y is not None:
            rows = np.hstack([rows, np.asarray(y, dtype=np.float64).reshape(len(rows), -1)])
        if origin is None:
            origin = rows.mean(axis=0) if len(rows) else np.zeros(rows.shape[1])
        Z = np.empty((len(rows), 1 + rows.shape[1]))
        Z[:, 0] = 1.0
        Z[:, 1:] = rows - origin
        if weight is not None:
            Z *= np.sqrt(weight)[:, None]
        return cls(triangle(Z), origin)

    def about(self, origin: Vector) -> QRFactor:
        """Return the same factor about another origin."""
        if origin is self.origin or np.array_equal(origin, self.origin):
            return self
        R = np.hstack([self.R[:, :1], self.R[:, 1:] + self.R[:, :1] * (self.origin - origin)])
        return replace(self, R=R, origin=np.asarray(origin, float))

    def __add__(self, other: QRFactor) -> QRFactor:
        """Merge by (2)."""
        if not isinstance(other, QRFactor):
            return NotImplemented
        if self.R.shape[1] != other.R.shape[1]:
            raise WrongUse(f"factors of {self.R.shape[1] - 1} and {other.R.shape[1] - 1} columns cannot add.")
        return replace(self, R=triangle(np.vstack([self.R, other.about(self.origin).R])))

    @property
    def count(self) -> float:
        """Sum of weights."""
        return float(self.R[0, 0] ** 2) if len(self.R) else 0.0

    @property
    def mean(self) -> Vector:
        """Mean of the rows (p,)."""
        return self.origin + self.R[0, 1:] / self.R[0, 0]

    @property
    def centred(self) -> Matrix:
        """The factor of the rows about their mean (p, p), padded with zero rows."""
        return _square(self.R[1:, 1:])

    @property
    def uncentred(self) -> Matrix:
        """The factor of the rows about zero (p, p), padded with zero rows."""
        return _square(triangle(self.about(np.zeros_like(self.origin)).R[:, 1:]))

    def to_bytes(self) -> bytes:
        """Return the factor as bytes that run no code when read."""
        out = io.BytesIO()
        np.savez(out, R=self.R, origin=self.origin)
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> QRFactor:
        """Return the factor that :meth:`to_bytes` wrote."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return cls(arrays["R"], arrays["origin"])


def _square(R: Matrix) -> Matrix:
    p = R.shape[1]
    return R[:p] if len(R) >= p else np.vstack([R, np.zeros((p - len(R), p))])


@dataclass(frozen=True)
class Factorisation:
    """What an engine does to a block: its factor about a common origin, targets last."""

    origin: Vector
    said = "the orthogonal factor of an ill-conditioned table"

    def __call__(self, block: Block) -> QRFactor:
        return QRFactor.of(block.X, block.y, block.weight, self.origin)
