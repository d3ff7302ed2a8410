"""What kind of text a file is: its encoding, its delimiter, and whether its first line holds names.

The delimiter is the one that cuts every line of a sample into the same number of cells; where two do (``1,5;2,5``), the one
whose cells are more often numbers wins, and then the rarer sign: tab, semicolon, bar, comma, blank.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from epee.errors import EmptyTable

DELIMITERS = "\t;|, "
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[+-]?(\d{1,3}([ \u00a0\u202f]\d{3})+|\d+)?([.,]\d*)?([eE][+-]?\d+)?%?")
_DATE = re.compile(r"\d{4}[-/]\d{2}[-/]\d{2}.*|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}.*")
_WORDS = frozenset(["true", "false", "yes", "no", "oui", "non", "vrai", "faux"])
_HOLES = frozenset(["", "na", "n/a", "nan", "null", "?"])
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Dialect:
    """How the lines of a file are cut: encoding, delimiter, names, and how many lines stand before the first row."""

    encoding: str
    delimiter: str
    names: tuple[str, ...]
    header: bool
    skip: int = 0  # blank lines at the top


def find_encoding(head: bytes, whole: bool) -> tuple[str, bool]:
    """Return the encoding of a sample and whether it is a guess (not UTF-8, no mark).

    >>> find_encoding("pays;été".encode(), True), find_encoding("pays;été".encode("cp1252"), True)
    (('utf-8', False), ('cp1252', True))
    """
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name, False
    if b"\0" in head:
        even, odd = head[0:2000:2].count(0), head[1:2000:2].count(0)
        half = max(1, len(head[:2000]) // 2)
        if odd > 0.4 * half and even < 0.1 * half:
            return "utf-16-le", False
        if even > 0.4 * half and odd < 0.1 * half:
            return "utf-16-be", False
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(head, final=whole)
    except UnicodeDecodeError:
        text = head.decode("utf-8", "replace")
        bad = text.count("\ufffd")
        good = sum(c > "\x7f" for c in text) - bad
        return (
            ("utf-8", False) if good > bad else ("cp1252", True)
        )  # UTF-8 with a damaged byte stays UTF-8, and is refused
    return "utf-8", False


def find_dialect(
    text: str, whole: bool, encoding: str, label: str, delimiter: str | None = None, header: bool | None = None
) -> Dialect:
    r"""Return the dialect of a sample of a file; ``delimiter`` and ``header`` are what the user said.

    >>> find_dialect("a;b\n1,5;2\n", True, "utf-8", "x.csv")
    Dialect(encoding='utf-8', delimiter=';', names=('a', 'b'), header=True, skip=0)
    """
    bare = text.lstrip("\r\n")
    skip = len(io.StringIO(text[: len(text) - len(bare)], newline="").readlines())
    if not bare.strip():
        raise EmptyTable(f"{label} is empty.")
    options = delimiter or DELIMITERS
    cuts = {mark: _records(bare, mark, whole) for mark in options}
    best = delimiter or _choose(cuts)
    rows = cuts[best]
    if header is None:
        header = _has_header(rows)
    width = len(rows[0])
    if header:
        names = tuple(cell.strip() or f"column_{j}" for j, cell in enumerate(rows[0], 1))
    else:
        names = tuple(f"column_{j}" for j in range(1, width + 1))
    return Dialect(encoding, best, names, header, skip)


def _records(text: str, delimiter: str, whole: bool, most: int = 500) -> list[list[str]]:
    """Return the first lines, cut; the last of a sample is left out, it may be cut short."""
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) > most:
                return rows[:most]
    except csv.Error:
        pass
    return rows if whole or len(rows) < 2 else rows[:-1]


def _choose(cuts: dict[str, list[list[str]]]) -> str:
    """Return the mark that cuts the lines most evenly; of several that cut all alike, the one that gives most numbers and dates."""
    even: dict[str, float] = {}
    for mark, rows in cuts.items():
        width, common = Counter(len(row) for row in rows).most_common(1)[0]
        share = common / len(rows)
        if width >= 2 and len(rows[0]) >= 2 and not (mark == " " and share < 1):
            even[mark] = share
    best = max(even.values(), default=0.0)
    marks = [mark for mark, share in even.items() if share == best]
    if best < 1 or len(marks) == 1:
        return next(iter(marks), ",")
    return max(marks, key=lambda mark: _typed_share(cuts[mark]))


def _typed_share(rows: list[list[str]]) -> float:
    """Return the share of numbers, dates and booleans among the cells below the first line, to one digit."""
    cells = [cell for row in rows[1:] or rows for cell in row]
    return round(sum(_typed(cell) for cell in cells) / max(1, len(cells)), 1)


def _typed(cell: str) -> bool:
    """Tell whether a cell is a number, a date or a boolean."""
    cell = cell.strip()
    has_digit = _DIGIT.search(cell) is not None
    return bool((has_digit and (_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell))) or cell.lower() in _WORDS)


def _has_header(rows: list[list[str]]) -> bool:
    """Tell whether the first line holds names: it has no number, date or boolean, or only years above numbers."""
    first, rest = rows[0], rows[1:]
    cells = [cell.strip() for cell in first]
    typed = [cell for cell in cells if _typed(cell)]
    if not typed:
        return any(cell.lower() not in _HOLES for cell in cells)
    below = [[row[j] for row in rest if j < len(row)] for j in range(len(first))]
    for cell, column in zip(cells, below, strict=True):
        if not _typed(cell) and cell.lower() not in _HOLES:
            full = [c for c in column if c.strip().lower() not in _HOLES]
            if full and all(_typed(c) for c in full):
                return True  # a word above numbers
    years = [int(c) for c in typed if re.fullmatch(r"(19|20)\d\d", c)]
    return len(years) == len(typed) >= 2 and all(b - a == 1 for a, b in pairwise(years)) and len(rest) > 0
