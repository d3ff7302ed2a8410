r"""Cross-validation of a table that may be larger than memory, in memory bounded by the block.

Nothing is kept of a row: its fold is decided while it passes (:mod:`epee.table.folded`), one pass gives the moments of every
fold, the models are solved from merges, and one scoring pass reduces to two sums for each model :math:`k`,

.. math:: \Bigl(\sum_{i \in T_k} w_i\, \ell_i,\; \sum_{i \in T_k} w_i\Bigr), \tag{1}

which the squared loss of a linear regressor does not even need. The folds, and so the figures, are those of the same rows in
memory; on a cluster only counts, moments and the sums (1) cross the network. The losses of single rows are found when somebody asks
for them, and are then held.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from epee.engines.choice import engine_for
from epee.errors import ConditionWarning, WrongUse
from epee.estimator.moment import MomentEstimator
from epee.losses.names import resolve
from epee.moments.moments import Moments, share
from epee.moments.passes import reduce_source
from epee.risk.asking import refuse_nan
from epee.risk.cross_validation import CrossValidation, _from_moments, _outcomes, assemble, plan_for
from epee.risk.linear_stack import Linear
from epee.risk.one_pass import LARGEST_MOMENTS, MomentRoute, passes_once, split_steps
from epee.risk.routes import kind_of, open_route
from epee.risk.splitting import FINE_FOLDS, Plan, Split, check_strata, kfold, regrouped, repeat_seed, seed_of
from epee.table.block import Block, Source
from epee.table.changes import ClassCounts, Dealt, Learned
from epee.table.doors import coded, open_source
from epee.table.folds import check_folds
from epee.table.source import TableSource
from epee.table.view import View
from epee.typing import Codes, Vector

LARGEST_KEPT = 2_000_000  # rows whose folds and losses are kept, by the route for smaller tables


def validate_stream(
    model: Any, X: Any, y: Any, folds: Any, repeats: int | None, loss: Any, level: float, sample_weight: Any, groups: Any,
    time: Any, stratify: Any, random_state: Any,
) -> CrossValidation | None:  # fmt: skip
    """Return the cross-validation of a large stream, or None where the route that keeps a few numbers a row will do."""
    plain_folds = isinstance(folds, int | np.integer) and groups is None and time is None
    if not plain_folds or stratify not in (None, True, False) or not passes_once(model, X) or split_steps(model)[0]:  # type: ignore[index]
        return None
    route = CountedRoute(model, X, y, sample_weight, loss)
    if not route.fits:
        return None
    if stratify is True and route.classes is None:
        raise WrongUse("stratify=True needs classes; for a regression give an array of strata.")
    plan = route.plan(int(folds), 1 if repeats is None else int(repeats), stratify is not False, random_state)

    def look() -> tuple[np.ndarray, np.ndarray]:
        whole = open_route(model, X, y, sample_weight, loss)
        return _outcomes(whole, plan_for(whole, folds, plan.repeats, groups, time, stratify, random_state))

    parts = [_from_moments(route, split) or route.fold_means(split) for split in plan.splits]
    per_fold, sizes = (np.concatenate(part) for part in zip(*parts, strict=True))
    done = assemble(route, plan, per_fold, sizes, level, look)
    total = float(sizes.sum()) / plan.repeats
    return replace(done, n=total, rows=f"{done.rows}:{plan.n_folds}:{seed_of(random_state)}")


class CountedRoute(MomentRoute):
    """Moments by fold, solves, sums of losses by model; ``fits`` is False where another route is meant."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, loss: Any) -> None:
        self.model, self.kind = model, kind_of(model)
        self.loss = resolve(loss, self.kind)
        self.X, self.y, self.weight, self.raw = X, y, None, (X, y, sample_weight)
        plain = open_source(X, y, sample_weight)
        parts = split_steps(model)
        assert parts is not None
        _, self.affine_steps, last = parts
        self.probe = clone(last)
        self.fits = False
        grouped = self.probe.keeps.group == "y"
        if grouped != (self.kind == "classifier") or (
            not getattr(plain, "is_dask", False) and _rows(plain) <= LARGEST_KEPT
        ):
            return
        several = isinstance(plain, TableSource) and len(plain.targets) > 1
        self.truth = np.empty((0, 2) if several else 0)  # its shape tells how many targets there are
        self.probe._one_target = not several
        self.source: Any = self.probe._source(plain, y, sample_weight)
        self.classes = self.probe.classes_ if grouped else None
        self.counts = self._count(plain)
        self.n = int(self.counts.sum())
        self.codes = None
        p, K = self.source.n_columns, len(self.counts)
        cells = 12 * (K if self.probe.keeps.scatter == "full" else 1)
        self.fits = (
            p < self.n and cells * p * (p if self.probe.keeps.scatter in ("full", "pooled") else 1) <= LARGEST_MOMENTS
        )
        self._bank = {}
        self._deals: list[tuple[Codes, int, int | None]] = []  # (marker, seed, classes) of each way to deal the rows

    def _count(self, plain: Source) -> np.ndarray:
        """Return the number of rows of each class, or of all, from the target alone."""
        if self.classes is None and plain.n_rows is not None:
            return np.array([plain.n_rows])
        narrow: Any = _narrow(plain)
        if self.classes is not None:
            narrow, _ = coded(narrow, self.classes)
        counting = ClassCounts(None if self.classes is None else len(self.classes))
        counts: np.ndarray = engine_for(narrow).reduce(narrow, counting)
        return counts

    def plan(self, K: int, repeats: int, stratified: bool, random_state: Any) -> Plan:
        """Return the plan that the same rows would have in memory."""
        if repeats < 1:
            raise WrongUse(f"repeats is {repeats!r}; it must be a whole number of at least 1.")
        check_folds(K, self.n)
        seed, by_class = seed_of(random_state), stratified and self.classes is not None
        if by_class:
            check_strata(np.repeat(np.arange(len(self.counts)), np.minimum(self.counts, K + 1)), K, self.classes)
        words = f"{'stratified ' if by_class else ''}{K}-fold cross-validation"
        how = f"{words}, repeated {repeats} times" if repeats > 1 else words
        strata = len(self.counts) if by_class else None
        fine = -(-FINE_FOLDS // K) * K
        smallest = int(self.counts.min()) if by_class else self.n
        if repeats > 1 and K <= FINE_FOLDS // 2 and smallest >= 30 * fine:
            return Plan([regrouped(self._deal(seed, strata), fine, K, repeats, seed)], K, repeats, how)
        splits = [kfold(self._deal(repeat_seed(seed, r), strata), K) for r in range(repeats)]
        return Plan(splits, K, repeats, how)

    def _deal(self, seed: int, strata: int | None) -> Codes:
        """Return an empty array that stands for the cells of all rows."""
        marker: Codes = np.empty(0, dtype=np.intp)
        self._deals.append((marker, seed, strata))
        return marker

    def folded(self, cell: Codes, n_cells: int) -> View:
        """Return the rows with their cells."""
        seed, strata = next((seed, strata) for marker, seed, strata in self._deals if marker is cell)
        key = f"folded {seed} {n_cells}"
        if key not in self._bank:
            self._bank[key] = (None, View(self.source, Dealt(n_cells, seed, strata)))  # type: ignore[assignment]
        return self._bank[key][1]  # type: ignore[return-value]

    def moments(self, cell: Codes, n_cells: int) -> Moments:
        """Return the moments of each cell from one pass; the last pass is remembered."""
        known = self._bank.get("cells")
        if known is None or known[0] is not cell:
            m = reduce_source(self.folded(cell, n_cells), self.probe._summation(self.source, n_cells))
            self._bank["cells"] = known = (cell, m)
        return known[1]

    def solve(
        self, train: Moments, split: Split | None = None, scale: Vector | None = None, shift: Vector | None = None
    ) -> Linear | list[Any]:
        """Return all models; one that goes back to its training rows reads them from the stream."""
        refines = split is not None and type(self.probe)._refine is not MomentEstimator._refine
        with warnings.catch_warnings():
            if refines:
                warnings.simplefilter("ignore", ConditionWarning)
            models = super().solve(train, None, scale, shift)
            if not refines or isinstance(models, Linear):
                return models
            assert split is not None
            folded = self.folded(split.cell, split.n_cells)
            for t, model in enumerate(models):
                m = train.at("fold", t)
                ends = (None, None) if scale is None or shift is None else (scale[t], shift[t])
                model._refine(View(folded, Learned(split.learns[t], *ends), origin=m.origin), m)
        return models

    def fold_means(self, split: Split) -> tuple[Vector, Vector]:
        """Return the mean loss and the weight of the test rows of each model, (T,), from one scoring pass."""
        folded = self.folded(split.cell, split.n_cells)
        light = copy.copy(self)
        light.source, light.X, light.y, light.raw, light._bank = None, None, None, (None, None, None), {}
        models = self.fit(self.training(split), split)
        sums = engine_for(folded).reduce(folded, Scoring(light, models, split.tested_by, split.n_models))
        return share(sums[0], sums[1]), sums[1]


@dataclass(frozen=True)
class Scoring:
    """Reduce a block to the sums (1), (2, T); picklable, so any engine can carry it."""

    route: CountedRoute
    models: Linear | list[Any]
    tested_by: np.ndarray  # (R, C)
    n_models: int

    def __call__(self, block: Block) -> np.ndarray:
        route, models = self.route, self.models
        asks = None if isinstance(models, Linear) else route.askers(models)
        truth = block.group if route.kind == "classifier" else block.y
        assert block.fold is not None and truth is not None
        order = np.argsort(block.fold, kind="stable")
        counts = np.bincount(block.fold, minlength=self.tested_by.shape[1])
        ends = np.cumsum(counts)
        out = np.zeros((2, self.n_models))
        for c in np.flatnonzero(counts):
            rows = order[ends[c] - counts[c] : ends[c]]
            X, by = np.asarray(block.X[rows], dtype=np.float64), self.tested_by[:, c]
            w = None if block.weight is None else block.weight[rows]
            raw = models.raw(X, by) if isinstance(models, Linear) else None  # (n, R, k)
            for r, t in enumerate(by):
                if raw is not None:
                    prediction = route.finish(raw[:, r])
                else:
                    assert asks is not None
                    prediction = np.asarray(asks[t](X))
                refuse_nan(prediction, route.probe, f"fold {t}")
                y = truth[rows]
                if route.loss.needs == "values":
                    y = np.asarray(y, dtype=np.float64)
                    prediction = np.asarray(prediction, dtype=float).reshape(y.shape)
                losses = route.loss.value(prediction, y)
                out[0, t] += losses.sum() if w is None else w @ losses
                out[1, t] += len(rows) if w is None else w.sum()
        return out


def _rows(source: Source) -> int:
    """Return how many rows there are, counting them if nobody has."""
    if source.n_rows is not None:
        return source.n_rows
    return source.count() if hasattr(source, "count") else sum(map(len, source.blocks()))


def _narrow(source: Source) -> Source:
    """Return the same rows with one input only, so that counting reads little."""
    if not isinstance(source, TableSource):
        return source
    narrow: Any = copy.copy(source)
    narrow.names, narrow.n_columns = source.names[:1], 1
    return narrow
