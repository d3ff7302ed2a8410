r"""The road of everything that is made of sums: reduce, solve, score, wherever the rows are.

The moments :math:`(n_c, \bar x_c, S_c)` of each cell :math:`c` of rows come from one pass. The training sample of a model is the
merge of the cells it learns from, so each model is a solve away; then each row is scored by the model that did not see it, in
one more pass. The mean squared error of a linear regressor needs no second pass: it is a quadratic form of the test moments
(:mod:`epee.risk.linear_stack`). A pipeline stays on this road when its steps look at one row at a time (products of inputs,
the encoding of a table) or are affine maps estimated from moments (a scaler, the filling of missing cells): these are
found again from the training moments of each model (:class:`epee.moments.affine.Affine`).
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.arrays import at_home, is_elsewhere, like, select_rows
from epee.engines.choice import engine_for
from epee.engines.local import in_order
from epee.errors import ConditionWarning
from epee.estimator.base import PosteriorMixin
from epee.estimator.protocol import SolvesScores, SolvesStack, StaysThere
from epee.estimator.stack import Linear, Stack
from epee.losses.loss import Loss
from epee.losses.residuals import Power
from epee.moments.affine import Affine
from epee.moments.moments import Moments, brought_here, share, stack
from epee.moments.narrowing import numbers_in
from epee.moments.unions import dealt_unions, flattened, known_classes, raw_unions, select, unions
from epee.risk.asked import Asked
from epee.risk.dof import degrees_of_freedom
from epee.risk.linear_stack import Mapped, linear_of, squared_risk
from epee.risk.quadratics import counting_errors
from epee.risk.rows import Learning, Rows
from epee.risk.scoring import Laid, Models, Outcome, Panel, Scoring, Sums, samples_of, score_held, tasks_of
from epee.risk.splitting import Deal, Pairs, Split, all_rows
from epee.risk.steps import Steps, steps_of
from epee.risk.units import Weights, as_counts, meaning_of
from epee.table.arrays import ArraySource
from epee.table.block import Block
from epee.table.doors import is_stream, width_of
from epee.table.view import View
from epee.typing import Codes, Labels, Matrix, Tensor, Vector

SCORED_ROWS = 16_384  # in a block that passes by: some hundred for each cell
GLANCE = 2_000_000  # cells of a table that is looked at row by row: asked for one figure, nobody waits for long
MOST_AT_ONCE = 8_000_000  # numbers of the moments of models that are scored at once
LARGEST_MOMENTS = 60_000_000  # numbers kept for all cells together: 0.5 GB


class Route:
    """From rows to their losses under models that did not see them.

    ``truth`` are class codes (n,) or values (n,) / (n, m); ``weight`` (n,) or None is in the unit of a row, ``weights`` what it means
    (:func:`epee.risk.units.per_row`); ``raw`` is what the user gave, with these weights.
    """

    one_pass = False
    at_hand = True
    length = 0.0  # bytes of the model of all rows, where it is another library's
    n: int
    truth: np.ndarray
    weight: Vector | None
    weights: Weights | None = None
    raw: tuple[Any, Any, Any]

    def __init__(self, model: Any, asked: Asked) -> None:
        self.model, self.asked = model, asked

    @property
    def loss(self) -> Loss:
        """What an error costs."""
        return self.asked.loss

    @property
    def kind(self) -> str | None:
        """Classifier, regressor or None."""
        return self.asked.kind

    @property
    def classes(self) -> Labels | None:
        """The sorted labels of a classification."""
        return self.asked.classes

    @property
    def inputs(self) -> Any:
        """The inputs as the user gave them, or the source of those that pass by."""
        return self.raw[0]

    @property
    def n_columns(self) -> int:
        """How many columns the predictor sees."""
        return width_of(self.raw[0])

    @property
    def cells(self) -> int:
        """How many cells the table has, as the user gave it."""
        return self.n * width_of(self.inputs)

    @property
    def at_a_glance(self) -> bool:
        """Tell whether the rows are few enough to be looked at one by one, wherever they lie."""
        return self.cells <= GLANCE

    @property
    def codes(self) -> Codes | None:
        """The class of every row."""
        return None if self.classes is None else self.truth

    @property
    def counts(self) -> Vector:
        """Weights of the rows (n,) whose sum is how many rows they are worth."""
        return as_counts(self.weight, self.n, self.weights)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the predictor that all rows teach; NaN where it would take a fit to know them."""
        return float("nan")

    @property
    def sampled(self) -> bool:
        """Tell whether each row stands for a share of a population."""
        w = self.weight
        return w is not None and meaning_of(w, self.weights) == "sampling" and bool(np.ptp(w) > 0)

    def value(self, prediction: np.ndarray, rows: Any) -> Vector:
        """Return the loss of some rows."""
        weight = None if self.weight is None or self.loss.rowwise else self.weight[rows]
        return self.asked.value(prediction, self.truth[rows], weight)

    def evaluate(self, split: Split | Pairs) -> Outcome:
        """Return the losses of rows under the models of a split."""
        raise TypeError(f"{type(self).__name__} does not say how it evaluates.")

    def means_by_moments(self, split: Split | Pairs) -> tuple[Vector, Vector] | None:
        """Return what :meth:`fold_means` does from moments alone; None when the rows must be read."""
        return None

    def fold_means(self, split: Split | Pairs, outcome: Outcome | None = None) -> tuple[Vector, Vector]:
        """Return the mean loss and the weight of the test rows of each model, (T,)."""
        outcome = self.evaluate(split) if outcome is None else outcome
        if isinstance(split, Pairs):
            model_of = np.where(np.isnan(outcome.losses), -1, np.arange(split.n_models)[:, None])
        else:
            model_of = split.models_of_rows()
        w = np.ones(self.n) if self.weight is None else self.weight
        totals, sizes = np.zeros(split.n_models), np.zeros(split.n_models)
        for model, losses in zip(model_of, outcome.losses, strict=True):
            tested = model >= 0
            totals += np.bincount(model[tested], w[tested] * losses[tested], minlength=split.n_models)
            sizes += np.bincount(model[tested], w[tested], minlength=split.n_models)
        return np.divide(totals, sizes, out=np.full_like(totals, np.nan), where=sizes > 0), sizes


