r"""Leave-one-out: every row tested by the predictor that all the others taught, without fitting it n times.

For a linear smoother :math:`\hat y = S y` the left-out residual is :math:`(y_i - \hat y_i) / (1 - S_{ii})`; Gaussian classes lose a
row by a change of rank one. Estimators that know such a formula offer it as ``_left_out(X, y, w)``. For any other that lives on
moments, the sample without row :math:`i` is a merge: the rows are cut into chunks, and row :math:`i` leaves the merge of the other
chunks with the rest of its own, so nothing is subtracted. What remains is fitted n times, in parallel.

Of weights that are counts one copy of the row is left out, and its loss counts as often as the row. A row of sampling weight is one row,
and leaves whole: where such weights are larger than 1 the formulas, which take one copy off, are not asked.

Rows of a group that was told leave together, and so do rows that are copies of each other where chance does not explain them
(:mod:`epee.risk.copies`): the copy that stays behind would tell its own target. Moments are merged without all of them; of other
predictors those are fitted again that a group or a repeated row leaves. Each group, or each row with its copies, counts as one.

Left-out losses are not independent: all predictors but one learned from any row. For least squares with Gaussian noise and a hat matrix
:math:`H` the variance of the mean is that of its :math:`n` losses plus :math:`\sum_{i \ne j} H_{ij}^2` in the same unit, which is
:math:`d = \mathrm{tr}\, H` but for second-order terms, and the error of the fitted predictor varies by as much on its own. So the error bar
is

.. math:: \sqrt{1 + 2 d / n} \tag{1}

times that of independent losses, with :math:`d` the degrees of freedom where they are known. What is shared depends on the variance of the
errors alone. A linear smoother of which nobody knows them has the sum of its leverages; of other predictors that are fitted again without
each row the estimate says that its fits share nearly all rows. Of errors with short tails (two heaps, a uniform law) the squares vary
less than Gaussian ones, by :math:`V < 2` times their
squared mean, and what is shared is so much more beside them: :math:`4d / (nV)` in place of :math:`2d / n`.

An error rate, or a cost, shares what rows do to each other's labels (:mod:`epee.risk.mutual`), if that is more than (1); models that are
no merges are fitted some more times for it, about as often as there are rows, and no more than 250. Where many rows share their inputs,
as in a table given as counts, or neighbours learn much from few rows, its error bar is what halves of the table show, if that is larger
(:mod:`epee.risk.tied_rows`).

Where an experiment gave the classes exactly as many rows, a row that is left out is always of the rarer class. A rule that has nothing else
to go by then errs more often than on new rows, up to always (the largest class alone). The estimate says so where it may be no better
than chance.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from epee.arrays import at_home
from epee.engines.local import in_order, one_blas_thread
from epee.errors import DataError, WrongUse
from epee.estimator.base import PosteriorMixin, softmax
from epee.estimator.protocol import LeavesOneOut
from epee.estimator.saying import each_once
from epee.moments.moments import Moments, share, stack
from epee.moments.unions import unions
from epee.risk.asking import one_column
from epee.risk.copies import copies_of, looked_at
from epee.risk.cross_validation import CrossValidation
from epee.risk.crowding import crowding
from epee.risk.dof import degrees_of_freedom, sharing, spread_of_squares
from epee.risk.edges import far_out, reaches
from epee.risk.intervals import Interval, check_level
from epee.risk.mean_loss import ends_of, mean_loss
from epee.risk.mutual import fitted_folds, of_classes, ratio_of_mutual
from epee.risk.one_target import beside_one_target
from epee.risk.opening import open_route
from epee.risk.rates import chance_of_even
from epee.risk.refit import RefitRoute
from epee.risk.route import MomentRoute, Route
from epee.risk.scoring import ask_behind
from epee.risk.splitting import Split, check_weighed, group_codes, kfold
from epee.risk.tied_rows import MOST_ROWS, cells_of, learns_much, longer, share_inputs, spread_of_halves
from epee.risk.units import Weights, check_said, meaning_of, stands_for_rows, taken_as, units_of, unsaid
from epee.risk.watching import seen_rows, watched
from epee.risk.when_asked import Told
from epee.settings import progress
from epee.table.arrays import ArraySource
from epee.table.block import Block
from epee.table.doors import gather, is_stream, open_source
from epee.table.fingerprints import fingerprint
from epee.table.folds import check_folds
from epee.table.named import named_columns
from epee.table.sparse import laid_out
from epee.table.taking import take_rows
from epee.typing import Codes, Vector
from epee.words import risk_words

CHUNK = 32
MOST_REFITS = 2_000  # of a predictor that has a formula, without each of the rows that are repeated
FITTING = "leave-one-out, by fitting each"
FEW_CELLS = 1_000_000  # of a table for which BLAS's own threads would mostly wait for each other


@each_once
def loo(
    model: Any, X: Any, y: Any, loss: Any = None, *, level: float = 0.95, sample_weight: Any = None, weights: Weights | None = None,
    groups: Any = None,
) -> CrossValidation:  # fmt: skip
    r"""Estimate the risk by leave-one-out, in closed form wherever there is one.

    Parameters
    ----------
    model : estimator
    X, y : rows and their targets
    loss : name, costs matrix or Loss, default=None
        "zero_one" for classifiers, "squared" for regressors.
    level : float in (0, 1), default=0.95
    sample_weight : array (n,), optional
        Counts: one copy of a row is left out at a time. Or sampling weights, whose scale means nothing.
    weights : {"counts", "sampling"}, default=None
        What the weights mean; None takes whole numbers as counts and others as sampling weights.
    groups : array (n,), optional
        Rows that belong together (one patient, one machine): all rows of a group are left out at a time, and the error bar counts groups.

    Returns
    -------
    CrossValidation
        With as many folds as rows, or groups; ``losses`` and ``predictions`` are the left-out ones.

    Notes
    -----
    Copies of a row that chance does not explain are left out together, and count as one. Rows in time are tested by what came before them
    in ``cross_validate(..., time=...)``: without one row the next ones are still there to tell of it.

    Least squares, ridge, splines, neighbours, LDA, QDA, naive Bayes: about the cost of one fit and one prediction. Other
    estimators on moments: n solves. All others: n fits. The interval is of the error of the predictor trained on all rows, by (1).

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 7.10.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from epee import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> print(loo(LinearDiscriminantAnalysis(), X, y))
    0.020 ± 0.013 [0.005, 0.062]
    """
    X, y, sample_weight, groups, _ = named_columns(X, y, sample_weight, groups)
    small = isinstance(X, np.ndarray) and X.size <= FEW_CELLS
    with one_blas_thread() if small else nullcontext():
        return leave_each_out(model, X, y, loss, level, sample_weight, weights, groups=groups)


def leave_each_out(
    model: Any, X: Any, y: Any, loss: Any, level: float, sample_weight: Any, weights: Weights | None = None, halved: bool = True,
    groups: Any = None,
) -> CrossValidation:  # fmt: skip
    """Do the work behind :func:`loo`; who asks for losses alone need not have the table ``halved`` for its error bar."""
    check_level(level)
    check_said(weights, X, sample_weight)
    if is_stream(X):
        X, y, sample_weight = gather(open_source(X, y, sample_weight))
    found, v, parted = None, None, ""
    route: Route = (
        RefitRoute(model, X, y, sample_weight, loss, weights=weights)
        if isinstance(model, LeavesOneOut)
        else open_route(model, X, y, sample_weight, loss, weights)
    )
    check_folds(route.n, route.n)
    check_weighed(route.weight)
    units = left_together(route, groups)
    if isinstance(route, RefitRoute) and isinstance(model, LeavesOneOut):
        plain, merged = route, None if units is None else open_route(model, X, y, sample_weight, loss, weights)
        if not heavier_than_a_copy(plain) and groups is None and not isinstance(merged, MomentRoute):
            fitted = plain.fit_rows(None)
            found, how = closed_form(plain, fitted), f"leave-one-out, {model.left_out_by}"
            free = degrees_of_freedom(fitted, plain.X if plain.weight is None else None)  # a leverage is of weight 1
            v = _reaches(plain, fitted, found)
            if found is not None and units is not None:
                parted = _without_copies(plain, units, found)
        if found is None:
            route = open_route(model, X, y, sample_weight, loss, weights) if merged is None else merged
    if found is None:
        if isinstance(route, MomentRoute):
            found, how = _by_merges(route, units), "leave-one-out, by merging moments"
        else:
            apart = kfold(np.arange(route.n), route.n) if units is None else kfold(units, int(units.max()) + 1)
            found, how = route.evaluate(apart).predictions[0], FITTING
            if units is None and isinstance(route, RefitRoute):
                v = _reaches(route, route.fit_rows(None), found)
        free = route.freedom
    if v is not None and np.isnan(free):
        free = float((v / (1 + v)).sum())  # the leverages of a smoother
    losses, one_pass = route.value(found, np.arange(route.n)), how != FITTING
    if units is not None:
        how = f"{how}, {'a group at a time' if groups is not None else 'copies of a row together'}"
    spread = spread_of_squares(losses, route.counts, route.loss)
    many = float(route.counts.sum()) if units is None else float(units.max() + 1)
    shared = max(sharing(free, many, spread), _together(route, free, units) if halved else 1.0)
    of_rows = partial(
        mean_loss, losses, route.weight, loss=route.loss, weights=route.weights, stretch=shared, groups=units
    )
    mean, ends_at, sizes = of_rows(level=level), partial(ends_of, of_rows), route.counts
    predictions, value, n = route.asked.decode(found), mean.value, float(sizes.sum())
    said = how + taken_as(route.weight, route.weights)
    refits = "" if one_pass or np.isfinite(free) else risk_words.say("caution refits left out")
    said_of = [parted, crowding(route, many - 1), far_out(v), refits, mean.sentence]
    leans = risk_words.say("caution even") if _leans(route, mean.interval) else ""
    told = CrossValidation(
        value, mean.stderr, mean.interval, level, n, route.loss.name, said, mean.dof,
        caution=unsaid(route.weight, weights) or leans or " ".join(filter(None, said_of)),
        ends_at=ends_at, row_losses=losses, weight=route.weight, rows=fingerprint(*route.raw[:2]), pooled=value, per_fold=losses,
        n_folds=route.n, sizes=sizes, fold_ids=np.arange(route.n), one_pass=one_pass, look=Told((losses, predictions)),
    )  # fmt: skip
    if units is not None:
        held = np.bincount(units, sizes).astype(np.float64)
        per_fold = np.bincount(units, sizes * losses) / np.where(held > 0, held, 1)
        in_units = partial(units_of, weight=route.weight, weights=route.weights, groups=units)
        told = replace(told, per_fold=per_fold, n_folds=len(held), sizes=held, fold_ids=units, in_units=in_units)
    told = beside_one_target(told, route.truth, route.classes)
    if not route.at_a_glance:
        return told
    return watched(told, *seen_rows(route, losses, found, units, groups is not None), v=v)


def left_together(route: Route, groups: Any) -> Codes | None:
    """Return codes (n,) from 0 of rows that leave together: of groups that were told, or of copies; None where each row leaves alone."""
    if groups is not None:
        told = group_codes(groups, route.n)
        if told.max() < 1:
            raise DataError("groups holds one group only: nothing is left to predict it from.")
        return told
    if stands_for_rows(route.weight, route.weights) or not looked_at(route.inputs, route.n):
        return None
    units = copies_of(route.inputs, route.raw[1], route.n)
    return units if units is not None and units.max() > 0 else None


def _without_copies(route: RefitRoute, units: Codes, found: np.ndarray) -> str:
    """Put what is said of rows without their copies into left-out predictions; return a caution where there are too many to be fitted."""
    size = np.bincount(units)
    repeated = size > 1
    if repeated.sum() > MOST_REFITS:
        return risk_words.say("caution parted", n=int(size[repeated].sum()))
    cell = np.where(repeated, np.cumsum(repeated), 0)[units]  # 0 of rows that are alone
    T = int(repeated.sum())
    learns = np.ones((T, T + 1), dtype=bool)
    learns[np.arange(T), 1 + np.arange(T)] = False
    said = route.evaluate(Split(cell, learns, np.arange(-1, T)[None])).predictions[0]
    found[cell > 0] = said[cell > 0]
    return ""


def _reaches(route: RefitRoute, fitted: Any, found: np.ndarray | None) -> Vector | None:
    """Return how far out each row lies for a linear smoother of numbers."""
    if found is None or route.kind != "regressor" or route.truth.ndim > 1 or route.weight is not None:
        return None
    return reaches(route.truth - np.asarray(fitted.predict(route.X)), route.truth - found)


def _leans(route: Route, ends: Interval) -> bool:
    """Tell whether classes of exactly as many rows err about as often as chance: each row that is left out is of the rarer one."""
    return ends.high >= chance_of_even(route.codes, route.counts, route.loss)


def _whole_rows(route: Route) -> bool:
    """Tell whether a weight belongs to one row, which leaves whole."""
    return route.weight is not None and meaning_of(route.weight, route.weights) == "sampling"


def heavier_than_a_copy(route: Route) -> bool:
    """Tell whether a row that leaves whole is heavier than what a formula takes off: one copy."""
    return route.weight is not None and _whole_rows(route) and bool(route.weight.max(initial=0.0) > 1)


def _together(route: Route, free: float, units: Codes | None = None) -> float:
    """Return by how much left-out rows, or ``units`` of them, that err together lengthen the error bar of a loss of classes.

    It is 1 where nobody can tell.
    """
    n = float(route.n if route.sampled else route.counts.sum())
    if units is not None:
        told = of_classes(route) and route.one_pass and route.at_a_glance and n <= MOST_ROWS
        told = told and (route.weight is None or route.sampled)
        return float(np.sqrt(ratio_of_mutual(route, groups=units))) if told else 1.0
    if not of_classes(route) or not route.at_a_glance or not (route.sampled or (route.counts % 1 == 0).all()):
        return 1.0
    if not isinstance(route, RefitRoute):
        return float(np.sqrt(ratio_of_mutual(_written_out(route, route.inputs)))) if n <= MOST_ROWS else 1.0
    X = np.asarray(at_home(laid_out(route.X)))
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        return 1.0
    tied = (
        route.loss.needs == "labels" and not route.sampled and share_inputs(X, n)
    )  # all rows of a cell are decided alike
    merged = _written_out(route, X) if n <= MOST_ROWS and not tied else route
    if merged.one_pass:
        return float(np.sqrt(ratio_of_mutual(merged)))
    if route.sampled or n > MOST_ROWS:
        return 1.0
    if not route.loss.is_rate or not isinstance(route.model, LeavesOneOut) or not (tied or learns_much(free, n)):
        return float(np.sqrt(ratio_of_mutual(merged, fitted_folds(n))))
    first, counts = cells_of(X, route.truth, route.counts)

    def left_out(cells: Codes, counts: Vector) -> Vector:
        part = RefitRoute(route.model, X[first[cells]], route.truth[first[cells]], counts, route.loss, weights="counts")
        said = closed_form(part, part.fit_rows(None))
        if said is None:
            raise WrongUse("this sample has no formula for its left-out rows.")
        return part.value(said, np.arange(part.n))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tables that nobody asked for
        return longer(spread_of_halves(left_out, counts))


def _written_out(route: Route, X: Any) -> Route:
    """Return the road of merges, if there is one, on rows of which each counts once, or stands for a share of a population."""
    if route.one_pass and (route.weight is None or route.sampled):
        return route
    if route.sampled:
        return open_route(route.model, X, at_home(route.raw[1]), at_home(route.weight), route.loss, route.weights)
    rows = np.repeat(np.arange(route.n), route.counts.astype(np.intp))
    return open_route(route.model, take_rows(X, rows), at_home(route.raw[1])[rows], None, route.loss)


def closed_form(route: RefitRoute, fitted: Any) -> np.ndarray | None:
    """Return left-out predictions by the formula of an estimator fitted on all rows, as the loss needs them; None when it has none here."""
    raw = fitted.left_out(fitted.clean(route.X), route.truth, route.weight)
    if raw is None:
        return None
    raw = np.asarray(raw)
    if route.kind != "classifier":
        return raw.reshape(route.truth.shape)
    if route.loss.needs == "labels":
        return np.argmax(raw, axis=1)
    posterior = isinstance(fitted, PosteriorMixin)
    if route.loss.needs == "probabilities":
        return softmax(raw) if posterior else raw
    if posterior:
        return one_column(raw)
    with np.errstate(divide="ignore"):
        return one_column(np.log(raw) if raw.min(initial=1.0) >= 0 and np.allclose(raw.sum(axis=1), 1) else raw)


def _by_merges(route: MomentRoute, units: Codes | None = None) -> np.ndarray:
    """Return left-out predictions from merged moments: chunk by chunk, each row, or all of a unit, leaves its own chunk."""
    chunk = (np.arange(route.n) if units is None else units) // CHUNK
    m = route.moments(chunk, int(chunk.max()) + 1)
    others = m.leave_one_out()
    order = np.argsort(chunk, kind="stable")
    rows_of = np.split(order, np.cumsum(np.bincount(chunk))[:-1])
    out: list[np.ndarray] = []

    def work(c: int) -> np.ndarray:
        rows = rows_of[c]
        of = np.arange(len(rows)) if units is None else units[rows] - c * CHUNK
        train = _without_each(route, rows, others.at("fold", c), None if units is None else of)
        models = route.fit(train)
        X = route.rows[rows]
        if isinstance(models, list):
            asks = [ask_behind(route.asked, model) for model in models]
            return np.concatenate([np.asarray(asks[t](X[i : i + 1])) for i, t in enumerate(of)])
        raw = np.einsum("ikp,ip->ik", models.coef[of], X) + models.intercept[of]
        return route.asked.finish(raw)

    with progress("leave-one-out", m.count.shape[0]) as tick:
        for part in in_order(work, range(m.count.shape[0])):
            out.append(part)
            tick()
    found = np.concatenate(out)
    return found[np.argsort(order)]


def _without_each(route: MomentRoute, rows: np.ndarray, rest: Moments, of: Codes | None) -> Moments:
    """Return the moments of ``rest`` and of the rows of one chunk without each in turn, or without each unit that they are ``of``."""
    s = route.source
    own = Block(s.X, s.y, s.weight, None, s.group).taking(rows)
    w: Vector = np.ones(len(rows)) if own.weight is None else own.weight
    if of is None:
        L, cell, each_weight = len(rows), np.arange(len(rows)), np.ones(len(rows))
        left = w if _whole_rows(route) else np.minimum(w, 1.0)
    else:  # a cell holds all of its weight, and leaves whole
        L, cell, each_weight = int(of.max()) + 1, of, w
        left = w = np.ones(L)
    alone = ArraySource(own.X, own.y, each_weight, cell, own.group, s.names)
    keep = route.probe.summation(alone, L, rest.origin)
    each = keep(next(iter(alone.blocks(len(rows)))))  # one cell a row or unit
    both = stack([rest.about(each.origin), *[each.at("fold", i) for i in range(L)]])
    members = np.hstack([np.ones((L, 1)), np.tile(w, (L, 1))])
    members[np.arange(L), 1 + np.arange(L)] -= left
    found = unions(both, members)
    return replace(found, shift=np.where(share(found.count, found.count)[..., None] > 0, found.shift, 0.0))
