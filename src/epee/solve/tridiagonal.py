r"""Many ridge penalties for many folds, without eigenvectors.

Householder's reduction :math:`S = Q T Q^\top` with :math:`T` tridiagonal costs a third of an eigen-decomposition,
and is as good for the purpose:

.. math:: \beta_\alpha = Q\, (T + \alpha I)^{-1} Q^\top c, \tag{1}

where every tridiagonal system takes :math:`O(p)`, by elimination down the diagonal and substitution back up. That
loop of :math:`2p` steps runs over all folds and penalties at once. :math:`T` is positive definite with :math:`S`, so
no pivoting is needed.
"""

from __future__ import annotations

import numpy as np

from epee.typing import Matrix, Tensor, Vector


def reduce_to_tridiagonal(S: Tensor) -> tuple[Tensor, Matrix, Matrix, Matrix]:
    """Return Q (F, p, p), the diagonals (F, p), the sub-diagonals (F, p - 1) and the eigenvalues (F, p) in decreasing order.

    >>> A = np.array([[[2.0, 1.0, 0.5], [1.0, 3.0, 1.0], [0.5, 1.0, 4.0]]])
    >>> Q, d, e, values = reduce_to_tridiagonal(A)
    >>> T = np.diag(d[0]) + np.diag(e[0], 1) + np.diag(e[0], -1)
    >>> bool(np.allclose(Q[0] @ T @ Q[0].T, A[0])), bool(np.allclose(values[0], np.linalg.eigvalsh(A[0])[::-1]))
    (True, True)
    """
    from scipy.linalg.lapack import dorgqr, dsterf, dsytrd

    F, p, _ = S.shape
    Q, d, e, values = np.zeros((F, p, p)), np.empty((F, p)), np.empty((F, p - 1)), np.empty((F, p))
    Q[:, 0, 0] = 1.0
    for f in range(F):
        packed, d[f], e[f], tau, _ = dsytrd(S[f].T, lower=1)
        Q[f, 1:, 1:] = dorgqr(packed[1:, :-1], tau)[0]
        values[f] = dsterf(d[f], e[f])[0][::-1]
    return Q, d, e, values


def tridiagonal_path(S: Tensor, C: Tensor, alphas: Vector) -> tuple[Tensor, Matrix] | None:
    """Return the coefficients (F, A, p, m) of every penalty by (1) and the eigenvalues (F, p); None when a system is singular.

    >>> found = tridiagonal_path(np.diag([1.0, 3.0])[None], np.array([[[2.0], [3.0]]]), np.array([0.0, 1.0]))
    >>> found[0][0, ..., 0]
    array([[2.  , 1.  ],
           [1.  , 0.75]])
    """
    F, p, m = C.shape
    if p < 2:
        return None
    Q, d, e, values = reduce_to_tridiagonal(S)
    if not (values[:, -1] + alphas.min() > 1e-13 * values[:, 0]).all():
        return None
    r = np.matmul(Q.swapaxes(1, 2), C)  # (F, p, m)
    A = len(alphas)
    ratio = np.empty((p - 1, F, A))
    z = np.empty((p, F, A, m))
    pivot = d[:, :1] + alphas  # (F, A)
    z[0] = r[:, 0, None]
    pivots = np.empty((p, F, A))
    pivots[0] = pivot
    for i in range(1, p):
        np.divide(e[:, i - 1, None], pivot, out=ratio[i - 1])
        pivot = d[:, i, None] + alphas - e[:, i - 1, None] * ratio[i - 1]
        pivots[i] = pivot
        z[i] = r[:, i, None] - ratio[i - 1][..., None] * z[i - 1]
    if not (pivots > 0).all():
        return None
    z /= pivots[..., None]
    for i in range(p - 2, -1, -1):
        z[i] -= ratio[i][..., None] * z[i + 1]
    flat = np.ascontiguousarray(z.transpose(1, 0, 2, 3)).reshape(F, p, A * m)
    return np.matmul(Q, flat).reshape(F, p, A, m).transpose(0, 2, 1, 3), values
