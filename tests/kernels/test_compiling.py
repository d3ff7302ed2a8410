"""One door to the compiler: what is stored is used, what is broken is passed over, small work meets no compiler."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pytest
from numba import typeof, types

import epee.kernels
from epee.kernels import catalogue, store
from epee.kernels.compiling import Kernel, kernel, named, ready, spent
from epee.kernels.trees_split import mix
from epee.kernels.trees_walk import depths

SEED = np.uint64(12345)
LEFT, RIGHT = np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1])


def again(old):
    """A kernel that has not been called yet."""
    return Kernel(old.py_func, old.twin, old.small, old.options)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "writable", lambda: tmp_path)
    return tmp_path


def files(folder):
    return sorted(path for path in folder.iterdir() if path.suffix == ".kernel")


def compiled_here(one):
    """Tell whether the only signature of a kernel was compiled rather than loaded: what is loaded knows no timings."""
    (found,) = one.compiled.overloads.values()
    return found.metadata is not None


def test_what_is_stored_is_loaded_and_gives_the_same_bits(folder):
    first, second = again(mix), again(mix)
    wanted = first(SEED)
    assert compiled_here(first) and len(files(folder)) == 1
    before = spent()["compiling"]
    assert second(SEED) == wanted and not compiled_here(second) and spent()["compiling"] == before


def test_arrays_that_a_loaded_kernel_makes(folder):
    again(depths)(LEFT, RIGHT)
    loaded = again(depths)
    np.testing.assert_array_equal(loaded(LEFT, RIGHT), [0, 1, 1, 2, 2])
    assert not compiled_here(loaded)


def half(held):
    return held[: len(held) // 2]


def a_bit_off(held):
    return held[:-7] + bytes([held[-7] ^ 1]) + held[-6:]


def of_another_numba(held):
    return held.replace(b" numba ", b" numba 9", 1)


def no_kernel_at_all(held):
    first_line, _, _ = held.partition(b"\n")
    body = pickle.dumps("nothing that numba wrote")
    return first_line + b"\n" + store.hashlib.sha256(body).digest() + body


@pytest.mark.parametrize("harm", [half, a_bit_off, of_another_numba, no_kernel_at_all, lambda held: b""])
def test_a_file_that_is_broken_or_foreign_is_passed_over_and_replaced(folder, harm):
    wanted = again(mix)(SEED)
    (path,) = files(folder)
    whole = path.read_bytes()
    path.write_bytes(harm(whole))
    second = again(mix)
    assert second(SEED) == wanted and compiled_here(second)
    assert path.read_bytes().partition(b"\n")[0] == whole.partition(b"\n")[0]
    third = again(mix)
    assert third(SEED) == wanted and not compiled_here(third)


def test_where_nothing_may_be_written_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "writable", lambda: None)
    assert again(mix)(SEED) == mix(SEED)
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    store.write(blocked / "x.kernel", "made from", b"held")
    assert blocked.read_text() == "no folder" and list(tmp_path.iterdir()) == [blocked]


def test_the_folder_is_the_first_that_may_be_written(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(store, "__file__", str(blocked / "store.py"))
    assert store.writable.__wrapped__() == tmp_path / "epee" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert store.writable.__wrapped__() is None


def test_the_stamp_changes_with_the_text_of_a_kernel_that_is_called(tmp_path, monkeypatch):
    for name in ("outer", "inner"):
        (tmp_path / f"{name}.py").write_text("x = 1\n")
    (tmp_path / "outer.py").write_text("from epee.kernels.inner import f\n")
    monkeypatch.setattr(epee.kernels, "__path__", [*epee.kernels.__path__, str(tmp_path)])
    stamp = store.sources.__wrapped__
    before = stamp("epee.kernels.outer"), stamp("epee.kernels.inner")
    (tmp_path / "inner.py").write_text("x = 2\n")
    assert stamp("epee.kernels.outer") != before[0] and stamp("epee.kernels.inner") != before[1]
    assert stamp("epee.kernels.outer") == stamp("epee.kernels.outer")


def test_small_work_is_done_by_the_twin_whatever_is_compiled():
    @kernel(twin=lambda x: ("twin", len(x)), small=lambda x: len(x) < 3)
    def size(x):
        return ("loop", x.shape[0])

    @kernel(small=lambda x: len(x) < 3)
    def plain(x):
        return len(x)

    assert size(np.zeros(2)) == ("twin", 2) and plain([1, 2]) == 2
    assert size._compiled is None and plain._compiled is None


def test_a_kernel_travels_by_its_name():
    assert pickle.loads(pickle.dumps(mix)) is mix and named("trees_split.mix") is mix
    from epee.kernels.mdp_agents import runner

    assert named(runner(0, 1).key).key == runner(0, 1).key != runner(1, 0).key


def test_rooms_of_kernels_load_without_numba():
    names = [f"epee.kernels.{module.name}" for module in iter_modules(epee.kernels.__path__)]
    code = f"import sys; [__import__(name) for name in {names}]; assert 'numba' not in sys.modules"
    env = {k: v for k, v in os.environ.items() if k != "EPEE_SIGNATURES"}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)


@pytest.mark.parametrize(
    "value",
    [
        np.zeros(3), np.zeros((2, 3), order="F"), np.zeros((4, 4))[::2], np.zeros(2, np.uint8), np.zeros(2, bool),
        1, 2.5, True, np.uint64(3), None, (1, 2), (1, 2.0), np.broadcast_to(np.zeros(3), (2, 3)),
    ],
)  # fmt: skip
def test_the_catalogue_writes_types_that_it_reads(value):
    assert catalogue.typed(json.loads(json.dumps(catalogue.told(value)))) == typeof(value)


def test_named_tuples_in_the_catalogue():
    from epee.kernels.trees_split import Rules

    rules = Rules(0, 3, True, False, 2.0, 1.0, 0.0, 5, 4, False, 0.0, 1e-9)
    assert catalogue.typed(catalogue.told(rules)) == typeof(rules)


def test_the_catalogue_lists_kernels_that_exist():
    listed = catalogue.listed()
    assert listed
    for key, signatures in listed.items():
        found = named(key)
        assert isinstance(found, Kernel) and found.key == key
        wanted = len(found.py_func.__code__.co_varnames[: found.py_func.__code__.co_argcount])
        for words in signatures:
            assert len(words) == wanted and all(isinstance(catalogue.typed(w), types.Type) for w in words), key


def test_a_tiny_catalogue_compiled_ahead_serves_every_processor_of_the_family(tmp_path, monkeypatch):
    from epee.kernels.__main__ import portable

    small = tmp_path / "signatures.json"
    catalogue.write({"trees_split.mix": [["uint64"]]}, small)
    ahead = tmp_path / "ahead"
    ahead.mkdir()
    code = f"""
