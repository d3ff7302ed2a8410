"""Pictures of decisions: error against rejection, reliability of probabilities, what a class looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epee.figures.style import COLOURS, QUIET, band, legend, new_axes, whiskers
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
