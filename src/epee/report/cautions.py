"""Which figures carry a caution, and what it says: once, with the names of those it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epee.words.numbers import without_figures
from epee.words.report_words import say


def is_marked(line: dict[str, Any]) -> bool:
    """Tell whether the interval of a line of the leaderboard is marked: it covers less than it claims, or carries a caution."""
    return line["interval"] == "approximate" or bool(line.get("caution"))


def mark(figure: dict[str, Any] | None) -> str:
    """Return the mark behind the interval of a figure that carries a caution."""
    return " ~" if figure and figure.get("caution") else ""


def cautions_of_board(card: dict[str, Any]) -> list[str]:
    """Return the cautions of the leaderboard but for what the verdict says: that rows belong together, or the caution of the test error."""
    said, cautions, above = without_figures(" ".join(card["verdict"])), [], []
    for line in sorted(card["leaderboard"], key=lambda line: not line["chosen"]):
        text, kin = line.get("caution") or "", line.get("kin") or ""
        text = text.removeprefix(kin).strip() if without_figures(kin) in said else text
        as_above = bool(text) and without_figures(text) in said
        above += [line["name"]] if as_above else []
        cautions.append((line["name"], "" if as_above else text))
    return [*([say("caution_as_said", names=", ".join(above))] if above else []), *told_once(cautions)]


def told_once(cautions: Sequence[tuple[str, str]]) -> list[str]:
    """Return each caution once, in the words of the first whose it is, with the names of all but where it is everybody's.

    Sentences that differ in their figures only are one.

    >>> told_once([("tree", "One makes 70 %."), ("lasso", ""), ("ridge", "One makes 6 %.")])
    ['~ tree, ridge: One makes 70 %.']
    >>> told_once([("tree", "Few."), ("ridge", "Few.")])
    ['~ Few.']
    """
    first: dict[str, tuple[str, list[str]]] = {}
    for name, text in cautions:
        if text:
            first.setdefault(without_figures(text), (text, []))[1].append(name)
    return [
        f"~ {text}" if len(names) == len(cautions) else say("caution_of", names=", ".join(names), caution=text)
        for text, names in first.values()
    ]
