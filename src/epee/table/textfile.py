"""One file of lines, cut into cells: every cell a text, every row as wide as the names.

Arrow's parser cuts whole lines at a time; a line with a cell too many or too few is a fault with its number, never a shifted column.
Where quotes stand in odd places Python's own parser cuts them one by one, and a row that can be read in two ways is refused.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from epee.errors import BadFile, EmptyTable, TableWarning, WrongUse
from epee.table.bytestream import Utf8Stream, open_bytes, read_some
from epee.table.prefetch import reads_alone
from epee.table.schema import refuse_duplicates
from epee.table.sniff import Dialect, find_dialect, find_encoding
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa

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

        there = {name: j for j, name in enumerate(self.dialect.names)}
        places = [there[name] for name in columns]
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
