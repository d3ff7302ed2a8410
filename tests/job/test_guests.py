"""Predictors of other libraries in the contest: by name, with their columns and labels, in time, saved with a note."""

import json
import sys
import time
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import epee
from epee.cli.app import run
from epee.errors import BadFile, WrongUse
from epee.estimator.simplicity import order_of
from epee.job.guest_names import guest_named, is_guest, settled
from epee.job.guests import Guest

SMALL = {
    "lightgbm": "lightgbm(n_estimators=8, learning_rate=0.4, min_child_samples=5, min_data_per_group=5, cat_smooth=1.0, n_jobs=1)",
    "xgboost": "xgboost(n_estimators=8, n_jobs=1)",
    "catboost": "catboost(iterations=20, learning_rate=0.3, thread_count=1)",
}


def towns(n=120, seed=0):
    """A table whose category matters more than its holed number, with labels that are texts."""
    rng = np.random.default_rng(seed)
    town = rng.choice(["Lyon", "Paris", "Rennes", "Brest"], n)
    a = rng.standard_normal(n)
    z = a + 3 * np.isin(town, ["Lyon", "Brest"])
    table = pd.DataFrame({"a": np.where(np.arange(n) % 9 == 0, np.nan, a), "town": town})
    table.loc[3, "town"] = None
    return table, z


def learn(table, target, *predictors, **given):
    return epee.learn(table, target, predictors=list(predictors), folds=3, **given)


@pytest.mark.parametrize("library", SMALL)
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_a_library_takes_categories_missing_cells_and_texts(library, task, tmp_path):
    pytest.importorskip(library)
    table, z = towns()
    table["y"] = np.where(z > 2, "yes", "no") if task == "classes" else z
    learned = learn(table, "y", SMALL[library])
    line = learned.facts["leaderboard"][1]
    assert line["name"].lower().startswith(library) and not learned.card["dropped"]
    assert line["value"] < learned.facts["leaderboard"][0]["value"] and line["low"] < line["high"]
    guest = learned.predictor.model.steps[-1][1]
    assert len(learned.predictor.model.steps) == 1  # nothing was filled in front of it
    assert guest.estimator_.n_features_in_ == 2  # one column for the category
    said = learned.predict(table)
    assert set(said) == {"yes", "no"} if task == "classes" else said.dtype.kind == "f"
    learned.save(tmp_path / "t.epee")
    again = epee.load(tmp_path / "t.epee", trusted=True)
    np.testing.assert_array_equal(again.predict(table), said)


@pytest.mark.parametrize("library", SMALL)
def test_a_library_sees_a_category_as_sets_of_levels(library):
    """Two of four levels, which no order of codes puts side by side, against the other two: one cut where categories are native."""
    pytest.importorskip(library)
    levels = np.arange(200) % 4
    X, y = np.eye(4)[levels], np.isin(levels, [0, 3]).astype(float)
    extra = {
        "lightgbm": ", max_depth=1",
        "xgboost": ", max_depth=1, max_cat_to_onehot=1",
        "catboost": ", depth=1, one_hot_max_size=0",
    }
    made = guest_named(SMALL[library].replace(")", extra[library] + ")"), "regressor")[1]
    guest = Guest(settled(made, 0), "regressor", [[0, 4]]).fit(X, y)
    error = np.abs(guest.predict(X) - y).mean()
    plain = Guest(settled(made, 0), "regressor").fit(X, y)
    assert error < np.abs(plain.predict(X) - y).mean() - 0.02
    unseen = guest.predict(np.zeros((1, 4)))
    assert np.isfinite(unseen).all()


def test_names_are_read_and_bad_ones_refused_with_a_sentence(tmp_path, monkeypatch):
    assert is_guest("sklearn.svm:SVC") and is_guest("XGBoost(n_jobs=1)") and not is_guest("boosting")
    name, made = guest_named("sklearn.linear_model:Ridge(alpha=2.5, solver='svd')", "regressor")
    assert name == "Ridge(alpha=2.5, solver='svd')" and made.alpha == 2.5 and made.solver == "svd"
    for text, sentence in {
        "nowhere.at_all:Model": "no module 'nowhere.at_all'",
        "sklearn.svm:LinearSCV": "no class 'LinearSCV'; did you mean 'LinearSV",
        "sklearn.svm:SVC(2)": "plain values with names",
        "sklearn.svm:SVC(C=__import__('os'))": "plain values with names",
        "sklearn.svm:SVC(colour=2)": "cannot be made: TypeError",
        "sklearn:clone": "is no class",
    }.items():
        with pytest.raises(WrongUse, match=sentence):
            guest_named(text, "classifier")
    monkeypatch.setitem(sys.modules, "tabpfn", None)
    with pytest.raises(
        WrongUse, match=r"TabPFN is not installed: pip install tabpfn. The nearest to it here is 'combination'"
    ):
        guest_named("tabpfn", "classifier")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken_here.py").write_text("1 / 0")
    with pytest.raises(WrongUse, match="importing 'broken_here' failed: ZeroDivisionError"):
        guest_named("broken_here:Model", "classifier")


