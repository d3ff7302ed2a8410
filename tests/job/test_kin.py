"""Rows that belong together without saying so: copies stay together by every road, and kin marks the board."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import epee
from epee.job import policy


def doubled(n: int = 60, classes: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + rng.normal(size=n)
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        word=rng.choice(["u", "v", "w"], n), y=np.where(y > 0, "yes", "no") if classes else y
    )
    rows = rng.permutation(np.tile(np.arange(n), 2))
    return frame.iloc[rows].reset_index(drop=True).assign(number=np.arange(2 * n))


def learned(table, *keys, **more):
    return epee.learn(table, "y", predictors=keys or ["linear"], **more)


@pytest.mark.parametrize("classes", [False, True])
def test_copies_are_on_one_side_by_every_road(tmp_path, classes):
    frame = doubled(classes=classes)
    path = tmp_path / ("twice.csv" if classes else "twice.parquet")
    frame.to_csv(path, index=False) if classes else frame.to_parquet(path)
    found = [learned(table, *(["lda"] if classes else [])) for table in (frame, str(path))]
    for one in found:
        assert not np.isin(one.sealed_rows, one.training_rows).any()
        assert any("copies stay together" in note for note in one.facts["notes"])
        assert one.risk.how.startswith("held-out rows, error bar from ")
        assert "E023" not in [f.code for f in one.findings] and "E022" in [f.code for f in one.findings]
    boards = [
        [(line["name"], line["value"], line["low"], line["high"]) for line in one.facts["leaderboard"]] for one in found
    ]
    for other in boards[1:]:
        for mine, its in zip(boards[0], other, strict=True):
            assert mine[0] == its[0] and mine[1:] == pytest.approx(its[1:], rel=1e-6)


def test_copies_do_not_flatter_neighbours():
    """The nearest row of a copy in another fold is its twin: the error of one neighbour would be half of what it is."""
    once, twice = doubled().drop_duplicates(list("abc")), doubled()
    a, b = (learned(t.drop(columns="number"), "knn", types={"word": "ignore"}) for t in (once, twice))
    of = [next(line["value"] for line in one.facts["leaderboard"] if line["key"] == "neighbours") for one in (a, b)]
    assert of[1] > 0.75 * of[0]


def test_few_copies_and_counts_are_let_be():
    frame = doubled()
    lone = learned(frame.drop_duplicates(list("abc")))
    assert not any("copies" in note for note in lone.facts["notes"])
    counted = learned(frame.assign(k=2), weight="k")
    assert not any("copies stay" in note for note in counted.facts["notes"])


@pytest.mark.parametrize("classes", [False, True])
def test_copies_with_sampling_weights_are_on_one_side(classes, tmp_path):
    frame = doubled(80, classes=classes)
    frame = frame.assign(k=0.2 + frame["a"].abs())
    path = tmp_path / "twice.csv"
    frame.to_csv(path, index=False)
    one, same = (learned(t, "lda" if classes else "linear", weight="k") for t in (frame, str(path)))
    assert any("copies stay together" in note for note in one.facts["notes"])
    assert not np.isin(one.sealed_rows, one.training_rows).any() and len(one.sealed_rows)
    assert "16 groups" in one.risk.how and one.risk.value == pytest.approx(same.risk.value)


def test_copies_with_sampling_weights_do_not_flatter_neighbours():
    """As without weights: the twin of a row lies on its side of the seal and in its fold."""
    twice = doubled(80).drop(columns="number")
    weights = np.random.default_rng(0).uniform(0.5, 1.5, len(twice))
    once = twice.assign(k=weights).drop_duplicates(list("abc"))
    a, b = (learned(t, "knn", types={"word": "ignore"}, weight="k") for t in (once, twice.assign(k=weights)))
    of = [next(line["value"] for line in one.facts["leaderboard"] if line["key"] == "neighbours") for one in (a, b)]
    assert of[1] > 0.75 * of[0]


def test_weights_of_one_and_none_are_no_counts():
    frame = doubled()
    whole = learned(frame.assign(k=1), weight="k")
    assert any("copies stay together" in note for note in whole.facts["notes"])
    plain = learned(frame)
    assert whole.risk.value == pytest.approx(plain.risk.value) and whole.risk.n == pytest.approx(plain.risk.n)


def test_a_table_that_passes_by_is_marked(monkeypatch):
    monkeypatch.setattr(policy, "POLICY", policy.Policy(cells=100))
    one = learned(doubled())
    assert not any("copies stay" in note for note in one.facts["notes"])
    assert {"E022", "E023"} <= {f.code for f in one.findings}


def drifting(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    e = np.zeros(n)
    for i in range(1, n):
        e[i] = 0.9 * e[i - 1] + rng.normal()
    X = rng.normal(size=(n, 2))
    return pd.DataFrame(X, columns=list("ab")).assign(y=X[:, 0] + e, when=np.arange(n))


def test_kin_lengthens_and_marks_the_board():
    frame = drifting()
    found = learned(frame.drop(columns="when"))
    mixed = learned(frame.drop(columns="when").sample(frac=1.0, random_state=0))
    assert {line["interval"] for line in found.facts["leaderboard"]} == {"approximate"}
    assert "nested" in {line["interval"] for line in mixed.facts["leaderboard"]}
    width = [
        next(x["high"] - x["low"] for x in one.facts["leaderboard"] if x["key"] == "linear") for one in (found, mixed)
    ]
    assert width[0] > 1.5 * width[1]
    sentence = "Errors of rows that follow each other resemble each other"
    assert sum(said.count(sentence) for said in found.facts["verdict"]) == 1
    assert found.risk.caution.startswith(sentence)
    answered = learned(frame, time="when")
    assert not any(sentence in said for said in answered.facts["verdict"])


def test_kin_of_a_named_column():
    rng = np.random.default_rng(2)
    ward = rng.permutation(np.repeat(np.arange(50), 4))
    frame = pd.DataFrame({"a": rng.normal(size=200), "ward": ward})
    found = learned(frame.assign(y=frame.a + 2 * rng.normal(size=50)[ward] + rng.normal(size=200)))
    assert "Errors of rows with the same value of column ward resemble each other" in " ".join(found.facts["verdict"])


def test_the_caution_of_the_test_is_said():
    found = learned(doubled().drop_duplicates(list("abc")))
    assert found.risk.caution and any(found.risk.caution in said for said in found.facts["verdict"])


def test_sealed_copies_count_once():
    one = learned(doubled())
    assert one.facts["test"]["n"] == pytest.approx(24) and "12 groups" in one.risk.how


def test_kin_are_told_of_what_the_predictor_leans_on(tmp_path):
    frame = drifting().drop(columns="when")
    found, mixed = learned(frame), learned(frame.sample(frac=1.0, random_state=0))
    assert found.facts["uses"]["caution"].startswith("Errors of rows that follow each other")
    page = found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.split('id="uses"')[1].split("</section>")[0].count("Errors of rows that follow each other") == 1
    assert not mixed.facts["uses"]["caution"]


def test_groups_that_were_told_are_looked_at_in_turn():
    rng = np.random.default_rng(0)
    school, own = np.repeat(np.arange(20), 20), np.repeat(np.arange(80), 5)
    frame = pd.DataFrame(rng.normal(size=(400, 2)), columns=list("ab")).assign(own=own, school=school)
    frame["y"] = frame.a + 1.2 * rng.normal(size=20)[school] + 0.6 * rng.normal(size=80)[own] + rng.normal(size=400)
    by_class, by_school = (learned(frame[["a", "b", "y", name]], groups=name) for name in ("own", "school"))
    assert "Groups that follow each other" in " ".join(by_class.facts["verdict"]) and by_class.risk.kin
    assert not any("Groups" in said for said in by_school.facts["verdict"]) and not by_school.facts["uses"]["caution"]


@pytest.mark.parametrize("weight", [1.0, "sampled"])
def test_weights_do_not_hide_kin(weight):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + np.repeat(2 * rng.normal(size=60), 5) + 0.5 * rng.normal(size=300)
    frame = pd.DataFrame(X, columns=list("ab")).assign(y=y)
    w = rng.uniform(0.5, 2, 300) if weight == "sampled" else weight
    plain, found = learned(frame), learned(frame.assign(w=w), weight="w")
    assert "follow each other" in plain.risk.kin and "follow each other" in found.risk.kin
