r"""Agglomerative hierarchical clustering.

Start from single rows and merge, again and again, the two clusters that lie closest, to the root. What "close" means is the
linkage. Ward's jump is the growth of the inertia within clusters, that is the loss of that between them,

.. math:: \Delta(A, B) = \frac{\omega_A \omega_B}{\omega_A + \omega_B} \|g_A - g_B\|^2, \qquad \sum \Delta = \text{total inertia}, \tag{1}

with the *squared* distance of the centres; the height in SciPy's table is :math:`\sqrt{2\Delta}`. The jump is *reducible*: a union is
never closer to a third cluster than the nearer of its parts was. So all pairs of mutual nearest neighbours can be merged at
once, in any order, and the tree is the same; each round searches again only for the clusters whose neighbour went away. Single
linkage is the minimum spanning tree of the rows. Centroid linkage is not reducible and merges one pair at a time. These three need the
rows only, :math:`O(np)` memory; the others need the table of distances, and SciPy. A few rows take SciPy's way in any case: where
distances are equal there are several right trees, and theirs is the one that people know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.errors import DataError, TooLarge, WrongUse
from epee.estimator.base import LARGEST_SIDE, Clusterer
from epee.settings import progress
from epee.structure.kmeans_starts import check_count
from epee.structure.kmedoids import check_dissimilarity
from epee.table.block import check_weights, refuse_bad_cells
from epee.typing import Codes, Matrix, Vector

LINKAGES = ("single", "complete", "average", "weighted", "ward", "centroid", "median")
WITHOUT_TABLE = ("ward", "single", "centroid")
SAME_METRICS = {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean"}  # other names that scikit-learn knows
FEW = 1024  # rows whose table of distances is small
NEWER = 256  # unions outside the search tree before it is built again


def linkage(X: Any, method: str = "single", metric: Any = "euclidean", *, sample_weight: Any = None) -> Matrix:
    r"""Return SciPy's table of merges ``Z`` (n - 1, 4): the two clusters, their height, the rows in their union.

    Parameters
    ----------
    X : array (n, p) of rows, or a condensed vector of n (n - 1) / 2 distances
    method : {"single", "complete", "average", "weighted", "ward", "centroid", "median"}, default="single"
        What the distance of two clusters is: that of the nearest or farthest rows, the mean over pairs, the mean of the two parts'
        own, :math:`\sqrt{2\Delta}` of equation (1), or the distance of the centres, or of the middles.
    metric : str or callable, default="euclidean"
        Distance of two rows. "ward", "centroid" and "median" are about Euclidean ones.
    sample_weight : array (n,), optional
        Weights :math:`\omega` of the rows, for "ward", "centroid" and "single".

    Returns
    -------
    Z : array (n - 1, 4)
        For ``scipy.cluster.hierarchy`` and :func:`epee.figures.clusters.plot_dendrogram`.

    Notes
    -----
    Ward, single and centroid of rows keep :math:`O(np)` numbers; the others :math:`n(n-1)/2`.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 14.3.12.

    Examples
    --------
    >>> linkage([[0.0], [1.0], [5.0]], "single")
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    if method not in LINKAGES:
        raise WrongUse(f"method is {method!r}; it must be one of {', '.join(LINKAGES)}.")
    X = np.asarray(X, dtype=np.float64)
    if X.ndim not in (1, 2):
        raise DataError(f"X must hold rows (n, p) or condensed distances; it has shape {X.shape}.")
    refuse_bad_cells(X)
    rows = X.ndim == 2
    if rows and len(X) < 2:
        raise DataError(f"a tree needs at least 2 rows; X has {len(X)} sample.")
    metric = SAME_METRICS.get(metric, metric) if isinstance(metric, str) else metric
    euclidean = isinstance(metric, str) and metric == "euclidean"
    if rows and not euclidean and method in ("ward", "centroid", "median"):
        raise WrongUse(
            f"method {method!r} is about Euclidean distances, and metric is {metric!r}. Choose 'average' or 'complete' with it."
        )
    if rows and euclidean and method in WITHOUT_TABLE:
        w = check_weights(sample_weight, len(X))
        if w is not None and (w == 0).any():
            raise DataError(
                f"the weight of row {int(np.flatnonzero(w == 0)[0])} is 0: drop rows of no weight from the tree."
            )
        if w is not None or len(X) > FEW:
            tree = {"ward": ward_tree, "single": single_tree, "centroid": centroid_tree}[method]
            return tree(X, np.ones(len(X)) if w is None else w)
    elif sample_weight is not None:
        raise WrongUse(f"sample_weight goes with {', '.join(WITHOUT_TABLE)} linkage of rows, not with {method!r}.")
    return _by_table(X, method, metric)


