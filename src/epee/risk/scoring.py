r"""Scoring: every row judged by the models that did not see it, as a reduction over blocks.

A block of rows with their cells becomes, for each model :math:`t`, the sums over the rows that it is tested on,

.. math:: \Bigl(\sum_i w_i,\; \sum_i w_i\, \ell_i,\; \sum_i w_i\, \ell_i^2\Bigr), \tag{1}

which add. So scoring belongs to the engine that has the rows; only the sums come back. Several panels of models are scored in one
pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere, like, namespace, numbers_like, select_rows
from epee.engines.local import in_order
from epee.errors import WrongUse
from epee.estimator.protocol import answers_anywhere
from epee.estimator.stack import Linear, Stack
from epee.losses.decisions import ZeroOne
from epee.risk.asked import Asked
from epee.risk.asking import Ask, refuse_nan
from epee.risk.errors_elsewhere import count_errors
from epee.risk.linear_stack import Mapped
from epee.risk.quadratics import Errors
from epee.table.block import Block
from epee.typing import Matrix, Tensor, Vector

ROWS = 4096  # scored at once: they stay in the cache
MODEL_NUMBERS = 512  # that a row takes, where models that are not linear answer on a device
Models = Linear | list[Any]  # all models of a split, as predictors of the rows of a source
CellRows = tuple[int, Any, np.ndarray, Vector | None]  # a cell, its inputs, their truth and weights


@dataclass(frozen=True, eq=False)
class Panel:
    """The models of one candidate, and who tests which cell: ``tested_by`` (R, C), -1 for none."""

    asked: Asked
    models: Stack | list[Any]
    tested_by: np.ndarray

    @property
    def n_models(self) -> int:
        """Number of models."""
        return len(self.models)

    @property
    def answers_anywhere(self) -> bool:
        """Whether all models give what the loss needs where the rows lie."""
        if isinstance(self.models, Stack):
            return isinstance(self.models, Linear)
        plain = self.asked.costs is None and not self.asked.probable and self.asked.loss.needs in ("labels", "values")
        return plain and all(answers_anywhere(model) for model in self.models)

    @property
    def counts_errors(self) -> bool:
        """Whether linear scores decide on labels that are right or wrong."""
        plain = self.asked.costs is None and not self.asked.probable and self.asked.kind != "regressor"
        return plain and isinstance(self.models, Linear) and type(self.asked.loss) is ZeroOne

    def asks(self) -> list[Ask]:
        """Return a function of rows for each model; none for a stack."""
        return [] if isinstance(self.models, Stack) else [ask_behind(self.asked, model) for model in self.models]

    def answers(self, X: Matrix, c: int, asks: Sequence[Ask]) -> Iterator[tuple[int, int, np.ndarray]]:
        """Yield (repeat, model, predictions) for rows of cell ``c``, by every model that is tested on it."""
        by = self.tested_by[:, c]
        repeats = np.flatnonzero(by >= 0)
        if isinstance(self.models, Stack):
            raw: Tensor = self.models.raw(X, by[repeats])  # (n, R, k)
            for i, r in enumerate(repeats):
                yield int(r), int(by[r]), self._checked(self.asked.finish(raw[:, i, ...]), by[r])
            return
        for r in repeats:
            yield int(r), int(by[r]), self._checked(at_home(asks[by[r]](X)), by[r])

    def _checked(self, prediction: np.ndarray, t: int) -> np.ndarray:
        refuse_nan(prediction, self.models if isinstance(self.models, Stack) else self.models[t], f"fold {t}")
        return prediction


def ask_behind(asked: Asked, model: Any) -> Ask:
    """Return what a loss asks of a fitted model, which may stand behind an affine map of the rows."""
    if not isinstance(model, Mapped):
        return asked.of(model)
    inner, before = asked.of(model.model), model.before
    return lambda X: inner(before.rows(X))


@dataclass(frozen=True, eq=False)
class Outcome:
    """Losses (R, n) and predictions (R, n, ...) of rows, NaN or -1 where a row was not tested."""

    losses: np.ndarray
    predictions: np.ndarray


class Laid:
    """Losses and predictions of rows, laid out as they come, in ``layers`` of ``n`` rows."""

    def __init__(self, layers: int, n: int) -> None:
        self.losses = np.full((layers, n), np.nan)
        self.predictions = np.empty((0,))

    def put(self, layer: int, rows: Any, prediction: np.ndarray, losses: Vector | None = None) -> None:
        """Lay out what is said of some rows, and what it loses where that is known."""
        if not self.predictions.size:
            nothing = np.nan if prediction.dtype.kind == "f" else -1
            self.predictions = np.full((*self.losses.shape, *prediction.shape[1:]), nothing, dtype=prediction.dtype)
        room = self.predictions[layer]
        room[rows] = prediction.reshape(room[rows].shape)
        if losses is not None:
            self.losses[layer, rows] = losses

    def outcome(self) -> Outcome:
        """Return what became of the rows."""
        return Outcome(self.losses, self.predictions)


def score_held(
    panel: Panel, X: Matrix, truth: np.ndarray, rows_of: Sequence[np.ndarray], weight: Vector | None = None
) -> Outcome:
    """Return what becomes of rows that are at hand, ``rows_of`` each cell, some thousand of a cell at a time."""
    laid, asks = Laid(len(panel.tested_by), len(truth)), panel.asks()

    def work(task: tuple[int, Any]) -> tuple[Any, list[tuple[int, np.ndarray]]]:
        c, rows = task
        found = [(r, prediction) for r, _, prediction in panel.answers(X[rows], c, asks)]
        if panel.asked.loss.rowwise:
            for r, prediction in found:
                laid.losses[r, rows] = panel.asked.value(prediction, truth[rows])
        return rows, found

    for rows, found in in_order(work, tasks_of(panel.tested_by, rows_of)):
        for r, prediction in found:
            laid.put(r, rows, prediction)
    if not panel.asked.loss.rowwise:
        for r, rows in samples_of(panel.tested_by, rows_of):
            own = None if weight is None else weight[rows]
            laid.losses[r, rows] = panel.asked.value(laid.predictions[r, rows], truth[rows], own)
    return laid.outcome()


def tasks_of(tested_by: np.ndarray, rows_of: Sequence[Any]) -> list[tuple[int, Any]]:
    """Return (cell, some of its rows) for all rows that are tested; of a range of rows some are a slice, which is copied by nobody."""
    tested: np.ndarray = np.any(tested_by >= 0, axis=0)
    parts = ((c, rows[i : i + ROWS]) for c, rows in enumerate(rows_of) if tested[c] for i in range(0, len(rows), ROWS))
    return [(c, slice(rows.start, rows.stop) if isinstance(rows, range) else rows) for c, rows in parts]


def samples_of(tested_by: np.ndarray, rows_of: Sequence[np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (repeat, rows) of every test sample: the rows of all cells that one model is tested on."""
    for r, by in enumerate(tested_by):
        for t in np.unique(by[by >= 0]):
            rows = np.concatenate([rows_of[c] for c in np.flatnonzero(by == t).tolist()])
            if len(rows):
                yield r, rows


