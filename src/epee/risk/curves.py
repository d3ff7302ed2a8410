r"""The price of more rows: error against the size of the training sample, and what more would bring.

Each fold is tested by models trained on growing parts of the other folds. On the one-pass route the rows are cut once into fine cells,
and every training sample is a merge of cells: no row is read again to fit. The test error is extrapolated by a power law with an
asymptote,

.. math:: e(n) = a + b\, n^{-c}, \qquad a, b \ge 0, \tag{1}

weighted by the error bars. Its error bar comes from drawing the folds with replacement and fitting (1) again, and is not let below that of
the losses of all rows; its interval has the shape that their skewness gives it (:mod:`epee.risk.mean_loss`), with Student's quantile for
as many folds, and their cautions; where what the largest samples leave over shows that rows belong together
(:mod:`epee.risk.watching`) it is longer. In time samples grow into the past (:mod:`epee.risk.growing_in_time`), and error bars are those of
losses that follow each other. Where a predictor that lives on moments has fewer than four rows a column, its error falls as
:math:`1 / (n - p)` does and not as (1), and a caution says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.estimator.base import say
from epee.estimator.saying import each_once
from epee.lazy import Shown
from epee.risk.copies import copies_of
from epee.risk.counts import in_copies
from epee.risk.cross_validation import dealt_by_rule, strata_of
from epee.risk.dependence import Dependence
from epee.risk.estimate import Risk
from epee.risk.growing_in_time import chain_of, growing, rows_in_time
from epee.risk.in_time import doubts_of_forecasts
from epee.risk.intervals import Interval, check_level, normal_quantile, t_quantile
from epee.risk.mean_loss import MeanLoss, mean_loss
from epee.risk.opening import open_route
from epee.risk.route import MomentRoute, Route
from epee.risk.scoring import Outcome
from epee.risk.splitting import Split, check_gap, check_strata, check_weighed, group_codes, make_plan, seed_of
from epee.risk.steps import steps_of
from epee.risk.units import Weights, check_said, stands_for_rows, taken_as, unsaid
from epee.risk.watching import kinship, marked, seen_rows, shaped_ends
from epee.table.folds import assign_folds, check_folds
from epee.table.named import named_columns
from epee.typing import Codes, Matrix, Vector
from epee.words import risk_words
from epee.words.numbers import amount, whole

POWERS = np.linspace(0.1, 2.0, 39)
ROWS_A_COLUMN = 4  # from which (1) bends as the error does
FEWEST_SIZES = 4  # to which (1) is fitted


@dataclass(frozen=True, eq=False)
class LearningCurve(Shown):
    """Errors against the number of training rows.

    Attributes
    ----------
    sizes : array (S,)
        Mean number of rows of the training samples, or what their weights are worth.
    train, test, stderr : arrays (S,)
        Error on training rows, on held-out rows, and the standard error of the latter.
    per_fold : array (S, K)
    """

    sizes: Vector
    train: Vector
    test: Vector
    stderr: Vector
    per_fold: Matrix
    loss: str
    level: float
    how: str
    seed: int = field(default=0, repr=False)
    of_rows: Callable[..., MeanLoss] | None = field(default=None, repr=False)  # the mean loss of the largest samples
    columns: int = field(default=0, repr=False)  # of a predictor that lives on moments; 0 of others
    begins: int = field(default=0, repr=False)  # the first size at which every training sample holds every class
    kin: Dependence | None = field(
        default=None, repr=False
    )  # in which way rows belong together, as the largest samples show
    caution: str = field(default="", repr=False)  # asks what the weights are

    def fit(self) -> tuple[float, float, float]:
        """Return a, b, c of (1)."""
        tail = self._tail()
        a, b, c = _power_laws(self.sizes[tail], self.test[None, tail], self._bars()[tail])
        return float(a[0]), float(b[0]), float(c[0])

    def _tail(self) -> np.ndarray:
        """Return which sizes (1) is fitted to: not the smallest, where many estimators hardly have enough rows, or miss a class."""
        far = self.sizes >= self.sizes[-1] / 8
        far[: self.begins] = False
        return far if far.sum() >= FEWEST_SIZES else np.arange(len(far)) >= min(self.begins, len(far) - FEWEST_SIZES)

    def _bars(self) -> Vector:
        bars = np.where(self.stderr > 0, self.stderr, np.nan)
        floor = np.nanmedian(bars) if np.isfinite(bars).any() else 1.0
        return np.maximum(np.nan_to_num(bars, nan=floor), 0.2 * floor)

    def extrapolate(self, n: float, *, draws: int = 400) -> Risk:
        """Return the test error to expect with ``n`` training rows, with its interval.

        Beyond some four times the largest size it rests on (1) alone, and the interval does not know if (1) is wrong.
        """
        if not n > 0:
            raise WrongUse(f"n is {n!r}; give a positive number of rows.")
        if len(self.sizes) < FEWEST_SIZES:
            raise WrongUse(f"an extrapolation needs at least {FEWEST_SIZES} sizes; the curve has {len(self.sizes)}.")
        rng = np.random.default_rng(self.seed)
        K = self.per_fold.shape[1]
        drawn = self.per_fold[:, rng.integers(0, K, (draws, K))].mean(axis=2).T  # (draws, S)
        tail = self._tail()
        a, b, c = _power_laws(self.sizes[tail], np.vstack([self.test[None], drawn])[:, tail], self._bars()[tail])
        values = a + b * n**-c
        value, stderr = float(values[0]), float(values[1:].std(ddof=1) * np.sqrt(K / (K - 1)))
        how = f"extrapolated from {self.sizes[-1]:.0f} rows by a power law"
        steep = n > self.sizes[-1] and self.sizes[-1] < ROWS_A_COLUMN * self.columns
        caution = risk_words.say("caution steep", n=whole(self.sizes[-1]), p=whole(self.columns)) if steep else ""
        if self.begins > len(self.sizes) - FEWEST_SIZES:
            caution = f"{risk_words.say('caution unlearned')} {caution}".strip()
        caution = self.caution or caution
        if self.of_rows is None or not (plain := self.of_rows(level=self.level)).stderr > 0:
            ends = self._ends(value, values[1:], K)
            return Risk(value, stderr, ends, self.level, float(n), self.loss, how, caution=caution)
        stderr = max(stderr, plain.stderr)
        ends_at = partial(shaped_ends, self.of_rows, value, stderr, K - 1, self.loss)
        found = Risk(
            value, stderr, ends_at(self.level), self.level, float(n), self.loss, how, caution=caution or plain.sentence, ends_at=ends_at
        )  # fmt: skip
        return marked(found, self.kin)

    def _ends(self, value: float, drawn: Vector, K: int) -> Interval:
        """Return the bootstrap's ends, stretched since K folds drawn from K have too small a spread and an unsure one."""
        stretch = t_quantile(self.level, K - 1) / normal_quantile(self.level) * np.sqrt(K / (K - 1))
        low, high = np.quantile(drawn, [(1 - self.level) / 2, (1 + self.level) / 2])
        low, high = value - stretch * max(value - low, 0.0), value + stretch * max(high - value, 0.0)
        return Interval(float(max(low, 0.0)), float(high))

    @property
    def verdict(self) -> str:
        """Say what twice the rows would bring."""
        now, then = self.extrapolate(self.sizes[-1]), self.extrapolate(2 * self.sizes[-1])
        n = whole(2 * self.sizes[-1])
        return risk_words.say("more rows", n=n, then=str(then), now=amount(now.value, now.stderr))

    def plot(self, ax: Any = None, *, until: float | None = None) -> Any:
        """Draw both errors and the extrapolation; returns the axes."""
        from epee.figures.risk import plot_learning_curve

        return plot_learning_curve(self, ax, until=until)


