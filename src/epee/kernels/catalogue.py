"""The signatures for which kernels are compiled ahead of time.

``signatures.json`` lists, for each kernel that is called from Python, the types of the arguments it was seen with. A number is its name
in NumPy (``"int64"``), an array is ``"float64 2C"`` (numbers, dimensions, order; ``r`` at the end where it may only be read), nothing is
``null``, a tuple a list, and a named tuple ``{"trees_split.Data": [...]}``.

The list is written by use: with ``EPEE_SIGNATURES=FILE`` in the environment every new signature is a line of FILE, and
``python -m epee.kernels --notes FILE`` makes the catalogue of them.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from epee.kernels.compiling import Kernel

LISTED = Path(__file__).parent / "signatures.json"


def listed(path: Path = LISTED) -> dict[str, list[list[Any]]]:
    """Return {key of a kernel: its signatures}."""
    return json.loads(path.read_text(encoding="utf-8"))


def write(found: dict[str, list[list[Any]]], path: Path = LISTED) -> None:
    """Write a catalogue, one signature a line."""
    lines = [
        f"{json.dumps(key)}: [\n    " + ",\n    ".join(sorted(json.dumps(s) for s in signatures)) + "\n]"
        for key, signatures in sorted(found.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def told(value: Any) -> Any:
    """Return the type of an argument as the catalogue writes it; :exc:`TypeError` where it has no words for it."""
    from numba import typeof, types

    return _told(typeof(value) if not isinstance(value, types.Type) else value)


def _told(kind: Any) -> Any:
    from numba import types

    if isinstance(kind, types.Array):
        return f"{kind.dtype} {kind.ndim}{kind.layout}{'' if kind.mutable else 'r'}"
    if isinstance(kind, types.BaseNamedTuple):
        place = kind.instance_class
        return {f"{place.__module__.rpartition('.')[2]}.{place.__name__}": [_told(t) for t in kind.types]}
    if isinstance(kind, types.BaseTuple):
        return [_told(t) for t in kind.types]
    if isinstance(kind, types.NoneType):
        return None
    if isinstance(kind, types.Number | types.Boolean):
        return str(kind)
    raise TypeError(f"the catalogue of signatures has no words for {kind}.")


def spelt(value: Any) -> Any:
    """Return what :func:`told` returns, without a look at numba; :exc:`TypeError` for what it does not know."""
    if value is None:
        return None
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf" or not value.dtype.isnative or not value.flags.aligned:
            raise TypeError(f"no words for an array of {value.dtype}.")
        order = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return f"{value.dtype.name} {value.ndim}{order}{'' if value.flags.writeable else 'r'}"
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, np.number):
        return value.dtype.name
    if isinstance(value, int | float):
        return "int64" if isinstance(value, int) else "float64"
    if isinstance(value, tuple):
        words = [spelt(v) for v in value]
        kind = type(value)
        return words if kind is tuple else {f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}": words}
    raise TypeError(f"no words for {type(value).__name__}.")


def typed(word: Any) -> Any:
    """Return numba's type of what the catalogue says."""
    from numba import types

    if word is None:
        return types.none
    if isinstance(word, list):
        return types.Tuple([typed(w) for w in word]) if not _alike(word) else types.UniTuple(typed(word[0]), len(word))
    if isinstance(word, dict):
        ((place, fields),) = word.items()
        module, name = place.split(".")
        made = getattr(import_module(f"epee.kernels.{module}"), name)
        kinds = [typed(w) for w in fields]
        return types.NamedUniTuple(kinds[0], len(kinds), made) if _alike(fields) else types.NamedTuple(kinds, made)
    number, _, shape = word.partition(" ")
    kind = getattr(types, "boolean" if number == "bool" else number)
    return types.Array(kind, int(shape[0]), shape[1], readonly=shape.endswith("r")) if shape else kind


def _alike(words: list[Any]) -> bool:
    return bool(words) and all(word == words[0] for word in words)


class Notes:
    """What kernels were called with while a program runs: each new signature is added to a file as a line."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.seen: set[tuple[str, str]] = set()

    def __call__(self, kernel: Kernel, arguments: tuple[Any, ...]) -> None:
        """Note a call."""
        try:
            said = kernel.key, json.dumps([told(a) for a in arguments])
        except TypeError:  # such a call is compiled when it comes
            return
        if said not in self.seen:
            self.seen.add(said)
            with open(self.path, "a", encoding="utf-8") as file:
                file.write("\t".join(said) + "\n")


def gathered(path: str) -> dict[str, list[list[Any]]]:
    """Return the catalogue of the notes in a file."""
    found: dict[str, list[list[Any]]] = {}
    for line in sorted(set(Path(path).read_text(encoding="utf-8").splitlines())):
        key, types = line.split("\t")
        found.setdefault(key, []).append(json.loads(types))
    return found
