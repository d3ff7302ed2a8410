"""Pictures of signals: operating characteristics with their bands, and what is left when the noise is gone."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.figures.style import COLOURS, QUIET, band, legend, new_axes
from epee.words.numbers import figures, percent
from epee.words.signal_words import say


def draw_roc(curve: Any, ax: Any = None) -> Any:
    """Draw detections against false alarms, as steps in their band."""
    ax = new_axes(ax, size=(4.6, 4.4), xlabel=say("false alarms"), ylabel=say("detections"))
    label = say("area {auc}, {level} band", auc=figures(curve.auc), level=percent(curve.level, 0))
    ax.fill_between(
        curve.false_alarms, curve.band[:, 0], curve.band[:, 1], step="post", color=COLOURS[0], alpha=0.18, lw=0
    )
    ax.step(curve.false_alarms, curve.detections, where="post", color=COLOURS[0], lw=1.8, label=label)
    ax.plot([0, 1], [0, 1], "--", color=QUIET, lw=1, label=say("chance"))
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    legend(ax, loc="lower right")
    return ax


def draw_denoised(found: Any, ax: Any = None) -> Any:
    """Draw the first observation, the signal found in it, and a band of the noise left."""
    ax = new_axes(ax, xlabel=say("sample"), ylabel=say("value"))
    x, s = np.atleast_2d(found.observed)[0], np.atleast_2d(found.signal)[0]
    t = np.arange(len(x))
    ax.plot(t, x, ".", ms=3, color=QUIET, label=say("observed"))
    spread = 2 * np.sqrt(found.noise * found.kept / len(x))
    band(ax, t, s - spread, s + spread, COLOURS[0])
    ax.plot(t, s, color=COLOURS[0], lw=1.8, label=say("denoised, {q} {q:axis|axes}", q=found.kept))
    legend(ax)
    return ax
