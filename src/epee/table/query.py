"""SQL on files, by DuckDB: ``SELECT * FROM 'sales.parquet' WHERE year > 2019``.

CSV files that the query names are read by our own reader first, so that the rules about numbers and identifiers are the same.
A query that only filters and computes columns is streamed, in the order of the file. Any other (joins, groups, samples) has
no order of its own: its result is kept once in a temporary file, and read from there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from epee.errors import BadFile, DataError, EmptyTable, WrongUse
from epee.settings import options
from epee.table.batches import Stamp
from epee.table.delimited import TextBatches
from epee.table.files import open_path
from epee.table.parquet import ParquetBatches
from epee.table.schema import refuse_duplicates
from epee.table.spool import Spool, no_room

if TYPE_CHECKING:
    import pyarrow as pa

_SQL = re.compile(r"\s*(\(\s*)*(select|with|from)\s", re.IGNORECASE)
_ORDERED = frozenset(["PARQUET_SCAN", "READ_PARQUET", "PROJECTION", "FILTER", "TABLE_SCAN"])
_CHANCE = re.compile(
    r"\b(random|uuid|gen_random_uuid|nextval|now|current_\w+|setseed|sample|tablesample)\b", re.IGNORECASE
)


def is_query(text: str) -> bool:
    """Tell SQL from a path.

    >>> is_query("SELECT * FROM 'a.csv'"), is_query("selected.csv")
    (True, False)
    """
    return _SQL.match(text) is not None and not os.path.exists(text)


class QueryBatches:
    """The result of a query on files."""

    def __init__(self, sql: str) -> None:
        import duckdb

        self.label = "the query"
        self.notes: list[str] = []
        self.kinds: Mapping[str, str] = {}
        self.n_rows: int | None = None
        self._sql = sql.strip().rstrip(";")
        config: dict[str, Any] = {"autoinstall_known_extensions": False, "threads": options.thread_count()}
        self._connection = duckdb.connect(config=config)
        self._spools: list[Spool] = []
        with _Sentences():
            statements = self._connection.extract_statements(self._sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise WrongUse("the query must be one SELECT statement; nothing else is run.")
        files = self._name_files()
        with _Sentences():
            self.fields = self._connection.sql(self._sql).limit(0).to_arrow_table().schema
            plan = json.loads(self._connection.sql(f"EXPLAIN (FORMAT json) {self._sql}").fetchall()[0][1])
        refuse_duplicates(self.fields.names, "the query: ")
        self._stamp = Stamp(files)
        self._kept: ParquetBatches | None = None
        if not _operators(plan) <= _ORDERED or _CHANCE.search(self._sql):
            self._keep()

    def _name_files(self) -> list[str]:
        """Return the files that the query names; those of text become views of what our reader makes of them."""
        files: list[str] = []
        for name in sorted(self._connection.get_table_names(self._sql)):
            if not os.path.exists(name):
                if re.search(r"[./\\]", name) and "*" not in name:
                    open_path(name)  # raises the sentence about a file that is not there
                continue
            batches = open_path(name)
            files += (
                [file.path for file in batches.files]
                if isinstance(batches, TextBatches)
                else cast(ParquetBatches, batches).paths
            )
            if isinstance(batches, ParquetBatches) and len(batches.paths) == 1:
                continue
            self.notes += batches.notes
            spool = Spool(".parquet")
            self._write(batches, spool)
            quoted = name.replace('"', '""')
            place = spool.path.replace("'", "''")
            self._connection.execute(f"CREATE VIEW \"{quoted}\" AS SELECT * FROM read_parquet('{place}')")
            self._spools.append(spool)
        return files

    @staticmethod
    def _write(batches: Any, spool: Spool) -> None:
        import pyarrow.parquet as pq

        try:
            with pq.ParquetWriter(spool.path, batches.fields, compression="lz4") as writer:
                for batch in batches.read(batches.fields.names, 1 << 16):
                    writer.write_batch(batch)
        except OSError as fault:
            raise no_room(fault, batches.label) from fault

    def _keep(self) -> None:
        spool = Spool(".parquet")
        place = spool.path.replace("'", "''")
        with _Sentences():
            self._connection.execute(f"COPY ({self._sql}) TO '{place}' (FORMAT parquet, COMPRESSION lz4)")
        self._spools.append(spool)
        self._kept = ParquetBatches([spool.path], self.label)
        self.fields, self.n_rows = self._kept.fields, self._kept.n_rows

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield these columns of the result."""
        if self._kept is not None:
            yield from self._kept.read(columns, rows)
            return
        self._stamp.check()
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in columns) or "1 AS nothing"
        count = 0
        with _Sentences():
            result = self._connection.cursor().sql(f"SELECT {names} FROM ({self._sql})")
            reader = getattr(result, "to_arrow_reader", None) or result.fetch_arrow_reader  # its name in older DuckDB
            reader = reader(rows)
            while True:
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    break
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


class _Sentences:
    """Turn DuckDB's exceptions into sentences of ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: Any) -> None:
        import duckdb

        if not isinstance(fault, duckdb.Error):
            return
        first = str(fault).strip().splitlines()[0].split(": ", 1)[-1]
        if isinstance(fault, duckdb.IOException) and "No files found" in str(fault):
            raise FileNotFoundError(2, f"the query names a file that is not there: {first}") from fault
        if isinstance(fault, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException):
            hint = next((line for line in str(fault).splitlines() if line.startswith("Candidate")), "")
            raise WrongUse(f"the query cannot be run: {first} {hint}".strip()) from fault
        if isinstance(fault, duckdb.OutOfMemoryException):
            raise MemoryError(f"the query needs more memory than there is: {first}") from fault
        if isinstance(fault, duckdb.IOException | duckdb.InvalidInputException):
            raise BadFile(f"the query met a file that cannot be read: {first}") from fault
        raise DataError(f"the query failed: {first}") from fault


def _operators(plan: Any) -> set[str]:
    """Return the names of all operators of an explained plan."""
    if isinstance(plan, list):
        return set().union(*(_operators(part) for part in plan)) if plan else set()
    return {str(plan.get("name", "")).strip()} | _operators(plan.get("children", []))
