r"""The last candidate: a weighted mean of the others, with the weights found again without each fold.

Every candidate has said of every row what its model says that did not see it, :math:`z_m(x_i)`: a number, or the probabilities of the
classes. The errors of a mean of them with weights that add to one follow from one matrix of sums for each fold :math:`k`,

.. math:: E^{(k)}_{ml} = \sum_{i \in k} w_i\, (y_i - z_m(x_i))^\top (y_i - z_l(x_i)), \tag{1}

so the weights on all folds but one cost no fit: the rows of that fold are then judged by weights that did not see them either. Weights
below ``LEAST`` are nothing, and the others are found again: a member must be worth asking.
"""

from __future__ import annotations

import time as clock
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
    """What became of the mean of some entries: their weights, the cross-validation, and the rows held out."""

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


def combine(ground: Ground, entries: list[Any]) -> Combined:
    """Return the mean of those who can join, on the folds that all share; at least two are needed."""
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
    outcomes, total = [], np.zeros((len(joined),) * 2)
    for split, z in zip(plan.splits, Z, strict=True):
        by = split.models_of_rows()[0]
        sums = errors_by_fold(truth[:, None] - z, weight, by, split.n_models)
        total += sums.sum(axis=0)
        mixed = np.full((len(truth), truth.shape[1]), np.nan)
        for k in range(len(sums)):
            rows = by == k
            mixed[rows] = np.einsum("imk,m->ik", z[rows], sparse_weights(sums.sum(axis=0) - sums[k]))
        answer = mixed if asked.classes is not None else mixed[:, 0]
        seen = by >= 0
        losses = np.full(len(truth), np.nan)
        losses[seen] = route.value(answer[seen], seen)
        outcomes.append(Outcome(losses[None], answer[None]))
    risk = from_outcomes(route, plan, outcomes, ground.level)
    looked = ground.hand.looked
    outcome = Outcome(outcomes[0].losses[:, looked], outcomes[0].predictions[:, looked])
    members = [(entry, float(w)) for entry, w in zip(joined, sparse_weights(total), strict=True) if w > 0]
    return Combined(members, route, risk, outcome, clock.perf_counter() - begin)


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
