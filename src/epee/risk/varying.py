"""Errors along a parameter that lengthens a fit, from one fit a fold.

A boosted predictor of 500 rounds holds those of 1 to 499, and tells what it says of the rows held out while it is fitted: they go down
each tree as it grows, instead of down all of them again. The fit of all rows is one more than the folds; it is made in two halves, the
first before them and the second after them, so that an even number of threads has an even share of the work. Where a fit tells nothing on
the way, rows are asked afterwards, some at a time. Only sums of their losses are kept: hundreds of values need no room for all answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from epee.engines.deadline import check_time
from epee.engines.local import in_order
from epee.estimator.protocol import Lengthened, Needs, Telling, Varies
from epee.risk.asking import refuse_nan, spread, to_codes
from epee.risk.dof import degrees_of_freedom
from epee.risk.refit import RefitRoute, fitted_front, weight_keywords
from epee.risk.splitting import Pairs, Plan, Split
from epee.risk.steps import last_of
from epee.table.taking import take_rows
from epee.typing import Matrix, Vector

ROWS = 8192  # asked at once


def needed(route: RefitRoute) -> Needs | None:
    """Return what the loss needs, where that is probabilities, or labels and values as they are."""
    if route.asked.probable and route.classes is not None:
        return "probabilities"
    if route.asked.costs is None and route.loss.needs in ("labels", "values"):
        return "values" if route.classes is None else "labels"
    return None


def among_all(route: RefitRoute, answer: np.ndarray, model: Any) -> np.ndarray:
    """Return what a model says, which may not know all classes, as codes or probabilities of all of them; values as they are."""
    if route.classes is None:
        return answer
    if needed(route) == "labels":
        return to_codes(answer, route.classes)
    return spread(answer, np.searchsorted(route.classes, np.asarray(model.classes_)), len(route.classes), 0.0)


def ask_together(route: RefitRoute, fitted: Any, variants: list[Any], rows: np.ndarray, where: str) -> list[np.ndarray]:
    """Return what each variant of the last step of a fitted model says of some rows, as the loss needs it."""
    Z, first, needs = take_rows(route.X, rows), variants[0], needed(route)
    for _, step in fitted.steps[:-1] if isinstance(fitted, Pipeline) else ():
        Z = Z if step in (None, "passthrough") else step.transform(Z)
    if needs is None:
        found = [np.asarray(route.asked.of(variant)(Z)) for variant in variants]
    else:
        found = [among_all(route, said, first) for said in first.answer_together(variants, first.clean(Z), needs)]
    for prediction in found:
        refuse_nan(prediction, fitted, where)
    return found


def tested_rows(split: Split, t: int) -> np.ndarray:
    """Return the rows that model ``t`` of a split is tested on."""
    return np.flatnonzero((split.models_of_rows() == t).any(axis=0))


class Course:
    """A fit under way, and the mean loss of some rows at each of the values it has passed; ``rows`` None are those it learns from."""

    def __init__(
        self, route: RefitRoute, model: Any, learned: np.ndarray | None, rows: np.ndarray | None, values: list[Any]
    ) -> None:
        self.route, self.model, self.learned, self.rows = route, clone(model), learned, rows
        self.values, self.means = values, np.empty(len(values))
        self.passed, self._lock = 0, Lock()
        self.answers: Iterator[np.ndarray] | None = None

    def begin(self) -> Iterator[np.ndarray] | None:
        """Fit the steps before the last, and return the answers to come; None where the last tells nothing on the way."""
        check_time()
        route, last, needs = self.route, last_of(self.model), needed(self.route)
        if needs is None or not isinstance(last, Telling):
            return None
        X, y, w = route.sample(self.learned)
        far = None if self.rows is None else take_rows(route.X, self.rows)
        names = weight_keywords(self.model) if w is not None else []
        maps, X = fitted_front(self.model, X, y, dict.fromkeys(names[:-1], w))
        if maps is not None and far is not None:
            far = maps.transform(far)
        self.answers = last.fit_telling(X, y, w, far, self.values, needs)
        return self.answers

    def go(self, upto: int) -> Course:
        """Go on until so many values are passed; with the last the model is fitted."""
        with self._lock:
            answers = self.answers or self.begin()
            assert answers is not None
            while self.passed < upto:
                self.means[self.passed] = self._mean(next(answers))
                self.passed += 1
            if upto == len(self.values):
                next(answers, None)
        return self

    def _mean(self, answer: np.ndarray) -> float:
        route, rows = self.route, np.arange(self.route.n) if self.rows is None else self.rows
        answer = among_all(route, answer, last_of(self.model))
        refuse_nan(answer, self.model, "rows held out")
        losses = route.value(answer, rows)
        if route.weight is None:
            return float(losses.mean())
        return float(route.weight[rows] @ losses / route.weight[rows].sum())


def _told_path(
    route: RefitRoute, most: Any, parameter: str, values: list[Any], tests: list[tuple[Split, int]]
) -> tuple[Matrix, Vector, Vector] | None:
    """Return what :func:`varied_path` does from fits that tell on the way; None where they do not."""
    ordered = sorted(set(values))
    piped = isinstance(most, Pipeline)  # its first steps may map the rows that they learn from in another way
    whole = Course(route, most, None, np.arange(route.n) if piped else None, ordered)
    if whole.begin() is None:
        return None

    def fold(test: tuple[Split, int]) -> Vector:
        split, t = test
        return Course(route, most, split.training_rows(t), tested_rows(split, t), ordered).go(len(ordered)).means

    def half(upto: int) -> Vector:
        return whole.go(upto).means

    jobs = [partial(half, len(ordered) // 2), *(partial(fold, test) for test in tests), partial(half, len(ordered))]
    *per_fold, train = list(in_order(lambda job: job(), jobs))[1:]
    place = np.searchsorted(ordered, values)
    variants = last_of(whole.model).variants(parameter, values)
    return np.stack(per_fold)[:, place], train[place], np.array([degrees_of_freedom(v) for v in variants])


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
    tests = [(split, t) for split in plan.splits for t in range(split.n_models)]
    told = _told_path(route, most, name, values, tests)
    if told is not None:
        return told
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
        return means(fitted, found, tested_rows(split, t))

    per_fold = np.stack(list(in_order(fold, tests)))
    train = means(whole, variants, np.arange(route.n))
    return per_fold, train, np.array([degrees_of_freedom(variant) for variant in variants])
