"""The threshold of least cost is what the predictor decides by, where it is worth it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import epee
from epee import BayesDecision, GaussianNB, errors
from epee.cli import app
from epee.job import policy
from epee.job.thresholds import GRID, along, between

COSTS = [[0, 5.0], [1, 0]]


def copies(n=1500, several=6):
    """Return a column several times over: naive Bayes is far too sure of itself, so the threshold of the costs is not the best."""
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.3
    a = rng.normal(size=n) + 1.2 * y
    columns = {f"a{k}": a + 0.05 * rng.normal(size=n) for k in range(several)}
    return pa.table(columns | {"y": np.where(y, "yes", "no")})


def learned(table, **asked):
    return epee.learn(table, "y", predictors=["naive_bayes"], **{"folds": 5, "costs": COSTS} | asked)


def test_the_threshold_is_saved_said_and_tested(tmp_path):
    table = copies()
    found = learned(table)
    t = found.facts["threshold"]
    assert (
        t["applied"] == t["chosen"] == found.predictor.threshold < t["expected"] and t["saves"] > t["saves_stderr"] > 0
    )
    assert any("It decides for yes from a probability of" in line for line in found.facts["verdict"])
    found.save(tmp_path / "m.epee")
    again = epee.load(tmp_path / "m.epee")
    P = again.predict_proba(table)[:, 1]
    np.testing.assert_array_equal(again.predict(table) == "yes", t["applied"] <= P)
    assert again.predictor.threshold == t["applied"]
    with_all = learned(table, refit=True)
    assert with_all.predictor.threshold == t["applied"]


def test_honest_probabilities_follow_the_costs():
    found = learned(copies(several=1))
    assert found.facts["threshold"]["applied"] is None and found.predictor.threshold is None
    plain = learned(copies(), costs=None)
    assert plain.facts["threshold"]["applied"] is None  # nobody said what an error costs: the most probable class


def test_rows_that_pass_by_give_the_same_threshold(monkeypatch):
    table = copies()
    one = learned(table)
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=10))
    other = learned(table)
    assert other.predictor.threshold == one.predictor.threshold
    assert other.risk.value == pytest.approx(one.risk.value)


def test_what_it_saves_is_what_it_saves():
    rng = np.random.default_rng(1)
    p, w = rng.random(400), rng.integers(1, 4, 400).astype(float)
    y = rng.random(400) < p**2
    found = along(p, y, w, np.array(COSTS))

    def cost(t):
        return np.average(np.array(COSTS)[(p >= t).astype(int), y.astype(int)], weights=w)

    assert found["saves"] == pytest.approx(cost(found["expected"]) - cost(found["chosen"]))
    assert found["least"] == pytest.approx(cost(found["chosen"]))


def test_two_thresholds_around_rejection_are_the_best_of_all_pairs():
    rng = np.random.default_rng(2)
    p, w = rng.random(300), rng.integers(1, 4, 300).astype(float)
    y = rng.random(300) < p**2
    costs = np.array([[0, 5.0], [1, 0], [0.4, 0.6]])

    def cost(low, high):
        decided = np.where(p >= high, 1, np.where(p < low, 0, 2))
        return np.average(costs[decided, y.astype(int)], weights=w)

    pair = between(p, y, w, costs)
    assert cost(*pair) == pytest.approx(min(cost(a, b) for a in GRID for b in GRID if a <= b))
    found = along(p, y, w, costs)
    alone = (np.column_stack([1 - p, p]) @ costs.T).argmin(axis=1)
    assert found["pair"] == list(pair)
    assert found["saves"] == pytest.approx(np.average(costs[alone, y.astype(int)], weights=w) - cost(*pair))


def test_a_rejection_by_thresholds_is_saved_said_and_tested(tmp_path):
    table = copies()
    found = learned(table, reject_cost=0.6)
    t = found.facts["threshold"]
    low, high = t["applied"]
    assert low < high and any("between them it does not decide" in line for line in found.facts["verdict"])
    found.save(tmp_path / "m.epee")
    again = epee.load(tmp_path / "m.epee")
    p = again.predict_proba(table)[:, 1]
    expected = np.where(p >= high, "yes", np.where(p < low, "no", "reject"))
    np.testing.assert_array_equal(again.predict(table), expected)
    assert tuple(again.predictor.threshold) == (low, high)
    assert (expected == "reject").any()


def test_a_combination_has_a_threshold_too():
    asked = {"predictors": ["naive_bayes", "lda", "neighbours", "tree", "combination"], "prefer": "accuracy"}
    found = epee.learn(copies(600), "y", folds=5, costs=COSTS, **asked)
    t = found.facts["threshold"]
    assert found.facts["chosen"]["key"] == "combination"
    assert found.predictor.threshold == t["applied"] == t["chosen"] and t["saves"] > t["saves_stderr"] > 0


def test_a_decision_by_a_threshold():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.repeat(["a", "b"], 100)
    model = BayesDecision(GaussianNB(), threshold=0.3).fit(X, y)
    np.testing.assert_array_equal(model.predict(X) == "b", model.predict_proba(X)[:, 1] >= 0.3)
    np.testing.assert_allclose(model.expected_cost(X), np.where(model.predict(X) == "b", *model.predict_proba(X).T))
    careful = BayesDecision(GaussianNB(), threshold=(0.4, 0.6), reject_cost=0.2).fit(X, y)
    np.testing.assert_array_equal(careful.predict(X) == "reject", np.abs(careful.predict_proba(X)[:, 1] - 0.5) < 0.1)
    both = {"threshold": (0.6, 0.4), "reject_cost": 0.1}
    for wrong in ({"threshold": 1.5}, {"threshold": (0.3, 0.4)}, {"threshold": 0.3, "reject_cost": 0.1}, both):
        with pytest.raises(errors.WrongUse, match="threshold"):
            BayesDecision(GaussianNB(), **wrong).fit(X, y)


def test_a_threshold_of_the_users_own(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = copies(300)
    pa.csv.write_csv(table, "t.csv")
    model = learned(table, costs=None)
    model.save("m.epee")
    P = model.predict_proba(table)[:, 1]
    np.testing.assert_array_equal(model.predict(table, threshold=0.9) == "yes", P >= 0.9)
    assert app.run(["predict", "m.epee", "t.csv", "--threshold", "0.9", "--plain", "-o", "out.csv"]) == 0
    assert "decides for yes from a probability of 90 % on" in capsys.readouterr().err
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == model.predict(table, threshold=0.9).tolist()
    assert app.run(["predict", "m.epee", "t.csv", "--threshold", "2", "--lang", "fr"]) == 2
    assert "une probabilité entre 0 et 1" in capsys.readouterr().err
    three = epee.learn(epee.samples.load("iris"), "species", predictors=["lda"], folds=3)
    with pytest.raises(errors.WrongUse, match="two classes"):
        three.predict(epee.samples.load("iris"), threshold=0.5)
