r"""The range of a large matrix by random projections.

:math:`Q = \operatorname{orth}\big((A A^\top)^t A \Omega\big)` for a Gaussian :math:`\Omega` holds the leading singular
directions of :math:`A` with high probability (Halko, Martinsson and Tropp, 2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from epee.typing import Matrix


def range_finder(A: Matrix, size: int, powers: Any, rng: np.random.Generator, normaliser: str = "auto") -> Matrix:
    """Return an orthonormal basis Q (n, size) of the leading range of ``A`` (n, p).

    >>> rng = np.random.default_rng(0)
    >>> A = np.outer(np.arange(6.0), np.ones(4))
    >>> Q = range_finder(A, 2, "auto", rng)
    >>> bool(np.allclose(Q @ (Q.T @ A), A))
    True
    """
    size = min(size, *A.shape)
    t = (7 if size < 0.1 * min(A.shape) else 4) if powers == "auto" else int(powers)
    small = A.shape[1] <= A.shape[0]
    B = rng.normal(size=(A.shape[1] if small else A.shape[0], size)).astype(A.dtype)
    Y = A @ B if small else A.T @ B
    other = A.T if small else A
    mine = A if small else A.T

    def settle(Z: Matrix) -> Matrix:
        if normaliser == "none" or (normaliser == "auto" and t <= 2):
            return Z
        if normaliser == "QR":
            return np.linalg.qr(Z)[0]
        return scipy.linalg.lu(Z, permute_l=True, check_finite=False)[0]

    for _ in range(t):
        Y = mine @ settle(other @ settle(Y))
    return np.linalg.qr(Y)[0] if small else np.linalg.qr(A @ np.linalg.qr(Y)[0])[0]
