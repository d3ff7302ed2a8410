"""The libraries of arrays that the same code is tried with: on this machine's processor, and on a graphics card where there is one."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from epee.arrays import at_home

ALL = ["array_api_strict", "torch", "jax", "torch on cuda", "cupy"]


def sender(name: str) -> Any:
    """Return the function that makes an array of a library; LookupError with a sentence where the library or its device is absent."""
    package = name.partition(" ")[0]
    try:
        importlib.import_module("array_api_compat")
        library = importlib.import_module(package)
    except ImportError as fault:
        raise LookupError(f"{fault.name} is not installed, so arrays of {name} cannot be tried") from fault
    if package == "jax":
        library.config.update("jax_enable_x64", True)
        return lambda a: importlib.import_module("jax.numpy").asarray(a)
    if package == "array_api_strict":  # on a device of its own, from which nothing comes unless it is brought
        return lambda a: library.asarray(np.array(a), device=library.Device("device1"))
    if name == "torch on cuda":
        if not library.cuda.is_available():
            raise LookupError("this machine has no graphics card that PyTorch can use")
        return lambda a: library.tensor(np.asarray(a), device="cuda")
    if name == "cupy":
        try:
            library.cuda.runtime.getDeviceCount()
        except library.cuda.runtime.CUDARuntimeError as fault:
            raise LookupError("this machine has no graphics card that CuPy can use") from fault
    return lambda a: library.asarray(np.array(a))


def _absent(name: str) -> str:
    try:
        sender(name)
    except LookupError as fault:
        return str(fault)
    return ""


ABSENT = {name: _absent(name) for name in ALL}
LIBRARIES = [
    pytest.param(name, marks=pytest.mark.gpu if name in ("torch on cuda", "cupy") else ())
    for name in ALL
    if not ABSENT[name]
]


def close(there: Any, here: Any, tolerance: float = 1e-10) -> bool:
    """Tell whether two arrays agree relative to the largest entry."""
    a, b = np.asarray(at_home(there), dtype=float), np.asarray(here, dtype=float)
    if a.shape == b.shape and np.isinf(b).any():  # a log of nothing
        return bool((np.isinf(a) == np.isinf(b)).all()) and close(
            np.where(np.isinf(a), 0.0, a), np.where(np.isinf(b), 0.0, b), tolerance
        )
    return a.shape == b.shape and bool(
        np.abs(a - b).max(initial=0.0) <= tolerance * max(np.abs(b).max(initial=0.0), 1e-300)
    )
