"""Names that load when they are first used (PEP 562).

A package lists its public names and the module each lives in; nothing is imported until a name is asked for. That keeps
``import epee`` and ``epee --help`` instant while every name is one import away.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def attach(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for a package whose names live in ``places``.

    A place is ``"module"`` (the attribute of that module with the same name), or ``"module:"`` when the name is the
    module itself.
    """

    def load(name: str) -> Any:
        place = places.get(name)
        if place is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = import_module(place[:-1]) if place.endswith(":") else getattr(import_module(place), name)
        setattr(sys.modules[package], name, value)
        return value

    def listing() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places})

    return load, listing, sorted(places)
