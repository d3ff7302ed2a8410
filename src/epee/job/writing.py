"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from epee.errors import WrongUse


@contextmanager
def atomic(path: str | Path, text: bool = False) -> Iterator[IO[Any]]:
    """Yield a stream beside ``path`` that takes its place when the block ends well, and vanishes when it does not.

    Two writers of one path do not mix: the file is that of the one who ends last.
    """
    target = check_place(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") if text else os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those of a new file."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def check_place(path: str | Path) -> Path:
    """Refuse a place where no file can be written, before any work is done."""
    target = Path(path)
    folder = target.parent
    if target.is_dir():
        raise WrongUse(f"{str(target)!r} is a folder; give the name of a file.")
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {str(folder)!r} to write {target.name!r} in")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=folder)
    except OSError as fault:
        number = fault.errno or errno.EACCES
        raise OSError(
            number, f"cannot write in {str(folder)!r}: {os.strerror(number)}; choose another place with -o"
        ) from None
    os.close(handle)
    os.unlink(name)
    return target
