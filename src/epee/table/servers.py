"""A table of a database server by its address, ``postgresql://user@host/base::sales`` or ``mysql://...``; ``sqlite://`` is a file.

DuckDB reads servers by extensions of its own, which whoever wants them installs once. A server gives rows in an order that may
change from one reading to the next, so they are read once into a temporary file, and every pass reads that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from epee.errors import BadFile, WrongUse
from epee.table.databases import choose, quoted
from epee.table.spool import Spool

SERVER = re.compile(r"(postgres(?:ql)?|mysql|mariadb)://", re.IGNORECASE)
_FILE = re.compile(r"sqlite://", re.IGNORECASE)
_PASSWORD = re.compile(r"(://[^/@:]*):[^/@]*@")


def is_server(text: str) -> bool:
    """Tell the address of a database server."""
    return SERVER.match(text) is not None


def without_password(text: str) -> str:
    """Return an address as it may be shown and saved.

    >>> without_password("postgresql://ann:secret@host/base::sales")
    'postgresql://ann@host/base::sales'
    """
    return _PASSWORD.sub(r"\1@", text)


def file_of(text: str) -> str:
    """Return the file that an address of SQLite means: three slashes for a relative path, four for one from the root.

    >>> file_of("sqlite:///a.db::sales"), file_of("sqlite:////tmp/a.db"), file_of("a.csv")
    ('a.db::sales', '/tmp/a.db', 'a.csv')
    """
    if not _FILE.match(text):
        return text
    path = unquote(text.split("://", 1)[1]).removeprefix("/")
    below = "/" + path
    return below if not os.path.exists(path.partition("::")[0]) and os.path.exists(below.partition("::")[0]) else path


def spooled_table(text: str) -> tuple[Spool, str]:
    """Return a table of a server as a temporary Parquet file, and what to call it."""
    import duckdb

    address, inner = _parts(text)
    label = without_password(address).split("://", 1)[1].rpartition("@")[2]
    kind = "postgres" if address.lower().startswith("postgres") else "mysql"
    try:
        base = attached(kind, address, label)
        tables = base.execute(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = 'there' "
            "AND table_schema NOT IN ('information_schema', 'pg_catalog', 'mysql', 'performance_schema', 'sys') ORDER BY ALL"
        ).fetchall()
        names = {
            name if schema in ("public", "main") else f"{schema}.{name}": (schema, name) for schema, name in tables
        }
        schema, name = names[choose(label, inner, list(names), typed=without_password(address))]
        spool = Spool(".parquet")
        where = f"there.{quoted(schema)}.{quoted(name)}"
        base.execute(f"COPY (SELECT * FROM {where}) TO {quoted(spool.path, chr(39))} (FORMAT parquet)")
        base.close()
    except duckdb.Error as fault:
        first = without_password(next(iter(str(fault).strip().splitlines()), type(fault).__name__))
        raise BadFile(
            f"{label} cannot be read: {first.rstrip('.')}. Look at its address, and at your rights there."
        ) from None
    return spool, f"{label}::{name}"


def attached(kind: str, address: str, label: str) -> Any:
    """Return a connection of DuckDB to a server, called ``there``, for reading alone; or say how to get what it needs."""
    import duckdb

    base = duckdb.connect(config={"autoinstall_known_extensions": False})
    try:
        base.execute(f"LOAD {kind}")
    except duckdb.Error:
        raise WrongUse(
            f"{label} is a database server, which DuckDB reads by its extension {kind!r}: install that once with python -c "
            f"\"import duckdb; duckdb.execute('INSTALL {kind}')\", or give a file."
        ) from None
    base.execute(f"ATTACH {quoted(_named(kind, address), chr(39))} AS there (TYPE {kind}, READ_ONLY)")
    return base


def _parts(text: str) -> tuple[str, str | None]:
    """Return the address of a base and the table in it; colons within brackets are those of an address."""
    head, mark, inner = text.rpartition("::")
    return (head, inner) if mark and "]" not in inner else (text, None)


def _named(kind: str, address: str) -> str:
    """Return an address as the extension wants it: PostgreSQL's own, the parts one by one for MySQL."""
    if kind == "postgres":
        return address
    found = urlsplit(address)
    parts: Mapping[str, Any] = {
        "host": found.hostname, "port": found.port, "user": found.username, "password": found.password,
        "database": found.path.strip("/"),
    }  # fmt: skip
    return " ".join(f"{name}={unquote(str(value))}" for name, value in parts.items() if value)
