"""Pictures of curves with bands: what a ranking gives at every depth, and what a column does to the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from epee.report.svg import Chart, shortened
from epee.words.numbers import figures, percent
from epee.words.report_words import say

SIDE = 330.0
SEVERAL = 4  # bands beyond so many would hide each other


def ranking(parts: Sequence[dict[str, Any]], kind: str) -> Markup:
    """Draw the ``kind`` of curve (roc, precision_recall, lift) of each class, with its band."""
    chart = Chart(say(kind), width=SIDE, height=290, left=56, top=28)
    tops = [max(part[kind]["high"]) for part in parts]
    top = 1.0 if kind != "lift" else min(max(tops), 1.3 * max(max(part[kind]["y"]) for part in parts))
    chart.x_scale(0.0, 1.0)
    chart.y_scale(0.0, top)
    labels = {"roc": ("fpr", "tpr"), "precision_recall": ("recall", "precision"), "lift": ("depth", "lift_axis")}[kind]
    chart.axes(say(labels[0]), say(labels[1]), x_format=percent, y_format=figures if kind == "lift" else percent)
    if kind == "roc":
        chart.straight(0, 0, 1, 1)
    elif kind == "lift":
        chart.straight(0, 1, 1, 1)
    else:
        for part in parts[:1] if len(parts) == 1 else ():
            chart.straight(0, part["share"], 1, part["share"])
    for tone, part in enumerate(parts):
        curve = part[kind]
        if len(parts) <= SEVERAL:
            chart.band(curve["x"], [min(v, top) for v in curve["low"]], [min(v, top) for v in curve["high"]], tone)
        chart.line(curve["x"], [min(v, top) for v in curve["y"]], tone)
    chart.legend([(shortened(part["label"], 12), tone, False) for tone, part in enumerate(parts)][:SEVERAL], y=14)
    return chart.svg()


def reliability(part: dict[str, Any]) -> Markup:
    """Draw how often a class happens among rows that were given each probability of it."""
    c = part["calibration"]
    chart = Chart(say("calibration"), width=SIDE, height=290, left=56, top=28)
    chart.x_scale(0.0, 1.0)
    chart.y_scale(0.0, 1.0)
    chart.axes(
        say("probability_of", label=shortened(part["label"], 14)), say("observed"), x_format=percent, y_format=percent
    )
    chart.straight(0, 0, 1, 1)
    chart.line(c["predicted"], c["observed"], 0)
    for x, y, low, high in zip(c["predicted"], c["observed"], c["low"], c["high"], strict=True):
        chart.upright(x, low, high, 0)
        chart.dot(x, y, 0, tip=f"{percent(x)} → {percent(y)} ({percent(low)} – {percent(high)})")
    return chart.svg()
