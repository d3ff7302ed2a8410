"""The findings of a card as a section, each with its page to open."""

from __future__ import annotations

from typing import Any

from epee.report.contents import Block, Remark, Section, Words
from epee.words.finding_words import TITLES, title
from epee.words.report_words import say


def findings_section(card: dict[str, Any]) -> Section:
    """Return the section of the findings."""
    blocks: list[Block] = []
    for found in card.get("findings") or []:
        code = str(found.get("code", ""))
        known = code in TITLES
        blocks.append(
            Remark(code, title(code) if known else "", found.get("sentence", ""), page_blocks(code) if known else ())
        )
    if not blocks:
        blocks.append(Words(say("no_findings")))
    blocks.append(Words(say("findings_note")))
    if card.get("muted"):
        blocks.append(Words(say("muted", codes=", ".join(card["muted"]))))
    return Section("findings", say("findings"), blocks)


def page_blocks(code: str) -> list[tuple[str, str]]:
    """Return the page of a finding as (kind, text): "h" for a heading, "p" for a paragraph, "c" for code."""
    from epee.job.findings import explain

    return markdown_blocks(explain(code))[1:]  # its title is shown already


def markdown_blocks(text: str) -> list[tuple[str, str]]:
    r"""Return the blocks of a plain Markdown text: headings, paragraphs and indented code.

    >>> markdown_blocks("# A\n\nWords\nmore.\n\n    epee learn\n")
    [('h', 'A'), ('p', 'Words more.'), ('c', 'epee learn')]
    """
    blocks = []
    for part in text.strip("\n").split("\n\n"):
        if part.startswith("#"):
            blocks.append(("h", part.lstrip("# ").strip()))
        elif part.startswith("    "):
            blocks.append(("c", "\n".join(line[4:] for line in part.splitlines())))
        elif part.strip():
            blocks.append(("p", " ".join(line.strip() for line in part.splitlines())))
    return blocks


def count_sentence(card: dict[str, Any]) -> str:
    """Say how many findings there are."""
    k = len(card.get("findings") or [])
    return say("some_findings", k=k) if k else say("no_findings")
