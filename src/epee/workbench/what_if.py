"""What if: one row made by hand, what the predictor says of it, and which columns pushed it there (:mod:`epee.job.reasons`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.job.card import plain
from epee.job.predictor import Predictor
from epee.table.raw import RawBlock
from epee.table.schema import Column
from epee.typing import Matrix
from epee.words.workbench_words import say

TINY = 1e-6  # of the largest push, below which one is not shown
SIDE = 32  # cells of a map along a number
Cell = float | str | None


def controls(predictor: Predictor, wholes: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return one control a column: its range or its levels in the training rows, and a typical value to start from.

    ``wholes`` are columns of whole numbers.
    """
    known = predictor.drift.get("columns", {})
    out: list[dict[str, Any]] = []
    for column in predictor.encoder.schema_:
        own = known.get(column.name, {})
        control: dict[str, Any] = {"name": column.name, "kind": column.kind, "missing": own.get("missing", 0.0)}
        if column.kind == "text":
            control["start"] = None
        elif column.kind == "category":
            shares = own.get("shares", {})
            levels = sorted(column.levels or (), key=lambda level: (-shares.get(level, 0.0), level))
            control |= {"levels": levels[:200], "start": levels[0] if levels else None}
        else:
            low, high = own.get("range", (0.0, 1.0))
            mean = own.get("mean", (low + high) / 2)
            whole = column.kind != "number" or column.name in wholes
            start = float(round(mean)) if whole else _rounded(mean, high - low)
            control |= {"low": low, "high": high, "start": start, "whole": whole}
        out.append(control)
    return plain(out)


def _rounded(value: float, width: float) -> float:
    """Return a value with the decimals that its range is worth."""
    decimals = int(np.clip(2 - np.floor(np.log10(width)), 0, 12)) if width > 0 else 6
    return round(float(value), decimals)


def read_row(predictor: Predictor, form: Mapping[str, str]) -> dict[str, Cell]:
    """Return the cells of a form; an empty one is missing."""
    return {c.name: _cell(c, form.get(f"x-{j}", "")) for j, c in enumerate(predictor.encoder.schema_)}


def _cell(column: Column, text: str) -> Cell:
    text = text.strip()
    if not text:
        return None
    if column.kind in ("category", "text"):
        return text
    if column.kind == "date":
        try:
            return float((np.datetime64(text[:10]) - np.datetime64("1970-01-01")).astype(int))
        except ValueError:
            raise WrongUse(say("wrong_date", column=column.name, given=text)) from None
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise WrongUse(say("wrong_cell", column=column.name, given=text))
    return value


def block_of(predictor: Predictor, rows: Mapping[str, list[Cell]], n: int) -> RawBlock:
    """Return columns of cells as rows that a predictor reads."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for c in predictor.encoder.schema_:
        cells = rows.get(c.name, [None] * n)
        if c.kind in ("category", "text"):
            columns[c.name] = pa.array(cells, pa.string())
        else:
            columns[c.name] = np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return RawBlock(columns, rows=n)


def predict_row(predictor: Predictor, row: Mapping[str, Cell], level: float) -> dict[str, Any]:
    """Return the answer for one row, with its interval or probabilities, and what pushed it."""
    X = predictor.encode(block_of(predictor, {name: [cell] for name, cell in row.items()}, 1))
    answer = np.asarray(predictor.model.predict(X)).reshape(-1)
    found: dict[str, Any] = {"targets": list(predictor.targets), "level": level, "classes": [], "probabilities": []}
    if predictor.task == "regression":
        half = np.zeros(len(answer)) if predictor.residuals is None else np.atleast_1d(predictor.half_width(level))
        sure = predictor.residuals is not None and len(predictor.residuals) > 0
        found |= {"values": answer, "low": answer - half if sure else None, "high": answer + half if sure else None}
    else:
        classes = [str(c) for c in predictor.classes_.tolist()]
        found["label"] = _decided(answer.tolist()[0], classes)
        if predictor.has_probabilities:
            found |= {"classes": classes, "probabilities": predictor.model.predict_proba(X)[0]}
    return plain(found | pushes(predictor, X, answer[0]))


def _decided(label: Any, classes: list[str]) -> str:
    """Return the name of a decision; what is no class is that nothing is decided."""
    return str(label) if str(label) in classes else say("rejected")


def pushes(predictor: Predictor, X: Matrix, answer: Any) -> dict[str, Any]:
    """Return what each column adds to the answer, largest first, from the mean of the training rows on; nothing where it cannot be said."""
    try:
        predictor.require_reasons()
    except WrongUse:
        return {"about": None, "pushes": [], "from": None, "to": None}
    base, values = predictor.reasons(X)
    added = values[0]
    order = np.argsort(-np.abs(added), kind="stable")
    names = list(predictor.encoder.encoded_columns)
    listed = [{"column": names[j], "value": added[j]} for j in order if abs(added[j]) > TINY * np.abs(added).max()]
    about = predictor.targets[0] if predictor.task == "regression" else str(answer)
    if (
        predictor.task == "classification" and answer not in predictor.classes_
    ):  # nothing decided: why the likeliest class is likely
        about = str(predictor.classes_.tolist()[int(np.argmax(predictor.model.predict_proba(X)[0]))])
    return {"about": about, "pushes": listed, "from": base[0], "to": base[0] + added.sum()}


def map_of(predictor: Predictor, row: Mapping[str, Cell], a: str, b: str) -> dict[str, Any]:
    """Return the answers on a grid of two columns, the others as in the row: classes with their probability, or numbers."""
    by_name = {control["name"]: control for control in controls(predictor)}
    if a not in by_name or b not in by_name or a == b or "text" in (by_name[a]["kind"], by_name[b]["kind"]):
        raise WrongUse(say("two_columns"))
    xs, ys = _ticks(by_name[a]), _ticks(by_name[b])
    n = len(xs) * len(ys)
    columns: dict[str, list[Cell]] = {name: [cell] * n for name, cell in row.items()}
    columns[a] = [x for _ in ys for x in xs]
    columns[b] = [y for y in ys for _ in xs]
    X = predictor.encode(block_of(predictor, columns, n))
    found: dict[str, Any] = {
        "a": by_name[a],
        "b": by_name[b],
        "x": xs,
        "y": ys,
        "at": [row.get(a), row.get(b)],
        "classes": [],
    }
    answer = np.asarray(predictor.model.predict(X)).reshape(n, -1)[:, 0]
    if predictor.task == "regression":
        return plain(found | {"values": answer.reshape(len(ys), len(xs))})
    classes = [str(c) for c in predictor.classes_.tolist()]
    decided = [_decided(label, classes) for label in answer.tolist()]
    names = list(dict.fromkeys([*classes, *decided]))  # that nothing is decided may come last
    codes = np.array([names.index(label) for label in decided])
    sure = predictor.model.predict_proba(X).max(axis=1) if predictor.has_probabilities else np.ones(n)
    return plain(
        found | {"classes": names, "codes": codes.reshape(len(ys), len(xs)), "sure": sure.reshape(len(ys), len(xs))}
    )


def _ticks(control: Mapping[str, Any]) -> list[Any]:
    if control["kind"] == "category":
        return list(control["levels"][:SIDE])
    if control["kind"] == "boolean":
        return [0.0, 1.0]
    return np.linspace(control["low"], control["high"], SIDE).tolist()
