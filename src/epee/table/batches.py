"""Batches: the one shape that every table takes before it becomes blocks, a re-readable stream of Arrow record batches."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from epee.errors import BadFile, DataError
from epee.table.raw import kind_of_type, refuse_type

if TYPE_CHECKING:
    import pyarrow as pa

    from epee.table.parts import Part

BATCH_BYTES = 16 << 20  # of float64 in one batch: large enough to hide the cost of a call, small beside the memory


def name_of(path: str) -> str:
    r"""Return the name of a file as it can be shown: no folder, no control characters, no undecodable bytes.

    >>> name_of("data/a\x1b[31m.csv")
    'a?[31m.csv'
    """
    return "".join(c if c.isprintable() else "?" for c in os.path.basename(path) or path)


class Batches(Protocol):
    """A table that can be read again, always in the same order.

    ``label`` names it in sentences; ``fields`` holds names and Arrow types; ``n_rows`` is None while nobody has counted;
    ``notes`` are the sentences to say aloud; ``kinds`` holds what is already known of the kinds of text columns.
    """

    label: str
    fields: pa.Schema
    n_rows: int | None
    notes: list[str]
    kinds: Mapping[str, str]

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns, about ``rows`` rows at a time."""

    def where(self, row: int) -> str:
        """Return how to find a row again: its line in the file, or its number."""

    def fingerprint(self) -> str:
        """Return a short text that changes when the table does."""


@runtime_checkable
class Divided(Protocol):
    """A table of which other processes can read parts by themselves."""

    def parts(self, wanted: int, columns: Sequence[str], numbered: bool) -> Iterator[Part]:
        """Yield about ``wanted`` parts of these columns in order; each builds batches, or None where it has no rows."""


@runtime_checkable
class Away(Protocol):
    """A table whose rows lie on a cluster: what a pass finds is found there.

    ``home`` names the engine that adds them; ``head`` holds the first rows of the first partition that has any.
    """

    home: str
    head: pa.Table

    def each(self, function: Callable[[pa.Table], Any], columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield a function of each partition, or of stretches of it, in order; only its results come here."""

    def lengths(self) -> list[int]:
        """Return how many rows each partition has; takes a pass when nobody has counted."""


@runtime_checkable
class Kept(Protocol):
    """A table that can be kept where it lies in a form that is read faster."""

    def kept(self, columns: Sequence[str]) -> AbstractContextManager[Batches]:
        """Keep these columns for the length of a ``with`` block."""


class Stamp:
    """The size and time of files, to notice that one was rewritten between two passes."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = list(paths)
        self._seen = [self._look(path) for path in self.paths]

    @staticmethod
    def _look(path: str) -> tuple[int, int]:
        status = os.stat(path)
        return status.st_size, status.st_mtime_ns

    def check(self) -> None:
        """Refuse a file that is no longer the one that was opened."""
        for path, seen in zip(self.paths, self._seen, strict=True):
            try:
                now = self._look(path)
            except OSError:
                now = None
            if now != seen:
                raise BadFile(f"{name_of(path)}: the file was changed or removed while it was being read; start again.")

    def digest(self) -> str:
        """Return a hash of the sizes and of the first and last bytes of the files."""
        h = hashlib.blake2b(digest_size=16)
        for path, (size, _) in zip(self.paths, self._seen, strict=True):
            h.update(size.to_bytes(8, "little"))
            with open(path, "rb") as f:
                h.update(f.read(1 << 20))
                f.seek(max(0, size - (1 << 20)))
                h.update(f.read(1 << 20))
        return h.hexdigest()


def agree(parts: Sequence[tuple[str, pa.Schema]], what: str = "files of a folder") -> pa.Schema:
    """Return the one schema of several files (or partitions), or name the file, the column and the types that differ."""
    import pyarrow as pa

    first_label, first = parts[0]
    for label, fields in parts[1:]:
        ours, theirs = set(first.names), set(fields.names)
        for name in first.names:
            if name not in theirs:
                raise DataError(f"{label} has no column {name!r}, which {first_label} has; all {what} need the same.")
        for name in fields.names:
            if name not in ours:
                raise DataError(
                    f"{label} has a column {name!r}, which {first_label} has not; all {what} need the same."
                )
    common = {"number": pa.float64(), "text": pa.string(), "date": pa.timestamp("us"), "boolean": pa.bool_()}
    out = []
    for name in first.names:
        types = [fields.field(name).type for _, fields in parts]
        if all(t == types[0] for t in types):
            out.append(pa.field(name, types[0]))
            continue
        known = [
            (label, kind_of_type(t), t) for (label, _), t in zip(parts, types, strict=True) if not pa.types.is_null(t)
        ]
        for label, kind, t in known:
            if kind is None:
                raise refuse_type(name, t)
            if kind != known[0][1]:
                raise DataError(
                    f"column {name!r} holds {known[0][2]} in {known[0][0]} but {t} in {label}; all {what} need the same."
                )
        out.append(pa.field(name, common[str(known[0][1])]))
    return pa.schema(out)


def fit_to(batch: pa.RecordBatch, fields: pa.Schema, columns: Sequence[str]) -> pa.RecordBatch:
    """Return a batch with these columns in this order and of these types."""
    import pyarrow as pa

    arrays = []
    for name in columns:
        array, t = batch.column(name), fields.field(name).type
        arrays.append(array if array.type == t else array.cast(t))
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))
