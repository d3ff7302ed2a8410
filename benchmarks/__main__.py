"""``python -m benchmarks [words] [--quick]``: run the benchmarks, print the table, keep the results."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path

from benchmarks.discovery import as_tuple, bench_files, name_of, problems_of
from benchmarks.harness import Problem, compare
from benchmarks.machine import facts, in_words
from benchmarks.memory import fresh_process
from benchmarks.record import Record, duration, record_of, rows_of, save

QUICK_TOTAL = 150.0  # seconds after which a quick run begins no other problem


def main(arguments: list[str] | None = None) -> int:
    """Run what the words select; return 1 when a benchmark failed (a claim not kept is shown, it is no failure)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Our time against theirs.")
    parser.add_argument("words", nargs="*", help="run only the problems whose file or name has all these words")
    parser.add_argument("--quick", action="store_true", help="the quick problems only, in under three minutes")
    parser.add_argument("--repeat", type=int, help="rounds (5, or 3 with --quick)")
    parser.add_argument("--budget", type=float, help="seconds for the rounds of one problem (120, or 10 with --quick)")
    parser.add_argument("--list", action="store_true", help="show what there is and stop")
    parser.add_argument("--no-save", action="store_true", help="print only")
    chosen = parser.parse_args(arguments)

    start, failures = time.monotonic(), 0
    for file in bench_files():
        try:
            problems = [p for p in problems_of(file) if _wanted(file, p, chosen)]
        except Exception:  # noqa: BLE001 - one broken file must not hide the others
            failures += 1
            print(f"{name_of(file)}: cannot be loaded\n{traceback.format_exc(limit=-2)}", file=sys.stderr)
            continue
        for problem in problems:
            if chosen.list:
                print(f"{name_of(file):32} {problem.name}{' (quick)' if problem.quick else ''}")
            elif chosen.quick and time.monotonic() - start > QUICK_TOTAL:
                print(f"{name_of(file)}: {problem.name}: left out, the quick run has used its time", file=sys.stderr)
            else:
                try:
                    record = run(file, problem, chosen)
                    show(name_of(file), record)
                    if not chosen.no_save:  # at once: a run that is stopped keeps what it has seen
                        save(name_of(file), [record])
                except Exception:  # noqa: BLE001 - as above
                    failures += 1
                    print(f"{name_of(file)}: {problem.name}: failed\n{traceback.format_exc(limit=-3)}", file=sys.stderr)
    if not chosen.list:
        print(in_words(facts()))
    return 1 if failures else 0


def run(file: Path, problem: Problem, chosen: argparse.Namespace) -> Record:
    """Measure one problem."""
    data = as_tuple(problem.data())
    found = compare(
        problem.ours,
        problem.rivals,
        problem.limits,
        data=data,
        repeat=chosen.repeat or (3 if chosen.quick else 5),
        budget=chosen.budget or min(problem.budget, 10.0 if chosen.quick else 120.0),
        same=problem.same,
    )
    alone = "process MB" in problem.claim or (problem.fresh and not chosen.quick)
    fresh = fresh_process(file, problem.name, data) if alone else None
    return record_of(problem, found, facts(), quick=chosen.quick, fresh=fresh)


def show(name: str, record: Record) -> None:
    """Print the table of one record."""
    from rich.console import Console
    from rich.table import Table

    own = f"{duration(record['seconds'])} [{duration(record['low'])}, {duration(record['high'])}]"
    first = f"first call {duration(record['first'])}, {record['rounds']} rounds"
    table = Table(title=f"{name}: {record['name']}: {own}, {first}", title_justify="left", title_style="bold")
    for title in ("against", "time", "ratio", "claim"):
        table.add_column(title)
    for row in rows_of(record):
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def _wanted(file: Path, problem: Problem, chosen: argparse.Namespace) -> bool:
    text = f"{name_of(file)} {problem.name}".lower()
    return (problem.quick or not chosen.quick) and all(word.lower() in text for word in chosen.words)


if __name__ == "__main__":
    sys.exit(main())
