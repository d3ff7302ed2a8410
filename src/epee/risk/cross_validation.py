r"""Cross-validation: every row is tested by a predictor that did not see it.

The rows are cut into folds :math:`T_1 \dots T_K`; :math:`R_k` is the mean loss on :math:`T_k` of the predictor trained on the
others, and

.. math:: CV = \frac1K \sum_k R_k, \qquad \sigma_{CV} = \sqrt{\frac{1}{K(K-1)} \sum_k (R_k - CV)^2}. \tag{1}

The :math:`R_k` share training rows, so (1) is crude and the t interval with :math:`K - 1` degrees of freedom covers less than it
claims; ``interval="nested"`` repairs that (:mod:`epee.risk.nested`). Folds of unequal sizes make the mean of the fold
means differ from the mean over rows: both are given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.estimator.protocol import SolvesStack
from epee.estimator.saying import each_once
from epee.lazy import drawn
from epee.risk.copies import copies_of, looked_at
from epee.risk.crowding import crowding
from epee.risk.estimate import Difference, Risk
from epee.risk.halves import FoundHalves, Halves, halves_of
from epee.risk.intervals import Interval, check_level
from epee.risk.mean_loss import summary_interval
from epee.risk.one_target import beside_one_target
from epee.risk.opening import open_route
from epee.risk.paired_tests import MOST_ROWS
from epee.risk.rates import values_of
from epee.risk.route import MomentRoute, Route
from epee.risk.scoring import Outcome
from epee.risk.splitting import (
    Deal,
    Pairs,
    Plan,
    Split,
    check_gap,
    check_order,
    check_weighed,
    deal_plan,
    group_codes,
    make_plan,
)
from epee.risk.units import Weights, check_said, stands_for_rows, taken_as, units_of, unsaid
from epee.risk.when_asked import WhenAsked
from epee.table.fingerprints import fingerprint
from epee.table.named import named_columns
from epee.typing import Codes, Vector
from epee.words import risk_words


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Risk):
    """The risk of a way of learning, from rows held out in turn.

    Attributes
    ----------
    value : float
        The mean of the fold means; ``pooled`` is the mean over rows.
    per_fold : array (repeats * folds,)
        Mean loss on each fold.
    losses : array (n,), or (repeats, n)
        Out-of-fold loss of each row; NaN for a row that was never tested. Found when first asked for, where the
        fold means came from moments alone.
    predictions : array (n, ...), or (repeats, n, ...)
        Out-of-fold labels, values, scores or probabilities: what the loss needs.
    folds : array (n,), or (repeats, n)
        The fold in which each row was tested, -1 for none.
    """

    _: KW_ONLY
    pooled: float = float("nan")
    per_fold: Vector = field(default_factory=lambda: np.empty(0))
    n_folds: int = 0
    repeats: int = 1
    sizes: Vector = field(default_factory=lambda: np.empty(0))  # (repeats * folds,) tested rows, of ``n``
    fold_ids: Codes | Callable[[], Codes] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    one_pass: bool = False
    look: Callable[[], tuple[np.ndarray, np.ndarray]] | None = None
    columns: int = 0  # that the predictor sees; 0 where nobody counted
    halves: Halves | FoundHalves | None = None  # how it does in halves of the folds, for differences

    @cached_property
    def _found(self) -> tuple[np.ndarray, np.ndarray]:
        assert self.look is not None
        return self.look()

    @property
    def losses(self) -> np.ndarray:
        """Out-of-fold loss of each row."""
        return self._found[0] if self.row_losses is None else self.row_losses

    @property
    def predictions(self) -> np.ndarray:
        """Out-of-fold prediction of each row."""
        return self._found[1]

    @property
    def folds(self) -> Codes:
        """The fold in which each row was tested, -1 for none; of rows that passed by, found when asked for."""
        if callable(self.fold_ids):
            object.__setattr__(self, "fold_ids", self.fold_ids())
        return self.fold_ids  # type: ignore[return-value]

    def on_same_folds(self, other: CrossValidation) -> bool:
        """Tell whether both were tested on the same rows in the same folds."""
        if self.rows != other.rows:
            return False
        if callable(self.fold_ids) and callable(other.fold_ids):  # dealt by the same rule, which is told by ``rows``
            return True
        return np.array_equal(self.folds, other.folds)

    def __sub__(self, other: Any) -> Difference:
        """Return the paired difference on the same folds, corrected for the overlap of training samples."""
        if isinstance(other, CrossValidation) and self.on_same_folds(other):
            from epee.risk.paired_tests import corrected_difference

            return corrected_difference(self, other, self.level)
        if isinstance(other, CrossValidation):
            raise WrongUse(
                "these cross-validations are of other rows or folds: give both the same folds to compare them."
            )
        return super().__sub__(other)

    plot = drawn("risk.plot_folds", "Draw the fold means and the interval; returns the axes.")


@each_once
def cross_validate(
    model: Any, X: Any, y: Any, *, folds: Any = 10, repeats: int | None = None, interval: str = "fold", loss: Any = None,
    level: float = 0.95, sample_weight: Any = None, groups: Any = None, time: Any = None, stratify: Any = None,
    random_state: Any = None, weights: Weights | None = None, gap: int = 0,
) -> CrossValidation:  # fmt: skip
    r"""Estimate the risk of a way of learning by cross-validation.

    Parameters
    ----------
    model : estimator
        Ours, a pipeline, or any estimator of scikit-learn's kind.
    X, y : rows and their targets
    folds : int, "loo", splitter, or array (n,) of fold ids, default=10
        More folds train on more rows and cost more solves; on the one-pass route hardly more time.
    repeats : int, default=None
        How often the folds are drawn anew; None is 1. Nested intervals need many: None is 100 where the estimator solves a
        stack of moments (least squares, ridge, LDA), 30 for others on the one-pass route, 10 on the ordinary one.
    interval : {"fold", "nested"}, default="fold"
        "fold" is (1) with Student's law and the skewness of the rows' losses, for rates Wilson's on as many rows as that error bar is
        worth, and in time the error bar of losses that follow each other; "nested" covers what it claims, for the error of the predictor
        trained on these rows.
    loss : name, costs matrix or Loss, default=None
        "zero_one" for classifiers, "squared" for regressors.
    level : float in (0, 1), default=0.95
    sample_weight : array (n,), optional
        Counts: each copy goes to a fold of its own. Or sampling weights, whose scale means nothing.
    weights : {"counts", "sampling"}, default=None
        What the weights mean; None takes whole numbers as counts and others as sampling weights.
    groups : array (n,), optional
        Rows of one group stay in one fold, "loo" leaves out a group at a time, and by given folds the error bar counts groups; ``caution``
        says where these part groups. Without it, rows that are copies stay together where chance does not explain them.
    time : array (n,) or True, optional
        Forward chaining: each fold is tested after learning from what came before, at least a third of the rows; True is the order of the
        rows.
    gap : int, default=0
        Moments between the last that a predictor learns from and the first that it is tested on, as where targets are known late, or what
        is forecast lies that far ahead. ``how`` says how far ahead forecasts are.
    stratify : bool or array (n,), default=None
        Keep the shares of classes in every fold; None does so for classifiers.
    random_state : int, default=None
        Seed of the folds; None is 0.

    Returns
    -------
    CrossValidation

    Notes
    -----
    An estimator that lives on moments costs one pass for all folds and repeats, then a solve each and one scoring pass;
    others are fitted fold by fold, in parallel. Of a larger file or Dask collection nothing is kept of a row: memory is bounded by
    the block, and ``losses`` are found only if asked for.

    In tables of up to two million cells, wherever they lie, dependence of the rows, or of the groups, is looked for in what the predictor
    leaves over (:mod:`epee.risk.watching`): where it is shown the interval is longer, and ``caution`` says so. It also says where a line
    has about as many columns as rows to learn from (:mod:`epee.risk.crowding`), and where the predictor is
    fitted again in each fold: such fits share rows, and intervals of folds then cover a little less than they claim.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 7.10.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from epee import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> print(cross_validate(LinearDiscriminantAnalysis(), X, y))
    0.020 ± 0.010 [0.004, 0.066]
    """
    check_level(level)
    check_said(weights, X, sample_weight)
    check_gap(gap, time)
    check_order(time, repeats, stratify)
    if interval not in ("fold", "nested"):
        raise WrongUse(f"interval is {interval!r}; it must be 'fold' or 'nested'.")
    X, y, sample_weight, groups, time = named_columns(X, y, sample_weight, groups, time)
    if isinstance(folds, str) and folds == "loo" and time is None:
        if interval == "nested":
            raise WrongUse(
                "interval='nested' needs folds of several rows, and folds is 'loo': give a number of folds, or take interval='fold'."
            )
        from epee.risk.leave_one_out import leave_each_out

        return leave_each_out(model, X, y, loss, level, sample_weight, weights, groups=groups)
    if dealt_by_rule(folds, groups, time, stratify):
        from epee.risk.counts import long_table

        table = long_table(X, y, sample_weight, weights)
        if table is not None:
            route = open_route(model, table.X, table.y, None, loss)
            found = _validated(
                route, folds, repeats, interval, level, None, None, stratify, random_state, row=table.row
            )
            said = [unsaid(table.counts, weights), found.caution]
            return replace(table.told(found), caution=" ".join(filter(None, said)))
    route = open_route(model, X, y, sample_weight, loss, weights)
    found = _validated(route, folds, repeats, interval, level, groups, time, stratify, random_state, gap=gap)
    if not (route.at_hand or route.at_a_glance):
        return found
    caution = " ".join(filter(None, [unsaid(route.weight, weights), found.caution]))
    return replace(found, how=found.how + taken_as(route.weight, route.weights), caution=caution)


def _validated(
    route: Route, folds: Any, repeats: int | None, interval: str, level: float, groups: Any, time: Any, stratify: Any, random_state: Any,
    row: Codes | None = None, gap: int = 0,
) -> CrossValidation:  # fmt: skip
    """Return the cross-validation of a route; rows of one count are of the same ``row``, and no copies."""
    from epee.risk.watching import bound_together, seen_rows, shaped, watched

    if repeats is None:
        single = interval == "fold" or not isinstance(folds, int | np.integer)
        stacked = isinstance(route, MomentRoute) and isinstance(route.probe, SolvesStack)
        repeats = 1 if single else 100 if stacked else 30 if route.one_pass else 10
    plan = plan_for(route, folds, repeats, groups, time, stratify, random_state, row is not None, gap)
    if interval == "nested":
        from epee.risk.nested import nested_interval

        found = nested_interval(route, plan, level)
    else:
        found = run_plan(route, plan, level)
    if time is not None:
        from epee.risk.in_time import with_long_run_error

        return with_long_run_error(found, time, route) if interval == "fold" else found
    found = replace(found, halves=halves_of(route, plan))
    if not route.at_a_glance:
        return found
    if interval == "fold":
        found = shaped(found, route, plan)
        if not route.one_pass:
            found = replace(found, caution=f"{found.caution} {risk_words.say('caution refits')}".strip())
    learned = route.n * (1 - float(found.sizes.max()) / found.n)
    together, parted = (row, "") if row is not None else bound_together(route, plan)
    found = replace(found, caution=" ".join(filter(None, [parted, crowding(route, learned), found.caution])))
    found = beside_one_target(found, route.truth, route.classes)
    once = found if interval == "fold" else route.evaluate(plan.splits[0])
    return watched(
        found, *seen_rows(route, once.losses, once.predictions, together, groups is not None, row is not None)
    )


def dealt_by_rule(folds: Any, groups: Any, time: Any, stratify: Any) -> bool:
    """Tell whether rows are dealt to numbered folds one by one."""
    by_class = stratify is None or isinstance(stratify, bool | np.bool_)
    return isinstance(folds, int | np.integer) and groups is None and time is None and by_class


def plan_for(
    route: Route, folds: Any, repeats: int, groups: Any, time: Any, stratify: Any, random_state: Any, apart: bool = False, gap: int = 0
) -> Plan:  # fmt: skip
    """Return the plan for the rows of a route; where these pass by, numbered folds are dealt by rule as they do.

    Copies of a row stay together, unless they are to be kept ``apart``.
    """
    by_rule, loo = dealt_by_rule(folds, groups, time, stratify), isinstance(folds, str) and groups is None
    if route.at_hand or route.at_a_glance:
        check_weighed(route.weight)
    if stratify is True and route.classes is None:
        raise WrongUse("stratify=True needs classes; for a regression give an array of strata.")
    few = (by_rule or loo) and not apart and looked_at(route.inputs, route.n)
    few = few and not (route.at_hand and stands_for_rows(route.weight, route.weights))
    copies = copies_of(route.inputs, route.raw[1], route.n) if few else None
    if isinstance(route, MomentRoute) and not route.at_hand and by_rule and copies is None:
        counts, by_class = route.shared.counts, stratify is not False
        return deal_plan(int(folds), route.n, counts, by_class, route.classes, repeats, random_state)
    codes, classes = strata_of(route, stratify)
    X, y, _ = route.raw
    plan = make_plan(
        folds, route.n, codes=codes, classes=classes, repeats=repeats, groups=groups, time=time, random_state=random_state,
        X=X if route.at_hand else None, y=y if route.at_hand else route.truth, copies=copies, gap=gap,
    )  # fmt: skip
    if groups is None or time is not None or plan.groups is not None:
        return plan
    ids = group_codes(groups, route.n)  # of folds that were given
    return replace(plan, groups=ids, how=f"{plan.how}, error bar from {int(ids.max()) + 1} groups")


def strata_of(route: Route, stratify: Any) -> tuple[Codes | None, Any]:
    """Return what folds are stratified by, and the names of the strata: the classes of a route unless something else is said."""
    if stratify is None or stratify is True:
        return route.codes, route.classes
    if stratify is False:
        return None, route.classes
    names, codes = np.unique(np.asarray(stratify), return_inverse=True)
    return codes.reshape(-1), names


def counted(route: Route, plan: Plan) -> Plan:
    """Return a plan in which the cell of every row is known, for those who look at single rows."""
    dealt = any(isinstance(s, Split) and isinstance(s.cell, Deal) for s in plan.splits)
    if not dealt or not isinstance(route, MomentRoute):
        return plan
    return replace(plan, splits=[replace(s, cell=route.shared.cells(s.cell, s.n_cells)) for s in plan.splits])


def run_plan(route: Route, plan: Plan, level: float = 0.95) -> CrossValidation:
    """Return the cross-validation of a plan."""
    quick = [route.means_by_moments(split) for split in plan.splits]
    if any(part is None for part in quick) and (route.at_hand or route.at_a_glance):
        plan = counted(route, plan)
        return from_outcomes(route, plan, [route.evaluate(split) for split in plan.splits], level)
    parts = [part or route.fold_means(split) for part, split in zip(quick, plan.splits, strict=True)]

    def look() -> tuple[np.ndarray, np.ndarray]:
        return gathered(route, [route.evaluate(split) for split in plan.splits])

    per_fold, sizes = (np.concatenate(part) for part in zip(*parts, strict=True))
    return assemble(route, plan, per_fold, sizes, level, look)


def from_outcomes(route: Route, plan: Plan, outcomes: Sequence[Outcome], level: float) -> CrossValidation:
    """Return the cross-validation of a plan, of which it is known what became of the rows under each split."""
    parts = [route.fold_means(split, outcome) for split, outcome in zip(plan.splits, outcomes, strict=True)]
    per_fold, sizes = (np.concatenate(part) for part in zip(*parts, strict=True))
    found = gathered(route, outcomes)
    return assemble(route, plan, per_fold, sizes, level, lambda: found)


def gathered(route: Route, done: Sequence[Outcome]) -> tuple[np.ndarray, np.ndarray]:
    """Return the losses and predictions of all repeats, labels as labels."""
    losses = np.concatenate([d.losses for d in done])
    predictions = route.asked.decode(np.concatenate([d.predictions for d in done]))
    return (losses[0], predictions[0]) if len(losses) == 1 else (losses, predictions)


def fold_error(per_fold: np.ndarray, repeats: int, overlap: float = 0.0) -> tuple[Any, Any, int]:
    r"""Return the mean of the fold means (R K, ...), its standard error (1), and the folds of a repeat.

    Repeats draw the same rows again, so they steady the estimate of the standard error without dividing it. So do test sets that have a
    share of their rows in common, the ``overlap`` :math:`o`: their means have the correlation :math:`o`, and K of them are worth

    .. math:: \frac{1}{K_o} = \frac1K + \Bigl(1 - \frac1K\Bigr) o, \qquad \sigma_{CV}^2 = \frac{1}{K_o (1 - o)} s^2, \tag{2}

    independent ones, with :math:`s^2` the variance among them, which is too small by the factor :math:`1 - o`.
    """
    by_repeat = per_fold.reshape(repeats, -1, *per_fold.shape[1:])  # (R, K, ...)
    K = by_repeat.shape[1]
    if np.isnan(by_repeat).any():
        mean, spread = np.nanmean(by_repeat, axis=1), np.nanvar(by_repeat, axis=1, ddof=1)
    else:
        mean = by_repeat.mean(axis=1)
        spread = by_repeat.var(axis=1, ddof=1) if K > 1 else np.full_like(mean, np.nan)
    apart = independent_folds(K, overlap) * (1 - overlap) if overlap < 1 else np.nan
    value, stderr = mean.mean(axis=0), np.sqrt(spread.mean(axis=0) / apart)
    return (float(value), float(stderr), K) if per_fold.ndim == 1 else (value, stderr, K)


def independent_folds(K: int, overlap: float) -> float:
    """Return how many independent folds are worth as much as K that overlap, by (2).

    >>> independent_folds(10, 0.0), independent_folds(1000, 0.2) < 5
    (10.0, True)
    """
    return 1 / (1 / K + (1 - 1 / K) * overlap)


def assemble(
    route: Route, plan: Plan, per_fold: Vector, sizes: Vector, level: float, look: Callable[[], tuple[np.ndarray, np.ndarray]],
    centre: tuple[float, float, Interval] | None = None, how: str | None = None, losses: np.ndarray | None = None,
) -> CrossValidation:  # fmt: skip
    """Return the result object; ``centre`` replaces value, standard error and interval by those of another method."""
    value, stderr, K = fold_error(per_fold, plan.repeats, plan.overlap)
    dof = independent_folds(K, plan.overlap) - 1
    X, y, _ = route.raw
    whole = _weight_of_all(route, plan, sizes)
    n = _worth(route, whole)
    rows = fingerprint(X, y) if route.at_hand else f"{fingerprint(X, y)}:{plan.n_folds}:{plan.seed}"
    ends_at = partial(summary_interval, value, stderr, dof, n, route.loss)
    ends = ends_at(level)
    if centre is not None:
        value, stderr, ends = centre
    kept, bound = sizes > 0, plan.groups
    weight = route.weight if route.at_hand else None
    of_groups = None if bound is None else partial(units_of, weight=weight, weights=route.weights, groups=bound)
    bounded = values_of(route.loss) is not None or not route.loss.rowwise  # a constant has a known price
    flat = not bounded and centre is None and not stderr > 0
    return CrossValidation(
        value, stderr, ends, level, n, route.loss.name, how or plan.how, np.inf if centre else dof,
        row_losses=losses, weight=weight, rows=rows,
        pooled=float((per_fold[kept] * sizes[kept]).sum() / sizes[kept].sum()), per_fold=per_fold, n_folds=K,
        repeats=plan.repeats, sizes=sizes * (n / whole), fold_ids=_fold_ids(route, plan), one_pass=route.one_pass,
        look=WhenAsked(look, stays=pass_by(route)), ends_at=ends_at, columns=route.n_columns, in_units=of_groups,
        caution=risk_words.say("caution flat") if flat else "",
    )  # fmt: skip


def pass_by(route: Route) -> bool:
    """Tell whether rows lie elsewhere, and are so many that no difference looks at their losses."""
    return not (route.at_hand or route.at_a_glance or route.n <= MOST_ROWS)


def _weight_of_all(route: Route, plan: Plan, sizes: Vector) -> float:
    """Return the weight of all rows, in the unit of ``sizes``: their sum where every row is tested once a repeat."""
    first = plan.splits[0]
    if isinstance(first, Split) and (first.tested_by >= 0).all():
        return float(sizes.sum()) / plan.repeats
    return float(route.n if route.weight is None else route.weight.sum())


def _worth(route: Route, whole: float) -> float:
    """Return how many rows the weight ``whole`` of all of them is worth."""
    if route.at_hand or not isinstance(route, MomentRoute):
        return float(route.counts.sum())
    return whole * route.shared.unit(route.weights)


def _fold_ids(route: Route, plan: Plan) -> Any:
    if isinstance(plan.splits[0], Pairs):
        return np.empty(0, dtype=np.intp)
    if isinstance(plan.splits[0].cell, Deal):
        return WhenAsked(lambda: _told(counted(route, plan)), stays=pass_by(route))
    return _told(plan)


def _told(plan: Plan) -> Codes:
    ids = np.concatenate([split.models_of_rows() for split in plan.splits])
    ids = np.where(ids >= 0, ids % plan.n_folds, -1)
    return ids[0] if len(ids) == 1 else ids
