"""In this folder the compiled loops answer, whatever the size: twins have tests of their own."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

import epee.kernels
from epee.kernels.compiling import Kernel

WITH_TWINS = {
    (module.name, name): thing
    for module in iter_modules(epee.kernels.__path__)
    for name, thing in vars(import_module(f"epee.kernels.{module.name}")).items()
    if isinstance(thing, Kernel) and (thing.small or thing.meanwhile)
}


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    for thing in WITH_TWINS.values():
        monkeypatch.setattr(thing, "small", None)
        monkeypatch.setattr(thing, "meanwhile", None)
