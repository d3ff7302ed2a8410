r"""The closed forms on a large table: all folds and penalties from one pass, classes scored in a second.

One pass gives the moments of every fold, by class for a classification. Training samples are merges, predictors are solves. The mean
squared error of a linear regressor on a fold follows from the moments of that fold, so a regression needs no second pass. For classes the
complexity of each predictor is chosen on a sample of rows, each scored by a model that did not see it, and a second pass scores
every row once under what was chosen, the sealed rows under the models of all training rows.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from epee.engines.choice import engine_for
from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.job.contest import Curve, Entry
from epee.job.filled_route import mapped
from epee.job.hierarchy import Candidate, Setting
from epee.job.stream_cells import CellSource, gathered
from epee.losses.decisions import ZeroOne
from epee.losses.residuals import Power
from epee.moments.moments import Moments
from epee.moments.passes import Summation
from epee.risk.asking import asker
from epee.risk.complexity import choose
from epee.risk.cross_validation import CrossValidation, fold_error, within_range
from epee.risk.dof import degrees_of_freedom
from epee.risk.intervals import t_interval
from epee.risk.one_pass import Linear, linear_of, rescale, select, squared_risk
from epee.table.block import Block, refuse_bad_source
from epee.typing import Matrix, Tensor, Vector

LARGEST = 60_000_000  # numbers in the moments of all cells and classes
ADDED_ROWS = SCORED_ROWS = 16_384  # in a block: some hundred for each cell


@dataclass(eq=False)
class Model:
    """A fitted predictor of the rows that a source gives: ``inner`` behind x -> A x + b."""

    inner: Any
    scale: Any = None  # (p,) or (e, q)
    shift: Any = None

    def rows(self, X: Matrix) -> Matrix:
        """Return the rows as the fitted predictor wants them."""
        if self.scale is None:
            return X
        return X * self.scale + self.shift if self.scale.ndim == 1 else X @ self.scale.T + self.shift


@dataclass(eq=False)
class StreamContest:
    """What all candidates share on a large table; quacks like :class:`epee.job.contest.Contest` for the card."""

    source: CellSource
    setting: Setting
    level: float
    weighted: bool
    dropped: list[tuple[str, str]] = field(default_factory=list)
    loss: Any = None
    groups: Any = None
    time: Any = None

    @property
    def folds(self) -> int:
        """Number of folds."""
        return self.source.cells.folds

    def run(self, candidates: Iterable[Candidate]) -> tuple[list[Entry], dict[str, Any]]:
        """Return the entries, and by key the models of all training rows with what they lose on the sealed rows."""
        begin = clock.perf_counter()
        self.take_moments()
        taken = clock.perf_counter() - begin
        solved: list[Solved] = []
        for candidate in candidates:
            if not candidate.suits(self.setting):
                continue
            start = clock.perf_counter()
            try:
                found = self.solve(candidate)
            except (DataError, WrongUse, np.linalg.LinAlgError) as fault:
                if candidate.key == "baseline":
                    raise
                from epee.words.job_words import say

                self.dropped.append((candidate.name, say("failed", why=str(fault))))
                continue
            found.seconds = clock.perf_counter() - start + taken
            solved.append(found)
        sums = self.from_moments(solved) if self.setting.task == "regression" else self.second_pass(solved)
        return [self.entry(s, *part) for s, part in zip(solved, sums, strict=True)], {
            s.candidate.key: s for s in solved
        }

    def take_moments(self) -> None:
        """Read the table once."""
        cells, source = self.source.cells, self.source
        K, parts = cells.folds, int(cells.cell.max()) + 1
        if self.setting.task == "regression":
            assert cells.y is not None
            head = np.nanmean(cells.y[:256], axis=0)
            origin = np.append(source.origin, np.nan_to_num(head))
            keep = Summation(origin, "full", parts, None, self.setting.n_targets)
        else:
            assert cells.classes is not None
            keep = Summation(source.origin, "full", parts, len(cells.classes), 0, cells.classes)
        self.cells = engine_for(source).reduce(source, keep, rows=ADDED_ROWS)
        if not self.cells.is_finite():
            refuse_bad_source(source)
        self.sample = gathered(source.sample)
        inner = select(self.cells, slice(0, K))
        self.train = inner.leave_one_out()
        self.whole = _stacked(inner.merge("fold"))
        self.maps = [self._maps(m) for m in (self.train, self.whole)]

    def _maps(self, m: Moments) -> tuple[Tensor, Tensor] | None:
        if self.source.encoder is None:
            return None
        merged = m.merge("group") if "group" in m.axes else m
        return self.source.encoder.fill_map(merged)

    def solve(self, candidate: Candidate) -> Solved:
        """Return the models of every fold and of all training rows, for every value of the parameter."""
        values = candidate.grid(self.setting)
        steps = candidate.make(self.setting)
        by_fold = [self._solve(steps, candidate, value, 0) for value in values]
        whole = [self._solve(steps, candidate, value, 1)[0] for value in values]
        return Solved(candidate, values, by_fold, whole)

    def _solve(self, steps: list[Any], candidate: Candidate, value: Any, which: int) -> list[Model]:
        m, maps = (self.train, self.whole)[which], self.maps[which]
        last = clone(steps[-1])
        if value is not None:
            last.set_params(**{str(candidate.parameter): value})
        if candidate.key == "baseline":
            return [Model(_baseline(clone(last), m.at("fold", t))) for t in range(len(m.count))]
        if maps is not None:
            m = mapped(m, *maps)
        m = narrowed(m, last)
        scale = shift = None
        if len(steps) > 1:
            merged = m.merge("group") if "group" in m.axes else m
            scale, shift = clone(steps[0])._affine(merged)
            m = rescale(m, scale, shift)
        fitted = list(in_order(lambda t: clone(last).fit_moments(m.at("fold", t)), range(len(m.count))))
        out = []
        for t, model in enumerate(fitted):
            if maps is None:
                out.append(Model(model, None if scale is None else scale[t], None if shift is None else shift[t]))
                continue
            p, q = m.p, self.source.n_columns
            A, b = maps[0][t][:p, :q], maps[1][t][:p]
            if scale is not None and shift is not None:
                A, b = scale[t][:, None] * A, b * scale[t] + shift[t]
            out.append(Model(model, A, b))
        return out

    def from_moments(self, solved: list[Solved]) -> list[tuple[Vector, Vector, Matrix, Matrix]]:
        """Return, for each candidate, the mean losses (K, V) and weights (K,) of folds, and those of the sealed parts."""
        K, out = self.folds, []
        for s in solved:
            per_fold = np.column_stack([self._squared(s.by_fold[v], slice(0, K)) for v in range(len(s.values))])
            sealed = np.column_stack([self._squared([s.whole[v]], slice(K, None)) for v in range(len(s.values))])
            s.sample_losses = self._sample_losses(s)
            out.append((per_fold, self.cells.count[:K], sealed, self.cells.count[K:]))
        return out

    def _squared(self, models: list[Model], which: slice) -> Vector:
        test = select(self.cells, which)
        linear = _in_source(models, self.source.n_columns, self.setting.n_targets)
        coef, intercept = (np.broadcast_to(a, (len(test.count), *a.shape[1:])) for a in (linear.coef, linear.intercept))
        risk, _ = squared_risk(test, coef[:, None], intercept[:, None])
        return risk[:, 0]

    def _sample_losses(self, s: Solved) -> Matrix:
        """Return the out-of-fold losses (rows, V) of the sample."""
        sample = self.sample
        assert sample.fold is not None
        out = np.full((len(sample), len(s.values)), np.nan)
        for v, models in enumerate(s.by_fold):
            for t, model in enumerate(models):
                rows = np.flatnonzero(sample.fold == t)
                if len(rows):
                    out[rows, v] = self._losses(model, sample, rows)
        return out

    def _losses(self, model: Model, block: Block, rows: Any) -> Vector:
        X = model.rows(np.asarray(block.X[rows], dtype=np.float64))
        if self.setting.task == "regression":
            assert block.y is not None
            return Power(2.0).value(np.asarray(model.inner._predict(X)).reshape(block.y[rows].shape), block.y[rows])
        assert block.group is not None
        if model.inner.__class__.__name__ == "BaselineClassifier":
            return (block.group[rows] != np.argmax(model.inner.class_prior_)).astype(float)
        return (self._ask(model.inner)(X) != block.group[rows]).astype(float)

    def _ask(self, model: Any) -> Any:
        return asker(model, ZeroOne(), self.source.cells.classes)

    def second_pass(self, solved: list[Solved]) -> list[tuple[Matrix, Vector, Matrix, Vector]]:
        """Choose complexities on the sample, then score every row once; returns as :meth:`from_moments`."""
        K, chosen = self.folds, []
        for s in solved:
            s.sample_losses = self._sample_losses(s)
            means = np.stack([_fold_means(column, self.sample, K) for column in s.sample_losses.T], axis=1)  # (K, V)
            cv, stderr = _errors(means)
            s.curve = (cv, stderr, *choose(cv, stderr, np.arange(len(s.values), dtype=float)))
            chosen.append(s.curve[3])
        parts = int(self.source.cells.cell.max()) + 1
        picked = [[*s.by_fold[v], *([s.whole[v]] * (parts - K))] for s, v in zip(solved, chosen, strict=True)]
        judges = [Judges([models[c] for models in picked], self._ask, self.source.n_columns) for c in range(parts)]

        def work(block: Block) -> tuple[Matrix, Vector]:
            assert block.fold is not None
            sums, weights = np.zeros((len(picked), parts)), np.zeros(parts)
            order = np.argsort(block.fold.astype(np.uint16), kind="stable")
            ends = np.searchsorted(block.fold[order], np.arange(parts + 1))
            for c in range(parts):
                rows = order[ends[c] : ends[c + 1]]
                if not len(rows):
                    continue
                w = None if block.weight is None else block.weight[rows]
                weights[c] = len(rows) if w is None else w.sum()
                truth = block.group[rows]  # type: ignore[index]
                for i, answer in judges[c](np.asarray(block.X[rows], dtype=np.float64)):
                    wrong = answer != truth
                    sums[i, c] = np.count_nonzero(wrong) if w is None else wrong @ w
            return sums, weights

        total, weight = np.zeros((len(picked), parts)), np.zeros(parts)
        for sums, weights in in_order(work, self.source.blocks(SCORED_ROWS)):
            total += sums
            weight += weights
        means = total / np.maximum(weight, 1e-300)
        return [(means[i, :K, None], weight[:K], means[i, K:, None], weight[K:]) for i in range(len(picked))]

    def entry(self, s: Solved, per_fold: Matrix, weights: Vector, sealed: Matrix, sealed_weights: Vector) -> Entry:
        """Return the line of a candidate."""
        if s.curve is None:
            cv, stderr = _errors(per_fold)
            s.curve = (cv, stderr, *choose(cv, stderr, np.arange(len(s.values), dtype=float)))
            column = per_fold[:, s.curve[3]]
            s.sealed = sealed[:, s.curve[3]]
        else:
            column, s.sealed = per_fold[:, 0], sealed[:, 0]
        s.sealed_weights = sealed_weights
        cv, stderr, best, chosen = s.curve
        K, n = self.folds, float(weights.sum())
        loss = "zero_one" if self.setting.task == "classification" else "squared"
        value, bar, _ = fold_error(column, 1)
        ends = within_range(t_interval(value, bar, K - 1, self.level), loss)
        dof = np.array([degrees_of_freedom(m.inner) for m in s.whole])
        train = np.full(len(s.values), np.nan)
        risk = CrossValidation(
            value, bar, ends, self.level, n, loss, f"{K}-fold cross-validation in one pass", K - 1, row_losses=None, weight=None,
            rows=None, pooled=float(column @ weights / n), per_fold=column, n_folds=K, repeats=1, sizes=weights,
            folds=np.empty(0, dtype=np.intp), one_pass=True,
        )  # fmt: skip
        curve = Curve(s.candidate.parameter, s.values, dof, train, cv, stderr, best, chosen, s.sample_losses)
        model = self.pipeline(s, chosen)
        return Entry(s.candidate, s.values[chosen], model, risk, risk, False, float(dof[chosen]), s.seconds, curve)

    def pipeline(self, s: Solved, v: int) -> Any:
        """Return the predictor of all training rows as a fitted pipeline of encoded rows."""
        model, steps = s.whole[v], s.candidate.make(self.setting)
        if len(steps) == 1:
            return Pipeline([("step0", model.inner)])
        m = self.whole if self.maps[1] is None else mapped(self.whole, *self.maps[1])
        merged = (m.merge("group") if "group" in m.axes else m).at("fold", 0)
        scaler = clone(steps[0])
        scaler.n_features_in_ = merged.p
        from epee.moments.columns import ColumnMoments

        n = np.full(merged.p, float(merged.count))
        scaler.moments_ = ColumnMoments(
            n, merged.shift[: merged.p], merged.variances[: merged.p] * n, merged.origin[: merged.p]
        )
        scaler._solve(scaler.moments_)
        scaler._sparse_seen, scaler.n_samples_seen_ = False, int(merged.count)
        return Pipeline([("step0", scaler), ("step1", model.inner)])


class Judges:
    """Several classifiers on the same rows: all linear ones by one product, the others one by one."""

    def __init__(self, models: list[Model], ask: Any, q: int) -> None:
        self.single: list[tuple[int, Model, Any]] = []
        self.constant: list[tuple[int, int]] = []
        self.linear: list[tuple[int, slice]] = []
        coef, intercept, at = [], [], 0
        for i, model in enumerate(models):
            if hasattr(model.inner, "class_prior_") and not hasattr(model.inner, "theta_"):
                self.constant.append((i, int(np.argmax(model.inner.class_prior_))))
            elif hasattr(model.inner, "coef_"):
                w, b = np.atleast_2d(model.inner.coef_), np.atleast_1d(model.inner.intercept_)
                if model.scale is not None:
                    b = b + w @ model.shift
                    w = w * model.scale if model.scale.ndim == 1 else w @ model.scale
                coef.append(w)
                intercept.append(b)
                self.linear.append((i, slice(at, at + len(w))))
                at += len(w)
            else:
                self.single.append((i, model, ask(model.inner)))
        self.coef = np.vstack(coef).T.copy() if coef else np.zeros((q, 0))  # (q, scores)
        self.intercept = np.concatenate(intercept) if intercept else np.zeros(0)

    def __call__(self, X: Matrix) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the number of each classifier with its answers, as codes (n,)."""
        scores = X @ self.coef + self.intercept
        for i, where in self.linear:
            own = scores[:, where]
            yield i, own[:, 0] > 0 if own.shape[1] == 1 else own.argmax(axis=1)
        for i, constant in self.constant:
            yield i, np.full(len(X), constant)
        for i, model, ask in self.single:
            yield i, ask(model.rows(X))


