r"""Rows that are copies of each other: how many there are, and whether chance made them.

Equal rows are no mistake where cells have few values. So the number of equal rows is compared with what chance gives: at most
:math:`\binom n2 \min_j \sum_v p_{jv}^2` pairs, whatever the dependence between columns; and the number of pairs of equal rows with that of
pairs that agree in all columns but one, which chance would make far more common. Pairs are counted there, not rows: where a hundred
rows share their inputs, nearly all find an earlier one of the same class, whatever decides between the classes.

A copy tests a predictor that has seen it. So copies that chance does not explain are dealt to folds as one row, and count as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from epee.arrays import as_type, namespace
from epee.engines.choice import engine_for
from epee.moments.taken import take
from epee.table.block import Block
from epee.table.doors import is_stream, width_of
from epee.table.elsewhere import ElsewhereSource
from epee.table.folds import mix64
from epee.table.sparse import laid_out
from epee.typing import Codes

MOST_ROWS, MOST_CELLS = 1_000_000, 20_000_000  # of a table in which copies are looked for, wherever it lies
CHANCE = 1e-3  # p-value below which copies are no chance
SHARE = 0.005  # of the rows: fewer copies than that change nothing
SCREEN = 4  # columns that are compared first


def coincidence(bits: list[np.ndarray], a: np.ndarray, b: np.ndarray | None) -> tuple[int, float]:
    """Return how many rows occur again (rows of ``a`` among those before; or rows of ``b`` in ``a``), and the p-value of chance.

    ``bits`` are 64 for each cell, column by column; equal cells of two columns have other bits.
    """
    with np.errstate(over="ignore"):
        total = row_bits(bits)
        again = repeats(total[a]) if b is None else int(np.isin(total[b], total[a]).sum())
        if again == 0:
            return 0, 1.0
        first = np.unique(total, return_index=True)[1]
        pairs = len(a) * (len(a) - 1) / 2 if b is None else len(a) * len(b)
        collide = np.array([_collisions(column[first]) for column in bits])
        likely = sorted(range(len(bits)), key=lambda j: collide[j])[:16]
        equal = _pairs(total, a, b)
        near = max(_pairs(total - bits[j], a, b) for j in likely) if len(bits) > 1 else 0.0
    free = poisson_tail(again, pairs * float(np.prod(collide)))  # columns independent: what a discrete table gives
    single = poisson_tail(again, pairs * float(collide.min()))  # any dependence
    # half of near pairs, or more
    almost = float(special.betainc(equal, near - equal + 1, 0.5)) if near >= equal else 1.0
    return again, max(free, min(2 * min(single, almost), 1.0))


def enough(again: int, n: int) -> bool:
    """Tell whether so many of ``n`` rows occur again that it matters."""
    return again >= max(2, SHARE * n)


def poisson_tail(k: float, mean: float) -> float:
    """Return the probability of ``k`` or more events where ``mean`` are expected.

    >>> round(poisson_tail(1, 1.0), 3)
    0.632
    """
    return 1.0 if k <= 0 else float(special.gammainc(k, mean)) if mean > 0 else 0.0


def repeats(values: np.ndarray) -> int:
    """Return how many values are not the first of their kind; a missing one counts as a repeat of any.

    >>> repeats(np.array([2.0, 1.0, 2.0])), repeats(np.array([np.nan, 1.0]))
    (1, 1)
    """
    ordered = np.sort(values)  # only their number is wanted: far quicker than the hashes of np.unique
    return max(len(ordered) - 1 - int(np.count_nonzero(ordered[1:] > ordered[:-1])), 0)


def row_bits(bits: list[np.ndarray]) -> np.ndarray:
    """Return 64 bits for each row, equal for equal rows."""
    return np.add.reduce(np.stack(bits), axis=0, dtype=np.uint64)


def _pairs(prints: np.ndarray, a: np.ndarray, b: np.ndarray | None) -> float:
    """Return how many pairs of rows are equal: of ``a``, or one of each."""
    values, counts = np.unique(prints[a], return_counts=True)
    if b is None:
        return float((counts * (counts - 1.0) / 2).sum())
    theirs, more = np.unique(prints[b], return_counts=True)
    _, here, there = np.intersect1d(values, theirs, assume_unique=True, return_indices=True)
    return float((counts[here] * more[there].astype(float)).sum())


def _collisions(column: np.ndarray) -> float:
    """Return the probability that two rows agree in a column, from the pairs that do."""
    counts = np.unique(column, return_counts=True)[1].astype(float)
    n = len(column)
    return max(float((counts * (counts - 1)).sum()), 1.0) / max(n * (n - 1.0), 1.0)


def looked_at(X: Any, n: int) -> bool:
    """Tell whether copies are looked for in a table of ``n`` rows."""
    return 20 <= n <= MOST_ROWS and n * width_of(X) <= MOST_CELLS


def copies_of(X: Any, y: Any, n: int | None = None) -> Codes | None:
    """Return a number for each row, equal for copies and in the order of their first; None where chance explains the copies.

    Tables of numbers of up to a million rows and twenty million cells are looked at: arrays, frames, sparse matrices, or a source of ``n``
    rows, of which some columns are seen in one pass, and all only where these are equal in some rows. Columns that lie elsewhere are
    compared there.

    >>> rng = np.random.default_rng(0); X = rng.normal(size=(40, 2)); y = rng.normal(size=40)
    >>> copies_of(X, y) is None, int(copies_of(np.vstack([X, X]), np.append(y, y)).max()) + 1
    (True, 40)
    """
    n = len(y) if n is None else n
    if not looked_at(X, n):
        return None
    if is_stream(X):
        if isinstance(X, ElsewhereSource):
            if not may_be_copies(X):
                return None
        elif not enough(repeats(np.concatenate(list(engine_for(X).map(X, Screening())))), n):
            return None
        found = take(X, np.arange(n))
        X, y = found.X, found.y if found.group is None else found.group
    cells, target = np.asarray(laid_out(X)), np.asarray(y)
    if _are_numbers(cells, len(target)):
        column = target if target.dtype.kind == "f" and target.ndim == 1 else cells[:, 0]
        if not enough(repeats(column), n):  # copies agree in every column: one may tell that there are none
            return None
    columns = _columns(cells, target)
    if columns is None or not enough(repeats(_screen(columns)), n):
        return None
    bits = [column_bits(column, j) for j, column in enumerate(columns)]
    again, p = coincidence(bits, np.arange(n), None)
    if not enough(again, n) or p >= CHANCE:
        return None
    return numbered(row_bits(bits))


def numbered(prints: np.ndarray) -> Codes:
    """Return a number for each row, equal for equal prints and in the order of their first.

    >>> numbered(np.array([7, 3, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, ids = np.unique(prints, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    return place[ids.reshape(-1)]


def may_be_copies(source: ElsewhereSource) -> bool:
    """Tell whether enough rows may be copies of others, where they lie: copies agree in the first column, and in any sum of columns.

    Rows that are no copies may agree, too, so that True decides nothing. Sums are taken cell by cell: those of equal rows are equal to
    the last bit wherever they stand.
    """
    X, n = source.X, source.n_rows
    if not enough(_equal_cells(X[:, 0]), n):
        return False
    some = sorted({*np.linspace(0, source.n_columns - 1, SCREEN).astype(int).tolist()})
    total = X[:, 0]
    for k, j in enumerate(some[1:]):
        total = total + X[:, j] * (1.0 + 0.6180339887498949 * (k + 1))
    target = source.beside.get("y" if source.group is None else "group")
    if target is not None and target.ndim == 1:
        total = total + as_type(target, X.dtype) * 2.718281828459045
    return enough(_equal_cells(total), n)


def _equal_cells(column: Any) -> int:
    """Return how many cells of a column that lies elsewhere are not the first of their value; NaN equals all."""
    xp = namespace(column)
    ordered = xp.sort(column)
    return int(column.shape[0]) - 1 - int(xp.sum(as_type(ordered[1:] > ordered[:-1], xp.int64)))


@dataclass(frozen=True)
class Screening:
    """Find 64 bits for each row of a block, equal for rows that are equal in some columns."""

    quiet = True  # it need not be said that a device has no road for a look

    def __call__(self, block: Block) -> np.ndarray:
        columns = _columns(block.rows, block.y if block.group is None else block.group)
        return np.zeros(len(block), dtype=np.uint64) if columns is None else _screen(columns)


def _screen(columns: list[np.ndarray]) -> np.ndarray:
    some = {len(columns) - 1, *np.linspace(0, len(columns) - 1, SCREEN).astype(int).tolist()}
    return row_bits([column_bits(columns[j], j) for j in sorted(some)])


def _columns(X: Any, y: Any) -> list[np.ndarray] | None:
    """Return the columns of a table of numbers, the target last; None for any other."""
    cells, target = np.asarray(laid_out(X)), np.asarray(y)
    if not _are_numbers(cells, len(target)):
        return None
    if target.dtype.kind not in "fiub":
        target = np.unique(target.astype(str), return_inverse=True)[1]
    return [*cells.T, *target.reshape(len(cells), -1).T]


def _are_numbers(cells: np.ndarray, n: int) -> bool:
    """Tell whether cells are a table of ``n`` rows of numbers."""
    return cells.ndim == 2 and cells.shape[1] > 0 and cells.dtype.kind in "fiub" and len(cells) == n


def column_bits(column: np.ndarray, j: int) -> np.ndarray:
    """Return 64 bits for each cell of column ``j``."""
    cells = np.asarray(column, dtype=np.float64) + 0.0  # no -0.0
    cells[np.isnan(cells)] = np.nan  # one NaN
    return mix64(cells.view(np.uint64) ^ np.uint64(mix64(np.array([j], dtype=np.uint64))[0]))
