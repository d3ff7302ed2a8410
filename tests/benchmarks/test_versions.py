"""This version against an earlier one: what is marked, and the talk with a process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.versions import Checkout, row


@pytest.mark.parametrize(
    ("then", "now", "mark"),
    [([1.0, 1.0, 1.0], [1.2, 1.2, 1.2], "slower"), ([1.0, 1.0, 1.0], [1.04, 1.04, 1.04], ""), ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0], "")],
)  # fmt: skip
def test_what_is_slower_by_more_than_a_twentieth_is_marked(then, now, mark):
    line = row("frame.lda", "LDA", np.column_stack([then, now]))
    assert line.split("|")[-2].strip() == mark
    assert f"{then[0] / now[0]:.2f} [" in line


def test_a_spread_that_reaches_one_marks_nothing():
    assert "slower" not in row(
        "frame.lda", "LDA", np.array([[0.9, 1.0], [0.9, 1.0], [1.2, 1.0], [1.2, 1.0], [0.9, 1.0]])
    )


def test_a_checkout_is_asked_for_its_problems_and_times_one(tmp_path):
    """A folder with one problem of its own stands for the earlier version."""
    here = Path(__file__).resolve().parents[2] / "benchmarks"
    place = tmp_path / "benchmarks"
    place.mkdir()
    for name in ("__init__.py", "discovery.py", "harness.py", "memory.py"):
        (place / name).write_text((here / name).read_text(encoding="utf-8"), encoding="utf-8")
    (place / "bench_nap.py").write_text(
        "import time\nfrom benchmarks.harness import Problem\n\n\ndef problems():\n"
        "    yield Problem('a nap', ours=lambda: time.sleep(0.03))\n",
        encoding="utf-8",
    )
    (tmp_path / "src").mkdir()
    side = Checkout(tmp_path)
    try:
        assert side.ask() == [["nap", "a nap"]]
        assert side.ask(problem=["nap", "a nap"]) == 1
        assert 0.03 <= side.ask(read=True) < 3
    finally:
        side.process.kill()
        side.process.wait()
        for pipe in (side.process.stdin, side.process.stdout):
            pipe.close()
