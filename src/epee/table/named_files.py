"""Which files the name of a table stands for: so that nothing is written over them.

A file is itself, a pattern and a folder are the tables in them, a query is every file that stands in quotes in it.
"""

from __future__ import annotations

import glob
import os
import re
from typing import Any

from epee.table.servers import file_of, is_server
from epee.table.sql import is_query

NO_TABLES = (".epee", ".html")  # such files may lie beside the tables of a folder
_QUOTED = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")


def files_named(table: Any) -> list[str]:
    """Return the names of the files and folders that a table is read from; none for a frame.

    >>> files_named("SELECT * FROM 'a.csv' JOIN 'b.parquet' USING (k)")
    ['a.csv', 'b.parquet']
    >>> files_named("-"), files_named("base.sqlite::sales")
    (['/dev/stdin'], ['base.sqlite'])
    """
    if not isinstance(table, str | os.PathLike):
        return []
    text = os.fspath(table)
    if text == "-":
        return ["/dev/stdin"]
    if is_query(text):
        quoted = [(a or b).replace("''", "'").replace('""', '"') for a, b in _QUOTED.findall(text)]
        return [name for words in quoted for name in _matching(words)]
    if is_server(text):
        return []
    path = os.path.expanduser(file_of(text))
    return _matching(
        path if os.path.exists(path) else path.partition("::")[0]
    )  # a table of a base is not a file of its own


def _matching(name: str) -> list[str]:
    found = sorted(glob.glob(name, recursive=True)) if glob.has_magic(name) and not os.path.exists(name) else []
    return found or [name]


def same_file(path: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Tell whether two names are one file, through links of both kinds; a file in a folder of tables belongs to it.

    >>> same_file("a.csv", "./a.csv"), same_file("a.csv", "b.csv")
    (True, False)
    """
    if os.path.isdir(other):
        inside = os.path.realpath(path).startswith(os.path.join(os.path.realpath(other), ""))
        return inside and not os.fspath(path).lower().endswith(NO_TABLES)
    if not os.path.exists(path) or not os.path.exists(other):
        return os.path.realpath(path) == os.path.realpath(other)
    return os.path.samefile(path, other) and os.path.isfile(path)
