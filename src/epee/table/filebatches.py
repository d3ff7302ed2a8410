"""Batches of one file that is read anew on each pass, or of several such files; what a format must write is its reader."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from epee.errors import BadFile, DataError, EmptyTable, WrongUse
from epee.table.batches import Batches, Stamp, agree, fit_to
from epee.table.schema import refuse_duplicates

if TYPE_CHECKING:
    import pyarrow as pa


_IN_USE = ("is locked", "set lock on file", "different configuration")  # SQLite's words, and DuckDB's


class FileBatches:
    """One file, or one table of it.

    A subclass sets ``fields`` (and ``n_rows`` where the file states it), and writes :meth:`_batches`; ``what`` is how to call
    such a file, ``faults`` are the exceptions by which its library says that the file is damaged.
    """

    what = "file"
    faults: tuple[type[Exception], ...] = ()
    fields: pa.Schema

    def __init__(self, path: str, label: str, inner: str | None = None) -> None:
        self.paths, self.label, self.inner = [path], label, inner
        self.path = path
        self.notes: list[str] = []
        self.kinds: Mapping[str, str] = {}
        self.n_rows: int | None = None
        self._stamp = Stamp([path])
        try:
            self._look()
            names = self.fields.names  # which may be no text
        except self.faults as fault:
            raise _sentence(fault, label, self.what) from None
        refuse_duplicates(names, f"{label}: ")
        if self.n_rows == 0:
            raise no_rows(label)

    def _look(self) -> None:
        """Set ``fields``, and ``n_rows`` where the file states it."""
        raise NotImplementedError

    def asked(self, types: Mapping[str, str]) -> None:
        """Take note of the columns that are asked for by name, with their kinds, where a format can give its cells in several ways."""

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns, about ``rows`` rows at a time."""
        raise NotImplementedError

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns; a damaged file is a sentence."""
        self._stamp.check()
        done = 0
        try:
            for batch in self._batches(columns, rows):
                if batch.num_rows:
                    done += batch.num_rows
                    yield fit_to(batch, self.fields, columns)
        except self.faults as fault:
            raise _sentence(fault, self.label, self.what, done) from None
        if not done:
            raise no_rows(self.label)
        self.n_rows = done

    def where(self, row: int) -> str:
        """Return the number of the row."""
        return f"row {row}"

    def fingerprint(self) -> str:
        """Return a hash of the ends of the file, and of the name of the table in it."""
        return hashlib.blake2b(f"{self._stamp.digest()}{self.inner or ''}".encode(), digest_size=16).hexdigest()


def _sentence(fault: Exception, label: str, what: str, after: int = 0) -> Exception:
    """Return the sentence about a file that cannot be read to its end; what is one already, or no fault of the file, stays."""
    if isinstance(fault, DataError | WrongUse | MemoryError):
        return fault
    first = next(iter(str(fault).strip().splitlines()), "") or type(fault).__name__
    if any(words in first.lower() for words in _IN_USE):
        return BadFile(f"{label} is in use by another program: {first.rstrip('.')}. Close it there, or give a copy.")
    place = f" after row {after}" if after else ""
    return BadFile(f"{label} is a damaged {what}{place}: {first.rstrip(' .')}. Fetch or write the file again.")


def no_rows(label: str) -> EmptyTable:
    """Return the sentence about a table without rows."""
    return EmptyTable(f"{label} has no rows: Found array with 0 sample(s), and a minimum of 1 is required.")


class Chained:
    """Several files with the same columns, one after the other."""

    def __init__(self, files: Sequence[Batches], label: str) -> None:
        self.files, self.label = list(files), label
        self.paths = [path for file in files for path in getattr(file, "paths", ())]
        self.notes = [note for file in files for note in file.notes]
        self.fields = agree([(file.label, file.fields) for file in files])
        self.kinds: Mapping[str, str] = {name: kind for file in files for name, kind in file.kinds.items()}
        self.n_rows = self._counted()

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns of each file in turn."""
        for file in self.files:
            for batch in file.read(columns, rows):
                yield fit_to(batch, self.fields, columns)
        self.n_rows = self._counted()

    def _counted(self) -> int | None:
        """Return the rows of all files, None before all were counted."""
        sizes = [file.n_rows for file in self.files]
        return None if None in sizes else sum(n or 0 for n in sizes)

    def where(self, row: int) -> str:
        """Return the row, and its file."""
        for file in self.files:
            if file.n_rows is None or row < file.n_rows:
                return f"{file.where(row)} of {file.label}"
            row -= file.n_rows
        return f"row {row}"

    def fingerprint(self) -> str:
        """Return a hash of all files."""
        text = "".join(file.fingerprint() for file in self.files)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
