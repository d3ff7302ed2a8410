r"""Intervals that cover what they claim: nested cross-validation.

The usual error bar of a cross-validation ignores that the folds share training rows, and covers too rarely. Bates,
Hastie and Tibshirani (2023) estimate the mean squared error of the estimate itself. For each repeat and each fold :math:`k`,
:math:`e^{out}` are the losses on fold :math:`k` of the model trained on the other folds, and :math:`e^{in}` those of
a :math:`(K-1)`-fold cross-validation inside the other folds, which never saw fold :math:`k`. With

.. math:: a = (\bar e^{in} - \bar e^{out})^2, \qquad b = \mathrm{var}(e^{out}) / |T_k|, \qquad
          \mathrm{MSE} = \bar a - \bar b, \tag{1}

the standard error is :math:`\sqrt{\frac{K-1}{K} \mathrm{MSE}}`, kept between the naive one (the standard deviation
of the losses over :math:`\sqrt n`) and :math:`\sqrt K` times it, and the centre corrects for the smaller training samples,

.. math:: CV \, \Bigl(\frac{CV}{\bar e^{in}}\Bigr)^{(K-2)/K}, \tag{2}

which is :math:`CV - \frac{K-2}{K} \delta` with :math:`\delta = \bar e^{in} - CV` to first order, and never negative. It corrects by at most
one standard error: where a fold less changes more than that, the risk is not known well enough to be extrapolated. And :math:`\delta` is
mostly chance where predictors change with every row (trees), large where :math:`CV` came out small: a correction by it then leads away from
the truth. With the error :math:`\sigma_\delta` of its mean over rows, the exponent is shrunk by the factor

.. math:: \max\bigl(0,\; 1 - (2 \sigma_\delta / \delta)^2\bigr). \tag{3}

The interval about the centre is that of the losses (:mod:`epee.risk.mean_loss`), which follows their skewness, its distances multiplied by
the ratio of the two standard errors.
Groups are the units of both: their sums take the place of the rows' losses in :math:`b` and in the naive standard error. So are rows
that stand for a share of a population.

Folds of classes are dealt so that each has its share of every class, and :math:`\bar e^{out}` then varies less than :math:`b` says: with
one class hard and rare (1) would come out negative. So the two are compared class by class. With :math:`\pi_{kc}` the share of class
:math:`c` in fold :math:`k`, :math:`\bar e^{in}_c` the mean of its inner losses and :math:`s_c^2` the variance of its outer ones,

.. math:: a = \Bigl(\sum_c \pi_{kc} \bar e^{in}_c - \bar e^{out}\Bigr)^2, \qquad b = \sum_c \pi_{kc} s_c^2 / |T_k|, \qquad
          \mathrm{MSE}_n = \tfrac{K-1}{K} (\bar a - \bar b) + \tfrac1n \sum_c \pi_c (\bar e_c - \bar e)^2, \tag{4}

whose last term is what the shares of the classes in the whole table leave unsure. It holds however the folds were dealt.

Yet all their training samples have the shares of the classes that the table has, and a rule that follows these looks too good: by half a
standard error, where nothing tells two classes. Folds dealt at random show it: of a rate or a cost the error is no less than they say
(:mod:`epee.risk.mutual`).

Where classes have exactly as many rows, and nothing tells them, the rule turns with every fold that is left out, and seems worse than
chance. There the interval begins where that of a rule at chance does (:func:`epee.risk.rates.chance_of_even`).

Only models trained without fold :math:`k`, and without folds :math:`j` and :math:`k`, are needed. Where the
estimator lives on moments these are merges, and where it solves a stack of moments, many repeats are solved at once.

The estimate of (1) is noisy: relative to the squared naive standard error its noise is about :math:`\sqrt{2K/R}` with
:math:`R` repeats. Predictors that are fitted again have few of them, and rates of others where few are asked for. The ratio that
halves of the folds show (:mod:`epee.risk.halves`) is far steadier, with a noise of about 0.7: there the two are pooled, each weighted by
the inverse of its squared noise. An unbounded loss of merges is left to (1): half of the rows may be hardly enough to solve for its
coefficients. Such a variance rests on K folds: Student's law with :math:`K - 1` degrees of freedom, and more where (1) adds to what is
known, takes the place of that of the rows.

Some predictors jump: a tree finds the squares of a chessboard, or does not. The fitted one is then far from what the models of the folds
show on average. All models without fold :math:`k` and another one are asked about the same rows of :math:`k`, so that the variance of
their errors is known without bias from pairs of rows: with :math:`g_{dik}` the loss of row :math:`i` under the model without :math:`k` and
:math:`d`, less its mean over the :math:`K - 1` models,

.. math:: \tau^2 = \frac{1}{K - 2} \sum_d \frac{\sum_k \sum_{i \ne j \in T_k} g_{dik}\, g_{djk}}{\sum_k |T_k| (|T_k| - 1)}. \tag{5}

Where :math:`\tau^2` is larger than the variance above it takes its place, and a caution says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from epee.engines.local import in_order, one_blas_thread
from epee.errors import DataError, WrongUse
from epee.estimator.protocol import FitsStack, SolvesStack
from epee.estimator.stack import Linear, Stack
from epee.moments.moments import Moments
from epee.moments.unions import raw_unions
from epee.risk.cross_validation import CrossValidation, assemble, counted
from epee.risk.halves import halves_of, ratio_by_halves
from epee.risk.intervals import Interval, t_quantile, within_range
from epee.risk.mean_loss import MeanLoss, mean_loss
from epee.risk.rates import chance_of_even
from epee.risk.refit import RefitRoute
from epee.risk.route import MomentRoute, Route
from epee.risk.scoring import Laid, samples_of
from epee.risk.splitting import Pairs, Plan, Split
from epee.settings import progress
from epee.table.block import Block
from epee.typing import Codes, Matrix, Vector
from epee.words import risk_words
from epee.words.numbers import amount

HALVINGS = 10  # of the folds, in which predictors that are refitted or repeated rarely are judged
FEW_REPEATS = 10  # below which (1) alone is too noisy, for rates of merges too
HALVES_NOISE = 0.5  # the squared noise of the ratio that they show
MANY = 20_000  # rows times models that score each, from which threads share them
FEW_PRODUCTS = 1_000_000  # of a repeat's rows and models, that cost less than a call for each fold
FEW_FOLDS = 20  # of whose models a product with all rows costs less than one for each row and its own
LARGEST_TABLE = 4_000_000  # numbers held at once when repeats are solved together


def without_one_or_two(K: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which folds each model learns from, (K + K(K-1)/2, K), and who tests fold c, (K, K).

    Row 0 of the second is the model without c; row d the one without c and (c + d) mod K.

    >>> learns, tested_by = without_one_or_two(3)
    >>> learns.shape, tested_by.tolist()
    ((6, 3), [[0, 1, 2], [3, 5, 4], [4, 3, 5]])
    """
    j, k = np.triu_indices(K, 1)
    learns = np.ones((K + len(j), K), dtype=bool)
    learns[np.arange(K), np.arange(K)] = False
    learns[K + np.arange(len(j)), j] = learns[K + np.arange(len(j)), k] = False
    number = np.zeros((K, K), dtype=np.intp)
    number[j, k] = number[k, j] = K + np.arange(len(j))
    c = np.arange(K)
    pairs = [number[c, (c + d) % K] for d in range(1, K)]
    return learns, np.vstack([c[None], *[p[None] for p in pairs]])


