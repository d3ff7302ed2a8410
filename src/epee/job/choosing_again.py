r"""The choice made again without each part of the rows: how much better the winner looks than it is.

The rows are dealt to G parts. For every part :math:`g` the whole rule of choice, that of the values of parameters with it, is applied to
errors that know nothing of the part, and the candidate :math:`c_g` that it takes is judged on its rows as the contest judged them, each
row :math:`i` by a model that did not see it,

.. math:: \hat E = \frac1n \sum_g \sum_{i \in g} L_i(c_g), \qquad \text{optimism} = \hat E - \bar L(c), \tag{1}

with :math:`c` the choice on all rows. Given the other parts the rows of :math:`g` are new ones, so that :math:`\hat E` is the error of the
whole rule without bias, if two things hold.

The errors by which :math:`c_g` is chosen are those of a cross-validation *inside* the other parts: of models without :math:`g` and another
part, G(G-1)/2 of them. The losses of the contest will not do. Their models have seen :math:`g`: a candidate that by chance does well
there has learned from it, and does better elsewhere, too. Of rates with a tree and neighbours among the candidates this was 3 %.

The parts are dealt at random, not class by class as folds are. A table that by chance has few rows of a class makes it look easy to do
without that class; folds of equal shares have this luck in common, and no choice without one of them would find it out. Of rates this was
as much again.

What is read off is what the candidates are compared by: the losses of all repeats of the folds. They are known at the value of a
parameter that is taken. Who chose that value by the first folds owes something to their luck, and so do the values that he would choose
without a part, also by the first folds: their losses are moved, row by row, by what the repeats add at the one that is taken. By the first
folds alone neighbours beside a line were taken more often without a part than with all rows, and with a negative optimism cut off at zero
2 % of the error was left; now 0.5 (``benchmarks/risk/winners_repeats.py``).

The models inside are merges for those who live on sums. Of squared errors hardly anything leaked by the losses of the others, and these
are taken. Where errors are counted the others are fitted again in five parts: ten fits of six rows of ten, one for all values of a
parameter where that can be. They cost two thirds of a pass through the folds, and are made where the folds are drawn five times anyway;
elsewhere the draws of :mod:`epee.risk.winner` decide. Four rows of five choose less surely than all, which was 1 to 2 % of the error where
candidates and rows are few; what three of five add to it tells how much. The combination changes inside as its members do, to first order.
Candidates, and values, that are far worse than the best keep the losses of the contest, and the errors inside of the others are taken less
what they lose on average by learning from fewer rows. So do large tables, where what leaks is nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from epee.estimator.protocol import gives_probabilities
from epee.job.contest import Entry
from epee.job.ground import Ground
from epee.job.variants import at_values
from epee.losses.brier import Brier
from epee.risk.nested import partitions, rare_class, without_one_or_two
from epee.risk.refit import RefitRoute
from epee.risk.route import MomentRoute
from epee.risk.splitting import Split
from epee.risk.verdict import mean_losses
from epee.risk.winner import Nested, without_two
from epee.typing import Codes, Matrix, Tensor

PARTS = 5  # where somebody is fitted again
OFTEN = 5  # repeats of the folds beside which fits in five parts cost little
FEW_ROWS = 5_000  # training rows above which the leak is nothing, and fits are spared
MOST_WORK = 1e9  # multiplications of the solves of a candidate at one value
FAR = 3.0  # standard errors of a difference from the best, beyond which nobody is chosen


def nested_entries(entries: Sequence[Entry], ground: Ground, refits: bool = True) -> Nested | None:
    """Return the errors of entries inside and outside each part; None where rows pass by, are ranked or not parted, or much leaks.

    Without ``refits`` only those who merge are judged by models that have not seen the part.
    """
    g = ground
    if len(entries) < 2 or not g.all_looked or g.cells.forward or not (g.asked.loss.rowwise and partitions(g.plan(1))):
        return None
    losses = np.column_stack([e.curve.losses for e in entries])  # (n, V)
    if not np.isfinite(losses).all():
        return None
    ends = np.cumsum([0, *(e.curve.losses.shape[1] for e in entries)])
    near = np.split(_near(losses), ends[1:-1])  # of each entry, of which values
    close = [i for i, of_values in enumerate(near) if of_values.any()]
    able = [i for i in close if _merges(entries[i], g) or (refits and _refits(entries[i], g))]
    if g.counts_errors and any(i not in able and not entries[i].members for i in close):
        return None
    again = any(isinstance(entries[i].route, RefitRoute) for i in able)
    part = _dealt(g, PARTS if again else g.plan(1).n_folds)
    brier = np.column_stack([e.curve.brier for e in entries])[None] if g.counts_errors else None
    losses = np.column_stack([_judged(e, g.hand.looked, i in able) for i, e in enumerate(entries)])
    plain = Nested.of_rows(losses[None], part[None], g.hand.looked_weight, brier)
    found: dict[int, Tensor] = {}  # by column, (2, G, G)
    for i in able:
        found |= dict(zip(ends[i] + np.flatnonzero(near[i]), _inside(entries[i], near[i], g, part), strict=False))
    for i in (i for i, e in enumerate(entries) if e.members and again):
        found |= _combined(entries, i, ends, near[i], plain, found)
    leaks = len(found) < sum(map(np.sum, near))
    return None if leaks and g.counts_errors else _put(plain, found)


def _judged(entry: Entry, looked: Codes, inside: bool) -> Matrix:
    """Return the losses (n, V) of the rows at each value: those of all repeats at the one that is taken, in place of the first.

    What the repeats add there, the others take over, unless values are chosen by errors ``inside``, which owe nothing to the first folds.
    """
    c = entry.curve
    adds = np.zeros_like(c.losses)
    adds[:, [c.best] if inside else slice(None)] = (mean_losses(entry.risk)[looked] - c.losses[:, c.best])[:, None]
    return c.losses + adds


def _combined(
    entries: Sequence[Entry], i: int, ends: Codes, near: np.ndarray, plain: Nested, found: dict[int, Tensor]
) -> dict[int, Tensor]:
    """Return the errors inside of a mean of others: as they are, and what its members change, as far as that is known; else nothing."""
    place = {e.candidate.key: int(ends[j]) + e.curve.best for j, e in enumerate(entries)}
    known = {place[e.candidate.key]: weight for e, weight in entries[i].members if place[e.candidate.key] in found}
    if not known:
        return {}
    beside = np.full_like(plain.means, np.nan) if plain.beside is None else plain.beside
    means = np.concatenate([plain.means, beside])  # (2, G, G, V)
    change = sum(weight * (found[c] - means[..., c]) for c, weight in known.items()) / sum(known.values())
    return {c: means[..., c] + change for c in ends[i] + np.flatnonzero(near)}


def _put(plain: Nested, found: dict[int, Tensor]) -> Nested:
    """Return errors with those inside that were ``found`` for some columns, brought to the level of the others."""
    means = plain.means.copy()
    beside = None if plain.beside is None else plain.beside.copy()
    apart = ~np.eye(means.shape[1], dtype=bool)
    for c, (own, score) in found.items():
        means[0, apart, c] = own[apart]
        if beside is not None and np.isfinite(beside[..., c]).all():
            beside[0, apart, c] = score[apart]
    return Nested(means, plain.sizes, beside).levelled(np.array(list(found), dtype=np.intp))


def _merges(entry: Entry, g: Ground) -> bool:
    """Tell whether the models of an entry without two parts are merges that can be afforded."""
    if entry.members or not isinstance(entry.route, MomentRoute) or len(g.hand.train) > FEW_ROWS:
        return False
    can, K = g.asked.costs is None and rare_class(entry.route) is None, g.plan(1).n_folds
    return can and g.square_cost(entry.candidate, K * (K + 1) // 2) <= MOST_WORK


def _refits(entry: Entry, g: Ground) -> bool:
    """Tell whether an entry is fitted again: where much would leak, and fits in five parts cost little beside those of the contest."""
    cheap = g.repeats >= OFTEN and len(g.hand.train) <= FEW_ROWS
    return g.counts_errors and cheap and isinstance(entry.route, RefitRoute) and not entry.members


def _dealt(g: Ground, G: int) -> Codes:
    """Return the part of each row, groups and copies of a row together."""
    n = len(g.hand.train)
    groups = g.plan(1).groups
    unit = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1].reshape(-1)
    return (np.random.default_rng(g.setting.seed).permutation(int(unit.max()) + 1) % G)[unit]


def _inside(entry: Entry, near: np.ndarray, g: Ground, part: Codes) -> list[Tensor]:
    """Return the mean loss and Brier score (2, G, G) on each part by models that know neither it nor another, at each value ``near``.

    None where so few rows do not teach it.
    """
    G = int(part.max()) + 1
    learns, tested_by = without_one_or_two(G)
    split = Split(part, learns[G:], tested_by[1:] - G)
    values = [value for value, close in zip(entry.curve.values, near, strict=True) if close]
    make = g.route if isinstance(entry.route, MomentRoute) else g.refit
    routes = [make(entry.candidate, value) for value in values]
    scored = g.counts_errors and gives_probabilities(routes[0].model)
    for route in routes:
        route.asked = g.asked.with_probabilities() if scored else route.asked
    out = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of tables that nobody asked for
            for found in at_values(routes, split, str(entry.candidate.parameter), values):
                score = [
                    Brier().value(said, g.truth) if scored else np.full(len(part), np.nan) for said in found.predictions
                ]
                lost = found.losses, np.stack(score)
                out.append(np.stack([without_two(one, part, g.hand.looked_weight) for one in lost]))
    except (ValueError, ArithmeticError, np.linalg.LinAlgError):
        return []
    return out


def _near(losses: Matrix) -> np.ndarray:
    """Return which of the columns (n, M) are not far worse than the best."""
    means = losses.mean(axis=0)
    gap = losses - losses[:, [int(np.argmin(means))]]
    return gap.mean(axis=0) <= FAR * gap.std(axis=0) / np.sqrt(max(len(gap) - 1, 1))
