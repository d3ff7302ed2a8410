"""Rows from files to blocks, against DuckDB's own Arrow reader, and a table of several kinds to numbers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.harness import Problem
from epee import Moments, TableEncoder
from epee.table.source import as_source


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="epee-bench-")


def parquet(n: int, p: int) -> tuple[str]:
    """Write a Parquet file with a single row group, the hardest for memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(folder().name) / f"{n}_{p}.parquet"
    rng = np.random.default_rng(0)
    pq.write_table(pa.table({f"x{j}": rng.normal(size=n) for j in range(p)}), path, row_group_size=n)
    return (str(path),)


def french_csv(n: int, p: int) -> tuple[str, str]:
    """Write the same numbers as English and as French CSV."""
    import pyarrow as pa
    import pyarrow.csv as pc

    rng = np.random.default_rng(0)
    english = Path(folder().name) / f"{n}_{p}.csv"
    pc.write_csv(pa.table({f"x{j}": rng.normal(size=n).round(6) for j in range(p)}), english)
    french = english.with_suffix(".fr.csv")
    french.write_text(english.read_text().replace(",", ";").replace(".", ","))
    return str(english), str(french)


def blocks(path: str) -> int:
    return sum(len(block) for block in as_source(path).blocks())


def duckdb_arrow(path: str) -> int:
    """Read every column into Arrow batches, lazily."""
    import duckdb

    return sum(batch.num_rows for batch in duckdb.connect().sql(f"SELECT * FROM '{path}'").to_arrow_reader(16_384))


def pandas_csv(path: str) -> int:
    import pandas as pd

    return len(pd.read_csv(path))


def mixed(n: int) -> tuple[object]:
    import pandas as pd

    rng = np.random.default_rng(0)
    towns = np.array([f"town {k}" for k in range(30)])
    frame = pd.DataFrame({f"x{j}": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)) for j in range(10)})
    return (frame.assign(town=towns[rng.integers(0, 30, n)], other=towns[rng.integers(0, 10, n)]),)


def scikit_learn_encoder(frame: object) -> np.ndarray:
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    numbers = make_column_selector(dtype_include="number")
    texts = make_column_selector(dtype_exclude="number")
    return make_column_transformer(
        (SimpleImputer(), numbers), (OneHotEncoder(sparse_output=False), texts), sparse_threshold=0
    ).fit_transform(frame)


def problems() -> Iterator[Problem]:
    yield Problem(
        "Parquet to blocks, 1,000,000 x 30",
        data=lambda: parquet(1_000_000, 30),
        ours=blocks,
        rivals={"DuckDB to Arrow": duckdb_arrow},
        claim={"DuckDB to Arrow": 1.0, "extra MB": 200},
        same=lambda a, b: a == b,
        quick=True,
    )
    yield Problem(
        "Moments from Parquet, 1,000,000 x 30",
        data=lambda: parquet(1_000_000, 30),
        ours=lambda path: Moments.of(path),
        rivals={"DuckDB to Arrow": duckdb_arrow},
        claim={"DuckDB to Arrow": 0.7, "extra MB": 250},
        quick=True,
    )
    yield Problem(
        "CSV to blocks, 300,000 x 20",
        data=lambda: french_csv(300_000, 20),
        ours=lambda english, french: blocks(english),
        rivals={
            "DuckDB to Arrow": lambda english, french: duckdb_arrow(english),
            "pandas": lambda english, french: pandas_csv(english),
        },
        same=lambda a, b: a == b,
    )
    yield Problem(
        "French CSV to blocks, 300,000 x 20",
        data=lambda: french_csv(300_000, 20),
        ours=lambda english, french: blocks(french),
        rivals={"the same in English": lambda english, french: blocks(english)},
        same=lambda a, b: a == b,
    )
    yield Problem(
        "TableEncoder fit and transform, 200,000 x 12, 2 categories",
        data=lambda: mixed(200_000),
        ours=lambda frame: TableEncoder().fit_transform(frame),
        rivals={"scikit-learn ColumnTransformer": scikit_learn_encoder},
        claim={"scikit-learn ColumnTransformer": 1.0},
        same=lambda ours, theirs: bool(np.allclose(ours, theirs[:, [*range(10), *range(10, 50)]])),
        quick=True,
    )
