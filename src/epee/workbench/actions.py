"""What a page can ask for: each action changes the session, and returns the parts of the page that changed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from epee.errors import WrongUse
from epee.settings import options
from epee.words.workbench_words import say
from epee.workbench import drawings, pages, scripts
from epee.workbench.board import Board
from epee.workbench.crew import Fault
from epee.workbench.question import Question, threshold_of
from epee.workbench.sessions import Session

BEAT = 1.0  # seconds between two looks at the clock of a run
ALL = ("table", "question", "run", "answer", "explored", "what_if", "script")


def faulted(s: Session, part: str) -> str:
    """Return the part that shows a fault."""
    if part == "predict":
        return _predictions(s)
    return pages.parts(s, part) + pages.status(s.faults.get(part, ""))


async def open_table(s: Session, form: Mapping[str, Any], brought: bool = False) -> str:
    """Open a table or a saved predictor: what was open before is forgotten once the new one can be read."""
    if s.doing:
        return _busy(s, "table")
    name = str(form.get("table") or "").strip()
    if form.get("sample"):
        from epee.samples.catalogue import path

        name = str(path(str(form["sample"])))
    try:
        if name.lower().endswith(".epee"):
            answer = await s.ask("load", path=name, brought=brought, trusted=s.trusted)
            s.forget_answer()
            s.table, s.card, s.target, s.question, s.brought = None, None, None, Question(), brought
            s.answer, s.model = answer, Path(name).name if brought else name
            if s.rows:
                rows, s.rows = s.rows, None
                await predict(s, {"table": rows})
        else:
            card = await s.ask("open", table=name, brought=brought, types={})
            s.forget_answer()
            s.table, s.brought, s.card, s.target, s.question = name, brought, card, None, Question()
    except Fault as fault:
        s.faults = {"table": str(fault)}
        return pages.parts(s, "table")
    return pages.parts(s, *ALL) + pages.status("")


def _busy(s: Session, part: str) -> str:
    with options(language=s.lang):
        s.faults = {part: say("busy")}
    return pages.parts(s, part)


def _name(s: Session, form: Mapping[str, Any]) -> str:
    assert s.card is not None
    return str(s.card["columns"][int(form["column"])]["name"])


async def role(s: Session, form: Mapping[str, Any]) -> str:
    """Give a column a role."""
    if s.card is None or s.doing:
        return _busy(s, "table")
    return await _asked_anew(s, s.question.with_role(_name(s, form), str(form["role"])))


async def kind(s: Session, form: Mapping[str, Any]) -> str:
    """Take a column as another kind."""
    if s.card is None or s.doing:
        return _busy(s, "table")
    return await _asked_anew(s, s.question.with_kind(_name(s, form), str(form["kind"])))


async def _asked_anew(s: Session, new: Question) -> str:
    """Ask another question: where a kind changed, the table is looked at again."""
    try:
        if dict(new.types) != dict(s.question.types):
            s.card = await s.ask("open", table=s.table, brought=s.brought, types=dict(new.types))
        target = None if new.target is None else await s.ask("target", column=new.target)
    except Fault as fault:
        s.faults = {"table": str(fault)}
        return pages.parts(s, "table")
    s.question, s.target, s.faults = new, target, {}
    return pages.parts(s, "table", "question", "script")


async def question(s: Session, form: Any) -> str:
    """Take what the form says; only what it leads to is shown anew."""
    try:
        _read(s, form)
    except WrongUse as fault:
        s.faults = {"question": str(fault)}
        return pages.parts(s, "question")
    had = s.faults.pop("question", None)
    return pages.parts(s, *(["question"] if had else []), "script")


def _read(s: Session, form: Any) -> None:
    ticked = [str(key) for key in form.getlist("predictors")] if form.get("ticked") else None
    size = len(s.target["classes"]) if s.target else 0
    with options(language=s.lang):
        plain = {str(k): str(v) for k, v in form.items()}
        s.question = s.question.with_form(plain, ticked, size, trusted=s.trusted)


async def learn(s: Session, form: Any) -> str:
    """Begin a run; it goes on beside, and tells the page of itself."""
    if s.doing:
        return _busy(s, "question")
    try:
        _read(s, form)
    except WrongUse as fault:
        s.faults = {"question": str(fault)}
        return pages.parts(s, "question")
    s.forget_answer()
    s.doing, s.board = "learn", Board(s.question.budget)
    s.begin(_learning(s))
    return pages.parts(s, "question", "run", "answer", "explored", "what_if", "script")


async def _learning(s: Session) -> None:
    board = s.board
    assert board is not None

    def hear(name: str, data: Any) -> None:
        board.hear(name, data)
        if name == "progress":
            s.tell(pages.progress(s))
            return
        words = ""
        if name == "line":
            with options(language=s.lang):
                words = drawings.board_lines(board)[[line["key"] for line in board.lines].index(data["key"])]
        s.tell(pages.parts(s, "run") + pages.status(words))

    s.hear = hear
    clock = asyncio.get_running_loop().create_task(_clock(s))
    try:
        asked = s.question
        found = await s.ask("learn", table=s.table, brought=s.brought, question=asked, lang=s.lang)
        s.answer = found | {"question": asked}
    except Fault as fault:
        s.faults = {"run": str(fault)}
        s.board = board if board.lines else None
    finally:
        clock.cancel()
        s.doing, s.hear = "", lambda name, data: None
    with options(language=s.lang):
        words = say("the_answer") if s.answer else ""
    s.tell(pages.parts(s, "question", "run", "answer", "what_if", "script") + pages.status(words))


async def _clock(s: Session) -> None:
    while True:
        await asyncio.sleep(BEAT)
        s.tell(pages.progress(s))


async def stop(s: Session, form: Any) -> str:
    """End the run with what is done."""
    if s.doing == "learn" and s.board is not None:
        s.board.stopping = True
        s.stop()
    return pages.parts(s, "run")


async def explore(s: Session, form: Any) -> str:
    """Look at the table without a target."""
    if s.doing or s.card is None:
        return _busy(s, "question")
    s.forget_answer()
    s.doing = "explore"
    s.begin(_exploring(s))
    return pages.parts(s, "question", "run", "answer", "explored", "what_if", "script")


async def _exploring(s: Session) -> None:
    try:
        types = dict(s.question.types)
        s.explored = await s.ask("explore", table=s.table, brought=s.brought, types=types, lang=s.lang)
    except Fault as fault:
        s.faults = {"run": str(fault)}
    finally:
        s.doing = ""
    with options(language=s.lang):
        words = say("the_exploration") if s.explored else ""
    s.tell(pages.parts(s, "question", "run", "explored", "script") + pages.status(words))


async def look(s: Session, form: Mapping[str, Any]) -> str:
    """Return a closer look at one predictor."""
    try:
        return pages.look(s, await s.ask("look", key=str(form["key"])))
    except Fault as fault:
        return pages.piece(s, "said", fault=str(fault))


async def rows(s: Session, form: Mapping[str, Any]) -> str:
    """Return the rows of a cell of the confusion table."""
    try:
        found = await s.ask("rows", true=int(form["true"]), decided=int(form["decided"]))
        return pages.piece(s, "cell", cell=found)
    except Fault as fault:
        return pages.piece(s, "said", fault=str(fault))


async def first(s: Session, form: Mapping[str, Any]) -> str:
    """Return more of the first rows."""
    return pages.piece(s, "rows", **pages.rows_after(s, int(form["after"]))) if s.card else ""


async def columns(s: Session, form: Mapping[str, Any]) -> str:
    """Return the columns whose names hold a text."""
    return pages.piece(s, "columns", **pages.columns_like(s, str(form.get("find", "")))) if s.card else ""


async def what_if(s: Session, form: Mapping[str, Any]) -> str:
    """Return what the predictor says of a row made by hand."""
    cells = {str(k): str(v) for k, v in form.items() if str(k).startswith("x-")}
    try:
        return pages.said(s, await s.ask("what_if", form=cells, a=form.get("a") or None, b=form.get("b") or None))
    except Fault as fault:
        return pages.piece(s, "said", fault=str(fault))


async def predict(s: Session, form: Mapping[str, Any], brought: bool = False) -> str:
    """Predict the rows of a table."""
    name = str(form.get("table") or "").strip()
    try:
        with options(language=s.lang):
            t = threshold_of(str(form.get("threshold") or ""))
        s.predictions = await s.ask("predict", table=name, brought=brought, threshold=t) | {
            "table": name,
            "threshold": t,
        }
        s.faults.pop("predict", None)
    except (Fault, WrongUse) as fault:
        s.predictions = None
        s.faults = {"predict": str(fault)}
    return _predictions(s)


def _predictions(s: Session) -> str:
    inner = pages.piece(s, "predictions")
    return f'<div id="wb-predictions" hx-swap-oob="true">{inner}</div>' + pages.parts(s, "script")


async def saved(s: Session, name: str) -> tuple[bytes, str]:
    """Return a file to be kept, and its type."""
    ending = name.rpartition(".")[2]
    with options(language=s.lang):
        if name == "costs.csv" and s.target is not None:
            return scripts.costs_file(s.question, s.target["classes"]).encode(), "text/csv"
        lines = pages.written(s)
        if ending in ("py", "ipynb") and lines is not None:
            text = lines["script"] if ending == "py" else scripts.notebook(lines["script"], name.rpartition(".")[0])
            return text.encode(), "text/x-python" if ending == "py" else "application/x-ipynb+json"
    if name == "predictions.csv" and s.predictions is not None:
        return await asyncio.to_thread(Path(s.predictions["path"]).read_bytes), "text/csv"
    what = f"explored-{ending}" if name.endswith(("-explored.html", "-explored.json")) else ending
    place = await s.ask("save", kind=what)
    kinds = {"html": "text/html", "json": "application/json"}
    return await asyncio.to_thread(Path(place).read_bytes), kinds.get(ending, "application/octet-stream")
