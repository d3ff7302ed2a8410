"""Our trees and forests, known to scikit-learn as trees and forests.

``plot_tree``, ``export_text``, ``partial_dependence`` and others ask whether they were given one of scikit-learn's classes. Ours have
the same arrays in the same places, so they are registered with these classes, which are abstract base classes: ``isinstance`` says yes,
nothing is inherited. Importing scikit-learn's trees takes 90 ms, which nobody should pay who does not use them: where they are not loaded
yet, the registration waits until they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_waiting: dict[str, list[type]] = {}


def akin(module: str) -> Callable[[type], type]:
    """Register a class with the class of the same name in a module of scikit-learn's, now or when that module is imported."""

    def note(own: type) -> type:
        if module in sys.modules and hasattr(sys.modules[module], own.__name__):
            getattr(sys.modules[module], own.__name__).register(own)
            return own
        if not _waiting:
            sys.meta_path.insert(0, Waiting())
        _waiting.setdefault(module, []).append(own)
        return own

    return note


class Waiting(MetaPathFinder):
    """Finds nothing itself: when a module is imported that classes wait for, it lets the others find it and registers them."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return what the other finders found, with a loader that registers afterwards; None for all other modules."""
        if name not in _waiting:
            return None
        ours = _waiting.pop(name)
        found = find_spec(name)
        if found is None or found.loader is None:
            return found
        found.loader = _Then(found.loader, ours)
        return found


class _Then(Loader):
    def __init__(self, loader: Loader, ours: list[type]) -> None:
        self.loader, self.ours = loader, ours

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self.loader  # from here on everything is as if we had not been there
        self.loader.exec_module(module)
        for own in self.ours:
            getattr(module, own.__name__).register(own)
