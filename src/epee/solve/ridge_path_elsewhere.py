r"""All ridge penalties for all folds, on a device.

A device factors a thousand matrices of a hundred columns in the time of one decomposition, so every :math:`S_f + \alpha I`, brought to a
unit diagonal, is solved by Cholesky's factor, many at once.

Of larger matrices one decomposition serves all folds. The training scatters of folds are nearly the same, and so is their mean
:math:`\bar S = V \Lambda V^\top`; with :math:`M_\alpha = V (\Lambda + \alpha) V^\top` the steps

.. math:: \beta \leftarrow \beta + M_\alpha^{-1} \bigl(c_f - (S_f + \alpha I)\,\beta\bigr) \tag{1}

shrink the error of every fold and penalty by the relative difference of the two matrices, a fiftieth say, and each is three products.
The step is the error that was left, so it tells when to stop; penalties for which it does not vanish are solved by a factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home, like, namespace, positive_solve, taken
from epee.typing import Vector

LARGE, MANY = 256, 20  # columns and penalties from which on one decomposition for all is cheaper
STEPS, LOOKS = 18, 3  # at most so many steps (1), and a look at them after each few
DONE, FINE = 1e-15, 1e-13  # the last step, relative to the coefficients: nothing is left, and what may be left
LEAST = 1e-11  # squared pivot of a matrix of unit diagonal: below it the columns depend on each other, and another road is taken
FACTORED = 1 << 28  # numbers of the matrices factored at once: 2 GB


def ridge_path_elsewhere(xx: Any, xy: Any, alphas: Vector) -> Any:
    """Return the coefficients (F, A, p, m) from scatters (F, p, p) and (F, p, m); None where a matrix is not positive definite.

    >>> ridge_path_elsewhere(np.diag([1.0, 3.0])[None], np.array([[[2.0], [3.0]]]), np.array([0.0, 1.0]))[0, ..., 0]
    array([[2.  , 1.  ],
           [1.  , 0.75]])
    """
    xp, p = namespace(xx), xy.shape[1]
    alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    if p < LARGE or len(alphas) < MANY:
        found = _by_factors(xp, xx, xy, alphas)
    else:
        found, left = _by_neighbour(xp, xx, xy, alphas)
        fine = left <= FINE
        if not fine.all():
            exact = _by_factors(xp, xx, xy, alphas[~fine])
            order = np.argsort(np.concatenate([np.flatnonzero(fine), np.flatnonzero(~fine)]), kind="stable")
            kept = taken(found, like(np.flatnonzero(fine), xx), axis=1)
            found = taken(xp.concat([kept, exact], axis=1), like(order, xx), axis=1)
    return found if bool(xp.all(xp.isfinite(found))) else None


def _by_neighbour(xp: Any, xx: Any, xy: Any, alphas: Vector) -> tuple[Any, np.ndarray]:
    """Return the solutions (F, A, p, m) by steps (1), and the last relative step of each penalty (A,), here."""
    F, p, m = xy.shape
    A = len(alphas)
    values, V = xp.linalg.eigh(xp.mean(xx, axis=0))
    a = like(np.repeat(alphas, m), xx)  # (A m,)
    inverse = 1.0 / (values[:, None] + a)  # (p, A m)
    right = xp.reshape(xp.broadcast_to(xy[:, :, None, :], (F, p, A, m)), (F, p, A * m))

    def solved(b: Any) -> Any:
        return V @ (inverse * (V.T @ b))

    found, left = solved(right), np.full(A, np.inf)
    for step in range(1, STEPS + 1):
        change = solved(right - xx @ found - a * found)
        found = found + change
        if step % LOOKS == 0:
            size, whole = (xp.max(xp.sum(part * part, axis=1), axis=0) for part in (change, found))
            before, left = left, np.sqrt(at_home(size / xp.where(whole > 0, whole, xp.ones_like(whole))))
            left = left.reshape(A, m).max(axis=1)
            if (left <= DONE).all() or not np.isfinite(left).all() or (step > LOOKS and not (left < before).any()):
                break
    return xp.permute_dims(xp.reshape(found, (F, p, A, m)), (0, 2, 1, 3)), np.where(np.isfinite(left), left, np.inf)


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