def fold_ids(plan: Plan) -> np.ndarray:
    """Return the fold of each row in each repeat, (R, n)."""
    rows = [split.models_of_rows() % plan.n_folds for split in plan.splits if isinstance(split, Split)]
    return np.concatenate(rows)


def nested_interval(route: Route, plan: Plan, level: float) -> CrossValidation:
    """Return the cross-validation of a plan with the interval (1) and (2)."""
    from epee.risk.watching import turned

    if not partitions(plan):
        raise WrongUse(
            "nested intervals need at least 3 folds that partition the rows: give a number of folds, or fold ids."
        )
    if len(plan.parted_groups):
        raise WrongUse(
            f"nested intervals need folds that keep groups whole, and these part {len(plan.parted_groups)} of them: give a number of folds."
        )
    if plan.n_folds >= route.n:
        raise WrongUse(
            f"nested intervals need folds of several rows, and each of these {plan.n_folds} folds holds one: give fewer folds."
        )
    _refuse_rare_classes(route)
    plan = counted(route, plan)
    enough = len(plan.splits) >= FEW_REPEATS or not route.loss.is_rate
    sums = nested_sums(route, plan, unsteady=not (route.one_pass and enough))
    sums.turned = turned(route, plan) if sums.codes is not None else 1.0
    apart = halves_of(route, plan, HALVINGS) if sums.unsteady else None
    if apart is not None and len(apart.means):
        sums.halves = ratio_by_halves(apart.means)
    return sums.result(plan, level)


