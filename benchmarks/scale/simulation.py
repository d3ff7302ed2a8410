r"""How long a pass would take on a cluster that is not here: a small simulation, checked against one and two workers.

The model has six measured numbers: the time to read and reduce a row on a worker, alone and while the other core's does the same
(they share the memory), the time the scheduler spends on a task, the bytes of a moment, the time to merge two of them, and the time
to open a file. Parts are dispatched one after the other by the scheduler to the worker
that is free first; results are merged in a tree, eight at a time, over a network of given bandwidth and latency. An
iterative method is so many such passes.

``python -m benchmarks.scale.simulation [--folder FOLDER]`` measures, checks and predicts; results go to
``benchmarks/results/scale.simulation.md``.
"""

from __future__ import annotations

import argparse
import heapq
import json
import operator
import pickle
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import facts, in_words
from benchmarks.record import RESULTS
from benchmarks.scale.bench_files import COLUMNS, client, workers
from benchmarks.scale.big_table import make, remove
from epee.engines.dask_engine import FAN, parts_for
from epee.engines.local import one_blas_thread

FILE_ROWS = 4_000_000  # of the files of a very large table: 1 GB each
BYTES_A_ROW = 240
BANDWIDTH, LATENCY = 1.25e9, 5e-4  # 10 Gbit/s, half a millisecond


@dataclass(frozen=True)
class Costs:
    """Seconds and bytes, measured here."""

    row: float  # seconds to read and reduce one row
    shared: float  # the same while another core of the machine does so, too
    task: float  # seconds the scheduler spends on a task
    moment: int  # bytes of a moment that travels
    merge: float  # seconds to merge two moments
    file: float  # seconds to open a file and read its footer
    start: float  # seconds of a pass with nothing to do


def simulate(
    rows: float, workers: int, costs: Costs, *, storage: float = np.inf, spread: float = 0.1, seed: int = 0
) -> float:
    """Return the seconds of one pass; ``storage`` is what one worker can read in bytes a second.

    >>> costs = Costs(1e-6, 1e-6, 0.0, 0, 0.0, 0.0, 0.0)
    >>> round(simulate(1e6, 1, costs, spread=0.0), 6), round(simulate(1e6, 4, costs, spread=0.0), 1)
    (1.0, 0.3)
    """
    rng = np.random.default_rng(seed)
    parts = parts_for(workers)
    size = rows / parts
    mean = size * (costs.row if workers == 1 else costs.shared) + size * BYTES_A_ROW / storage
    took = mean * rng.lognormal(-(spread**2) / 2, spread, parts)
    free = [0.0] * workers
    clock = costs.start  # of the scheduler
    done = []
    for seconds in took:
        clock += costs.task
        end = max(heapq.heappop(free), clock) + seconds
        heapq.heappush(free, end)
        done.append(end)
    one = costs.merge + costs.moment / BANDWIDTH + (LATENCY if workers > 1 else 0.0)
    while len(done) > 1:
        merged = []
        for i in range(0, len(done), FAN):
            group = done[i : i + FAN]
            clock = max(clock, max(group)) + costs.task
            end = max(heapq.heappop(free), clock) + (len(group) - 1) * one
            heapq.heappush(free, end)
            merged.append(end)
        done = merged
    return float(done[0])


def whole_pass(folder: str) -> tuple[Any, Callable[[], list[Any]]]:
    """Return the source of a folder, and what reduces all its parts in this process, one after the other."""
    from epee.engines.dask_engine import reduce_part
    from epee.moments.passes import Summation, joint_origin
    from epee.table.source import as_source

    source: Any = as_source(folder, "value", columns=COLUMNS)
    keep = Summation(joint_origin(source), "full", targets=1)
    parts = list(source.parts(8))

    def reduce_all() -> list[Any]:
        with one_blas_thread():
            return [
                reduce_part(p.payload, p.build, keep, operator.add, keep.rows(), p.start, p.label)[0] for p in parts
            ]

    return source, reduce_all


def seconds_a_row(folder: str, count: int) -> float:
    """Return the seconds of a row on a worker, while so many workers do the same."""
    here = client(count)
    names = list(here.scheduler_info()["workers"])
    took = [here.submit(timed_pass, folder, workers=[name], pure=False) for name in names]
    return float(np.mean(here.gather(took)))


