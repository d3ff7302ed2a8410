"""It writes itself: the command line, the script and the notebook that are equal to what the page does."""

from __future__ import annotations

import csv
import io
import json
import shlex
from typing import Any

from epee.job.budgets import seconds_of
from epee.job.kinds import settled
from epee.job.lags import settled_lags
from epee.job.redo import redo
from epee.words.workbench_words import say
from epee.workbench.question import Question

COSTS = "costs.csv"


def learning(question: Question, table: str, lang: str) -> dict[str, str]:
    """Return the command line and the script of a question."""
    asked: dict[str, Any] = {**question.arguments(), "table": table, "lang": lang, "mute": [], "refit": False}
    asked["seed"], asked["asked_folds"] = asked.pop("random_state"), asked["folds"]
    asked |= {"budget": seconds_of(asked["budget"]), "types": settled(asked["types"])}
    asked["lags"] = settled_lags(asked["lags"], [str(question.target)], question.time)
    lines = redo("learn", asked, [str(question.target)])
    stem = stem_of(table)
    costs = [] if question.costs is None else ["--costs", COSTS]
    command = f"{lines['command']} {shlex.join([*costs, '--output', f'{stem}.epee', '--report', f'{stem}.html'])}"
    script = [
        "import epee", "", f"learned = {lines['python']}", "print(learned)", f"learned.save({stem + '.epee'!r})",
        f"learned.report({stem + '.html'!r})",
    ]  # fmt: skip
    return {"command": command, "script": "\n".join(script) + "\n"}


def exploring(table: str, types: dict[str, str], lang: str) -> dict[str, str]:
    """Return the command line and the script of an exploration."""
    settings = {"table": table, "types": types, "level": 0.95, "seed": 0, "mute": [], "lang": lang}
    lines, page = redo("explore", settings), f"{stem_of(table)}.html"
    return {
        "command": f"{lines['command']} {shlex.join(['--report', page])}",
        "script": f"import epee\n\nexplored = {lines['python']}\nprint(explored)\nexplored.report({page!r})\n",
    }


def predicting(model: str, table: str | None, threshold: float | None = None, trusted: bool = False) -> dict[str, str]:
    """Return the command line and the script of a prediction."""
    rows, out = table or "new.csv", "predictions.csv"
    more = [*(["--trust"] if trusted else ()), *([] if threshold is None else ["--threshold", str(threshold)])]
    by, load = "" if threshold is None else f", threshold={threshold!r}", ", trusted=True" if trusted else ""
    return {
        "command": shlex.join(["epee", "predict", model, rows, *more, "-o", out]),
        "script": f"import epee\n\nlearned = epee.load({model!r}{load})\nprint(learned.predictor.predict({rows!r}{by}))\n",
    }


def notebook(script: str, title: str) -> str:
    """Return a script as a Jupyter notebook, its result shown."""
    imports, _, rest = script.partition("\n\n")
    call, _, after = rest.partition("\n")
    name = call.split(" ")[0]
    saves = [line for line in after.splitlines() if not line.startswith("print(")]
    codes = [imports, f"{call}\n{name}", *(["\n".join(saves)] if saves else [])]
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": [f"# {title}\n", "\n", say("written_by_page")]}
    ]
    cells += [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": code.splitlines(keepends=True)}
        for code in codes
    ]  # fmt: skip
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def costs_file(question: Question, classes: list[str]) -> str:
    """Return the costs as ``--costs`` reads them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["", *classes])
    for label, row in zip(classes, question.costs or (), strict=True):
        writer.writerow([label, *row])
    return out.getvalue()


def stem_of(table: str) -> str:
    """Return what files of a table are called.

    >>> stem_of("sales/ventes 2024.csv"), stem_of("SELECT * FROM 'a.parquet'")
    ('ventes 2024', 'table')
    """
    from epee.table.query import is_query

    if is_query(table):
        return "table"
    name = table.replace("\\", "/").rstrip("/").rpartition("/")[2].split("*")[0].strip("._")
    return name.split(".")[0] or "table"
