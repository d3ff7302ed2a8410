r"""The columns of a table, each sorted once.

A column becomes the list of its rows by increasing value, packed as ``rank << 32 | row``. Equal values share a rank, missing
cells take the rank after the last. Only ranks matter to a tree: it does not change when an input is transformed by an
increasing function, but for the place of its thresholds between two values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.engines.local import in_order
from epee.errors import TooLarge
from epee.typing import Codes, Matrix, Vector

ROW = (1 << 32) - 1


@dataclass(frozen=True)
class Columns:
    """Orders (p, n) and the distinct values of all columns, those of column f at ``offsets[f] .. offsets[f + 1]``."""

    order: Codes
    values: Vector
    offsets: Codes
    missing: Codes  # (p,) rank of a missing cell, -1 where there is none
    categorical: np.ndarray  # (p,) uint8

    @property
    def most_levels(self) -> int:
        """The largest number of levels of a categorical column, missing included."""
        sizes = (np.diff(self.offsets) + 1) * self.categorical
        return int(sizes.max(initial=0))

    def only(self, rows: np.ndarray) -> Codes:
        """Return the orders (p, m) of the rows where a mask (n,) is true."""
        return np.stack(list(in_order(lambda f: self.order[f][rows[self.order[f] & ROW]], range(len(self.order)))))


def presort(X: Matrix, categorical: np.ndarray) -> Columns:
    """Sort every column once, several at a time."""
    n, p = X.shape
    if n > ROW // 2:
        raise TooLarge(f"a tree takes at most {ROW // 2} rows; the table has {n}. Sample the rows.")
    order = np.empty((p, n), dtype=np.int64)

    def work(f: int) -> tuple[Vector, int]:
        x = np.ascontiguousarray(X[:, f], dtype=np.float64)
        index = np.argsort(x)
        v = x[index]
        known = n - int(np.isnan(v).sum())
        rank = np.zeros(n, dtype=np.int64)
        new = v[1:known] > v[: max(known - 1, 0)]
        np.cumsum(new, out=rank[1:known]) if known > 1 else None
        values = v[:known][np.concatenate([[True], new])] if known else v[:0]
        rank[known:] = len(values)
        np.left_shift(rank, 32, out=rank)
        np.bitwise_or(rank, index, out=order[f])
        return values, len(values) if known < n else -1

    parts = list(in_order(work, range(p)))
    sizes = np.array([len(v) for v, _ in parts])
    return Columns(
        order,
        np.concatenate([v for v, _ in parts]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.array([m for _, m in parts]),
        np.asarray(categorical, dtype=np.uint8),
    )
