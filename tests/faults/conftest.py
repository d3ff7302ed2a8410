"""The last result of each test of ``make faults`` is kept, so that one sees what was tried and when."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "faults.md"
HEAD = [
    "# Faults: the last results of `make faults`", "",
    "Seconds are those of a machine that may have been busy.", "",
    "| test | outcome | seconds | day | Python |", "|---|---|---:|---|---|",
]  # fmt: skip
_said: dict[str, str] = {}


def pytest_runtest_logreport(report):
    if report.when == "call" or report.skipped:
        name = report.nodeid.partition("tests/faults/")[2]
        day, python = datetime.now(UTC).date().isoformat(), platform.python_version()
        _said[name] = f"| `{name}` | {report.outcome} | {report.duration:.1f} | {day} | {python} |"


def pytest_sessionfinish():
    if not os.environ.get("EPEE_FAULTS") or not _said:
        return
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    before = {line.split("`")[1]: line for line in lines if line.startswith("| `")}
    RESULTS.write_text("\n".join([*HEAD, *sorted((before | _said).values())]) + "\n", encoding="utf-8")
