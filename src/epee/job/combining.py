r"""The last candidate: a mean of the others, with its weights found again without each fold.

Every candidate has said of every row what its model says that did not see it, :math:`z_m(x_i)`: a number, or the probabilities of the
classes. The errors of a mean of them with weights that add to one follow from one matrix of sums for each fold :math:`k`,

.. math:: E^{(k)}_{ml} = \sum_{i \in k} w_i\, (y_i - z_m(x_i))^\top (y_i - z_l(x_i)), \tag{1}

so the weights on all folds but one cost no fit: the rows of that fold are then judged by weights that did not see them either. Weights
below ``LEAST`` are nothing, and the others are found again: a member must be worth asking.

Weights of many members from few rows follow the noise of the rows. So the plain mean of those that cannot be told from the best is tried,
too: of those whose squared errors :math:`\ell_m` exceed the best's by no more than the standard error of the difference, which the sums
:math:`\sum_i w_i \ell_m \ell_l` of each fold tell. The rule that errs less is taken, and the other counts as a value that could have been.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.estimator.protocol import gives_probabilities
from epee.job.ground import Ground
from epee.predictors.ensembles.combination import simplex_weights
from epee.risk.asked import Asked
from epee.risk.cross_validation import CrossValidation, from_outcomes
from epee.risk.route import MomentRoute
from epee.risk.scoring import Outcome, Panel, score_held
from epee.risk.splitting import Plan
from epee.typing import Matrix, Tensor, Vector

LEAST = 0.05  # of a weight


@dataclass(frozen=True, eq=False)
class Combined:
    """What became of the mean of some entries by one rule: their weights, the cross-validation, and the rows held out."""

    members: list[tuple[Any, float]]
    route: Any
    risk: CrossValidation
    outcome: Outcome
    seconds: float


def can_join(ground: Ground, entry: Any) -> bool:
    """Tell whether an entry says what can be averaged: a number, or probabilities; others' estimators stay by themselves."""
    if entry.candidate.method is None or entry.candidate.key == "baseline" or ground.asked.several:
        return False
    return ground.asked.classes is None or gives_probabilities(entry.candidate.make(ground.setting)[-1])


def combine(ground: Ground, entries: list[Any]) -> list[Combined]:
    """Return the means of those who can join, plain and weighted, on the folds that all share; at least two are needed."""
    begin = clock.perf_counter()
    joined = [entry for entry in entries if can_join(ground, entry)]
    if len(joined) < 2:
        raise WrongUse("a combination needs two predictors that ran and give numbers or probabilities.")
    route = ground.refit(entries[0].candidate, entries[0].value)
    route.asked = asked = ground.asked.with_probabilities()
    plan = ground.plan(ground.repeats)
    Z = np.stack([said_by(ground, entry, asked, plan) for entry in joined], axis=2)  # (R, n, M, K)
    truth = route.truth.astype(float)[:, None] if asked.classes is None else np.eye(len(asked.classes))[route.truth]
    weight = np.ones(len(truth)) if route.weight is None else route.weight
    parts = [
        Sums.of(truth[:, None] - z, weight, split.models_of_rows()[0], split.n_models)
        for split, z in zip(plan.splits, Z, strict=True)
    ]
    return [_by_rule(rule, ground, route, plan, joined, Z, parts, begin) for rule in (plain_mean, weighted)]


def _by_rule(
    rule: Rule, ground: Ground, route: Any, plan: Plan, joined: list[Any], Z: Tensor, parts: list[Sums], begin: float
) -> Combined:
    """Return what becomes of the mean by one rule."""
    by_class = route.asked.classes is not None
    outcomes = []
    for split, z, sums in zip(plan.splits, Z, parts, strict=True):
        by = split.models_of_rows()[0]
        mixed = np.full((len(by), Z.shape[3]), np.nan)
        for k in range(split.n_models):
            rows = by == k
            mixed[rows] = np.einsum("imk,m->ik", z[rows], rule(sums.without(k)))
        answer = mixed if by_class else mixed[:, 0]
        seen = by >= 0
        losses = np.full(len(by), np.nan)
        losses[seen] = route.value(answer[seen], seen)
        outcomes.append(Outcome(losses[None], answer[None]))
    risk = from_outcomes(route, plan, outcomes, ground.level)
    looked = ground.hand.looked
    outcome = Outcome(outcomes[0].losses[:, looked], outcomes[0].predictions[:, looked])
    once = [
        np.mean(part, axis=0) for part in zip(*(sums.without(None) for sums in parts), strict=True)
    ]  # not a row for each repeat
    weights = rule((float(once[0]), once[1], once[2]))
    members = [(entry, float(w)) for entry, w in zip(joined, weights, strict=True) if w > 0]
    return Combined(members, route, risk, outcome, clock.perf_counter() - begin)