@each_once
def learning_curve(
    model: Any, X: Any, y: Any, *, sizes: Any = 10, folds: int = 10, loss: Any = None, level: float = 0.95,
    sample_weight: Any = None, groups: Any = None, time: Any = None, stratify: Any = None, random_state: Any = None,
    weights: Weights | None = None, gap: int = 0,
) -> LearningCurve:  # fmt: skip
    """Return training and test error against the number of training rows.

    Parameters
    ----------
    model : estimator
    X, y : rows and their targets
    sizes : int or array, default=10
        How many sizes, spaced evenly on a logarithmic scale; or the sizes, as numbers of rows or as shares below or equal to 1 of
        the largest training sample. They are rounded to whole cells of rows.
    folds, loss, level, sample_weight, weights, groups, gap, stratify, random_state
        As in :func:`cross_validate`.
    time : array (n,) or True, optional
        Forward chaining: each stretch of time is tested after learning from the latest rows before it, a share of them for each size, so
        that all sizes are tested on the same rows; the largest size learns from all that came before.

    Returns
    -------
    LearningCurve

    References
    ----------
    Cortes, Jackel, Solla, Vapnik and Denker, "Learning curves: asymptotic values and rate of convergence", *NIPS* 6, 1993.

    Examples
    --------
    >>> from epee import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 5)); y = X[:, 0] + rng.normal(size=500)
    >>> curve = learning_curve(LinearRegression(), X, y)
    >>> bool(curve.test[0] > curve.test[-1] > curve.train[-1] > curve.train[0])
    True
    """
    check_said(weights, X, sample_weight)
    check_gap(gap, time)
    X, y, sample_weight, groups, time = named_columns(X, y, sample_weight, groups, time)
    by_rule = dealt_by_rule(folds, groups, time, stratify)
    X, y, sample_weight, laid, row = in_copies(X, y, sample_weight, weights, by_rule)
    route = open_route(model, X, y, sample_weight, loss, weights)
    check_weighed(route.weight)
    looked = by_rule and laid is None and not stands_for_rows(route.weight, route.weights)
    weight = route.weight if laid is None else laid
    found = curve_on(
        route, sizes=sizes, folds=folds, level=level, groups=groups, stratify=stratify, random_state=random_state,
        copies=copies_of(route.inputs, route.raw[1], route.n) if looked else None, row=row, time=time, gap=gap,
    )  # fmt: skip
    meant = route.weights if laid is None else "counts"
    caution = f"{unsaid(weight, weights)} {found.caution}".strip()
    return replace(found, how=found.how + taken_as(weight, meant), caution=caution)


