r"""The E-step of a Gaussian mixture written against the namespace of its rows: the road of rows that lie elsewhere.

With :math:`D_k = X - 1\mu_k^\top` for all components at once, (K, n, p), the distances are the squares of :math:`D_k U_k` where
:math:`U_k U_k^\top = \Sigma_k^{-1}`, and the sums of the M-step are the products :math:`r_k^\top D_k` and
:math:`D_k^\top \mathrm{diag}(r_k) D_k`: batched products, which a device does best. No cell may be missing.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from epee.arrays import at_home, like, namespace
from epee.structure.em import Expected
from epee.structure.gaussian_forms import LOG_2PI, Components, log_determinants
from epee.typing import Tensor

PRODUCTS, PIECE = 256, 1024  # so many products keep a device busy, of so many rows at least


def numbers_a_row(c: Components) -> int:
    """Return how many numbers a row takes while it is worked on."""
    return 4 * c.means.size + 4 * c.n_components


def expected_anywhere(X: Any, weight: Any, c: Components, factors: Tensor, log_noise: float | None) -> Expected:
    """Return the log-likelihood of rows without missing cells, their weight and the sums of the M-step, here."""
    xp, (K, p) = namespace(X), c.means.shape
    flat = c.form in ("diag", "spherical")
    level = c.log_weights() + log_determinants(factors, c.form, p) - 0.5 * p * LOG_2PI
    shape = (p,) if flat else (p, p)
    each = np.broadcast_to(factors[:, None] if c.form == "spherical" else factors, (K, *shape))
    table = np.concatenate([level[:, None], c.means, np.sqrt(0.5) * each.reshape(K, -1)], axis=1)
    there = like(table, X, X.dtype)  # one journey for all parameters
    D = X[None, :, :] - there[:, None, 1 : p + 1]  # (K, n, p)
    U = xp.reshape(there[:, p + 1 :], (K, *shape))
    Z = D * U[:, None, :] if flat else D @ U
    logs = there[:, :1] - xp.sum(Z * Z, axis=-1)  # (K, n)
    if log_noise is not None:
        logs = xp.concat([logs, xp.zeros_like(logs[:1, :]) + log_noise])
    top = xp.max(logs, axis=0)
    R = xp.exp(logs - top)
    total = xp.sum(R, axis=0)
    ll = top + xp.log(total)
    R = R / total
    mass = float(X.shape[0])
    if weight is not None:
        w = like(weight, X, X.dtype)
        R, ll, mass = R * w, ll * w, float(xp.sum(w))
    noise = xp.sum(R[K:, :]) if log_noise is not None else xp.zeros_like(ll[0])
    R = R[:K, :]
    if flat:
        s, Q = (R[:, None, :] @ D)[:, 0, :], (R[:, None, :] @ (D * D))[:, 0, :]
    else:
        weighted = D * R[:, :, None]
        s, Q = xp.sum(weighted, axis=1), products_of_rows(weighted, D)
    return Expected(*_brought(xp, mass, xp.sum(ll), xp.sum(R, axis=1), s, Q, noise))


def products_of_rows(A: Any, D: Any) -> Any:
    """Return A'D for stacks of many rows (K, n, p), the rows cut into pieces: a few small products would leave a device idle.

    >>> A = np.arange(24.0).reshape(2, 4, 3)
    >>> bool((products_of_rows(A, A) == A.swapaxes(1, 2) @ A).all())
    True
    """
    xp, (K, n, p) = namespace(D), D.shape
    pieces = 1 << (max(PRODUCTS // K, 1) - 1).bit_length()  # rows often divide by a power of two: no copy is made then
    if pieces < 2 or n < pieces * PIECE:
        return xp.matrix_transpose(A) @ D
    whole = n // pieces * pieces
    left, right = (xp.reshape(part[:, :whole, :], (K, pieces, n // pieces, p)) for part in (A, D))
    total = xp.sum(xp.matrix_transpose(left) @ right, axis=1)
    return total if whole == n else total + xp.matrix_transpose(A[:, whole:, :]) @ D[:, whole:, :]


def _brought(xp: Any, mass: float, *sums: Any) -> tuple[float, float, tuple[np.ndarray, ...]]:
    """Return the log-likelihood, the mass and the sums of the M-step, here, in one journey."""
    flat, end = at_home(xp.concat([xp.reshape(a, (-1,)) for a in sums])).astype(np.float64), 0
    found = []
    for a in sums:
        begin, end = end, end + prod(a.shape)
        found.append(flat[begin:end].reshape(tuple(a.shape)))
    ll, *rest, noise = found
    return float(ll), mass, (*rest, noise.reshape(1))
