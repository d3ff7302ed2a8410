"""A row made by hand: the predictor's own answer, pushes that add up, a map that agrees with it."""

import numpy as np
import pytest

import epee
from epee.errors import WrongUse
from epee.workbench import what_if


@pytest.fixture(scope="module")
def penguins():
    return epee.learn(str(epee.samples.path("penguins")), "species", predictors=["lda"]).predictor


@pytest.fixture(scope="module")
def wide():
    """Return a predictor of a number from twelve columns with products, and the table."""
    import pandas as pd

    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 12))
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    table["y"] = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=200) / 10
    return epee.learn(table, "y", predictors=["tree"]).predictor, table


def form_of(predictor, **changes):
    """Return the form of the typical row, with some cells changed."""
    controls = what_if.controls(predictor)
    cells = {c["name"]: c["start"] for c in controls} | changes
    return {f"x-{j}": "" if cells[c["name"]] is None else str(cells[c["name"]]) for j, c in enumerate(controls)}


def test_the_answer_is_the_predictors_own(penguins):
    import pandas as pd

    row = what_if.read_row(penguins, form_of(penguins, bill_length_mm="50,5", island="Dream", sex=None))
    assert row["bill_length_mm"] == 50.5 and row["sex"] is None
    said = what_if.predict_row(penguins, row, 0.95)
    frame = pd.DataFrame([row]).astype({"sex": object})
    assert said["label"] == penguins.predict(frame)[0]
    np.testing.assert_allclose(said["probabilities"], penguins.predict_proba(frame)[0], rtol=1e-12)


def test_pushes_are_the_predictors_reasons_and_add_up(wide, penguins):
    predictor, table = wide
    row = what_if.read_row(predictor, form_of(predictor, **{f"c{j}": table[f"c{j}"].iloc[7] + 5 for j in range(3)}))
    said = what_if.predict_row(predictor, row, 0.95)
    assert said["to"] == pytest.approx(said["values"][0]) and said["about"] == "y"
    assert sum(p["value"] for p in said["pushes"]) == pytest.approx(said["to"] - said["from"])
    said = what_if.predict_row(penguins, what_if.read_row(penguins, form_of(penguins)), 0.95)
    assert said["to"] == pytest.approx(max(said["probabilities"])) and said["about"] == said["label"]


def test_a_predictor_that_kept_no_rows_says_no_reasons(wide):
    from copy import copy

    predictor, _ = wide
    older = copy(predictor)
    older.background = None
    assert what_if.predict_row(older, what_if.read_row(older, form_of(older)), 0.95)["pushes"] == []


def test_a_map_agrees_with_the_rows_on_it(penguins):
    row = what_if.read_row(penguins, form_of(penguins))
    found = what_if.map_of(penguins, row, "bill_length_mm", "island")
    i, j = 1, 20
    there = row | {"bill_length_mm": found["x"][j], "island": found["y"][i]}
    assert found["classes"][found["codes"][i][j]] == what_if.predict_row(penguins, there, 0.95)["label"]
    with pytest.raises(WrongUse, match="two different columns"):
        what_if.map_of(penguins, row, "island", "island")


def test_a_wrong_cell_is_named(penguins):
    with pytest.raises(WrongUse, match="body_mass_g: 'heavy' is no number"):
        what_if.read_row(penguins, form_of(penguins, body_mass_g="heavy"))


def test_a_number_has_its_interval(wide):
    predictor, _ = wide
    said = what_if.predict_row(predictor, what_if.read_row(predictor, form_of(predictor)), 0.9)
    assert said["high"][0] - said["values"][0] == pytest.approx(predictor.half_width(0.9))


@pytest.mark.parametrize(("lang", "words"), [("en", "not decided"), ("fr", "non décidé")])
def test_what_is_not_decided_has_a_name_and_its_reasons_are_those_of_a_class(lang, words):
    found = epee.learn(str(epee.samples.path("penguins")), "species", predictors=["lda"], reject_cost=0.001).predictor
    low, high = form_of(found), form_of(found, bill_length_mm="44")
    with epee.options(language=lang):
        said = [what_if.predict_row(found, what_if.read_row(found, form), 0.95) for form in (low, high)]
        shown = what_if.map_of(found, what_if.read_row(found, low), "bill_length_mm", "bill_depth_mm")
    assert words in {one["label"] for one in said} and shown["classes"][-1] == words and len(shown["classes"]) == 4
    for one in said:
        assert one["about"] in one["classes"] and one["to"] == pytest.approx(
            one["probabilities"][one["classes"].index(one["about"])]
        )
