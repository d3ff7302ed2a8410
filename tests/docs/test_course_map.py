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
