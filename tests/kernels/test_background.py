"""No one waits for a compiler: twins answer while a helper compiles, and give the same bits."""

import io
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from epee.kernels import background, catalogue, compiling, store
from epee.kernels.compiling import Kernel, kernel
from epee.kernels.trees_split import Rules, mix
from epee.kernels.trees_walk import depths
from epee.settings import listening, options

SEED = np.uint64(7)
RULES = Rules(0, 3, True, False, 2.0, 1.0, 0.0, 5, 4, False, 0.0, 1e-9)
FIRST = """
import numpy as np
from numba.core import event

class Count(event.Listener):
    met = []
    def on_start(self, happened): self.met.append(happened.data["dispatcher"].py_func.__name__)
    def on_end(self, happened): pass

event.register("numba:compile", Count())
import epee
from epee.kernels import background, store

r = np.random.default_rng(0)
X = r.normal(size=(900, 8))
X[:, 7] = r.integers(0, 4, 900)
y = X[:, 0] + X[:, 1] ** 2 + r.normal(size=900)
c = np.digitize(y, [0.5, 1.5])
for model, target in [
    (epee.RandomForestClassifier(3), c), (epee.RandomForestRegressor(3), y), (epee.ExtraTreesClassifier(3), c),
    (epee.HistGradientBoostingClassifier(max_iter=4), c), (epee.HistGradientBoostingRegressor(max_iter=4), y),
    (epee.KNeighborsClassifier(), c), (epee.KNeighborsRegressor(algorithm="brute"), y),
    (epee.DecisionTreeClassifier(categorical_features=[7]), c), (epee.DecisionTreeRegressor(max_features=3), y),
    (epee.GaussianNB(), c), (epee.Lasso(0.1), y), (epee.KMeans(4, n_init=2), None), (epee.GaussianMixture(2), None),
]:
    model.fit(X, target).predict(X)
epee.linkage(X, "ward")
print(sorted(set(Count.met)), len(background.helper.asked) > 10, store.private is not None and store.private.is_dir(), store.private)
"""


@pytest.fixture(autouse=True)
def _helped(monkeypatch):
    monkeypatch.setattr(background, "AT_ONCE", False)
    monkeypatch.delenv("EPEE_COMPILE", raising=False)


