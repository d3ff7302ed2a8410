"""The small pictures that a report does not have: the board as it fills, probabilities, pushes, splines, a map of two columns."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

from epee.report import pictures
from epee.report.cautions import is_marked
from epee.report.explored_pictures import day
from epee.report.svg import Chart, nice_ticks, shortened
from epee.words.loss_words import mean_of
from epee.words.numbers import figures, percent
from epee.words.report_words import say as report_say
from epee.words.workbench_words import say
from epee.workbench.board import Board

LINE = 22.0
MOST_PUSHES = 10


def board(this: Board, chosen: str | None) -> Markup:
    """Draw the lines that there are, each with its interval; the chosen one in colour once it is known."""
    lines = [
        {
            **line,
            "name": line["name"] + (" ~" if is_marked(line) else ""),
            "tone": int(line["key"] == chosen),
        }
        for line in this.lines
    ]
    marked = [i for i, line in enumerate(this.lines) if line["key"] == chosen]
    loss = this.lines[0]["loss"]
    return pictures.dot_plot(
        lines, report_say("leaderboard"), mean_of(loss), pictures.error_format(loss), marked=marked
    )


def board_lines(this: Board) -> list[str]:
    """Return the same in words."""
    show = pictures.error_format(this.lines[0]["loss"])
    return [
        say("line", name=line["name"], value=show(line["value"]), low=show(line["low"]), high=show(line["high"]))
        for line in this.lines
    ]


def probabilities(classes: list[str], shares: list[float]) -> Markup:
    """Draw the probability of each class, the likeliest ten, in the colours of the map."""
    order = sorted(range(len(classes)), key=lambda k: -shares[k])[:10]
    chart = Chart(say("probability"), width=330, height=LINE * len(order) + 6, left=112, right=58, top=3, bottom=3)
    chart.x_scale(0, 1)
    for i, k in enumerate(sorted(order)):
        y = 3 + LINE * i
        chart.text(104, y + 15, shortened(classes[k], 15), anchor="end", look="tx", full=classes[k])
        chart.box(112, y + 3, max(chart.px(shares[k]) - 112, 1), LINE - 7, k % 7, opacity=0.85)
        chart.text(chart.px(shares[k]) + 6, y + 15, percent(shares[k]), look="tk")
    return chart.svg()


def pushed(shares: list[dict[str, Any]], rate: bool, label: str) -> Markup:
    """Draw what each column added or took away."""
    shown = shares[:MOST_PUSHES]
    chart = Chart(label, width=330, height=LINE * len(shown) + 6, left=112, right=52, top=3, bottom=3)
    low, high = min(0.0, *(one["value"] for one in shown)), max(0.0, *(one["value"] for one in shown))
    room = 50 / (chart.width - chart.left - chart.right)  # for the figure beside a bar to the left
    chart.x_scale((low - high * room) / (1 - room) if low < 0 else 0.0, high)
    zero = chart.px(0)
    for i, one in enumerate(shown):
        y, end = 3 + LINE * i, chart.px(one["value"])
        text = ("+" if one["value"] >= 0 else "−") + (
            percent(abs(one["value"])) if rate else figures(abs(one["value"]))
        )
        chart.text(104, y + 15, shortened(one["column"], 15), anchor="end", look="tx", full=one["column"])
        chart.box(min(zero, end), y + 4, max(abs(end - zero), 1), LINE - 9, 0 if one["value"] >= 0 else 1, opacity=0.85)
        chart.text(
            end + (5 if one["value"] >= 0 else -5),
            y + 15,
            text,
            anchor="start" if one["value"] >= 0 else "end",
            look="tk",
        )
    chart.add(f'<path class="ax" d="M{zero:.1f} 1V{chart.height - 1:.1f}"/>')
    return chart.svg()


def spline(one: dict[str, Any]) -> Markup:
    """Draw what one column adds along its values."""
    chart = Chart(one["column"], width=300, height=170, left=48, bottom=28)
    chart.x_scale(one["x"][0], one["x"][-1])
    low, high = min(one["y"]), max(one["y"])
    pad = 0.06 * (high - low or 1.0)
    chart.y_scale(low - pad, high + pad)
    chart.axes(x_ticks=[(t, figures(t)) for t in nice_ticks(one["x"][0], one["x"][-1], 4)])
    chart.line(one["x"], one["y"], 0)
    return chart.svg()


def region(found: dict[str, Any]) -> Markup:
    """Draw what is predicted along two columns: a colour a class, paler where it is less sure, or shades of a number."""
    a, b, xs, ys = found["a"], found["b"], found["x"], found["y"]
    chart = Chart(
        say("map_label", a=a["name"], b=b["name"]), width=360, height=300, left=70, right=14, top=26, bottom=42
    )
    wide, tall = chart.width - chart.left - chart.right, chart.height - chart.top - chart.bottom
    dx, dy = wide / len(xs), tall / len(ys)
    shade = _shades(found)
    for i in range(len(ys)):
        top, at = chart.height - chart.bottom - dy * (i + 1), 0
        while at < len(xs):  # a run of equal cells is one box
            end = at + 1
            while end < len(xs) and shade(i, end) == shade(i, at):
                end += 1
            tone, opacity = shade(i, at)
            chart.box(chart.left + dx * at, top, dx * (end - at) + 0.3, dy + 0.3, tone, opacity=opacity)
            at = end
    _side(chart, a, xs, across=True)
    _side(chart, b, ys, across=False)
    place = [
        _place(control, ticks, cell) for control, ticks, cell in ((a, xs, found["at"][0]), (b, ys, found["at"][1]))
    ]
    if None not in place:
        x, y = chart.left + wide * place[0], chart.height - chart.bottom - tall * place[1]  # type: ignore[operator]
        chart.add(f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="6"/>')
    if found["classes"]:
        seen = sorted({code for row in found["codes"] for code in row})
        _legend(chart, [(found["classes"][code], code % 7) for code in seen[:7]])
    else:
        values = [v for row in found["values"] for v in row]
        chart.text(chart.left, 15, f"{figures(min(values))} – {figures(max(values))}", look="tk")
    return chart.svg()


def _shades(found: dict[str, Any]) -> Any:
    if found["classes"]:
        k = max(len(found["classes"]), 2)

        def of_class(i: int, j: int) -> tuple[int, float]:
            sure = max((found["sure"][i][j] - 1 / k) / (1 - 1 / k), 0.0)
            return found["codes"][i][j] % 7, round(0.2 + 0.6 * sure, 1)

        return of_class
    values = [v for row in found["values"] for v in row]
    low, high = min(values), max(values)

    def of_number(i: int, j: int) -> tuple[int, float]:
        return 0, round(0.05 + 0.85 * (found["values"][i][j] - low) / (high - low or 1.0), 2)

    return of_number


def _side(chart: Chart, control: dict[str, Any], ticks: list[Any], across: bool) -> None:
    """Write the values of one column along its side."""
    wide, tall = chart.width - chart.left - chart.right, chart.height - chart.top - chart.bottom
    if control["kind"] in ("category", "boolean"):
        step = math.ceil(len(ticks) / (5 if across else 12))
        marks = [((j + 0.5) / len(ticks), _level(control, ticks[j])) for j in range(0, len(ticks), step)]
    else:
        low, high = ticks[0], ticks[-1]
        shown = nice_ticks(low, high, 4)
        marks = [
            ((t - low) / (high - low or 1.0), day(t) if control["kind"] == "date" else str(figures(t))) for t in shown
        ]
    for share, words in marks:
        if across:
            chart.text(
                chart.left + wide * share,
                chart.height - chart.bottom + 15,
                shortened(words, 11),
                anchor="middle",
                look="tk",
                full=words,
            )
        else:
            chart.text(
                chart.left - 6,
                chart.height - chart.bottom - tall * share + 4,
                shortened(words, 9),
                anchor="end",
                look="tk",
                full=words,
            )
    name = shortened(control["name"], 34)
    if across:
        chart.text(chart.left + wide / 2, chart.height - 8, name, anchor="middle", look="lb")
    else:
        place = f"translate(11 {chart.top + tall / 2:.1f}) rotate(-90)"
        chart.add(f'<text class="lb" text-anchor="middle" transform="{place}">{Markup.escape(name)}</text>')


def _level(control: dict[str, Any], value: Any) -> str:
    return str(value) if control["kind"] == "category" else say("yes") if value else say("no")


def _place(control: dict[str, Any], ticks: list[Any], cell: Any) -> float | None:
    """Return how far along its side a cell lies; None where it is missing or outside."""
    if control["kind"] in ("category", "boolean"):
        return (ticks.index(cell) + 0.5) / len(ticks) if cell in ticks else None
    if cell is None or not ticks[0] <= cell <= ticks[-1]:
        return None
    return float((cell - ticks[0]) / (ticks[-1] - ticks[0] or 1.0))


def _legend(chart: Chart, entries: list[tuple[str, int]]) -> None:
    x = chart.left
    for words, tone in entries:
        text = shortened(words, 14)
        chart.box(x, 6, 11, 11, tone, opacity=0.8)
        chart.text(x + 15, 16, text, look="tk", full=words)
        x += 26 + 6.4 * len(text)
