r"""Dynamic clouds (nuées dynamiques): k-means with other representatives than points.

Each class has a *kernel* :math:`L_k` of some kind and rows have a dissimilarity :math:`D(x, L)` to it. Alternate allocation to the best
kernel and the best kernel of each class,

.. math:: L_k = \arg\min_L \sum_{i \in k} w_i D(x_i, L), \qquad J = \sum_i w_i \min_k D(x_i, L_k), \tag{1}

neither of which raises :math:`J`. With the moments :math:`n_k, \mu_k, \Sigma_k` of a class the kernels are

- *point*: :math:`\mu_k`, with :math:`D = \|x - \mu\|^2`: k-means;
- *line*: the axis through :math:`\mu_k` along the first eigenvector :math:`u` of :math:`\Sigma_k`, with
  :math:`D = \|x - \mu\|^2 - (u^\top (x - \mu))^2`;
- *mahalanobis*: :math:`\mu_k` and :math:`M_k = |\Sigma_k|^{1/p}\, \Sigma_k^{-1}`, of determinant 1, with
  :math:`D = (x - \mu)^\top M (x - \mu)`: clouds of any shape and the same volume;
- *gaussian*: the law :math:`\pi_k \mathcal N(\mu_k, \Sigma_k)`, with :math:`D = -2 \log` of it: classification EM.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import WrongUse
from epee.estimator.base import Clusterer
from epee.moments.moments import Moments
from epee.settings import progress
from epee.structure.kmeans_blocks import nearest_centres
from epee.structure.kmeans_starts import as_generator, check_count, plus_plus, refuse_too_many
from epee.table.arrays import ArraySource
from epee.typing import Codes, Matrix, Tensor, Vector

KERNELS = ("point", "line", "mahalanobis", "gaussian")


class DynamicClouds(Clusterer):
    r"""Classes around kernels of a chosen kind: smallest :math:`J = \sum_i w_i \min_k D(x_i, L_k)`, by alternation.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of classes; more lower :math:`J`.
    kernel : {"point", "line", "mahalanobis", "gaussian"}, default="point"
        What represents a class.
    n_init : int, default=10
        Starts, of which that with the lowest :math:`J` is kept.
    max_iter : int, default=300
        Most alternations of a start.
    floor : float, default=1e-6
        Smallest variance of a class in any direction, as a share of the mean variance of the columns; keeps a class from
        collapsing onto a few rows under "mahalanobis" and "gaussian". Larger makes the clouds rounder.
    random_state : int, RandomState, Generator or None
        Seed of the starts, by k-means++ and, but for "point", by lines through random pairs of rows too.

    Attributes
    ----------
    cluster_centers_ : array (K, p)
    axes_ : array (K, p)
        Directions of "line".
    covariances_ : array (K, p, p)
        Of "mahalanobis" and "gaussian".
    labels_ : array (n,)
    inertia_ : float
        :math:`J`.
    trace_ : array
        :math:`J` after each allocation of the best start.
    n_iter_ : int

    Notes
    -----
    :math:`O(nKp)` an alternation for points and lines, :math:`O(nKp^2)` for the others. The floor may raise :math:`J` by its own measure
    where it binds.

    References
    ----------
    Diday, Une nouvelle méthode en classification automatique et reconnaissance des formes: la méthode des nuées dynamiques, 1971.

    Examples
    --------
    >>> t = np.arange(6.0)
    >>> X = np.vstack([np.column_stack([t, 0 * t]), np.column_stack([0 * t + 2.5, t + 1])])  # two lines that cross
    >>> DynamicClouds(2, kernel="line", random_state=0).fit(X).inertia_ < 1e-9
    True
    """

    state_parts = ("_least", "_kernels")

    def __init__(
        self, n_clusters: int = 8, *, kernel: str = "point", n_init: int = 10, max_iter: int = 300, floor: float = 1e-6,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.n_init = n_init
        self.max_iter = max_iter
        self.floor = floor
        self.random_state = random_state

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        k = check_count(self.n_clusters)
        tries, most = check_count(self.n_init, "n_init"), check_count(self.max_iter, "max_iter")
        if self.kernel not in KERNELS:
            raise WrongUse(f"kernel is {self.kernel!r}; it must be one of {', '.join(KERNELS)}.")
        if not self.floor > 0:
            raise WrongUse(f"floor is {self.floor!r}; it must be above 0.")
        refuse_too_many(ArraySource(X, weight=w), k)
        rows = np.ascontiguousarray(X, dtype=np.float64)
        self._least = self.floor * max(
            float(Moments.of(rows, sample_weight=w, scatter="diagonal").covariance().mean()), 1e-300
        )
        rng = as_generator(self.random_state)
        best: tuple[float, Any] | None = None
        with progress("dynamic clouds", tries) as tick:
            for t in range(tries):
                run = self._run(rows, w, self._start(rows, w, k, rng, t), most)
                if best is None or run[1][-1] < best[0]:
                    best = (run[1][-1], run)
                tick()
        assert best is not None
        (mean, sigma, share), trace = best[1]
        self.cluster_centers_ = mean
        if self.kernel == "line":
            self.axes_ = first_axes(sigma)
        elif self.kernel != "point":
            self.covariances_ = sigma
        self._kernels = (mean, sigma, share)
        D = self._dissimilarity(rows, *self._kernels)
        self.labels_ = D.argmin(axis=1)
        self.inertia_ = float((D.min(axis=1) * (1.0 if w is None else w)).sum())
        self.trace_, self.n_iter_ = np.array(trace), len(trace)

    def _start(self, X: Matrix, w: Vector | None, k: int, rng: np.random.Generator, t: int) -> Codes:
        """Return first labels: nearest k-means++ centres, or, every other time for kernels with a shape, nearest random lines."""
        if self.kernel == "point" or t % 2 == 0:
            return nearest_centres(X, X[plus_plus(X, w, k, rng)])[0].astype(np.intp)
        ends = X[rng.choice(len(X), (k, 2), p=None if w is None else w / w.sum())]  # (k, 2, p)
        step = ends[:, 1] - ends[:, 0]
        step = np.where((step**2).sum(axis=1, keepdims=True) > 0, step, rng.normal(size=step.shape))
        step /= np.sqrt((step**2).sum(axis=1, keepdims=True))
        D = np.stack([((X - a) ** 2).sum(axis=1) - ((X - a) @ u) ** 2 for a, u in zip(ends[:, 0], step)], axis=1)
        return D.argmin(axis=1)

    def _run(self, X: Matrix, w: Vector | None, labels: Codes, most: int) -> tuple[Any, list[float]]:
        weights = np.ones(len(X)) if w is None else w
        k = self.n_clusters
        trace: list[float] = []
        for _ in range(most):
            labels = fill_empty(X, weights, labels, k)
            kernels = self._represent(X, weights, labels, k)
            D = self._dissimilarity(X, *kernels)
            new = D.argmin(axis=1)
            trace.append(float(weights @ D[np.arange(len(X)), new]))
            stuck = len(trace) > 1 and trace[-1] >= trace[-2]  # where the floor binds, classes may swap a row for ever
            if stuck or (new == labels).all():
                break
            labels = new
        return kernels, trace

    def _represent(self, X: Matrix, w: Vector, labels: Codes, k: int) -> tuple[Matrix, Tensor, Vector]:
        """Return mean, covariance and share of each class; the second is empty for points."""
        m = Moments.of(X, sample_weight=w, group=labels, groups=k, scatter=None if self.kernel == "point" else "full")
        if self.kernel == "point":
            return m.mean, np.empty((k, 0, 0)), m.frequencies
        sigma = m.covariance()
        if self.kernel != "line":
            values, vectors = np.linalg.eigh(sigma)
            sigma = (vectors * np.maximum(values, self._least)[:, None, :]) @ vectors.swapaxes(1, 2)
        return m.mean, sigma, m.frequencies

    def _dissimilarity(self, X: Matrix, mean: Matrix, sigma: Tensor, share: Vector) -> Matrix:
        """Return D (n, K)."""
        k, p = mean.shape
        out = np.empty((len(X), k))
        axes = first_axes(sigma) if self.kernel == "line" else None
        for j in range(k):
            B = X - mean[j]
            if self.kernel == "point":
                out[:, j] = (B**2).sum(axis=1)
            elif axes is not None:
                along = B @ axes[j]
                out[:, j] = ((B - along[:, None] * axes[j]) ** 2).sum(axis=1)
            else:
                L = np.linalg.cholesky(sigma[j])
                half = np.linalg.solve(L, B.T)
                logdet = 2.0 * np.log(np.diagonal(L)).sum()
                squared = (half**2).sum(axis=0)
                if self.kernel == "mahalanobis":
                    out[:, j] = squared * np.exp(logdet / p)
                else:
                    out[:, j] = squared + logdet + p * np.log(2 * np.pi) - 2.0 * np.log(max(share[j], 1e-300))
        return out

    def predict(self, X: Any) -> Codes:
        """Return the class of the best kernel for each row (n,)."""
        return self._dissimilarity(self._leave(X).astype(np.float64), *self._kernels).argmin(axis=1)


def first_axes(sigma: Tensor) -> Matrix:
    """Return the first eigenvector of each covariance (K, p), its largest entry positive."""
    u = np.linalg.eigh(sigma)[1][:, :, -1]
    sign = np.sign(np.take_along_axis(u, np.abs(u).argmax(axis=1)[:, None], axis=1))
    return u * sign


def fill_empty(X: Matrix, w: Vector, labels: Codes, k: int) -> Codes:
    """Give each class without weight the row farthest from the mean of the heaviest class.

    >>> fill_empty(np.array([[0.0], [1.0], [5.0]]), np.ones(3), np.array([0, 0, 0]), 2)
    array([0, 0, 1])
    """
    count = np.bincount(labels, weights=w, minlength=k)
    for j in np.flatnonzero(count <= 0):
        labels = labels.copy()
        heavy = np.flatnonzero((labels == np.argmax(count)) & (w > 0))
        middle = np.average(X[heavy], axis=0, weights=w[heavy])
        i = heavy[np.argmax(((X[heavy] - middle) ** 2).sum(axis=1))]
        count[labels[i]] -= w[i]
        labels[i], count[j] = j, w[i]
    return labels
