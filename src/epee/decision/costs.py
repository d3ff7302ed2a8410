"""Costs of decisions: a table with one row a decision and one column a true class, checked, or read from a CSV with
names.

The file names the true classes in its first line and the decision at the head of each further line::

    decide,healthy,ill
    healthy,0,10
    ill,1,0
    reject,0.5,0.5

Rows and columns may come in any order. Semicolons, tabs and decimal commas are understood.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np

from epee.errors import BadFile, WrongUse
from epee.typing import Labels, Matrix

REJECT = "reject"


def check_costs(costs: Any, classes: Labels, reject_cost: float | None = None, reject_label: Any = None) -> Matrix:
    """Return costs (K, K), or (K + 1, K) when rejection is possible, in the order of ``classes``; or raise a sentence.

    >>> check_costs(None, np.array(["a", "b"]), reject_cost=0.2)
    array([[0. , 1. ],
           [1. , 0. ],
           [0.2, 0.2]])
    """
    K = len(classes)
    if costs is None:
        table = 1.0 - np.eye(K)
    elif isinstance(costs, str | os.PathLike):
        table = read_costs(costs, classes, reject_label)
    elif hasattr(costs, "columns") and hasattr(costs, "index"):
        names = [str(name) for name in costs.index], [str(name) for name in costs.columns]
        table = arrange(np.asarray(costs, dtype=np.float64), *names, classes, reject_label, "costs")
    else:
        try:
            table = np.asarray(costs, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise WrongUse(f"the costs {costs!r} are not a table of numbers.") from error
    if table.shape not in ((K, K), (K + 1, K)):
        raise WrongUse(
            f"the costs have shape {table.shape}; with {K} classes they must be {K} x {K}, or {K + 1} x {K} with a last row for rejection."
        )
    bad = ~(np.isfinite(table) & (table >= 0))
    if bad.any():
        d, t = np.argwhere(bad)[0]
        decision = REJECT if d == K else classes[d]
        raise WrongUse(
            f"costs[{d}, {t}] (deciding {str(decision)!r} when {str(classes[t])!r} is true) is {table[d, t]}; "
            "a cost must be finite and not negative."
        )
    if reject_cost is None:
        return table
    if not np.isfinite(reject_cost) or reject_cost < 0:
        raise WrongUse(f"reject_cost is {reject_cost!r}; it must be finite and not negative.")
    if len(table) > K:
        raise WrongUse("the costs have a row for rejection already; give either that row or reject_cost.")
    return np.vstack([table, np.full(K, float(reject_cost))])


def read_costs(path: str | os.PathLike[str], classes: Labels | None = None, reject_label: Any = None) -> Matrix:
    """Return the costs in a CSV file with named rows and columns, in the order of ``classes`` (that of the file by default)."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadFile(f"the costs in {os.fspath(path)!r} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"{os.fspath(path)}: byte {error.start} is not UTF-8; save the file as UTF-8.") from error
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 3:
        raise BadFile(f"{os.fspath(path)}: a table of costs has a line of class names and at least two lines of costs.")
    mark = max((";", "\t", ","), key=lambda m: (lines[0].count(m), m == ";"))
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
    columns, names, values = rows[0][1:], [], []
    for i, row in enumerate(rows[1:], 2):
        if len(row) != len(columns) + 1:
            raise BadFile(
                f"{os.fspath(path)}, line {i}: {len(row)} cells where {len(columns) + 1} are needed (a name and {len(columns)} costs)."
            )
        names.append(row[0])
        values.append(
            [
                _number(cell, mark, f"{os.fspath(path)}, line {i}, column {c!r}")
                for cell, c in zip(row[1:], columns, strict=True)
            ]
        )
    labels = np.asarray(columns) if classes is None else classes
    return arrange(np.array(values), names, columns, labels, reject_label, os.fspath(path))


def _number(cell: str, mark: str, where: str) -> float:
    try:
        return float(cell.replace(",", ".") if mark != "," else cell)
    except ValueError:
        raise BadFile(f"{where}: {cell!r} is not a number.") from None


def arrange(
    values: Matrix, rows: list[str], columns: list[str], classes: Labels, reject_label: Any, where: str
) -> Matrix:
    """Return a named table in the order of the classes, rejection last."""
    wanted = [str(label) for label in classes.tolist()]
    rejection = {REJECT, "rejet", str(reject_label) if reject_label is not None else REJECT} - set(wanted)
    for names, what in ((rows, "row"), (columns, "column")):
        if len(set(names)) < len(names):
            raise WrongUse(f"{where}: two {what}s are called {next(n for n in names if names.count(n) > 1)!r}.")
    missing = [label for label in wanted if label not in columns] or [label for label in wanted if label not in rows]
    strangers = [name for name in columns if name not in wanted] or [
        r for r in rows if r not in wanted and r not in rejection
    ]
    if missing or strangers:
        what = (
            f"class {missing[0]!r} has no {'column' if missing[0] not in columns else 'row'}"
            if missing
            else f"{strangers[0]!r} is no class"
        )
        raise WrongUse(
            f"{where}: {what}; the classes are {', '.join(map(repr, wanted))}, and a row {REJECT!r} may be added."
        )
    order = [rows.index(label) for label in wanted] + [i for i, r in enumerate(rows) if r not in wanted]
    return values[order][:, [columns.index(label) for label in wanted]]
