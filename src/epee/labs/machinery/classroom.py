"""A folder for a class: handouts, notebooks, exercises with checks, and the book of solutions, in one language.

handouts/    one page a lab, HTML and PDF, without answers
jupyter/     the labs as notebooks
marimo/      the labs as living notebooks
exercises/   one notebook a lab for students: a question, a cell for the answer, a check that does not tell it
teacher/     the same with the answers in it, and all of them in one page
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from epee.job.writing import atomic, check_places, is_page
from epee.labs.catalogue import IDS, lab
from epee.labs.home import HOME_CSS
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.jupyter import as_notebook, code_cell, is_untouched, jupyter_notebook, words_cell
from epee.labs.machinery.lab import Lab
from epee.labs.machinery.looks import CSS
from epee.labs.machinery.markup import to_html
from epee.labs.machinery.notebooks import notebook_text
from epee.labs.machinery.paper import write_paper
from epee.labs.machinery.phrases import say
from epee.labs.machinery.still_pages import STILL_CSS, still_page, told_value
from epee.labs.machinery.words import localise, tell


def write_class(folder: str | Path, names: Sequence[str] = IDS, force: bool = True, lang: str = "en") -> Iterator[Path]:
    """Write the folder of a class; yields each path.

    Without ``force`` files that épée did not write, and notebooks in which somebody has worked, are refused before the first is written.
    """
    place = Path(folder)
    for part in ("handouts", "jupyter", "marimo", "exercises", "teacher"):
        (place / part).mkdir(parents=True, exist_ok=True)
    pages = {place / "handouts" / f"{name}.html": name for name in names}
    books = {
        place / kind / f"{name}.ipynb": (kind, name) for kind in ("jupyter", "exercises", "teacher") for name in names
    }
    check_places([*((path, is_page) for path in pages), *((path, is_untouched) for path in books)], force=force)
    for path, name in pages.items():
        yield _text(path, still_page(lab(name), lang, answers=False))
        paper = path.with_suffix(".pdf")
        write_paper(lab(name), lang, paper)
        yield paper
    for path, (kind, name) in books.items():
        this = lab(name)
        made = (
            jupyter_notebook(this, lang)
            if kind == "jupyter"
            else exercise_notebook(this, lang, solved=kind == "teacher")
        )
        yield _text(path, json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    for name in names:
        yield _text(place / "marimo" / f"{name}.py", notebook_text(name))
    yield _text(place / "teacher" / "solutions.html", solution_book(names, lang))
    yield _text(place / "index.html", _index(names, lang))


def _text(path: Path, text: str) -> Path:
    with atomic(path, text=True) as stream:
        stream.write(text)
    return path


def _start(this: Lab, lang: str) -> dict[str, Any]:
    return this.start(lang=lang) | ({"go": True} if this.waits else {})


def answer_of(this: Lab, number: int, lang: str = "en") -> Any:
    """Return what a good student answers to an exercise (from 1): a number, a key, or settings.

    >>> answer_of(lab("hebb"), 1)
    0.03
    """
    exercise, found = this.exercises[number - 1], this.run(_start(this, lang))
    if isinstance(exercise, Goal):
        known = {control.name for control in this.controls}
        return {key: value for key, value in exercise.solution(found).items() if key in known or key == "go"}
    right = exercise.right_answer(found)
    return float(right) if isinstance(exercise, Number) else right


def grade(name: str, number: int, answer: Any, lang: str = "en") -> bool:
    """Judge the answer to an exercise of a lab (from 1), print a word, and tell whether it is right.

    Parameters
    ----------
    name : str
        Of the lab.
    number : int
    answer : number, key of an option, or dictionary of settings
        As the exercise asks.
    lang : {"en", "fr"}

    Examples
    --------
    >>> grade("hebb", 1, 0.03)
    Right: so 0.9 is known to about ± 0.06 at 95 %.
    True
    """
    this = lab(name)
    exercise = this.exercises[number - 1]
    settings = answer if isinstance(exercise, Goal) and isinstance(answer, dict) else {}
    verdict = exercise.check(answer, this.run(_start(this, lang) | settings))
    print(localise(verdict.words(lang), lang).replace("\N{NO-BREAK SPACE}", " "))
    return verdict.right


def exercise_notebook(this: Lab, lang: str, *, solved: bool) -> dict[str, Any]:
    """Return the exercises of a lab as a notebook: with the answers in it, or with room for them."""
    found = this.run(_start(this, lang))
    cells = [
        words_cell(f"# {this.title(lang)}\n\n**{this.question(lang)}**\n\n{localise(this.story(lang), lang)}"),
        code_cell("from epee.labs.machinery.classroom import grade"),
    ]
    for number, exercise in enumerate(this.exercises, 1):
        note = ""
        if isinstance(exercise, Pick):
            note = "\n\n" + "\n".join(
                f"- `{key!r}`: {localise(words(lang), lang)}" for key, words in exercise.options.items()
            )
        elif isinstance(exercise, Goal):
            note = (
                "\n\n"
                + say("as_settings", lang)
                + " "
                + ", ".join(f"`{c.name}` ({c.label(lang)})" for c in this.controls)
            )
        cells.append(words_cell(f"**{number}.** {tell(exercise.prompt, found, lang)}{note}"))
        answer = repr(answer_of(this, number, lang)) if solved else "..."
        cells.append(code_cell(f"answer_{number} = {answer}", tags=["answer"]))
        cells.append(code_cell(f'grade("{this.id}", {number}, answer_{number}, "{lang}")', tags=["check"]))
        if solved:
            cells.append(words_cell(tell(exercise.why, found, lang)))
    return as_notebook(cells)


def solution_book(names: Sequence[str], lang: str) -> str:
    """Return all answers in one page."""
    parts = []
    for name in names:
        this = lab(name)
        found = this.run(_start(this, lang))
        items = "".join(
            f"<li>{to_html(tell(exercise.prompt, found, lang))}<p><b>{html.escape(_shown(this, number, lang))}</b></p>"
            f"{to_html(tell(exercise.why, found, lang))}</li>"
            for number, exercise in enumerate(this.exercises, 1)
        )
        parts.append(f'<h2 class="lab-h2">{html.escape(this.title(lang))}</h2><ol>{items}</ol>')
    return _page(say("solutions", lang), "".join(parts), lang)


def _shown(this: Lab, number: int, lang: str) -> str:
    exercise, answer = this.exercises[number - 1], answer_of(this, number, lang)
    if isinstance(exercise, Pick):
        return exercise.options[answer](lang)
    if isinstance(exercise, Goal):
        state = _start(this, lang) | answer
        set_ = [f"{c.label(lang)} = {told_value(c, state, lang)}" for c in this.controls if c.name in answer]
        return (" ; " if lang == "fr" else "; ").join(set_)
    return localise(f"{answer:.4g}", lang)


def _index(names: Sequence[str], lang: str) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(lab(name).title(lang))}</td><td><a href='handouts/{name}.html'>HTML</a> <a href='handouts/{name}.pdf'>PDF</a></td>"
        f"<td><a href='jupyter/{name}.ipynb'>Jupyter</a> <a href='marimo/{name}.py'>marimo</a></td>"
        f"<td><a href='exercises/{name}.ipynb'>{say('exercises', lang)}</a></td>"
        f"<td><a href='teacher/{name}.ipynb'>{say('solutions', lang)}</a></td></tr>"
        for name in names
    )
    return _page(
        say("class", lang),
        f'<table class="class">{rows}</table><p><a href="teacher/solutions.html">{say("solutions", lang)}</a></p>',
        lang,
    )


def _page(title: str, body: str, lang: str) -> str:
    look = (
        f"{CSS}{HOME_CSS}{STILL_CSS}.class td{{padding:.25rem 1rem .25rem 0;border-bottom:1px solid var(--lab-line)}}"
    )
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="épée"><title>épée · {title}</title><link rel="icon" href="data:,"><style>{look}</style></head>'
        f"<body><main><h1>{title}</h1>{body}</main></body></html>"
    )
