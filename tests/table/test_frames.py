"""Frames of every library give the same Arrow columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from epee.errors import DataError, EmptyTable, WrongUse
from epee.table.frames import FrameBatches, is_dask, is_frame, taken_apart, to_arrow

DATA = {"a": [1.0, None, 3.0], "s": ["x", None, "y"], "b": [True, False, True]}
FRAMES = {
    "pandas": pd.DataFrame({"a": [1.0, np.nan, 3.0], "s": ["x", None, "y"], "b": [True, False, True]}),
    "categories": pd.DataFrame(
        {"a": [1.0, None, 3.0], "s": pd.Categorical(["x", None, "y"]), "b": [True, False, True]}
    ),
    "polars": pl.DataFrame(DATA),
    "lazy": pl.DataFrame(DATA).lazy(),
    "arrow": pa.table(DATA),
    "batch": pa.record_batch(DATA),
}


@pytest.mark.parametrize("name", FRAMES)
def test_the_same_columns(name):
    X = FRAMES[name]
    assert is_frame(X) and not is_dask(X)
    assert to_arrow(X).to_pydict() == DATA


def test_an_array_is_no_frame():
    assert not is_frame(np.zeros((2, 2))) and not is_frame([[1]]) and not is_frame("a.csv")


def test_names_become_text_and_duplicates_are_refused():
    assert to_arrow(pd.DataFrame([[1, 2]])).column_names == ["0", "1"]
    with pytest.raises(DataError, match="two columns are called 'a'"):
        to_arrow(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DataError, match="two columns are called '1'"):
        to_arrow(pd.DataFrame([[1, 2]], columns=["1", 1]))


def test_mixed_cells_are_named():
    with pytest.raises(
        DataError, match=r"column 'a' mixes cells of several types: int \(row 0: 1\), str \(row 1: 'x'\)"
    ):
        to_arrow(pd.DataFrame({"a": [1, "x"]}))


def test_no_rows():
    with pytest.raises(
        EmptyTable, match=r"Found array with 0 sample\(s\) \(shape=\(0, 1\)\) while a minimum of 1 is required"
    ):
        FrameBatches(pd.DataFrame({"a": np.array([])}))


def test_fingerprint():
    a = FrameBatches(pa.table({"a": [1, 2]})).fingerprint()
    assert (
        a == FrameBatches(pa.table({"a": [1, 2]})).fingerprint() != FrameBatches(pa.table({"a": [1, 3]})).fingerprint()
    )


@pytest.mark.parametrize("name", [name for name in FRAMES if name != "batch"])
def test_columns_are_taken_out_by_name(name):
    X, y, both, none = taken_apart(FRAMES[name], "b", ["a"], None)
    assert to_arrow(X).column_names == ["s"] and none is None
    assert y.tolist() == DATA["b"] and both.shape == (3, 1) and both[2, 0] == 3.0


def test_only_names_are_taken_for_names():
    frame = FRAMES["pandas"]
    labels = ["a", "s", "b"]  # of three rows: values, although columns are called so
    X, y = taken_apart(frame, labels)
    assert X is frame and y is labels
    assert taken_apart(np.zeros((2, 2)), "a")[1] == "a"  # arrays have no names
    with pytest.raises(WrongUse, match="'aa'"):
        taken_apart(frame, "aa")
