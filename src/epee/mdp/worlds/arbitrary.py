"""Random processes: to measure speed, and to test laws on what nobody chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from epee.typing import Seed


def random_process(
    n_states: int, n_actions: int, successors: int, *, random_state: Seed = None
) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """Draw the transitions (a list of sparse matrices) and rewards in [0, 1] (S, A) of a process.

    Each pair has some successors, uniform over the states, with probabilities uniform on the simplex.

    Parameters
    ----------
    n_states, n_actions, successors : int
        Sizes; each pair leads to so many states.
    random_state : int, default=None

    Examples
    --------
    >>> from epee.mdp import MarkovDecisionProcess, random_process
    >>> P, R = random_process(100, 4, 5, random_state=0)
    >>> MarkovDecisionProcess(P, R, 0.95)
    MarkovDecisionProcess(100 states, 4 actions, 400 pairs, 2000 transitions, discount=0.95)
    """
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(random_state)
    matrices = []
    spread = max(n_states // successors, 1)
    ptr = np.arange(n_states + 1) * successors
    for _ in range(n_actions):
        weight = rng.exponential(size=(n_states, successors))
        weight /= weight.sum(axis=1, keepdims=True)
        # one successor in each of as many slices of the states: distinct, sorted, and drawn in one go
        at = rng.integers(spread, size=(n_states, successors)) + spread * np.arange(successors)
        matrices.append(
            csr_matrix((weight.ravel(), np.minimum(at, n_states - 1).ravel(), ptr), shape=(n_states, n_states))
        )
    return matrices, rng.random((n_states, n_actions))
