"""What the page shows of a table before anything is learned: its first rows, and a card for each column.

The kinds, the levels, the missing cells and the reasons to leave a column out are those of :func:`epee.learn`: the same functions
say them here. Counts are of all rows, from one pass; pictures and quartiles of those that are looked at, a seeded sample of a large table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time
from typing import Any

import numpy as np

from epee.job import policy
from epee.job.card import plain
from epee.job.exploration_facts import column_facts
from epee.job.holding import hold
from epee.job.survey import Survey, survey
from epee.job.understanding import FEW_INTEGERS, IGNORE, MOST_CLASSES, open_columns, read_target, reason_to_leave
from epee.table.raw import RawBlock
from epee.table.source import TableSource, open_table
from epee.words.workbench_words import say

FIRST_ROWS = 500  # that the page may scroll through
LONGEST = 200  # characters of a cell that are shown
SEED = 0


@dataclass(eq=False)
class Opened:
    """A table that was looked at once: ``table`` as :func:`epee.learn` takes it, its kinds as asked, and what one pass told."""

    table: Any
    types: dict[str, str]
    source: TableSource
    found: Survey
    raw: RawBlock  # the rows that are looked at
    kinds: dict[str, str]
    names: list[str] = field(default_factory=list)


def open_once(table: Any, types: dict[str, str]) -> Opened:
    """Open a table and read it once."""
    source, held = hold(open_columns(table, types), policy.POLICY)
    kinds = {name: str(source.kind(name)) for name in source.names}
    found, raw, _ = survey(source, held, kinds, policy.POLICY, SEED)
    return Opened(table, dict(types), source, found, raw, kinds, list(source.names))


def card_of_table(opened: Opened) -> dict[str, Any]:
    """Return what the page shows, as plain data."""
    columns = []
    for name in opened.names:
        facts = column_facts(opened.found, opened.raw, name, opened.kinds[name], opened.types, 0.95)
        known = opened.found.tallies.column(name, opened.kinds[name], opened.types)
        facts |= {
            "left": reason_to_leave(opened.found.tallies, known, opened.types),
            "asked": opened.types.get(name, ""),
        }
        columns.append(facts)
    return plain({
        "label": opened.source.label, "rows": opened.found.tallies.n, "looked": len(opened.raw), "columns": columns,
        "notes": list(opened.source.notes), "first": first_rows(opened),
    })  # fmt: skip


def target_of(opened: Opened, name: str) -> dict[str, Any]:
    """Return what a column is as a target: ``task`` and ``classes``, and ``why`` it cannot be one, as a key of the words."""
    facts = column_facts(opened.found, opened.raw, name, opened.kinds[name], opened.types, 0.95)
    kind, either = facts["kind"], False
    if not facts["distinct"] or kind == "date" or (kind == "text" and facts["distinct"] > MOST_CLASSES):
        return {"task": None, "classes": [], "either": False, "why": "empty" if not facts["distinct"] else kind}
    if kind == "boolean":
        classes = _labels_of_boolean(opened, name)
    elif kind in ("category", "text"):
        classes = opened.found.tallies.levels(name)
    elif facts["distinct"] == 1:
        classes = ["1"]
    else:
        found = read_target(opened.source, opened.raw, [name], opened.types, [])
        classes = [] if found.classes is None else [str(c) for c in found.classes.tolist()]
        either = facts["distinct"] <= 2 * FEW_INTEGERS
    there = opened.found.tallies.n - facts["missing"]
    why = "one" if len(classes) == 1 else "many" if len(classes) > min(MOST_CLASSES, there / 2) else ""
    return {"task": "classification" if classes else "regression", "classes": classes, "either": either, "why": why}


def _labels_of_boolean(opened: Opened, name: str) -> list[str]:
    """Return yes and no in the words of the table, as the labels of a target keep them."""
    kept = {other: kind for other, kind in opened.types.items() if kind != IGNORE}
    batches = open_table(opened.table, types={**kept, name: "category"})
    column = TableSource(batches, types={name: "category"}, columns=[name]).column_schema(name)
    return list(column.levels or ())


def first_rows(opened: Opened, most: int = FIRST_ROWS) -> list[list[str]]:
    """Return the first rows as texts, each cell as the file has it where it can be read so."""
    rows: list[list[str]] = []
    for batch in opened.source.batches.read(opened.names, most):
        columns = [[_text(cell) for cell in column.to_pylist()] for column in batch.slice(0, most - len(rows)).columns]
        rows += [list(row) for row in zip(*columns, strict=True)]
        if len(rows) >= most:
            break
    return rows


def rows_at(raw: RawBlock, places: np.ndarray) -> list[list[str]]:
    """Return some rows at hand as texts."""
    from epee.job.holding import take

    some = take(raw, np.asarray(places))
    columns = []
    for cells in some.columns.values():
        listed = cells.tolist() if isinstance(cells, np.ndarray) else cells.to_pylist()
        columns.append([_text(cell) for cell in listed])
    return [list(row) for row in zip(*columns, strict=True)]


def _text(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, bool):
        return say("yes" if cell else "no")
    if isinstance(cell, datetime) and cell.time() == time():
        cell = cell.date()
    text = f"{cell:.6g}" if isinstance(cell, float) else str(cell)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
