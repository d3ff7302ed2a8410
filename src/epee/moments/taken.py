"""Rows taken by their numbers, where they lie: of a table on a cluster only the rows that a start looks at come here.

What is taken of two stretches of rows merges by following each other, so any engine can take it, and the rows are the same for any cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.engines.choice import engine_for
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source
from epee.table.elsewhere import ElsewhereSource
from epee.table.sparse import SparseSource, is_sparse
from epee.typing import Codes, Vector


@dataclass(frozen=True, eq=False)
class Taken:
    """Some rows, with what goes beside them.

    >>> a, b = (Taken(np.full((1, 1), x), None, np.array([x]), None) for x in (1.0, 2.0))
    >>> (a + b).weight
    array([1., 2.])
    """

    X: Any  # (n, p), sparse where the rows are
    y: np.ndarray | None
    weight: Vector | None
    group: Codes | None

    def __add__(self, other: Taken) -> Taken:
        ours, theirs = vars(self).values(), vars(other).values()
        return Taken(*(None if a is None else _followed(a, b) for a, b in zip(ours, theirs, strict=True)))

    def source(self) -> ArraySource | SparseSource:
        """Return the rows as a source in memory."""
        kind = SparseSource if is_sparse(self.X) else ArraySource
        return kind(self.X, self.y, self.weight, None, self.group)


def _followed(a: Any, b: Any) -> Any:
    if not is_sparse(a):
        return np.concatenate([a, b])
    from scipy.sparse import vstack

    return vstack([a, b], format="csr")


@dataclass(frozen=True, eq=False)
class Taking:
    """Take of a block the rows whose sorted numbers are given, or one in every ``step``."""

    numbers: Codes | None = None
    step: int = 1

    numbered = True  # it needs the numbers of the rows, on a cluster too
    quiet = True  # it asks for rows here

    def __call__(self, block: Block) -> Taken:
        if self.numbers is None:
            chosen: Any = slice(-block.start % self.step, None, self.step)
        else:
            i, j = np.searchsorted(self.numbers, [block.start, block.start + len(block)])
            chosen = self.numbers[i:j] - block.start
        beside = (None if a is None else np.array(np.asarray(a)[chosen]) for a in (block.y, block.weight, block.group))
        rows = block.rows[chosen] if is_sparse(block.rows) else np.array(block.X[chosen])
        return Taken(rows, *beside)


def rows_in_all(source: Source) -> int:
    """Return how many rows there are, by a pass over one column where nobody knows."""
    if source.n_rows is not None:
        return int(source.n_rows)
    narrow = source.narrow()
    return int(engine_for(narrow).reduce(narrow, len))


def take(source: Source, numbers: Codes) -> Taken:
    """Return the rows with these sorted numbers.

    >>> take(ArraySource(np.arange(5.0)[:, None]), np.array([1, 4])).X.ravel()
    array([1., 4.])
    """
    if isinstance(source, ElsewhereSource):
        there = source.taken(numbers)
        return Taken(there.X, there.y, there.weight, there.group)
    found: Taken = engine_for(source).reduce(source, Taking(np.asarray(numbers)))
    return found


def take_every(source: Source, step: int) -> Taken:
    """Return one row in every ``step``, the first among them.

    >>> take_every(ArraySource(np.arange(5.0)[:, None]), 2).X.ravel()
    array([0., 2., 4.])
    """
    found: Taken = engine_for(source).reduce(source, Taking(step=step))
    return found
