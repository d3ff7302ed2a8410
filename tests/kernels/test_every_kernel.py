"""Every compiled function says what it computes, and is compared with its definition in this folder."""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import epee.kernels

HERE = Path(__file__).parent
ELSEWHERE = ("boosting", "forest")  # compared in the tests of their predictors
FROM_OUTSIDE = {"find_split", "grow", "_update", "_find", "run"}  # compared through what calls them

KERNELS = [
    (module.name, name)
    for module in iter_modules(epee.kernels.__path__)
    for name, thing in vars(import_module(f"epee.kernels.{module.name}")).items()
    if hasattr(thing, "py_func") and thing.__module__ == f"epee.kernels.{module.name}"
]


@pytest.mark.parametrize(("module", "name"), KERNELS)
def test_a_kernel_gives_its_definition(module, name):
    thing = getattr(import_module(f"epee.kernels.{module}"), name)
    assert thing.py_func.__doc__, f"{module}.{name} has no docstring"
    if name not in FROM_OUTSIDE and not module.startswith(ELSEWHERE):
        tests = "".join(
            path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py") if path.name != Path(__file__).name
        )
        assert re.search(rf"\b{name}\b", tests), f"{module}.{name} has no twin in {HERE.name}/"
