"""Find the benchmark files and their problems."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness import Problem

HERE = Path(__file__).resolve().parent


def bench_files() -> list[Path]:
    """Return every ``bench_*.py`` below this folder, in order of path."""
    return sorted(HERE.rglob("bench_*.py"))


def name_of(file: Path) -> str:
    """Return the name of a file's results: ``predictors/bench_lda.py`` is ``predictors.lda``."""
    if HERE not in file.resolve().parents:
        return file.stem.removeprefix("bench_")
    parts = file.resolve().relative_to(HERE).with_suffix("").parts
    return ".".join([*parts[:-1], parts[-1].removeprefix("bench_")])


def problems_of(file: Path) -> Iterator[Problem]:
    """Import a file and yield its problems; no data are made."""
    spec = importlib.util.spec_from_file_location("benchmarks_" + name_of(file).replace(".", "_"), file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    seen: set[str] = set()
    for problem in module.problems():
        if problem.name in seen:
            raise ValueError(f"{name_of(file)} has two problems named {problem.name!r}.")
        seen.add(problem.name)
        yield problem


def as_tuple(data: Any) -> tuple[Any, ...]:
    """Wrap a lone object, as ``data`` may return one."""
    return data if isinstance(data, tuple) else (data,)
