r"""Kernel regression.

Every training row speaks, the nearer the louder (Nadaraya 1964, Watson 1964):

.. math:: \hat f(x) = \frac{\sum_i w_i\,K(\|x - x_i\| / h)\, y_i}{\sum_i w_i\,K(\|x - x_i\| / h)}. \tag{1}

The prediction of a training row by the others leaves out its own term, so leave-one-out is exact and costs one fit:

.. math:: \hat f_{-i}(x_i) = \frac{\sum_j w_j K_{ij}\, y_j - K(0)\, y_i}{\sum_j w_j K_{ij} - K(0)}. \tag{2}

Halving :math:`h^2` squares the Gaussian kernel, so that a whole grid of bandwidths takes two exponentials a pair. Where no
row is within reach, :math:`\hat f` is the value of the nearest row, which is also the limit of (1) for the Gaussian.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from epee.engines.local import in_order
from epee.errors import DataError, SearchWarning, WrongUse
from epee.estimator.base import Regressor, say
from epee.estimator.smoother import LinearSmoother
from epee.predictors.neighbours.search import Search
from epee.settings import progress
from epee.typing import ArrayLike, Matrix, Tensor, Vector

TILE = 2**22  # distances worked on at once: 32 MB
KERNELS = ("gaussian", "epanechnikov", "tophat", "linear", "biweight", "tricube", "exponential", "cosine")


def profile(kernel: str, u2: Matrix) -> Matrix:
    """Return a kernel, 1 at the centre, of the squared distances in units of the bandwidth.

    >>> profile("epanechnikov", np.array([0.0, 0.25, 4.0]))
    array([1.  , 0.75, 0.  ])
    """
    if kernel == "gaussian":
        return np.exp(-u2 / 2)
    if kernel == "exponential":
        return np.exp(-np.sqrt(u2))
    inside = u2 < 1
    if kernel == "tophat":
        return (u2 <= 1).astype(float)
    if kernel == "epanechnikov":
        return np.where(inside, 1 - u2, 0.0)
    if kernel == "biweight":
        return np.where(inside, (1 - u2) ** 2, 0.0)
    u = np.sqrt(np.minimum(u2, 1.0))
    if kernel == "linear":
        return 1 - u
    return (1 - u**3) ** 3 if kernel == "tricube" else np.cos(np.pi / 2 * u) * inside


class KernelRegression(LinearSmoother, Regressor):
    r"""A weighted mean of all training rows, the near ones weighing most: equation (1).

    Parameters
    ----------
    bandwidth : float > 0 or "loo", default="loo"
        :math:`h`, in the units of the inputs; a larger one is smoother, and in the limit the mean of all. "loo" takes the
        one with the smallest leave-one-out squared error (2) on a grid of steps of :math:`2^{1/4}`.
    kernel : {"gaussian", "epanechnikov", "tophat", "linear", "biweight", "tricube", "exponential", "cosine"}, default="gaussian"
        The shape of :math:`K`; all but "gaussian" and "exponential" vanish beyond :math:`h`.
    bandwidths : array, default=None
        The grid for "loo"; None spans the distances between rows.

    Attributes
    ----------
    bandwidth_ : float
        The bandwidth in use.
    bandwidths_, loo_ : arrays (B,)
        With "loo", the grid and the leave-one-out mean squared error at each.
    effective_dof_ : float
        The trace of the smoother, :math:`\sum_i K(0) / \sum_j w_j K_{ij}`.

    Notes
    -----
    A fit with "loo" takes :math:`O(n^2 (p + B))`, a prediction :math:`O(np)` a row. Standardise inputs of different units first.

    References
    ----------
    T. Hastie, R. Tibshirani, J. Friedman, *The Elements of Statistical Learning*, 2nd ed., 6.1.

    Examples
    --------
    >>> x = np.linspace(0, 1, 50)[:, None]
    >>> model = KernelRegression(bandwidth=0.05).fit(x, x[:, 0] ** 2)
    >>> model.predict([[0.5]]).round(2)
    array([0.25])
    """

    state_parts = ("_centre", "_rows", "_norms", "_values", "_weights")

    _several_targets = True

    def __init__(self, bandwidth: Any = "loo", *, kernel: str = "gaussian", bandwidths: Any = None) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.bandwidths = bandwidths

    def _fit(self, X: Matrix, y: np.ndarray, w: Vector | None) -> None:
        if self.kernel not in KERNELS:
            raise WrongUse(f"kernel is {self.kernel!r}; it must be one of {', '.join(KERNELS)}.")
        kept = slice(None) if w is None else w > 0
        self._centre = np.average(X.astype(np.float64), axis=0, weights=w)
        self._rows = X[kept].astype(np.float64) - self._centre
        self._norms = np.einsum("ij,ij->i", self._rows, self._rows)
        self._values, self._weights = y[kept], None if w is None else w[kept]
        if self.bandwidth == "loo":
            self.bandwidths_ = self._grid() if self.bandwidths is None else _check(self.bandwidths)
            self._choose()
        else:
            self.bandwidth_ = float(_check([self.bandwidth])[0])

    def _grid(self) -> Vector:
        """Return bandwidths from the distances to neighbours up to the spread of the rows, in steps of 2^(1/4)."""
        places = np.unique(self._rows, axis=0)  # a row given twice is one place, as a row of weight two is
        largest = float(np.linalg.norm(np.ptp(places, axis=0)))
        if len(places) < 2:
            return np.array([1.0])
        some = places[np.linspace(0, len(places) - 1, min(len(places), 500)).astype(int)]
        near = Search(places).nearest(some, 2)[0][:, 1] ** 2
        smallest = max(np.sqrt(np.median(near)) / 2, largest * 1e-6)
        steps = int(np.ceil(4 * np.log2(max(largest / smallest, 2.0))))
        grid: Vector = largest * 2.0 ** (-0.25 * np.arange(steps + 1.0))[::-1]
        return grid

    def _choose(self) -> None:
        if len(self._rows) < 2:
            raise DataError(
                "bandwidth='loo' needs at least two rows (n_samples = 1 or all other weights are zero): give a number."
            )
        left = self._leave_each(self.bandwidths_)  # (B, n, ...)
        errors = ((left - self._values) ** 2).reshape(len(left), len(self._rows), -1).mean(axis=2)
        self.loo_ = np.average(errors, axis=1, weights=self._weights)
        best = int(np.argmin(self.loo_))
        self.bandwidth_ = float(self.bandwidths_[best])
        if len(self.loo_) > 1 and best == 0 and self.loo_[0] < self.loo_[-1]:
            say(f"the smallest bandwidth tried ({self.bandwidth_:g}) has the smallest leave-one-out error: try smaller ones.",
                SearchWarning)  # fmt: skip

    def _squares(self, Q: Matrix, norms: Vector) -> Matrix:
        """Return squared distances (m, n) from centred queries to the rows."""
        D = Q @ self._rows.T
        D *= -2.0
        D += norms[:, None]
        D += self._norms
        return np.maximum(D, 0.0, out=D)

    def _weigh(self, D: Matrix, h: float) -> Matrix:
        """Return the masses (m, n) of the rows, scaled so that the nearest counts 1 where kernels vanish."""
        nearest = D.min(axis=1, keepdims=True)
        if self.kernel == "gaussian":
            K = profile("gaussian", (D - nearest) / h**2)
        elif self.kernel == "exponential":
            K = np.exp((np.sqrt(nearest) - np.sqrt(D)) / h)
        else:
            K = profile(self.kernel, D / h**2)
            alone = ~(K.sum(axis=1) > 0)
            K[alone] = D[alone] <= nearest[alone]
        return K if self._weights is None else K * self._weights

    def _predict(self, X: Matrix) -> Tensor:
        Q = X.astype(np.float64) - self._centre
        step = max(1, TILE // len(self._rows))

        def work(start: int) -> Tensor:
            part = Q[start : start + step]
            K = self._weigh(self._squares(part, np.einsum("ij,ij->i", part, part)), self.bandwidth_)
            return (K @ self._values) / K.sum(axis=1).reshape((-1,) + (1,) * (self._values.ndim - 1))

        return np.concatenate(list(in_order(work, range(0, len(Q), step))))

    def _leave_each(self, bandwidths: Vector) -> Tensor:
        """Return the predictions (2) of every training row for each bandwidth (B, n, ...)."""
        n = len(self._rows)
        Y = self._values.reshape(n, -1)
        step = max(1, min(n, TILE // n))
        out = np.empty((len(bandwidths), n, Y.shape[1]))

        def work(start: int) -> int:
            rows = np.arange(start, min(start + step, n))
            D = self._squares(self._rows[rows], self._norms[rows])
            own = (np.arange(len(rows)), rows)
            weight = np.ones(n) if self._weights is None else self._weights
            left = np.maximum(weight[rows] - 1.0, 0.0)  # one unit of the row goes
            D[own] = np.where(left > 0, 0.0, np.inf)
            nearest = D.min(axis=1, keepdims=True)
            for b, K in self._kernels(D, nearest, bandwidths):
                at = K[own]
                K = K * weight
                K[own] = at * left
                out[b, rows] = (K @ Y) / K.sum(axis=1, keepdims=True)
            return len(rows)

        with progress("leave-one-out", n) as tick:
            for done in in_order(work, range(0, n, step)):
                tick(done)
        return out.reshape(len(bandwidths), *self._values.shape)

    def _kernels(self, D: Matrix, nearest: Matrix, bandwidths: Vector) -> Any:
        """Yield (b, masses) for every bandwidth; Gaussians a factor of sqrt(2) apart are squares of each other."""
        if self.kernel != "gaussian":
            for b, h in enumerate(bandwidths):
                K = (
                    np.exp((np.sqrt(nearest) - np.sqrt(D)) / h)
                    if self.kernel == "exponential"
                    else profile(self.kernel, D / h**2)
                )
                alone = ~(K.sum(axis=1) > 0)
                K[alone] = D[alone] <= nearest[alone]
                yield b, K
            return
        excess = D - nearest
        done: dict[int, Matrix] = {}
        for b in np.argsort(-bandwidths):
            larger = [a for a in done if np.isclose(bandwidths[a] ** 2, 2 * bandwidths[b] ** 2, rtol=1e-12)]
            K = np.exp(-excess / (2 * bandwidths[b] ** 2)) if not larger else np.square(done.pop(larger[0]))
            done = {a: m for a, m in done.items() if bandwidths[a] ** 2 < 2.5 * bandwidths[b] ** 2} | {int(b): K}
            yield int(b), K

    def _settled(self) -> Any:
        if self.bandwidth == "loo" and not hasattr(self, "bandwidth_"):
            raise WrongUse("the bandwidth is chosen from the values: fit the model before its hat matrix, or give one.")
        model = super()._settled()
        return model.set_params(bandwidth=self.bandwidth_) if self.bandwidth == "loo" else model

    @property
    def effective_dof_(self) -> float:
        """The trace of the smoother."""
        step, total = max(1, TILE // len(self._rows)), 0.0
        for start in range(0, len(self._rows), step):
            K = self._weigh(
                self._squares(self._rows[start : start + step], self._norms[start : start + step]), self.bandwidth_
            )
            rows = np.arange(len(K))
            total += float((K[rows, start + rows] / K.sum(axis=1)).sum())
        return total

    def left_out(self, X: Any, y: Any, w: Vector | None = None) -> Tensor:
        """Return the prediction of each row by the model fitted without it, the bandwidth kept."""
        h = self.bandwidth if self.bandwidth != "loo" else getattr(self, "bandwidth_", None)
        if h is None:
            h = clone(self).fit(X, y, sample_weight=w).bandwidth_
        path = self.left_out_path(X, y, w, "bandwidth", [h])
        assert path is not None
        return path[0]

    def left_out_path(self, X: Any, y: Any, w: Vector | None, parameter: str, values: ArrayLike) -> Tensor | None:
        """Return the predictions without the row for each bandwidth (V, n, ...)."""
        if parameter != "bandwidth":
            return None
        model = clone(self).set_params(bandwidth=float(_check(values)[0]))
        X, y, w = model._enter_both(X, y, w)
        model._fit(X, y, None if w is None else np.maximum(w, np.finfo(float).tiny))
        return model._leave_each(_check(values))


def _check(bandwidths: Any) -> Vector:
    try:
        h = np.atleast_1d(np.asarray(bandwidths, dtype=float))
    except (TypeError, ValueError):
        h = np.array([np.nan])
    if h.ndim != 1 or not len(h) or not (np.isfinite(h) & (h > 0)).all():
        raise WrongUse(f"the bandwidth is {bandwidths!r}; it must be a positive number, or 'loo'.")
    return h
