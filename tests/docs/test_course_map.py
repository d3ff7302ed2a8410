"""The map from the course to the library: no item missing, every name, figure and lab there."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import generated_pages  # noqa: E402

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