def curve_on(
    route: Route, *, sizes: Any = 10, folds: int = 10, level: float = 0.95, groups: Any = None, stratify: Any = None,
    random_state: Any = None, copies: Codes | None = None, row: Codes | None = None, time: Any = None, gap: int = 0,
) -> LearningCurve:  # fmt: skip
    """Return the learning curve of a model on the rows of its route; ``copies`` are equal for rows that stay together, ``row`` for those
    of one count, which do not.
    """
    check_level(level)
    check_folds(folds, route.n)
    seed = seed_of(random_state)
    if time is not None:
        return _curve_in_time(route, sizes, folds, level, groups, time, gap, seed)
    cell, fold_of_cell = _cells(route, folds, groups, stratify, seed, copies)
    weight = np.bincount(cell, route.counts, minlength=len(fold_of_cell)).astype(float)
    full = weight.sum() * (folds - 1) / folds
    cut = partial(_nested_parts, cell, fold_of_cell, weight, sizes, folds, seed)
    split, trained, outcome = _evaluate(route, cut, full, sizes, folds)
    S = len(trained)
    test, train = _means(route, split, outcome, folds)
    stderr = np.nanstd(test, axis=1, ddof=1) / np.sqrt(folds)
    how = f"{folds}-fold cross-validation on growing training samples"
    together = groups if groups is not None else copies
    units = group_codes(together, route.n) if together is not None else np.arange(route.n) if route.sampled else None
    of_rows = partial(mean_loss, outcome.losses[S - 1], route.counts, loss=route.loss, weights="counts", groups=units)
    kin = None
    if route.at_a_glance:
        last, one = outcome.losses[S - 1], units if row is None else row
        kin = kinship(*seen_rows(route, last, outcome.predictions[S - 1], one, groups is not None, row is not None))
    parts = steps_of(route.model)  # with more columns than rows the road is another one, and the error as steep
    return LearningCurve(
        trained, np.nanmean(train, axis=1), np.nanmean(test, axis=1), stderr, test, route.loss.name, level, how, seed, of_rows,
        route.n_columns if parts is not None and parts.keeps_moments else 0, _begins(route, split, folds), kin,
    )  # fmt: skip


