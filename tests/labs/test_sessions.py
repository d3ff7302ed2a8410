"""Every lab computes, draws in both languages, judges its exercises, and gives lines of Python that run."""

import re
import warnings

import numpy as np
import pytest

from epee.errors import EpeeWarning
from epee.labs.catalogue import IDS, lab
from epee.labs.machinery.canvas import to_svg
from epee.labs.machinery.exercises import Goal, Number, Pick
from epee.labs.machinery.formulas import formula_svg
from epee.labs.machinery.lab import Choice, Slider
from epee.labs.machinery.words import formula_parts, tell
from epee.words.catalogue import LANGUAGES

_first = {}


def first(name):
    """The results of the first settings, computed once."""
    if name not in _first:
        _first[name] = lab(name).run(lab(name).start(lang="en"))
    return _first[name]


def formulas(text):
    for block in re.findall(r"\$\$(.+?)\$\$", text, re.S):
        yield from formula_parts(block)
    yield from re.findall(r"\$([^$\n]+)\$", re.sub(r"\$\$.+?\$\$", "", text, flags=re.S))


@pytest.mark.parametrize("name", IDS)
def test_shape(name):
    this = lab(name)
    assert this.id == name and len(this.exercises) == 3
    assert any(isinstance(e, Number | Pick) for e in this.exercises)
    for control in this.controls:
        if isinstance(control, Slider):
            assert control.start in control.values and list(control.values) == sorted(control.values)
        if isinstance(control, Choice) and not callable(control.options):
            assert control.start in control.options
            for lang in LANGUAGES:  # two options with one label could not be told apart
                assert len({words(lang) for words in control.options.values()}) == len(control.options)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", IDS)
def test_draws_and_speaks(name, lang):
    this, results = lab(name), first(name)
    figures = this.pictures(results, lang)
    assert figures or this.waits
    if lang == "fr":
        for figure in figures:
            assert to_svg(figure).startswith("<svg")
    texts = [this.say(part, results, lang) for part in ("formula", "answer", "story")]
    texts += [tell(part, results, lang) for e in this.exercises for part in (e.prompt, e.hint, e.why)]
    for text in texts:
        assert text.strip() and "nan" not in text.split()
        for formula in formulas(text):
            assert formula == formula.strip(), f"a browser does not read ${formula}$"
            assert formula_svg(formula).startswith("<svg")
    if lang == "fr":
        assert not re.search(r"(?<![\w`.])\d+\.\d+(?![\w`])", re.sub(r"`[^`]*`", "", " ".join(texts)))
        assert this.title.en != this.title.fr and this.question.en != this.question.fr


@pytest.mark.parametrize("name", IDS)
def test_exercises(name):
    this, results = lab(name), first(name)
    for exercise in this.exercises:
        if isinstance(exercise, Goal):
            assert not exercise.check(1, results).right, "the goal must not be reached at the start"
            solved = this.run(this.start(lang="en", **exercise.solution(results)))
            assert exercise.check(1, solved).right
            continue
        right, wrong = exercise.right_answer(results), exercise.wrong_answer(results)
        assert exercise.check(right, results).right
        if isinstance(exercise, Number):
            assert exercise.check(right.replace(".", ","), results).right
        refused = exercise.check(wrong, results)
        assert not refused.right
        assert all(refused.words(lang).strip() for lang in LANGUAGES)
        assert not exercise.check("?", results).right


@pytest.mark.parametrize("name", [n for n in IDS if n != "own_table"])
def test_a_slider_changes_pictures_and_numbers(name):
    this = lab(name)
    lever = next(c for c in this.controls if isinstance(c, Slider))
    values = list(lever.values)
    moved = this.run(this.start(**{lever.name: values[0] if lever.start != values[0] else values[len(values) // 2]}))
    assert this.say("formula", moved, "en") != this.say("formula", first(name), "en")
    before, after = (to_svg(this.pictures(r, "en")[0]) for r in (first(name), moved))
    assert before != after


@pytest.mark.parametrize("name", [n for n in IDS if n != "own_table"])
def test_every_end_of_every_control_computes(name):
    this = lab(name)
    for control in this.controls:
        ends = [control.values[0], control.values[-1]] if isinstance(control, Slider) else list(control.options)
        for value in ends:
            results = this.run(this.start(**{control.name: value}))
            for part in ("formula", "answer"):
                assert "nan" not in this.say(part, results, "en").lower().replace("nan-", "")


@pytest.mark.parametrize("name", IDS)
def test_lines_to_take_away(name, tmp_path, monkeypatch, capsys):
    this = lab(name)
    text = this.code(this.start())
    program = compile(text, name, "exec")
    if name == "own_table":  # learning is tried in test_exercises
        return
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EpeeWarning)
        exec(program, {})
    assert capsys.readouterr().out.strip()


def test_own_table_takes_a_file_and_refuses_rubbish():
    this = lab("own_table")
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{a:.3f};{b:.3f};{'x' if a > b else 'y'}".replace(".", ",") for a, b in rng.normal(size=(60, 2)))
    state = this.start(file=("../../table.csv", f"un;deux;nom\n{rows}\n".encode()))
    assert state["target"] == "nom"
    assert "3 columns" in this.say("answer", this.run(state), "en")
    bad = this.run(this.start(file=("x.parquet", b"not a table at all")))
    assert bad.fault and "cannot be used" in this.say("answer", bad, "en")
    huge = this.run(this.start(file=("x.csv", b"a" * 20_000_001)))
    assert "at most" in huge.fault
