"""Fewer fits: one a fold for every value of a parameter, or one of all rows for a forest that says what it would have said without each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.estimator.protocol import Varies
from epee.risk.asking import refuse_nan, spread, to_codes
from epee.risk.dof import degrees_of_freedom
from epee.risk.refit import RefitRoute
from epee.risk.scoring import Outcome, empty_room
from epee.risk.splitting import Split
from epee.risk.steps import last_of

TRAINING_ROWS = 2000  # that the training error along a parameter is taken on


def varied(
    route: RefitRoute, split: Split, parameter: str, grid: list[Any]
) -> tuple[list[Outcome], list[tuple[float, float]]] | None:
    """Return outcomes, training errors and degrees of freedom along a parameter.

    None when the last step cannot be had at other values without a fit.
    """
    if not isinstance(last_of(route.model), Varies):
        return None
    whole = route.fit_rows(None)
    all_rows = whole.steps[-1][1].variants(parameter, grid)
    if all_rows is None:
        return None
    by_row = split.models_of_rows()[0]

    def answers(fitted: Any, variants: list[Any], rows: np.ndarray, where: str) -> list[np.ndarray]:
        Z = route.X[rows]
        for _, step in fitted.steps[:-1]:
            Z = step.transform(Z)
        if route.asked.probable and route.classes is not None:
            found = variants[0].answer_together(variants, Z, "probabilities")
            place = np.searchsorted(
                route.classes, np.asarray(variants[0].classes_)
            )  # where the classes it knows lie among all
            found = [spread(P, place, len(route.classes), 0.0) for P in found]
        elif route.asked.costs is None and route.loss.needs in ("labels", "values"):
            found = variants[0].answer_together(variants, Z)
            if route.classes is not None:
                found = [to_codes(labels, route.classes) for labels in found]
        else:
            found = [np.asarray(route.asked.of(variant)(Z)) for variant in variants]
        for prediction in found:
            refuse_nan(prediction, fitted, where)
        return found

    def work(t: int) -> tuple[np.ndarray, list[np.ndarray]]:
        rows = np.flatnonzero(by_row == t)
        fitted = route.fit_rows(split.training_rows(t))
        return rows, answers(fitted, fitted.steps[-1][1].variants(parameter, grid), rows, f"fold {t}")

    losses = np.full((len(grid), route.n), np.nan)
    predictions: list[np.ndarray] = []
    for rows, found in in_order(work, range(split.n_models)):
        for v, prediction in enumerate(found):
            if len(predictions) <= v:
                predictions.append(empty_room(1, route.n, prediction))
            predictions[v][0, rows] = prediction.reshape(predictions[v][0, rows].shape)
            losses[v, rows] = route.value(prediction, rows)
    some = np.unique(np.linspace(0, route.n - 1, min(route.n, TRAINING_ROWS)).astype(np.intp))
    w = None if route.weight is None else route.weight[some]
    train = [float(np.average(route.value(a, some), weights=w)) for a in answers(whole, all_rows, some, "all rows")]
    outcomes = [Outcome(losses[v : v + 1], predictions[v]) for v in range(len(grid))]
    return outcomes, list(zip(train, map(degrees_of_freedom, all_rows), strict=True))


def out_of_bag(routes: Sequence[RefitRoute]) -> tuple[list[Outcome], list[tuple[float, float]]] | None:
    """Return what forests of all rows say of each by the trees that did not see it, as :func:`varied` returns it; None if they cannot."""
    outcomes, ends = [], []
    for route in routes:
        fitted = route.fit_rows(None)
        named = "oob_prediction_" if route.classes is None else "oob_decision_function_"
        said = getattr(last_of(fitted), named, None)
        if said is None or not np.isfinite(said).all() or (route.classes is not None and not route.asked.probable):
            return None
        outcomes.append(Outcome(route.value(said, slice(None))[None], np.asarray(said)[None]))
        ends.append((float("nan"), degrees_of_freedom(fitted)))
    return outcomes, ends
