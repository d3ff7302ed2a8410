"""The only list of methods: what reads it, and what people type."""

from __future__ import annotations

import inspect

import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import epee
from epee.errors import WrongUse
from epee.estimator.registry import METHODS, key_of, keys, method, nearest_keys, trials
from epee.job.hierarchy import Setting, hierarchy

CLASSES = Setting("classification", 500, 4, 2, 200)
NUMBERS = Setting("regression", 500, 4)


@pytest.mark.parametrize("entry", METHODS, ids=lambda m: m.name)
def test_an_entry_is_true(entry):
    cls = entry.load()
    assert issubclass(cls, BaseEstimator)
    assert issubclass(cls, ClassifierMixin) == (entry.kind == "classifier")
    assert issubclass(cls, RegressorMixin) == (entry.kind == "regressor")
    assert all(entry.words)
    if entry.section:
        assert getattr(epee, entry.name) is cls
    for trial in entry.trials:
        setting = CLASSES if entry.kind == "classifier" else NUMBERS
        made = entry.load()(**trial.given(setting))
        if trial.parameter is not None:
            assert trial.parameter in made.get_params(deep=True)
            assert len(list(trial.grid(setting))) > 1


def test_every_public_estimator_is_registered():
    ours = {
        name
        for name in epee.__all__
        if inspect.isclass(getattr(epee, name)) and issubclass(getattr(epee, name), BaseEstimator)
    }
    assert ours == {entry.name for entry in METHODS if entry.section}


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_keys_and_aliases_are_unambiguous(kind):
    known = [trial.key for _, trial in trials(kind)]
    others = [alias for _, trial in trials(kind) for alias in trial.aliases]
    assert len(known) == len(set(known))
    assert len(others) == len(set(others))
    assert not set(known) & set(others)
    assert set(known) <= set(keys())


def test_what_people_type():
    for typed, key in (("knn", "neighbours"), ("CART", "tree"), ("naive-bayes", "naive_bayes"), ("log_loss", "logistic"),
                       ("KNeighborsClassifier", "neighbours"), ("gmm", "mixture")):  # fmt: skip
        assert key_of(typed, "classifier") == key
        assert [c.key for c in hierarchy(CLASSES, [typed])] == ["baseline", key]
    assert key_of("ols", "regressor") == "linear"
    assert nearest_keys("rf", "classifier")[0] in ("forest", "tree")
    with pytest.raises(WrongUse, match="no predictor 'svm' for this target; the nearest to it here is 'kernel'"):
        list(hierarchy(CLASSES, ["svm"]))
    with pytest.raises(WrongUse, match="did you mean 'neighbours'"):
        list(hierarchy(CLASSES, ["neigbours"]))


def test_candidates_come_from_the_simplest_on():
    for setting in (CLASSES, NUMBERS):
        found = list(hierarchy(setting))
        assert [c.order for c in found] == sorted(c.order for c in found)
        assert found[0].key == "baseline"
        for candidate in found:
            model = candidate.model(setting, candidate.grid(setting)[-1])
            assert type(model.steps[-1][1]).__name__ == candidate.method.name


def test_names_in_both_languages():
    tree = next(c for c in hierarchy(CLASSES) if c.key == "tree")
    assert tree.name == "decision tree"
    with epee.options(language="fr"):
        assert tree.name == "arbre de décision"
        assert method("KMeans").title == "k-moyennes"
