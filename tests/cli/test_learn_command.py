"""The commands learn, predict and assess from the outside: arguments, streams, files and exit codes."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import epee
from epee.cli import app

QUICK = ["-p", "lda", "--folds", "3"]


def write(path, n=90, seed=0, holes=False):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 2
    a, b = rng.normal(size=n) + 2.5 * codes, rng.normal(size=n)
    lines = [
        f"{x:.5f},{'' if holes and k % 9 == 0 else f'{z:.5f}'},{'no' if not c else 'maybe'}"
        for k, (x, z, c) in enumerate(zip(a, b, codes, strict=True))
    ]
    path.write_text("\n".join(["a,b,y", *lines]) + "\n")
    return path


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "t.csv")
    return tmp_path


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle")
    epee.learn(str(write(folder / "t.csv")), "y", predictors=["lda"], folds=3).save(folder / "t.epee")
    return folder / "t.epee"


def test_learn_writes_its_file_and_prints_a_leaderboard(place, capsys):
    assert app.run(["learn", "t.csv", "-t", "y", *QUICK, "--report", "t.html"][:-2]) == 0
    out, err = capsys.readouterr()
    assert "linear discriminant" in out and "Sealed test error" in out
    assert "2 classes" in err and "Saved: t.epee" in err
    assert (place / "t.epee").exists()


def test_no_save_and_quiet(place, capsys):
    assert app.run(["learn", "t.csv", "-t", "y", *QUICK, "--no-save", "--quiet"]) == 0
    assert capsys.readouterr().err == "" and [p.name for p in place.iterdir()] == ["t.csv"]


def test_json_is_the_card(place, capsys):
    assert app.run(["learn", "t.csv", "-t", "y", *QUICK, "--json", "--no-save", "--lang", "fr"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert card["settings"]["lang"] == "fr" and card["leaderboard"][1]["name"] == "discriminant linéaire"
    assert app.run(["learn", "--schema"]) == 0
    assert set(json.loads(capsys.readouterr().out)["required"]) <= set(card)


def test_settings_reach_the_card(place, capsys):
    words = "learn t.csv -t y -p lda --folds 4 --test-size 0.25 --level 0.9 --seed 7 --type b=ignore --no-save --json --refit --quiet"
    assert app.run(words.split()) == 0
    card = json.loads(capsys.readouterr().out)
    asked = card["settings"]
    assert (asked["folds"], asked["test_size"], asked["level"], asked["seed"]) == (4, 0.25, 0.9, 7)
    assert {c["name"]: c["role"] for c in card["columns"]}["b"] == "left out"
    assert (
        card["redo"]["command"]
        == "epee learn t.csv --target y --test-size 0.25 --folds 4 --level 0.9 --seed 7 --predictor lda --type b=ignore --refit"
    )


def test_types_and_costs_from_files(place, capsys):
    (place / "kinds.csv").write_text("column,kind\nb,ignore\n")
    (place / "costs.csv").write_text(",no,maybe\nno,0,5\nmaybe,1,0\n")
    words = "learn t.csv -t y -p lda --folds 3 --types-file kinds.csv --costs costs.csv --reject-cost 0.2 --json --quiet --no-save"
    assert app.run(words.split()) == 0
    card = json.loads(capsys.readouterr().out)
    assert card["loss"] == "costs" and card["columns"][1]["role"] == "left out"


def test_without_a_table_a_sample_is_used(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert app.run(["learn", *QUICK]) == 0
    out, err = capsys.readouterr()
    assert "penguins" in err and "linear discriminant" in out and list(tmp_path.iterdir()) == []


def test_inconclusive_where_that_was_asked(place, capsys):
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{v:.4f},{c}" for v, c in zip(rng.normal(size=80), rng.integers(0, 2, 80), strict=True))
    (place / "noise.csv").write_text(f"a,y\n{rows}\n")
    words = ["learn", "noise.csv", "-t", "y", *QUICK, "--no-save", "--quiet"]
    assert app.run(words) == 0
    assert app.run([*words, "--require-conclusive"]) == 5


def test_predict_keeps_the_order_and_writes_both_ways(bundle, place, capsys):
    new = write(place / "new.csv", 40, seed=3)
    assert app.run(["predict", str(bundle), str(new)]) == 0
    shown = capsys.readouterr().out
    assert app.run(["predict", str(bundle), str(new), "-o", "out.csv"]) == 0
    assert (place / "out.csv").read_text() == shown
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert [row["predicted_y"] for row in rows] == epee.load(bundle).predictor.predict(str(new)).tolist()
    assert list(rows[0]) == ["row", "predicted_y", "p(maybe)", "p(no)"]
    capsys.readouterr()
    assert app.run(["predict", str(bundle), str(new), "--json", "--plain", "-q"]) == 0
    answers = [json.loads(text)["predicted_y"] for text in capsys.readouterr().out.splitlines()]
    assert answers == [row["predicted_y"] for row in rows]
    assert app.run(["predict", str(bundle), str(new), "-o", "out.parquet", "-q"]) == 0
    import pyarrow.parquet as pq

    assert pq.read_table("out.parquet").column("predicted_y").to_pylist() == [row["predicted_y"] for row in rows]


def test_predict_from_a_pipe(bundle, place):
    command = [sys.executable, "-m", "epee", "predict", str(bundle), "-", "--quiet"]
    answer = subprocess.run(command, input=(place / "t.csv").read_bytes(), capture_output=True, check=False)
    assert answer.returncode == 0 and answer.stdout.count(b"\n") == 91


def test_assess_counts(bundle, place, capsys):
    rows = write(place / "fresh.csv", 60, seed=5)
    assert app.run(["assess", str(bundle), str(rows)]) == 0
    assert "First use" in capsys.readouterr().out
    assert app.run(["assess", str(bundle), str(rows), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["use"] == 2


def fault(words, capsys):
    code = app.run(words)
    out, err = capsys.readouterr()
    lines = [text for text in err.splitlines() if text.startswith("epee: ")]
    assert out == "" and len(lines) == 1 and err.splitlines()[-1] == lines[0], err
    assert "Traceback" not in err
    return code, lines[0]


def _gzip(data):
    import gzip

    return gzip.compress(data)


def _parquet(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": np.arange(500.0), "y": ["u", "v"] * 250}), folder / "whole.parquet")
    return (folder / "whole.parquet").read_bytes()


HEAD = b"a,y\n" + b"".join(b"%d.5,%s\n" % (k * k, b"u" if k % 2 else b"v") for k in range(40))
FILES = {
    "empty": (b"", 3, ""),
    "header only": (b"a,b,y\n", 3, "no rows"),
    "duplicate names": (b"a,a,y\n1,2,u\n3,4,v\n", 3, "'a'"),
    "ragged": (b"a,y\n1,u\n2,v,7\n" * 20, 3, "line"),
    "not a table": (b"\x89PNG\r\n\x1a\n\x00\x00\x00", 3, ""),
    "truncated gzip": (lambda f: _gzip(HEAD * 200)[:300], 3, ""),
    "truncated Parquet": (lambda f: _parquet(f)[:-40], 3, ""),
    "wrong Parquet": (b"PAR1 is how it begins" * 20, 3, ""),
    "one class": (b"a,y\n" + b"".join(b"%d.5,u\n" % k for k in range(40)), 3, "nothing to predict"),
    "identifiers only": (b"name,y\n" + b"".join(b"n%d,%s\n" % (k, b"u" if k % 2 else b"v") for k in range(40)), 3, "no column left"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_bad_files_end_with_one_sentence(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data, code, words = FILES[name]
    path = tmp_path / ("t.csv.gz" if "gzip" in name else "t.parquet" if "Parquet" in name else "t.csv")
    path.write_bytes(data(tmp_path) if callable(data) else data)
    before = {p.name for p in tmp_path.iterdir()}
    found, sentence = fault(["learn", str(path), "-t", "y", *QUICK, "-q"], capsys)
    assert found == code and words in sentence
    assert {p.name for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("learn absent.csv -t y", 4, "absent.csv"),
        ("learn tt.csv -t y", 4, "did you mean 't.csv'"),
        ("learn t.csv -t yy", 2, "did you mean 'y'"),
        ("learn t.csv", 2, "--target"),
        ("learn t.csv -t y --type b=colour", 2, "colour"),
        ("learn t.csv -t y --type b", 2, "column=kind"),
        ("learn t.csv -t y --type y=date", 3, "'y'"),
        ("learn t.csv -t y --weight y", 2, "two roles"),
        ("learn t.csv -t y --folds 1", 2, "folds"),
        ("learn t.csv -t y --folds many", 2, "--folds"),
        ("learn t.csv -t y --budget never", 2, "60s"),
        ("learn t.csv -t y --costs absent.csv", 4, "absent.csv"),
        ("learn t.csv -t y -p oracle", 2, "oracle"),
        ("learn t.csv -t y -o nowhere/t.epee", 4, "nowhere"),
        ("learn t.csv -t y -o .", 2, "folder"),
        ("learn t.csv -t y --no-save -o t.epee", 2, "contradict"),
        ("learn . -t y --weight a", 3, ""),
        ("predict absent.epee t.csv", 4, "absent.epee"),
        ("predict t.csv t.csv", 3, "no predictor"),
        ("predict BUNDLE wide.csv", 2, "'b'"),
        ("predict BUNDLE words.csv", 3, "'oops'"),
        ("predict BUNDLE t.csv --keep c", 2, "no column 'c'"),
        ("predict BUNDLE t.csv -o nowhere/out.csv", 4, "nowhere"),
        ("assess BUNDLE wide.csv", 2, "target column 'y'"),
        ("assess BUNDLE strange.csv", 3, "'perhaps'"),
        ("predict", 2, "--help"),
    ],
)
def test_faults_have_a_code_and_a_sentence(words, code, sentence, place, bundle, capsys):
    (place / "wide.csv").write_text("a,z\n1.5,2\n2.5,3\n")
    (place / "words.csv").write_text("a,b\n1.5,2.5\n2.5,oops\n")
    (place / "strange.csv").write_text("a,b,y\n" + "1.5,2.5,perhaps\n2.5,1.0,no\n" * 10)
    before = {p.name: p.read_bytes() for p in place.iterdir()}
    found, said = fault([str(bundle) if w == "BUNDLE" else w for w in words.split()], capsys)
    assert found == code and sentence in said
    assert {p.name: p.read_bytes() for p in place.iterdir()} == before


def test_a_fifo_is_refused(place, capsys):
    os.mkfifo("pipe.csv")
    code, sentence = fault(["learn", "pipe.csv", "-t", "y"], capsys)
    assert code == 3 and "'-'" in sentence


def test_a_read_only_folder_is_refused_before_the_work(place, capsys, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    monkeypatch.setattr(epee, "learn", lambda *_, **__: pytest.fail("the work has started"), raising=False)
    code, sentence = fault(["learn", "t.csv", "-t", "y"], capsys)
    assert code == 4 and "choose another place" in sentence


def test_a_full_disk_leaves_the_earlier_file(place, capsys, monkeypatch):
    (place / "t.epee").write_text("earlier")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert app.run(["learn", "t.csv", "-t", "y", *QUICK, "-q", "--force"]) == 4
    assert "No space" in capsys.readouterr().err
    assert (place / "t.epee").read_text() == "earlier" and {p.name for p in place.iterdir()} == {"t.csv", "t.epee"}


def test_names_cannot_steer_the_terminal(place, capsys):
    text = (place / "t.csv").read_text().replace("a,b,y", "a\x1b[31m,b,y")
    (place / "odd name;é.csv").write_text(text)
    assert app.run(["learn", "odd name;é.csv", "-t", "y", *QUICK]) == 0
    out, err = capsys.readouterr()
    assert "\x1b[31m" not in out + err and (place / "odd name;é.epee").exists()


def test_narrow_locale_and_no_colour(place):
    env = {k: v for k, v in os.environ.items() if not k.startswith("LC_")} | {
        "LANG": "C",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    command = [sys.executable, "-m", "epee", "learn", "t.csv", "-t", "y", *QUICK, "--lang", "fr", "--no-color"]
    answer = subprocess.run(command, capture_output=True, env=env, check=False, cwd=place)
    assert answer.returncode == 0, answer.stderr
    assert b"discriminant" in answer.stdout and b"\x1b" not in answer.stdout