def _curve_in_time(
    route: Route, sizes: Any, folds: int, level: float, groups: Any, time: Any, gap: int, seed: int
) -> LearningCurve:
    """Return the learning curve of stretches of time that are tested after learning from more and more of the past."""
    plan = make_plan(folds, route.n, groups=groups, time=time, gap=gap)
    chain = chain_of(plan, time, route.counts)

    def cut(smallest: float) -> tuple[Split, Vector]:
        smallest *= chain.full / chain.least  # the first stretch has fewer rows before it than others
        return growing(chain, _wanted(sizes, chain.full, min(smallest, chain.full / 2)) / chain.full)

    split, trained, outcome = _evaluate(route, cut, chain.full, sizes, plan.n_folds)
    S, order = len(trained), rows_in_time(time, route.n)
    test, train = _means(route, split, outcome, plan.n_folds)
    value = np.nanmean(test, axis=1)
    weight = None if route.weight is None else route.weight[order]
    bars = partial(mean_loss, weight=weight, loss=route.loss, weights=route.weights, in_order=True)
    stderr = [bars(losses[order], centre=v).stderr for losses, v in zip(outcome.losses[:S], value, strict=True)]
    parts = steps_of(route.model)
    return LearningCurve(
        trained, np.nanmean(train, axis=1), value, np.array(stderr), test, route.loss.name, level,
        f"{plan.how}, on growing samples of the past, error bar for rows in time", seed, partial(bars, outcome.losses[S - 1][order]),
        route.n_columns if parts is not None and parts.keeps_moments else 0, _begins(route, split, plan.n_folds),
        caution=doubts_of_forecasts(route, route.asked.decode(outcome.predictions[S - 1]), order),
    )  # fmt: skip


def _means(route: Route, split: Split, outcome: Outcome, folds: int) -> tuple[Matrix, Matrix]:
    """Return the mean losses (S, K) of all models on rows that they did not see, and on those that they learned from."""
    S = len(split.tested_by) // 2

    def means(layers: slice) -> Matrix:
        own = replace(split, tested_by=split.tested_by[layers])
        return route.fold_means(own, replace(outcome, losses=outcome.losses[layers]))[0].reshape(S, folds)

    return means(slice(0, S)), means(slice(S, None))


def _evaluate(
    route: Route, cut: Callable[[float], tuple[Split, Vector]], full: float, sizes: Any, folds: int
) -> tuple[Split, Vector, Outcome]:
    """Return the split, its sizes and what came out; sizes of our choice begin where the model can be fitted, on every class.

    ``cut`` makes the split and its sizes, up to a mean weight ``full``, from the ``smallest`` that we would choose.
    """
    smallest, half, failure = _smallest(route), full / 2, None
    ours = isinstance(sizes, int | np.integer)
    while True:
        split, trained = cut(smallest)
        if ours and smallest < half and _begins(route, split, folds):
            smallest = min(1.25 * smallest, half)
            continue
        try:
            outcome = route.evaluate(split)
        except (ValueError, np.linalg.LinAlgError) as error:
            if not ours or smallest >= half:
                raise
            smallest, failure = min(1.5 * smallest, half), str(error)
        else:
            if failure is not None:
                say(f"the curve begins at {trained[0]:.0f} rows, since the model cannot be fitted on fewer: {failure}")
            return split, trained, outcome


def _begins(route: Route, split: Split, folds: int) -> int:
    """Return the first size from which on every training sample holds every class; the number of sizes where none does."""
    if route.codes is None:
        return 0
    members = np.zeros((int(route.codes.max()) + 1, split.learns.shape[1]))
    np.add.at(members, (route.codes, split.cell), 1)  # of each class in each cell
    counts = split.learns @ members[members.any(axis=1)].T
    held = np.all(counts.reshape(-1, folds * counts.shape[1]) > 0, axis=1)  # (S,)
    return len(held) - int(np.argmin(np.append(held[::-1], False)))


def _smallest(route: Route) -> float:
    """Return a training size from which on most estimators have something to learn from."""
    X = route.raw[0]
    p = X.shape[1] if hasattr(X, "shape") and len(X.shape) == 2 else 1
    if isinstance(route, MomentRoute):
        p = route.source.n_columns
    return float(max(2 * (p + 1), 4 * (len(route.classes) if route.classes is not None else 1)))


