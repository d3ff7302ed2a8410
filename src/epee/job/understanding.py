"""What the columns of a table are for: inputs, target, weight, groups, time; and what was understood, in sentences.

The kinds of columns come from the table room. Here a column gets its role; a column that numbers the rows, holds texts that
hardly come back, or is constant is left out, and each such decision is said aloud and can be overruled with ``types``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.base import say as warn
from epee.job.tallies import Numbers, Tallies
from epee.risk.units import per_row
from epee.table.raw import RawBlock
from epee.table.schema import CLOCK, KINDS, PAIRS, WORDS, Column, Schema, find_name
from epee.table.source import TableSource, is_table, open_table
from epee.table.times import moments_of_texts
from epee.table.values import refuse_bad_weights
from epee.typing import Vector
from epee.words import table_words
from epee.words.job_words import say
from epee.words.numbers import figures, listed, percent, whole

MOST_CLASSES = 200  # more different labels than this are identifiers or numbers, not classes
FEWEST_MEMBERS = 3  # rows of a class: one to learn from, one to test, one to seal
FEW_INTEGERS = 10  # so many different whole numbers, at most, are taken for classes
IGNORE = "ignore"  # what a user says of a column to be left out


@dataclass(frozen=True)
class Understood:
    """A table as the job sees it: its inputs and their kinds, all its columns with their roles, the target, and what to say of them."""

    label: str
    task: str  # "classification" or "regression"
    targets: tuple[str, ...]
    schema: Schema  # of the inputs, with the levels that are learned from
    classes: np.ndarray | None
    columns: list[dict[str, Any]]
    notes: list[str]
    n_read: int
    n: int  # rows with a target

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs."""
        return self.schema.names

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Their kinds."""
        return {c.name: c.kind for c in self.schema}


def understand(
    source: TableSource, roles: dict[str, list[str]], types: dict[str, str], tallies: Tallies, target: Target, notes: list[str]
) -> Understood:  # fmt: skip
    """Give each column its role, from what was counted of it."""
    columns: list[dict[str, Any]] = []
    schema = choose_inputs(source, tallies, roles, types, columns, notes)
    describe_target(target, roles["target"], notes)
    return Understood(
        source.label, target.task, tuple(roles["target"]), schema, target.classes, columns, notes, len(target.there),
        int(target.there.sum()),
    )  # fmt: skip


def open_roles(
    table: Any, target: Any, weight: str | None, groups: str | None, time: str | None, types: dict[str, str]
) -> tuple[TableSource, dict[str, list[str]]]:
    """Open a table and check that the columns the user named are there; returns the source of all its columns."""
    targets = [target] if isinstance(target, str) else list(target)
    if not targets:
        raise WrongUse("which column is to be predicted? Name the target.")
    plain = open_columns(table, types)
    batches, known = plain.batches, plain.types
    everything = list(batches.fields.names)
    roles = {"target": targets}
    for name in targets:
        find_name(name, everything, "target column")
    for role, given in (("weight", weight), ("groups", groups), ("time", time)):
        roles[role] = [] if given is None else [given]
        if given is not None:
            find_name(given, everything, f"{'group' if role == 'groups' else role} column")
    used = [name for names in roles.values() for name in names]
    for name in used:
        if targets.count(name) > 1:
            raise WrongUse(f"the target {name!r} is named twice; name each column once.")
        if used.count(name) > 1:
            raise WrongUse(f"column {name!r} is given two roles among target, weight, groups and time; give it one.")
    # yes and no, as labels, keep their own words
    labels = {name: "category" for name in targets if plain.kind(name) == "boolean"}
    words = {name: "category" for name in roles["groups"] if plain.kind(name) in ("text", "boolean")}
    if labels or words:
        batches = reopen(table, batches, {**known, **labels, **words})
    return TableSource(batches, types={**known, **labels, **words}), roles


def open_columns(table: Any, types: Mapping[str, str]) -> TableSource:
    """Return the source of all columns of a table, those among them that the user knows the kinds of."""
    if not (is_table(table) or isinstance(table, np.ndarray)):
        raise WrongUse("this is no table: give a path, a SQL query, an array, or a frame of pandas, polars or Arrow.")
    for name, kind in types.items():
        if kind not in (*KINDS, IGNORE):
            raise WrongUse(f"column {name!r}: there is no kind {kind!r}; the kinds are {', '.join((*KINDS, IGNORE))}.")
    known = {name: kind for name, kind in types.items() if kind != IGNORE}
    batches = open_table(table, types=known)
    for name in types:
        find_name(name, list(batches.fields.names))
    return TableSource(batches, types=known)


def reopen(table: Any, batches: Any, types: Mapping[str, str]) -> Any:
    """Open a table once more with kinds that are known by now; what came by standard input lies in a spool."""
    spool = getattr(batches, "spool", None)
    again: Any = open_table(spool.path if spool is not None else table, types=types)
    if spool is not None:
        again.spool, again.label = spool, batches.label
    return again


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted: ``values`` of the rows that are ``there``, or classes with the codes of all rows."""

    task: str
    values: np.ndarray | None
    there: np.ndarray
    classes: np.ndarray | None = None
    codes: np.ndarray | None = None
    left: int = 0  # rows of classes too rare to be learned, which are not ``there``
    rare: tuple[str, ...] = ()  # the classes that were left out or joined
    joined: str = ""  # the class that they are joined to

    @cached_property
    def y(self) -> np.ndarray:
        """The values, or the label of each row; these are made when they are asked for."""
        if self.classes is None or self.codes is None:
            assert self.values is not None
            return self.values
        return self.classes[self.codes]


