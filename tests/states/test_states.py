"""Every estimator can be written down and made again, and files of every version are read by all later ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

import epee
from epee.errors import BadFile, WrongUse
from epee.estimator.protocol import Stateful
from epee.estimator.registry import METHODS, PARTS, method, saved_class
from epee.job.state import Reader, Writer
from tests.states.samples import FOLDER, ROWS, VALUES, answers, fitted, from_file, to_bytes

STORED = sorted(FOLDER.glob("*/*.npz"))


@pytest.mark.parametrize("entry", METHODS, ids=lambda m: m.name)
def test_a_state_brings_the_estimator_back(entry, tmp_path):
    model = fitted(entry)
    assert isinstance(model, Stateful)
    said = answers(entry, model)
    path = tmp_path / "state.npz"
    path.write_bytes(to_bytes(model, said))
    again, _ = from_file(path)
    assert type(again) is type(model)
    for name, value in answers(entry, again).items():
        np.testing.assert_array_equal(value, said[name])


@pytest.mark.parametrize("path", STORED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_states_of_every_version_are_read(path):
    model, said = from_file(path)
    assert type(model).__name__ == path.stem
    found = answers(method(path.stem), model)
    assert found.keys() == said.keys()
    for name, value in found.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(value, said[name], rtol=1e-7, atol=1e-10)
        else:
            np.testing.assert_array_equal(value.astype(said[name].dtype), said[name])


def test_the_current_version_has_a_file_of_each_method():
    there = {path.stem for path in (FOLDER / epee.__version__).glob("*.npz")}
    assert there == {entry.name for entry in METHODS}, "run python -m tests.states.write"


@pytest.mark.parametrize("name", sorted(PARTS))
def test_parts_are_stateful(name):
    cls = saved_class(name)
    assert cls is not None
    for needed in ("to_state", "from_state", "state_version"):
        assert hasattr(cls, needed)


def test_more_rows_can_be_learned_after_loading():
    for model in (epee.LinearRegression(), epee.Ridge(), epee.StandardScaler()):
        before = model.fit(ROWS[:20], VALUES[:20])
        writer = Writer()
        again = Reader(writer.arrays).read(json.loads(json.dumps(writer.write(before))))
        both = again.partial_fit(ROWS[20:], VALUES[20:])
        whole = type(model)().fit(ROWS, VALUES)
        ask = "transform" if hasattr(model, "transform") else "predict"
        np.testing.assert_allclose(getattr(both, ask)(ROWS), getattr(whole, ask)(ROWS), rtol=1e-9)


def test_what_is_not_ours_is_refused():
    with pytest.raises(WrongUse, match=r"a builtins\.object cannot be saved"):
        Writer().write(object())
    for state in (
        {"$": "state", "class": "Popen", "value": {}},
        {"$": "part", "class": "Learned", "value": {}},
        {"$": "nothing", "class": "Ridge", "value": {}},
    ):
        with pytest.raises(BadFile, match="not a part of épée"):
            Reader({}).read(state)


def test_a_state_sets_nothing_but_what_the_class_names():
    state = epee.Ridge().fit(ROWS, VALUES).to_state()
    state["fitted"]["predict"] = "nothing"
    state["fitted"]["_strange"] = 1
    again = epee.Ridge.from_state(state)
    assert not {"predict", "_strange"} & set(vars(again))
    with pytest.raises(BadFile, match="of version 99.*update"):
        epee.Ridge.from_state({**state, "version": 99})


FOREST = epee.RandomForestRegressor(3, random_state=0).fit(ROWS, VALUES)
BOOSTED = epee.HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=3, categorical_features=[1]).fit(
    ROWS.round(), VALUES
)


@pytest.mark.parametrize(
    ("part", "name", "at", "wrong"),
    [
        (FOREST.forest_, "first", 0, 10**6),  # a child that is not there
        (FOREST.forest_, "first", 1, 0),  # a way that does not end
        (FOREST.forest_, "threshold", -1, 0.0),  # a leaf that sends rows on
        (FOREST.forest_, "feature", 0, -1),
        (FOREST.forest_, "roots", 0, -1),
        (FOREST.forest_, "starts", 0, 10**6),
        (BOOSTED.trees_, "first", 0, 10**6),
        (BOOSTED.trees_, "missing_left", -1, False),
        (BOOSTED.trees_, "set_of", 0, 10**6),
        (BOOSTED.trees_, "outputs", 0, -1),
        (BOOSTED._bins, "starts", 0, -5),
        (BOOSTED._bins, "n_bins", 0, 300),
        (BOOSTED._bins, "level_bins", -1, -1),
    ],
)
def test_arrays_that_compiled_code_would_leave_are_refused(part, name, at, wrong):
    state = part.to_state()
    type(part).from_state(state)
    array = state[name].copy()
    array[at] = wrong
    with pytest.raises(ValueError, match="these arrays are no"):
        type(part).from_state({**state, name: array})


@pytest.mark.parametrize("model", [FOREST, BOOSTED], ids=lambda m: type(m).__name__)
def test_trees_of_other_columns_are_refused(model):
    state = model.to_state()
    state["fitted"] = {**state["fitted"], "n_features_in_": 1}
    with pytest.raises(ValueError, match="of 1 columns"):
        type(model).from_state(state)
    assert not hasattr(type(model).from_state(type(model)().to_state()), "n_features_in_")  # one that is not fitted


def test_a_risk_out_of_the_bag_comes_back():
    writer = Writer()
    again = Reader(writer.arrays).read(json.loads(json.dumps(writer.write(FOREST)))).oob_risk_
    assert (again.value, again.low, again.high) == (
        FOREST.oob_risk_.value,
        FOREST.oob_risk_.low,
        FOREST.oob_risk_.high,
    )
    assert str(again) == str(FOREST.oob_risk_)
