"""CSV as it comes in life: commas, semicolons or tabs, any sane encoding, French numbers, compressed or not.

Every cell is first read as text and then as what its column holds (:mod:`epee.table.cells`): Arrow's parser cuts the lines, and a
line with a cell too many or too few is a fault with its number, never a shifted column. Kinds come from the whole file when it is
small, which then stays in memory, or from its beginning; a later cell that does not fit is a fault with its line.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from epee.errors import BadFile, DataError, EmptyTable, TableWarning, WrongUse
from epee.settings import options
from epee.table.batches import Stamp, name_of
from epee.table.bytestream import Undecodable, Utf8Stream, open_bytes, read_some
from epee.table.cells import BadCell, Writing, convert, decimal_commas, infer
from epee.table.dates import order_of
from epee.table.prefetch import reads_alone
from epee.table.schema import KINDS, Kind, refuse_duplicates, refuse_missing
from epee.table.sniff import Dialect, find_dialect, find_encoding
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa

KEEP_BYTES = 32 << 20  # a smaller file is read whole, and kept
SAMPLE_BYTES = 8 << 20  # of a larger one, read to find the kinds
KEEP_ROWS = 1 << 16  # made values at a time
HEAD_BYTES = 1 << 18  # read to find the dialect
PARSE_BYTES = 2 << 20  # cut at a time. 4 MB is no faster and takes 100 MB more memory
LINE_BYTES = 64 << 20  # no line is longer
SLOW_ROWS = 10_000  # cut at a time where quotes stand in odd places


@dataclass(frozen=True)
class Reading:
    """What the user says about a text file; None is found out.

    >>> Reading(decimal=",").delimiter is None
    True
    """

    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise WrongUse(f"decimal is {self.decimal!r}; it must be '.' or ','.")
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise WrongUse(f"delimiter is {self.delimiter!r}; it must be one character.")
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                raise WrongUse(f"there is no encoding {self.encoding!r}; try 'utf-8', 'utf-16' or 'cp1252'.") from None


class TextFile:
    """One file of lines: its dialect, and its rows as columns of text."""

    def __init__(self, path: str, label: str, reading: Reading) -> None:
        self.path, self.label = path, label
        self.notes: list[str] = []
        with open_bytes(path) as f:
            head = read_some(f, HEAD_BYTES, label)
            whole = len(head) < HEAD_BYTES
        if not head:
            raise EmptyTable(f"{label} is empty (0 bytes).")
        encoding, self.guess = (reading.encoding, False) if reading.encoding else find_encoding(head, whole)
        if b"\0" in head and "16" not in encoding and "32" not in encoding:
            raise BadFile(f"{label} is not a text file: it holds NUL bytes. Save the table as CSV or Parquet.")
        if encoding.lower().replace("-", "") == "utf8":
            encoding = "utf-8"
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head, final=False)
        except UnicodeDecodeError:
            text = ""
            for _ in self.bytes_of(Dialect(encoding, ",", (), False)):
                pass
        self._surely_utf8 = not text.isascii()
        mark = reading.delimiter
        if mark is None and path.lower().endswith((".tsv", ".tsv.gz")) and "\t" in text:
            mark = "\t"
        self.dialect = find_dialect(text, whole, encoding, label, mark, reading.header)
        if self.guess:
            self.say_encoding()
        refuse_duplicates(self.dialect.names, f"{label}: ")
        if not self.dialect.header:
            self.notes.append(say("no_header", label=label, name=self.dialect.names[0]))

    def say_encoding(self) -> None:
        """Say aloud that the bytes are not UTF-8 and how they are read."""
        sentence = say("not_utf8", label=self.label)
        self.notes.append(sentence)
        warnings.warn(sentence, TableWarning, stacklevel=2)

    def guess_again(self) -> bool:
        """Take cp1252 when UTF-8 failed after the first bytes; returns False when that is no option."""
        if self.dialect.encoding != "utf-8" or self._surely_utf8:
            return False
        self.dialect = replace(self.dialect, encoding="cp1252")
        self.guess = True
        self.say_encoding()
        return True

    def bytes_of(self, dialect: Dialect) -> Iterator[bytes]:
        """Yield the file in UTF-8, checked."""
        stream = Utf8Stream(self.path, self.label, dialect.encoding, dialect.delimiter)
        with stream:
            while chunk := stream.read(1 << 20):
                yield chunk

    def batches(self, columns: Sequence[str], limit: int | None = None) -> Iterator[pa.RecordBatch]:
        """Yield these columns as texts; ``limit`` stops after about so many bytes (``self.whole`` tells if that was all).

        Arrow is handed whole lines, so that no thread of its own ever waits for ours. Where quotes stand in odd places the
        lines are cut one by one, slowly.
        """
        import pyarrow as pa
        import pyarrow.csv as pc

        stream = Utf8Stream(self.path, self.label, self.dialect.encoding, self.dialect.delimiter, limit)
        self.whole = False
        done = 0
        with stream:
            for number, part in enumerate(stream.whole_lines(PARSE_BYTES, LINE_BYTES)):
                if stream.doubtful:
                    yield from self._slowly(columns, done, limit)
                    return
                try:
                    table = pc.read_csv(pa.BufferReader(part), *self._options(columns, len(part), number == 0))
                except pa.ArrowInvalid as fault:
                    if "Empty CSV" in str(fault):
                        continue
                    self.check_lines()
                    first = str(fault).splitlines()[0]
                    raise BadFile(f"{self.label} cannot be read as CSV: {first}") from fault
                done += table.num_rows
                yield from table.to_batches()
            self.whole = stream.whole

    def _options(self, columns: Sequence[str], size: int, first: bool) -> tuple[Any, Any, Any]:
        """Return how Arrow cuts some lines: into texts, none of which is a name."""
        import pyarrow as pa
        import pyarrow.csv as pc

        d = self.dialect
        read = pc.ReadOptions(
            use_threads=not reads_alone(),
            block_size=size + 1,
            column_names=list(d.names),
            skip_rows=d.skip if first else 0,
            skip_rows_after_names=int(d.header and first),
        )
        convert = pc.ConvertOptions(
            column_types={name: pa.string() for name in d.names},
            include_columns=list(columns),
            null_values=[""],
            strings_can_be_null=True,
            check_utf8=False,
        )
        return read, pc.ParseOptions(delimiter=d.delimiter, newlines_in_values=True), convert

    def _slowly(self, columns: Sequence[str], done: int, limit: int | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows after the first ``done``, cut one by one; a line that can be read in two ways is refused."""
        import pyarrow as pa

        places = [self.dialect.names.index(name) for name in columns]
        rows, size = islice(self.rows(), done + int(self.dialect.header), None), 0
        while limit is None or size < limit:
            some = list(islice(rows, SLOW_ROWS))
            if not some:
                self.whole = True
                return
            size += sum(len(cell) + 1 for row in some for cell in row)
            arrays = [pa.array([row[j] or None for row in some], pa.string()) for j in places]
            yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    def check_lines(self) -> None:
        """Go through the lines one by one, slowly, and raise the sentence about the first one that is wrong."""
        for _ in self.rows():
            pass

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of every line, names included, or raise the sentence about the first that is wrong."""
        width = len(self.dialect.names)
        for line, row in self.lines():
            if len(row) != width:
                shown = self.dialect.delimiter.join(row)
                cut = shown if len(shown) <= 60 else shown[:57] + "..."
                few = "too few; is the file truncated?" if len(row) < width else "too many; is a delimiter unquoted?"
                cells = f"{len(row)} cell{'s' if len(row) > 1 else ''}"
                raise BadFile(f"{self.label}, line {line}: {cells} where {width} are expected ({few}): {cut!r}.")
            yield row

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (number of its first line, cells) for every line that is not blank, names included."""
        d = self.dialect
        stream = Utf8Stream(self.path, self.label, d.encoding, d.delimiter)
        text = io.TextIOWrapper(io.BufferedReader(stream, 1 << 20), encoding="utf-8", newline="")
        csv.field_size_limit(max(csv.field_size_limit(), LINE_BYTES))
        with text:
            record: list[str] = []  # the lines of the present row, as they stand
            reader = csv.reader(kept(text, record), delimiter=d.delimiter, strict=True)
            before = 0
            while True:
                try:
                    row = next(reader)
                except StopIteration:
                    return
                except csv.Error as fault:
                    open_ = "unexpected end" in str(fault) or "field larger" in str(fault)
                    what = "a quoted cell never ends" if open_ else "text follows a closing quote"
                    raise BadFile(f"{self.label}, line {before + 1}: {what}; close the quote or double it.") from None
                if stream.doubtful and is_glued("".join(record), d.delimiter):
                    raise BadFile(
                        f"{self.label}, line {before + 1}: a quote opens in the middle of a cell and closes at the end of another; "
                        "is a delimiter missing before it? Add it, or double the quotes within a quoted cell."
                    )
                record.clear()
                if row:
                    yield before + 1, row
                before = reader.line_num

    def line_of(self, row: int) -> int:
        """Return the line in the file of a row (0 is the first after the names)."""
        for k, (line, _) in enumerate(self.lines()):
            if k == row + int(self.dialect.header):
                return line
        return row + 1 + int(self.dialect.header)


