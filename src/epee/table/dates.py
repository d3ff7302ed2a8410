"""Dates that are written as text: ISO, or day, month and year in one of two orders.

``03/04/2020`` is two days. A day above 12 in some cell tells which; then another column of the file that has one, or a decimal comma;
else the month is taken first, aloud. Times with a zone become UTC; times with and without one do not mix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epee.table.written import BadCell, Writing, all_match, any_matches, refuse_unfit
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa

ORDERS = ("dmy", "mdy")
_ZONE = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
_ISO = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:{_CLOCK}{_ZONE}?)?$"
_ZONED = rf"{_CLOCK}{_ZONE}$"
_DAY_MONTH = r"^[0-9]{1,2}([/.-])[0-9]{1,2}[/.-][0-9]{4}(?: [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?$"


def find_dates(different: pa.Array, french: bool, order: str = "") -> Writing | None:
    """Return how dates are written, or None; ``order`` is "dmy" or "mdy" where the user, or another column, tells."""
    if all_match(different, _ISO):
        return Writing("date", pattern="iso zone" if any_matches(different, _ZONED) else "iso")
    if all_match(different, r"^[0-9]{4}/[0-9]{2}/[0-9]{2}$"):
        return Writing("date", pattern="%Y/%m/%d")
    if not all_match(different, _DAY_MONTH):
        return None
    mark = different[0].as_py().lstrip("0123456789")[0]
    first, second = (_largest(different, part) for part in "ab")
    if first > 12 and second > 12:
        return None
    clock = ""
    if any_matches(different, ":"):
        if not all_match(different, " .*:"):
            return None
        clock = " %H:%M:%S" if all_match(different, ":.*:") else " %H:%M"
    told = first > 12 or second > 12
    day_first = first > 12 or (second <= 12 and (order == "dmy" or (not order and (french or mark == "."))))
    pattern = (f"%d{mark}%m{mark}%Y" if day_first else f"%m{mark}%d{mark}%Y") + clock
    note = "" if told or order else say("day_first" if day_first else "month_first")
    return Writing("date", pattern=pattern, note=note, doubt=bool(note))


def order_of(writing: Writing) -> str:
    """Return "dmy" or "mdy" for dates that are written so, else nothing.

    >>> order_of(Writing("date", pattern="%d/%m/%Y")), order_of(Writing("date", pattern="iso"))
    ('dmy', '')
    """
    return {"%d": "dmy", "%m": "mdy"}.get(writing.pattern[:2], "")


def _largest(different: pa.Array, part: str) -> int:
    import pyarrow.compute as pc

    parts = pc.extract_regex(different, r"^(?P<a>[0-9]{1,2})[/.-](?P<b>[0-9]{1,2})")
    return int(pc.max(pc.struct_field(parts, part).cast("int64")).as_py())


def to_date(cells: pa.Array, pattern: str) -> pa.Array:
    """Return the times of cells without holes in their writing; the first that does not fit is named."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pattern.startswith("iso"):
        zoned = pc.match_substring_regex(cells, _ZONED)
        fits = zoned if pattern == "iso zone" else pc.invert(zoned)
        refuse_unfit(cells, fits, f"has {'no' if pattern == 'iso zone' else 'a'} time zone, unlike the others")
    try:
        return _read(cells, pattern)
    except pa.ArrowInvalid:
        for row, value in enumerate(cells.to_pylist()):
            try:
                _read(pa.array([value], pa.string()), pattern)
            except pa.ArrowInvalid:
                raise BadCell(row, value, "is not a date written as the others") from None
        raise


def _read(cells: Any, pattern: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pattern.startswith("iso"):
        return pc.strptime(cells, format=pattern, unit="us")
    cells = pc.replace_substring_regex(cells, r"(\.[0-9]{6})[0-9]+", r"\1")  # nanoseconds are more than is kept
    if pattern == "iso zone":
        return pc.cast(cells, pa.timestamp("us", tz="UTC")).cast(pa.timestamp("us"))
    return pc.cast(cells, pa.timestamp("us"))
