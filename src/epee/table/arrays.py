"""Rows that are already in memory, in any order of strides and any type of number, read-only and memory-mapped too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from epee.table.block import BLOCK_ROWS, Block
from epee.table.parts import TRAVEL_BYTES, BlockSource, Part, arrived
from epee.typing import Codes, Matrix, Vector


class ArraySource(BlockSource):
    """The rows of an array as blocks; nothing is copied.

    Parameters
    ----------
    X : (n, p) array of numbers
    y : (n,) or (n, m) array, optional
        Labels, codes or values.
    weight : (n,) array, optional
    fold, group : (n,) arrays of int, optional
    names : sequence of str, optional

    Examples
    --------
    >>> source = ArraySource(np.arange(6.0).reshape(3, 2), y=np.array([0, 1, 1]))
    >>> [len(block) for block in source.blocks(rows=2)]
    [2, 1]
    """

    def __init__(
        self,
        X: Matrix,
        y: np.ndarray | None = None,
        weight: Vector | None = None,
        fold: Codes | None = None,
        group: Codes | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.X, self.y, self.weight, self.fold, self.group, self.names = X, y, weight, fold, group, names
        self.n_rows, self.n_columns = X.shape

    @property
    def origin(self) -> Vector:
        """The mean of the first rows."""
        head = np.asarray(self.X[:256], dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return head.mean(axis=0) if len(head) else np.zeros(self.n_columns)

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield views of the rows."""
        step = rows or BLOCK_ROWS

        def part(a: np.ndarray | None, i: int) -> np.ndarray | None:
            return None if a is None else a[i : i + step]

        for i in range(0, self.n_rows, step):
            X = self.X[i : i + step]
            yield Block(X, part(self.y, i), part(self.weight, i), part(self.fold, i), part(self.group, i), i)

    def parts(self, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
        """Yield slices, of a few megabytes at most.

        >>> [part.payload.X.shape for part in ArraySource(np.zeros((5, 2))).parts(2)]
        [(3, 2), (2, 2)]
        """
        n = self.n_rows
        step = -(-n // max(1, min(wanted, n))) if n else 1
        step = min(step, max(1, TRAVEL_BYTES // max(1, self.X.itemsize * self.n_columns)))

        def cut(a: np.ndarray | None, i: int) -> Any:
            return None if a is None else np.ascontiguousarray(a[i : i + step])

        for k, i in enumerate(range(0, max(n, 1), step)):
            arrays = [cut(a, i) for a in (self.X, self.y, self.weight, self.fold, self.group)]
            piece = ArraySource(*arrays, names=self.names)
            yield Part(piece, arrived, f"part {k} (rows from {i})", i, piece.n_rows, heavy=True)
