"""The one-pass route for tables that stay where they are: files, SQL, sources.

One pass reads the targets (and weights), which are kept: a number a row. From them follow the folds, the same as in memory. A second pass
gives the moments of every cell; a third, where the loss needs the rows, scores them block by block. The inputs are never
held.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.engines.choice import engine_for
from epee.errors import DataError
from epee.estimator.base import encode_labels
from epee.losses.names import resolve
from epee.moments.moments import Moments
from epee.moments.passes import reduce_source
from epee.risk.asking import refuse_nan
from epee.risk.linear_stack import Linear
from epee.risk.one_pass import MomentRoute, split_steps
from epee.risk.routes import Outcome, kind_of
from epee.risk.splitting import Split
from epee.risk.unions import select
from epee.table.block import Block, Source
from epee.table.doors import open_source
from epee.typing import Codes, Labels, Vector


class CellSource:
    """A source whose blocks know the cell of each row."""

    def __init__(self, source: Source, cell: Codes) -> None:
        self.source, self.cell = source, cell
        self.names, self.n_columns, self.n_rows = source.names, source.n_columns, source.n_rows

    @property
    def origin(self) -> Vector:
        """The origin of the source behind."""
        return self.source.origin

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Yield the blocks with their cells."""
        start = 0
        for block in self.source.blocks(rows):
            yield block.having(fold=self.cell[start : start + len(block)], start=start)
            start += len(block)


class StreamRoute(MomentRoute):
    """One pass for the targets, one for the moments, one to score; see the module docstring."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, loss: Any) -> None:
        self.model, self.kind = model, kind_of(model)
        self.loss = resolve(loss, self.kind)
        self.X, self.y, self.raw = X, y, (X, y, sample_weight)
        plain = open_source(X, y, sample_weight)
        targets, weights = _targets(plain)
        self.n, self.weight = len(targets), weights
        self.classes: Labels | None = None
        self.codes: Codes | None = None
        if self.kind == "classifier":
            self.classes, self.codes = encode_labels(targets, self.n)
            self.truth = self.codes
        else:
            self.truth = np.asarray(targets, dtype=np.float64)
        parts = split_steps(model)
        assert parts is not None
        _, self.affine_steps, last = parts
        self.probe = clone(last)
        self.probe._one_target = self.truth.ndim == 1
        self.source: Any = self.probe._source(plain, y, sample_weight)
        self.fits = True
        self._bank = {}

    def moments(self, cell: Codes, n_cells: int) -> Moments:
        """Return the moments of each cell from one pass; the last pass is remembered."""
        known = self._bank.get("cells")
        if known is None or known[0] is not cell:
            idle = cell.min() < 0
            folded = CellSource(self.source, np.where(cell < 0, n_cells, cell) if idle else cell)
            m = reduce_source(folded, self.probe._summation(self.source, n_cells + int(idle)))
            self._bank["cells"] = known = (cell, select(m, slice(0, n_cells)) if idle else m)
        return known[1]

    def test(self, split: Split, models: Linear | list[Any]) -> Outcome:
        """Score each row by the models that are tested on it, block by block."""
        asks = None if isinstance(models, Linear) else self.askers(models)

        def work(block: Block) -> list[tuple[Any, np.ndarray, np.ndarray]]:
            done = []
            assert block.fold is not None
            for c in np.unique(block.fold[block.fold >= 0]):
                rows = np.flatnonzero(block.fold == c)
                X, by = np.asarray(block.X[rows], dtype=np.float64), split.tested_by[:, c]
                for r in np.flatnonzero(by >= 0):
                    if isinstance(models, Linear):
                        prediction = self.finish(models.raw(X, by[[r]])[:, 0])
                    else:
                        assert asks is not None
                        prediction = np.asarray(asks[by[r]](X))
                    refuse_nan(prediction, self.probe, f"fold {by[r]}")
                    done.append((r, block.start + rows, prediction))
            return done

        losses = np.full((split.repeats, self.n), np.nan)
        room: list[np.ndarray] = []
        folded = CellSource(self.source, split.cell)
        for done in engine_for(folded).map(folded, work):
            for r, rows, prediction in done:
                if not room:
                    room.append(self.empty(split.repeats, prediction))
                room[0][r, rows] = prediction.reshape(room[0][r, rows].shape)
                losses[r, rows] = self.value(prediction, rows)
        return Outcome(losses, room[0])


def _targets(source: Source) -> tuple[np.ndarray, Vector | None]:
    """Return the targets and weights of all rows."""
    targets, weights = [], []
    for block in source.blocks():
        if block.y is None:
            raise DataError("requires y to be passed, but the target y is None: name its column.")
        targets.append(np.array(block.y))
        if block.weight is not None:
            weights.append(np.array(block.weight))
    if not targets:
        raise DataError("Found array with 0 sample(s) while a minimum of 1 is required: the table has no rows.")
    return np.concatenate(targets), np.concatenate(weights) if weights else None
