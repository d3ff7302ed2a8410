from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.errors import DataError, WrongUse
from epee.job import exploration as exploration_module
from epee.job import survey as survey_module
from epee.job.exploration import explore
from epee.job.exploration_facts import correlation_facts, missing_facts, outlier_facts, scaled
from epee.job.findings.registry import Finding
from epee.job.survey import PairSums, Surveying
from epee.table.raw import RawBlock


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    n = 300
    centre = np.repeat([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]], n // 3, axis=0)
    X = centre + rng.normal(size=(n, 2))
    z = X[:, 0] + rng.normal(size=n)
    z[:30] = np.nan
    return pa.table({
        "a": X[:, 0], "b": X[:, 1], "z": pa.array(np.nan_to_num(z), mask=np.isnan(z)), "colour": rng.choice(["red", "blue"], n).tolist(),
        "when": pa.array(np.arange(n), pa.int32()).cast(pa.date32()),
    })  # fmt: skip


def test_what_is_there(mixed):
    explored = explore(mixed, types={"when": "ignore"})
    card = explored.card
    assert card["rows"]["read"] == 300 and [c["name"] for c in card["columns"]] == ["a", "b", "z", "colour"]
    assert card["clusters"]["chosen"] == 3 and card["clusters"]["stability"]["value"] > 0.9
    assert sum(g["rows"] for g in card["clusters"]["groups"]) == 300
    mixture = card["mixture"]
    assert mixture["chosen"] == 3 == len(mixture["groups"]) and mixture["bic"]["chosen"] == 3
    assert (
        sum(g["weight"] for g in mixture["groups"]) == pytest.approx(1)
        and min(g["sure"] for g in mixture["groups"]) > 0.95
    )
    assert card["missing"]["columns"][0] | {"low": 0, "high": 0} == {
        "column": "z",
        "value": 0.1,
        "low": 0,
        "high": 0,
        "rows": 30,
    }
    assert card["missing"]["patterns"][0] == {"columns": [], "rows": 270}
    assert json.loads(explored.to_json()) == card
    assert "3 clusters" in str(explored)


def test_moments_agree_with_numpy(mixed):
    a = mixed.column("a").to_numpy()
    (column,) = [c for c in explore(mixed).card["columns"] if c["name"] == "a"]
    assert column["mean"] == pytest.approx(a.mean()) and column["sd"] == pytest.approx(a.std(ddof=1))
    assert column["quartiles"] == pytest.approx(np.quantile(a, [0, 0.25, 0.5, 0.75, 1]))
    assert sum(column["histogram"]["counts"]) == 300
    assert column["low"] < a.mean() < column["high"]


def test_correlations_agree_with_numpy_where_both_are_there():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3)) + 1000
    X[:50, 0] = np.nan
    X[30:60, 2] = np.nan
    found = correlation_facts(PairSums.of(X), ["a", "b", "c"], 0.95)
    for pair in found["pairs"]:
        i, j = "abc".index(pair["a"]), "abc".index(pair["b"])
        both = np.isfinite(X[:, i]) & np.isfinite(X[:, j])
        assert pair["rows"] == both.sum()
        assert pair["value"] == pytest.approx(np.corrcoef(X[both, i], X[both, j])[0, 1])
        assert pair["low"] <= pair["value"] <= pair["high"]


def test_of_very_many_columns_the_first_are_paired_and_all_have_their_means(monkeypatch):
    rng = np.random.default_rng(0)
    table = pa.table({f"x{j}": rng.normal(j, 1 + j, size=60) for j in range(5)})
    every = explore(table).card
    for module in (survey_module, exploration_module):
        monkeypatch.setattr(module, "MOST_PAIRED", 3)
    some = explore(table)
    assert [(c["mean"], c["sd"]) for c in some.card["columns"]] == [(c["mean"], c["sd"]) for c in every["columns"]]
    assert some.card["correlations"]["names"] == ["x0", "x1", "x2"] and some.card["correlations"]["tested"] == 3
    assert "the first 3 columns of numbers" in " ".join(some.notes) and "the first" not in " ".join(every["notes"])


