"""The rows of one cell, gathered and summed; and the rows that one model learns from, as a source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from epee.moments.moments import Moments
from epee.moments.passes import Summation
from epee.risk.affine_maps import move
from epee.table.arrays import ArraySource
from epee.table.block import Block
from epee.typing import Vector


def plain_gather(source: ArraySource, keep: Any) -> Any:
    """Return a function from rows to their moments, for a large plain table with a full scatter; None for all others."""
    X, y = source.X, source.y
    if type(keep) is not Summation or keep.scatter != "full" or keep.groups is not None or source.weight is not None:
        return None
    if X.size < 2_000_000 or X.dtype != np.float64 or not X.flags.c_contiguous or (y is not None) != bool(keep.targets):
        return None
    from epee.kernels.gathered_rows import centred_rows

    Y = np.zeros((len(X), 0)) if y is None else np.ascontiguousarray(y, dtype=np.float64).reshape(len(X), -1)
    q = X.shape[1] + Y.shape[1]

    def gather(rows: np.ndarray) -> Moments:
        B, mean = np.empty((len(rows), q)), np.empty(q)
        centred_rows(X, Y, rows, keep.origin, B, mean)
        with np.errstate(over="ignore", invalid="ignore"):
            return Moments(
                np.array(float(len(rows))), mean, B.T @ B, keep.origin, (), "full", keep.targets, keep.labels
            )

    return gather


class TrainingRows:
    """The rows that one model learns from, as a source: read only when its estimator goes back to them."""

    def __init__(
        self,
        source: ArraySource,
        keep: np.ndarray,
        origin: Vector,
        scale: Vector | None = None,
        shift: Vector | None = None,
    ) -> None:
        self.source, self.keep, self.full_origin, self.scale, self.shift = source, keep, origin, scale, shift
        self.names, self.n_columns, self.n_rows = source.names, source.n_columns, int(keep.sum())
        self.weight = getattr(source, "weight", None)

    @property
    def origin(self) -> Vector:
        """A point within the cloud."""
        return self.full_origin[: self.n_columns]

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks with the rows that were learned from."""
        start = read = 0
        for block in self.source.blocks(rows):
            keep = self.keep[read : read + len(block)]
            read += len(block)
            X = np.asarray(block.X[keep], dtype=np.float64)
            if self.scale is not None and self.shift is not None:
                X = move(X, self.scale, self.shift)
            y, w, g = (None if a is None else a[keep] for a in (block.y, block.weight, block.group))
            yield Block(X, y, w, None, g, start)
            start += len(X)
