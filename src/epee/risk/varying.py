"""Errors along a parameter that lengthens a fit, from one fit a fold.

A boosted predictor of 500 rounds holds those of 1 to 499. Rows are asked some at a time, and only sums of
their losses are kept, so that hundreds of values need no room for the answers of all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from epee.engines.local import in_order
from epee.estimator.protocol import Lengthened, Varies
from epee.risk.asking import refuse_nan, spread, to_codes
from epee.risk.dof import degrees_of_freedom
from epee.risk.refit import RefitRoute
from epee.risk.splitting import Pairs, Plan
from epee.risk.steps import last_of
from epee.typing import Matrix, Vector

ROWS = 8192  # asked at once


def ask_together(route: RefitRoute, fitted: Any, variants: list[Any], rows: np.ndarray, where: str) -> list[np.ndarray]:
    """Return what each variant of the last step of a fitted model says of some rows, as the loss needs it."""
    Z, asked = route.X[rows], route.asked
    for _, step in fitted.steps[:-1] if isinstance(fitted, Pipeline) else ():
        Z = step.transform(Z)
    if asked.probable and route.classes is not None:
        place = np.searchsorted(route.classes, np.asarray(variants[0].classes_))  # of the classes it knows among all
        found = variants[0].answer_together(variants, np.asarray(Z), "probabilities")
        found = [spread(P, place, len(route.classes), 0.0) for P in found]
    elif asked.costs is None and route.loss.needs in ("labels", "values"):
        found = variants[0].answer_together(variants, np.asarray(Z))
        found = found if route.classes is None else [to_codes(labels, route.classes) for labels in found]
    else:
        found = [np.asarray(asked.of(variant)(Z)) for variant in variants]
    for prediction in found:
        refuse_nan(prediction, fitted, where)
    return found


def varied_path(
    route: RefitRoute, plan: Plan, parameter: str, values: list[Any]
) -> tuple[Matrix, Vector, Vector] | None:
    """Return the fold means (T, V), the training errors (V,) and the degrees of freedom (V,); None where each value needs a fit."""
    last, name = last_of(route.model), parameter.rpartition("__")[2]
    own = parameter == (f"{route.model.steps[-1][0]}__{name}" if isinstance(route.model, Pipeline) else name)
    lengthens = isinstance(last, Varies) and isinstance(last, Lengthened) and last.lengthened_by == name
    if not (own and lengthens and route.loss.rowwise) or any(isinstance(split, Pairs) for split in plan.splits):
        return None
    most = clone(route.model).set_params(**{parameter: max(values)})
    whole = route.fit_rows(None, most)
    variants = last_of(whole).variants(name, values)
    if variants is None:
        return None

    def means(fitted: Any, several: list[Any], rows: np.ndarray) -> Vector:
        total, weight = np.zeros(len(several)), 0.0
        for s in range(0, len(rows), ROWS):
            here = rows[s : s + ROWS]
            w = np.ones(len(here)) if route.weight is None else route.weight[here]
            for v, answer in enumerate(ask_together(route, fitted, several, here, "rows held out")):
                total[v] += w @ route.value(answer, here)
            weight += float(w.sum())
        return total / weight

    def fold(task: tuple[Any, int]) -> Vector:
        split, t = task
        fitted = route.fit_rows(split.training_rows(t), most)
        found = last_of(fitted).variants(name, values)
        assert found is not None
        return means(fitted, found, np.flatnonzero((split.models_of_rows() == t).any(axis=0)))

    tasks = [(split, t) for split in plan.splits for t in range(split.n_models)]
    per_fold = np.stack(list(in_order(fold, tasks)))
    train = means(whole, variants, np.arange(route.n))
    return per_fold, train, np.array([degrees_of_freedom(variant) for variant in variants])
