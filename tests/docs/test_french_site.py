"""The French twin of the site: no sentence of the pages and of the gallery without its twin, and twins that keep code and formulas."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

twins = pytest.importorskip("twins")
pytest.importorskip("babel")
KNOWN = twins.catalogue()


@pytest.mark.parametrize("page", twins.PAGES)
def test_every_sentence_has_its_twin(page):
    missing = [line for line in twins.sentences(page) if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


def test_every_example_of_the_gallery_has_its_twin():
    missing = [(name, line) for name, line in twins.gallery() if line not in KNOWN]
    assert not missing, "write these into docs/locale/fr/LC_MESSAGES/site.po"


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
