r"""Cells that are written as text: what a column of them holds, and its values.

A column is a column of numbers when every cell is one *in the same way of writing*: ``1234.5``, or ``1 234,5`` with a decimal
comma and blanks (plain, no-break U+00A0 or narrow no-break U+202F) between thousands, or ``1,234.5``. Nothing is guessed
cell by cell: ``1,5`` is one and a half or a fault, never 15. Digits after a leading zero (``007``) make an identifier, not a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.table.dates import find_dates, to_date
from epee.table.dressed import common_dress, two_dresses, undressed
from epee.table.written import BadCell, Writing, all_match, any_matches, refuse_unfit
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")  # in any column
MISSING_NUMBER = (
    *MISSING,
    "na",
    "-nan",
    "None",
    "none",
    "?",
    ".",
    "-",
    "--",
    "ND",
    "n.d.",
    "NC",
    "#NULL!",
)  # where a text is no value
TRUE = ("true", "t", "yes", "y", "oui", "vrai")
FALSE = ("false", "f", "no", "n", "non", "faux")
SURE = 20  # different cells with three digits behind a comma
MAX_LEVELS = 1000  # more different texts than this are no category
HEAD = 256  # cells that are tried before all others are

_BLANK = r"[ \x{00a0}\x{202f}\x{2009}]"
_EXPONENT = r"([eE][+-]?[0-9]+)?$"
_WHOLE = rf"(?:[0-9]{{1,3}}(?:{_BLANK}[0-9]{{3}})+|[0-9]+)"
_POINT = rf"^[+-]?(?:{_WHOLE}(?:\.[0-9]*)?|\.[0-9]+){_EXPONENT}"  # e5 is no number: a digit comes first
_COMMA = rf"^[+-]?(?:{_WHOLE}(?:,[0-9]*)?|,[0-9]+){_EXPONENT}"
_ENGLISH = r"^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?$"
_GERMAN = r"^[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]*)?$"
_PATTERN = {(".", " "): _POINT, (",", " "): _COMMA, (".", ","): _ENGLISH, (",", "."): _GERMAN}
_DECIMALS = r",[0-9]{0,2}$|,[0-9]{4}|^[+-]?0,|^[+-]?[0-9]{4,},"  # no comma between thousands
_INFINITE = r"^(?i)[+-]?inf(?:inity)?$"
_LEADING_ZERO = r"^[+-]?0[0-9]"


def infer(
    column: pa.ChunkedArray, decimal: str | None = None, kind: str | None = None, french: bool = False, order: str = ""
) -> Writing:
    """Return how a column of texts is written; ``kind`` and ``decimal`` are what the user said, ``order`` that of dates.

    >>> import pyarrow as pa
    >>> column = pa.chunked_array([["1 234,5", "0,25", "NA"]])
    >>> infer(column).kind, infer(column).decimal
    ('number', ',')
    >>> infer(pa.chunked_array([["007", "012"]])).note
    'leading zeros: read as labels, not as numbers'
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind in ("category", "text"):
        return Writing(kind)
    quick = _quick_number(column, decimal, kind, french)
    if quick is not None:
        return quick
    cells = pc.utf8_trim_whitespace(column)
    cells = cells.filter(pc.invert(pc.is_in(cells, pa.array(MISSING_NUMBER)))).drop_null()
    if not len(cells):
        return Writing(kind or "number", note=say("no_values"))
    quick = _quick_number(cells, decimal, kind, french)
    if quick is not None:
        return quick
    values = pc.value_counts(cells)
    different, counts = values.field("values"), values.field("counts")
    if kind in (None, "number"):
        found = _number(different, decimal, french, kind == "number")
        if found is not None:
            return found
    if kind in (None, "boolean"):
        low = pc.utf8_lower(different)
        if pc.all(pc.is_in(low, pa.array(TRUE + FALSE))).as_py():
            return Writing("boolean")
        if kind == "boolean":
            return Writing("boolean", note=say("zero_one"))
    if kind in (None, "date"):
        found = find_dates(different, french, order)
        if found is not None or kind == "date":
            return found or Writing("date", pattern="iso")
    if kind in (None, "number"):
        found = _dressed(different, decimal, french, kind == "number")
        if found is not None:
            return found
    if kind in (None, "number") and decimal is None and not french:
        found = _thousands(different, kind == "number")
        if found is not None:
            return found
    mostly = _mostly_numbers(different, counts, decimal, french)
    if kind == "number" or mostly:
        return mostly or Writing("number", decimal or ".")
    zeros = any_matches(different, _LEADING_ZERO) and all_match(different, r"^[+-]?[0-9 .,]+$")
    doubt = not zeros and all_match(different, r"^[0-9]{1,3},[0-9]{3}$")
    note = say("zeros") if zeros else say("mark_or_thousand", cell=different[0].as_py()) if doubt else ""
    two = None if note else two_dresses(different.to_pylist())
    if two is not None:
        note, doubt = say("two_dresses", first=two[0], second=two[1]), True
    return Writing(kind_of_texts(len(different), len(cells)), note=note, doubt=doubt)


