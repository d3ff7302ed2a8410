"""Times that are told by texts have the order of what they mean, or are refused by name."""

import datetime

import numpy as np
import pytest

from epee.errors import DataError
from epee.table.times import has_texts, moments_of_texts

DAYS = [datetime.datetime(2023, 11, 20) + datetime.timedelta(days=3 * i, minutes=i) for i in range(60)]


@pytest.mark.parametrize(
    "writing", ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"]
)
def test_dates_have_the_order_of_time(writing):
    order = np.random.default_rng(0).permutation(len(DAYS))
    moments, note = moments_of_texts([DAYS[i].strftime(writing) for i in order])
    assert np.array_equal(np.argsort(order), np.argsort(moments)) and not note


@pytest.mark.parametrize("writing", ["{}", "{}.5", "{:04d}", "1{:03d},25"])
def test_numbers_have_the_order_of_numbers(writing):
    order = np.random.default_rng(0).permutation(120)
    assert np.array_equal(np.argsort(order), np.argsort(moments_of_texts([writing.format(i) for i in order])[0]))


@pytest.mark.parametrize(
    "texts", [["2023-04", "2022-12", "2023-01"], ["9:30", "08:15", "09:00"], ["09:30:10", "09:30:05", "09:30:07"]]
)
def test_months_and_clocks_are_times(texts):
    assert np.argsort(moments_of_texts(texts)[0]).tolist() == [1, 2, 0]


def test_what_is_missing_is_missing():
    moments, _ = moments_of_texts(np.array(["3", None, "", "NA", "1"], dtype=object))
    assert np.isnan(moments).tolist() == [False, True, True, True, False]


def test_an_order_of_day_and_month_that_no_cell_tells_is_said():
    _, note = moments_of_texts(["01/02/2024", "03/02/2024"])
    assert "month first (as '01/02/2024')" in note and "If the day is first" in note


@pytest.mark.parametrize(
    ("texts", "bad", "row"),
    [
        (["January", "February"], "January", 0), (["2024-01-01", "2024-01-02", "soon"], "soon", 2), (["1", "2", "3", "x"], "x", 3),
        (["2024-01-01", "31/12/2023"], "31/12/2023", 1), (["2023Q1", "2023Q2"], "2023Q1", 0), (["2024-01-01", "7"], "7", 1),
        (["a", 3.5], 3.5, 1),
    ],
)  # fmt: skip
def test_the_first_text_that_tells_no_time_is_named(texts, bad, row):
    with pytest.raises(DataError, match="which is no date and no number") as caught:
        moments_of_texts(np.array(texts, dtype=object), "column 'when'")
    assert str(caught.value).startswith(f"column 'when' holds {bad!r} in row {row},")


def test_texts_are_found_among_values_of_any_kind():
    values = (["a"], [b"a"], [None, "a"], [1.0], [datetime.date(2024, 1, 1)])
    assert [has_texts(np.array(v, dtype=d)) for v, d in zip(values, (None, None, object, None, object), strict=True)] == [
        True, True, True, False, False,
    ]  # fmt: skip
