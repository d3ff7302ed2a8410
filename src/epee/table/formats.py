r"""Formats of files: first bytes -> reader, one line a format. A name only says what the bytes say too.

To add one, write its reader (a :class:`~epee.table.filebatches.FileBatches`: how to find the columns, how to read some) and a line here.
What surrounds a table is taken off first: gzip, bzip2, xz and zstandard around a text are read as a stream by the reader of texts; around
anything else, and in a zip archive, the table is unpacked once into a temporary file.

========================  ============================================================================
in a few megabytes        CSV, Parquet, Arrow, JSON, SQLite, DuckDB, ARFF, svmlight
in memory                 Excel (a sheet has at most a million rows), Feather 1 (mapped)
========================  ============================================================================
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from epee.errors import BadFile, EmptyTable
from epee.table.batches import Batches, name_of
from epee.table.bytestream import open_bytes, read_some
from epee.table.databases import DuckTable, JsonFile, SqliteTable, choose
from epee.table.delimited import Reading, TextBatches
from epee.table.filebatches import Chained, FileBatches
from epee.table.parquet import ParquetBatches
from epee.table.spool import Spool
from epee.words.table_words import say

HEAD = 1 << 13


@dataclass(frozen=True)
class Format:
    """How to call such a file (key of the words), what its names end with, how its first bytes look, and its reader."""

    key: str
    ends: tuple[str, ...]
    looks: Callable[[bytes], bool]
    reader: Callable[[], type[FileBatches]] | None = None  # None: Parquet and texts, which take several files at once


def begins(*magic: bytes) -> Callable[[bytes], bool]:
    """Return what tells a file by its first bytes."""
    return lambda head: head.startswith(magic)


def _workbook(head: bytes) -> bool:
    return head.startswith(b"PK\x03\x04") and (b"[Content_Types].xml" in head or b"xl/" in head)


def _json(head: bytes) -> bool:
    return re.match(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{\]])", head.removeprefix(b"\xef\xbb\xbf")) is not None


def _arff(head: bytes) -> bool:
    return re.match(rb"(?:\s*%[^\n]*\n|\s+)*@relation\b", head.removeprefix(b"\xef\xbb\xbf"), re.IGNORECASE) is not None


def _svmlight(head: bytes) -> bool:
    from epee.table.svmlight import LINE

    lines = [line.strip() for line in head.split(b"\n")[: -1 if len(head) >= HEAD else None]]
    lines = [line for line in lines if line and not line.startswith(b"#")]
    return bool(lines) and b":" in lines[0] and all(LINE.match(line) for line in lines)


def _arrow(name: str) -> Callable[[], type[FileBatches]]:
    def load() -> type[FileBatches]:
        from epee.table import arrow_files

        found: type[FileBatches] = getattr(arrow_files, name)
        return found

    return load


def _sheet() -> type[FileBatches]:
    from epee.table.workbooks import Sheet

    return Sheet


def _arff_file() -> type[FileBatches]:
    from epee.table.arff import ArffFile

    return ArffFile


def _svmlight_file() -> type[FileBatches]:
    from epee.table.svmlight import SvmlightFile

    return SvmlightFile


FORMATS = (
    Format("parquet", (".parquet", ".pq", ".parq"), begins(b"PAR1")),
    Format("arrow", (".arrow", ".feather", ".ipc"), begins(b"ARROW1"), _arrow("IpcFile")),
    Format("arrow", (".arrows",), begins(b"\xff\xff\xff\xff"), _arrow("IpcStream")),
    Format("feather", (".feather",), begins(b"FEA1"), _arrow("FeatherOne")),
    Format("sqlite", (".sqlite", ".sqlite3", ".db"), begins(b"SQLite format"), lambda: SqliteTable),
    Format("duckdb", (".duckdb", ".db"), lambda head: head[8:12] == b"DUCK", lambda: DuckTable),
    Format("excel", (".xlsx", ".xlsm"), _workbook, _sheet),
    Format("json", (".json", ".jsonl", ".ndjson"), _json, lambda: JsonFile),
    Format("arff", (".arff",), _arff, _arff_file),
    Format("svmlight", (".svm", ".svmlight", ".libsvm"), _svmlight, _svmlight_file),
    Format("text", (".csv", ".tsv", ".txt", ".tab", ".dat"), lambda head: not _binary(head)),
)
PARQUET, TEXT = FORMATS[0], FORMATS[-1]
PACKING = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")  # what open_bytes unpacks
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
STRANGE = (
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"), (b"PK\x03\x04", "a zip archive"), (b"%PDF", "a PDF document"),
    (b"\x89HDF", "an HDF5 file"), (b"\x93NUMPY", "a NumPy array"), (b"\x89PNG", "a picture"), (b"\xff\xd8\xff", "a picture"),
    (b"ORC", "an ORC file"), (b"Obj\x01", "an Avro file"), (b"Rar!", "a RAR archive"), (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
)  # fmt: skip


def _binary(head: bytes) -> bool:
    """Tell what is no text in any encoding that is read."""
    return b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")) and not _wide(head)


def _wide(head: bytes) -> bool:
    """Tell UTF-16 without a mark: every other byte of European text is 0."""
    return len(head) > 3 and (head[0:40:2].count(0) > 9 or head[1:40:2].count(0) > 9 or head[:4].count(0) == 2)


def look(path: str, label: str) -> tuple[bytes, bytes]:
    """Return the first bytes of a file, and those of what is packed in it."""
    with open(path, "rb") as f:
        outer = f.read(HEAD)
    if not outer:
        raise EmptyTable(f"{label} is empty (0 bytes).")
    if not outer.startswith(PACKING):
        return outer, outer
    with open_bytes(path) as f:
        return outer, read_some(f, HEAD, label)


def format_of(path: str, label: str) -> Format | None:
    """Return the format of a file by its first bytes, of what is packed in it too; None for a zip archive."""
    outer, head = look(path, label)
    for each in FORMATS:
        if each is not TEXT and each.looks(head):
            return each
    if path.lower().endswith(PARQUET.ends):
        return PARQUET  # whose reader says what is wrong
    if outer.startswith(b"PK\x03\x04"):
        return None
    for magic, what in STRANGE:
        if head.startswith(magic):
            raise BadFile(f"{label} is {what}, not a table that can be read: save it as CSV or Parquet.")
    if not TEXT.looks(head):
        raise BadFile(
            f"{label} is no table that is known here: it begins with {head[:8]!r}. Give CSV, Parquet, Arrow, Feather, JSON, Excel, "
            "SQLite, DuckDB, ARFF or svmlight."
        )
    return TEXT


def open_files(
    paths: list[str], label: str, inner: str | None, reading: Reading | None, types: Mapping[str, str] | None,
    keys: Callable[[list[str]], list[dict[str, str]]],
) -> Batches:  # fmt: skip
    """Return the batches of files of one format, found by their first bytes; ``keys`` are columns that folders stand for."""
    each = [format_of(path, label if len(paths) == 1 else name_of(path)) for path in paths]
    if any(other is not each[0] for other in each):
        first = PARQUET if PARQUET in each else each[0]
        a, b = (
            paths[each.index(first)],
            next(path for path, other in zip(paths, each, strict=True) if other is not first),
        )
        what = say(f"format_{first.key if first else 'zip'}")
        raise BadFile(f"{label} mixes formats: {name_of(a)} is {what} and {name_of(b)} is not; give one of them.")
    kind = each[0]
    batches: Batches
    if kind is None or (kind is not TEXT and _packed(paths[0])):
        return _chained(
            [_unpacked(path, _label(path, paths, label), inner, reading, types, keys) for path in paths], label
        )
    if kind is PARQUET:
        batches = ParquetBatches(paths, label, keys(paths))
    elif kind.reader is None:
        return TextBatches(paths, label, reading, types)
    else:
        reader = kind.reader()
        files = [reader(path, _label(path, paths, label), inner) for path in paths]
        for file in files:
            file.asked(types or {})
        batches = _chained(files, label)
    other_name = next((f for f in FORMATS if label.lower().endswith(f.ends)), kind)
    if other_name is not kind and not label.lower().endswith(kind.ends):
        batches.notes.append(say("is_format", label=label, what=say(f"format_{kind.key}")))
    return batches


def _label(path: str, paths: list[str], label: str) -> str:
    return label if len(paths) == 1 else name_of(path)


def _chained(files: Sequence[Batches], label: str) -> Batches:
    return files[0] if len(files) == 1 else Chained(files, label)


def _packed(path: str) -> bool:
    with open(path, "rb") as f:
        return f.read(6).startswith(PACKING)


def _unpacked(
    path: str, label: str, inner: str | None, reading: Reading | None, types: Mapping[str, str] | None,
    keys: Callable[[list[str]], list[dict[str, str]]],
) -> Batches:  # fmt: skip
    """Return the table that is packed in a file, from a temporary copy."""
    if _packed(path):
        with open_bytes(path) as stream:
            spool = Spool().fill(cast(BinaryIO, _Checked(stream, label)), label)
    else:
        try:
            with zipfile.ZipFile(path) as archive:
                members = [name for name in archive.namelist() if not name.endswith("/") and "__MACOSX" not in name]
                own, _, rest = (inner or "").partition("::")
                member = choose(label, own or None, members, "file")
                inner = rest or None
                with archive.open(member) as stream:
                    spool = Spool().fill(cast(BinaryIO, stream), label)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as fault:
            raise BadFile(f"{label} is a damaged zip archive: {fault}. Fetch or write the file again.") from fault
    batches = open_files([spool.path], label, inner, reading, types, lambda paths: [{} for _ in paths])
    batches.spool = spool  # type: ignore[attr-defined]  # keeps the file as long as the batches
    return batches


class _Checked:
    """A stream whose damage is a sentence."""

    def __init__(self, stream: Any, label: str) -> None:
        self._stream, self._label = stream, label

    def read(self, n: int) -> bytes:
        """Read bytes."""
        return read_some(self._stream, n, self._label)
