"""What a lab says, in English and French, and how numbers are written in each.

A text is Markdown of the plainest kind with LaTeX between dollars. Numbers are written with a point everywhere;
:func:`localise` turns them into decimal commas for French, in the text and in the formulas, never in code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from epee.words.catalogue import Words

_PIECES = re.compile(r"(```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$)", re.S)
_POINT = re.compile(r"(?<![\w.])(\d+)\.(\d+)(?![\w.]*\d*\.\d)")


Telling = Words | Callable[[Any], Words]


def tell(telling: Telling, results: Any, lang: str) -> str:
    """Return a text, which may depend on the results, in one language."""
    words = telling if isinstance(telling, Words) else telling(results)
    return localise(words(lang), lang)


def localise(text: str, lang: str) -> str:
    r"""Return Markdown with the decimal mark of the language; code keeps its points.

    >>> localise("about 0.25, $x = 1.5$, `0.5`", "fr")
    'about 0,25, $x = 1{,}5$, `0.5`'
    """
    pieces = _PIECES.split(text)
    for i, piece in enumerate(pieces):
        if piece.startswith("`"):
            continue
        if lang == "fr":
            piece = _POINT.sub(r"\1{,}\2" if piece.startswith("$") else r"\1,\2", piece)
        pieces[i] = piece if piece.startswith("$") else _unbroken(piece, lang)
    return "".join(pieces)


def _unbroken(text: str, lang: str) -> str:
    """Return a text whose signs are not parted from their words at the end of a line."""
    text = re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)
    if lang == "fr":
        text = re.sub(r" (?=[:;?!»])", "\N{NO-BREAK SPACE}", text).replace("« ", "«\N{NO-BREAK SPACE}")
    return text


def shown(value: float, digits: int = 3) -> str:
    r"""Return a number with some significant digits, for a text or a formula.

    >>> shown(0.12345), shown(1234.5), shown(0.00001234), shown(-2.0)
    ('0.123', '1230', '1.23\\times 10^{-5}', '-2')
    """
    value = float(value)
    if not math.isfinite(value):
        return r"\infty" if value > 0 else r"-\infty" if value < 0 else "?"
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)))
    if power < -3 or power > 5:
        head = f"{value / 10.0**power:.{digits - 1}f}"
        return rf"{head}\times 10^{{{power}}}"
    rounded = round(value, digits - 1 - power)
    text = f"{rounded:.{max(digits - 1 - power, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_language(state: dict[str, Any]) -> Callable[[str, str], str]:
    """Return what chooses between English and French in the lines to take away: the language of the state.

    >>> in_language({"lang": "fr"})("error", "erreur")
    'erreur'
    """
    return lambda en, fr: Words(en, fr)(state.get("lang", "en"))


def blocks(*lines: str) -> str:
    """Return formulas on lines of their own, so that they also fit a telephone.

    >>> blocks("a = 1", "b = 2")
    '$$a = 1$$\\n\\n$$b = 2$$'
    """
    return "\n\n".join(f"$${line}$$" for line in lines)


def formula_parts(line: str) -> list[str]:
    r"""Return the parts of a line of formulas, which may stand one under the other.

    >>> formula_parts(r"a = 1, \quad b = 2")
    ['a = 1,', 'b = 2']
    """
    return [part.strip() for part in re.split(r"\\q?quad\b", line) if part.strip()]


def percent(share: float, digits: int = 1) -> str:
    """Return a share as a number of percent, without the sign.

    >>> percent(0.0834)
    '8.3'
    """
    return f"{100 * share:.{digits}f}"


def asked_number(typed: str) -> float | None:
    """Return the number that a student typed: 0.5, 0,5, 50 %, 1/2; None where it is none.

    >>> [asked_number(t) for t in ("0,5", " 50 % ", "1/2", "1e-3", "two")]
    [0.5, 0.5, 0.5, 0.001, None]
    """
    text = typed.strip().replace("\N{NO-BREAK SPACE}", "").replace(" ", "").replace(",", ".").replace("−", "-")
    scale = 0.01 if text.endswith("%") else 1.0
    top, slash, bottom = text.rstrip("%").partition("/")
    try:
        value = float(top) / (float(bottom) if slash else 1.0)
    except (ValueError, ZeroDivisionError):
        return None
    return value * scale if math.isfinite(value) else None
