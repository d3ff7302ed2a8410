"""No command writes over its inputs, nor over files of others; pipes and devices are written through."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

import epee
from epee.cli import app
from tests.cli.test_learn_command import QUICK, write

COMMAND = f"{sys.executable} -m epee"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    epee.learn(str(write(folder / "t.csv")), "y", predictors=["lda"], folds=3).save(folder / "m.epee")
    return folder


@pytest.fixture
def place(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "m.epee"):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    (tmp_path / "costs.csv").write_text("decision,maybe,no\nmaybe,0,1\nno,1,0\n")
    (tmp_path / "kinds.csv").write_text("a,number\n")
    (tmp_path / "mine.html").write_text("<html>my page</html>")
    (tmp_path / "t.html").write_text("<html>my page</html>")
    os.symlink("t.csv", "link.csv")
    os.link("m.epee", "hard.epee")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "predict m.epee t.csv -o t.csv", "predict m.epee t.csv -o ./t.csv --force", "predict m.epee t.csv -o link.csv --force",
        "predict m.epee t.csv -o m.epee", "predict m.epee t.csv -o hard.epee --force", "predict m.epee link.csv -o t.csv",
        "predict m.epee t.csv -o costs.csv", "predict m.epee t.csv -o .", "learn t.csv -t y -o t.csv --force",
        "learn t.csv -t y --report t.csv --force", "learn t.csv -t y -o x --report ./x", "learn t.csv -t y",
        "learn t.csv -t y --report mine.html", "learn t.csv -t y -o mine.html", "learn t.csv -t y --costs costs.csv -o costs.csv --force",
        "learn t.csv -t y --types-file kinds.csv --report kinds.csv --force", "learn t.csv -t y --report m.epee",
        "explore t.csv --report t.csv --force", "explore t.csv --report link.csv", "explore t.csv --report mine.html",
    ],
)  # fmt: skip
def test_refused_before_the_work(words, place, capsys):
    before = {p.name: p.read_bytes() for p in place.iterdir()}
    assert app.run(words.split()) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert {p.name: p.read_bytes() for p in place.iterdir()} == before and os.path.islink("link.csv")


def test_our_own_files_are_replaced_and_those_of_others_with_force(place, capsys):
    (place / "t.html").unlink()
    again = ["learn", "t.csv", "-t", "y", *QUICK, "-q"]
    assert app.run(again) == 0 and app.run(again) == 0
    assert app.run([*again, "--report", "mine.html", "--force"]) == 0 and "épée" in (place / "mine.html").read_text()
    for name in ("out.csv", "out.parquet"):
        words = ["predict", "m.epee", "t.csv", "-q", "-o", name]
        assert app.run(words) == 0 and app.run(words) == 0
        assert app.run([*words, "--plain"]) == 2  # other columns: somebody may need these
        assert app.run([*words, "--plain", "--force"]) == 0


def test_written_through(place):
    def shell(words):
        return subprocess.run(["bash", "-c", words], capture_output=True, cwd=place, check=False)

    plain = shell(f"{COMMAND} predict m.epee t.csv")
    through = shell(
        f"{COMMAND} predict m.epee t.csv -q -o /dev/stdout > direct.csv && "
        f"{COMMAND} predict m.epee t.csv -q -o >(cat > piped.csv); sleep 0.2; "
        f"{COMMAND} predict m.epee t.csv -q -o /dev/null; {COMMAND} learn t.csv -t y -p lda --folds 3 -q --json -o >(cat > n.epee) > n.json"
    )
    assert through.returncode == 0, through.stderr
    for name in ("direct.csv", "piped.csv"):
        assert (place / name).read_bytes() == plain.stdout
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert epee.load(place / "n.epee").predictor.classes_.tolist() == ["maybe", "no"]


def test_exports_of_the_labs(place, capsys):
    words = ["lab", "covariance", "--export", "pages", "--jupyter", "pages"]
    assert app.run(words) == 0 and app.run(words) == 0
    notebook = place / "pages/covariance.en.ipynb"
    notebook.write_text(notebook.read_text().replace("...", "my answer"))
    (place / "pages/covariance.fr.html").write_text("<html>mine</html>")
    capsys.readouterr()
    assert app.run(words[:4]) == 2 and app.run([*words[:2], *words[4:]]) == 2
    assert capsys.readouterr().err.count("--force") == 2 and "my answer" in notebook.read_text()
    assert app.run([*words, "--force"]) == 0
