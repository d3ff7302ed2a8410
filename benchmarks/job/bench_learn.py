"""The main job: the closed forms on a million rows against reading them, and the whole default run on ten thousand."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import epee
from benchmarks.harness import Problem, Seconds


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="epee-bench-")


def parquet(n: int, p: int, classes: bool) -> tuple[str]:
    """Write n rows of p numbers in all, the last column a value or a class."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(folder().name) / f"{n}_{p}_{'classes' if classes else 'values'}.parquet"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p - 1))
    line = X @ rng.normal(size=p - 1)
    y: Any = line + 3 * rng.normal(size=n)
    if classes:
        y = np.array(["no", "yes"])[(0.4 * line + rng.logistic(size=n) > 0).astype(int)]
    pq.write_table(pa.table({**{f"x{j}": X[:, j] for j in range(p - 1)}, "y": y}), path)
    return (str(path),)


def frame(n: int, p: int, classes: bool) -> tuple[Any]:
    import pandas as pd

    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    y: Any = X @ rng.normal(size=p) + 3 * np.sin(2 * X[:, 0]) + rng.normal(size=n)
    if classes:
        scores = X @ rng.normal(size=(p, 3)) + 0.7 * X[:, :3] ** 2 + rng.gumbel(size=(n, 3))
        y = np.array(list("abc"))[np.argmax(scores, axis=1)]
    return (pd.DataFrame(X, columns=[f"x{j}" for j in range(p)]).assign(y=y),)


def houses(n: int = 2930) -> tuple[Any]:
    """Make a table whose 43 categories, one of them twice, have some 250 levels that depend on each other, beside 36 numbers."""
    import pandas as pd

    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"c{j}": rng.choice([f"l{k}" for k in range(rng.integers(3, 9))], n) for j in range(43)}
    columns |= {f"x{j}": rng.normal(size=n) for j in range(36)}
    columns["c42"] = columns["c41"]
    told = sum(columns[f"x{j}"] * (j + 1) / 20 for j in range(12)) + 2 * (columns["c0"] == "l1")
    return (pd.DataFrame(columns).assign(y=told + rng.normal(size=n)),)


def of_the_processor(table: Any) -> Seconds:
    """Time the predictors of version 0.1 by the processor, all threads together."""
    start = time.process_time()
    epee.learn(table, "y", predictors=["linear", "ridge", "lasso", "additive", "tree", "neighbours"])
    return Seconds(time.process_time() - start)


def duckdb_arrow(path: str) -> int:
    """Read every column into Arrow batches."""
    import duckdb

    return sum(batch.num_rows for batch in duckdb.connect().sql(f"SELECT * FROM '{path}'").to_arrow_reader(16_384))


CLOSED = {True: ["naive_bayes", "lda", "least_squares", "fisher", "qda"], False: ["linear", "ridge"]}


def leaderboard(path: str) -> Seconds:
    """Time the leaderboard within a run: all passes, fits and scores, without sealing rows before it and the card after it."""
    from epee.job import learning
    from epee.job.contest import Contest

    look, run, took = learning.look, Contest.run, []

    def timed(function: Any) -> Any:
        def call(*given: Any) -> Any:
            start = time.perf_counter()
            found = function(*given)
            took.append(time.perf_counter() - start)
            return found

        return call

    learning.look, Contest.run = timed(look), timed(run)  # type: ignore[method-assign]
    try:
        epee.learn(path, "y", predictors=CLOSED["classes" in path])
    finally:
        learning.look, Contest.run = look, run  # type: ignore[method-assign]
    return Seconds(sum(took))


def problems() -> Iterator[Problem]:
    for classes in (False, True):
        kind = "two classes" if classes else "a regression"
        yield Problem(
            f"closed forms of {kind}, the leaderboard, 1,000,000 x 30 Parquet, 10 folds",
            data=lambda classes=classes: parquet(1_000_000, 30, classes=classes),
            ours=leaderboard,
            limits={"DuckDB to Arrow": duckdb_arrow},
            claim={"DuckDB to Arrow": 3.0},
        )
        yield Problem(
            f"closed forms of {kind}, the whole run, 1,000,000 x 30 Parquet, 10 folds",
            data=lambda classes=classes: parquet(1_000_000, 30, classes=classes),
            ours=lambda path: epee.learn(path, "y", predictors=CLOSED["classes" in path]),
            limits={"DuckDB to Arrow": duckdb_arrow},
            claim={"extra MB": 300},
        )
    for classes in (True, False):
        yield Problem(
            f"learn, default run, {'three classes' if classes else 'regression'}, 10,000 x 20",
            data=lambda classes=classes: frame(10_000, 20, classes),
            ours=lambda table: epee.learn(table, "y"),
            claim={"seconds": 20},
        )
    yield Problem(
        "learn, processor time, predictors of 0.1, 250 dependent levels, 2,930 x 79",
        data=houses,
        ours=of_the_processor,
        claim={"seconds": 10},
    )