def _quick_number(cells: pa.ChunkedArray, decimal: str | None, kind: str | None, french: bool) -> Writing | None:
    """Return a column of plain numbers when Arrow's strict reader takes every cell, without looking at patterns."""
    if kind not in (None, "number") or cells.null_count == len(cells):
        return None
    zeros = kind == "number"
    if not zeros and any(leading_zeros(chunk).any() for chunk in cells.chunks):
        return None
    values = _quick(cells) if decimal in (None, ".") else None
    if values is not None:
        if not zeros and _too_long(cells, values):
            return Writing("number", ".", note=say("too_long"), doubt=True)
        odd = french and all_match(cells, r"^[+-]?[0-9]{1,3}\.[0-9]{3}$")
        note = say("other_point", cell=cells.drop_null()[0].as_py()) if odd else ""
        return Writing("number", ".", zeros=zeros, note=note, doubt=odd)
    if decimal == "," or (decimal is None and french):
        swapped = [_swap_commas(chunk) for chunk in cells.chunks]
        if all(chunk is not None and _quick(chunk) is not None for chunk in swapped):
            return Writing("number", ",", zeros=zeros, note=say("comma"))
    return None


def _too_long(cells: pa.ChunkedArray, values: pa.ChunkedArray) -> bool:
    """Tell whether some whole number has more digits than a float holds, as long identifiers do."""
    import pyarrow.compute as pc

    large = pc.greater_equal(pc.abs(values), 2.0**53)
    return pc.any(large).as_py() is True and any_matches(cells.filter(large), r"^[+-]?[0-9]{16,}$")


