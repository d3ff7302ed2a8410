r"""Mean shift.

Each seed climbs to a mode of the density by moving to the mean of the rows around it,

.. math:: x \leftarrow m(x) = \frac{\sum_i w_i\, \kappa(\|x - x_i\| / h)\, x_i}{\sum_i w_i\, \kappa(\|x - x_i\| / h)}, \tag{1}

with the flat kernel :math:`\kappa(u) = 1_{u \le 1}` or the Gaussian :math:`\kappa(u) = e^{-u^2/2}`, under which the kernel density at
:math:`x` never falls. Modes that lie close are one. There is no number of clusters to give, only a bandwidth :math:`h`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.estimator.base import Clusterer, say
from epee.settings import progress
from epee.structure.kmeans_blocks import nearest_centres
from epee.structure.kmeans_starts import check_count, chunks
from epee.table.block import refuse_bad_cells
from epee.typing import Codes, Matrix, Vector

REACH = 7.0  # of the Gaussian kernel, in bandwidths: weights below 3e-11 are left out


class MeanShift(Clusterer):
    r"""Climb from every row to a mode of the density: :math:`x \leftarrow m(x)`, the mean of the rows within a bandwidth :math:`h`.

    Parameters
    ----------
    bandwidth : float > 0 or None, default=None
        Width :math:`h` of the kernel; a larger one gives fewer clusters. None takes the mean distance of a row to the nearest 30 %
        of all rows, which costs :math:`O(n^2)`.
    seeds : array (s, p), default=None
        Where to start from; None is every row.
    bin_seeding : bool, default=False
        Start from the corners of a grid of side :math:`h` that have rows near them: fewer seeds, quicker.
    min_bin_freq : int, default=1
        Rows that a corner needs; more leave out sparse places.
    cluster_all : bool, default=True
        Give every row to the nearest mode; otherwise rows farther than :math:`h` from all modes get the label -1.
    n_jobs : int, default=None
        Accepted for scikit-learn's sake; ``epee.options.threads`` says how many threads work.
    max_iter : int, default=300
        Most moves of a seed.
    kernel : {"flat", "gaussian"}, default="flat"
        Flat is scikit-learn's; Gaussian is smooth, so close modes are told apart better, and slower.

    Attributes
    ----------
    cluster_centers_ : array (K, p)
        Modes, the one with most rows around it first.
    labels_ : array (n,)
    bandwidth_ : float
    n_iter_ : int
        Moves of the seed that made most.

    Notes
    -----
    A move with the flat kernel scans the rim of a ball only, some :math:`n^{1-1/p}` rows; with the Gaussian, all rows within 7 bandwidths.
    Modes closer than :math:`h` (flat) or :math:`h/2` (Gaussian) to a denser one are dropped.

    References
    ----------
    Comaniciu and Meer, Mean shift: a robust approach toward feature space analysis, 2002.

    Examples
    --------
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> MeanShift(bandwidth=2).fit(X).labels_
    array([1, 1, 1, 0, 0, 0])
    """

    def __init__(
        self, *, bandwidth: float | None = None, seeds: Any = None, bin_seeding: bool = False, min_bin_freq: int = 1,
        cluster_all: bool = True, n_jobs: int | None = None, max_iter: int = 300, kernel: str = "flat",
    ) -> None:  # fmt: skip
        self.bandwidth = bandwidth
        self.seeds = seeds
        self.bin_seeding = bin_seeding
        self.min_bin_freq = min_bin_freq
        self.cluster_all = cluster_all
        self.n_jobs = n_jobs
        self.max_iter = max_iter
        self.kernel = kernel

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        if self.kernel not in ("flat", "gaussian"):
            raise WrongUse(f"kernel is {self.kernel!r}; it must be 'flat' or 'gaussian'.")
        check_count(self.max_iter, "max_iter")
        if self.bandwidth is not None and not 0 < self.bandwidth < np.inf:
            raise WrongUse(f"bandwidth is {self.bandwidth!r}; it must be a number above 0, or None to estimate it.")
        rows = X.astype(np.float64)
        weights = np.ones(len(X)) if w is None else w
        there = weights > 0
        rows, weights = rows[there], weights[there]
        h = estimate_bandwidth(rows, weights) if self.bandwidth is None else float(self.bandwidth)
        if not h > 0:
            say("the estimated bandwidth is 0, since each row has copies of itself in 30 % of the rows: every distinct row is a cluster. "
                "Give a bandwidth above 0.")  # fmt: skip
            h = 1e-9 * float(np.abs(rows - rows[0]).max()) or 1.0
        self.bandwidth_ = h
        ends, mass, steps = climb(rows, weights, self._seeds(rows, weights, h), h, self.kernel, self.max_iter)
        self.n_iter_ = int(steps.max(initial=0))
        if not (mass > 0).any():
            raise DataError(
                f"No point was within bandwidth={h:g} of any seed. Give other seeds, or a larger bandwidth."
            )
        self.cluster_centers_ = modes(ends[mass > 0], mass[mass > 0], h if self.kernel == "flat" else h / 2)
        self.labels_ = self._allocate(X)

    def _seeds(self, rows: Matrix, w: Vector, h: float) -> Matrix:
        if self.seeds is not None:
            seeds = np.array(self.seeds, dtype=np.float64)
            if seeds.ndim != 2 or seeds.shape[1] != rows.shape[1]:
                raise WrongUse(f"seeds has shape {seeds.shape}; it must hold rows of {rows.shape[1]} columns.")
            refuse_bad_cells(seeds, what="seeds")
            return seeds
        if not self.bin_seeding:
            return rows.copy()
        corners, which = np.unique(np.round(rows / h), axis=0, return_inverse=True)
        enough = np.bincount(which.reshape(-1), weights=w) >= self.min_bin_freq
        if not enough.any():
            raise WrongUse(f"no corner of the grid has min_bin_freq={self.min_bin_freq} rows near it; ask for fewer.")
        if len(corners) == len(rows):
            say(f"every row has a corner of the grid of side {h:g} of its own: the rows are taken as seeds.")
            return rows.copy()
        return corners[enough] * h

    def _allocate(self, X: Matrix) -> Codes:
        labels, squared = nearest_centres(X, self.cluster_centers_)
        labels = labels.astype(np.int64)
        if not self.cluster_all:
            labels[np.sqrt(squared) > self.bandwidth_] = -1
        return labels

    def predict(self, X: Any) -> Codes:
        """Return the nearest mode of each row (n,)."""
        return nearest_centres(self._leave(X), self.cluster_centers_)[0].astype(np.int64)


def climb(X: Matrix, w: Vector, seeds: Matrix, h: float, kernel: str, max_iter: int) -> tuple[Matrix, Vector, Codes]:
    """Move each seed until it stops; return where it stands, the weight of the rows around it and its moves.

    >>> ends, mass, _ = climb(np.array([[0.0], [1.0], [9.0]]), np.ones(3), np.array([[0.2]]), 2.0, "flat", 300)
    >>> ends, mass
    (array([[0.5]]), array([2.]))
    """
    from epee.kernels.cluster_shift import node_sums, shift_seeds
    from epee.kernels.cluster_tree import build_tree

    centre = X.mean(axis=0)
    order, P, _, span, box, _ = build_tree(X - centre, w)
    weights = w[order]
    total, sums = node_sums(P, weights, span)
    ends, mass, steps = seeds - centre, np.empty(len(seeds)), np.empty(len(seeds), dtype=np.int64)
    gaussian = kernel == "gaussian"
    reach, tol = (REACH * h, 1e-5 * h) if gaussian else (h, 1e-3 * h)

    def work(s: slice) -> None:
        shift_seeds(ends[s], P, weights, span, box, total, sums, h, reach, gaussian, tol, max_iter, mass[s], steps[s])

    parts = chunks(len(seeds), 256)
    with progress("mean shift", len(parts)) as tick:
        for _ in in_order(work, parts):
            tick()
    return ends + centre, mass, steps


def modes(ends: Matrix, mass: Vector, apart: float) -> Matrix:
    """Return the ends that no heavier end lies within ``apart`` of, heaviest first.

    >>> modes(np.array([[0.0], [0.1], [5.0]]), np.array([2.0, 3.0, 1.0]), 1.0)
    array([[0.1],
           [5. ]])
    """
    first = np.unique(np.column_stack([mass, ends]), axis=0, return_index=True)[1]
    ends = ends[first[::-1]]  # by mass, then by coordinates, the largest first
    kept: list[int] = []
    left = np.arange(len(ends))
    while len(left):
        kept.append(int(left[0]))
        d = np.sqrt(((ends[left] - ends[left[0]]) ** 2).sum(axis=1))
        left = left[d > apart]
    return ends[kept]


def estimate_bandwidth(X: Matrix, w: Vector, quantile: float = 0.3) -> float:
    """Return the mean distance from a row to the nearest ``quantile`` of all rows, itself included.

    >>> estimate_bandwidth(np.array([[0.0], [1.0], [2.0], [3.0]]), np.ones(4), 0.5)
    1.0
    """
    from scipy.spatial.distance import cdist

    need = max(int(w.sum() * quantile), 1)
    equal = bool((w == 1).all())

    def work(s: slice) -> float:
        D = cdist(X[s], X)
        if equal:
            reach = np.partition(D, need - 1, axis=1)[:, need - 1]
        else:
            order = np.argsort(D, axis=1)
            reached = np.argmax(np.cumsum(w[order], axis=1) >= need * (1 - 1e-12), axis=1)
            reach = np.take_along_axis(D, np.take_along_axis(order, reached[:, None], axis=1), axis=1)[:, 0]
        return float(w[s] @ reach)

    return float(np.sum(list(in_order(work, chunks(len(X), 256)))) / w.sum())
