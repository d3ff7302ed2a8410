r"""k-medoids: partitioning around medoids (PAM).

Each cluster is represented by one of the rows, its *medoid*, so any dissimilarity :math:`d` will do:

.. math:: J = \sum_{i=1}^n w_i \min_{m \in M} d(i, m), \qquad M \subset \{1, \dots, n\},\ |M| = K. \tag{1}

BUILD adds, one at a time, the medoid that lowers :math:`J` most; SWAP exchanges a medoid for another row while that lowers
:math:`J`, and ends where no single exchange helps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.errors import DataError, SearchWarning, TooLarge, WrongUse
from epee.estimator.base import LARGEST_SIDE, Clusterer, say
from epee.settings import progress
from epee.structure.kmeans_starts import as_generator, check_count, chunks, refuse_too_many
from epee.table.arrays import ArraySource
from epee.typing import Codes, Matrix, Vector


class KMedoids(Clusterer):
    r"""The :math:`K` rows nearest to all others: smallest :math:`J = \sum_i w_i \min_{m \in M} d(i, m)`, by BUILD and SWAP.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of medoids :math:`K`; more lower :math:`J`.
    metric : str or callable, default="euclidean"
        Dissimilarity :math:`d`: a name that ``scipy.spatial.distance.cdist`` knows, a function of two rows, or "precomputed", with which
        ``fit`` takes the table (n, n) itself.
    init : {"build", "random"} or array of K row numbers, default="build"
        Start of SWAP. BUILD costs :math:`O(K n^2)` and starts close to the end; "random" is quicker when K is large.
    max_iter : int, default=100
        Largest number of rounds over all candidates.
    random_state : int, RandomState, Generator or None
        Seed of "random".

    Attributes
    ----------
    medoid_indices_ : array (K,)
        Row numbers of the medoids.
    cluster_centers_ : array (K, p)
        The medoids, unless "precomputed".
    labels_ : array (n,)
    inertia_ : float
        :math:`J`, a sum of dissimilarities, not of squares.
    n_iter_ : int
        Rounds over the candidates.
    trace_ : array
        :math:`J` at the start and after each swap.

    Notes
    -----
    The table of dissimilarities takes :math:`8 n^2` bytes, and a round of swaps :math:`O(n^2)` whatever :math:`K`. Rows of weight 0 are
    not taken for medoids.

    References
    ----------
    Kaufman and Rousseeuw, *Finding Groups in Data*, chapter 2; Schubert and Rousseeuw, Fast and eager k-medoids clustering, 2021.

    Examples
    --------
    >>> km = KMedoids(2).fit([[1.0], [2.0], [3.0], [10.0], [11.0], [90.0]])
    >>> km.labels_, km.inertia_
    (array([0, 0, 0, 0, 0, 1]), 18.0)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        metric: Any = "euclidean",
        *,
        init: Any = "build",
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        k = check_count(self.n_clusters)
        rounds = check_count(self.max_iter, "max_iter")
        if len(X) > LARGEST_SIDE:
            raise TooLarge(
                f"{len(X)} rows need a table of dissimilarities of {8 * len(X) ** 2 / 1e9:.0f} GB, and the largest allowed is of "
                f"{LARGEST_SIDE} rows. Take a sample of the rows, or KMeans."
            )
        pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        if pairwise:
            check_dissimilarity(X)
            if k > len(X):
                raise DataError(
                    f"n_clusters is {k}, but there are only {len(X)} rows (n_samples={len(X)}): ask for at most {len(X)} clusters."
                )
        else:
            refuse_too_many(ArraySource(X, weight=w), k)
        D = X if pairwise else between(X, X, self.metric)
        D = np.ascontiguousarray(D)
        weights = np.ones(len(X)) if w is None else w
        medoids = self._start(D, weights, k)
        medoids, labels, distance, self.trace_, self.n_iter_ = pam(D, weights, medoids, rounds)
        order = (
            np.argsort(medoids) if pairwise else np.lexsort(X[medoids].T[::-1])
        )  # numbered whatever the order of the rows
        self.medoid_indices_, self.labels_ = medoids[order], np.argsort(order)[labels]
        self.inertia_ = float(weights @ distance)
        if not pairwise:
            self.cluster_centers_ = X[self.medoid_indices_].copy()

    def _start(self, D: Matrix, w: Vector, k: int) -> Codes:
        if isinstance(self.init, str):
            if self.init == "build":
                return build(D, w, k)
            if self.init == "random":
                rows = np.flatnonzero(w > 0)
                return as_generator(self.random_state).choice(rows, k, replace=False)
            raise WrongUse(f"init is {self.init!r}; it must be 'build', 'random' or an array of row numbers.")
        rows = np.array(self.init, dtype=np.intp)
        if rows.shape != (k,) or len(np.unique(rows)) != k or rows.min() < 0 or rows.max() >= len(D):
            raise WrongUse(f"init must hold {k} different row numbers between 0 and {len(D) - 1}.")
        return rows

    def predict(self, X: Any) -> Codes:
        """Return the nearest medoid of each row; with "precomputed", ``X`` (m, n) holds dissimilarities to the rows of the fit."""
        X = self._leave(X)
        if isinstance(self.metric, str) and self.metric == "precomputed":
            return np.argmin(X[:, self.medoid_indices_], axis=1)
        return np.argmin(between(X, self.cluster_centers_, self.metric), axis=1)


