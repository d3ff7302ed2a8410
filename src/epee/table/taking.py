"""Some rows of whatever a table is, as they are or farther out, the names of its columns, and one of them in another order."""

from __future__ import annotations

from typing import Any

import numpy as np


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Return some rows of an array, a frame, a sparse matrix or a list, in its kind.

    An array is asked itself: scikit-learn's indexing, which knows the others, first loads the libraries of frames to see that it is none.

    >>> take_rows(np.array([[1], [2], [3]]), np.array([2, 0])).tolist(), take_rows(["a", "b"], np.array([1]))
    ([[3], [1]], ['b'])
    """
    if isinstance(X, np.ndarray):
        return X[rows]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def column_names(X: Any) -> list[str]:
    """Return the names of columns, or their numbers.

    >>> import pyarrow as pa
    >>> column_names(pa.table({"a": [1.0], "b": [2.0]})), column_names(np.zeros((1, 2)))
    (['a', 'b'], ['0', '1'])
    """
    columns = getattr(X, "column_names", None)  # Arrow's ``columns`` are their cells
    if columns is None:
        columns = getattr(X, "columns", None)
    return [str(c) for c in columns] if columns is not None else [str(j) for j in range(X.shape[1])]


def shuffled(X: Any, j: int, order: np.ndarray) -> Any:
    """Return the rows with column ``j`` in another order.

    >>> shuffled(np.array([[1, 2], [3, 4]]), 0, np.array([1, 0]))
    array([[3, 2],
           [1, 4]])
    """
    if hasattr(X, "iloc"):
        out = X.copy()
        out[out.columns[j]] = X.iloc[order, j].array
        return out
    if hasattr(X, "with_columns"):
        name = X.columns[j]
        return X.with_columns(X[name].gather(order).alias(name))
    if hasattr(X, "set_column"):  # Arrow
        return X.set_column(j, X.schema.field(j), X.column(j).take(order))
    if hasattr(X, "tocsc"):
        out = X.tocsc().tolil()
        out[:, j] = X.tocsc()[:, [j]].toarray()[order]
        return out.tocsr()
    out = np.array(X)
    out[:, j] = out[order, j]
    return out


def farther_out(X: Any, rows: np.ndarray, times: float) -> Any:
    """Return some rows whose numbers lie so many times as far from the mean of their column; None of what is no array or frame of rows.

    >>> farther_out(np.array([[1.0], [2.0], [3.0]]), np.array([2]), 10.0)
    array([[12.]])
    """
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiu":
        return _away(X, np.nanmean(X, axis=0), rows, times)
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        numbers = [name for name, kind in X.dtypes.items() if getattr(kind, "kind", "O") in "fiu"]
        far = {name: _away(cells := X[name].to_numpy(dtype=float), np.nanmean(cells), rows, times) for name in numbers}
        return X.iloc[rows].assign(**far)
    if hasattr(X, "with_columns") and hasattr(X, "schema"):
        numbers = [name for name, kind in X.schema.items() if kind.is_numeric()]
        far = {name: _away(cells := X[name].to_numpy(), np.nanmean(cells), rows, times) for name in numbers}
        return X[rows].with_columns(**far)
    return None


def _away(cells: np.ndarray, middle: Any, rows: np.ndarray, times: float) -> np.ndarray:
    return np.asarray(middle + times * (cells[rows] - middle))
