"""The French twin of the site: no sentence of the pages and of the gallery without its twin, and twins that keep code and formulas."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

pytest.importorskip("babel")
import gallery_words  # noqa: E402
import measured_words  # noqa: E402
import twins  # noqa: E402

KNOWN = twins.catalogue()


@pytest.mark.parametrize("page", twins.PAGES)
def test_every_sentence_has_its_twin(page):
    missing = [line for line in twins.sentences(page) if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


def test_every_example_of_the_gallery_has_its_twin():
    missing = [(name, line) for name, line in twins.gallery() if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


def test_every_summary_of_the_reference_has_its_twin():
    missing = [(name, line) for name, line in twins.summaries() if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


def test_what_parameters_mean_is_french_but_for_a_few():
    """A ratchet: sentences of docstrings without a twin may become fewer, not more; the classes of the course have all of theirs."""
    import generated_pages

    said = {line for name in generated_pages.public_names() for line in twins.parameters(name)}
    assert len(said) > 1500 and len(said - set(KNOWN)) < 340
    course = (
        "LinearRegression",
        "Ridge",
        "Lasso",
        "KMeans",
        "GaussianMixture",
        "LinearDiscriminantAnalysis",
        "Hebb",
        "GaussianNB",
    )
    assert not [line for name in course for line in twins.parameters(name) if line not in KNOWN]


@pytest.mark.parametrize("page", ["docs/speed.md", *measured_words.RESULTS])
def test_what_is_measured_has_french_words(page):
    assert not set(measured_words.left(measured_words.measured(page))), "write these into docs/measured_words.py"


def test_what_figures_say_has_its_twin():
    said = {text for path in gallery_words.EXAMPLES.rglob("plot_*.py") for text in gallery_words.said(path)}
    assert not said - set(gallery_words.TWINS) - gallery_words.CODE, "write these into docs/gallery_words.py"


def test_texts_and_prints_are_french_while_the_gallery_speaks(capsys):
    pytest.importorskip("matplotlib")
    from matplotlib.text import Text

    import epee

    plain = Text.set_text
    try:
        gallery_words.speak()
        assert Text(text="training 0.25, new rows 0.5").get_text() == "apprentissage 0,25, nouveaux individus 0,5"
        assert Text(text="after 1 step: 0.5 a row").get_text() == "après 1 pas : 0,5 par individu"
        assert epee.options.language == "fr"
        print("best 3, within one standard error 2; leave-one-out at degree 3: 0.1", 4)
    finally:
        gallery_words.speak(when="after")
    assert capsys.readouterr().out.startswith("meilleur 3, à moins d'un écart-type 2 ;")
    assert Text.set_text is plain and epee.options.language == "en"


def test_every_item_of_the_course_map_has_its_twin():
    import generated_pages

    assert [row["id"] for row in generated_pages.course_map() if row["title"] not in KNOWN] == []
    assert set(generated_pages.FAMILIES.values()) <= set(KNOWN)


def test_code_formulas_and_links_are_the_same():
    """What stands in backticks or dollars says the same in both languages; the words of a link may differ, its target not."""

    def kept(text):
        links = re.findall(r"<([^<>`]+)>`", text)
        bare = re.sub(r"`[^`<]*<[^<>`]+>`", "", text)
        return sorted(links), sorted(re.findall(r"`([^`]+)`", bare)), len(re.findall(r"\$[^$]+\$", bare))

    wrong = [english for english, french in KNOWN.items() if kept(english)[::2] != kept(french)[::2]]
    wrong += [english for english, french in KNOWN.items() if kept(english)[1] and not kept(french)[1]]
    assert not wrong


def test_twins_are_french():
    same = [
        english for english, french in KNOWN.items()
        if english == french and len(re.findall(r"[a-z]{4,}", re.sub(r"`[^`]*`|\$[^$]*\$", "", english))) > 3
    ]  # fmt: skip
    assert not same
