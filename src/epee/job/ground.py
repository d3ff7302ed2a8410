"""What all candidates stand on: the rows, the folds and the loss.

``rows`` serve those who live on sums: all training rows as numbers where they are at hand, else the table as it passes by.
``hand`` holds the rows that are at hand, all of them or a seeded sample, for those who must see rows.
"""

from __future__ import annotations

import itertools
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from epee.estimator.protocol import SolvesStack, gives_probabilities
from epee.job.cells import Cells, Parted
from epee.job.hierarchy import Candidate, Setting
from epee.job.holding import take
from epee.losses.brier import Brier
from epee.losses.decisions import ZeroOne
from epee.risk.asked import PROBABILITIES, Asked
from epee.risk.refit import RefitRoute
from epee.risk.route import MomentRoute
from epee.risk.rows import Rows
from epee.risk.scoring import Models, Outcome, Panel, score_held
from epee.risk.splitting import Plan, Split, make_plan
from epee.risk.steps import steps_of
from epee.table.arrays import ArraySource
from epee.table.encoder import TableEncoder
from epee.table.raw import RawBlock
from epee.typing import Codes, Matrix, Vector

WIDE = 500  # columns beyond which nobody counts the dependent ones
HELD_TWICE = 4_000_000  # cells of looked rows that are put in order once, rather than picked at every look


@dataclass(eq=False)
class Hand(Parted):
    """Rows at hand: their columns, target, weight and cell.

    ``y`` are labels or values of all these rows; ``cell`` as in :class:`~epee.job.cells.Cells`. ``whole`` says that they are
    all rows of the table; ``looked`` are the places, among the training rows, of those that a choice looks at.
    """

    raw: RawBlock
    y: np.ndarray
    weight: Vector | None
    cell: np.ndarray
    folds: int
    encoder: TableEncoder
    plain: bool  # all inputs are numbers that are there
    whole: bool
    looked: Codes = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    beside: np.ndarray | None = None  # prints of what was read of these rows and is no input

    @property
    def cells(self) -> int:
        """How many numbers the training rows are."""
        return len(self.train) * len(self.encoder.get_feature_names_out())

    def weights(self, rows: Codes) -> Vector | None:
        """Return the weights of some rows."""
        return None if self.weight is None else self.weight[rows]

    @property
    def looked_weight(self) -> Vector:
        """The weights of the rows that a choice looks at."""
        return np.ones(len(self.looked)) if self.weight is None else self.weight[self.train][self.looked]

    @cached_property
    def looked_cell(self) -> np.ndarray:
        """Their cells."""
        return self.cell[self.train][self.looked]

    def encoded(self, rows: Codes) -> Matrix:
        """Return some rows as the predictor will see them, missing cells filled."""
        return self.encoder.encode(take(self.raw, rows))

    @cached_property
    def holed(self) -> Matrix:
        """The training rows as numbers, NaN where one is missing, with codes of rich categories."""
        return self.encoder.coded().holed().encode(take(self.raw, self.train))

    @cached_property
    def numbers(self) -> Matrix:
        """The training rows as those who live on sums see them, before any filling."""
        return self.holed if self.plain else self.encoder.row_map(take(self.raw, self.train))