@dataclass(frozen=True, eq=False)
class Scoring:
    """Reduce a block to the sums (1) of every panel, (3, T) by model or (3, C) by cell; picklable, so any engine can carry it."""

    panels: Sequence[Panel]
    by_cell: bool = False
    quick: Errors | None = None  # counts errors of all panels at once, by cell

    @property
    def anywhere(self) -> bool:
        """Whether blocks may lie elsewhere: where all models answer there."""
        return all(panel.answers_anywhere for panel in self.panels)

    def width(self) -> int:
        """Return how many numbers a row takes where all models answer at once."""
        panels = (panel.models for panel in self.panels)
        return sum(models.numbers_a_row if isinstance(models, Stack) else MODEL_NUMBERS for models in panels)

    def __call__(self, block: Block) -> Sums:
        there = not block.unlaid and is_elsewhere(block.rows)
        if there and block.group is not None and all(panel.counts_errors for panel in self.panels):
            return Sums([count_errors(block, panel.models, panel.tested_by, self.by_cell) for panel in self.panels])  # type: ignore[arg-type]
        if not there and self.quick is not None:
            return Sums(self.quick(block))
        if not there and not all(panel.asked.loss.rowwise for panel in self.panels):
            raise WrongUse(
                "the loss 'auc' ranks the rows of a test sample against each other, which blocks that pass by cannot; choose another loss, "
                "or hold the rows in memory."
            )
        C = self.panels[0].tested_by.shape[1]
        sums = [np.zeros((C if self.by_cell else panel.n_models, 3)) for panel in self.panels]
        asks = [panel.asks() for panel in self.panels]
        for c, X, truth, weight in _cells_elsewhere(block, C) if there else _cells_here(block, C):
            w: Vector = np.ones(len(truth)) if weight is None else weight
            for panel, own, total in zip(self.panels, asks, sums, strict=True):
                for _, t, prediction in panel.answers(X, c, own):
                    losses = panel.asked.value(prediction, truth)
                    total[c if self.by_cell else t] += w.sum(), w @ losses, w @ losses**2
        return Sums([np.ascontiguousarray(total.T) for total in sums])


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums (1) of every panel."""

    panels: list[Matrix]

    def __add__(self, other: Sums) -> Sums:
        return Sums([a + b for a, b in zip(self.panels, other.panels, strict=True)])


def _cells_here(block: Block, n_cells: int) -> Iterator[CellRows]:
    """Yield the rows of each cell that has some."""
    truth = block.y if block.group is None else block.group
    assert block.fold is not None and truth is not None
    order = np.argsort(block.fold, kind="stable")
    ends = np.cumsum(np.bincount(block.fold + 1, minlength=n_cells + 1))  # rows of no cell come first
    for c in np.flatnonzero(np.diff(ends)):
        rows = order[ends[c] : ends[c + 1]]
        weight = None if block.weight is None else block.weight[rows]
        yield int(c), np.asarray(block.X[rows], dtype=np.float64), truth[rows], weight


def _cells_elsewhere(block: Block, n_cells: int) -> Iterator[CellRows]:
    """Yield the rows of each cell that has some where they lie, to be answered there; their truth and weights come here."""
    xp, fold = namespace(block.X), like(block.fold, block.X)
    order = xp.argsort(fold, stable=True)
    below = numbers_like(n_cells + 1, fold, fold.dtype)  # rows of no cell come first
    ends = at_home(xp.searchsorted(select_rows(fold, order), below, side="left"))
    beside = (block.y if block.group is None else block.group, block.weight)
    truth, weight = (None if a is None else at_home(select_rows(like(a, block.X), order)) for a in beside)
    assert truth is not None
    X = select_rows(block.X, order)
    for c in np.flatnonzero(np.diff(ends)):
        i, j = int(ends[c]), int(ends[c + 1])
        yield int(c), X[i:j, ...], truth[i:j], None if weight is None else weight[i:j]
