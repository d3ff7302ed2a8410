"""The rooms are told in one order: the import linter's, in CONTRIBUTING and in the picture of the site."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def floors():
    """Return the floors of the import linter, from the bottom up."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(c["layers"] for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    return [{room.strip() for room in layer.split(":")} for layer in reversed(layers) if layer != "__main__"]


def height(room):
    return next(i for i, floor in enumerate(floors()) if room in floor)


def test_every_folder_has_its_floor():
    rooms = {
        p.stem
        for p in (ROOT / "src" / "epee").iterdir()
        if not p.name.startswith("_") and (p.is_dir() or p.suffix == ".py")
    }
    assert rooms == set().union(*floors())


def test_contributing_lists_the_rooms_in_that_order():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ((?:`\w+` ?)+)\|", text, flags=re.M)
    rooms = [room for line in lines for room in re.findall(r"`(\w+)`", line)]
    assert set(rooms) == set().union(*floors()) and [height(r) for r in rooms] == sorted(height(r) for r in rooms)


def test_the_picture_has_the_same_order():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from draw_pictures import FLOORS, rooms
    finally:
        sys.path.pop(0)
    names = [name for floor in FLOORS for name, _ in floor]
    assert set(names) == set().union(*floors()) and [height(r) for r in names] == sorted(height(r) for r in names)
    assert (ROOT / "docs" / "pictures" / "rooms.svg").read_text(encoding="utf-8") == rooms()