def between(X: Matrix, Y: Matrix, metric: Any) -> Matrix:
    """Return the dissimilarities of the rows of two tables (n, m), by threads.

    >>> between(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]), "euclidean")
    array([[5.]])
    """
    from scipy.spatial.distance import cdist

    out = np.empty((len(X), len(Y)))

    def work(s: slice) -> None:
        out[s] = cdist(X[s], Y, metric)

    try:
        for _ in in_order(work, chunks(len(X), 256)):
            pass
    except (ValueError, TypeError) as error:
        raise WrongUse(
            f"metric is {metric!r}: {error}. Give a name that scipy's cdist knows, a function, or 'precomputed'."
        ) from error
    if not np.isfinite(out).all():
        i, j = np.argwhere(~np.isfinite(out))[0]
        raise DataError(f"the dissimilarity {metric!r} of rows {i} and {j} is {out[i, j]}; it must be a finite number.")
    return out


def check_dissimilarity(D: Matrix) -> None:
    """Say what keeps a table from being a dissimilarity: square, symmetric, nothing negative, zero on the diagonal."""
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise DataError(
            f"Distance matrix should be square, got matrix of shape {D.shape}. With rows of features choose a metric."
        )
    if (D < 0).any():
        i, j = np.argwhere(D < 0)[0]
        raise DataError(
            f"the dissimilarity of rows {i} and {j} is {D[i, j]:g}: Negative values in data; they must be at least 0."
        )
    diagonal = np.flatnonzero(np.diagonal(D) != 0)
    if len(diagonal):
        i = diagonal[0]
        raise DataError(
            f"the dissimilarity of row {i} to itself is {D[i, i]:g}; it must be 0. A similarity s may become max(s) - s."
        )
    size = float(D.max(initial=0.0))
    for s in chunks(len(D), 512):
        gap = np.abs(D[s] - D[:, s].T)
        if (gap > 1e-8 * size).any():
            i, j = np.argwhere(gap > 1e-8 * size)[0]
            i += s.start
            raise DataError(
                f"the dissimilarities of rows {i} and {j} are {D[i, j]:g} and {D[j, i]:g}: the table must be symmetric. "
                "Take (D + D.T) / 2 if both are measures of the same thing."
            )


def build(D: Matrix, w: Vector, k: int) -> Codes:
    """Return k medoids, each chosen to lower the cost most given those before it.

    >>> build(np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))), np.ones(5), 1)
    array([2])
    """
    from epee.kernels.cluster_medoids import build_gains

    n = len(D)
    near = D.max(axis=0).astype(np.float64)  # the first medoid is that of smallest total
    gain = np.empty(n)
    chosen: list[int] = []
    parts = chunks(n, 512)

    def work(s: slice) -> None:
        build_gains(D, w, near, s.start, min(s.stop, n), gain)

    for _ in range(k):
        for _ in in_order(work, parts):
            pass
        gain[w == 0] = -np.inf
        gain[chosen] = -np.inf
        chosen.append(int(np.argmax(gain)))
        near = np.minimum(near, D[chosen[-1]])
    return np.array(chosen, dtype=np.intp)


def pam(D: Matrix, w: Vector, start: Codes, rounds: int) -> tuple[Codes, Codes, Vector, Vector, int]:
    """Swap medoids until no single exchange lowers the cost.

    Returns the medoids, the label and dissimilarity of each row, the trace of the cost and the rounds used.
    """
    from epee.kernels.cluster_medoids import swap_until_settled, two_medoids

    n, medoids = len(D), start.astype(np.int64)
    first, second, d1, d2 = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n), np.empty(n)
    two_medoids(D, medoids, first, second, d1, d2)
    if len(medoids) == 1:
        d2[:] = D.max()  # giving up the only medoid: the same constant for every candidate that replaces it
    taken = w == 0
    taken[medoids] = True
    costs = [float(w @ d1)]
    tol, at, used, settled = 1e-12 * costs[0], 0, 0, False
    with progress("k-medoids rounds", rounds) as tick:
        while not settled and used < rounds * n:
            changes = np.zeros(n)
            at, tried, swaps, settled = swap_until_settled(
                D, w, medoids, taken, first, second, d1, d2, at, n, tol, changes
            )
            used += tried
            costs += (costs[-1] + np.cumsum(changes[:swaps])).tolist()
            tick()
    if not settled and used >= rounds * n and rounds > 1:
        say(f"k-medoids stopped after max_iter={rounds} rounds and could still improve; raise max_iter.", SearchWarning)
    return medoids, first, d1, np.array(costs), -(-used // n)
