r"""What least squares says about itself: variances, intervals, tests.

With :math:`a = (1, x)` and the design :math:`A`, Gaussian noise gives

.. math:: \hat\theta \sim \mathcal N\bigl(\theta, \sigma^2 (A^\top A)^{-1}\bigr), \qquad
          \hat\sigma^2_{ML} = \frac{RSS}{n}, \qquad s^2 = \frac{RSS}{n - k}, \qquad
          \frac{\hat\theta_j - \theta_j}{s\sqrt{(A^\top A)^{-1}_{jj}}} \sim t_{n-k}, \tag{1}

with :math:`k` parameters; the mean at :math:`a_0` is known up to :math:`s\sqrt{a_0^\top (A^\top A)^{-1} a_0}`, a new value there
up to :math:`s\sqrt{1 + a_0^\top (A^\top A)^{-1} a_0}`. With centred inputs
:math:`a_0^\top (A^\top A)^{-1} a_0 = \tfrac1n + (x_0 - \bar x)^\top S^{-1} (x_0 - \bar x)`.

Columns that depend on each other leave some coefficients open. A combination :math:`b^\top \beta` is *estimable* when :math:`b` lies in
the row space of the design; its estimate and its variance are then those of every solution. Of any other combination the rows
say nothing, whatever their number: its standard error is infinite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import stdtrit

from epee.errors import DataError, WrongUse, of_shares
from epee.solve.minimum_norm import MinimumNorm
from epee.typing import Matrix, Tensor, Vector

TINY = float(np.finfo(float).tiny)  # no noise at all times an infinite spread is still infinite

if TYPE_CHECKING:
    from epee.predictors.regression.ols_summary import Summary


class Inference:
    """Variances, intervals and tests of a fitted least squares, which brings the attributes named here."""

    fit_intercept: bool
    positive: bool
    rank_: Any
    coef_: Any
    n_features_in_: int
    _factor: Any
    _centre: Any
    _count: Any
    _rss: Any
    _leave: Any
    _predict: Any
    _spread: Any

    def _parameters(self) -> int:
        return int(self.rank_) + int(self.fit_intercept and not hasattr(self, "_general"))

    def _freedom(self, n: float | None = None) -> float:
        """Return the residual degrees of freedom, refused when there are none."""
        n = self._count if n is None else n
        k = self._parameters()
        if self.positive:
            raise WrongUse(
                "coefficients forced to be positive have no standard errors of this kind; use positive=False."
            )
        if n - k <= 0:
            raise DataError(
                f"there are no residual degrees of freedom: {n:g} rows for {k} parameters. Standard errors cannot be estimated; "
                f"add rows, or remove columns.{of_shares(float(n))}"
            )
        return n - k

    def _coef_names(self) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])]

    def _folded(self, values: Tensor) -> Any:
        """Drop the axis of targets when y was a vector."""
        if np.ndim(self.coef_) == 1:
            return float(values[0]) if np.ndim(values) == 1 else values[0]
        return values

    @property
    def sigma2_(self) -> Any:
        """Maximum likelihood variance of the noise, RSS / n: too small by (n - k) / n on average."""
        return self._folded(self._rss / self._count)

    @property
    def residual_variance_(self) -> Any:
        """Unbiased variance of the noise, RSS / (n - k)."""
        return self._folded(self._rss / self._freedom())

    @property
    def coef_covariance_(self) -> Tensor:
        """Covariance of the estimated coefficients, intercept apart: s² S^-1 (of the shortest solution, if columns are dependent)."""
        inverse = self._parameter_inverse()
        inverse = inverse[1:, 1:] if self.fit_intercept else inverse
        return self._folded((self._rss / self._freedom())[:, None, None] * inverse)

    @property
    def parameter_covariance_(self) -> Tensor:
        """Covariance of intercept (first, when there is one) and coefficients."""
        return self._folded((self._rss / self._freedom())[:, None, None] * self._parameter_inverse())

    def _parameter_inverse(self) -> Matrix:
        """Return (A'A)^-1, intercept first."""
        V = self._factor.inverse()
        if hasattr(self, "_general") or not self.fit_intercept:
            return V
        slope = V @ self._centre
        return np.block([[1 / self._count + self._centre @ slope, -slope[None]], [-slope[:, None], V]])

    def _parameter_functions(self) -> Matrix:
        """Return the parameters, intercept first, as combinations of the coefficients the factor solves for (p, k)."""
        p = len(self._centre)
        if hasattr(self, "_general") or not self.fit_intercept:
            return np.eye(p)
        return np.column_stack([-self._centre, np.eye(p)])

    def _undetermined(self) -> np.ndarray:
        """Return which parameters (k,), intercept first, the rows leave open; a constant column counts as left out."""
        B = self._parameter_functions()
        if self.fit_intercept and not hasattr(self, "_general"):
            return np.append(~estimable(self._factor, B[:, :1], left_out=True), ~estimable(self._factor, B[:, 1:]))
        return ~estimable(self._factor, B)

    def _estimable_rows(self, X: Matrix) -> np.ndarray:
        """Return at which rows (n,) the mean is determined."""
        if not isinstance(self._factor, MinimumNorm):
            return np.ones(X.shape[0], dtype=bool)
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
        if hasattr(self, "_general") and self.fit_intercept:
            return estimable(self._factor, np.vstack([np.ones(len(X)), X.T]))
        return estimable(self._factor, (X - self._centre).T, left_out=True)

    def predict_interval(self, X: Any, level: float = 0.95, kind: Literal["mean", "prediction"] = "mean") -> Tensor:
        """Return the ends of an interval for each row, (n, 2), or (n, m, 2) for several targets.

        Parameters
        ----------
        X : array (n, p)
        level : float in (0, 1)
            Probability that the interval holds what it is for; a larger one widens it.
        kind : {"mean", "prediction"}
            For the mean of y given x, or for one new value of y.

        Notes
        -----
        Where columns depend on each other, a row that breaks their relation has an infinite interval: its mean is not determined.
        """
        if not 0 < level < 1:
            raise WrongUse(f"level is {level}; it must lie between 0 and 1.")
        if kind not in ("mean", "prediction"):
            raise WrongUse(f"kind is {kind!r}; it must be 'mean' or 'prediction'.")
        X = self._leave(X)
        freedom = self._freedom()
        fitted = np.atleast_2d(self._predict(X).T).T  # (n, m)
        spread = np.where(self._estimable_rows(X), self._spread(X), np.inf)[:, None] + (kind == "prediction")
        half = stdtrit(freedom, (1 + level) / 2) * np.sqrt(spread) * np.sqrt(np.maximum(self._rss / freedom, TINY))
        ends = np.stack([fitted - half, fitted + half], axis=-1)
        return ends[:, 0] if np.ndim(self.coef_) == 1 else ends

    def summary(
        self, *, weights: Literal["counts", "precision"] = "counts", level: float = 0.95, target: int = 0
    ) -> Summary:
        """Return the table of estimates with standard errors, t and F tests, R² and likelihood.

        A coefficient that the rows do not determine, because columns depend on each other, has an infinite standard error.

        Parameters
        ----------
        weights : {"counts", "precision"}
            What the weights of the fit meant: "counts" equals repeated rows; "precision" are inverse variances of single
            rows, as in weighted least squares.
        level : float
            Of the intervals.
        target : int
            Which target, when there are several.
        """
        from epee.predictors.regression.ols_summary import summarise

        if weights not in ("counts", "precision"):
            raise WrongUse(f"weights is {weights!r}; it must be 'counts' or 'precision'.")
        if not 0 < level < 1:
            raise WrongUse(f"level is {level}; it must lie between 0 and 1.")
        if not 0 <= target < len(self._rss):
            raise WrongUse(f"target is {target}; it must be one of 0 to {len(self._rss) - 1}, the columns of y.")
        return summarise(self, weights == "precision", level, target)


def estimable(factor: Any, B: Matrix, *, left_out: bool = False) -> Vector:
    """Return which combinations, the columns of B (p, k), a factor determines; ``left_out`` forgets the constant columns.

    >>> twice = MinimumNorm(np.array([[1.0, 1.0], [2.0, 2.0]]))
    >>> estimable(twice, np.array([[1.0, 1.0], [0.0, 1.0]]))
    array([False,  True])
    """
    if not isinstance(factor, MinimumNorm):
        return np.ones(B.shape[1], dtype=bool)
    Z = B / factor.scale[:, None]
    if left_out:
        Z[factor.zero] = 0.0
    rest = Z - factor.V1 @ (factor.V1.T @ Z)
    seen: Vector = np.linalg.norm(rest, axis=0) <= 1e-8 * np.linalg.norm(Z, axis=0)
    return seen
