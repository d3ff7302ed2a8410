r"""The jackknife of the share of the variance that is not explained, from four sums of each unit.

A unit :math:`u`, a row or a group of rows that was told, has the sums :math:`A_u` of squared errors and :math:`N_u, Y_u, Q_u` of 1,
:math:`y` and :math:`y^2`, and the logarithm of the share without it is

.. math:: \theta_{(u)} = \log \frac{A - A_u}{Q - Q_u - (Y - Y_u)^2 / (N - N_u)}, \qquad
          \tilde\theta_u = U\, \theta - (U - 1)\, \theta_{(u)}. \tag{1}

The mean of the *pseudo-values* :math:`\tilde\theta_u` is free of the bias of :math:`\theta` of order :math:`1/U`: that of a ratio, and
that of a spread about a mean which follows the sample, by as much as the means of groups vary. Their standard error is that of
:math:`\theta`, which knows that a group draws the mean of the sample to itself. A ratio of sums is nearly normal on the scale of
logarithms, and none of its ends passes 0:

.. math:: 1 - R^2 \in \exp\bigl(\bar{\tilde\theta} \pm t\; \mathrm{sd}(\tilde\theta) / \sqrt U\bigr). \tag{2}

Pseudo-values have long tails, since groups of unequal sizes and squares of their own levels make them, and their standard deviation is
known less well than that of :math:`U` normal values. By their kurtosis :math:`\kappa` it has Satterthwaite's degrees of freedom

.. math:: \nu = \frac{2 U}{\kappa - 1}, \tag{3}

which is :math:`U` for the normal law: a tenth of a standard error more of forty schools.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from epee.risk.intervals import Interval, t_quantile
from epee.risk.units import Units
from epee.typing import Matrix, Vector

ROUNDING = 1e-12  # of a sum, which is nothing


def pseudo_values(told: Callable[[Vector], Units], squares: Matrix, Y: Matrix) -> Units | None:
    """Return the pseudo-values (1), of the mean over targets; None where there is no share without some unit.

    Parameters
    ----------
    told : callable
        Returns the units behind the mean of some values (n,).
    squares, Y : arrays (n, K)
        Squared errors and targets.

    References
    ----------
    Efron, *The Jackknife, the Bootstrap and Other Resampling Plans*, SIAM, 1982.

    >>> from epee.risk.units import units_of
    >>> y = np.random.default_rng(0).normal(size=(100, 1)); found = pseudo_values(units_of, (y - 0.2) ** 2, y)
    >>> round(found.mean, 3), round(found.spread()[0] / 10, 3)
    (0.005, 0.025)
    """
    units = told(np.ones(len(Y)))
    copies, sizes, n = units.copies, units.sizes, units.n

    def sums(values: Matrix) -> Matrix:  # (K, U)
        return np.stack([told(column).sums for column in values.T])

    gaps = Y - (sums(Y) @ copies / (sizes @ copies))
    A, Q, drawn = sums(squares), sums(gaps**2), sums(gaps)
    a, q, others = (A @ copies)[:, None], (Q @ copies)[:, None], sizes @ copies - sizes
    if not (others > 0).all():
        return None
    errors, spread = a - A, q - Q - drawn**2 / others
    whole = float((a / q).mean())
    if not (spread > ROUNDING * q).all():
        return None
    left = (errors / spread).mean(axis=0)
    if not (left > ROUNDING * whole).all():
        return None
    return replace(units, sums=n * np.log(whole) - (n - 1) * np.log(left), sizes=np.ones(len(sizes)))


def freedom_of_spread(units: Units) -> float:
    """Return the degrees of freedom (3) of the standard deviation of pseudo-values; infinity where they are all equal.

    >>> from epee.risk.units import units_of
    >>> round(freedom_of_spread(units_of(np.random.default_rng(0).normal(size=100_000))) / 100_000, 1)
    1.0
    """
    d = np.square(units.pulls)
    second, fourth = float(units.copies @ d) / units.n, float(units.copies @ (d * d)) / units.n
    return 2 * units.n * second**2 / (fourth - second**2) if fourth > second**2 else np.inf


def share_ends(value: float, centre: float, stderr: float, dof: float, level: float) -> Interval:
    """Return the interval (2) of R², which holds its value."""
    reach = t_quantile(level, max(dof, 1.0)) * stderr
    with np.errstate(over="ignore"):  # two units may leave every share open
        low, high = 1 - float(np.exp(centre + reach)), 1 - float(np.exp(centre - reach))
    return Interval(min(low, value), max(high, value))