@dataclass(eq=False)
class Ground:
    """What the candidates share; see the module docstring."""

    setting: Setting
    asked: Asked
    level: float
    cells: Cells
    hand: Hand
    rows: Rows
    split: Split  # of ``rows``; its last model learns from all training rows
    repeats: int
    _plans: dict[int, Plan] = field(default_factory=dict)
    _first: MomentRoute | None = None

    @property
    def n_models(self) -> int:
        """Models of the first cross-validation, one a fold."""
        return self.split.n_models - 1

    @property
    def at_hand(self) -> bool:
        """Tell whether all training rows are at hand."""
        return self.rows.at_hand

    @property
    def all_looked(self) -> bool:
        """Tell whether a choice looks at every training row."""
        return self.at_hand and len(self.hand.looked) == len(self.hand.train)

    @cached_property
    def truth(self) -> np.ndarray:
        """Codes or values of the training rows at hand."""
        y = self.hand.y[self.hand.train]
        return y if self.asked.classes is None else np.searchsorted(self.asked.classes, y)

    @cached_property
    def dependent(self) -> int:
        """How many encoded columns are combinations of the others: the levels of a category add up to one."""
        rows = self.hand.train[: max(2000, 4 * self.setting.p)]
        if self.setting.p > WIDE or len(rows) <= self.setting.p:
            return 0
        X = self.hand.encoded(rows)
        X = X - X.mean(axis=0)
        size = X.std(axis=0)
        X = X[:, size > 0] / size[size > 0]
        return self.setting.p - int(np.linalg.matrix_rank(X, tol=1e-7 * np.sqrt(X.size))) if X.size else self.setting.p

    def free(self, dof: float) -> float:
        """Return degrees of freedom without those of dependent columns, where a weight was counted for every column and class."""
        p = self.setting.p
        for k in {1, max(self.setting.n_classes, 1)}:
            if dof == k * (p + 1.0):
                return k * (p + 1.0 - self.dependent)
        return dof

    @cached_property
    def unit(self) -> float:
        """How many rows a unit of weight is worth: 1 but for weights that are no counts."""
        return 1.0 if self.hand.weight is None else self.rows.unit()

    @cached_property
    def _filled(self) -> Setting:
        """The setting of those who live on sums: cells are filled for them, and no level has a code."""
        return replace(self.setting, holes=False, codes=())

    def on_sums(self, candidate: Candidate) -> bool:
        """Tell whether a candidate lives on sums, so that all rows teach it wherever they are."""
        parts = steps_of(candidate.model(self._filled))
        on_sums = parts is not None and parts.keeps_moments and not parts.row_wise
        return on_sums and not (self.wide and self.square_cost(candidate) > 0 and parts.last.serves_wide)  # type: ignore[union-attr]

    @property
    def wide(self) -> bool:
        """Tell whether the rows at hand are fewer than the columns: their side is then the cheap one."""
        return self.at_hand and self.setting.p > len(self.hand.train)

    def square_cost(self, candidate: Candidate, models: int = 1) -> float:
        """Return the multiplications of solves: a third of p³ each, ten times that for axes, for each class with its own matrix."""
        parts = steps_of(candidate.model(self._filled))
        keeps = None if parts is None or not parts.keeps_moments else parts.last.keeps
        if keeps is None or keeps.scatter not in ("full", "pooled"):
            return 0.0
        each = max(self.setting.n_classes, 1) if keeps.group and keeps.scatter == "full" else 1
        axes = 1 if isinstance(parts.last, SolvesStack) else 10  # type: ignore[union-attr]
        return models * each * axes * float(self.rows.source.n_columns) ** 3 / 3

    def route(self, candidate: Candidate, value: Any) -> MomentRoute:
        """Return the road of a candidate that lives on sums, at one value of its parameter."""
        model = candidate.model(self._filled, value)
        if self._first is not None and self._first.serves(model):
            return self._first.like(model)
        parts = steps_of(model)
        assert parts is not None
        probe = parts.last.entered_as(self.rows.source.n_columns, self.asked.classes, not self.asked.several)
        found = MomentRoute(model, self.rows, self.asked, probe, None if self.hand.plain else self.hand.encoder)
        self._first = self._first or found
        return found

    def refit(self, candidate: Candidate, value: Any) -> RefitRoute:
        """Return the road of a candidate that must see rows, on those at hand."""
        h = self.hand
        model = candidate.model(self.setting, value)
        route = RefitRoute(model, h.holed, h.y[h.train], h.weights(h.train), self.asked.loss, self.asked.costs)
        if candidate.method is not None and gives_probabilities(model):
            route.asked = route.asked.with_probabilities()
        return route

    def plan(self, repeats: int) -> Plan:
        """Return the folds of the training rows at hand, the same for every candidate; the first are those of the cells."""
        if repeats not in self._plans:
            c, s = self.cells, self.setting
            if repeats == 1 or c.forward:
                fold = self.hand.cell[self.hand.train]
                inner = c.split if self.at_hand else Split(fold.astype(np.intp), c.split.learns, c.split.tested_by)
                K = inner.n_models
                how = f"forward chaining in time, {K} folds" if c.forward else self._how(K)
                together = c.copies if c.groups is None and self.at_hand else c.groups
                self._plans[repeats] = Plan([inner], K, 1, how, together)
            else:
                codes = None if self.asked.classes is None or c.groups is not None else self.truth
                self._plans[repeats] = make_plan(
                    c.folds, len(self.hand.train), codes=codes, classes=self.asked.classes, repeats=repeats, groups=c.groups,
                    random_state=s.seed, copies=c.copies,
                )  # fmt: skip
        return self._plans[repeats]

    def _how(self, K: int) -> str:
        kind = " by group" if self.cells.groups is not None else ""
        strata = "stratified " if self.asked.classes is not None and not kind else ""
        copies = ", copies of a row together" if self.cells.copies is not None else ""
        return f"{strata}{K}-fold cross-validation{kind}{copies}"

    def look(self, models: Models, training: bool = False, asked: Asked | None = None) -> Outcome:
        """Return what models make of the rows that a choice looks at: those that did not see them, or the one of all rows."""
        h = self.hand
        tested_by = self.split.tested_by[:, : h.folds]
        panel = Panel(asked or self.asked, models, np.full_like(tested_by, self.n_models) if training else tested_by)
        X, truth, order, back, rows_of = self._looked_by_cell
        weight = None if h.weight is None else h.looked_weight[order]
        found = score_held(panel, X, truth, rows_of, weight)
        return Outcome(found.losses[:, back], found.predictions[:, back])

    @property
    def counts_errors(self) -> bool:
        """Tell whether a label is right or wrong, and nothing else counts: a noisy judge of few rows."""
        return self.asked.classes is not None and self.asked.costs is None and type(self.asked.loss) is ZeroOne

    def held(self, route: MomentRoute, models: Models) -> tuple[Outcome, Vector]:
        """Return what becomes of the looked rows, held out, and their Brier scores: NaN without probabilities, or need of any."""
        if not (self.counts_errors and gives_probabilities(route.model)):
            return self.look(models), np.full(len(self.hand.looked), np.nan)
        told = self.look(models, asked=self.asked.with_probabilities())
        P = told.predictions[0]
        labels = np.where(np.isnan(P[:, 0]), -1, self.asked.decide(P))
        return Outcome(told.losses, labels[None]), self.brier(P)

    def brier(self, P: np.ndarray) -> Vector:
        """Return the Brier scores of the looked rows where errors are counted and their probabilities (n, K) are known, else NaN."""
        seen = np.isfinite(P.sum(axis=1)) if self.counts_errors and P.ndim == 2 else np.zeros(len(P), dtype=bool)
        if seen.all():
            return Brier().value(P, self.truth[self.hand.looked])
        out = np.full(len(P), np.nan)
        if seen.any():
            out[seen] = Brier().value(P[seen], self.truth[self.hand.looked][seen])
        return out

    def probabilities(self, route: MomentRoute | RefitRoute) -> Matrix:
        """Return the probabilities (n, K) that a road gives the looked rows, held out; NaN for rows that nobody is tested on."""
        told = copy(route)
        told.asked = replace(self.asked, loss=PROBABILITIES, costs=None)
        if isinstance(told, MomentRoute):
            told = told.like(told.model)
            return self.look(told.models(self.split), asked=told.asked).predictions[0]
        return told.evaluate(self.plan(1).splits[0]).predictions[0][self.hand.looked]

    @cached_property
    def _looked_by_cell(self) -> tuple[Matrix, np.ndarray, Any, Any, list[Any]]:
        """The looked rows and their truth, how they are ordered and back, and those of each cell: one stretch, unless all and many."""
        h, truth = self.hand, self.truth[self.hand.looked]
        if len(h.looked) == len(h.train) and h.numbers.size > HELD_TWICE:
            rows_of: list[Any] = [np.flatnonzero(h.looked_cell == c) for c in range(h.folds)]
            return h.numbers, truth, slice(None), slice(None), rows_of
        order = np.argsort(h.looked_cell, kind="stable")
        ends = np.searchsorted(h.looked_cell[order], np.arange(h.folds + 1))
        rows_of = [range(a, b) for a, b in itertools.pairwise(ends.tolist())]
        return h.numbers[h.looked[order]], truth[order], order, np.argsort(order), rows_of

    def looked_means(self, losses: Vector) -> tuple[Vector, Vector]:
        """Return the mean loss and the weight, for each model, of the looked rows."""
        by, weight = self.split.tested_by[0, self.hand.looked_cell], self.hand.looked_weight
        seen = (by >= 0) & np.isfinite(losses)
        sizes = np.bincount(by[seen], weight[seen], minlength=self.n_models).astype(np.float64)
        totals = np.bincount(by[seen], weight[seen] * losses[seen], minlength=self.n_models)
        return np.divide(totals, sizes, out=np.full(len(sizes), np.nan), where=sizes > 0), sizes


def held_rows(hand: Hand, asked: Asked) -> Rows:
    """Return the training rows at hand, for those who live on sums."""
    y = hand.y[hand.train]
    codes = None if asked.classes is None else np.searchsorted(asked.classes, y)
    source = ArraySource(hand.numbers, None if codes is not None else y, hand.weights(hand.train), None, codes)
    return Rows(source, asked.classes)
