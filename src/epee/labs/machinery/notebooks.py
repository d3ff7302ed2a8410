"""The notebook files: one thin marimo file a lab, all alike but for the id. ``python -m epee.labs.machinery.notebooks`` writes them."""

from __future__ import annotations

from pathlib import Path

from epee.labs.catalogue import IDS, lab

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"

TEMPLATE = '''"""Lab: @title@. Opened by ``epee lab``; as a script, ``python @id@.py --lang fr --figure picture.svg`` prints it."""

import marimo

app = marimo.App(width="full", app_title="épée · @title@")


@app.cell
def _():
    from epee.labs.catalogue import lab
    from epee.labs.machinery import page

    this, memory = lab("@id@"), {}
    language = page.language_switch()
    return language, memory, page, this


@app.cell
def _(language, page, this):
    page.header(this, language)
    return


@app.cell
def _(language, memory, page, this):
    controls = page.controls(this, language.value, memory)
    tries = page.tries(this, language.value)
    return controls, tries


@app.cell
def _(controls, language, memory, page, this):
    further = page.further(this, language.value, memory, controls.value)
    return (further,)


@app.cell
def _(controls, further, language, memory, page, this):
    state = page.settled(this, memory, controls.value, further.value)
    results = page.results(this, state, language.value)
    return results, state


@app.cell
def _(controls, further, language, page, results, this):
    page.play(this, controls, further, results, language.value)
    return


@app.cell
def _(language, page, results, this, tries):
    page.exercises(this, results, tries, language.value)
    return


@app.cell
def _(language, page, results, state, this):
    page.as_script(this, results, language.value)
    page.take_away(this, state, language.value)
    return


if __name__ == "__main__":
    app.run()
'''


def notebook_text(name: str) -> str:
    """Return the marimo file of a lab."""
    return TEMPLATE.replace("@id@", name).replace("@title@", lab(name).title("en"))


def notebook_path(name: str) -> Path:
    """Return where the marimo file of a lab lies."""
    return FOLDER / f"{name}.py"


if __name__ == "__main__":
    for name in IDS:
        notebook_path(name).write_text(notebook_text(name), encoding="utf-8")
