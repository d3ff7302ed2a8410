"""Standard input and other pipes can be read once; a source is read again and again. So a pipe is first copied to a file."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from epee.errors import DataError, EmptyTable

if TYPE_CHECKING:
    import pyarrow as pa

_unfinished: set[str] = set()  # temporary files of this process, to be removed however it ends


@contextlib.contextmanager
def unfinished(path: str) -> Iterator[None]:
    """Know a file as temporary while the block lasts; what remains of it afterwards is removed."""
    _unfinished.add(path)
    try:
        yield
    finally:
        _unlink(path)


def remove_unfinished() -> None:
    """Remove the temporary files of this process, which is about to end in the middle of its work."""
    for path in list(_unfinished):
        _unlink(path)


class Spool:
    """A temporary file that disappears with the object."""

    def __init__(self, suffix: str = "") -> None:
        handle, self.path = tempfile.mkstemp(prefix="epee-", suffix=suffix)
        os.close(handle)
        _unfinished.add(self.path)
        self.remove = weakref.finalize(self, _unlink, self.path)

    def fill(self, stream: BinaryIO, label: str) -> Spool:
        """Copy a stream into the file."""
        try:
            with open(self.path, "wb") as out:
                while chunk := stream.read(1 << 20):
                    out.write(chunk)
                size = out.tell()
        except OSError as fault:
            self.remove()
            raise no_room(fault, label) from fault
        if size == 0:
            self.remove()
            raise EmptyTable(f"{label} is empty (0 bytes).")
        return self

    def write(self, fields: pa.Schema, batches: Iterable[pa.RecordBatch], label: str) -> Spool:
        """Keep batches of Arrow in the file, as Parquet."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetWriter(self.path, fields, compression="lz4") as writer:
                for batch in batches:
                    writer.write_batch(batch)
        except pa.ArrowNotImplementedError as fault:
            raise DataError(
                f"{label} has a column that is neither number, text, boolean nor date ({fault}); cast it or leave it out."
            ) from fault
        except OSError as fault:
            raise no_room(fault, label) from fault
        return self


def no_room(fault: OSError, label: str) -> OSError:
    """Return the sentence about a temporary folder that is full, or the fault itself."""
    if fault.errno != errno.ENOSPC:
        return fault
    folder = tempfile.gettempdir()
    return OSError(
        errno.ENOSPC,
        f"no room in {folder} to keep {label} while it is read; free some, or set TMPDIR to another folder",
    )


def _unlink(path: str) -> None:
    _unfinished.discard(path)
    with contextlib.suppress(OSError):
        os.unlink(path)
