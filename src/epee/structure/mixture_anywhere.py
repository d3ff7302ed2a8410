r"""The E-step of a Gaussian mixture written against the namespace of its rows: the road of rows that lie elsewhere.

With :math:`D_k = X - 1\mu_k^\top` for all components at once, (K, n, p), the distances are the squares of :math:`D_k U_k` where
:math:`U_k U_k^\top = \Sigma_k^{-1}`, and the sums of the M-step are the products :math:`r_k^\top D_k` and
:math:`D_k^\top \mathrm{diag}(r_k) D_k`: batched products, which a device does best. No cell may be missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home, like, namespace
from epee.structure.em import Expected
from epee.structure.gaussian_forms import LOG_2PI, Components, log_determinants
from epee.typing import Tensor


def numbers_a_row(c: Components) -> int:
    """Return how many numbers a row takes while it is worked on."""
    return 4 * c.means.size + 4 * c.n_components


def expected_anywhere(X: Any, weight: Any, c: Components, factors: Tensor, log_noise: float | None) -> Expected:
    """Return the log-likelihood of rows without missing cells, their weight and the sums of the M-step, here."""
    xp, (K, p) = namespace(X), c.means.shape
    flat = c.form in ("diag", "spherical")
    U = like(factors, X, X.dtype)
    D = X[None, :, :] - like(c.means, X, X.dtype)[:, None, :]  # (K, n, p)
    if flat:
        Z = D * (U[:, None, None] if c.form == "spherical" else U[:, None, :])
    else:
        Z = D @ U
    level = c.log_weights() + log_determinants(factors, c.form, p) - 0.5 * p * LOG_2PI
    logs = like(level, X, X.dtype)[:, None] - xp.sum(Z * Z, axis=-1) / 2  # (K, n)
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
    noise = _home(xp.sum(R[K:, :])) if log_noise is not None else np.zeros(())
    R = R[:K, :]
    s = (R[:, None, :] @ D)[:, 0, :]
    Q = (R[:, None, :] @ (D * D))[:, 0, :] if flat else xp.matrix_transpose(D * R[:, :, None]) @ D
    sums = (_home(xp.sum(R, axis=1)), _home(s), _home(Q), np.reshape(noise, 1))
    return Expected(float(xp.sum(ll)), mass, sums)


def _home(a: Any) -> np.ndarray:
    return at_home(a).astype(np.float64)
