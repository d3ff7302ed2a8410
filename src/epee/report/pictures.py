"""The pictures of a report on a run of the main job, each drawn from plain data of the card."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from epee.losses.names import named
from epee.report.cautions import is_marked
from epee.report.svg import WIDTH, Chart, log_ticks, shortened
from epee.words.loss_words import mean_of
from epee.words.numbers import figures, interval, percent, places_of, plus_minus, whole
from epee.words.report_words import say

LINE = 27.0  # height of one line of a dot plot


def error_format(loss: str) -> Any:
    """Return how an error is written: a rate in percent."""
    return percent if named(loss).is_rate else figures


def dot_plot(
    lines: Sequence[dict[str, Any]], label: str, x_label: str, show: Any = figures, *, zero: bool = True, marked: Sequence[int] = (),
) -> Markup:  # fmt: skip
    """Draw one dot with its interval a line; ``lines`` hold name, value, low, high, and a tone."""
    letters = min(max((len(line["name"]) for line in lines), default=8) + 2, 45)
    left, height = 7.3 * letters + 14, LINE * len(lines) + 56  # room for the longest name, within reason
    chart = Chart(label, width=max(WIDTH, left + 210), height=height, left=left, bottom=44, top=8)
    ends = [
        v for line in lines for v in (line["low"], line["high"], line["value"]) if v is not None and math.isfinite(v)
    ]
    low, high = min([0.0, *ends]) if zero else min(ends), max(ends, default=1.0)
    tops = sorted((max(line["high"] or line["value"], line["value"]) for line in lines), reverse=True)
    cut = len(tops) > 2 and low >= 0 and tops[0] > 4 * tops[1] > 0  # one line would press all others together
    if cut:
        high = 1.2 * tops[1]
    pad = 0.04 * (high - low or 1.0)
    chart.x_scale(low - (pad if low < 0 else 0), high + pad)
    chart.axes("", "", x_format=show, y_ticks=[])
    # a long name starts at the left end, whatever the plot does
    chart.text(chart.width - chart.right, height - 8, x_label, anchor="end", look="lb")
    if low < 0:
        y_end = height - 44
        chart.add(f'<path class="ref" d="M{chart.px(0):.1f} 8V{y_end:.1f}"/>')
    for i, line in enumerate(lines):
        y = 8 + LINE * (i + 0.5)
        bold = i in marked
        chart.text(
            left - 10,
            y + 4,
            shortened(line["name"], letters - 2 if bold else letters),
            anchor="end",
            look="tx bo" if bold else "tx",
            full=line["name"],
        )
        tone = line.get("tone", 0)
        words = f"{line['name']}: {show(line['value'])} ({show(line['low'])} – {show(line['high'])})"
        if cut and line["value"] > high:
            at = chart.width - chart.right
            chart.text(at - 14, y + 4, show(line["value"]), anchor="end", look="tk")
            chart.add(f'<path class="ln s{tone}" d="M{at - 10:.1f} {y:.1f}h8m-4 -4l4 4l-4 4"/>')
            continue
        if line["low"] is not None and line["high"] is not None:
            chart.lying(line["low"], min(line["high"], high), y, tone)
        x = chart.px(line["value"])
        chart.add(
            f'<circle class="f{tone}" cx="{x:.1f}" cy="{y:.1f}" r="{5 if bold else 4}"><title>{Markup.escape(words)}</title></circle>'
        )
    return chart.svg()


def leaderboard(card: dict[str, Any]) -> Markup:
    """Draw every predictor's error with its interval, the chosen one in colour."""
    lines = [
        {
            **line,
            "name": line["name"] + (" ~" if is_marked(line) else ""),
            "tone": 1 if line["chosen"] else 0 if line["mark"] != "worse" else 7,
        }
        for line in card["leaderboard"]
    ]
    chosen = [i for i, line in enumerate(card["leaderboard"]) if line["chosen"]]
    return dot_plot(lines, say("leaderboard"), mean_of(card["loss"]), error_format(card["loss"]), marked=chosen)


