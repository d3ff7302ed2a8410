"""Where results are written: whole or not at all, never over an input, never over what somebody else wrote.

=====================================  =============================================================================
the place                              what happens
=====================================  =============================================================================
nothing there yet                      a new file, which takes its name when it is whole
a file that épée wrote                 replaced at once when the new one is whole; its permissions stay
another file that is not empty         refused, unless ``force``
an input, or another output            refused, under whichever name or link
a link                                 what it points to is the place; the link stays
a folder, a disk, a socket             refused
a pipe, a terminal, ``/dev/null``      written through, as any tool does
``/dev/stdout``, ``/dev/fd/3``         written to that open file
=====================================  =============================================================================
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from epee.errors import WrongUse
from epee.table.named_files import same_file
from epee.table.spool import unfinished

_OPEN = re.compile(r"(?:/dev|/proc/self)/fd/(\d+)")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}

Mark = Callable[[IO[bytes]], bool]  # tells whether épée wrote what a stream holds


def is_bundle(stream: IO[bytes]) -> bool:
    """Tell a predictor that épée saved: a zip whose first member is the manifest."""
    head = stream.read(43)
    return head.startswith(b"PK\x03\x04") and head.endswith(b"manifest.json")


def is_page(stream: IO[bytes]) -> bool:
    """Tell a page that épée wrote, by its generator."""
    return '<meta name="generator" content="épée">'.encode() in stream.read(4096)


def anything(stream: IO[bytes]) -> bool:
    """Take every file for ours: where who wrote it is asked later."""
    return True


@contextmanager
def atomic(path: str | Path, text: bool = False) -> Iterator[IO[Any]]:
    """Yield a stream beside ``path`` that takes its place when the block ends well, and vanishes when it does not.

    Two writers of one path do not mix: the file is that of the one who ends last. What is no file (a pipe, a device, a
    descriptor) is written through: texts as they come, bytes when they are whole, for their writers go back and forth.
    """
    target = check_place(path)
    if not is_replaced(target):
        with _through(target, text) as stream:
            yield stream
        return
    target = Path(os.path.realpath(target))
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    with unfinished(name):
        with os.fdopen(handle, "w", encoding="utf-8", newline="") if text else os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)


@contextmanager
def _through(target: Path, text: bool) -> Iterator[IO[Any]]:
    """Yield a stream to what is there already: an open file, a pipe or a device."""
    number = descriptor(target)
    place: Any = target if number is None else os.dup(number)
    if text:
        with open(place, "w", encoding="utf-8", newline="") as out:
            yield out
        return
    with open(place, "wb") as out, tempfile.TemporaryFile() as whole:
        yield whole
        whole.seek(0)
        shutil.copyfileobj(whole, out)


def descriptor(path: str | Path) -> int | None:
    """Return the number of the open file that a name such as ``/dev/stdout`` stands for, or None.

    >>> descriptor("/dev/stdout"), descriptor("/dev/fd/63"), descriptor("out.csv")
    (1, 63, None)
    """
    name = os.fspath(path)
    found = _OPEN.fullmatch(name)
    return int(found[1]) if found else _STANDARD.get(name)


def is_replaced(path: str | Path) -> bool:
    """Tell whether a place is a file, old or new, which takes its name when it is whole, and not a pipe or a device."""
    if descriptor(path) is not None:
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those of a new file."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def check_places(
    places: Iterable[tuple[str | Path | None, Mark]], inputs: Iterable[str | Path] = (), force: bool = False
) -> None:
    """Refuse, before any work, places where nothing can or may be written; each is given with what tells our own files.

    ``inputs`` are the files that are read; two places must not be one file either. ``force`` allows to replace the
    files of others, never an input.
    """
    taken = [os.fspath(name) for name in inputs]
    for path, ours in places:
        if path is None:
            continue
        target = check_place(path)
        for name in taken:
            if same_file(target, name):
                alike = os.fspath(path) == name
                what = "read or written by this command too" if alike else f"the same file as {name!r}"
                raise WrongUse(f"{str(path)!r} is {what}, and would be overwritten; choose another name.")
        if is_replaced(target):
            taken.append(os.fspath(path))
            if not force:
                refuse_others(target, ours)


def refuse_others(path: str | Path, ours: Mark) -> None:
    """Refuse to replace a file that épée did not write."""
    try:
        with open(path, "rb") as stream:
            known = ours(stream) or os.fstat(stream.fileno()).st_size == 0
    except FileNotFoundError:
        return
    except PermissionError:
        known = False
    if not known:
        raise WrongUse(
            f"{str(path)!r} is there already, and is not what épée would write there; choose another name, or replace it with --force."
        )


def check_place(path: str | Path) -> Path:
    """Refuse a place where no file can be written, before any work is done."""
    target, number = Path(path), descriptor(path)
    if number is not None:
        try:
            os.fstat(number)
        except OSError:
            raise FileNotFoundError(errno.ENOENT, f"{str(target)!r} is no open file of this command") from None
        return target
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    except NotADirectoryError:
        raise FileNotFoundError(
            errno.ENOENT, f"there is no folder {str(target.parent)!r} to write {target.name!r} in"
        ) from None
    except OSError as fault:
        raise OSError(fault.errno, f"cannot write {str(target)!r}: {os.strerror(fault.errno or 0)}") from None
    if stat.S_ISDIR(mode):
        raise WrongUse(f"{str(target)!r} is a folder; give the name of a file.")
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise WrongUse(f"{str(target)!r} is a {'disk' if stat.S_ISBLK(mode) else 'socket'}; give the name of a file.")
    if stat.S_ISREG(mode):
        _check_folder(target)
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, f"{str(target)!r} may not be written; choose another place with -o")
    return target


def _check_folder(target: Path) -> None:
    """Refuse a folder in which no file can be made; where ``target`` is a link, that of what it points to."""
    folder = Path(os.path.realpath(target)).parent if target.is_symlink() else target.parent
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
