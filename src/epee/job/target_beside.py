"""A target that stands beside its table, ``learn(X, y)`` as scikit-learn has it, becomes a column of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.table.frames import is_frame, numbered_names, to_arrow


def with_target(table: Any, target: Any) -> tuple[Any, str | list[str]]:
    """Return a table with its target as a column, or as several, and their names.

    Arrays get columns ``x0``, ``x1``, ...; of an array the target may be the number of its column.

    >>> table, target = with_target(np.zeros((2, 2)), np.array([1.0, 2.0]))
    >>> table.column_names, target
    (['x0', 'x1', 'y'], 'y')
    >>> with_target(np.zeros((2, 3)), -1)[1]
    'x2'
    """
    if isinstance(table, list | tuple):
        table = np.asarray(table)
    if isinstance(target, str):
        return table, target
    if isinstance(target, int | np.integer):
        names = numbered_names(table.shape[1]) if isinstance(table, np.ndarray) and table.ndim == 2 else ()
        if not -len(names) <= target < len(names):
            raise WrongUse(f"the target is {target!r}: name a column; only those of an array have numbers.")
        return table, names[target]
    if isinstance(target, list | tuple) and all(isinstance(name, str) for name in target):
        if not (isinstance(table, np.ndarray) and len(target) == len(table)):  # else the labels of its rows
            return table, list(target)
    elif not (isinstance(target, list | tuple) or hasattr(target, "__array__")):
        raise WrongUse(f"the target is a {type(target).__name__}: name a column, or give the values of all rows.")
    return _joined(table, target)


def _joined(table: Any, target: Any) -> tuple[Any, str | list[str]]:
    """Return the table with the values of the target behind its own columns."""
    if not (is_frame(table) or isinstance(table, np.ndarray)):
        raise WrongUse("values of the target go beside an array or a frame; of a file or a stream, name the column.")
    import pyarrow as pa

    frame, values = to_arrow(table), np.asarray(target)
    if len(values) != frame.num_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {frame.num_rows} rows and y has {len(values)}."
        )
    if values.ndim == 1:
        called = getattr(target, "name", None)
        parts = {called if isinstance(called, str) and called else "y": values}
    else:
        parts = {f"y{j}": column for j, column in enumerate(values.reshape(len(values), -1).T)}
    for name, column in parts.items():
        if name in frame.column_names:
            raise WrongUse(f"the table has a column {name!r} already: name it as the target, or rename it.")
        frame = frame.append_column(name, pa.array(np.ascontiguousarray(column), from_pandas=True))
    return frame, next(iter(parts)) if values.ndim == 1 else list(parts)
