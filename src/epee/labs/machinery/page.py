"""A lab as a marimo page: each function is one cell of the notebooks.

The inputs (language, controls, answers) are made in cells of their own; what is shown depends on their values, and marimo runs again
only what a change touches. What the controls were set to is remembered, so that a change of language does not lose it.
"""

from __future__ import annotations

import html
from typing import Any

from epee.labs.machinery.canvas import to_img
from epee.labs.machinery.exercises import Goal, Number, Pick, Verdict
from epee.labs.machinery.lab import Choice, Lab, Results, Slider, State, Upload
from epee.labs.machinery.looks import STYLE
from epee.labs.machinery.phrases import say
from epee.labs.machinery.words import formula_parts, localise, tell
from epee.words.catalogue import LANGUAGES


def language_switch() -> Any:
    """Return the switch; ``?lang=fr`` in the address, or ``--lang fr`` of a script, sets where it stands first."""
    import marimo as mo

    asked = mo.query_params().get("lang") or mo.cli_args().get("lang") or "en"
    codes = {name: code for code, name in LANGUAGES.items()}
    return mo.ui.radio(codes, value=LANGUAGES.get(str(asked), LANGUAGES["en"]), inline=True)


def controls(lab: Lab, lang: str, memory: State) -> Any:
    """Return the controls that depend on nothing, as a dictionary of inputs."""
    import marimo as mo

    plain = [c for c in lab.controls if not (isinstance(c, Choice) and callable(c.options))]
    return mo.ui.dictionary({c.name: _input(c, lang, memory, {}) for c in plain})


def further(lab: Lab, lang: str, memory: State, state: State) -> Any:
    """Return the controls whose options depend on the others, and the button of a lab that waits."""
    import marimo as mo

    state = _plain(state)
    late = [c for c in lab.controls if isinstance(c, Choice) and callable(c.options)]
    inputs = {c.name: _input(c, lang, memory, state) for c in late}
    if lab.waits:
        inputs["go"] = mo.ui.run_button(label=say("go", lang))
    return mo.ui.dictionary(inputs)


def _input(control: Any, lang: str, memory: State, state: State) -> Any:
    import marimo as mo

    label = control.label(lang)
    match control:
        case Slider():
            at = memory.get(control.name, control.start)
            return mo.ui.slider(
                steps=list(control.values), value=at if at in control.values else control.start, label=label,
                show_value=True, full_width=True,
            )  # fmt: skip
        case Upload():
            return mo.ui.file(
                filetypes=list(control.endings), max_size=control.limit, label=label, kind="area", multiple=False
            )
        case _:
            offered = control.offered(state)
            if not offered:
                return mo.ui.dropdown({}, label=label)
            names = {words(lang): key for key, words in offered.items()}
            keys = list(offered)
            at = memory.get(control.name, control.start)
            at = at if at in keys else keys[0]
            start = offered[at](lang)
            if sum(len(name) + 4 for name in names) + len(label) > 34:
                return mo.ui.dropdown(names, value=start, label=label, allow_select_none=False, full_width=True)
            return mo.ui.radio(names, value=start, label=label, inline=True)


def _plain(state: State) -> State:
    """Return the state with uploads as (name, bytes)."""
    out: State = {}
    for name, value in state.items():
        if isinstance(value, (tuple, list)):
            out[name] = (value[0].name, value[0].contents) if value else None
        else:
            out[name] = value
    return out


def settled(lab: Lab, memory: State, *parts: State) -> State:
    """Return the state of all the controls, and remember it."""
    state: State = {}
    for part in parts:
        state |= _plain(part)
    memory.update(state)
    return lab.start() | state


def results(lab: Lab, state: State, lang: str) -> Results:
    """Compute; a lab that waits shows that it works."""
    import marimo as mo

    if lab.waits and state.get("go"):
        with mo.status.spinner(title=say("working", lang)):
            return lab.run(state | {"lang": lang})
    return lab.run(state | {"lang": lang})


def tries(lab: Lab, lang: str) -> Any:
    """Return the inputs of the exercises."""
    import marimo as mo

    inputs = []
    for exercise in lab.exercises:
        match exercise:
            case Number():
                inputs.append(mo.ui.text(placeholder="0.25" if lang == "en" else "0,25").form(
                    submit_button_label=say("check", lang), bordered=False))  # fmt: skip
            case Pick():
                names = {words(lang): key for key, words in exercise.options.items()}
                inputs.append(mo.ui.radio(names).form(submit_button_label=say("check", lang), bordered=False))
            case Goal():
                inputs.append(
                    mo.ui.button(value=0, on_click=lambda value: value + 1, label=say("check_settings", lang))
                )
    return mo.ui.array(inputs)


