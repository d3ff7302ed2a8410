"""Print the oldest versions that pyproject.toml allows, as constraints for pip: ``python .ci/oldest.py > oldest.txt``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def oldest(text: str) -> list[str]:
    """Return ``name==version`` for every ``name>=version`` that the package itself needs, or one of its extras for users."""
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["excel"], *extras["gymnasium"]]
    found = [re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\w.]+)", need) for need in asked]
    return [f"{each[1]}=={each[2]}" for each in found if each]


if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    print(*oldest((root / "pyproject.toml").read_text(encoding="utf-8")), sep="\n")
