r"""Natural cubic splines of all columns of a table at once.

A natural cubic spline is known by its values :math:`g_k` at the knots :math:`t_1 < \dots < t_K`; its second derivatives there are
:math:`\gamma = C g`. On the range scaled to [0, 1], between two knots a distance :math:`h` apart, with :math:`a = x - t_k` and
:math:`b = t_{k+1} - x`,

.. math:: f(x) = \frac{a\, g_{k+1} + b\, g_k}{h}
          - \frac{ab}{6} \Big[ \big(1 + \tfrac ah\big) \gamma_{k+1} + \big(1 + \tfrac bh\big) \gamma_k \Big], \tag{1}

and beyond the outer knots it goes on straight. The basis has the splines that are 1 at one knot and 0 at the others, without that of the
first knot: they add up to 1 with the one left out, which the intercept replaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from epee.kernels.spline import natural_rows
from epee.typing import Matrix, Vector


def bent(knots: Vector) -> tuple[Matrix, Matrix]:
    """Return, for a natural cubic spline given by its values at the knots, its second derivatives and its bending.

    On the range scaled to [0, 1]: second derivatives are ``C @ values`` (K, K), and the integral of their square is
    ``values @ P @ values`` with P = Q R^-1 Q' (Green and Silverman, section 2.1). Knots are asked about at every prediction, so the last
    ones are remembered.
    """
    return _bent(np.asarray(knots, dtype=np.float64).tobytes())


@lru_cache(maxsize=1024)
def _bent(cells: bytes) -> tuple[Matrix, Matrix]:
    knots = np.frombuffer(cells)
    h = np.diff((knots - knots[0]) / (knots[-1] - knots[0]))
    K = len(knots)
    Q, R = np.zeros((K, K - 2)), np.zeros((K - 2, K - 2))
    for k in range(K - 2):
        Q[k : k + 3, k] = 1 / h[k], -1 / h[k] - 1 / h[k + 1], 1 / h[k + 1]
        R[k, k] = (h[k] + h[k + 1]) / 3
        if k + 1 < K - 2:
            R[k, k + 1] = R[k + 1, k] = h[k + 1] / 6
    inner = np.linalg.solve(R, Q.T)
    found = np.vstack([np.zeros(K), inner, np.zeros(K)]), Q @ inner
    for part in found:
        part.setflags(write=False)
    return found


def bending(knots: Vector) -> Matrix:
    """Return the integral of products of second derivatives of the basis (K - 1, K - 1), in units of the range."""
    return bent(knots)[1][1:, 1:]


def natural_bases(X: Matrix, knots: Sequence[Vector]) -> Matrix:
    """Return the bases of all columns of rows side by side (n, q); a column with fewer than three knots stands for itself.

    >>> natural_bases(np.array([[0.0], [0.5], [1.0]]), [np.array([0.0, 0.5, 1.0])]) + 0.0
    array([[0., 0.],
           [1., 0.],
           [0., 1.]])
    """
    p, K = len(knots), max((len(k) for k in knots), default=0)
    low, span, lasts = np.zeros(p), np.ones(p), np.array([len(k) - 1 for k in knots], dtype=np.intp)
    scaled, C, slopes = np.zeros((p, K)), np.zeros((p, K, K)), np.zeros((p, 2, K))
    for j, own in enumerate(knots):
        m = len(own)
        if m < 3:
            continue
        low[j], span[j] = own[0], own[-1] - own[0]
        k, second, unit = (own - own[0]) / span[j], bent(own)[0], np.eye(m)
        first, last = k[1] - k[0], k[-1] - k[-2]
        scaled[j, :m], C[j, :m, :m] = k, second
        slopes[j, 0, :m] = (unit[1] - unit[0]) / first - first / 6 * second[1]
        slopes[j, 1, :m] = (unit[-1] - unit[-2]) / last + last / 6 * second[-2]
    starts = np.concatenate([[0], np.cumsum(np.maximum(lasts, 1))])
    out = np.empty((len(X), int(starts[-1])))
    natural_rows(np.ascontiguousarray(X, dtype=np.float64), low, span, scaled, lasts, C, slopes, starts[:-1], out)
    return out
