"""Our time now against an earlier version: ``python -m benchmarks.versions CHECKOUT [words]``.

Two processes, one for each checkout, make the data of a problem that both have and time their own answer in turn, so that what slows the
machine for a while slows both; the ratio of a round is the earlier time over ours. Rivals stay away. The table goes to
``benchmarks/results/versions.md``: what got slower by more than a twentieth, beyond the spread of the rounds, is marked; ``--again``
measures the marked rows again, and keeps the others.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

BOUND = 1 / 1.05
KEPT = Path(__file__).resolve().parent / "results" / "versions.md"
BOARDS = "job.learn"  # the file of the problems beside which they stand
LEAST = 0.02  # seconds of one reading: shorter calls are repeated within it


class Checkout:
    """A process that measures what one checkout's code takes; each question is a line of JSON, and so is each answer."""

    def __init__(self, place: Path) -> None:
        env = os.environ | {"PYTHONPATH": f"{place / 'src'}{os.pathsep}{place}"}
        words = [sys.executable, str(Path(__file__).resolve()), "--answer"]
        self.process = subprocess.Popen(
            words, cwd=place, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, **question: Any) -> Any:
        """Return the answer to one question."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(question), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of {self.process.args} has ended")
        return json.loads(line)


@dataclass(frozen=True)
class Board:
    """From the call of ``learn`` to the finished board of the closed forms, on a million rows.

    The rows called leaderboard of the two versions begin at different places: one behind the pass in which columns are understood, the
    other before it. This one times the same stretch of both.
    """

    classes: bool

    @property
    def name(self) -> str:
        """What the row is called."""
        kind = "two classes" if self.classes else "a regression"
        return f"closed forms of {kind}, from the call to the finished board, 1,000,000 x 30 Parquet, 10 folds"

    def data(self) -> tuple[str]:
        """Return the path of a table."""
        from benchmarks.job.bench_learn import parquet

        return parquet(1_000_000, 30, classes=self.classes)

    def ours(self, path: str) -> None:
        """Learn until the board is there."""
        import epee
        from benchmarks.job import bench_learn

        try:
            from epee.job.stream_contest import StreamContest as Contest  # of version 0.1
        except ImportError:
            from epee.job.contest import Contest  # type: ignore[assignment]

        class Finished(Exception):
            pass

        def run(contest: Any, candidates: Any) -> None:
            plain(contest, candidates)
            raise Finished

        plain, Contest.run = Contest.run, run
        closed = getattr(bench_learn, "CLOSED", None)  # version 0.1 tries nothing else on so many rows
        try:
            epee.learn(path, "y", **({} if closed is None else {"predictors": closed[self.classes]}))
        except Finished:
            pass
        finally:
            Contest.run = plain


def answer() -> None:
    """Answer the questions of standard input: which problems there are, take one up, time it once."""
    import numba

    from benchmarks.discovery import as_tuple, bench_files, name_of, problems_of
    from benchmarks.harness import Seconds

    numba.njit(
        lambda: 0
    )()  # extensions of numba that fail to load say so now: version 0.1 repeats a warning within `learn` for ever
    out, problem, data, calls = sys.stdout, None, (), 1
    known: dict[tuple[str, str], Any] = {
        (name_of(file), p.name): p for file in bench_files() if name_of(file) != "startup" for p in problems_of(file)
    }
    if any(file == BOARDS for file, _ in known):
        known |= {(BOARDS, board.name): board for board in (Board(False), Board(True))}

    def reading(calls: int) -> float:
        assert problem is not None
        start = time.perf_counter()
        for _ in range(calls):
            found = problem.ours(*data)
        return float(found) if isinstance(found, Seconds) else (time.perf_counter() - start) / calls

    for line in sys.stdin:
        question = json.loads(line)
        with redirect_stdout(sys.stderr):
            if "problem" in question:
                problem = known[tuple(question["problem"])]
                data = as_tuple(problem.data())
                reading(1)  # imports and compiling
                calls = max(1, min(100, int(LEAST / reading(1))))
                said: Any = calls
            else:
                said = reading(calls) if "read" in question else list(known)
        print(json.dumps(said), file=out, flush=True)


def compared(earlier: Path, wanted: Callable[[str, str], bool], rounds: int) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield the file and the name of every problem of both, and its seconds (rounds, 2), theirs and ours."""
    from benchmarks.harness import REST

    sides = [Checkout(earlier), Checkout(Path(__file__).resolve().parents[1])]
    theirs, ours = ({tuple(key) for key in side.ask()} for side in sides)
    for file, name in sorted(theirs & ours):
        if not wanted(file, name):
            continue
        for side in sides:
            side.ask(problem=[file, name])
        seconds = np.empty((rounds, 2))
        for r in range(rounds):
            for i in (0, 1) if r % 2 else (1, 0):
                time.sleep(REST)
                seconds[r, i] = sides[i].ask(read=True)
        yield file, name, seconds


def row(file: str, name: str, seconds: np.ndarray) -> str:
    """Return a line of the table."""
    from benchmarks.record import duration

    low, middle, high = np.quantile(seconds[:, 0] / seconds[:, 1], [0.25, 0.5, 0.75])
    then, now = np.median(seconds, axis=0)
    mark = "slower" if middle < BOUND and high < 1 else ""
    return f"| {file} | {name} | {duration(then)} | {duration(now)} | {middle:.2f} [{low:.2f}, {high:.2f}] | {mark} |"


def main(arguments: list[str] | None = None) -> None:
    """Compare, print and keep."""
    from benchmarks.machine import facts, in_words

    parser = argparse.ArgumentParser(description="Our time now and in another checkout, in turn.")
    parser.add_argument("checkout", type=Path, help="the earlier version, as from git worktree add")
    parser.add_argument("words", nargs="*", help="only problems whose file or name has all these words")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--again", action="store_true", help="only rows that are marked in the table that is kept")
    parser.add_argument("--no-save", action="store_true", help="print only")
    asked = parser.parse_args(arguments)
    commit = subprocess.run(
        ["git", "-C", str(asked.checkout), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    lines = [
        f"# This version against {commit.stdout.strip()}", "",
        f"{in_words(facts())}. Two processes in turn, {asked.rounds} rounds; the ratio is the earlier time over ours, a median with "
        "quartiles: above 1 this version is faster.", "",
        "| file | problem | then | now | ratio | |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    kept = KEPT.read_text(encoding="utf-8").splitlines() if asked.again else []
    known = {tuple(cells(line)[:2]): line for line in kept if line.startswith("|")}

    def wanted(file: str, name: str) -> bool:
        named = all(word in f"{file} {name}" for word in asked.words)
        return named and (not asked.again or cells(known.get((file, name), ""))[-1:] == ["slower"])

    for file, name, seconds in compared(asked.checkout.resolve(), wanted, asked.rounds):
        known[file, name] = row(file, name, seconds)
        print(known[file, name], flush=True)
    if not asked.no_save and (asked.again or not asked.words):
        rows = [known[key] for key in sorted(known) if key not in {("file", "problem"), ("---", "---")}]
        KEPT.write_text("\n".join([*lines, *rows]) + "\n", encoding="utf-8")


def cells(line: str) -> list[str]:
    """Return the cells of a line of a table."""
    return [cell.strip() for cell in line.split("|")[1:-1]]


if __name__ == "__main__":
    answer() if sys.argv[1:] == ["--answer"] else main()
