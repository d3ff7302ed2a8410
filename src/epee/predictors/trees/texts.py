"""Columns of texts as categories: a tree splits them by sets, so a code is as good as a name.

A column is one of texts when a cell is a text that is no number. Its levels, sorted, become the codes 0, 1, ...; a level that was not seen
in the fit gets the code after the last, which no node knows, so that it follows the heavier child; an absent cell stays absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from epee.table.frames import is_frame
from epee.table.sparse import is_sparse
from epee.typing import Vector

Levels = dict[int, list[str]]


def is_text(cells: np.ndarray) -> bool:
    """Tell whether a cell of a column of objects is a text that is no number.

    >>> is_text(np.array(["1.5", None], dtype=object)), is_text(np.array([1.0, "a"], dtype=object))
    (False, True)
    """
    for cell in cells.tolist():
        if isinstance(cell, str):
            try:
                float(cell)
            except ValueError:
                return True
    return False


def code_cells(cells: np.ndarray, levels: list[str]) -> Vector:
    """Return the rank of each cell among the levels, one more than the last where it is none of them, NaN where there is no cell.

    >>> code_cells(np.array(["b", "z", None], dtype=object), ["a", "b"])
    array([ 1.,  2., nan])
    """
    rank = {level: float(i) for i, level in enumerate(levels)}
    return np.array([np.nan if c is None or c != c else rank.get(str(c), float(len(levels))) for c in cells.tolist()])


def code_texts(X: Any, known: Mapping[int, list[str]] | None = None) -> tuple[Any, Levels]:
    """Return the table with codes in the place of texts, and the levels by column; ``known`` are those of the fit.

    >>> code_texts([["a", 1.0], ["b", 2.0]])
    (array([[0.0, 1.0],
           [1.0, 2.0]], dtype=object), {0: ['a', 'b']})
    """
    if is_frame(X):
        return _code_frame(X, known)
    if getattr(getattr(X, "dtype", None), "kind", "O") not in "OU" or is_sparse(X):
        return X, dict(known or {})
    try:
        table = np.array(X, dtype=object)
    except ValueError:  # ragged: the validator says so
        return X, dict(known or {})
    if table.ndim != 2:
        return X, dict(known or {})
    levels: Levels = {}
    for j in range(table.shape[1]) if known is None else known:
        if known is None and not is_text(table[:, j]):
            continue
        levels[j] = _levels(table[:, j]) if known is None else known[j]
        table[:, j] = code_cells(table[:, j], levels[j])
    return (table, levels) if levels else (X, levels)


def _code_frame(X: Any, known: Mapping[int, list[str]] | None) -> tuple[Any, Levels]:
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    levels: Levels = {}
    new = []
    for j, name in enumerate(frame.columns):
        if (known is None and (frame.schema[name].is_numeric() or frame.schema[name] == nw.Boolean)) or (
            known is not None and j not in known
        ):
            continue
        cells = np.array(frame[name].to_list(), dtype=object)
        if known is not None or is_text(cells):
            levels[j] = _levels(cells) if known is None else known[j]
            codes = code_cells(cells, levels[j])
            new.append(nw.new_series(name, codes, nw.Float64, backend=frame.implementation))
    return (frame.with_columns(*new).to_native() if new else X), levels


def _levels(cells: np.ndarray) -> list[str]:
    return sorted({str(c) for c in cells.tolist() if c is not None and c == c})
