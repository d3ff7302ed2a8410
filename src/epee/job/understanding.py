"""What the columns of a table are for: inputs, target, weight, groups, time; and what was understood, in sentences.

The kinds of columns come from the table room. Here a column gets its role; a column that numbers the rows, holds texts that
hardly come back, or is constant is left out, and each such decision is said aloud and can be overruled with ``types``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from epee.errors import DataError, EmptyTable, WrongUse
from epee.table.block import check_weights
from epee.table.raw import RawBlock
from epee.table.schema import CLOCK, KINDS, Column, find_name
from epee.table.source import TableSource, is_table, open_table
from epee.typing import Vector
from epee.words.job_words import say
from epee.words.numbers import figures, listed, percent, whole

MOST_CLASSES = 200  # more different labels than this are identifiers or numbers, not classes
FEW_INTEGERS = 10  # so many different whole numbers, at most, are taken for classes
IGNORE = "ignore"  # what a user says of a column to be left out


@dataclass(frozen=True)
class Understood:
    """A table as the job sees it: rows column by column, the target, and what goes beside it."""

    label: str
    task: str  # "classification" or "regression"
    targets: tuple[str, ...]
    names: tuple[str, ...]  # the inputs
    kinds: dict[str, str]
    raw: RawBlock  # inputs, column by column, of all rows
    y: np.ndarray  # labels (n,), or numbers (n,) or (n, m)
    classes: np.ndarray | None
    weight: Vector | None
    groups: np.ndarray | None
    time: Vector | None
    columns: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    n_read: int = 0

    @property
    def n(self) -> int:
        """Rows that can be learned from."""
        return len(self.raw)


def understand(source: TableSource, roles: dict[str, list[str]], asked: dict[str, str]) -> Understood:
    """Read a table into memory and give each column its role."""
    whole_table = gather_raw(source)
    notes = list(source.notes)
    target = read_target(source, whole_table, roles["target"], asked, notes)
    task, y, classes, there = target.task, target.y, target.classes, target.there
    if not there.all():
        notes.append(say("dropped_rows", k=whole(int((~there).sum())), target=", ".join(roles["target"])))
        whole_table, y = take(whole_table, np.flatnonzero(there)), y[there]
    columns: list[dict[str, Any]] = []
    names, kinds = choose_inputs(source, whole_table, roles, asked, columns, notes)
    n = len(whole_table)
    if n < 8:
        raise DataError(
            f"{source.label} has {n} rows with a target: too few to learn from and to test; at least 8 are needed."
        )
    beside = {role: _beside(whole_table, roles[role], role) for role in ("weight", "groups", "time")}
    inputs = replace(whole_table, columns={name: whole_table.columns[name] for name in names})
    describe_target(task, roles["target"], y, classes, notes)
    return Understood(
        source.label, task, tuple(roles["target"]), tuple(names), kinds, inputs, y, classes, beside["weight"], beside["groups"],
        beside["time"], columns, notes, len(there),
    )  # fmt: skip


def open_roles(
    table: Any, target: Any, weight: str | None, groups: str | None, time: str | None, types: dict[str, str]
) -> tuple[TableSource, dict[str, list[str]]]:
    """Open a table and check that the columns the user named are there; returns the source of all its columns."""
    targets = [target] if isinstance(target, str) else list(target)
    if not targets:
        raise WrongUse("which column is to be predicted? Name the target.")
    if not is_table(table):
        raise WrongUse(
            "the table must have named columns: give a path, a SQL query, or a frame of pandas, polars or Arrow."
        )
    for name, kind in types.items():
        if kind not in (*KINDS, IGNORE):
            raise WrongUse(f"column {name!r}: there is no kind {kind!r}; the kinds are {', '.join((*KINDS, IGNORE))}.")
    known = {name: kind for name, kind in types.items() if kind != IGNORE}
    batches = open_table(table, types=known)
    everything = list(batches.fields.names)
    for name in types:
        find_name(name, everything)
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
    plain = TableSource(batches, types=known)
    # yes and no, as labels, keep their own words
    labels = {name: "category" for name in targets if plain._kind(name) == "boolean"}
    words = {name: "category" for name in roles["groups"] if plain._kind(name) in ("text", "boolean")}
    if labels or words:
        batches = reopen(table, batches, {**known, **labels, **words})
    return TableSource(batches, types={**known, **labels, **words}), roles


def reopen(table: Any, batches: Any, types: Mapping[str, str]) -> Any:
    """Open a table once more with kinds that are known by now; what came by standard input lies in a spool."""
    spool = getattr(batches, "spool", None)
    again: Any = open_table(spool.path if spool is not None else table, types=types)
    if spool is not None:
        again.spool, again.label = spool, batches.label
    return again


def gather_raw(source: TableSource) -> RawBlock:
    """Return all rows of a table as one block of columns."""
    import pyarrow as pa

    blocks = list(source.raw_blocks(1 << 16))
    if not blocks:
        raise EmptyTable(f"{source.label} has a header but no rows.")
    columns = {}
    for name in blocks[0].columns:
        parts = [block.columns[name] for block in blocks]
        if isinstance(parts[0], np.ndarray):
            columns[name] = np.concatenate(parts).astype(np.float64, copy=False)
        else:
            columns[name] = pa.chunked_array(parts).combine_chunks() if len(parts) > 1 else parts[0]
    return RawBlock(columns, rows=sum(len(block) for block in blocks))


def take(raw: RawBlock, rows: np.ndarray) -> RawBlock:
    """Return some rows of a block."""
    import pyarrow as pa

    index = pa.array(rows)
    columns = {
        name: column[rows] if isinstance(column, np.ndarray) else column.take(index)
        for name, column in raw.columns.items()
    }
    return RawBlock(columns, rows=len(rows))


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted: values or labels ``y`` of the rows that are ``there``; classes with codes of all rows."""

    task: str
    y: np.ndarray
    there: np.ndarray
    classes: np.ndarray | None = None
    codes: np.ndarray | None = None


