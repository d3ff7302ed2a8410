r"""Density from counts and volumes.

A neighbourhood :math:`V` of :math:`x` that holds :math:`N_V` of :math:`n` rows says

.. math:: \hat p(x) = \frac{N_V}{n\,\mathrm{Vol}(V)}. \tag{1}

Either the count is fixed and the ball grows until it holds :math:`k` rows, or the radius is fixed and the rows are counted. The
ball of radius :math:`r` in :math:`p` dimensions has volume :math:`c_p r^p`, with
:math:`c_p = \pi^{p/2} / \Gamma(p/2 + 1)` for Euclid and :math:`2^p` for Chebyshev. With one such density a class, Bayes' rule
for :math:`k = 1` decides for the class with the smallest ball: that is the nearest neighbour.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.base import Density
from epee.predictors.neighbours.search import Search
from epee.predictors.neighbours.table import Neighbours
from epee.typing import Matrix, Vector


def log_ball_volume(p: int, metric: str = "euclidean") -> float:
    """Return the logarithm of the volume of the ball of radius one in p dimensions.

    >>> round(float(np.exp(log_ball_volume(2))), 6), float(np.exp(log_ball_volume(2, "chebyshev")))
    (3.141593, 4.0)
    """
    from math import lgamma, log, pi

    if metric == "chebyshev":
        return p * log(2.0)
    if metric == "manhattan":
        return p * log(2.0) - lgamma(p + 1)
    return p / 2 * log(pi) - lgamma(p / 2 + 1)


def edge_length(fraction: Any, p: int) -> Any:
    r"""Return the edge :math:`r^{1/p}` of a cube that holds a fraction r of a unit cube: the curse of dimensionality.

    Parameters
    ----------
    fraction : float or array in [0, 1]
        Share :math:`r` of the volume, hence of rows that are spread evenly.
    p : int
        Dimension; in many, a cube that holds few rows is nearly as wide as the whole.

    Examples
    --------
    >>> round(edge_length(0.01, 10), 2)
    0.63
    """
    return fraction ** (1.0 / p)


class NeighborDensity(Density):
    r"""The number of rows near a point over the volume they fill, equation (1).

    Parameters
    ----------
    n_neighbors : int, default=10
        Rows that the ball must hold when ``radius`` is None; a larger one is smoother.
    radius : float > 0, default=None
        A fixed radius; a larger one is smoother. Where it holds no row the density is 0.
    metric : {"euclidean", "chebyshev", "manhattan"}, default="euclidean"
        The shape of the ball: round, a cube, or a cube on its corner.

    Notes
    -----
    With a fixed radius it integrates to one; with a fixed count it does not, for its tails are too heavy.

    References
    ----------
    R. Duda, P. Hart, D. Stork, *Pattern Classification*, 2nd ed., 4.2 to 4.5.

    Examples
    --------
    >>> NeighborDensity(radius=0.5, metric="chebyshev").fit([[0.0], [0.2], [3.0]]).score_samples([[0.1]]).round(3)
    array([-0.405])
    """

    state_parts = ("_counts", "_search", "_total")

    def __init__(self, n_neighbors: int = 10, *, radius: float | None = None, metric: str = "euclidean") -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.metric = metric

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        if self.metric not in ("euclidean", "chebyshev", "manhattan"):
            raise WrongUse(f"metric is {self.metric!r}; it must be 'euclidean', 'chebyshev' or 'manhattan'.")
        if self.radius is not None and not self.radius > 0:
            raise WrongUse(f"radius is {self.radius!r}; it must be positive.")
        if self.radius is None and (int(self.n_neighbors) != self.n_neighbors or self.n_neighbors < 1):
            raise WrongUse(f"n_neighbors is {self.n_neighbors!r}; it must be a whole number of at least 1.")
        kept = slice(None) if w is None else w > 0
        self._counts = None if w is None else w[kept]
        self._search = Search(X[kept], self.metric)
        self._total = float(len(X)) if w is None else float(w.sum())
        if self.radius is None and self._total < self.n_neighbors:
            raise DataError(
                f"Expected n_neighbors <= n_samples, but n_neighbors = {self.n_neighbors}, n_samples = {self._total:g}: "
                "ask for fewer neighbours."
            )

    def _log_density(self, X: Matrix) -> Vector:
        p = X.shape[1]
        volume = log_ball_volume(p, self.metric)
        with np.errstate(divide="ignore"):
            if self.radius is not None:
                return np.log(self._within(X, float(self.radius)) / self._total) - volume - p * np.log(self.radius)
            radius = self._reach(X)
            return np.log(self.n_neighbors / self._total) - volume - p * np.log(radius)

    def _reach(self, X: Matrix) -> Vector:
        """Return the radius of the ball that holds ``n_neighbors``."""
        size, most = min(self.n_neighbors, len(self._search.rows)), len(self._search.rows)
        while True:
            d, rows = self._search.nearest(X, size)
            if self._counts is None:
                return d[:, -1]
            counts = self._counts[rows]
            if size == most or (counts.sum(axis=1) >= self.n_neighbors).all():
                table = Neighbours(d, rows, counts).first(self.n_neighbors)
                assert table.counts is not None
                return np.where(table.counts > 0, table.distances, 0.0).max(axis=1)
            size = min(2 * size, most)

    def _within(self, X: Matrix, radius: float) -> Vector:
        """Return the weight of the rows within a radius of each query."""
        size, n = min(16, len(self._search.rows)), len(self._search.rows)
        while True:
            d, rows = self._search.nearest(X, size)
            if size == n or (d[:, -1] > radius).all():
                inside = d <= radius
                return (inside if self._counts is None else inside * self._counts[rows]).sum(axis=1).astype(float)
            size = min(4 * size, n)