def test_missing_patterns():
    raw = RawBlock({"a": np.array([1.0, np.nan, np.nan]), "b": np.array([1.0, np.nan, 2.0])}, rows=3)
    work = Surveying({"a": "number", "b": "number"}, ["a", "b"], np.zeros(2), np.arange(len(raw)))
    found = missing_facts(work(raw), 0.95)
    assert found["cells"] == 3 and found["rows"] == 2
    assert sorted(tuple(p["columns"]) for p in found["patterns"]) == [(), ("a",), ("a", "b")]


def test_one_cloud_has_no_clusters_and_the_rate_is_calibrated():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 3))
    Z = scaled(X, PairSums.of(X))
    found = outlier_facts(Z, np.arange(20_000), ["a", "b", "c"], None, 0.95, 0)
    assert found["low"] <= 0.012 and found["high"] >= 0.008
    table = pa.table({name: rng.normal(size=400) for name in "abc"})
    assert explore(table).card["clusters"]["chosen"] == explore(table).card["mixture"]["chosen"] == 1


def test_far_rows_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    X[123] = [9.0, -9.0]
    found = explore(pa.table({"a": X[:, 0], "b": X[:, 1]})).card["outliers"]
    assert found["rows"][0]["row"] == 124


def test_findings_without_a_target():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    table = pa.table({"a": a, "b": 2 * a + 1e-3 * rng.normal(size=300), "same": np.ones(300)})
    found = explore(table).findings
    assert [f.code for f in found] == ["E006", "E009"] and isinstance(found[0], Finding)
    assert [f.code for f in explore(table, mute=["E009"]).findings] == ["E006"]


def test_what_learning_leaves_out_exploring_does_too():
    rng = np.random.default_rng(0)
    ids = np.delete(np.arange(330), np.arange(0, 330, 11))
    table = pa.table({
        "id": rng.permutation(ids), "a": rng.normal(size=300), "b": rng.normal(size=300), "same": np.ones(300),
        "y": rng.choice(["u", "v"], 300),
    })  # fmt: skip
    explored = explore(table)
    roles = {c["name"]: c["role"] for c in explored.card["columns"]}
    assert roles == {"id": "left out", "a": "input", "b": "input", "same": "left out", "y": "input"}
    assert explored.card["correlations"]["names"] == explored.card["axes"]["names"] == ["a", "b"]
    assert any(note.startswith("id is left out: it numbers the rows") for note in explored.notes)
    assert {"E008", "E009"} <= {f.code for f in explored.findings}
    learned = epee.learn(table, "y", predictors=["lda"])
    assert [c["name"] for c in learned.card["columns"] if c["role"] == "left out"] == ["id", "same"]
    kept = explore(table, types={"id": "number"})
    assert kept.card["axes"]["names"] == ["id", "a", "b"]


def test_who_has_another_name_is_no_copy():
    rng = np.random.default_rng(1)
    a, b = np.tile(rng.normal(size=(2, 60)), 3)
    codes = lambda table: {f.code for f in explore(table).findings}  # noqa: E731
    assert "E022" in codes(pa.table({"a": a, "b": b}))
    assert "E022" in codes(pa.table({"a": a, "b": b, "id": np.arange(180)}))
    assert "E022" not in codes(pa.table({"a": a, "b": b, "name": [f"Mr {k}" for k in range(180)]}))


@pytest.mark.parametrize(
    "columns", [{"word": ["a", "b"] * 20}, {"x": [1.0] * 40}, {"x": [1.0, 2.0, 3.0]}, {"x": [None, 1.0] * 20}]
)
def test_poor_tables(columns):
    explored = explore(pa.table(columns))
    assert explored.card["rows"]["read"] == len(next(iter(columns.values())))
    assert str(explored)


def test_wrong_use():
    with pytest.raises(WrongUse, match="this is no table"):
        explore(5)
    with pytest.raises(DataError, match="Expected 2D array, got 1D array"):
        explore(np.zeros(3))
    with pytest.raises(WrongUse, match="no kind"):
        explore(epee.samples.load("iris"), types={"species": "nonsense"})


def test_the_same_again(mixed):
    a, b = explore(mixed).card, explore(mixed).card
    assert a | {"seconds": 0} == b | {"seconds": 0}
