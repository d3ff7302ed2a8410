r"""The best constant prediction under a power loss.

The constant :math:`h` that minimises :math:`\sum_i w_i |y_i - h|^q`, :math:`q \ge 1`, balances the two sides,

.. math:: \sum_{y_i < h} w_i\,(h - y_i)^{q-1} = \sum_{y_i > h} w_i\,(y_i - h)^{q-1}. \tag{1}

:math:`q = 2` gives the mean; :math:`q = 1` the median, the midpoint of the two central values of an even sample.
"""

from __future__ import annotations

import numpy as np

from epee.errors import EmptyTable, WrongUse
from epee.typing import ArrayLike, Vector


def best_constant(y: ArrayLike, power: float = 2.0, sample_weight: ArrayLike | None = None) -> float:
    r"""Return the constant with the smallest :math:`L_q` risk on ``y``, equation (1).

    Parameters
    ----------
    y : array (n,)
        Numbers.
    power : float >= 1, default=2
        The exponent; a larger one moves the answer towards the middle of the extremes.
    sample_weight : array (n,), default=None
        Counts.

    Examples
    --------
    >>> best_constant([1, 2, 3, 100], power=1), best_constant([1, 2, 3, 100])
    (2.5, 26.5)
    """
    y = np.asarray(y, dtype=float)
    w = np.ones_like(y) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    y, w = y[w > 0], w[w > 0]
    if not len(y):
        raise EmptyTable("there are no rows of positive weight to predict a constant from.")
    if not power >= 1:
        raise WrongUse(f"the power is {power}; a best constant is sought for powers of at least 1.")
    order = np.argsort(y, kind="stable")
    y, w = y[order], w[order]
    if power == 1:
        return _quantile(y, w, 0.5)
    if power == 2:
        return float(y[0] + w @ (y - y[0]) / w.sum())
    from scipy.optimize import brentq

    def imbalance(h: float) -> float:
        r = (h - y) / (scale or 1.0)
        return float(w @ (np.sign(r) * np.abs(r) ** (power - 1)))

    scale = y[-1] - y[0]
    return float(y[0]) if scale == 0 else float(brentq(imbalance, y[0], y[-1], xtol=1e-15 * scale + 1e-300))


def best_quantile(y: ArrayLike, share: float, sample_weight: ArrayLike | None = None) -> float:
    """Return the constant with the smallest pinball loss on ``y``: a share of the values lies under it, the midpoint where several do.

    >>> best_quantile([1, 2, 3, 4], 0.5), best_quantile([1, 2, 3, 4, 5], 0.9), best_quantile([1, 2], 0.5, [3, 1])
    (2.5, 5.0, 1.0)
    """
    y = np.asarray(y, dtype=float)
    w = np.ones_like(y) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    y, w = y[w > 0], w[w > 0]
    if not len(y):
        raise EmptyTable("there are no rows of positive weight to predict a constant from.")
    order = np.argsort(y, kind="stable")
    return _quantile(y[order], w[order], share)


def _quantile(y: Vector, w: Vector, share: float) -> float:
    total = np.cumsum(w)
    level = total[-1] * share
    low = min(int(np.searchsorted(total, level * (1 - 1e-15))), len(y) - 1)
    high = min(int(np.searchsorted(total, level * (1 + 1e-15), side="right")), len(y) - 1)
    return float(y[low] + (y[high] - y[low]) / 2)
