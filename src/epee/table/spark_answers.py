"""What a fitted estimator answers for a Spark frame: the frame with the answers as columns beside its own, still to be made."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from epee.errors import DataError
from epee.table.raw import kind_of_type
from epee.table.spark_jobs import in_arrow
from epee.table.spark_types import arrow_type

if TYPE_CHECKING:
    import pyarrow as pa

WORDS = {"f": "double", "i": "bigint", "u": "bigint", "b": "boolean", "U": "string", "O": "string", "T": "string"}
MADE_UP = {"number": 1, "boolean": True, "text": "a", "date": datetime(2000, 1, 1)}


class Answering(Protocol):
    """The answers of a model for one partition."""

    model: Any
    name: str

    def __call__(self, part: Any) -> np.ndarray:
        """Return the answers for some rows."""

    def shaped_by(self, few: Any) -> np.ndarray:
        """Find out by a few made-up rows what an answer looks like."""

    def columns(self) -> list[Any]:
        """Return what to call several numbers a row."""


def of_spark(ask: Answering, X: Any) -> Any:
    """Return a Spark frame with the answers for its rows beside its columns."""
    from pyspark.sql.types import StructType

    known = getattr(ask.model, "feature_names_in_", None)
    inputs = [str(name) for name in (X.columns if known is None else known)]
    missing = [name for name in inputs if name not in X.columns]
    if missing:
        raise DataError(f"the Spark frame has no column {missing[0]!r}, which the model has learned from.")
    like = ask.shaped_by(_made_up(X, inputs))
    names = [ask.name] if like.ndim == 1 else [f"{ask.name}_{name}" for name in ask.columns()]
    taken = [name for name in names if name in X.columns]
    if taken:
        raise DataError(f"the Spark frame has a column {taken[0]!r}, which is what the answer is called: rename it.")
    schema = StructType(list(X.schema.fields))
    for name in names:
        schema = schema.add(name, WORDS[like.dtype.kind])

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield beside(batch, inputs, names, ask)

    return in_arrow(X, task, schema)


def beside(batch: pa.RecordBatch, inputs: list[str], names: list[str], ask: Answering) -> pa.RecordBatch:
    """Return a batch with the answers for its rows as more columns."""
    import pyarrow as pa

    found = ask(_rows(pa.Table.from_batches([batch]).select(inputs)))
    table = found[:, None] if found.ndim == 1 else found
    cells = [pa.array(column.tolist() if column.dtype.kind in "OUT" else column) for column in table.T]
    return pa.RecordBatch.from_arrays([*batch.columns, *cells], names=[*batch.schema.names, *names])


def _made_up(X: Any, inputs: list[str]) -> Any:
    """Return two rows of the types of a frame."""
    import pyarrow as pa

    fields = [(name, arrow_type(X.schema[name].dataType)) for name in inputs]
    cells = {name: pa.array([MADE_UP.get(kind_of_type(t) or "")] * 2).cast(t) for name, t in fields}
    return _rows(pa.table(cells))


def _rows(table: pa.Table) -> Any:
    """Return rows as estimators take them: numbers of an Arrow table as a data frame, with their names."""
    return table.to_pandas(date_as_object=False)
