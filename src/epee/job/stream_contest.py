r"""The closed forms on a large table: all folds and penalties from one pass, classes scored in a second.

One pass gives the moments of every fold, by class for a classification. Training samples are merges, predictors are solves. The mean
squared error of a linear regressor on a fold follows from the moments of that fold, so a regression needs no second pass. For classes the
complexity of each predictor is chosen on a sample of rows, each scored by a model that did not see it, and a second pass scores
every row once under what was chosen, the sealed rows under the models of all training rows. With a time column the training samples are the
merges of the cells before: forward chaining.
"""

from __future__ import annotations

import copy
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
from epee.job.log_odds import Errors, LogOdds, log_odds
from epee.job.stream_cells import CellSource, gathered
from epee.losses.decisions import ZeroOne
from epee.losses.residuals import Power
from epee.moments.moments import Moments, stack
from epee.moments.passes import Summation
from epee.risk.asking import asker
from epee.risk.complexity import choose
from epee.risk.cross_validation import CrossValidation, fold_error
from epee.risk.dof import degrees_of_freedom
from epee.risk.intervals import t_interval, within_range
from epee.risk.one_pass import Linear, linear_of, rescale, select, squared_risk
from epee.table.block import Block, refuse_bad_source
from epee.typing import Matrix, Tensor, Vector
from epee.words.job_words import say

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
    budget: float | None = None
    dropped: list[tuple[str, str]] = field(default_factory=list)
    loss: Any = None  # of costs, None for error rates and squares
    groups: Any = None
    time: Any = None

    @property
    def folds(self) -> int:
        """Number of cells that are learned from."""
        return self.source.cells.folds

    @property
    def first(self) -> int:
        """The first cell that is tested: with forward chaining the cell 0 is only learned from."""
        return int(self.source.cells.forward)

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
            if self.budget is not None and start - begin > self.budget and candidate.key != "baseline":
                self.dropped.append((candidate.name, say("out_of_budget", budget=f"{self.budget:g}")))
                continue
            try:
                found = self.solve(candidate)
            except (DataError, WrongUse, np.linalg.LinAlgError) as fault:
                if candidate.key == "baseline":
                    raise
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
            head = cells.y[cells.cell >= 0][:256].mean(axis=0)
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
        self.train = chained(inner) if self.first else inner.leave_one_out()
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

    def from_moments(self, solved: list[Solved]) -> list[Scores]:
        """Return, for each candidate, what it loses on the folds and on the sealed parts."""
        K, tested, out = self.folds, slice(self.first, self.folds), []
        for s in solved:
            per_fold = np.column_stack([self._squared(s.by_fold[v], tested) for v in range(len(s.values))])
            sealed = np.column_stack([self._squared([s.whole[v]], slice(K, None)) for v in range(len(s.values))])
            s.sample_losses = self._sample_losses(s)
            out.append((per_fold, self.cells.count[tested], sealed, self.cells.count[K:], sealed**2))
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
                rows = np.flatnonzero(sample.fold == t + self.first)
                if len(rows):
                    out[rows, v] = self._losses(model, sample, rows)
        return out

    def _losses(self, model: Model, block: Block, rows: Any) -> Vector:
        X = model.rows(np.asarray(block.X[rows], dtype=np.float64))
        if self.setting.task == "regression":
            assert block.y is not None
            return Power(2.0).value(np.asarray(model.inner._predict(X)).reshape(block.y[rows].shape), block.y[rows])
        assert block.group is not None
        if is_constant(model):
            answer: Any = np.full(len(rows), self.constant(model))
        else:
            answer = self._ask(model.inner)(X)
        return self.lost(answer, block.group[rows])

    def lost(self, answer: np.ndarray, truth: np.ndarray) -> Vector:
        """Return what decisions cost, or where they are wrong."""
        if self.setting.costs is None:
            return (answer != truth).astype(float)
        paid: Vector = self.setting.costs[answer, truth]
        return paid

    def constant(self, model: Model) -> int:
        """Return the one answer of a baseline."""
        prior, costs = model.inner.class_prior_, self.setting.costs
        return int(np.argmax(prior) if costs is None else np.argmin(costs @ prior))

    def _ask(self, model: Any) -> Any:
        costs = self.setting.costs
        if costs is None:
            return asker(model, ZeroOne(), self.source.cells.classes)
        return lambda X: np.argmin(model.predict_proba(X) @ costs.T, axis=1)

    def second_pass(self, solved: list[Solved]) -> list[Scores]:
        """Choose complexities on the sample, then score every row once; returns as :meth:`from_moments`."""
        K, first, chosen = self.folds, self.first, []
        for s in solved:
            s.sample_losses = self._sample_losses(s)
            means = np.stack(
                [_fold_means(column, self.sample, K)[first:] for column in s.sample_losses.T], axis=1
            )  # (K, V)
            cv, stderr = _errors(means)
            s.curve = (cv, stderr, *choose(cv, stderr, np.arange(len(s.values), dtype=float)))
            chosen.append(s.curve[3])
        parts = int(self.source.cells.cell.max()) + 1
        picked = [[*s.by_fold[v], *([s.whole[v]] * (parts - K))] for s, v in zip(solved, chosen, strict=True)]
        errors = self._two_classes([[models[c] for models in picked] for c in range(parts - first)])
        judges = (
            [Judges([models[c] for models in picked], self) for c in range(parts - first)] if errors is None else []
        )

        def work(block: Block) -> tuple[Matrix, Matrix, Vector]:
            assert block.fold is not None and block.group is not None
            if errors is not None:
                wrong, weights = errors(block.X, block.fold, block.group, block.weight, first, parts)
                return wrong, wrong, weights
            sums, squares, weights = np.zeros((len(picked), parts)), np.zeros((len(picked), parts)), np.zeros(parts)
            order = np.argsort(block.fold.astype(np.uint16), kind="stable")
            ends = np.searchsorted(block.fold[order], np.arange(parts + 1))
            for c in range(first, parts):
                rows = order[ends[c] : ends[c + 1]]
                if not len(rows):
                    continue
                w = None if block.weight is None else block.weight[rows]
                weights[c] = len(rows) if w is None else w.sum()
                truth = block.group[rows]
                for i, answer in judges[c - first](np.asarray(block.X[rows], dtype=np.float64)):
                    if self.setting.costs is None:
                        wrong = answer != truth
                        sums[i, c] = squares[i, c] = np.count_nonzero(wrong) if w is None else wrong @ w
                        continue
                    paid = self.lost(answer, truth)
                    sums[i, c], squares[i, c] = (np.sum(v if w is None else v * w) for v in (paid, paid**2))
            return sums, squares, weights

        total, second, weight = np.zeros((len(picked), parts)), np.zeros((len(picked), parts)), np.zeros(parts)
        for sums, squares, weights in in_order(work, self.source.blocks(SCORED_ROWS)):
            total += sums
            second += squares
            weight += weights
        means, second = total / np.maximum(weight, 1e-300), second / np.maximum(weight, 1e-300)
        cut = slice(first, K)
        return [
            (means[i, cut, None], weight[cut], means[i, K:, None], weight[K:], second[i, K:, None])
            for i in range(len(picked))
        ]

    def _two_classes(self, models: list[list[Model]]) -> Errors | None:
        """Return what counts the errors of all predictors of two classes in one sweep, if all are quadratic."""
        if self.setting.costs is not None or self.setting.n_classes != 2:
            return None
        origin, forms = self.source.origin, []
        for row in models:
            own = [
                LogOdds(None, None, np.zeros(len(origin)), 2.0 * self.constant(model) - 1)
                if is_constant(model)
                else log_odds(model.inner, model.scale, model.shift, origin)
                for model in row
            ]
            forms.append([form for form in own if form is not None])
            if len(forms[-1]) < len(row):
                return None
        return Errors(forms, origin)

    def entry(
        self, s: Solved, per_fold: Matrix, weights: Vector, sealed: Matrix, sealed_weights: Vector, squares: Matrix
    ) -> Entry:
        """Return the line of a candidate."""
        if s.curve is None:
            cv, stderr = _errors(per_fold)
            s.curve = (cv, stderr, *choose(cv, stderr, np.arange(len(s.values), dtype=float)))
            column = per_fold[:, s.curve[3]]
            s.sealed, s.sealed_squares = sealed[:, s.curve[3]], squares[:, s.curve[3]]
        else:
            column, s.sealed, s.sealed_squares = per_fold[:, 0], sealed[:, 0], squares[:, 0]
        s.sealed_weights = sealed_weights
        cv, stderr, best, chosen = s.curve
        K, n = len(column), float(weights.sum())
        loss = "squared" if self.setting.task == "regression" else "zero_one" if self.loss is None else self.loss.name
        how = f"forward chaining in time, {K} folds" if self.first else f"{K}-fold cross-validation in one pass"
        value, bar, _ = fold_error(column, 1)
        ends = within_range(t_interval(value, bar, K - 1, self.level), loss)
        dof = np.array([degrees_of_freedom(m.inner) for m in s.whole])
        train = np.full(len(s.values), np.nan)
        risk = CrossValidation(
            value, bar, ends, self.level, n, loss, how, K - 1, row_losses=None, weight=None,
            rows=None, pooled=float(column @ weights / n), per_fold=column, n_folds=K, repeats=1, sizes=weights,
            folds=np.empty(0, dtype=np.intp), one_pass=True,
        )  # fmt: skip
        curve = Curve(s.candidate.parameter, s.values, dof, train, cv, stderr, best, chosen, s.sample_losses)
        model = self.pipeline(s, chosen)
        return Entry(s.candidate, s.values[chosen], model, risk, risk, False, float(dof[chosen]), s.seconds, curve)

    def pipeline(self, s: Solved, v: int) -> Any:
        """Return the predictor of all training rows as a fitted pipeline of encoded rows."""
        model, steps = s.whole[v], s.candidate.make(self.setting)
        last = model.inner if self.setting.costs is None else self.decision(model.inner)
        if len(steps) == 1:
            return Pipeline([("step0", last)])
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
        return Pipeline([("step0", scaler), ("step1", last)])

    def decision(self, fitted: Any) -> Any:
        """Return the decision of least cost around a fitted classifier."""
        from epee.decision.bayes_decision import BayesDecision

        found = BayesDecision(clone(fitted), costs=self.setting.costs)
        found.estimator_ = fitted
        found._read(fitted)
        return found

    def refitted(self, winner: Entry) -> tuple[StreamContest, Entry]:
        """Return the contest and the entry as they are when the sealed rows are learned from too."""
        other = copy.copy(self)
        other.whole = _stacked(self.cells.merge("fold"))
        other.maps = [None, other._maps(other.whole)]
        steps = winner.candidate.make(self.setting)
        whole = other._solve(steps, winner.candidate, winner.value, 1)
        model = other.pipeline(Solved(winner.candidate, [winner.value], [], whole), 0)
        return other, replace(winner, model=model)


