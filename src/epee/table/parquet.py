"""Parquet files and folders of them, read as a stream.

PyArrow's buffered reader takes the pages of a row group as they are needed, so even a file with a single row group of many
gigabytes passes through a few megabytes a column; the plain reader, and DuckDB's, hold a whole row group.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import BadFile, EmptyTable
from epee.table.batches import Stamp, agree, fit_to, name_of
from epee.table.parts import Part
from epee.table.prefetch import reads_alone
from epee.table.schema import refuse_duplicates

if TYPE_CHECKING:
    import pyarrow as pa

BUFFER_BYTES = 48 << 20  # shared by the columns of a file
LARGE = 8  # batches in a row group, from which on few of them cross into the next


class ParquetBatches:
    """One or several Parquet files with the same columns, in the order of ``paths``.

    Folders called ``key=value`` (as Spark writes them) give a column ``key``.
    """

    row_groups: list[int] | None = None  # of the one file of a part; all by default

    def __init__(self, paths: Sequence[str], label: str, keys: Sequence[Mapping[str, str]] | None = None) -> None:
        self.label = label
        self.paths = list(paths)
        self.keys = list(keys) if keys else [{} for _ in paths]
        self.notes: list[str] = []
        self.kinds: Mapping[str, str] = {}
        parts, rows = [], []
        for path in self.paths:
            fields, n = _look(path)
            parts.append((name_of(path), fields))
            rows.append(n)
        self.fields = agree(parts)
        for key in self.keys[0]:
            import pyarrow as pa

            self.fields = self.fields.append(pa.field(key, pa.string()))
        refuse_duplicates(self.fields.names, f"{label}: ")
        self.n_rows: int | None = sum(rows)
        self._file_rows = rows
        if not self.n_rows:
            raise EmptyTable(f"{label} has no rows: Found array with 0 sample(s), and a minimum of 1 is required.")
        self._stamp = Stamp(self.paths)

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns in batches of about ``rows`` rows, cut where row groups end."""
        import pyarrow as pa

        self._stamp.check()
        threads = not reads_alone()
        for path, keys in zip(self.paths, self.keys, strict=True):
            own = [name for name in columns if name not in keys]
            done = 0
            try:
                with _open(path, len(own)) as file:
                    size = _even(rows, file.metadata)
                    for batch in file.iter_batches(size, row_groups=self.row_groups, columns=own, use_threads=threads):
                        done += batch.num_rows
                        for key in keys:
                            if key in columns:
                                batch = batch.append_column(key, pa.array([keys[key]] * batch.num_rows, pa.string()))
                        yield fit_to(batch, self.fields, columns)
            except (pa.ArrowInvalid, OSError) as fault:
                raise BadFile(
                    f"{name_of(path)} is damaged after row {done}: {_first_line(fault)} Fetch or write the file again."
                ) from fault

    def parts(self, wanted: int, columns: Sequence[str], numbered: bool) -> Iterator[Part]:
        """Cut large files at their row groups, and put small ones together."""
        import pyarrow.parquet as pq

        like = copy(self)
        like.paths, like.keys, like._file_rows = [], [], []
        goal, start = -(-max(self.n_rows or 1, 1) // max(wanted, 1)), 0
        self._stamp.check()

        def part(paths: list[str], keys: list[Any], sizes: list[int], groups: list[int] | None) -> Part:
            nonlocal start
            first, rows = start, sum(sizes)
            start += rows
            label = f"rows {first} to {start - 1}"
            return Part((paths, keys, sizes, groups), partial(_narrowed, like=like), label, first, rows)

        held: tuple[list[str], list[Any], list[int]] = ([], [], [])
        for path, keys, rows in zip(self.paths, self.keys, self._file_rows, strict=True):
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

    def where(self, row: int) -> str:
        """Return the number of the row, and its file when there are several."""
        if len(self.paths) == 1:
            return f"row {row}"
        for path, n in zip(self.paths, self._file_rows, strict=True):
            if row < n:
                return f"row {row} of {name_of(path)}"
            row -= n
        return f"row {row}"

    def fingerprint(self) -> str:
        """Return a hash of the ends of the files."""
        return self._stamp.digest()


def _narrowed(payload: Any, like: ParquetBatches) -> ParquetBatches:
    """Return some files, or some row groups of one, where they arrive."""
    narrow = copy(like)
    narrow.paths, narrow.keys, narrow._file_rows, narrow.row_groups = payload
    narrow.n_rows, narrow._stamp = sum(narrow._file_rows), Stamp(narrow.paths)
    return narrow


def _evenly(sizes: list[int], wanted: int) -> Iterator[list[int]]:
    """Yield the row groups of a file in about so many runs of about as many rows.

    >>> list(_evenly([10] * 8, 3))
    [[0, 1], [2, 3, 4], [5, 6, 7]]
    """
    ends = np.cumsum(sizes)
    run_of = np.minimum((ends - 1) * wanted // max(int(ends[-1]), 1), wanted - 1)
    for k in np.unique(run_of):
        yield np.flatnonzero(run_of == k).tolist()


def _open(path: str, n_columns: int) -> Any:
    import pyarrow.parquet as pq

    size = max(1 << 14, min(1 << 16, BUFFER_BYTES // max(1, n_columns)))
    return pq.ParquetFile(path, buffer_size=size, pre_buffer=False)


def _even(rows: int, footer: Any) -> int:
    """Return about ``rows``, such that small row groups are cut evenly: a batch across two of them is copied once more.

    Of a large group each batch but the last has ``rows``, a multiple of those of a block: no block is joined from two batches.

    >>> from types import SimpleNamespace
    >>> groups = SimpleNamespace(num_row_groups=8, row_group=lambda g: SimpleNamespace(num_rows=125_000))
    >>> _even(65_536, groups), _even(300_000, groups), _even(40_000, groups), _even(256, groups)
    (125000, 250000, 31250, 256)
    """
    group = footer.row_group(0).num_rows if footer.num_row_groups else 0
    if not group or group > LARGE * rows:
        return rows
    if group <= rows:
        return group * (rows // group)
    return group if group <= 2 * rows else -(-group // -(-group // rows))


def _look(path: str) -> tuple[pa.Schema, int]:
    """Return the schema and the number of rows that the footer of a file states."""
    import pyarrow as pa

    name = name_of(path)
    with open(path, "rb") as f:
        head = f.read(4)
        f.seek(0, os.SEEK_END)
        size = f.tell()
        f.seek(max(0, size - 4))
        tail = f.read(4)
    if size == 0:
        raise EmptyTable(f"{name} is empty (0 bytes).")
    if head != b"PAR1":
        raise BadFile(f"{name} is not a Parquet file: it begins with {head!r}, not with b'PAR1'.")
    if tail != b"PAR1":
        raise BadFile(f"{name} is a truncated Parquet file: its last bytes are missing. Fetch or write the file again.")
    try:
        with _open(path, 1) as file:
            return file.schema_arrow.remove_metadata(), file.metadata.num_rows
    except (pa.ArrowInvalid, OSError) as fault:
        raise BadFile(
            f"{name} is a damaged Parquet file: {_first_line(fault)} Fetch or write the file again."
        ) from fault


def _first_line(fault: BaseException) -> str:
    line = str(fault).strip().splitlines()[0] if str(fault).strip() else type(fault).__name__
    return line.rstrip(".") + "."
