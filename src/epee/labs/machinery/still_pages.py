"""The labs as still pages: one HTML file a lab and a language, figures and formulas inside as SVG, nothing loaded from anywhere.

The pictures are those of the first settings and of two others, so that the page shows what the sliders do.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from pathlib import Path

from epee.job.writing import atomic, check_places, is_page
from epee.labs.catalogue import IDS, lab
from epee.labs.home import HOME_CSS, home_page
from epee.labs.machinery.canvas import to_svg
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.lab import Choice, Lab, Slider, State
from epee.labs.machinery.looks import CSS
from epee.labs.machinery.markup import to_html
from epee.labs.machinery.phrases import say
from epee.labs.machinery.words import localise, tell
from epee.words.catalogue import LANGUAGES

STILL_CSS = """
.lab-play { margin: 1rem 0; }
pre { background: var(--lab-wash); border: 1px solid var(--lab-line); border-radius: 8px; padding: .8rem; overflow-x: auto; }
dl.settings { display: grid; grid-template-columns: auto auto; gap: .2rem 1rem; margin: 0 0 .6rem; }
dl.settings dd { margin: 0; font-weight: 600; }
details summary { cursor: pointer; color: var(--lab-blue); }
.note { color: var(--lab-quiet); font-size: .9rem; }
"""


def write_pages(folder: str | Path, names: Sequence[str] = IDS, force: bool = True) -> Iterator[Path]:
    """Write the pages of labs, and the home pages when all are written; yields each path.

    Without ``force`` pages that épée did not write are refused, before the first is written.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    pages = {place / f"{name}.{lang}.html": (name, lang) for name in names for lang in LANGUAGES}
    if set(names) == set(IDS):
        pages |= {place / ("index.html" if lang == "en" else f"index.{lang}.html"): ("", lang) for lang in LANGUAGES}
    check_places([(path, is_page) for path in pages], force=force)
    for path, (name, lang) in pages.items():
        with atomic(path, text=True) as stream:
            stream.write(still_page(lab(name), lang) if name else still_home(lang))
        yield path


def still_home(lang: str) -> str:
    """Return the home page of the still pages."""
    return home_page(lang, "{id}.{lang}.html", "index.{lang}.html").replace("index.en.html", "index.html")


def still_page(this: Lab, lang: str, answers: bool = True) -> str:
    """Return a lab as one HTML document, with the answers folded away or without them."""
    parts = [_scene(this, state, lang, i) for i, state in enumerate(_states(this))]
    first = this.run(this.start(lang=lang) | ({"go": True} if this.waits else {}))
    cards = "".join(
        f'<div class="lab-card"><div class="lab-prompt"><b>{i + 1}.</b> {to_html(tell(e.prompt, first, lang))}</div>{_answer(this, e, first, lang) if answers else _options(e, lang)}</div>'
        for i, e in enumerate(this.exercises)
    )
    switch = " · ".join(
        f"<b>{name}</b>" if code == lang else f'<a href="{this.id}.{code}.html">{name}</a>'
        for code, name in LANGUAGES.items()
    )
    home = "index.html" if lang == "en" else f"index.{lang}.html"
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="épée"><title>épée · {html.escape(this.title(lang))}</title><link rel="icon" href="data:,"><style>{CSS}{HOME_CSS}{STILL_CSS}</style></head><body><main>'
        f'<div class="lab-head"><div class="lab-bar"><a href="{home}">épée · {say("labs", lang)}</a><span>{switch}</span></div>'
        f'<h1>{html.escape(localise(this.title(lang), lang))}</h1><p class="lab-question">{html.escape(localise(this.question(lang), lang))}</p>'
        f'<div class="lab-story">{to_html(localise(this.story(lang), lang))}</div>'
        f'<p class="note">{say("static_note", lang)} <code>epee lab {this.id}</code>.</p></div>{"".join(parts)}'
        f'<h2 class="lab-h2">{say("exercises", lang)}</h2><div class="lab-cards">{cards}</div>'
        f'<h2 class="lab-h2">{say("code", lang)}</h2><pre><code>{html.escape(this.script(this.start(), lang))}</code></pre></main></body></html>'
    )


def _states(this: Lab) -> list[State]:
    """Return the first state and two others: the first control moved to two other places."""
    if this.waits:
        return [this.start() | {"go": True}]
    lever = next(c for c in this.controls if isinstance(c, Slider))
    values = list(lever.values)
    at = values.index(lever.start)
    others = sorted(range(len(values)), key=lambda i: -abs(i - at))
    moved = sorted({others[0], others[len(others) // 2]} - {at})
    return [this.start()] + [this.start(**{lever.name: values[i]}) for i in moved[:2]]


def _scene(this: Lab, state: State, lang: str, number: int) -> str:
    found = this.run(state | {"lang": lang})
    pictures = "".join(to_svg(f, f"{this.id}{lang}{number}{k}") for k, f in enumerate(this.pictures(found, lang)))
    rows = "".join(
        f"<dt>{html.escape(c.label(lang))}</dt><dd>{html.escape(told_value(c, state, lang))}</dd>"
        for c in this.controls
        if state.get(c.name) is not None
    )
    extra = this.extra(found, lang) if this.extra else ""
    return (
        f'<section><div class="lab-play"><div class="lab-knobs"><dl class="settings">{rows}</dl><div class="lab-answer">{to_html(this.say("answer", found, lang))}</div></div>'
        f'<div class="lab-pictures">{pictures}</div></div>{extra}<div class="lab-formula">{to_html(this.say("formula", found, lang))}</div></section>'
    )


def told_value(control: object, state: State, lang: str) -> str:
    """Return what a control is set to, as its page says it."""
    value = state[control.name]  # type: ignore[attr-defined]
    if isinstance(control, Choice):
        return control.offered(state)[value](lang)
    return localise(f"{value:g}", lang) if isinstance(value, (int, float)) else str(value)


def _options(exercise: object, lang: str) -> str:
    """Return what there is to choose from, for a page without answers."""
    if not isinstance(exercise, Pick):
        return ""
    return f"<ul>{''.join(f'<li>{to_html(words(lang))}</li>' for words in exercise.options.values())}</ul>"


def _answer(this: Lab, exercise: object, found: object, lang: str) -> str:
    if isinstance(exercise, Number):
        right = localise(f"**{float(exercise.answer(found)):.4g}**", lang)
    elif isinstance(exercise, Pick):
        options = "".join(f"<li>{to_html(words(lang))}</li>" for words in exercise.options.values())
        key = exercise.right_answer(found)
        inside = to_html(f"**{exercise.options[key](lang)}** – {tell(exercise.why, found, lang)}")
        return f"<ul>{options}</ul><details><summary>{say('show_solution', lang)}</summary>{inside}</details>"
    else:
        assert isinstance(exercise, Goal)
        changes = {k: v for k, v in exercise.solution(found).items() if k in {c.name for c in this.controls}}
        labels = {c.name: c for c in this.controls}
        state = this.start(**changes)
        right = ", ".join(f"{labels[k].label(lang)} : {told_value(labels[k], state, lang)}" for k in changes) or say(
            "go", lang
        )
    inside = to_html(f"{right} – {tell(exercise.why, found, lang)}")
    return f"<details><summary>{say('show_solution', lang)}</summary>{inside}</details>"
