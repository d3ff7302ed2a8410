"""Where each row goes: a fold, the sealed rows, or nowhere. Found from the target, the groups and the times alone.

Of every row its cell is held, two bytes, and for a classification its class. Everything else may pass by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.job.copying import copies_in
from epee.job.holding import columns_of
from epee.job.sealing import fold_number, seal
from epee.job.understanding import IGNORE, Target, beside, read_target
from epee.risk.copies import numbered
from epee.risk.splitting import Split, make_plan, moments_ahead
from epee.risk.units import stands_for_rows
from epee.table.block import Block
from epee.table.source import TableSource
from epee.typing import Codes, Vector
from epee.words.job_words import say
from epee.words.numbers import whole

SEALED_PARTS = 10  # of a regression whose sums tell the mean error of each part, not the spread within


class Parted:
    """Rows that know their cells: a fold 0 ... K - 1, sealed from K on."""

    cell: np.ndarray
    folds: int

    @cached_property
    def train(self) -> Codes:
        """The training rows."""
        return np.flatnonzero((self.cell >= 0) & (self.cell < self.folds))

    @cached_property
    def sealed(self) -> Codes:
        """The sealed rows."""
        return np.flatnonzero(self.cell >= self.folds)


@dataclass(eq=False)
class Cells(Parted):
    """The target, and the cell of every row as it was read: a fold 0 ... K - 1, sealed from K on, -1 without a target.

    ``sealed_parts`` cells hold the sealed rows: several, for the error bar of a mean that comes from sums. ``forward`` folds
    are stretches of time, each tested after learning from those before; the first is not tested. ``groups`` and ``time`` are
    those of the training rows, and beside them those of the sealed ones; ``copies`` are equal for rows that are dealt as one. Rows of a
    gap before the sealed ones are of cell -1, too. In time, ``ahead`` is how many moments after the last that was learned from tested rows
    lie at least, at most, and at most where they are sealed.
    """

    target: Target
    cell: np.ndarray  # (n_read,) int16
    folds: int
    sealed_parts: int
    how: str
    split: Any  # of the training rows, in their order
    groups: np.ndarray | None = None
    time: Vector | None = None
    sealed_groups: np.ndarray | None = None
    sealed_time: Vector | None = None
    copies: Codes | None = None
    sealed_copies: Codes | None = None
    ahead: tuple[int, int, int] | None = None

    @property
    def forward(self) -> bool:
        """Tell whether folds are stretches of time."""
        return self.time is not None

    @property
    def alone(self) -> bool:
        """Tell whether every row stands alone: no group, no copy, no time."""
        return not self.forward and self.groups is None and self.copies is None

    def whole_split(self) -> Split:
        """Return the split of all rows of the table: a model for each fold, and one of all training rows for the sealed ones."""
        inner: Split = self.split
        C, T = self.folds + self.sealed_parts, inner.n_models
        learns = np.zeros((T + 1, C), dtype=bool)
        learns[:T, : self.folds], learns[T, : self.folds] = inner.learns, True
        tested_by = np.full((1, C), T)
        tested_by[0, : self.folds] = inner.tested_by[0]
        return Split(self.cell, learns, tested_by)


def assign_cells(
    source: TableSource, roles: dict[str, list[str]], types: dict[str, str], notes: list[str], asked: dict[str, Any], *,
    ranks: bool = False, held: bool = False,
) -> Cells:  # fmt: skip
    """Read the target, and the groups and times if any, and give each row its cell.

    ``ranks`` tells that a fold must have all classes, ``held`` that the table is at hand: then copies of a row stay together.
    """
    weight = roles["weight"] if held else []
    side = columns_of(source, [*roles["target"], *roles["groups"], *roles["time"], *weight])
    target = read_target(source, side, roles["target"], types, notes, asked.get("rare", "leave"))
    rows = np.flatnonzero(target.there)
    if len(rows) + target.left < len(target.there):
        gone = len(target.there) - len(rows) - target.left
        notes.append(say("dropped_rows", k=whole(gone), target=", ".join(roles["target"])))
    if len(rows) < 8:
        raise DataError(
            f"{source.label} has {len(rows)} rows with a target: too few to learn from and to test; at least 8 are needed."
        )
    groups, time = (beside(side, roles[role], role, rows) for role in ("groups", "time"))
    groups = None if asked.get("lags") else groups  # which then tell series apart, and the folds follow time
    codes = None if target.codes is None else target.codes[rows]
    copies = None
    counted = stands_for_rows(
        beside(side, weight, "weight", rows)
    )  # equal rows are then counts that came apart, and no copies
    if held and groups is None and time is None and not counted:
        names = [name for name in source.names if name not in (*roles["target"], *weight) and types.get(name) != IGNORE]
        values = target.y[rows] if codes is None else codes
        copies = copies_in(source, names, types, np.reshape(values, (len(rows), -1)), codes, rows)
    first: Any = slice(None) if copies is None else np.unique(copies, return_index=True)[1]
    units = len(rows[first])  # rows that are dealt as one count once
    sealed, how = seal(
        units, asked["test_size"], asked["seed"], codes=None if codes is None else codes[first], groups=groups, time=time
    )  # fmt: skip
    sealed = sealed if copies is None else sealed[copies]
    between = in_gap(time, sealed, asked.get("gap", 0))
    train = np.flatnonzero(~sealed & ~between)
    dealt = train if copies is None else first[~sealed[first]]
    own, own_groups, own_time = (None if part is None else part[train] for part in (codes, groups, time))
    folds = fold_number(
        asked["folds"], len(dealt), notes, groups=own_groups, classes=None if time is not None else target.classes,
        counts=None if codes is None else np.bincount(codes[dealt]), ranks=ranks,
    )  # fmt: skip
    together = tuple(None if copies is None else numbered(copies[some]) for some in (train, np.flatnonzero(sealed)))

    def planned(folds: int) -> Split:
        return make_plan(
            folds, len(train), codes=None if groups is not None else own, classes=target.classes, groups=own_groups,
            random_state=asked["seed"], time=own_time, copies=together[0], gap=asked.get("gap", 0),
        ).splits[0]  # fmt: skip

    split = planned(folds)
    if time is not None and own is not None:
        fewer = folds
        while fewer > 2 and len(late_classes(own[split.cell == 0], target.classes)):
            fewer -= 1
            split = planned(fewer)
        late = late_classes(own[split.cell == 0], target.classes)
        if len(late):
            name, absent = roles["time"][0], target.classes[late[0]].item()  # type: ignore[index]
            raise DataError(
                f"class {absent!r} hardly occurs in the first stretch of {name!r}, from which the first predictor learns: leave the early "
                "rows out."
            )
        if fewer < folds:
            notes.append(say("fewer_folds", folds=fewer, asked=folds, why=say("late_classes", time=roles["time"][0])))
    K = split.n_cells
    cell = np.full(len(target.there), -1, dtype=np.int16)
    cell[rows[train]] = split.cell
    apart = tuple(None if role is None else role[sealed] for role in (groups, time))
    alone = target.classes is not None and groups is None and time is None
    parts = 1 if alone else SEALED_PARTS  # decisions on rows that stand alone tell their own spread
    cell[rows[sealed]] = K + part_of(int(sealed.sum()), parts, *apart)
    if copies is not None:
        notes.append(say("copies_together", k=whole(len(rows) - units), n=whole(len(rows))))
    if how:
        notes.append(say("sealed", test=whole(int(sealed.sum())), train=whole(len(train)), how=how))
    if between.any():
        notes.append(say("in_gap", k=whole(int(between.sum()))))
    parts = parts if sealed.any() else 0
    ahead = None
    if time is not None:
        rank = np.unique(time, return_inverse=True)[1].reshape(-1)
        end = int(rank[sealed].max() - rank[train].max()) if sealed.any() else 0
        ahead = *moments_ahead(split, rank[train]), end
    return Cells(target, cell, K, parts, how, split, own_groups, own_time, *apart, *together, ahead=ahead)


def part_of(n: int, parts: int, groups: np.ndarray | None = None, time: Vector | None = None) -> Codes:
    """Return the part (n,) of each sealed row, so that rows of two parts know as little as may be of each other.

    Whole groups are dealt, and time is cut into stretches.

    >>> part_of(5, 3).tolist(), part_of(5, 3, groups=np.array(list("abbac"))).tolist(), part_of(4, 2, time=np.array([3, 1, 0, 2])).tolist()
    ([0, 1, 2, 0, 1], [0, 1, 1, 0, 2], [1, 0, 0, 1])
    """
    if time is not None:
        return np.argsort(np.argsort(time, kind="stable"), kind="stable") * parts // max(n, 1)
    place = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1].reshape(-1)
    return place % parts


def in_gap(time: Vector | None, sealed: np.ndarray, gap: int) -> np.ndarray:
    """Return which rows (n,) fall in the ``gap`` moments before the first sealed one: nobody learns from them, nor is tested.

    >>> in_gap(np.array([5, 1, 2, 2, 9, 3]), np.array([True, False, False, False, True, False]), 2).tolist()
    [False, False, True, True, False, True]
    """
    if time is None or not gap or not sealed.any():
        return np.zeros(len(sealed), dtype=bool)
    before = np.unique(time[~sealed])
    if gap >= len(before):
        raise DataError(f"gap is {gap}, but only {len(before)} moments lie before the sealed rows: give a smaller gap.")
    return ~sealed & (time >= before[-gap])


def late_classes(codes: np.ndarray, classes: Any) -> np.ndarray:
    """Return the classes that the first stretch of time lacks: nothing could be learned of them there."""
    return np.flatnonzero(np.bincount(codes, minlength=len(classes)) < 2)


@dataclass(frozen=True, eq=False)
class Placed:
    """A change of blocks, raw or of numbers: each row knows its cell and, in a classification, its class as ``y``."""

    cell: np.ndarray
    codes: np.ndarray | None = None

    def part(self, start: int, stop: int) -> Placed:
        """Return the places of some rows."""
        return Placed(self.cell[start:stop], None if self.codes is None else self.codes[start:stop])

    def __call__(self, block: Any) -> Any:
        at = slice(block.start, block.start + len(block))
        beside = {"fold": self.cell[at]} | ({} if self.codes is None else {"y": self.codes[at]})
        return block.having(**beside)


@dataclass(frozen=True)
class Judged:
    """A change of blocks that know their cells: classes go to the group axis, values that are missing become 0 and count for nothing."""

    classes: bool

    def __call__(self, block: Block) -> Block:
        if self.classes:
            return block.having(group=block.y, y=None)
        y = np.asarray(block.y, dtype=np.float64)
        return block.having(y=np.where(np.isfinite(y), y, 0.0))