def nested_sums(route: Route, plan: Plan, unsteady: bool = False) -> Sums:
    """Return a and b of (1), and the inner and outer means that they come from, over the repeats of a plan of counted rows.

    ``unsteady`` says that they are mostly noise, and that (5) is wanted too.
    """
    sums = Sums(route, plan.n_folds, plan.groups, unsteady)
    for ids, losses in losses_without_two(route, plan):
        sums.add(ids, losses)
    return sums


def losses_without_two(route: Route, plan: Plan) -> Iterator[tuple[Codes, Matrix]]:
    """Yield the fold of each row (n,) and the losses (K, n) by the models of :func:`without_one_or_two`, of every repeat of a plan."""
    with one_blas_thread():  # thousands of small matrices: BLAS's own threads would only wait for each other
        at_once = batched_losses(route, plan)
    folds = fold_ids(plan)
    if at_once is not None:
        yield from zip(folds, at_once, strict=True)
        return
    with progress("nested cross-validation", len(folds)) as tick:
        for ids, split in zip(folds, nested_splits(plan), strict=True):
            yield ids, _losses_of(route, split, ids)
            tick()


def _losses_of(route: Route, split: Split, fold: Codes) -> Matrix:
    """Return the losses (K, n) of one repeat: by the scores of all its models at once where that can be."""
    scores = route.scores(route.training(split)) if isinstance(route, MomentRoute) else None
    if scores is None:
        return route.evaluate(split).losses
    assert isinstance(route, MomentRoute)
    _, tested_by = without_one_or_two(len(split.tested_by))  # by fold, of which a cell may be a part
    return _losses_under(route, np.asarray(route.rows, dtype=np.float64), scores, fold[None], tested_by)[0]


def partitions(plan: Plan) -> bool:
    """Tell whether a plan has at least three folds that each row is in one of."""
    first = plan.splits[0]
    return not isinstance(first, Pairs) and bool((first.tested_by >= 0).all()) and plan.n_folds >= 3


def rare_class(route: Route) -> int | None:
    """Return the place of a class that leaving two folds out could take away whole."""
    if route.classes is None or route.codes is None:
        return None
    counts = np.bincount(route.codes, minlength=len(route.classes))
    k = int(counts.argmin())
    return k if 0 < counts[k] < 3 and len(counts) > 1 else None


def _refuse_rare_classes(route: Route) -> None:
    k = rare_class(route)
    if k is not None:
        name, count = np.asarray(route.classes)[k], np.count_nonzero(route.codes == k)
        raise DataError(
            f"class {name!s} has {count} members: a nested interval leaves two folds out at once, and the class with them. "
            "Take interval='fold', add rows of the class, or merge it with another."
        )


def nested_splits(plan: Plan) -> list[Split]:
    """Return, for each repeat, the split into models without one or two folds."""
    learns, tested_by = without_one_or_two(plan.n_folds)
    out = []
    for split in plan.splits:
        assert isinstance(split, Split)
        for row in split.tested_by:
            fold = row % plan.n_folds  # of each cell
            out.append(Split(split.cell, learns[:, fold], tested_by[:, fold]))
    return out


