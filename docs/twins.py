"""The French twin of the site: which sentences there are, and the catalogue in which each has its twin.

The French site is built from the same sources with ``locale/fr/LC_MESSAGES/site.po``. ``python docs/twins.py site.pot`` takes over the
messages that ``sphinx-build -b gettext`` wrote (``make french`` does both), keeps every twin that is there, fills in what repeats from
page to page, and says how many are missing. The test reads the sentences from the sources themselves, without building anything.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measured_words import BETWEEN

DOCS = Path(__file__).resolve().parent
CATALOGUE = DOCS / "locale" / "fr" / "LC_MESSAGES" / "site.po"
PAGES = tuple(
    str(p.relative_to(DOCS).with_suffix("")) for folder in (DOCS, DOCS / "guide") for p in sorted(folder.glob("*.md"))
)
DATE = datetime(2026, 11, 16, tzinfo=UTC)  # of the catalogue: a date of each sentence would make each merge a conflict
FIELDS = ("Parameters", "Other Parameters", "Attributes", "Returns", "Yields", "Raises")
# what the gallery says on every page
REPEATED = (
    (
        r":ref:`Go to the end <(.*)>` to download the full example code\.",
        r":ref:`Aller à la fin <\1>` pour télécharger le code complet.",
    ),
    (r":download:`Download Jupyter notebook: (.*)", r":download:`Télécharger le carnet Jupyter : \1"),
    (r":download:`Download Python source code: (.*)", r":download:`Télécharger le code Python : \1"),
    (r":download:`Download zipped: (.*)", r":download:`Télécharger l'archive : \1"),
)


def catalogue() -> dict[str, str]:
    """Return the twins that there are, by the English sentence."""
    from babel.messages.pofile import read_po

    with open(CATALOGUE, "rb") as stream:
        return {message.id: message.string for message in read_po(stream) if message.id and message.string}


def has_words(text: str) -> bool:
    """Tell whether a text has words outside code, formulas and links to pages.

    >>> has_words("`Ridge`, $x^2$"), has_words("``.chosen .plot()``"), has_words("the largest")
    (False, False, True)
    """
    bare = re.sub(r"``.*?``|`[^`]*`|\$[^$]*\$|\{[\w:]+\}|:[\w:]+:|\d+|[A-Z]\d", "", text)
    return bool(re.search(r"[^\W\d_]{3}", bare)) and not text.lstrip().startswith("\\")


def sentences(page: str) -> Iterator[str]:
    """Yield the paragraphs, headings, items and cells of a page in Markdown, each on one line as the catalogue has it."""
    path = DOCS / f"{page}.md" if page != "changes" else DOCS.parent / "CHANGELOG.md"
    if not path.exists():
        return
    text = BETWEEN.sub("", path.read_text(encoding="utf-8"))  # what is measured has words of its own
    text = re.sub(r"^(?: {4}.*\n)+", "\n", text, flags=re.M)
    text = re.sub(r"^(```|:::|\$\$).*?^\1[ \t]*$", "\n", text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^\$\$.*\$\$$", "", text, flags=re.M)
    for block in re.split(r"\n\s*\n", text):
        block = block.strip()
        if block.startswith("|"):
            if page == "glossary":  # both languages already
                continue
            for line in block.splitlines():
                if not re.fullmatch(r"[|\s:-]+", line):
                    yield from (
                        cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")) if has_words(cell)
                    )
            continue
        for item in re.split(r"^(?:[-*]|\d+\.)\s+", block, flags=re.M):
            line = " ".join(re.sub(r"^[#>]+\s*", "", part.strip()) for part in item.splitlines()).strip()
            if has_words(line):
                yield line


def summaries() -> Iterator[tuple[str, str]]:
    """Yield (name, sentence): what the API page says of its sections and of every public name."""
    import inspect

    import generated_pages

    for title, (_, about) in generated_pages.SECTIONS.items():
        yield from ((title, title), (title, about))
    yield from generated_pages.ROOMS.items()
    for name in generated_pages.public_names():
        thing = generated_pages.resolve(name)
        named = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
        text = " ".join(inspect.cleandoc(named.__doc__ or "").split("\n\n")[0].split())
        yield name, text
        if ". Parameters: " in text:  # the page of all names shows the first sentence
            yield name, text.split(". Parameters: ")[0] + "."


def paragraphs(doc: str | None) -> Iterator[str]:
    """Yield what a docstring says, each paragraph on one line: its head, its notes, and what it says of parameters; not their names."""
    import inspect

    section, block = "", list[str]()
    lines = [*inspect.cleandoc(doc or "").splitlines(), ""]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        heading = bool(line) and re.fullmatch("-{3,}", below.strip()) is not None
        rule = re.fullmatch("-{3,}", line.strip()) is not None
        term = section in FIELDS and line[:1].strip() != ""
        if heading or rule or term or not line.strip():
            text = " ".join(part.strip() for part in block)
            shown = not text.startswith((".. math::", ">>>"))
            if section != "References" and shown and has_words(text):
                yield text
            section, block = line.strip() if heading else section, []
        else:
            block.append(line)


def docstrings(name: str) -> Iterator[str | None]:
    """Yield the docstrings of a public name and of the methods that its page shows."""
    import inspect

    import generated_pages

    thing = generated_pages.resolve(name)
    named = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
    yield named.__doc__
    for member in generated_pages.shown_members(named) if inspect.isclass(named) else ():
        found = inspect.getattr_static(named, member)
        found = getattr(found, "__func__", getattr(found, "fget", getattr(found, "func", found)))
        if "sklearn" not in (getattr(found, "__module__", "") or ""):
            yield found.__doc__


def parameters(name: str) -> Iterator[str]:
    """Yield the paragraphs of a public name and of the methods that its page shows."""
    for doc in docstrings(name):
        yield from paragraphs(doc)


def mathematics(name: str) -> Iterator[str]:
    """Yield what the page of a public name says under "The mathematics": the paragraphs and items of its module between the formulas."""
    import inspect
    from importlib import import_module

    import generated_pages

    thing = generated_pages.resolve(name)
    doc = inspect.cleandoc(import_module(getattr(thing, "__module__", "epee")).__doc__ or "")
    if ".. math::" not in doc or not getattr(thing, "__module__", "").startswith("epee."):
        return
    for block in re.split(r"\n\s*\n", doc):
        if block.startswith((" ", "..", ">>>", "===")):
            continue
        listed = re.match(r"(?:[-*]|\d+\.)\s", block)
        for item in re.split(r"^(?:[-*]|\d+\.)\s+", block, flags=re.M) if listed else [block]:
            line = " ".join(part.strip() for part in item.splitlines()).strip()
            if has_words(line) and not line.startswith(("References:", "Reference:")):
                yield line


def gallery() -> Iterator[tuple[str, str]]:
    """Yield (file, sentence): title and head of every example, and what the figures say between their lines of code."""
    for path in sorted((DOCS.parent / "examples").rglob("plot_*.py")):
        text = path.read_text(encoding="utf-8")
        doc = ast.get_docstring(ast.parse(text)) or ""
        doc += "\n\n" + "\n\n".join(
            re.sub(r"^# ?", "", part, flags=re.M) for part in re.findall(r"^# %%\n((?:#.*\n)*)", text, flags=re.M)
        )
        for block in re.split(r"\n\s*\n", doc):
            lines = [line.strip() for line in block.strip().splitlines() if not re.fullmatch(r"[=\-~]+", line.strip())]
            line = " ".join(lines)
            if has_words(line) and not line.startswith(".. ") and not block.startswith(" "):
                yield path.stem, line


def take_over(pot: Path) -> int:
    """Write the catalogue anew from the messages of a build; return how many have no twin."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import read_po, write_po

    known = catalogue() if CATALOGUE.exists() else {}
    with open(pot, "rb") as stream:
        messages: Any = read_po(stream)
    new, missing = Catalog(locale="fr", project="épée", charset="utf-8", creation_date=DATE), 0
    for message in messages:
        if not message.id or not has_words(message.id):
            continue
        twin = known.get(message.id, "")
        for pattern, french in REPEATED:
            twin = twin or (re.sub(pattern, french, message.id) if re.fullmatch(pattern, message.id) else "")
        missing += not twin
        if twin:
            new.add(message.id, twin)
    for english, french in known.items():
        if english not in new:
            new.add(english, french)
    with open(CATALOGUE, "wb") as stream:
        write_po(stream, new, omit_header=False, sort_output=True, width=0)
    return missing


if __name__ == "__main__":
    print(f"{take_over(Path(sys.argv[1]))} messages have no twin: they stand in English on the French site")
