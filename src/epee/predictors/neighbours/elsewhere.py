r"""Exact neighbours of queries that lie elsewhere, by products and partial sorts there.

One product of widened rows gives :math:`\|x\|^2 - 2 q^\top x` for all pairs. The k nearest rows of a query lie in the k groups of rows
whose nearest member is nearest, so only the least of each group of 64 is sorted. The candidates' distances are then found from
differences; where rounding of the products leaves a doubt about who is a candidate, it is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.arrays import at_home, library_of, like, namespace, nearest_first, numbers_like
from epee.typing import Codes, Matrix

GROUP = 64  # rows of which the nearest is looked at first
CELLS = 1 << 28  # distances at hand at once: 1 GB


class Table:
    """Rows ``X`` (n, p), sent to where ``there`` lies and widened for the products."""

    def __init__(self, X: Matrix, there: Any) -> None:
        n, p = X.shape
        squares = np.einsum("ij,ij->i", X, X)
        wide = np.zeros((-(-n // GROUP) * GROUP, p + 1))
        wide[:n, :p], wide[:n, p], wide[n:, p] = X, squares, np.inf  # what fills the last group is near to nobody
        xp = namespace(there)
        exact = library_of(there) in ("jax", "jaxlib")  # whose products of 32 bits may have fewer
        self.X, self.wide = like(X, there, xp.float64), like(wide, there, xp.float64 if exact else xp.float32)
        self.unit = 2.0**-52 if exact else 2.0**-23
        self.radius = float(np.sqrt(squares.max(initial=0.0)))

    def nearest(self, Q: Any, k: int, candidates: int) -> tuple[Matrix, Codes, np.ndarray]:
        """Return squared distances and places (m, k) of the nearest rows, and which queries are in doubt (m,), here."""
        step = max(1, CELLS // self.wide.shape[0])
        m = int(Q.shape[0])
        parts = [self._some(Q[i : min(i + step, m), ...], k, candidates) for i in range(0, m, step)]
        d, found, doubt = zip(*parts, strict=True)
        return np.concatenate(d), np.concatenate(found), np.concatenate(doubt)

    def _some(self, Q: Any, k: int, candidates: int) -> tuple[Matrix, Codes, np.ndarray]:
        xp, (m, p) = namespace(Q), Q.shape
        D = xp.astype(xp.concat([-2 * Q, xp.ones_like(Q[:, :1])], axis=1), self.wide.dtype) @ self.wide.T  # (m, n)
        groups = D.shape[1] // GROUP
        _, nearest = nearest_first(xp.min(xp.reshape(D, (m, groups, GROUP)), axis=2), min(candidates, groups))
        inside = numbers_like(GROUP, nearest, nearest.dtype)
        places = xp.reshape(nearest[:, :, None] * GROUP + inside, (m, -1))  # (m, c GROUP)
        values, order = nearest_first(xp.take_along_axis(D, places, axis=1), candidates)
        who = xp.take_along_axis(places, order, axis=1)  # (m, c)
        rows = xp.reshape(xp.take(self.X, xp.reshape(who, (-1,)), axis=0), (m, candidates, p))
        exact = xp.sum((rows - Q[:, None, :]) ** 2, axis=2)
        lengths = xp.sum(Q * Q, axis=1)
        last = xp.astype(values[:, -1], Q.dtype) + lengths
        order = xp.argsort(who, axis=1, stable=True)  # by row number, then, stably, by distance
        who, exact = xp.take_along_axis(who, order, axis=1), xp.take_along_axis(exact, order, axis=1)
        order = xp.argsort(exact, axis=1, stable=True)
        who, exact = xp.take_along_axis(who, order, axis=1), xp.take_along_axis(exact, order, axis=1)
        d, found, last, reach = (at_home(a) for a in (exact[:, :k], who[:, :k], last, xp.sqrt(lengths)))
        slack = 2 * (p + 8) * self.unit * (2 * reach * self.radius + self.radius**2)
        slack += 8 * (p + 2) * 2.0**-52 * (reach + self.radius) ** 2
        return d, found.astype(np.int64), d[:, -1] >= last - slack
