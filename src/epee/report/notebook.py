"""What a notebook shows of a result: the sentence or the figures, and a small picture, as HTML with its own colours."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from markupsafe import Markup

from epee.errors import WrongUse
from epee.report import pictures
from epee.report.html import answer_html, stylesheet
from epee.words import loss_words
from epee.words.loss_words import mean_of
from epee.words.numbers import figures, listed, percent
from epee.words.report_words import say

ROOM = "epee-shown"
LEANING, LEANING_ROWS = 12, 40  # columns that are drawn, rows that they are asked of


def notebook_html(result: Any) -> str:
    """Return a result of épée as a piece of HTML; texts from data are escaped."""
    name = next((cls.__name__ for cls in type(result).__mro__ if cls.__name__ in _SHOWN), None)
    body = _SHOWN[name](result) if name else Markup("<pre>{}</pre>").format(str(result))
    return f'<div class="{ROOM}">{_style()}{body}</div>'


def _style() -> Markup:
    """Return the style of the reports, kept to our own piece of the page."""
    css = str(stylesheet())
    light, dark = re.findall(r":root (\{[^}]*\})", css)[:2]
    rules = re.findall(r"([^{}]+)(\{[^}]*\})", css[css.index("p {") : css.index("@media (max-width")])
    inside = "".join(
        ", ".join(f".{ROOM} {part.strip()}" for part in selector.split(",")) + f" {body}" for selector, body in rules
    )
    more = (
        f".{ROOM} {{ color: var(--ink); background: var(--paper); padding: .6rem .8rem; max-width: 52rem; border-radius: 6px; }} "
        f".{ROOM} svg {{ display: block; width: 100%; height: auto; }}"
    )
    return Markup(
        f"<style>.{ROOM} {light}@media (prefers-color-scheme: dark) {{ .{ROOM} {dark} }}{inside}{more}</style>"
    )


def _risk(risk: Any) -> Markup:
    loss = loss_words.say.known(risk.loss)
    words = ", ".join(str(w) for w in (loss, risk.how, percent(risk.level, 0)) if w)
    line = {"name": loss, "value": risk.value, "low": risk.low, "high": risk.high, "tone": 0}
    picture = Markup("")
    if all(v == v and abs(v) != float("inf") for v in (risk.value, risk.low, risk.high)):
        picture = pictures.dot_plot([line], words, "", pictures.error_format(risk.loss), zero=False)
    return Markup("<p><b>{}</b></p><p>{}</p>{}").format(str(risk), words, picture)


def _comparison(found: Any) -> Markup:
    lines = [{**row, "tone": 1 if row["name"] == found.simplest else 0} for row in found.table]
    loss = found.risks[0].loss
    marked = [i for i, line in enumerate(lines) if line["name"] == found.simplest]
    picture = pictures.dot_plot(lines, say("leaderboard"), mean_of(loss), pictures.error_format(loss), marked=marked)
    return Markup("<p>{}</p>{}").format(found.verdict, picture)


def _answered(result: Any) -> Markup:
    """Return the answer as the workbench shows it."""
    return answer_html(result.card)


def _predictor(p: Any) -> Markup:
    """Return what a predictor reads, and how much each column moves its predictions of rows that it kept."""
    from epee.estimator.registry import METHODS
    from epee.job.predictor import last_step

    last = type(last_step(p.model)).__name__
    name = next((method.title for method in METHODS if method.name == last), last)
    head = say("predictor_of", target=", ".join(p.targets), k=len(p.feature_names_in_), name=name)
    told = say("reads", names=listed(p.feature_names_in_, 12))
    return Markup("<p><b>{}</b></p><p>{}</p>{}").format(head, told, _leaning(p))


def _leaning(p: Any) -> Markup:
    try:
        p.require_reasons()
    except WrongUse:
        return Markup("")
    sizes = np.abs(p.reasons(p.background[:LEANING_ROWS])[1])  # (rows, columns)
    mean, bar = sizes.mean(axis=0), sizes.std(axis=0) / np.sqrt(len(sizes))
    order = np.argsort(-mean, kind="stable")[:LEANING]
    names = list(p.encoder.encoded_columns)
    lines = [
        {
            "name": names[j],
            "value": mean[j],
            "low": max(mean[j] - 2 * bar[j], 0.0),
            "high": mean[j] + 2 * bar[j],
            "tone": 0,
        }
        for j in order
    ]
    return pictures.dot_plot(lines, say("leans_on"), say("leans_on"), figures)


def _curve(curve: Any) -> Markup:
    values = [v.item() if hasattr(v, "item") else v for v in curve.values]
    facts = {
        "name": str(curve.parameter),
        "parameter": str(curve.parameter),
        "label": str(curve.parameter),
        "values": values,
        "train": _numbers(curve.train),
        "cv": _numbers(curve.cv),
        "stderr": _numbers(curve.stderr),
        "best": curve.best_index,
        "chosen": curve.chosen_index,
    }
    words = f"{curve.parameter} – {say('best')}: {_value(values[curve.best_index])}; {say('chosen')}: {_value(values[curve.chosen_index])}"
    return Markup("<p>{}</p>{}").format(words, pictures.complexity(facts, curve.loss))


def _learning(curve: Any) -> Markup:
    facts = {
        "sizes": _numbers(curve.sizes),
        "test": _numbers(curve.test),
        "stderr": _numbers(curve.stderr),
        "then": None,
    }
    words = f"{mean_of(curve.loss)}, {curve.how}"
    return Markup("<p>{}</p>{}").format(words, pictures.learning_curve({"loss": curve.loss, "learning_curve": facts}))


def _finding(found: Any) -> Markup:
    return Markup("<p><b>{}</b> {}</p>").format(found.code, found.sentence)


def _value(value: Any) -> str:
    return figures(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _numbers(values: Any) -> list[float]:
    return [float(v) for v in values]


_SHOWN = {
    "Comparison": _comparison,
    "Learned": _answered,
    "Explored": _answered,
    "ComplexityCurve": _curve,
    "LearningCurve": _learning,
    "Finding": _finding,
    "Predictor": _predictor,
    "Risk": _risk,
}
