r"""Cross-validation in one pass: the moments of every cell of rows, merged into every training sample.

The moments :math:`(n_c, \bar x_c, S_c)` of each cell :math:`c` of rows come from one pass. The training sample of a fold is the
merge of the other cells, so each model is a solve away; then each row is scored by the model that did not see it, in
one more pass. The mean squared error of a linear regressor needs no second pass: it is a quadratic form of the test moments
(:mod:`epee.risk.linear_stack`). A pipeline stays on this route when its steps look at one row at a time (products of inputs,
the encoding of a table) or are affine maps estimated from moments (a scaler, the filling of missing cells): these are
re-estimated from the training moments of each fold (:mod:`epee.risk.affine_maps`).
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.engines.local import in_order, tree
from epee.errors import ConditionWarning
from epee.estimator.base import PosteriorMixin, refuse_large
from epee.estimator.moment import MomentEstimator, MomentRegressor
from epee.losses.residuals import Power
from epee.moments.moments import Moments, share, stack
from epee.moments.passes import reduce_source
from epee.risk.affine_maps import Mapped, encoder_maps, mapped, rescale, through
from epee.risk.asking import Ask, asker, refuse_nan
from epee.risk.cell_rows import TrainingRows, plain_gather
from epee.risk.linear_stack import Linear, linear_of, squared_risk
from epee.risk.routes import Outcome, Route
from epee.risk.splitting import Pairs, Split
from epee.risk.unions import dealt_unions, flattened, known_classes, raw_unions, select, unions
from epee.table.arrays import ArraySource
from epee.table.block import Block, refuse_bad_source
from epee.table.doors import is_stream
from epee.typing import Codes, Matrix, Tensor, Vector

ROWS = 4096  # scored at once: they stay in the cache
LARGEST_MOMENTS = 60_000_000  # numbers kept for all cells together: 0.5 GB


def split_steps(model: Any) -> tuple[list[Any], list[Any], Any] | None:
    """Return row-wise maps, affine maps and the last estimator of a pipeline; None when it has other steps.

    A table encoder (``plan``, ``row_map``, ``fill_map``) may come first: a row-wise map whose filling of missing cells is affine.
    """
    steps = [step for _, step in model.steps] if hasattr(model, "steps") and hasattr(model, "named_steps") else [model]
    *maps, last = [s for s in steps if s is not None and not (isinstance(s, str) and s == "passthrough")] or [None]
    row_wise: list[Any] = []
    if maps and is_encoder(maps[0]):
        row_wise.append(maps.pop(0))
    while maps and not any(map(is_encoder, row_wise)) and getattr(maps[0], "_row_wise", False):
        row_wise.append(maps.pop(0))
    if not all(hasattr(step, "_affine") for step in maps):
        return None
    return row_wise, maps, last


def is_encoder(step: Any) -> bool:
    """Tell whether a step maps rows to numbers and fills their missing cells by an affine map of moments."""
    return all(hasattr(step, name) for name in ("plan", "row_map", "fill_map", "open"))


def passes_once(model: Any, X: Any) -> bool:
    """Tell whether a model may take the one-pass route on these rows."""
    parts = split_steps(model)
    if parts is None or hasattr(X, "tocsr"):
        return False
    row_wise, _, last = parts
    if not isinstance(last, MomentEstimator) or last._needs_rows or not hasattr(last, "predict"):
        return False
    return not (row_wise and is_encoder(row_wise[0])) or (last.keeps.scatter in ("full", "pooled") and not is_stream(X))


class MomentRoute(Route):
    """One pass, then merges and solves; see the module docstring."""

    one_pass = True

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, loss: Any) -> None:
        super().__init__(model, X, y, sample_weight, loss)
        parts = split_steps(model)
        assert parts is not None
        row_wise, self.affine_steps, last = parts
        Z, self.encoder = self.X, None
        if row_wise and is_encoder(row_wise[0]):
            self.encoder = clone(row_wise.pop(0)).plan(Z)
            Z = np.concatenate([self.encoder.row_map(raw) for raw in self.encoder.open(Z).raw_blocks()])
        for step in row_wise:
            Z = clone(step).fit(Z).transform(Z)
        self.probe = clone(last)
        self.probe._one_target = np.ndim(self.y) == 1
        source = self.probe._source(Z, self.y, self.weight)
        assert isinstance(source, ArraySource)
        self.source = source
        self.rows: Matrix = self.probe._enter(Z, reset=False, finite=False)
        K = len(self.classes) if self.classes is not None else 1
        cells = 12 * (K if self.probe.keeps.group and self.probe.keeps.scatter == "full" else 1)
        p = self.source.n_columns
        self.fits = (
            p < self.n and cells * p * (p if self.probe.keeps.scatter in ("full", "pooled") else 1) <= LARGEST_MOMENTS
        )
        self._bank: dict[str, tuple[Any, Moments]] = {}  # shared with the routes of models on the same moments

    def like(self, model: Any) -> MomentRoute:
        """Return the route of a model that keeps the same moments of the same rows, without looking at these again."""
        parts = split_steps(model)
        assert parts is not None
        twin = copy.copy(self)
        twin.model, (_, twin.affine_steps, last) = model, parts
        twin.probe = clone(last)
        learned = {k: v for k, v in self.probe.__dict__.items() if k not in self.probe.get_params(deep=False)}
        twin.probe.__dict__.update(learned)
        return twin

    def shares_moments(self, model: Any) -> bool:
        """Tell whether a model lives on the same moments of the same rows as this one."""
        mine, other = split_steps(self.model), split_steps(model)
        if mine is None or other is None or not isinstance(other[2], MomentEstimator) or other[2]._needs_rows:
            return False
        a, b = mine[2], other[2]
        same_door = all(getattr(type(a), f, None) is getattr(type(b), f, None) for f in ("_source", "_enter", "_leave"))
        same_maps = [(type(s), repr(s.get_params())) for s in mine[0]] == [
            (type(s), repr(s.get_params())) for s in other[0]
        ]
        if not (same_door and same_maps and a.keeps == b.keeps and hasattr(b, "predict")):
            return False
        known = {
            name: self.probe.__dict__[name] for name in ("classes_", "n_features_in_") if name in self.probe.__dict__
        }
        twin = clone(b)
        twin.__dict__.update(known)
        return same_sums(self.probe._summation(self.source, 2), twin._summation(self.source, 2))

    def moments(self, cell: Codes, n_cells: int) -> Moments:
        """Return the moments of each cell from one pass; the last pass is remembered."""
        known = self._bank.get("cells")
        if known is None or known[0] is not cell:
            m = self._by_cell(cell, n_cells) if n_cells * 4 < self.n else self._by_block(cell, n_cells)
            self._bank["cells"] = known = (cell, m)
        return known[1]

    def _by_block(self, cell: Codes, n_cells: int) -> Moments:
        """Read the rows in order, each block with all its cells: for cells of few rows."""
        s, idle = self.source, cell.min() < 0
        ids = np.where(cell < 0, n_cells, cell) if idle else cell
        folded = ArraySource(s.X, s.y, s.weight, ids, s.group, s.names)
        m = reduce_source(folded, self.probe._summation(folded, n_cells + int(idle)))
        return select(m, slice(0, n_cells)) if idle else m

    def _by_cell(self, cell: Codes, n_cells: int) -> Moments:
        """Read the rows of one cell after the other: a cell's sums stay in the cache, and only its own blocks merge."""
        s = self.source
        if self.probe.keeps.scatter in ("full", "pooled"):
            refuse_large(None, s.n_columns)
        keep = self.probe._summation(s)
        order = np.argsort(cell.astype(np.int16) if n_cells < 32000 else cell, kind="stable")
        ends = np.cumsum(np.bincount(cell + 1, minlength=n_cells + 1))

        def part(a: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
            return None if a is None else a[rows]

        gathers = plain_gather(s, keep)

        def one(rows: np.ndarray) -> Moments:
            if gathers is not None:
                return gathers(rows)
            return keep(Block(s.X[rows], part(s.y, rows), part(s.weight, rows), None, part(s.group, rows)))

        def work(c: int) -> Moments:
            rows = order[ends[c] : ends[c + 1]]
            return tree(one(r) for r in ([rows[i : i + ROWS] for i in range(0, len(rows), ROWS)] or [rows]))

        some = max(1, ROWS * n_cells // max(self.n, 1))  # cells to a task: some thousand rows
        done = in_order(lambda c: [work(i) for i in range(c, min(c + some, n_cells))], range(0, n_cells, some))
        m = stack([part for parts in done for part in parts])
        if not m.is_finite():
            refuse_bad_source(s)
        return m

    def training(self, split: Split) -> Moments:
        """Return the training moments of every model of a split."""
        known = self._bank.get("training")
        if known is None or known[0] is not split:
            if split.fold_of_cell is not None:
                K = split.n_models // split.repeats
                train = raw_unions(self.testing(split), ~np.eye(K, dtype=bool) * 1.0, split.repeats)
            else:
                m = self.moments(split.cell, split.n_cells)
                few = split.is_kfold and split.n_cells <= 32
                train = m.leave_one_out() if few else unions(m, split.learns)
            self._bank["training"] = known = (split, flattened(train))
        return known[1]

    def whole(self) -> Moments:
        """Return the moments of all rows, from the cells when they are known."""
        known = self._bank.get("cells")
        if known is not None and known[0].min() >= 0:
            return known[1].merge("fold")
        return self.moments(np.zeros(self.n, dtype=np.intp), 1).at("fold", 0)

    def scaled(self, train: Moments) -> tuple[Moments, Vector | None, Vector | None]:
        """Return training moments after the affine steps, and the maps x -> A x + b (T, p) that these rows asked for."""
        encoder = getattr(self, "encoder", None)
        if not self.affine_steps and encoder is None:
            return train, None, None
        T = len(train.count)
        scale: Tensor = np.ones((T, train.p))
        shift = np.zeros((T, train.p))
        if encoder is not None:
            scale, shift = encoder_maps(encoder, train)
            train = mapped(train, scale, shift)
        for step in self.affine_steps:
            whole = train.merge("group") if "group" in train.axes else train
            A, b = clone(step)._affine(whole)
            train = rescale(train, A, b)
            scale, shift = scale * (A if scale.ndim == 2 else A[:, :, None]), shift * A + b
        return train, scale, shift

    def solve(
        self, train: Moments, split: Split | None = None, scale: Vector | None = None, shift: Vector | None = None
    ) -> Linear | list[Any]:
        """Return all models: stacked when they are linear and the estimator solves a stack, else fitted one by one.

        An estimator that goes back to the rows where moments lose digits is given its training rows, read only if it asks.
        """
        probe = self.probe
        present = train.count > 0 if "group" in train.axes else np.ones((len(train.count), 1), dtype=bool)
        if hasattr(probe, "solve_stack") and present.all() and self._stackable():
            parts = self._solve_stack(train)
            if parts is not None:
                return Linear(*parts)
        refines = split is not None and type(probe)._refine is not MomentEstimator._refine

        def fit(t: int) -> Any:
            m = train.at("fold", t)
            if not present[t].all():
                m = known_classes(m, present[t])
            model = copy.copy(probe).fit_moments(m)
            if refines:
                assert split is not None
                keep = np.append(split.learns[t], False)[split.cell]
                ends = (None, None) if scale is None or shift is None else (scale[t], shift[t])
                model._refine(TrainingRows(self.source, keep, m.origin, *ends), m)
            return model

        with warnings.catch_warnings():
            if refines:  # it says that only the rows would do, and it gets them
                warnings.simplefilter("ignore", ConditionWarning)
            return list(in_order(fit, range(len(train.count))))

    def _solve_stack(self, train: Moments) -> tuple[Tensor, Tensor] | None:
        T = len(train.count)
        half = -(-T // 2) if T * train.p**3 > 2e7 else T  # two threads where the solves are long
        chunks = [select(train, slice(i, i + half)) for i in range(0, T, half)]
        parts = list(in_order(self.probe.solve_stack, chunks))
        if any(part is None for part in parts):
            return None
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _stackable(self) -> bool:
        """Tell whether scores X coef + intercept are all that the loss needs of the estimator."""
        return self.kind == "regressor" or self.loss.needs == "labels" or isinstance(self.probe, PosteriorMixin)

    def fit(self, train: Moments, split: Split | None = None) -> Linear | list[Any]:
        """Return the models of all training moments, as predictors of the rows before any affine step."""
        train, scale, shift = self.scaled(train)
        models = self.solve(train, split, scale, shift)
        if scale is None or shift is None:
            return models
        if isinstance(models, Linear):
            intercept = models.intercept + np.einsum("tkp,tp->tk", models.coef, shift)
            return Linear(through(models.coef, scale), intercept)
        return [Mapped(m, a, b) for m, a, b in zip(models, scale, shift, strict=True)]

    def askers(self, models: list[Any]) -> list[Ask]:
        """Return the functions of rows behind fitted models."""

        def make(model: Any) -> Ask:
            if isinstance(model, Mapped):
                inner = asker(model.model, self.loss, self.classes)
                return lambda X: inner(model.move(X))
            return asker(model, self.loss, self.classes)

        return [make(model) for model in models]

    def evaluate(self, split: Split | Pairs) -> Outcome:
        """Return the losses of rows under the models of a split."""
        if isinstance(split, Pairs):
            from epee.risk.routes import OrdinaryRoute

            return OrdinaryRoute(self.model, *self.raw, self.loss).evaluate(split)
        return self.test(split, self.fit(self.training(split), split))

    def test(self, split: Split, models: Linear | list[Any]) -> Outcome:
        """Score each row by the models that are tested on it, some thousand rows of a cell at a time."""
        asks = None if isinstance(models, Linear) else self.askers(models)
        losses = np.full((split.repeats, self.n), np.nan)
        room: list[np.ndarray] = []

        def work(task: tuple[int, np.ndarray]) -> tuple[np.ndarray, list[tuple[int, np.ndarray]]]:
            c, rows = task
            X, by = self.rows[rows], split.tested_by[:, c]
            repeats = np.flatnonzero(by >= 0)
            if isinstance(models, Linear):
                raw = models.raw(X, by[repeats])  # (n, R, k)
                found = [self.finish(raw[:, i]) for i in range(len(repeats))]
            else:
                assert asks is not None
                found = [np.asarray(asks[by[r]](X)) for r in repeats]
            for r, prediction in zip(repeats, found, strict=True):
                refuse_nan(prediction, self.probe, f"fold {by[r]}")
                losses[r, rows] = self.value(prediction, rows)
            return rows, list(zip(repeats, found, strict=True))

        for rows, found in in_order(work, self._tasks(split)):
            for r, prediction in found:
                if not room:
                    room.append(self.empty(split.repeats, prediction))
                room[0][r, rows] = prediction.reshape(room[0][r, rows].shape)
        return Outcome(losses, room[0])

    def path_risks(self, split: Split, coef: Tensor, intercept: Tensor) -> Matrix:
        """Return the mean losses (T, V) of linear regressors ``coef`` (T, V, m, p), ``intercept`` (T, V, m), from the rows."""
        T, V, k, p = coef.shape

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
        for by, sums, size in in_order(work, self._tasks(split)):
            np.add.at(totals, by, sums)
            np.add.at(sizes, by, size)
        return share(totals, np.broadcast_to(sizes, totals.shape))

    def _tasks(self, split: Split) -> list[tuple[int, np.ndarray]]:
        """Return (cell, some of its rows) for all rows that are tested."""
        return [
            (c, rows[i : i + ROWS]) for c, rows in enumerate(split.rows_of) if (split.tested_by[:, c] >= 0).any()
            for i in range(0, len(rows), ROWS)
        ]  # fmt: skip

    def is_linear(self) -> bool:
        """Tell whether predictions are X coef + intercept."""
        return isinstance(self.probe, MomentRegressor) and type(self.probe)._predict is MomentRegressor._predict

    def is_linear_squared(self) -> bool:
        """Tell whether moments give the risk: a linear regressor under the squared loss."""
        return self.is_linear() and isinstance(self.loss, Power) and self.loss.power == 2

    def risks(self, split: Split) -> Vector | None:
        """Return the mean squared error of each model on its test cells from moments, or None when the rows must be read."""
        if not self.is_linear_squared():
            return None
        models = linear_of(self.fit(self.training(split), split))
        risk, sound = squared_risk(self.testing(split), models.coef[:, None], models.intercept[:, None])
        return risk[:, 0] if sound.all() else None

    def testing(self, split: Split) -> Moments:
        """Return the moments of each model's test rows."""
        m = self.moments(split.cell, split.n_cells)
        if split.is_kfold and split.repeats == 1:
            return m
        known = self._bank.get("testing")
        if known is None or known[0] is not split:
            dealt = split.fold_of_cell
            test = (
                unions(m, split.tests()) if dealt is None else dealt_unions(m, dealt, split.n_models // split.repeats)
            )
            self._bank["testing"] = known = (split, test)
        return known[1]


def same_sums(a: Any, b: Any) -> bool:
    """Tell whether two summations keep the same of a block."""
    return type(a) is type(b) and all(np.array_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
