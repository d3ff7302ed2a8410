"""The shell of every lab, as a marimo notebook: the first lab here, and any other by its id. As a script it prints the lab."""

import marimo

app = marimo.App(width="full", app_title="épée · First steps")


@app.cell
def _():
    from epee.labs.catalogue import lab
    from epee.labs.machinery import page

    this, memory = lab("first_steps"), {}
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
