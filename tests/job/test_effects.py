"""What columns do to the prediction: partial dependence, accumulated effects, interactions, rules, coefficients in units."""

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.job import policy
from epee.job.effects import answers
from epee.settings import options
from epee.table.raw import RawBlock
from tests.job.conftest import blobs, line
from tests.job.roads import awkward, roads


def effect(learned, name):
    return next(c for c in learned.facts["effects"]["columns"] if c["column"] == name)


def test_effects_of_a_line_are_its_slope():
    learned = epee.learn(line(), "y", predictors=["linear"], folds=4)
    coef = dict(zip("abc", learned.predictor.model.steps[-1][1].coef_, strict=True))
    for name in "ab":
        e = effect(learned, name)
        for curve in (e["pd"][0], e["ale"]["y"][0]):
            np.testing.assert_allclose(np.diff(curve) / np.diff(e["x"]), coef[name], rtol=1e-8)
        assert (np.array(e["low"][0]) < e["pd"][0]).all() and (np.array(e["high"][0]) > e["pd"][0]).all()
    assert learned.facts["effects"]["bands"] and all(
        pair["value"] == 0 for pair in learned.facts["effects"]["interactions"]
    )
    for item in learned.facts["uses"]["coefficients"]:
        assert item["per_unit"] == pytest.approx(coef[item["column"]], rel=1e-9)
        assert item["unit_low"] < item["per_unit"] < item["unit_high"]


def test_ridge_speaks_in_the_units_of_the_table():
    learned = epee.learn(line(), "y", predictors=["ridge"], folds=3)
    scaler, model = (step for _, step in learned.predictor.model.steps)
    items = {item["column"]: item["per_unit"] for item in learned.facts["uses"]["coefficients"]}
    np.testing.assert_allclose([items[c] for c in "abc"], model.coef_ / scaler.scale_)


def test_columns_that_go_together_part_the_two_curves_and_products_interact():
    rng = np.random.default_rng(0)
    a = rng.normal(size=500)
    b = a + 0.2 * rng.normal(size=500)
    table = pa.table({"a": a, "b": b, "c": rng.normal(size=500), "y": a * b + rng.normal(size=500) * 0.1})
    learned = epee.learn(table, "y", predictors=["products"], folds=4)
    e = effect(learned, "a")
    apart = np.abs(np.array(e["pd"][0]) - np.array(e["ale"]["y"][0])).max()
    assert apart > 1.0  # rows with a and b of opposite signs are not there
    first, *rest = learned.facts["effects"]["interactions"]
    assert set(first["columns"]) == {"a", "b"} and first["value"] > 5 * max(pair["value"] for pair in rest)
    assert first["stderr"] < first["value"] / 5


def test_categories_and_holes_and_classes_have_effects():
    learned = epee.learn(blobs(classes=("u", "v", "w")), "y", predictors=["lda"], folds=3)
    e = learned.facts["effects"]
    assert e["of"] == ["u", "v", "w"]
    town = effect(learned, "town")
    assert town["labels"] == ["Lyon", "Paris", "Rennes"] and town["ale"] is None
    for column in e["columns"]:
        np.testing.assert_allclose(np.sum(column["pd"], axis=0), 1.0)


def test_a_tree_has_bands_and_rules_with_the_names_of_the_table():
    learned = epee.learn(blobs(), "y", predictors=["tree"], folds=3)
    assert learned.facts["effects"]["bands"]
    rules = learned.facts["rules"]
    assert 1 < len(rules) <= 24 and any("a <=" in rule for rule in rules) and not any("x0" in rule for rule in rules)


def test_a_combination_has_bands_of_its_members_without_each_fold():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 240))
    y = a + np.where(b > 0, 2.0, -1.0) + np.sin(3 * a) + 0.3 * rng.normal(size=240)
    learned = epee.learn(
        pa.table({"a": a, "b": b, "y": y}),
        "y",
        predictors=["linear", "tree", "combination"],
        prefer="accuracy",
        folds=4,
    )
    assert learned.facts["chosen"]["key"] == "combination"
    e = learned.facts["effects"]
    assert e["bands"] and e["held"]
    for column in e["columns"]:
        assert (np.array(column["high"]) > np.array(column["low"])).any()
        assert (np.array(column["low"]) <= np.array(column["pd"])).all() and (
            np.array(column["pd"]) <= np.array(column["high"])
        ).all()


@pytest.mark.parametrize("kept", ["at hand", "passing"])
def test_effects_are_the_same_on_every_road(kept, tmp_path, monkeypatch):
    if kept == "passing":
        monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    found = []
    for X in roads(awkward(n=200), tmp_path).values():
        learned = epee.learn(X, "y", predictors=["lda"], folds=3, types={"w": "ignore", "g": "ignore", "t": "ignore"})
        e = learned.facts["effects"]
        assert {c["column"] for c in e["columns"]} == {"a", "b", "town", "day", "member"}
        numbers = [c[k] for c in e["columns"] for k in ("pd", "low", "high")]
        found.append(np.concatenate([np.ravel(part) for part in numbers] + [[p["value"] for p in e["interactions"]]]))
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_are_read_once_for_models_that_read_them_alike(threads):
    read = []

    def doubled(raw):
        read.append("doubled")
        return 2 * raw.columns["x"][:, None]

    def plain(raw):
        read.append("plain")
        return raw.columns["x"][:, None]

    raw = RawBlock({"x": np.arange(4.0)}, rows=4)
    asks = [[(0.5, doubled, np.sin), (0.5, plain, np.cos)], [(1.0, plain, np.exp)], [(1.0, doubled, np.tan)]]
    with options(threads=threads):
        found = list(answers(asks, raw))
    x = np.arange(4.0)[:, None]
    for one, wanted in zip(found, (np.sin(2 * x) / 2 + np.cos(x) / 2, np.exp(x), np.tan(2 * x)), strict=True):
        np.testing.assert_array_equal(one, wanted)
    assert sorted(read) == ["doubled", "plain"]
