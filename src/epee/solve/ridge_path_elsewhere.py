r"""All ridge penalties for all folds, on a device.

A device factors a thousand matrices of a hundred columns in the time of one decomposition, so every :math:`S + \alpha I`, brought to a
unit diagonal, is solved by Cholesky's factor, many at once. Only of large matrices with many penalties are eigenvectors cheaper,
:math:`\beta_\alpha = V (\Lambda + \alpha)^{-1} V^\top c`; there the penalties that would lose digits are solved by a factor, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home, like, namespace, positive_solve
from epee.solve.ridge_path import SPREAD
from epee.solve.spectral import descending_eigh
from epee.typing import Vector

LARGE, MANY = 1200, 40  # columns and penalties from which on eigenvectors are cheaper
LEAST = 1e-11  # squared pivot of a matrix of unit diagonal: below it the columns depend on each other, and another road is taken
FACTORED = 1 << 28  # numbers of the matrices factored at once: 2 GB


def ridge_path_elsewhere(xx: Any, xy: Any, alphas: Vector) -> Any:
    """Return the coefficients (F, A, p, m) from scatters (F, p, p) and (F, p, m); None where a matrix is not positive definite.

    >>> ridge_path_elsewhere(np.diag([1.0, 3.0])[None], np.array([[[2.0], [3.0]]]), np.array([0.0, 1.0]))[0, ..., 0]
    array([[2.  , 1.  ],
           [1.  , 0.75]])
    """
    xp, (F, p, m) = namespace(xx), xy.shape
    alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    if p < LARGE or len(alphas) < MANY:
        found = _by_factors(xp, xx, xy, alphas)
    else:
        values, V = descending_eigh(xx)
        rotated = xp.matrix_transpose(V) @ xy  # (F, p, m)
        spectrum = at_home(values)
        spread = (spectrum[:, :1] + alphas) / np.maximum(spectrum[:, -1:] + alphas, 1e-300)  # (F, A)
        safe = ~(spread > SPREAD).any(axis=0)
        total = values[:, :, None] + like(np.where(safe, alphas, 1.0), values)[None, None, :]  # (F, p, A)
        inner = xp.reshape(rotated[:, :, None, :] / total[..., None], (F, p, -1))
        found = xp.permute_dims(xp.reshape(V @ inner, (F, p, len(alphas), m)), (0, 2, 1, 3))
        if not safe.all():
            exact = _by_factors(xp, xx, xy, alphas[~safe])
            order = np.argsort(np.concatenate([np.flatnonzero(safe), np.flatnonzero(~safe)]), kind="stable")
            kept = xp.take(found, like(np.flatnonzero(safe), xx), axis=1)
            found = xp.take(xp.concat([kept, exact], axis=1), like(order, xx), axis=1)
    return found if bool(xp.all(xp.isfinite(found))) else None


def _by_factors(xp: Any, xx: Any, xy: Any, alphas: Vector) -> Any:
    """Return the solutions of (S + alpha I) b = c, some penalties at a time."""
    F, p, m = xy.shape
    some = max(1, FACTORED // max(1, F * p * p))
    eye, parts = like(np.eye(p), xx), []
    for i in range(0, len(alphas), some):
        a = like(alphas[i : i + some], xx)
        S = xx[:, None, :, :] + a[None, :, None, None] * eye  # (F, a, p, p)
        diagonal = xp.linalg.diagonal(S)
        d = xp.sqrt(xp.where(diagonal > 0, diagonal, xp.ones_like(diagonal)))
        S = S / d[..., :, None] / d[..., None, :]
        right = xp.broadcast_to(xy[:, None, :, :], (F, len(alphas[i : i + some]), p, m)) / d[..., None]
        parts.append(positive_solve(S, right, LEAST) / d[..., None])
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=1)
