r"""Do two estimates of one error, on different rows, agree?

They do where the interval of their difference holds 0. That is made of the intervals of both (:mod:`epee.risk.intervals`): with
:math:`a > b` the distances that face each other are squared and added,

.. math:: a - b \le \sqrt{(a - a_{low})^2 + (b_{high} - b)^2}, \tag{1}

so that an error bar that is long to one side counts as long as it is there, and two estimates one of which holds the other agree.
"""

from __future__ import annotations

from epee.risk.intervals import Interval, interval_of_difference


def agree(value: float, ends: Interval, other: float, of_other: Interval) -> bool:
    """Tell whether two independent estimates agree (1), whose intervals are of one level.

    >>> agree(1.31, Interval(1.04, 1.68), 2.8, Interval(1.1, 11.4)), agree(1.31, Interval(1.04, 1.68), 2.8, Interval(2.2, 3.4))
    (True, False)
    """
    low, high = interval_of_difference(value, ends, other, of_other)
    return low <= 0 <= high