def read_target(
    source: TableSource, raw: RawBlock, targets: list[str], types: dict[str, str], notes: list[str]
) -> Target:
    """Return the task and the target, or say why it cannot be predicted."""
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
        return _classes(
            name,
            np.array(coded.dictionary.to_pylist()),
            coded.indices.fill_null(0).to_numpy(zero_copy_only=False),
            there,
        )
    if source._kind(name) == "date":
        raise WrongUse(f"column {name!r} holds dates and cannot be the target; give days since some day as a number.")
    values = column[there]
    if np.ptp(values) == 0:
        raise DataError(f"column {name!r} is {values[0]:g} in every row: there is nothing to predict.")
    if types.get(name) == "number" or not (values == np.floor(values)).all() or np.abs(values).max() >= 2**53:
        return Target("regression", column, there)
    found, codes = np.unique(np.where(there, column, values[0]), return_inverse=True)
    if len(found) > FEW_INTEGERS or len(found) * 5 > len(values):
        return Target("regression", column, there)
    if len(found) > 2:
        notes.append(say("integers_as_classes", target=name, k=len(found)))
    return _classes(name, found.astype(np.int64), codes, there)


def _classes(name: str, found: np.ndarray, codes: np.ndarray, there: np.ndarray) -> Target:
    """Return labels as sorted classes, or say why they cannot be learned."""
    order = np.argsort(found, kind="stable")
    place = np.empty(len(found), dtype=np.intp)
    place[order] = np.arange(len(found))
    classes, codes = found[order], place[codes]
    check_classes(name, classes, np.bincount(codes[there], minlength=len(classes)))
    return Target("classification", classes[codes], there, classes, codes)


def check_classes(name: str, classes: np.ndarray, counts: np.ndarray) -> None:
    """Say why labels cannot be learned, where that is so."""
    n = int(counts.sum())
    if len(classes) == 1:
        raise DataError(f"column {name!r} is {classes.tolist()[0]!r} in every row: there is nothing to predict.")
    if len(classes) > MOST_CLASSES or len(classes) * 2 > n:
        raise DataError(
            f"column {name!r} has {len(classes):,} different labels in {n:,} rows: too many to be classes. Choose another target, "
            f"or say --type {name}=number if they are numbers."
        )
    if counts.min() < 3:
        rare = classes[counts < 3].tolist()
        more = f" and {len(rare) - 1} more classes have few" if len(rare) > 1 else ""
        raise DataError(
            f"column {name!r}: class {rare[0]!r} has {counts[counts < 3][0]} rows{more}: at least 3 are needed, to learn from and to test. "
            "Merge it with another class, or drop its rows."
        )


def choose_inputs(
    source: TableSource, raw: RawBlock, roles: dict[str, list[str]], types: dict[str, str], columns: list[dict[str, Any]],
    notes: list[str],
) -> tuple[list[str], dict[str, str]]:  # fmt: skip
    """Return the inputs and their kinds; says what was left out and why."""
    role_of = {name: role for role, names in roles.items() for name in names}
    names, kinds = [], {}
    holes: dict[str, int] = {}
    for name in source.names:
        column = describe(source, raw, name, types)
        role, why = role_of.get(name, "input"), ""
        if role == "input":
            why = reason_to_leave(raw, column, types)
            role = "left out" if why else "input"
        columns.append({
            "name": name, "kind": column.kind, "role": role, "missing": column.missing or 0,
            "note": why or (clock() if column.note == CLOCK else column.note),
            "levels": list(column.levels[:50]) if column.levels else [],
        })  # fmt: skip
        if why:
            notes.append(why)
        elif role == "input":
            names.append(name)
            kinds[name] = column.kind
            if column.missing:
                holes[name] = column.missing
            if column.levels and len(column.levels) > 50:
                notes.append(say("many_levels", name=name, k=whole(len(column.levels)), kept=50))
    if not names:
        raise DataError(
            f"{source.label} has no column left to learn from: " + (notes[-1] if notes else "all have other roles.")
        )
    notes.append(listed_kinds(names, kinds))
    if holes:
        notes.append(say("missing_cells", k=whole(sum(holes.values())), names=listed(list(holes), 6)))
    return names, kinds


