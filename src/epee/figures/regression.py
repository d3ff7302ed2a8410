"""Pictures of regressions: fits with bands, coefficient paths, the hierarchy of degrees, what n does, and residual diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.figures.style import COLOURS, new_axes, new_grid
from epee.typing import ArrayLike, Matrix, Vector
from epee.words.numbers import local, percent
from epee.words.regression_words import say


def plot_fit(model: Any, X: Any, y: ArrayLike, ax: Any = None, *, level: float = 0.95, margin: float = 0.05) -> Any:
    """Draw the sample and the fit over one input, with the bands of the mean and of a new value where the model has them.

    With several inputs, predictions are drawn against values.
    """
    ax = new_axes(ax)
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    X = X[:, None] if X.ndim == 1 else X
    if X.shape[1] > 1:
        return _against(ax, np.asarray(model.predict(as_learned(model, X))), y)
    low, high = X.min(), X.max()
    grid = np.linspace(low - margin * (high - low), high + margin * (high - low), 400)[:, None]
    ax.plot(X[:, 0], y, "o", ms=3.5, color="0.35", alpha=min(1.0, 30 / np.sqrt(len(y))), zorder=1)
    ax.plot(grid[:, 0], model.predict(as_learned(model, grid)), color=COLOURS[0], lw=1.8, label=say("fit"), zorder=3)
    if hasattr(model, "predict_interval"):
        for kind, shade in (("prediction", 0.15), ("mean", 0.35)):
            ends = model.predict_interval(as_learned(model, grid), level, kind)
            name = f"{say(kind)}, {percent(level, 0)}"
            ax.fill_between(
                grid[:, 0], ends[:, 0], ends[:, 1], color=COLOURS[0], alpha=shade, lw=0, label=name, zorder=2
            )
    names = getattr(model, "feature_names_in_", None)
    ax.set(xlabel=str(names[0]) if names is not None else "x", ylabel="y")
    ax.legend(fontsize=8)
    return ax


def _against(ax: Any, predicted: Matrix, y: Matrix) -> Any:
    ax.plot(predicted, y, "o", ms=3, alpha=min(1.0, 30 / np.sqrt(len(y))))
    ends = [min(predicted.min(), y.min()), max(predicted.max(), y.max())]
    ax.plot(ends, ends, color="k", lw=1)
    ax.set(xlabel=say("predicted"), ylabel=say("observed"))
    return ax


def plot_path(path: Any, ax: Any = None, *, against: str = "dof", chosen: float | None = None) -> Any:
    """Draw coefficients against degrees of freedom, or against the penalty (``against="alpha"``).

    ``path`` has ``alphas`` (A,), ``coef`` (A, p) and ``dof`` (A,): a ridge or a lasso path. ``chosen`` is an alpha to mark.
    """
    ax = new_axes(ax)
    coef = path.coef if np.ndim(path.coef) == 2 else path.coef[:, 0]
    at = path.dof if against == "dof" else path.alphas
    order = np.argsort(at, kind="stable")
    names = path.names if getattr(path, "names", None) is not None else [f"x{j}" for j in range(coef.shape[1])]
    few = coef.shape[1] <= 12
    end = order[-1] if against == "dof" else order[0]
    height = spread_out(coef[end], 0.045 * max(float(np.ptp(coef)), 1e-300)) if few else coef[end]
    for j in range(coef.shape[1]):
        line = ax.plot(at[order], coef[order, j], lw=1.4, alpha=1.0 if few else 0.6)[0]
        if few:
            ax.annotate(str(names[j]), (at[end], height[j]), xytext=(4 if against == "dof" else -4, 0), textcoords="offset points",
                        va="center", ha="left" if against == "dof" else "right", fontsize=8, color=line.get_color())  # fmt: skip
    if few:
        ax.margins(x=0.12)
    ax.axhline(0, color="0.6", lw=0.8)
    if chosen is not None:
        ax.axvline(float(at[np.argmin(np.abs(np.log(path.alphas) - np.log(chosen)))]), color="k", lw=0.9, ls="--")
    if against != "dof":
        ax.set_xscale("log")
    ax.set(xlabel=say("effective degrees of freedom" if against == "dof" else "penalty"), ylabel=say("coefficient"))
    return ax


def spread_out(heights: Vector, gap: float) -> Vector:
    """Return heights moved as little as possible so that no two are closer than ``gap``: where labels can be read.

    >>> spread_out(np.array([0.0, 5.0, 0.5]), 1.0)
    array([-0.25,  5.  ,  0.75])
    """
    order = np.argsort(heights, kind="stable")
    groups: list[list[float]] = []  # [mean of the wanted, how many] of labels that stand together
    for want in heights[order]:
        groups.append([float(want), 1])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < gap * (groups[-1][1] + groups[-2][1]) / 2:
            (m1, n1), (m2, n2) = groups[-2], groups.pop()
            groups[-1] = [(m1 * n1 + m2 * n2) / (n1 + n2), n1 + n2]
    out = np.empty(len(heights))
    out[order] = [mean + gap * (i - (n - 1) / 2) for mean, n in groups for i in range(int(n))]
    return out


def as_learned(model: Any, X: Matrix) -> Any:
    """Return rows as the model wants them: a frame with its names where it learned from one."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=list(names))


