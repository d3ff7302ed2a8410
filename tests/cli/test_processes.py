"""The command as a process: signals, pipes, limits, two writers, odd names. One sentence, and nothing half-written."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import epee
from epee.cli import app
from epee.errors import TooLarge
from epee.job import memory
from epee.job.assessment import Ledger
from tests.cli.test_learn_command import QUICK, write

COMMAND = [sys.executable, "-m", "epee"]
# says on standard output when the work has begun, then does it
WATCHED = """
import sys
from epee.cli.app import run
from epee.settings import options

def listen(*_):
    print("working", flush=True)

options._listeners.append(listen)
sys.exit(run(sys.argv[1:]))
"""
NARROW = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return a folder with a table, a larger one, and a predictor."""
    folder = tmp_path_factory.mktemp("home")
    epee.learn(str(write(folder / "t.csv")), "y", predictors=["lda"], folds=3).save(folder / "t.epee")
    write(folder / "long.csv", 60_000)
    return folder


def limited(**limits):
    """Return what sets limits in a child before it starts."""

    def start():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))

    return start


def one_sentence(err):
    lines = err.decode("utf-8", "replace").splitlines()
    return len(lines) == 1 and lines[0].startswith("epee: ")


def test_two_writers_of_one_place(home, tmp_path):
    words = [*COMMAND, "predict", "t.epee", "long.csv", "-q", "--force", "-o", str(tmp_path / "same.csv")]
    both = [subprocess.Popen([*words, *more], cwd=home) for more in ([], ["--plain"])]
    assert [child.wait(timeout=120) for child in both] == [0, 0]
    lines = (tmp_path / "same.csv").read_text().splitlines()
    assert len(lines) == 60_001 and len({line.count(",") for line in lines}) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_looks_at_once_are_all_counted(tmp_path):
    with ThreadPoolExecutor(8) as pool:  # each opens the file anew, as processes do
        numbers = list(pool.map(lambda _: Ledger(tmp_path / "t.epee").use("k", 5), range(40)))
    assert sorted(numbers) == list(range(1, 41))


def test_a_tight_limit_on_memory_is_refused_before_the_work(tmp_path):
    write(tmp_path / "t.csv")
    (tmp_path / "t.epee").write_text("earlier")
    done = subprocess.run(
        [*COMMAND, "learn", "t.csv", "-t", "y"], cwd=tmp_path, capture_output=True, preexec_fn=limited(AS=600_000_000), check=False
    )  # fmt: skip
    assert done.returncode == 4 and one_sentence(done.stderr) and b"not enough memory" in done.stderr
    assert (tmp_path / "t.epee").read_text() == "earlier" and len(list(tmp_path.iterdir())) == 2


def test_a_table_beyond_the_limit_is_refused_before_the_work(tmp_path, monkeypatch, capsys):
    write(tmp_path / "t.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory, "LEAST", 0)
    monkeypatch.setattr(memory, "taken", lambda: 10**9)
    monkeypatch.setattr(memory, "limit", lambda: 10**9 + memory.BESIDE + 270 * memory.CELL - 1)  # 90 x 3 cells
    with pytest.raises(TooLarge, match="270 cells"):
        memory.refuse_beyond_limit(270)
    memory.refuse_beyond_limit(269)
    assert app.run(["learn", "t.csv", "-t", "y", *QUICK]) == 4
    assert "270 cells" in capsys.readouterr().err and len(list(tmp_path.iterdir())) == 1


def test_a_reader_that_goes_away(home):
    child = subprocess.Popen(
        [*COMMAND, "predict", "t.epee", "long.csv"], cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout.readline().startswith(b"row,predicted_y,")
    child.stdout.close()
    with child.stderr as err:
        assert err.read() == b""
    assert child.wait(timeout=60) == 0


def test_a_full_device(home):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "predict", "t.epee", "t.csv"], cwd=home, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 4 and one_sentence(done.stderr) and b"No space left" in done.stderr


def test_a_file_that_may_not_grow(home, tmp_path):
    (tmp_path / "out.csv").write_text("earlier")
    done = subprocess.run(
        [*COMMAND, "predict", "t.epee", "long.csv", "--force", "-o", str(tmp_path / "out.csv")], cwd=home, capture_output=True,
        preexec_fn=limited(FSIZE=20_000), check=False,
    )  # fmt: skip
    assert done.returncode == 4 and one_sentence(done.stderr) and b"File too large" in done.stderr
    assert (tmp_path / "out.csv").read_text() == "earlier" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_it_at_once_and_leave_nothing(number, code, tmp_path):
    write(tmp_path / "t.csv", 6000)
    words = [sys.executable, "-c", WATCHED, "learn", "t.csv", "-t", "y"]
    child = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout.readline() == b"working\n"
    time.sleep(0.5)  # well into it
    start = time.monotonic()
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    assert child.returncode == code and one_sentence(err), err
    assert time.monotonic() - start < 15  # two seconds on a machine that is not busy
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("name", ["line\nend", "-t", "😀 é", "a'b\"c", "*", "#%?"])
def test_odd_names(name, home, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{name}.csv").write_bytes((home / "t.csv").read_bytes())
    assert app.run(["learn", *QUICK, "--target", "y", "-o", f"./{name}.epee", "--", f"{name}.csv"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert app.run(["predict", "-o", f"./{name}.out.csv", "--", f"{name}.epee", f"{name}.csv"]) == 0
    assert len((tmp_path / f"{name}.out.csv").read_text().splitlines()) == 91
    argument = next(line for line in said if line.startswith("Next: ")).split(" predict ")[1].split(" new.csv")[0]
    found = subprocess.run(["bash", "-c", f"ls {argument}"], cwd=tmp_path, capture_output=True, check=False)
    assert found.returncode == 0, argument


def test_a_narrow_locale_and_a_name_with_accents(home, tmp_path):
    (tmp_path / "été.csv").write_text((home / "t.csv").read_text().replace("a,b,y", "â,b,y").replace("maybe", "déjà"))
    env = {k: v for k, v in os.environ.items() if not k.startswith("LC_")} | NARROW
    learned = subprocess.run(
        [*COMMAND, "learn", "été.csv", "-t", "y", *QUICK, "--lang", "fr"], cwd=tmp_path, env=env, capture_output=True, check=False
    )  # fmt: skip
    assert learned.returncode == 0, learned.stderr
    done = subprocess.run(
        [*COMMAND, "predict", "été.epee", "été.csv"], cwd=tmp_path, env=env, capture_output=True, check=False
    )
    assert done.returncode == 0 and done.stdout.count(b"\n") == 91, done.stderr
    assert np.isin(epee.load(tmp_path / "été.epee").predictor.classes_, ["no", "déjà"]).all()
