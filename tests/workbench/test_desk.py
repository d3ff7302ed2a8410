"""The desk without a page: what stands on the cards is what is done, and no sealed row is shown."""

import numpy as np
import pandas as pd
import pytest

import epee
from epee.errors import WrongUse
from epee.workbench import pages
from epee.workbench.desk import Desk
from epee.workbench.question import Question

TYPES = {"zip": "category", "odd": "ignore"}


def table(n=150):
    rng = np.random.default_rng(5)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "id": np.arange(n), "x": np.where(rng.random(n) < 0.1, np.nan, x), "zip": rng.integers(1, 4, n), "same": 7,
            "odd": rng.normal(size=n),
            "note": [f"note {i}" for i in range(n)], "day": pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d"),
            "sure": np.where(rng.random(n) < 0.5, "yes", "no"), "copies": rng.integers(1, 3, n), "who": rng.integers(0, 30, n).astype(str),
            "y": np.where(x + rng.normal(size=n) / 2 > 0, "high", "low"),
        }
    )  # fmt: skip


@pytest.fixture
def desk(tmp_path):
    """Return a desk with a table that was brought, and what it tells."""
    table().to_csv(tmp_path / "mine.csv", index=False)
    told = []
    made = Desk(lambda name, data: told.append((name, data)), str(tmp_path))
    made.told = told
    return made


def test_the_cards_say_what_learning_does(desk):
    card = desk.open("mine.csv", True, TYPES)
    assert card["rows"] == 150 and card["label"] == "mine.csv" and len(card["first"]) == 150
    learned = desk.learn("mine.csv", True, Question("y", types=TYPES, predictors=("lda",)), "en")["card"]
    done = {c["name"]: c for c in learned["columns"]}
    for column in card["columns"]:
        if column["name"] == "y":
            continue
        assert (done[column["name"]]["role"] == "left out") == bool(column["left"]), column["name"]
        assert done[column["name"]]["note"] == column["left"] or not column["left"]
        assert done[column["name"]]["kind"] == column["kind"] and done[column["name"]]["missing"] == column["missing"]
        assert pages.fate("input", column)
    assert {name for name, _ in desk.told} == {"wanted", "line", "progress"}


def test_what_a_column_would_be_as_a_target(desk):
    desk.open("mine.csv", True, {})
    found = {name: desk.target(name) for name in ("y", "sure", "x", "zip", "same", "note", "day")}
    assert found["y"]["classes"] == ["high", "low"] and found["sure"]["classes"] == ["no", "yes"]
    assert found["x"]["task"] == "regression" and found["zip"]["task"] == "classification" and found["zip"]["either"]
    assert [found[name]["why"] for name in ("same", "note", "day", "y")] == ["one", "many", "date", ""]


def test_rows_of_a_cell_are_training_rows_that_were_held_out(desk):
    desk.open("mine.csv", True, TYPES)
    answer = desk.learn("mine.csv", True, Question("y", types=TYPES, predictors=("tree",)), "en")
    shown, frame = answer["held_out"], table()
    assert shown["rows"] == answer["card"]["rows"]["training"] == np.sum(shown["counts"])
    sealed = set(np.flatnonzero(desk.reporter.contest.ground.cells.cell >= desk.reporter.contest.ground.hand.folds) + 1)
    numbers = []
    for i, true in enumerate(shown["labels"]):
        for j in range(2):
            cell = desk.rows(i, j)
            assert cell["count"] == shown["counts"][i][j] and set(
                frame["y"].iloc[np.array(cell["numbers"], dtype=int) - 1]
            ) <= {true}
            numbers += cell["numbers"]
    assert not sealed & set(numbers) and len(sealed) == answer["card"]["rows"]["sealed"]


@pytest.mark.parametrize(
    "more",
    [
        {"weight": "copies"},
        {"groups": "who"},
        {"time": "day"},
        {"reject_cost": 0.1},
        {"loss": "log"},
        {"others": ("sklearn.naive_bayes:GaussianNB",), "rare": "join"},
    ],
)
def test_every_role_and_option_goes_through(desk, more):
    desk.open("mine.csv", True, TYPES)
    asked = Question("y", types=TYPES, predictors=("lda", "logistic"), folds=5, **more)
    answer = desk.learn("mine.csv", True, asked, "fr")
    straight = epee.learn(str(desk.folder / "mine.csv"), lang="fr", **asked.arguments())
    assert [line["value"] for line in answer["card"]["leaderboard"]] == [
        line["value"] for line in straight.facts["leaderboard"]
    ]
    for line in answer["card"]["leaderboard"]:
        with epee.options(language="fr"):
            assert desk.look(line["key"])["name"] == line["name"]
    assert np.sum(answer["held_out"]["counts"]) > 0
    assert desk.what_if({}, "x", "sure")["map"]["classes"][:2] == ["high", "low"]


