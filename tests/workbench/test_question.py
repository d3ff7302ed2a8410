"""The question of a page: roles, kinds and a form become one call, and the lines that are equal to it."""

import json
import shlex

import pytest

import epee
from epee.errors import WrongUse
from epee.settings import options
from epee.workbench import pages, scripts
from epee.workbench.question import Question, threshold_of

IRIS = str(epee.samples.path("iris"))


def test_a_role_is_held_by_one_column_and_a_column_has_one():
    question = Question().with_role("a", "target").with_role("b", "weight").with_role("b", "target")
    assert (question.target, question.weight) == ("b", None) and question.role("a") == "input"
    left = question.with_role("b", "ignore")
    assert left.target is None and left.types == {"b": "ignore"} and left.role("b") == "ignore"
    assert left.with_role("b", "input").types == {}
    with pytest.raises(WrongUse, match="choose the column"):
        left.arguments()


def test_costs_and_predictors_go_with_their_target():
    asked = Question(target="y", predictors=("lda",), costs=((0.0, 1.0), (5.0, 0.0)), reject_cost=0.2)
    assert asked.with_role("w", "weight").costs == asked.costs
    other = asked.with_role("z", "target")
    assert (other.predictors, other.costs, other.reject_cost) == (None, None, None)
    assert asked.with_kind("y", "number").costs is None and asked.with_kind("x", "category").costs == asked.costs


def test_a_form_in_either_writing():
    form = {
        "test_size": "0,25",
        "folds": "5",
        "level": "0.9",
        "budget": "2min",
        "reject_cost": "",
        "prefer": "accuracy",
    }
    asked = Question(target="y").with_form(form, ["lda"], 2)
    assert (asked.test_size, asked.folds, asked.level, asked.budget) == (0.25, 5, 0.9, "2min")
    assert (asked.prefer, asked.predictors, asked.reject_cost) == ("accuracy", ("lda",), None)
    plain = {f"cost-{d}-{t}": str(int(d != t)) for d in range(2) for t in range(2)}
    assert asked.with_form(plain, [], 2).costs is None and asked.with_form(plain, [], 2).predictors is None
    assert asked.with_form(plain | {"cost-1-0": "2,5"}, None, 2).costs == ((0.0, 1.0), (2.5, 0.0))


def test_lags_rare_classes_and_others_predictors():
    asked = Question(target="y", time="day")
    form = {"lags": "1, 7; temp = 2", "rare": "join", "others": "sklearn.svm:SVC(C=2, kernel='rbf')\n\nlightgbm"}
    plain = asked.with_form(form, ["lda", "os:system"], 2)
    assert plain.lags == {"": [1, 7], "temp": [2]} and plain.rare == "join"
    assert plain.others == () and plain.predictors == ("lda",)  # a page names no module, unless it may
    free = asked.with_form(form, [], 2, trusted=True)
    assert free.arguments()["predictors"] == ["all", "sklearn.svm:SVC(C=2, kernel='rbf')", "lightgbm"]
    assert "others" not in free.arguments() and free.arguments()["lags"] == {"": [1, 7], "temp": [2]}
    lines = scripts.learning(free, "t.csv", "en")
    assert "--lags 1,7 --lags temp=2" in lines["command"] and "--rare join" in lines["command"]
    assert "lags={'y': [1, 7], 'temp': [2]}" in lines["script"]
    again = pages.written_lags(free)
    assert asked.with_form({"lags": again}, None, 2).lags == free.lags
    assert free.with_role("day", "input").lags is None  # no time, no past
    assert Question(target="y").with_form({"lags": "1"}, None, 2).lags is None


def test_a_gap_needs_a_time():
    asked = Question(target="y", time="day").with_form({"gap": "7"}, None, 2)
    assert asked.gap == 7 and "--time day --gap 7" in scripts.learning(asked, "t.csv", "en")["command"]
    assert asked.with_role("day", "input").gap == 0


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("lags", "soon", "not understood"), ("lags", "0", "not understood"), ("others", "svm machine", "no class of another"),
        ("folds", "1", "Folds: '1' is no number between 2 and 100"), ("folds", "2.5", "no number"), ("gap", "-1", "no number"),
        ("test_size", "x", "no number"),
        ("level", "1.2", "between"), ("budget", "soon", "60s, 2min"), ("reject_cost", "-1", "no cost"), ("cost-0-1", "much", "no cost"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_in_both_languages(name, text, match):
    asked = Question(target="y", time="day")
    with pytest.raises(WrongUse, match=match):
        asked.with_form({name: text}, None, 2, trusted=True)
    with options(language="fr"), pytest.raises(WrongUse, match=text.replace(".", r"\.")) as fault:
        asked.with_form({name: text}, None, 2, trusted=True)
    assert "number" not in str(fault.value)


def test_the_lines_do_what_the_page_does(tmp_path, monkeypatch):
    from epee.cli.app import run

    asked = Question(
        "species",
        predictors=("lda",),
        folds=5,
        costs=((0, 1, 1), (2, 0, 1), (1, 1, 0)),
        types={"petal_width": "ignore"},
    )
    lines = scripts.learning(asked, IRIS, "en")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.csv").write_text(
        scripts.costs_file(asked, ["setosa", "versicolor", "virginica"]), encoding="utf-8"
    )
    assert run(["learn", "--quiet", *shlex.split(lines["command"])[2:]]) == 0
    saved = epee.load("iris.epee")
    here = epee.learn(IRIS, lang="en", **asked.arguments())
    assert saved.card["leaderboard"][1]["value"] == here.facts["leaderboard"][1]["value"]
    found = {}
    exec(lines["script"], found)
    assert found["learned"].facts["leaderboard"][1]["value"] == here.facts["leaderboard"][1]["value"]
    cells = json.loads(scripts.notebook(lines["script"], "iris"))["cells"]
    assert "".join(cells[2]["source"]).endswith("\nlearned") and "".join(cells[-1]["source"]).startswith(
        "learned.save("
    )


def test_a_threshold_as_people_write_it():
    assert [threshold_of(text) for text in ("", "0,3", "30%", " 0.5 ")] == [None, 0.3, 0.3, 0.5]
    for text in ("0", "1", "-0.2", "half"):
        with pytest.raises(WrongUse, match="between 0 and 1"):
            threshold_of(text)


def test_other_lines():
    assert (
        scripts.exploring("a b.csv", {"x": "category"}, "fr")["command"]
        == "epee explore 'a b.csv' --lang fr --type x=category --report 'a b.html'"
    )
    assert scripts.predicting("m.epee", None)["command"] == "epee predict m.epee new.csv -o predictions.csv"
    with_more = scripts.predicting("m.epee", "a.csv", 0.3, True)
    assert with_more["command"] == "epee predict m.epee a.csv --trust --threshold 0.3 -o predictions.csv"
    assert "epee.load('m.epee', trusted=True)" in with_more["script"] and "threshold=0.3)" in with_more["script"]