class Sums:
    """Gathers a and b of (1) over repeats and folds."""

    def __init__(self, route: Route, K: int, groups: Codes | None = None, unsteady: bool = False) -> None:
        self.route, self.K = route, K
        self.w = route.counts
        self.groups = groups if groups is not None or not route.sampled else np.arange(route.n)
        self.codes = route.codes if groups is None else None  # groups are not dealt by class
        self.C = 1 if self.codes is None else int(self.codes.max()) + 1
        self.a: list[Vector] = []
        self.b: list[Vector] = []
        self.inner: list[float] = []
        self.outer: list[Vector] = []
        self.per_fold: list[Vector] = []
        self.sizes: list[Vector] = []
        self.shares: list[float] = []  # the last term of (4), of each repeat
        self.gap: Vector = np.zeros(route.n)  # the mean inner loss of a row less its outer one, summed over repeats
        self.unsteady = unsteady  # few repeats: (1) is noise for the most part
        self.jumps = np.zeros(2)  # the sums above and below the line in (5)
        self.turned = 1.0  # the ratio of variances that rows show which turn each other's labels
        self.halves = 0.0  # the ratio of variances that halves of the folds show; 0 where nobody looked

    def add(self, fold: Codes, losses: Matrix) -> None:
        """Add one repeat: ``losses`` (K, n) by the models of :func:`without_one_or_two`."""
        K, C, w, out = self.K, self.C, self.w, losses[0]
        size = np.bincount(fold, w, minlength=K).astype(float)
        mean_out = np.bincount(fold, w * out, minlength=K) / size
        held = (fold[None] + np.arange(1, K)[:, None]) % K  # (K - 1, n): the second fold that the model did not see
        cell = held if self.codes is None else held * C + self.codes
        total: Matrix = np.bincount(cell.ravel(), (w * losses[1:]).ravel(), minlength=K * C).reshape(K, C).astype(float)
        if self.codes is None:
            mean_in = total.sum(axis=1) / (size.sum() - size)
            self.a.append((mean_in - mean_out) ** 2)
            self.b.append(self._variance(fold, out - mean_out[fold], size))
        else:
            self._add_by_class(fold, self.codes, out, total)
        self.gap = self.gap + losses[1:].mean(axis=0) - out
        if self.unsteady:
            self.jumps += self._jumps(fold, losses[1:], size)
        self.inner.append(float(total.sum() / ((K - 1) * size.sum())))
        self.outer.append(out)
        self.per_fold.append(mean_out)
        self.sizes.append(size)

    def _add_by_class(self, fold: Codes, codes: Codes, out: Vector, total: Matrix) -> None:
        """Add a and b of (4), and what the shares of the classes leave unsure; ``total`` (K, C) are sums of the inner losses."""
        K, C, w = self.K, self.C, self.w
        count = np.bincount(fold * C + codes, w, minlength=K * C).reshape(K, C)
        size, weight = count.sum(axis=1), count.sum(axis=0)
        own = np.bincount(codes, w * out, minlength=C) / np.where(weight > 0, weight, 1)  # (C,) mean outer losses
        others = weight - count
        inner = np.where(others > 0, total / np.where(others > 0, others, 1), own)  # (K, C)
        gap = out - own[codes]
        self.a.append(((count * inner).sum(axis=1) - np.bincount(fold, w * out, minlength=K)) ** 2 / size**2)
        spread = np.bincount(codes, w * gap**2, minlength=C) / np.maximum(weight - 1, 1)
        self.b.append(count @ spread / size**2 if self.groups is None else self._variance(fold, gap, size))
        self.shares.append(self._squared_error(own[codes][None]))

    def _jumps(self, fold: Codes, inner: Matrix, size: Vector) -> Vector:
        """Return the sums above and below the line in (5), over models and folds; the pairs are of rows or of groups."""
        K, w = self.K, self.w
        g = w * (inner - inner.mean(axis=0))  # (K - 1, n)
        unit = np.arange(len(w)) if self.groups is None else self.groups
        G = int(unit.max()) + 1
        of_unit = g if self.groups is None else np.stack([np.bincount(unit, row, minlength=G) for row in g])
        of_fold = np.stack([np.bincount(fold, row, minlength=K) for row in g])
        pairs = float((size**2).sum() - (np.bincount(unit, w) ** 2).sum())
        return np.array([((of_fold**2).sum() - (of_unit**2).sum()) / (K - 2), pairs])

    def _variance(self, fold: Codes, gap: Vector, size: Vector) -> Vector:
        """Return b of (1) for each fold, (K,), from the gaps of the rows to the mean of their fold."""
        K, w = self.K, self.w
        if self.groups is None:
            return np.bincount(fold, w * gap**2, minlength=K) / np.maximum(size - 1, 1) / size
        total = np.bincount(self.groups, w * gap)  # (G,) each group lies in one fold
        home = np.zeros(len(total), dtype=np.intp)
        home[self.groups] = fold
        many = np.bincount(home, minlength=K)
        pooled = many.sum() / max(many.sum() - K, 1)  # folds of one group have no spread of their own
        return np.bincount(home, total**2, minlength=K) / size**2 * pooled

    def of_rows(self) -> Callable[..., MeanLoss]:
        """Return what gives the mean of the outer losses, pooled over repeats, as if the folds shared nothing."""
        outer = np.stack(self.outer)  # (R, n)
        R = len(outer)
        groups = None if self.groups is None else np.tile(self.groups, R)
        w = np.tile(self.w, R) / R
        return partial(mean_loss, outer.ravel(), w, loss=self.route.loss, weights="counts", groups=groups)

    def result(self, plan: Plan, level: float) -> CrossValidation:
        """Return the result with its interval."""
        K, outer = self.K, np.stack(self.outer)  # (R, n)
        first = self.of_rows()(level=level)
        cv, naive, stderr = first.value, self._naive(outer), self.stderr()
        inner = float(np.mean(self.inner))
        centre = cv * (cv / inner) ** ((K - 2) / K * self.trust()) if cv > 0 and inner > 0 else cv
        centre = float(np.clip(centre, *within_range(Interval(cv - stderr, cv + stderr), self.route.loss)))
        stretch = stderr / naive if naive > 0 else 1.0
        own = max(first.dof, 1.0)
        chance = chance_of_even(self.codes, self.w, self.route.loss)
        dof = min(self.dof(), own) if naive > 0 else own
        ends_at = partial(nested_ends, self.of_rows(), centre, stretch, dof, own, chance)
        found = outer[0] if len(outer) == 1 else outer
        how = f"nested {plan.how}"
        per_fold, sizes = np.concatenate(self.per_fold), np.concatenate(self.sizes)

        def look() -> tuple[np.ndarray, np.ndarray]:
            parts = [self.route.evaluate(split).predictions for split in plan.splits]
            predictions = self.route.asked.decode(np.concatenate(parts))
            return found, predictions[0] if len(predictions) == 1 else predictions

        made = assemble(self.route, plan, per_fold, sizes, level, look, (centre, stderr, ends_at(level)), how, found)
        return replace(made, caution=f"{first.sentence} {self._jumping()}".strip(), ends_at=ends_at)

    def _mse(self) -> float:
        """Return (1) or (4), pooled with what halves show where they were looked at."""
        K, naive = self.K, self._naive(np.stack(self.outer))
        mse = (K - 1) / K * float(np.concatenate(self.a).mean() - np.concatenate(self.b).mean())
        mse += float(np.mean(self.shares)) if self.shares else 0.0
        if self.halves > 0:
            own = len(self.a) / (2 * K)  # one over the squared noise of (1), and of the ratio in halves
            mse = (own * mse + self.halves * naive**2 / HALVES_NOISE) / (own + 1 / HALVES_NOISE)
        return mse

    def jump(self) -> float:
        """Return the variance (5) where it is larger than all that is known otherwise; else 0."""
        (above, below), naive = self.jumps, self._naive(np.stack(self.outer))
        found = float(above / below) if below > 0 and naive > 0 else 0.0
        return found if found > max(self._mse(), naive**2) else 0.0

    def stderr(self) -> float:
        """Return the standard error, kept between the naive one and as many times it as all folds could bring."""
        K, naive = self.K, self._naive(np.stack(self.outer))
        mse = max(self._mse(), self.jump(), self.turned * naive**2)
        return float(np.clip(np.sqrt(max(mse, 0.0)), naive, np.sqrt(K) * naive))

    def _jumping(self) -> str:
        """Return the sentence about a predictor that jumps; none where it does not."""
        found = np.sqrt(self.jump())
        return risk_words.say("caution jumps", sd=amount(found, found)) if found > 0 else ""

    def dof(self) -> float:
        """Return the degrees of freedom of (1) pooled with halves, which are worth K - 1; infinite from many repeats of merges."""
        if not self.unsteady:
            return np.inf
        return (self.K - 1) * (1 + (HALVES_NOISE * len(self.a) / (2 * self.K) if self.halves > 0 else 0.0))

    def trust(self) -> float:
        """Return the factor (3) of the correction (2)."""
        gap = self.gap / len(self.a)  # (n,)
        mean = float(gap @ self.w / self.w.sum())
        return max(0.0, 1 - 4 * self._squared_error(gap[None]) / mean**2) if mean else 0.0

    def _naive(self, outer: Matrix) -> float:
        """Return the standard error of the mean over rows or groups, as if the folds shared nothing."""
        return float(np.sqrt(self._squared_error(outer)))

    def _squared_error(self, values: Matrix) -> float:
        """Return the squared error of the mean of values of the rows, over rows or groups, a mean over repeats (R, n)."""
        w, n = self.w, float(self.w.sum())
        gap = values - float((values @ w).mean() / n)
        if self.groups is None:
            return float((gap**2 @ w).mean() / max(n - 1, 1) / n)
        G = int(self.groups.max()) + 1
        squares = [float((np.bincount(self.groups, w * row, minlength=G) ** 2).sum()) for row in gap]
        return float(np.mean(squares) * G / max(G - 1, 1)) / n**2


