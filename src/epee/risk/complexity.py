r"""How complex a predictor should be: training and cross-validated error along a parameter.

As complexity grows the training error falls, and the expected error falls and rises again. The simplest predictor whose
cross-validated error is within one standard error of the smallest,

.. math:: CV(\theta) \le CV(\theta^*) + \sigma_{CV}(\theta^*), \tag{1}

is the usual choice: what is gained beyond cannot be told from noise. For ridge regression a whole path of penalties costs one
eigen-decomposition a fold, on moments that come from one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from epee.engines.local import in_order
from epee.errors import WrongUse
from epee.estimator.protocol import LeavesOneOutPath, SolvesPath
from epee.estimator.saying import each_once
from epee.lazy import Shown, drawn
from epee.moments.moments import Moments, stack
from epee.moments.unions import joined, select
from epee.risk.counts import in_copies
from epee.risk.cross_validation import counted, dealt_by_rule, fold_error, plan_for, run_plan
from epee.risk.dof import sharing, spread_of_squares
from epee.risk.in_time import with_long_run_error
from epee.risk.leave_one_out import heavier_than_a_copy, leave_each_out, left_together
from epee.risk.linear_stack import linear_of, squared_risk
from epee.risk.opening import open_route
from epee.risk.refit import RefitRoute
from epee.risk.route import MomentRoute, Route
from epee.risk.scoring import Panel
from epee.risk.splitting import Pairs, Plan, Split, all_rows, check_gap, check_order
from epee.risk.units import Weights, check_said, taken_as, units_of
from epee.risk.varying import varied_path
from epee.risk.watching import bound_together, doubt, kinship, seen_rows, sentence
from epee.settings import progress
from epee.table.named import named_columns
from epee.typing import Codes, Matrix, Tensor, Vector
from epee.words.progress_words import say as say_progress


@dataclass(frozen=True, eq=False)
class ComplexityCurve(Shown):
    """Errors along a parameter.

    Attributes
    ----------
    parameter : str
    values : list
        Where the curve was taken.
    dof : array (V,)
        Effective degrees of freedom of the predictor trained on all rows; NaN where they are not known.
    train : array (V,)
        Mean loss, on all rows, of the predictor trained on all rows.
    cv, stderr : arrays (V,)
        Cross-validated error and its standard error.
    per_fold : array (repeats * folds, V)
    best_index, chosen_index : int
    caution : str
        Why ``stderr`` cannot be trusted, in words: rows that belong together, as the best value shows, or what :func:`cross_validate` says
        of it in time. Empty when it can.
    """

    parameter: str
    values: list[Any]
    dof: Vector
    train: Vector
    cv: Vector
    stderr: Vector
    per_fold: Matrix
    best_index: int
    chosen_index: int
    rule: str
    loss: str
    how: str
    caution: str = ""

    @property
    def best(self) -> Any:
        """The value with the smallest cross-validated error."""
        return self.values[self.best_index]

    @property
    def chosen(self) -> Any:
        """The value that the rule chooses."""
        return self.values[self.chosen_index]

    @property
    def at_edge(self) -> bool:
        """Tell whether the best value is the first or the last of several: the grid may be too short."""
        return len(self.values) > 2 and self.best_index in (0, len(self.values) - 1)

    plot = drawn("risk.plot_complexity", "Draw both errors with the mark of one standard error; returns the axes.")


@each_once
def complexity_curve(
    model: Any, X: Any, y: Any, parameter: str, values: Sequence[Any], *, folds: Any = 10, rule: str = "one_se",
    simpler: str | None = None, repeats: int = 1, loss: Any = None, sample_weight: Any = None, groups: Any = None,
    time: Any = None, stratify: Any = None, random_state: Any = None, weights: Weights | None = None, gap: int = 0,
) -> ComplexityCurve:  # fmt: skip
    """Return training and cross-validated errors along the values of a parameter, and the choice they suggest.

    Parameters
    ----------
    model : estimator
    X, y : rows and their targets
    parameter : str
        Name of a parameter of the model; ``step__name`` in a pipeline.
    values : sequence
        Values to try.
    folds, repeats, loss, sample_weight, weights, groups, time, gap, stratify, random_state
        As in :func:`cross_validate`.
    rule : {"one_se", "min"}, default="one_se"
        "one_se" takes the simplest value within one standard error of the best, "min" the best.
    simpler : {"smaller", "larger"}, default=None
        Which values make a simpler predictor; None goes by the degrees of freedom, and by "smaller" where they are unknown.

    Returns
    -------
    ComplexityCurve

    Notes
    -----
    Values that share their moments share one pass. An estimator with ``solve_path`` (ridge) solves all values of a
    fold at once, and one with ``variants`` (rounds of boosting) is fitted once a fold.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 7.10.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from epee import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = complexity_curve(LinearDiscriminantAnalysis("eigen"), X, y, "shrinkage", [0.0, 0.5, 1.0], simpler="larger")
    >>> curve.best
    0.0
    """
    check_said(weights, X, sample_weight)
    check_gap(gap, time)
    check_order(time, repeats, stratify)
    values = list(values)
    if not values:
        raise WrongUse(f"values is empty: give at least one value of {parameter!r}.")
    if parameter not in model.get_params():
        known = ", ".join(sorted(k for k, v in model.get_params().items() if not hasattr(v, "fit")))
        raise WrongUse(f"{type(model).__name__} has no parameter {parameter!r}; it has {known}.")
    if rule not in ("one_se", "min"):
        raise WrongUse(f"rule is {rule!r}; it must be 'one_se' or 'min'.")
    if simpler not in (None, "smaller", "larger"):
        raise WrongUse(f"simpler is {simpler!r}; it must be 'smaller' or 'larger'.")
    X, y, sample_weight, groups, time = named_columns(X, y, sample_weight, groups, time)
    if isinstance(folds, str) and folds == "loo" and time is None:
        return _left_out_curve(model, X, y, parameter, values, rule, simpler, loss, sample_weight, weights, groups)
    X, y, sample_weight, laid, row = in_copies(
        X, y, sample_weight, weights, dealt_by_rule(folds, groups, time, stratify)
    )
    route = open_route(clone(model).set_params(**{parameter: values[0]}), X, y, sample_weight, loss, weights)
    plan = plan_for(route, folds, repeats, groups, time, stratify, random_state, laid is not None, gap)
    how = plan.how
    if laid is not None or route.at_hand:
        how += taken_as(route.weight, route.weights) if laid is None else taken_as(laid, "counts")
    per_fold, train, dof = _path(route, plan, parameter, values)
    cv, stderr, _ = fold_error(per_fold, plan.repeats, plan.overlap)
    order = simplicity(values, dof, simpler)
    best, _ = choose(cv, stderr, order, rule)
    caution = ""
    if time is not None or route.at_a_glance:
        here = _with_value(route, parameter, values[best])
        longer, more, caution = _in_time(here, plan, time) if time is not None else _of_kin(here, plan, groups, row)
        stderr, how = stderr * longer, how + more
    best, chosen = choose(cv, stderr, order, rule)
    return ComplexityCurve(
        parameter, values, dof, train, cv, stderr, per_fold, best, chosen, rule, route.loss.name, how, caution
    )


def _in_time(route: Route, plan: Plan, time: Any) -> tuple[float, str, str]:
    """Return how many times longer than that of the folds the error bar of rows in time is, the words that say so, and a caution."""
    of_folds = run_plan(route, plan)
    told = with_long_run_error(of_folds, time, route)
    longer = told.stderr / of_folds.stderr if of_folds.stderr > 0 else 1.0
    return longer, told.how.removeprefix(of_folds.how), told.caution


def _of_kin(route: Route, plan: Plan, groups: Any, row: Codes | None) -> tuple[float, str, str]:
    """Return the same of rows that belong together, or may."""
    together, said = (row, "") if row is not None else bound_together(route, plan)
    once = route.evaluate(counted(route, plan).splits[0])
    kin = kinship(*seen_rows(route, once.losses, once.predictions, together, groups is not None, row is not None))
    caution = f"{said} {sentence(kin)}".strip()
    return (1.0, "", caution) if kin is None else (float(np.sqrt(kin.effect)), doubt(kin), caution)


def _left_out_curve(
    model: Any, X: Any, y: Any, parameter: str, values: list[Any], rule: str, simpler: str | None, loss: Any, sample_weight: Any,
    weights: Weights | None, groups: Any = None,
) -> ComplexityCurve:  # fmt: skip
    """Return the curve by leave-one-out: all values at once where the estimator has a formula for a path, and each row leaves alone."""
    first = RefitRoute(clone(model).set_params(**{parameter: values[0]}), X, y, sample_weight, loss, weights=weights)
    losses, train, dof = np.empty((first.n, len(values))), np.empty(len(values)), np.empty(len(values))
    path, units = None, left_together(first, groups)
    if (
        units is None
        and first.kind == "regressor"
        and isinstance(first.model, LeavesOneOutPath)
        and not heavier_than_a_copy(first)
    ):
        path = first.model.left_out_path(first.X, first.truth, first.weight, parameter, values)
    for v, value in enumerate(values):
        here = clone(model).set_params(**{parameter: value})
        if path is None:
            losses[:, v] = leave_each_out(
                here, X, y, loss, 0.95, sample_weight, weights, halved=False, groups=groups
            ).losses
        else:
            losses[:, v] = first.value(np.asarray(path[v]), np.arange(first.n))
        train[v], dof[v] = fitted_on_all(open_route(here, X, y, sample_weight, loss, weights))
    parts = [units_of(column, first.weight, weights=first.weights, groups=units) for column in losses.T]
    cv = np.array([u.mean for u in parts])
    spreads = [spread_of_squares(column, first.counts, first.loss) for column in losses.T]
    shared = [sharing(free, u.effective, spread) for free, u, spread in zip(dof, parts, spreads, strict=True)]
    stderr = np.array([s * u.spread()[0] / np.sqrt(u.n) for s, u in zip(shared, parts, strict=True)])
    order, kin = simplicity(values, dof, simpler), None
    best, _ = choose(cv, stderr, order, rule)
    if first.at_a_glance:
        said = np.empty(0) if path is None else np.asarray(path[best])
        kin = kinship(*seen_rows(first, losses[:, best], said, units, groups is not None))
    if kin is not None:
        stderr = stderr * np.sqrt(kin.effect)
    best, chosen = choose(cv, stderr, order, rule)
    how = "leave-one-out" if path is None else "leave-one-out, closed form"
    if units is not None:
        how += ", a group at a time" if groups is not None else ", copies of a row together"
    how += taken_as(first.weight, first.weights) + doubt(kin)
    return ComplexityCurve(
        parameter, values, dof, train, cv, stderr, losses, best, chosen, rule, first.loss.name, how, sentence(kin)
    )


def simplicity(values: Sequence[Any], dof: Vector, simpler: str | None) -> Vector:
    """Return a rank for each value, smallest for the simplest."""
    if simpler is None and np.isfinite(dof).all() and len(np.unique(dof)) > 1:
        return dof
    try:
        rank = np.array([float(v) for v in values])
    except (TypeError, ValueError):
        rank = np.arange(len(values), dtype=float)
    return -rank if simpler == "larger" else rank


def choose(cv: Vector, stderr: Vector, order: Vector, rule: str = "one_se") -> tuple[int, int]:
    """Return the index of the best and of the chosen value; on ties the simplest wins.

    >>> choose(np.array([1.0, 0.6, 0.5]), np.array([0.1, 0.1, 0.2]), np.array([1.0, 2.0, 3.0]))
    (2, 1)
    """
    lowest = np.nanmin(cv)
    ties = np.flatnonzero(cv <= lowest)
    best = int(ties[np.argmin(order[ties])])
    if rule == "min":
        return best, best
    bar = stderr[best] if np.isfinite(stderr[best]) else 0.0
    near = np.flatnonzero(cv <= lowest + bar)
    return best, int(near[np.argmin(order[near])])


def _path(route: Route, plan: Plan, parameter: str, values: list[Any]) -> tuple[Matrix, Vector, Vector]:
    """Return the fold means (T, V), the training errors (V,) and the degrees of freedom (V,)."""
    found = None
    if isinstance(route, MomentRoute):
        found = _linear_path(route, plan, parameter, values)
    elif isinstance(route, RefitRoute):
        found = varied_path(route, plan, parameter, values)
    if found is not None:
        return found
    columns, train, dof = [], np.empty(len(values)), np.empty(len(values))
    with progress(say_progress("complexity curve of {parameter}", parameter=parameter), len(values)) as tick:
        for v, value in enumerate(values):
            here = _with_value(route, parameter, value)
            columns.append(run_plan(here, plan).per_fold)
            train[v], dof[v] = fitted_on_all(here)
            tick()
    return np.column_stack(columns), train, dof


def _with_value(route: Route, parameter: str, value: Any) -> Route:
    """Return the route of the model with a value of its parameter, on the same rows."""
    model = clone(route.model).set_params(**{parameter: value})
    if isinstance(route, MomentRoute) and route.serves(model):
        return route.like(model)
    return open_route(model, *route.raw, route.loss, route.weights)


def fitted_on_all(route: Route) -> tuple[float, float]:
    """Return the training error and the degrees of freedom of the predictor trained on all rows."""
    if isinstance(route, RefitRoute):
        return route.on_all(route.fit_rows(None))
    assert isinstance(route, MomentRoute)
    everything, whole = all_rows(route.n), stack([route.whole()])
    models = route.fit(whole, everything)
    dof = route.freedom_of(models, whole)
    if route.is_linear_squared():
        linear = linear_of(models)
        risk, sound = squared_risk(whole, linear.coef[:, None], linear.intercept[:, None])
        if sound.all():
            return float(risk[0, 0]), dof
    panel = Panel(route.asked, models, everything.tested_by)
    weight, total, _ = route.scored([panel], everything).panels[0]
    return float(total[0] / weight[0]), dof


def _linear_path(
    route: MomentRoute, plan: Plan, parameter: str, values: list[Any]
) -> tuple[Matrix, Vector, Vector] | None:
    """Return the path of a linear regressor that solves all values of a fold at once; None for others."""
    name = parameter.rpartition("__")[2]
    own = parameter == (f"{route.model.steps[-1][0]}__{name}" if isinstance(route.model, Pipeline) else name)
    if not (own and isinstance(route.probe, SolvesPath) and route.is_linear()) or isinstance(plan.splits[0], Pairs):
        return None
    columns, train, dof = [], None, None
    for split in plan.splits:
        assert isinstance(split, Split)
        training = route.training(split)
        whole = stack([route.whole()])
        if train is None:  # the whole sample goes along as one more training sample
            training = joined([training, whole.about(training.origin)])
        found = solve_paths(route, training, name, values)
        if found is None:
            return None
        coef, intercept, df = found
        if train is None or dof is None:
            train, dof = _training_errors(route, whole, coef[-1:], intercept[-1:]), df[-1]
            coef, intercept = coef[:-1], intercept[:-1]
        columns.append(_path_risks(route, split, coef, intercept))
    assert train is not None and dof is not None
    return np.concatenate(columns), train, dof


def solve_paths(
    route: MomentRoute, training: Moments, parameter: str, values: list[Any]
) -> tuple[Tensor, Tensor, Matrix] | None:
    """Return coefficients (T, V, m, p), intercepts (T, V, m) and degrees of freedom (T, V) before any affine step."""
    training, before = route.mapped(training)
    T = len(training.count)
    small = max(1, int(150_000 // (training.p * len(values))))  # a chunk stays in the cache
    step = max(1, min(small, -(-T // 2)) if T * training.p**3 > 4e6 else T)
    chunks = [select(training, slice(i, i + step)) for i in range(0, T, step)]
    parts = list(in_order(lambda m: route.probe.solve_path(m, parameter, values), chunks))
    if any(part is None for part in parts):
        return None
    coef, intercept, dof = (np.concatenate([part[i] for part in parts]) for i in range(3))
    if before is not None:
        coef, intercept = before.through(coef, intercept)
    return coef, intercept, dof


def _path_risks(route: MomentRoute, split: Split, coef: Tensor, intercept: Tensor) -> Matrix:
    """Return the fold means (T, V): from moments for the squared loss, else from the rows."""
    if route.is_linear_squared():
        test = route.testing(split)
        T = len(test.count)
        step = -(-T // 2) if T * coef[0].size * coef.shape[-1] > 2e7 else T
        parts = list(in_order(
            lambda i: squared_risk(select(test, slice(i, i + step)), coef[i : i + step], intercept[i : i + step]), range(0, T, step)
        ))  # fmt: skip
        risk, sound = (np.concatenate([part[j] for part in parts]) for j in range(2))
        bad = np.flatnonzero(~sound.all(axis=0))
        if len(bad):  # fits so good that the moments would lose digits: look at the rows
            risk[:, bad] = route.path_risks(split, coef[:, bad], intercept[:, bad])
        return risk
    return route.path_risks(split, coef, intercept)


def _training_errors(route: MomentRoute, whole: Moments, coef: Tensor, intercept: Tensor) -> Vector:
    if route.is_linear_squared():
        risk, sound = squared_risk(whole, coef, intercept)
        if sound.all():
            return risk[0]
    return route.path_risks(all_rows(route.n), coef, intercept)[0]