def complexity(curve: dict[str, Any], loss: str) -> Markup:
    """Draw training and held-out error along the parameter of one predictor."""
    show = error_format(loss)
    n = len(curve["values"])
    cv, bars = curve["cv"], [s or 0.0 for s in curve["stderr"]]
    highs = [v + s for v, s in zip(cv, bars, strict=True)]
    train = [v if v is not None else math.nan for v in curve["train"]]
    known = [v for v in [*highs, *train] if math.isfinite(v)]
    lows = [v for v in [*(v - s for v, s in zip(cv, bars, strict=True)), *train] if math.isfinite(v)]
    chart = Chart(curve["name"], width=330, height=230, left=54, top=26, bottom=44, right=16)
    bottom = min(lows)
    chart.x_scale(-0.3, n - 0.7)
    chart.y_scale(max(bottom - 0.05 * (max(known) - bottom), 0.0), max(known) + 0.05 * (max(known) - bottom))
    step = max(1, math.ceil(n / 5))
    ticks = [
        (i, figures(v, 2) if isinstance(v, int | float) else str(v))
        for i, v in enumerate(curve["values"])
        if (n - 1 - i) % step == 0
    ]
    chart.axes(
        curve.get("label") or say("complexity", parameter=curve["parameter"].split("__")[-1]),
        "",
        x_ticks=ticks,
        y_format=show,
    )
    chart.legend([(say("cv_error"), 0, False), (say("train_error"), 7, True)], y=14)
    limit = cv[curve["best"]] + bars[curve["best"]]
    chart.straight(-0.3, limit, n - 0.7, limit)
    xs = list(range(n))
    chart.line(xs, train, 7, dashed=True)
    chart.line(xs, cv, 0)
    for x, value, bar in zip(xs, cv, bars, strict=True):
        chart.upright(x, max(value - bar, chart._y[0]), value + bar, 0)
        chart.dot(x, value, 0, r=2.5, tip=f"{curve['values'][x]}: {show(value)} ± {show(bar)}")
    chart.dot(curve["best"], cv[curve["best"]], 0, r=7, hollow=True)
    chart.dot(curve["chosen"], cv[curve["chosen"]], 1, r=5, tip=say("chosen"))
    return chart.svg()


def confusion(card: dict[str, Any]) -> Markup:
    """Draw the confusion matrix: colours are shares of a line."""
    c = card["confusion"]
    rows, columns = c["labels"], c["decided"]
    side = min(92.0, 300.0 / len(columns))
    letters = min(max(len(str(name)) for name in rows), 30)
    left, top = max(104.0, 6.6 * letters + 28), 40.0
    tall = min(side, 64.0)
    width = max(left + side * len(columns) + 10, 330)
    chart = Chart(say("confusion"), width=width, height=top + tall * len(rows) + 8)
    chart.text(left + side * len(columns) / 2, 13, say("decided"), anchor="middle", look="lb")
    middle = top + tall * len(rows) / 2
    chart.add(
        f'<text class="lb" text-anchor="middle" transform="translate(12 {middle:.1f}) rotate(-90)">{Markup.escape(say("true"))}</text>'
    )
    above = max(int(side / 7.2), 3)
    there = [(i, j) for i in range(len(rows)) for j in range(len(columns)) if c["counts"][i][j]]
    places = places_of([(c["low"][i][j], c["high"][i][j]) for i, j in there], percent=True)
    for j, name in enumerate(columns):
        chart.text(
            left + side * (j + 0.5), top - 7, shortened(str(name), above), anchor="middle", look="tk", full=str(name)
        )
    for i, name in enumerate(rows):
        y = top + tall * i
        chart.text(left - 7, y + tall / 2 + 4, shortened(str(name), 30), anchor="end", look="tk", full=str(name))
        for j, other in enumerate(columns):
            x, rate, k = left + side * j, c["rates"][i][j] or 0.0, c["counts"][i][j]
            span = interval(c["low"][i][j] or 0.0, c["high"][i][j] or 0.0, percent=True, places=places)
            tip = f"{name} → {other}: {percent(rate)} {span}, {whole(k)}"
            tone = 0 if str(name) == str(other) else 1
            chart.box(x + 1, y + 1, side - 2, tall - 2, tone, opacity=0.06 + 0.84 * rate, tip=tip)
            look = "in" if rate > 0.5 else "tx"
            if not k:
                continue
            if side >= 62 and tall >= 44:
                chart.text(x + side / 2, y + tall / 2 - 5, percent(rate), anchor="middle", look=look + " bo")
                chart.text(
                    x + side / 2, y + tall / 2 + 9, span if side > 80 else "", anchor="middle", look=look + " sm"
                )
                chart.text(x + side / 2, y + tall / 2 + 22, whole(k), anchor="middle", look=look + " sm")
            else:
                chart.text(x + side / 2, y + tall / 2 + 4, whole(k), anchor="middle", look=look + " sm")
    return chart.svg()