def nested_ends(
    of_rows: Callable[..., MeanLoss], centre: float, stretch: float, dof: float, own: float, chance: float, level: float
) -> Interval:  # fmt: skip
    """Return the interval at a level, by Student's law of ``dof`` degrees of freedom in place of the rows' ``own``.

    Above the error of a rule at ``chance`` it begins where that one's does.
    """
    longer = 1.0 if dof == own else t_quantile(level, dof) / t_quantile(level, own)
    found = of_rows(level=level, centre=centre, stretch=stretch * longer).interval
    if centre <= chance:
        return found
    return Interval(of_rows(level=level, centre=chance, stretch=stretch * longer).interval.low, found.high)


def batched_losses(route: Route, plan: Plan) -> np.ndarray | None:
    """Return the losses (R, K, n) of many repeats at once; None when not so.

    For linear predictors that solve a stack of moments, and for those that fit a stack of weights of the rows
    (``fit_stack``: logistic regression).
    """
    folds, K = fold_ids(plan), plan.n_folds
    R, n = folds.shape
    learns, tested_by = without_one_or_two(K)
    if isinstance(route, MomentRoute):
        if not route.at_hand or not isinstance(route.probe, SolvesStack):
            return None
        X, fit = route.rows, _fit_moments
    else:
        if not isinstance(route, RefitRoute) or not isinstance(route.model, FitsStack):
            return None
        if not isinstance(route.X, np.ndarray) or route.X.dtype.kind != "f" or route.asked.costs is not None:
            return None
        X, fit = route.X, _fit_weights
    X = np.asarray(X, dtype=np.float64)
    P, p = learns.shape[0], X.shape[1]
    some = LARGEST_TABLE // max(n * (p + 1), P * (p + 1) ** 2)  # repeats that fit into memory together
    if some < 1 or not np.isfinite(X).all():
        return None
    out = np.empty((R, K, n))
    for start in range(0, R, some):
        part = folds[start : start + some]
        models = fit(route, part, learns)
        if models is None:
            return None
        out[start : start + some] = _losses_under(route, X, models, part, tested_by)
    return out


