"""From a path to batches: a file, a folder of files, a pattern, or ``-`` for standard input.

What a file holds is decided by its first bytes (:mod:`epee.table.formats`); its name only says so too.
"""

from __future__ import annotations

import errno
import glob
import os
import re
import stat
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from epee.errors import BadFile, EmptyTable, WrongUse
from epee.table.batches import Batches, name_of
from epee.table.delimited import Reading
from epee.table.formats import FORMATS, PACKED, PARQUET, TEXT, Format, open_files
from epee.table.schema import suggestion
from epee.table.servers import file_of, is_server, spooled_table
from epee.table.spool import Spool

_ADDRESS = re.compile(r"(https?|ftps?|s3a?|gs|az|abfss?|hdfs|webdav)://", re.IGNORECASE)


def open_path(
    path: str | os.PathLike[str], reading: Reading | None = None, types: Mapping[str, str] | None = None
) -> Batches:
    """Return the batches of a file, a folder, a pattern or standard input, or say what is wrong with it.

    ``"base.sqlite::sales"`` and ``"book.xlsx::2024"`` name one of the tables or sheets of a file.
    """
    text = os.fspath(path)
    if _ADDRESS.match(text):
        raise WrongUse(f"{text!r} is an address, and only files are read here: fetch it first, then give the file.")
    if is_server(text):
        spool, label = spooled_table(text)
        return _kept(_open_files([spool.path], label, None, None, types, os.path.dirname(spool.path)), spool)
    text = file_of(text)
    if text == "-":
        return _spooled(sys.stdin.buffer, "standard input", reading, types)
    text = os.path.expanduser(text)
    text, inner = inner_of(text)
    label = name_of(os.path.normpath(text))
    try:
        status = os.stat(text)
    except (FileNotFoundError, NotADirectoryError):
        found = sorted(glob.glob(text, recursive=True)) if glob.has_magic(text) else []
        if found:
            return _open_files(found, label, inner, reading, types, os.path.dirname(text))
        raise FileNotFoundError(errno.ENOENT, f"there is no file {text!r}{_neighbour(text)}") from None
    except (OSError, ValueError) as fault:
        raise _unreadable(text, fault) from fault
    if stat.S_ISDIR(status.st_mode):
        return _open_folder(text, label, reading, types)
    if not stat.S_ISREG(status.st_mode):
        if not text.startswith(("/dev/stdin", "/dev/fd/", "/proc/")):
            raise BadFile(
                f"{label} is a pipe or a device, not a file, and can be read only once: give '-' and redirect it, < {label}."
            )
        with open(text, "rb") as stream:
            return _spooled(stream, label, reading, types)
    return _open_files([text], label, inner, reading, types, os.path.dirname(text))


def inner_of(text: str) -> tuple[str, str | None]:
    """Return a path and the table in its file, where one is named.

    >>> inner_of("base.sqlite::sales"), inner_of("base.sqlite")
    (('base.sqlite', 'sales'), ('base.sqlite', None))
    """
    if "::" not in text or os.path.exists(text):
        return text, None
    path, _, inner = text.partition("::")
    return path, inner or None


def _open_files(
    paths: list[str], label: str, inner: str | None, reading: Reading | None, types: Mapping[str, str] | None, root: str
) -> Batches:
    try:
        return open_files(paths, label, inner, reading, types, lambda those: _keys(those, root))
    except PermissionError as fault:
        raise _unreadable(str(fault.filename or paths[0]), fault) from fault


def _open_folder(folder: str, label: str, reading: Reading | None, types: Mapping[str, str] | None) -> Batches:
    found: list[str] = []
    try:
        for base, folders, names in os.walk(folder, onerror=_raise):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
            found += [os.path.join(base, name) for name in sorted(names) if is_table_name(name)]
    except OSError as fault:
        raise _unreadable(folder, fault) from fault
    usual = [
        path for path in found if is_table_name(path, (PARQUET, TEXT))
    ]  # a note in JSON beside them is no part of the table
    if not found:
        raise EmptyTable(f"the folder {label} holds no Parquet or CSV file, nor any other table.")
    return _open_files(sorted(usual or found), label, None, reading, types, folder)


def _raise(fault: OSError) -> None:
    raise fault


def is_table_name(path: str, formats: Sequence[Format] = FORMATS) -> bool:
    """Tell whether a file is called as a table is."""
    name = os.path.basename(path).lower()
    for end in PACKED:
        name = name.removesuffix(end)
    return any(name.endswith(f.ends) for f in formats) and not name.startswith((".", "_"))


def _keys(paths: list[str], root: str) -> list[dict[str, str]]:
    """Return the columns that folders called ``key=value`` stand for, or refuse files that do not agree on them."""
    keys = []
    for path in paths:
        parts = os.path.relpath(os.path.dirname(path) or ".", root or ".").split(os.sep)
        keys.append(dict(part.split("=", 1) for part in parts if "=" in part))
    for path, own in zip(paths, keys, strict=True):
        if list(own) != list(keys[0]):
            raise BadFile(
                f"{name_of(path)} lies in folders {list(own)}, the first file in {list(keys[0])}: they must agree."
            )
    return keys


def _spooled(stream: Any, label: str, reading: Reading | None, types: Mapping[str, str] | None) -> Batches:
    spool = Spool().fill(stream, label)
    return _kept(_open_files([spool.path], label, None, reading, types, os.path.dirname(spool.path)), spool)


def _kept(batches: Batches, spool: Spool) -> Batches:
    """Return batches that keep a temporary file as long as they are there."""
    batches.spool = (spool, batches.spool) if hasattr(batches, "spool") else spool  # type: ignore[attr-defined]
    return batches


def _neighbour(path: str) -> str:
    folder = os.path.dirname(path) or "."
    if os.path.islink(path):
        return f": it is a link to {os.readlink(path)!r}, which is not there."
    if not os.path.isdir(folder):
        return f"; there is no folder {folder!r} either."
    names = [name for name in os.listdir(folder) if is_table_name(name)]
    near = suggestion(os.path.basename(path), names)
    return near if near.startswith("; did") else "; look at its name and folder."


def _unreadable(path: str, fault: Exception) -> Exception:
    if isinstance(fault, PermissionError):
        return PermissionError(errno.EACCES, f"{path!r} may not be read by this user; ask for the right to, or copy it")
    if isinstance(fault, OSError) and fault.errno is not None:
        return OSError(fault.errno, f"{path!r} cannot be read: {os.strerror(fault.errno)}")
    return BadFile(f"{path!r} is not the name of a file.")