def test_a_word_names_the_library_for_the_task(tmp_path, monkeypatch):
    """TabPFN is large: a module of its name stands for it here."""
    (tmp_path / "tabpfn.py").write_text(
        "from sklearn.linear_model import LinearRegression as TabPFNRegressor\n"
        "from sklearn.linear_model import LogisticRegression as TabPFNClassifier\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "tabpfn", raising=False)
    table, z = towns()
    learned = learn(table.assign(y=z), "y", "tabpfn", "linear")
    assert "TabPFN" in [line["name"] for line in learned.facts["leaderboard"]]
    monkeypatch.delitem(sys.modules, "tabpfn")


def test_the_order_of_simplicity_is_not_that_of_the_list():
    table, z = towns()
    table["y"] = np.where(z > 2, "yes", "no")
    deep, shallow = DecisionTreeClassifier(max_depth=9), DecisionTreeClassifier(max_depth=1)
    given = [deep, make_pipeline(StandardScaler(), LogisticRegression()), GaussianNB(), shallow]
    ranked = []
    for some in (given, given[::-1]):
        entries = sorted(learn(table, "y", *some).contest.entries, key=lambda e: e.order)
        guests = [e.route.model[-1].estimator for e in entries[1:]]
        ranked.append([(type(g).__name__, g.get_params().get("max_depth")) for g in guests])
    assert ranked[0] == ranked[1]
    assert ranked[0][-2:] == [("DecisionTreeClassifier", 1), ("DecisionTreeClassifier", 9)]  # fewer bytes, then more
    assert "StandardScaler, LogisticRegression" in [e.name for e in entries]
    assert order_of(GaussianNB()) < order_of(DecisionTreeClassifier()) < order_of(BaseEstimator())


class Numbers(ClassifierMixin, BaseEstimator):
    """Wants 0, 1, ... as labels, as XGBoost does."""

    def fit(self, X, y):
        if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError("labels must be 0, 1, ...")
        self.inner_ = RidgeClassifier().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)[:, None]  # a column, as CatBoost says it


def test_labels_are_encoded_for_those_who_need_numbers_and_errors_are_their_own():
    X, y = np.arange(20.0)[:, None], np.repeat(["low", "high"], 10)
    guest = Guest(Numbers(), "classifier").fit(X, y)
    assert guest.coded_ and guest.predict(X).tolist() == y.tolist() and guest.classes_.tolist() == ["high", "low"]
    assert not Guest(Numbers(), "classifier").fit(X, np.repeat([0, 1], 10)).coded_
    assert not Guest(RidgeClassifier(class_weight={"low": 2.0, "high": 1.0}), "classifier").fit(X, y).coded_
    with pytest.raises(ValueError, match="Input X contains NaN"):
        Guest(Numbers(), "classifier").fit(np.full((20, 1), np.nan), np.repeat([0, 1], 10))


class Slow(RegressorMixin, BaseEstimator):
    """Quick with few rows, and for ever with those of a fold."""

    def fit(self, X, y):
        time.sleep(0.01 if len(X) < 60 else 600)
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_a_fit_that_outlasts_the_budget_is_ended():
    """The trials on few rows promise a short run; the fits of the folds would take for ever, and are stopped."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.standard_normal(240)})
    table["y"] = table["a"] + 0.1 * rng.standard_normal(240)
    begin = time.perf_counter()
    learned = learn(table, "y", Slow(), LinearRegression(), budget=7)
    assert time.perf_counter() - begin < 120
    dropped = {d["name"]: d["why"] for d in learned.card["dropped"]}
    assert "7" in dropped["Slow"] and learned.facts["chosen"]["name"] != "Slow"


def test_a_seed_and_silence_are_set_unless_they_were():
    assert settled(DecisionTreeClassifier(), 7).random_state == 7
    assert settled(DecisionTreeClassifier(random_state=1), 7).random_state == 1
    catboost = pytest.importorskip("catboost")
    assert settled(catboost.CatBoostClassifier(verbose=5), 0).get_params() == {
        "verbose": 5,
        "allow_writing_files": False,
    }


def test_the_command_line_learns_saves_with_a_note_and_trusts_on_demand(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, z = towns(80)
    table.assign(y=z).to_csv("t.csv", index=False)
    (tmp_path / "my_models.py").write_text(
        "from sklearn.linear_model import Ridge\n\n\nclass Mine(Ridge):\n    '''Somebody's own.'''\n"
    )
    try:
        assert (
            run(["learn", "t.csv", "-t", "y", "--folds", "3", "-p", "my_models:Mine(alpha=0.5)", "--report", "t.html"])
            == 0
        )
        said = capsys.readouterr()
        assert "Mine(alpha=0.5)" in said.out and "my_models.Mine" in said.err and "--trust" in said.err
        assert run(["predict", "t.epee", "t.csv", "--plain"]) == 3
        assert "loading it runs code from the file" in capsys.readouterr().err
        assert run(["--lang", "fr", "assess", "t.epee", "t.csv"]) == 3
        assert "exécute du code du fichier" in capsys.readouterr().err
        assert run(["predict", "t.epee", "t.csv", "--plain", "--trust"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 81
        with zipfile.ZipFile("t.epee") as bundle:
            assert json.loads(bundle.read("manifest.json"))["format"] == 3
        sys.modules.pop("my_models")
        (tmp_path / "my_models.py").unlink()
        with pytest.raises(BadFile, match="cannot be loaded here .*my_models.*install"):
            epee.load("t.epee", trusted=True)
        assert run(["learn", "t.csv", "-t", "y", "-p", "no_such:Thing"]) == 2
    finally:
        sys.modules.pop("my_models", None)
        sys.path[:] = [place for place in sys.path if place != str(tmp_path)]


def test_all_is_the_whole_hierarchy_and_one_more():
    from epee.estimator.method import Setting
    from epee.job.hierarchy import hierarchy

    s = Setting("regression", 100, 2)
    every = [c.key for c in hierarchy(s)]
    more = [c.key for c in hierarchy(s, ["all", LinearRegression()])]
    assert set(more) - set(every) == {"LinearRegression"} and len(more) == len(every) + 1
    with pytest.raises(WrongUse, match="is a class; give an instance"):
        list(hierarchy(s, [LinearRegression]))
