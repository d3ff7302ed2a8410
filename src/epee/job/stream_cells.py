"""A large table read in blocks, each row with the cell it belongs to: a fold, or the sealed rows.

Of every row only its cell, its class and, where asked for, its group and time are held: some ten bytes. Everything else passes by in
blocks. While they pass, an evenly spaced sample of rows is kept, and the fingerprints of the sealed ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.job.sealing import fingerprints, fold_number, seal
from epee.job.understanding import gather_raw, read_target, take
from epee.risk.splitting import make_plan
from epee.table.block import BLOCK_ROWS, Block
from epee.table.encoder import TableEncoder
from epee.table.raw import RawBlock
from epee.table.source import TableSource
from epee.typing import Matrix, Vector
from epee.words.job_words import say
from epee.words.numbers import whole

SAMPLE_ROWS = 40_000
SEALED_PARTS = 10  # the sealed rows are cut so, for the error bar of a mean that comes from moments


@dataclass(eq=False)
class Cells:
    """Where each row goes: ``cell`` (n,), a fold 0 ... K - 1, sealed from K on, -1 for a row without a target.

    With ``forward`` the folds are stretches of time, each tested after learning from those before; the first is not tested.
    """

    task: str
    cell: np.ndarray
    codes: np.ndarray | None
    y: np.ndarray | None
    classes: np.ndarray | None
    folds: int
    how: str
    forward: bool = False
    targets: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Rows with a target."""
        return int((self.cell >= 0).sum())


def read_side(source: TableSource, names: Sequence[str]) -> RawBlock:
    """Return some columns of all rows: target, groups, time."""
    narrow = TableSource(source.batches, types=source.types, columns=list(names))
    return gather_raw(narrow)


def assign_cells(
    source: TableSource,
    roles: dict[str, list[str]],
    types: dict[str, str],
    notes: list[str],
    test_size: float,
    folds: int,
    seed: int,
) -> Cells:
    """Read the target, and the groups and times if any, and give each row its cell."""
    side = read_side(source, [*roles["target"], *roles["groups"], *roles["time"]])
    target = read_target(source, side, roles["target"], types, notes)
    classes, codes = target.classes, target.codes
    rows = np.flatnonzero(target.there)
    groups = _column(side, roles["groups"])
    time = _column(side, roles["time"])
    own = None if codes is None else codes[rows]
    sealed, how = seal(
        len(rows),
        test_size,
        seed,
        codes=own,
        groups=None if groups is None else groups[rows],
        time=None if time is None else time[rows],
    )
    train = np.flatnonzero(~sealed)
    if len(rows) < len(target.there):
        notes.append(say("dropped_rows", k=whole(len(target.there) - len(rows)), target=", ".join(roles["target"])))
    folds = fold_number(
        folds, len(train), notes, groups=None if groups is None else groups[rows][train],
        classes=None if time is not None else classes, counts=None if own is None else np.bincount(own[train]),
    )  # fmt: skip
    plan = make_plan(
        folds, len(train), codes=None if own is None or groups is not None else own[train], classes=classes,
        groups=None if groups is None else groups[rows][train], random_state=seed,
        time=None if time is None else time[rows][train],
    )  # fmt: skip
    split: Any = plan.splits[0]
    folds = split.n_cells
    if time is not None and own is not None and classes is not None:
        _refuse_late_classes(own[train][split.cell == 0], classes, roles["time"][0])
    cell = np.full(len(target.there), -1, dtype=np.int16)
    cell[rows[train]] = split.cell
    at = rows[sealed]
    cell[at] = folds + (np.arange(len(at)) % SEALED_PARTS if codes is None else 0)
    short = None if codes is None else codes.astype(np.int16)
    y = None if codes is not None else target.y
    return Cells(target.task, cell, short, y, classes, folds, how, time is not None, tuple(roles["target"]))


def _refuse_late_classes(codes: np.ndarray, classes: np.ndarray, name: str) -> None:
    """Refuse a class that the first stretch of time lacks: nothing could be learned of it there."""
    absent = np.flatnonzero(np.bincount(codes, minlength=len(classes)) < 2)
    if len(absent):
        raise DataError(
            f"class {classes[absent[0]].item()!r} hardly occurs in the first stretch of {name!r}, from which the first predictor learns: "
            "take fewer folds, or leave the early rows out."
        )


