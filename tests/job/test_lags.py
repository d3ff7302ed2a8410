"""Values of earlier rows as inputs: made without leaking, kept for new tables, said."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epee
from epee import errors
from epee.cli import app
from epee.job.answers import Answers
from epee.job.assessment import assess
from epee.job.lags import parse_lags, previous, settled_lags
from epee.table.beside import beside
from epee.table.frames import FrameBatches

N = 120
DAY = datetime.date(2021, 1, 1)


def series(seed=0, n=N, shuffled=True):
    """Return a number that remembers the day before and another column of the day before."""
    rng = np.random.default_rng(seed)
    x, e, y = rng.normal(size=n), rng.normal(size=n), np.zeros(n)
    for t in range(1, n):
        y[t] = 0.8 * y[t - 1] + 0.5 * x[t - 1] + 0.2 * e[t]
    days = [DAY + datetime.timedelta(days=t) for t in range(n)]
    table = pa.table({"day": days, "x": x, "y": y + 5})
    return table.take(pa.array(rng.permutation(n))) if shuffled else table


def ahead(k, start=N):
    return pa.table({"day": [DAY + datetime.timedelta(days=start + i) for i in range(k)], "x": np.arange(k) / 5})


def learned(table=None, **asked):
    table = series() if table is None else table
    return epee.learn(table, "y", **{"time": "day", "lags": 1, "predictors": ["linear"], "folds": 4} | asked)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1000)), min_size=1, max_size=30, unique=True),
    st.integers(1, 4),
)
def test_a_lag_is_the_shift_of_each_series_in_the_order_of_time(rows, k):
    pd = pytest.importorskip("pandas")
    codes, time = (np.array(part) for part in zip(*rows, strict=True))
    found = previous(np.lexsort((time, codes)), codes, k)
    frame = pd.DataFrame({"g": codes, "t": time, "row": np.arange(len(rows))}).sort_values(["g", "t"])
    expected = frame.groupby("g")["row"].shift(k).fillna(-1).sort_index()
    np.testing.assert_array_equal(found, expected.to_numpy())


def test_lags_are_inputs_and_tell_what_the_columns_alone_do_not():
    without, with_ = (learned(lags=lags, prefer="accuracy") for lags in (None, {"y": [1], "x": [1]}))
    assert with_.predictor.feature_names_in_ == ["day", "x", "y_lag1", "x_lag1"]
    assert with_.risk.value < 0.2 * without.risk.value
    said = " ".join(with_.notes)
    assert "y (lag 1), x (lag 1)" in said and "when y is known up to 1 row earlier" in said
    notes = {c["name"]: c["note"] for c in with_.card["columns"]}
    assert notes["y_lag1"] == "y, 1 row earlier"
    assert with_.facts["redo"]["command"].endswith(
        "--time day --prefer accuracy --lags 1 --lags x=1 --predictor linear"
    )
    assert not any(
        f.code == "E014" and "day" in f.columns for f in with_.findings
    )  # the last rows are later on purpose


def test_nothing_of_a_later_row_reaches_an_earlier_one():
    """Whatever becomes of the last rows, the inputs of those before stay what they were."""
    table = series(shuffled=False)
    y = table.column("y").to_numpy().copy()
    y[100:] += 50
    other = table.set_column(2, "y", [y])
    a, b = (learned(t, lags=[1, 7], test_size=0) for t in (table, other))
    raws = [next(m.predictor.blocks(t)) for m, t in ((a, table), (b, other))]
    for name in ("y_lag1", "y_lag7"):
        np.testing.assert_array_equal(*(raw.columns[name][:101] for raw in raws))
        k = int(name[-1])
        np.testing.assert_array_equal(raws[0].columns[name][k:], table.column("y").to_numpy()[:-k])
        assert np.isnan(raws[0].columns[name][:k]).all()


def test_a_new_table_goes_on_where_the_old_one_ended(tmp_path):
    table = series(shuffled=False)
    model = learned(table, lags={"y": [1, 3], "x": [1]})
    model.save(tmp_path / "m.epee")
    again = epee.load(tmp_path / "m.epee")
    new = ahead(6)
    answer = again.predict(new)
    known = list(table.column("y").to_numpy())
    before = list(table.column("x").to_numpy())
    for i in range(6):  # by hand: each from those before
        row = {
            "day": [new.column("day")[i].as_py()],
            "x": [i / 5],
            "y_lag1": [known[-1]],
            "y_lag3": [known[-3]],
            "x_lag1": [before[-1]],
        }
        (one,) = again.predict(pa.table(row))
        assert answer[i] == pytest.approx(one, abs=1e-12)
        known.append(one)
        before.append(i / 5)
    answers = Answers(again.predictor, new)
    assert any("5 rows lie beyond the last known values of y" in note for note in answers.source.notes)
    np.testing.assert_array_equal(again.predict(new.take(pa.array([3, 0, 5, 1, 2, 4]))), answer[[3, 0, 5, 1, 2, 4]])


def test_a_table_that_holds_its_own_past_needs_no_other():
    table = series(shuffled=False)
    model = learned(table.slice(0, 100), lags=[1, 2])
    whole = model.predict(table)  # rows 100 on carry the values before them
    by_lags = pa.table({
        "day": table.column("day"), "x": table.column("x"),
        "y_lag1": np.r_[np.nan, table.column("y").to_numpy()[:-1]], "y_lag2": np.r_[np.nan, np.nan, table.column("y").to_numpy()[:-2]],
    })  # fmt: skip
    np.testing.assert_allclose(whole, model.predict(by_lags))
    only = Answers(model.predictor, table.slice(50, 10))
    assert any("2 rows lack some of the past" in note for note in only.source.notes)
    again = model.predict(table.slice(99, 3).drop_columns(["y"]))  # row 99 is told by what the predictor kept
    assert again[1] == pytest.approx(whole[100])


def test_several_series_keep_apart_and_each_goes_on():
    a, b = series(1, 80, shuffled=False), series(2, 80, shuffled=False)
    b = b.set_column(2, "y", [b.column("y").to_numpy() + 30])
    both = pa.concat_tables([t.append_column("shop", [[name] * 80]) for t, name in ((a, "left"), (b, "right"))])
    both = both.take(pa.array(np.random.default_rng(0).permutation(160)))
    model = learned(both, groups="shop")
    new = ahead(1, 80).append_column("shop", [["right"]])
    assert model.predict(new)[0] > 20 and model.predict(new.set_column(2, "shop", [["left"]]))[0] < 15
    assert "Give groups or time" not in " ".join(model.notes)
    unknown = Answers(model.predictor, new.set_column(2, "shop", [["nowhere"]]))
    assert any("1 row lacks" in note for note in unknown.source.notes)


def test_classes_lag_too_and_are_predicted_on():
    rng = np.random.default_rng(3)
    state = ["dry"]
    for _ in range(199):
        state.append(state[-1] if rng.random() < 0.85 else ("wet" if state[-1] == "dry" else "dry"))
    table = pa.table({"t": np.arange(200.0), "x": rng.normal(size=200), "y": state})
    model = epee.learn(table, "y", time="t", lags=1, predictors=["lda"], folds=4)
    assert model.risk.value < 0.3
    new = pa.table({"t": [200.0, 201.0, 202.0], "x": [0.0, 0.0, 0.0]})
    assert set(model.predict(new).tolist()) == {state[-1]}  # most likely nothing changes


def test_labelled_rows_are_known_again(tmp_path):
    table = series()
    learned(table, lags=[1, 2]).save(tmp_path / "m.epee")
    found = assess(tmp_path / "m.epee", table)
    assert found.sealed == 24 and found.learned_from == 96


def test_uneven_steps_are_said():
    table = series(shuffled=False).filter(pa.array(np.arange(N) % 10 != 3))
    assert any("a lag counts rows, not days" in note for note in learned(table).notes)


@pytest.mark.parametrize(
    ("change", "asked", "words"),
    [
        (None, {"time": None}, "name the column of times"),
        (None, {"lags": 0}, "at least 1"),
        (None, {"lags": [1.5]}, "whole numbers"),
        (None, {"lags": {"day": 1}}, "orders, groups or weighs"),
        (None, {"lags": {"nobody": 1}}, "nobody"),
        (None, {"lags": 500}, "no row has one 500 rows earlier"),
        (lambda t: t.append_column("y_lag1", [np.zeros(N)]), {}, "already"),
        (lambda t: pa.concat_tables([t, t.slice(0, 1)]), {}, "have the same time in column 'day'.*groups"),
    ],
)
def test_what_cannot_be_is_said(change, asked, words):
    table = series()
    with pytest.raises((errors.WrongUse, errors.DataError), match=words):
        learned(table if change is None else change(table), **asked)


def test_a_table_without_times_cannot_be_predicted():
    with pytest.raises(errors.WrongUse, match="day"):
        learned().predict(ahead(2).drop_columns(["day"]))


def test_words_of_the_command_line(tmp_path, monkeypatch, capsys):
    assert parse_lags(["1,7", "a=b=2"]) == {"": [1, 7], "a=b": [2]}
    assert settled_lags([], ["y"], None) == {} and settled_lags({"": [1]}, ["u", "v"], "t") == {"u": [1], "v": [1]}
    with pytest.raises(errors.WrongUse, match="1,7"):
        parse_lags(["often"])
    monkeypatch.chdir(tmp_path)
    pa.csv.write_csv(series(), "t.csv")
    pa.csv.write_csv(ahead(3), "new.csv")
    assert (
        app.run(["learn", "t.csv", "-t", "y", "--time", "day", "--lags", "1", "-p", "linear", "--json", "--quiet"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["settings"]["lags"] == {"y": [1]}
    assert app.run(["predict", "t.epee", "new.csv", "--lang", "fr"]) == 0
    out = capsys.readouterr()
    assert out.out.splitlines()[0] == "row,predicted_y,low,high" and "2 lignes vont au-delà" in out.err


def test_columns_beside_a_table_follow_its_rows():
    table = pa.table({"a": np.arange(10.0), "b": list("abcdefghij")})
    both = beside(FrameBatches(table), {"c": pa.array(np.arange(10))})
    parts = list(both.read(["c", "b"], 4))
    assert [len(p) for p in parts] == [4, 4, 2] and pa.Table.from_batches(parts).column("c").to_pylist() == list(
        range(10)
    )
    assert sum(p.num_rows for p in both.read(["c"], 3)) == 10
