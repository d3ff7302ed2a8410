"""Pictures of splines: the curve, its band and the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.figures.style import COLOURS, QUIET, band, new_axes
from epee.words.figure_words import say
from epee.words.numbers import figures


def draw_spline(model: Any, X: Any = None, y: Any = None, ax: Any = None, level: float = 0.95) -> Any:
    """Draw a smoothing spline with the band of its curve, over the rows when they are given."""
    ax = new_axes(ax, xlabel="x", ylabel="y")
    x = np.linspace(model.knots_[0], model.knots_[-1], 400)
    if X is not None and y is not None:
        ax.plot(np.ravel(X), y, "o", ms=3.5, color=QUIET, alpha=0.7)
    if np.isfinite(model.sigma2_):
        ends = model.predict_interval(x, level)
        band(ax, x, ends[:, 0], ends[:, 1], COLOURS[0])
    ax.plot(x, model.predict(x), color=COLOURS[0], lw=2)
    dof = say("{n} {n:degree|degrees} of freedom", n=round(float(model.effective_dof_), 2))
    ax.set_title(f"λ = {figures(model.lam_)}, {dof}")
    return ax


def draw_curves(model: Any, X: Any, names: Any = None, axes: Any = None) -> Any:
    """Draw the curve of each column of additive splines."""
    from epee.figures.regression import as_learned
    from epee.figures.style import new_grid

    X = np.asarray(X, dtype=float)
    p = X.shape[1]
    axes = new_grid(1, p) if axes is None else axes
    curves = model.curves(as_learned(model, X))
    names = getattr(model, "feature_names_in_", None) if names is None else names
    for j, ax in enumerate(np.ravel(axes)):
        order = np.argsort(X[:, j])
        ax.plot(X[order, j], curves[order, j], color=COLOURS[j % len(COLOURS)], lw=2)
        ax.set_xlabel(str(names[j]) if names is not None else f"x{j}")
    np.ravel(axes)[0].set_ylabel(say("part of the prediction"))
    return axes
