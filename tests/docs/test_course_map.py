"""The map from the course to the library: no item missing, every name, figure and lab there."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import generated_pages  # noqa: E402

from tests.docs.course_calls import CALLS, names  # noqa: E402

CATALOGUE = ROOT.parent / "shared" / "methods.md"
ROWS = generated_pages.course_map()
EXAMPLES = {path.stem.removeprefix("plot_") for path in (ROOT / "examples").rglob("plot_*.py")}


def test_every_item_is_there_once():
    ids = [row["id"] for row in ROWS]
    assert len(ids) == len(set(ids)) == 242


@pytest.mark.skipif(not CATALOGUE.exists(), reason="the catalogue is not beside this copy of the sources")
def test_the_map_covers_the_catalogue():
    heads = re.findall(r"^### (.*?)(?: — |$)", CATALOGUE.read_text(encoding="utf-8"), flags=re.M)
    wanted = {item for head in heads for item in re.findall(r"`([a-z0-9-]+)`", head)}
    assert len(wanted) > 200
    assert wanted == {row["id"] for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_what_a_row_points_to_exists(row):
    assert row["family"] in generated_pages.FAMILIES and row["title"] and row["course"].startswith("S")
    for name in row["names"].split():
        assert generated_pages.resolve(name) is not None
        assert name in generated_pages.public_names(), f"{name} has no page"
    assert row["names"] or row["id"] in ("figures-list", "exercises-list")
    assert set(row["figures"].split()) <= EXAMPLES
    assert row["formula"].count("{") == row["formula"].count("}") and "$" not in row["formula"]


def test_labs_exist():
    from epee.labs.catalogue import IDS

    assert {name for row in ROWS for name in row["lab"].split()} <= set(IDS)
    assert {name for row in ROWS for name in row["lab"].split()} >= set(IDS) - {"forests"}  # no course names forests


@pytest.mark.parametrize("row", [row for row in ROWS if row["lab"]], ids=lambda row: row["id"])
def test_an_item_is_in_the_lab_that_it_claims(row):
    """One of its names stands in the lab, or the words that the map gives for it."""
    words = row["seen"].split("|") if row["seen"] else [name.rsplit(".", 1)[-1] for name in row["names"].split()]
    for name in row["lab"].split():
        text = (ROOT / "src" / "epee" / "labs" / "sessions" / f"{name}.py").read_text(encoding="utf-8")
        assert any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words), (
            f"{row['id']} is not in {name}"
        )


def test_every_item_can_be_seen():
    assert [row["id"] for row in ROWS if not row["figures"] and not row["lab"]] == []


def test_every_item_has_its_call():
    assert set(CALLS) == {row["id"] for row in ROWS}
    assert not [item for item, call in CALLS.items() if "is not None" in call], (
        "compare with the item's own number or property"
    )


@pytest.fixture(scope="module")
def known():
    return names()


@pytest.mark.parametrize("item", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_what_an_item_says_holds(item, known):
    """The small call of an item is true, and uses one of the names that the map gives."""
    assert bool(eval(CALLS[item], dict(known)))
    row = next(row for row in ROWS if row["id"] == item)
    if row["names"] and item != "learning-modes":
        own = {name.rsplit(".", 1)[-1] for name in row["names"].split()}
        said = set(re.findall(r"\w+", CALLS[item])) | ({"MarkovDecisionProcess"} if "M." in CALLS[item] else set())
        assert own & said, f"{item} calls none of {own}"


def test_the_gallery_is_ordered_and_every_figure_is_reached_from_the_map():
    assert set(generated_pages.GALLERY) == EXAMPLES and len(generated_pages.GALLERY) == len(EXAMPLES)
    linked = {stem for row in ROWS for stem in row["figures"].split()}
    assert linked == EXAMPLES


FIGURES = {
    "S0": "1 2",
    "S1": "2.1 2.2",
    "S2": "1.1 1.2 2.1 2.2 2.3 2.4 2.5 2.6 2.7 3.1 3.2 3.3 3.4 4.1 4.2 5.1 6.1 7.1 7.2 7.3 8.1 8.2 8.3 8.4 8.5 9.1 9.2 9.3",
}
EXERCISES = {
    "S2": "1.2.1 3.1.3 3.3.2 3.4 4.6 5.3 6.3.1 6.3.2 6.3.3 6.3.4 7.4.1 7.4.2 9.4",
    "S0": "2.4.4 2.4.5 2.4.6 2.4.7",
}


def test_every_figure_and_exercise_has_its_example():
    places = {row["place"]: row["example"] for row in generated_pages.course_figures()}
    assert {f"{key} fig. {n}" for key, numbers in FIGURES.items() for n in numbers.split()} <= set(places)
    assert {f"{key} §{n}" for key, numbers in EXERCISES.items() for n in numbers.split()} <= set(places)
    assert (
        sum(place.startswith("S3") for place in places) == 5 and sum(place.startswith("S4") for place in places) == 11
    )
    assert len(set(places.values())) == len(places), "one figure, one file"
    assert set(places.values()) <= EXAMPLES
    assert {stem for stem in EXAMPLES if stem.startswith("exercise_")} <= set(places.values())
