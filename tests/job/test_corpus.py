"""Thirty small tables, each with its trap and the right outcome, through learn, predict, assess, explore, the report and the workbench.

Each table comes by one of the roads (an Arrow table, CSV, Parquet, a frame of pandas), in turn; some of them pass by, as a file of
Parquet or partitions of Dask, and say the same. That all roads agree to the last digit is the affair of ``test_one_road``.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import epee
from epee import errors
from epee.job import policy
from epee.job.answers import Answers
from epee.job.assessment import assess

N = 90
KEYS = {"class": ["lda"], "number": ["linear"]}


@dataclass(frozen=True)
class Case:
    """A table, how it is asked for, and what must come out: words among the notes and findings, or a refusal."""

    columns: Callable[[np.random.Generator, int], dict[str, Any]]
    says: tuple[str, ...] = ()
    task: str = "class"
    asked: dict[str, Any] = field(default_factory=dict)
    refused: str = ""
    inputs: tuple[str, ...] | None = None
    rows: int = N


def two(r, n, gap=1.5):
    """Return two numbers and a class that the first tells in part."""
    code = np.arange(n) % 2
    return {"a": r.normal(size=n) + gap * code, "b": r.normal(size=n), "y": np.array(["no", "yes"])[code]}


def number(r, n):
    a, b = r.normal(size=(2, n))
    return {"a": a, "b": b, "y": 2 * a - b + r.normal(size=n)}


def with_(make, **more):
    return lambda r, n: make(r, n) | {name: cells(r, n) for name, cells in more.items()}


def relabelled(r, n):
    made = two(r, n)
    y = made["y"].astype(object)
    y[:2] = "seldom"
    return made | {"y": y}


def spiked(r, n):
    made = number(r, n)
    made["y"][3] = 500.0
    return made


CASES = {
    "plain classes": Case(two, inputs=("a", "b")),
    "plain numbers": Case(number, task="number", inputs=("a", "b")),
    "row numbers": Case(with_(two, id=lambda r, n: np.arange(n) + 1000), ("id is left out: it numbers the rows",), inputs=("a", "b")),
    "names": Case(with_(two, name=lambda r, n: [f"Mr {k}" for k in range(n)]), ("name is left out",), inputs=("a", "b")),
    "a constant": Case(with_(two, same=lambda r, n: np.full(n, 3.0)), ("same is left out: it is constant",), inputs=("a", "b")),
    "an empty column": Case(with_(two, void=lambda r, n: pa.nulls(n, pa.float64())), ("void is left out",), inputs=("a", "b")),
    "holes in numbers": Case(
        with_(number, c=lambda r, n: pa.array(r.normal(size=n), mask=np.arange(n) % 5 == 0)), ("in c: filled with the mean",), "number"
    ),
    "holes in texts": Case(
        with_(two, s=lambda r, n: pa.array(["u", "v", "w"] * (n // 3), mask=np.arange(n) % 7 == 0)), ("in s: taken as none",)
    ),
    "a target with holes": Case(
        lambda r, n: {**number(r, n), "y": pa.array(number(r, n)["y"], mask=np.arange(n) % 9 == 0)}, ("no value of y",), "number"
    ),
    "rare classes": Case(relabelled, ("1 class has fewer than 3 rows", "seldom (2)")),
    "one class only": Case(lambda r, n: {**two(r, n), "y": ["no"] * n}, refused="nothing to predict"),
    "labels that are names": Case(lambda r, n: {**two(r, n), "y": [f"n{k}" for k in range(n)]}, refused="too many to be classes"),
    "yes and no": Case(lambda r, n: {**two(r, n), "y": np.arange(n) % 2 == 0}, ("y: 2 classes",)),
    "a few whole numbers": Case(lambda r, n: {**two(r, n), "y": np.arange(n) % 3 + 1}, ("taken as classes",)),
    "unequal classes": Case(
        lambda r, n: {**two(r, n), "y": np.where(np.arange(n) < 6, "rare", "common")}, ("The classes are unequal",)
    ),
    "a leak": Case(lambda r, n: {**two(r, n), "after": np.arange(n) % 2 + 0.01 * r.normal(size=n)}, ("E007",), rows=600),
    "a copy": Case(lambda r, n: (t := number(r, n)) | {"twin": t["a"]}, ("E006",), "number"),
    "parts that add up": Case(
        lambda r, n: (t := number(r, n)) | {"total": t["a"] + t["b"]}, ("E006", "exact combination"), "number"
    ),
    "repeated rows": Case(lambda r, n: {k: np.tile(v[: n // 3], 3) for k, v in number(r, n).items()}, ("E022",), "number"),
    "one wild target": Case(spiked, ("E012",), "number"),
    "large numbers": Case(lambda r, n: {k: v * 1e9 + 1e12 if k != "b" else v for k, v in number(r, n).items()}, task="number"),
    "small numbers": Case(lambda r, n: {k: v * 1e-9 for k, v in number(r, n).items()}, task="number"),
    "dates": Case(
        with_(number, day=lambda r, n: np.datetime64("2022-01-01") + r.integers(0, 300, n)), ("say --time day",), "number"
    ),
    "time": Case(
        with_(number, day=lambda r, n: np.datetime64("2022-01-01") + np.arange(n)), ("the last in time",), "number", {"time": "day"}
    ),
    "groups": Case(with_(two, who=lambda r, n: np.arange(n) // 5), ("whole groups",), asked={"groups": "who"}, inputs=("a", "b")),
    "weights": Case(with_(two, w=lambda r, n: np.arange(n) % 3 + 1.0), asked={"weight": "w"}, inputs=("a", "b")),
    "costs": Case(two, asked={"costs": [[0, 5.0], [1, 0]], "reject_cost": 0.4}),
    "another loss": Case(two, asked={"loss": "auc"}),
    "counts": Case(
        lambda r, n: {"a": (a := r.normal(size=n)), "b": r.normal(size=n), "y": r.poisson(np.exp(a + 2))}, task="number",
        asked={"loss": "absolute"},
    ),
    "odd names": Case(lambda r, n: {"é t=é": (t := two(r, n))["a"], "b;\"c": t["b"], "y": t["y"]}, inputs=("é t=é", "b;\"c")),
    "levels with commas": Case(with_(two, town=lambda r, n: ["Lyon, 3e", "Paris; \"19e\"", "=1+1"] * (n // 3))),
    "twelve rows": Case(two, ("12 rows",), rows=12),
    "rare classes joined": Case(
        lambda r, n: relabelled(r, n) | {"y": np.where(np.arange(n) < 4, [f"s{k}" for k in range(n)], two(r, n)["y"])},
        ("4 classes are too rare to be learned alone and make one class, other, of 4 rows: s0, s1, s2, s3",), asked={"rare": "join"},
    ),
}  # fmt: skip


def road(table, k, folder):
    """Return the table by one of the roads, in turn."""
    if k % 4 == 1:
        pa.csv.write_csv(table, folder / "t.csv")
        return str(folder / "t.csv")
    if k % 4 == 2:
        pq.write_table(table, folder / "t.parquet", row_group_size=31)
        return str(folder / "t.parquet")
    return table.to_pandas(date_as_object=False) if k % 4 == 3 else table


@pytest.mark.parametrize("name", CASES)
def test_a_table_with_a_trap(name, tmp_path):
    case, k = CASES[name], list(CASES).index(name)
    table = pa.table(case.columns(np.random.default_rng(k), case.rows))
    X = road(table, k, tmp_path)
    settings = {"predictors": KEYS[case.task], "folds": 3, **case.asked}
    if case.refused:
        with pytest.raises(errors.DataError, match=case.refused):
            epee.learn(X, "y", **settings)
        return
    learned = epee.learn(X, "y", **settings)
    said = " ".join([*learned.notes, *(str(f) for f in learned.findings)])
    for words in case.says:
        assert words in said
    if case.inputs is not None:
        assert tuple(learned.predictor.feature_names_in_) == case.inputs
    for line in learned.facts["leaderboard"]:
        assert line["low"] <= line["value"] <= line["high"]
    learned.save(tmp_path / "m.epee")
    again = epee.load(tmp_path / "m.epee")
    new = pa.table(case.columns(np.random.default_rng(k + 100), case.rows))
    np.testing.assert_array_equal(again.predict(new), learned.predict(new))
    out = io.StringIO()
    kept = Answers(again.predictor, new.drop_columns(["y"])).write_csv(out)
    assert kept == case.rows and out.getvalue().splitlines()[0].split(",")[1] == "predicted_y"
    found = assess(tmp_path / "m.epee", new)
    assert found.risk.low <= found.risk.value <= found.risk.high and found.use == 1
    if name.startswith("rare classes"):
        assert ("2 rows have labels that were left out" in found.notes[0]) or "joined to other" in found.notes[0]
    page = learned.report(tmp_path / "r.html").read_text()
    assert "<svg" in page and "nan" not in page.lower().replace("finance", "").split("<style>")[0]
    json.loads(learned.to_json())


PASSING = [
    "row numbers", "names", "a constant", "an empty column", "holes in numbers", "holes in texts", "a target with holes", "rare classes",
    "yes and no", "a few whole numbers", "large numbers", "groups", "weights", "rare classes joined",
]  # fmt: skip


@pytest.mark.parametrize("name", PASSING)
def test_a_trap_is_seen_in_a_table_that_passes_by(name, tmp_path, monkeypatch):
    case, k = CASES[name], list(CASES).index(name)
    table = pa.table(case.columns(np.random.default_rng(k), case.rows))
    settings = {"predictors": KEYS[case.task], "folds": 3, **case.asked}
    first = epee.learn(table, "y", **settings)
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    if PASSING.index(name) % 2:
        from tests.job.roads import as_dask

        X = as_dask(table, 2)
    else:
        pq.write_table(table, tmp_path / "t.parquet", row_group_size=31)
        X = str(tmp_path / "t.parquet")
    learned = epee.learn(X, "y", **settings)
    said = " ".join([*learned.notes, *(str(f) for f in learned.findings)])
    assert all(words in said for words in case.says)
    assert learned.predictor.feature_names_in_ == first.predictor.feature_names_in_
    assert learned.card["columns"] == first.card["columns"] and learned.facts["rows"] == first.facts["rows"]
    same = learned.facts["chosen"]["key"] == first.facts["chosen"]["key"]
    assert not same or learned.risk.value == pytest.approx(first.risk.value, rel=1e-8, abs=1e-12)
    new = pa.table(case.columns(np.random.default_rng(k + 100), case.rows)).drop_columns(["y"])
    assert len(learned.predict(new)) == case.rows


@pytest.mark.parametrize(
    "name", ["row numbers", "holes in texts", "rare classes", "time", "weights", "odd names", "one class only"]
)
def test_the_workbench_meets_the_same_traps(name, tmp_path):
    pytest.importorskip("starlette")
    from epee.workbench.desk import Desk
    from epee.workbench.question import Question

    case, k = CASES[name], list(CASES).index(name)
    pa.csv.write_csv(pa.table(case.columns(np.random.default_rng(k), case.rows)), tmp_path / "t.csv")
    desk = Desk(lambda *_: None, str(tmp_path))
    card = desk.open("t.csv", True, {})
    asked = {key: value for key, value in case.asked.items() if key in ("weight", "groups", "time")}
    question = Question("y", predictors=tuple(KEYS[case.task]), folds=3, **asked)
    if case.refused:
        assert desk.target("y")["why"]
        with pytest.raises(errors.DataError, match=case.refused):
            desk.learn("t.csv", True, question, "en")
        return
    learned = desk.learn("t.csv", True, question, "en")["card"]
    said = " ".join([*learned["notes"], *(f["sentence"] for f in learned["findings"])])
    assert all(words in said for words in case.says)
    left = {c["name"] for c in learned["columns"] if c["role"] == "left out"}
    assert left == {c["name"] for c in card["columns"] if c["left"] and c["name"] != "y"}
    assert desk.predict("t.csv", True)["n"] == case.rows


@pytest.mark.parametrize(
    "name", ["row numbers", "holes in texts", "dates", "odd names", "levels with commas", "twelve rows"]
)
def test_the_same_tables_are_explored(name):
    case, k = CASES[name], list(CASES).index(name)
    table = pa.table(case.columns(np.random.default_rng(k), case.rows)).drop_columns(["y"])
    explored = epee.explore(table)
    assert {c["name"] for c in explored.card["columns"]} == set(table.column_names)
    assert (
        "épée" in str(explored.report) or explored.card["rows"] == case.rows or explored.card["task"] == "exploration"
    )
