from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
import typer

from epee import errors
from epee.cli import faults


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RuntimeError("boom"), 1),
        (ValueError("shapes not aligned"), 1),
        (errors.WrongUse("folds is 1"), 2),
        (typer.BadParameter("not a number"), 2),
        (errors.DataError("no rows"), 3),
        (errors.BadFile("line 3 has 4 cells"), 3),
        (errors.MissingValues("column 'a'"), 3),
        (FileNotFoundError(2, "No such file or directory", "a.csv"), 4),
        (PermissionError(13, "Permission denied", "a.csv"), 4),
        (OSError(28, "No space left on device"), 4),
        (MemoryError(), 4),
        (errors.TooLarge("side 30000"), 4),
        (typer.Exit(5), 5),
        (KeyboardInterrupt(), 130),
        (faults.Terminated(), 143),
        (BrokenPipeError(), 0),
        (SystemExit(None), 0),
    ],
)
def test_code_and_one_sentence(error, code):
    assert faults.exit_code(error) == code
    words = faults.sentence(error)
    assert "\n" not in words
    assert (words == "") == isinstance(error, (typer.Exit, BrokenPipeError, SystemExit))


def test_sentence_names_the_file():
    error = FileNotFoundError(2, "No such file or directory", "a.csv")
    assert faults.sentence(error) == "epee: a.csv: No such file or directory."


def test_a_name_cannot_steer_the_terminal():
    words = faults.sentence(errors.DataError("column 'a\x1b[2J\r\nb\x9b': empty"))
    assert words == "epee: column 'a\\x1b[2J b\\x9b': empty"


def test_sigterm_becomes_an_exception_and_the_handler_is_put_back():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(faults.Terminated), faults.ended_by_signals():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_an_interrupt_within_a_text_that_is_executed_ends_with_its_code(tmp_path):
    (tmp_path / "program.py").write_text("""
import sys
from epee.cli import app

def command(*words, **options):
    exec("raise KeyboardInterrupt")  # as where a module makes a class

app.build = lambda: command
sys.exit(app.run([]))
""")
    done = subprocess.run([sys.executable, "-m", "program"], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "epee: interrupted.\n")


def test_an_interrupt_while_modules_load_is_not_lost():
    words = """
import os, signal, sys, time

class Slow:  # an import that takes its time, and would swallow the exception
    def find_spec(self, name, *rest):
        if name == "epee.cli.app":
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(20)
            except KeyboardInterrupt:
                time.sleep(20)

from epee.__main__ import main
sys.meta_path.insert(0, Slow())
main()
"""
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, timeout=15, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


def test_whoever_leaves_at_once_leaves_nothing_behind(tmp_path):
    """What is registered for the end is done, threads end, streams are flushed; the rest of Python's end is left out."""
    words = f"""
import atexit, pathlib, sys, tempfile, threading, time, weakref
from epee.__main__ import leave

class Slow:
    def __del__(self):
        print("taken apart")

kept = Slow()
folder = tempfile.TemporaryDirectory(dir={str(tmp_path)!r})
atexit.register(print, "registered")
threading.Thread(target=lambda: (time.sleep(0.3), print("a thread's last words"))).start()
sys.stdout.write("no end of line")
leave(3)
"""
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 3 and done.stderr == ""
    assert done.stdout == "no end of linea thread's last words\nregistered\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_step_that_lasts_does_not_hold_up_the_end(name, code, tmp_path):
    place = tmp_path / "half"
    words = f"""
import os, signal, threading
import numpy as np
from epee.cli import faults
from epee.job.writing import atomic
X = np.random.default_rng(0).normal(size=(4000, 4000))
with faults.ended_by_signals(), atomic({str(place)!r}, text=True) as out:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.{name})).start()
    np.linalg.svd(X)  # one step of Python
"""
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == code and done.stderr.startswith("epee: ") and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_long_work_is_told_now_and_then_where_there_is_no_terminal(capsys, monkeypatch):
    from epee.cli import terminal
    from epee.settings import progress

    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    with terminal.shown_progress(), progress("fitting\x1b", 9) as tick:
        for now[0] in (5.0, 21.0, 30.0, 50.0):
            tick()
    assert capsys.readouterr().err.splitlines() == ["21 s: fitting\\x1b (2/9)", "50 s: fitting\\x1b (4/9)"]


def test_a_limit_on_memory_is_a_size(capsys, tmp_path):
    from epee.cli import app

    (tmp_path / "t.csv").write_text("a,y\n" + "1.5,2\n2.5,3\n" * 50)
    assert app.run(["learn", str(tmp_path / "t.csv"), "-t", "y", "--no-save", "--memory", "lots"]) == 2
    assert app.run(["learn", str(tmp_path / "t.csv"), "-t", "y", "--no-save", "--memory", "9kB"]) == 4
    said = capsys.readouterr().err.splitlines()
    assert "500MB" in said[0] and "200 cells" in said[1] and "--memory" in said[1]
