"""What tells two sets of rows apart without keeping them: a fingerprint; and how many rows occur again.

A fingerprint hashes the shape and some hundred rows spread over the table, so it costs microseconds. Two risks with the same
fingerprint are of the same rows and may be paired; a test sample with that of the training sample is no test sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def row_hashes(X: Any) -> np.ndarray:
    """Return a 64-bit number for each row, equal for equal rows."""
    table = np.asarray(X)
    table = table.reshape(len(table), -1)
    if table.dtype.kind not in "fiub":
        return np.array([hash(tuple(row)) for row in table.tolist()], dtype=np.int64)
    bits = np.ascontiguousarray(table, dtype=np.float64) + 0.0  # -0.0 and 0.0 are equal
    words = bits.view(np.uint64).reshape(table.shape)
    out = np.full(len(table), 0x9E3779B97F4A7C15, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for j in range(words.shape[1]):
            out = (out ^ words[:, j]) * np.uint64(0xBF58476D1CE4E5B9)
            out ^= out >> np.uint64(29)
    return out.view(np.int64)


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
