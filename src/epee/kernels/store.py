"""Machine code in files, one for each kernel and signature.

A file is a line that says what it was made from, a checksum, and what numba says of the compiled function. It is used only if its first
line is the one this process would write: the same Python, numba, processor, and the same text of the kernel and of those it calls.
Whatever else it holds (another version's, another machine's, half of what was meant) is passed over, and the kernel is compiled.

Two folders are read. One lies in the package and holds code made ahead for a family of processors (:data:`FAMILIES`); the other is the
first that may be written of ``EPEE_KERNELS``, ``NUMBA_CACHE_DIR``, the package's ``__pycache__`` and the user's cache, and holds code
for this very processor. Where none may be written, or ``EPEE_KERNELS`` is ``none``, nothing is kept beyond this process.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from epee.kernels.compiling import loaded

AHEAD = Path(__file__).parent / "ahead"
FAMILIES = {  # of each kind of machine: the processor to compile for, and what it must be able to do
    "x86_64": ("x86-64-v3", "avx,avx2,bmi,bmi2,cx16,f16c,fma,fxsr,lzcnt,mmx,movbe,popcnt,sahf,sse,sse2,sse3,sse4.1,sse4.2,ssse3,xsave"),
    "aarch64": ("generic", "neon"),
}  # fmt: skip
LONGEST = 120.0  # seconds after which a kernel that another process set out to compile is given up
kept: set[str] | None = None  # where set, only these files are written
private: Path | None = None  # a folder of this process alone, where no other may be written


class Compiled(pickle.Unpickler):
    """Reads what numba says of a compiled function, without the modules that its parts were written in.

    Numba would load them for their globals, which compiled code does not look at: two dozen modules of its own, about arrays and lists.
    """

    def find_class(self, module: str, name: str) -> Any:
        """Return what a name stands for."""
        rebuilds = (module, name) == ("numba.core.environment", "_rebuild_env")
        return environment if rebuilds else super().find_class(module, name)


def environment(module: str, consts: list[Any], name: str) -> Any:
    """Return the constants of a compiled function as numba keeps them; of its module, what is loaded."""
    from numba.core.environment import Environment, lookup_environment

    known = lookup_environment(name)
    if known is None:
        names = vars(sys.modules[module]) if module in sys.modules else {"__name__": module}
        known = Environment.from_fndesc(SimpleNamespace(env_name=name, lookup_globals=lambda: names))
        known.consts[:] = consts
    return known


class Store:
    """Where numba looks for the compiled forms of one kernel, and puts them; it has the methods that numba asks of a cache."""

    cache_path = None

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, or None."""
        from numba.core.compiler import CompileResult
        from numba.core.runtime import rtsys

        start = perf_counter()
        name = file_name(self.kernel, sig)
        try:
            for folder, processor in places(target_context):
                found = read(folder / name, stamp(self.kernel, processor))
                if found is not None:
                    rtsys.initialize(target_context)
                    return CompileResult._rebuild(target_context, *Compiled(io.BytesIO(found)).load())
        except Exception:  # noqa: BLE001 whatever is wrong with it, compiling is the answer
            return None
        finally:
            loaded(perf_counter() - start)
        return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep what was compiled, if it can be kept."""
        folder = writable()
        name = file_name(self.kernel, sig)
        if folder is None or cres.library.has_dynamic_globals or (kept is not None and name not in kept):
            return
        from numba.core.serialize import dumps

        write(folder / name, stamp(self.kernel, own_processor(cres.target_context)), dumps(cres._reduce()))

    def enable(self) -> None:
        """Nothing to do: it is always on."""

    def disable(self) -> None:
        """Nothing to do."""

    def flush(self) -> None:
        """Nothing to do: a file that is out of date is passed over."""


def file_name(kernel: Any, sig: Any) -> str:
    """Return the name of the file of a kernel for a signature."""
    arguments = getattr(sig, "args", sig)
    return _named(kernel.key, hashlib.sha256(repr(arguments).encode()).hexdigest()[:12])


def _named(key: str, digest: str) -> str:
    safe = re.sub(r"[^\w.=-]+", "_", key)
    return f"{safe}-{digest}.{sys.implementation.cache_tag}.kernel"


def _files(key: str) -> list[Path]:
    folders = [folder for folder in (writable(), private, AHEAD) if folder is not None]
    return [path for folder in folders for path in folder.glob(_named(key, "*"))]


def any_file(key: str) -> bool:
    """Tell, without a look at numba, whether a file has code of a kernel as it is written now."""
    text = f" {sources('epee.kernels.' + key.partition('.')[0])} ".encode()
    return any(text in _first_line(path) for path in _files(key))


def holds(kernel: Any, words: str = "") -> bool:
    """Tell whether this process has code of a kernel or a file has some that it can use: for a signature in words, or for any."""
    if not words and kernel._compiled is not None and getattr(kernel._compiled, "overloads", None):
        return True
    some = _files(kernel.key)
    if not some and kernel._compiled is None:
        return False  # without a look at numba
    if words:
        from epee.kernels.catalogue import typed

        types = tuple(typed(word) for word in json.loads(words))
        if not hasattr(kernel.compiled, "overloads") or types in kernel.compiled.overloads:
            return True
        name = file_name(kernel, types)
        some = [path for path in some if path.name == name]
    wanted = (
        {stamp(kernel, processor).encode() for _, processor in places(kernel.compiled.targetctx)} if some else set()
    )
    return any(_first_line(path) in wanted for path in some)


@contextmanager
def claimed(name: str) -> Iterator[bool]:
    """Be the one who makes a file, for the length of a ``with`` block: yields False, some time later, where another process was."""
    folder = writable()
    claim = None if folder is None else folder / f"{name}.claim"
    try:
        if claim is not None:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        assert claim is not None
        with suppress(OSError):
            while time.time() - claim.stat().st_mtime < LONGEST:
                time.sleep(0.1)
            claim.unlink()  # of a process that was ended
        yield False
        return
    except OSError:
        claim = None
    try:
        yield True
    finally:
        if claim is not None:
            claim.unlink(missing_ok=True)


def _first_line(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.readline().rstrip(b"\n")
    except OSError:
        return b""


def places(target_context: Any) -> list[tuple[Path, str]]:
    """Return the folders to look in, each with the processor that its code must be made for."""
    own = own_processor(target_context)
    folder = writable()
    found = [] if folder is None else [(folder, own)]
    if private is not None:
        found.append((private, own))
    family = usable_family()
    return found if family is None else [*found, (AHEAD, family)]


def own_processor(target_context: Any) -> str:
    """Return what numba compiles for in this process."""
    triple, name, features = target_context.codegen().magic_tuple()
    given = os.environ.get("NUMBA_CPU_NAME")
    return f"{triple} {given}" if given else f"{triple} {name} {hashlib.sha256(features.encode()).hexdigest()[:12]}"


@cache
def usable_family() -> str | None:
    """Return the family of this processor as :func:`own_processor` wrote it when the package was made, None if it has none."""
    import platform

    import llvmlite.binding as llvm

    machine = platform.machine().lower()
    name, needs = FAMILIES.get({"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine), (None, ""))
    can = llvm.get_host_cpu_features()
    if name is None or not AHEAD.is_dir() or not all(can.get(feature, False) for feature in needs.split(",")):
        return None
    return f"{llvm.get_process_triple()} {name}"


@cache
def writable() -> Path | None:
    """Return the first folder that may be written, None if there is none."""
    own = os.environ.get("EPEE_KERNELS")
    if own == "none":
        return None
    wanted = [Path(own)] if own else []
    numba_dir = os.environ.get("NUMBA_CACHE_DIR")
    wanted += [Path(numba_dir) / "epee"] if numba_dir else []
    wanted += [Path(__file__).parent / "__pycache__"]
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/.cache")
    wanted += [Path(home) / "epee" / "kernels"] if os.path.isabs(home) else []
    for folder in wanted:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


@cache
def stamp(kernel: Any, processor: str) -> str:
    """Return the line that says what compiled code of a kernel was made from."""
    import numba

    return f"{sys.implementation.cache_tag} numba {numba.__version__} {processor} {sources(kernel.__module__)} {kernel.key}"


@cache
def sources(module: str) -> str:
    """Return a digest of the text of a module of kernels and of all those it takes kernels from."""
    left, seen, digest = [module], set(), hashlib.sha256()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        spec = find_spec(name)
        text = spec.loader.get_data(spec.origin) if spec and spec.loader else b""  # type: ignore[attr-defined]
        digest.update(text)
        called = {m.decode() for m in re.findall(rb"^from epee\.kernels\.(\w+) import", text, re.MULTILINE)}
        left += sorted(f"epee.kernels.{name}" for name in called - {"compiling"})
    return digest.hexdigest()[:16]


def read(path: Path, wanted: str) -> bytes | None:
    """Return what a file holds if it is whole and was made from ``wanted``, else None."""
    try:
        said, _, rest = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    whole = said == wanted.encode() and hashlib.sha256(rest[32:]).digest() == rest[:32]
    return rest[32:] if whole else None


def write(path: Path, made_from: str, held: bytes) -> None:
    """Write a file at once: who reads sees all of it or nothing. A disk that is full or closed is no reason to stop."""
    temporary = ""
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            temporary = file.name
            file.write(made_from.encode() + b"\n" + hashlib.sha256(held).digest() + held)
        os.replace(temporary, path)
    except OSError:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
