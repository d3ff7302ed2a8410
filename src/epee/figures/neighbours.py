"""Pictures of neighbourhoods: how large they must be, and how the error depends on their size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.figures.style import legend, new_axes
from epee.words.figure_words import say


def plot_curse(ax: Any = None, *, dimensions: Sequence[int] = range(1, 11), most: float = 0.6) -> Any:
    r"""Draw the edge :math:`r^{1/p}` of a cube that holds a fraction r of a unit cube, for several dimensions p.

    In ten dimensions a cube with one hundredth of the rows spans 63 % of every axis: no neighbourhood is local.
    """
    import matplotlib.pyplot as plt

    ax = new_axes(ax, size=(5.5, 4))
    r = np.linspace(0, most, 601)
    dimensions = list(dimensions)
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(dimensions)))
    for p, colour in zip(dimensions, colours):
        edge = r ** (1.0 / p)
        ax.plot(r, edge, color=colour, lw=1.5)
        if p in (1, 2, 3, dimensions[-1]):
            ax.annotate(
                f"$p = {p}$", (most, edge[-1]), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8
            )
    if 10 in dimensions and most > 0.01:
        ax.plot([0.01], [0.01**0.1], "o", color="k", ms=4)
        ax.annotate(say("1 % of the rows: 63 % of each axis"), (0.01, 0.01**0.1), xytext=(0.27 * most / 0.6, 0.08), fontsize=9,
                    arrowprops={"arrowstyle": "-", "lw": 0.6, "connectionstyle": "angle,angleA=180,angleB=90"})  # fmt: skip
    ax.set(
        xlabel=say("fraction of the volume") + "  $r$",
        ylabel=say("edge of the cube") + "  $r^{1/p}$",
        xlim=(0, most * 1.13),
        ylim=(0, 1),
    )
    return ax


def plot_neighbour_errors(ks: Any, errors: Any, ax: Any = None) -> Any:
    """Draw leave-one-out errors (V,) against the numbers of neighbours ``ks`` (V,); complexity n/k falls to the right."""
    ax = new_axes(ax, size=(5.5, 4))
    ks, errors = np.asarray(ks), np.asarray(errors)
    best = int(np.argmin(errors))
    ax.plot(ks, errors, "o-", ms=3, lw=1)
    ax.plot(ks[best], errors[best], "o", ms=8, mfc="none", color="C3", label=f"$k = {ks[best]}$")
    ax.set(xlabel=say("number of neighbours") + "  $k$", ylabel=say("leave-one-out error"))
    legend(ax)
    return ax
