"""How the cells of a column are written, and the cell that is written otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Writing:
    """How the cells of a column are written.

    ``kind`` is one of the kinds of a schema; ``decimal`` and ``thousands`` are for numbers, as is ``dress``, what stands
    beside the digits (:mod:`epee.table.dressed`; None is nothing); ``pattern`` is for dates (``"iso"``, ``"iso zone"`` or a
    ``strptime`` pattern); ``zeros`` allows leading zeros, because the user said that this is a number; ``note`` says what
    is worth knowing, ``doubt`` that it is to be said aloud.
    """

    kind: str
    decimal: str = "."
    thousands: str = " "
    pattern: str = ""
    zeros: bool = False
    note: str = ""
    doubt: bool = False  # the note is to be said aloud
    dress: str | None = None


class BadCell(Exception):
    """A cell does not fit its column: ``row`` within the batch, ``value``, and ``why``."""

    def __init__(self, row: int, value: str, why: str) -> None:
        super().__init__(why)
        self.row, self.value, self.why = row, value, why


def refuse_unfit(cells: Any, fits: Any, why: str) -> None:
    """Name the first cell that does not fit."""
    import pyarrow.compute as pc

    if pc.all(fits).as_py() is False:
        row = pc.index(fits, False).as_py()
        raise BadCell(row, cells[row].as_py(), why)


def all_match(cells: Any, pattern: str, other: str | None = None) -> bool:
    """Tell whether every cell that is there has one of two patterns."""
    import pyarrow.compute as pc

    fits = pc.match_substring_regex(cells, pattern)
    if other is not None and pc.all(fits).as_py() is False:
        fits = pc.or_(fits, pc.match_substring_regex(cells, other))
    return pc.all(fits).as_py() is not False


def any_matches(cells: Any, pattern: str) -> bool:
    """Tell whether some cell has a pattern."""
    import pyarrow.compute as pc

    return pc.any(pc.match_substring_regex(cells, pattern)).as_py() is True
