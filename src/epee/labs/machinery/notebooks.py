"""The labs as marimo notebooks: one shell, :mod:`epee.labs.notebook`, in which only the id and the title change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import IO

from epee.job.writing import check_places
from epee.labs.catalogue import IDS, lab

SHELL = IDS[0]  # the lab that the shell itself opens


def notebook_text(name: str) -> str:
    """Return the marimo file of a lab.

    >>> 'lab("hebb")' in notebook_text("hebb")
    True
    """
    text = (resources.files("epee.labs") / "notebook.py").read_text(encoding="utf-8")
    return text.replace(f'"{SHELL}"', f'"{name}"').replace(lab(SHELL).title("en"), lab(name).title("en"))


def write_marimo(folder: str | Path, names: Sequence[str] = IDS, force: bool = True) -> Iterator[Path]:
    """Write the marimo files of labs into a folder, which is made where it is missing; yields their paths.

    Without ``force`` a file that somebody has changed is refused, before the first is written.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    check_places([(place / f"{name}.py", partial(_is_ours, name)) for name in names], force=force)
    for name in names:
        path = place / f"{name}.py"
        path.write_text(notebook_text(name), encoding="utf-8")
        yield path


def _is_ours(name: str, stream: IO[bytes]) -> bool:
    return stream.read().decode("utf-8", "replace") == notebook_text(name)