def kept(lines: Iterable[str], record: list[str]) -> Iterator[str]:
    """Yield lines, and put down each in ``record``."""
    for line in lines:
        record.append(line)
        yield line


def is_glued(record: str, delimiter: str) -> bool:
    r"""Tell whether a row has a quote that opens within a cell and one that closes at the end of a later one.

    Such a row can be read in two ways: a delimiter may be missing before the quote, and the text in quotes be cut in two.

    >>> is_glued('1,2"b, c",3', ","), is_glued('1,"b ""and"" c",3', ","), is_glued('5" pipe,2', ",")
    (True, False, False)
    """
    if '"' not in record:
        return False
    d = re.escape(delimiter)
    bare = re.sub(rf'(?:^|(?<={d}))"(?:[^"]|"")*"(?={d}|[\r\n]*$)', "", record)
    return re.search(rf'[^{d}"\r\n]"[^{d}"\r\n][^"]*{d}[^"]*"(?:{d}|[\r\n]*$)', bare) is not None


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
            for name in {*first.dialect.names, *file.dialect.names}:
                if name not in file.dialect.names or name not in first.dialect.names:
                    a, b = (file, first) if name in first.dialect.names else (first, file)
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
        return pa.Table.from_batches(found, fields).combine_chunks()  # thousands of columns are worth one look each

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
            for batch in file.batches(columns):
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
