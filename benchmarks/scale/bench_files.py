"""Passes from files against DuckDB's own reader; two threads and two workers against one."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Problem
from benchmarks.scale.big_table import INPUTS, make, remove

COLUMNS = [f"x{j}" for j in range(INPUTS)]


@lru_cache(maxsize=1)
def folder(gigabytes: float = 1.0) -> str:
    """Return a Parquet folder that is removed when the process ends."""
    path = Path(tempfile.mkdtemp(prefix="epee-scale-"))
    atexit.register(remove, path)
    make(path, gigabytes)
    return str(path)


def duckdb_reads(path: str, target: str = "value") -> int:
    """Let DuckDB read the same columns as a stream of Arrow batches, and do nothing with them."""
    import duckdb

    query = f"select {', '.join([*COLUMNS, target])} from '{path}/*.parquet'"
    return sum(batch.num_rows for batch in duckdb.connect().sql(query).to_arrow_reader(100_000))


def fit_line(path: str) -> Any:
    """One pass: least squares on 29 inputs."""
    from epee import LinearRegression
    from epee.table.source import as_source

    return LinearRegression().fit(as_source(path, "value", columns=COLUMNS), None)


def fit_classes(path: str) -> Any:
    """A pass over the labels, then one over all columns."""
    from epee import LinearDiscriminantAnalysis
    from epee.table.source import as_source

    return LinearDiscriminantAnalysis().fit(as_source(path, "label", columns=COLUMNS), None)


def threads(count: int) -> Any:
    """Return the moments of an array by so many threads."""

    def run(X: np.ndarray) -> Any:
        from epee import Moments, options

        with options(threads=count):
            return Moments.of(X)

    return run


@lru_cache(maxsize=2)
def client(workers: int) -> Any:
    """Return the client of a cluster of so many processes of one thread."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
    here = Client(cluster, set_as_default=False)
    atexit.register(cluster.close)
    atexit.register(here.close)
    return here


def workers(count: int) -> Any:
    """Return a fit from files by so many workers."""

    def run(path: str) -> Any:
        import epee

        with epee.engine(client(count)):
            return fit_line(path)

    return run


def _same_line(a: Any, b: Any) -> bool:
    return bool(np.allclose(a.coef_, b.coef_, rtol=1e-11))


def problems() -> Iterator[Problem]:
    yield Problem(
        "least squares from a Parquet folder, 1 GB in 30 columns",
        data=folder,
        ours=fit_line,
        limits={"DuckDB's Arrow reader": duckdb_reads},
        claim={"DuckDB's Arrow reader": 1 / 0.7, "process MB": 1500},
    )
    yield Problem(
        "LDA from a Parquet folder, 1 GB in 30 columns",
        data=folder,
        ours=fit_classes,
        limits={"DuckDB's Arrow reader": lambda path: duckdb_reads(path, "label")},
        claim={"DuckDB's Arrow reader": 1 / 0.7, "process MB": 1500},
    )
    yield Problem(
        "two threads, moments of 200,000 x 200",
        data=lambda: np.random.default_rng(0).standard_normal((200_000, 200)),
        ours=threads(2),
        rivals={"one thread": threads(1)},
        claim={"one thread": 1.7},
        same=lambda a, b: bool(np.array_equal(a.scatter, b.scatter)),
    )
    yield Problem(
        "two Dask workers, least squares from a Parquet folder of 10 GB",
        data=lambda: folder(10.0),
        ours=workers(2),
        rivals={"one worker": workers(1)},
        claim={"one worker": 1.6},
        same=_same_line,
    )
