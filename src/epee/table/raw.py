"""Rows as they come from a table, column by column, and how such columns become numbers.

Arrow keeps a column as one vector of values and one bit a row for "is there". A number column becomes a vector of float64
with NaN in the holes, a boolean one 0, 1 and NaN, a date the days since 1 January 1970, a category stays text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError
from epee.typing import Codes, Vector

if TYPE_CHECKING:
    import pyarrow as pa

DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class RawBlock:
    """Rows ``start, start + 1, ...`` of a table with columns of several kinds.

    ``columns`` maps a name to its values: float64 with NaN for numbers and booleans, float64 days since 1970 for dates, an
    Arrow array of text (null where missing) for categories and texts.
    """

    columns: Mapping[str, Any]
    y: np.ndarray | None = None
    weight: Vector | None = None
    fold: Codes | None = None
    groups: np.ndarray | None = None
    start: int = 0
    rows: int = field(default=0)

    def __len__(self) -> int:
        return self.rows

    @property
    def nbytes(self) -> int:
        """Bytes of the cells."""
        return sum(int(column.nbytes) for column in self.columns.values())

    def having(self, **parts: Any) -> RawBlock:
        """Return the block with other parts."""
        return replace(self, **parts)

    def between(self, i: int, j: int) -> RawBlock:
        """Return rows ``i`` to ``j - 1`` of the block, as views."""
        columns = {name: column[i:j] for name, column in self.columns.items()}
        beside = {name: a[i:j] for name in BESIDE if (a := getattr(self, name)) is not None}
        return replace(self, columns=columns, **beside, start=self.start + i, rows=max(0, min(j, self.rows) - i))

    def followed_by(self, *others: RawBlock) -> RawBlock:
        """Return the rows of all blocks."""
        columns = {n: _joined([column, *(b.columns[n] for b in others)]) for n, column in self.columns.items()}
        beside = {
            n: _joined([a, *(getattr(b, n) for b in others)]) for n in BESIDE if (a := getattr(self, n)) is not None
        }
        return replace(self, columns=columns, **beside, rows=self.rows + sum(b.rows for b in others))


BESIDE = ("y", "weight", "fold", "groups")  # arrays that go beside the rows of a table


def _joined(stretches: list[Any]) -> Any:
    """Return stretches of a column as one, arrays or Arrow texts."""
    if isinstance(stretches[0], np.ndarray):
        return np.concatenate(stretches)
    import pyarrow as pa

    return pa.concat_arrays(stretches)


def kind_of_type(t: pa.DataType) -> str | None:
    """Return the kind of an Arrow type; ``"text"`` for any text, None for what is no cell (lists, bytes, records)."""
    import pyarrow.types as is_

    if is_.is_boolean(t):
        return "boolean"
    if is_.is_integer(t) or is_.is_floating(t) or is_.is_decimal(t) or is_.is_null(t) or is_.is_duration(t):
        return "number"
    if is_.is_date(t) or is_.is_timestamp(t):
        return "date"
    if is_.is_dictionary(t):
        return "text" if kind_of_type(t.value_type) == "text" else kind_of_type(t.value_type)
    if is_.is_string(t) or is_.is_large_string(t) or is_.is_string_view(t):
        return "text"
    return None


def numbers_of(column: pa.Array) -> np.ndarray:
    """Return a column of numbers, booleans or dates (n,) with NaN where a cell is missing.

    >>> import pyarrow as pa
    >>> numbers_of(pa.array([1, None, 3]))
    array([ 1., nan,  3.])
    >>> numbers_of(pa.array([True, None, False]))
    array([ 1., nan,  0.])
    """
    import pyarrow as pa
    import pyarrow.types as is_

    t = column.type
    if is_.is_dictionary(t):
        column, t = column.cast(t.value_type), t.value_type
    if is_.is_null(t):
        values = np.full(len(column), np.nan)
    elif is_.is_date(t) or is_.is_timestamp(t):
        values = days_of(column)
    elif is_.is_duration(t):
        values = _plain(column.cast(pa.duration("us")).cast(pa.int64())) / 1e6
    else:
        if is_.is_boolean(t):
            column = column.cast(pa.uint8())
        elif is_.is_decimal(t) or is_.is_float16(t):
            column = column.cast(pa.float64())
        values = _plain(column)
    return values


def _plain(column: pa.Array) -> np.ndarray:
    """Return the values of a primitive column without a copy where no cell is missing."""
    if column.null_count == 0:
        return np.asarray(column.to_numpy(zero_copy_only=True))
    if column.type not in _floats():
        import pyarrow as pa

        column = column.cast(pa.float64(), safe=False)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _floats() -> tuple[pa.DataType, ...]:
    import pyarrow as pa

    return (pa.float64(), pa.float32())


def days_of(column: pa.Array) -> Vector:
    """Return the days since 1 January 1970 (UTC where a zone is given), with fractions for the time of day.

    >>> import datetime, pyarrow as pa
    >>> days_of(pa.array([datetime.date(1970, 1, 2), None]))
    array([ 1., nan])
    """
    import pyarrow as pa
    import pyarrow.types as is_

    zone = column.type.tz if is_.is_timestamp(column.type) else None
    micro = column.cast(pa.timestamp("us", tz=zone), safe=False).cast(pa.int64())
    return _plain(micro) / DAY


def texts_of(column: pa.Array) -> pa.Array:
    """Return a column as Arrow text: a number becomes its shortest writing, 3.0 becomes "3"."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as is_

    t = column.type
    if is_.is_dictionary(t):
        column = column.cast(t.value_type)
        t = column.type
    if is_.is_string(t):
        return column
    if is_.is_floating(t):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, t), column)
        whole = pc.all(pc.equal(column, pc.floor(column)), min_count=0).as_py()
        in_range = pc.all(pc.less(pc.abs(column), pa.scalar(2.0**53, t)), min_count=0).as_py()
        if whole is not False and in_range is not False:
            column = column.cast(pa.int64())
    if is_.is_null(t):
        return pa.nulls(len(column), pa.string())
    return column.cast(pa.string())


def common_dtype(types: Sequence[pa.DataType]) -> np.dtype[Any]:
    """Return float32 when every column fits it without loss, else float64."""
    import pyarrow.types as is_

    small = all(
        is_.is_float32(t) or is_.is_float16(t) or is_.is_boolean(t) or (is_.is_integer(t) and t.bit_width <= 16)
        for t in types
    )
    return np.dtype(np.float32 if small and any(is_.is_float32(t) or is_.is_float16(t) for t in types) else np.float64)


def refuse_type(name: str, t: pa.DataType) -> DataError:
    """Return the sentence about a column whose cells are no cells."""
    return DataError(f"column {name!r} holds {t}, which is neither number, text, boolean nor date: drop or unpack it.")
