"""Blocks: rows in memory, and rows that still lie in the columns of an Arrow batch."""

import datetime
import decimal
import pickle

import numpy as np
import pyarrow as pa
import pytest

from epee.table.block import Block, ColumnBlock


def column_block(X, **beside):
    return ColumnBlock(pa.record_batch({f"x{j}": c for j, c in enumerate(X.T.copy())}), np.dtype(float), **beside)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(5000, 7))


def test_columns_become_the_rows(X):
    block = column_block(X, y=np.arange(5000))
    assert len(block) == 5000
    assert block.X.flags.f_contiguous
    np.testing.assert_array_equal(block.X, X)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, None, 3], pa.int8()),
        pa.array([1, None, 3], pa.float16()),
        pa.array([1, None, 3], pa.float32()),
        pa.array([1, None, 3]).dictionary_encode(),
        pa.array([decimal.Decimal(1), None, decimal.Decimal(3)], pa.decimal128(5, 1)),
        pa.array([datetime.timedelta(seconds=1), None, datetime.timedelta(seconds=3)]),
    ],
    ids=lambda c: str(c.type),
)
def test_any_number_beside_a_float(column):
    batch = pa.RecordBatch.from_arrays([column, pa.array([0.5, 1.5, None])], names=["a", "b"])
    block = ColumnBlock(batch, np.dtype(float))
    np.testing.assert_array_equal(block.X, [[1, 0.5], [np.nan, 1.5], [3, np.nan]])
    np.testing.assert_array_equal(block.between(1, 3).X, [[np.nan, 1.5], [3, np.nan]])


def test_booleans_and_small_floats_stay_small():
    batch = pa.record_batch({"a": pa.array([True, None, False]), "b": pa.array([1.5, 2.5, 3.5], pa.float32())})
    X = ColumnBlock(batch, np.dtype(np.float32)).X
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X, np.array([[1, 1.5], [np.nan, 2.5], [0, 3.5]], dtype=np.float32))


@pytest.mark.parametrize("lazy", [True, False])
def test_cut_and_joined_rows_are_the_same(X, lazy):
    n = len(X)
    beside = {"y": np.arange(n), "weight": np.arange(n) + 1.0, "fold": np.arange(n) % 3, "start": 100}
    block = column_block(X, **beside) if lazy else Block(X, **beside)
    joined = block.between(0, 1234).followed_by(block.between(1234, n))
    assert joined.start == 100
    assert block.between(1234, n).start == 1334
    assert joined.group is None
    np.testing.assert_array_equal(joined.X, X)
    for name in ("y", "weight", "fold"):
        np.testing.assert_array_equal(getattr(joined, name), beside[name])


def test_columns_stay_together_when_joined(X):
    block = Block(np.asfortranarray(X))
    assert block.between(0, 10).followed_by(block.between(10, 20)).X.flags.f_contiguous


def test_other_parts_do_not_lay_out_the_rows(X):
    block = column_block(X, y=np.arange(5000)).having(y=None, group=np.zeros(5000, dtype=int))
    assert block.y is None
    assert "X" not in vars(block)
    other = block.having(X=X[:3])
    assert type(other) is Block
    np.testing.assert_array_equal(other.X, X[:3])


def test_it_travels_as_rows(X):
    block = pickle.loads(pickle.dumps(column_block(X, y=np.arange(5000), start=7)))
    assert type(block) is Block
    assert block.start == 7
    np.testing.assert_array_equal(block.X, X)


@pytest.mark.parametrize("lazy", [True, False])
def test_lanes_are_the_columns(X, lazy):
    block = (column_block(X) if lazy else Block(np.asfortranarray(X))).between(0, 5000).between(100, 4000)
    if not lazy:
        block = Block(np.asfortranarray(block.X))
    memory, first = block.lanes()
    for j in range(7):
        np.testing.assert_array_equal(memory[first[j] : first[j] + 3900], X[100:4000, j])


def test_there_are_no_lanes_of_rows_and_of_other_numbers(X):
    assert Block(X).lanes() is None
    assert ColumnBlock(pa.record_batch({"a": np.ones(3, np.float32)}), np.dtype(np.float32)).lanes() is None
    holes = ColumnBlock(pa.record_batch({"a": pa.array([1.0, None]), "b": pa.array([1, 2])}), np.dtype(float))
    memory, first = holes.lanes()
    assert np.isnan(memory[first[0] + 1]) and memory[first[1] + 1] == 2.0
