"""Our trees and forests, known to scikit-learn as trees and forests; our models, known to tools around it.

``plot_tree``, ``export_text``, ``partial_dependence`` and others ask whether they were given one of scikit-learn's classes. Ours have
the same arrays in the same places, so they are registered with these classes, which are abstract base classes: ``isinstance`` says yes,
nothing is inherited. Importing scikit-learn's trees takes 90 ms, which nobody should pay who does not use them: where they are not loaded
yet, the registration waits until they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_waiting: dict[str, list[Callable[[ModuleType], None]]] = {}


def when_loaded(module: str, do: Callable[[ModuleType], None]) -> None:
    """Do something with a module: now if it is loaded, else when it is."""
    if module in sys.modules and not getattr(getattr(sys.modules[module], "__spec__", None), "_initializing", False):
        do(sys.modules[module])
        return
    if not _waiting:
        sys.meta_path.insert(0, Waiting())
    _waiting.setdefault(module, []).append(do)


def akin(module: str) -> Callable[[type], type]:
    """Register a class with the class of the same name in a module of scikit-learn's, now or when that module is imported."""

    def note(own: type) -> type:
        when_loaded(module, lambda loaded: getattr(loaded, own.__name__).register(own))
        return own

    return note


def adopted_by(module: str, name: str) -> Callable[[type], type]:
    """Make a class of ours a real heir of a plain class of scikit-learn's, the last in line, once that module is imported.

    A mixin that is no abstract base class cannot be registered with, and tools ask whether a model is one of its heirs. Whatever ours
    has of its own comes first.
    """

    def note(own: type) -> type:
        def join(loaded: ModuleType) -> None:
            own.__bases__ = (*own.__bases__, getattr(loaded, name))

        when_loaded(module, join)
        return own

    return note


class Waiting(MetaPathFinder):
    """Finds nothing itself: when a module is imported that somebody waits for, it lets the others find it and tells them afterwards."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return what the other finders found, with a loader that tells afterwards; None for all other modules."""
        if name not in _waiting:
            return None
        told = _waiting.pop(name)
        found = find_spec(name)
        if found is None or found.loader is None:
            return found
        found.loader = _Then(found.loader, told)
        return found


class _Then(Loader):
    def __init__(self, loader: Loader, told: list[Callable[[ModuleType], None]]) -> None:
        self.loader, self.told = loader, told

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self.loader  # from here on everything is as if we had not been there
        self.loader.exec_module(module)
        for do in self.told:
            do(module)


# by name: these rooms lie further down
when_loaded("skl2onnx", lambda _: import_module("epee.exchange.onnx_converters").register())
when_loaded("shap.explainers._tree", lambda shap: import_module("epee.exchange.shap_trees").teach(shap))
