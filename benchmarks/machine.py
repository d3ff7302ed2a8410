"""The machine and the versions a figure was measured with; no names of hosts, users or folders."""

from __future__ import annotations

import os
import platform
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# distribution: the module that shows it was used
PACKAGES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "scikit-learn": "sklearn",
    "numba": "numba",
    "duckdb": "duckdb",
    "pyarrow": "pyarrow",
    "polars": "polars",
    "pandas": "pandas",
    "statsmodels": "statsmodels",
    "scikit-learn-intelex": "sklearnex",
    "faiss-cpu": "faiss",
    "celer": "celer",
    "fastcluster": "fastcluster",
    "kmedoids": "kmedoids",
    "pymdptoolbox": "mdptoolbox",
    "mdptoolbox-hiive": "hiive",
    "dask": "dask",
}


def facts() -> dict[str, Any]:
    """Return what a reader needs to judge a figure: processor, cores, memory, versions, BLAS, date."""
    return {
        "date": date.today().isoformat(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory GB": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": _blas(),
        "versions": {name: v for name, module in PACKAGES.items() if module in sys.modules and (v := _version(name))},
    }


def in_words(facts: dict[str, Any]) -> str:
    """Return the facts as one line."""
    versions = ", ".join(f"{name} {v}" for name, v in facts["versions"].items())
    return (
        f"{facts['date']}: {facts['cpu']}, {facts['cores']} cores, {facts['memory GB']} GB, {facts['system']}, "
        f"Python {facts['python']}, {facts['blas']}, {versions}"
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (ValueError, OSError, AttributeError):
        return None


def _blas() -> str:
    from threadpoolctl import threadpool_info

    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return ", ".join(sorted({f"{pool['internal_api']} {pool['version']}" for pool in pools})) or "no BLAS seen"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
