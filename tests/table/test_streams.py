"""A stream passes once, and is read again and again from its copy."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import epee
from epee.errors import DataError, EmptyTable, WrongUse
from epee.table.source import open_table
from epee.table.streams import StreamBatches

rng = np.random.default_rng(0)
TABLE = pa.table({
    "a": rng.normal(size=50), "town": np.array(["u", "v", "w"])[rng.integers(0, 3, 50)], "y": rng.normal(size=50),
})  # fmt: skip
PARTS = [TABLE.slice(0, 20), TABLE.slice(20, 1), TABLE.slice(21)]
STREAMS = {
    "reader": lambda: TABLE.to_reader(max_chunksize=7),
    "batches": lambda: (batch for batch in TABLE.to_batches(max_chunksize=7)),
    "pandas": lambda: (part.to_pandas() for part in PARTS),
    "categories": lambda: (part.to_pandas().astype({"town": "category"}) for part in PARTS),
    "polars": lambda: map(pl.from_arrow, PARTS),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_read_as_often_as_need_be(name):
    batches = open_table(STREAMS[name]())
    assert isinstance(batches, StreamBatches) and batches.n_rows == 50
    for _ in range(2):
        assert (
            pa.Table.from_batches(batches.read(["y", "town"], 16)).to_pydict()
            == TABLE.select(["y", "town"]).to_pydict()
        )
    path = batches.spool.path
    assert os.path.exists(path)
    del batches
    assert not os.path.exists(path)


def test_chunks_of_pandas_teach_an_estimator(tmp_path):
    TABLE.to_pandas().drop(columns="town").to_csv(tmp_path / "t.csv", index=False)
    fitted = epee.LinearRegression().fit(pd.read_csv(tmp_path / "t.csv", chunksize=11), "y")
    whole = epee.LinearRegression().fit(TABLE.select(["a"]), TABLE["y"].to_numpy())
    np.testing.assert_allclose(fitted.coef_, whole.coef_, rtol=1e-10)


@pytest.mark.parametrize(
    ("stream", "fault", "words"),
    [
        (iter([]), EmptyTable, "has no rows"),
        (iter([1, 2]), WrongUse, "gives a int"),
        (iter([TABLE, TABLE.drop_columns(["a"])]), DataError, "part 2 and part 1 do not both have column 'a'"),
        (iter([TABLE.drop_columns(["a"]), TABLE]), DataError, "part 2 and part 1 do not both have column 'a'"),
        (
            iter([TABLE, TABLE.set_column(0, "a", [["no"] * 50])]),
            DataError,
            "column 'a' is string in part 2 and double in part 1",
        ),
    ],
)
def test_what_does_not_go_together_is_told(stream, fault, words):
    with pytest.raises(fault, match=words):
        open_table(stream)
