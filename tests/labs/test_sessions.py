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


def several(name):
    """The first settings, then others: every choice takes its next option, every slider an end."""
    this = lab(name)
    yield this.start()
    for turn in (1, 2):
        changes = {}
        for control in this.controls:
            if isinstance(control, Slider):
                changes[control.name] = control.values[0] if turn == 1 else control.values[len(control.values) // 2]
            elif isinstance(control, Choice) and not callable(control.options):
                options = list(control.options)
                changes[control.name] = options[(options.index(control.start) + turn) % len(options)]
        yield this.start(**changes)


@pytest.mark.parametrize("name", IDS)
def test_lines_to_take_away_give_the_number_of_the_lab(name, tmp_path, monkeypatch, capsys):
    this = lab(name)
    if (
        name == "own_table"
    ):  # what a budget of seconds allows is not the same twice; learning is tried in test_exercises
        compile(this.script(this.start(), "en"), name, "exec")
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "epee.choose_clusters", lambda *args, **kwargs: "not again", raising=False
    )  # seconds, and not the number
    variable, own = this.own
    for state in several(name):
        names: dict = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EpeeWarning)
            exec(compile(this.script(state, "fr"), name, "exec"), names)
        assert capsys.readouterr().out.strip()
        mine = names[variable]
        np.testing.assert_allclose(
            getattr(mine, "value", mine), own(this.run(state)), rtol=1e-7, atol=1e-12, err_msg=str(state)
        )


@pytest.mark.parametrize("kind", ["spline", "ridge"])
def test_degrees_of_freedom_are_a_trace(kind):
    """tr S of the smoother itself, column by column: the intercept of ridge counts for one."""
    from epee.labs.sessions.regularisation import smooth
    from epee.labs.sessions.worlds import noisy_wave

    x, y = noisy_wave(30, 0.4, 0)
    for lam in (1e-6, 1e-2, 1.0):
        S = np.column_stack([smooth(kind, x, e, lam)[0] for e in np.eye(30)])
        np.testing.assert_allclose(smooth(kind, x, y, lam)[2], np.trace(S), rtol=1e-6)


@pytest.mark.parametrize("name", [n for n in IDS if n != "own_table"])
def test_a_plural_is_a_plural(name):
    this = lab(name)
    one = re.compile(
        r"(?<![\d.,{}])\*{0,2}1\*{0,2} (leaves|steps|axes|numbers|points|examples|columns|parameters|degrees|feuilles|nombres|exemples|"
        r"colonnes|paramètres|degrés|clusters|components|composantes)\b"
    )
    for state in [
        *several(name),
        *(this.start(**{c.name: 1}) for c in this.controls if isinstance(c, Slider) and 1 in c.values),
    ]:
        results = this.run(state)
        for lang in LANGUAGES:
            for part in ("answer", "formula"):
                assert not one.search(this.say(part, results, lang)), (state, lang)


def test_sentences_of_ties_and_ends():
    hebb, em, bayes = lab("hebb"), lab("em_steps"), lab("bayes_one")
    tie = hebb.run(hebb.start())
    tie.h = tie.p
    assert "equally often" in hebb.say("answer", tie, "en") and "aussi souvent" in hebb.say("answer", tie, "fr")
    end = em.run(em.start(step=40))
    assert "EM has arrived" in em.say("answer", end, "en")
    middle = em.run(em.start(step=5))
    np.testing.assert_allclose(middle.share.sum(), len(middle.X))
    following = em.run(em.start(step=6))
    np.testing.assert_allclose(
        middle.share / len(middle.X), following.theta.weights
    )  # the weights that the formula shows
    best = bayes.run(bayes.start(cut=1.0))
    assert "no more than the best" in bayes.say("answer", best, "en")


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
