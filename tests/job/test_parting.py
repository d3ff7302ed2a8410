"""The split for everyone: a partition, the shares of the classes, whole groups, the last moments, and accounts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from epee import LinearDiscriminantAnalysis, LinearRegression, learn, split
from epee.errors import DataError, WrongUse

RNG = np.random.default_rng(0)
X = RNG.standard_normal((300, 3))
LABELS = np.where(X[:, 0] + 0.5 * RNG.standard_normal(300) > 0.5, "yes", "no")


@given(st.integers(2, 200), st.floats(0.0, 0.9), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_the_parts_are_a_partition(n, share, seed):
    rows = np.arange(n, dtype=float) + 0.5
    parts = split(rows[:, None], rows, test_size=share, random_state=seed)
    np.testing.assert_array_equal(np.sort(np.concatenate([parts.y, parts.y_test])), rows)
    np.testing.assert_array_equal(parts.X[:, 0], parts.y)
    np.testing.assert_array_equal(rows[parts.sealed], parts.y_test)


def test_classes_keep_their_shares():
    for seed in range(5):
        parts = split(X, LABELS, test_size=0.25, random_state=seed)
        for label in ("yes", "no"):
            count = (label == LABELS).sum()
            assert abs((parts.y_test == label).sum() - count / 4) <= 1
        assert "class" in parts.how


def test_the_same_rows_as_learn_seals():
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=LABELS)
    learned = learn(frame, "y", test_size=0.2, predictors=["baseline"], folds=2, random_state=3)
    parts = split(frame, "y", test_size=0.2, random_state=3)
    assert learned.risk.n == len(parts.y_test)
    wrong = (parts.y_test != parts.y.mode()[0]).mean()
    assert learned.risk.value == pytest.approx(wrong)


def test_every_kind_of_table_gives_the_same_rows():
    import pyarrow as pa

    seen = [split(X, LABELS), split(X.tolist(), LABELS.tolist()), split(csr_array(X), LABELS)]
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=LABELS)
    seen += [split(table, "y") for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame))]
    for parts in seen:
        np.testing.assert_array_equal(parts.sealed, seen[0].sealed)
        assert list(parts.y_test) == list(seen[0].y_test)
        a, b, c, d = parts
        assert len(c) + len(d) == 300


def test_groups_stay_whole_and_time_goes_forward():
    groups = np.repeat(np.arange(30), 10)
    parts = split(X, LABELS, groups=groups)
    assert not set(groups[parts.sealed]) & set(groups[~parts.sealed])
    moments = RNG.permutation(300)
    parts = split(X, LABELS, time=moments)
    assert moments[parts.sealed].min() > moments[~parts.sealed].max()


def test_looks_are_counted_and_widen():
    parts = split(X, LABELS)
    model = LinearDiscriminantAnalysis().fit(parts.X, parts.y)
    first, second = parts.test_error(model), parts.test_error(model)
    assert parts.uses == 2 and second.level == pytest.approx(0.975)
    assert second.high - second.low > first.high - first.low and second.value == first.value
    numbers = split(X, X @ [1.0, 2.0, 3.0] + RNG.standard_normal(300))
    assert numbers.test_error(LinearRegression().fit(numbers.X, numbers.y)).n == 60


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [({"test_size": 1.0}, WrongUse, "share"), ({"random_state": None}, WrongUse, "whole number"), ({"groups": [1]}, DataError, "groups"),
     ({"y": LABELS[:5]}, DataError, "inconsistent"), ({"y": "z"}, WrongUse, "no column"), ({"X": "table.csv"}, WrongUse, "learn")],
)  # fmt: skip
def test_what_is_refused(more, error, words):
    given_ = {"X": X, "y": LABELS} | more
    with pytest.raises(error, match=words):
        split(given_.pop("X"), given_.pop("y"), **given_)


@pytest.mark.parametrize("words", [False, True])
def test_copies_of_a_row_are_on_one_side_as_learn_has_them(words):
    frame = pd.DataFrame(X[:100], columns=list("abc")).assign(y=X[:100, 0] + RNG.standard_normal(100))
    frame = frame.assign(d=["u", "v"] * 50) if words else frame
    rows = RNG.permutation(np.tile(np.arange(100), 2))
    twice = frame.iloc[rows].reset_index(drop=True)
    parts = split(twice, "y")
    assert not np.isin(parts.X_test["a"], parts.X["a"]).any() and 30 <= len(parts.X_test) <= 50
    told = learn(twice, "y", predictors=["baseline"]).risk
    assert told.n == len(parts.y_test) and told.value == pytest.approx(((parts.y_test - parts.y.mean()) ** 2).mean())
    if not words:
        np.testing.assert_array_equal(
            split(twice.drop(columns="y").to_numpy(), twice["y"].to_numpy()).sealed, parts.sealed
        )


def test_the_order_of_the_rows_is_a_time_and_a_gap_is_in_neither_part():
    rows = np.arange(100.0)
    parts = split(rows[:, None], rows, time=True, gap=5)
    assert parts.y_test.min() == 80 and parts.y.max() == 74
    frame = pd.DataFrame({"a": rows, "when": rows[::-1], "y": rows})
    named = split(frame, "y", time="when", gap=5)
    assert list(named.X.columns) == ["a"] and named.y_test.max() == 19 and named.y.min() == 25
    with pytest.raises(WrongUse, match="give time, too"):
        split(rows[:, None], rows, gap=5)
    with pytest.raises(DataError, match="groups is missing"):
        split(rows[:, None], rows, groups=[None, *range(99)])
