"""The folder of a class: whole, in one language, with checks that do not tell, and solutions that are right."""

import json
import re
import sys
from html import escape
from types import SimpleNamespace

import pytest

from epee.labs.catalogue import lab
from epee.labs.machinery.classroom import answer_of, grade, solution_book, write_class
from epee.labs.machinery.exercises import Goal

NAMES = ["hebb", "kernels"]


@pytest.fixture(scope="module", params=["en", "fr"])
def folder(request, tmp_path_factory):
    place = tmp_path_factory.mktemp(request.param)
    written = list(write_class(place, NAMES, lang=request.param))
    return place, request.param, written


def code_of(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_everything_is_there(folder):
    place, _, written = folder
    assert all(path.exists() and path.stat().st_size > 200 for path in written)
    for name in NAMES:
        for part in (
            "handouts/{}.html",
            "handouts/{}.pdf",
            "jupyter/{}.ipynb",
            "marimo/{}.py",
            "exercises/{}.ipynb",
            "teacher/{}.ipynb",
        ):
            assert (place / part.format(name)) in written
    assert (place / "handouts" / "hebb.pdf").read_bytes().startswith(b"%PDF")
    links = re.findall(
        r"href=['\"]([^'\"#]+\.(?:html|pdf|ipynb|py))['\"]", (place / "index.html").read_text(encoding="utf-8")
    )
    assert len(links) == 6 * len(NAMES) + 1 and all((place / link).exists() for link in links)


def test_students_see_no_answer(folder):
    place, lang, _ = folder
    for name in NAMES:
        page = (place / "handouts" / f"{name}.html").read_text(encoding="utf-8")
        assert "<details>" not in page and escape(lab(name).title(lang)) in page
        text = (place / "exercises" / f"{name}.ipynb").read_text(encoding="utf-8")
        assert text.count("= ...") == 3
        for exercise in lab(name).exercises:
            why = exercise.why if hasattr(exercise.why, "fr") else None
            if why is not None and len(why(lang)) > 12:
                assert json.dumps(why(lang), ensure_ascii=False)[1:-1] not in text


def test_solutions_run_and_are_right(folder, capsys):
    place, lang, _ = folder
    for name in NAMES:
        names: dict = {}
        for cell in code_of(place / "teacher" / f"{name}.ipynb"):
            if cell.startswith("grade("):
                assert eval(cell, names) is True
            else:
                exec(cell, names)
        for cell in code_of(
            place / "exercises" / f"{name}.ipynb"
        ):  # unanswered, they say what is missing or give a hint
            exec(cell, names) if not cell.startswith("grade(") else eval(cell, names)
    assert ("Juste" if lang == "fr" else "Right") in capsys.readouterr().out
    assert escape(lab("hebb").title(lang)) in (place / "teacher" / "solutions.html").read_text(encoding="utf-8")


def test_lab_notebooks_run(folder, monkeypatch):
    """Every cell, that of the pictures among them; where IPython is not installed a stand-in takes the pictures."""
    place, lang, _ = folder
    shown: list = []
    stand_in = SimpleNamespace(SVG=lambda text: text, display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython.display", stand_in)
    names: dict = {}
    for cell in code_of(place / "jupyter" / "kernels.ipynb"):
        exec(cell, names)
    assert "results" in names and shown and all(str(text).lstrip().startswith("<svg") for text in shown)


def test_settings_are_told_in_words():
    """The answer to an exercise that asks for settings names them as the lab does, and has a French comma."""
    book = solution_book(["active_choice"], "fr")
    assert "bruit σ = 0,5" in book and "= active" not in book
    labels = {c.name: c for c in lab("active_choice").controls}
    found = answer_of(lab("active_choice"), 2, "fr")
    assert all(labels[name].label("fr") in book for name in found)


def test_grades():
    assert grade("hebb", 1, "0,03") and not grade("hebb", 1, 0.3)
    settings = answer_of(lab("hebb"), 2)
    assert isinstance(lab("hebb").exercises[1], Goal) and isinstance(settings, dict)
    assert grade("hebb", 2, settings, "fr") and not grade("hebb", 2, {})


def test_work_is_not_overwritten(tmp_path):
    list(write_class(tmp_path, ["hebb"]))
    list(write_class(tmp_path, ["hebb"], force=False))  # nobody has written in them
    path = tmp_path / "exercises" / "hebb.ipynb"
    book = json.loads(path.read_text(encoding="utf-8"))
    book["cells"][3]["source"] = ["answer_1 = 0.03"]
    path.write_text(json.dumps(book), encoding="utf-8")
    with pytest.raises(Exception, match=r"hebb\.ipynb"):
        list(write_class(tmp_path, ["hebb"], force=False))


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_formulas_on_paper_are_never_cut(lang):
    """Every line of a handout has its dollars in pairs, whatever the width."""
    from epee.labs.catalogue import IDS, lab
    from epee.labs.machinery.paper import lines_of

    for name in IDS:
        for exercise in lab(name).exercises:
            words = getattr(exercise.prompt, lang, "")
            for width in (20, 55, 92):
                lines = lines_of(words, width)
                assert all(line.count("$") % 2 == 0 for line in lines) and " ".join(lines).split() == words.split()


def test_what_belongs_together_stays_on_one_page():
    """A question and its choices are not parted by the end of a page, and no formula is wider than the paper."""
    from epee.labs.machinery.paper import HEIGHT, MARGIN, WIDTH, Sheet, size_of

    sheet = Sheet()
    sheet.y = MARGIN + 0.3
    need = sheet.height_of("a question " * 20) + 3 * sheet.height_of("a choice", after=0.0)
    assert need > 0.3
    sheet.keep(need)
    assert len(sheet.pages) == 2 and sheet.y == HEIGHT - MARGIN
    wide = [r"\sum_{i=1}^n (y_i - f(x_i))^2 + \lambda \sum_j \beta_j^2"] * 6
    sheet.formula(wide)
    drawn = [text.get_text() for text in sheet.page.texts]
    assert len(drawn) == 6 and all(size_of(words)[0] < WIDTH - 2 * MARGIN for words in drawn)
    sheet.formula([" + ".join(wide)])
    assert sheet.page.texts[-1].get_size() < 11
