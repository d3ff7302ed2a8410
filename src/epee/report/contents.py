"""What a report is made of, whatever renders it: sections of words, tables, pictures and lines of code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str
    kind: str = "words"


@dataclass(frozen=True)
class Table:
    """A table of texts; ``right`` tells which columns hold figures, ``marked`` which rows stand out."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[int] = ()
    marked: Sequence[int] = ()
    caption: str = ""
    folded: str = ""  # a title to open it with
    kind: str = "table"


@dataclass(frozen=True)
class Pictures:
    """One picture or several side by side, with a caption that says on which rows they rest."""

    svgs: Sequence[Markup]
    caption: str
    titles: Sequence[str] = ()
    kind: str = "pictures"


@dataclass(frozen=True)
class Code:
    """Lines to type again."""

    title: str
    text: str
    kind: str = "code"


@dataclass(frozen=True)
class Remark:
    """A finding: its code, name, sentence, and the paragraphs of its page."""

    code: str
    title: str
    text: str
    page: Sequence[tuple[str, str]] = ()  # (kind of block, text)
    kind: str = "remark"


Block = Words | Table | Pictures | Code | Remark


@dataclass(frozen=True)
class Section:
    """A part of the report."""

    key: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Tile:
    """One figure that is seen first: its name, the figure, and a line below."""

    name: str
    value: str
    detail: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Page:
    """A whole report: title, the answer in sentences, the first figures, and the sections."""

    lang: str
    title: str
    heading: str
    answer: Sequence[str]
    tiles: Sequence[Tile]
    sections: Sequence[Section] = field(default_factory=list)
    foot: str = ""


def page_of(card: dict[str, object]) -> Page:
    """Return the page of a card, of a run of the main job or of an exploration, in the language of the card."""
    from epee.settings import options

    settings = card.get("settings")
    lang = settings.get("lang", "en") if isinstance(settings, dict) else "en"
    with options(language=lang if lang in ("en", "fr") else "en"):
        if card.get("task") == "exploration":
            from epee.report.explored_page import explored_page

            return explored_page(card)
        from epee.report.learned_page import learned_page

        return learned_page(card)


def again_in_python(card: dict[str, object]) -> str:
    """Return the call that does it again, in the language of the card."""
    redo, settings = card["redo"], card["settings"]
    call = str(redo["python"])  # type: ignore[index]
    french = settings["lang"] == "fr" and "lang=" not in call  # type: ignore[index]
    return f"{call.removesuffix(')')}, lang='fr')" if french else call
