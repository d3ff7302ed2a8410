"""Arrow's own files: IPC files (Feather version 2), IPC streams, and Feather version 1.

An IPC file is mapped into memory and read one record batch at a time, so it passes through a few megabytes however long it
is (a compressed batch is unpacked whole). A Feather file of version 1 has one batch: its columns are mapped, not copied.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from epee.table.filebatches import FileBatches

if TYPE_CHECKING:
    import pyarrow as pa


class IpcFile(FileBatches):
    """An Arrow IPC file, or a Feather file of version 2."""

    what = "Arrow file"
    faults = (OSError, ValueError)  # Arrow's own derive from these

    def _open(self, columns: Sequence[str] | None = None) -> Any:
        import pyarrow as pa

        if columns is None:
            return pa.ipc.open_file(pa.memory_map(self.path))
        options = pa.ipc.IpcReadOptions(included_fields=sorted(self.fields.get_field_index(name) for name in columns))
        return pa.ipc.open_file(pa.memory_map(self.path), options=options)

    def _look(self) -> None:
        with self._open() as reader:
            self.fields = reader.schema.remove_metadata()
            if hasattr(reader, "count_rows"):
                self.n_rows = reader.count_rows()
            else:  # pyarrow before 25
                self.n_rows = sum(reader.get_batch(i).num_rows for i in range(reader.num_record_batches))

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        with self._open(columns) as reader:
            for i in range(reader.num_record_batches):
                yield from _pieces(reader.get_batch(i).select(list(columns)), rows)


class IpcStream(FileBatches):
    """An Arrow IPC stream."""

    what = "stream of Arrow batches"
    faults = (OSError, ValueError)

    def _look(self) -> None:
        import pyarrow as pa

        with pa.ipc.open_stream(pa.memory_map(self.path)) as reader:
            self.fields = reader.schema.remove_metadata()

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with pa.ipc.open_stream(pa.memory_map(self.path)) as reader:
            for batch in reader:
                yield from _pieces(batch.select(list(columns)), rows)


class FeatherOne(FileBatches):
    """A Feather file of version 1."""

    what = "Feather file"
    faults = (OSError, ValueError)

    def _table(self, columns: Sequence[str] | None = None) -> Any:
        from pyarrow import feather

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Arrow says that the format is old
            return feather.read_table(self.path, columns=None if columns is None else list(columns), memory_map=True)

    def _look(self) -> None:
        with open(self.path, "rb") as file:  # Arrow follows what it reads in such a file without looking
            file.seek(-4, os.SEEK_END)
            if file.read() != b"FEA1":
                raise ValueError("its last bytes are missing")
        table = self._table()
        self.fields, self.n_rows = table.schema.remove_metadata(), table.num_rows

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        table = self._table(columns).select(list(columns))
        table.validate(full=True)
        yield from table.to_batches(rows)


def _pieces(batch: pa.RecordBatch, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield a batch in pieces of at most so many rows; offsets and texts are checked, since a spoilt one would be followed."""
    batch.validate(full=True)
    for i in range(0, batch.num_rows, rows):
        yield batch.slice(i, rows)
