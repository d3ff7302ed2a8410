from __future__ import annotations

import json

import pytest

from benchmarks.__main__ import main, show
from benchmarks.discovery import name_of, problems_of
from benchmarks.harness import Problem, Seconds, compare
from benchmarks.machine import facts, in_words
from benchmarks.memory import extra_memory, fresh_process
from benchmarks.record import duration, load, markdown, record_of, save
from benchmarks.summary import HEADLINES, PAGE, README, claimed, everything, headlines, put, summary

PROBLEM = Problem(
    "a | b",
    ours=lambda: Seconds(0.010),
    rivals={"slow": lambda: Seconds(0.100), "near": lambda: Seconds(0.011)},
    limits={"copy": lambda: Seconds(0.005)},
    claim={"slow": 5, "near": 5, "copy": 3, "seconds": 0.001},
)


def record(problem=PROBLEM, quick=False):
    found = compare(problem.ours, problem.rivals, problem.limits, repeat=3)
    return record_of(problem, found, facts(), quick=quick, fresh=None)


def test_claims_are_judged():
    kept = {name: claim["kept"] for name, claim in record()["claims"].items()}
    assert kept == {"slow": True, "near": False, "copy": True, "seconds": False}


def test_a_rival_with_another_answer_keeps_no_claim():
    problem = Problem("p", ours=lambda: Seconds(1.0), rivals={"r": lambda: Seconds(9.0)}, claim={"r": 2})
    found = compare(problem.ours, problem.rivals, repeat=1, same=lambda a, b: a == b)
    assert record_of(problem, found, facts(), quick=False, fresh=None)["claims"]["r"]["kept"] is False


@pytest.mark.long
def test_quick_does_not_replace_thorough(tmp_path):
    save("x", [record()], tmp_path)
    save("x", [record(quick=True)], tmp_path)
    assert [r["quick"] for r in load("x", tmp_path)] == [False]
    other = {**record(quick=True), "name": "other"}
    save("x", [other], tmp_path)
    assert [r["name"] for r in load("x", tmp_path)] == ["a | b", "other"]
    assert "10.0x" in (tmp_path / "x.md").read_text()


def test_tables_have_all_their_cells():
    for text, columns in ((markdown("x", [record()]), 6), (summary([record()]), 5)):
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert len(rows) > 3
        assert {line.replace("\\|", "").count("|") for line in rows} == {columns + 1}


def test_facts_hold_no_paths():
    words = json.dumps(facts())
    assert "/" not in words.replace("\\/", "")
    assert "Python" in in_words(facts())


def test_show_prints_ratio_and_claim(capsys):
    show("x", record())
    out = capsys.readouterr().out
    assert "10.0x" in out and "✓ at least 5" in out and "✗ at least 5" in out


@pytest.mark.parametrize(
    ("seconds", "words"), [(120, "120 s"), (1.5, "1.50 s"), (0.0123, "12.3 ms"), (4.2e-6, "4.20 µs"), (5e-8, "50 ns")]
)
def test_duration(seconds, words):
    assert duration(seconds) == words


def test_extra_memory_sees_a_large_array():
    import numpy as np

    grown = extra_memory(lambda: np.ones(4_000_000).sum())  # 32 MB
    assert 25e6 < grown < 80e6


BENCH = """
from benchmarks.harness import Problem
def problems():
    yield Problem("sum", data=lambda: [1, 2], ours=sum, rivals={"loop": lambda x: x[0] + x[1]}, quick=True)
"""


def test_a_file_is_found_run_and_measured_in_a_fresh_process(tmp_path):
    file = tmp_path / "bench_sum.py"
    file.write_text(BENCH)
    assert name_of(file) == "sum"
    (problem,) = problems_of(file)
    fresh = fresh_process(file, problem.name, ([1, 2],))
    assert fresh["peak"] > 1e6 and fresh["first"] >= 0


def test_two_problems_of_one_name_are_refused(tmp_path):
    file = tmp_path / "bench_sum.py"
    file.write_text(BENCH + BENCH.splitlines()[-1] + "\n")
    with pytest.raises(ValueError, match="two problems named 'sum'"):
        list(problems_of(file))


def test_command(tmp_path, monkeypatch, capsys):
    import benchmarks.__main__ as command

    good, bad = tmp_path / "bench_sum.py", tmp_path / "bench_bad.py"
    good.write_text(BENCH)
    bad.write_text("def problems():\n    raise RuntimeError('no data')\n    yield\n")
    monkeypatch.setattr(command, "bench_files", lambda: [good])
    assert main(["--quick", "--no-save"]) == 0
    assert "sum: sum" in capsys.readouterr().out
    assert main(["--list", "nothing"]) == 0 and capsys.readouterr().out == ""
    monkeypatch.setattr(command, "bench_files", lambda: [bad, good])
    assert main(["--quick", "--no-save"]) == 1
    answer = capsys.readouterr()
    assert "no data" in answer.err and "sum: sum" in answer.out


def test_put_needs_its_markers():
    with pytest.raises(ValueError, match="<!-- speed -->"):
        put("nothing here", "speed", "x")


def test_the_readme_has_ten_headlines_and_the_site_everything():
    """Both are what ``python -m benchmarks.summary`` writes from the results that are stored."""
    results = claimed()
    assert len(HEADLINES) == 10 and headlines(results) in README.read_text(encoding="utf-8")
    assert everything(results) in PAGE.read_text(encoding="utf-8")
    assert "✗" in headlines(results)  # not only what is won
    with pytest.raises(ValueError, match="choose another headline"):
        headlines({})
