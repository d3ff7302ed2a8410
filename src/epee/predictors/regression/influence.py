r"""Which rows hold a least squares fit: leverage, studentised residuals, Cook's distance, predictions without the row.

With the diagonal :math:`h_i = a_i^\top (A^\top A)^{-1} a_i` of the hat matrix and the residual :math:`e_i`,

.. math:: r_i = \frac{e_i}{s\sqrt{1 - h_i}}, \qquad t_i = \frac{e_i}{s_{(i)}\sqrt{1 - h_i}}, \qquad
          D_i = \frac{r_i^2}{k}\,\frac{h_i}{1 - h_i}, \qquad y_i - \hat y_{(i)} = \frac{e_i}{1 - h_i}, \tag{1}

where :math:`(i)` means *without row i*: no refit is needed. A weight is a count, and one copy of the row is left out.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.errors import DataError, EpeeWarning
from epee.typing import Matrix, Tensor, Vector

AT_ONCE = 50_000  # numbers of rows whose leverage is found together: they stay in the cache
CERTAIN = 1 - 1e-9  # a row of this leverage decides its own prediction: (1) divides by zero


class LeftOut:
    """Leverage, and predictions without the row, of a linear smoother; which brings the attributes named here."""

    fit_intercept: bool
    _factor: Any
    _centre: Any
    _count: Any
    _leave: Any

    def _spread(self, X: Matrix) -> Vector:
        """Return a0' (A'A)^-1 a0 for each row (n,)."""
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
        rows = max(AT_ONCE // max(X.shape[1], 1), 256)
        parts = [self._spread_of(X[i : i + rows]) for i in range(0, len(X), rows)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _spread_of(self, X: Matrix) -> Vector:
        """Return the same of some rows."""
        if hasattr(self, "_general") and self.fit_intercept:
            half = self._factor.half_solve(np.vstack([np.ones(len(X)), X.T]))
            return np.einsum("ij,ij->j", half, half)
        half = self._factor.half_solve((X - self._centre).T)  # (r, n)
        return np.einsum("ij,ij->j", half, half) + (1 / self._count if self.fit_intercept else 0.0)

    def leverage(self, X: Any) -> Vector:
        """Return the leverage h of each row (n,): how much its own value moves its prediction; between 0 and 1 in the sample."""
        return self._spread(self._leave(X))

    def left_out(self, X: Any, y: Any, w: Vector | None = None) -> Tensor | None:
        """Return the prediction of each row by the model fitted without it, (n,) or (n, m); once fitted, ``X`` are its clean rows."""
        if getattr(self, "positive", False):
            return None
        fitted_on_them = hasattr(self, "n_features_in_") and isinstance(X, np.ndarray) and X.dtype == np.float64
        model: Any = self if fitted_on_them else clone(self).fit(X, y, sample_weight=w)
        Xc = X if fitted_on_them else model._leave(X)
        fitted = model._predict(Xc)
        y = model._enter_target(y, len(fitted)).reshape(fitted.shape)
        return leave_each(model, Xc, y, w, fitted, model._spread(Xc))


class Influence(LeftOut):
    """Diagnostics of single rows; the rows are given again, because a fit keeps only sums."""

    _enter_target: Any
    _predict: Any
    _freedom: Any
    _parameters: Any
    _rss: Any

    def residuals(self, X: Any, y: Any) -> Tensor:
        """Return y minus its prediction, (n,) or (n, m)."""
        X = self._leave(X)
        return self._enter_target(y, X.shape[0]).reshape(self._predict(X).shape) - self._predict(X)

    def studentised_residuals(self, X: Any, y: Any, *, external: bool = True) -> Tensor:
        """Return residuals in units of their own standard deviation, from the other rows when ``external``; equation (1)."""
        h, e, freedom = self.leverage(X), self.residuals(X, y), self._freedom()
        left = np.maximum(1 - h, 1e-300).reshape(-1, *[1] * (e.ndim - 1))
        rss = self._rss[0] if e.ndim == 1 else self._rss
        if external:
            if freedom <= 1:
                raise DataError(
                    "externally studentised residuals need at least two residual degrees of freedom; add rows."
                )
            variance = np.maximum(rss - e**2 / left, 0.0) / (freedom - 1)
        else:
            variance = np.broadcast_to(rss / freedom, e.shape)
        sd = np.sqrt(variance * left)
        return np.divide(e, sd, out=np.zeros_like(e), where=sd > 0)

    def cooks_distance(self, X: Any, y: Any) -> Tensor:
        """Return Cook's distance of each row: how far all predictions would move without it; above 1 is much."""
        h, r = self.leverage(X), self.studentised_residuals(X, y, external=False)
        pull = h / np.maximum(1 - h, 1e-300) / self._parameters()
        return r**2 * pull.reshape(-1, *[1] * (r.ndim - 1))

    def plot(self, X: Any, y: Any, ax: Any = None, *, level: float = 0.95) -> Any:
        """Draw the fit with its bands over one input, or predictions against values."""
        from epee.figures.regression import plot_fit

        return plot_fit(self, X, y, ax, level=level)

    def plot_diagnostics(self, X: Any, y: Any, axes: Any = None) -> Any:
        """Draw residuals against fits, their normal quantiles, their spread, and leverage with Cook's distance."""
        from epee.figures.regression import plot_diagnostics

        return plot_diagnostics(self, X, y, axes)


def leave_each(model: Any, X: Matrix, y: Tensor, w: Vector | None, fitted: Tensor, h: Vector) -> Tensor:
    """Return left-out predictions by (1); rows that decide their own prediction are refitted one by one."""
    out = np.ones(len(h)) if w is None else np.minimum(w, 1.0)  # what is left out: one copy, or all of a lighter row
    h = (out * h.T).T.reshape(*h.shape, *[1] * (y.ndim - h.ndim))
    left = y - (y - fitted) / np.maximum(1 - h, 1 - CERTAIN)
    left = np.where((out > 0).reshape(-1, *[1] * (y.ndim - 1)), left, fitted)
    for i in np.flatnonzero((h > CERTAIN).reshape(len(h), -1).any(axis=1)):
        rows = np.ones(len(h)) if w is None else np.array(w, dtype=float)
        rows[i] -= out[i]
        keep = rows > 0
        if not keep.any():
            raise DataError("there is only one row: nothing is left to predict it from.")
        with warnings.catch_warnings():  # what the rest leaves undetermined was no fault of the sample
            warnings.simplefilter("ignore", EpeeWarning)
            left[i] = clone(model).fit(X[keep], y[keep], sample_weight=rows[keep])._predict(X[i : i + 1])[0]
    return left
