"""Predictions of a table as rows of text: a class with its probabilities, a number with its interval, or a decision."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from epee.errors import WrongUse
from epee.job.drift import Tally, drifts
from epee.job.predictor import ROWS, Predictor
from epee.settings import progress
from epee.words.job_words import say
from epee.words.numbers import percent

PROBABILITY = 6  # decimals
WHY_ROWS = 1024  # explained at once
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet run a cell


class Answers:
    """The predictions of a table, block by block and in order.

    Parameters
    ----------
    predictor : Predictor
    table : array, frame, path, SQL query, stream of frames, or "-"
    level : float
        Of the intervals of numbers.
    details : bool or str
        Probabilities and intervals beside the prediction, where the predictor has them; ``"proba"`` and ``"interval"`` refuse
        a predictor that has none.
    keep : sequence of str
        Columns of the table to write along, to tell the rows apart; without any, and with details, rows are numbered from 1.
    why : bool
        What each column adds to the prediction too, and the base they start from; see :mod:`epee.job.reasons`.
    threshold : float, optional
        Of two classes, from which probability of the second on to decide for it.
    """

    def __init__(
        self,
        predictor: Predictor,
        table: Any,
        *,
        level: float = 0.95,
        details: bool | str = True,
        keep: Sequence[str] = (),
        why: bool = False,
        threshold: float | None = None,
    ) -> None:
        self.predictor, self.level, self.keep = predictor, level, list(dict.fromkeys(keep))
        self.source = predictor.open(table, dict.fromkeys(self.keep, "text"))
        self.details, self.why, self.threshold = self._has(details), why, threshold
        if threshold is not None:
            predictor.require_threshold(threshold)
        if why:
            predictor.require_reasons()
        self.numbered = bool(self.details) and not self.keep
        self.tally = Tally(predictor.encoder.schema_, predictor.drift)
        twice = next((name for name in self.keep if self.header.count(name) > 1), None)
        if twice is not None:
            raise WrongUse(f"column {twice!r} cannot be kept: the predictions have a column of that name.")

    def _has(self, details: bool | str) -> bool:
        """Tell whether there are details to write, or refuse those that were asked for and are not there."""
        p = self.predictor
        if details == "proba" and not p.has_probabilities:
            raise WrongUse("this predictor gives no probabilities; leave --proba out, or learn with one that does.")
        if details == "interval" and p.residuals is None:
            raise WrongUse("this predictor predicts classes, which have probabilities and no intervals; say --proba.")
        return bool(details) and (p.has_probabilities or p.residuals is not None)

    @property
    def header(self) -> list[str]:
        """The names of the columns that are written."""
        p = self.predictor
        names = [*(["row"] if self.numbered else self.keep), *(f"predicted_{target}" for target in p.targets)]
        if self.details and p.task == "classification":
            names += [f"p({label})" for label in p.classes_.tolist()]
        elif self.details:
            names += [f"{end}({t})" if len(p.targets) > 1 else end for t in p.targets for end in ("low", "high")]
        return [*names, "why(base)", *(f"why({c})" for c in p.encoder.encoded_columns)] if self.why else names

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
        p, done = self.predictor, 0
        half = p.half_width(self.level) if self.details and p.task == "regression" else None
        with progress(say("reading"), self.source.n_rows) as tick:
            for raw in self.source.raw_blocks(WHY_ROWS if self.why else ROWS):
                self.tally.add(raw)
                X = p.encode(raw)
                told = p.answer_twice(X, self.threshold) if self.details and p.has_probabilities else None
                answer = p.answer(X, self.threshold) if told is None else told[0]
                columns: list[Any] = [_cells(raw.columns[name]) for name in self.keep]
                if self.numbered:
                    columns.append(np.arange(done + 1, done + len(raw) + 1))
                columns += list(answer.reshape(len(answer), -1).T)
                if told is not None:
                    columns += list(told[1].T)
                elif half is not None:
                    for value, h in zip(answer.reshape(len(answer), -1).T, np.atleast_1d(half), strict=True):
                        columns += [value - h, value + h]
                if self.why:
                    base, values = p.reasons(X)
                    columns += [base, *values.T]
                yield columns
                done += len(raw)
                tick(len(raw))

    def readable(self) -> list[int | None]:
        """Return the decimals worth reading of each column: six of a probability, a thousandth of the usual error of a number."""
        p = self.predictor
        decimals: list[int | None] = [None] * (1 if self.numbered else len(self.keep))
        if p.task == "classification":  # reasons are parts of a probability
            return [*decimals, None, *([PROBABILITY] * (len(self.header) - len(decimals) - 1))]
        halves = np.zeros(len(p.targets)) if p.residuals is None else np.atleast_1d(p.half_width(0.5))
        each = [None if h <= 0 else int(max(0, np.ceil(-np.log10(h / 1000)))) for h in halves]
        found = [*decimals, *each, *((d for d in each for _ in range(2)) if self.details else ())]
        return found + each * (len(self.header) - len(found)) if self.why else found

    def decision(self) -> list[str]:
        """Say from which probability on a class is decided for, where it is not the most probable one."""
        t = self.threshold if self.threshold is not None else self.predictor.threshold
        if t is None:
            return []
        other, label = self.predictor.classes_
        if isinstance(t, float | int):
            return [say("decides_from", label=label, t=percent(t))]
        return [say("decides_outside", label=label, other=other, low=percent(t[0]), high=percent(t[1]))]

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

        def line(row: tuple[Any, ...]) -> str:
            return json.dumps(dict(zip(names, map(_plain, row), strict=True)), ensure_ascii=False) + "\n"

        return self._write(lambda rows: out.writelines(map(line, rows)))

    def _write(self, write: Any) -> int:
        n = 0
        for columns in self.blocks():
            lists = [_rounded(c, d) for c, d in zip(columns, self.readable(), strict=True)]
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


def _rounded(column: Any, decimals: int | None) -> list[Any]:
    """Return cells with the decimals that are worth reading."""
    if decimals is not None and isinstance(column, np.ndarray) and column.dtype.kind == "f":
        column = np.round(column, decimals)
    return column.tolist() if isinstance(column, np.ndarray) else column


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
