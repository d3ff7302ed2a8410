"""What the command hands to ``epee.learn`` and what it does with the answer; the learning itself is tested in job/."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import epee
from epee.cli import app


class Answer:
    """Stands for what ``epee.learn`` returns."""

    def __init__(self):
        self.written = []

    def __str__(self):
        return "the verdict"

    def to_json(self):
        return json.dumps({"verdict": "linear"})

    def save(self, path):
        self.written.append(("save", str(path)))

    def report(self, path):
        self.written.append(("report", str(path)))


@pytest.fixture
def calls(monkeypatch):
    """Record the calls of ``epee.learn``."""
    seen = []

    def learn(table, target, **settings):
        seen.append(
            SimpleNamespace(table=table, target=target, progress=epee.options.progress, answer=Answer(), **settings)
        )
        return seen[-1].answer

    monkeypatch.setattr(app, "COMMANDS", {"learn": ("epee.cli.learn_command", "epee.errors")})
    monkeypatch.setitem(vars(epee), "learn", learn)
    monkeypatch.setitem(vars(epee), "samples", SimpleNamespace(load=lambda name: f"sample {name}"))
    return seen


def test_arguments_reach_learn(calls, capsys):
    words = (
        "learn t.csv --target y --folds 5 --test-size 0.3 --weight w --groups g --time d --level 0.9 --seed 7 --quiet"
    )
    assert app.run(words.split()) == 0
    (call,) = calls
    assert (call.table, call.target, call.folds, call.test_size, call.level) == ("t.csv", "y", 5, 0.3, 0.9)
    assert (call.weight, call.groups, call.time, call.random_state) == ("w", "g", "d", 7)
    assert call.progress is False and epee.options.progress is None
    assert capsys.readouterr().out == "the verdict\n"


def test_files_are_written_where_asked(calls):
    assert app.run(["learn", "t.csv", "-t", "y", "-o", "t.epee", "--report", "t.html"]) == 0
    assert calls[0].answer.written == [("save", "t.epee"), ("report", "t.html")]


def test_json_and_language(calls, capsys):
    assert app.run(["learn", "t.csv", "-t", "y", "--json", "--lang", "fr"]) == 0
    assert json.loads(capsys.readouterr().out) == {"verdict": "linear"}
    assert calls[0].lang == "fr"
    assert app.run(["--lang", "fr", "learn", "t.csv", "-t", "y"]) == 0
    assert calls[1].lang == "fr"


def test_without_a_table_a_sample_is_used(calls):
    assert app.run(["learn"]) == 0
    assert (calls[0].table, calls[0].target) == ("sample iris", "species")


def test_a_table_without_a_target_is_wrong_use(calls, capsys):
    assert app.run(["learn", "t.csv"]) == 2
    assert calls == [] and "--target" in capsys.readouterr().err