def residuals(card: dict[str, Any]) -> Markup:
    """Draw residuals against predictions, with the mean of each tenth of them and its interval."""
    r = card["residuals"]
    points = sorted(zip(r["predicted"], r["residual"], strict=True))
    chart = Chart(say("residuals"), height=300, left=60)
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    high = max((abs(y) for y in ys), default=1.0) * 1.05 or 1.0
    chart.x_scale(min(xs), max(xs))
    chart.y_scale(-high, high)
    chart.axes(say("predicted"), say("residual"))
    chart.cloud(xs, ys, 0)
    chart.straight(min(xs), 0, max(xs), 0, "ax")
    for part in _tenths(points):
        mean, bar = _mean([y for _, y in part])
        x = sum(x for x, _ in part) / len(part)
        chart.upright(x, max(mean - 1.96 * bar, -high), min(mean + 1.96 * bar, high), 1)
        chart.dot(x, mean, 1, r=4, tip=plus_minus(mean, bar))
    return chart.svg()


def _tenths(points: list[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    k = max(1, min(10, len(points) // 5))
    return [points[len(points) * i // k : len(points) * (i + 1) // k] for i in range(k)]


def _mean(values: list[float]) -> tuple[float, float]:
    n = len(values)
    mean = sum(values) / n
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / max(n - 1, 1) / n)


def calibration(card: dict[str, Any]) -> Markup:
    """Draw how often answers of each probability are right."""
    points = card["calibration"]
    low = min([0.5, *(p["low"] for p in points), *(p["predicted"] for p in points)])
    low = max(math.floor(10 * low) / 10, 0.0)
    chart = Chart(say("calibration"), height=320)
    chart.x_scale(low, 1.0)
    chart.y_scale(low, 1.0)
    chart.axes(say("announced"), say("right"), x_format=percent, y_format=percent)
    chart.straight(low, low, 1, 1)
    chart.line([p["predicted"] for p in points], [p["observed"] for p in points], 0)
    for p in points:
        chart.upright(p["predicted"], p["low"], p["high"], 0)
        chart.dot(
            p["predicted"],
            p["observed"],
            0,
            tip=f"{percent(p['predicted'])} → {percent(p['observed'])} ({whole(p['rows'])})",
        )
    return chart.svg()


def uses(card: dict[str, Any], how: str = "importance", most: int = 20) -> Markup:
    """Draw what the predictor leans on, largest first: importances, or coefficients."""
    show = error_format(card["loss"]) if how == "importance" else figures
    lines = [
        {**item, "name": item["column"], "tone": 0 if (item["low"] or 0) > 0 or (item["high"] or 0) < 0 else 7}
        for item in card["uses"]["items" if how == card["uses"]["how"] else "coefficients"][:most]
    ]
    return dot_plot(lines, say("uses"), say("importance" if how == "importance" else "coefficients"), show)


def learning_curve(card: dict[str, Any]) -> Markup:
    """Draw the error against the number of training rows, and where it leads."""
    c, show = card["learning_curve"], error_format(card["loss"])
    sizes, test, bars = c["sizes"], c["test"], [s or 0.0 for s in c["stderr"]]
    then = c.get("then")
    ends = [*sizes, *([then["rows"]] if then else [])]
    tops = [v + s for v, s in zip(test, bars, strict=True)]
    lows = [v - s for v, s in zip(test, bars, strict=True)]
    if then:
        bar = then["stderr"] or 0.0
        tops.append(then["error"] + bar)
        lows.append(then["error"] - bar)
    bottom = max(min(lows), 0.0)
    pad = 0.08 * (max(tops) - bottom or 1.0)
    chart = Chart(say("learning_curve"), height=280, left=60, top=26)
    chart.x_scale(min(ends) * 0.93, max(ends) * 1.07, log=True)
    chart.y_scale(max(bottom - pad, 0.0), max(tops) + pad)
    chart.axes(
        say("training_rows"), "", y_format=show, x_ticks=[(t, whole(t)) for t in log_ticks(min(ends), max(ends))]
    )
    chart.legend([(say("cv_error"), 0, False), *([(say("extrapolated"), 1, True)] if then else [])], y=14)
    chart.line(sizes, test, 0)
    for x, value, s in zip(sizes, test, bars, strict=True):
        chart.upright(x, max(value - s, chart._y[0]), value + s, 0)
        chart.dot(x, value, 0, tip=f"{whole(x)}: {show(value)} ± {show(s)}")
    if then:
        chart.line([sizes[-1], then["rows"]], [test[-1], then["error"]], 1, dashed=True)
        chart.upright(then["rows"], max(then["error"] - bar, chart._y[0]), then["error"] + bar, 1)
        chart.dot(
            then["rows"],
            then["error"],
            1,
            hollow=True,
            r=5,
            tip=f"{whole(then['rows'])}: {show(then['error'])} ± {show(bar)}",
        )
    return chart.svg()
