"""Many predictors at once: what an estimator gives that solves for all training samples of a cross-validation together."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import affine_rows, at_home, is_elsewhere, shaped
from epee.moments.affine import Affine
from epee.typing import Codes, Matrix, Tensor, Vector


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
            found: Tensor = shaped(there, X.shape[0], *coef.shape[:2])
        else:
            flat = X @ coef.reshape(-1, coef.shape[-1]).T  # (n, t k)
            found = flat.reshape(len(X), *coef.shape[:2]) + self.intercept[which]
        return found

    def raw_by_own(self, X: Matrix, which: Codes) -> Tensor:
        """Return the scores (..., n, k) of each row under predictors of its own, (..., n)."""
        models = self.here()
        found: Tensor = np.einsum("...nkp,np->...nk", models.coef[which], X) + models.intercept[which]
        return found
