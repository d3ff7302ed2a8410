r"""One pass for all folds of a table with missing cells.

Each row is laid out as :math:`z = (o\,(x - c),\; 1 - o)`, with :math:`o` = 1 where a cell is there and :math:`c` any constant.
Filling with the mean of the training rows is affine in :math:`z`,

.. math:: \hat x_j = c_j + z_j + (1 - o_j)\, f_j, \qquad f_j = \frac{E[z_j]}{E[o_j]}, \tag{1}

so the moments of :math:`z`, from one pass, give those of the filled rows of every training sample, each with its own means.
A diagonal scatter needs no more, since :math:`z_j (1 - o_j) = 0`:

.. math:: \mathrm{Var}[\hat x_j] = \mathrm{Var}[z_j] + f_j^2 \mathrm{Var}[o_j] - 2 f_j E[z_j]\,E[1 - o_j]. \tag{2}
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from epee.errors import ConditionWarning
from epee.moments.moments import Moments
from epee.risk.asking import Ask, asker
from epee.risk.one_pass import Linear, MomentRoute, linear_of
from epee.risk.splitting import Split
from epee.typing import Matrix, Tensor, Vector


class Holes:
    """Where the missing cells of a table are: ``columns`` (h,) that have some, and a constant ``centre`` (p,)."""

    def __init__(self, X: Matrix) -> None:
        missing = np.isnan(X)
        self.p = X.shape[1]
        self.columns = np.flatnonzero(missing.any(axis=0))
        with np.errstate(invalid="ignore"):
            there = np.maximum((~missing).sum(axis=0), 1)
            self.centre: Vector = np.where(missing, 0.0, X).sum(axis=0) / there

    def spread(self, X: Matrix) -> Matrix:
        """Return the rows z (n, p + h)."""
        Z = np.where(np.isnan(X), 0.0, X - self.centre)
        return np.hstack([Z, np.isnan(X[:, self.columns]).astype(np.float64)])

    def maps(self, whole: Moments) -> tuple[Tensor, Tensor]:
        """Return A (T, p + m, q + m) and b (T, p + m) of (1) for training moments of z; the m targets pass through."""
        p, h, m = self.p, len(self.columns), whole.targets
        mean = whole.mean  # (T, q + m)
        T = len(mean)
        there = 1.0 - mean[:, p : p + h]
        fill = np.divide(mean[:, self.columns], there, out=np.zeros_like(there), where=there > 1e-12)
        A = np.zeros((T, p + m, p + h + m))
        A[:, np.arange(p), np.arange(p)] = 1.0
        A[:, self.columns, p + np.arange(h)] = fill
        A[:, p + np.arange(m), p + h + np.arange(m)] = 1.0
        return A, np.broadcast_to(np.append(self.centre, np.zeros(m)), (T, p + m))

    def fill(self, train: Moments, A: Tensor, b: Tensor) -> Moments:
        """Return the moments of the filled rows."""
        return self._fill_diagonal(train, A, b) if train.kind == "diagonal" else mapped(train, A, b)

    def _fill_diagonal(self, train: Moments, A: Tensor, b: Tensor) -> Moments:
        p, columns = self.p, self.columns
        fill = A[:, columns, p + np.arange(len(columns))]  # (T, h)
        grouped = "group" in train.axes
        f = fill[:, None] if grouped else fill
        mean, scatter, n = train.mean, train.scatter, train.count[..., None]
        assert scatter is not None
        z, gone = mean[..., columns], mean[..., p : p + len(columns)]
        filled, spread = mean[..., :p].copy(), scatter[..., :p].copy()
        filled[..., columns] += f * gone
        spread[..., columns] += f**2 * scatter[..., p : p + len(columns)] - 2 * f * n * z * gone
        filled = np.where(n > 0, filled + (b[:, None, :p] if grouped else b[:, :p]), 0.0)
        return replace(train, shift=filled, scatter=np.maximum(spread, 0.0), origin=np.zeros(p))


def mapped(train: Moments, A: Tensor, b: Tensor) -> Moments:
    """Return the moments of the rows A z + b, with A (T, e, q) and b (T, e) along the fold axis."""
    grouped = "group" in train.axes
    mean = np.matmul(A[:, None] if grouped else A, train.mean[..., None])[..., 0] + (b[:, None] if grouped else b)
    mean = np.where(train.count[..., None] > 0, mean, 0.0)
    scatter = train.scatter
    if scatter is not None:
        by = A[:, None] if grouped and train.kind != "pooled" else A
        scatter = by @ scatter @ by.swapaxes(-1, -2)
    return replace(train, shift=mean, scatter=scatter, origin=np.zeros(mean.shape[-1]))


class Filled:
    """A fitted model behind the map A z + b that its training rows asked for."""

    def __init__(self, model: Any, A: Matrix, b: Vector) -> None:
        self.model, self.A, self.b = model, A, b


class FilledRoute(MomentRoute):
    """The one-pass route on rows with missing cells; ``model`` is a pipeline without the step that fills."""

    def __init__(self, model: Any, X: Matrix, y: Any, sample_weight: Any, loss: Any) -> None:
        self.holes = Holes(X)
        super().__init__(model, self.holes.spread(X), y, sample_weight, loss)

    def scaled(self, train: Moments) -> tuple[Moments, Any, Any]:
        """Return the moments of filled and scaled rows, with the maps from z to them, (T, p, q) and (T, p)."""
        whole = train.merge("group") if "group" in train.axes else train
        A, b = self.holes.maps(whole)
        filled, p = self.holes.fill(train, A, b), self.holes.p
        filled, scale, shift = super().scaled(filled)
        q = A.shape[2] - train.targets
        A, b = A[:, :p, :q], b[:, :p]
        if scale is not None and shift is not None:
            A, b = scale[:, :, None] * A, b * scale + shift
        return filled, A, b

    def fit(self, train: Moments, split: Split | None = None) -> Linear | list[Any]:
        """Return the models of all training moments, as predictors of the rows z."""
        train, A, b = self.scaled(train)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConditionWarning)  # the filled rows are not laid out anywhere to go back to
            models = self.solve(train)
        if self.is_linear() and not isinstance(models, Linear):
            models = linear_of(models)
        if isinstance(models, Linear):
            return Linear(np.matmul(models.coef, A), models.intercept + np.matmul(models.coef, b[..., None])[..., 0])
        return [Filled(model, A[t], b[t]) for t, model in enumerate(models)]

    def askers(self, models: list[Any]) -> list[Ask]:
        """Return the functions of rows z behind fitted models."""

        def make(model: Filled) -> Ask:
            inner, A, b = asker(model.model, self.loss, self.classes), model.A.T, model.b
            return lambda Z: inner(Z @ A + b)

        return [make(model) for model in models]