def first_calls(folder):
    env = {k: v for k, v in os.environ.items() if k != "EPEE_SIGNATURES"} | {"EPEE_KERNELS": str(folder)}
    done = subprocess.run([sys.executable, "-c", FIRST], env=env, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_first_calls_on_small_tables_meet_no_compiler_though_nothing_may_be_kept():
    met, asked, private, place = first_calls("none")
    assert (met, asked, private) == ("[]", "True", "True")
    assert not os.path.exists(place)  # what a process alone has goes with it


@pytest.mark.parametrize(
    "value",
    [
        np.zeros(3), np.zeros((2, 3), order="F"), np.zeros((4, 4))[::2], np.zeros(2, np.uint8), np.zeros(2, bool), np.zeros((0, 2)), 1, 2.5,
        True, np.uint64(3), np.float32(1), np.bool_(True), None, (1, 2), (1, 2.0), np.broadcast_to(np.zeros(3), (2, 3)), RULES,
    ],
)  # fmt: skip
def test_types_are_spelt_without_numba_as_numba_tells_them(value):
    assert catalogue.spelt(value) == catalogue.told(value)


def test_what_has_no_words_is_compiled_on_the_spot():
    with pytest.raises(TypeError):
        catalogue.spelt(np.array(["a"]))
    assert background.there(mix, ("a text",))


@pytest.fixture
def helper(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "writable", lambda: tmp_path)
    monkeypatch.setattr(background, "helper", background.Helper())
    yield background.helper
    background.helper.end()


def test_brief_work_does_not_load_numba_for_a_while(monkeypatch):
    fresh = Kernel(mix.py_func, lambda key: "twin", None, mix.options, None, lambda key: True)
    assert fresh(SEED) == mix(SEED)  # numba is loaded: nothing is spared
    fresh._compiled = None
    monkeypatch.delitem(sys.modules, "numba")
    assert fresh(SEED) == "twin" and fresh.waited > 0
    fresh.waited = 2 * compiling.SPARED
    assert not fresh._spares((SEED,))
    fresh.waited, fresh.brief = 0.0, lambda key: False
    assert not fresh._spares((SEED,))


def test_the_twin_answers_until_the_helper_has_compiled(helper, tmp_path):
    fresh = Kernel(mix.py_func, lambda key: "twin", None, mix.options, lambda *arguments: True)
    assert fresh(SEED) == "twin" and fresh._compiled is None and fresh.waited > 0
    until = time.monotonic() + 120
    while not helper.done and time.monotonic() < until:
        time.sleep(0.05)
    assert helper.done == {("trees_split.mix", json.dumps(["uint64"]))}
    assert fresh(SEED) == mix(SEED)
    (found,) = fresh.compiled.overloads.values()
    assert found.metadata is None  # loaded, not compiled here
    assert [path.suffix for path in tmp_path.iterdir()] == [".kernel"]
    assert background.there(Kernel(mix.py_func, None, None, mix.options), (SEED,))  # another process finds it at once


def test_what_will_be_wanted_is_compiled_after_what_is_and_once(helper, tmp_path, monkeypatch):
    (types,) = catalogue.listed()["trees_walk.weakest_links"]
    monkeypatch.setattr(
        catalogue, "listed", lambda: {"trees_walk.weakest_links": [types], "trees_split.mix": [["uint64"]]}
    )
    background.expect(["trees_walk.weakest_links", "trees_split.mix", "no.kernel_at_all"])
    assert helper.expected == {("trees_walk.weakest_links", json.dumps(types)), ("trees_split.mix", '["uint64"]')}
    until = time.monotonic() + 120
    while len(helper.done) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert helper.done == helper.expected and helper.begun is None
    background.helper.expected.clear()
    background.expect(["trees_split.mix"])  # its file is there
    assert not helper.expected
    fresh = Kernel(mix.py_func, lambda key: "twin", None, mix.options, lambda *arguments: True)
    assert fresh(SEED) == mix(SEED)


def test_who_needs_what_is_being_compiled_waits_for_it(helper, tmp_path):
    fresh = Kernel(mix.py_func, None, None, mix.options)  # no twin: it cannot do without
    helper.ask("trees_split.mix", '["uint64"]')
    until = time.monotonic() + 120
    while helper.begun is None and not helper.done and time.monotonic() < until:
        time.sleep(0.001)
    assert fresh(SEED) == mix(SEED) and helper.done
    (found,) = fresh.compiled.overloads.values()
    assert found.metadata is None  # loaded, not compiled here


def test_with_compile_now_nobody_helps(monkeypatch):
    monkeypatch.setattr(background, "AT_ONCE", True)
    monkeypatch.setattr(background, "helper", None)
    background.expect(["trees_split.mix"])
    assert background.there(mix, (SEED,))


def test_without_a_helper_the_compiler_is_met_once_the_twin_took_long(helper, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    fresh = Kernel(mix.py_func, lambda key: "twin", None, mix.options, lambda *arguments: True)
    assert fresh(SEED) == "twin" and not helper.works
    fresh.waited = 2 * background.PATIENCE
    assert fresh(SEED) == mix(SEED)


def test_a_wait_is_said_once_beforehand(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "writable", lambda: tmp_path)
    compiling._say_once.cache_clear()
    heard = []
    with listening(lambda *said: heard.append(said)), options(language="fr"):
        one, two = (Kernel(f.py_func, None, None, f.options) for f in (mix, depths))
        one(SEED)
        two(np.array([1, -1, -1]), np.array([2, -1, -1]))
    assert [words for words, _, _ in heard] == ["compilation pour cette machine : quelques secondes, une seule fois"]


def test_a_twin_that_took_very_long_gives_way_to_the_compiler(helper, monkeypatch):
    helper.process = type(
        "Busy", (), {"poll": lambda self: None, "stdin": io.StringIO()}
    )()  # it is alive and has not come to it yet
    fresh = Kernel(mix.py_func, lambda key: "twin", None, mix.options, lambda *arguments: True)
    assert fresh(SEED) == "twin" and "trees_split.mix" in helper.process.stdin.getvalue()
    fresh.waited = 1.5 * background.PATIENCE
    assert fresh(SEED) == "twin"
    fresh.waited = 2 * background.MORE_PATIENCE
    assert fresh(SEED) == mix(SEED)
    helper.process = None


def test_one_process_makes_a_file_and_others_wait_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "writable", lambda: tmp_path)
    monkeypatch.setattr(store, "LONGEST", 0.3)
    with store.claimed("x") as mine, store.claimed("x") as other:
        assert mine and not other  # after a while: who was first may have been ended
    assert not list(tmp_path.iterdir())


def test_kernels_that_a_loop_calls_are_run_by_python_too():
    @kernel(meanwhile=lambda x: True)
    def outer(x):
        return mix(x)

    inner = Kernel(mix.py_func, None, None, mix.options)
    outer.py_func = lambda x: inner(x)
    assert outer.plainly(SEED) == mix(SEED) and inner._compiled is None
    assert inner(SEED) == mix(SEED) and inner._compiled is not None  # and afterwards kernels are compiled again
