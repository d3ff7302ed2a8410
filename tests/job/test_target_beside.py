"""``learn(X, y)``: a target that stands beside its table."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import epee
from epee.errors import DataError, WrongUse

rng = np.random.default_rng(1)
X = np.column_stack([rng.normal(size=90), np.full(90, 2.0), rng.normal(size=90)])  # one column is constant
VALUES = X[:, 0] + rng.normal(size=90)
LABELS = np.where(VALUES > 0, "up", "down")
NAMES = ["x0", "x1", "x2"]


def told(learned):
    card = json.loads(learned.to_json())
    return (
        [{k: v for k, v in row.items() if k != "seconds"} for row in card["leaderboard"]],
        card["columns"],
        card["verdict"],
    )


@pytest.mark.parametrize(("y", "key"), [(VALUES, "linear"), (LABELS, "lda")], ids=["values", "labels"])
def test_an_array_and_its_target_are_the_table_with_names(y, key):
    named = pa.table({**dict(zip(NAMES, X.T, strict=True)), "y": y})
    expected = epee.learn(named, "y", predictors=[key])
    frame = pd.DataFrame(X, columns=NAMES)
    for table, target in (
        (X, y), (X.tolist(), y.tolist()), (frame, y), (frame, pd.Series(y, name="y")), (pl.from_pandas(frame), pl.Series("y", y)),
    ):  # fmt: skip
        learned = epee.learn(table, target, predictors=[key])
        assert told(learned) == told(expected)
        np.testing.assert_array_equal(learned.predict(X), expected.predict(named))


def test_a_column_of_an_array_has_a_number():
    both = np.column_stack([X, VALUES])
    one, other = epee.learn(both, 3, predictors=["linear"]), epee.learn(both, -1, predictors=["linear"])
    assert told(one) == told(other) and one.facts["target"] == ["x3"]
    assert epee.explore(both).card["rows"]["read"] == 90


def test_several_targets_stand_beside():
    learned = epee.learn(X, np.column_stack([VALUES, -VALUES]), predictors=["linear"])
    assert learned.predict(X[:4]).shape == (4, 2) and learned.facts["target"] == ["y0", "y1"]


def test_an_array_of_other_columns_is_refused_where_some_were_left_out():
    learned = epee.learn(X, VALUES, predictors=["linear"])  # of x0 and x2
    assert learned.predict(X[:3]).shape == (3,)
    with pytest.raises(WrongUse, match="x2"):
        learned.predict(X[:3, :2])


@pytest.mark.parametrize(
    ("table", "target", "words"),
    [
        (X, VALUES[:-1], "X has 90 rows and y has 89"),
        (X, 3, "the target is 3"),
        (pd.DataFrame(X), 0, "the target is 0"),
        (X, None, "a NoneType"),
        ("t.csv", VALUES, "of a file or a stream, name the column"),
        (pd.DataFrame({"y": VALUES}), VALUES, "a column 'y' already"),
        (X[:, 0], VALUES, "Expected 2D array"),
    ],
)
def test_what_cannot_be_a_target_is_told(table, target, words):
    with pytest.raises((WrongUse, DataError), match=words):
        epee.learn(table, target)
