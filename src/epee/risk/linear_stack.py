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

from epee.arrays import affine_rows, at_home, is_elsewhere, shaped
from epee.moments.affine import Affine
from epee.moments.moments import Moments, share
from epee.typing import Matrix, Tensor, Vector

FEWEST_DIGITS = 1e-6  # of the sums in (1), what must be left after they cancel


@dataclass(frozen=True, eq=False)
class Mapped:
    """A fitted model behind the affine map that its training rows asked for."""

    model: Any
    before: Affine


class Stack:
    """Many predictors at once, of which a row asks for scores or values."""

    def __len__(self) -> int:
        raise TypeError(f"{type(self).__name__} does not say how many it holds.")

    @property
    def numbers_a_row(self) -> int:
        """How many numbers a row and its scores under all predictors take."""
        raise TypeError(f"{type(self).__name__} does not say what a row takes.")

    def behind(self, before: Affine, origin: Vector) -> Stack | None:
        """Return the same predictors of the rows before an affine map, one for each training sample, which lie about ``origin``.

        None where one by one is cheaper.
        """
        raise TypeError(f"{type(self).__name__} does not say what it is behind a map.")

    def raw(self, X: Matrix, which: Any) -> Tensor:
        """Return the scores or values (n, t, k) of the rows under some of the predictors."""
        raise TypeError(f"{type(self).__name__} does not say how it scores.")


class Linear(Stack):
    """Many linear predictors at once: ``coef`` (T, k, p) and ``intercept`` (T, k)."""

    def __init__(self, coef: Tensor, intercept: Tensor) -> None:
        self.coef, self.intercept = coef, intercept

    def __len__(self) -> int:
        return int(self.coef.shape[0])

    @property
    def numbers_a_row(self) -> int:
        """How many numbers a row and its scores under all predictors take."""
        T, k, p = self.coef.shape
        return int(2 * T * k + 3 * T + 4 * p)

    def behind(self, before: Affine, origin: Vector | None = None) -> Linear:
        """Return the same predictors of the rows before an affine map, one for each training sample."""
        return Linear(*before.through(self.coef, self.intercept))

    def here(self) -> Linear:
        """Return the same predictors as NumPy's arrays."""
        return Linear(at_home(self.coef), at_home(self.intercept))

    def raw(self, X: Matrix, which: Any) -> Tensor:
        """Return the scores or values (n, t, k) of the rows under some of the predictors."""
        if is_elsewhere(self.coef):
            return self.here().raw(X, which)
        coef = self.coef[which]
        if is_elsewhere(X):
            there = affine_rows(X, coef.reshape(-1, coef.shape[-1]).T, self.intercept[which].reshape(-1))
            return shaped(there, X.shape[0], *coef.shape[:2])
        flat = X @ coef.reshape(-1, coef.shape[-1]).T  # (n, t k)
        return flat.reshape(len(X), *coef.shape[:2]) + self.intercept[which]


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
    terms = (
        np.matmul(np.abs(flat), spread[:, :, None])[..., 0].reshape(T, V, k) ** 2
    )  # bounds every partial sum of quad
    total = (yy + terms).sum(axis=2) + level
    size = np.abs(test.y_mean).max(axis=1)[:, None] + np.abs(coef * test.x_mean[:, None, None]).sum(axis=3).max(axis=2)
    rounding = n * (np.finfo(float).eps * size) ** 2
    sound = (within + level >= FEWEST_DIGITS * total) & (rounding <= 1e-20 * np.maximum(within + level, 1e-300))
    empty = test.count[:, None] == 0
    risk = share(
        np.maximum(within + level, 0.0), np.broadcast_to(n, within.shape)
    )  # below zero it is rounding, and not sound
    return risk, sound | empty
