"""A table larger than the memory it gets: every method that reads in blocks, on a Parquet folder of 10 GB or more.

Each job runs in a fresh process, which reports its wall time, processor time, passes and peak resident memory. What has
to be imported or compiled is, on a small table, before the clock starts. Closed forms run some times in turn with
DuckDB's own Arrow reader on the same columns, also in a fresh process; medians are kept.

``python -m benchmarks.scale.study [--gigabytes 10] [--keep FOLDER]`` makes the folder, runs all and removes it; results go to
``benchmarks/results/scale.study.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.machine import facts, in_words
from benchmarks.memory import peak_memory
from benchmarks.record import RESULTS
from benchmarks.scale.bench_files import COLUMNS, duckdb_reads
from benchmarks.scale.big_table import make, remove

LIMIT_MB = 1500


def _source(path: str, target: str | None = None) -> Any:
    from epee.table.source import as_source

    return as_source(path, target, columns=COLUMNS)


def _fit(name: str, target: str | None = None, **parameters: Any) -> Callable[[str], Any]:
    def run(path: str) -> Any:
        import epee

        model = getattr(epee, name)(**parameters)
        return model.fit(_source(path, target), None)

    return run


def _encode(path: str) -> Any:
    from epee import TableEncoder

    return TableEncoder().fit(_source(path))


def _validate(name: str, target: str, loss: str | None = None) -> Callable[[str], Any]:
    def run(path: str) -> Any:
        import epee
        from epee.risk import cross_validate

        return cross_validate(getattr(epee, name)(), _source(path, target), None, folds=10, loss=loss)

    return run


JOBS: dict[str, Callable[[str], Any]] = {
    "DuckDB's Arrow reader": duckdb_reads,
    "LinearRegression": _fit("LinearRegression", "value"),
    "PCA": _fit("PCA"),
    "StandardScaler": _fit("StandardScaler"),
    "TableEncoder": _encode,
    "LinearDiscriminantAnalysis": _fit("LinearDiscriminantAnalysis", "label"),
    "QuadraticDiscriminantAnalysis": _fit("QuadraticDiscriminantAnalysis", "label"),
    "GaussianNB": _fit("GaussianNB", "label"),
    "cross_validate, least squares, 10 folds": _validate("LinearRegression", "value"),
    "cross_validate, LDA, 10 folds": _validate("LinearDiscriminantAnalysis", "label"),
    "LogisticRegression, Newton": _fit("LogisticRegression", "label", solver="newton", max_iter=3),
    "KMeans, 3 passes": _fit("KMeans", n_clusters=3, max_iter=3, random_state=0),
    "GaussianMixture, 3 passes": _fit("GaussianMixture", n_components=3, max_iter=3, random_state=0),
}
READER = "DuckDB's Arrow reader"
CLOSED = {name: 2 if name == "TableEncoder" else 1 for name in list(JOBS)[1:8]}  # passes over all columns
ROUNDS = 3  # of closed forms
SMALL_GIGABYTES = 0.02


def run_one(name: str, path: str) -> dict[str, Any]:
    """Run one job in this process."""
    import warnings

    warnings.simplefilter("ignore")  # an iterative method says that it was stopped early, as it was asked to be
    with tempfile.TemporaryDirectory() as small:
        make(Path(small), SMALL_GIGABYTES)
        JOBS[name](small)
    read = count_cells()
    start, cpu = time.perf_counter(), time.process_time()
    found = JOBS[name](path)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    steps = getattr(found, "n_iter_", None)
    n = rows_in(path)
    value = f"{found.value:.6f} ± {found.stderr:.6f}" if hasattr(found, "stderr") else None
    peak = peak_memory()
    return {"job": name, "seconds": seconds, "cpu": cpu, "peak MB": peak / 1e6, "value": value,
            "passes": read[0] / (n * (len(COLUMNS) + 1)),
            "iterations": None if steps is None else int(max(steps)) if hasattr(steps, "__len__") else int(steps)}  # fmt: skip


def count_cells() -> list[int]:
    """Return a counter of the cells that are read from Parquet files from now on."""
    from epee.table.parquet import ParquetBatches

    read, plain = [0], ParquetBatches.read

    def counted(self: Any, columns: Any, rows: int) -> Any:
        for batch in plain(self, columns, rows):
            read[0] += batch.num_rows * len(columns)
            yield batch

    ParquetBatches.read = counted  # type: ignore[method-assign]
    return read


def rows_in(folder: str | Path) -> int:
    """Return the number of rows of a Parquet folder."""
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(file).num_rows for file in sorted(Path(folder).glob("*.parquet")))


def page(rows: list[dict[str, Any]], gigabytes: float, n: int) -> str:
    """Return the results as a page."""
    lines = [
        f"# {gigabytes:.1f} GB of float64 in 30 columns, {n:,} rows",
        "",
        f"{in_words(facts())}.",
        f"Each job in a fresh process, after it has run on a small table; the limit on resident memory is {LIMIT_MB} MB. "
        "Closed forms: medians of some runs, in turn with DuckDB's own Arrow reader on the same columns; speed is its time over "
        "ours, a pass. Passes: cells read over cells of the table (a pass over the labels alone is a thirtieth).",
        "",
        "| job | wall s | DuckDB s | speed | peak MB | passes | steps | processor s | value |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        reader = row.get("reader seconds")
        share = f"{100 * CLOSED[row['job']] * reader / row['seconds']:.0f} %" if reader else ""
        passes = f"{row['passes']:.1f}" if row["passes"] else ""
        lines.append(
            f"| {row['job']} | {row['seconds']:.1f} | {f'{reader:.1f}' if reader else ''} | {share} "
            f"| {row['peak MB']:.0f}{'' if row['peak MB'] < LIMIT_MB else ' ✗'} | {passes} | {row['iterations'] or ''} "
            f"| {row['cpu']:.1f} | {row['value'] or ''} |"
        )
    return "\n".join(lines) + "\n"


def in_turn(name: str, folder: Path) -> dict[str, Any]:
    """Return the figures of a job: of a closed form the medians of some runs, with those of the reader beside it."""
    if name not in CLOSED:
        return alone(name, folder)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        theirs.append(alone(READER, folder)["seconds"])
        ours.append(alone(name, folder))
    middle = sorted(ours, key=lambda run: run["seconds"])[ROUNDS // 2]
    return middle | {
        "reader seconds": statistics.median(theirs), "all seconds": [run["seconds"] for run in ours], "all reader seconds": theirs,
        "peak MB": max(run["peak MB"] for run in ours),
    }  # fmt: skip


def alone(name: str, folder: Path) -> dict[str, Any]:
    """Run a job in a fresh process."""
    call = [sys.executable, "-m", "benchmarks.scale.study", "--job", name, "--keep", str(folder)]
    answer = subprocess.run(call, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RuntimeError(f"{name}: failed: {answer.stderr.strip().splitlines()[-1:]}")
    figures: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Make the table, run the jobs, keep the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=10.1)
    parser.add_argument("--keep", type=Path, help="a folder that exists, or is made and kept")
    parser.add_argument("--job", help="run one job in this process and print its figures")
    parser.add_argument("--only", help="run only the jobs whose name has one of these words, with commas between them")
    chosen = parser.parse_args()
    if chosen.job:
        print(json.dumps(run_one(chosen.job, str(chosen.keep))))
        return
    folder = chosen.keep or Path(tempfile.mkdtemp(prefix="epee-study-"))
    try:
        if not list(folder.glob("*.parquet")):
            make(folder, chosen.gigabytes)
        n, done = rows_in(folder), {}
        if chosen.only and (RESULTS / "scale.study.json").exists():  # the other jobs keep their last figures
            last = json.loads((RESULTS / "scale.study.json").read_text())
            done = {row["job"]: row for row in last["jobs"]} if last["rows"] == n else {}
        for name in JOBS:
            if chosen.only and not any(word in name for word in chosen.only.split(",")):
                continue
            done[name] = in_turn(name, folder)
            print(done[name], flush=True)
            rows = [done[job] for job in JOBS if job in done]
            gigabytes = n * 30 * 8 / 1e9
            kept = {"gigabytes": gigabytes, "rows": n, "jobs": rows}
            (RESULTS / "scale.study.json").write_text(json.dumps(kept, indent=1) + "\n")
            (RESULTS / "scale.study.md").write_text(page(rows, gigabytes, n))
    finally:
        if chosen.keep is None:
            remove(folder)


if __name__ == "__main__":
    main()
