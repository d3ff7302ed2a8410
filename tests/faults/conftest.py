"""The last result of ``make faults`` is kept, so that one sees what was tried and when."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "faults.md"
_said: list[tuple[str, str, float]] = []


def pytest_runtest_logreport(report):
    if report.when == "call" or report.skipped:
        _said.append((report.nodeid.partition("tests/faults/")[2], report.outcome, report.duration))


def pytest_sessionfinish(session):
    if not os.environ.get("EPEE_FAULTS") or not _said or session.config.getoption("-k"):
        return
    day = datetime.now(UTC).date().isoformat()
    lines = [
        "# Faults: the last result of `make faults`", "",
        f"{day}, Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores. "
        "Seconds are those of a machine that may have been busy.", "", "| test | outcome | seconds |", "|---|---|---:|",
        *(f"| `{name}` | {outcome} | {seconds:.1f} |" for name, outcome, seconds in _said),
    ]  # fmt: skip
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