def read_target(
    source: TableSource, raw: RawBlock, targets: list[str], types: dict[str, str], notes: list[str], rare: str = "leave"
) -> Target:
    """Return the task and the target, or say why it cannot be predicted; ``rare`` classes are left out, or joined to one."""
    if len(targets) > 1:
        for name in targets:
            if not isinstance(raw.columns[name], np.ndarray):
                raise WrongUse(
                    f"column {name!r} holds texts: several targets must all be numbers. Learn its classes in a run of their own."
                )
        Y = np.column_stack([raw.columns[name] for name in targets])
        return Target("regression", Y, np.isfinite(Y).all(axis=1))
    name = targets[0]
    column = raw.columns[name]
    numeric = isinstance(column, np.ndarray)
    there = np.isfinite(column) if numeric else column.is_valid().to_numpy(zero_copy_only=False)
    if not there.any():
        raise DataError(f"column {name!r}: all its {len(column)} cells are missing; it cannot be the target.")
    if not numeric:
        coded = column.dictionary_encode()
        labels, codes = np.array(coded.dictionary.to_pylist()), coded.indices.fill_null(0)
        return _classes(name, labels, codes.to_numpy(zero_copy_only=False), there, notes, rare)
    if source.kind(name) == "date":
        raise WrongUse(f"column {name!r} holds dates and cannot be the target; give days since some day as a number.")
    values = column[there]
    if np.ptp(values) == 0:
        raise DataError(f"column {name!r} is {values[0]:g} in every row: there is nothing to predict.")
    if types.get(name) == "number" or not (values == np.floor(values)).all() or np.abs(values).max() >= 2**53:
        return Target("regression", column, there)
    found, codes = _levels(np.where(there, column, values[0]))
    if len(found) > FEW_INTEGERS or len(found) * 5 > len(values):
        return Target("regression", column, there)
    if types.get(name) is None and rare == "leave" and is_tailed(codes[there], len(found)):
        notes.append(say("integers_as_number", target=name, k=len(found)))
        return Target("regression", column, there)
    if len(found) > 2:
        notes.append(say("integers_as_classes", target=name, k=len(found)))
    return _classes(name, found.astype(np.int64), codes, there, notes, rare)