def _by_table(X: Matrix, method: str, metric: Any) -> Matrix:
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import pdist

    if X.ndim == 1:
        n = round((1 + float(np.sqrt(1 + 8 * len(X)))) / 2)
        if n * (n - 1) // 2 != len(X) or len(X) == 0:
            raise DataError(
                f"{len(X)} is not the number of pairs n (n - 1) / 2 of any n: the vector of distances is not condensed."
            )
        if (X < 0).any():
            raise DataError(
                f"distance {int(np.argmax(X < 0))} is {X[X < 0][0]:g}: Negative values in data; a dissimilarity is at least 0."
            )
        return hierarchy.linkage(X, method)
    n = len(X)
    if n * n > 2 * LARGEST_SIDE**2:
        raise TooLarge(
            f"{n} rows need a table of {4 * n * n / 1e9:.0f} GB for {method!r} linkage; "
            "'ward', 'single' and 'centroid' do without it."
        )
    return hierarchy.linkage(pdist(X, metric), method)


def ward_tree(X: Matrix, weight: Vector) -> Matrix:
    """Return Z of Ward's linkage by rounds of mutual nearest neighbours.

    >>> ward_tree(np.array([[0.0], [1.0], [5.0]]), np.ones(3))[:, 2].round(4)
    array([1.    , 5.1962])
    """
    from epee.kernels import cluster_tree as kernels

    n = len(X)
    G, size = X - X.mean(axis=0), weight.astype(np.float64)  # centres and weights, in the place of the lowest row
    active, fresh = np.ones(n, dtype=bool), np.zeros(n, dtype=np.int8)
    nn, gap = np.full(n, -1), np.full(n, np.inf)
    left, right, height = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    search = _Search(G, size)
    done, rows = 0, np.arange(n)
    with progress("Ward's tree", n - 1) as tick:
        while True:
            search.nearest(rows, nn, gap)
            before = done
            done = kernels.merge_pairs(G, size, active, nn, gap, rows, fresh, left, right, height, done)
            if done == before:  # equal distances in a ring: the smallest jump of all is a right merge in any case
                alive = np.flatnonzero(active)
                i = alive[np.argmin(gap[alive])]
                pair = sorted((i, nn[i]))
                done = kernels.merge_two(G, size, active, *pair, gap[i], fresh, left, right, height, done, G.shape[1])
            tick(done - before)
            if done == n - 1:
                break
            alive = np.flatnonzero(active)
            union, orphan = fresh[alive] == 1, fresh[nn[alive]] > 0
            rows = alive[union | orphan]
            gone = np.flatnonzero(fresh == 2)
            search.update(alive, alive[union], gone)
            lost = nn[rows]
            gap[rows], nn[rows] = np.inf, -1
            _guess(G, size, rows[fresh[rows] == 0], lost[fresh[rows] == 0], active, nn, gap)
            fresh[alive] = 0
            fresh[gone] = 0
    return _named(left, right, np.sqrt(2.0 * height))


def _guess(G: Matrix, size: Vector, rows: Codes, lost: Codes, active: np.ndarray, nn: Codes, gap: Vector) -> None:
    """Start the search of a row whose neighbour joined a union from that union, when it lives in the same place."""
    here = active[lost]
    rows, lost = rows[here], lost[here]
    d = np.zeros(len(rows))
    for j in range(G.shape[1]):  # column by column, as the search adds
        d += (G[lost, j] - G[rows, j]) ** 2
    gap[rows] = d * (size[rows] * size[lost] / (size[rows] + size[lost]))
    nn[rows] = lost


class _Search:
    """The nearest cluster by Ward's jump: a tree of most of them, and a short list of the unions since it was built."""

    def __init__(self, G: Matrix, size: Vector) -> None:
        self.G, self.size = G, size
        self._build(np.arange(len(G)))

    def _build(self, alive: Codes) -> None:
        from epee.kernels.cluster_tree import build_tree

        order, self.P, self.S, *self.nodes = build_tree(self.G[alive], self.size[alive])
        self.names = alive[order]
        self.place = np.full(len(self.G), -1)
        self.place[self.names] = np.arange(len(alive))
        self.newer = np.empty(0, np.int64)

    def update(self, alive: Codes, unions: Codes, gone: Codes) -> None:
        """Take out what was merged and put in the unions."""
        newer = np.union1d(np.setdiff1d(self.newer, gone), unions)
        if len(newer) > NEWER or 4 * len(newer) > len(alive):
            return self._build(alive)
        away = self.place[np.concatenate([unions, gone])]
        self.P[0, away[away >= 0]] = np.inf
        self.place[np.concatenate([unions, gone])] = -1
        self.newer = newer
        return None

    def nearest(self, rows: Codes, nn: Codes, gap: Vector) -> None:
        """Find the nearest cluster of each of these."""
        from epee.kernels.cluster_tree import nearest_clusters

        E, ES = np.ascontiguousarray(self.G[self.newer].T), self.size[self.newer]
        order = rows[np.argsort(self.place[rows], kind="stable")]  # neighbours in the tree share the cache

        def work(i: int) -> None:
            part = order[i : i + 512]
            nearest_clusters(
                part, self.G, self.size, self.names, self.P, self.S, *self.nodes, E, ES, self.newer, True, gap, nn
            )

        for _ in in_order(work, range(0, len(rows), 512)):
            pass


