"""The fits of the folds that a search made are those that the bands of the winner ask for: nothing is fitted twice."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.job import contest, facts, learning, variants
from epee.predictors.neighbours.knn import KNeighborsRegressor
from epee.predictors.regression.additive import AdditiveSplines
from epee.predictors.trees.tree import DecisionTreeRegressor
from epee.risk.refit import RefitRoute

ROWS, FOLDS = 300, 4
CLASSES = {"additive": AdditiveSplines, "tree": DecisionTreeRegressor, "neighbours": KNeighborsRegressor}


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=ROWS)
    return pa.table({"x0": X[:, 0], "x1": X[:, 1], "x2": X[:, 2], "y": y})


def learned(table, key):
    return epee.learn(table, "y", predictors=[key], folds=FOLDS)


@pytest.mark.parametrize("key", CLASSES)
def test_a_search_fits_each_fold_and_all_rows_once(table, key, monkeypatch):
    monkeypatch.setattr(
        learning, "repeats_for", lambda *given: 1
    )  # small tables are repeated, and their learning curve is drawn
    monkeypatch.setattr(facts, "CURVE_ROWS", 0)
    fits = []
    plain = CLASSES[key].fit
    monkeypatch.setattr(CLASSES[key], "fit", lambda self, *given, **more: fits.append(1) or plain(self, *given, **more))
    found = learned(table, key)
    assert found.facts["chosen"]["key"] == key and found.facts["effects"]["bands"]
    assert len(fits) == FOLDS + 1


@pytest.mark.parametrize("key", CLASSES)
def test_effects_and_the_final_model_are_those_of_fits_made_anew(table, key, monkeypatch):
    kept = learned(table, key)
    monkeypatch.setattr(variants, "LARGEST_HELD", 0)
    varied = contest.varied

    def without_whole(*given):
        found = varied(*given)
        found.whole.clear()
        return found

    monkeypatch.setattr(contest, "varied", without_whole)
    anew = learned(table, key)
    for a, b in zip(kept.facts["effects"]["columns"], anew.facts["effects"]["columns"], strict=True):
        for part in ("pd", "low", "high"):
            np.testing.assert_allclose(a[part], b[part], rtol=1e-12, atol=1e-12)
    assert kept.facts["effects"]["interactions"] == anew.facts["effects"]["interactions"]
    np.testing.assert_array_equal(*(one.predict(table) for one in (kept, anew)))


@pytest.mark.parametrize("key", CLASSES)
def test_the_first_repeat_of_the_folds_is_what_the_search_said(table, key, monkeypatch):
    known = learned(table, key)
    asked = []
    evaluate = RefitRoute.evaluate
    monkeypatch.setattr(RefitRoute, "evaluate", lambda self, split: asked.append(split) or evaluate(self, split))
    counted = learned(table, key)
    repeats = counted.facts["settings"]["repeats"]
    assert repeats > 1 and len(asked) == repeats - 1
    monkeypatch.setattr(contest, "alike", lambda *given: False)
    anew = learned(table, key)
    assert len(asked) == 2 * repeats - 1
    lines = [
        [{k: v for k, v in line.items() if k != "seconds"} for line in one.facts["leaderboard"]]
        for one in (known, anew)
    ]
    assert lines[0] == lines[1]
