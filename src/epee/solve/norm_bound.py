r"""The penalty that keeps coefficients within a ball.

The bounded problem :math:`\min \|Y - X\beta\|^2` subject to :math:`\|\beta\|^2 \le s` has the ridge solution whose penalty makes
the bound tight: on the axes of the scatter, with eigenvalues :math:`d_j^2` and :math:`c_j` the products with the target,

.. math:: \|\hat\beta(\alpha)\|^2 = \sum_j \frac{c_j^2}{(d_j^2 + \alpha)^2} = s, \tag{1}

which falls as :math:`\alpha` grows; no penalty is needed where least squares itself lies within the ball.
"""

from __future__ import annotations

import numpy as np

from epee.typing import Matrix, Vector


def penalties_of_bound(values: Vector, rotated: Matrix, bound: float) -> Vector:
    """Return the penalty (m,) of each target that solves (1), 0 where the bound does not bind; ``rotated`` is (r, m).

    >>> penalties_of_bound(np.array([1.0]), np.array([[2.0]]), 1.0)
    array([1.])
    """
    from scipy.optimize import brentq

    kept = values > 1e-14 * values.max(initial=0.0)
    d, C = values[kept], rotated[kept]
    out = np.zeros(C.shape[1])
    for j, c in enumerate(C.T):

        def excess(alpha: float, c: Vector = c) -> float:
            return float(np.sum((c / (d + alpha)) ** 2)) / bound - 1.0

        if len(d) and excess(0.0) > 0:
            top = float(np.linalg.norm(c)) / np.sqrt(bound)  # |β| <= |c| / α
            out[j] = brentq(excess, 0.0, top, xtol=1e-300, rtol=1e-14) if excess(top) < 0 else top
    return out