def timed_pass(folder: str) -> float:
    """Return the seconds of a row of the second of two passes over all parts in this process."""
    source, reduce_all = whole_pass(folder)
    reduce_all()
    start = time.perf_counter()
    reduce_all()
    return (time.perf_counter() - start) / source.n_rows


def calibrate(folder: str) -> Costs:
    """Measure the costs on this machine."""
    from epee.engines.dask_engine import DaskEngine
    from epee.table.arrays import ArraySource
    from epee.table.parquet import ParquetBatches

    source, reduce_all = whole_pass(folder)
    found = reduce_all()
    row, shared = seconds_a_row(folder, 1), seconds_a_row(folder, 2)
    start = time.process_time()
    for _ in range(200):
        found[0] + found[1]
    merge = (time.process_time() - start) / 200
    paths = source.batches.paths
    start = time.perf_counter()
    ParquetBatches(paths * 20, "twenty times")
    file = (time.perf_counter() - start) / (20 * len(paths))
    engine, small = DaskEngine(client(1)), ArraySource(np.zeros((1, 1)))
    engine.reduce(small, len)
    start = time.perf_counter()
    for _ in range(5):
        engine.reduce(small, len)
    idle = (time.perf_counter() - start) / 5
    many = [engine.client.submit(abs, k, pure=False) for k in range(10)]
    engine.client.gather(many)
    start = time.perf_counter()
    engine.client.gather([engine.client.submit(abs, k, pure=False) for k in range(1000)])
    task = (time.perf_counter() - start) / 1000
    return Costs(row, shared, task, len(pickle.dumps(found[0])), merge, file, max(idle - 2 * task, 0.0))


def measured(folder: str, count: int, rounds: int = 3) -> float:
    """Return the median seconds of a pass from files by so many workers."""
    run, times = workers(count), []
    run(folder)
    for _ in range(rounds):
        start = time.perf_counter()
        run(folder)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main() -> None:
    """Measure, check, predict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    folder = chosen.folder or Path(tempfile.mkdtemp(prefix="epee-simulation-"))
    try:
        if not list(folder.glob("*.parquet")):
            make(folder, 1.0)
        import pyarrow.parquet as pq

        n = sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
        costs = calibrate(str(folder))
        check = {count: (simulate(n, count, costs), measured(str(folder), count)) for count in (1, 2)}
    finally:
        if chosen.folder is None:
            remove(folder)
    words = (
        f"Least squares on 29 inputs, {n:,} rows here. Measured: {1e6 * costs.row:.3f} µs a row on a worker "
        f"({4096e3 * costs.row:.2f} ms a block of 4,096 rows), {1e6 * costs.shared:.3f} µs while another does the same, "
        f"{1e3 * costs.task:.2f} ms a task, {costs.moment:,} bytes a moment, {1e6 * costs.merge:.0f} µs a merge, "
        f"{1e3 * costs.file:.2f} ms a file, {1e3 * costs.start:.0f} ms to begin."
    )
    lines = ["# A pass on a cluster", "", f"{in_words(facts())}.", "", words, ""]
    lines += ["| workers | simulated s | measured s |", "|---|---|---|"]
    lines += [f"| {count} | {a:.2f} | {b:.2f} |" for count, (a, b) in check.items()]
    lines += ["", "Predicted seconds of one pass (workers of one core; files of 4 million rows, opened once by the client):", "",
              "| rows | workers | as fast as here | storage of 200 MB/s a worker | opening the files | bytes that travel |",
              "|---|---|---|---|---|---|"]  # fmt: skip
    table = []
    for rows in (1e9, 1e12):
        for count in (10, 100, 1000):
            fast, slow = simulate(rows, count, costs), simulate(rows, count, costs, storage=2e8)
            opening, travel = costs.file * rows / FILE_ROWS, costs.moment * parts_for(count)
            table.append(
                {
                    "rows": rows,
                    "workers": count,
                    "seconds": fast,
                    "slow storage": slow,
                    "opening": opening,
                    "bytes": travel,
                }
            )
            lines.append(
                f"| {rows:.0e} | {count} | {fast:,.1f} | {slow:,.1f} | {opening:,.1f} | {travel / 1e6:,.1f} MB |"
            )
    text = "\n".join(lines) + "\n"
    print(text)
    (RESULTS / "scale.simulation.md").write_text(text)
    kept = {"costs": asdict(costs), "check": check, "predictions": table}
    (RESULTS / "scale.simulation.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
