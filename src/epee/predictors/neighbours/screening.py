r"""Exact neighbours by products in float32, for queries here and for those that lie elsewhere.

One product gives :math:`s = \|x\|^2 - 2 q^\top x` of every query and row, both about the mean of the rows. It ranks the rows as the
distance does, within

.. math:: |\tilde s - s| \le (p + 8)\,u\,\big(2\|q\|\,R + R^2\big), \qquad R = \max_i \|x_i\|,\; u = 2^{-23}, \tag{1}

so the rows of smallest :math:`\tilde s` are the candidates, whose distances are then found in float64 from differences. A query whose
k-th of these is not below what any other row can have is in doubt, and that is said. Here kernels pick the candidates out of tiles of
distances that stay in the cache (:mod:`epee.kernels.neighbours_screen`). On a device the k nearest rows lie in the k groups of rows
whose nearest member is nearest, so only the least of each group of 64 is sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from epee.arrays import (
    as_type,
    home_together,
    least_in_groups,
    like,
    multiplies_in_full,
    namespace,
    nearest_first,
    numbers_like,
    squares_of_rows,
    taken,
    taken_along,
)
from epee.engines.local import in_order
from epee.typing import Codes, Matrix, Vector

QUERIES, ROWS = 256, 1024  # a tile of distances in float32 takes 1 MB: it stays in the cache
WHOLE = 8192  # rows that come in one tile, of fewer queries: a first limit of all of them lets few in
GROUP = 64  # rows of which the nearest is looked at first, on a device
CELLS = 1 << 28  # distances at hand there at once: 1 GB

Found = tuple[Matrix, Codes, np.ndarray]


class Screen:
    """Rows ``X`` (n, p) made ready for products with queries."""

    unit = 2.0**-23  # u in (1)

    def __init__(self, X: Matrix) -> None:
        self.X: Any = X
        self.centre: Any = X.mean(axis=0)
        Z = X - self.centre
        squares = np.einsum("ij,ij->i", Z, Z)
        self.radius = float(squares.max(initial=0.0)) ** 0.5
        self._lay_out(Z, squares)

    def nearest(self, Q: Any, k: int, candidates: int) -> Found:
        """Return squared distances and places (m, k) of the nearest rows, and which queries are in doubt (m,), here."""
        m, step = int(Q.shape[0]), self._at_once()
        parts = (slice(i, min(i + step, m)) for i in range(0, m, step))
        d, found, doubt = zip(*self._each(lambda s: self._some(Q[s, ...], k, candidates), parts), strict=True)
        return np.concatenate(d), np.concatenate(found), np.concatenate(doubt)

    def _some(self, Q: Any, k: int, candidates: int) -> Found:
        q = Q - self.centre
        lengths = squares_of_rows(q)
        reach, R, p = namespace(Q).sqrt(lengths), self.radius, Q.shape[1]
        error = (p + 8) * self.unit * (2 * reach * R + R * R)  # (1), then what centring in float64 rounds
        error += 4 * p * 2.0**-52 * (1 + reach) * (reach + R)
        return self._settled(Q, k, *self._candidates(q, candidates), error, lengths)

    def _lay_out(self, Z: Matrix, squares: Vector) -> None:
        """Keep the rows about their mean, and their squared lengths, as the products take them."""
        self.Z, self.squares = Z.astype(np.float32), squares.astype(np.float32)

    def _at_once(self) -> int:
        """Return how many queries are taken at a time."""
        return min(QUERIES, QUERIES * ROWS // self._width())

    def _width(self) -> int:
        """Return how many rows a tile has."""
        n = len(self.Z)
        return n if n <= WHOLE else ROWS

    def _each(self, work: Callable[[slice], Found], parts: Iterable[slice]) -> Iterable[Found]:
        return in_order(work, parts)

    def _candidates(self, q: Any, candidates: int) -> tuple[Any, Any]:
        """Return the smallest s and the places of their rows (m, c); the largest of them comes first."""
        from epee.kernels.neighbours_screen import screen

        best = np.full((len(q), candidates), np.inf, dtype=np.float32)
        who = np.full((len(q), candidates), -1, dtype=np.int64)
        width = self._width()
        tile = np.empty((len(q), width), dtype=np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            q = (-2.0 * q).astype(np.float32)
            for first in range(0, len(self.Z), width):
                block = self.Z[first : first + width]
                S = np.matmul(q, block.T, out=tile if len(block) == width else None)
                screen(S, self.squares, first, best, who)
        return best, who

    def _settled(self, Q: Any, k: int, best: Any, who: Any, error: Any, lengths: Any) -> Found:
        """Return the k nearest of the candidates by their exact distances; other rows are no nearer than best - error + lengths."""
        from epee.kernels.neighbours_screen import settle

        d, found = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
        doubtful = np.empty(len(Q), dtype=bool)
        settle(Q, self.X, best, who, error, lengths, d, found, doubtful)
        return d, found, doubtful


class ScreenThere(Screen):
    """The same where ``there`` lies, by products and partial sorts."""

    def __init__(self, X: Matrix, there: Any) -> None:
        self.there = there
        if not multiplies_in_full(there):
            self.unit = 2.0**-52
        super().__init__(X)
        del self.there  # which may be large

    def _lay_out(self, Z: Matrix, squares: Vector) -> None:
        """Send the rows, widened by their squared lengths; what fills the last group is near to nobody."""
        (n, p), xp = Z.shape, namespace(self.there)
        wide = np.zeros((-(-n // GROUP) * GROUP, p + 1))
        wide[:n, :p], wide[:n, p], wide[n:, p] = Z, squares, np.inf
        self.wide = like(wide, self.there, xp.float32 if self.unit > 2.0**-50 else xp.float64)
        self.X, self.centre = like(self.X, self.there, xp.float64), like(self.centre, self.there, xp.float64)

    def _at_once(self) -> int:
        return max(1, CELLS // self.wide.shape[0])

    def nearest(self, Q: Any, k: int, candidates: int) -> Found:
        """Return squared distances and places (m, k) of the nearest rows, and which queries are in doubt (m,), here, by one journey."""
        m, step = int(Q.shape[0]), self._at_once()
        parts = [self._some(Q[i : min(i + step, m), ...], k, candidates) for i in range(0, m, step)]
        xp = namespace(Q)
        d, found, settled = home_together(*(xp.concat(part) for part in zip(*parts, strict=True)))
        return d, found.astype(np.int64), settled == 0

    def _candidates(self, q: Any, candidates: int) -> tuple[Any, Any]:
        xp, m = namespace(q), q.shape[0]
        D = xp.astype(xp.concat([-2 * q, xp.ones_like(q[:, :1])], axis=1), self.wide.dtype) @ self.wide.T  # (m, n)
        groups = D.shape[1] // GROUP
        _, nearest = nearest_first(least_in_groups(D, groups), min(candidates, groups))
        inside = numbers_like(GROUP, nearest, nearest.dtype)
        places = xp.reshape(nearest[:, :, None] + inside * groups, (m, -1))  # (m, c GROUP)
        values, order = nearest_first(taken_along(D, places), candidates)
        return values, taken_along(places, order)

    def _settled(self, Q: Any, k: int, best: Any, who: Any, error: Any, lengths: Any) -> Any:
        """Do the same there; the last are the queries that are not in doubt."""
        xp, (m, p) = namespace(Q), Q.shape
        who = xp.sort(who, axis=1)  # by row number, then, stably, by distance
        rows = xp.reshape(taken(self.X, xp.reshape(who, (-1,))), (m, -1, p))
        exact = squares_of_rows(rows - Q[:, None, :])
        order = xp.argsort(exact, axis=1, stable=True)
        who, exact = taken_along(who, order), taken_along(exact, order)
        sure = exact[:, k - 1] < as_type(best[:, -1], Q.dtype) - error + lengths
        return exact[:, :k], as_type(who[:, :k], Q.dtype), as_type(sure, Q.dtype)
