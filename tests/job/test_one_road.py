"""The same table, the same result: by every road, at hand and passing by."""

from __future__ import annotations

import json

import numpy as np
import pytest

import epee
from epee.job import policy
from tests.job.roads import N, awkward, roads
from tests.sparks import SPARK, cut

ASIDE = {"w": "ignore", "g": "ignore", "t": "ignore"}


def but(*names):
    return {name: kind for name, kind in ASIDE.items() if name not in names}


SETTINGS = {
    "classes": ("classification", {"predictors": ["naive_bayes", "lda", "qda", "least_squares"], "types": ASIDE}),
    "values": ("regression", {"predictors": ["linear", "ridge", "lasso"], "types": ASIDE}),
    "weights": ("regression", {"predictors": ["linear", "ridge"], "weight": "w", "types": but("w")}),
    "groups": ("classification", {"predictors": ["lda"], "groups": "g", "types": but("g")}),
    "time": ("regression", {"predictors": ["ridge"], "time": "t", "types": but("t")}),
    "gap": ("classification", {"predictors": ["lda"], "time": "t", "gap": 3, "types": but("t")}),
    "a gap before values": ("regression", {"predictors": ["ridge"], "time": "t", "gap": 5, "types": but("t")}),
    "lags": (
        "regression",
        {
            "predictors": ["ridge"],
            "time": "t",
            "lags": {"y": [1, 3], "a": [2], "town": [1], "member": [1]},
            "types": but("t"),
        },
    ),
    "costs": (
        "classification",
        {"predictors": ["naive_bayes", "lda"], "costs": [[0, 5.0], [1, 0]], "reject_cost": 0.4, "types": ASIDE},
    ),
}
NUMBERS = ("value", "stderr", "low", "high", "dof", "difference", "difference_stderr", "p_value")


def told(learned):
    """Return what must be equal to the letter: columns, kinds, rows, choices, marks, words."""
    card = json.loads(learned.to_json())
    board = [{k: v for k, v in row.items() if k not in (*NUMBERS, "seconds")} for row in card["leaderboard"]]
    same = ("task", "target", "classes", "class_counts", "loss", "rows", "columns", "dropped", "verdict", "conclusive")
    return {key: card[key] for key in same} | {"board": board, "findings": [f["sentence"] for f in card["findings"]]}


def figures(learned):
    """Return the numbers of the board, and those of the sealed rows."""
    board = [[np.nan if row[k] is None else row[k] for k in NUMBERS] for row in learned.facts["leaderboard"]]
    return np.array(
        [*np.ravel(board), learned.risk.value, learned.risk.stderr, learned.risk.low, learned.risk.high], dtype=float
    )


def answers(learned, table):
    return (
        learned.predictor.predict_proba(table)
        if learned.predictor.has_probabilities
        else learned.predictor.predict(table)
    )


@pytest.fixture
def passing(monkeypatch):
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))


@pytest.mark.parametrize("kept", ["at hand", "passing"])
@pytest.mark.parametrize("name", list(SETTINGS))
def test_every_road_gives_the_same_result(name, kept, tmp_path, monkeypatch):
    if kept == "passing":
        monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    task, settings = SETTINGS[name]
    table = awkward(task=task)
    first = None
    for road, X in roads(table, tmp_path).items():
        learned = epee.learn(X, "y", folds=5, **settings)
        if first is None:
            first = learned
            assert [c["name"] for c in learned.card["columns"] if c["role"] == "left out" and c["note"]][:2] == [
                "id",
                "same",
            ]
            continue
        assert_same(learned, first, table, road)


def assert_same(learned, first, table, road):
    assert told(learned) == told(first), road
    np.testing.assert_allclose(figures(learned), figures(first), rtol=1e-9, atol=1e-12, err_msg=road)
    np.testing.assert_allclose(answers(learned, table), answers(first, table), rtol=1e-9, atol=1e-12, err_msg=road)
    np.testing.assert_array_equal(np.sort(learned.sealed_rows), np.sort(first.sealed_rows), err_msg=road)


@SPARK
@pytest.mark.parametrize(("name", "cells"), [("classes", 20_000_000), ("weights", 10)], ids=["at hand", "passing"])
def test_a_spark_frame_is_a_road_too(spark, name, cells, monkeypatch):
    """In a form that can be afforded: one session, one table at hand and one that passes by."""
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=cells))
    task, settings = SETTINGS[name]
    table = awkward(task=task)
    frame = cut(spark, table, [150, 0, 1, N - 151]).persist()
    first, learned = (epee.learn(X, "y", folds=5, **settings) for X in (table, frame))
    frame.unpersist()
    assert_same(learned, first, table, "spark")


