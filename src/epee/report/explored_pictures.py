"""The pictures of an exploration: distributions, holes, correlations, axes, clusters."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

from epee.report.pictures import dot_plot
from epee.report.svg import Chart, nice_ticks, shortened
from epee.words.numbers import figures, percent, plus_minus, whole
from epee.words.report_words import say


def _few_ticks(low: float, high: float) -> list[float]:
    """Return two ticks or more, of which a scale can be read, and no more than fit.

    >>> _few_ticks(5.0, 1776.0)
    [500.0, 1000.0, 1500.0]
    """
    found = nice_ticks(low, high, 3)
    return found if len(found) > 1 else nice_ticks(low, high, 4)


def distribution(column: dict[str, Any]) -> Markup | None:
    """Draw the histogram of numbers, or bars of levels."""
    if column["levels"]:
        return _levels([(line["level"], line["rows"]) for line in column["levels"][:8]], column["name"])
    h = column.get("histogram")
    if not h or not h["counts"]:
        return None
    chart = Chart(column["name"], width=300, height=150, left=42, bottom=26, top=8)
    top = max(h["counts"])
    chart.y_scale(0, top * 1.05)
    base = chart.py(0)
    tone = 0
    if h["edges"]:
        edges = h["edges"]
        chart.x_scale(edges[0], edges[-1], log=h["log"])
        ticks = (
            None
            if h["log"]
            else [(t, day(t) if column["kind"] == "date" else figures(t)) for t in _few_ticks(edges[0], edges[-1])]
        )
        chart.axes(x_ticks=ticks)
        for a, b, k in zip(edges[:-1], edges[1:], h["counts"], strict=True):
            chart.box(
                chart.px(a) + 0.4,
                chart.py(k),
                chart.px(b) - chart.px(a) - 0.8,
                base - chart.py(k),
                tone,
                opacity=0.8,
                tip=f"{figures(a)} – {figures(b)}: {whole(k)}",
            )
        return chart.svg()
    values = h["values"]
    said = {0.0: say("is_no"), 1.0: say("is_yes")} if column["kind"] == "boolean" else {}
    chart.x_scale(-0.6, len(values) - 0.4)
    step = max(1, math.ceil(len(values) / 6))
    labels = [
        said.get(v) or (day(v) if column["kind"] == "date" else figures(v, 4) if abs(v) < 1e4 else figures(v))
        for v in values
    ]
    chart.axes(x_ticks=[(i, labels[i]) for i in range(0, len(values), step)])
    for i, k in enumerate(h["counts"]):
        chart.box(
            chart.px(i - 0.35),
            chart.py(k),
            chart.px(i + 0.35) - chart.px(i - 0.35),
            base - chart.py(k),
            tone,
            opacity=0.8,
            tip=f"{labels[i]}: {k}",
        )
    return chart.svg()


def day(days: float) -> str:
    """Return the day of a number of days since 1970."""
    from datetime import date, timedelta

    try:
        return (date(1970, 1, 1) + timedelta(days=int(days))).isoformat()
    except (OverflowError, ValueError):
        return figures(days)


def _levels(levels: list[tuple[str, int]], name: str) -> Markup:
    chart = Chart(name, width=300, height=18.0 * len(levels) + 10, left=110, right=50, top=4, bottom=4)
    top = max(k for _, k in levels)
    chart.x_scale(0, top)
    for i, (level, k) in enumerate(levels):
        y = 5 + 18 * i
        chart.text(104, y + 12, shortened(level, 15), anchor="end", look="tk", full=level)
        chart.box(110, y + 2, chart.px(k) - 110, 12, 2, opacity=0.8, tip=f"{level}: {k}")
        chart.text(chart.px(k) + 5, y + 12, whole(k), look="tk")
    return chart.svg()


def missing(card: dict[str, Any]) -> Markup:
    """Draw the share of missing cells of each column."""
    lines = [{**c, "name": c["column"], "tone": 1} for c in card["missing"]["columns"][:25]]
    return dot_plot(lines, say("missing_title"), say("share_missing"), percent)


def correlations(card: dict[str, Any], most: int = 16) -> Markup:
    """Draw correlations as a grid of coloured boxes."""
    names, R = card["correlations"]["names"][:most], card["correlations"]["matrix"]
    p = len(names)
    left, side = 122.0, min(44.0, 330.0 / p)
    chart = Chart(say("correlations"), width=left + side * p + 8, height=side * p + 86, top=4)
    for i, name in enumerate(names):
        y = 4 + side * i
        chart.text(left - 6, y + side / 2 + 4, shortened(name, 16), anchor="end", look="tk", full=name)
        x, base = left + side * (i + 0.5), side * p + 12
        words = Markup.escape(shortened(name, 12))
        chart.add(
            f'<text class="tk" text-anchor="end" transform="translate({x + 3:.1f} {base:.1f}) rotate(-55)">{words}</text>'
        )
        for j in range(p):
            r = R[i][j]
            chart.box(
                left + side * j + 0.5,
                y + 0.5,
                side - 1,
                side - 1,
                0 if r >= 0 else 1,
                opacity=abs(r) * 0.92,
                tip=f"{name} – {names[j]}: {figures(r, 2)}",
            )
            if side >= 30 and i != j:
                chart.text(
                    left + side * (j + 0.5),
                    y + side / 2 + 4,
                    figures(round(r, 2), 2),
                    anchor="middle",
                    look="in sm" if abs(r) > 0.7 else "tx sm",
                )
    return chart.svg()


def scree(card: dict[str, Any], most: int = 12) -> Markup:
    """Draw the share of each axis with its interval."""
    a = card["axes"]
    k = min(len(a["share"]), most)
    chart = Chart(say("pca"), width=340, height=240, left=50)
    chart.x_scale(0.4, k + 0.6)
    chart.y_scale(0, max(a["high"][:k]) * 1.06)
    chart.axes(
        say("axis", j="").strip(),
        say("variance_share"),
        y_format=percent,
        x_ticks=[(j + 1, str(j + 1)) for j in range(k)],
    )
    base = chart.py(0)
    for j in range(k):
        x = chart.px(j + 0.65)
        chart.box(
            x,
            chart.py(a["share"][j]),
            chart.px(j + 1.35) - x,
            base - chart.py(a["share"][j]),
            0,
            opacity=0.75,
            tip=percent(a["share"][j]),
        )
        chart.upright(j + 1, a["low"][j], a["high"][j], 7)
    chart.line([j + 1 for j in range(k)], a["alone"][:k], 1, dashed=True)
    return chart.svg()


def plane(card: dict[str, Any]) -> Markup:
    """Draw the rows in the plane of the first two axes, coloured by cluster."""
    a, clusters = card["axes"], card["clusters"]
    chart = Chart(say("pca"), width=340, height=280, left=46)
    xs, ys = [s[0] for s in a["scores"]], [s[1] for s in a["scores"]]
    chart.x_scale(*_ends(xs))
    chart.y_scale(*_ends(ys))
    chart.axes(*(say("axis_share", j=j + 1, share=percent(a["share"][j])) for j in (0, 1)))
    labels = clusters["labels"] if clusters and clusters["chosen"] > 1 else [0] * len(xs)
    for g in sorted(set(labels)):
        own = [i for i, label in enumerate(labels) if label == g]
        chart.cloud([xs[i] for i in own], [ys[i] for i in own], g % 7, r=2.6)
    return chart.svg()


def _ends(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    pad = 0.04 * (high - low or 1.0)
    return low - pad, high + pad


def criterion(card: dict[str, Any], name: str) -> Markup:
    """Draw one criterion against the number of clusters."""
    return _against_number(card["clusters"]["criteria"][name], say(name), say("n_clusters"))


def components(card: dict[str, Any]) -> Markup:
    """Draw BIC against the number of components of a mixture."""
    return _against_number(card["mixture"]["bic"], say("bic"), say("n_components"))


def _against_number(c: dict[str, Any], title: str, across: str) -> Markup:
    points = [(k, v, s or 0.0) for k, v, s in zip(c["values"], c["score"], c["stderr"], strict=True) if v is not None]
    chart = Chart(title, width=300, height=190, left=46)
    low, high = min(v - s for _, v, s in points), max(v + s for _, v, s in points)
    pad = 0.06 * (high - low or 1.0)
    chart.x_scale(points[0][0] - 0.3, points[-1][0] + 0.3)
    chart.y_scale(low - pad, high + pad)
    chart.axes(across, "", x_ticks=[(k, str(k)) for k, _, _ in points])
    chart.line([p[0] for p in points], [p[1] for p in points], 0)
    for k, v, s in points:
        chart.upright(k, v - s, v + s, 0)
        chart.dot(k, v, 1 if k == c["chosen"] else 0, r=5 if k == c["chosen"] else 3, tip=plus_minus(v, s))
    return chart.svg()