def header(lab: Lab, language: Any) -> Any:
    """Show the title, the question and the switch of the language."""
    import marimo as mo

    lang = language.value
    return mo.Html(
        f'{STYLE}<div class="lab-head"><div class="lab-bar"><a href="../../?lang={lang}">épée · {say("labs", lang)}</a>'
        f'<span class="lab-lang">{language}</span></div><h1>{html.escape(localise(lab.title(lang), lang))}</h1>'
        f'<p class="lab-question">{html.escape(localise(lab.question(lang), lang))}</p>'
        f'<div class="lab-story">{mo.md(localise(lab.story(lang), lang)).text}</div></div>'
    )


def play(lab: Lab, inputs: Any, late: Any, found: Results, lang: str) -> Any:
    """Show the controls, the pictures, the answer and the formula."""
    import marimo as mo

    knobs = "".join(f'<div class="lab-knob">{e}</div>' for part in (inputs, late) for e in part.elements.values())
    answer = lab.say("answer", found, lang)
    pictures = "".join(to_img(f, f"{lab.title(lang)} {i + 1}") for i, f in enumerate(lab.pictures(found, lang)))
    extra = lab.extra(found, lang) if lab.extra else ""
    return mo.Html(
        f'<div class="lab-play"><div class="lab-knobs">{knobs}<div class="lab-answer">{mo.md(answer).text}</div></div>'
        f'<div class="lab-pictures">{pictures}</div></div>{extra}'
        f'<div class="lab-formula">{_formula(lab.say("formula", found, lang))}</div>'
    )


def _formula(text: str) -> str:
    """Return Markdown whose formulas may be broken between their parts, where a narrow screen asks for it."""
    import marimo as mo

    out = []
    for block in text.split("\n\n"):
        if block.startswith("$$"):
            parts = (mo.md(rf"$\displaystyle {part}$").text for part in formula_parts(block[2:-2]))
            out.append('<div class="lab-line">' + "".join(f"<span>{part}</span>" for part in parts) + "</div>")
        else:
            out.append(mo.md(block).text)
    return "".join(out)


def exercises(lab: Lab, found: Results, asked: Any, lang: str) -> Any:
    """Show the three exercises with what each answer is worth."""
    import marimo as mo

    cards = []
    for i, (exercise, input_, value) in enumerate(zip(lab.exercises, asked.elements, asked.value)):
        verdict = exercise.check(value, found) if value not in (None, "", 0) else None
        cards.append(
            f'<div class="lab-card"><div class="lab-prompt"><b>{i + 1}.</b> {mo.md(tell(exercise.prompt, found, lang)).text}</div>'
            f"{input_}{_judged(verdict, lang)}</div>"
        )
    return mo.Html(f'<h2 class="lab-h2">{say("exercises", lang)}</h2><div class="lab-cards">{"".join(cards)}</div>')


def _judged(verdict: Verdict | None, lang: str) -> str:
    import marimo as mo

    if verdict is None:
        return '<div class="lab-verdict" role="status"></div>'
    kind, sign = ("right", "✓") if verdict.right else ("wrong", "✗")
    words = mo.md(localise(verdict.words(lang), lang)).text
    return f'<div class="lab-verdict {kind}" role="status"><span>{sign}</span>{words}</div>'


def take_away(lab: Lab, state: State, lang: str) -> Any:
    """Show the Python lines."""
    import marimo as mo

    return mo.accordion({say("code", lang): mo.md(f"```python\n{lab.script(state, lang)}```")})


def as_script(lab: Lab, found: Results, lang: str) -> None:
    """Print the lab when the notebook is run as a script; ``--figure out.svg`` writes the first picture there."""
    import marimo as mo

    if mo.app_meta().mode != "script":
        return
    print(f"{lab.title(lang)}\n{lab.question(lang)}\n")
    for part in ("formula", "answer"):
        print(lab.say(part, found, lang) + "\n")
    print(lab.script(found.state, lang))
    if path := mo.cli_args().get("figure"):
        lab.pictures(found, lang)[0].savefig(str(path))
