"""The labs as Jupyter notebooks: the question, the story, the lines of Python, the formula and the exercises; nbformat 4 written by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from epee.job.writing import atomic, check_places
from epee.labs.catalogue import IDS, lab
from epee.labs.machinery.exercises import Pick
from epee.labs.machinery.lab import Lab
from epee.labs.machinery.phrases import say
from epee.labs.machinery.words import localise, tell
from epee.words.catalogue import LANGUAGES


def write_notebooks(folder: str | Path, names: Sequence[str] = IDS, force: bool = True) -> Iterator[Path]:
    """Write one notebook a lab and a language; yields each path.

    Without ``force`` a notebook in which somebody has worked is refused, before the first is written.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    notebooks = {place / f"{name}.{lang}.ipynb": (name, lang) for name in names for lang in LANGUAGES}
    check_places([(path, is_untouched) for path in notebooks], force=force)
    for path, (name, lang) in notebooks.items():
        with atomic(path, text=True) as stream:
            stream.write(json.dumps(jupyter_notebook(lab(name), lang), ensure_ascii=False, indent=1) + "\n")
        yield path


def is_untouched(stream: IO[bytes]) -> bool:
    """Tell a notebook of ours in which nobody has written: its cells have the sum that was kept with them."""
    try:
        notebook = json.load(stream)
        return bool(notebook["metadata"]["epee"] == _sum_of(notebook["cells"]))
    except (ValueError, KeyError, TypeError):
        return False


def _sum_of(cells: Sequence[dict[str, Any]]) -> str:
    return sha256(json.dumps([cell["source"] for cell in cells]).encode()).hexdigest()


def jupyter_notebook(this: Lab, lang: str) -> dict[str, Any]:
    """Return a notebook as plain data."""
    state = this.start()
    found = this.run(state | {"lang": lang})
    settings = ", ".join(f"{k}={v!r}" for k, v in state.items() if v is not None and not isinstance(v, bytes))
    cells = [
        words_cell(f"# {this.title(lang)}\n\n**{this.question(lang)}**\n\n{localise(this.story(lang), lang)}"),
        words_cell(this.say("formula", found, lang)),
        code_cell(this.script(state, lang).rstrip()),
        words_cell(f"## {say('settings', lang)}"),
        code_cell(
            f'from epee.labs.catalogue import lab\n\nthis = lab("{this.id}")\nresults = this.run(this.start({settings}))\n'
            f'print(this.say("answer", results, "{lang}"))'
        ),
        code_cell(f'from IPython.display import SVG, display\n\nfrom epee.labs.machinery.canvas import to_svg\n\nfor figure in this.pictures(results, "{lang}"):\n'
              "    display(SVG(to_svg(figure)))"),
        words_cell(f"## {say('exercises', lang)}"),
    ]  # fmt: skip
    for i, exercise in enumerate(this.exercises):
        options = ""
        if isinstance(exercise, Pick):
            options = "\n\n" + "\n".join(f"- `{key}`: {words(lang)}" for key, words in exercise.options.items())
        cells.append(words_cell(f"**{i + 1}.** {tell(exercise.prompt, found, lang)}{options}"))
        answer = "..." if isinstance(exercise, Pick) else "0.25"
        cells.append(
            code_cell(f'right, words = this.exercises[{i}].check("{answer}", results)\nprint(right, words("{lang}"))')
        )
    return as_notebook(cells)


def as_notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Return cells as a notebook that knows when somebody has written in it."""
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "epee": _sum_of(cells),
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def words_cell(text: str) -> dict[str, Any]:
    """Return a cell of Markdown."""
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code_cell(text: str, tags: Sequence[str] = ()) -> dict[str, Any]:
    """Return a cell of Python."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": list(tags)} if tags else {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }
