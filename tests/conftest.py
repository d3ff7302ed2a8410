"""What holds for every test: the same examples each time, one thread a worker, no window, nothing left behind."""

from __future__ import annotations

import os
import sys
import zlib

import numpy as np

# Two workers share the cores; BLAS reads these when NumPy is first imported.
if "PYTEST_XDIST_WORKER" in os.environ:
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "2")
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("EPEE_COMPILE", "now")  # what helpers compile beside tests that run slow twins takes their cores

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    derandomize=True,  # a test fails for everyone or for no one
    deadline=None,  # the first example compiles kernels
    max_examples=25,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("house")


def pytest_collection_modifyitems(items):
    """Leave what takes half a minute to ``make faults``."""
    if not os.environ.get("EPEE_FAULTS"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="long: make faults"))


@pytest.fixture(autouse=True)
def _tidy():
    """Put the options back and close the figures that a test opened."""
    from epee import options

    before = {name: getattr(options, name) for name in ("threads", "progress", "language", "memory")}
    yield
    for name, value in before.items():
        setattr(options, name, value)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture(autouse=True)
def _own_random_numbers(request, monkeypatch):
    """Give each test of a module with an ``rng`` its own numbers: the order of the tests, and xdist, must not matter."""
    seed = zlib.crc32(request.node.nodeid.encode())
    for name in ("rng", "RNG"):
        shared = getattr(getattr(request, "module", None), name, None)
        if isinstance(shared, np.random.Generator):
            monkeypatch.setattr(request.module, name, np.random.default_rng(seed))
        elif isinstance(shared, np.random.RandomState):
            monkeypatch.setattr(request.module, name, np.random.RandomState(seed))


@pytest.fixture(scope="session")
def spark():
    """Return the one Spark session of this worker; tests that use it are in the group of tests.sparks.SPARK."""
    from tests.sparks import need_spark, start

    need_spark()
    session = start()
    yield session
    session.stop()
