"""SQL on files, by DuckDB: ``SELECT * FROM 'sales.parquet' WHERE year > 2019``.

CSV files that the query names are read by our own reader first, so that the rules about numbers and identifiers are the same.
A query that only filters and computes columns is streamed, in the order of the file. Any other (joins, groups, samples) has
no order of its own: its result is kept once in a temporary file, and read from there; it may take as much as ``options.memory`` allows.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epee.errors import DataError, EmptyTable, TooLarge, WrongUse
from epee.settings import options
from epee.table.allowance import allowed_memory, in_words
from epee.table.batches import Stamp
from epee.table.delimited import TextBatches
from epee.table.files import is_table_name, open_path
from epee.table.parquet import ParquetBatches
from epee.table.schema import refuse_duplicates
from epee.table.spool import Spool
from epee.table.sql import Sentences, bare, files_of_functions, is_query, named_csv, refuse_elsewhere

if TYPE_CHECKING:
    import pyarrow as pa

_ORDERED = frozenset(["PARQUET_SCAN", "READ_PARQUET", "PROJECTION", "FILTER", "TABLE_SCAN"])
_CHANCE = re.compile(
    r"\b(random|uuid|gen_random_uuid|nextval|now|current_\w+|setseed|sample|tablesample)\b", re.IGNORECASE
)


class QueryBatches:
    """The result of a query on files."""

    def __init__(self, sql: str) -> None:
        import duckdb

        self.label = "the query"
        self.notes: list[str] = []
        self.kinds: Mapping[str, str] = {}
        self.n_rows: int | None = None
        self._room = allowed_memory()
        self._spools: list[Spool] = []
        self._connection = duckdb.connect(config=self._settings())
        with Sentences():
            self._sql = named_csv(bare(sql))
            statements = self._connection.extract_statements(self._sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise WrongUse("the query must be one SELECT statement; nothing else is run.")
            files = self._shut_in()
            relation = self._connection.sql(self._sql)
            names = relation.columns
            refuse_duplicates(names, "the query: ")
            refuse_alike(names, "the query")
            self.fields = relation.limit(0).to_arrow_table().schema
            plan = json.loads(self._connection.sql(f"EXPLAIN (FORMAT json) {self._sql}").fetchall()[0][1])
        self._stamp = Stamp(files)
        self._kept: ParquetBatches | None = None
        if not _operators(plan) <= _ORDERED or _CHANCE.search(self._sql):
            self._keep()

    def _settings(self) -> dict[str, Any]:
        """Return how DuckDB starts: nothing installed, loaded or taken from Python's variables by itself."""
        return {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
            "threads": options.thread_count(),
            "memory_limit": f"{self._room // 1_000_000} MB",
            "temp_directory": os.path.join(tempfile.gettempdir(), f"epee-duckdb-{os.getpid()}"),
            "max_temp_directory_size": f"{4 * self._room // 1_000_000} MB",
        }

    def _shut_in(self) -> list[str]:
        """Make a view of each file that the query names, let DuckDB see no other, and return these files."""
        called = files_of_functions(self._connection, self._sql)
        views: dict[str, list[str]] = {}  # name: Parquet files
        files: list[str] = []
        for name in called:
            refuse_elsewhere(name)
            files += [path for path in sorted(glob.glob(name)) or [name] if _refuse_other(path)]
        for name in sorted(self._connection.get_table_names(self._sql)):
            if os.path.exists(name) or re.search(r"[./\\*?]", name):
                refuse_elsewhere(name)
                views[name] = self._as_parquet(name, files)
        seen = [*called, *files, *(path for paths in views.values() for path in paths)]
        self._connection.execute(f"SET allowed_paths = [{_listed(sorted(set(seen)))}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")
        for name, paths in views.items():
            quoted = name.replace('"', '""')
            self._connection.execute(f'CREATE VIEW "{quoted}" AS SELECT * FROM read_parquet([{_listed(paths)}])')
        return [path for path in files if os.path.exists(path)]

    def _as_parquet(self, name: str, files: list[str]) -> list[str]:
        """Return the Parquet files that a name stands for, after our reader has read what is none; adds to ``files``."""
        _refuse_other(name)
        batches = open_path(name)
        refuse_alike(batches.fields.names, name)
        self.notes += batches.notes
        if isinstance(batches, ParquetBatches) and not any(batches.keys):
            files += batches.paths
            return [self._plain_name(path) for path in batches.paths]
        files += [f.path for f in batches.files] if isinstance(batches, TextBatches) else getattr(batches, "paths", [])
        self._spools.append(spool := Spool(".parquet"))
        spool.write(batches.fields, batches.read(batches.fields.names, 1 << 16), batches.label)
        return [spool.path]

    def _plain_name(self, path: str) -> str:
        """Return a name of a file that DuckDB takes for no pattern."""
        if not glob.has_magic(path):
            return path
        self._spools.append(link := Spool(".parquet"))
        os.unlink(link.path)
        os.symlink(os.path.abspath(path), link.path)
        return link.path

    def _keep(self) -> None:
        self._spools.append(spool := Spool(".parquet"))
        spool.write(self.fields, self._bounded(), self.label)
        self._kept = ParquetBatches([spool.path], self.label)
        self.fields, self.n_rows = self._kept.fields, self._kept.n_rows

    def _bounded(self) -> Iterator[pa.RecordBatch]:
        """Yield the result, or refuse it once it takes more than is allowed: a query may have no end."""
        size = rows = 0
        for batch in self._result(self._sql, 1 << 16):
            size, rows = size + batch.nbytes, rows + batch.num_rows
            if size > self._room:
                raise TooLarge(
                    f"the query returns too much: more than {rows:,} rows, {in_words(self._room)}. "
                    "Make it smaller, or allow more with --memory."
                )
            yield batch

    def _result(self, sql: str, rows: int) -> Iterator[pa.RecordBatch]:
        with Sentences():
            cursor = self._connection.cursor()  # older DuckDB closes one that nobody holds
            result = cursor.sql(sql)
            reader = getattr(result, "to_arrow_reader", None) or result.fetch_arrow_reader  # its name in older DuckDB
            reader = reader(rows)
            while True:
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    return
                yield batch

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns of the result."""
        if self._kept is not None:
            yield from self._kept.read(columns, rows)
            return
        self._stamp.check()
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in columns) or "1 AS nothing"
        count = 0
        for batch in self._result(f"SELECT {names} FROM (\n{self._sql}\n)", rows):
            count += batch.num_rows
            yield batch
        if count == 0:
            raise EmptyTable("the query returns no rows: Found array with 0 sample(s), and a minimum of 1 is required.")
        self.n_rows = count

    def where(self, row: int) -> str:
        """Return the number of the row."""
        return f"row {row}"

    def fingerprint(self) -> str:
        """Return a hash of the query and of the ends of its files."""
        text = self._sql + self._stamp.digest()
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def refuse_alike(names: Sequence[str], label: str) -> None:
    """Refuse names that SQL does not tell apart, as it would rename one of them.

    >>> refuse_alike(["x", "X"], "t.csv")
    Traceback (most recent call last):
        ...
    epee.errors.DataError: t.csv has columns 'x' and 'X', which SQL cannot tell apart: rename one of them.
    """
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise DataError(
                f"{label} has columns {other!r} and {name!r}, which SQL cannot tell apart: rename one of them."
            )


def _refuse_other(name: str) -> bool:
    """Refuse a file whose name is not that of a table: a query must not carry its contents into a message."""
    if not os.path.isdir(name) and not is_table_name(name):
        raise WrongUse(
            f"the query names {name!r}, which is no table: its name should end in .csv, .tsv, .parquet or the like."
        )
    return True


def _listed(paths: Sequence[str]) -> str:
    return ", ".join("'" + path.replace("'", "''") + "'" for path in paths)


def _operators(plan: Any) -> set[str]:
    """Return the names of all operators of an explained plan."""
    if isinstance(plan, list):
        return set().union(*(_operators(part) for part in plan)) if plan else set()
    return {str(plan.get("name", "")).strip()} | _operators(plan.get("children", []))


__all__ = ["QueryBatches", "is_query"]
