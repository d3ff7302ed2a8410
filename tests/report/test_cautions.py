"""A caution stands where its figure does: on the terminal, on the page and in JSON, once each."""

import json
from html import unescape

import numpy as np
import pyarrow as pa
import pytest

import epee
from epee.report import board
from epee.report.cautions import told_once
from epee.report.html import html_of
from epee.report.learned_page import answer
from epee.words.numbers import without_figures
from tests.job.test_told import families


@pytest.fixture(scope="module")
def heavy():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 2))
    table = pa.table({"x": x[:, 0], "z": x[:, 1], "y": x[:, 1] + np.exp(2 * rng.normal(size=300))})
    return epee.learn(table, "y", predictors=["baseline", "linear"], folds=5)


@pytest.fixture(scope="module")
def in_file():
    """Return a run on families that nobody declared, next to each other in the file."""
    ignored = {"c": "ignore", "t": "ignore", "g": "ignore"}
    return epee.learn(families(shuffled=False), "y", types=ignored, predictors=["baseline", "linear", "tree"], folds=5)


def text(learned):
    return " ".join(board.text_of(learned.card, 200).split())


def test_a_line_with_a_caution_is_marked(heavy):
    card = heavy.card
    cautious = [line for line in card["leaderboard"] if line["caution"]]
    assert cautious and all(line["interval"] == "nested" for line in cautious)
    assert board.text_of(card, 200).count("]~") == len(cautious)
    assert json.loads(heavy.to_json())["leaderboard"][0]["caution"]
    assert f"~ {', '.join(line['name'] for line in cautious)}" in text(heavy) or "~ The largest" in text(heavy)


def test_the_same_caution_is_said_once(heavy):
    assert heavy.card["test"]["caution"] in text(heavy)
    assert without_figures(text(heavy)).count("The largest losses are too far") == 1


def test_the_caution_of_the_headline_follows_it(heavy):
    said = answer(heavy.card)
    place = said.index(heavy.card["test"]["caution"])
    assert heavy.card["test"]["caution"] and "confidence it lies in" in said[place - 1]
    page = unescape(html_of(heavy.card)).replace("\xa0", " ")
    for name in ("r2", "absolute"):
        assert heavy.card["scores"][name]["caution"] in page


def test_the_absolute_error_stands_beside_a_mean_square_of_a_heavy_tail(heavy):
    beside = heavy.card["test"]["beside"]
    assert beside["value"] == heavy.card["scores"]["absolute"]["value"] and "mean absolute error" in heavy.verdict
    assert "Its mean absolute error" in " ".join(answer(heavy.card))
    light = epee.learn(
        families(), "y", types={"c": "ignore", "t": "ignore", "g": "ignore"}, predictors=["linear"], folds=5
    )
    assert light.card["test"]["beside"] is None and "mean absolute error" not in light.verdict


def test_without_sealed_rows_it_is_that_of_rows_held_out():
    rng = np.random.default_rng(6)
    table = pa.table({"x": rng.normal(size=300), "y": np.exp(2 * rng.normal(size=300))})
    learned = epee.learn(table, "y", predictors=["linear"], folds=5, test_size=0)
    y = table.column("y").to_numpy()
    beside = learned.card["test"]["beside"]
    assert beside["low"] <= beside["value"] <= beside["high"] and beside["caution"]
    assert beside["value"] == pytest.approx(np.abs(y - y.mean()).mean(), rel=0.1)
    assert "mean absolute error" in learned.verdict and "Its mean absolute error" in " ".join(answer(learned.card))


def test_every_caution_of_the_verdict_is_told(heavy):
    for figure in (heavy.card["test"], *heavy.card["headline"][1:]):
        caution = figure.get("caution", "")
        assert without_figures(caution) in without_figures(heavy.verdict)


@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_advice_fits_the_loss(loss):
    rng = np.random.default_rng(5)
    table = pa.table({"x": rng.normal(size=300), "y": np.exp(3 * rng.normal(size=300))})
    verdict = epee.learn(table, "y", predictors=["linear"], folds=5, loss=loss).verdict
    assert "The largest losses" in verdict and "Look at the absolute" not in verdict
    assert ("Beside it" in verdict) == (loss == "squared")


def test_who_asked_for_a_loss_is_not_told_to_ask_for_it():
    from tests.job.test_merit import rare

    told = epee.learn(rare(), "y", predictors=["lda"], folds=5, prefer="simplicity")
    assert "--loss auc, --loss log or --costs" in told.verdict
    costly = epee.learn(rare(), "y", predictors=["lda"], folds=5, costs=[[0, 1], [1, 0]])
    if "rank the classes" in costly.verdict:
        assert "--costs" not in costly.verdict


def test_longer_intervals_are_not_called_too_short(in_file):
    assert any(line["kin"] for line in in_file.card["leaderboard"])
    found = {f["code"]: f["sentence"] for f in in_file.card["findings"]}
    assert "E020" in found and "too short" not in found["E020"] and "correlation" not in found["E020"]
    assert text(in_file).count("too short") == 0


def test_conditions_are_said_on_the_terminal_and_on_the_page():
    table = families().append_column("w", pa.array(np.random.default_rng(0).exponential(size=320)))
    for asked, words in (
        ({"weight": "w"}, "sampling weights"),
        ({"groups": "g"}, "error bar from"),
        ({"time": "t", "gap": 3}, "moments after the last one learned from"),
    ):
        ignored = dict.fromkeys({"c", "g", "t", "w"} - set(asked.values()), "ignore")
        learned = epee.learn(table, "y", types=ignored, predictors=["linear"], folds=5, **asked)
        assert (
            words in text(learned) and words in html_of(learned.card) and words in " ".join(learned.card["conditions"])
        )
    whole = table.append_column("k", pa.array(np.random.default_rng(0).integers(1, 4, 320)))
    ignored = dict.fromkeys(("c", "g", "t", "w"), "ignore")
    assert "taken as counts" in text(epee.learn(whole, "y", types=ignored, predictors=["linear"], folds=5, weight="k"))


def test_a_plain_run_has_no_condition():
    ignored = dict.fromkeys(("c", "g", "t"), "ignore")
    assert epee.learn(families(), "y", types=ignored, predictors=["linear"], folds=5).card["conditions"] == []


def test_cautions_that_differ_in_figures_are_one():
    assert told_once([("a", "Only 3 rows."), ("b", "Only 12 rows."), ("c", "")]) == ["~ a, b: Only 3 rows."]
