"""The page from the state of its session: one template a part, filled with plain data, everything escaped."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from markupsafe import Markup

from epee.estimator.method import in_language
from epee.estimator.registry import trials
from epee.job.guest_names import KNOWN
from epee.report import pictures
from epee.report.contents import page_of
from epee.report.explored_pictures import day, distribution
from epee.report.html import templates
from epee.report.svg import nice_ticks
from epee.samples.catalogue import names
from epee.settings import options
from epee.words.catalogue import LANGUAGES
from epee.words.loss_words import mean_of
from epee.words.numbers import figures, in_unit, listed, local, percent, whole
from epee.words.report_words import say as report_say
from epee.words.workbench_words import say
from epee.workbench import drawings, scripts
from epee.workbench.question import LOSSES, Question
from epee.workbench.sessions import Session

PARTS = ("table", "question", "run", "answer", "explored", "what_if")
SHOWN_COLUMNS, SHOWN_ROWS = 48, 40
OPENED = ("leaderboard", "curves", "errors", "uses", "effects", "findings")  # sections that need no click
MOST_LEVELS = 50  # of a category, that get a column of their own


def shell(s: Session, first: str | None, most: int) -> str:
    """Return the whole page; ``first`` is opened at once, and files above ``most`` bytes are not sent."""
    with options(language=s.lang):
        parts = Markup("").join(_part(s, name, oob=False) for name in PARTS)
        text: str = _template("shell").render(
            s=s, say=say, parts=parts, script=_part(s, "script", oob=False), languages=LANGUAGES, first=first, most=most
        )
    return text


def parts(s: Session, *wanted: str) -> str:
    """Return parts that take the place of those of the page."""
    with options(language=s.lang):
        return "".join(_part(s, name, oob=True) for name in wanted)


def progress(s: Session) -> str:
    """Return how far the run is."""
    with options(language=s.lang):
        inner = _template("progress").render(s=s, say=say, time_left=_time_left(s)) if s.doing else ""
    return f'<div id="wb-progress" hx-swap-oob="true">{inner}</div>'


def status(words: str) -> str:
    """Return a sentence for the line that screen readers follow."""
    line = Markup('<p id="wb-status" class="status" role="status" aria-live="polite" hx-swap-oob="true">{}</p>')
    return str(line.format(words))


def piece(s: Session, name: str, **more: Any) -> str:
    """Return one template, filled."""
    with options(language=s.lang):
        text: str = _template(name).render(s=s, **_common(), **more)
    return text


def _template(name: str) -> Any:
    return templates().get_template(f"epee.workbench/page/{name}.jinja")


def _common() -> dict[str, Any]:
    return {
        "say": say, "figures": figures, "whole": whole, "percent": percent, "listed": listed, "day": day, "as_text": _written,
        "seconds": seconds, "explanation": report_say("explanation"),
    }  # fmt: skip


def _part(s: Session, name: str, *, oob: bool) -> Markup:
    build = {
        "table": _table, "question": _question, "run": _run, "answer": _answer, "explored": _explored, "what_if": _what_if,
        "script": _script,
    }[name]  # fmt: skip
    filled = _template(name).render(s=s, oob=Markup(' hx-swap-oob="true"' if oob else ""), **_common(), **build(s))
    return Markup(filled)


def _table(s: Session) -> dict[str, Any]:
    found: dict[str, Any] = {
        "samples": names(),
        "columns": [],
        "unseen": 0,
        "shown_names": [],
        "rows": [],
        "after": 0,
        "more": False,
    }
    if s.card is not None:
        found |= columns_like(s, "") | rows_after(s, 0)
        found["shown_names"] = [c["name"] for c in s.card["columns"]][:SHOWN_COLUMNS]
    return found


def rows_after(s: Session, after: int) -> dict[str, Any]:
    """Return some of the first rows, and whether there are more to scroll to."""
    assert s.card is not None
    rows = [row[:SHOWN_COLUMNS] for row in s.card["first"][after : after + SHOWN_ROWS]]
    return {"rows": rows, "after": after, "more": after + SHOWN_ROWS < len(s.card["first"])}


def columns_like(s: Session, find: str) -> dict[str, Any]:
    """Return the cards of the columns whose names hold a text; of many the first, those with a role before all."""
    assert s.card is not None
    fitting = [(j, c) for j, c in enumerate(s.card["columns"]) if find.lower() in c["name"].lower()]
    fitting.sort(
        key=lambda pair: (
            (s.question.role(pair[1]["name"]) in ("input", "ignore")) if len(fitting) > SHOWN_COLUMNS else 0
        )
    )
    shown = [_column(s, j, c) for j, c in fitting[:SHOWN_COLUMNS]]
    return {"columns": shown, "unseen": len(fitting) - len(shown)}


def _column(s: Session, place: int, c: dict[str, Any]) -> dict[str, Any]:
    role = s.question.role(c["name"])
    facts = [say("missing", k=c["missing"]) if c["missing"] else say("no_missing"), say("distinct", k=c["distinct"])]
    if c.get("quartiles"):
        low, high = c["quartiles"][0], c["quartiles"][-1]
        show = day if c["kind"] == "date" else figures
        facts.append(say("from_to", low=show(low), high=show(high)))
    return {
        "place": place, "name": c["name"], "kind": c["kind"], "asked": c["asked"], "role": role, "left": c["left"], "facts": facts,
        "fate": fate(role, c), "picture": distribution(c),
    }  # fmt: skip


def fate(role: str, c: dict[str, Any]) -> str:
    """Say what learning will do with a column."""
    if role in ("target", "weight", "groups", "time"):
        return say(f"fate_{role}")
    if c["left"]:
        return str(c["left"])
    if c["kind"] == "category":
        many = c["distinct"] > MOST_LEVELS
        first = say("fate_many") if many else say("fate_category", k=c["distinct"])
        return f"{first} {say('fate_zero')}" if c["missing"] else first
    filled = c["missing"] and c["kind"] != "text"
    return say(f"fate_{c['kind']}") + (f" {say('fate_filled')}" if filled else "")


def _question(s: Session) -> dict[str, Any]:
    if s.card is None or s.target is None or s.target["task"] is None:
        return {"predictors": [], "place_of_target": 0, "losses": (), "loss_name": mean_of, "lags": "", "more": False}
    kind = "classifier" if s.target["task"] == "classification" else "regressor"
    offered = [
        (trial.key, in_language(trial.words or method.words))
        for method, trial in trials(kind)
        if trial.key != "baseline"
    ]
    offered += [(key, known.title) for key, known in KNOWN.items() if find_spec(key)]
    place = [c["name"] for c in s.card["columns"]].index(s.question.target)
    losses = LOSSES[s.target["task"]]
    return {
        "predictors": offered, "place_of_target": place, "losses": losses, "loss_name": mean_of, "lags": written_lags(s.question),
        "more": bool(s.question.lags or s.question.gap or s.question.others or s.question.rare != "leave"),
    }  # fmt: skip


def written_lags(question: Question) -> str:
    """Return lags as they are typed.

    >>> written_lags(Question("y", time="day", lags={"": [1, 7], "temp": [1]}))
    '1,7 temp=1'
    """
    return " ".join(
        f"{name}={numbers}" if name else numbers
        for name, own in (question.lags or {}).items()
        for numbers in [",".join(map(str, own))]
    )


def _run(s: Session) -> dict[str, Any]:
    if s.board is None or not s.board.lines:
        return {"board_picture": None, "board_lines": [], "time_left": _time_left(s)}
    chosen = s.answer["card"]["chosen"]["key"] if s.answer is not None and not s.doing else None
    return {
        "board_picture": drawings.board(s.board, chosen), "board_lines": drawings.board_lines(s.board), "time_left": _time_left(s),
    }  # fmt: skip


def _time_left(s: Session) -> str:
    left = s.board.left() if s.board is not None and s.doing == "learn" else None
    return seconds(left) if left is not None and left >= 1 else ""


def seconds(value: float | None) -> str:
    """Return a time as people say it.

    >>> print(seconds(7.2), seconds(190))
    7.2 s 3 min
    """
    value = value or 0.0
    if value < 90:
        return str(in_unit(figures(value, 2) if value < 10 else whole(round(value)), "s"))
    return str(in_unit(whole(round(value / 60)), "min"))


def _answer(s: Session) -> dict[str, Any]:
    page = page_of(s.answer["card"]) if s.answer is not None else None
    return {"page": page, "stem": stem(s), "opened": OPENED}


def _explored(s: Session) -> dict[str, Any]:
    return {"explored": page_of(s.explored["card"]) if s.explored is not None else None, "stem": stem(s)}


def stem(s: Session) -> str:
    """Return what the files of a session are called."""
    return scripts.stem_of(s.model or s.table or "table")


def _what_if(s: Session) -> dict[str, Any]:
    if s.answer is None:
        return {"pair": ("", ""), "step": _step, "plainly": _plainly, "threshold_label": ""}
    uses = (s.answer["card"].get("uses") or {}).get("items") or []
    controls = [c["name"] for c in s.answer["controls"] if c["kind"] != "text"]
    used = [item["column"] for item in uses if item["column"] in controls]
    pair = [*used, *(name for name in controls if name not in used), "", ""][:2]
    classes = s.answer["card"]["classes"]
    label = classes[1] if len(classes) == 2 and s.answer.get("probable") else ""
    return {"pair": pair, "step": _step, "plainly": _plainly, "threshold_label": label}


def _step(control: dict[str, Any]) -> float:
    """Return a round step of a slider: about two hundred of them, or whole numbers."""
    width = control["high"] - control["low"]
    ticks = nice_ticks(0.0, width, 200) if width > 0 else [0.0, 1.0]
    step = round(ticks[1] - ticks[0], 12) if len(ticks) > 1 else 1.0
    return max(round(step), 1) if control["whole"] else step


def _plainly(value: float) -> str:
    """Return a number as it is typed."""
    return local(f"{value:.12g}")


def _written(value: Any) -> str:
    return str(figures(value)) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _script(s: Session) -> dict[str, Any]:
    lines = written(s)
    if lines is None:
        return {"written": []}
    name = stem(s)
    shown = [
        ("command", lines["command"], ""), ("script", lines["script"], f"{name}.py"),
        ("notebook", scripts.notebook(lines["script"], name), f"{name}.ipynb"),
    ]  # fmt: skip
    return {"written": shown}


def written(s: Session) -> dict[str, str] | None:
    """Return the lines that are equal to what the page shows."""
    if s.model is not None:
        said = s.predictions or {}
        guest = bool(s.answer and s.answer.get("guest"))
        return scripts.predicting(s.model, said.get("table"), said.get("threshold"), guest)
    if s.table is None or s.card is None:
        return None
    if s.question.target is None or (s.target is not None and s.target["why"]):
        return scripts.exploring(s.table, dict(s.question.types), s.lang)
    asked = s.question
    if (
        s.answer is not None and s.answer["stopped"] and s.answer["question"] == asked
    ):  # those that were not tried are not asked for
        asked = replace(asked, predictors=tuple(s.answer["card"]["settings"]["predictors"]), others=())
    return scripts.learning(asked, s.table, s.lang)


def look(s: Session, found: dict[str, Any]) -> str:
    """Return a closer look at a predictor."""
    with options(language=s.lang):
        curve = pictures.complexity(found["curve"], found["loss"]) if found["curve"] else None
        lines = [
            {**item, "name": item["column"], "tone": 0 if (item["low"] or 0) > 0 or (item["high"] or 0) < 0 else 7}
            for item in found["coefficients"]
        ]
        coefficients = pictures.dot_plot(lines, say("coefficients"), "", figures) if lines else None
        curves = [(one["column"], drawings.spline(one)) for one in found["splines"]]
    return piece(s, "look", look=found, curve=curve, coefficients=coefficients, splines=curves)


def said(s: Session, found: dict[str, Any]) -> str:
    """Return what the predictor says of a row made by hand."""
    with options(language=s.lang):
        bars = drawings.probabilities(found["classes"], found["probabilities"]) if found["classes"] else None
        rate = bool(found["classes"])
        show = percent if rate else (lambda value: figures(value, 4))
        words = ""
        if found["about"] is not None:
            key = "pushed_class" if rate else "pushed_number"
            words = say(key, about=found["about"], start=show(found["from"]), end=show(found["to"]))
        pushes = drawings.pushed(found["pushes"], rate, words) if found["pushes"] else None
        region = drawings.region(found["map"]) if found["map"] else None
    return piece(s, "said", said=found, fault="", bars=bars, pushes=pushes, said_of=words, region=region)
