r"""What neighbours say together: the constant that fits their values best.

For a loss :math:`|y - c|^q` with masses :math:`m_i` it is the minimiser of :math:`\sum_i m_i |y_i - c|^q`: the mean for
:math:`q = 2`, the median for :math:`q = 1` (the midpoint when two values are equally central); for other :math:`q > 1` it is
the only zero of the increasing function

.. math:: g(c) = \sum_i m_i\, \mathrm{sign}(c - y_i)\, |c - y_i|^{q-1}. \tag{1}
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.typing import Matrix, Tensor


def power_of(statistic: Any) -> float:
    """Return the power q of a statistic: "mean", "median", "l1.5" or a number.

    >>> power_of("median"), power_of("l1.5"), power_of(3)
    (1.0, 1.5, 3.0)
    """
    named = {"mean": 2.0, "median": 1.0}
    try:
        power = named[statistic] if statistic in named else float(str(statistic).lstrip("lL_"))
    except ValueError:
        power = float("nan")
    if not (power >= 1 and np.isfinite(power)):
        raise WrongUse(
            f"statistic is {statistic!r}; it must be 'mean', 'median', or a power of at least 1 such as 'l1.5'."
        )
    return power


def centre(Y: Tensor, mass: Matrix | None, power: float) -> Tensor:
    """Return the best constant (m, ...) of each row of values ``Y`` (m, k, ...) with masses (m, k) or None.

    >>> centre(np.array([[1.0, 2.0, 30.0]]), None, 1.0)
    array([2.])
    """
    if mass is not None:
        mass = mass.reshape(mass.shape + (1,) * (Y.ndim - 2))
    if power == 2.0:
        return Y.mean(axis=1) if mass is None else (Y * mass).sum(axis=1) / mass.sum(axis=1)
    if power == 1.0:
        return np.median(Y, axis=1) if mass is None else _median(Y, np.broadcast_to(mass, Y.shape))
    return _balance(Y, np.ones_like(Y) if mass is None else np.broadcast_to(mass, Y.shape), power)


def _median(Y: Tensor, mass: Tensor) -> Tensor:
    order = np.argsort(Y, axis=1, kind="stable")
    Y, total = np.take_along_axis(Y, order, axis=1), np.cumsum(np.take_along_axis(mass, order, axis=1), axis=1)
    half = total[:, -1:] / 2
    last = Y.shape[1] - 1
    low = np.minimum((total < half * (1 - 1e-15)).sum(axis=1, keepdims=True), last)
    high = np.minimum((total <= half * (1 + 1e-15)).sum(axis=1, keepdims=True), last)
    a, b = np.take_along_axis(Y, low, axis=1)[:, 0], np.take_along_axis(Y, high, axis=1)[:, 0]
    return a + (b - a) / 2


def _balance(Y: Tensor, mass: Tensor, power: float) -> Tensor:
    """Halve the interval that holds the zero of (1) until it is as narrow as the numbers allow."""
    used = mass > 0
    low, high = np.where(used, Y, np.inf).min(axis=1), np.where(used, Y, -np.inf).max(axis=1)
    scale = np.where(high > low, high - low, 1.0)[:, None]
    for _ in range(60):
        middle = low + (high - low) / 2
        r = (middle[:, None] - Y) / scale
        above = (mass * np.sign(r) * np.abs(r) ** (power - 1)).sum(axis=1) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low + (high - low) / 2
