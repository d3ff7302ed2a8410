"""One look for all pictures: quiet axes, a palette that colour-blind readers can tell apart, and small helpers for error bars.

The colours are those of Okabe and Ito (2008), in an order that also keeps its contrast in print.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.settings import options
from epee.words.numbers import local

COLOURS: tuple[str, ...] = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A6A00", "#555555")
INK, QUIET, GRID = "#222222", "#767676", "#E4E4E4"
MARKERS: tuple[str, ...] = ("o", "s", "^", "D", "v", "P", "X", "*")
SIZE = (6.0, 4.0)


def new_axes(ax: Any = None, *, size: tuple[float, float] = SIZE, **words: Any) -> Any:
    """Return axes in the house's look: those given, or new ones; ``words`` go to ``ax.set`` (title, xlabel, ylabel).

    >>> ax = new_axes(xlabel="degree")
    >>> ax.get_xlabel()
    'degree'
    """
    if ax is None:
        from matplotlib.figure import Figure

        pyplot = loaded_pyplot()
        figure: Figure = pyplot.figure(figsize=size, layout="constrained")
        ax = figure.add_subplot()
    dress(ax)
    if words:
        ax.set(**words)
    return ax


def new_grid(rows: int, columns: int, *, size: tuple[float, float] | None = None, **options: Any) -> Any:
    """Return an array (rows, columns) of axes in the house's look."""
    figure = loaded_pyplot().figure(
        figsize=size or (SIZE[0] * 0.8 * columns, SIZE[1] * 0.8 * rows), layout="constrained"
    )
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for ax in axes.flat:
        dress(ax)
    return axes


def loaded_pyplot() -> Any:
    """Return pyplot, which is loaded when a picture is drawn."""
    import matplotlib.pyplot as plt

    return plt


def dress(ax: Any) -> None:
    """Put the look on axes: no box, a faint grid behind, our colours in turn, in French decimal commas."""
    ax.set_prop_cycle(color=list(COLOURS))
    if ax.name != "rectilinear":
        return
    if options.language == "fr":
        for axis in (ax.xaxis, ax.yaxis):
            if isinstance(axis.get_major_formatter(), _plain_numbers()):
                axis.set_major_formatter(_with_commas())
                axis.isDefault_majfmt = True  # names and dates that are drawn later write their own
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(QUIET)
    ax.tick_params(colors=QUIET, labelcolor=INK, labelsize=9)
    ax.grid(True, color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)
    ax.title.set_fontsize(10.5)
    ax.title.set_color(INK)


def _plain_numbers() -> Any:
    from matplotlib.ticker import ScalarFormatter

    return ScalarFormatter


def _with_commas() -> Any:
    """Return a writer of ticks as matplotlib's own, with decimal commas."""

    class Commas(_plain_numbers()):
        def __call__(self, x: float, pos: int | None = None) -> str:
            with options(language="fr"):  # drawn later, perhaps in another
                return local(str(super().__call__(x, pos)))

    return Commas()


def band(ax: Any, x: Any, low: Any, high: Any, colour: str) -> None:
    """Shade what lies between two curves."""
    ax.fill_between(np.asarray(x), np.asarray(low), np.asarray(high), color=colour, alpha=0.18, linewidth=0)


def whiskers(ax: Any, value: Any, low: Any, high: Any, at: Any, colour: str, *, flat: bool = True, **more: Any) -> None:
    """Draw values with their intervals, lying (``flat``) or standing."""
    value, low, high, at = (np.atleast_1d(np.asarray(a, dtype=float)) for a in (value, low, high, at))
    sides = np.vstack([np.maximum(value - low, 0), np.maximum(high - value, 0)])
    look = {"fmt": "o", "ms": 5, "lw": 1.6, "capsize": 3, "color": colour} | more
    if flat:
        ax.errorbar(value, at, xerr=sides, **look)
    else:
        ax.errorbar(at, value, yerr=sides, **look)


def legend(ax: Any, **options: Any) -> None:
    """Add a plain legend."""
    ax.legend(**({"frameon": False, "fontsize": 9} | options))
