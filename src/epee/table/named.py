"""What goes with the rows, by the names of its columns: targets, weights, groups, times, out of any kind of table."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np

from epee.errors import DataError, TableWarning, WrongUse
from epee.table.doors import is_stream, open_source
from epee.table.frames import taken_apart
from epee.table.schema import find_name
from epee.table.source import TableSource
from epee.table.times import moments_of_texts


def named_columns(X: Any, y: Any, sample_weight: Any = None, groups: Any = None, time: Any = None) -> tuple[Any, ...]:
    """Return a table without the columns that are named, and their values beside it; what is given as values stays as it is.

    Of a table that is read in blocks the target and the weights stay where they are: it gives them with its rows.

    >>> import pyarrow as pa
    >>> table = pa.table({"a": [1.0, 2.0], "y": [3.0, 4.0], "g": ["u", "v"]})
    >>> X, y, _, groups, _ = named_columns(table, "y", groups="g")
    >>> X.column_names, y, groups.tolist()
    (['a'], array([3., 4.]), ['u', 'v'])
    """
    if not is_stream(X):
        return taken_apart(X, y, sample_weight, groups, time)
    names = {role: name for role, name in (("groups", groups), ("time", time)) if isinstance(name, str)}
    if not names:
        return X, y, sample_weight, groups, time
    source = open_source(X, y, sample_weight)
    if not isinstance(source, TableSource):
        role, name = next(iter(names.items()))
        raise WrongUse(f"{role} is {name!r}, but the columns of this table have no names: give {role} as an array.")
    for name in names.values():
        find_name(name, source.batches.fields.names)
    rest = copy(source)
    rest.names = tuple(name for name in source.names if name not in names.values())
    rest.n_columns = len(rest.names)
    if not rest.names:
        raise DataError(f"{source.label} has no input column: 0 feature(s) while a minimum of 1 is required.")
    values = {role: _values(source, name, role) for role, name in names.items()}
    return rest, None, None, values.get("groups", groups), values.get("time", time)


def _values(source: TableSource, name: str, role: str) -> np.ndarray:
    """Return the cells of a column: numbers, or texts for groups."""
    one = TableSource(source.batches, types=source.types, columns=[name])
    parts = [raw.columns[name] for raw in one.raw_blocks()]
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    texts = np.array([text for part in parts for text in part.to_pylist()], dtype=object)
    if role != "time":
        return texts
    moments, note = moments_of_texts(texts, f"column {name!r}")
    if note:
        warnings.warn(note, TableWarning, stacklevel=5)
    return moments
