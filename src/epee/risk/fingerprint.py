"""How many rows occur again: of a test sample among the training rows, or among themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.table.fingerprints import row_hashes


def repeated_rows(test: Any, training: Any = None) -> float:
    """Return the share of test rows that occur in the training rows, or that occur twice among themselves.

    Parameters
    ----------
    test : rows
    training : rows, default=None
        Compare with these; None looks for repeats within ``test``.

    Examples
    --------
    >>> repeated_rows([[1.0], [2.0]], [[2.0], [3.0]]), repeated_rows([[1.0], [1.0], [2.0], [3.0]])
    (0.5, 0.5)
    """
    mine = row_hashes(test)
    if training is not None:
        return float(np.isin(mine, row_hashes(training)).mean())
    _, where, counts = np.unique(mine, return_inverse=True, return_counts=True)
    return float((counts[where.reshape(-1)] > 1).mean())
