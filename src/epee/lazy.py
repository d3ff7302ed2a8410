"""Names that load when they are first used (PEP 562).

A package lists its public names and the module each lives in; nothing is imported until a name is asked for. That keeps
``import epee`` and ``epee --help`` instant while every name is one import away.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


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


class Later(ModuleType):
    """Stands for a module that somebody imports and perhaps never uses: the first attribute asked of it loads it.

    Of a package, ``parts`` are names that are had from one of its modules alone.
    """

    def __init__(self, name: str, parts: Mapping[str, str] | None = None) -> None:
        super().__init__(name)
        self.parts = parts or {}
        if self.parts:
            spec = find_spec(name)
            self.__path__ = list((spec and spec.submodule_search_locations) or ())

    def __getattr__(self, name: str) -> Any:
        if name in vars(self).get("parts", ()) and find_spec(self.parts[name]):
            return getattr(import_module(self.parts[name]), name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def import_lean(module: str, without: Sequence[str], parts: Mapping[str, Mapping[str, str]] | None = None) -> None:
    """Import a module while others that it imports, and seldom uses, wait until they are asked for something.

    Of the packages that are keys of ``parts``, only modules are loaded: {package: {name: its module}}. Who imports one of them afterwards
    gets the module itself. For a program of its own, such as a command: a library leaves the imports of others as they are.
    """
    waiting = {name: Later(name) for name in without if name not in sys.modules}
    shown: list[tuple[ModuleType, str]] = []  # packages that have one of them as an attribute, as they would the module
    try:
        if module not in sys.modules:
            sys.modules.update(waiting)
            for name, stand_in in waiting.items():
                parent, _, own = name.rpartition(".")
                if parent in sys.modules and own not in vars(sys.modules[parent]):
                    setattr(sys.modules[parent], own, stand_in)
                    shown.append((sys.modules[parent], own))
            import_module(module.partition(".")[0])
            for package, names in (parts or {}).items():
                if package not in sys.modules:
                    waiting[package] = sys.modules[package] = Later(package, names)
            import_module(module)
    finally:
        for package_, own in shown:
            if isinstance(vars(package_).get(own), Later):
                delattr(package_, own)
        for name, stand_in in waiting.items():
            if sys.modules.get(name) is stand_in:
                del sys.modules[name]


class Shown:
    """What a notebook shows by a page of its own: the room that writes it is loaded then."""

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return str(import_module("epee.report.notebook").notebook_html(self))


def drawn(place: str, doc: str) -> Callable[..., Any]:
    """Return the method ``plot`` of a result, which ``doc`` describes: that at ``place`` in :mod:`epee.figures`, loaded then.

    >>> drawn("risk.plot_risk", "Draw the estimate.").__doc__
    'Draw the estimate.'
    """

    def plot(self: Any, ax: Any = None) -> Any:
        module, _, name = place.rpartition(".")
        return getattr(import_module(f"epee.figures.{module}"), name)(self, ax)

    plot.__doc__ = doc
    return plot


class _Absent:
    """A finder that has nothing under one name, whatever is installed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, *others: Any) -> None:
        if name == self.name:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def absent(name: str) -> Iterator[None]:
    """Let a package that is not loaded yet seem not to be installed, while the block runs."""
    finder: Any = _Absent(name)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