@dataclass(eq=False)
class Solved:
    """The models of a candidate: ``by_fold[v][t]`` and ``whole[v]``; and what came of them."""

    candidate: Candidate
    values: list[Any]
    by_fold: list[list[Model]]
    whole: list[Model]
    seconds: float = 0.0
    sample_losses: Matrix | None = None
    curve: tuple[Vector, Vector, int, int] | None = None
    sealed: Vector | None = None
    sealed_weights: Vector | None = None


def _stacked(m: Moments) -> Moments:
    from epee.moments.moments import stack

    return stack([m])


def _errors(means: Matrix) -> tuple[Vector, Vector]:
    pairs = [fold_error(column, 1)[:2] for column in means.T]
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])


def _fold_means(losses: Vector, sample: Block, K: int) -> Vector:
    assert sample.fold is not None
    seen = np.isfinite(losses) & (sample.fold < K)
    w = np.ones(len(losses)) if sample.weight is None else sample.weight
    total = np.bincount(sample.fold[seen], w[seen] * losses[seen], minlength=K)
    count = np.bincount(sample.fold[seen], w[seen], minlength=K)
    return np.divide(total, count, out=np.full(K, np.nan), where=count > 0)


def narrowed(m: Moments, estimator: Any) -> Moments:
    """Return from full moments by class what an estimator keeps: a pooled or a diagonal scatter."""
    keep = estimator.keeps
    if m.scatter is None or "group" not in m.axes or keep.scatter == "full":
        return m
    if keep.scatter == "diagonal":
        return replace(m, scatter=np.ascontiguousarray(np.diagonal(m.scatter, axis1=-2, axis2=-1)), kind="diagonal")
    return replace(m, scatter=m.scatter.sum(axis=m.axes.index("group")), kind="pooled")


def _baseline(model: Any, m: Moments) -> Any:
    """Return a fitted baseline from counts or means."""
    model.n_features_in_ = m.p
    if m.labels is not None:
        model.classes_, model.class_count_ = m.labels, m.count
        model.class_prior_ = m.count / m.count.sum()
    else:
        model.constant_ = float(m.y_mean[0]) if m.targets == 1 else m.y_mean
    return model


def _in_source(models: list[Model], q: int, targets: int) -> Linear:
    """Return linear regressors as a stack, in the coordinates of the source."""
    coef, intercept = [], []
    for model in models:
        if hasattr(model.inner, "constant_"):
            coef.append(np.zeros((targets, q)))
            intercept.append(np.atleast_1d(np.asarray(model.inner.constant_, dtype=np.float64)))
            continue
        one = linear_of([model.inner])
        w, b = one.coef[0], one.intercept[0]
        if model.scale is not None:
            b = b + w @ model.shift
            w = w * model.scale if model.scale.ndim == 1 else w @ model.scale
        coef.append(w)
        intercept.append(b)
    return Linear(np.stack(coef), np.stack(intercept))
