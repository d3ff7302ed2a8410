"""Still pages, Jupyter notebooks and marimo files."""

import json
import re
import subprocess
import sys

import pytest

from epee.labs.catalogue import IDS, lab
from epee.labs.machinery.jupyter import jupyter_notebook, write_notebooks
from epee.labs.machinery.notebooks import notebook_text, write_marimo
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


def test_a_notebook_runs_in_a_kernel_of_its_own():
    """As Jupyter runs it: in another process, with the pictures among the outputs."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.reads(json.dumps(jupyter_notebook(lab("covariance"), "fr")), as_version=4)
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    assert "image/svg+xml" in str(outputs) and "corrélation" in str(outputs)
    assert not [output for output in outputs if output["output_type"] == "error"]


def test_one_shell_opens_every_lab(tmp_path):
    """The marimo files differ by the id and the title alone, and the shell itself is the first of them."""
    shell = notebook_text(IDS[0])
    for name, path in zip(IDS, write_marimo(tmp_path / "new"), strict=True):
        text = path.read_text(encoding="utf-8")
        assert path.name == f"{name}.py" and text.count(f'lab("{name}")') == 1 and lab(name).title("en") in text
        others = [(a, b) for a, b in zip(shell.splitlines(), text.splitlines(), strict=True) if a != b]
        assert len(others) == (0 if name == IDS[0] else 2)
        compile(text, str(path), "exec")


def test_a_marimo_file_is_a_plain_script(tmp_path):
    picture, (path,) = tmp_path / "picture.svg", write_marimo(tmp_path, ["covariance"])
    done = subprocess.run(
        [sys.executable, str(path), "--lang", "fr", "--figure", str(picture)],
        capture_output=True, text=True, encoding="utf-8", timeout=120, check=True,
    )  # fmt: skip
    assert "À quoi ressemble une matrice de covariance" in done.stdout and "import epee" in done.stdout
    assert picture.stat().st_size > 1000
