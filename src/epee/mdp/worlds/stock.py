r"""Holding a stock: the course's car dealer, and Puterman's inventory.

The dealer decides on Mondays. With :math:`s` cars in stock he orders :math:`a`. Delivered at once, :math:`s + a` cars are for sale, the
week sells :math:`k \sim U\{0, \dots, s+a\}`, and

.. math:: s' = s + a - k, \qquad r = c\,k - d\,a - u\,s'. \tag{1}

Delivered on the next Monday, only the :math:`s` cars in stock can be sold, and the order must fit beside them:

.. math:: k \sim U\{0, \dots, s\}, \qquad s' = s - k + a, \qquad r = c\,k - d\,a - u\,(s - k). \tag{2}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from epee.errors import WrongUse
from epee.mdp.worlds.tabulate import tabulate

if TYPE_CHECKING:
    from epee.mdp.process import MarkovDecisionProcess
    from epee.typing import ArrayLike


def car_dealer(
    capacity: int = 10,
    price: float = 10.0,
    purchase: float = 6.0,
    storage: float = 0.5,
    discount: float = 0.9,
    delivery: Literal["now", "next"] = "now",
) -> MarkovDecisionProcess:
    r"""The car dealer of the course: how many cars to order each Monday.

    Parameters
    ----------
    capacity : int
        Largest stock :math:`S`; states are 0 .. S, the actions of state s are 0 .. S - s.
    price, purchase, storage : float
        :math:`c` a car sold, :math:`d` a car ordered, :math:`u` a car unsold a week.
    discount : float in [0, 1)
    delivery : {"now", "next"}
        At once (1), or on the next Monday (2).

    Examples
    --------
    >>> from epee.mdp import car_dealer
    >>> car_dealer(4, 10.0, 2.0, 1.0, 0.9).value_iteration().policy
    array([4, 3, 2, 1, 0])
    """
    if delivery not in ("now", "next"):
        raise WrongUse(f"delivery is {delivery!r}; it must be 'now' or 'next'.")
    if int(capacity) != capacity or capacity < 1:
        raise WrongUse(f"capacity is {capacity!r}; it must be a whole number of at least 1.")

    def week(s: int, a: int) -> list[tuple[float, int, float]]:
        shown = s + a if delivery == "now" else s
        arriving = a - (shown - s)
        return [
            (1 / (shown + 1), shown - k + arriving, price * k - purchase * a - storage * (shown - k))
            for k in range(shown + 1)
        ]

    return tabulate(capacity + 1, capacity + 1, lambda s: range(capacity - s + 1), week, discount)


def inventory(
    capacity: int = 3,
    demand: ArrayLike = (0.25, 0.5, 0.25),
    *,
    price: float = 8.0,
    purchase: float = 2.0,
    fixed: float = 4.0,
    storage: float = 1.0,
    discount: float = 0.9,
) -> MarkovDecisionProcess:
    r"""Puterman's inventory (section 3.2): order up to a capacity, sell what is asked for, lose the rest.

    .. math:: s' = (s + a - D)^+, \qquad r = p \min(D, s + a) - (K + c\,a)\,1_{a>0} - h\,(s + a).

    Parameters
    ----------
    capacity : int
    demand : probabilities of 0, 1, 2, ... units
    price, purchase, fixed, storage : float
        :math:`p` a unit sold, :math:`c` a unit ordered, :math:`K` an order, :math:`h` a unit held during the month.
    discount : float in [0, 1)

    Examples
    --------
    >>> from epee.mdp import inventory
    >>> (16 * inventory(discount=1.0).backward_induction(3).values[0]).round(6)
    array([ 67., 129., 194., 227.])
    """
    law = np.asarray(demand, dtype=float)

    def month(s: int, a: int) -> list[tuple[float, int, float]]:
        held = s + a
        cost = (fixed + purchase * a if a else 0.0) + storage * held
        return [(p, max(held - d, 0), price * min(d, held) - cost) for d, p in enumerate(law)]

    return tabulate(capacity + 1, capacity + 1, lambda s: range(capacity - s + 1), month, discount)
