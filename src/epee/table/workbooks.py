"""Sheets of Excel workbooks, by openpyxl.

The first row that has a cell holds the names. A sheet has at most a million rows, so its columns are kept in memory once read;
cells are streamed into them. A column that mixes numbers with texts is one of texts, which is said, unless the texts are ways
to write a missing cell.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from epee.errors import WrongUse
from epee.table.cells import MISSING_NUMBER
from epee.table.databases import choose
from epee.table.filebatches import FileBatches, no_rows
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa

_ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")


class Sheet(FileBatches):
    """One sheet of a workbook."""

    what = "Excel workbook"
    faults = (Exception,)  # openpyxl lets pass whatever zip, XML and its own parser raise

    def _look(self) -> None:
        try:
            from openpyxl import load_workbook
        except ModuleNotFoundError as fault:
            raise WrongUse(
                f"{self.label} is an Excel workbook, which needs openpyxl: pip install 'epee[excel]'."
            ) from fault

        with open(self.path, "rb") as file:  # whatever its name
            book = load_workbook(file, read_only=True, data_only=True)
            full = [sheet.title for sheet in book.worksheets if any(_rows(sheet))]
            self.inner = choose(self.label, self.inner, full, "sheet")
            self._table = self._read_sheet(_rows(book[self.inner]))
        self.fields, self.n_rows = self._table.schema, self._table.num_rows

    def _read_sheet(self, rows: Iterator[Sequence[Any]]) -> Any:
        import pyarrow as pa

        head = list(next(rows))
        cells: list[list[Any]] = [[] for _ in head]
        while some := list(islice(rows, 4096)):
            for j, column in enumerate(cells):
                column += [row[j] if j < len(row) else None for row in some]
        if not cells or not cells[0]:
            raise no_rows(f"{self.label}::{self.inner}")
        arrays, names = [], []
        for j, (name, column) in enumerate(zip(head, cells, strict=True)):
            if name is None and all(cell is None for cell in column):
                continue
            names.append(f"x{j + 1}" if name is None else str(name))
            arrays.append(self._column(names[-1], column))
        return pa.table(arrays, names=names)

    def _column(self, name: str, cells: list[Any]) -> Any:
        """Return the cells of a column as Arrow: the one type they have, or texts."""
        import pyarrow as pa

        wrong = {cell for cell in cells if isinstance(cell, str) and cell in _ERRORS}
        if wrong:
            self.notes.append(say("column", names=repr(name), note=say("error_cells", cells=", ".join(sorted(wrong)))))
            cells = [None if isinstance(cell, str) and cell in wrong else cell for cell in cells]
        kinds = {_kind(cell) for cell in cells if cell is not None}
        if (
            len(kinds) > 1
            and "text" in kinds
            and all(cell.strip() in MISSING_NUMBER for cell in cells if isinstance(cell, str))
        ):
            cells, kinds = [None if isinstance(cell, str) else cell for cell in cells], kinds - {"text"}
        if kinds == {"whole"} and max(abs(cell) for cell in cells if cell is not None) < 2**63:
            return pa.array(cells, pa.int64())
        if kinds and kinds <= {"whole", "real"}:
            return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
        if kinds == {"boolean"}:
            return pa.array(cells, pa.bool_())
        if kinds == {"date"}:
            return pa.array(cells, pa.timestamp("us"))
        if not kinds:
            return pa.nulls(len(cells))
        if len(kinds) > 1:
            self.notes.append(say("column", names=repr(name), note=say("mixed_cells")))
        return pa.array([None if cell is None else _text(cell) for cell in cells], pa.string())

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        yield from self._table.select(list(columns)).to_batches(rows)


def _rows(sheet: Any) -> Iterator[Sequence[Any]]:
    """Yield the rows of a sheet that have a cell, from the names on."""
    for row in sheet.iter_rows(values_only=True):
        if any(cell is not None for cell in row):
            yield row


def _kind(cell: Any) -> str:
    if isinstance(cell, bool):
        return "boolean"
    if isinstance(cell, int):
        return "whole"
    if isinstance(cell, float):
        return "real"
    return "date" if isinstance(cell, datetime.date) else "text"


def _text(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
