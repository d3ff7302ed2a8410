"""What a machine does to a process: kills it, has no room, no home, forks it, gives it neighbours, keeps it for long."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import epee
from tests.faults.corpus import awkward_table, slow, write_text

COMMAND = [sys.executable, "-m", "epee"]
QUICK = ["-t", "kind", "-p", "lda", "--folds", "3"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    write_text(awkward_table(), folder / "t")
    write_text(awkward_table(20_000), folder / "long")
    epee.learn(str(folder / "t.csv"), "kind", predictors=["lda"], folds=3).save(folder / "t.epee")
    return folder


def run(words, folder, **more):
    return subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, timeout=120, check=False, **more)


def one_sentence(done, code):
    lines = done.stderr.decode().splitlines()
    return done.returncode == code and len(lines) == 1 and lines[0].startswith("epee: ")


@pytest.mark.parametrize("count", [1, pytest.param(20, marks=slow)])
def test_kills_leave_the_old_file_or_the_new_one_whole(count, home, tmp_path):
    out = tmp_path / "out.csv"
    words = [*COMMAND, "predict", "t.epee", "long.csv", "-q", "-o", str(out)]
    subprocess.run(words, cwd=home, check=True)
    whole = out.read_bytes()
    rng = np.random.default_rng(count)
    for _ in range(count):
        child = subprocess.Popen(words, cwd=home, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.2, 4.0))
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert out.read_bytes() == whole
    assert all(p == out or p.name.endswith(".part") for p in tmp_path.iterdir())


def _wait_for(pid, seconds):
    """Wait until a process has had so many seconds of processor, or has ended."""
    tick = os.sysconf("SC_CLK_TCK")
    while True:
        try:
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # no such process, or no such system
            time.sleep(seconds)
            return
        if words[0] == "Z" or (int(words[11]) + int(words[12])) / tick >= seconds:
            return
        time.sleep(0.01)


@slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_at_any_moment_end_it_soon(number, code, home, tmp_path):
    rng = np.random.default_rng(0)
    for _ in range(6):
        words = [*COMMAND, "learn", str(home / "long.csv"), "-t", "kind", "-q"]
        child = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _wait_for(child.pid, rng.uniform(1.0, 5.0))  # past the start of Python itself
        begin = time.monotonic()
        child.send_signal(number)
        assert child.wait(timeout=120) == code
        share = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # of the processor, where others want it too
        assert time.monotonic() - begin < 2 * share
        assert list(tmp_path.iterdir()) == []


@slow
def test_a_full_disk(home, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can make a small disk")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("this machine lets nobody make a small disk")
    try:
        (tmp_path / "out.csv").write_text("")
        assert one_sentence(run(["predict", "t.epee", "long.csv", "-o", str(tmp_path / "out.csv")], home), 4)
        assert (tmp_path / "out.csv").read_text() == "" and len(list(tmp_path.iterdir())) == 1
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@slow
def test_a_folder_that_may_not_be_written(home, tmp_path):
    if os.geteuid() != 0:
        tmp_path.chmod(0o555)
    elif subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(tmp_path)], capture_output=True, check=False
    ).returncode:
        pytest.skip("root writes everywhere, and this machine lets nobody make a disk that is only read")
    try:
        assert one_sentence(run(["learn", str(home / "t.csv"), *QUICK], tmp_path), 4)
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=False, capture_output=True)


@slow
def test_no_home_and_no_place_for_compiled_code(home, tmp_path):
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "HOME": "/nowhere"}
    done = run(["learn", str(home / "t.csv"), *QUICK, "-q"], tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    del env["HOME"]
    assert run(["predict", "t.epee", str(home / "t.csv")], tmp_path, env=env).returncode == 0


@slow
def test_two_processes_that_compile_at_once(home, tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    words = [*COMMAND, "learn", "t.csv", "-t", "kind", "-p", "tree", "--folds", "3", "--no-save", "--json", "-q"]
    both = [subprocess.Popen(words, cwd=home, env=env, stdout=subprocess.PIPE) for _ in range(2)]
    said = [child.communicate(timeout=500)[0] for child in both]
    assert [child.returncode for child in both] == [0, 0] and all(b'"verdict"' in words for words in said)


def fitted(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 6))
    return epee.LinearDiscriminantAnalysis().fit(X, (X[:, 0] > 0).astype(int)).coef_


def in_child(queue):
    queue.put(fitted(3))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_after_the_import_fits_the_same():
    wanted = fitted(3)
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=in_child, args=(queue,))
    child.start()
    np.testing.assert_array_equal(queue.get(), wanted)
    child.join(30)
    assert child.exitcode == 0


def test_eight_threads_fit_what_one_does():
    alone = [fitted(seed) for seed in range(24)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(fitted, range(24)))
    np.testing.assert_array_equal(together, alone)


def resident():
    """Return the memory that the process holds, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what a process holds")
def test_a_thousand_fits_hold_no_more_than_a_hundred():
    for seed in range(100):
        fitted(seed)
    before = resident()
    for seed in range(1000):
        fitted(seed)
    assert resident() - before < 8 << 20
