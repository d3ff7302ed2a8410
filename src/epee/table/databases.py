"""Files of databases: a table of an SQLite or a DuckDB file, streamed; and JSON, which DuckDB reads as a table.

SQLite has no types of columns but of cells, so one query counts the types of all cells first; the rows then come by
Python's own module, some thousands at a time. DuckDB streams its own tables, and JSON (lines, or an array of objects), whose types
it finds by reading the file once; a small file and a large one take the same memory.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from epee.errors import BadFile, DataError, EmptyTable, WrongUse
from epee.settings import options
from epee.table.filebatches import FileBatches, no_rows
from epee.table.spool import Spool
from epee.words.table_words import say

if TYPE_CHECKING:
    import pyarrow as pa


def choose(label: str, inner: str | None, there: Sequence[str], what: str = "table", typed: str = "") -> str:
    """Return which of the tables of a file is meant; several are named, none is said. ``typed`` is how the file is written, if not so.

    >>> choose("a.db", None, ["sales"])
    'sales'
    """
    if not there:
        raise EmptyTable(f"{label} holds no {what}: Found array with 0 sample(s), and a minimum of 1 is required.")
    if inner is None and len(there) == 1:
        return there[0]
    shown = ", ".join(repr(name) for name in there[:12]) + (f" and {len(there) - 12} more" if len(there) > 12 else "")
    if inner is None:
        raise WrongUse(f"{label} holds {len(there)} {what}s: {shown}; choose one: {typed or label}::{there[0]}")
    if inner not in there:
        raise WrongUse(f"{label} holds no {what} {inner!r}; there are {shown}.")
    return inner


def quoted(name: str, mark: str = '"') -> str:
    """Return a name or a text as SQL writes it."""
    return mark + name.replace(mark, mark + mark) + mark


class SqliteTable(FileBatches):
    """One table of an SQLite file."""

    what = "SQLite file"
    faults = (sqlite3.DatabaseError,)

    def _connect(self) -> sqlite3.Connection:
        place = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        return sqlite3.connect(f"file:{place}?mode=ro", uri=True, timeout=2.0)

    def _look(self) -> None:
        import pyarrow as pa

        with closing(self._connect()) as base:
            found = base.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
            )
            self.inner = choose(self.label, self.inner, [name for (name,) in found])
            declared = {row[1]: str(row[2]).upper() for row in base.execute(f"PRAGMA table_info({quoted(self.inner)})")}
            sums = ", ".join(_sums(name) for name in declared)
            counts = base.execute(f"SELECT count(*), {sums} FROM {quoted(self.inner)}").fetchone()
        self.n_rows, each = counts[0], iter(counts[1:])
        self.fields = pa.schema(
            [(name, self._type(name, said, [next(each) or 0 for _ in range(7)])) for name, said in declared.items()]
        )

    def _type(self, name: str, declared: str, counts: list[int]) -> Any:
        """Return the Arrow type of a column from its declared type and the number of cells of each type."""
        import pyarrow as pa

        whole, real, text, empty, blob, binary, iso = counts
        if blob:
            raise DataError(
                f"column {name!r} of {self.label} holds {blob} cells of bytes, which are no cells of a table: drop it."
            )
        if (whole or real) and text > empty:
            with closing(self._connect()) as base:
                found = f"SELECT {quoted(name)} FROM {quoted(str(self.inner))} WHERE typeof({quoted(name)}) = 'text' LIMIT 1"
                word = base.execute(found).fetchone()[0]
            raise DataError(
                f"column {name!r} of {self.label} mixes {whole + real} numbers with {text} texts, {word!r} for one; make them one."
            )
        if whole or real:
            if "BOOL" in declared and whole == binary and not real:
                return pa.bool_()
            return pa.float64() if real else pa.int64()
        if text and iso == text - empty and ("DATE" in declared or "TIME" in declared):
            return pa.timestamp("us")
        return pa.string() if text else pa.null()

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        types = [self.fields.field(name).type for name in columns]
        names = ", ".join(quoted(name) for name in columns)
        with closing(self._connect()) as base:
            rows_of = base.execute(f"SELECT {names} FROM {quoted(str(self.inner))}")
            while some := rows_of.fetchmany(rows):
                arrays = [_array(cells, t) for cells, t in zip(zip(*some, strict=True), types, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, names=list(columns))


def _sums(name: str) -> str:
    """Return what counts the cells of a column: whole, real, text, empty text, bytes, 0 or 1, dates as ISO writes them."""
    c = quoted(name)
    tests = [f"typeof({c}) = '{t}'" for t in ("integer", "real", "text")]
    tests += [f"{c} = ''", f"typeof({c}) = 'blob'", f"typeof({c}) = 'integer' AND {c} IN (0, 1)"]
    tests += [f"typeof({c}) = 'text' AND {c} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'"]
    return ", ".join(f"sum({test})" for test in tests)


def _array(cells: Sequence[Any], t: Any) -> Any:
    """Return cells of SQLite as Arrow, an empty text among numbers or dates as missing."""
    import pyarrow as pa

    if pa.types.is_string(t):
        return pa.array(cells, t)
    cells = [None if cell == "" else cell for cell in cells]
    if pa.types.is_boolean(t):
        return pa.array([None if cell is None else bool(cell) for cell in cells], t)
    return pa.array(cells, pa.string()).cast(t) if pa.types.is_timestamp(t) else pa.array(cells, t)


class DuckTable(FileBatches):
    """One table of a DuckDB file, opened for reading alone."""

    what = "DuckDB file"

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What DuckDB raises."""
        import duckdb

        return (duckdb.Error,)

    def _open(self) -> Any:
        import duckdb

        config: dict[str, Any] = {"autoinstall_known_extensions": False, "threads": options.thread_count()}
        base = duckdb.connect(self.path, read_only=True, config=config)
        base.execute("SET enable_external_access = false")  # a view of the file reads no other
        return base

    def _from(self) -> str:
        return f"{quoted(self._schema)}.{quoted(str(self.inner))}"

    def _look(self) -> None:
        self._base = self._open()
        tables = self._base.execute(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = current_database()"
        ).fetchall()
        self.inner = choose(self.label, self.inner, [name for _, name in tables])
        self._schema = next(schema for schema, name in tables if name == self.inner)
        self._describe()
        self.n_rows = self._base.execute(f"SELECT count(*) FROM {self._from()}").fetchone()[0]

    def _describe(self) -> None:
        """Find the columns; what is no kind of cell for us but has a text is read as that text."""
        self._wordy = {
            name: t for name, t, *_ in self._base.execute(f"DESCRIBE SELECT * FROM {self._from()}").fetchall()
            if t in ("UUID", "TIME", "TIME WITH TIME ZONE", "BIT", "JSON")
        }  # fmt: skip
        with closing(self._base.cursor()) as cursor:
            self.fields = cursor.sql(f"SELECT * FROM {self._from()} LIMIT 0").to_arrow_table().schema
        import pyarrow as pa

        self.fields = pa.schema([pa.field(f.name, pa.string()) if f.name in self._wordy else f for f in self.fields])

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        names = ", ".join(self._cell(name) for name in columns)
        with closing(self._base.cursor()) as cursor:
            result = cursor.sql(f"SELECT {names} FROM {self._from()}")
            reader = getattr(result, "to_arrow_reader", None) or result.fetch_arrow_reader  # its name in older DuckDB
            yield from reader(rows)

    def _cell(self, name: str) -> str:
        """Return how a column is asked for."""
        c = quoted(name)
        if name not in self._wordy:
            return c
        return (
            f"json_extract_string({c}, '$') AS {c}" if self._wordy[name] == "JSON" else f"CAST({c} AS VARCHAR) AS {c}"
        )


class JsonFile(DuckTable):
    """Lines of JSON objects, or an array of them."""

    what = "JSON file"

    def _look(self) -> None:
        import duckdb

        place = self.path
        if any(mark in place for mark in "*?[{"):  # DuckDB would take the name for a pattern
            self._link = Spool(".json")
            place = self._link.path
            os.unlink(place)
            os.symlink(os.path.abspath(self.path), place)
        config: dict[str, Any] = {"autoinstall_known_extensions": False, "threads": options.thread_count()}
        self._base = duckdb.connect(config=config)
        self._place = quoted(place, "'")
        self._describe()
        if self.fields.names == ["json"]:
            if not self._base.execute(f"SELECT count(*) FROM {self._from()}").fetchone()[0]:
                raise no_rows(self.label)
            raise BadFile(
                f'{self.label} is JSON, but neither lines of objects nor an array of objects: {{"column": cell, ...}}.'
            )
        mixed = [name for name, t in self._wordy.items() if t == "JSON"]
        if mixed:
            self.notes.append(say("column", names=", ".join(map(repr, mixed)), note=say("mixed_cells")))

    def _from(self) -> str:
        return (
            f"read_json({self._place}, sample_size = -1, map_inference_threshold = -1, maximum_object_size = 67108864)"
        )
