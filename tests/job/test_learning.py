from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import RidgeClassifier

import epee
from epee import errors
from tests.job.conftest import blobs, line


def plain(learned):
    """Return the card without what a clock decides."""
    card = json.loads(learned.to_json())
    card.pop("seconds")
    for row in card["leaderboard"]:
        row.pop("seconds")
    return card


def test_classification_end_to_end(classifier):
    card = classifier.card
    assert card["task"] == "classification" and card["classes"] == ["ham", "spam"]
    assert [row["key"] for row in card["leaderboard"]] == ["baseline", "lda", "tree"]
    assert sum(row["chosen"] for row in card["leaderboard"]) == 1
    rows = card["rows"]
    assert rows["read"] == rows["training"] + rows["sealed"] == 240 and rows["sealed"] in (47, 48, 49)
    assert classifier.risk.n == rows["sealed"] and classifier.risk.low <= classifier.risk.value <= classifier.risk.high
    assert classifier.conclusive and "baseline" in classifier.verdict
    assert card["confusion"] and card["calibration"] and card["scores"]["roc_auc"]["value"] > 0.8
    assert classifier.predictor.predict(blobs()).shape == (240,)
    assert classifier.predictor.predict_proba(blobs()).sum(axis=1) == pytest.approx(1)


def test_closed_forms_are_nested_and_others_marked(classifier):
    kinds = {row["key"]: row["interval"] for row in classifier.leaderboard}
    assert kinds == {"baseline": "nested", "lda": "nested", "tree": "approximate"}


def test_regression_end_to_end(regressor):
    card = regressor.card
    assert card["task"] == "regression" and card["residuals"]["scale"] == pytest.approx(1.0, abs=0.3)
    assert card["scores"]["r2"]["value"] > 0.7
    low, high = regressor.predictor.predict_interval(line(seed=9), 0.9).T
    y = line(seed=9).column("y").to_numpy()
    assert 0.8 < np.mean((low <= y) & (y <= high)) < 0.98


def test_same_seed_same_result():
    a, b = (plain(epee.learn(blobs(120), "y", predictors=["lda", "tree"], random_state=3)) for _ in range(2))
    assert a == b
    c = plain(epee.learn(blobs(120), "y", predictors=["lda", "tree"], random_state=4))
    assert a["leaderboard"] != c["leaderboard"]


TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def obeys(value, schema, where="card"):
    """Check the parts of JSON Schema that the schema of the card uses."""
    if "const" in schema:
        assert value == schema["const"], where
    if "enum" in schema:
        assert value in schema["enum"], (where, value)
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(isinstance(value, TYPES[name]) for name in names), (where, value)
    if isinstance(value, dict):
        assert set(schema.get("required", [])) <= set(value), (where, sorted(value))
        for key, part in value.items():
            obeys(part, schema.get("properties", {}).get(key, schema.get("additionalProperties", {})), f"{where}.{key}")
    if isinstance(value, list):
        assert len(value) >= schema.get("minItems", 0), where
        for i, part in enumerate(value):
            obeys(part, schema.get("items", {}), f"{where}[{i}]")


def test_card_obeys_its_schema(classifier, regressor):
    from epee.job.result_schema import SCHEMA, schema_text

    assert json.loads(schema_text()) == SCHEMA
    for learned in (classifier, regressor):
        card = json.loads(learned.to_json())
        obeys(card, SCHEMA)
        assert set(card) <= set(SCHEMA["properties"])


def test_noise_is_not_conclusive():
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(size=200), "y": np.array(["u", "v"])[rng.integers(0, 2, 200)]})
    learned = epee.learn(table, "y", predictors=["lda", "qda"])
    assert learned.facts["chosen"]["key"] == "baseline" and not learned.conclusive
    assert "Nothing here is shown to beat the baseline" in learned.verdict


def test_several_targets():
    t = line()
    t = t.append_column("z", pa.array(t.column("a").to_numpy() * 3 + t.column("y").to_numpy()))
    learned = epee.learn(t, ["y", "z"], predictors=["linear", "ridge"])
    assert learned.predictor.predict(t).shape == (240, 2)
    assert learned.predictor.predict_interval(t).shape == (240, 2, 2)
    with pytest.raises(errors.WrongUse, match="several targets must all be numbers"):
        epee.learn(blobs(), ["y", "a"])


def test_costs_and_rejection():
    learned = epee.learn(blobs(gap=1.0), "y", predictors=["lda"], costs=[[0, 5], [1, 0]], reject_cost=0.3)
    said = learned.predictor.predict(blobs(gap=1.0, seed=5))
    assert set(said) <= {"ham", "spam", "reject"} and "reject" in said
    assert learned.card["loss"] == "costs"
    with pytest.raises(errors.WrongUse, match="for classes"):
        epee.learn(line(), "y", reject_cost=0.2)


