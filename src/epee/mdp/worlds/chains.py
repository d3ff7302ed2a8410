r"""Worlds on a line: the random walk and the gambler.

A walk that starts at :math:`i` of :math:`n` states ends at the right with probability :math:`V(i) = i/(n+1)`. The value of
the gambler with capital :math:`x` who stakes boldly solves :math:`V(x) = p\,V(2x)` up to half the goal :math:`g`,
:math:`V(x) = p + (1-p)\,V(2x - g)` above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epee.errors import WrongUse
from epee.mdp.worlds.tabulate import one_state, tabulate

if TYPE_CHECKING:
    from epee.mdp.process import MarkovDecisionProcess


def random_walk(n: int = 5, *, left: float = 0.0, right: float = 1.0, discount: float = 1.0) -> MarkovDecisionProcess:
    """Symmetric walk over ``n`` states between two ends that pay ``left`` and ``right``; it starts in the middle.

    States 0 and n + 1 are the ends. There is one action.

    Parameters
    ----------
    n : int
        States between the two ends.
    left, right : float
        Reward at each end.
    discount : float in [0, 1]

    Examples
    --------
    >>> from epee.mdp import random_walk
    >>> random_walk(3).value_iteration().values.round(6)
    array([0.  , 0.25, 0.5 , 0.75, 0.  ])
    """
    if int(n) != n or n < 1:
        raise WrongUse(f"n is {n!r}; it must be a whole number of at least 1.")

    def step(s: int, a: int) -> list[tuple[float, int, float]]:
        return [(0.5, s - 1, left if s == 1 else 0.0), (0.5, s + 1, right if s == n else 0.0)]

    return tabulate(n + 2, 1, lambda s: [0] if 0 < s <= n else [], step, discount, start=one_state(n + 2, (n + 1) // 2))


def gambler(goal: int = 100, probability: float = 0.4) -> MarkovDecisionProcess:
    """Stake 1 .. min(x, goal - x) on a coin that wins with some probability; reach the goal to earn 1.

    States are the capital; action a stakes a.

    Parameters
    ----------
    goal : int
        The fortune to reach.
    probability : float
        Chance of winning a stake.

    References
    ----------
    Sutton and Barto (2018), example 4.3.

    Examples
    --------
    >>> from epee.mdp import gambler
    >>> gambler().value_iteration().values[[25, 50, 75]].round(6)
    array([0.16, 0.4 , 0.64])
    """
    if int(goal) != goal or goal < 2:
        raise WrongUse(f"goal is {goal!r}; it must be a whole number of at least 2.")
    if not 0 < probability < 1:
        raise WrongUse(f"probability is {probability!r}; it must lie in (0, 1).")

    def stakes(x: int) -> range:
        return range(1, min(x, goal - x) + 1)

    def toss(x: int, a: int) -> list[tuple[float, int, float]]:
        return [(probability, x + a, 1.0 if x + a == goal else 0.0), (1 - probability, x - a, 0.0)]

    return tabulate(goal + 1, goal // 2 + 1, stakes, toss, 1.0)
