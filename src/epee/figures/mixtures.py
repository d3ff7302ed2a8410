"""Pictures of mixtures: ellipses over the rows, the climb of EM, and its lower bounds in one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.figures.style import COLOURS, QUIET, new_axes
from epee.typing import Matrix
from epee.words.figure_words import say


def draw_ellipses(
    model: Any, X: Matrix | None = None, ax: Any = None, *, deviations: tuple[float, ...] = (1.0, 2.0)
) -> Any:
    """Draw the components of a mixture in the plane of the first two columns, at one and two standard deviations."""
    from matplotlib.patches import Ellipse

    ax = new_axes(ax, xlabel="x₁", ylabel="x₂")
    if X is not None:
        labels = model.predict(X)
        for k in np.unique(labels):
            colour = QUIET if k < 0 else COLOURS[k % len(COLOURS)]
            ax.scatter(X[labels == k, 0], X[labels == k, 1], s=9, color=colour, alpha=0.5, linewidths=0)
    for k, (mean, sigma) in enumerate(zip(model.means_, model._components().matrices(), strict=True)):
        values, vectors = np.linalg.eigh(sigma[:2, :2])
        angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
        for d in deviations:
            width, height = 2 * d * np.sqrt(np.maximum(values[::-1], 0))
            ax.add_patch(
                Ellipse(mean[:2], width, height, angle=angle, fill=False, lw=1.6, color=COLOURS[k % len(COLOURS)])
            )
        ax.plot(*mean[:2], "+", ms=10, mew=2, color=COLOURS[k % len(COLOURS)])
    ax.autoscale_view()
    return ax


def draw_climb(trace: Any, ax: Any = None) -> Any:
    """Draw the mean log-likelihood against the iteration: it never falls."""
    ax = new_axes(ax, xlabel=say("iteration"), ylabel=say("mean log-likelihood of a row"))
    ax.plot(np.arange(1, len(trace) + 1), trace, "o-", ms=4)
    return ax


def draw_choice(choice: Any, ax: Any = None) -> Any:
    """Draw a criterion against the number of components, the chosen one marked."""
    ax = new_axes(
        ax, xlabel=say("components"), ylabel=say("{criterion} (smaller is better)", criterion=choice.criterion.upper())
    )
    ax.errorbar(choice.values, choice.scores, choice.stderr, fmt="o-", capsize=3, ms=5)
    ax.axvline(choice.chosen, color=COLOURS[1], ls="--", lw=1.2, label=say("chosen: {k}", k=choice.chosen))
    ax.set_xticks(choice.values)
    ax.legend(frameon=False, fontsize=9)
    return ax


def draw_gain(found: Any, ax: Any = None) -> Any:
    """Draw the errors with and without unlabelled rows against the number of labels; the interval of their difference is written."""
    ax = new_axes(ax, xlabel=say("rows with a label"), ylabel=say("error on new rows"))
    at = np.asarray(found.labelled, dtype=float)
    for k, (name, mean, error) in enumerate(
        (
            (say("labelled rows alone"), found.alone, found.alone_stderr),
            (say("with unlabelled rows"), found.together, found.together_stderr),
        )
    ):
        ax.errorbar(
            at * (1.01 if k else 0.99),
            mean,
            error,
            fmt="o-" if k else "s--",
            capsize=3,
            ms=5,
            color=COLOURS[k],
            label=name,
        )
    ax.set_xscale("log")
    ax.set_xticks(at, [str(few) for few in found.labelled])
    ax.minorticks_off()
    top = np.maximum(found.alone + found.alone_stderr, found.together + found.together_stderr)
    for few, height, words in zip(at, top, found.verdict, strict=True):
        ax.annotate(
            words, (few, height), xytext=(0, 5), textcoords="offset points", ha="center", fontsize=8, color=QUIET
        )
    ax.margins(x=0.15, y=0.12)
    ax.legend(frameon=False, fontsize=9)
    return ax