def _named(left: Codes, right: Codes, height: Vector) -> Matrix:
    """Sort the merges by height and give the clusters SciPy's names."""
    from epee.kernels.cluster_links import name_merges

    order = np.argsort(height, kind="stable")
    Z = np.empty((len(left), 4))
    name_merges(left[order], right[order], height[order], Z)
    return Z


def single_tree(X: Matrix, weight: Vector) -> Matrix:
    """Return Z of single linkage: the edges of a minimum spanning tree in order of length; weights change nothing."""
    from epee.kernels.cluster_links import spanning_tree

    n = len(X)
    low, high, length = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    spanning_tree(np.ascontiguousarray((X - X.mean(axis=0)).T), low, high, length)
    return _named(low, high, length)


def centroid_tree(X: Matrix, weight: Vector) -> Matrix:
    """Return Z of centroid linkage; heights may go down, since a union may lie closer than its parts did."""
    from epee.kernels import cluster_links, cluster_tree

    n = len(X)
    G = X - X.mean(axis=0)
    order, P, S, *nodes = cluster_tree.build_tree(G, np.ones(n))
    nn, best = np.full(n, -1), np.full(n, np.inf)
    none = np.empty((X.shape[1], 0)), np.empty(0), np.empty(0, np.int64)

    def work(i: int) -> None:
        cluster_tree.nearest_clusters(order[i : i + 512], G, S, order, P, S, *nodes, *none, False, best, nn)

    for _ in in_order(work, range(0, n, 512)):
        pass
    Z = np.empty((n - 1, 4))
    cluster_links.centroid_tree(np.ascontiguousarray(G.T), weight.astype(np.float64), nn, best, Z)
    return Z


def cut(Z: Matrix, n_clusters: int | None = None, *, height: float | None = None) -> Codes:
    """Return the cluster of each row when the tree is cut into so many clusters, or at a height.

    >>> cut(linkage([[0.0], [5.0], [1.0]], "single"), 2)
    array([0, 1, 0])
    """
    from epee.kernels.cluster_links import cut_tree

    n = len(Z) + 1
    if n_clusters is None:
        n_clusters = 1 + int(np.count_nonzero(Z[:, 2] >= (np.inf if height is None else height)))
    if not 1 <= n_clusters <= n:
        raise WrongUse(
            f"a tree of {n} rows cannot be cut into {n_clusters} clusters (n_samples={n}); ask for 1 to {n}."
        )
    labels = np.empty(n, dtype=np.int64)
    cut_tree(np.ascontiguousarray(Z, dtype=np.float64), n - n_clusters, labels)
    return labels


def ward_jumps(Z: Matrix) -> Vector:
    r"""Return the jumps :math:`\Delta` of equation (1) from SciPy's heights; they sum to the total inertia times n.

    >>> float(ward_jumps(linkage([[0.0], [1.0], [5.0]], "ward")).sum().round(9))
    14.0
    """
    return Z[:, 2] ** 2 / 2


def largest_gap(Z: Matrix) -> int:
    """Return the number of clusters whose tree is cut in the largest gap between successive heights.

    >>> largest_gap(linkage([[0.0], [1.0], [10.0], [11.0]], "ward"))
    2
    """
    heights = np.maximum.accumulate(Z[:, 2])
    gaps = np.diff(np.concatenate([[0.0], heights]))  # the gap below merge t leaves n - t clusters
    return int(len(Z) + 1 - np.argmax(gaps))


