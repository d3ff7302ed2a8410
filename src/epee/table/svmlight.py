"""The format of svmlight and libsvm, streamed: ``target index:value index:value ... # remark``.

A first reading counts rows and columns. The columns are ``target``, ``query`` where the rows have a ``qid``, and one ``x<index>`` for each
index from the smallest of 0 and 1 that occurs to the largest; what is not written is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from epee.errors import BadFile, DataError
from epee.table.filebatches import FileBatches

if TYPE_CHECKING:
    import pyarrow as pa

MOST_COLUMNS = 20_000  # a table is dense here
LINE = re.compile(rb"^[-+0-9.eE]+(?:\s+qid:\d+)?(?:\s+\d+:[-+0-9.eEinfa]+)*\s*(?:#.*)?$")


class SvmlightFile(FileBatches):
    """One file of sparse rows."""

    what = "svmlight file"

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with open(self.path, "rb") as file:
            for k, line in enumerate(file, 1):
                line = line.partition(b"#")[0].strip()
                if line:
                    yield k, line

    def _look(self) -> None:
        import pyarrow as pa

        first, last, rows, query = 1, 0, 0, False
        for k, line in self._lines():
            if LINE.match(line) is None:
                raise BadFile(
                    f"{self.label}, line {k}: {line[:60].decode('latin-1')!r} is not 'target index:value ...'."
                )
            words = line.split()[1:]
            query = query or bool(words and words[0].startswith(b"qid:"))
            places = [int(word.partition(b":")[0]) for word in words if not word.startswith(b"qid:")]
            if places:
                first, last = min(first, min(places)), max(last, max(places))
            rows += 1
        if last - first + 1 > MOST_COLUMNS:
            raise DataError(
                f"{self.label} has columns up to {last:,}, too many for a dense table: read it with scikit-learn's "
                "load_svmlight_file and give the sparse matrix."
            )
        self._first, self._query = first, query
        names = ["target", *(["query"] if query else []), *(f"x{j}" for j in range(first, last + 1))]
        self.fields = pa.schema([(name, pa.int64() if name == "query" else pa.float64()) for name in names])
        self.n_rows = rows

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        lines, shift = self._lines(), 1 + self._query - self._first
        while some := list(islice(lines, rows)):
            cells = np.zeros((len(self.fields), len(some)))  # each column together
            for i, (_, line) in enumerate(some):
                target, *words = line.split()
                cells[0, i] = float(target)
                for word in words:
                    place, _, value = word.partition(b":")
                    cells[1 if place == b"qid" else int(place) + shift, i] = float(value)
            arrays = [cells[self.fields.names.index(name)] for name in columns]
            yield pa.RecordBatch.from_arrays(
                [pa.array(a).cast(self.fields.field(n).type) for a, n in zip(arrays, columns, strict=True)],
                names=list(columns),
            )
