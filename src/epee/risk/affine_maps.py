r"""Steps of a pipeline that are affine maps estimated from training moments: a scaler, the filling of missing cells.

With one map :math:`x \mapsto A_t x + b_t` for each training sample ``t``, its moments are mapped, the model is solved from
them, and the map is folded into a linear predictor, or applied to the rows before any other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from epee.moments.moments import Moments
from epee.typing import Matrix, Tensor, Vector


def move(X: Matrix, scale: Tensor, shift: Vector) -> Matrix:
    """Return the rows ``A x + b``; a vector A scales the columns."""
    return X * scale + shift if scale.ndim == 1 else X @ scale.T + shift


def through(coef: Tensor, scale: Tensor) -> Tensor:
    """Return linear predictors (T, ..., p) of the rows before the maps ``scale`` (T, p) or (T, p, q)."""
    lead = (len(scale), *[1] * (coef.ndim - 2))
    if scale.ndim == 2:
        return coef * scale.reshape(*lead, -1)
    return np.matmul(coef, scale.reshape(*lead[:-1], *scale.shape[1:]))


def encoder_maps(encoder: Any, train: Moments) -> tuple[Tensor, Matrix]:
    """Return the maps (T, e, q) and (T, e) from row maps to encoded rows, each filled with the means of its training rows.

    A level that some training rows lack has no column there: columns of zeros fill up, to which no estimator gives weight.
    """
    whole = train.merge("group") if "group" in train.axes else train
    pairs = [
        encoder.fill_map(whole.at("fold", t)) for t in range(len(train.count))
    ]  # targets pass through, as last columns
    width = max(len(b) for _, b in pairs) - train.targets
    A, b = np.zeros((len(pairs), width, train.p)), np.zeros((len(pairs), width))
    for t, (a, add) in enumerate(pairs):
        e = len(add) - train.targets
        A[t, :e], b[t, :e] = a[:e, : train.p], add[:e]
    return A, b


def mapped(m: Moments, A: Tensor, b: Matrix) -> Moments:
    """Return the moments of the inputs ``A x + b``, with A (T, e, q) and b (T, e) along the fold axis; targets stay."""
    T, e, q = A.shape
    k = m.n_columns - q
    full = np.zeros((T, e + k, q + k))
    full[:, :e, :q], full[:, e:, q:] = A, np.eye(k)
    add = np.hstack([b, np.zeros((T, k))])
    grouped = "group" in m.axes
    wide, more = (full[:, None], add[:, None]) if grouped else (full, add)
    mean = np.where(m.count[..., None] > 0, np.matmul(wide, m.mean[..., None])[..., 0] + more, 0.0)
    by = full if m.kind == "pooled" or not grouped else wide
    scatter = None if m.scatter is None else by @ m.scatter @ by.swapaxes(-1, -2)
    return replace(m, shift=mean, scatter=scatter, origin=np.zeros(e + k))


def rescale(m: Moments, A: Tensor, b: Tensor) -> Moments:
    """Return moments of the inputs ``A x + b``, with A and b (T, p) along the fold axis; targets stay."""
    T, q = len(A), m.n_columns
    A = np.hstack([A, np.ones((T, q - m.p))])
    b = np.hstack([b, np.zeros((T, q - m.p))])
    grouped = "group" in m.axes
    mean = m.mean * (A[:, None] if grouped else A) + (b[:, None] if grouped else b)
    mean = np.where(m.count[..., None] > 0, mean, 0.0)
    scatter = m.scatter
    if scatter is not None:
        by = A**2 if m.kind == "diagonal" else A[:, :, None] * A[:, None, :]
        scatter = scatter * (by[:, None] if grouped and m.kind != "pooled" else by)
    return replace(m, shift=mean, scatter=scatter, origin=np.zeros(q))


class Mapped:
    """A fitted model behind the affine map that its training rows asked for."""

    def __init__(self, model: Any, scale: Vector, shift: Vector) -> None:
        self.model, self.scale, self.shift = model, scale, shift

    def move(self, X: Matrix) -> Matrix:
        """Return the rows as the model knows them."""
        return move(X, self.scale, self.shift)
