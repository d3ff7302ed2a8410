r"""Smoothing splines: the curve that balances closeness to the data against its own bending.

.. math:: \min_h \; \sum_i w_i (y_i - h(x_i))^2 + \lambda \int h''(t)^2 \, dt. \tag{1}

The minimiser is a natural cubic spline with a knot at every distinct :math:`x_i`. With :math:`Q` the second differences, :math:`R` the
Gram matrix of the hat functions and :math:`W` the weights, Reinsch's equations are banded,

.. math:: (R + \lambda Q^\top W^{-1} Q)\, \gamma = Q^\top y, \qquad g = y - \lambda W^{-1} Q \gamma, \tag{2}

so the fit, the trace of its smoother matrix and every leverage cost :math:`O(n)`. :math:`\lambda \to 0` interpolates,
:math:`\lambda \to \infty` is the regression line: a *generalised* ridge, whose degrees of freedom fall to 2, not to 0.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import stdtrit
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, WrongUse, of_shares
from epee.estimator.base import Regressor
from epee.estimator.smoother import LinearSmoother
from epee.typing import Matrix, Vector


class SmoothingSpline(LinearSmoother, Regressor):
    r"""The natural cubic spline that minimises :math:`\sum_i w_i (y_i - h(x_i))^2 + \lambda \int h''^2`.

    Parameters
    ----------
    lam : float >= 0, default=None
        :math:`\lambda`, in the unit of :math:`x^3`: 0 interpolates, ``numpy.inf`` is the straight line. None chooses it.
    dof : float in (2, n], default=None
        Effective degrees of freedom wanted, in place of ``lam``; more follow the data more closely.
    criterion : {"gcv", "loo"}, default="gcv"
        What chooses :math:`\lambda` when neither is given: generalised or exact leave-one-out cross-validation, closed forms both.

    Attributes
    ----------
    lam_ : float
    effective_dof_ : float
        Trace of the smoother matrix.
    gcv_, loo_ : float
        Both criteria at ``lam_``.
    knots_, values_, second_derivatives_ : arrays
        The spline itself.
    sigma2_ : float
        Estimated noise variance, residual sum of squares over :math:`n - \mathrm{dof}`.

    Notes
    -----
    :math:`O(n)` for each :math:`\lambda` tried, after a sort. Repeated :math:`x` become one knot with their mean and weight.
    Outside the range of :math:`x` the curve goes on as a straight line.

    References
    ----------
    Green and Silverman, *Nonparametric Regression and Generalized Linear Models* (1994), chapter 2.

    Examples
    --------
    >>> x = np.linspace(0, 1, 20)
    >>> line = SmoothingSpline(lam=np.inf).fit(x, 2 * x + 1)
    >>> line.predict([0.5, 2.0]).round(6), line.effective_dof_
    (array([2., 5.]), 2.0)
    """

    state_parts = ("_n", "_w", "_within", "_unit", "_h", "_y")

    def __init__(self, lam: float | None = None, *, dof: float | None = None, criterion: str = "gcv") -> None:
        self.lam = lam
        self.dof = dof
        self.criterion = criterion

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def _enter(self, X: Any, *, reset: bool, finite: bool = True) -> Matrix:
        X = np.asarray(X)[:, None] if np.ndim(X) == 1 else X
        X = super()._enter(X, reset=reset, finite=finite)
        if X.shape[1] != 1:
            raise DataError(f"SmoothingSpline takes one column, and X has {X.shape[1]}. AdditiveSplines takes several.")
        return X

    def _fit(self, X: Matrix, y: Vector, w: Vector | None) -> None:
        self._check()
        x = X[:, 0].astype(np.float64)
        counts = np.ones(len(x)) if w is None else w
        keep = counts > 0
        x, y, counts = x[keep], y[keep], counts[keep]
        knots, where = merge_close(x)
        if len(knots) < 4:
            raise DataError(
                f"x has only {len(knots)} distinct values (n_samples = {len(x)}): a cubic spline needs at least four."
            )
        self._n = float(counts.sum())
        self._w = np.bincount(where, counts)
        mean = np.bincount(where, counts * y) / self._w
        self._within = np.bincount(where, counts * (y - mean[where]) ** 2)
        self._unit = (knots[-1] - knots[0]) / (len(knots) - 1)  # gaps near 1 keep (2) well scaled
        self._h, self._y = np.diff(knots) / self._unit, mean
        self.knots_ = knots
        self._keep(self._choose())

    def _check(self) -> None:
        if self.lam is not None and not self.lam >= 0:
            raise WrongUse(f"lam is {self.lam!r}; it must be a number of at least 0, or infinity.")
        if self.lam is not None and self.dof is not None:
            raise WrongUse("give lam or dof, not both: one follows from the other.")
        if self.criterion not in ("gcv", "loo"):
            raise WrongUse(f"criterion is {self.criterion!r}; it must be 'gcv' or 'loo'.")

    def _choose(self) -> float:
        """Return the penalty in scaled units."""
        from scipy.optimize import brentq, minimize_scalar

        if self.lam is not None:
            return float(self.lam) / self._unit**3
        n = len(self.knots_)
        low, high = -18.0, 8.0 + 4 * np.log10(n)
        if self.dof is not None:
            if not 2 < self.dof <= n:
                raise WrongUse(f"dof is {self.dof!r}; it must be above 2 and at most the {n} distinct values of x.")
            ends = [self._at(10.0**end)[2].sum() - self.dof for end in (low, high)]
            if ends[0] <= 0:
                return 0.0
            return float(10.0 ** brentq(lambda t: self._at(10.0**t)[2].sum() - self.dof, low, high, xtol=1e-10))
        grid = np.arange(low, high + 0.1, 1.0)
        values = [self._criterion(10.0**t) for t in grid]
        best = int(np.argmin(values))
        span = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        found = minimize_scalar(
            lambda t: self._criterion(10.0**t), bounds=span, method="bounded", options={"xatol": 1e-6}
        )
        return float(10.0**found.x if found.fun <= values[best] else 10.0 ** grid[best])

    def _at(self, lam: float) -> tuple[Vector, Vector, Vector]:
        """Return fit, second derivatives and leverages at a penalty."""
        from epee.kernels.spline import smooth

        if np.isinf(lam):
            return self._line()
        return smooth(self._h, self._w, self._y, lam)

    def _line(self) -> tuple[Vector, Vector, Vector]:
        centre = self._w @ self.knots_ / self._n
        t = self.knots_ - centre
        spread = self._w @ t**2
        slope = self._w @ (t * self._y) / spread
        g = self._w @ self._y / self._n + slope * t
        return g, np.zeros_like(g), self._w * (1 / self._n + t**2 / spread)

    def _scores(self, g: Vector, leverage: Vector) -> tuple[float, float, float]:
        """Return residual sum of squares, GCV and LOO."""
        squares = self._within + self._w * (self._y - g) ** 2
        left = 1.0 - leverage / self._w
        rss, room = float(squares.sum()), 1.0 - leverage.sum() / self._n
        if room * self._n < 1e-3 or left.min() < 1e-8:  # next to interpolation both criteria are 0 / 0
            return rss, float("inf"), float("inf")
        return rss, rss / self._n / room**2, float((squares / left**2).sum() / self._n)

    def _criterion(self, lam: float) -> float:
        g, _, leverage = self._at(lam)
        scores = self._scores(g, leverage)
        return scores[1] if self.criterion == "gcv" else scores[2]

    def _keep(self, lam: float) -> None:
        g, gamma, leverage = self._at(lam)
        self.values_, self.second_derivatives_ = g, gamma / self._unit**2
        self.lam_ = lam * self._unit**3
        self.leverages_ = leverage
        self.effective_dof_ = float(leverage.sum())
        rss, self.gcv_, self.loo_ = self._scores(g, leverage)
        room = self._n - self.effective_dof_
        self.sigma2_ = rss / room if room > 1e-8 * self._n else float("nan")

    def _predict(self, X: Matrix) -> Vector:
        from epee.kernels.spline import evaluate

        x = np.ascontiguousarray(X[:, 0], dtype=np.float64)
        out = np.empty(len(x))
        evaluate(x, self.knots_, self.values_, self.second_derivatives_, 0, len(x), out)
        return out

    def predict_interval(self, X: Any, level: float = 0.95, kind: str = "mean") -> Matrix:
        """Return the ends (n, 2) of an interval for the curve ("mean") or for a new value ("prediction") at each x.

        The variance of the curve at a knot is its leverage times the noise variance (Wahba's Bayesian interval); between
        knots it is interpolated.
        """
        X = self._leave(X)
        if not 0 < level < 1:
            raise WrongUse(f"level is {level!r}; it must lie between 0 and 1.")
        if kind not in ("mean", "prediction"):
            raise WrongUse(f"kind is {kind!r}; it must be 'mean' or 'prediction'.")
        if not np.isfinite(self.sigma2_):
            raise DataError(
                "the spline interpolates: no residual degrees of freedom are left to estimate the noise. Raise lam."
                + of_shares(float(self._n))
            )
        variance = self.sigma2_ * np.interp(X[:, 0], self.knots_, self.leverages_ / self._w)
        variance = variance + (self.sigma2_ if kind == "prediction" else 0.0)
        half = stdtrit(self._n - self.effective_dof_, (1 + level) / 2) * np.sqrt(variance)
        centre = self._predict(X)
        return np.column_stack([centre - half, centre + half])

    def left_out(self, X: Matrix, y: Vector, w: Vector | None = None) -> Vector:
        """Return the prediction of each row by the spline, with the same penalty, that did not see it."""
        fitted = SmoothingSpline(lam=self.lam_ if hasattr(self, "lam_") else self.lam)
        fitted = fitted.fit(X, y, sample_weight=w) if fitted.lam is not None else SmoothingSpline(
            dof=self.dof, criterion=self.criterion
        ).fit(X, y, sample_weight=w)  # fmt: skip
        k = np.searchsorted(fitted.knots_, X[:, 0])
        leverage = fitted.leverages_[k] / fitted._w[k]
        return y - (y - fitted.values_[k]) / (1.0 - leverage)

    def _settled(self) -> Any:
        if self.lam is None and self.dof is None and not hasattr(self, "lam_"):
            raise WrongUse("lam is chosen from the values: fit the spline before its hat matrix, or give lam or dof.")
        if self.lam is None and self.dof is None:
            return SmoothingSpline(lam=self.lam_)
        return super()._settled()

    def plot(self, X: Any = None, y: Any = None, ax: Any = None, *, level: float = 0.95) -> Any:
        """Draw the curve with its band, over the rows when they are given."""
        from epee.figures.splines import draw_spline

        check_is_fitted(self)
        return draw_spline(self, X, y, ax, level)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the curve from ``X`` (n,) or (n, 1) and ``y`` (n,); weights are counts."""
        return super().fit(X, y, sample_weight)


def merge_close(x: Vector) -> tuple[Vector, np.ndarray]:
    """Return the distinct values of x and which one each row has; values much closer than usual count as one.

    Gaps below a thousandth of the mean gap would make (2) ill-conditioned for nothing.

    >>> merge_close(np.array([0.0, 1.0, 1.0 + 1e-9, 2.0]))[1]
    array([0, 1, 1, 2])
    """
    knots, where = np.unique(x, return_inverse=True)
    if len(knots) < 2:
        return knots, where
    gap = 1e-3 * (knots[-1] - knots[0]) / (len(knots) - 1)
    apart = np.concatenate([[True], np.diff(knots) > gap])
    if apart.all():
        return knots, where
    return knots[apart], (np.cumsum(apart) - 1)[where]
