"""Fewer fits: one a fold for every value of a parameter, or one of all rows for a forest that says what it would have said without each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from epee.engines.local import in_order
from epee.estimator.protocol import FitsTogether, Lengthened, Varies
from epee.risk.dof import degrees_of_freedom
from epee.risk.refit import RefitRoute, side_by_side
from epee.risk.scoring import Laid, Outcome
from epee.risk.splitting import Split
from epee.risk.steps import last_of
from epee.risk.varying import ask_together

TRAINING_ROWS = 2000  # that the training error along a parameter is taken on
LARGEST_KEPT = 20_000_000  # numbers that the fits of all folds may hold, of those that keep their rows
LARGEST_HELD = 4_000_000  # the same until the contest is decided, and the folds of the winner are asked again
FIRST_ROWS, FIRST_FOLDS = 400, 3  # tested rows, and most folds, that tell how far a fit need go

Folds = Callable[[], Iterable[Any]]


@dataclass(frozen=True, eq=False)
class Tried:
    """What values of a parameter came to: the rows held out, (training error, degrees of freedom), and the models of all rows, if kept."""

    outcomes: list[Outcome]
    ends: list[tuple[float, float]]
    whole: list[Any] = field(default_factory=list)


def at_every_value(route: RefitRoute) -> bool:
    """Tell whether one fit of the last step gives those at other values of a parameter, too."""
    return isinstance(last_of(route.model), Varies)


def varied(
    route: RefitRoute, split: Split, parameter: str, grid: list[Any], fits: dict[int, Any] | None = None
) -> Tried | None:
    """Return what becomes of the rows along a parameter, for its first values.

    These are all of them, but for fits that a parameter lengthens (rounds of boosting): the first folds tell from where on more of it only
    does harm, and the other folds go no further. None when the last step cannot be had at other values without a fit. ``fits`` by fold
    are those of an earlier call; where they are not too large, they are left there for the next.
    """
    last = last_of(route.model)
    if not at_every_value(route):
        return None
    lengthens = isinstance(last, Lengthened) and last.lengthened_by == parameter
    model = route.model
    known = {} if fits is None or route.X.size * split.n_models > LARGEST_KEPT else fits

    def fitted_on(t: int) -> Any:
        found = known.get(t)
        if found is None:
            found = route.fit_rows(split.training_rows(t) if t < split.n_models else None)
            if known is fits:
                known[t] = found
        return found

    if not lengthens:
        whole = fitted_on(split.n_models)
        all_rows = whole.steps[-1][1].variants(parameter, grid)
        if all_rows is None:
            return None
    by_row = split.models_of_rows()[0]

    def work(t: int) -> tuple[np.ndarray, list[np.ndarray]]:
        rows = np.flatnonzero(by_row == t)
        fitted = route.fit_rows(split.training_rows(t), model) if lengthens else fitted_on(t)
        return rows, ask_together(route, fitted, fitted.steps[-1][1].variants(parameter, grid), rows, f"fold {t}")

    done: list[tuple[np.ndarray, list[np.ndarray]]] = []
    if lengthens:
        sizes = np.bincount(by_row[by_row >= 0], minlength=split.n_models)
        first = min(int(np.searchsorted(np.cumsum(sizes), FIRST_ROWS)) + 1, FIRST_FOLDS, split.n_models)
        done = list(in_order(work, range(first)))
        grid = grid[: worth_trying(route, done, grid)]
        model = clone(route.model)
        last_of(model).set_params(**{parameter: grid[-1]})
        whole = route.fit_rows(None, model)
        all_rows = whole.steps[-1][1].variants(parameter, grid)
    laid = [Laid(1, route.n) for _ in grid]
    for rows, found in [*done, *in_order(work, range(len(done), split.n_models))]:
        for own, prediction in zip(laid, found, strict=False):
            own.put(0, rows, prediction, route.value(prediction, rows))
    some = np.unique(np.linspace(0, route.n - 1, min(route.n, TRAINING_ROWS)).astype(np.intp))
    w = None if route.weight is None else route.weight[some]
    said = ask_together(route, whole, all_rows, some, "all rows")
    train = [float(np.average(route.value(answer, some), weights=w)) for answer in said]
    ends = list(zip(train, map(degrees_of_freedom, all_rows), strict=True))
    return Tried([own.outcome() for own in laid], ends, [ending_with(whole, variant) for variant in all_rows])


def at_values(routes: Sequence[Any], split: Split, parameter: str, values: list[Any]) -> list[Outcome]:
    """Return what becomes of the rows under all models of a split on each of some roads, which differ in the value of a parameter.

    One fit a model where that gives all values.
    """
    route = routes[-1]
    if len(routes) == 1 or not (isinstance(route, RefitRoute) and at_every_value(route)):
        return [one.evaluate(split) for one in routes]
    by_row, laid = split.models_of_rows(), [Laid(split.repeats, route.n) for _ in routes]

    def work(t: int) -> tuple[np.ndarray, np.ndarray, Any, list[np.ndarray]]:
        layer, rows = np.nonzero(by_row == t)
        fitted = route.fit_rows(split.training_rows(t))
        variants = last_of(fitted).variants(parameter, values)
        return layer, rows, variants, ask_together(route, fitted, variants, rows, f"model {t}") if variants else []

    for layer, rows, variants, found in in_order(work, range(split.n_models)):
        if variants is None:  # this parameter needs a fit at every value
            return [one.evaluate(split) for one in routes]
        for own, said in zip(laid, found, strict=True):
            lost = route.value(said, rows)
            for d in np.unique(layer):
                own.put(d, rows[layer == d], said[layer == d], lost[layer == d])
    return [own.outcome() for own in laid]


def ending_with(fitted: Pipeline, variant: Any) -> Pipeline:
    """Return a fitted pipeline with a variant of its last step in the place of it."""
    return Pipeline([*fitted.steps[:-1], (fitted.steps[-1][0], variant)])


def kept_folds(route: RefitRoute, fits: dict[int, Any], n_models: int, parameter: str, value: Any) -> Folds | None:
    """Return what gives the models of the folds at a value, from the fits that :func:`varied` left; None without them, or if large."""
    if len(fits) <= n_models or route.X.size * n_models > LARGEST_HELD:
        return None

    def model(t: int) -> Pipeline:
        return ending_with(fits[t], fits[t].steps[-1][1].variants(parameter, [value])[0])

    return lambda: map(model, range(n_models))


def worth_trying(route: RefitRoute, done: list[tuple[np.ndarray, list[np.ndarray]]], grid: list[Any]) -> int:
    """Return how many first values are worth trying: up to twice the best of some folds, and those that are as good as it.

    Probabilities are judged by the log loss, which sees them spoil before the labels do.
    """
    rows = np.concatenate([one[0] for one in done])
    said = [np.concatenate(parts) for parts in zip(*(found for _, found in done), strict=True)]
    if route.asked.probable and route.classes is not None:
        losses = np.array([-np.log(np.maximum(P[np.arange(len(rows)), route.truth[rows]], 1e-12)) for P in said])
    else:
        losses = np.array([route.value(answer, rows) for answer in said])
    if route.weight is not None:
        losses = losses * route.weight[rows]
    best = int(np.argmin(losses.mean(axis=1)))
    harm = losses - losses[best]
    bar = harm.std(axis=1) / np.sqrt(max(len(rows), 1))
    near = [v <= 2 * grid[best] or h <= b / 4 for v, h, b in zip(grid, harm.mean(axis=1), bar, strict=True)]
    return int(np.flatnonzero(near)[-1]) + 1


def together(routes: Sequence[RefitRoute], split: Split) -> Tried | None:
    """Return what :func:`varied` does from fits of every fold and value side by side; None where the last step has no such fit."""
    if not isinstance(last_of(routes[0].model), FitsTogether):
        return None
    by_row = split.models_of_rows()[0]
    samples = [split.training_rows(t) for t in range(split.n_models)]
    laid = [Laid(1, route.n) for route in routes]
    ends, whole = [], []
    for t, models in enumerate(side_by_side(routes, [*samples, None])):
        rows = np.flatnonzero(by_row == t)
        for route, fitted, own in zip(routes, models, laid, strict=True):
            if t == split.n_models:
                ends.append(route.on_all(fitted))
                whole.append(fitted)
                continue
            answer = route.ask_rows(fitted, rows, f"fold {t}")
            own.put(0, rows, answer, route.value(answer, rows))
    return Tried([own.outcome() for own in laid], ends, whole)


def out_of_bag(routes: Sequence[RefitRoute]) -> Tried | None:
    """Return what forests of all rows say of each by the trees that did not see it, as :func:`varied` returns it; None if they cannot."""
    outcomes, ends, whole = [], [], []
    for route in routes:
        fitted = route.fit_rows(None)
        named = "oob_prediction_" if route.classes is None else "oob_decision_function_"
        said = getattr(last_of(fitted), named, None)
        if said is None or not np.isfinite(said).all() or (route.classes is not None and not route.asked.probable):
            return None
        outcomes.append(Outcome(route.value(said, slice(None))[None], np.asarray(said)[None]))
        ends.append((float("nan"), degrees_of_freedom(fitted)))
        whole.append(fitted)
    return Tried(outcomes, ends, whole)
