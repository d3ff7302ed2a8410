"""A table given as counts: a row of weight 3 is three rows, and each of them is tested by a predictor that may have seen the others.

To hold the row out whole would test the predictor on a cell of the table that it has never seen. So the copies are laid out, dealt to
folds one by one as the rows of the long table would be, and what is found is told for the rows as they were given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from epee.arrays import is_elsewhere
from epee.risk.cross_validation import CrossValidation
from epee.risk.units import Weights, meaning_of, taken_as
from epee.risk.when_asked import WhenAsked
from epee.table.block import Source, check_weights
from epee.table.doors import gather, is_stream, open_source
from epee.table.fingerprints import fingerprint
from epee.table.taking import take_rows
from epee.typing import Codes, Vector

MOST_CELLS = 20_000_000  # of the long table


class LongTable:
    """The rows of a table, each as often as its count says."""

    def __init__(self, X: Any, y: Any, counts: Vector) -> None:
        self.short, self.counts = (X, y), counts
        self.row: Codes = np.repeat(np.arange(len(counts)), counts.astype(np.intp))
        self.X, self.y = (take_rows(a, self.row) for a in (X, y))

    def told(self, found: CrossValidation) -> CrossValidation:
        """Return what was found for the short table: mean losses of the copies, the prediction and the fold of the first one."""
        first = np.minimum(np.searchsorted(self.row, np.arange(len(self.counts))), len(self.row) - 1)
        absent = self.counts == 0

        def mean(losses: np.ndarray) -> np.ndarray:
            rows = np.atleast_2d(losses)
            out = np.stack([np.bincount(self.row, r, minlength=len(absent)) for r in rows])
            out = np.where(absent, np.nan, out / np.maximum(self.counts, 1))
            return out[0] if losses.ndim == 1 else out

        def look() -> tuple[np.ndarray, np.ndarray]:
            predictions = found.predictions
            axis = 0 if len(predictions) == len(self.row) else 1
            return mean(found.losses), np.take(predictions, first, axis=axis)

        return replace(
            found, row_losses=None if found.row_losses is None else mean(found.row_losses), weight=self.counts,
            rows=fingerprint(*self.short), look=WhenAsked(look),
            fold_ids=WhenAsked(lambda: np.where(absent, -1, found.folds[..., first])),
            how=found.how + taken_as(self.counts, "counts"),
        )  # fmt: skip


def long_table(X: Any, y: Any, sample_weight: Any, weights: Weights | None = None) -> LongTable | None:
    """Return the table in single copies; None where no row counts more than once, or there would be too many.

    >>> long_table([[0.0], [1.0]], [5.0, 6.0], [2, 1]).y
    [5.0, 5.0, 6.0]
    """
    if is_elsewhere(X) and sample_weight is None:
        return None
    if is_stream(X):
        source = open_source(X, y, sample_weight)
        head = source.head()
        if head is None or head.weight is None or not _few_and_whole(source, weights):
            return None
        X, y, sample_weight = gather(source)
    elif sample_weight is None:
        return None
    counts = check_weights(sample_weight, X.shape[0] if hasattr(X, "shape") else len(X))
    if counts is None or meaning_of(counts, weights) != "counts" or counts.max() <= 1 or (counts % 1).any():
        return None
    columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 1
    return LongTable(X, y, counts) if counts.sum() * columns <= MOST_CELLS else None


def in_copies(
    X: Any, y: Any, sample_weight: Any, weights: Weights | None, by_rule: bool = True
) -> tuple[Any, Any, Any, Vector | None, Codes | None]:
    """Return rows and weights: single copies without a weight, and beside them the counts and the row that each is a copy of.

    So it is where rows dealt ``by_rule`` have counts; all others are returned as they are, with None.

    >>> in_copies([[0.0], [1.0]], [5.0, 6.0], [2, 1], None)[1:]
    ([5.0, 5.0, 6.0], None, array([2., 1.]), array([0, 0, 1]))
    """
    table = long_table(X, y, sample_weight, weights) if by_rule else None
    if table is None:
        return X, y, sample_weight, None, None
    return table.X, table.y, None, table.counts, table.row


def _few_and_whole(source: Source, weights: Weights | None) -> bool:
    """Tell whether the weights of rows that pass by are counts of a table that can be laid out; stops reading when they are not."""
    cells = 0.0
    for block in source.narrow().blocks():
        w = None if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        if w is None or meaning_of(w, weights) != "counts":
            return False
        cells += float(w.sum()) * source.n_columns
        if cells > MOST_CELLS:
            return False
    return True
