"""The format of svmlight and libsvm, streamed: ``target index:value index:value ... # remark``.

A first reading counts rows and columns. The columns are ``target``, ``query`` where the rows have a ``qid``, and one ``x<index>`` for each
index from the smallest of 0 and 1 that occurs to the largest; what is not written is 0.

An estimator that is given such a file by its name (``.svm``, ``.svmlight``, ``.libsvm``) gets sparse rows, of any number of columns; the
main job, which looks at each column, lays them out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import BadFile, DataError
from epee.table.block import check_weights
from epee.table.filebatches import FileBatches
from epee.table.sparse import SparseSource

if TYPE_CHECKING:
    import pyarrow as pa

MOST_COLUMNS = 20_000  # a table is dense here
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
            arrays = [cells[self.fields.get_field_index(name)] for name in columns]
            yield pa.RecordBatch.from_arrays(
                [pa.array(a).cast(self.fields.field(n).type) for a, n in zip(arrays, columns, strict=True)],
                names=list(columns),
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
