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


def effect(column: dict[str, Any], of: Sequence[str], bands: bool, share: bool) -> Markup:
    """Draw what one column does to the prediction: partial dependence with its band, and accumulated effects, dashed."""
    chart = Chart(column["column"], width=SIDE, height=230, left=58, top=26, bottom=44, right=16)
    curves = [*column["pd"], *(column["low"] if bands else ()), *(column["high"] if bands else ())]
    curves += column["ale"]["y"] if column["ale"] else []
    ends = [v for curve in curves for v in curve if v is not None]
    low, high = min(ends), max(ends)
    pad = 0.06 * (high - low or abs(high) or 1.0)
    low, high = low - pad, high + pad
    xs, labels = column["x"], column["labels"]
    if share:
        low, high = max(low, 0.0), min(high, 1.0)
    chart.y_scale(low, high)
    apart = column["kind"] not in ("number", "date")  # values that stand side by side
    chart.x_scale(xs[0] - 0.5, xs[-1] + 0.5) if apart else chart.x_scale(xs[0], xs[-1])
    ticks = None
    if labels:
        step = max(1, -(-len(labels) // (6 if apart else 4)))
        room = max(4, int(46 / max(len(labels) // step, 1)))
        ticks = [
            (x, shortened(str(label), room if apart else 10)) for x, label in list(zip(xs, labels, strict=True))[::step]
        ]
    elif apart:
        ticks = [(x, say("yes") if x else say("no")) for x in xs]
    chart.axes(column["column"], "", x_ticks=ticks, y_format=percent if share else figures)
    for tone, curve in enumerate(column["pd"]):
        inside = [[min(max(v, low), high) for v in column[end][tone]] for end in ("low", "high")]
        if apart:
            for x, y, a, b in zip(xs, curve, *inside, strict=True):
                if bands:
                    chart.upright(x, a, b, tone)
                chart.dot(x, y, tone, tip=f"{of[tone]}: {percent(y) if share else figures(y)}")
            continue
        if bands and len(column["pd"]) <= SEVERAL:
            chart.band(xs, inside[0], inside[1], tone)
        chart.line(xs, curve, tone)
        if column["ale"]:
            chart.line(xs, [min(max(v, low), high) for v in column["ale"]["y"][tone]], tone, dashed=True)
    if len(of) > 1:
        chart.legend([(shortened(name, 10), tone, False) for tone, name in enumerate(of)][:SEVERAL], y=14)
    return chart.svg()


def threshold(t: dict[str, Any]) -> Markup:
    """Draw cost, precision and recall against the probability from which on a class is decided for; the least cost is marked."""
    chart = Chart(say("threshold"), height=280, left=58, top=28)
    show = figures if t["costs"] else percent
    scale = max(t["cost"]) or 1.0
    chart.x_scale(0.0, 1.0)
    chart.y_scale(0.0, 1.0 if not t["costs"] else 1.05 * scale)
    chart.axes(say("probability_of", label=shortened(t["label"], 14)), "", x_format=percent, y_format=show)
    entries = [(say("mean_cost") if t["costs"] else say("error_rate"), 1, False)]
    if not t["costs"]:
        entries += [(say("precision"), 0, False), (say("recall"), 2, True)]
        taken = [(x, v) for x, v, share in zip(t["thresholds"], t["precision"], t["share"], strict=True) if share > 0]
        chart.line([x for x, _ in taken], [v for _, v in taken], 0)
        chart.line(t["thresholds"], t["recall"], 2, dashed=True)
    chart.line(t["thresholds"], t["cost"], 1)
    chart.dot(t["chosen"], t["least"], 1, r=5, tip=f"{percent(t['chosen'])}: {show(t['least'])}")
    chart.legend(entries, y=14)
    return chart.svg()
