"""The values of a column once its kind is settled: by the type it came in, or by what the user said it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError, MissingValues
from epee.table.cells import BadCell, Writing, convert, infer
from epee.table.raw import kind_of_type, numbers_of, texts_of
from epee.typing import Vector

if TYPE_CHECKING:
    import pyarrow as pa

Where = Callable[[int], str]


def values_of(column: pa.Array, kind: str, name: str, where: Where, start: int = 0) -> Any:
    """Return float64 with NaN for a number, a boolean or a date (days), Arrow text for a category or a text."""
    if kind in ("category", "text"):
        return texts_of(column)
    came_as = kind_of_type(column.type)
    if came_as == "text":
        texts = texts_of(column)
        try:
            import pyarrow as pa

            writing = infer(pa.chunked_array([texts]), kind=kind)
            return numbers_of(
                convert(texts, writing if writing.kind == kind else Writing(kind, pattern="iso", zeros=True))
            )
        except BadCell as bad:
            raise DataError(
                f"column {name!r}: {bad.value!r} in {where(start + bad.row)} {bad.why}; could not convert string to float."
            ) from None
    if kind == "date" and came_as != "date":
        raise DataError(
            f"column {name!r} holds {column.type}, which is no date: give dates, or drop types={{{name!r}: 'date'}}."
        )
    values = numbers_of(column)
    if kind == "boolean" and came_as != "boolean":
        wrong = ~((values == 0) | (values == 1) | np.isnan(values))
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise DataError(
                f"column {name!r}: {values[row]:g} in {where(start + row)} is neither 0 nor 1, in a boolean column."
            )
    return values


def labels_of(column: pa.Array, name: str, where: Where, start: int = 0) -> np.ndarray:
    """Return the labels of a target column: texts as text, whole numbers as int64, booleans as bool."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = kind_of_type(column.type)
    if kind is None:
        raise DataError(f"column {name!r} holds {column.type}, which cannot be a target.")
    missing = pc.is_null(column, nan_is_null=True)
    if pc.any(missing).as_py():
        row = pc.index(missing, True).as_py()
        count = pc.sum(missing).as_py()
        raise MissingValues(
            f"Input y contains NaN: column {name!r}: {count} missing label{'s' if count > 1 else ''}, first in {where(start + row)}. "
            "Fill or drop these rows."
        )
    if kind in ("text", "date"):
        return np.array(texts_of(column).to_pylist(), dtype=np.str_)
    if kind == "boolean":
        return column.cast(pa.uint8()).to_numpy().astype(bool)
    values = numbers_of(column)
    if values.dtype.kind == "f" and (values == np.floor(values)).all() and (np.abs(values) < 2.0**53).all():
        return values.astype(np.int64)
    return values


def weights_of(column: pa.Array, name: str, where: Where, start: int = 0) -> Vector:
    """Return the weights of rows, or name the first that is no count."""
    w = np.asarray(values_of(column, "number", name, where, start), dtype=np.float64)
    refuse_bad_weights(w, name, lambda row: where(start + row))
    return w


def refuse_bad_weights(w: Vector, name: str, where: Where) -> None:
    """Name the first of the weights of a column that is missing, infinite or negative; ``where`` tells its place in the table."""
    bad = ~(np.isfinite(w) & (w >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        what = "missing (NaN)" if np.isnan(w[row]) else f"{w[row]:g}"
        raise DataError(
            f"sample_weight: column {name!r} is {what} in {where(row)}; a weight is a number, 0 or more: correct or drop this row."
        )
