"""A card as one HTML page: everything inside the file, no script, no network.

Jinja2 escapes whatever comes from the data; pictures are made of escaped texts. The page forbids scripts and requests by its
own policy, so that even a mistake here could run nothing.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from markupsafe import Markup

from epee.report.contents import page_of
from epee.settings import options
from epee.words.report_words import say


@cache
def templates() -> Any:
    """Return the templates of épée: "epee.report/page.jinja" is the file of that name in that room; whatever is filled in is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def read(name: str) -> str:
        room, _, file = name.partition("/")
        return (resources.files(room) / file).read_text(encoding="utf-8")

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, loader=FunctionLoader(read), auto_reload=False
    )
    environment.filters["fine"] = fine
    return environment


def fine(text: str) -> str:
    r"""Return a text whose high punctuation and units stay on the line of their word, as French asks.

    >>> fine("Choisi : lasso, 95 %")
    'Choisi\xa0: lasso, 95\xa0%'
    """
    if " " not in text:
        return text
    for mark in ":;?!%»±":
        text = text.replace(f" {mark}", f"\u00a0{mark}")
    return text.replace("« ", "«\u00a0").replace("± ", "±\u00a0")


@cache
def stylesheet() -> Markup:
    """Return the style of all reports."""
    return Markup((resources.files("epee.report") / "page.css").read_text(encoding="utf-8"))


def html_of(card: dict[str, Any]) -> str:
    """Return the report of a card as one HTML text, in the language of the card."""
    page = page_of(card)
    with options(language=page.lang):
        text: str = (
            templates()
            .get_template("epee.report/page.jinja")
            .render(page=page, css=stylesheet(), explanation=say("explanation"))
        )
    return text


def answer_html(card: dict[str, Any]) -> Markup:
    """Return the answer of a card as a piece of a page: the words, the first figures, then every section to open."""
    page = page_of(card)
    parts = templates().get_template("epee.report/parts.jinja").module
    with options(language=page.lang):
        return Markup(parts.answer(page)) + Markup(
            parts.folded(page, say("explanation"), ("leaderboard", "findings"), "epee-")
        )


def write_report(card: dict[str, Any], path: str | Path) -> Path:
    """Write the report of a card; the file is there whole or not at all."""
    from epee.job.writing import atomic

    text = html_of(card)
    with atomic(path, text=True) as stream:
        stream.write(text)
    return Path(path)