def test_weight_two_is_the_row_twice():
    t = blobs(150)
    weights = np.random.default_rng(1).integers(1, 3, 150)
    settings = {"predictors": ["naive_bayes"], "test_size": 0, "folds": 3}
    weighted = epee.learn(t.append_column("w", pa.array(weights)), "y", weight="w", **settings)
    twice = epee.learn(t.take(np.repeat(np.arange(150), weights)), "y", **settings)
    assert weighted.risk.n == twice.risk.n == weights.sum()
    assert weighted.facts["chosen"]["key"] == twice.facts["chosen"]["key"] == "naive_bayes"
    np.testing.assert_allclose(weighted.predictor.predict_proba(t), twice.predictor.predict_proba(t), rtol=1e-9)


def test_groups_stay_together():
    t = blobs(200)
    groups = pa.array([f"g{k}" for k in np.arange(200) // 4])
    learned = epee.learn(t.append_column("g", groups), "y", groups="g", predictors=["lda"])
    assert "whole groups" in " ".join(learned.notes)
    assert "by group" in learned.contest.entries[0].risk.how


def test_time_seals_the_last_rows():
    t = line(200)
    learned = epee.learn(t.append_column("day", pa.array(np.arange(200.0) * 2)), "y", time="day", predictors=["linear"])
    assert "the last in time" in " ".join(learned.notes)
    assert learned.card["rows"]["sealed"] == 40 and "forward chaining" in learned.contest.entries[0].risk.how


def test_own_estimators_compete_but_are_not_saved(tmp_path):
    own = RidgeClassifier()
    learned = epee.learn(blobs(), "y", predictors={"theirs": own})
    assert [row["name"] for row in learned.leaderboard] == ["baseline", "theirs"]
    assert learned.facts["chosen"]["name"] == "theirs"
    with pytest.raises(errors.WrongUse, match="cannot be saved"):
        learned.save(tmp_path / "t.epee")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(errors.WrongUse, match="is no regressor"):
        epee.learn(line(), "y", predictors=[own])
    with pytest.raises(errors.WrongUse, match="did you mean 'lda'"):
        epee.learn(blobs(), "y", predictors=["ldaa"])


def test_budget_drops_whole_predictors_in_order():
    learned = epee.learn(blobs(), "y", budget="0.000001s")
    assert [row["key"] for row in learned.leaderboard] == ["baseline"]
    assert len(learned.card["dropped"]) > 5 and all("budget" in d["why"] for d in learned.card["dropped"][:3])
    with pytest.raises(errors.WrongUse, match="60s"):
        epee.learn(blobs(), "y", budget="soon")


def test_refit_learns_from_the_sealed_rows_too():
    learned = epee.learn(blobs(), "y", predictors=["lda"], refit=True)
    assert "conservative" in learned.verdict
    assert learned.predictor.drift["rows"] == 240 and len(learned.sealed_rows) == 0


def test_french():
    learned = epee.learn(blobs(), "y", predictors=["lda"], lang="fr")
    assert "sous scellés" in learned.verdict and epee.options.language == "en"
    assert "prédicteur constant" in str(learned) and "0," in str(learned)


def test_leaderboard_fits_its_width(classifier):
    from epee.job.board import text_of

    for width in (60, 80, 110):
        assert max(map(len, text_of(classifier.card, width).splitlines())) <= width


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"target": "yy"}, errors.WrongUse, "did you mean 'y'"),
        ({"weight": "a", "groups": "a"}, errors.WrongUse, "two roles"),
        ({"folds": 1}, errors.WrongUse, "at least 2"),
        ({"test_size": 1.5}, errors.WrongUse, "share of the rows"),
        ({"level": 95}, errors.WrongUse, "level"),
        ({"types": {"a": "colour"}}, errors.WrongUse, "there is no kind 'colour'"),
        ({"types": {"aa": "number"}}, errors.WrongUse, "no column 'aa'"),
        ({"types": {"town": "number"}}, errors.DataError, "'town'.*'(Lyon|Paris|Rennes)'"),
        ({"random_state": None}, errors.WrongUse, "whole number"),
        ({"weight": "town"}, errors.DataError, "weights are numbers"),
    ],
)
def test_wrong_use_is_one_sentence(change, error, words):
    arguments = {"target": "y"} | change
    with pytest.raises(error, match=words):
        epee.learn(blobs(60), arguments.pop("target"), predictors=["lda"], **arguments)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (["u"] * 40, "nothing to predict"),
        ([f"name {k}" for k in range(40)], "too many to be classes"),
        (["u"] * 39 + ["v"], "at least 3 are needed"),
        ([None] * 40, "all its 40 cells are missing"),
        ([7.0] * 40, "nothing to predict"),
    ],
)
def test_targets_that_cannot_be_learned(y, words):
    with pytest.raises(errors.DataError, match=words):
        epee.learn(pa.table({"a": np.arange(40.0) ** 2, "y": y}), "y")


def test_no_error_seen_is_not_no_error():
    learned = epee.learn(blobs(gap=40.0), "y", predictors=["lda"])
    line_ = learned.leaderboard[1]
    assert line_["value"] == 0 and line_["low"] == 0 and 0.005 < line_["high"] < 0.05
