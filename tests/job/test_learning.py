from __future__ import annotations

import json
import warnings

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier

import epee
from epee import errors
from epee.errors import WrongUse
from epee.job.budgets import seconds_of
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
    kinds = {row["key"]: row["interval"] for row in classifier.facts["leaderboard"]}
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
    """One standard error is no proof: the rule of choice may leave the baseline in one table of six, the verdict never says it is shown."""
    chosen = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = pa.table({"a": rng.normal(size=200), "y": np.array(["u", "v"])[rng.integers(0, 2, 200)]})
        learned = epee.learn(table, "y", predictors=["lda", "qda"])
        assert not learned.conclusive and "Nothing here is shown to beat the baseline" in learned.verdict
        chosen.append(learned.facts["chosen"]["key"])
    assert chosen.count("baseline") > 2


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


def test_own_estimators_compete_and_are_saved_for_those_who_trust(tmp_path):
    own = RidgeClassifier()
    learned = epee.learn(blobs(), "y", predictors={"theirs": own})
    assert [row["name"] for row in learned.facts["leaderboard"]] == ["baseline", "theirs"]
    assert learned.facts["chosen"]["name"] == "theirs"
    learned.save(tmp_path / "t.epee")
    with pytest.raises(errors.BadFile, match="RidgeClassifier.*trusted=True"):
        epee.load(tmp_path / "t.epee")
    assert epee.load(tmp_path / "t.epee", trusted=True).facts["chosen"]["name"] == "theirs"
    with pytest.raises(errors.WrongUse, match="is no regressor"):
        epee.learn(line(), "y", predictors=[own])
    with pytest.raises(errors.WrongUse, match="did you mean 'lda'"):
        epee.learn(blobs(), "y", predictors=["ldaa"])


def test_budget_drops_whole_predictors_in_order():
    learned = epee.learn(blobs(), "y", budget="0.000001s")
    assert [row["key"] for row in learned.facts["leaderboard"]] == ["baseline"]
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
    from epee.report.board import text_of

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
    line_ = learned.facts["leaderboard"][1]
    assert line_["value"] == 0 and line_["low"] == 0 and 0.005 < line_["high"] < 0.05


