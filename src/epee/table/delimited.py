"""CSV as it comes in life: commas, semicolons or tabs, any sane encoding, French numbers, compressed or not.

Every cell is first read as text and then as what its column holds (:mod:`epee.table.cells`): Arrow's parser cuts the lines, and a
line with a cell too many or too few is a fault with its number, never a shifted column. Kinds come from the whole file when it is
small, which then stays in memory, or from its beginning; a later cell that does not fit is a fault with its line.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from epee.errors import BadFile, DataError, EmptyTable, TableWarning, WrongUse
from epee.settings import options
from epee.table.batches import Stamp, name_of
from epee.table.bytestream import Undecodable
from epee.table.cells import BadCell, Writing, convert, decimal_commas, infer
from epee.table.dates import order_of
from epee.table.prefetch import ahead
from epee.table.schema import KINDS, Kind, refuse_missing
from epee.table.textfile import Reading, TextFile
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa

KEEP_BYTES = 32 << 20  # a smaller file is read whole, and kept
SAMPLE_BYTES = 8 << 20  # of a larger one, read to find the kinds
KEEP_ROWS = 1 << 16  # made values at a time
MANY_LOOKS = 2_000  # chunks of columns of a sample, from which on joining them is the shorter way


class TextBatches:
    """One or several CSV files with the same columns, in the order of ``paths``."""

    def __init__(
        self,
        paths: Sequence[str],
        label: str,
        reading: Reading | None = None,
        types: Mapping[str, str] | None = None,
        sample_bytes: int | None = None,
    ) -> None:
        reading = reading or Reading()
        self.label = label
        self._many = len(paths) > 1
        self._stamp = Stamp(paths)
        self.files = [TextFile(path, name_of(path) if self._many else label, reading) for path in paths]
        self._check_names()
        names = self.files[0].dialect.names
        asked = {name: Kind.of(kind) for name, kind in (types or {}).items()}
        refuse_missing(list(asked), names)
        for name, kind in asked.items():
            if kind not in KINDS:
                raise WrongUse(f"column {name!r}: there is no kind {kind!r}; the kinds are {', '.join(KINDS)}.")
        self.n_rows: int | None = None
        self._rows_of_file: list[int] = []
        self._table: pa.Table | None = None
        if sample_bytes is None:
            sample_bytes = KEEP_BYTES if sum(os.path.getsize(path) for path in paths) <= KEEP_BYTES else SAMPLE_BYTES
        samples = [self._sample(file, max(1 << 20, sample_bytes // len(paths))) for file in self.files]
        self._infer(samples, reading, asked)
        self.notes = [note for file in self.files for note in file.notes]
        self.notes += self._column_notes()
        for name, w in self.writings.items():
            if w.doubt:
                said = say("column", names=repr(name), note=w.note)
                warnings.warn(f"{label}: {said}.", TableWarning, stacklevel=2)
        if not any(table.num_rows for table in samples):
            raise EmptyTable(
                f"{label} has names but no rows: Found array with 0 sample(s), and a minimum of 1 is required."
            )
        if all(file.whole for file in self.files):
            self._keep(samples)

    def _column_notes(self, most: int = 6) -> list[str]:
        """Return what is to be said of columns, once for all those it is true of."""
        by_note: dict[str, list[str]] = {}
        for name, w in self.writings.items():
            if w.note:
                by_note.setdefault(w.note, []).append(repr(name))
        return [
            say(
                "column" if len(names) == 1 else "columns",
                names=", ".join(names[:most]) + (f", … +{len(names) - most}" if len(names) > most else ""),
                note=note,
            )
            for note, names in by_note.items()
        ]

    def _check_names(self) -> None:
        first = self.files[0]
        for file in self.files[1:]:
            ours, theirs = set(first.dialect.names), set(file.dialect.names)
            for name in sorted(ours ^ theirs):
                a, b = (file, first) if name in ours else (first, file)
                raise DataError(
                    f"{a.label} has no column {name!r}, which {b.label} has; all files of a folder need the same."
                )

    @staticmethod
    def _sample(file: TextFile, limit: int) -> pa.Table:
        import pyarrow as pa

        names = file.dialect.names
        fields = pa.schema([(name, pa.string()) for name in names])
        try:
            found = list(file.batches(names, limit))
        except Undecodable:
            if file.guess or not file.guess_again():
                raise
            found = list(file.batches(names, limit))
        table = pa.Table.from_batches(found, fields)
        return table.combine_chunks() if len(found) * len(names) > MANY_LOOKS else table

    def _infer(self, samples: Sequence[pa.Table], reading: Reading, types: Mapping[str, Kind]) -> None:
        import pyarrow as pa

        names = self.files[0].dialect.names
        columns = {name: pa.chunked_array([c for t in samples for c in t[name].chunks], pa.string()) for name in names}
        french = reading.decimal == "," or self.files[0].dialect.delimiter == ";"

        def look(name: str, order: str = "") -> Writing:
            kind = types.get(name)
            return infer(columns[name], reading.decimal, kind, french, kind.order if kind and kind.order else order)

        self.writings = {name: look(name) for name in names}
        if not french and decimal_commas(list(self.writings.values())):
            french = True
            self.writings = {name: look(name) for name in names}
        told = {order_of(w) for w in self.writings.values() if not w.doubt} - {""}
        if len(told) == 1:  # one column of dates tells for the others
            order = told.pop()
            self.writings |= {n: look(n, order) for n, w in self.writings.items() if w.kind == "date" and w.doubt}
        arrow = {"number": pa.float64(), "boolean": pa.bool_(), "date": pa.timestamp("us")}
        self.fields = pa.schema([(name, arrow.get(w.kind, pa.string())) for name, w in self.writings.items()])
        self.kinds: Mapping[str, str] = {name: Kind(w.kind, order_of(w)) for name, w in self.writings.items()}

    def _keep(self, samples: Sequence[pa.Table]) -> None:
        """Keep small files in memory, as values."""
        import pyarrow as pa

        names, parts = self.fields.names, []
        for file, table in zip(self.files, samples, strict=True):
            start = 0
            for batch in table.to_batches(KEEP_ROWS):
                parts.append(self._values(file, batch.select(names), start))
                start += batch.num_rows
            self._rows_of_file.append(start)
        self._table = pa.Table.from_batches(parts, self.fields)
        self.n_rows = self._table.num_rows

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns as values."""
        if self._table is not None:
            yield from self._table.select(list(columns)).to_batches(rows)
            return
        self._stamp.check()
        counted = []
        for file in self.files:
            start = 0
            for batch in ahead(partial(file.batches, columns), depth=1):  # lines are cut while cells become values
                yield self._values(file, batch, start)
                start += batch.num_rows
            counted.append(start)
            self._rows_of_file = counted
        self.n_rows = sum(counted)

    def _values(self, file: TextFile, batch: pa.RecordBatch, start: int) -> pa.RecordBatch:
        import pyarrow as pa

        names = batch.schema.names

        def value(name: str) -> pa.Array:
            try:
                return convert(batch.column(name), self.writings[name])
            except BadCell as bad:
                self._bad_cell(file, name, start, bad)

        if len(names) == 1 or batch.num_rows < 1000 or options.thread_count() == 1:
            arrays = [value(name) for name in names]
        else:
            with ThreadPoolExecutor(options.thread_count()) as pool:
                arrays = list(pool.map(value, names))
        return pa.RecordBatch.from_arrays(arrays, names=names)

    @staticmethod
    def _bad_cell(file: TextFile, name: str, start: int, bad: BadCell) -> NoReturn:
        file.check_lines()
        line = file.line_of(start + bad.row)
        value = bad.value if len(bad.value) <= 40 else bad.value[:37] + "..."
        raise BadFile(
            f"{file.label}, line {line}: column {name!r}: {value!r} {bad.why}. "
            f"Correct the cell, or take the column as text with types={{{name!r}: 'category'}}."
        ) from None

    def where(self, row: int) -> str:
        """Return the line of a row, and its file when there are several."""
        for file, n in zip(self.files, self._rows_of_file, strict=False):
            if row < n:
                return f"line {file.line_of(row)}" + (f" of {file.label}" if self._many else "")
            row -= n
        return f"row {row}"

    def fingerprint(self) -> str:
        """Return a hash of the ends of the files."""
        return self._stamp.digest()


__all__ = ["Reading", "TextBatches"]
