r"""Intervals for rates, and for losses that take a few known values.

Wilson's interval covers well, but for a rate so small that it gives one or two events: its lower end for :math:`k` events in
:math:`n` rows is then too high, since :math:`k` follows Poisson's law and not the normal one. The modification of Brown, Cai and
DasGupta takes Poisson's own lower end for :math:`k \le 3`,

.. math:: \tfrac{1}{2n} \chi^2_{2k}(1 - \text{level}), \tag{1}

and its mirror image near 1. A loss with values :math:`v_1, v_2 \dots` (a table of costs) is a sum of rates, :math:`\sum_j v_j r_j`. The
distances from each :math:`r_j` to the ends :math:`l_j, u_j` of its own interval are squared and added (Zou and Donner's MOVER),

.. math:: \Bigl[\sum_j v_j r_j - \sqrt{\textstyle\sum_j v_j^2 (r_j - l_j)^2},\;
          \sum_j v_j r_j + \sqrt{\textstyle\sum_j v_j^2 (u_j - r_j)^2}\Bigr], \tag{2}

so a costly error that was never seen still counts: the interval of its rate has an upper end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from epee.losses.loss import Loss
from epee.losses.names import named
from epee.risk.intervals import Interval, wilson
from epee.typing import Codes, Vector

FEW_EVENTS = 3.5  # Brown, Cai and DasGupta: up to 3 events


def rate_interval(rate: float, n: float, level: float) -> Interval:
    """Return Wilson's interval with the lower end (1) where few events were seen; ``n`` may be an effective number of rows.

    References
    ----------
    Brown, Cai and DasGupta, "Interval estimation for a binomial proportion", *Statistical Science* 16, 2001, section 4.1.

    >>> [round(end, 4) for end in rate_interval(0.02, 50, 0.95)]
    [0.001, 0.105]
    >>> [round(end, 4) for end in rate_interval(0.98, 50, 0.95)]
    [0.895, 0.999]
    """
    low, high = wilson(rate, n, level)
    events, others = rate * n, (1 - rate) * n
    if 0 < events <= FEW_EVENTS:
        low = min(low, float(special.gammaincinv(events, 1 - level)) / n)
    if 0 < others <= FEW_EVENTS:
        high = max(high, 1 - float(special.gammaincinv(others, 1 - level)) / n)
    return Interval(min(low, rate), max(high, rate))


def chance_of_even(codes: Codes | None, counts: Vector, loss: Loss) -> float:
    """Return the error rate of chance where classes have exactly as many rows, else infinity.

    Of such classes a row or a fold that is left out pulls the rest to the other side, and a rule that learned nothing
    seems worse than chance.

    References
    ----------
    Parker, Guenter and Bedo, "Stratification bias in low signal microarray studies", *BMC Bioinformatics* 8, 2007; Jamalabadi et al.,
    "Classification based hypothesis testing in neuroscience", *Human Brain Mapping* 37, 2016.

    >>> from epee.losses.decisions import ZeroOne
    >>> [chance_of_even(np.array(codes), np.ones(4), ZeroOne()) for codes in ([0, 1, 0, 1], [0, 1, 1, 1])]
    [0.5, inf]
    """
    if codes is None or not loss.is_rate:
        return np.inf
    many = np.bincount(codes, counts)
    return 1 - 1 / len(many) if len(many) > 1 and np.ptp(many) == 0 else np.inf


def values_of(loss: Any) -> Vector | None:
    """Return the values other than 0 that a loss can take: 1 for an error rate, the costs of a table; None for a continuous one."""
    if named(loss).is_rate:
        return np.ones(1)
    costs = getattr(loss, "costs", None)
    return None if costs is None else np.unique(costs[costs > 0])


def few_values_interval(values: Vector, rates: Vector, n: float, level: float) -> Interval:
    """Return the interval (2) for a loss that takes each value at this rate.

    References
    ----------
    Zou and Donner, "Construction of confidence limits about effect measures: a general approach", *Statistics in Medicine* 27, 2008.

    >>> [round(end, 2) for end in few_values_interval(np.array([1.0, 20.0]), np.array([0.1, 0.0]), 50, 0.95)]
    [0.04, 1.53]
    """
    ends = np.array([rate_interval(float(r), n, level) for r in rates]).reshape(-1, 2)  # (V, 2)
    value = float(values @ rates)
    below = float(np.linalg.norm(values * (rates - ends[:, 0])))
    above = float(np.linalg.norm(values * (ends[:, 1] - rates)))
    return Interval(max(value - below, 0.0), min(value + above, float(values.max(initial=0.0))))
