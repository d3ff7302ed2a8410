"""When rows happened, where it is told by texts: dates or numbers, by the rules of a column of a file.

As texts ``"10"`` stands before ``"2"``, and 02/01/2024 before 31/12/2023. So texts are read as the cells of a CSV file are
(:mod:`epee.table.cells`), and those that are neither dates nor numbers, all written in one way, are refused: names of months have no order
here. A month (2024-03), a time of day (12:30) and a number with zeros in front (007), which would be labels in a column, tell a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError
from epee.table.cells import BadCell, convert, infer
from epee.table.dates import order_of
from epee.table.written import Writing
from epee.typing import Vector

if TYPE_CHECKING:
    import pyarrow as pa

_AS_TIME = (
    Writing("number", zeros=True),
    Writing("date", pattern="%Y-%m"),
    Writing("date", pattern="%H:%M:%S"),
    Writing("date", pattern="%H:%M"),
)


def has_texts(values: np.ndarray) -> bool:
    """Tell whether some of the values are texts."""
    if values.dtype.kind != "O":
        return values.dtype.kind in "UST"
    return any(isinstance(value, str | bytes) for value in values.ravel())


def moments_of_texts(values: Any, name: str = "time") -> tuple[Vector, str]:
    """Return times (n,) in an order of numbers, NaN where one is missing, and what to say of how they were read.

    >>> moments_of_texts(["2", "10", None])[0], np.diff(moments_of_texts(["31/12/2023", "01/01/2024"])[0]) / 86_400e6
    (array([ 2., 10., nan]), array([1.]))
    >>> moments_of_texts(["1", "2", "May"])
    Traceback (most recent call last):
        ...
    epee.errors.DataError: time holds 'May' in row 2, which is no date and no number written as the others: ...
    """
    import pyarrow as pa

    given = [value.decode() if isinstance(value, bytes) else value for value in np.asarray(values).tolist()]
    for row, value in enumerate(given):
        if value is not None and value == value and not isinstance(value, str):
            raise _unlike_the_others(name, value, row)
    cells = pa.array(given, pa.string(), from_pandas=True)
    writing = infer(pa.chunked_array([cells]))
    for read in (writing,) if writing.kind in ("number", "date", "boolean") else _AS_TIME:
        try:
            found = convert(cells, read)
        except BadCell:
            continue
        return _numbered(found), _said(cells, read, name)
    row = _first_odd(cells)
    raise _unlike_the_others(name, given[row], row)


def _numbered(found: pa.Array) -> Vector:
    """Return numbers, and the microseconds of dates; NaN for a hole."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pc.cast(found, pa.int64()) if pa.types.is_timestamp(found.type) else found
    return np.asarray(pc.fill_null(pc.cast(whole, pa.float64()), np.nan))


def _said(cells: pa.Array, read: Writing, name: str) -> str:
    if not read.doubt:
        return ""
    if read.kind != "date":
        return f"{name}: {read.note}"
    first, second = ("day", "month") if order_of(read) == "dmy" else ("month", "day")
    return (
        f"{name} is read {first} first (as {cells.drop_null()[0].as_py()!r}); the texts do not tell. If the {second} is first, "
        "give dates as 2024-12-31."
    )


def _first_odd(cells: pa.Array) -> int:
    """Return the place of the first text that is neither date nor number, or that is written otherwise than the first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ways = {}
    for text in pc.unique(cells.drop_null()).to_pylist():
        way = infer(pa.chunked_array([[text]], pa.string()))
        ways[text] = (way.kind, way.pattern)
        if way.kind not in ("number", "date"):
            break
    different = list(ways)
    odd = next((t for t in different if ways[t][0] not in ("number", "date")), None)
    odd = odd or next((t for t in different if ways[t] != ways[different[0]]), different[0])
    return int(pc.index(cells, odd).as_py())


def _unlike_the_others(name: str, value: Any, row: int) -> DataError:
    return DataError(
        f"{name} holds {value!r} in row {row}, which is no date and no number written as the others: give dates as 2024-12-31, or numbers."
    )