def _levels(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different ones among whole numbers, and the place of each value among them; counted where they lie close, else sorted.

    >>> _levels(np.array([7.0, 5.0, 7.0]))
    (array([5., 7.]), array([1, 0, 1]))
    """
    low, span = values.min(), np.ptp(values)
    if span >= len(values):
        return np.unique(values, return_inverse=True)
    offset = (values - low).astype(np.intp)
    there = np.bincount(offset) > 0
    return low + np.flatnonzero(there), (np.cumsum(there) - 1)[offset]


def is_tailed(codes: np.ndarray, k: int) -> bool:
    """Tell whether whole numbers are counts rather than classes: more than five different ones, the largest in a row or two only.

    >>> is_tailed(np.repeat(np.arange(7), [40, 20, 9, 6, 4, 2, 1]), 7), is_tailed(np.repeat(np.arange(7), 9), 7)
    (True, False)
    """
    return k > 5 and bool(np.bincount(codes, minlength=k)[-1] < FEWEST_MEMBERS)


def _classes(
    name: str, found: np.ndarray, codes: np.ndarray, there: np.ndarray, notes: list[str], how: str = "leave"
) -> Target:
    """Return labels as sorted classes, those too rare to be learned left out or joined aloud; or say why they cannot be learned."""
    joined = ""
    names: tuple[str, ...] = ()
    if how == "join":
        found, codes, joined, names = join_rare(name, found, codes, there, notes)
    order = np.argsort(found, kind="stable")
    classes, codes = found[order], np.argsort(order).astype(np.int32)[codes]
    counts = np.bincount(codes if there.all() else codes[there], minlength=len(classes))
    rare, left = counts < FEWEST_MEMBERS, 0
    refuse_many(name, classes, int(counts.sum()))
    if rare.any() and (~rare).sum() >= 2:
        gone = there & rare[codes]
        left, there = int(gone.sum()), there & ~gone
        shown = [f"{label} ({k})" for label, k in zip(classes[rare].tolist(), counts[rare].tolist(), strict=True) if k]
        names = (*names, *map(str, classes[rare].tolist()))
        if left:
            notes.append(say("left_classes", target=name, k=len(shown), names=listed(shown, 6), rows=whole(left)))
        again = np.where(rare, 0, np.cumsum(~rare) - 1)
        classes, codes, counts = classes[~rare], again[codes], counts[~rare]
    check_classes(name, classes, counts)
    return Target("classification", None, there, classes, codes.astype(np.int16), left, names, joined)


def join_rare(
    name: str, found: np.ndarray, codes: np.ndarray, there: np.ndarray, notes: list[str]
) -> tuple[np.ndarray, np.ndarray, str, tuple[str, ...]]:
    """Return labels of which those too rare to be learned, or beyond the most there may be, are one: its name, and theirs."""
    counts = np.bincount(codes[there], minlength=len(found))
    order = np.argsort(-counts, kind="stable")
    rare = counts < FEWEST_MEMBERS
    if len(found) > MOST_CLASSES:
        rare[order[MOST_CLASSES - 1 :]] = True
    if counts[rare].sum() < FEWEST_MEMBERS:
        return found, codes, "", ()  # none, or together too few as well: these are left out
    texts = [str(label) for label in found.tolist()]
    label = say("other_class")
    while label in texts:
        label += "'"
    names = [texts[k] for k in np.flatnonzero(rare)]
    kept = [texts[k] for k in np.flatnonzero(~rare)]
    place = np.where(rare, len(kept), np.cumsum(~rare) - 1)
    rows = whole(int(counts[rare].sum()))
    notes.append(say("joined_classes", target=name, k=len(names), names=listed(names, 6), rows=rows, label=label))
    return np.array([*kept, label]), place[codes], label, tuple(names)


def refuse_many(name: str, classes: np.ndarray, n: int) -> None:
    """Refuse labels that are too many to be classes."""
    if len(classes) > 1 and (len(classes) > MOST_CLASSES or len(classes) * 2 > n):
        raise DataError(
            f"column {name!r} has {len(classes):,} different labels in {n:,} rows: too many to be classes. Choose another target, "
            f"or say --type {name}=number if they are numbers."
        )


def check_classes(name: str, classes: np.ndarray, counts: np.ndarray) -> None:
    """Say why labels cannot be learned, where that is so."""
    if len(classes) == 1:
        raise DataError(f"column {name!r} is {classes.tolist()[0]!r} in every row: there is nothing to predict.")
    if counts.min() < FEWEST_MEMBERS:
        rare = classes[counts < FEWEST_MEMBERS].tolist()
        more = f" and {len(rare) - 1} more classes have few" if len(rare) > 1 else ""
        raise DataError(
            f"column {name!r}: class {rare[0]!r} has {counts[counts < FEWEST_MEMBERS][0]} rows{more}: at least 3 are needed, to learn "
            "from and to test. Merge it with another class, join rare ones (--rare join), or drop its rows."
        )


def candidates(source: TableSource, roles: dict[str, list[str]], types: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that may be inputs, with the kinds that their types tell."""
    taken = {name for role, names in roles.items() for name in names if not keeps_calendar(source, role, name)}
    found = {name: str(source.kind(name)) for name in source.names if name not in taken and types.get(name) != IGNORE}
    if not found:
        raise DataError(f"{source.label} has no column left to learn from: all have other roles or are left out.")
    return found


def keeps_calendar(source: TableSource, role: str, name: str) -> bool:
    """Tell whether a column that orders the rows is an input too: dates, whose months and weekdays may matter."""
    return role == "time" and str(source.kind(name)) == "date"


def choose_inputs(
    source: TableSource, tallies: Tallies, roles: dict[str, list[str]], types: dict[str, str], columns: list[dict[str, Any]],
    notes: list[str],
) -> Schema:  # fmt: skip
    """Return the inputs; says what was left out and why."""
    role_of = {name: role for role, names in roles.items() for name in names}
    types = {**types, **the_only_number(source, tallies, roles, types)}
    kept: list[Column] = []
    holes: dict[str, int] = {}
    for name in source.names:
        kind = str(source.kind(name))
        if name in role_of and kind == "text":
            kind = "category"  # of a label or a group, whatever the file says
        column = tallies.column(name, kind, types) if name in tallies.columns else Column(name, kind)
        role = role_of.get(name, "input")
        levels = tallies.levels(name) if column.kind == "category" else []
        may = role == "input" or (keeps_calendar(source, role, name) and name in tallies.columns)
        against = reason_to_leave(tallies, column, types) if may else ""
        why = against if role == "input" else ""
        columns.append({
            "name": name, "kind": column.kind, "role": "left out" if why else role, "missing": column.missing or 0,
            "note": why or noted(column.note),
            "levels": levels[:50],
        })  # fmt: skip
        if why:
            notes.append(why)
        elif may and not against:
            kept.append(column)
            if column.missing and column.kind != "text":
                holes[name] = column.missing
            if len(levels) > 50:
                notes.append(say("many_levels", name=name, k=whole(len(levels)), kept=50))
    if not kept:
        raise DataError(
            f"{source.label} has no column left to learn from: " + (notes[-1] if notes else "all have other roles.")
        )
    schema = Schema(tuple(kept))
    notes.append(listed_kinds(schema))
    dates = [c.name for c in kept if c.kind == "date"]
    if dates and not roles["time"] and not roles["groups"]:
        notes.append(say("date_hint", name=dates[0]))
    for key, texts in (("missing_cells", False), ("missing_levels", True)):
        own = {c.name: holes[c.name] for c in schema if c.name in holes and (c.kind == "category") is texts}
        if own:
            notes.append(say(key, k=whole(sum(own.values())), names=listed(list(own), 6)))
    return schema


def the_only_number(
    source: TableSource, tallies: Tallies, roles: Mapping[str, Sequence[str]], types: Mapping[str, str]
) -> dict[str, str]:  # fmt: skip
    """Return a column that seems to number the rows as a number, where there is no other to learn from: then it is what was measured."""
    taken = {name for names in roles.values() for name in names}
    found: dict[str, str] = {}
    for name in source.names:
        if name not in taken and name in tallies.columns:
            column = tallies.column(name, str(source.kind(name)), types)
            why = reason_to_leave(tallies, column, types)
            if not why:
                return {}
            found |= {name: "number"} if why == say("left_identifier", name=name) else {}
    return found if len(found) == 1 else {}


def noted(note: str) -> str:
    """Return the note of a column in the language of the run: dates that have a time of day, texts that are read word by word."""
    known = {CLOCK: "clock", WORDS: "words", PAIRS: "pairs"}
    return table_words.say(known[note]) if note in known else note


def reason_to_leave(tallies: Tallies, column: Column, types: Mapping[str, str]) -> str:
    """Return why a column is left out, or nothing."""
    name, asked = column.name, types.get(column.name)
    if asked == IGNORE:
        return say("left_asked", name=name)
    found = tallies.columns[name]
    if column.missing == tallies.n:
        return say("left_empty", name=name)
    if column.kind == "text" and not column.note:
        return say("left_text", name=name)
    if isinstance(found, Numbers):
        if found.infinite:
            raise DataError(f"column {name!r} holds infinite values; replace them, or leave them empty.")
        if not column.missing and found.constant:
            return say("left_constant", name=name)
        if asked is None and column.kind == "number" and found.numbers_rows(tallies.n):
            return say("left_identifier", name=name)
    elif found.counts is not None and len(found.counts) == 1 and not column.missing:
        return say("left_constant", name=name)
    return ""


def is_silent(name: str, why: str) -> bool:
    """Tell whether a column was left out for a reason by which it says nothing of any row."""
    return why in [say(key, name=name) for key in ("left_identifier", "left_constant", "left_empty", "left_asked")]


def listed_kinds(schema: Schema) -> str:
    """Say how the inputs were taken."""
    parts = []
    for kind in ("number", "boolean", "category", "date", "text", "pairs"):
        those = [c.name for c in schema if ("pairs" if c.note == PAIRS else c.kind) == kind]
        if those:
            parts.append(say(f"took_{kind}", k=len(those), names=listed(those, 6)))
    return say("took", parts=", ".join(parts))


def beside(raw: RawBlock, names: list[str], role: str, rows: np.ndarray) -> Any:
    """Return a column that is no input, weights, groups or times, at some rows."""
    if not names:
        return None
    name, column = names[0], raw.columns[names[0]]
    if not isinstance(column, np.ndarray):
        if role == "weight":
            raise DataError(f"column {name!r} holds texts, but weights are numbers.")
        texts = np.array(column.to_pylist(), dtype=object)
        if role == "time":
            moments, note = moments_of_texts(texts, f"column {name!r}")
            if note:
                warn(note)
            values = moments[rows]
            gone = np.isnan(values)
        else:
            gone = np.array([text is None for text in texts[rows]], dtype=bool)
            values = np.where(gone, "", texts[rows]).astype(np.str_)
    else:
        values = column[rows]
        gone = np.isnan(values)
    if gone.any():
        k = int(gone.sum())
        if role == "groups":
            raise DataError(f"column {name!r}: {k} rows have no group; fill or drop them.")
        raise DataError(
            f"column {name!r}: {k} cells are missing, but it is the {role} column; fill or drop these rows."
        )
    return values


def weights_beside(source: TableSource, raw: RawBlock, names: list[str], rows: np.ndarray) -> Vector | None:
    """Return the weights of some rows in the unit of one row (:func:`epee.risk.units.per_row`); refuse what is no weight by its place."""
    w = beside(raw, names, "weight", rows)
    if w is None:
        return None
    refuse_bad_weights(w, names[0], lambda row: source.batches.where(int(rows[row])))
    refuse_no_weight(float(w.max(initial=0.0)), names[0])
    return per_row(w)[0]


def refuse_no_weight(total: float, name: str) -> None:
    """Refuse a column of weights that adds up to nothing."""
    if not total > 0:
        raise DataError(f"sample_weight: column {name!r} is 0 in every row: there is nothing to learn from.")


def describe_target(target: Target, targets: Sequence[str], notes: list[str]) -> None:
    """Say what is to be predicted, and that the classes are unequal where they are."""
    n = whole(int(target.there.sum()))
    if target.classes is None:
        Y = np.reshape(target.y, (len(target.y), -1))[target.there]
        for name, column in zip(targets, Y.T, strict=True):
            notes.insert(
                0, say("task_numbers", target=name, low=figures(column.min()), high=figures(column.max()), n=n)
            )
        return
    classes = target.classes
    shown = ", ".join(str(c) for c in classes.tolist()[:6]) + (", …" if len(classes) > 6 else "")
    notes.insert(0, say("task_classes", target=targets[0], k=len(classes), shown=shown, n=n))
    assert target.codes is not None
    counts = np.bincount(target.codes[target.there], minlength=len(classes))
    shares = counts / counts.sum()
    if shares.min() < 0.2 / len(classes):
        rare, common = classes[np.argmin(shares)], classes[np.argmax(shares)]
        notes.append(
            say("imbalance", name=rare, share=percent(shares.min(), 1), common=common, rate=percent(shares.max(), 1))
        )
