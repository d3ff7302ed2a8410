"""The format of svmlight and libsvm, streamed: ``target index:value index:value ... # remark``.

A first reading counts rows and columns. The columns are ``target``, ``query`` where the rows have a ``qid``, and one ``x<index>`` for each
index from the smallest of 0 and 1 that occurs to the largest; what is not written is 0. Where that would be too many cells to lay out, or
where a column ``x`` is asked for by name, there is one column ``x`` instead, with the numbers of a row as they are written: it stays sparse
until a block is encoded (:mod:`epee.table.words`), so there may be any number of places.

An estimator that is given such a file by its name (``.svm``, ``.svmlight``, ``.libsvm``) gets sparse rows, of any number of columns.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import BadFile
from epee.table.block import check_weights
from epee.table.filebatches import FileBatches
from epee.table.sparse import SparseSource
from epee.words.numbers import whole
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa

MOST_COLUMNS = 20_000  # that are looked at one by one, whatever the rows
FEW_COLUMNS, MOST_CELLS = (
    2_000,
    1 << 25,
)  # so many columns always are; more of them up to so many cells, a quarter of a GiB
LISTED = "x"  # the one column of all numbers of a row
NAMES = (".svm", ".svmlight", ".libsvm")
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

        first, last, rows, query, strange = 1, 0, 0, False, 0
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
            if not strange and b"n" in line.lower():  # NaN, infinity
                strange = k
        self._first, self._query = first, query
        width = last - first + 1
        if width > MOST_COLUMNS or (width > FEW_COLUMNS and width * rows > MOST_CELLS):
            if strange:
                raise BadFile(
                    f"{self.label}, line {strange}: a number is missing or infinite, which rows of so many columns cannot hold; drop the "
                    "line."
                )
            self.asked({LISTED: "text"})
            self.notes.append(say("stays_sparse", label=self.label, columns=whole(width), name=LISTED))
        else:
            names = ["target", *(["query"] if query else []), *(f"x{j}" for j in range(first, last + 1))]
            self.fields = pa.schema([(name, pa.int64() if name == "query" else pa.float64()) for name in names])
        self.n_rows = rows

    def asked(self, types: Mapping[str, str]) -> None:
        """Give the numbers of a row in one column of text where that is what is asked for."""
        import pyarrow as pa

        if types.get(LISTED) == "text":
            query = [("query", pa.int64())] if self._query else []
            self.fields = pa.schema([("target", pa.float64()), *query, (LISTED, pa.string())])

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        if LISTED in self.fields.names:
            yield from self._listed(columns, rows)
            return
        lines, shift = self._lines(), 1 + self._query - self._first
        while some := list(islice(lines, rows)):
            cells = np.zeros((len(self.fields), len(some)))  # each column together
            for i, (_, line) in enumerate(some):
                target, *words = line.split()
                cells[0, i] = float(target)
                for word in words:
                    place, _, value = word.partition(b":")
                    cells[1 if place == b"qid" else int(place) + shift, i] = float(value)
            arrays = [cells[self.fields.get_field_index(name)] for name in columns]
            yield pa.RecordBatch.from_arrays(
                [pa.array(a).cast(self.fields.field(n).type) for a, n in zip(arrays, columns, strict=True)],
                names=list(columns),
            )

    def _listed(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield batches with the numbers of each row as they are written."""
        import pyarrow as pa

        lines = self._lines()
        while some := list(islice(lines, rows)):
            parts = [line.decode("ascii").split(maxsplit=1 + self._query) for _, line in some]
            cells: dict[str, list[Any]] = {"target": [float(part[0]) for part in parts]}
            if self._query:
                named = [len(part) > 1 and part[1].startswith("qid:") for part in parts]
                cells["query"] = [int(part[1][4:]) if q else 0 for part, q in zip(parts, named, strict=True)]
                parts = [part if q else [part[0], "", " ".join(part[1:])] for part, q in zip(parts, named, strict=True)]
            cells[LISTED] = [part[1 + self._query] if len(part) > 1 + self._query else "" for part in parts]
            yield pa.RecordBatch.from_arrays(
                [pa.array(cells[name], self.fields.field(name).type) for name in columns], names=list(columns)
            )


def is_svmlight(X: Any) -> bool:
    """Tell whether ``X`` is the path of such a file, by its name and its first line that is no remark.

    >>> is_svmlight("table.csv"), is_svmlight(3)
    (False, False)
    """
    if not isinstance(X, str | os.PathLike) or not os.fspath(X).lower().endswith(NAMES) or not os.path.isfile(X):
        return False
    with open(X, "rb") as file:
        for line in file:
            words = line.partition(b"#")[0].strip()
            if words:
                return LINE.match(words) is not None
    return False


def sparse_rows(path: Any, y: Any = None, sample_weight: Any = None) -> SparseSource:
    """Return the rows of a file as they are written, with its target unless another is given."""
    from sklearn.datasets import load_svmlight_file

    try:
        X, target = load_svmlight_file(os.fspath(path))
    except ValueError as error:
        with open(path, "rb") as file:
            for k, line in enumerate(file, 1):
                words = line.partition(b"#")[0].strip()
                if words and LINE.match(words) is None:
                    raise BadFile(
                        f"{os.path.basename(path)}, line {k}: {words[:60].decode('latin-1')!r} is not 'target index:value ...'."
                    ) from error
        raise BadFile(f"{os.path.basename(path)}: {error}.") from error
    if y is not None and not isinstance(y, str):
        target = np.asarray(y)
    return SparseSource(X, target, check_weights(sample_weight, X.shape[0]))
