"""A pytest plugin that puts our classes where scikit-learn's test modules import theirs from, and notes how each test ended.

Names are changed only while a test module is being imported, so that scikit-learn itself goes on with its own classes. Tests whose
parameters name only estimators that we do not have are left out. A test counts as asking us when it makes an instance of one of our
estimators, or calls a function of ours.

Run by :mod:`benchmarks.peer.running`: ``PEER_OUT`` is the file to write, a line before and one after each test;
``PEER_SWAP=0`` runs the tests as they are; ``PEER_ONLY`` and ``PEER_DONE`` are files that list those to run and those that have run.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import pkgutil
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FUNCTIONS = ("lasso_path",)
MADE_OF_OTHERS = (
    "bagging", "voting", "stacking", "weight_boosting", "calibration", "multi", "rfe", "from_model", "inspection", "frozen", "pipeline",
)  # fmt: skip
LONGEST = float(os.environ.get("PEER_LONGEST", "0"))  # seconds of processor time for a test; 0 for no bound
_touched = False


def _note() -> None:
    global _touched
    _touched = True


def ours() -> dict[str, Any]:
    """Return our classes and functions that bear a name of scikit-learn's, each of which tells when it is used."""
    import epee
    from epee.estimator.registry import METHODS

    found: dict[str, Any] = {}
    for method in METHODS:
        made = method.load()

        def new(cls: type, *args: Any, **kwargs: Any) -> Any:
            _note()
            return object.__new__(cls)

        made.__new__ = new  # type: ignore[method-assign, assignment]
        found[method.name] = made
    for name in FUNCTIONS:
        function = getattr(epee, name)

        @functools.wraps(function)
        def told(*args: Any, _inner: Any = function, **kwargs: Any) -> Any:
            _note()
            return _inner(*args, **kwargs)

        found[name] = told
    return found


def places() -> list[tuple[Any, str, Any]]:
    """Return every (module, name, ours) where a module of scikit-learn, tests aside, holds what we have, too."""
    import sklearn

    for info in pkgutil.walk_packages(sklearn.__path__, "sklearn."):
        if ".tests" not in info.name and "._build" not in info.name and ".conftest" not in info.name:
            try:
                importlib.import_module(info.name)
            except Exception:  # noqa: BLE001  (parts that need a package that is not there)
                continue
    mine, found = ours(), []
    for name, module in list(sys.modules.items()):
        if not name.startswith("sklearn") or ".tests" in name:
            continue
        for key, value in list(vars(module).items()):
            own = mine.get(key)
            if own is not None and callable(value) and getattr(value, "__module__", "").startswith("sklearn"):
                found.append((module, key, own))
    return found


class Stand(ModuleType):
    """A module of scikit-learn's as a test sees it, ``manifold`` in ``manifold.Isomap``: ours where we have it, theirs elsewhere."""

    def __init__(self, module: ModuleType, own: dict[str, Any]) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update({"_module": module, "_own": {k: v for k, v in own.items() if hasattr(module, k)}})

    def __getattr__(self, name: str) -> Any:
        return self._own[name] if name in self._own else getattr(self._module, name)


class Peer:
    """Swaps while modules are imported, and keeps what became of each test."""

    def __init__(self, out: Path, swap: bool) -> None:
        self.out, self.places = out, places() if swap else []
        self.entry: dict[str, Any] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Iterator[None]:
        """Change the names while a test module is imported."""
        before = [(module, key, getattr(module, key)) for module, key, _ in self.places]
        try:
            if isinstance(collector, pytest.Module):
                for module, key, own in self.places:
                    setattr(module, key, own)
            report = yield
            if isinstance(collector, pytest.Module) and self.places:
                self._stand_in(collector.obj)
            return report
        finally:
            for module, key, theirs in before:
                setattr(module, key, theirs)

    def _stand_in(self, test: ModuleType) -> None:
        """Put our classes into the packages that a test module has imported whole."""
        own = {key: value for _, key, value in self.places}
        for name, value in list(vars(test).items()):
            public = isinstance(value, ModuleType) and "._" not in value.__name__ and value.__name__.count(".") == 1
            if public and value.__name__.startswith("sklearn.") and not isinstance(value, Stand):
                setattr(test, name, Stand(value, own))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Note the test before and after, whether it used one of ours, and end it when it takes too much processor time."""
        global _touched
        _touched, self.entry = False, {}
        self._write({"test": _id(item), "begins": True})
        signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._write({"test": _id(item), "asked": _touched, **self.entry})

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the outcome, and the last line of what went wrong."""
        if report.when == "call" or report.outcome != "passed":
            self.entry["outcome"] = report.outcome
            self.entry["seconds"] = round(report.duration, 1)
            crash = getattr(report.longrepr, "reprcrash", None)
            if crash is not None:
                self.entry["why"] = crash.message[:400]
                self.entry["where"] = f"{Path(crash.path).name}:{crash.lineno}"

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave the tests that were asked for and that have not run yet."""
        only, done = (os.environ.get(name) for name in ("PEER_ONLY", "PEER_DONE"))
        if only:
            wanted = set(Path(only).read_text().splitlines())
            items[:] = [item for item in items if _id(item) in wanted]
        others = _others()
        items[:] = [item for item in items if not _is_of(item, others)]
        if done:
            known = set(Path(done).read_text().splitlines())
            items[:] = [item for item in items if _id(item) not in known]

    def pytest_sessionfinish(self) -> None:
        """Say that no test is left."""
        self._write({"end": True})

    def _write(self, line: dict[str, Any]) -> None:
        with self.out.open("a") as file:
            file.write(json.dumps(line) + "\n")


def _stop(*_: Any) -> None:
    raise TimeoutError(f"longer than {LONGEST:g} s of processor time")


def _others() -> tuple[set[str], set[str]]:
    """Return the names of our estimators, and those of theirs that we do not have."""
    from sklearn.utils import all_estimators

    from epee.estimator.registry import METHODS

    own = {method.name for method in METHODS}
    return own, {name for name, _ in all_estimators()} - own


def _is_of(item: Any, names: tuple[set[str], set[str]]) -> bool:
    """Tell whether the parameters of a test name estimators, none of them ours; nothing is said of modules about those made of others."""
    module, _, test = _id(item).partition("::")
    own, theirs = names
    words = set(re.findall("[A-Za-z]+", test.partition("[")[2]))
    return bool(words & theirs) and not words & own and not any(word in module for word in MADE_OF_OTHERS)


def _id(item: Any) -> str:
    """Return the module, without scikit-learn's name, and the test."""
    module: str = item.module.__name__
    return f"{module.removeprefix('sklearn.')}::{item.nodeid.partition('::')[2]}"


def pytest_configure(config: Any) -> None:
    """Register the plugin where a run asks for it."""
    out = os.environ.get("PEER_OUT")
    if out:
        config.pluginmanager.register(Peer(Path(out), os.environ.get("PEER_SWAP", "1") != "0"), "peer-results")