def _column(side: RawBlock, names: list[str]) -> Any:
    if not names:
        return None
    column = side.columns[names[0]]
    values = column if isinstance(column, np.ndarray) else np.array([str(v) for v in column.to_pylist()])
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise DataError(
            f"column {names[0]!r}: {int(np.isnan(values).sum())} cells are missing; fill or drop these rows."
        )
    return values


@dataclass(eq=False)
class CellSource:
    """A source of blocks with their cells; rows are numbers as they come, or those of an encoder's ``row_map``."""

    source: TableSource
    cells: Cells
    encoder: TableEncoder | None
    names: Sequence[str]
    keep: bool = True
    is_dask: bool = False
    sample: list[Block] = field(default_factory=list)
    prints: list[np.ndarray] = field(default_factory=list)

    @property
    def n_columns(self) -> int:
        """Columns of a block."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """Rows, those without a target too."""
        return len(self.cells.cell)

    @property
    def origin(self) -> Vector:
        """A point within the cloud."""
        return self.source.origin if self.encoder is None else np.zeros(self.n_columns)

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks; a first reading keeps the sample and the fingerprints."""
        step = rows or BLOCK_ROWS
        stride = max(1, self.n_rows // SAMPLE_ROWS)
        for i, (X, weight, start, raw) in enumerate(self._rows(step)):
            part = slice(start, start + len(X))
            cell = self.cells.cell[part]
            block = Block(
                X, None if self.cells.y is None else self.cells.y[part], weight, cell,
                None if self.cells.codes is None else self.cells.codes[part], start,
            )  # fmt: skip
            if self.keep:
                self._remember(block, raw)
            if cell.min(initial=0) < 0:
                block = _only(block, cell >= 0)
            if self.keep:
                self.sample.append(_only(block, np.arange(i % stride, len(block), stride)))
            yield block
        self.keep = False

    def _rows(self, step: int) -> Iterator[tuple[Matrix, Any, int, RawBlock | None]]:
        if self.encoder is None:
            for block in self.source.blocks(step):
                yield block.X, block.weight, block.start, None
            return
        for raw in self.source.raw_blocks(step):
            yield self.encoder.row_map(raw), raw.weight, raw.start, raw

    def _remember(self, block: Block, raw: RawBlock | None) -> None:
        """Keep the fingerprints of the sealed rows of a block."""
        assert block.fold is not None
        sealed = np.flatnonzero(block.fold >= self.cells.folds)
        if not len(sealed):
            return
        if raw is None:
            X = block.X[sealed]
            own = RawBlock({name: X[:, j] for j, name in enumerate(self.names)}, rows=len(sealed))
        else:
            names = self.encoder.schema_.names  # type: ignore[union-attr]
            own = take(RawBlock({name: raw.columns[name] for name in names}, rows=len(raw)), sealed)
        self.prints.append(fingerprints(own, list(own.columns), self._goals(block, sealed)))

    def _goals(self, block: Block, rows: np.ndarray) -> dict[str, Any]:
        """Return the target of some rows by name, classes as a dictionary of words."""
        import pyarrow as pa

        if block.y is not None:
            return dict(zip(self.cells.targets, np.reshape(block.y[rows], (len(rows), -1)).T, strict=True))
        assert self.cells.classes is not None and block.group is not None
        if self.cells.classes.dtype.kind == "i":
            return {self.cells.targets[0]: self.cells.classes[block.group[rows]]}
        words = pa.DictionaryArray.from_arrays(
            pa.array(block.group[rows]), pa.array(self.cells.classes.tolist(), pa.string())
        )
        return {self.cells.targets[0]: words}


def _only(block: Block, rows: Any) -> Block:
    def part(a: Any) -> Any:
        return None if a is None else a[rows]

    return block.having(X=np.array(block.X[rows], dtype=np.float64), y=part(block.y), weight=part(block.weight), fold=part(block.fold),
                   group=part(block.group))  # fmt: skip


def gathered(blocks: Sequence[Block]) -> Block:
    """Return kept rows as one block."""

    def both(name: str) -> Any:
        parts = [getattr(b, name) for b in blocks]
        return None if parts[0] is None else np.concatenate(parts)

    return Block(both("X"), both("y"), both("weight"), both("fold"), both("group"))