def name_outer(axes: Any, xlabel: str = "x", ylabel: str = "y") -> None:
    """Name the axes at the lower and the left edge of a grid of pictures."""
    for ax in np.ravel(axes):
        place = ax.get_subplotspec()
        if place is None or place.is_last_row():
            ax.set_xlabel(xlabel)
        if place is None or place.is_first_col():
            ax.set_ylabel(ylabel)


def plot_hierarchy(models: Sequence[Any], X: Any, y: ArrayLike, axes: Any = None, *, truth: Any = None) -> Any:
    """Draw fitted polynomials of growing degree side by side on one sample; ``truth(x)`` is the curve that is sought."""
    X, y = np.asarray(X, dtype=float).reshape(len(np.asarray(y)), -1), np.asarray(y, dtype=float)
    if axes is None:
        columns = min(len(models), 4)
        shape = (-(-len(models) // columns), columns)
        axes = new_grid(*shape, size=(3.2 * shape[1], 2.7 * shape[0]), sharex=True, sharey=True)
        name_outer(axes)
        for ax in np.ravel(axes)[len(models) :]:
            ax.set_axis_off()
        for ax in axes[
            -2:-1, len(models) - columns * (shape[0] - 1) :
        ].flat:  # nothing below: these are the last of their column
            ax.tick_params(labelbottom=True)
            ax.set_xlabel("x")
    grid = np.linspace(X.min(), X.max(), 400)[:, None]
    room = 0.35 * (y.max() - y.min())
    for model, ax in zip(models, np.ravel(axes), strict=False):
        ax.plot(X[:, 0], y, "o", ms=3.5, color="0.35")
        if truth is not None:
            ax.plot(grid[:, 0], truth(grid[:, 0]), color=COLOURS[2], lw=1.2, ls="--")
        ax.plot(grid[:, 0], model.predict(as_learned(model, grid)), color=COLOURS[0], lw=1.8)
        ax.set_ylim(y.min() - room, y.max() + room)
        ax.set_title(f"{say('degree')} {model.degree}", fontsize=10)
    return axes


def plot_sample_sizes(
    models: Sequence[Any], samples: Sequence[tuple[Any, ArrayLike]], axes: Any = None, *, truth: Any = None
) -> Any:
    """Draw the same kind of model fitted to samples of growing size: more rows cure what a small sample makes wild."""
    if axes is None:
        axes = new_grid(1, len(models), size=(3.4 * len(models), 3), sharex=True, sharey=True)
        name_outer(axes)
    every = np.concatenate([np.asarray(y, dtype=float) for _, y in samples])
    room = 0.3 * (every.max() - every.min())
    for model, (X, y), ax in zip(models, samples, np.ravel(axes), strict=True):
        x = np.asarray(X, dtype=float).reshape(len(np.asarray(y)), -1)[:, 0]
        grid = np.linspace(x.min(), x.max(), 400)
        ax.plot(x, y, "o", ms=3, color="0.35", alpha=min(1.0, 8 / np.sqrt(len(x))))
        if truth is not None:
            ax.plot(grid, truth(grid), color=COLOURS[2], lw=1.2, ls="--")
        ax.plot(grid, model.predict(as_learned(model, grid[:, None])), color=COLOURS[0], lw=1.8)
        ax.set_ylim(every.min() - room, every.max() + room)
        ax.set_title(say("{n} {n:row|rows}", n=len(x)), fontsize=10)
    return axes


def plot_diagnostics(model: Any, X: Any, y: ArrayLike, axes: Any = None) -> Any:
    """Draw four pictures of the residuals: against fits, normal quantiles, spread, and leverage with Cook's distance."""
    from scipy.special import ndtri

    if axes is None:
        axes = new_grid(2, 2, size=(9, 7))
    a, b, c, d = np.ravel(axes)
    fitted, e = model.predict(X), model.residuals(X, y)
    t, h, cook = model.studentised_residuals(X, y), model.leverage(X), model.cooks_distance(X, y)
    dots = {"marker": "o", "ls": "none", "ms": 3.5, "alpha": min(1.0, 30 / np.sqrt(len(e)))}
    a.plot(fitted, e, **dots)
    a.axhline(0, color="0.5", lw=0.8)
    a.set(xlabel=say("fitted value"), ylabel=say("residual"), title=say("residuals and fit"))
    q = ndtri((np.arange(len(t)) + 0.5) / len(t))
    b.plot(q, np.sort(t), **dots)
    b.plot(q[[0, -1]], q[[0, -1]], color="0.5", lw=0.8)
    b.set(xlabel=say("normal quantile"), ylabel=say("studentised residual"), title=say("normality"))
    c.plot(fitted, np.sqrt(np.abs(t)), **dots)
    c.set(
        xlabel=say("fitted value"),
        ylabel=f"{say('studentised residual')}, {say('root of its size')}",
        title=say("spread"),
    )
    t = model.studentised_residuals(X, y, external=False)  # Cook's distance is a function of these
    d.plot(h, t, **dots)
    k = model._parameters()
    grid = np.linspace(max(h.min() * 0.5, 1e-6), min(h.max() * 1.1, 0.999), 200)
    top = 1.15 * np.abs(t).max()
    for distance, style in ((0.5, ":"), (1.0, "--")):
        edge = np.sqrt(distance * k * (1 - grid) / grid)
        for sign in (1, -1):
            d.plot(grid, sign * edge, color=COLOURS[1], lw=0.8, ls=style)
    d.set_ylim(-top, top)
    for i in np.argsort(cook)[-3:]:
        d.annotate(f"{say('row')} {i}", (h[i], t[i]), xytext=(4, 4), textcoords="offset points", fontsize=8)
    d.set(
        xlabel=say("leverage"), ylabel=say("studentised residual"), title=f"{say('influence')} (Cook {local('0.5')}, 1)"
    )
    return axes


def plot_bands(
    designs: dict[str, Matrix], grid: Matrix, ax: Any = None, *, at: ArrayLike | None = None, column: int = -1
) -> Any:
    """Draw how the standard deviation of a prediction shrinks: one curve a design, over the rows of ``grid``.

    Parameters
    ----------
    designs : dict of arrays (n, p)
        Rows measured in each design, by name.
    grid : array (k, p)
        Where to predict, as the model sees it.
    at : array (k,), optional
        The horizontal axis; by default the given ``column`` of ``grid``.
    ax : axes, optional
    column : int, default=-1
        Column of ``grid`` along the x axis when ``at`` is not given.
    """
    ax = new_axes(ax)
    x = np.asarray(grid)[:, column] if at is None else np.asarray(at)
    for k, (name, rows) in enumerate(designs.items()):
        R: Any = np.linalg.qr(np.asarray(rows, dtype=float), mode="r")
        half = np.linalg.solve(R.T, np.asarray(grid, dtype=float).T)
        ax.plot(
            x,
            np.sqrt((half**2).sum(axis=0)),
            color=COLOURS[k % len(COLOURS)],
            lw=1.6,
            label=f"{name} ({say('{n} {n:row|rows}', n=len(rows))})",
        )
        if at is None:
            ax.plot(
                np.asarray(rows)[:, column],
                np.zeros(len(rows)) - 0.02 * k,
                "|",
                color=COLOURS[k % len(COLOURS)],
                ms=9,
                clip_on=False,
            )
    ax.set(xlabel="x", ylabel=say("standard deviation of the prediction"))
    ax.set_ylim(bottom=min(0.0, -0.02 * len(designs)))
    ax.legend(fontsize=8)
    return ax