def _fit_moments(route: Any, folds: np.ndarray, learns: np.ndarray) -> Linear | None:
    """Return the models of some repeats from the moments of their folds."""
    train = raw_unions(repeated_moments(route, folds, learns.shape[1]), learns.astype(float), len(folds))
    if "group" in train.axes and not (train.count > 0).all():
        return None
    models = route.fit(train)
    return models if isinstance(models, Linear) else None


def _fit_weights(route: Any, folds: np.ndarray, learns: np.ndarray) -> Linear | None:
    """Return the models of some repeats, each a fit with weight zero on the rows it may not see."""
    weights = learns[:, folds].transpose(1, 0, 2).reshape(-1, folds.shape[1]).astype(float)  # (R P, n)
    found = route.model.fit_stack(route.X, route.truth, weights if route.weight is None else weights * route.weight)
    return None if found is None else Linear(*found)


def _losses_under(route: Route, X: Matrix, models: Stack, folds: np.ndarray, tested_by: np.ndarray) -> np.ndarray:
    """Return the losses (R, K, n) of rows under the models that did not see them, those of a fold at a time."""
    (R, n), K, P = folds.shape, len(tested_by), len(models) // len(folds)
    asked = n * (K if K > FEW_FOLDS else P)  # of a repeat
    if isinstance(models, Linear) and route.loss.rowwise and asked * X.shape[1] <= FEW_PRODUCTS:
        some = max(FEW_PRODUCTS // asked, 1)  # repeats
        stretches = [slice(r, min(r + some, R)) for r in range(0, R, some)]
        return np.concatenate([_losses_at_once(route, X, models, r, folds[r], tested_by) for r in stretches])
    laid, rows_of = [Laid(K, n) for _ in range(R)], [_rows_of(fold, K) for fold in folds]

    def judge(task: tuple[int, int]) -> None:
        r, c = task
        rows = rows_of[r][c]
        raw = models.raw(X[rows], r * P + tested_by[:, c])  # (rows, K, k)
        said = route.asked.finish(raw.reshape(len(rows) * K, -1))
        if route.loss.rowwise:
            laid[r].losses[:, rows] = route.value(said, np.repeat(rows, K)).reshape(len(rows), K).T
            return
        for k, one in enumerate(said.reshape(len(rows), K, *said.shape[1:]).swapaxes(0, 1)):
            laid[r].put(k, rows, one)

    tasks = [(r, c) for r in range(R) for c in range(K)]
    for _ in in_order(judge, tasks) if n * K >= MANY and route.loss.rowwise else map(judge, tasks):
        pass
    if not route.loss.rowwise:  # rows of a test sample are ranked against each other
        for own, parts in zip(laid, rows_of, strict=True):
            for k, rows in samples_of(tested_by, parts):
                own.losses[k, rows] = route.value(own.predictions[k, rows], rows)
    return np.stack([own.losses for own in laid])


def _losses_at_once(
    route: Route, X: Matrix, models: Linear, repeats: slice, folds: np.ndarray, tested_by: np.ndarray
) -> np.ndarray:
    """Return the same for some repeats of few rows: each is scored by its own models, or by all if few, from which they are picked."""
    (R, n), K, P = folds.shape, len(tested_by), int(tested_by.max()) + 1
    by = tested_by[:, folds].transpose(1, 0, 2) + P * np.arange(R)[:, None, None]  # (R, K, n)
    if K > FEW_FOLDS:
        raw = models.raw_by_own(X, by + repeats.start * P)
    else:
        raw = models.raw(X, slice(repeats.start * P, repeats.stop * P))[np.arange(n), by]  # of (n, R P, k)
    said = route.asked.finish(raw.reshape(R * K * n, -1))
    return route.value(said, np.tile(np.arange(n), R * K)).reshape(R, K, n)


def _rows_of(fold: Codes, K: int) -> list[np.ndarray]:
    """Return the rows of each fold."""
    return np.split(np.argsort(fold, kind="stable"), np.cumsum(np.bincount(fold, minlength=K))[:-1])


def repeated_moments(route: MomentRoute, folds: np.ndarray, K: int) -> Moments:
    """Return the moments of every fold of every repeat, (R K,) along the fold axis: the rows are laid out R times."""
    R = len(folds)
    s = route.source
    keep = route.probe.summation(s, R * K)

    def tiled(a: np.ndarray | None) -> np.ndarray | None:
        return None if a is None else np.concatenate([a] * R)

    cells = (folds + K * np.arange(R)[:, None]).ravel()
    m: Moments = keep(Block(np.concatenate([s.X] * R), tiled(s.y), tiled(s.weight), cells, tiled(s.group)))
    return m