def clock() -> str:
    """Return the note of dates that have a time of day, in the language of the run."""
    from epee.words.table_words import say as said

    return said("clock")


def describe(source: TableSource, raw: RawBlock, name: str, types: Mapping[str, str]) -> Column:
    """Return the kind, the levels and the missing cells of a column in memory."""
    import pyarrow.compute as pc

    from epee.table.cells import kind_of_texts

    column, kind = raw.columns[name], str(source._kind(name))
    if isinstance(column, np.ndarray):
        clock = kind == "date" and bool((np.nan_to_num(column) % 1 != 0).any())
        return Column(name, kind, missing=int(np.isnan(column).sum()), note=CLOCK if clock else "")
    found = pc.value_counts(column.drop_null())
    counts = dict(zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True))
    missing = column.null_count
    if types.get(name) not in KINDS:
        kind = kind_of_texts(len(counts), len(column) - missing)
    levels = sorted(counts) if kind == "category" else None
    return Column(
        name,
        kind,
        None if levels is None else tuple(levels),
        None if levels is None else tuple(counts[v] for v in levels),
        missing,
    )


def reason_to_leave(raw: RawBlock, column: Column, types: Mapping[str, str]) -> str:
    """Return why a column is left out, or nothing."""
    name, asked = column.name, types.get(column.name)
    if asked == IGNORE:
        return say("left_asked", name=name)
    if column.missing == len(raw):
        return say("left_empty", name=name)
    if column.kind == "text" and asked is None:
        return say("left_text", name=name)
    if column.kind == "text":
        return say("left_asked", name=name)
    values = raw.columns[name]
    if isinstance(values, np.ndarray):
        if not column.missing and np.ptp(values) == 0:
            return say("left_constant", name=name)
        if asked is None and column.kind == "number" and not column.missing and numbers_rows(values):
            return say("left_identifier", name=name)
    elif column.levels is not None and len(column.levels) == 1 and not column.missing:
        return say("left_constant", name=name)
    return ""


def numbers_rows(values: Vector) -> bool:
    """Tell whether a column holds each of n successive whole numbers once, as a count of the rows does.

    >>> numbers_rows(np.arange(30.0)[::-1]), numbers_rows(np.repeat(np.arange(15.0), 2))
    (True, False)
    """
    n = len(values)
    if n < 20 or np.ptp(values) != n - 1 or values[0] != np.floor(values[0]):
        return False
    return bool((np.diff(np.sort(values)) == 1).all())


def listed_kinds(names: Sequence[str], kinds: Mapping[str, str]) -> str:
    """Say how the inputs were taken."""
    parts = []
    for kind in ("number", "boolean", "category", "date"):
        those = [name for name in names if kinds[name] == kind]
        if those:
            parts.append(say(f"took_{kind}", k=len(those), names=listed(those, 6)))
    return say("took", parts=", ".join(parts))


def _beside(raw: RawBlock, names: list[str], role: str) -> Any:
    """Return a column that is no input: weights, groups or times."""
    if not names:
        return None
    name, column = names[0], raw.columns[names[0]]
    if role == "groups":
        if isinstance(column, np.ndarray):
            if np.isnan(column).any():
                raise DataError(
                    f"column {name!r}: {int(np.isnan(column).sum())} rows have no group; fill or drop them."
                )
            return column
        if column.null_count:
            raise DataError(f"column {name!r}: {column.null_count} rows have no group; fill or drop them.")
        return np.array(column.to_pylist(), dtype=np.str_)
    if not isinstance(column, np.ndarray):
        what = "weights are numbers" if role == "weight" else "time is a date or a number"
        raise DataError(f"column {name!r} holds texts, but {what}.")
    if np.isnan(column).any():
        raise DataError(
            f"column {name!r}: {int(np.isnan(column).sum())} cells are missing, but it is the {role} column; fill or drop these rows."
        )
    return check_weights(column, len(column)) if role == "weight" else column


def describe_target(
    task: str,
    targets: Sequence[str],
    y: np.ndarray,
    classes: np.ndarray | None,
    notes: list[str],
    codes: np.ndarray | None = None,
) -> None:
    """Say what is to be predicted, and that the classes are unequal where they are."""
    if task == "regression":
        for name, column in zip(targets, np.reshape(y, (len(y), -1)).T, strict=True):
            notes.insert(
                0,
                say(
                    "task_numbers", target=name, low=figures(column.min()), high=figures(column.max()), n=whole(len(y))
                ),
            )
        return
    assert classes is not None
    shown = ", ".join(str(c) for c in classes.tolist()[:6]) + (", …" if len(classes) > 6 else "")
    notes.insert(0, say("task_classes", target=targets[0], k=len(classes), shown=shown, n=whole(len(y))))
    counts = np.bincount(np.searchsorted(classes, y) if codes is None else codes)
    shares = counts / counts.sum()
    if shares.min() < 0.2 / len(classes):
        rare, common = classes[np.argmin(shares)], classes[np.argmax(shares)]
        notes.append(
            say("imbalance", name=rare, share=percent(shares.min(), 1), common=common, rate=percent(shares.max(), 1))
        )
