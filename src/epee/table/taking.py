"""Some rows of whatever a table is."""

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
