"""The leaderboard on a terminal: a table that fits its width, then the verdict."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from epee.losses.names import named
from epee.report.cautions import cautions_of_board, is_marked
from epee.settings import options
from epee.words.job_words import say
from epee.words.loss_words import mean_of
from epee.words.numbers import figures, fixed, gap, in_unit, interval, p_value, percent, plus_minus

NARROW = 100  # columns below which degrees of freedom and times are left out


def leaderboard_table(card: dict[str, Any], width: int) -> Any:
    """Return a Rich table of the leaderboard."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    wide, rate = width >= NARROW, named(card["loss"]).is_rate
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    level = percent(card["settings"]["level"])
    table.add_column("")
    table.add_column(say("predictor"), overflow="fold")
    table.add_column(mean_of(card["loss"]), justify="right", no_wrap=True)
    table.add_column(say("interval", level=level), justify="left", no_wrap=True)
    if wide:
        table.add_column(say("dof"), justify="right")
        table.add_column(say("time"), justify="right")
    table.add_column(say("against"), overflow="fold")
    for line in card["leaderboard"]:
        near = "~" if is_marked(line) else " "
        ends = interval(line["low"], line["high"], line["stderr"], percent=rate) + near
        error = plus_minus(line["value"], line["stderr"], percent=rate)
        cells = ["▶" if line["chosen"] else "", safe(line["name"]), error, ends]
        if wide:
            cells += ["" if line["dof"] is None else figures(line["dof"]), in_unit(fixed(line["seconds"], 1), "s")]
        mark = say(line["mark"])
        if line["mark"] == "worse":
            mark += f" (+{gap(line['difference'], line['difference_stderr'], rate=rate, bar=False)})"
        elif line["mark"] != "best":
            mark += f", p {p_value(line['p_value'])}"
        style = "bold" if line["chosen"] else "dim" if line["mark"] == "worse" else ""
        table.add_row(*(Text(cell) for cell in [*cells, mark]), style=style)
    return table


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
    lines += map(safe, cautions_of_board(card))
    lines += map(safe, card.get("conditions", []))
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
    with options(language=card["settings"]["lang"]):
        return printed(show, card, width)


def printed(show: Callable[[dict[str, Any], Any], None], card: dict[str, Any], width: int) -> str:
    """Return as plain text what is shown of a card on a Rich console."""
    from rich.console import Console

    out = io.StringIO()
    show(card, Console(file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
