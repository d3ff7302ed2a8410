"""Parts of a source that another process can read: what a cluster maps over.

A part is a payload that travels (a file and its row groups, a slice of an array, a Dask partition still to be made) and a function that
builds a source from it where it arrives. Parts come in the order of the rows, share the origin, the schema and the
classes of the whole, and only what they are reduced to comes back.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.table.arrays import ArraySource
from epee.table.batches import agree
from epee.table.block import Source
from epee.table.doors import CodedSource
from epee.table.encoder import MappedSource
from epee.table.frames import DaskBatches, FrameBatches
from epee.table.parquet import ParquetBatches
from epee.table.source import TableSource

BLOCKS_A_PART = 16  # where a source cannot travel, its blocks do, so many at a time


@dataclass(frozen=True, eq=False)
class Part:
    """One part: what travels, how it becomes a source there, and how to call it in a sentence."""

    payload: Any
    build: Callable[[Any], Source]
    label: str


def parts_of(source: Any, wanted: int) -> Iterator[Part]:
    """Yield the parts of a source in order; about ``wanted`` of them where the source can be cut anywhere.

    >>> [p.payload.X.shape for p in parts_of(ArraySource(np.zeros((5, 2))), 2)]
    [(3, 2), (2, 2)]
    """
    if isinstance(source, CodedSource):
        for part in parts_of(source.source, wanted):
            yield Part(part.payload, partial(_coded, build=part.build, labels=source.labels), part.label)
    elif isinstance(source, MappedSource):
        for part in parts_of(source.source, wanted):
            yield Part(part.payload, partial(_mapped, build=part.build, row=source._row, names=source.names), part.label)
    elif hasattr(source, "with_source"):  # a wrapper that writes rows in another basis
        for part in parts_of(source.source, wanted):
            yield Part(part.payload, partial(_wrapped, build=part.build, wrap=source.with_source), part.label)
    elif isinstance(source, ArraySource):
        yield from _slices(source, wanted)
    elif isinstance(source, TableSource) and isinstance(source.batches, DaskBatches):
        yield from _partitions(source)
    elif isinstance(source, TableSource) and type(source.batches) is ParquetBatches:
        yield from _row_groups(source, wanted)
    else:
        yield from _blocks(source)


def _coded(payload: Any, build: Any, labels: np.ndarray) -> Any:
    return CodedSource(build(payload), labels)


def _mapped(payload: Any, build: Any, row: Any, names: tuple[str, ...]) -> Any:
    return MappedSource(build(payload), row, names)


def _wrapped(payload: Any, build: Any, wrap: Any) -> Any:
    return wrap(build(payload))


def _same(payload: Any) -> Any:
    return payload


def _slices(source: ArraySource, wanted: int) -> Iterator[Part]:
    n = source.n_rows
    step = -(-n // max(1, min(wanted, n))) if n else 1

    def cut(a: np.ndarray | None, i: int) -> np.ndarray | None:
        return None if a is None else np.ascontiguousarray(a[i : i + step])

    for k, i in enumerate(range(0, max(n, 1), step)):
        arrays = [cut(a, i) for a in (source.X, source.y, source.weight, source.fold, source.group)]
        yield Part(ArraySource(*arrays, source.names), _same, f"part {k} (rows from {i})")  # type: ignore[arg-type]


def _template(source: TableSource) -> TableSource:
    """Return a copy without its table, with what all parts must agree on already found."""
    bare = copy.copy(source)
    if source.targets and len(source.targets) == 1 and source.target_kind == "class":
        bare.__dict__["classes"] = source.classes
    bare.batches = None  # type: ignore[assignment]
    return bare


def _row_groups(source: TableSource, wanted: int) -> Iterator[Part]:
    """Cut Parquet files at their row groups."""
    import pyarrow.parquet as pq

    batches: ParquetBatches = source.batches  # type: ignore[assignment]
    template = _template(source)
    total = max(batches.n_rows or 1, 1)
    goal, start = -(-total // max(wanted, 1)), 0
    for path, keys in zip(batches.paths, batches.keys, strict=True):
        with pq.ParquetFile(path) as file:
            sizes = [file.metadata.row_group(g).num_rows for g in range(file.metadata.num_row_groups)]
        groups: list[int] = []
        held = 0
        for g, size in enumerate(sizes):
            groups.append(g)
            held += size
            if held >= goal or g == len(sizes) - 1:
                payload = (path, keys, tuple(groups), held, start)
                yield Part(payload, partial(_open_groups, template=template, like=batches), f"rows {start} to {start + held - 1}")
                start, groups, held = start + held, [], 0


def _open_groups(payload: Any, template: TableSource, like: ParquetBatches) -> Any:
    path, keys, groups, rows, start = payload
    narrow = copy.copy(like)
    narrow.paths, narrow.keys, narrow.n_rows, narrow._file_rows = [path], [keys], rows, [rows]
    narrow.row_groups = list(groups)
    return _placed(template, narrow, start, rows)


def _placed(template: TableSource, batches: Any, start: int, rows: int) -> TableSource:
    """Return the template over a part of the table, with the part of arrays that go beside it."""
    source = copy.copy(template)
    source.batches = batches
    for name in ("y", "weight", "groups", "fold"):
        beside = getattr(source, name)
        if beside is not None:
            setattr(source, name, beside[start : start + rows])
    return source


def _partitions(source: TableSource) -> Iterator[Part]:
    """Hand over Dask partitions as they are, to be made where they are used."""
    batches: DaskBatches = source.batches  # type: ignore[assignment]
    if any(getattr(source, name) is not None for name in ("y", "weight", "groups", "fold")):
        raise DataError("with a Dask collection, y, sample_weight and groups must be columns of it: give their names.")
    template = _template(source)
    X = batches._X
    pieces: Sequence[Any] = X.to_delayed() if hasattr(X, "columns") else X.to_delayed().ravel()
    for k, piece in enumerate(pieces):
        yield Part(piece, partial(_open_frame, template=template, fields=batches.fields, k=k), f"partition {k}")


def _open_frame(payload: Any, template: TableSource, fields: Any, k: int) -> Any:
    import pyarrow as pa

    if not hasattr(payload, "columns"):
        block = np.asarray(payload)
        payload = pa.table({f"x{j}": block[:, j] for j in range(block.shape[1])})
    frame = FrameBatches(payload, f"partition {k}")
    if frame.n_rows:
        frame.fields = agree([("the first partition", fields), (f"partition {k}", frame.fields)])
    return _placed(template, frame, 0, frame.n_rows or 0)


def _blocks(source: Source) -> Iterator[Part]:
    """Send the blocks themselves, a few at a time: for what only this process can read, such as SQL or a text file."""
    held, k = [], 0
    for block in source.blocks():
        held.append(block)
        if len(held) == BLOCKS_A_PART:
            yield Part(held, partial(Held, names=source.names), f"part {k}")
            held, k = [], k + 1
    if held:
        yield Part(held, partial(Held, names=source.names), f"part {k}")


class Held:
    """Blocks that travelled."""

    def __init__(self, blocks: Sequence[Any], names: Any = None) -> None:
        self._held, self.names = blocks, names
        self.n_rows, self.n_columns = sum(map(len, blocks)), blocks[0].X.shape[1]

    @property
    def origin(self) -> np.ndarray:
        """The mean of the first block."""
        return self._held[0].X.mean(axis=0)

    def blocks(self, rows: int | None = None) -> Iterator[Any]:
        """Yield the blocks as they came."""
        yield from self._held
