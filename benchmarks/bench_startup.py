"""What one waits for before anything happens: ``import epee`` and ``epee --help``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.harness import Problem, Seconds


def import_time(module: str) -> Seconds:
    """Return the seconds of ``import module`` beyond the interpreter's own start."""
    words = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    answer = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    return Seconds(answer.stdout)


def run(*arguments: str) -> None:
    """Run the interpreter."""
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)


def problems() -> Iterator[Problem]:
    yield Problem(
        "import epee, beyond the interpreter",
        ours=lambda: import_time("epee"),
        rivals={"import sklearn": lambda: import_time("sklearn"), "import numpy": lambda: import_time("numpy")},
        claim={"seconds": 0.060},
        quick=True,
    )
    yield Problem(
        "epee --help, in all",
        ours=lambda: run("-m", "epee", "--help"),
        limits={"the interpreter alone": lambda: run("-c", "pass")},
        claim={"seconds": 0.250},
        quick=True,
    )
