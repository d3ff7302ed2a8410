r"""Missing cells, filled inside the folds.

A missing cell takes the mean of the rows that were learned from,

.. math:: \hat x = o\,x + (1 - o)\,\bar x, \tag{1}

with :math:`o` = 1 where the cell is there. In a cross-validation every fold fills with the means of its own training rows.
:func:`plan_encoder` learns the encoder of a table from its training rows; :func:`holed` encodes rows and leaves the holes as NaN, for
:class:`FillMissing` to fill.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np

from epee.estimator.base import SameColumns, Transformer
from epee.table.encoder import TableEncoder
from epee.table.encoding import sum_rows
from epee.table.raw import RawBlock
from epee.table.schema import CLOCK, Column, Schema
from epee.typing import Matrix, Vector


class FillMissing(SameColumns, Transformer):
    """Fill NaN with the mean of the column over the training rows; a column without a cell is filled with 0.

    >>> FillMissing().fit_transform([[1.0], [np.nan], [3.0]])
    array([[1.],
           [2.],
           [3.]])
    """

    _takes_missing = True

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        there = ~np.isnan(X)
        weight = there if w is None else there * w[:, None]
        total = weight.sum(axis=0)
        sums = (np.where(there, X, 0.0) * weight).sum(axis=0)
        self.fill_ = np.divide(sums, total, out=np.zeros(X.shape[1]), where=total > 0)

    def _transform(self, X: Matrix) -> Matrix:
        return np.where(np.isnan(X), self.fill_, X)


def plan_encoder(
    raw: RawBlock, names: Sequence[str], kinds: Mapping[str, str], weight: Vector | None = None, max_levels: int = 50
) -> TableEncoder:
    """Return the encoder of a table, learned from these rows: levels, and means for missing cells."""
    columns = tuple(_column(raw, name, kinds[name]) for name in names)
    encoder = TableEncoder(types=dict(kinds), max_levels=max_levels)
    encoder.schema_ = Schema(columns)
    encoder.n_features_in_ = len(columns)
    encoder.feature_names_in_ = np.array(list(names), dtype=object)
    layout = encoder._layout
    encoder.centre_ = np.zeros(len(layout.cell_names))
    counted = RawBlock(raw.columns, weight=weight, rows=len(raw))
    total = float(len(raw) if weight is None else weight.sum())
    return encoder._learn(sum_rows(layout, encoder.centre_, counted) / total)


def _column(raw: RawBlock, name: str, kind: str) -> Column:
    import pyarrow.compute as pc

    column = raw.columns[name]
    if isinstance(column, np.ndarray):
        clock = kind == "date" and bool((np.nan_to_num(column) % 1 != 0).any())
        return Column(name, kind, missing=int(np.isnan(column).sum()), note=CLOCK if clock else "")
    found = pc.value_counts(column.drop_null())
    counts = dict(zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True))
    levels = tuple(sorted(counts))
    return Column(name, kind, levels, tuple(counts[level] for level in levels), column.null_count)


def holed(encoder: TableEncoder, raw: RawBlock) -> Matrix:
    """Return the encoded rows (n, e) with NaN where a number is missing."""
    open_ = copy.copy(encoder)
    open_.fill_ = np.full_like(encoder.fill_, np.nan)
    return open_.encode(raw)