@pytest.mark.parametrize("name", list(SETTINGS))
def test_a_table_that_passes_by_gives_what_it_gives_at_hand(name, monkeypatch):
    """With as many rows as need no repeats, and all of them looked at, only the intervals are made in another way."""
    task, settings = SETTINGS[name]
    table = awkward(task=task, n=10_500 if name != "groups" else 4000)
    small = epee.learn(table, "y", **settings)
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    large = epee.learn(table, "y", **settings)
    a, b = told(small), told(large)
    for key in ("columns", "rows", "classes", "class_counts", "dropped", "findings"):
        assert a[key] == b[key], key
    assert any("sample" in note for note in large.notes)
    repeated = name == "groups"  # 3,200 training rows are repeated at hand
    for one, other in zip(small.contest.entries, large.contest.entries, strict=True):
        assert one.candidate.key == other.candidate.key and one.value == other.value
        if not repeated:
            np.testing.assert_allclose(other.risk.per_fold, one.risk.per_fold, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(other.outcome.losses, one.outcome.losses, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(other.curve.brier, one.curve.brier, rtol=1e-7, atol=1e-9)
    if name == "classes":
        np.testing.assert_allclose(large.contest.scores, small.contest.scores, rtol=1e-9)
    if not repeated:
        assert small.facts["chosen"]["key"] == large.facts["chosen"]["key"]
        np.testing.assert_allclose(answers(large, table), answers(small, table), rtol=1e-8, atol=1e-10)
    assert large.risk.value == pytest.approx(small.risk.value, rel=1e-9)
    np.testing.assert_array_equal(np.sort(small.sealed_rows), np.sort(large.sealed_rows))


def test_a_predictor_that_needs_rows_learns_from_a_sample_and_says_so(monkeypatch):
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10, looked=600, looked_sealed=100))
    table = awkward(n=3000)
    types = ASIDE
    learned = epee.learn(table, "y", predictors=["lda", "tree", epee.KNeighborsClassifier()], types=types)
    said = " ".join(learned.notes)
    assert "a sample of 600 rows taught: decision tree, KNeighborsClassifier" in said
    assert [e.risk.n for e in learned.contest.entries] == [2400.0, 2400.0, 600.0, 600.0]
    again = epee.learn(table, "y", predictors=["lda", "tree"], types=types)
    assert again.facts["leaderboard"][2]["value"] == learned.facts["leaderboard"][2]["value"]  # the same rows each time


def test_a_hole_that_the_first_rows_hide_costs_one_more_reading(passing):
    table = awkward(task="regression", n=3000)
    b = table.column("b").to_numpy().copy()
    b[2500] = np.nan
    holed = table.set_column(2, "b", [b]).drop_columns(["town", "day", "a"])
    learned = epee.learn(holed, "y", predictors=["linear"], types=ASIDE)
    assert "1 missing cell" in " ".join(learned.notes) and learned.risk.value > 0


def test_exploring_is_the_same_by_every_road_and_close_in_a_sample(tmp_path, monkeypatch):
    table = awkward(n=1200)
    cards = []
    for cells in (20_000_000, 10):
        monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=cells))
        for road, X in roads(table, tmp_path / str(cells) if not (tmp_path / str(cells)).mkdir() else None).items():
            card = epee.explore(X).card
            for key in ("label", "settings", "redo", "seconds", "notes"):
                card.pop(key)
            cards.append((road, json.dumps(card, sort_keys=True)))
    shown = {road: json.loads(text) for road, text in cards}
    first = shown["arrow"]
    for road, card in shown.items():
        assert card["rows"] == first["rows"] and card["missing"] == first["missing"], road
        assert [(c["name"], c["kind"], c["missing"], c["distinct"]) for c in card["columns"]] == [
            (c["name"], c["kind"], c["missing"], c["distinct"]) for c in first["columns"]
        ], road
        np.testing.assert_allclose(card["correlations"]["matrix"], first["correlations"]["matrix"], atol=1e-9)
        assert card["clusters"]["chosen"] == first["clusters"]["chosen"]
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10, looked=500))
    small = epee.explore(table)
    assert any("sample of 500 rows" in note for note in small.notes)
    np.testing.assert_allclose(small.card["correlations"]["matrix"], first["correlations"]["matrix"], atol=1e-9)