class MomentRoute(Route):
    """One pass, then merges and solves; see the module docstring.

    Parameters
    ----------
    model : estimator or pipeline
    rows : Rows
        Before any affine step; shared by all models that see the same ones.
    asked : Asked
    probe : estimator
        The last step, once it has looked at the rows.
    encoder : TableEncoder, optional
        Where the rows are those of its ``row_map``: their filling is found again for each model.
    """

    one_pass = True

    def __init__(
        self, model: Any, rows: Rows, asked: Asked, probe: Any, encoder: Any = None, raw: tuple[Any, Any, Any] = (None, None, None)
    ) -> None:  # fmt: skip
        super().__init__(model, asked)
        parts = steps_of(model)
        assert parts is not None
        self.steps: Steps = parts
        self.shared, self.probe, self.encoder, self.raw = rows, probe, encoder, raw
        self.source: Any = rows.source
        self.at_hand = rows.at_hand
        self._bank: dict[str, tuple[Any, Any]] = {}  # training and testing moments, shared with routes on the same sums

    @property
    def inputs(self) -> Any:
        """The inputs as the user gave them, or the source of those that pass by."""
        return self.source if is_stream(self.raw[0]) else self.raw[0]

    @property
    def n_columns(self) -> int:
        """How many columns the predictor sees."""
        return int(self.source.n_columns)

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.shared.n

    @property
    def truth(self) -> np.ndarray:
        """Codes or values of all rows."""
        return self.shared.beside[0]

    @property
    def weight(self) -> Vector | None:
        """Weights of all rows."""
        return self.shared.weight

    @property
    def rows(self) -> Matrix:
        """The rows themselves, where they are at hand."""
        assert isinstance(self.source, ArraySource)
        return self.source.X

    @property
    def fits(self) -> bool:
        """Tell whether the moments of all cells fit into memory, and are smaller than the rows."""
        p, kept = self.source.n_columns, self.probe.keeps.scatter
        by_class = self.probe.keeps.group and kept == "full"
        cells = 12 * (len(self.classes) if self.classes is not None and by_class else 1)
        return p < self.n and cells * p * (p if kept in ("full", "pooled") else 1) <= LARGEST_MOMENTS

    def like(self, model: Any) -> MomentRoute:
        """Return the route of a model that sees the same rows, without looking at these again."""
        twin = copy.copy(self)
        parts = steps_of(model)
        assert parts is not None
        twin.model, twin.steps, twin.probe = model, parts, parts.last.entered_like(self.probe)
        if not self.probe.same_moments_as(twin.probe):
            twin._bank = {}
        return twin

    def serves(self, model: Any) -> bool:
        """Tell whether a model sees the same rows through the same door, so that :meth:`like` may be asked."""
        other = steps_of(model)
        if other is None or not other.keeps_moments:
            return False
        return self.steps.same_rows_as(other) and bool(self.probe.same_door_as(other.last))

    def moments(self, cell: Codes | Deal, n_cells: int, *, stay: bool = False) -> Moments:
        """Return the moments of each cell, here unless they may ``stay`` where they were summed."""
        return self.shared.moments(self.probe.summation, cell, n_cells, stay=stay)

    def training(self, split: Split, *, stay: bool = False) -> Moments:
        """Return the training moments of every model of a split, here unless they may ``stay`` where they were summed."""
        known = self._bank.get("training")
        if known is None or known[0] is not split:
            if split.fold_of_cell is not None:
                K = split.n_models // split.repeats
                train = raw_unions(self.testing(split), ~np.eye(K, dtype=bool) * 1.0, split.repeats)
            else:
                few = split.is_kfold and split.n_cells <= 32
                m = self.moments(split.cell, split.n_cells, stay=few and stay)
                train = m.leave_one_out() if few else unions(m, split.learns)
            self._bank["training"] = known = (split, flattened(train))
        found: Moments = known[1]
        return found if stay else brought_here(found)

    def testing(self, split: Split) -> Moments:
        """Return the moments of each model's test rows."""
        m = self.moments(split.cell, split.n_cells)
        if split.is_kfold and split.repeats == 1:
            return m
        known = self._bank.get("testing")
        if known is None or known[0] is not split:
            dealt, K = split.fold_of_cell, split.n_models // split.repeats
            test = unions(m, split.tests()) if dealt is None else dealt_unions(m, dealt, K)
            self._bank["testing"] = known = (split, test)
        return known[1]

    def whole(self) -> Moments:
        """Return the moments of all rows, from the cells when they are known."""
        return self.shared.whole(self.probe.summation)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the predictor that all rows teach."""
        whole = stack([self.whole()])
        return self.freedom_of(self.fit(whole, all_rows(self.n)), whole)

    def freedom_of(self, models: Models, train: Moments) -> float:
        """Return the degrees of freedom of the last of some models, which learned from the moments ``train`` of one sample."""
        if isinstance(models, Linear):  # a stack knows coefficients only
            return degrees_of_freedom(copy.copy(self.probe).fit_moments(self.mapped(train)[0].at("fold", 0)))
        return degrees_of_freedom(models[-1].model if isinstance(models[-1], Mapped) else models[-1])

    def mapped(self, train: Moments) -> tuple[Moments, Affine | None]:
        """Return training moments after the affine steps, and the maps that these rows asked for."""
        if self.encoder is None and not self.steps.affine:
            return train, None
        train = brought_here(train)
        whole = train.merge("group") if "group" in train.axes else train
        before = None if self.encoder is None else Affine.encoding(self.encoder, whole)
        for step in self.steps.affine:  # each column asks for its own scale
            scale = Affine(*clone(step).affine(whole if before is None else before.of_each(whole)))
            before = scale if before is None else before.then(scale)
        assert before is not None
        return before.of(train), before

    def solve(self, train: Moments, split: Split | None = None, before: Affine | None = None) -> Models:
        """Return all models: stacked when they are linear and the estimator solves a stack, else fitted one by one."""
        probe, count = self.probe, at_home(train.count)
        present = count > 0 if "group" in train.axes else np.ones((len(count), 1), dtype=bool)
        if isinstance(probe, SolvesStack) and present.all() and self._stackable():
            parts = self._solve_stack(train)
            if parts is not None:
                return Linear(*parts)
        return self.solve_each(train, split, before)

    def solve_each(self, train: Moments, split: Split | None = None, before: Affine | None = None) -> list[Any]:
        """Return the fitted estimators, one for each training sample.

        One that goes back to the rows where moments lose digits is given its training rows, read only if it asks.
        """
        probe, train = self.probe, brought_here(train)
        present = train.count > 0 if "group" in train.axes else np.ones((len(train.count), 1), dtype=bool)
        refines = split is not None and probe.refines
        if "group" in train.axes:  # what each would ask for, found for all at once
            train = train.with_merged("group")

        def fit(t: int) -> Any:
            m = train.at("fold", t)
            if not present[t].all():
                m = known_classes(m, present[t])
            model = copy.copy(probe).fit_moments(m)
            if refines:
                assert split is not None
                celled = self.shared.celled(split.cell, split.n_cells)
                change = Learning(split.learns[t], None if before is None else before.at(t))
                model.refine(View(celled, change, n_columns=m.p, origin=m.origin), m)
            return model

        with warnings.catch_warnings():
            if refines:  # it says that only the rows would do, and it gets them
                warnings.simplefilter("ignore", ConditionWarning)
            return list(in_order(fit, range(len(train.count))))

    def _solve_stack(self, train: Moments) -> tuple[Tensor, Tensor] | None:
        if is_elsewhere(train.count):
            found: tuple[Tensor, Tensor] | None = self.probe.solve_stack(train)
            return found
        T = len(train.count)
        half = -(-T // 2) if T * train.p**3 > 2e7 else T  # two threads where the solves are long
        chunks = [select(train, slice(i, i + half)) for i in range(0, T, half)]
        parts = list(in_order(self.probe.solve_stack, chunks))
        if any(part is None for part in parts):
            return None
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _stackable(self) -> bool:
        """Tell whether scores X coef + intercept are all that the loss needs of the estimator."""
        labels = self.loss.needs == "labels" and self.asked.costs is None
        return self.kind == "regressor" or labels or isinstance(self.probe, PosteriorMixin)

    def fit(self, train: Moments, split: Split | None = None) -> Models:
        """Return the models of all training moments, as predictors of the rows before any affine step."""
        train, before = self.mapped(train)
        models = self.solve(train, split, before)
        if before is None:
            return models
        if isinstance(models, Linear):
            return models.behind(before)
        return [Mapped(model, before.at(t)) for t, model in enumerate(models)]

    def models(self, split: Split) -> Models:
        """Return the models of a split."""
        return self.fit(self.training(split), split)

    def scores(self, train: Moments) -> Stack | None:
        """Return the scores of all training samples at once, where nothing else is wanted of the models; None when one by one is safer."""
        if not self.at_hand or not isinstance(self.probe, SolvesScores) or not self._stackable():
            return None
        if not (train.count > 0).all() or numbers_in(train) > MOST_AT_ONCE:
            return None
        rows = train.mean.reshape(-1, train.n_columns).mean(axis=0)
        train, before = self.mapped(train)
        found: Stack | None = self.probe.solve_scores(train)
        return found if found is None or before is None else found.behind(before, rows)

    def evaluate(self, split: Split | Pairs) -> Outcome:
        """Return the losses of rows under the models of a split."""
        if isinstance(split, Pairs):
            from epee.risk.refit import RefitRoute

            return RefitRoute(self.model, *self.raw, self.loss, weights=self.weights).evaluate(split)
        scores = self.scores(self.training(split))
        return self.test(split, self.models(split) if scores is None else scores)

    def test(self, split: Split, models: Stack | list[Any]) -> Outcome:
        """Score each row by the models that are tested on it."""
        panel = Panel(self.asked, models, split.tested_by)
        if not self.at_hand:
            return self._test_passing(split, panel)
        return score_held(panel, self.rows, self.truth, split.rows_of, self.weight)

    def _test_passing(self, split: Split, panel: Panel) -> Outcome:
        """Block by block, as they pass; a number a row and repeat is kept."""
        laid, cell = Laid(split.repeats, self.n), self.shared.cells(split.cell, split.n_cells)
        celled = self.shared.celled(cell, split.n_cells)
        for done in engine_for(celled).map(celled, Answering(panel)):
            for r, rows, prediction in done:
                laid.put(r, rows, prediction, self.value(prediction, rows) if self.loss.rowwise else None)
        if not self.loss.rowwise:
            for r, rows in samples_of(split.tested_by, [np.flatnonzero(cell == c) for c in range(split.n_cells)]):
                laid.losses[r, rows] = self.value(laid.predictions[r, rows], rows)
        return laid.outcome()

    def fold_means(self, split: Split | Pairs, outcome: Outcome | None = None) -> tuple[Vector, Vector]:
        """Return the mean loss and the weight of the test rows of each model, (T,); from sums where rows pass by."""
        if outcome is not None or self.at_hand or isinstance(split, Pairs) or not self.loss.rowwise:
            return super().fold_means(split, outcome)
        stay = isinstance(self.probe, StaysThere) and self.probe.stacks_there
        models = self.fit(self.training(split, stay=stay), split)
        weight, total, _ = self.scored([Panel(self.asked, models, split.tested_by)], split).panels[0]
        return share(total, weight), weight

    def scored(self, panels: list[Panel], split: Split, by_cell: bool = False) -> Sums:
        """Return the sums of several panels from one pass, by model or by cell."""
        celled = self.shared.celled(split.cell, split.n_cells)
        quick = counting_errors(panels, self.source.origin) if by_cell else None  # two classes, in one sweep
        rows = SCORED_ROWS if not self.at_hand else None
        found: Sums = engine_for(celled).reduce(celled, Scoring(panels, by_cell, quick), rows=rows)
        return found

    def path_risks(self, split: Split, coef: Tensor, intercept: Tensor) -> Matrix:
        """Return the mean losses (T, V) of linear regressors ``coef`` (T, V, m, p), ``intercept`` (T, V, m), from the rows."""
        T, V, k, p = coef.shape
        if not self.at_hand:
            panels = [Panel(self.asked, Linear(coef[:, v], intercept[:, v]), split.tested_by) for v in range(V)]
            sums = np.stack(self.scored(panels, split).panels)  # (V, 3, T)
            return share(sums[:, 1], sums[:, 0]).T

        def work(task: tuple[int, np.ndarray]) -> tuple[np.ndarray, Matrix, float]:
            c, rows = task
            X, w = self.rows[rows], None if self.weight is None else self.weight[rows]
            by = split.tested_by[:, c]
            by = by[by >= 0]
            sums = np.empty((len(by), V))
            for i, t in enumerate(by):
                raw = (X @ coef[t].reshape(-1, p).T).reshape(len(X), V, k) + intercept[t]
                for v in range(V):
                    losses = self.value(raw[:, v], rows)
                    sums[i, v] = losses.sum() if w is None else w @ losses
            return by, sums, float(len(rows) if w is None else w.sum())

        totals, sizes = np.zeros((T, V)), np.zeros((T, 1))
        for by, sums, size in in_order(work, tasks_of(split.tested_by, split.rows_of)):
            np.add.at(totals, by, sums)
            np.add.at(sizes, by, size)
        return share(totals, np.broadcast_to(sizes, totals.shape))

    def is_linear(self) -> bool:
        """Tell whether predictions are X coef + intercept."""
        return self.kind == "regressor" and bool(self.probe.is_linear)

    def is_linear_squared(self) -> bool:
        """Tell whether moments give the risk: a linear regressor under the squared loss."""
        squared = isinstance(self.loss, Power) and self.loss.power == 2
        return squared and self.is_linear() and self.probe.keeps.scatter == "full"

    def means_by_moments(self, split: Split | Pairs) -> tuple[Vector, Vector] | None:
        """Return the mean squared errors of linear regressors and the weight of their test rows; None when the rows must be read."""
        if isinstance(split, Pairs) or not self.is_linear_squared():
            return None
        models, test = linear_of(self.models(split)), self.testing(split)
        risk, sound = squared_risk(test, models.coef[:, None], models.intercept[:, None])
        return (risk[:, 0], test.count) if sound.all() else None


@dataclass(frozen=True, eq=False)
class Answering:
    """What the models of a panel answer for the rows of a block: (repeat, numbers of the rows, predictions)."""

    panel: Panel
    numbered = True  # it needs the numbers of the rows, on a cluster too

    @property
    def anywhere(self) -> bool:
        """Whether blocks may lie elsewhere: where all models answer there."""
        return self.panel.answers_anywhere

    def __call__(self, block: Block) -> list[tuple[int, np.ndarray, np.ndarray]]:
        assert block.fold is not None
        asks, done, fold = self.panel.asks(), [], at_home(block.fold)
        there = is_elsewhere(block.rows)
        for c in np.unique(fold[fold >= 0]):
            rows = np.flatnonzero(fold == c)
            X = select_rows(block.X, like(rows, block.X)) if there else np.asarray(block.X[rows], dtype=np.float64)
            done += [(r, block.start + rows, prediction) for r, _, prediction in self.panel.answers(X, int(c), asks)]
        return done
