"""Names, kinds and what is said about them."""

from __future__ import annotations

import json

import pytest

from epee.errors import DataError, EmptyTable, WrongUse
from epee.table.schema import Column, Schema

SCHEMA = Schema(
    (
        Column("age", missing=2),
        Column("town", "category", levels=("Lyon", "Paris"), counts=(3, 1), missing=0),
        Column("when", "date", note="with a time of day"),
    )
)


def test_survives_json():
    assert Schema.from_json(json.loads(json.dumps(SCHEMA.to_json()))) == SCHEMA


def test_edited_json_is_refused():
    with pytest.raises(DataError, match="not a column"):
        Schema.from_json([{"kind": "number"}])
    with pytest.raises(WrongUse, match="no kind 'colour'"):
        Schema.from_json([{"name": "a", "kind": "colour"}])


def test_absent_column_names_the_nearest():
    with pytest.raises(WrongUse, match="no column 'towm'; did you mean 'town'?"):
        SCHEMA["towm"]
    with pytest.raises(WrongUse, match="no target 'zzzz'; there are 'age', 'town', 'when'"):
        SCHEMA.find("zzzz", "target")


def test_override():
    changed = SCHEMA.override({"age": "category"})
    assert changed["age"].kind == "category" and changed["town"] == SCHEMA["town"]
    with pytest.raises(WrongUse, match="did you mean 'age'"):
        SCHEMA.override({"agee": "number"})
    with pytest.raises(WrongUse, match="the kinds are number, category"):
        SCHEMA.override({"age": "integer"})


def test_duplicates_and_nothing_are_refused():
    with pytest.raises(DataError, match="two columns are called 'a'"):
        Schema((Column("a"), Column("a")))
    with pytest.raises(EmptyTable, match="no columns"):
        Schema(())


def test_select_and_without():
    assert SCHEMA.select(["when", "age"]).names == ("when", "age")
    assert SCHEMA.without(["age"]).names == ("town", "when")
    assert not SCHEMA.numeric and SCHEMA.select(["age"]).numeric
