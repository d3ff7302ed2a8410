"""Arrow columns become NumPy columns with the same values."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest

from epee.table.raw import common_dtype, kind_of_type, numbers_of, texts_of


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, None, 3], t)
        if not pa.types.is_decimal(t)
        else pa.array([decimal.Decimal(1), None, decimal.Decimal(3)], t)
        for t in (pa.int8(), pa.int64(), pa.uint16(), pa.float32(), pa.float64(), pa.float16(), pa.decimal128(5, 1))
    ],
    ids=str,
)
def test_numbers(column):
    np.testing.assert_array_equal(numbers_of(column), [1, np.nan, 3])
    np.testing.assert_array_equal(numbers_of(column.slice(2)), [3])


def test_other_kinds():
    np.testing.assert_array_equal(numbers_of(pa.array([True, None, False])), [1, np.nan, 0])
    np.testing.assert_array_equal(numbers_of(pa.nulls(2)), [np.nan, np.nan])
    np.testing.assert_array_equal(numbers_of(pa.array([datetime.date(1970, 1, 3)])), [2])
    noon = pa.array([datetime.datetime(1970, 1, 1, 12)], pa.timestamp("ns"))
    np.testing.assert_array_equal(numbers_of(noon), [0.5])
    paris = noon.cast(pa.timestamp("us")).cast(pa.timestamp("us", tz="Europe/Paris"))
    np.testing.assert_array_equal(numbers_of(paris), [0.5])
    np.testing.assert_array_equal(numbers_of(pa.array([datetime.timedelta(seconds=3), None])), [3, np.nan])
    np.testing.assert_array_equal(numbers_of(pa.array([5, 5, None]).dictionary_encode()), [5, 5, np.nan])


def test_no_copy_where_nothing_is_missing():
    values = np.arange(5.0)
    assert np.shares_memory(numbers_of(pa.array(values)), values)


def test_texts():
    assert texts_of(pa.array([1.0, None, 3.0])).to_pylist() == ["1", None, "3"]
    assert texts_of(pa.array([1.5, np.nan])).to_pylist() == ["1.5", None]
    assert texts_of(pa.array(["u", None]).dictionary_encode()).to_pylist() == ["u", None]
    assert texts_of(pa.array(["u"], pa.large_string())).type == pa.string()


def test_common_dtype():
    assert common_dtype([pa.float32(), pa.int8(), pa.bool_()]) == np.float32
    assert common_dtype([pa.float32(), pa.int32()]) == np.float64
    assert common_dtype([pa.int8()]) == np.float64


def test_kinds():
    assert kind_of_type(pa.list_(pa.int8())) is None
    assert kind_of_type(pa.dictionary(pa.int8(), pa.string())) == "text"
    assert kind_of_type(pa.date32()) == "date"
