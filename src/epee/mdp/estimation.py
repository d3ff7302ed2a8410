r"""A process estimated from what was seen: :math:`\hat p(s'\mid s,a) = n(s,a,s') / n(s,a)`, and the mean reward."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from epee.errors import DataError, DataWarning, EmptyTable
from epee.mdp.layout import Layout, assemble

if TYPE_CHECKING:
    from epee.typing import ArrayLike


def count_transitions(
    states: ArrayLike,
    actions: ArrayLike,
    rewards: ArrayLike,
    next_states: ArrayLike,
    ended: ArrayLike | None,
    n_states: int | None,
    n_actions: int | None,
) -> Layout:
    """Count transitions (an ended one apart from one that goes on) and average their rewards."""
    s, a, t = (np.asarray(x) for x in (states, actions, next_states))
    r = np.asarray(rewards, dtype=float)
    e = np.zeros(len(s), bool) if ended is None else np.asarray(ended, dtype=bool)
    if len({len(s), len(a), len(r), len(t), len(e)}) > 1:
        raise DataError(
            f"transitions have {len(s)} states, {len(a)} actions, {len(r)} rewards, {len(t)} next states, {len(e)} ends."
        )
    if len(s) == 0:
        raise EmptyTable("there are no transitions to estimate from.")
    for name, codes, limit in (("states", s, n_states), ("actions", a, n_actions), ("next_states", t, n_states)):
        if (
            not np.issubdtype(codes.dtype, np.integer)
            or codes.min() < 0
            or (limit is not None and codes.max() >= limit)
        ):
            top = "" if limit is None else f" .. {limit - 1}"
            raise DataError(f"{name} must be whole numbers 0{top}; got {codes.min()} .. {codes.max()} ({codes.dtype}).")
    if not np.isfinite(r).all():
        raise DataError(f"rewards contain NaN or infinity, first in transition {int(np.argmin(np.isfinite(r)))}.")
    S = int(max(s.max(), t.max())) + 1 if n_states is None else n_states
    A = int(a.max()) + 1 if n_actions is None else n_actions
    key = ((s.astype(np.int64) * A + a) * S + t) * 2 + e
    unique, inverse, count = np.unique(key, return_inverse=True, return_counts=True)
    payoff = np.bincount(inverse, r) / count
    pair, succ, cut = unique // (2 * S), unique // 2 % S, unique % 2 == 1
    pairs, place, counts = np.unique(pair, return_inverse=True, return_counts=True)
    prob = count / np.bincount(place, count)[place]
    admissible = np.zeros((S, A), bool)
    admissible[pairs // A, pairs % A] = True
    lost = np.setdiff1d(succ[~cut], pairs // A)
    if len(lost):
        warnings.warn(
            f"state {lost[0]} was reached but never left ({len(lost)} such states): it is taken for an end, worth 0. "
            "Collect more transitions.",
            DataWarning,
            stacklevel=4,
        )
    return assemble(admissible, counts, succ, prob, reward=None, payoff=payoff, cut=cut)
