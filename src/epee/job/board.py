"""The leaderboard on a terminal: a table that fits its width, then the verdict."""

from __future__ import annotations

import io
from typing import Any

from epee.job.choice import number_like
from epee.risk.estimate import decimals
from epee.words.job_words import number, percent, say

NARROW = 100  # columns below which degrees of freedom and times are left out


def error_heading(card: dict[str, Any]) -> str:
    """Return what the errors are called."""
    return say({"zero_one": "error_rate", "costs": "mean_cost", "squared": "mean_squared"}.get(card["loss"], "error"))


def leaderboard_table(card: dict[str, Any], width: int) -> Any:
    """Return a Rich table of the leaderboard."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    wide = width >= NARROW
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    level = percent(card["settings"]["level"])
    table.add_column("")
    table.add_column(say("predictor"), overflow="fold")
    table.add_column(error_heading(card), justify="right", no_wrap=True)
    table.add_column(say("interval", level=level), justify="left", no_wrap=True)
    if wide:
        table.add_column(say("dof"), justify="right")
        table.add_column(say("time"), justify="right")
    table.add_column(say("against"), overflow="fold")
    for line in card["leaderboard"]:
        d = decimals(line["value"], line["stderr"] or 0.0)
        near = "~" if line["interval"] == "approximate" else " "
        separator = " ; " if card["settings"]["lang"] == "fr" else ", "
        ends = f"[{_fixed(line['low'], d)}{separator}{_fixed(line['high'], d)}]{near}"
        cells = [
            "▶" if line["chosen"] else "", safe(line["name"]), f"{_fixed(line['value'], d)} ± {_fixed(line['stderr'], d)}", ends,
        ]  # fmt: skip
        if wide:
            cells += ["" if line["dof"] is None else number(line["dof"]), f"{_fixed(round(line['seconds'], 1), 1)} s"]
        mark = say(line["mark"])
        if line["mark"] == "worse":
            mark += f" (+{number_like(line['difference'], line['difference_stderr'])})"
        style = "bold" if line["chosen"] else "dim" if line["mark"] == "worse" else ""
        table.add_row(*(Text(cell) for cell in [*cells, mark]), style=style)
    return table


def _fixed(value: float | None, d: int) -> str:
    from epee.settings import options

    if value is None:
        return "?"
    text = f"{value:.{d}f}" if 1e-4 < abs(value) < 1e7 or value == 0 else f"{value:.3g}"
    return text.replace(".", ",") if options.language == "fr" else text


def safe(text: str) -> str:
    r"""Return a text from data without control characters, which could steer the terminal.

    >>> print(safe("a\x1b[31m"))
    a\x1b[31m
    """
    return "".join(c if c.isprintable() or c in "\u00a0\u202f" else c.encode("unicode_escape").decode() for c in text)


def sentences_of(card: dict[str, Any]) -> list[str]:
    """Return what is said below the table."""
    lines = [" ".join(card["verdict"])]
    if any(line["interval"] == "approximate" for line in card["leaderboard"]):
        lines.append(say("approximate_note"))
    if card["dropped"]:
        by_reason: dict[str, list[str]] = {}
        for d in card["dropped"]:
            by_reason.setdefault(safe(d["why"]), []).append(safe(d["name"]))
        parts = "; ".join(f"{', '.join(names)} ({why})" for why, names in by_reason.items())
        lines.append(say("dropped", parts=parts))
    lines += [safe(f"{f.get('code', '')} {f.get('sentence', '')}".strip()) for f in card.get("findings", [])]
    return lines


def show(card: dict[str, Any], console: Any) -> None:
    """Print the leaderboard and the verdict on a Rich console."""
    from rich.text import Text

    console.print(leaderboard_table(card, console.width))
    for sentence in sentences_of(card):
        console.print(Text(safe(sentence)))


def text_of(card: dict[str, Any], width: int = 110) -> str:
    """Return the leaderboard and the verdict as plain text."""
    from rich.console import Console

    from epee.settings import options

    out = io.StringIO()
    with options(language=card["settings"]["lang"]):
        show(card, Console(file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