@dataclass(frozen=True, eq=False)
class Sums:
    """What the rules look at, by fold: the weight of the rows, (1), and the sums of squared errors and of their products."""

    count: Vector  # (F,)
    E: Tensor  # (F, M, M)
    squares: Tensor  # (F, M, M)

    @classmethod
    def of(cls, error: Tensor, weight: Vector, by: np.ndarray, folds: int) -> Sums:
        """Return the sums of errors (n, M, K)."""
        each = np.einsum("imk,imk->im", error, error)[:, :, None]  # (n, M, 1)
        count = np.array([weight[by == k].sum() for k in range(folds)])
        return cls(count, errors_by_fold(error, weight, by, folds), errors_by_fold(each, weight, by, folds))

    def without(self, fold: int | None) -> tuple[float, Matrix, Matrix]:
        """Return the sums over all folds but one; None leaves out none."""
        parts = (self.count, self.E, self.squares)
        n, E, squares = (a.sum(axis=0) - (0.0 if fold is None else a[fold]) for a in parts)
        return float(n), E, squares


Rule = Callable[[tuple[float, Matrix, Matrix]], Vector]


def weighted(sums: tuple[float, Matrix, Matrix]) -> Vector:
    """Return the weights of the least error."""
    return sparse_weights(sums[1])


def plain_mean(sums: tuple[float, Matrix, Matrix]) -> Vector:
    """Return the same weight for all whose mean squared error is within one standard error of the difference from the least.

    >>> plain_mean((100.0, np.diag([10.0, 11.0, 30.0]), np.diag([5.0, 5.0, 20.0])))
    array([0.5, 0.5, 0. ])
    """
    n, E, squares = sums
    mean, second = np.diagonal(E) / n, squares / n
    best = int(np.argmin(mean))
    gap = mean - mean[best]
    spread = np.diagonal(second) - 2 * second[:, best] + second[best, best] - gap**2
    near = gap <= np.sqrt(np.maximum(spread, 0.0) / max(n - 1, 1.0))
    near[best] = True
    return near / near.sum()


def said_by(ground: Ground, entry: Any, asked: Asked, plan: Plan) -> Tensor:
    """Return what the models of an entry say of the rows at hand that they did not see (R, n, K)."""
    said = entry.said
    if said is None:
        if ground.at_hand:
            route = copy(entry.route)
            route.asked = asked
            said = np.concatenate([route.evaluate(split).predictions for split in plan.splits])
        else:
            said = _looked_at(ground, entry, asked)
    return said.reshape(*said.shape[:2], -1)


def _looked_at(ground: Ground, entry: Any, asked: Asked) -> np.ndarray:
    """Return what models on sums say of the sample at hand of rows that passed by."""
    assert isinstance(entry.route, MomentRoute)
    hand = ground.hand
    cell = hand.cell[hand.train]
    rows_of = [np.flatnonzero(cell == c) for c in range(hand.folds)]
    panel = Panel(asked, entry.models, ground.split.tested_by[:, : hand.folds])
    return score_held(panel, hand.numbers, ground.truth, rows_of).predictions


def errors_by_fold(error: Tensor, weight: Vector, by: np.ndarray, folds: int) -> Tensor:
    """Return (1) for each fold (F, M, M) from errors (n, M, K)."""
    out = np.zeros((folds, error.shape[1], error.shape[1]))
    for k in range(folds):
        here = error[by == k]
        scaled = here * np.sqrt(weight[by == k])[:, None, None]
        flat = np.moveaxis(scaled, 1, 0).reshape(error.shape[1], -1)
        out[k] = flat @ flat.T
    return out


def sparse_weights(E: Matrix) -> Vector:
    """Return weights that are not negative, add to one and make the error least; those below ``LEAST`` are 0 and leave the others.

    >>> sparse_weights(np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 99.0]])).round(2)
    array([0.5, 0.5, 0. ])
    """
    kept = np.arange(len(E))
    while True:
        w = simplex_weights(E[np.ix_(kept, kept)])
        if (w >= LEAST).all():
            break
        kept = kept[w >= LEAST]
    out = np.zeros(len(E))
    out[kept] = w
    return out
