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
