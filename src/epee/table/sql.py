"""What may stand in a query: one SELECT, on tables in files of this machine.

DuckDB's own parser says which functions and files a query names. Functions that make rows are those of a short list; those that
read CSV become the name of the file, which our reader reads. All the rest (folders, raw texts, settings, other file systems,
extensions) is refused before anything is run, and each fault of DuckDB is a sentence.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from epee.errors import BadFile, DataError, TooLarge, WrongUse

_SQL = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(select|with|from)\s", re.IGNORECASE | re.DOTALL)
ROWS = frozenset(["range", "generate_series", "unnest", "repeat", "repeat_row"])  # rows out of nothing
CSV = frozenset(["read_csv", "read_csv_auto"])
PARQUET = frozenset(["read_parquet", "parquet_scan"])
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def is_query(text: str) -> bool:
    r"""Tell SQL from a path.

    >>> is_query("SELECT * FROM 'a.csv'"), is_query("-- sales\nSELECT 1"), is_query("selected.csv")
    (True, True, False)
    """
    return _SQL.match(text) is not None and not os.path.exists(text)


def bare(sql: str) -> str:
    """Return a query without the comments and semicolons behind it.

    >>> bare("SELECT 1; -- one")
    'SELECT 1'
    """
    import duckdb

    end = len(sql)
    for place, kind in reversed(duckdb.tokenize(sql)):
        if kind != duckdb.token_type.comment and sql[place] != ";":
            break
        end = place
    return sql[:end].strip()


def named_csv(sql: str) -> str:
    """Return a query in which ``read_csv('a.csv')`` is ``"a.csv"``, a table that our own reader reads.

    >>> print(named_csv("SELECT 'read_csv' FROM read_csv('a.csv') t"))
    SELECT 'read_csv' FROM "a.csv" t
    """
    import duckdb

    words = {place for place, kind in duckdb.tokenize(sql) if kind == duckdb.token_type.identifier}
    call = re.compile(r"\b(?:read_csv|read_csv_auto)\s*\(\s*'((?:[^']|'')+)'\s*\)", re.IGNORECASE)

    def name(found: re.Match[str]) -> str:
        quoted = found[1].replace("''", "'").replace('"', '""')
        return f'"{quoted}"' if found.start() in words else found[0]

    return call.sub(name, sql)


def files_of_functions(connection: Any, sql: str) -> list[str]:
    """Return the files that functions of a query read, or refuse a function that is not of the lists above."""
    plan = json.loads(connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()[0])
    if plan.get("error"):
        raise WrongUse(f"the query cannot be run: {str(plan.get('error_message')).splitlines()[0]}")
    files: list[str] = []
    for node in _nodes(plan):
        if node.get("type") != "TABLE_FUNCTION":
            continue
        call = node["function"]
        name = str(call["function_name"]).lower()
        if name in CSV:
            raise WrongUse(
                f"the query calls {name} with options, which are not taken: name the file, FROM 'file.csv'; its dialect is found out."
            )
        if name in PARQUET:
            files += [text for part in _nodes(call) if (text := _text(part)) is not None]
        elif name not in ROWS:
            raise WrongUse(
                f"the query calls {name}, which is not allowed: rows come from tables in files, FROM 'file.csv' or FROM 'file.parquet'."
            )
    return files


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a tree of JSON."""
    stack = [tree]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            yield part
            stack += part.values()
        elif isinstance(part, list):
            stack += part


def _text(node: dict[str, Any]) -> str | None:
    """Return the text of a constant of a parsed query; DuckDB's versions write it in two ways."""
    if node.get("class") != "CONSTANT":
        return None
    literal, value = node.get("literal"), node.get("value")
    if isinstance(literal, dict):
        return str(literal.get("text")) if literal.get("kind") == "STRING" else None
    text = value.get("value") if isinstance(value, dict) else None
    return text if isinstance(text, str) else None


def refuse_elsewhere(name: str) -> None:
    """Refuse a file that is not on this machine."""
    if _ELSEWHERE.match(name):
        raise WrongUse(f"the query names {name!r}, which is not on this machine; fetch the file first.")


class Sentences:
    """Turn DuckDB's exceptions into sentences of ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: Any) -> None:
        import duckdb

        if isinstance(fault, RuntimeError) and "Query interrupted" in str(fault):
            raise KeyboardInterrupt from fault
        if not isinstance(fault, duckdb.Error):
            return
        text = str(fault).strip()
        first = text.splitlines()[0].split(" Error: ", 1)[-1].rstrip(".!")
        if isinstance(fault, duckdb.OutOfMemoryException):
            raise TooLarge(
                f"the query needs more memory than it may take ({first}); make it smaller, or allow more with --memory."
            ) from fault
        if "extension" in first or "extension" in text.partition("\n\n")[0]:
            what = re.search(r'"(\w+)"|extension \'(\w+)', text)
            named = f" ({what[1] or what[2]})" if what else ""
            raise WrongUse(
                f"the query needs an extension of DuckDB{named}; none is installed or loaded by a query."
            ) from fault
        if isinstance(fault, duckdb.PermissionException):
            raise WrongUse(f"the query may read only the files that it names: {first}.") from fault
        if isinstance(fault, duckdb.IOException) and "No files found" in text:
            raise FileNotFoundError(2, f"the query names a file that is not there: {first}") from fault
        if isinstance(fault, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException):
            hint = next((line for line in text.splitlines() if line.startswith(("Candidate", "Did you"))), "")
            raise WrongUse(f"the query cannot be run: {first}. {hint}".strip()) from fault
        if isinstance(fault, duckdb.InterruptException):
            raise KeyboardInterrupt from fault
        if isinstance(fault, duckdb.IOException | duckdb.InvalidInputException):
            raise BadFile(f"the query met a file that cannot be read: {first}.") from fault
        raise DataError(f"the query failed: {first}.") from fault
