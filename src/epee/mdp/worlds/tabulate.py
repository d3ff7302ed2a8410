"""A process from a rule: what can happen after each action."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from epee.mdp.layout import assemble
from epee.mdp.process import MarkovDecisionProcess


def tabulate(
    n_states: int,
    n_actions: int,
    choices: Callable[[int], Iterable[int]],
    outcomes: Callable[[int, int], Sequence[tuple[float, int, float]]],
    discount: float,
    *,
    start: Any = None,
    grid: Any = None,
) -> MarkovDecisionProcess:
    """List (probability, successor, reward) for every state and its choices; a state without choices is terminal."""
    admissible = np.zeros((n_states, n_actions), bool)
    counts, rows = [], []
    for s in range(n_states):
        for a in choices(s):
            admissible[s, a] = True
            moves = [move for move in outcomes(s, a) if move[0] > 0]
            counts.append(len(moves))
            rows.extend(moves)
    table = np.array(rows, dtype=float).reshape(-1, 3)
    layout = assemble(
        admissible, np.array(counts), table[:, 1].astype(np.int32), table[:, 0], reward=None, payoff=table[:, 2]
    )
    return MarkovDecisionProcess.of_layout(layout, discount, start=start, grid=grid)


def one_state(n: int, s: int) -> Any:
    """Law that puts everything on one state."""
    law = np.zeros(n)
    law[s] = 1.0
    return law
