"""Folds that are decided while the rows pass: a source whose blocks know the fold of each row, in constant memory.

The fold of a row follows from its class and its rank in that class (:mod:`epee.table.folds`), so a stream needs to carry
along only how many rows of each class came before. On a cluster the parts are counted first, and each starts from the
prefix sum of the counts: the folds are those of the rows read in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from epee.table.block import Block, Source
from epee.table.folds import fold_of, ranks_in_class
from epee.typing import Codes, Vector


@dataclass(frozen=True)
class ClassCounts:
    """Count the rows of each class (K,) of a block, or all of them where there are no classes."""

    n_classes: int | None

    def __call__(self, block: Block) -> np.ndarray:
        if self.n_classes is None:
            return np.array([len(block)])
        return np.bincount(np.asarray(block.group), minlength=self.n_classes)


class FoldedSource:
    """A source whose blocks know their folds.

    Parameters
    ----------
    source : Source
        With the codes of classes in the group axis where ``n_classes`` is given.
    n_folds, seed : int
    n_classes : int, optional
        Folds are stratified by that many classes; None is one stratum.
    before : array (K,), optional
        How many rows of each class came before the first row.

    Examples
    --------
    >>> from epee.table.arrays import ArraySource
    >>> source = FoldedSource(ArraySource(np.zeros((6, 1))), n_folds=3)
    >>> [len(np.unique(block.fold)) for block in source.blocks(3)]
    [3, 3]
    """

    def __init__(
        self,
        source: Source,
        n_folds: int,
        seed: int = 0,
        n_classes: int | None = None,
        before: np.ndarray | None = None,
    ) -> None:
        self.source, self.n_folds, self.seed, self.n_classes, self.before = source, n_folds, seed, n_classes, before
        self.names: Sequence[str] | None = source.names
        self.n_columns, self.n_rows = source.n_columns, source.n_rows
        self.is_dask = getattr(source, "is_dask", False)
        self.cut: int | None = None  # about how many parts were counted, so that the same ones are made again
        self.before_parts: list[np.ndarray] | None = None  # (parts, K) rows of each class before each part

    @property
    def counting(self) -> ClassCounts:
        """What a part is reduced to before its ranks are known."""
        return ClassCounts(self.n_classes)

    def place(self, counts: Sequence[np.ndarray | None], cut: int) -> None:
        """Take the counts of each part, in order; None is a part without rows."""
        zero = np.zeros(self.n_classes or 1, dtype=np.int64)
        there = [zero if c is None else np.asarray(c, dtype=np.int64) for c in counts]
        self.before_parts = list(np.cumsum([zero, *there], axis=0)[:-1])
        self.cut = cut

    def at(self, source: Source, k: int) -> FoldedSource:
        """Return the same folds over part ``k``."""
        assert self.before_parts is not None
        return FoldedSource(source, self.n_folds, self.seed, self.n_classes, self.before_parts[k])

    @property
    def origin(self) -> Vector:
        """The origin of the source behind."""
        return self.source.origin

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks with the folds of their rows."""
        counts = np.zeros(self.n_classes or 1, dtype=np.int64) if self.before is None else self.before.copy()
        for block in self.source.blocks(rows):
            codes: Codes = np.zeros(len(block), dtype=np.intp) if self.n_classes is None else np.asarray(block.group)
            ranks = ranks_in_class(codes, counts)
            counts += np.bincount(codes, minlength=len(counts))
            yield block.having(fold=fold_of(ranks, codes, self.n_folds, self.seed))


class LearnedRows:
    """The rows of some folds only: what one model of a cross-validation learns from, mapped by x -> scale x + shift."""

    def __init__(
        self, source: FoldedSource | Source, learns: np.ndarray, origin: Vector, scale: Vector | None = None,
        shift: Vector | None = None,
    ) -> None:  # fmt: skip
        self.source, self.learns, self.scale, self.shift, self._origin = source, learns, scale, shift, origin
        self.names, self.n_columns, self.n_rows = source.names, source.n_columns, None
        self.is_dask = getattr(source, "is_dask", False)

    def with_source(self, source: Source) -> LearnedRows:
        """Return the same choice of other rows."""
        return LearnedRows(source, self.learns, self._origin, self.scale, self.shift)

    @property
    def origin(self) -> Vector:
        """A point within the cloud."""
        return self._origin[: self.n_columns]

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks with the rows that were learned from."""
        for block in self.source.blocks(rows):
            keep = self.learns[block.fold]
            X = np.asarray(block.X[keep], dtype=np.float64)
            if self.scale is not None and self.shift is not None:
                X = X * self.scale + self.shift
            y, w, g = (None if a is None else a[keep] for a in (block.y, block.weight, block.group))
            yield Block(X, y, w, None, g, block.start)