from pathlib import Path
from epee.kernels import catalogue, __main__ as main
catalogue.listed.__defaults__ = (Path({str(small)!r}),)
print(main.compile_share(0, 1))
"""
    env = {**os.environ, **portable(str(ahead))}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"] and len(files(ahead)) == 1
    monkeypatch.setattr(store, "AHEAD", ahead)
    monkeypatch.setattr(store, "writable", lambda: None)
    store.usable_family.cache_clear()
    try:
        if store.usable_family() is None:
            pytest.skip("this processor is older than the family that code is made for")
        loaded = again(mix)
        assert loaded(SEED) == mix(SEED) and not compiled_here(loaded)
    finally:
        monkeypatch.undo()
        store.usable_family.cache_clear()


def test_the_compiler_has_no_other_door():
    """Only the seam imports numba: a kernel under another decorator would be compiled by everyone who calls it first."""
    room = Path(epee.kernels.__file__).parent
    others = {"compiling.py", "store.py", "catalogue.py"}
    assert [p.name for p in room.glob("*.py") if p.name not in others and "import numba" in p.read_text("utf-8")] == []
    assert [p.name for p in room.glob("*.py") if p.name not in others and "from numba" in p.read_text("utf-8")] == []


def test_ready_is_what_needs_no_compiler(folder):
    fresh = again(mix)
    assert not ready(fresh) and fresh._compiled is None
    fresh(SEED)
    other = again(mix)
    assert ready(fresh) and ready(other)
    (path,) = files(folder)
    path.write_bytes(of_another_numba(path.read_bytes()))
    assert not ready(again(mix))


def test_a_twin_says_nothing_of_numbers_that_overflow():
    @kernel(twin=lambda x: x * x, small=lambda x: True)
    def square(x):
        return x * x

    assert square(np.float64(1e200)) == np.inf


def test_a_loaded_kernel_brings_none_of_the_modules_of_numba_it_was_compiled_from(tmp_path):
    code = """
import sys
import numpy as np
from epee.kernels.trees_walk import depths
LEFT, RIGHT = np.array([1, 3, -1, -1, -1]), np.array([2, 4, -1, -1, -1])
assert depths.compiled(LEFT, RIGHT).tolist() == [0, 1, 1, 2, 2]
if sys.argv[1] == "again":
    assert "numba" in sys.modules and "numba.np.arrayobj" not in sys.modules
    from numba import njit

    @njit
    def fresh(n):  # compiled here, from parts that were loaded with the other
        found = np.full(n, 2.0)
        if n > 3:
            raise ValueError("too many")
        return found.cumsum()

    assert fresh(3).tolist() == [2.0, 4.0, 6.0] and depths.compiled(LEFT, RIGHT).tolist() == [0, 1, 1, 2, 2]
    try:
        fresh(4)
        raise SystemExit("no fault")
    except ValueError as fault:
        assert fault.args == ("too many",)
"""
    env = {**os.environ, "EPEE_KERNELS": str(tmp_path)}
    for turn in ("first", "again"):
        subprocess.run([sys.executable, "-c", code, turn], check=True, env=env)
    assert files(tmp_path)
