"""Pictures of projections: rows on two axes, images in a row, the correlation circle, the biplot, the scree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.figures.style import COLOURS, INK, MARKERS, QUIET, new_axes, new_grid
from epee.typing import Matrix
from epee.words.figure_words import say


def draw_projection(Z: Matrix, y: Any = None, ax: Any = None, words: Sequence[str] | None = None) -> Any:
    """Draw rows on one or two axes, the classes in their colours and markers."""
    words = words or [say("axis {j}", j=j) for j in (1, 2)]
    second = Z[:, 1] if Z.shape[1] > 1 else np.zeros(len(Z))
    ax = new_axes(ax, xlabel=words[0], ylabel=words[1] if len(words) > 1 else "")
    labels = np.zeros(len(Z)) if y is None else np.asarray(y)
    for i, label in enumerate(np.unique(labels)):
        here = labels == label
        ax.scatter(
            Z[here, 0], second[here], s=16, alpha=0.75, color=COLOURS[i % len(COLOURS)], marker=MARKERS[i % len(MARKERS)],
            linewidths=0, label=str(label),
        )  # fmt: skip
    if y is not None:
        ax.legend(frameon=False, fontsize=9)
    return ax


def draw_images(images: np.ndarray, titles: Sequence[str] | None = None, axes: Any = None, *, columns: int = 9) -> Any:
    """Draw images side by side in grey."""
    columns = min(columns, len(images))
    rows = -(-len(images) // columns)
    axes = new_grid(rows, columns, size=(1.35 * columns, 1.6 * rows)) if axes is None else axes
    for i, ax in enumerate(np.ravel(axes)):
        ax.set_axis_off()
        if i < len(images):
            ax.imshow(images[i], cmap="gray", interpolation="nearest")
            if titles is not None:
                ax.set_title(titles[i], fontsize=8)
    return axes


def draw_circle(correlations: Matrix, names: Sequence[str], ax: Any = None) -> Any:
    """Draw the correlation circle: each column by its correlations (p, 2) with the first two components."""
    ax = new_axes(
        ax, size=(4.6, 4.6), xlabel=say("correlation with axis {j}", j=1), ylabel=say("correlation with axis {j}", j=2)
    )
    angle = np.linspace(0, 2 * np.pi, 200)
    ax.plot(np.cos(angle), np.sin(angle), color=QUIET, lw=1)
    for (a, b), name in zip(correlations, names, strict=True):
        ax.annotate("", xy=(a, b), xytext=(0, 0), arrowprops={"arrowstyle": "->", "color": COLOURS[0], "lw": 1.4})
        _beyond(ax, a, b, name, INK)
    ax.set(xlim=(-1.35, 1.35), ylim=(-1.2, 1.2), aspect="equal")
    return ax


def _beyond(ax: Any, a: float, b: float, name: Any, colour: str) -> None:
    """Write a name past the tip (a, b) of an arrow, on the side to which it points."""
    length = max(np.hypot(a, b), 1e-300)
    across, up = a / length, b / length
    side = "center" if abs(across) < 0.4 else "left" if across > 0 else "right"
    ax.annotate(
        str(name),
        (a, b),
        xytext=(6 * across, 8 * up),
        textcoords="offset points",
        ha=side,
        va="center",
        fontsize=9,
        color=colour,
    )


def draw_biplot(scores: Matrix, loadings: Matrix, names: Sequence[str], ax: Any = None, labels: Any = None) -> Any:
    """Draw rows as points and columns as arrows on the same two axes."""
    ax = new_axes(ax, xlabel=say("axis {j}", j=1), ylabel=say("axis {j}", j=2))
    ax.scatter(scores[:, 0], scores[:, 1], s=12, color=QUIET, alpha=0.6, linewidths=0)
    if labels is not None:
        for point, label in zip(scores, labels, strict=True):
            ax.annotate(
                str(label), point[:2], xytext=(0, 3), textcoords="offset points", fontsize=6.5, color=QUIET, ha="center"
            )
    reach = 0.9 * np.abs(scores[:, :2]).max() / max(np.abs(loadings).max(), 1e-300)
    for (a, b), name in zip(loadings * reach, names, strict=True):
        ax.annotate("", xy=(a, b), xytext=(0, 0), arrowprops={"arrowstyle": "->", "color": COLOURS[1], "lw": 1.6})
        _beyond(ax, a, b, name, COLOURS[1])
    tips = loadings * reach
    ax.update_datalim(np.vstack([1.15 * tips, [[0.0, 0.0]]]))  # arrows do not stretch the axes by themselves
    ax.autoscale_view()
    return ax


def draw_scree(
    values: Any, low: Any = None, high: Any = None, reference: Any = None, ax: Any = None, words: str = ""
) -> Any:
    """Draw eigenvalues with their bands, and what chance alone would give."""
    values = np.asarray(values)
    at = np.arange(1, len(values) + 1)
    ax = new_axes(ax, xlabel=say("axis"), ylabel=say("variance"))
    if low is not None and high is not None:
        ax.errorbar(
            at,
            values,
            np.vstack([values - low, high - values]).clip(0),
            fmt="o-",
            capsize=3,
            ms=5,
            color=COLOURS[0],
            label=say("eigenvalues"),
        )
    else:
        ax.plot(at, values, "o-", ms=5, color=COLOURS[0], label=say("eigenvalues"))
    if reference is not None:
        ax.plot(at, reference, "--", color=COLOURS[1], lw=1.4, label=words or say("chance"))
    ax.set_xticks(at[:: max(1, len(at) // 15)])
    ax.legend(frameon=False, fontsize=9)
    return ax
