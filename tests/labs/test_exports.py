"""Still pages, Jupyter notebooks and marimo files."""

import json
import re
import subprocess
import sys

import pytest

from epee.labs.catalogue import IDS, lab
from epee.labs.machinery.jupyter import jupyter_notebook, write_notebooks
from epee.labs.machinery.notebooks import notebook_path, notebook_text
from epee.labs.machinery.still_pages import still_page, write_pages


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_still_page_holds_everything(lang):
    this = lab("pca_proof")
    page = still_page(this, lang)
    outside = [a for a in re.findall(r'(?:src|href|action|data)="([^"#]+)"', page) if "//" in a or a.startswith("http")]
    assert not outside and "<script" not in page and "@import" not in page and "url(http" not in page
    pictures = [p for p in re.findall(r"<svg.*?</svg>", page, re.S) if 'class="math"' not in p]
    assert len(pictures) >= 6 and 'class="math"' in page
    ids = re.findall(
        r' id="((?!figure|axes|patch|line|text|matplotlib|xtick|ytick|legend|Path|Quad|Fill|Line)[^"]+)"', page
    )
    clips = [i for i in ids if page.count(f"url(#{i})")]
    assert len(clips) == len(set(clips)), "two pictures share the id of a clip"
    assert f'lang="{lang}"' in page and this.title(lang) in page


def test_pages_are_written_and_linked(tmp_path, monkeypatch):
    monkeypatch.setattr("epee.labs.machinery.still_pages.IDS", ("covariance",))
    paths = [p.name for p in write_pages(tmp_path / "new", ("covariance",))]
    assert paths == ["covariance.en.html", "covariance.fr.html", "index.html", "index.fr.html"]
    assert 'href="index.fr.html"' in (tmp_path / "new" / "index.html").read_text(encoding="utf-8")


def test_jupyter_notebooks_are_nbformat(tmp_path):
    for path in write_notebooks(tmp_path, ("covariance", "bayes_one")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert notebook["nbformat"] == 4 and len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
        for cell in notebook["cells"]:
            assert cell["cell_type"] in ("markdown", "code") and isinstance(cell["source"], list)
            if cell["cell_type"] == "code":
                assert cell["outputs"] == [] and cell["execution_count"] is None
                compile("".join(cell["source"]), str(path), "exec")


def test_the_cells_of_a_jupyter_notebook_run(capsys):
    cells = [c for c in jupyter_notebook(lab("covariance"), "fr")["cells"] if c["cell_type"] == "code"]
    names: dict = {}
    for cell in cells:
        source = "".join(cell["source"])
        if "IPython" not in source:
            exec(source, names)
    assert "corrélation" in capsys.readouterr().out


@pytest.mark.parametrize("name", IDS)
def test_marimo_files_are_those_of_the_template(name):
    assert notebook_path(name).read_text(encoding="utf-8") == notebook_text(name), (
        "run python -m epee.labs.machinery.notebooks"
    )


def test_a_marimo_file_is_a_plain_script(tmp_path):
    picture = tmp_path / "picture.svg"
    done = subprocess.run(
        [sys.executable, str(notebook_path("covariance")), "--lang", "fr", "--figure", str(picture)],
        capture_output=True, text=True, encoding="utf-8", timeout=120, check=True,
    )  # fmt: skip
    assert "À quoi ressemble une matrice de covariance" in done.stdout and "import epee" in done.stdout
    assert picture.stat().st_size > 1000
