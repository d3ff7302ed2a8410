r"""A table of neighbours: who they are, how far, and how much each one counts.

A row of weight :math:`w` is :math:`w` rows at one place. The :math:`k` nearest of a query are then its first rows up to a
total weight of :math:`k`, the last one counted in part; a neighbour at distance :math:`d` that counts :math:`c` has mass

.. math:: c \quad (\text{uniform}), \qquad c / d \quad (\text{distance}), \qquad c\, v(d) \quad (\text{a function } v),

and where some neighbours are at distance 0, weights by distance listen to those alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.typing import Codes, Matrix


@dataclass(frozen=True)
class Neighbours:
    """Distances, rows and counts (m, s) of the neighbours of m queries, nearest first; counts None are ones."""

    distances: Matrix
    rows: Codes
    counts: Matrix | None = None

    def first(self, k: int) -> Neighbours:
        """Return the k nearest; with counts, rows up to a total count of k."""
        if self.counts is None:
            return Neighbours(self.distances[:, :k], self.rows[:, :k])
        before = np.cumsum(self.counts, axis=1) - self.counts
        taken = np.clip(k - before, 0.0, self.counts)
        used = max(1, int((taken > 0).any(axis=0).sum()))
        return Neighbours(self.distances[:, :used], self.rows[:, :used], taken[:, :used])

    def mass(self, weights: Any) -> Matrix | None:
        """Return the mass (m, s) of each neighbour; None when all are one."""
        if weights is None or (isinstance(weights, str) and weights == "uniform"):
            return self.counts
        if callable(weights):
            m = np.asarray(weights(self.distances), dtype=float)
        elif weights == "distance":
            with np.errstate(divide="ignore"):
                m = 1.0 / self.distances
            here = np.isinf(m)
            at = here.any(axis=1)
            m[at] = here[at]
        else:
            raise WrongUse(
                f"weights is {weights!r}; it must be 'uniform', 'distance', None or a function of distances."
            )
        return m if self.counts is None else m * self.counts

    def without_self(self) -> Neighbours:
        """Take from row i of the table one unit of row i itself: what is left knows nothing of it."""
        own = self.rows == np.arange(len(self.rows))[:, None]
        if self.counts is not None:
            return Neighbours(self.distances, self.rows, np.where(own, np.maximum(self.counts - 1.0, 0.0), self.counts))
        absent = ~own.any(axis=1)
        own[absent, -1] = True  # as many copies of the row as neighbours: any one of them may go
        n = len(self.rows)
        return Neighbours(self.distances[~own].reshape(n, -1), self.rows[~own].reshape(n, -1))
