"""Pictures of descents: the value against the iteration and, in two dimensions, the path over the contours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epee.figures.style import COLOURS, INK, legend, new_axes, new_grid
from epee.typing import Function, Matrix
from epee.words.figure_words import say

if TYPE_CHECKING:
    from epee.optimize.descent import Descent


def plot_descent(descent: Descent, ax: Any = None, *, contours: bool | None = None, levels: int = 24) -> Any:
    """Draw a descent; returns the axes: two of them in two dimensions, the path and the values, else the values alone.

    Parameters
    ----------
    descent : Descent
        What a function of :mod:`epee.optimize` returned.
    ax : matplotlib axes, pair of axes or None
        Where to draw; one pair of axes takes both pictures, one axes takes the path in two dimensions and the values
        otherwise.
    contours : bool or None
        Draw the contours of the function under the path; None draws them when the function is known.
    levels : int
        How many contours.
    """
    flat = len(descent.x) == 2
    if ax is None:
        ax = new_grid(1, 2)[0] if flat else new_axes()
    axes = np.atleast_1d(ax)
    if flat:
        _path(descent, axes[0], descent.f if contours is not False else None, levels)
    if not flat or len(axes) > 1:
        _values(descent, axes[-1])
    return ax


def _values(descent: Descent, ax: Any) -> None:
    value = descent.trace.value
    finite = np.isfinite(value)
    best = min(value[finite].min(), descent.value)
    gap = value - best
    k = np.arange(len(value))
    positive = finite & (gap > 0)
    if positive.sum() > 1 and gap[positive].max() > 100 * gap[positive].min():
        ax.semilogy(k[positive], gap[positive], marker=".", ms=4, lw=1.2)
        ax.set_ylabel(say("value above the best one"))
    else:
        ax.plot(k[finite], value[finite], marker=".", ms=4, lw=1.2)
        ax.set_ylabel(say("value"))
    ax.set_xlabel(say("iteration"))
    key = (
        "{method}: converged, {n} {n:step|steps}"
        if descent.converged
        else "{method}: not converged, {n} {n:step|steps}"
    )
    ax.set_title(say(key, method=descent.method, n=descent.iterations), fontsize=10)


def _path(descent: Descent, ax: Any, f: Function | None, levels: int) -> None:
    path = descent.trace.x
    path = path[np.isfinite(path).all(axis=1)]
    if not descent.converged:  # a path that blows up would shrink the rest of the picture to a point
        size = 20 * (np.abs(path[0] - descent.x).max() + 1e-12)
        path = path[(np.abs(path - descent.x) <= size).all(axis=1)]
    low, high = np.minimum(path.min(axis=0), descent.x), np.maximum(path.max(axis=0), descent.x)
    half = 0.6 * max(float((high - low).max()), 1e-9)
    centre = (low + high) / 2
    if f is not None:
        draw_contours(ax, f, centre - half, centre + half, levels)
    ax.plot(path[:, 0], path[:, 1], marker="o", ms=3, lw=1.2, color=COLOURS[1])
    ax.plot(*path[0], marker="s", ms=6, color=COLOURS[1], ls="none", label=say("start"))
    ax.plot(*descent.x, marker="*", ms=12, color=INK, ls="none", label=say("end"))
    ax.set(
        xlim=(centre[0] - half, centre[0] + half),
        ylim=(centre[1] - half, centre[1] + half),
        xlabel="$x_1$",
        ylabel="$x_2$",
    )
    legend(ax, loc="best", frameon=True, framealpha=0.85, edgecolor="none")


def draw_contours(ax: Any, f: Function, low: Any, high: Any, levels: int = 24, points: int = 90) -> Matrix:
    """Draw the contours of a function of two variables over a box, closer together near its minimum; returns its values."""
    a, b = np.linspace(low[0], high[0], points), np.linspace(low[1], high[1], points)
    with np.errstate(all="ignore"):
        Z = np.array([[float(f(np.array([u, v]))) for u in a] for v in b])  # (b, a)
    finite = np.isfinite(Z)
    Z = np.where(finite, Z, np.nan)
    bottom, top = np.nanmin(Z), np.nanmax(Z)
    if top > bottom:
        ax.contour(
            a,
            b,
            Z,
            levels=bottom + (top - bottom) * np.linspace(0, 1, levels + 1)[1:] ** 3,
            cmap="viridis",
            linewidths=0.7,
        )
    return Z