def _cells(
    route: Route, folds: int, groups: Any, stratify: Any, seed: int, copies: Codes | None
) -> tuple[Codes, Codes]:
    """Return the fine cell of each row and the fold of each cell."""
    if groups is not None:  # whole groups are the cells of a fold
        ids = group_codes(groups, route.n)
        fold = make_plan(folds, route.n, groups=groups, random_state=seed).splits[0].cell
        return ids, fold[np.unique(ids, return_index=True)[1]]
    codes, _ = strata_of(route, stratify)
    if codes is not None:
        check_strata(np.bincount(codes), folds, route.classes)
    n, rows = route.n, np.arange(route.n)
    if copies is not None and int(copies.max()) + 1 >= 4 * folds:  # copies are dealt as one row
        first = np.unique(copies, return_index=True)[1]
        n, rows, codes = len(first), copies, None if codes is None else codes[first]
    parts = int(np.clip(n // (4 * folds), 1, 20))
    cell = assign_folds(codes, n, folds * parts, seed)[rows]
    return cell, np.arange(folds * parts) % folds


def _nested_parts(
    cell: Codes, fold_of_cell: Codes, weight: Vector, sizes: Any, K: int, seed: int, smallest: float
) -> tuple[Split, Vector]:
    """Return the split of all models (size s, fold k), and the mean weight of their training samples.

    The first S rows of ``tested_by`` are held-out cells, the next S training cells: those of the fold after the held-out one.
    """
    C, rng = len(fold_of_cell), np.random.default_rng(seed)
    turn = np.empty(C)
    for k in range(K):
        own = rng.permutation(
            np.flatnonzero(fold_of_cell == k)
        )  # rare classes were dealt to cells that follow each other
        turn[own] = np.arange(len(own)) / len(own)
    full = weight.sum() * (K - 1) / K
    wanted = _wanted(sizes, full, min(smallest, full / 2))
    learns = np.zeros((len(wanted), K, C), dtype=bool)
    for k in range(K):
        others = np.flatnonzero(fold_of_cell != k)
        # cells of each fold in turn, so that every sample draws on all other folds alike, from the next fold on: the small ones differ
        rank = turn[others] + (fold_of_cell[others] - k) % K / K / np.bincount(fold_of_cell)[fold_of_cell[others]]
        others = others[np.argsort(rank, kind="stable")]
        total = np.cumsum(weight[others])
        for s, size in enumerate(wanted):
            upto = int(np.argmin(np.abs(total - size))) + 1
            learns[s, k, others[:upto]] = True
    trained = (learns * weight).sum(axis=2).mean(axis=1)
    _, kept = np.unique(np.round(trained, 6), return_index=True)
    learns, trained = learns[kept], trained[kept]
    S = len(trained)
    models = np.arange(S * K).reshape(S, K)
    held = models[:, fold_of_cell]  # (S, C)
    tutor = models[:, (fold_of_cell - 1) % K]
    seen = learns[:, (fold_of_cell - 1) % K, np.arange(C)]  # (S, C)
    return Split(cell, learns.reshape(S * K, C), np.vstack([held, np.where(seen, tutor, -1)])), trained


def _wanted(sizes: Any, full: float, smallest: float) -> Vector:
    if isinstance(sizes, int | np.integer):
        if sizes < 1:
            raise WrongUse(f"sizes is {sizes}; give at least one.")
        return np.geomspace(max(smallest, full / 20), full, int(sizes))
    wanted = np.sort(np.asarray(sizes, dtype=float).ravel())
    if not len(wanted) or wanted[0] <= 0:
        raise WrongUse(f"sizes is {sizes!r}; give positive numbers of rows, or shares of the largest sample.")
    wanted = wanted * full if wanted[-1] <= 1 else wanted
    if wanted[-1] > full * 1.001:
        raise WrongUse(f"sizes go up to {wanted[-1]:g}, but a training sample of these folds has {full:g} rows.")
    return wanted


def _power_laws(sizes: Vector, curves: Matrix, bars: Vector) -> tuple[Vector, Vector, Vector]:
    """Return a, b, c (B,) of (1) for many curves (B, S): for each power, weighted least squares with a, b >= 0."""
    w = 1 / bars**2
    best = np.full(len(curves), np.inf)
    a, b, c = np.zeros(len(curves)), np.zeros(len(curves)), np.ones(len(curves))
    scale = sizes[-1]
    for power in POWERS:
        u = (sizes / scale) ** -power
        mean_u, mean_e = w @ u / w.sum(), curves @ w / w.sum()
        slope = np.maximum(((curves - mean_e[:, None]) * (u - mean_u)) @ w / ((u - mean_u) ** 2 @ w), 0.0)
        level = mean_e - slope * mean_u
        through = np.maximum(curves @ (w * u) / (w @ u**2), 0.0)  # where the asymptote would be negative it is 0
        slope, level = np.where(level < 0, through, slope), np.maximum(level, 0.0)
        error = ((curves - level[:, None] - slope[:, None] * u) ** 2) @ w
        better = error < best
        best = np.where(better, error, best)
        a, b, c = np.where(better, level, a), np.where(better, slope * scale**power, b), np.where(better, power, c)
    return a, b, c
