r"""Least squares on sparse rows with many columns: no p x p table, no n x n one, no centred copy.

With the mean :math:`\bar x` and the weights :math:`w` the centred rows :math:`Z = W^{1/2}(X - 1\bar x^\top)` are full, but a product
with them is one with the non-zeros and a change of rank one:

.. math:: Z v = W^{1/2} (X v - 1\, \bar x^\top v), \qquad Z^\top u = X^\top W^{1/2} u - \bar x\, (1^\top W^{1/2} u). \tag{1}

LSQR (Paige and Saunders, 1982) needs nothing else. It is conjugate gradients on the normal equations
:math:`(Z^\top Z + \alpha I)\beta = Z^\top t` without squaring the condition number; begun at 0 it ends at the shortest solution where
there are several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.engines.local import one_blas_thread
from epee.errors import WrongUse
from epee.stateful import Part
from epee.table.block import Source
from epee.table.sparse import SparseSource
from epee.typing import Matrix, Vector

MANY_COLUMNS = 2000  # from which on the scatter of sparse columns is not formed
FEW_CELLS = 1 << 24  # which are laid out all the same: 128 MB
DIGITS = 1e-12  # relative errors that a search to all digits leaves


def is_large_and_sparse(source: Source) -> bool:
    """Tell whether rows are sparse and so many and wide that neither their scatter nor they themselves should be laid out."""
    if not isinstance(source, SparseSource):
        return False
    n, p = source.X.shape
    return p > MANY_COLUMNS and n * p > FEW_CELLS


def has_many_sparse_columns(source: Source) -> bool:
    """Tell whether rows are sparse and have so many columns that their scatter should not be formed."""
    return isinstance(source, SparseSource) and source.n_columns > MANY_COLUMNS


@dataclass(frozen=True, eq=False)
class CentredRows:
    """The rows Z of (1), as products."""

    X: Any  # (n, p) CSR
    root: Vector  # (n,) of the weights
    mean: Vector  # (p,)

    @classmethod
    def of(cls, X: Any, weight: Vector | None, centred: bool) -> CentredRows:
        """Return the rows about their mean, or about 0."""
        w = np.ones(X.shape[0]) if weight is None else weight
        mean = np.asarray(X.T @ w) / w.sum() if centred else np.zeros(X.shape[1])
        return cls(X.astype(np.float64, copy=False), np.sqrt(w), mean)

    def times(self, v: Vector) -> Vector:
        """Return Z v."""
        v = np.ravel(v)
        return self.root * (self.X @ v - self.mean @ v)

    def transposed_times(self, u: Vector) -> Vector:
        """Return Z'u."""
        weighted = self.root * np.ravel(u)
        return self.X.T @ weighted - self.mean * weighted.sum()

    def operator(self) -> Any:
        """Return Z as SciPy's solvers take it."""
        from scipy.sparse.linalg import LinearOperator

        return LinearOperator(self.X.shape, matvec=self.times, rmatvec=self.transposed_times, dtype=np.float64)


@dataclass(frozen=True)
class Iterated:
    """Coefficients (p, m), the most iterations a target took, whether all of them converged, and scikit-learn's name for the way."""

    coef: Matrix
    iterations: int
    converged: bool
    solver: str = "lsqr"


def least_squares(
    Z: CentredRows, T: Matrix, alphas: Vector, *, tol: float | None = None, max_iter: int | None = None
) -> Iterated:
    r"""Minimise :math:`\|Z\beta - t\|^2 + \alpha\|\beta\|^2` for each column of ``T`` (n, m) with its own penalty.

    ``tol`` bounds the relative errors of the rows and of the target for which the solution would be exact; None asks for all digits.

    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> least_squares(CentredRows.of(X, None, False), np.array([[1.0], [2.0], [5.0]]), np.array([0.0])).coef.round(9)
    array([[1.],
           [1.]])
    """
    from scipy.sparse.linalg import lsqr

    n, p = Z.X.shape
    most = max_iter if max_iter is not None else 4 * min(n, p) + 100
    tol = DIGITS if tol is None else tol
    coef, steps, good = np.zeros((p, T.shape[1])), 0, True
    with one_blas_thread():  # products of two vectors are not worth waking its others for
        for k, alpha in enumerate(alphas):
            damp = float(np.sqrt(alpha))
            found = lsqr(Z.operator(), T[:, k], damp=damp, atol=tol, btol=tol, conlim=0.0, iter_lim=most)
            coef[:, k] = found[0]
            steps, good = max(steps, int(found[2])), good and found[1] != 7
    return Iterated(coef, steps, good)


class NoFactor(Part):
    """Stands where a factor of the scatter would: an iterated solution has none, and says so to who asks for what follows from it."""

    state_parts = ("rank", "condition")
    rank: Any = None
    condition = float("nan")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise WrongUse(
            "leverages, covariances of coefficients and degrees of freedom need a factor of the p x p scatter, which is not formed for a "
            "sparse table of so many columns. Choose some of the columns first."
        )
