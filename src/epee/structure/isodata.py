r"""ISODATA: k-means that deletes, splits and merges clusters as it goes.

After each pass of allocation and means,

- a cluster of weight below ``min_size`` is deleted;
- a cluster whose largest standard deviation along a coordinate exceeds ``max_std`` is split along it, at
  :math:`\mu \pm \tfrac12 \sigma`, when it is heavy enough for two and either there are few clusters or it is wider than average;
- pairs of centres closer than ``min_distance`` are merged into their weighted mean.

The number of clusters is found on the way, within stated bounds. The passes end when nothing was deleted, split or merged and the
centres stand still; the last passes are plain k-means.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.estimator.base import Clusterer
from epee.moments.moments import Moments
from epee.structure.kmeans_blocks import nearest_centres
from epee.structure.kmeans_starts import as_generator, check_count, plus_plus, refuse_too_many
from epee.table.arrays import ArraySource
from epee.typing import Codes, Matrix, Vector


class Isodata(Clusterer):
    r"""k-means with a number of clusters that grows by splitting wide ones and shrinks by merging close ones.

    Parameters
    ----------
    n_clusters : int, default=8
        How many to start from, and the number aimed at: below half of it wide clusters are split freely, above twice of it none is.
    max_std : float or None, default=None
        A cluster wider than this along some coordinate may be split; smaller gives more clusters. None is half the
        largest standard deviation of the columns.
    min_distance : float or None, default=None
        Centres closer than this are merged; larger gives fewer clusters. None is ``max_std``.
    min_size : int, default=2
        Weight below which a cluster is deleted.
    min_clusters, max_clusters : int, default=1 and None
        Bounds on the number of clusters; None is twice ``n_clusters``.
    max_merges : int, default=2
        Pairs merged in one pass.
    max_iter : int, default=100
        Passes, of which the first half may change the number of clusters.
    random_state : int, RandomState, Generator or None
        Seed of the start by k-means++.

    Attributes
    ----------
    cluster_centers_ : array (K, p)
    labels_ : array (n,)
    n_clusters_, n_iter_ : int
    inertia_ : float
        :math:`J = \sum_i w_i \min_k \|x_i - \mu_k\|^2`.
    trace_ : array (iterations, 2)
        Number of clusters and :math:`J` of each pass.

    Notes
    -----
    A pass costs :math:`O(nKp)`. The criterion may go up where clusters are merged or deleted.

    References
    ----------
    Ball and Hall, ISODATA, a novel method of data analysis and pattern classification, 1965; Duda and Hart, *Pattern Classification and
    Scene Analysis*, section 6.

    Examples
    --------
    >>> X = np.repeat([[0.0], [10.0], [20.0]], 5, axis=0) + np.tile(np.arange(5.0), 3)[:, None] / 5
    >>> Isodata(2, max_std=1.0, random_state=0).fit(X).n_clusters_
    3
    """

    def __init__(
        self, n_clusters: int = 8, *, max_std: float | None = None, min_distance: float | None = None, min_size: float = 2,
        min_clusters: int = 1, max_clusters: int | None = None, max_merges: int = 2, max_iter: int = 100, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_clusters = n_clusters
        self.max_std = max_std
        self.min_distance = min_distance
        self.min_size = min_size
        self.min_clusters = min_clusters
        self.max_clusters = max_clusters
        self.max_merges = max_merges
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        k = check_count(self.n_clusters)
        check_count(self.max_iter, "max_iter")
        most = 2 * k if self.max_clusters is None else check_count(self.max_clusters, "max_clusters")
        least = check_count(self.min_clusters, "min_clusters")
        if not least <= k <= most:
            raise WrongUse(f"n_clusters is {k}; it must lie between min_clusters={least} and max_clusters={most}.")
        for name in ("max_std", "min_distance"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise WrongUse(f"{name} is {value!r}; it must be at least 0, or None.")
        refuse_too_many(ArraySource(X, weight=w), k)
        rows = np.ascontiguousarray(X)
        widest = np.sqrt(Moments.of(rows, sample_weight=w, scatter="diagonal").covariance().max())
        wide = 0.5 * widest if self.max_std is None else self.max_std
        close = wide if self.min_distance is None else self.min_distance
        centres = rows[plus_plus(rows, w, k, as_generator(self.random_state))].astype(np.float64)
        trace: list[tuple[int, float]] = []
        for t in range(self.max_iter):
            m, J = self._clusters(rows, w, centres)
            trace.append((len(centres), J))
            before, centres = centres, m.mean[m.count > 0]
            if 2 * t < self.max_iter - 1:
                centres = self._change(m, k, wide, close, least, most)
            if centres.shape == before.shape and np.allclose(
                centres, before, rtol=0.0, atol=1e-10 * max(float(widest), 1e-300)
            ):
                break
        self.cluster_centers_ = centres
        labels, squared = nearest_centres(rows, centres)
        self.labels_ = labels
        self.inertia_ = float(squared.sum() if w is None else w @ squared)
        self.n_clusters_, self.n_iter_, self.trace_ = len(centres), len(trace), np.array(trace)

    def _clusters(self, X: Matrix, w: Vector | None, centres: Matrix) -> tuple[Moments, float]:
        labels, squared = nearest_centres(X, centres)
        m = Moments.of(X, sample_weight=w, group=labels, groups=len(centres), scatter="diagonal")
        return m, float(squared.sum() if w is None else w @ squared)

    def _change(self, m: Moments, aim: int, wide: float, close: float, least: int, most: int) -> Matrix:
        """Return the centres after deletions, then splits or, when nothing was split, merges."""
        order = np.argsort(-m.count, kind="stable")
        heavy = order[m.count[order] >= self.min_size]
        keep = np.sort(heavy if len(heavy) >= least else order[: max(least, 1)])
        keep = keep[m.count[keep] > 0]
        count, mean, sigma = m.count[keep], m.mean[keep], np.sqrt(np.maximum(m.covariance()[keep], 0.0))
        k = len(keep)
        spread = np.sqrt((sigma**2).sum(axis=1))  # root mean squared distance of the rows to their centre
        average = float(np.sqrt(count @ spread**2 / count.sum()))
        split: list[Vector] = []
        gone: set[int] = set()
        for i in np.argsort(-sigma.max(axis=1), kind="stable"):
            j = int(np.argmax(sigma[i]))
            if sigma[i, j] <= wide or k + len(gone) >= most or count[i] < 2 * max(self.min_size, 1):
                continue
            if k <= aim / 2 or (spread[i] >= average and k < 2 * aim):
                step = np.zeros(mean.shape[1])
                step[j] = 0.5 * sigma[i, j]
                split += [mean[i] - step, mean[i] + step]
                gone.add(int(i))
        if gone:
            return np.vstack([np.delete(mean, sorted(gone), axis=0), *split])
        return self._merge(count, mean, close, least)

    def _merge(self, count: Vector, mean: Matrix, close: float, least: int) -> Matrix:
        """Return the centres after the closest pairs were merged, each centre once."""
        from scipy.spatial.distance import pdist, squareform

        k = len(mean)
        if k < 2:
            return mean
        D = squareform(pdist(mean))
        pairs = np.column_stack(np.triu_indices(k, 1))
        lengths = D[pairs[:, 0], pairs[:, 1]]
        used: set[int] = set()
        unions: list[Vector] = []
        for t in np.argsort(lengths, kind="stable"):
            a, b = (int(v) for v in pairs[t])
            if lengths[t] >= close or len(unions) >= min(self.max_merges, k - least):
                break
            if a not in used and b not in used:
                used |= {a, b}
                unions.append((count[a] * mean[a] + count[b] * mean[b]) / (count[a] + count[b]))
        return np.vstack([np.delete(mean, sorted(used), axis=0), *unions]) if unions else mean

    def predict(self, X: Any) -> Codes:
        """Return the nearest centre of each row (n,)."""
        return nearest_centres(self._leave(X), self.cluster_centers_)[0]
