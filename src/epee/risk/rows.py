"""The rows of the one-pass route: at hand as arrays, or passing by in blocks; and the moments that were taken of them.

Cells of rows are an array of numbers, one a row, or a :class:`~epee.risk.splitting.Deal`: the rule by which folds are dealt
while rows pass, so that nothing is kept of a row. What differs between the two kinds of rows is how cells are summed and
scored; everything else is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from epee.engines.choice import engine_for
from epee.engines.local import in_order, tree
from epee.errors import DataError
from epee.estimator.base import refuse_large
from epee.moments.affine import Affine
from epee.moments.moments import Moments, brought_here, stack
from epee.moments.narrowing import narrowed, numbers_in, plain_gather, widest
from epee.moments.passes import reduce_source
from epee.moments.unions import select
from epee.risk.splitting import Deal
from epee.risk.units import Weights, meaning_from, refuse_broken
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, refuse_bad_source
from epee.table.changes import Celled, Dealt, Reweighed
from epee.table.elsewhere import ElsewhereSource
from epee.table.folds import assign_folds
from epee.table.folds_elsewhere import folds_elsewhere
from epee.table.view import View
from epee.typing import Codes, Matrix, Vector

REMEMBERED = 1_000_000  # numbers of earlier sums: those of the repeats of all folds, which halves of them ask for again
ROWS = 4096  # summed or scored at once: they stay in the cache


class Rows:
    """The rows of a source that all models of a route share.

    Parameters
    ----------
    source : Source
        Checked numbers, with the codes of classes in the group axis, or targets, and weights.
    classes : array or None
    """

    def __init__(self, source: Source, classes: np.ndarray | None = None) -> None:
        self.source, self.classes = source, classes
        self._sums: list[tuple[Any, Any, Moments]] = []  # (cells, summation, moments)
        self._views: dict[int, tuple[Any, Any]] = {}  # cells, and the rows with them

    @property
    def at_hand(self) -> bool:
        """Tell whether the rows are held as arrays."""
        return isinstance(self.source, ArraySource)

    @cached_property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum()) if self.source.n_rows is None else int(self.source.n_rows)

    @cached_property
    def counts(self) -> np.ndarray:
        """Rows of each class, or of all, from one pass."""
        if self.classes is None and self.source.n_rows is not None:
            return np.array([self.source.n_rows])
        if isinstance(self.source, ElsewhereSource) and self.classes is not None:
            return self.source.group_sizes(len(self.classes))
        narrow = self.source.narrow()
        counting = Counting(None if self.classes is None else len(self.classes))
        counts: np.ndarray = engine_for(narrow).reduce(narrow, counting)
        return counts

    @property
    def weight(self) -> Vector | None:
        """The weight of every row; takes a pass where the rows pass by."""
        if "beside" not in vars(self) and isinstance(self.source, ArraySource | ElsewhereSource):
            return self.source.weight
        return self.beside[1]

    def unit(self, weights: Weights | None = None) -> float:
        """Return how many rows a unit of weight is worth: 1 for counts, Kish's share for others; from one pass where there are weights."""
        passing = "beside" not in vars(self) and not isinstance(self.source, ArraySource | ElsewhereSource)
        if weights == "counts" or (getattr(self.source.head(), "weight", None) if passing else self.weight) is None:
            return 1.0
        total, squares, _, broken = _weights_of(self.source)
        return float(total / squares) if weights == "sampling" or broken else 1.0

    @cached_property
    def beside(self) -> tuple[np.ndarray, Vector | None]:
        """The truth, codes or values, and the weight of every row; takes a pass where the rows pass by."""
        if isinstance(self.source, ArraySource):
            truth = self.source.y if self.source.group is None else self.source.group
            assert truth is not None
            return truth, self.source.weight
        narrow = self.source.narrow()
        parts = list(engine_for(narrow).map(narrow, _beside))
        if not parts or parts[0][0] is None:
            raise DataError("requires y to be passed, but the target y is None: name its column.")
        weights = [w for _, w in parts if w is not None]
        return np.concatenate([y for y, _ in parts]), np.concatenate(weights) if weights else None

    def cells(self, cell: Codes | Deal, n_cells: int) -> Codes:
        """Return the cell of every row."""
        if not isinstance(cell, Deal):
            return cell
        return assign_folds(None if cell.strata is None else self.beside[0], self.n, n_cells, cell.seed)

    def _cells_elsewhere(self, cell: Codes | Deal, n_cells: int) -> Any:
        """Return the cell of every row of a source that lies elsewhere; dealt there where a rule deals."""
        s = self.source
        assert isinstance(s, ElsewhereSource)
        if not isinstance(cell, Deal):
            return cell
        strata = None if cell.strata is None else s.beside.get("group")
        if cell.strata is not None and strata is None:
            return self.cells(cell, n_cells)
        totals = None if strata is None else self.counts
        return folds_elsewhere(s.X, strata, s.n_rows, n_cells, cell.seed, totals)

    def celled(self, cell: Codes | Deal, n_cells: int) -> Source:
        """Return the rows with their cells along the fold axis."""
        if isinstance(self.source, ElsewhereSource):
            if id(cell) not in self._views:
                self._views[id(cell)] = cell, self.source.having(fold=self._cells_elsewhere(cell, n_cells))
            return self._views[id(cell)][1]
        if not isinstance(cell, Deal):
            return View(self.source, Celled(cell))
        if id(cell) not in self._views:
            totals = np.array([self.n]) if cell.strata is None else self.counts
            self._views[id(cell)] = cell, View(self.source, Dealt(n_cells, cell.seed, cell.strata, totals=totals))
        return self._views[id(cell)][1]

    def moments(self, keep_of: Callable[..., Any], cell: Codes | Deal, n_cells: int, *, stay: bool = False) -> Moments:
        """Return the moments of each cell; the last passes are remembered, and serve those who keep less of the same rows.

        ``keep_of(source, folds)`` is the summation of an estimator. Moments of rows that lie elsewhere come here unless they may ``stay``.
        """
        found = self._moments(keep_of, cell, n_cells)
        return found if stay else brought_here(found)

    def _moments(self, keep_of: Callable[..., Any], cell: Codes | Deal, n_cells: int) -> Moments:
        keep = keep_of(self.source, n_cells)
        for known, other, m in self._sums:
            if known is cell:
                narrow = narrowed(m, keep, other)
                if narrow is not None:
                    return narrow
        near = self.at_hand or isinstance(self.source, ElsewhereSource)  # rows that are soon read again
        wide = keep if near else widest(keep)
        few = isinstance(self.source, ArraySource) and n_cells * 4 < self.n
        if few and not isinstance(cell, Deal):
            m = self._by_cell(keep_of, cell, n_cells)
        else:
            m = self._by_block(wide, cell, n_cells)
        self.remember(cell, wide, m)
        found = narrowed(m, keep, wide)
        assert found is not None
        return found

    def remember(self, cell: Codes | Deal, keep: Any, m: Moments) -> None:
        """Take moments of cells that somebody else has summed of these rows."""
        kept, room = [(cell, keep, m)], REMEMBERED
        for one in self._sums:
            room -= numbers_in(one[2])
            if room < 0 and len(kept) > 3:
                break
            kept.append(one)
        self._sums = kept

    def whole(self, keep_of: Callable[..., Any]) -> Moments:
        """Return the moments of all rows, from cells that cover them where these are known."""
        for cell, keep, m in self._sums:
            if isinstance(cell, Deal) or cell.min(initial=0) >= 0:
                found = narrowed(m, keep_of(self.source, int(m.count.shape[0])), keep)
                if found is not None:
                    return brought_here(found.merge("fold"))
        return self.moments(keep_of, np.zeros(self.n, dtype=np.intp), 1).at("fold", 0)

    def _by_block(self, keep: Any, cell: Codes | Deal, n_cells: int) -> Moments:
        """Read the rows in order, each block with all its cells."""
        idle = False
        if (
            not isinstance(cell, Deal) and cell.min(initial=0) < 0
        ):  # rows of no cell are summed too, in a cell of their own
            idle = True
            cell, keep = np.where(cell < 0, n_cells, cell), replace(keep, folds=n_cells + 1)
        if isinstance(self.source, ArraySource) and not isinstance(cell, Deal):
            s = self.source
            folded: Source = ArraySource(s.X, s.y, s.weight, cell, s.group, s.names)
        else:
            folded = self.celled(cell, n_cells)
        m = reduce_source(folded, keep, stay=True)
        return select(m, slice(0, n_cells)) if idle else m

    def _by_cell(self, keep_of: Callable[..., Any], cell: Codes, n_cells: int) -> Moments:
        """Read the rows of one cell after the other: a cell's sums stay in the cache, and only its own blocks merge."""
        s = self.source
        assert isinstance(s, ArraySource)
        keep = keep_of(s)
        if getattr(keep, "scatter", None) in ("full", "pooled"):
            refuse_large(None, s.n_columns)
        order = np.argsort(cell.astype(np.int16) if n_cells < 32000 else cell, kind="stable")
        ends = np.cumsum(np.bincount(cell + 1, minlength=n_cells + 1))
        table = Block(s.X, s.y, s.weight, None, s.group)
        gather = plain_gather(s, keep) or (lambda rows: keep(table.taking(rows)))

        def work(c: int) -> Moments:
            rows = order[ends[c] : ends[c + 1]]
            return tree(gather(r) for r in ([rows[i : i + ROWS] for i in range(0, len(rows), ROWS)] or [rows]))

        some = max(1, ROWS * n_cells // max(self.n, 1))  # cells to a task: some thousand rows
        done = in_order(lambda c: [work(i) for i in range(c, min(c + some, n_cells))], range(0, n_cells, some))
        m = stack([part for parts in done for part in parts])
        if not m.is_finite():
            refuse_bad_source(s)
        return m


def per_row_passing(source: Source, said: Weights | None = None) -> tuple[Source, Weights | None]:
    """Return rows that pass by with weights in the unit of one row, and what these mean (:func:`epee.risk.units.per_row`).

    Takes a pass over the weights where there are any.
    """
    if getattr(source.head(), "weight", None) is None:
        return source, None
    _, unit, meaning = unit_of(source, said)
    return source if unit == 1 else View(source, Reweighed(unit)), meaning


def unit_of(source: Source, said: Weights | None = None) -> tuple[float, float, Weights]:
    """Return the weight of all rows that pass by, how many rows a unit of it is (1 of counts), and what weights mean."""
    total, _, rows, broken = _weights_of(source)
    if said == "counts":
        refuse_broken(bool(broken))
    meaning = meaning_from(float(total), bool(broken), said)
    return float(total), float(rows / total) if meaning == "sampling" and total > 0 else 1.0, meaning


def _weights_of(source: Source) -> Vector:
    """Return the sum of weights, of their squares, how many are positive, and how many are no whole numbers, (4,)."""
    narrow = source.narrow()
    found: Vector = engine_for(narrow).reduce(narrow, _weighed)
    return found


@dataclass(frozen=True)
class Counting:
    """Count the rows of each class (K,) of a block, or all of them."""

    n_classes: int | None

    def __call__(self, block: Block) -> np.ndarray:
        if self.n_classes is None:
            return np.array([len(block)])
        return np.bincount(np.asarray(block.group), minlength=self.n_classes)


@dataclass(frozen=True, eq=False)
class Learning:
    """The rows that one model learns from, as a change of blocks: those of the cells ``learns`` (C,), mapped."""

    learns: np.ndarray
    before: Affine | None = None
    drops = True

    def __call__(self, block: Block) -> Block:
        fold = np.asarray(block.fold)
        kept = block.taking((fold >= 0) & self.learns[fold])
        X: Matrix = np.asarray(kept.X, dtype=np.float64)
        return kept.having(X=X if self.before is None else self.before.rows(X), fold=None)


def _weighed(block: Block) -> Vector:
    w = np.ones(len(block)) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
    return np.array([w.sum(), w @ w, (w > 0).sum(), (w != np.round(w)).sum()])


def _beside(block: Block) -> tuple[np.ndarray | None, Vector | None]:
    """Return copies of the truth and the weights of a block."""
    truth = block.y if block.group is None else block.group
    return None if truth is None else np.array(truth), None if block.weight is None else np.array(block.weight)
