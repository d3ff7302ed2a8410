"""Awkward tables, and every road by which the same table can come."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

N = 400


def awkward(seed=0, n=N, task="classification"):
    """Return a table with an identifier, a constant, missing cells, rare levels, dates, yes/no, weights, groups and times."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n) + 100, rng.normal(size=n)
    town = rng.choice(["Lyon", "Paris", "Rennes", "Nantes"], n, p=[0.6, 0.3, 0.07, 0.03])
    score = (a - 100) - 0.5 * b + (town == "Paris") + rng.normal(size=n)
    y = np.where(score > 0.3, "haut", "bas") if task == "classification" else score * 3 + 10
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(0, 900, n)]
    return pa.table({
        "id": np.arange(n) + 7, "a": pa.array(a, mask=rng.random(n) < 0.05), "b": b, "same": np.full(n, 2.5),
        "town": pa.array(town, mask=rng.random(n) < 0.03), "day": days,
        "member": rng.random(n) < 0.4, "w": rng.integers(1, 4, n).astype(float), "g": rng.integers(0, 40, n),
        "t": rng.permutation(n).astype(float), "y": pa.array(y),
    })  # fmt: skip


def in_parts(table, folder, k):
    """Write a table as a folder of ``k`` Parquet files."""
    folder.mkdir()
    edges = np.linspace(0, table.num_rows, k + 1).astype(int)
    for i in range(k):
        pq.write_table(
            table.slice(edges[i], edges[i + 1] - edges[i]), folder / f"part-{i:03}.parquet", row_group_size=29
        )
    return folder


def as_csv(table, path):
    """Write a table as a CSV file."""
    pa.csv.write_csv(table, path)
    return path


def as_dask(table, k=3):
    """Return a table as a Dask data frame."""
    import dask.dataframe as dd

    return dd.from_pandas(table.to_pandas(date_as_object=False), npartitions=k, sort=False)


def roads(table, folder):
    """Return the same table by every road."""
    pq.write_table(table, folder / "one.parquet", row_group_size=83)
    as_csv(table, folder / "t.csv")
    return {
        "arrow": table,
        "pandas": table.to_pandas(),
        "polars": pl.from_arrow(table),
        "csv": str(folder / "t.csv"),
        "parquet": folder / "one.parquet",
        "parts 1": in_parts(table, folder / "p1", 1),
        "parts 7": in_parts(table, folder / "p7", 7),
        "parts 50": in_parts(table, folder / "p50", 50),
        "stream": table.to_reader(max_chunksize=61),
        "query": f"SELECT * FROM '{folder / 'one.parquet'}'",
        "dask": as_dask(table),
    }
