"""Parquet files and folders: streamed, in order, and damaged ones named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epee.errors import BadFile, DataError, EmptyTable
from epee.table.parquet import ParquetBatches

N = 10_000
TABLE = pa.table({"a": np.arange(N) / 7, "s": [f"t{k % 5}" for k in range(N)], "i": np.arange(N)})


@pytest.fixture
def path(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=3000)
    return str(tmp_path / "t.parquet")


def test_rows_come_in_order_again_and_again(path):
    batches = ParquetBatches([path], "t.parquet")
    assert batches.n_rows == N
    for _ in range(2):
        assert pa.Table.from_batches(list(batches.read(["i", "a"], 777))) == TABLE.select(["i", "a"])


def test_truncated_and_foreign_files(path, tmp_path):
    data = Path(path).read_bytes()
    for name, content, sentence in [
        ("cut.parquet", data[:-100], "cut.parquet is a truncated Parquet file"),
        ("csv.parquet", b"a,b\n1,2\n", "csv.parquet is not a Parquet file: it begins with b'a,b.n'"),
        ("foot.parquet", data[:100] + data[-60:], "foot.parquet is a damaged Parquet file"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadFile, match=sentence):
            ParquetBatches([str(tmp_path / name)], name)
    (tmp_path / "zero.parquet").write_bytes(b"")
    with pytest.raises(EmptyTable, match="empty"):
        ParquetBatches([str(tmp_path / "zero.parquet")], "zero.parquet")


def test_damage_inside(path, tmp_path):
    data = bytearray(Path(path).read_bytes())
    data[40:20_000] = b"\xff" * (20_000 - 40)
    (tmp_path / "bad.parquet").write_bytes(bytes(data))
    with pytest.raises(BadFile, match="bad.parquet is damaged after row"):
        list(ParquetBatches([str(tmp_path / "bad.parquet")], "bad.parquet").read(["a"], 1000))


def test_no_rows(tmp_path):
    pq.write_table(TABLE.slice(0, 0), tmp_path / "t.parquet")
    with pytest.raises(EmptyTable, match=r"Found array with 0 sample\(s\)"):
        ParquetBatches([str(tmp_path / "t.parquet")], "t.parquet")


def two(tmp_path, first, second):
    pq.write_table(first, tmp_path / "1.parquet")
    pq.write_table(second, tmp_path / "2.parquet")
    return ParquetBatches([str(tmp_path / "1.parquet"), str(tmp_path / "2.parquet")], "folder")


def test_files_agree_on_types(tmp_path):
    batches = two(tmp_path, pa.table({"a": [1, 2], "b": ["x", "y"]}), pa.table({"b": ["z"], "a": [2.5]}))
    assert pa.Table.from_batches(list(batches.read(["a", "b"], 10))).to_pydict() == {
        "a": [1, 2, 2.5],
        "b": ["x", "y", "z"],
    }
    assert batches.where(2) == "row 0 of 2.parquet"


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        ({"a": ["x"]}, "column 'a' holds int64 in 1.parquet but string in 2.parquet"),
        ({"b": [1]}, "2.parquet has no column 'a', which 1.parquet has"),
        ({"a": [1], "b": [1]}, "2.parquet has a column 'b', which 1.parquet has not"),
    ],
)
def test_files_that_disagree(tmp_path, second, sentence):
    with pytest.raises(DataError, match=sentence):
        two(tmp_path, pa.table({"a": [1]}), pa.table(second))


def test_a_file_that_changes_is_refused(path):
    batches = ParquetBatches([path], "t.parquet")
    pq.write_table(TABLE.slice(0, 5), path)
    with pytest.raises(BadFile, match="changed or removed"):
        list(batches.read(["a"], 10))


def test_memory_does_not_grow_with_a_row_group(tmp_path):
    """One row group of 120 MB passes through far less."""
    n = 1_500_000
    pq.write_table(
        pa.table({f"x{j}": np.random.default_rng(j).normal(size=n) for j in range(10)}),
        tmp_path / "b.parquet",
        row_group_size=n,
    )
    code = (
        "import resource, sys; from epee.table.source import as_source; import pyarrow.parquet\n"
        "next(as_source(sys.argv[1]).blocks()); peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); n = sum(len(b) for b in as_source(sys.argv[1]).blocks()); print(n, peak() - before)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "b.parquet"], capture_output=True, text=True, check=True
    )
    rows, grown = map(int, out.stdout.split())
    assert rows == n
    assert grown < 80_000  # kilobytes
