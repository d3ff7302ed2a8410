"""From a table to the ground of a contest: what its columns are, which rows are at hand, and the sums of those that are not.

Both ways in give the same columns, kinds, levels, folds and sums; they differ in how often the table is read. A table at hand
is looked at as often as need be. One that passes by is read for its texts, if it has any, and once more for everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epee.engines.choice import engine_for
from epee.errors import WrongUse
from epee.job.cells import Cells, Judged, Placed
from epee.job.first_look import Looking, Picking, Printing, Seen, goals
from epee.job.ground import Hand, held_rows
from epee.job.holding import columns_of, joined, take
from epee.job.policy import Policy
from epee.job.sealing import fingerprints
from epee.job.tallies import Tallies, Tallying
from epee.job.understanding import Understood, candidates, is_silent, refuse_no_weight, understand, weights_beside
from epee.moments.passes import Summation, joint_origin
from epee.risk.asked import Asked
from epee.risk.route import LARGEST_MOMENTS
from epee.risk.rows import Rows, unit_of
from epee.risk.splitting import Split
from epee.table.changes import Celled, Mapped, Reweighed
from epee.table.encoder import TableEncoder
from epee.table.raw import RawBlock
from epee.table.raw_rows import RawRows
from epee.table.schema import Schema
from epee.table.source import TableSource
from epee.table.view import View
from epee.typing import Vector

HEAD = 256  # rows whose mean is near enough to all of them to sum about
ADDED_ROWS = 16_384  # in a block that passes by: some hundred for each cell


@dataclass(eq=False)
class Looked:
    """A table ready for a contest: what was understood, the rows at hand, the rows to be summed with their split, prints of rows."""

    seen: Understood
    hand: Hand
    rows: Rows
    split: Split
    sealed_prints: np.ndarray
    training_prints: np.ndarray
    tables: Sequence[TableSource] = ()  # that passed by

    @property
    def passes(self) -> int:
        """How often the rows passed by."""
        return sum(table.passes for table in self.tables)


def look(
    source: TableSource, held: bool, roles: dict[str, list[str]], types: dict[str, str], notes: list[str], cells: Cells, asked: Asked,
    policy: Policy, seed: int,
) -> Looked:  # fmt: skip
    """Look at a table, at hand or passing by."""
    return (_at_hand if held else _passing)(source, roles, types, notes, cells, asked, policy, seed)


def _at_hand(
    source: TableSource, roles: dict[str, list[str]], types: dict[str, str], notes: list[str], cells: Cells, asked: Asked, policy: Policy,
    seed: int,
) -> Looked:  # fmt: skip
    kinds = candidates(source, roles, types)
    every = columns_of(source, [*kinds, *roles["weight"]])
    tallies = Tallying(kinds, cells.folds)(every.having(fold=cells.cell))
    seen = understand(source, roles, types, tallies, cells.target, notes)
    rows = np.flatnonzero(cells.cell >= 0)
    raw = take(RawBlock({name: every.columns[name] for name in seen.names}, rows=len(every)), rows)
    weight = weights_beside(source, every, roles["weight"], rows)
    encoder = planned(seen.schema, origin_of(every, seen.names))
    y = cells.target.y[rows]
    hand = Hand(raw, y, weight, cells.cell[rows], cells.folds, encoder, is_plain(seen.schema), True)
    hand.looked = policy.sample(np.arange(len(hand.train)), policy.looked, seed)
    hand.beside = prints_beside(source, seen, rows)
    learn_means(encoder, take(raw, hand.train), hand.weights(hand.train))
    codes = None if cells.target.codes is None else cells.target.codes[rows]
    prints = fingerprints(raw, seen.names, goals(y if codes is None else codes, seen.targets, seen.classes))
    split = with_whole(cells.split)
    return Looked(seen, hand, held_rows(hand, asked), split, prints[hand.sealed], prints[hand.train])


def prints_beside(source: TableSource, seen: Understood, rows: np.ndarray) -> np.ndarray | None:
    """Return 64 bits of each of some rows for what was read of it and is no input, but for what says nothing of it."""
    known = {*seen.names, *seen.targets}
    names = [c["name"] for c in seen.columns if c["name"] not in known and not is_silent(c["name"], c["note"])]
    if not names:
        return None
    narrow = RawRows(TableSource(source.batches, types=source.types, columns=names))
    found: list[np.ndarray] = engine_for(narrow).reduce(narrow, Picking(names, rows), rows=ADDED_ROWS)
    return np.concatenate(found)


def with_whole(split: Split) -> Split:
    """Return a split with one more model, the last, that learns from all cells and is tested on none."""
    return replace(split, learns=np.vstack([split.learns, np.ones((1, split.n_cells), dtype=bool)]))


def planned(schema: Schema, origin: Vector) -> TableEncoder:
    """Return the encoder of a table, not yet knowing its means."""
    return TableEncoder(types={c.name: c.kind for c in schema}).planned(schema, origin)


def learn_means(encoder: TableEncoder, raw: RawBlock, weight: Vector | None) -> None:
    """Let an encoder fill missing cells with the means of some rows."""
    sums, total = encoder.row_sums(raw.having(weight=weight))
    encoder.fit_mean(sums / total)


def is_plain(schema: Schema) -> bool:
    """Tell whether all inputs are numbers that are there, so that rows are numbers as they come."""
    return all(c.kind in ("number", "boolean") and not c.missing for c in schema)


def origin_of(raw: RawBlock, names: Sequence[str]) -> Vector:
    """Return a point near the rows: the mean of the first ones, 0 for texts and for columns without a number there."""
    out = np.zeros(len(names))
    for j, name in enumerate(names):
        column = raw.columns[name]
        if isinstance(column, np.ndarray):
            head = column[:HEAD]
            there = head[np.isfinite(head)]
            out[j] = there.mean() if len(there) else 0.0
    return out


def _passing(
    source: TableSource, roles: dict[str, list[str]], types: dict[str, str], notes: list[str], cells: Cells, asked: Asked, policy: Policy,
    seed: int,
) -> Looked:  # fmt: skip
    kinds = candidates(source, roles, types)
    texts = {name: kind for name, kind in kinds.items() if kind in ("text", "category")}
    tallies = count_texts(source, texts, cells)
    head = TableSource(source.batches, types=source.types, columns=list(kinds)).raw_head()
    guessed = Tallying({name: kind for name, kind in kinds.items() if name not in texts})(head)  # the pass tells better
    told = tallies.beside(guessed)
    inputs = [told.column(name, kind, types) for name, kind in kinds.items()]
    inputs = [c for c in inputs if c.kind != "text" or c.note]
    picked = np.concatenate([
        policy.sample(cells.train, policy.looked, seed), policy.sample(cells.sealed, policy.looked_sealed, seed)
    ])  # fmt: skip
    split = cells.whole_split()
    unit = unit_of_weight(source, roles["weight"], cells)
    first = Passing(source, roles, cells, asked, Schema(tuple(inputs)), unit)
    found = first.read(np.sort(picked), split)
    seen = understand(source, roles, types, tallies.beside(found.tallies), cells.target, notes)
    last = first if seen.schema.names == first.schema.names else replace(first, schema=seen.schema, origin=None)
    rows = last.rows(split, first, found)
    hand = last.hand(found)
    hand.looked = np.arange(len(hand.train))
    hand.beside = prints_beside(source, seen, np.sort(picked))
    whole = rows.moments(last.keep, split.cell, split.n_cells).regroup("fold", split.learns[-1:]).at("fold", 0)
    merged = whole.merge("group") if "group" in whole.axes else whole
    mean = merged.mean[: merged.p]
    hand.encoder.fit_mean(mean - hand.encoder.centre_ if last.plain else mean)
    y = np.searchsorted(asked.classes, hand.y) if asked.classes is not None else hand.y
    own = take(hand.raw, hand.train)
    training = fingerprints(own, seen.names, goals(y[hand.train], seen.targets, seen.classes))
    sealed = found.prints if last is first else last.prints()
    tables = [first.table] if last is first else [first.table, last.table]
    return Looked(seen, hand, rows, split, np.concatenate(sealed) if sealed else training[:0], training, tables)


def count_texts(source: TableSource, texts: dict[str, str], cells: Cells) -> Tallies:
    """Return what there is to know of the columns of texts."""
    if not texts:
        return Tallies(len(cells.cell), {})
    narrow = TableSource(source.batches, types=source.types, columns=list(texts))
    view = View(RawRows(narrow), Celled(cells.cell))
    found: Tallies = engine_for(view).reduce(view, Tallying(texts, cells.folds))
    return found


def unit_of_weight(source: TableSource, names: Sequence[str], cells: Cells) -> float:
    """Return how many rows a unit of weight is of a table that passes by (:func:`epee.risk.units.per_row`), by a pass over its weights."""
    if not names:
        return 1.0
    table = TableSource(source.batches, types=source.types, columns=source.names[:1], sample_weight=names[0])
    total, unit, _ = unit_of(View(table.narrow(), Celled(cells.cell, drop=True)))
    refuse_no_weight(total, names[0])
    return unit


@dataclass(eq=False)
class Passing:
    """A table that passes by, seen through an encoder of some of its columns."""

    source: TableSource
    roles: dict[str, list[str]]
    cells: Cells
    asked: Asked
    schema: Schema
    unit: float = 1.0  # rows that a unit of weight is
    origin: Vector | None = None  # of the summed rows

    def __post_init__(self) -> None:
        targets: Any = None
        if self.asked.classes is None:
            targets = self.roles["target"][0] if len(self.roles["target"]) == 1 else list(self.roles["target"])
        self.table = TableSource(
            self.source.batches, y=targets, target_kind=None if targets is None else "number", types=self.source.types,
            columns=list(self.schema.names), sample_weight=self.roles["weight"][0] if self.roles["weight"] else None,
        )  # fmt: skip
        self.plain = is_plain(self.schema)
        self.encoder = planned(self.schema, self.table.origin)

    @property
    def placed(self) -> View:
        """The rows, raw or numbers, with their cells and classes."""
        base: Any = self.table if self.plain else RawRows(self.table)
        base = base if self.unit == 1 else View(base, Reweighed(self.unit))
        return View(base, Placed(self.cells.cell, self.cells.target.codes))

    @property
    def view(self) -> View:
        """The rows as those who live on sums see them."""
        rows = self.placed
        if not self.plain:
            rows = View(rows, Mapped(self.encoder.row_map), names=self.encoder.row_names)
        return View(rows, Judged(self.asked.classes is not None), origin=self.origin)

    @property
    def printing(self) -> Printing:
        """How the sealed rows are known again."""
        return Printing(self.schema.names, self.cells.folds, self.roles["target"], self.asked.classes)

    def keep(self, source: Any, folds: int | None = None) -> Summation:
        """Return the summation from which all others can be had."""
        if self.asked.classes is not None:
            return Summation(source.origin, "full", folds, len(self.asked.classes), 0, self.asked.classes)
        about = joint_origin(source)
        return Summation(about, "full", folds, None, len(about) - source.n_columns)

    def read(self, picked: np.ndarray, split: Split) -> Seen:
        """Read the table once; again with room for holes that were not expected."""
        while True:
            q = len(self.schema.names if self.plain else self.encoder.row_names)
            K = 1 if self.asked.classes is None else len(self.asked.classes)
            if split.n_cells * K * q**2 > LARGEST_MOMENTS:
                raise WrongUse(
                    f"{q} encoded columns and {K} classes are too many for one pass over a large table; leave columns out with types."
                )
            self.origin = None  # of the rows as they are encoded now
            self.origin = self.view.origin
            numbers = {c.name: c.kind for c in self.schema if c.kind not in ("category", "text")}
            holes = frozenset(c.name for c in self.schema if c.missing)
            row, keep = None if self.plain else self.encoder.row_map, self.keep(self.view, split.n_cells)
            work = Looking(row, keep, self.schema.names, numbers, holes, picked, self.printing)
            found: Seen = engine_for(self.placed).reduce(self.placed, work, rows=ADDED_ROWS)
            if found.moments is not None:
                return found
            gone = {name: found.tallies.columns[name].missing for name in numbers}
            self.schema = Schema(tuple(replace(c, missing=gone.get(c.name, c.missing)) for c in self.schema))
            self.__post_init__()

    def rows(self, split: Split, first: Passing, found: Seen) -> Rows:
        """Return the rows with the sums of the first pass, of the columns that are still inputs."""
        assert found.moments is not None and first.origin is not None
        before = list(first.schema.names if first.plain else first.encoder.row_names)
        mine = self.schema.names if self.plain else self.encoder.row_names
        places = np.array([before.index(name) for name in mine])
        self.origin = first.origin[places]
        m = found.moments.take([*places, *range(found.moments.p, found.moments.n_columns)])
        rows = Rows(self.view, self.asked.classes)
        rows.remember(split.cell, self.keep(rows.source, split.n_cells), m)
        return rows

    def prints(self) -> list[np.ndarray]:
        """Return the fingerprints of the sealed rows by the columns that are still inputs."""
        found: list[np.ndarray] = engine_for(self.placed).reduce(self.placed, self.printing, rows=ADDED_ROWS)
        return found

    def hand(self, found: Seen) -> Hand:
        """Return the sampled rows."""
        every = joined(found.sample)
        assert every.y is not None and every.fold is not None
        raw = RawBlock({name: every.columns[name] for name in self.schema.names}, rows=len(every))
        y = every.y if self.asked.classes is None else self.asked.classes[every.y]
        return Hand(raw, y, every.weight, every.fold, self.cells.folds, self.encoder, self.plain, False)