ORDINARY = {
    "categories": lambda r, n: {"town": r.choice(["Lyon", "Paris", "Rennes"], n), "hue": r.choice(["red", "blue"], n)},
    "missing": lambda r, n: {"z": [None if k % 7 == 0 else float(k % 11) for k in range(n)], "s": ["u", None, "v"] * (n // 3)},
    "dates": lambda r, n: {"day": np.datetime64("2021-01-01") + r.integers(0, 700, n)},
    "identifiers": lambda r, n: {"id": np.arange(n), "name": [f"n{k}" for k in range(n)], "same": ["k"] * n},
    "yes or no": lambda r, n: {"p": r.choice([True, False], n), "q": r.choice([True, False], n)},
}  # fmt: skip


@pytest.mark.parametrize("kind", ORDINARY)
@pytest.mark.parametrize("task", ["class", "number"])
def test_ordinary_tables_are_learned_without_a_warning(kind, task):
    rng, n = np.random.default_rng(3), 120
    x = rng.normal(size=n)
    y = np.where(x + rng.normal(size=n) > 0, "a", "b") if task == "class" else x + rng.normal(size=n)
    table = pa.table({"x": x, **ORDINARY[kind](rng, n), "y": y})
    keys = ["lda", "fisher", "products"] if task == "class" else ["linear", "lasso", "products"]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        learned = epee.learn(table, "y", predictors=keys, folds=4)
    assert [str(w.message) for w in heard] == []
    assert not any(word in note for note in learned.notes for word in ("dependent", "exact copy", "constant and"))


def test_the_notes_of_a_table_are_french_too(tmp_path):
    lines = [f"{k % 9},{k % 5}5;{k % 7},25;0{k % 3};{'oui' if k % 9 > 4 else 'non'}" for k in range(60)]
    (tmp_path / "t.csv").write_bytes("\n".join(["âge;b;code;y", *lines]).encode("cp1252"))
    learned = epee.learn(str(tmp_path / "t.csv"), "y", predictors=["lda"], folds=3, lang="fr")
    said = "\n".join(learned.notes)
    for words in ("n'est pas en UTF-8", "colonnes 'âge', 'b' : virgule décimale", "colonne 'code' : des zéros en tête"):
        assert words in said
    assert said.count("UTF-8 :") == 1 and "1 qualitative (code)" in said and "column" not in said


def test_a_budget_that_suffices_drops_no_predictor():
    table = pa.table(list(np.random.default_rng(0).normal(size=(2, 200))), names=["a", "y"])
    assert not epee.learn(table, "y", budget=100_000).card["dropped"]


def test_a_budget_may_be_a_small_number():
    assert seconds_of(1e-9) == 1e-9 and seconds_of("1,5 s") == 1.5
    for wrong in (0, -1, True, float("inf"), "soon"):
        with pytest.raises(WrongUse, match="no time"):
            seconds_of(wrong)


def test_a_linear_winner_shows_its_coefficients(regressor):
    table = line()
    learned = epee.learn(table, "y", predictors=["linear"], folds=3)
    items = learned.facts["uses"]["coefficients"]
    assert [item["column"] for item in items] == ["a", "b", "c"]
    model = learned.predictor.model.steps[-1][1]
    train = np.column_stack([table.column(c).to_numpy() for c in "abc"])
    ratio = np.array([item["value"] for item in items]) / model.coef_
    np.testing.assert_allclose(ratio, train.std(axis=0), rtol=0.1)  # the training rows are four in five
    assert all(item["low"] < item["value"] < item["high"] for item in items)
    assert items[0]["low"] > 0 > items[1]["high"] and items[2]["high"] - items[2]["low"] < 0.4


def test_classes_of_several_kinds_have_no_coefficients():
    learned = epee.learn(blobs(classes=("a", "b", "c")), "y", predictors=["lda"], folds=3)
    assert learned.facts["uses"]["coefficients"] == []


def test_a_shrunken_winner_shows_coefficients_without_intervals():
    learned = epee.learn(line(), "y", predictors=["ridge"], folds=3)
    items = learned.facts["uses"]["coefficients"]
    coef = learned.predictor.model.steps[-1][1].coef_  # of scaled columns
    np.testing.assert_allclose([item["value"] for item in items[:2]], coef[:2])
    assert all(item["low"] is None and item["stderr"] is None for item in items)


def test_a_named_predictor_that_cannot_run_is_said():
    t = line()
    t = t.append_column("z", t.column("a"))
    learned = epee.learn(t, ["y", "z"], predictors=["tree", "linear"], folds=3)
    assert learned.card["dropped"] == [{"name": "decision tree", "why": "it takes one target only"}]
    few = epee.learn(line(60), "y", predictors=["additive", "products"], folds=3)
    assert [d["why"] for d in few.card["dropped"]] == [] or "does not suit" in few.card["dropped"][0]["why"]
    assert epee.learn(line(24), "y", predictors=["additive"], folds=3).verdict.startswith(
        "Baseline is the only candidate"
    )


def test_predictors_dropped_for_one_reason_share_its_words(classifier):
    from epee.report.board import sentences_of

    card = {**classifier.card, "dropped": [{"name": n, "why": "no time"} for n in "ab"]}
    assert "Not tried: a, b (no time)." in sentences_of(card)


def test_few_neighbours_are_asked_of_the_first_stretch_of_time():
    t = line(90).append_column("when", pa.array(np.arange(90)))
    learned = epee.learn(t, "y", time="when", predictors=["neighbours"])
    assert not learned.card["dropped"] and max(learned.card["curves"]["neighbours"]["values"]) <= 24
    assert "stretches of time" in learned.card["how"][0]


class Warns(RidgeClassifier):
    """A rival that warns of something of its own at every fit."""

    def fit(self, X, y):
        warnings.warn("no convergence after 7 steps", RuntimeWarning, stacklevel=2)
        return super().fit(X, y)


def test_a_warning_that_is_not_ours_goes_on_its_way_and_learn_ends():
    with pytest.warns(RuntimeWarning, match="no convergence after 7 steps"):
        learned = epee.learn(blobs(80), "y", predictors=["lda", Warns()])
    assert not any("7 steps" in note for note in learned.notes)


def test_an_error_in_one_of_others_leaves_the_rest_running():
    class Broken(RidgeClassifier):
        def fit(self, X, y, sample_weight=None):
            raise RuntimeError("no such thing")

    for budget in (None, 60):
        learned = epee.learn(blobs(), "y", predictors={"broken": Broken(), "theirs": RidgeClassifier()}, budget=budget)
        assert [line["name"] for line in learned.facts["leaderboard"]][1:] == ["theirs"]
        assert (
            learned.card["dropped"][0]["name"] == "broken"
            and "RuntimeError: no such thing" in learned.card["dropped"][0]["why"]
        )


@pytest.mark.parametrize(
    ("typed", "meant"), [("rff", "forest"), ("neighbrs", "neighbours"), ("logistc", "logistic"), ("xgbost", "boosting")]
)
def test_what_was_nearly_typed_is_named(typed, meant):
    with pytest.raises(errors.WrongUse, match=meant):
        epee.learn(epee.samples.load("iris"), "species", predictors=[typed])


def test_a_huge_offset_hides_no_candidate_behind_one_that_fails():
    """An error of 1e13 is no measure by which all the others are equal."""

    class Astray(Ridge):
        def predict(self, X):
            return super().predict(X) * 1e4

    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3))
    columns = {name: X[:, j] + 1e9 for j, name in enumerate("abc")}
    table = pa.table({**columns, "y": 1e9 + X[:, 0] + 0.5 * rng.normal(size=150)})
    learned = epee.learn(table, "y", predictors=["linear", "tree", Astray()])
    board = {row["key"] or row["name"]: row for row in learned.facts["leaderboard"]}
    assert board["Astray"]["value"] > 1e6  # or this test shows nothing
    assert learned.facts["chosen"]["key"] == "linear" and learned.conclusive
    assert learned.facts["optimism"]["corrected"] < 2 * board["linear"]["value"]


@pytest.mark.parametrize(("key", "told"), [("tree", True), ("additive", True), ("linear", False)])
def test_without_sealed_rows_a_predictor_that_is_fitted_again_says_that_its_interval_is_approximate(key, told):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 0, 3.0, 0.0) if told else 3 * X[:, 0]
    frame = pa.table({"a": X[:, 0], "b": X[:, 1], "y": y + rng.normal(size=120)})
    learned = epee.learn(frame, "y", predictors=[key], test_size=0)
    assert learned.facts["chosen"]["key"] == key
    assert ("fitted again in each fold" in learned.risk.caution) is told
