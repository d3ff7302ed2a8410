r"""Numbers in dress: ``12,5 %``, ``€ 1 234``, ``(5)`` for minus five, ``−5``, ``1'234``, ``1_000``, ``٥``, ``５``.

The dress is taken off, aloud, when every cell of a column is a number beneath it and all wear the same: the same currency, or a percent
sign each (``5 %`` is 5; a column with 5 and 5 % is none of numbers). Parentheses are a minus only where some cell has none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from epee.table.written import BadCell

_MINUS = dict.fromkeys(map(ord, "−–‒﹣－"), "-")
_MONEY = r"[$€£¥₣₤₩₪₫₭₮₱₲₴₵₸₹₺₽₿¢＄￡￥]|EUR|USD|GBP|CHF|JPY|CAD|AUD|CNY|SEK|NOK|DKK|PLN|INR|BRL"
_BEHIND = re.compile(rf"(?P<n>.*\d)\s*(?P<u>%|{_MONEY})")
_BEFORE = re.compile(rf"[+-]?\s*(?P<u>{_MONEY})\s*(?P<n>[+-]?\s*\d.*)")
_BARE = re.compile(r"[+-]?[\d., \u00a0\u202f\u2009]*\d[\d., \u00a0\u202f\u2009]*(?:[eE][+-]?\d+)?")
_GROUPS = re.compile(r"(?<![\d.,'’_])\d{1,3}(?:['’_]\d{3})+(?![\d'’_])")


@lru_cache(maxsize=1 << 14)
def undress(text: str) -> tuple[str, str] | None:
    """Return a number as it is usually written and the unit beside it, or None for what is no number in dress.

    >>> undress("(1 234,50 €)"), undress("٥٪"), undress("1'234.5"), undress("A5")
    (('-1 234,50', '€'), ('5', '%'), ('1234.5', ''), None)
    """
    text = "".join(_plain(c) for c in text.translate(_MINUS)).strip()
    inside = re.fullmatch(r"\((.*)\)", text)
    text = text if inside is None else inside[1].strip()
    sign = "-" if text.startswith("-") else ""
    unit = ""
    found = _BEHIND.fullmatch(text) or _BEFORE.fullmatch(text)
    if found:
        number, unit = found["n"], found["u"]
        text = number if number.startswith(("-", "+")) else sign + number
    text = _GROUPS.sub(lambda group: re.sub("['’_]", "", group[0]), text)
    if _BARE.fullmatch(text) is None or (inside and text.startswith(("-", "+"))):
        return None
    return ("-" if inside else "") + text, unit


def _plain(c: str) -> str:
    """Return a digit of any script as 0 to 9, and wide or arabic marks as the usual ones."""
    if c.isascii():
        return c
    value = unicodedata.decimal(c, None)
    if value is not None:
        return str(value)
    return {"٫": ".", "٬": "", "٪": "%", "．": ".", "，": ",", "％": "%"}.get(c, c)


def common_dress(different: Iterable[str]) -> tuple[str, list[str]] | None:
    """Return the unit that all cells wear and what is beneath, or None where they do not agree.

    >>> common_dress(["5 %", "7,5 %"]), common_dress(["5 %", "7"]), common_dress(["(1)", "(2)"])
    (('%', ['5', '7,5']), None, None)
    """
    numbers, units, negative = [], set[str](), True
    for cell in different:
        found = undress(cell)
        if found is None:
            return None
        numbers.append(found[0])
        units.add(found[1])
        negative &= cell.strip().startswith("(")
    return None if len(units) != 1 or negative else (units.pop(), numbers)


def two_dresses(different: Iterable[str]) -> tuple[str, str] | None:
    """Return two cells of a column of numbers that wear different units, which is all that keeps it from being numbers.

    >>> two_dresses(["5 %", "7", "8 %"]), two_dresses(["€5", "$7"]), two_dresses(["5", "red"]), two_dresses(["5", "7"])
    (('5 %', '7'), ('€5', '$7'), None, None)
    """
    worn: dict[str, str] = {}
    for cell in different:
        found = undress(cell)
        if found is None:
            return None
        worn.setdefault(found[1], cell)
    first, second = [*worn.values(), "", ""][:2]
    return (first, second) if len(worn) > 1 else None


def undressed(cells: Any, unit: str) -> Any:
    """Return the cells of a column in their usual writing; the first that wears something else is named."""
    import pyarrow as pa

    out = []
    for row, cell in enumerate(cells.to_pylist()):
        found = None if cell is None else undress(cell)
        if cell is not None and (found is None or found[1] != unit):
            raise BadCell(row, cell, "is not a number written as the others" + (f", with {unit!r}" if unit else ""))
        out.append(None if found is None else found[0])
    return pa.array(out, pa.string())
