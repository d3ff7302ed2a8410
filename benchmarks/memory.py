"""Peak memory of a call: above what was there before, or of a whole fresh process.

Linux keeps the high-water mark of a process's resident memory and lets the process reset it, so the peak of one call
counts everything: NumPy, BLAS workspaces, Arrow, DuckDB. Elsewhere NumPy's and Python's own allocations are traced.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import pickle
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def extra_memory(call: Callable[[], Any]) -> int | None:
    """Return how many bytes the process grew by at the worst moment of ``call``."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)  # give freed pages back, else their reuse would not show as growth
        Path("/proc/self/clear_refs").write_text("5")  # "5": reset the high-water mark
        before = _status("VmRSS")
    except (OSError, AttributeError, TypeError):
        return _traced(call)
    call()
    return max(0, _status("VmHWM") - before)


def fresh_process(file: Path, name: str, data: tuple[Any, ...]) -> dict[str, float]:
    """Run ``ours`` of a problem in a new process with no compiled kernels: seconds of the first call, peak bytes."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "data.pickle"
        try:
            store.write_bytes(pickle.dumps(data, protocol=5))
        except (pickle.PicklingError, AttributeError, TypeError):  # models made of lambdas: the child makes its own
            store.unlink(missing_ok=True)
        answer = subprocess.run(
            [sys.executable, "-m", "benchmarks.memory", str(file), name, str(store)],
            cwd=ROOT,
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=False,
        )
    if answer.returncode:
        raise RuntimeError(f"{name}: in a fresh process: {(answer.stderr.strip().splitlines() or ['no words'])[-1]}")
    return json.loads(answer.stdout.splitlines()[-1])


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def _traced(call: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def peak_memory() -> float:
    """Return the largest resident memory of this process in bytes; by Linux's own counter, for rusage counts the parent's too."""
    import resource

    try:
        return float(_status("VmHWM"))
    except OSError:
        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _child(file: str, name: str, store: str) -> None:
    import time

    from benchmarks.discovery import as_tuple, problems_of

    problem = next(problem for problem in problems_of(Path(file)) if problem.name == name)
    data = pickle.loads(Path(store).read_bytes()) if Path(store).exists() else as_tuple(problem.data())
    start = time.perf_counter()
    problem.ours(*data)
    seconds = time.perf_counter() - start
    print(json.dumps({"first": seconds, "peak": peak_memory()}))


if __name__ == "__main__":
    _child(*sys.argv[1:])
