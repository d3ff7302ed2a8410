"""Predictions of a table as rows of text: a class with its probabilities, a number with its interval, or a decision."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from epee.job.drift import Tally, drifts
from epee.job.predictor import ROWS, Predictor
from epee.settings import progress
from epee.table.schema import find_name
from epee.table.source import TableSource, open_table
from epee.words.job_words import say

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet run a cell


class Answers:
    """The predictions of a table, block by block and in order.

    Parameters
    ----------
    predictor : Predictor
    table : frame, path, SQL query or "-"
    level : float
        Of the intervals of numbers.
    details : bool
        Probabilities and intervals beside the prediction.
    keep : sequence of str
        Columns of the table to write along, to tell the rows apart.
    """

    def __init__(
        self, predictor: Predictor, table: Any, *, level: float = 0.95, details: bool = True, keep: Sequence[str] = ()
    ) -> None:
        self.predictor, self.level, self.keep = predictor, level, list(keep)
        types = {c.name: c.kind for c in predictor.encoder.schema_}
        batches = open_table(table, types=types)
        for name in (*types, *self.keep):
            find_name(name, list(batches.fields.names))
        extra = {name: "text" for name in self.keep if name not in types}
        self.source = TableSource(batches, types={**types, **extra}, columns=[*types, *extra])
        self.details = details and (predictor.has_probabilities or predictor.residuals is not None)
        self.tally = Tally(predictor.encoder.schema_)

    @property
    def header(self) -> list[str]:
        """The names of the columns that are written."""
        p = self.predictor
        names = [*self.keep, *p.targets]
        if not self.details:
            return names
        if p.task == "classification":
            return [*names, *(f"p({label})" for label in p.classes_.tolist())]
        return [*names, *(f"{end}({t})" if len(p.targets) > 1 else end for t in p.targets for end in ("low", "high"))]

    def wrote(self, stream: IO[bytes]) -> bool:
        """Tell whether a file holds predictions of ours: it has the columns that would be written now."""
        head = stream.read(1 << 16)
        if head.startswith(b"PAR1"):
            import pyarrow as pa
            import pyarrow.parquet as pq

            try:
                return pq.read_schema(stream).names == self.header
            except pa.ArrowInvalid:
                return False
        line = head.decode("utf-8", "replace").partition("\n")[0]
        try:
            return list(json.loads(line)) == self.header
        except ValueError:  # no JSON
            return next(csv.reader([line]), []) == [harmless(name) for name in self.header]
        except TypeError:
            return False

    def blocks(self) -> Iterator[list[Any]]:
        """Yield columns of cells, some thousand rows at a time."""
        p = self.predictor
        half = p.half_width(self.level) if self.details and p.task == "regression" else None
        with progress(say("reading"), self.source.n_rows) as tick:
            for raw in self.source.raw_blocks(ROWS):
                self.tally.add(raw)
                X = p.encode(raw)
                answer = np.asarray(p.model.predict(X))
                columns: list[Any] = [_cells(raw.columns[name]) for name in self.keep]
                columns += list(answer.reshape(len(answer), -1).T)
                if self.details and p.has_probabilities:
                    columns += list(p.model.predict_proba(X).T)
                elif half is not None:
                    for value, h in zip(answer.reshape(len(answer), -1).T, np.atleast_1d(half), strict=True):
                        columns += [value - h, value + h]
                yield columns
                tick(len(raw))

    def drift(self) -> list[str]:
        """Return how the rows that were predicted differ from those that were learned from."""
        return drifts(self.predictor.drift, self.tally)

    def write_csv(self, out: IO[str]) -> int:
        """Write the predictions as CSV; returns the number of rows."""
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([harmless(name) for name in self.header])
        return self._write(lambda rows: writer.writerows([harmless(cell) for cell in row] for row in rows))

    def write_json(self, out: IO[str]) -> int:
        """Write the predictions as JSON, one object a line."""
        names = self.header

        def lines(rows: Iterator[tuple[Any, ...]]) -> None:
            for row in rows:
                out.write(json.dumps(dict(zip(names, map(_plain, row), strict=True)), ensure_ascii=False) + "\n")

        return self._write(lines)

    def _write(self, write: Any) -> int:
        n = 0
        for columns in self.blocks():
            lists = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns]
            write(zip(*lists, strict=True))
            n += len(lists[0])
        return n

    def write_parquet(self, out: IO[bytes]) -> int:
        """Write the predictions as Parquet."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        n, writer = 0, None
        try:
            for columns in self.blocks():
                part = pa.table(
                    [pa.array(c.tolist() if isinstance(c, np.ndarray) else c) for c in columns], names=self.header
                )
                writer = writer or pq.ParquetWriter(out, part.schema)
                writer.write_table(part.cast(writer.schema))
                n += part.num_rows
        finally:
            if writer is not None:
                writer.close()
        return n


def _cells(column: Any) -> list[Any]:
    cells = column.tolist() if isinstance(column, np.ndarray) else column.to_pylist()
    return ["" if cell is None or cell != cell else cell for cell in cells]


def _plain(cell: Any) -> Any:
    return None if isinstance(cell, float) and not np.isfinite(cell) else cell


def harmless(cell: Any) -> Any:
    """Return a cell that a spreadsheet shows and does not run: a text that begins like a formula gets a quote before it.

    >>> harmless("=1+1"), harmless("-3.5"), harmless(-3.5)
    ("'=1+1", '-3.5', -3.5)
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell
