r"""Robust regression: a line that a few wild values do not move.

.. math:: \min_\beta \; \sum_i w_i\, \rho\!\left(\frac{y_i - \beta_0 - x_i^\top \beta}{s}\right), \tag{1}

with a loss :math:`\rho` that grows slower than the square (:mod:`epee.losses`) and a scale :math:`s`. Reweighted least squares solves it:
each row counts with :math:`\rho'(r)/r` at the residuals of the last fit, and for one :math:`s` (1) never increases. Bounded losses
have several minima, so the start decides: the line of least absolute deviations, which half of the values cannot carry off. The scale is
:math:`1.4826` times the median absolute residual, the standard deviation of Gaussian noise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from epee.errors import ConditionWarning, SearchWarning, SingularProblem, WrongUse
from epee.estimator.base import Regressor, list_columns, say
from epee.losses.location import best_constant
from epee.losses.names import resolve
from epee.losses.residuals import Power
from epee.losses.robust import RobustLoss
from epee.moments.moments import Moments
from epee.predictors.regression.ols import normal_equations
from epee.settings import progress
from epee.solve.cholesky import Cholesky
from epee.solve.minimum_norm import MinimumNorm
from epee.typing import Codes, Matrix, Vector

GAUSSIAN = 1.4826022185056018  # 1 / the third quartile of the normal law


class RobustRegression(Regressor):
    r"""Linear regression under a robust loss, by reweighted least squares.

    Parameters
    ----------
    loss : str or Loss, default="huber"
        "absolute", "l1.5" (any power of at least 1), "huber", "tukey", "welsch", "geman_mcclure", or a loss with its own
        constant such as ``epee.losses.Huber(1.0)``. The last three are bounded: a gross error has no pull at all.
    c : float > 0, default=None
        The loss's constant, in scales: beyond it a residual counts as large, and a larger one is nearer to least squares. None is that
        of 95 % efficiency on Gaussian errors, as in R and statsmodels: 1.345 for "huber", 4.685 "tukey", 2.985 "welsch", 3.787
        "geman_mcclure".
    scale : {"iterated", "mad"} or float > 0, default="iterated"
        :math:`s` in (1): the normalised median of absolute residuals, computed anew at each step as R's ``rlm`` and statsmodels'
        ``RLM`` do; that of the start alone; or given. A larger one trusts larger residuals. Powers need none.
    fit_intercept : bool, default=True
        Learn a constant; False sends the fit through the origin.
    max_iter : int, default=500
        Largest number of weighted fits; a warning says when it was not enough.
    tol : float, default=1e-10
        Stop when no fitted value moves by more than ``tol`` scales.

    Attributes
    ----------
    coef_, intercept_ : array (p,), float
    scale_ : float
    weights_ : array (n,)
        What each row counted in the end, between 0 and 1 for the robust losses: outliers are near 0.
    trace_ : array
        The objective (1) after each step; where the scale stays the same it does not increase.
    n_iter_ : int
    converged_ : bool

    Notes
    -----
    :math:`O(n p^2)` a step, some tens of steps. Outliers in y are resisted up to half of the rows; a far outlier in x pulls the
    start along.

    References
    ----------
    Huber and Ronchetti, *Robust Statistics*, chapter 7.

    Examples
    --------
    >>> x = np.arange(10.0)[:, None]
    >>> y = 2 * x[:, 0] + 1
    >>> y[3] = 1000.0
    >>> model = RobustRegression("tukey").fit(x, y)
    >>> model.coef_.round(6), model.weights_[3]
    (array([2.]), np.float64(0.0))
    """

    def __init__(
        self,
        loss: Any = "huber",
        *,
        c: float | None = None,
        scale: Any = "iterated",
        fit_intercept: bool = True,
        max_iter: int = 500,
        tol: float = 1e-10,
    ) -> None:
        self.loss = loss
        self.c = c
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X: Matrix, y: Vector, w: Vector | None) -> None:
        loss = resolve(self.loss, "regressor")
        if self.c is not None:
            if not isinstance(loss, RobustLoss):
                raise WrongUse(f"c is {self.c!r}, but the loss {loss.name!r} has no constant; leave it None.")
            loss = replace(loss, c=float(self.c))
        if not isinstance(loss, RobustLoss) and not (isinstance(loss, Power) and loss.power >= 1):
            raise WrongUse(f"RobustRegression cannot reweight by the loss {loss.name!r}; use a power of at least 1, 'huber', 'tukey', "
                           "'welsch' or 'geman_mcclure'.")  # fmt: skip
        given = not isinstance(self.scale, str)
        if (given and not (np.isfinite(self.scale) and self.scale > 0)) or (
            not given and self.scale not in ("mad", "iterated")
        ):
            raise WrongUse(f"scale is {self.scale!r}; it must be 'mad', 'iterated' or a positive number.")
        if self.max_iter < 1:
            raise WrongUse(f"max_iter is {self.max_iter}; at least one step is needed.")
        X = np.asarray(X, dtype=np.float64)
        w = np.ones(len(y)) if w is None else w
        self.converged_, self.n_iter_ = True, 0
        shift = np.average(X, axis=0, weights=w) if self.fit_intercept else np.zeros(X.shape[1])
        X = X - shift  # far from the origin a line loses the digits that tell whether it still moves
        first = self._weighted(X, y, w, aloud=True)
        spread = max(float(np.abs(y - self._line(X, first)).max(initial=0.0)), 1e-300)
        if isinstance(loss, Power) and loss.power == 2:
            theta, self.scale_ = first, self._mad(y - self._line(X, first), w)
        else:
            theta = self._powers(X, y, w, first, 1.0 if isinstance(loss, RobustLoss) else loss.power)
            self.scale_ = float(self.scale) if given else self._mad(y - self._line(X, theta), w)
        tiny = 1e-9 * spread + 1e-13 * float(np.abs(y).max(initial=0.0)) + 1e-300
        self.scale_ = max(self.scale_, tiny)
        if isinstance(loss, RobustLoss):
            theta = self._reweight(X, y, w, theta, loss, tiny)
        r = y - self._line(X, theta)
        if isinstance(loss, RobustLoss):
            self.weights_ = loss.weight(r / self.scale_)
        else:
            self.weights_ = np.maximum(np.abs(r), tiny) ** (loss.power - 2)
        self.coef_, self.intercept_ = theta[1:], float(theta[0] - shift @ theta[1:])
        if not self.converged_:
            say(f"reweighting did not settle in {self.max_iter} steps; raise max_iter or tol.", SearchWarning)

    def _mad(self, r: Vector, w: Vector) -> float:
        return GAUSSIAN * best_constant(np.abs(r), 1.0, w)

    def _line(self, X: Matrix, theta: Vector) -> Vector:
        return X @ theta[1:] + theta[0]

    def _weighted(self, X: Matrix, y: Vector, w: Vector, *, aloud: bool = False) -> Vector:
        """Return (intercept, coefficients) of weighted least squares; ``aloud`` says that columns depend on each other."""
        m = Moments.of(X, y, sample_weight=w)
        S, C, _, mean, level = normal_equations(m, self.fit_intercept)
        try:
            factor: Any = Cholesky(S)
            factor = factor if factor.condition < 1e14 else MinimumNorm.of_scatter(S)
        except SingularProblem:
            factor = MinimumNorm.of_scatter(S)
        if aloud and isinstance(factor, MinimumNorm) and factor.rank < X.shape[1] - len(factor.zero):
            say(
                f"{list_columns(factor.dependent(), self)} linearly dependent (rank {factor.rank} of {X.shape[1]}): the coefficients are "
                "not determined, and a short solution is given. Drop one of them.", ConditionWarning,
            )  # fmt: skip
        coef = factor.solve(C[:, 0])
        return np.append(level[0] - mean @ coef, coef)

    def _reweight(self, X: Matrix, y: Vector, w: Vector, theta: Vector, loss: RobustLoss, tiny: float) -> Vector:
        """Return the minimiser of (1) near ``theta``."""
        fitted, trace = self._line(X, theta), []
        for step in range(1, self.max_iter + 1):
            self.n_iter_ = step
            if self.scale == "iterated":
                self.scale_ = max(self._mad(y - fitted, w), tiny)
            weight = w * loss.weight((y - fitted) / self.scale_)
            if not (weight > 0).any():
                raise WrongUse(f"no row is within reach of the loss at scale {self.scale_:g}; give a larger scale.")
            theta = self._weighted(X, y, weight)
            before, fitted = fitted, self._line(X, theta)
            trace.append(float(w @ loss.value(fitted / self.scale_, y / self.scale_)))
            if np.abs(fitted - before).max(initial=0.0) <= self.tol * self.scale_:
                break
        else:
            self.converged_ = False
        self.trace_ = np.array(trace)
        return theta

    def _powers(self, X: Matrix, y: Vector, w: Vector, theta: Vector, power: float) -> Vector:
        """Return the line of least |r|^power: reweighting with a floor under |r| that sinks, then, for power 1, the exact vertex."""
        best, lowest = theta, np.inf
        r = y - self._line(X, theta)
        floor = max(self._mad(r, w), 1e-6 * float(np.abs(r).max(initial=0.0)), 1e-300)
        end = (1e-6 if power == 1 else 1e-10) * floor
        damping = 1.0 if power < 3 else 1 / (power - 1)
        trace = []
        with progress("reweighting", self.max_iter) as tick:
            for step in range(1, self.max_iter + 1):
                self.n_iter_ = step
                fitted = self._line(X, theta)
                weight = w * np.maximum(np.abs(y - fitted), floor) ** (power - 2)
                theta = theta + damping * (self._weighted(X, y, weight / weight.max()) - theta)
                r = y - self._line(X, theta)
                value = float(w @ np.abs(r) ** power)
                if value < lowest:
                    best, lowest = theta, value
                trace.append(lowest)
                tick()
                moved = np.abs(y - r - fitted).max(initial=0.0)
                settled = moved <= max(self.tol * self._mad(r, w), 1e-15 * np.abs(y).max(initial=0.0))
                if (settled and (floor <= end or power >= 2)) or (power == 1 and floor <= end):
                    break
                floor = max(0.6 * floor, end)
            else:
                self.converged_ = power == 1  # the vertex below is exact
        self.trace_ = np.array(trace)
        return self._vertex(X, y, w, best) if power == 1 else best

    def _vertex(self, X: Matrix, y: Vector, w: Vector, theta: Vector) -> Vector:
        """Return the line of least absolute deviations: from the rows nearest to ``theta`` along edges, each to its lowest point.

        A line through k independent rows is the answer when no row of them pulls harder than its weight (Barrodale and Roberts).
        """
        A = np.column_stack([np.ones(len(X)), X]) if self.fit_intercept else X
        k = A.shape[1]
        order = np.argsort(np.where(w > 0, np.abs(y - self._line(X, theta)), np.inf), kind="stable")
        basis = _independent(A, order[w[order] > 0])
        if len(basis) < k:
            return theta
        for _ in range(50 * k + 100):
            B = A[basis]
            b: Any = np.linalg.solve(B, y[basis])
            r = y - A @ b
            r[basis] = 0.0
            pull = np.linalg.solve(B.T, A.T @ (w * np.sign(r)))
            excess = np.abs(pull) - w[basis] * (1 + 1e-9)
            j = int(np.argmax(excess))
            if excess[j] <= 0:
                break
            slope = A @ (np.linalg.solve(B, np.eye(k)[j]) * np.sign(pull[j]))
            step, entering = _lowest_on_edge(r, slope, w)
            if not step > 1e-14 * np.abs(y).max(initial=0.0):
                break
            basis[j] = entering
        exact: Vector = b if self.fit_intercept else np.append(0.0, b)
        better = w @ np.abs(y - self._line(X, exact)) <= (w @ np.abs(y - self._line(X, theta))) * (1 + 1e-9)
        return exact if better else theta

    def _predict(self, X: Matrix) -> Vector:
        return X @ self.coef_ + self.intercept_


def _independent(A: Matrix, order: Codes) -> list[int]:
    """Return the first rows in ``order`` that are linearly independent."""
    chosen: list[int] = []
    axes = np.zeros((0, A.shape[1]))
    for i in order:
        rest = A[i] - axes.T @ (axes @ A[i])
        size = np.linalg.norm(rest)
        if size > 1e-8 * np.linalg.norm(A[i]):
            axes, chosen = np.vstack([axes, rest / size]), [*chosen, int(i)]
            if len(chosen) == A.shape[1]:
                break
    return chosen


def _lowest_on_edge(r: Vector, slope: Vector, w: Vector) -> tuple[float, int]:
    """Return where sum w |r - t slope| is least for t > 0, a weighted median of ratios, and the row met there."""
    use = np.abs(slope) > 1e-12 * np.abs(slope).max(initial=0.0)
    at = np.flatnonzero(use & (w > 0))
    t, mass = r[at] / slope[at], w[at] * np.abs(slope[at])
    order = np.argsort(t, kind="stable")
    place = int(np.searchsorted(np.cumsum(mass[order]), mass.sum() / 2))
    i = order[min(place, len(order) - 1)]
    return float(t[i]), int(at[i])
