r"""Jack's car rental (Sutton and Barto, example 4.2).

Two places hold up to 20 cars. At night Jack moves up to 5 cars at 2 each; by day Poisson numbers of cars are asked for
(3 and 4) and brought back (3 and 2); a car rented earns 10. What happens at the two places is independent, so the
transitions of a pair are a product of two small laws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epee.mdp.layout import assemble
from epee.mdp.process import MarkovDecisionProcess

if TYPE_CHECKING:
    from epee.typing import Vector


def _day(capacity: int, asked: float, returned: float, income: float) -> tuple[Any, Vector]:
    """Law of the cars in the evening and expected income, for each number in the morning."""
    from scipy.stats import poisson

    n = capacity + 1
    back = poisson.pmf(np.arange(n), returned)
    law, earned = np.zeros((n, n)), np.zeros(n)
    for cars in range(n):
        rented = poisson.pmf(np.arange(cars + 1), asked)
        rented[cars] = poisson.sf(cars - 1, asked) if cars else 1.0  # all who ask for more get what there is
        earned[cars] = income * (rented @ np.arange(cars + 1))
        for k, p in enumerate(rented):
            left = cars - k
            law[cars, left:] += p * back[: n - left]
            law[cars, capacity] += p * poisson.sf(capacity - left, returned)  # those that do not fit go away
    return law, earned


def car_rental(
    capacity: int = 20,
    *,
    moves: int = 5,
    asked: tuple[float, float] = (3.0, 4.0),
    returned: tuple[float, float] = (3.0, 2.0),
    income: float = 10.0,
    moving: float = 2.0,
    discount: float = 0.9,
) -> MarkovDecisionProcess:
    """Jack's car rental; state (i, j) is number ``i * (capacity + 1) + j``, action ``moves + m`` moves m cars from the first.

    Parameters
    ----------
    capacity : int
        Cars that a place can hold.
    moves : int
        Most cars moved in a night.
    asked, returned : pairs of float
        Mean numbers asked for and brought back, at each place.
    income, moving : float
        Earned for a car hired, paid for a car moved.
    discount : float in [0, 1)

    Examples
    --------
    >>> from epee.mdp import car_rental
    >>> car_rental(4, moves=2, asked=(1, 2), returned=(1, 1)).policy_iteration().policy.reshape(5, 5) - 2
    array([[ 0,  0,  0,  0, -1],
           [ 0,  0,  0,  0,  0],
           [ 1,  0,  0,  0,  0],
           [ 1,  1,  1,  0,  0],
           [ 2,  2,  1,  1,  0]])
    """
    n = capacity + 1
    first, second = (_day(capacity, asked[i], returned[i], income) for i in range(2))
    admissible = np.zeros((n * n, 2 * moves + 1), bool)
    prob, reward = [], []
    for i in range(n):
        for j in range(n):
            for m in range(-moves, moves + 1):
                if -j <= m <= i:  # one cannot move cars that are not there
                    admissible[i * n + j, moves + m] = True
                    a, b = min(i - m, capacity), min(j + m, capacity)
                    prob.append(np.outer(first[0][a], second[0][b]).ravel())
                    reward.append(first[1][a] + second[1][b] - moving * abs(m))
    rows = np.array(prob)
    used = rows > 0
    layout = assemble(admissible, used.sum(axis=1), np.nonzero(used)[1], rows[used], reward=np.array(reward))
    process = MarkovDecisionProcess.of_layout(layout, discount)
    process.grid = {"shape": (n, n), "states": np.arange(n * n).reshape(n, n), "letters": None, "moves": None,
                    "labels": np.arange(-moves, moves + 1), "axes": ("cars at the second", "cars at the first")}  # fmt: skip
    return process
