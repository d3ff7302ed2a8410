"""Parts of a source that another process can read: what a cluster maps over.

A part is a payload that travels (a file and its row groups, a slice of an array, a Dask partition still to be made) and a function that
builds a source from it where it arrives. Parts come in the order of the rows, share the origin, the schema and the
classes of the whole, and only what they are reduced to comes back.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.table.arrays import ArraySource
from epee.table.batches import Stamp
from epee.table.block import Block, Source
from epee.table.doors import CodedSource
from epee.table.encoder import MappedSource
from epee.table.folded import FoldedSource
from epee.table.frames import DaskBatches, FrameBatches, conform, table_of
from epee.table.parquet import ParquetBatches
from epee.table.source import TableSource

TRAVEL_BYTES = 4 << 20  # of rows in one part, where the rows themselves must travel


@dataclass(frozen=True, eq=False)
class Part:
    """One part: what travels, how it becomes a source there, how to call it in a sentence.

    ``start`` is the number of its first row in the whole table, where that is known; ``heavy`` parts carry rows, so only a few
    should be under way at once.
    """

    payload: Any
    build: Callable[[Any], Source]
    label: str
    start: int = 0
    heavy: bool = False

    def wrap(self, function: Callable[..., Any], **fixed: Any) -> Part:
        """Return the part seen through a wrapper of its source."""
        return replace(self, build=partial(function, build=self.build, **fixed))


def parts_of(source: Any, wanted: int, rows: int | None = None, numbered: bool = False) -> Iterator[Part]:
    """Yield the parts of a source in order; about ``wanted`` of them where the source can be cut anywhere.

    ``rows`` is the size of the blocks that travel as they are. ``numbered`` parts know the number of their first row, which
    takes a pass over a Dask collection.

    >>> [p.payload.X.shape for p in parts_of(ArraySource(np.zeros((5, 2))), 2)]
    [(3, 2), (2, 2)]
    """
    if isinstance(source, FoldedSource):
        for k, part in enumerate(parts_of(source.source, source.cut or wanted, rows, numbered)):
            yield part.wrap(_at, wrap=partial(source.at, k=k))
    elif type(source) is CodedSource:
        for part in parts_of(source.source, wanted, rows, numbered):
            yield part.wrap(_coded, labels=source.labels)
    elif isinstance(source, MappedSource):
        for part in parts_of(source.source, wanted, rows, numbered):
            if part.heavy:
                break
            yield part.wrap(_mapped, row=source._row, names=source.names)
        else:
            return
        yield from _blocks(source, rows)
    elif hasattr(source, "with_source"):  # a wrapper that writes rows in another basis, or leaves some out
        for part in parts_of(source.source, wanted, rows, numbered):
            yield part.wrap(_at, wrap=_bare(source))
    elif isinstance(source, ArraySource):
        yield from _slices(source, wanted)
    elif isinstance(source, TableSource) and isinstance(source.batches, DaskBatches):
        yield from _partitions(source, numbered)
    elif isinstance(source, TableSource) and type(source.batches) is ParquetBatches:
        yield from _row_groups(source, wanted)
    else:
        yield from _blocks(source, rows)


def folded_inside(source: Any) -> FoldedSource | None:
    """Return the source that deals folds, behind whatever wrappers."""
    while source is not None and not isinstance(source, FoldedSource):
        source = getattr(source, "source", None)
    return source


def _coded(payload: Any, build: Any, labels: np.ndarray) -> Any:
    return CodedSource(build(payload), labels)


def _mapped(payload: Any, build: Any, row: Any, names: tuple[str, ...]) -> Any:
    return MappedSource(build(payload), row, names)


def _at(payload: Any, build: Any, wrap: Any) -> Any:
    return wrap(build(payload))


def _same(payload: Any) -> Any:
    return payload


def _bare(wrapper: Any) -> Callable[[Any], Any]:
    """Return how to wrap another source, without the table behind this one."""
    light = copy.copy(wrapper)
    light.source = None
    return light.with_source


def _slices(source: ArraySource, wanted: int) -> Iterator[Part]:
    n = source.n_rows
    step = -(-n // max(1, min(wanted, n))) if n else 1
    step = min(step, max(1, TRAVEL_BYTES // max(1, source.X.itemsize * source.n_columns)))

    def cut(a: np.ndarray | None, i: int) -> np.ndarray | None:
        return None if a is None else np.ascontiguousarray(a[i : i + step])

    for k, i in enumerate(range(0, max(n, 1), step)):
        arrays = [cut(a, i) for a in (source.X, source.y, source.weight, source.fold, source.group)]
        piece = ArraySource(*arrays, source.names)  # type: ignore[arg-type, call-arg]
        yield Part(piece, _same, f"part {k} (rows from {i})", i, heavy=True)


def _template(source: TableSource) -> TableSource:
    """Return a copy without its table, with what all parts must agree on already found."""
    bare = copy.copy(source)
    if source.targets and len(source.targets) == 1 and source.target_kind == "class":
        bare.__dict__["classes"] = source.classes
    bare.batches = None  # type: ignore[assignment]
    for name in BESIDE:
        setattr(bare, name, None)
    return bare


BESIDE = ("y", "weight", "groups", "fold")  # arrays that go beside a table


def _beside(source: TableSource, start: int, rows: int) -> dict[str, np.ndarray]:
    """Return the part of the arrays that go beside a table."""
    there = {name: getattr(source, name) for name in BESIDE}
    return {name: a[start : start + rows] for name, a in there.items() if a is not None}


def _row_groups(source: TableSource, wanted: int) -> Iterator[Part]:
    """Cut large Parquet files at their row groups, and put small ones together."""
    import pyarrow.parquet as pq

    batches: ParquetBatches = source.batches  # type: ignore[assignment]
    like = copy.copy(batches)
    like.paths, like.keys, like._file_rows = [], [], []
    build = partial(_open_groups, template=_template(source), like=like)
    goal, start = -(-max(batches.n_rows or 1, 1) // max(wanted, 1)), 0
    batches._stamp.check()

    def part(paths: list[str], keys: list[Any], sizes: list[int], groups: list[int] | None) -> Part:
        nonlocal start
        rows, first = sum(sizes), start
        start += rows
        payload = (paths, keys, sizes, groups, _beside(source, first, rows))
        return Part(payload, build, f"rows {first} to {start - 1}", first)

    held: tuple[list[str], list[Any], list[int]] = ([], [], [])
    for path, keys, rows in zip(batches.paths, batches.keys, batches._file_rows, strict=True):
        if held[0] and sum(held[2]) + rows > goal:
            yield part(*held, None)
            held = ([], [], [])
        if rows <= goal:
            held[0].append(path)
            held[1].append(keys)
            held[2].append(rows)
            continue
        with pq.ParquetFile(path) as file:
            sizes = [file.metadata.row_group(g).num_rows for g in range(file.metadata.num_row_groups)]
        for groups in _evenly(sizes, -(-rows // goal)):
            yield part([path], [keys], [sum(sizes[g] for g in groups)], groups)
    if held[0]:
        yield part(*held, None)
    source.passes += 1


def _evenly(sizes: list[int], wanted: int) -> Iterator[list[int]]:
    """Yield the row groups of a file in about so many runs of about as many rows.

    >>> list(_evenly([10] * 8, 3))
    [[0, 1], [2, 3, 4], [5, 6, 7]]
    """
    ends = np.cumsum(sizes)
    run_of = np.minimum((ends - 1) * wanted // max(int(ends[-1]), 1), wanted - 1)
    for k in np.unique(run_of):
        yield np.flatnonzero(run_of == k).tolist()


def _open_groups(payload: Any, template: TableSource, like: ParquetBatches) -> Any:
    paths, keys, sizes, groups, beside = payload
    narrow = copy.copy(like)
    narrow.paths, narrow.keys, narrow._file_rows, narrow.n_rows = paths, keys, sizes, sum(sizes)
    narrow.row_groups, narrow._stamp = groups, Stamp(paths)
    return _placed(template, narrow, beside)


def _placed(template: TableSource, batches: Any, beside: dict[str, np.ndarray]) -> TableSource:
    """Return the template over a part of the table, with the part of arrays that go beside it."""
    source = copy.copy(template)
    source.batches = batches
    source.__dict__.update(beside)
    return source


def _partitions(source: TableSource, numbered: bool) -> Iterator[Part]:
    """Hand over Dask partitions as they are, to be made where they are used."""
    batches: DaskBatches = source.batches  # type: ignore[assignment]
    if any(getattr(source, name) is not None for name in BESIDE):
        raise DataError("with a Dask collection, y, sample_weight and groups must be columns of it: give their names.")
    template = _template(source)
    pieces = batches.pieces(source._wanted())
    fields = batches.fields.empty_table().select(source._wanted()).schema
    starts = np.cumsum([0, *batches.lengths()]) if numbered else np.zeros(len(pieces), dtype=int)
    for k, piece in enumerate(pieces):
        build = partial(open_partition, template=template, fields=fields, k=k)
        yield Part(piece, build, f"partition {k}", int(starts[k]))
    source.passes += 1


def open_partition(payload: Any, template: TableSource, fields: Any, k: int) -> Any:
    """Return the source of one Dask partition; one whose columns or types differ is named."""
    table = conform(table_of(payload), fields, k)
    if not table.num_rows:
        return ArraySource(np.zeros((0, template.n_columns)))
    return _placed(template, FrameBatches(table, f"partition {k}"), {})


def _blocks(source: Source, rows: int | None) -> Iterator[Part]:
    """Send the blocks themselves, a few at a time: for what only this process can read, such as SQL or a text file."""
    held: list[Block] = []
    k = size = 0

    def part() -> Part:
        build = partial(Held, names=source.names, n_columns=source.n_columns)
        return Part(held, build, f"part {k} (rows from {held[0].start})", heavy=True)

    for block in source.blocks(rows):
        held.append(block)
        size += block.X.nbytes
        if size >= TRAVEL_BYTES:
            yield part()
            held, size, k = [], 0, k + 1
    if held:
        yield part()


class Held:
    """Blocks that travelled; they know the numbers of their rows."""

    def __init__(self, blocks: Sequence[Block], names: Any, n_columns: int) -> None:
        self._held, self.names, self.n_columns = blocks, names, n_columns
        self.n_rows = sum(map(len, blocks))

    @property
    def origin(self) -> np.ndarray:
        """The mean of the first block."""
        mean: np.ndarray = self._held[0].X.mean(axis=0)
        return mean

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks as they came."""
        yield from self._held
