"""From a path to batches: a file, a folder of files, a pattern, or ``-`` for standard input.

What a file holds is decided by its first bytes; its name only says so too.
"""

from __future__ import annotations

import errno
import glob
import os
import stat
import sys
from collections.abc import Mapping
from typing import Any

from epee.errors import BadFile, EmptyTable
from epee.table.batches import Batches, name_of
from epee.table.delimited import Reading, TextBatches
from epee.table.parquet import ParquetBatches
from epee.table.schema import suggestion
from epee.table.spool import Spool
from epee.words.table_words import say

TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
PARQUET = (".parquet", ".pq", ".parq")
_STRANGE = {
    b"PK\x03\x04": "a zip archive or a workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"SQLi": "an SQLite database",
    b"ARRO": "an Arrow file",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUM": "a NumPy array",
}


def open_path(
    path: str | os.PathLike[str], reading: Reading | None = None, types: Mapping[str, str] | None = None
) -> Batches:
    """Return the batches of a file, a folder, a pattern or standard input, or say what is wrong with it."""
    text = os.fspath(path)
    if text == "-":
        return _spooled(sys.stdin.buffer, "standard input", reading, types)
    text = os.path.expanduser(text)
    label = name_of(os.path.normpath(text))
    try:
        status = os.stat(text)
    except (FileNotFoundError, NotADirectoryError):
        found = sorted(glob.glob(text, recursive=True)) if glob.has_magic(text) else []
        if found:
            return _open_files(found, label, reading, types, os.path.dirname(text))
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
    return _open_files([text], label, reading, types, os.path.dirname(text))


def _open_files(
    paths: list[str], label: str, reading: Reading | None, types: Mapping[str, str] | None, root: str
) -> Batches:
    parquet = [_is_parquet(path) for path in paths]
    if any(parquet) and not all(parquet):
        a, b = paths[parquet.index(True)], paths[parquet.index(False)]
        raise BadFile(f"{label} mixes formats: {name_of(a)} is Parquet and {name_of(b)} is not; give one of them.")
    if not parquet[0]:
        return TextBatches(paths, label, reading, types)
    batches = ParquetBatches(paths, label, _keys(paths, root))
    if paths[0].lower().endswith(TEXT):
        batches.notes.append(say("is_parquet", label=label))
    return batches


def _open_folder(folder: str, label: str, reading: Reading | None, types: Mapping[str, str] | None) -> Batches:
    found: list[str] = []
    try:
        for base, folders, names in os.walk(folder, onerror=_raise):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
            found += [os.path.join(base, name) for name in sorted(names) if _is_table_name(name)]
    except OSError as fault:
        raise _unreadable(folder, fault) from fault
    if not found:
        raise EmptyTable(f"the folder {label} holds no Parquet or CSV file.")
    return _open_files(sorted(found), label, reading, types, folder)


def _raise(fault: OSError) -> None:
    raise fault


def _is_table_name(name: str) -> bool:
    bare = name.lower()
    for end in COMPRESSED:
        bare = bare.removesuffix(end)
    return bare.endswith(TEXT + PARQUET) and not name.startswith((".", "_"))


def _is_parquet(path: str) -> bool:
    """Tell Parquet from text by the first bytes, and refuse what is neither."""
    name = name_of(path)
    try:
        with open(path, "rb") as f:
            head = f.read(4)
    except OSError as fault:
        raise _unreadable(path, fault) from fault
    if head == b"PAR1" or (path.lower().endswith(PARQUET)):
        return True
    if head in _STRANGE:
        raise BadFile(f"{name} is {_STRANGE[head]}, not a table that can be read: save it as CSV or Parquet.")
    return False


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
    batches = _open_files([spool.path], label, reading, types, os.path.dirname(spool.path))
    batches.spool = spool  # type: ignore[attr-defined]  # keeps the file as long as the batches
    return batches


def _neighbour(path: str) -> str:
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        return f"; there is no folder {folder!r} either."
    names = [name for name in os.listdir(folder) if _is_table_name(name)]
    near = suggestion(os.path.basename(path), names)
    return near if near.startswith("; did") else "; look at its name and folder."


def _unreadable(path: str, fault: Exception) -> Exception:
    if isinstance(fault, PermissionError):
        return PermissionError(errno.EACCES, f"{path!r} may not be read by this user; ask for the right to, or copy it")
    if isinstance(fault, OSError) and fault.errno is not None:
        return OSError(fault.errno, f"{path!r} cannot be read: {os.strerror(fault.errno)}")
    return BadFile(f"{path!r} is not the name of a file.")