def test_unlikely_rows_are_shown_as_rows(desk):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=list("abc"))
    frame.iloc[17] = [6.0, -6.0, 6.0]
    frame.to_csv(desk.folder / "far.csv", index=False)
    desk.open("far.csv", True, {})
    found = desk.explore("far.csv", True, {}, "en")
    assert 18 in found["outliers"]["numbers"]
    assert found["outliers"]["rows"][found["outliers"]["numbers"].index(18)] == ["6", "-6", "6"]


def test_what_is_not_there_is_a_sentence(desk):
    with pytest.raises(WrongUse, match="give a path"):
        desk.open("-", False, {})
    epee.learn(table(), "y", predictors=["lda"], types=TYPES).save(desk.folder / "m.epee")
    assert desk.load("m.epee", True)["held_out"] is None
    with pytest.raises(WrongUse, match="no run to look into"):
        desk.look("lda")
    with pytest.raises(ValueError, match="nothing to save"):
        desk.save("explored-json")


def test_a_column_of_words_has_its_card_and_its_control(desk):
    rng = np.random.default_rng(2)
    said = [" ".join(rng.choice(["good", "bad", "very", "room", "noise", "quiet", "bed"], size=6)) for _ in range(120)]
    frame = pd.DataFrame(
        {"x": rng.normal(size=120), "review": said, "y": ["up" if "good" in text else "down" for text in said]}
    )
    frame.to_csv(desk.folder / "words.csv", index=False)
    cards = {c["name"]: c for c in desk.open("words.csv", True, {"review": "text"})["columns"]}
    assert cards["review"]["left"] == "" and pages.fate("input", cards["review"]) == "Enters by its words, counted."
    answer = desk.learn("words.csv", True, Question("y", types={"review": "text"}, predictors=("logistic",)), "en")
    place = [c["name"] for c in answer["controls"]].index("review")
    good, bad = (
        desk.what_if({f"x-{place}": text, "x-0": "0"}, None, None)["probabilities"][1]
        for text in ("good good bed", "bad room")
    )
    assert good > bad
    with pytest.raises(WrongUse, match="two different columns"):
        desk.what_if({}, "x", "review")


def test_lags_go_through(desk):
    frame = table()
    frame["z"] = frame["x"].fillna(0.0).cumsum() + np.arange(150)
    frame.to_csv(desk.folder / "series.csv", index=False)
    desk.open("series.csv", True, TYPES)
    asked = Question("z", time="day", lags={"": [1], "x": [2]}, types=TYPES, predictors=("linear",), folds=3)
    answer = desk.learn("series.csv", True, asked, "en")
    straight = epee.learn(str(desk.folder / "series.csv"), lang="en", **asked.arguments())
    assert answer["card"]["leaderboard"][1]["value"] == straight.facts["leaderboard"][1]["value"]
    assert answer["card"]["settings"]["lags"] == {"z": [1], "x": [2]}


def test_others_predictors_are_opened_by_who_is_trusted(desk):
    desk.open("mine.csv", True, TYPES)
    asked = Question("y", types=TYPES, predictors=("baseline",), others=("sklearn.naive_bayes:GaussianNB",), folds=3)
    answer = desk.learn("mine.csv", True, asked, "en")
    assert answer["guest"].endswith("GaussianNB") and answer["probable"]
    desk.save("epee")
    with pytest.raises(ValueError, match="loading it runs code"):
        desk.load("saved.epee", True)
    assert desk.load("saved.epee", True, trusted=True)["guest"] == answer["guest"]
    by = desk.predict("mine.csv", True, threshold=0.9)
    assert any("90 %" in note for note in by["notes"])
    P = desk.learned.predict_proba(str(desk.folder / "mine.csv"))[:, 1]
    assert [row[1] for row in by["rows"]] == np.where(P >= 0.9, "low", "high").tolist()
