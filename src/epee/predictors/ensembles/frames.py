"""Categories of a data frame become numbers: the rank of their level, NaN for a missing cell or a level never seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.table.frames import is_away
from epee.typing import Vector

Levels = dict[int, np.ndarray]  # by number of the column, sorted


def encode_categories(X: Any, levels: Levels | None, words: Sequence[Any] = ()) -> tuple[Any, Levels]:
    """Return a frame whose categories are numbers, and the levels of each; other tables come back as they are.

    Parameters
    ----------
    X : any table
    levels : dict, optional
        Those learned; None learns them.
    words : names of columns
        Columns of text to take as categories too.
    """
    if not (hasattr(X, "dtypes") and hasattr(X, "columns")) or is_away(X):
        return X, {}
    named = {word for word in np.ravel(np.asarray(words, dtype=object)).tolist() if isinstance(word, str)}
    kinds = [str(kind).lower() for kind in X.dtypes]
    texts = [kind.startswith(("object", "str", "utf8", "large_str")) for kind in kinds]
    wanted = [
        j
        for j, (name, kind, text) in enumerate(zip(X.columns, kinds, texts))
        if (
            kind.startswith(("category", "categorical", "enum")) or (text and name in named)
            if levels is None
            else j in levels
        )
    ]
    if not wanted:
        return X, {}
    found = {j: levels_in(_cells(X, j)) if levels is None else levels[j] for j in wanted}
    coded = X.copy() if hasattr(X, "iloc") else X.clone()
    for j in wanted:
        name, codes = X.columns[j], codes_in(_cells(X, j), found[j])
        if hasattr(X, "iloc"):
            coded[name] = codes
        else:
            coded = coded.with_columns(type(X[name])(name, codes))
    return coded, found


def _cells(X: Any, j: int) -> np.ndarray:
    column = X.iloc[:, j] if hasattr(X, "iloc") else X[X.columns[j]]
    return np.array(column.to_list(), dtype=object)


def _known(cells: np.ndarray) -> np.ndarray:
    return np.array([cell is not None and cell == cell for cell in cells], dtype=bool)


def levels_in(cells: np.ndarray) -> np.ndarray:
    """Return the sorted levels of a column, as text.

    >>> levels_in(np.array(["b", None, "a", "b"], dtype=object))
    array(['a', 'b'], dtype='<U1')
    """
    return np.unique(cells[_known(cells)].astype(str))


def codes_in(cells: np.ndarray, levels: np.ndarray) -> Vector:
    """Return the rank of each cell among the levels, NaN where it is none of them.

    >>> codes_in(np.array(["b", None, "z"], dtype=object), np.array(["a", "b"]))
    array([ 1., nan, nan])
    """
    known = _known(cells)
    codes = np.full(len(cells), np.nan)
    if len(levels) and known.any():
        texts = cells[known].astype(str)
        at = np.minimum(np.searchsorted(levels, texts), len(levels) - 1)
        codes[known] = np.where(levels[at] == texts, at, np.nan)
    return codes
