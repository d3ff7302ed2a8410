r"""The logistic risk of a block written against the namespace of its rows: the road of rows that lie elsewhere.

The value, the gradient :math:`\tilde X^\top (p - y)` and the Hessian :math:`\tilde X^\top \mathrm{diag}(p(1-p)) \tilde X` are products
with the rows; with several classes the probabilities are a softmax of the scores and the Hessian has a block for each pair of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home, like, namespace, numbers_like
from epee.typing import Matrix, Vector


def logistic_anywhere(
    X: Any, codes: Any, w: Any, W: Matrix, bias: bool, centre: Vector, curvature: str | None, columns: Any
) -> tuple[float, float, Matrix, np.ndarray | None]:
    """Return the weight, the risk, its gradient (d, M) and the Hessian (M q, M q) or its diagonal (q, M), here.

    ``w`` (n,) are weights or None, ``columns`` those that the Hessian is restricted to, ``centre`` what is taken from the rows in it.
    """
    xp, p = namespace(X), X.shape[1]
    A = like(W, X, X.dtype)
    S = X @ A[:p, :]
    if bias:
        S = S + A[p, :]
    value, slope, P = _two_classes(xp, S, codes) if W.shape[1] == 1 else _many_classes(xp, S, codes)
    if w is not None:
        value, slope = value * w, slope * w[:, None]
    gradient = _home(X.T @ slope)
    if bias:
        gradient = np.vstack([gradient, _home(xp.sum(slope, axis=0))[None]])
    count = float(X.shape[0]) if w is None else float(xp.sum(w))
    hessian = None
    if curvature is not None:
        B = X - like(centre, X, X.dtype)
        if columns is not None:
            B = xp.take(B, like(np.asarray(columns, dtype=np.int64), codes), axis=1)
        if bias:
            B = xp.concat([B, xp.ones_like(B[:, :1])], axis=1)
        hessian = _hessian(xp, B, P, w, curvature)
    return count, float(xp.sum(value)), gradient, hessian


def _two_classes(xp: Any, S: Any, codes: Any) -> tuple[Any, Any, Any]:
    """Return the loss (n,), the slope (n, 1) and the probability of the second class (n, 1)."""
    t = xp.astype(codes, S.dtype)[:, None]
    small = xp.exp(-xp.abs(S))
    zero, inverse = xp.zeros_like(S), 1 / (1 + small)
    P = xp.where(S >= 0, inverse, small * inverse)
    value = xp.where(S > 0, S, zero) - t * S + xp.log1p(small)
    return value[:, 0], P - t, P


def _many_classes(xp: Any, S: Any, codes: Any) -> tuple[Any, Any, Any]:
    """Return the loss (n,), the slope (n, K) and the probabilities (n, K)."""
    own = xp.astype(codes[:, None] == numbers_like(S.shape[1], codes, codes.dtype)[None, :], S.dtype)
    top = xp.max(S, axis=1, keepdims=True)
    P = xp.exp(S - top)
    total = xp.sum(P, axis=1, keepdims=True)
    P = P / total
    value = xp.log(total)[:, 0] + top[:, 0] - xp.sum(S * own, axis=1)
    return value, P - own, P


def _hessian(xp: Any, B: Any, P: Any, w: Any, curvature: str) -> np.ndarray:
    M, d = P.shape[1], B.shape[1]
    bend = P * (1 - P)
    if w is not None:
        bend = bend * w[:, None]
    if curvature == "diagonal":
        return _home((B * B).T @ bend)  # (d, M)
    if M == 1:
        return _home((B * bend).T @ B)
    out = np.empty((M, d, M, d))
    for k in range(M):
        for j in range(k + 1):
            both = bend[:, k] if j == k else -P[:, k] * P[:, j] * (1.0 if w is None else w)
            out[k, :, j] = _home((B * both[:, None]).T @ B)
            out[j, :, k] = out[k, :, j].T
    return out.reshape(M * d, M * d)


def _home(a: Any) -> np.ndarray:
    return at_home(a).astype(np.float64)
