"""What a column of written cells holds: never 1,5 as 15, never 007 as 7."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epee.table.cells import BadCell, Writing, convert, infer, kind_of_texts, leading_zeros


def column(*cells):
    return pa.chunked_array([list(cells)], pa.string())


def read(*cells, **said):
    writing = infer(column(*cells), **said)
    return writing.kind, convert(pa.array(cells, pa.string()), writing).to_pylist()


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-2.5", "+3e2", ".5"], [1, -2.5, 300, 0.5]),
        (["1,5", "0,25"], [1.5, 0.25]),
        (["1 234,5", "12"], [1234.5, 12]),
        (["1\u00a0234,5", "1\u202f234\u202f567,25"], [1234.5, 1234567.25]),
        (["1 234.5", "12"], [1234.5, 12]),
        (["1,234.5", "2,225"], [1234.5, 2225]),
        (["1,234,567", "1"], [1234567, 1]),
        (["1.234,5", "2.225"], [1234.5, 2225]),
        ([" 1 ", "2"], [1, 2]),
        (["1", "NA", "?", "", None, "-"], [1, None, None, None, None, None]),
        (["inf", "1"], [float("inf"), 1]),
    ],
)
def test_numbers(cells, values):
    assert read(*cells) == ("number", values)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_read_back_to_the_last_bit(values):
    assert read(*[repr(v) for v in values])[1] == values
    commas = read(*[repr(v).replace(".", ",") for v in values], decimal=",")[1]
    assert commas == values


def test_leading_zeros_are_identifiers():
    kind, values = read("007", "123")
    assert kind == "category" and values == ["007", "123"]
    assert "leading zeros" in infer(column("007", "123")).note
    assert infer(column("-01", "3")).kind == "category"
    assert read("0", "0.5", "-0.25", "10")[0] == "number"


def test_a_later_identifier_is_a_fault():
    with pytest.raises(BadCell, match="leading zeros") as bad:
        convert(pa.array(["1", "2", "007"]), infer(column("1", "2")))
    assert (bad.value.row, bad.value.value) == (2, "007")


def test_the_user_may_say_number():
    assert read("007", "012", kind="number") == ("number", [7, 12])


def test_leading_zeros_of_slices_and_holes():
    cells = pa.array(["1", "007", None, "0", "", "00"])
    assert leading_zeros(cells).tolist() == [False, True, False, False, False, True]
    assert leading_zeros(cells.slice(1, 3)).tolist() == [True, False, False]
    assert leading_zeros(pa.array([None, None], pa.string())).tolist() == [False, False]


def test_a_doubtful_thousand_stays_text_and_is_said():
    writing = infer(column("1,234", "2,225"))
    assert writing.kind == "category" and writing.doubt and "may be a decimal or a thousand" in writing.note
    assert read("1,234", "2,225", decimal=",")[1] == [1.234, 2.225]
    assert read("1,234", "2,225", decimal=".")[1] == [1234, 2225]
    assert read("1,234", "2,225", french=True)[1] == [1.234, 2.225]


def test_many_cells_with_three_digits_behind_a_comma_are_thousands_aloud():
    cells = [f"{1000 + 37 * i:,}" for i in range(40)] + ["950"]
    writing = infer(column(*cells))
    assert (writing.kind, writing.thousands, writing.doubt) == (
        "number",
        ",",
        True,
    ) and "between thousands" in writing.note
    assert read(*cells)[1] == [1000.0 + 37 * i for i in range(40)] + [950.0]
    few = infer(column(*cells[:8]))
    assert few.kind == "category" and "may be a decimal or a thousand" in few.note
    assert read(*cells, french=True)[1][0] == 1.0  # among semicolons a comma is a decimal one
    assert read(*cells, "0,125")[1][0] == 1.0  # and where one cell says so


def test_two_ways_of_writing_are_a_fault():
    with pytest.raises(BadCell, match="not a number written as the others") as bad:
        read("1,5", "2,5", "1.5")
    assert bad.value.value == "1.5"


def test_a_word_among_numbers_is_a_fault():
    with pytest.raises(BadCell) as bad:
        read("1", "2", "3", "4", "5", "6", "7", "abc")
    assert (bad.value.row, bad.value.value) == (7, "abc")
    assert read("0", "1", "2", "3+", "0", "1", "2", "0", "1", "2")[0] == "category"  # levels, not faults


@pytest.mark.parametrize("cell", ["1,5", "1.5.2", "12abc", "1 23", "0x10", "1_000", "12%"])
def test_no_cell_is_bent_into_a_number(cell):
    with pytest.raises(BadCell, match="not a number"):
        convert(pa.array(["3", cell]), Writing("number"))


def test_booleans():
    assert read("oui", "non", "", "OUI") == ("boolean", [True, False, None, True])
    assert read("0", "1", kind="boolean") == ("boolean", [False, True])
    with pytest.raises(BadCell, match="neither true nor false"):
        read("0", "7", kind="boolean")


@pytest.mark.parametrize(
    ("cells", "french", "expected"),
    [
        (["2020-01-02", ""], False, datetime.datetime(2020, 1, 2)),
        (["2020-01-02T10:30:00", "2020-05-01T00:00:00"], False, datetime.datetime(2020, 1, 2, 10, 30)),
        (["2020-01-02T10:00:00+02:00", "2020-01-02T10:00:00Z"], False, datetime.datetime(2020, 1, 2, 8)),
        (["02/01/2020", "25/01/2020"], False, datetime.datetime(2020, 1, 2)),
        (["01/02/2020", "01/25/2020"], False, datetime.datetime(2020, 1, 2)),
        (["02/01/2020", "03/04/2020"], True, datetime.datetime(2020, 1, 2)),
        (["02.01.2020", "03.04.2020"], False, datetime.datetime(2020, 1, 2)),
        (["2020/01/02"], False, datetime.datetime(2020, 1, 2)),
        (["02/01/2020 10:30", "25/01/2020 11:00"], False, datetime.datetime(2020, 1, 2, 10, 30)),
    ],
)
def test_dates(cells, french, expected):
    kind, values = read(*cells, french=french)
    assert kind == "date" and values[0] == expected


def test_doubtful_dates_are_said():
    writing = infer(column("02/01/2020", "03/04/2020"))
    assert writing.doubt and "month first" in writing.note


def test_a_bad_date_is_named():
    with pytest.raises(BadCell, match="not a date") as bad:
        convert(pa.array(["2020-01-02", None, "2020-13-02"]), Writing("date", pattern="iso"))
    assert bad.value.row == 2


def test_texts_and_categories():
    assert read("a", "b", "NA") == ("category", ["a", "b", None])
    assert infer(column(*[f"name {k}" for k in range(100)])).kind == "text"
    assert kind_of_texts(1001, 10_000) == "text"


def test_nothing_but_holes():
    assert infer(column("", None, "NA")).note == "no values"


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["5 %", "12,5 %"], [5, 12.5]),
        (["5%", None, "NA", "-7.5%"], [5, None, None, -7.5]),
        (["1 234,50 €", "-5 €"], [1234.5, -5]),
        (["$1,234.50", "-$5", "$-6"], [1234.5, -5, -6]),
        (["CHF 1'234.50", "CHF 7"], [1234.5, 7]),
        (["(5)", "12", "(1,234.5)"], [-5, 12, -1234.5]),
        (["\u2212" + "5", "3"], [-5, 3]),
        (["٥", "١٢٫٥"], [5, 12.5]),
        (["５", "１２"], [5, 12]),
        (["1_000", "2_500_000"], [1000, 2_500_000]),
    ],
)
def test_numbers_in_dress_are_numbers_aloud(cells, values):
    writing = infer(column(*cells))
    assert writing.doubt and repr(cells[0]) in writing.note
    assert read(*cells) == ("number", values)


@pytest.mark.parametrize(
    "cells",
    [["5 %", "5"], ["5 €", "5 $"], ["(1)", "(2)"], ["E1", "E2"], ["5e3", "x"], ["e5", "e6"], ["+", "-", "+1"], ["1_00", "2"],
     ["007 %", "1 %"], ["5 m", "6 m"], ["1.2.3 €", "4 €"], ["--5", "−-5"]],
)  # fmt: skip
def test_what_is_no_number_in_dress_stays_text(cells):
    assert read(*cells)[0] == "category"


def test_numbers_in_two_dresses_are_texts_aloud():
    for cells in (["5 %", "5", "6"], ["5 €", "5 $"]):
        writing = infer(column(*cells))
        assert writing.doubt and f"{cells[0]!r} and {cells[1]!r}" in writing.note
    assert "'(5)' is -5" in infer(column("12", "(5)")).note  # the cell that wears something is shown
    assert infer(column("5", "red")).note == ""


def test_another_dress_later_is_a_fault():
    writing = infer(column("5 %", "6 %"))
    for cell in ("7", "7 €", "x"):
        with pytest.raises(BadCell, match="written as the others, with '%'"):
            convert(pa.array(["5 %", cell]), writing)


def test_a_number_too_large_is_a_fault_and_infinity_is_none():
    with pytest.raises(BadCell, match="too large"):
        read("1", "1e400")
    assert read("1", "-inf", " Infinity ")[1] == [1, float("-inf"), float("inf")]


def test_zones_do_not_mix():
    for cells in (["2020-01-01 10:00Z", "2020-01-01 10:00"], ["2020-01-01", "2020-01-01T10:00:00+02"]):
        with pytest.raises(BadCell, match="has no time zone"):
            read(*cells)
    with pytest.raises(BadCell, match="has a time zone"):
        convert(pa.array(["2020-01-01 10:00Z"]), infer(column("2020-01-01 10:00")))
    assert read("2020-01-01 10:00:00.123456789")[1] == [datetime.datetime(2020, 1, 1, 10, 0, 0, 123456)]


def test_the_user_may_say_which_is_the_day():
    for order, month in (("dmy", 2), ("mdy", 1)):
        writing = infer(column("01/02/2020"), kind="date", order=order)
        assert not writing.note and convert(pa.array(["01/02/2020"]), writing)[0].as_py().month == month
    assert infer(column("25/02/2020"), order="mdy").pattern == "%d/%m/%Y"  # the cells know better
