"""What is kept of a run: JSON lines (one a problem) and the Markdown table made from them.

A record is plain data: name, file, quick, machine, claims and verdicts, and the fields of a
:class:`~benchmarks.harness.Measurement`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.harness import Measurement, Problem
from benchmarks.machine import in_words

RESULTS = Path(__file__).resolve().parent / "results"
Record = dict[str, Any]


def record_of(
    problem: Problem, found: Measurement, machine: dict[str, Any], *, quick: bool, fresh: dict[str, float] | None
) -> Record:
    """Return the record of a measured problem."""
    record: Record = {"name": problem.name, "quick": quick, **asdict(found)}
    record["fresh"] = fresh
    record["claims"] = {name: {"asked": asked, **_seen(record, name, asked)} for name, asked in problem.claim.items()}
    record["machine"] = machine
    return record


def _seen(record: Record, name: str, asked: float) -> dict[str, Any]:
    if name in record["rivals"]:
        seen = record["rivals"][name]["ratio"]
        return {"seen": seen, "kept": seen >= asked and record["rivals"][name]["same"] is not False}
    if name in record["limits"]:
        seen = record["limits"][name]["ratio"]
    elif name == "seconds":
        seen = record["seconds"]
    elif name == "extra MB":
        seen = None if record["extra"] is None else record["extra"] / 1e6
    elif name == "process MB":
        seen = None if record["fresh"] is None else record["fresh"]["peak"] / 1e6
    else:  # a rival that is not installed
        seen = None
    return {"seen": seen, "kept": None if seen is None else seen <= asked}


def save(name: str, records: list[Record], folder: Path = RESULTS) -> None:
    """Put records beside those of other problems of the file; a quick one does not replace a thorough one."""
    folder.mkdir(exist_ok=True)
    kept = {record["name"]: record for record in load(name, folder)}
    for record in records:
        old = kept.get(record["name"])
        if old is None or old["quick"] or not record["quick"]:
            kept[record["name"]] = record
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in kept.values())
    (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / f"{name}.md").write_text(markdown(name, list(kept.values())), encoding="utf-8")


def load(name: str, folder: Path = RESULTS) -> list[Record]:
    """Return the records kept for a file; none is an empty list."""
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def duration(seconds: float) -> str:
    """Say a time with three digits.

    >>> duration(0.01234), duration(75)
    ('12.3 ms', '75.0 s')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{_three(seconds / scale)} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def ratio(against: dict[str, Any]) -> str:
    """Say a ratio with its spread over the rounds, as in ``12.1x [11.8, 12.6]``."""
    return f"{_three(against['ratio'])}x [{_three(against['low'])}, {_three(against['high'])}]"


def size(count: float | None) -> str:
    """Say a number of bytes in megabytes."""
    return "" if count is None else f"{count / 1e6:,.0f} MB"


def claim_of(record: Record, name: str) -> str:
    """Say a claim and whether it was kept."""
    claim = record["claims"].get(name)
    if claim is None:
        return ""
    sign = "at least" if name in record["rivals"] or name in record["absent"] else "at most"
    mark = {True: "✓", False: "✗", None: "?"}[claim["kept"]]
    return f"{mark} {sign} {claim['asked']:g}"


def rows_of(record: Record) -> list[tuple[str, str, str, str]]:
    """Return the rows of a record: against whom, their time, the ratio, the claim."""
    rows = []
    for name, other in record["rivals"].items():
        differs = " (another answer)" if other["same"] is False else ""
        rows.append((name + differs, duration(other["seconds"]), ratio(other), claim_of(record, name)))
    for name, other in record["limits"].items():
        rows.append((f"limit: {name}", duration(other["seconds"]), f"{ratio(other)} slower", claim_of(record, name)))
    rows += [(name, why, "", claim_of(record, name)) for name, why in record["absent"].items()]
    fresh = record["fresh"]
    memory = f"{size(record['extra'])} extra" if record["extra"] is not None else ""
    rows.append(("peak memory", memory, "", claim_of(record, "extra MB")))
    if fresh is not None:
        words = f"{size(fresh['peak'])}, first call {duration(fresh['first'])}"
        rows.append(("fresh process, nothing compiled", words, "", claim_of(record, "process MB")))
    if "seconds" in record["claims"]:
        asked = f"{claim_of(record, 'seconds')} s"
        rows.append(("our time", duration(record["seconds"]), "", asked))
    return rows


def table_row(*cells: str) -> str:
    r"""Return a row of a Markdown table.

    >>> print(table_row("a", "P(y | x)"))
    | a | P(y \| x) |
    """
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def markdown(name: str, records: list[Record]) -> str:
    """Return the page of a file's results."""
    lines = [f"# {name}", "", "Ratios are their time over ours, median of the rounds with quartiles.", ""]
    lines += ["| problem | ours | against | time | ratio | claim |", "|---|---|---|---|---|---|"]
    for record in records:
        head, own = record["name"], duration(record["seconds"])
        for row in rows_of(record):
            lines.append(table_row(head, own, *row))
            head = own = ""
    lines += ["", *sorted({in_words(record["machine"]) for record in records})]
    return "\n".join(lines) + "\n"


def _three(x: float) -> str:
    return f"{x:,.0f}" if x >= 99.95 else f"{x:.3g}" if x < 9.995 and x < 1 else f"{x:.2f}" if x < 9.995 else f"{x:.1f}"
