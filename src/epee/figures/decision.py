"""Pictures of decisions: error against rejection, reliability of probabilities, what a class looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epee.figures.style import COLOURS, QUIET, band, legend, new_axes, new_grid, whiskers
from epee.words.decision_words import say
from epee.words.numbers import figures

if TYPE_CHECKING:
    from epee.decision.rejection import ErrorReject
    from epee.decision.reliability import ReliabilityCurve


def plot_error_reject(curve: ErrorReject, ax: Any = None) -> Any:
    """Draw the error of what is decided against the rate of rejection, with its band and the choice in force."""
    ylabel = say("error of what is decided" if curve.is_rate else "cost of what is decided")
    ax = new_axes(ax, xlabel=say("rate of rejection"), ylabel=ylabel)
    shown = curve.reject_rate < 0.98  # beyond, a handful of rows make a wild curve
    shown[-1] = True
    band(ax, curve.reject_rate[shown], curve.low[shown], curve.high[shown], COLOURS[0])
    ax.plot(curve.reject_rate[shown], curve.error[shown], color=COLOURS[0], lw=1.8)
    if curve.chosen is not None:
        x, y = curve.at(curve.chosen)
        ax.plot([x], [y], "o", color=COLOURS[1], ms=7, label=f"{say('chosen')}: c = {figures(curve.chosen)}")
        legend(ax)
    ax.set(xlim=(0, 1), ylim=(0, None))
    return ax


def plot_reliability(curve: ReliabilityCurve, ax: Any = None) -> Any:
    """Draw the observed frequency of each bin with its interval against the predicted probability, and how many rows it has."""
    title = "" if curve.label is None else say("class {label}", label=str(curve.label))
    ax = new_axes(
        ax, size=(4.8, 4.6), xlabel=say("predicted probability"), ylabel=say("observed frequency"), title=title
    )
    ax.plot([0, 1], [0, 1], ls="--", lw=1, color=QUIET, label=say("perfect calibration"))
    band(ax, curve.predicted, curve.low, curve.high, COLOURS[0])
    whiskers(ax, curve.observed, curve.low, curve.high, curve.predicted, COLOURS[0], flat=False)
    ax.plot(curve.predicted, curve.observed, color=COLOURS[0], lw=1)
    ax.vlines(
        curve.predicted,
        0,
        0.12 * curve.count / curve.count.max(),
        color=COLOURS[1],
        lw=4,
        alpha=0.6,
        label=say("rows"),
    )
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    legend(ax, loc="upper left")
    return ax


def plot_class_images(model: Any, shape: tuple[int, int]) -> Any:
    """Draw the mean image of each class of a generative classifier; returns the array of axes."""
    images = model.class_images(shape)
    columns = min(len(images), 5)
    rows = -(-len(images) // columns)
    axes = new_grid(rows, columns, size=(1.5 * columns, 1.7 * rows))
    low, high = float(images.min()), float(images.max())
    for k, ax in enumerate(axes.flat):
        ax.set_axis_off()
        ax.grid(False)
        if k < len(images):
            ax.imshow(images[k], cmap="gray_r", vmin=low, vmax=high)
            ax.set_title(str(model.classes_[k]))
    return axes


def plot_threshold(threshold: Any, ax: Any = None) -> Any:
    """Draw the weighted densities of two normal classes on a line, and the cuts between them."""
    (m, v, p) = threshold.means, threshold.variances, threshold.priors
    sd = np.sqrt(v)
    x = np.linspace(min(np.subtract(m, 4 * sd)), max(np.add(m, 4 * sd)), 600)
    ax = new_axes(ax, xlabel="x")
    for k in range(2):
        f = p[k] * np.exp(-((x - m[k]) ** 2) / (2 * v[k])) / np.sqrt(2 * np.pi * v[k])
        ax.plot(x, f, color=COLOURS[k], lw=1.8, label=say("class {label}", label=str(threshold.classes[k])))
    for root in threshold.roots:
        if x[0] <= root <= x[-1]:
            ax.axvline(root, color=QUIET, ls="--", lw=1)
    ax.set_ylim(0, None)
    legend(ax)
    return ax
