"""Copies of rows stay together: on one side of the seal, and in one fold.

A copy of a training row among the sealed ones, or in another fold, tests a predictor that has seen it. So copies that chance does not
explain (:mod:`epee.risk.copies`) are dealt as one row, and count as one in every error bar. Names that only number the rows do not tell
copies apart, and neither do sampling weights: each copy keeps its own, and learns and tests with it. A row whose weight counts it several
times is none: a table of counts lists equal rows as they came. Tables at hand are looked at, which a table is by its size, never by where
it comes from; of others a finding says what their sample shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from epee.job.holding import columns_of, take
from epee.job.sealing import fingerprints
from epee.job.tallies import Numbers
from epee.risk.copies import CHANCE, MOST_ROWS, coincidence, enough, numbered, repeats, row_bits
from epee.table.raw import RawBlock
from epee.table.source import TableSource
from epee.typing import Codes, Matrix

FEWEST = 20  # rows that are left when copies are one
FEWEST_OF_A_CLASS = 3
SCREEN = 4  # columns that are compared first


def copies_in(
    source: TableSource,
    names: Sequence[str],
    types: Mapping[str, str],
    target: Matrix,
    codes: Codes | None,
    rows: Codes,
) -> Codes | None:
    """Return a number for each of some rows of a table at hand, equal for copies; None where chance explains them, or few rows are left.

    ``names`` are the columns that tell rows apart, ``target`` (n, m) what is predicted, ``codes`` (n,) its classes.
    """
    n = len(rows)
    if not FEWEST <= n <= MOST_ROWS or not names:
        return None
    few = list(dict.fromkeys(names[j] for j in np.linspace(0, len(names) - 1, SCREEN).astype(int)))
    bits = [_bits(f"target {j}", column) for j, column in enumerate(target.T)]
    for some in (few, [name for name in names if name not in few]):
        raw = columns_of(source, some) if some else RawBlock({}, rows=n)
        kept = [name for name in some if not _numbers_rows(source, types, name, raw.columns[name])]
        own = take(RawBlock({name: raw.columns[name] for name in kept}, rows=len(raw)), rows)
        bits += [_bits(name, own.columns[name]) for name in kept]
        if not enough(repeats(row_bits(bits)), n):
            return None
    if len(bits) == target.shape[1]:  # nothing but names of rows
        return None
    again, p = coincidence(bits, np.arange(n), None)
    if not enough(again, n) or p >= CHANCE:
        return None
    found = numbered(row_bits(bits))
    first = np.unique(found, return_index=True)[1]
    least = FEWEST_OF_A_CLASS if codes is None else int(np.bincount(codes[first]).min())
    return found if len(first) >= FEWEST and least >= FEWEST_OF_A_CLASS else None


def _bits(name: str, column: Any) -> np.ndarray:
    return fingerprints(RawBlock({name: column}, rows=len(column)), [name])


def _numbers_rows(source: TableSource, types: Mapping[str, str], name: str, column: Any) -> bool:
    """Tell whether a column only numbers the rows."""
    if types.get(name) is not None or str(source.kind(name)) != "number" or not isinstance(column, np.ndarray):
        return False
    return Numbers.of(column, "number").numbers_rows(len(column))
