r"""The choice made again without each fold: how much better the winner looks than it is.

For every fold :math:`k` the whole rule of choice, that of the values of parameters with it, is applied to the errors inside the other
folds, and the candidate :math:`c_k` that it takes is judged on fold :math:`k`. The mean of these errors, less that of the candidate chosen
on all rows, is the optimism (:mod:`epee.risk.winner`). What a candidate's error *inside* is depends on what refits cost:

- of one that lives on sums it is that of a cross-validation of the other folds, :math:`K(K-1)/2` merges for each value of its parameter, by
  models that have not seen fold :math:`k`; less what all of these lose on average by learning from fewer rows, where others did not;
- of the others (trees, forests, boosting, neighbours, networks, other libraries' predictors, the combination) it is the mean of the
  losses of the other folds as the contest found them. Their models have seen fold :math:`k`: a candidate that by chance does well there
  does a little better on the other folds, too. This leak is theirs alone. Of squared errors hardly anything of it was seen. A counted error
  turns by one row, and the leak was 5 % of it (``benchmarks/risk/winners.py``): where such a candidate is near enough to be chosen by
  counted errors, the draws of :mod:`epee.risk.winner` decide.

The folds of the contest's search, the only ones that have losses at every value, serve for this. Where the folds are drawn several times,
the choice among the candidates at the values they took is made again in all of them by the losses as they are, and less the same in the
first folds: what this adds is 0 in expectation and steadies the figure. Candidates, and values, that are far worse than the best need no
merges, nor do large tables, where what leaks is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from epee.estimator.protocol import gives_probabilities
from epee.estimator.stack import Stack
from epee.job.contest import Entry
from epee.job.ground import Ground
from epee.losses.brier import Brier
from epee.risk.nested import fold_ids, nested_splits, partitions, rare_class
from epee.risk.route import MomentRoute
from epee.risk.scoring import Panel, score_held
from epee.risk.splitting import Plan, Split
from epee.risk.winner import Nested, levelled
from epee.typing import Codes, Matrix, Tensor

FEW_ROWS = 5_000  # training rows above which the leak is nothing, and merges are spared
MOST_WORK = 1e9  # multiplications of the solves of a candidate at one value
FAR = 3.0  # standard errors of a difference from the best, beyond which nobody is chosen


def nested_entries(entries: Sequence[Entry], ground: Ground) -> Nested | None:
    """Return the errors of the entries inside and outside each fold; None where rows pass by, folds part them not, or much leaks."""
    g = ground
    if len(entries) < 2 or not g.all_looked or g.cells.forward or not g.asked.loss.rowwise:
        return None
    plan, first = g.plan(g.repeats), g.plan(1)
    if not partitions(plan) or not partitions(first):
        return None
    often, fold, weight = fold_ids(plan), fold_ids(first), g.hand.looked_weight
    each = [np.atleast_2d(e.risk.losses) for e in entries]  # (R, n)
    every = np.column_stack([e.curve.losses for e in entries])[None]  # (1, n, V)
    if not (np.isfinite(every).all() and all(a.shape == often.shape and np.isfinite(a).all() for a in each)):
        return None
    brier = np.column_stack([e.curve.brier for e in entries])[None] if g.counts_errors else None
    begins = np.cumsum([0, *(e.curve.losses.shape[1] for e in entries[:-1])])
    taken = begins + [e.curve.best for e in entries]
    plain = Nested.of_rows(every, fold, weight, brier)
    found = _merged(plain, entries, g, first, every[0])
    if found is None or len(often) == 1:
        return found
    beside = None if brier is None else np.repeat(brier[..., taken], len(often), axis=0)
    repeated = Nested.of_rows(np.stack(each, axis=-1), often, weight, beside)
    return replace(found, taken=taken, once=plain.at(taken), often=repeated)


def _merged(plain: Nested, entries: Sequence[Entry], g: Ground, plan: Plan, losses: Matrix) -> Nested | None:
    """Return the errors (1, K, V) with those inside by merges, in the columns that are near enough to be chosen.

    None where errors are counted and one of these columns is no merge.
    """
    columns = [(e, value) for e in entries for value in e.curve.values]
    near = np.flatnonzero(_near(losses))
    exact = [m for m in near if _merges(columns[m][0], g, plan)]
    level = len(exact) < len(near)
    if level and g.counts_errors:
        return None
    if not exact:
        return plain
    split, fold = nested_splits(plan)[0], fold_ids(plan)[0]
    near_routes = [g.route(columns[m][0].candidate, columns[m][1]) for m in exact]
    inside = [_inside(g, route, split, fold) for route in near_routes]  # (2, K) each

    def put(inner: Tensor, outer: Tensor, which: int) -> Tensor:
        told = [i for i, m in enumerate(exact) if np.isfinite(outer[..., m]).all()]
        if not told:
            return inner
        at, found = [exact[i] for i in told], np.stack([inside[i][which] for i in told], axis=-1)[None]  # (1, K, E)
        inner = inner.copy()
        inner[..., at] = levelled(found, outer[..., at], plain.sizes) if level else found
        return inner

    inner = put(plain.inner, plain.outer, 0)
    if plain.inner_beside is None or plain.outer_beside is None:
        return replace(plain, inner=inner)
    return replace(plain, inner=inner, inner_beside=put(plain.inner_beside, plain.outer_beside, 1))


def _merges(entry: Entry, g: Ground, plan: Plan) -> bool:
    """Tell whether the models of an entry without two folds are merges that can be afforded."""
    if entry.members or not isinstance(entry.route, MomentRoute) or len(g.hand.train) > FEW_ROWS:
        return False
    can = g.asked.costs is None and rare_class(entry.route) is None
    return can and g.square_cost(entry.candidate, plan.n_folds * (plan.n_folds + 1) // 2) <= MOST_WORK


def _inside(g: Ground, route: MomentRoute, split: Split, fold: Codes) -> Matrix:
    """Return the mean loss and Brier score (2, K) of the cross-validations inside the rows without each fold; NaN where there is none."""
    scored = g.counts_errors and gives_probabilities(route.model)
    asked = g.asked.with_probabilities() if scored else g.asked
    scores = route.scores(route.training(split))
    models = route.models(split) if scores is None else scores
    K, truth, weight = split.repeats, g.truth, g.hand.looked_weight
    rows_of = [np.flatnonzero(fold == c) for c in range(K)]
    sums, total = np.zeros((2, K)), np.zeros(K)
    if not isinstance(models, Stack):
        held = score_held(Panel(asked, models, split.tested_by), route.rows, truth, split.rows_of).predictions
    for c, rows in enumerate(rows_of):
        others = np.flatnonzero(np.arange(K) != c)
        layer = (others - c) % K  # the second fold that the model did not see
        if isinstance(models, Stack):
            cell = int(split.cell[rows[0]])
            tested = np.asarray(route.rows[rows], dtype=np.float64)
            raw = models.raw(tested, split.tested_by[layer, cell])  # (rows, K - 1, k)
            said = asked.finish(raw.reshape(len(rows) * (K - 1), -1))
        else:
            said = held[layer][:, rows].swapaxes(0, 1).reshape(len(rows) * (K - 1), *held.shape[2:])
        answer, w = np.repeat(truth[rows], K - 1, axis=0), weight[rows]
        lost = [asked.value(said, answer), Brier().value(said, answer) if scored else np.full(len(answer), np.nan)]
        sums[:, others] = sums[:, others] + [w @ one.reshape(len(rows), K - 1) for one in lost]
        total[others] = total[others] + w.sum()
    return sums / total


def _near(losses: Matrix) -> np.ndarray:
    """Return which of the columns (n, M) are not far worse than the best."""
    means = losses.mean(axis=0)
    gap = losses - losses[:, [int(np.argmin(means))]]
    return gap.mean(axis=0) <= FAR * gap.std(axis=0) / np.sqrt(max(len(gap) - 1, 1))
