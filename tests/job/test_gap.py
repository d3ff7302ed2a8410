"""A gap in time: predictors are tested some moments after the last that they learned from, in the folds and on the sealed rows."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from sklearn.linear_model import LinearRegression as Theirs

import epee
from epee.cli import app
from epee.errors import DataError, WrongUse

N = 120


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    return pa.table({"day": np.cumsum(rng.exponential(size=N)), "x": x, "y": 2 * x + rng.normal(size=N)})


@pytest.mark.parametrize("gap", [0, 7])
def test_errors_are_those_of_predictors_that_learned_earlier(table, gap):
    learned = epee.learn(table, "y", time="day", folds=4, gap=gap, predictors=["linear"])
    X, y = table["x"].to_numpy()[:, None], table["y"].to_numpy()
    sealed, train = slice(96, N), slice(0, 96 - gap)
    said = Theirs().fit(X[train], y[train]).predict(X[sealed])
    assert learned.risk.value == pytest.approx(((y[sealed] - said) ** 2).mean())
    assert learned.facts["rows"] == {"read": N, "training": 96 - gap, "sealed": 24, "dropped": gap}
    line = next(row for row in learned.facts["leaderboard"] if row["key"] == "linear")
    found = epee.risk.cross_validate(epee.LinearRegression(), X[train], y[train], folds=4, time=True, gap=gap)
    assert line["value"] == pytest.approx(found.value)


def test_how_far_ahead_is_said(table):
    learned = epee.learn(table, "y", time="day", folds=4, gap=7, predictors=["linear"])
    how = " ".join(learned.facts["how"])
    assert "The rows tested lie 8 to 22 moments after the last one learned from, the sealed ones up to 31." in how
    assert "7 rows before the sealed ones are left out, as the gap asks." in learned.notes
    assert "--time day --gap 7" in learned.facts["redo"]["command"]
    with_all = epee.learn(table, "y", time="day", folds=4, test_size=0, predictors=["linear"])
    assert any("lie 1 to 20 moments after the last one learned from." in line for line in with_all.facts["how"])


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"gap": 3}, WrongUse, "gap is 3, but nothing says when"),
        ({"gap": 2.5, "time": "day"}, WrongUse, "gap is 2.5"),
        ({"gap": -1, "time": "day"}, WrongUse, "gap is -1"),
        (
            {"gap": 7, "time": "day", "lags": [1, 14]},
            WrongUse,
            "so the lag 1 of 'y' is not known yet: take lags from 8 on",
        ),
        ({"gap": 96, "time": "day"}, DataError, "only 96 moments lie before the sealed rows"),
        ({"gap": 60, "time": "day"}, DataError, "only 12 moments"),
    ],
)
def test_what_no_gap_can_be(table, asked, error, words):
    with pytest.raises(error, match=words):
        epee.learn(table, "y", predictors=["linear"], **asked)


def test_lags_beyond_the_gap_and_of_inputs_are_known(table):
    learned = epee.learn(table, "y", time="day", gap=7, lags={"": [8], "x": [1]}, predictors=["linear"])
    assert learned.predictor.feature_names_in_ == ["x", "y_lag8", "x_lag1"]


def test_the_command_takes_a_gap(table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(table, "t.csv")
    words = [
        "learn",
        "t.csv",
        "-t",
        "y",
        "--time",
        "day",
        "--gap",
        "7",
        "-p",
        "linear",
        "--json",
        "--quiet",
        "--no-save",
    ]
    assert app.run(words) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["gap"] == 7
    assert app.run([*words[:4], "--gap", "7", "--lang", "fr"]) == 2
    assert "rien ne dit quand" in capsys.readouterr().err