class Judges:
    """Several classifiers on the same rows: all linear ones by one product, the others one by one."""

    def __init__(self, models: list[Model], contest: StreamContest) -> None:
        q = contest.source.n_columns
        self.single: list[tuple[int, Model, Any]] = []
        self.constant: list[tuple[int, int]] = []
        self.linear: list[tuple[int, slice]] = []
        coef, intercept, at = [], [], 0
        for i, model in enumerate(models):
            if is_constant(model):
                self.constant.append((i, contest.constant(model)))
            elif hasattr(model.inner, "coef_") and contest.setting.costs is None:
                w, b = np.atleast_2d(model.inner.coef_), np.atleast_1d(model.inner.intercept_)
                if model.scale is not None:
                    b = b + w @ model.shift
                    w = w * model.scale if model.scale.ndim == 1 else w @ model.scale
                coef.append(w)
                intercept.append(b)
                self.linear.append((i, slice(at, at + len(w))))
                at += len(w)
            else:
                self.single.append((i, model, contest._ask(model.inner)))
        self.coef = np.vstack(coef).T.copy() if coef else np.zeros((q, 0))  # (q, scores)
        self.intercept = np.concatenate(intercept) if intercept else np.zeros(0)

    def __call__(self, X: Matrix) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the number of each classifier with its answers, as codes (n,)."""
        scores = X @ self.coef + self.intercept if self.linear else X
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
    sealed_squares: Vector | None = None
    sealed_weights: Vector | None = None


# losses (K, V) and weights (K,) of the folds; of the sealed parts losses, weights and squares of losses
Scores = tuple[Matrix, Vector, Matrix, Vector, Matrix]


def is_constant(model: Model) -> bool:
    """Tell whether a classifier is the baseline."""
    return type(model.inner).__name__ == "BaselineClassifier"


def _stacked(m: Moments) -> Moments:
    return stack([m])


def chained(inner: Moments) -> Moments:
    """Return the training samples of forward chaining: the cells 0 ... t, for t up to the last but one."""
    return stack([select(inner, slice(0, t + 1)).merge("fold") for t in range(len(inner.count) - 1)])


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
