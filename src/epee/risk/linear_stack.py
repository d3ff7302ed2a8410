r"""Many linear predictors at once, and their mean squared errors from the moments of the test rows.

On test rows with moments :math:`(n, \bar x, \bar y, S)` and :math:`e = \bar y - \bar x^\top\beta - b`, the mean squared error of
:math:`x^\top\beta + b` is

.. math:: \frac1n \bigl(S_{yy} - 2 \beta^\top S_{xy} + \beta^\top S_{xx} \beta\bigr) + e^2, \tag{1}

which loses digits when the fit is nearly perfect or the coefficients are large and cancel: then it is said that the rows must be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.estimator.stack import Linear
from epee.moments.affine import Affine
from epee.moments.moments import Moments, share
from epee.typing import Tensor

FEWEST_DIGITS = 1e-6  # of the sums in (1), what must be left after they cancel


@dataclass(frozen=True, eq=False)
class Mapped:
    """A fitted model behind the affine map that its training rows asked for."""

    model: Any
    before: Affine


def linear_of(models: Linear | list[Any]) -> Linear:
    """Return fitted linear regressors as a stack."""
    if isinstance(models, Linear):
        return models
    coef, intercept = [], []
    for model in models:
        inner = model.model if isinstance(model, Mapped) else model
        w, b = np.atleast_2d(inner.coef_), np.atleast_1d(inner.intercept_)
        if isinstance(model, Mapped):
            A, shift = model.before.dense, model.before.b
            w, b = (w * A if model.before.scales else w @ A), b + w @ shift
        coef.append(w)
        intercept.append(np.broadcast_to(b, (len(w),)))
    return Linear(np.stack(coef), np.stack(intercept))


def squared_risk(test: Moments, coef: Tensor, intercept: Tensor) -> tuple[Tensor, np.ndarray]:
    """Return (1) for every model (T, V), and whether enough digits are left.

    ``coef`` is (T, V, m, p), ``intercept`` (T, V, m).
    """
    T, V, k, p = coef.shape
    n = np.where(test.count > 0, test.count, 1.0)[:, None]  # (T, 1)
    flat = coef.reshape(T, V * k, p)
    e = test.y_mean[:, None] - (np.matmul(flat, test.x_mean[:, :, None])[..., 0]).reshape(T, V, k) - intercept
    quad = (np.matmul(flat, test.xx) * flat).sum(axis=2).reshape(T, V, k)
    cross = np.einsum("tvkp,tpk->tvk", coef, test.xy) if k > 1 else np.matmul(flat, test.xy).reshape(T, V, 1)
    yy = np.diagonal(test.yy, axis1=1, axis2=2)[:, None]
    within = (yy - 2 * cross + quad).sum(axis=2)
    level = n * (e**2).sum(axis=2)
    spread = np.sqrt(np.maximum(np.diagonal(test.xx, axis1=1, axis2=2), 0.0))  # (T, p)
    terms = np.matmul(np.abs(flat), spread[:, :, None])[..., 0].reshape(T, V, k) ** 2  # bounds all partial sums of quad
    total = (yy + terms).sum(axis=2) + level
    size = np.abs(test.y_mean).max(axis=1)[:, None] + np.abs(coef * test.x_mean[:, None, None]).sum(axis=3).max(axis=2)
    rounding = n * (np.finfo(float).eps * size) ** 2
    sound = (within + level >= FEWEST_DIGITS * total) & (rounding <= 1e-20 * np.maximum(within + level, 1e-300))
    found = np.maximum(within + level, 0.0)  # below zero it is rounding, and not sound
    return share(found, np.broadcast_to(n, within.shape)), sound | (test.count[:, None] == 0)
