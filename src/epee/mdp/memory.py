r"""Policies with memory.

An agent may act on more than the state: on a memory :math:`m` of :math:`M` values that it updates after each step,
:math:`m' = u(m, s, a, s')`. State and memory together are the state of a larger process, where such a policy is an ordinary one: it is
valued, simulated and improved there. For a Markov process memory gains nothing, :math:`V^*(s, m) = V^*(s)` for every :math:`m`; it gains
where the agent does not see all of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.mdp.layout import Layout
from epee.mdp.process import MarkovDecisionProcess


def with_memory(
    process: MarkovDecisionProcess, update: Any, size: int | None = None, *, first: int = 0
) -> MarkovDecisionProcess:
    """Return the process whose state is (memory, state), numbered ``m * S + s``.

    Parameters
    ----------
    process : MarkovDecisionProcess
        With S states.
    update : array (M, S), or function (memory, state, action, next state) -> memory
        The next memory; an array has it by memory and next state.
    size : int, optional
        M, for a function.
    first : int
        The memory at the start.

    Examples
    --------
    Remember the last state of a walk with 3 inner states; memory gains nothing in a Markov process.

    >>> from epee.mdp import random_walk
    >>> walk = random_walk(3)
    >>> larger = with_memory(walk, lambda m, s, a, t: s, size=5)
    >>> larger.value_iteration().values.reshape(5, 5)[0].round(2)
    array([0.  , 0.25, 0.5 , 0.75, 0.  ])
    """
    layout, S = process.layout, process.n_states
    rule: Callable[[int, int, int, int], int]
    if callable(update):
        if size is None:
            raise WrongUse("give size=, the number of values of the memory, with an update that is a function.")
        M, rule = int(size), update
    else:
        table = np.asarray(update)
        if table.ndim != 2 or table.shape[1] != S or (table != table.astype(int)).any():
            raise DataError(f"update has shape {table.shape}; give (M, {S}) whole numbers, by memory and next state.")
        M, rule = len(table), lambda m, s, a, t: int(table[m, t])
    if M < 1 or not 0 <= first < M:
        raise WrongUse(
            f"the memory has {M} values and begins at {first}; it must have one at least, and begin at one of them."
        )
    source = layout.source
    owner, action = layout.owner[source].tolist(), layout.action[source].tolist()
    next_memory = np.array(
        [[rule(m, s, a, t) for s, a, t in zip(owner, action, layout.succ.tolist(), strict=True)] for m in range(M)], dtype=np.int64
    ).reshape(M, layout.n_transitions)  # fmt: skip
    if next_memory.size and not (next_memory.min() >= 0 and next_memory.max() < M):
        raise DataError(f"update gives the memory {int(next_memory.max())}; it must be one of 0 .. {M - 1}.")
    pairs, moves = layout.n_pairs, layout.n_transitions
    prob = np.tile(layout.prob, M)
    larger = Layout(
        layout.n_actions,
        np.concatenate([[0], *[layout.first[1:] + m * pairs for m in range(M)]]),
        np.tile(layout.action, M),
        np.concatenate([[0], *[layout.ptr[1:] + m * moves for m in range(M)]]),
        (next_memory * S + layout.succ).ravel().astype(np.int32),
        prob,
        prob if layout.flow is layout.prob else np.tile(layout.flow, M),
        np.tile(layout.reward, M),
        None if layout.payoff is None else np.tile(layout.payoff, M),
    )
    start = np.zeros(M * S)
    start[first * S : (first + 1) * S] = process.start
    return MarkovDecisionProcess.of_layout(larger, process.discount, start=start)
