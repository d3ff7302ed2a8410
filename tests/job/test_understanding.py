from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epee
from epee import explore, learn
from epee.errors import DataError, WrongUse
from epee.job import policy
from epee.job.cells import assign_cells
from epee.job.holding import columns_of
from epee.job.tallies import CHANCE, WATCHED, Numbers, Tallying
from epee.job.understanding import candidates, open_roles, understand

ASKED = {"test_size": 0.2, "folds": 2, "seed": 0, "lags": None, "rare": "leave"}


def look(table, target="y", **types):
    source, roles = open_roles(table, target, None, None, None, types)
    notes = []
    cells = assign_cells(source, roles, types, notes, ASKED)
    kinds = candidates(source, roles, types)
    tallies = Tallying(kinds, cells.folds)(columns_of(source, list(kinds)).having(fold=cells.cell))
    return understand(source, roles, types, tallies, cells.target, notes)


def base(n=60):
    rng = np.random.default_rng(0)
    return {"a": rng.normal(size=n), "y": np.array(["u", "v"])[np.arange(n) % 2]}


def roles(seen):
    return {c["name"]: c["role"] for c in seen.columns}


def test_what_is_left_out_and_said():
    n = 60
    table = pa.table(base() | {
        "id": np.arange(n) + 1000, "name": [f"Mr {k}" for k in range(n)], "same": np.full(n, 3.0), "empty": [None] * n,
        "town": ["Lyon", "Paris", None] * 20,
    })  # fmt: skip
    seen = look(table)
    assert seen.names == ("a", "town") and seen.task == "classification"
    assert all(roles(seen)[name] == "left out" for name in ("id", "name", "same", "empty"))
    said = " ".join(seen.notes)
    assert (
        "id is left out: it numbers the rows" in said
        and "name is left out" in said
        and "same is left out: it is constant" in said
    )
    assert "20 missing cells in town" in said


@settings(max_examples=30, deadline=None)
@given(st.integers(20, 400), st.integers(0, 10**9), st.floats(0.0, 3.0), st.integers(1, 9), st.integers(0, 10**6))
def test_numbers_of_rows_are_known_in_any_order_and_with_gaps(n, first, gaps, parts, seed):
    """By every cut of the rows; one number that comes twice, or numbers far apart, are none."""
    rng = np.random.default_rng(seed)
    ids = first + np.sort(rng.choice(int(n * (1 + gaps)), n, replace=False)).astype(float)
    rng.shuffle(ids)

    def seen(values):
        return sum((Numbers.of(part, "number") for part in np.array_split(values, parts)), Numbers()).numbers_rows(n)

    expected = np.exp(-n * (n - 1) / (2 * (np.ptp(ids) + 1))) < CHANCE
    assert seen(ids) == expected
    twice = ids.copy()
    twice[0] = twice[1]
    assert not seen(twice) and not seen(ids * 1000) and not seen(ids + 0.5)


def test_few_of_many_values_are_watched_and_every_cut_watches_the_same():
    rng = np.random.default_rng(0)
    ids = rng.permutation(200_000).astype(float)
    whole = Numbers.of(ids, "number")
    cut = sum((Numbers.of(part, "number") for part in np.split(ids, [7, 30_000, 30_001, 150_000])), Numbers())
    np.testing.assert_array_equal(whole.watched, cut.watched)
    assert len(whole.watched) == WATCHED and whole.numbers_rows(len(ids)) and cut.numbers_rows(len(ids))
    ids[:4000:2] = ids[1:4001:2]
    assert not Numbers.of(ids, "number").numbers_rows(len(ids))


def test_the_only_column_is_learned_from_though_it_numbers_the_rows():
    x = np.arange(60.0)
    assert look(pa.table({"x": x, "name": [f"n{k}" for k in range(60)], "y": np.where(x % 7 < 3, "u", "v")})).names == (
        "x",
    )


def test_types_overrule():
    n = 60
    table = pa.table(base() | {"id": np.arange(n) + 1000, "zip": np.tile([1000, 2000, 69001], 20)})
    assert look(table, id="number", zip="category").kinds == {"a": "number", "id": "number", "zip": "category"}
    assert look(table, a="ignore").names == ("zip",)


def test_few_whole_numbers_are_classes_unless_said():
    table = pa.table({"a": base()["a"], "y": np.arange(60) % 3})
    seen = look(table)
    assert (
        seen.task == "classification"
        and seen.classes.tolist() == [0, 1, 2]
        and "--type y=number" in " ".join(seen.notes)
    )
    assert look(table, y="number").task == "regression"
    assert look(pa.table({"a": base()["a"], "y": np.arange(60) * 7})).task == "regression"


def test_rows_without_a_target_are_dropped_and_said():
    table = pa.table({"a": base()["a"], "y": ["u", "v", None] * 20})
    seen = look(table)
    assert seen.n == 40 and seen.n_read == 60 and "20 rows have no value of y" in " ".join(seen.notes)


def test_yes_and_no_keep_their_words(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"{k}.5,{'yes' if k % 3 else 'no'}\n" for k in range(60)))
    assert look(str(path)).classes.tolist() == ["no", "yes"]


def test_dates_and_many_categories():
    n = 400
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=k % 90) for k in range(n)]
    table = pa.table(base(n) | {"day": days, "shop": [f"s{k % 120}" for k in range(n)]})
    seen = look(table)
    assert seen.kinds["day"] == "date" and "120 categories" in " ".join(seen.notes)


def test_unequal_classes_are_said():
    table = pa.table({"a": np.arange(500.0) ** 0.5, "y": ["rare" if k < 8 else "common" for k in range(500)]})
    assert "unequal" in " ".join(look(table).notes)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pa.table({"y": ["u", "v"] * 20}), "no column left"),
        (pa.table({"a": [1.0, 2.0, 3.5], "y": [1.5, 2.0, 1.0]}), "too few"),
        (pa.table({"name": [f"n{k}" for k in range(40)], "y": ["u", "v"] * 20}), "no column left"),
    ],
)
def test_tables_that_cannot_be_learned(table, words):
    with pytest.raises(DataError, match=words):
        look(table)


def test_counts_with_a_tail_are_a_number_and_the_user_may_say_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(8), [40, 30, 20, 9, 6, 4, 2, 1])
    table = pa.table({"a": rng.normal(size=len(y)) + y, "y": y})
    counted = epee.learn(table, "y", predictors=["linear"], folds=3)
    assert counted.facts["task"] == "regression" and any(
        "taken as a number; say --type y=category" in n for n in counted.notes
    )
    said = epee.learn(table, "y", predictors=["lda"], folds=3, types={"y": "category"})
    assert said.facts["task"] == "classification"
    assert epee.learn(table, "y", predictors=["lda"], folds=3, rare="join").facts["task"] == "classification"


@pytest.mark.parametrize("cells", [20_000_000, 10], ids=["at hand", "passing by"])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_refused_by_the_name_of_their_column(cells, value, monkeypatch):
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=cells))
    table = base()
    table["b"] = np.where(np.arange(60) == 7, value, table["a"])
    with pytest.raises(DataError, match="column 'b' holds infinite values"):
        learn(pa.table(table), "y", predictors=["lda"])


@pytest.mark.parametrize("seed", [-1, 0.5, None])
def test_a_seed_is_a_whole_number_from_0_on(seed):
    for ask in (
        lambda: learn(pa.table(base()), "y", random_state=seed),
        lambda: explore(pa.table(base()), random_state=seed),
    ):
        with pytest.raises(WrongUse, match="whole number of at least 0"):
            ask()