def kind_of_texts(different: int, n: int) -> str:
    """Tell a category (texts that come back) from a text.

    >>> kind_of_texts(3, 150), kind_of_texts(140, 150)
    ('category', 'text')
    """
    return "category" if different <= MAX_LEVELS and (different <= 20 or different <= n // 2) else "text"


def _number(different: pa.Array, decimal: str | None, french: bool, said: bool) -> Writing | None:
    """Return the one way of writing in which all the different cells are numbers, or None."""
    for (mark, thousands), pattern in _PATTERN.items():
        if decimal not in (None, mark) or not all_match(different, pattern, _INFINITE):
            continue
        if not said and any_matches(different, _LEADING_ZERO):
            return None
        if not any_matches(different, r"[0-9]"):
            return None
        if thousands in ",.":  # 1,234 alone may be either; 1,234.5 and 1,234,567 may not
            decided = (
                any_matches(different, rf"\{mark}")
                or any_matches(different, rf"\{thousands}.*\{thousands}")
                or decimal == mark
            )
            if not (decided and any_matches(different, rf"\{thousands}")):
                continue
        doubtful = (mark, thousands) == (",", " ") and decimal is None and not french
        if doubtful and any_matches(different, ",") and not any_matches(different, _DECIMALS):
            continue
        note = say("comma") if mark == "," else ""
        if thousands in ",.":
            note = say("thousands", mark=thousands)
        return Writing("number", mark, thousands, zeros=said, note=note)
    return None


def _dressed(different: pa.Array, decimal: str | None, french: bool, said: bool) -> Writing | None:
    """Return how numbers in dress are written (:mod:`epee.table.dressed`), or None."""
    import pyarrow as pa

    found = common_dress(different.to_pylist()) if any_matches(different, r"[\p{Nd}]") else None
    beneath = None if found is None else _number(pa.array(found[1], pa.string()), decimal, french, said)
    if found is None or beneath is None:
        return None
    cells = different.to_pylist()
    shown = next((i for i, cell in enumerate(cells) if cell != found[1][i]), 0)  # one that wears something
    cell = cells[shown]
    try:
        value = _to_number(pa.array([found[1][shown]], pa.string()), beneath)[0].as_py()
    except BadCell:  # too large
        return None
    return replace(beneath, dress=found[0], note=say("dressed", cell=cell, value=f"{value:g}"), doubt=True)


def _thousands(different: pa.Array, said: bool) -> Writing | None:
    """Return thousands behind commas, where many cells have just three digits there: a decimal comma would have cut some shorter."""
    import pyarrow.compute as pc

    if not all_match(different, _ENGLISH) or any_matches(different, _LEADING_ZERO) or any_matches(different, "^0,"):
        return None
    marked = different.filter(pc.match_substring(different, ","))
    if len(marked) < SURE:
        return None
    cell = marked[0].as_py()
    return Writing(
        "number", ".", ",", zeros=said, note=say("thousands_here", cell=cell, value=cell.replace(",", "")), doubt=True
    )


def _mostly_numbers(different: pa.Array, counts: pa.Array, decimal: str | None, french: bool) -> Writing | None:
    """Return a number column when nearly all cells are numbers: the others are faults, to be named, not levels."""
    import pyarrow.compute as pc

    two_ways = all_match(different, _POINT, _COMMA) and any_matches(different, r"\.") and any_matches(different, ",")
    if two_ways and not any_matches(different, _LEADING_ZERO):
        commas = pc.sum(counts.filter(pc.match_substring(different, ","))).as_py()
        points = pc.sum(counts.filter(pc.match_substring(different, "."))).as_py()
        return Writing("number", "," if commas >= points else ".")
    for (mark, thousands), pattern in _PATTERN.items():
        if decimal not in (None, mark) or thousands in ",.":
            continue
        if mark == "," and decimal is None and not french and not any_matches(different, _DECIMALS):
            continue  # 1,234 may be a thousand
        fits = pc.match_substring_regex(different, pattern)
        good, total = pc.sum(counts.filter(fits)).as_py() or 0, pc.sum(counts).as_py()
        n_good = pc.sum(fits).as_py()
        if good >= 0.8 * total and n_good > 5 and n_good > 2 * (len(different) - n_good):
            if any_matches(different.filter(fits), _LEADING_ZERO):
                return None
            return Writing("number", mark)
    return None


def convert(column: pa.Array, writing: Writing) -> pa.Array:
    """Return the values of a column of texts; raises :class:`BadCell` at the first cell that does not fit.

    >>> import pyarrow as pa
    >>> convert(pa.array(["1 234,5", None]), Writing("number", ",")).to_pylist()
    [1234.5, None]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if writing.kind == "number":
        return _to_number(column, writing)
    cells = pc.utf8_trim_whitespace(column)
    if writing.kind in ("category", "text"):
        return pc.if_else(pc.is_in(cells, pa.array(MISSING)), pa.scalar(None, pa.string()), cells)
    cells = _holes(cells)
    if writing.kind == "boolean":
        low = pc.utf8_lower(cells)
        yes = pc.is_in(low, pa.array((*TRUE, "1")))
        known = pc.or_(pc.or_(yes, pc.is_in(low, pa.array((*FALSE, "0")))), pc.is_null(cells))
        refuse_unfit(cells, known, "is neither true nor false")
        return pc.if_else(pc.is_null(cells), pa.scalar(None, pa.bool_()), yes)
    return to_date(cells, writing.pattern)


def _to_number(column: pa.Array, writing: Writing) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if writing.dress is not None:
        column = undressed(_holes(pc.utf8_trim_whitespace(column)), writing.dress)
    cells = column
    swapped = column if writing.decimal == "." else _swap_commas(column)
    values = None if swapped is None else _quick(swapped)
    if values is None:  # blanks, words for "missing", thousands: or a fault
        cells = _holes(pc.utf8_trim_whitespace(column))
        fits = pc.match_substring_regex(cells, _PATTERN[writing.decimal, writing.thousands])
        fits = pc.or_(fits, pc.match_substring_regex(cells, _INFINITE))
        fits = pc.and_(fits, pc.match_substring_regex(cells, "(?i)[0-9]|inf"))
        refuse_unfit(cells, pc.or_kleene(fits, pc.is_null(cells)), "is not a number written as the others")
        bare = pc.replace_substring_regex(cells, _BLANK, "")
        if writing.thousands in ",.":
            bare = pc.replace_substring(bare, writing.thousands, "")
        values = pc.cast(pc.replace_substring(bare, ",", "."), pa.float64())
    _refuse_overflow(cells, values)
    if not writing.zeros:
        zeros = leading_zeros(cells)
        if zeros.any():
            row = int(np.flatnonzero(zeros)[0])
            raise BadCell(row, cells[row].as_py(), "has leading zeros, as an identifier has, in a column of numbers")
    return values


def _refuse_overflow(cells: pa.Array, values: pa.Array) -> None:
    """Name a cell that is a number too large for a float; ``inf`` is what it says."""
    import pyarrow.compute as pc

    infinite = pc.is_inf(values)
    if pc.any(infinite).as_py() is True:
        meant = pc.match_substring_regex(pc.utf8_trim_whitespace(cells), _INFINITE)
        refuse_unfit(cells, pc.or_(pc.invert(infinite), meant), "is too large for a number")


def _swap_commas(cells: pa.Array) -> pa.Array | None:
    """Return the cells with points for commas, or None if there is a point already; changes Arrow's bytes in one sweep."""
    import pyarrow as pa

    valid, offsets, data = cells.buffers()
    if data is None or data.size == 0:
        return cells
    places = np.frombuffer(offsets, dtype=np.int32)
    first, last = places[cells.offset], places[cells.offset + len(cells)]
    letters = np.frombuffer(data, dtype=np.uint8)
    if (letters[first:last] == ord(".")).any():
        return None
    points = np.empty_like(letters)  # of which only these cells are filled, and read
    points[first:last] = np.where(letters[first:last] == ord(","), np.uint8(ord(".")), letters[first:last])
    return pa.StringArray.from_buffers(len(cells), offsets, pa.py_buffer(points), valid, cells.null_count, cells.offset)


def leading_zeros(cells: pa.Array) -> np.ndarray:
    """Tell (n,) which cells are a digit after a leading zero; reads Arrow's bytes directly, five times faster than a pattern.

    >>> import pyarrow as pa
    >>> leading_zeros(pa.array(["0", "0.5", "007", "-01", None, "10"]))
    array([False, False,  True,  True, False, False])
    """
    _, offsets, data = cells.buffers()
    if data is None or data.size == 0:
        return np.zeros(len(cells), dtype=bool)
    places = np.frombuffer(offsets, dtype=np.int32)[cells.offset : cells.offset + len(cells) + 1]
    letters = np.frombuffer(data, dtype=np.uint8)
    start, size = places[:-1], np.diff(places)
    at = np.minimum(start, len(letters) - 1)
    first = letters[at]
    signed = (first == ord("-")) | (first == ord("+"))
    if signed.any():
        start, size = start + signed, size - signed
        first = letters[np.minimum(start, len(letters) - 1)]
    zero = (first == ord("0")) & (size > 1)
    if not zero.any():
        return zero
    second = letters[np.minimum(start + 1, len(letters) - 1)]
    return zero & (second >= ord("0")) & (second <= ord("9"))


def _holes(cells: pa.Array) -> pa.Array:
    """Return the cells with null for every word that means "missing"."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.is_in(cells, pa.array(MISSING_NUMBER)), pa.scalar(None, pa.string()), cells)


def _quick(cells: Any) -> Any:
    """Return the cells cast to float64 when Arrow's strict reader takes all of them, else None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        if len(cells) > HEAD:  # Arrow finds words for each cell that it does not take
            pc.cast(cells[:HEAD], pa.float64())
        return pc.cast(cells, pa.float64())
    except pa.ArrowInvalid:
        return None


def decimal_commas(writings: Sequence[Writing]) -> bool:
    """Tell whether some column has a decimal comma, so that the file is probably French."""
    return any(w.kind == "number" and w.decimal == "," for w in writings)


__all__ = ["BadCell", "Writing", "convert", "decimal_commas", "infer", "kind_of_texts", "leading_zeros"]
