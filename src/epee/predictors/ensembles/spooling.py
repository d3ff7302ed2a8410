"""A stream as bytes: read twice, once for the quantiles and the target, once to cut every column into bins.

A row takes two bytes a column, its target and its weight; beyond ``AT_HAND`` bytes the bins lie in a temporary file that the system
pages in and out, and so do the whole numbers of a round. What stays in memory of a row are its target, score and slope and where it is
among the rows of its node, 33 bytes whatever the number of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.engines.choice import engine_for
from epee.errors import DataError
from epee.predictors.ensembles.binning import Binned, Binning, Bins, find_bins, sampled
from epee.table.block import Source, refuse_bad_cells
from epee.table.labels import codes_of, scan_classes
from epee.table.spool import Spool
from epee.typing import Labels, Vector

AT_HAND = 1 << 28  # bytes of bins kept in memory
ROOM = 1 << 23  # numbers, 64 MB


@dataclass(frozen=True)
class Spooled:
    """The table of a stream, and what goes beside it."""

    table: Binned
    bins: Bins
    y: Vector
    weight: Vector | None
    classes: Labels | None


def spool_table(source: Source, categorical: np.ndarray, most: int, seed: int, labels: bool) -> Spooled:
    """Read a stream; ``labels`` says that the target names classes."""
    classes = scan_classes(source) if labels else None
    targets, weights, n = Gathered(), Gathered(), 0
    for block in source.blocks():
        if block.y is None:
            raise DataError("requires y to be passed, but the target y is None: name its column.")
        targets.add(_target(block, classes))
        if block.weight is not None:
            weights.add(block.weight)
        n += len(block)
    if not n:
        raise DataError("Found array with 0 sample(s) while a minimum of 1 is required.")
    y, weight = targets.whole(), weights.whole() if weights.n else None
    some = []
    for block in source.blocks():
        X = np.asarray(block.X, dtype=np.float64)
        if np.isinf(X).any():
            refuse_bad_cells(np.where(np.isnan(X), 0.0, X), source.names, block.start)
        some.append(X[sampled(block.start, block.start + len(block), n, seed)])
    chosen = None if weight is None else weight[sampled(0, n, n, seed)]
    bins = find_bins(np.concatenate(some), chosen, most, categorical)
    table = Binned.room(n, bins, _on_disk if 2 * n * len(categorical) > AT_HAND else np.empty)
    start = 0
    for words in engine_for(source).map(source, Binning(bins)):
        table.put(words, start)
        start += len(words)
    return Spooled(table, bins, y, weight, classes)


class Gathered:
    """Numbers that arrive block by block, in rooms so large that the system has them back at once: small ones would stay with us."""

    def __init__(self) -> None:
        self.rooms: list[Vector] = []
        self.n = 0

    def add(self, values: Vector) -> None:
        """Put some more behind those that are there."""
        while len(values):
            at = self.n % ROOM
            if at == 0:
                self.rooms.append(np.empty(ROOM))
            some = values[: ROOM - at]
            self.rooms[-1][at : at + len(some)] = some
            self.n, values = self.n + len(some), values[len(some) :]

    def whole(self) -> Vector:
        """Return all of them, once."""
        out, n = np.empty(self.n), 0
        for room in self.rooms:
            out[n : n + ROOM] = room[: self.n - n]
            n += ROOM
        self.rooms = []
        return out


def _target(block: Any, classes: Labels | None) -> Vector:
    if classes is not None:
        return codes_of(block.y, classes, block.start).astype(np.float64)
    y = np.asarray(block.y, dtype=np.float64)
    refuse_bad_cells(y, None, block.start, what="y")
    return y


def _on_disk(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return an array in a temporary file that goes with it."""
    spool = Spool(".bins")
    array = np.memmap(spool.path, dtype=dtype, mode="w+", shape=shape)
    array.spool = spool  # type: ignore[attr-defined]
    return np.asarray(array)  # a view: kernels know no other kind of array
