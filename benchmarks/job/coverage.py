"""Do the intervals that ``epee.learn`` prints cover what they claim, on tables of 400 rows?

Each simulation draws a table, learns from it, and measures on 40,000 fresh rows the error of every predictor of the leaderboard,
learned from the same training rows with the complexity that was chosen, and of the predictor that would be saved. An interval of the
leaderboard, and that of the sealed rows, holds or misses that figure. The line "chosen" is the leaderboard's interval of the winner: it has
paid for having been chosen. ``python -m benchmarks.job.coverage [--simulations N]`` prints the table and puts it into
``benchmarks/results``. Simulation s has the seed s, so the number of processes changes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from benchmarks.summary import RESULTS

LEVEL = 0.9
ROWS, FRESH = 400, 40_000
KEYS = {
    "classes": ["naive_bayes", "lda", "logistic", "qda", "tree", "neighbours"],
    "numbers": ["linear", "ridge", "lasso", "additive", "tree", "neighbours"],
}


def draw(task: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of five columns with a target that bends along one and ignores two."""
    X = rng.normal(size=(n, 5))
    score = X[:, 0] + 0.5 * X[:, 1] + 0.4 * (X[:, 2] ** 2 - 1)
    if task == "numbers":
        return X, score + rng.normal(size=n)
    return X, np.where(score + rng.logistic(size=n) > 0, "b", "a")


def simulate(work: tuple[str, int]) -> list[tuple[str, bool, bool, float]]:
    """Return for each interval of one run: whose, whether it is nested, whether it holds the truth, and its width."""
    import pyarrow as pa
    from sklearn.base import clone

    import epee
    from epee.job.sealing import seal

    task, seed = work
    rng = np.random.default_rng([seed, len(task)])
    X, y = draw(task, ROWS, rng)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(5)}, "y": y})
    learned = epee.learn(table, "y", predictors=KEYS[task], level=LEVEL, random_state=seed)
    codes = None if task == "numbers" else (y == "b").astype(np.intp)
    train = ~seal(ROWS, 0.2, seed, codes=codes)[0]
    fresh, truth = draw(task, FRESH, rng)

    def error(model: Any) -> float:
        answer = model.predict(fresh)
        return float(np.mean((answer - truth) ** 2) if task == "numbers" else np.mean(answer != truth))

    out = []
    for entry, row in zip(learned.contest.entries, learned.facts["leaderboard"], strict=True):
        true = error(clone(entry.model).fit(X[train], y[train]))
        found = (entry.nested, row["low"] <= true <= row["high"], row["high"] - row["low"])
        out.append((row["key"], *found))
        if row["chosen"]:
            out.append(("chosen", *found))
    true = error(learned.predictor.model)
    out.append(
        ("sealed rows", False, learned.risk.low <= true <= learned.risk.high, learned.risk.high - learned.risk.low)
    )
    return out


def gathered(runs: list[list[tuple[str, bool, bool, float]]], task: str) -> list[dict[str, Any]]:
    """Return one line for each interval, over all runs."""
    names = list(dict.fromkeys(name for run in runs for name, *_ in run))
    names = [n for n in names if n not in ("chosen", "sealed rows")] + ["chosen", "sealed rows"]
    lines = []
    for name in names:
        found = [part for run in runs for part in run if part[0] == name]
        held = np.array([part[2] for part in found], dtype=float)
        kind = "Wilson" if name == "sealed rows" and task == "classes" else "t" if name == "sealed rows" else (
            "" if name == "chosen" else "nested" if found[0][1] else "approximate")  # fmt: skip
        bar = float(np.sqrt(LEVEL * (1 - LEVEL) / len(held)))
        lines.append({
            "task": task, "interval": name, "kind": kind, "runs": len(held), "coverage": float(held.mean()), "stderr": bar,
            "width": float(np.mean([part[3] for part in found])),
        })  # fmt: skip
    return lines


def table(lines: list[dict[str, Any]]) -> str:
    """Return the coverages as a Markdown table."""
    out = ["| target | interval of | kind | runs | coverage | mean width |", "|---|---|---|---|---|---|"]
    for c in lines:
        covered = f"{100 * c['coverage']:.0f} ± {100 * c['stderr']:.0f} %"
        out.append(f"| {c['task']} | {c['interval']} | {c['kind']} | {c['runs']} | {covered} | {c['width']:.3g} |")
    return "\n".join(out)


def main(arguments: list[str] | None = None) -> None:
    """Run, print and store."""
    parser = argparse.ArgumentParser(description="Coverage of the intervals that epee.learn prints.")
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--dry", action="store_true", help="print, do not store")
    asked = parser.parse_args(arguments)
    begin, lines = time.perf_counter(), []
    with ProcessPoolExecutor(asked.processes, initializer=_one_thread) as pool:
        for task in KEYS:
            runs = list(pool.map(simulate, [(task, seed) for seed in range(asked.simulations)], chunksize=2))
            lines += gathered(runs, task)
    text = (
        f"Coverage of the nominal {LEVEL:.0%} intervals of epee.learn on tables of {ROWS} rows, for the error of the predictor as learned "
        f"from its training rows ({asked.simulations} tables of each kind)\n\n{table(lines)}\n"
    )
    print(text)
    print(f"{time.perf_counter() - begin:.0f} s")
    if not asked.dry:
        (RESULTS / "job.coverage.md").write_text(text, encoding="utf-8")
        (RESULTS / "job.coverage.json").write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


def _one_thread() -> None:
    from threadpoolctl import threadpool_limits

    from epee import options

    options.threads = 1
    threadpool_limits(1)


if __name__ == "__main__":
    main()