class AgglomerativeClustering(Clusterer):
    r"""Merge the two closest clusters again and again; with Ward's linkage, those whose union adds least to the inertia within.

    Parameters
    ----------
    n_clusters : int, "gap" or None, default=2
        Where the tree is cut; "gap" cuts it in the largest gap between successive heights. None goes with ``distance_threshold``.
    metric : str or callable, default="euclidean"
        Distance of two rows; "precomputed" takes the table (n, n) of distances itself.
    memory : str or joblib.Memory, default=None
        Where scikit-learn keeps trees under ``connectivity``; not needed otherwise.
    connectivity : array (n, n), sparse or callable, default=None
        Which rows are neighbours: only neighbouring clusters merge. The tree is scikit-learn's then.
    compute_full_tree : "auto" or bool, default="auto"
        Accepted for scikit-learn's sake; the tree is always full.
    linkage : {"ward", "complete", "average", "single", "weighted", "centroid", "median"}, default="ward"
        See :func:`linkage`.
    distance_threshold : float or None, default=None
        Height at which the tree is cut; higher gives fewer clusters.
    compute_distances : bool, default=False
        Accepted for scikit-learn's sake; ``distances_`` is always there.

    Attributes
    ----------
    n_clusters_ : int
    labels_ : array (n,)
        Numbered in the order of their first rows.
    linkage_ : array (n - 1, 4)
        SciPy's Z; :func:`epee.figures.clusters.plot_dendrogram` draws it.
    children_ : array (n - 1, 2)
    distances_ : array (n - 1,)
    n_leaves_, n_connected_components_ : int

    Notes
    -----
    Ward, single and centroid linkage keep :math:`O(np)` numbers, the others :math:`n^2 / 2`.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 14.3.12.

    Examples
    --------
    >>> X = [[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]]
    >>> AgglomerativeClustering(2).fit(X).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    _minimum_rows = 2

    def __init__(
        self, n_clusters: Any = 2, *, metric: Any = "euclidean", memory: Any = None, connectivity: Any = None,
        compute_full_tree: Any = "auto", linkage: str = "ward", distance_threshold: float | None = None,
        compute_distances: bool = False,
    ) -> None:  # fmt: skip
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags

    def fit(self, X: Any, y: Any = None) -> AgglomerativeClustering:
        """Grow the tree of the rows of ``X`` (n, p) and cut it; ``y`` is ignored."""
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise WrongUse(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None."
            )
        if self.distance_threshold is not None and not self.distance_threshold >= 0:
            raise WrongUse(f"distance_threshold is {self.distance_threshold!r}; it must be at least 0.")
        if self.distance_threshold is not None and self.compute_full_tree is False:
            raise WrongUse(
                "compute_full_tree must be True if distance_threshold is set: the threshold may cut it anywhere."
            )
        if self.n_clusters is not None and self.n_clusters != "gap":
            check_count(self.n_clusters)
        if self.linkage not in LINKAGES:
            raise WrongUse(f"linkage is {self.linkage!r}; it must be one of {', '.join(LINKAGES)}.")
        X = self._enter(X, reset=True)
        self._fit(X)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Codes:
        """Return the cluster of each row of ``X`` after fitting."""
        return self.fit(X).labels_

    def _fit(self, X: Matrix) -> None:
        n = len(X)
        self.n_connected_components_ = 1
        if self.connectivity is not None:
            Z = self._constrained(X)
        elif isinstance(self.metric, str) and self.metric == "precomputed":
            if self.linkage in ("ward", "centroid", "median"):
                raise WrongUse(f"{self.linkage!r} linkage needs the rows themselves, not a table of distances.")
            check_dissimilarity(X)
            from scipy.spatial.distance import squareform

            Z = linkage(squareform(X, checks=False), self.linkage)
        else:
            Z = linkage(X, self.linkage, self.metric)
        self.linkage_, self.children_, self.distances_ = Z, Z[:, :2].astype(np.intp), Z[:, 2]
        self.n_leaves_ = n
        k = largest_gap(Z) if self.n_clusters == "gap" else self.n_clusters
        self.labels_ = cut(Z, k, height=self.distance_threshold)
        self.n_clusters_ = int(self.labels_.max()) + 1

    def _constrained(self, X: Matrix) -> Matrix:
        from sklearn.cluster import AgglomerativeClustering as Constrained

        model = Constrained(
            None, metric=self.metric, memory=self.memory, connectivity=self.connectivity, linkage=self.linkage,
            distance_threshold=0.0, compute_full_tree=True,
        ).fit(X)  # fmt: skip
        self.n_connected_components_ = model.n_connected_components_
        n = len(X)
        rows = np.ones(2 * n - 1)
        for t, (a, b) in enumerate(model.children_):
            rows[n + t] = rows[a] + rows[b]
        return np.column_stack([np.sort(model.children_, axis=1), model.distances_, rows[n:]])
