r"""Kernel density estimation: a bump on every row.

.. math:: \hat p(x) = \frac1{n h^p} \sum_i K\!\Big(\frac{x - x_i}h\Big).

The bandwidth :math:`h` is chosen by the likelihood that each row has under the bumps of the others,

.. math:: \ell(h) = \sum_i \log \frac1{(n-1) h^p} \sum_{j \ne i} K\!\Big(\frac{x_i - x_j}h\Big),

since under its own bump a row would like :math:`h = 0` best.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.engines.local import in_order
from epee.errors import DataError, SearchWarning, Unavailable, WrongUse
from epee.estimator.base import Density, say
from epee.table.block import refuse_bad_cells
from epee.typing import Matrix, Vector

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")
NEAR = 1e-6  # a squared distance below this part of the squares it is the difference of has lost half of its digits
ROWS = 512  # queries held against all rows at once


class KernelDensity(Density):
    r"""A density :math:`\frac1{n h^p}\sum_i K((x - x_i)/h)`.

    Parameters
    ----------
    bandwidth : float, "scott", "silverman" or "loo", default=1.0
        Width :math:`h` of the bumps; larger is smoother. The words are rules of thumb; "loo" maximises the leave-one-out
        likelihood.
    algorithm, leaf_size, breadth_first, atol, rtol, metric_params :
        Accepted for scikit-learn's sake: the sums here are exact and need no tree.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="gaussian"
        Shape of the bump on each row; all but "gaussian" and "exponential" end at the bandwidth.
    metric : str, default="euclidean"
        The distance, by the names of scikit-learn's ``BallTree``; kernels keep the volume of Euclid's balls, as scikit-learn's do, so for
        another one the density integrates to one only up to a factor.

    Attributes
    ----------
    bandwidth_ : float
    bandwidths_, likelihoods_ : arrays
        What "loo" tried and the mean leave-one-out log-likelihood of a row.

    Notes
    -----
    Keeps the rows; a density costs :math:`O(np)`. Queries may miss cells (NaN): the Gaussian kernel then uses those there.

    References
    ----------
    Silverman, *Density Estimation for Statistics and Data Analysis* (1986).

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 1))
    >>> kde = KernelDensity(bandwidth="loo").fit(X)
    >>> bool(0.05 < kde.bandwidth_ < 0.8)
    True
    """

    state_parts = ("_log_weights",)

    def __init__(
        self, *, bandwidth: Any = 1.0, algorithm: str = "auto", kernel: str = "gaussian", metric: str = "euclidean",
        atol: float = 0, rtol: float = 0, breadth_first: bool = True, leaf_size: int = 40, metric_params: Any = None,
    ) -> None:  # fmt: skip
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        if self.kernel not in KERNELS:
            raise WrongUse(f"kernel is {self.kernel!r}; it must be one of {', '.join(KERNELS)}.")
        self._check_metric()
        keep = slice(None) if w is None else w > 0
        self.X_ = np.asarray(X, dtype=np.float64)[keep]
        self._log_weights = np.full(len(X), -np.log(len(X))) if w is None else np.log(w[keep] / w.sum())
        whole = w is None or bool((w == np.round(w)).all())
        n = float(len(X) if w is None else w.sum() if whole else len(self.X_))
        p = X.shape[1]
        if isinstance(self.bandwidth, str):
            if self.bandwidth == "loo" and len(self.X_) < 2:
                raise DataError("leave-one-out needs at least two rows: n_samples = 1. Give a bandwidth.")
            sd = float(
                np.sqrt(
                    np.cov(self.X_.T, fweights=None, aweights=None if w is None else w[keep])
                    .reshape(p, p)
                    .diagonal()
                    .mean()
                )
            )
            rules = {"scott": n ** (-1 / (p + 4)), "silverman": (n * (p + 2) / 4) ** (-1 / (p + 4))}
            if self.bandwidth in rules:
                self.bandwidth_ = rules[self.bandwidth]
            elif self.bandwidth == "loo":
                self._search(sd if sd > 0 else 1.0, rules["silverman"], n)
            else:
                raise WrongUse(
                    f"bandwidth is {self.bandwidth!r}; it must be a positive number, 'scott', 'silverman' or 'loo'."
                )
        elif self.bandwidth > 0:
            self.bandwidth_ = float(self.bandwidth)
        else:
            raise WrongUse(f"bandwidth is {self.bandwidth!r}; it must be positive.")

    def _check_metric(self) -> None:
        """Refuse a metric that the search of ``algorithm`` does not know: the distances would not obey the triangle inequality."""
        from sklearn.neighbors import BallTree, KDTree

        known = (
            KDTree.valid_metrics
            if self.algorithm == "kd_tree"
            else sorted({*KDTree.valid_metrics, *BallTree.valid_metrics})
        )
        if self.metric not in known:
            raise WrongUse(
                f"invalid metric: '{self.metric}' with algorithm={self.algorithm!r}; it must be one of {', '.join(known)}."
            )

    def _distances2(self, A: Matrix, B: Matrix) -> Matrix:
        """Return squared distances (n, m) by the metric."""
        if self.metric == "euclidean" and not self.metric_params:
            return distances2(A, B)
        from sklearn.metrics import DistanceMetric

        metric = DistanceMetric.get_metric(self.metric, **(self.metric_params or {}))
        squared: Matrix = metric.pairwise(np.ascontiguousarray(A), np.ascontiguousarray(B)) ** 2
        return squared

    def _search(self, sd: float, rule: float, n: float) -> None:
        """Find the bandwidth of largest leave-one-out likelihood on a grid, then between its neighbours."""
        grid = sd * rule * np.geomspace(0.05, 5, 25)
        values = self._leave_one_out(grid, n)
        best = int(np.argmax(values))
        fine = np.geomspace(grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)], 17)
        more = self._leave_one_out(fine, n)
        order = np.argsort(np.append(grid, fine))
        self.bandwidths_, self.likelihoods_ = np.append(grid, fine)[order], np.append(values, more)[order]
        self.bandwidth_ = float(self.bandwidths_[np.argmax(self.likelihoods_)])
        if self.bandwidth_ == self.bandwidths_[0]:
            say(
                f"the likelihood still rises at the smallest bandwidth tried, {self.bandwidth_:.3g}: rows repeat, and their copies "
                "predict them. Give a bandwidth, or weights instead of copies.", SearchWarning,
            )  # fmt: skip

    def _leave_one_out(self, bandwidths: Vector, n: float) -> Vector:
        """Return the mean log-density of a row under the others, for each bandwidth."""
        counts = np.exp(self._log_weights) * n

        def work(i: int) -> np.ndarray:
            rows = np.arange(i, min(i + ROWS, len(self.X_)))
            D = self._distances2(self.X_[rows], self.X_)
            out = np.empty((len(bandwidths), len(rows)))
            others = np.log(np.maximum(counts - (np.arange(len(self.X_)) == rows[:, None]), 1e-300))
            for b, h in enumerate(bandwidths):
                out[b] = logsumexp(self._log_kernel(D, h) + others, axis=1) - np.log(n - 1)
            return out

        parts = np.concatenate(list(in_order(work, range(0, len(self.X_), ROWS))), axis=1)
        return np.where(np.isfinite(parts), parts, -1e300) @ counts / n

    def _log_kernel(self, D: Matrix, h: float, p: int | None = None) -> Matrix:
        """Return log K of squared distances, normalised."""
        p = self.X_.shape[1] if p is None else p
        with np.errstate(divide="ignore"):
            if self.kernel == "gaussian":
                return -0.5 * D / h**2 - p * (np.log(h) + 0.5 * np.log(2 * np.pi))
            u = np.sqrt(D) / h
            inside = {
                "tophat": lambda: np.where(u < 1, 0.0, -np.inf),
                "epanechnikov": lambda: np.log(np.maximum(1 - u**2, 0.0)),
                "exponential": lambda: -u,
                "linear": lambda: np.log(np.maximum(1 - u, 0.0)),
                "cosine": lambda: np.where(u < 1, np.log(np.maximum(np.cos(np.pi * u / 2), 1e-300)), -np.inf),
            }[self.kernel]()
            return inside - log_volume(self.kernel, p) - p * np.log(h)

    def _leave(self, X: Any) -> Matrix:
        check_is_fitted(self)
        X = self._enter(X, reset=False, finite=False)
        if self.kernel != "gaussian" or self.metric != "euclidean" or not np.isnan(X).any():
            refuse_bad_cells(X, getattr(self, "feature_names_in_", None))
        return X

    def _log_density(self, X: Matrix) -> Vector:
        def work(i: int) -> Vector:
            rows = np.asarray(X[i : i + ROWS], dtype=np.float64)
            if np.isnan(rows).any():
                return np.array([logsumexp(self._log_shares(row)) for row in rows])
            return logsumexp(
                self._log_kernel(self._distances2(rows, self.X_), self.bandwidth_) + self._log_weights, axis=1
            )

        return np.concatenate(list(in_order(work, range(0, len(X), ROWS))))

    def _log_shares(self, row: Vector) -> Vector:
        """Return the log of what each bump gives to a row, on the cells that are there."""
        o = ~np.isnan(row)
        D = ((self.X_[:, o] - row[o]) ** 2).sum(axis=1)
        return self._log_kernel(D, self.bandwidth_, int(o.sum())) + self._log_weights

    def impute(self, X: Any) -> Matrix:
        """Return the rows with missing cells filled by their conditional mean; Gaussian kernel only."""
        X = np.array(self._leave(X), dtype=np.float64)
        for i in np.flatnonzero(np.isnan(X).any(axis=1)):
            log_share = self._log_shares(X[i])
            weight = np.exp(log_share - logsumexp(log_share))
            gone = np.isnan(X[i])
            X[i, gone] = weight @ self.X_[:, gone]
        return X

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Matrix:
        """Draw rows: one of the rows learned, plus a draw of the kernel (Gaussian and tophat)."""
        check_is_fitted(self)
        if self.kernel not in ("gaussian", "tophat"):
            raise Unavailable(f"sample can draw from the kernels 'gaussian' and 'tophat', not {self.kernel!r}.")
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
        centre = self.X_[rng.choice(len(self.X_), n_samples, p=np.exp(self._log_weights))]
        step = rng.standard_normal(centre.shape)
        if self.kernel == "tophat":
            p = centre.shape[1]
            step *= (rng.random(n_samples) ** (1 / p) / np.linalg.norm(step, axis=1))[:, None]
        return centre + self.bandwidth_ * step

    def outliers(self, X: Any, level: float = 0.01, *, draws: int = 5_000, random_state: Any = 0) -> np.ndarray:
        r"""Tell which rows are less likely than all but a share ``level`` of the rows learned, each left out of its own density.

        A new row that is like the others has a conformal p-value :math:`(1 + \#\{i : f_{-i}(x_i) \le f(x)\}) / (n + 1)` below ``level`` in
        at most that share of cases, whatever the law; with fewer than :math:`1 / level` rows none is flagged. ``draws`` bounds the rows
        that are left out in turn.
        """
        if not 0 < level < 1:
            raise WrongUse(f"level is {level!r}; it must lie between 0 and 1.")
        density = self.score_samples(X)
        some = np.random.default_rng(random_state).permutation(len(self.X_))[:draws]
        own = self._log_weights[some]
        with np.errstate(divide="ignore"):
            peak = self._log_kernel(np.zeros((1, 1)), self.bandwidth_)[0, 0] + own
            kept = self._log_density(self.X_[some])
            left = np.sort(
                kept + np.log(np.maximum(-np.expm1(np.minimum(peak - kept, 0.0)), 1e-300)) - np.log1p(-np.exp(own))
            )
        p = (1 + np.searchsorted(left, density, side="right")) / (len(left) + 1)
        return p <= level

    def score(self, X: Any, y: Any = None) -> float:
        """Return the total log-density of the rows, as scikit-learn does."""
        return float(self.score_samples(X).sum())


def distances2(A: Matrix, B: Matrix) -> Matrix:
    """Return squared distances (n, m), centred first so that a large mean costs no digits.

    >>> distances2(np.array([[0.0]]), np.array([[3.0], [4.0]]))
    array([[ 9., 16.]])
    """
    if A.shape[1] <= 4:  # exact differences cost little
        return ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2)
    o = B.mean(axis=0)
    A, B = A - o, B - o
    squares = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1)
    D = squares - 2 * (A @ B.T)
    i, j = np.nonzero(NEAR * squares > D)  # what little is left of large squares is taken from the differences
    D[i, j] = ((A[i] - B[j]) ** 2).sum(axis=1)
    return D


def log_volume(kernel: str, p: int) -> float:
    """Return the log of the integral of an unnormalised kernel over the unit ball (or all space) of dimension p."""
    ball = 0.5 * p * np.log(np.pi) - gammaln(0.5 * p + 1)  # log volume of the unit ball
    if kernel == "tophat":
        return float(ball)
    if kernel == "epanechnikov":
        return float(ball + np.log(2 / (p + 2)))
    sphere = np.log(p) + ball  # log area of the unit sphere
    if kernel == "exponential":
        return float(sphere + gammaln(p))
    if kernel == "linear":
        return float(ball - np.log(p + 1))
    from scipy.integrate import quad

    return float(sphere + np.log(quad(lambda r: np.cos(np.pi * r / 2) * r ** (p - 1), 0, 1, epsabs=0, epsrel=1e-13)[0]))
