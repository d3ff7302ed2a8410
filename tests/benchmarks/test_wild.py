"""The study in the wild: it goes on past a player that fails, where it was stopped, and says what it cost."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pandas")

from benchmarks.wild import study
from benchmarks.wild.summary import mean_errors, text_of


def mean(train, y, test, kind):
    return np.full(len(test), y.mean()), None


@pytest.fixture
def players(monkeypatch):
    def broken(train, y, test, kind):
        raise ValueError("no such column")

    monkeypatch.setattr(study, "rivals", lambda: {"mean": mean, "broken": broken, "a name, and more": mean})
    found = {"error": 1.0, "chosen": "ridge", "covers": True, "covers_strictly": False}
    monkeypatch.setattr(study, "ours", lambda train, test, table: dict(found))


def test_it_goes_on_past_a_failure_and_where_it_was_stopped(players, tmp_path):
    kept = tmp_path / "wild.jsonl"
    first = list(study.run(["diabetes"], [0], ["mean", "broken"], False, kept, most=60))
    assert [r["who"] for r in first] == ["mean", "broken"] and first[0]["n"] == 60
    assert first[1]["failed"] == "ValueError: no such column" and "error" not in first[1]
    rest = list(study.run(["diabetes"], [0, 1], [], False, kept, most=60))
    assert [(r["who"], r["split"]) for r in rest] == [
        ("épée", 0), ("a name, and more", 0), ("épée", 1), ("mean", 1), ("broken", 1), ("a name, and more", 1)
    ]  # fmt: skip
    assert not list(study.run(["diabetes"], [0, 1], [], False, kept, most=60))
    assert not list(study.run(["diabetes"], [2], [], False, kept, minutes=-1.0, most=60))
    assert [r["who"] for r in study.run(["diabetes"], [2], ["a name"], False, kept, most=60)] == ["a name, and more"]
    records = study.read(kept)
    assert len(mean_errors(records)["diabetes"]["mean"]) == 2  # the splits that all players have who did not fail
    said = text_of(records)
    assert "Failed: broken on diabetes, split 0: ValueError: no such column" in said
    assert (
        "Ahead of every single rival: yes" in said
        and "At most 4 % behind the best of each table: -" in said.replace("4%", "4 %")
    )
    assert "One split of these 1 tables" in said and "| mean |" in said
    assert "on the rest: 0% (2 splits of 1 tables)" in said


def test_one_who_searches_gets_our_seconds_and_takes_no_split_from_the_others(players, tmp_path, monkeypatch):
    kept, given = tmp_path / "wild.jsonl", []

    def search(train, y, test, kind, seconds):
        given.append(seconds)
        return mean(train, y, test, kind)

    monkeypatch.setattr(study, "rivals", lambda: {"mean": mean, "FLAML": search})
    list(study.run(["diabetes"], [0, 1], ["epee", "mean"], False, kept, most=60))
    list(study.run(["diabetes"], [0], ["FLAML"], False, kept, most=60))
    records = study.read(kept)
    assert given == [r["seconds"] for r in records if r["who"] == "épée" and r["split"] == 0]
    found = mean_errors(records)["diabetes"]
    assert set(found) == {"épée", "mean"} and len(found["mean"]) == 2
    assert "| FLAML, on the splits that it has |" in text_of(records)
    list(study.run(["diabetes"], [1], ["FLAML"], False, kept, most=60))
    records = study.read(kept)
    assert len(mean_errors(records)["diabetes"]["FLAML"]) == 2
    assert "| FLAML |" in text_of(records) and "on the splits" not in text_of(records)
