r"""Regression with prior beliefs: the most probable coefficients after the data.

With Gaussian noise of variance :math:`\sigma^2`, Bayes' rule gives

.. math:: -\log p(\beta \mid D) = \frac1{2\sigma^2} \sum_i w_i (y_i - \beta_0 - x_i^\top \beta)^2
          - \sum_j \log p(\beta_j) + \text{constant}, \tag{1}

minimised at the *maximum a posteriori*. Gaussian priors give ridge penalties :math:`\sigma^2/\tau_j^2`, Laplace priors those of the
lasso, uniform and truncated ones bounds. For one input, a slope :math:`\mathcal N(0, \tau^2)` and a free intercept,

.. math:: \hat a = \frac{\overline{xy} - \bar x \bar y}{\overline{x^2} - \bar x^2 + \sigma^2 / (n \tau^2)}, \qquad
          \hat b = \bar y - \hat a \bar x; \tag{2}

a uniform prior on the intercept that :math:`\hat b` violates holds it at the bound, and the slope changes. Gaussian priors are
conjugate: with :math:`A = S/\sigma^2 + \operatorname{diag}(\tau_j^{-2})` the posterior is :math:`\mathcal N(\hat\beta, A^{-1})`, and the
evidence :math:`p(y)` has a closed form.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.special import ndtri

from epee.errors import SingularProblem, WrongUse, of_shares
from epee.estimator.base import say
from epee.estimator.moment import MomentRegressor
from epee.moments.moments import Moments
from epee.predictors.regression.ols import normal_equations
from epee.predictors.regression.priors import as_prior, prior_of_each
from epee.solve.box import box_quadratic
from epee.solve.cholesky import Cholesky
from epee.solve.minimum_norm import MinimumNorm
from epee.typing import Matrix, Tensor, Vector


class MapRegression(MomentRegressor):
    r"""Linear regression with a prior for each coefficient.

    Parameters
    ----------
    prior : prior, name, list or dict, default="gaussian"
        One for all coefficients, a list of one each, or a dictionary by column (others are flat). A prior is a
        ``GaussianPrior(mean, sd, low, high)``, ``LaplacePrior(mean, scale, low, high)``, ``UniformPrior(low, high)`` or
        ``FlatPrior()`` of :mod:`epee.predictors.regression.priors`, or one of the names "gaussian", "laplace", "uniform", "flat",
        or a pair (name, parameters).
    intercept_prior : prior or None, default=None
        None leaves the intercept free.
    sigma2 : float, default=None
        Variance of the noise in (1): a larger one gives the prior more say. None takes the unbiased estimate of least squares.
    fit_intercept : bool, default=True
        Learn a constant; False sends the line through the origin.

    Attributes
    ----------
    coef_, intercept_ : the maximum a posteriori
    sigma2_ : float or array (m,)
    posterior_covariance_ : array (k, k) or (m, k, k)
        Of intercept (first, if any) and coefficients; Gaussian and flat priors only.
    log_evidence_ : float or array (m,)
        Logarithm of the density of the data under the priors; Gaussian priors only. A free intercept counts as
        integrated over the whole line.

    Notes
    -----
    One pass, then :math:`O(p^3)` for Gaussian priors and coordinate sweeps of :math:`O(p^2)` for the others.

    References
    ----------
    Bishop, *Pattern Recognition and Machine Learning*, section 3.3.

    Examples
    --------
    >>> from epee.predictors.regression.priors import GaussianPrior
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0]
    >>> model = MapRegression(GaussianPrior(sd=1.0), sigma2=5.0).fit(X, y)
    >>> model.coef_, round(float(model.intercept_), 12)                   # ridge with alpha = 5
    (array([1.]), 2.5)
    """

    state_parts = ("_joint", "_priors", "_count", "_mean", "_A", "_misfit", "_noise_used", "_conjugate")

    def __init__(
        self,
        prior: Any = "gaussian",
        *,
        intercept_prior: Any = None,
        sigma2: float | None = None,
        fit_intercept: bool = True,
    ) -> None:
        self.prior = prior
        self.intercept_prior = intercept_prior
        self.sigma2 = sigma2
        self.fit_intercept = fit_intercept

    def _solve(self, m: Moments) -> None:
        """Minimise (1)."""
        priors = prior_of_each(self.prior, getattr(self, "feature_names_in_", None), m.p)
        self._joint = (
            self.fit_intercept and self.intercept_prior is not None
        )  # the intercept is a coefficient like the others
        priors = [as_prior(self.intercept_prior), *priors] if self._joint else priors
        S, C, tss, mean, level = normal_equations(m, self.fit_intercept and not self._joint)
        if self._joint:
            n, x, y = float(m.count), m.x_mean, m.y_mean
            S = np.block([[np.array([[n]]), n * x[None]], [n * x[:, None], S]])
            C, mean = np.vstack([n * y[None], C]), np.zeros(len(S))
        noise = self._noise(m)
        self._priors, self._count, self._mean = priors, float(m.count), mean
        precision, centre = (np.array([getattr(q, a) for q in priors]) for a in ("precision", "centre"))
        kink, low, high = (np.array([getattr(q, a) for q in priors]) for a in ("kink", "low", "high"))
        plain = not (kink.any() or any(q.bounded for q in priors))
        theta, self._A, self._misfit = np.empty_like(C), [], np.empty(m.targets)
        for k in range(m.targets):
            A, b = S / noise[k] + np.diag(precision), C[:, k] / noise[k] + precision * centre
            theta[:, k] = start = _solved(A, b)
            if not plain:
                theta[:, k], self.n_sweeps_ = box_quadratic(A, b, centre, kink, low, high, start)
            rss = tss[k] - 2 * theta[:, k] @ C[:, k] + theta[:, k] @ S @ theta[:, k]
            self._A.append(A)
            self._misfit[k] = max(rss, 0.0) / noise[k] + (precision * (theta[:, k] - centre) ** 2).sum()
        self._noise_used, self._conjugate = noise, plain
        one = getattr(self, "_one_target", True) and m.targets == 1
        self.sigma2_ = float(noise[0]) if one else noise
        if self._joint:
            self._set_linear(np.ascontiguousarray(theta[1:].T), theta[0])
        else:
            self._set_linear(np.ascontiguousarray(theta.T), level - mean @ theta)

    def _noise(self, m: Moments) -> Vector:
        if self.sigma2 is not None:
            if not isinstance(self.sigma2, Real) or not (np.isfinite(self.sigma2) and self.sigma2 > 0):
                raise WrongUse(
                    f"sigma2 is {self.sigma2!r}; the variance of the noise must be positive, or None to estimate it."
                )
            return np.full(m.targets, float(self.sigma2))
        S, C, tss, _, _ = normal_equations(m, self.fit_intercept)
        try:
            factor: Any = Cholesky(S)
        except SingularProblem:
            factor = MinimumNorm.of_scatter(S)
        free = float(m.count) - factor.rank - int(self.fit_intercept)
        if free <= 0:
            say(
                f"there are no residual degrees of freedom ({m.count:g} rows, {factor.rank} columns) to estimate the noise from: the "
                f"variance of y is taken. Give sigma2.{of_shares(float(m.count))}"
            )
            return np.maximum(tss, 1e-300) / float(m.count)
        rss = np.maximum(tss - (C * factor.solve(C)).sum(axis=0), 0.0)
        return np.maximum(
            rss / free, 1e-6 * np.maximum(tss, 1e-300) / float(m.count)
        )  # an exact fit leaves only rounding

    def _refuse(self, what: str) -> None:
        if not self._conjugate:
            raise WrongUse(f"{what} has a closed form for Gaussian and flat priors without bounds only.")

    def _fold(self, values: Any) -> Any:
        return values[0] if np.ndim(self.coef_) == 1 else np.array(values)

    @property
    def posterior_covariance_(self) -> Tensor:
        """Covariance of the posterior, intercept first when there is one."""
        self._refuse("the posterior")
        out: list[Matrix] = []
        for A in self._A:
            V = Cholesky(A).inverse()
            if (
                self.fit_intercept and not self._joint
            ):  # a free intercept is level - mean'beta, level ~ N(ybar, sigma2 / n)
                slope = V @ self._mean
                noise = self._noise_used[len(out)]
                V = np.block([[noise / self._count + self._mean @ slope, -slope[None]], [-slope[:, None], V]])
            out.append(V)
        return self._fold(out)

    def coef_interval(self, level: float = 0.95) -> Tensor:
        """Return the ends of the posterior interval of each coefficient, (p, 2) or (m, p, 2)."""
        V = self.posterior_covariance_[None] if np.ndim(self.coef_) == 1 else self.posterior_covariance_
        sd = np.sqrt(np.diagonal(V, axis1=1, axis2=2))[:, int(self.fit_intercept) :]
        half = ndtri((1 + _level(level)) / 2) * sd
        coef = np.atleast_2d(self.coef_)
        return self._fold(np.stack([coef - half, coef + half], axis=-1))

    def predict_interval(self, X: Any, level: float = 0.95, kind: str = "mean") -> Tensor:
        """Return the ends of the posterior interval of the mean, or of a new value, at each row: (n, 2) or (n, m, 2)."""
        if kind not in ("mean", "prediction"):
            raise WrongUse(f"kind is {kind!r}; it must be 'mean' or 'prediction'.")
        X = self._leave(X)
        V = self.posterior_covariance_ if np.ndim(self.coef_) > 1 else self.posterior_covariance_[None]
        a = np.column_stack([np.ones(len(X)), X]) if self.fit_intercept else np.asarray(X, dtype=float)
        variance = np.einsum("ni,kij,nj->nk", a, V, a) + (self._noise_used if kind == "prediction" else 0.0)
        half = ndtri((1 + _level(level)) / 2) * np.sqrt(variance)
        fitted = self._predict(X).reshape(len(X), -1)
        ends = np.stack([fitted - half, fitted + half], axis=-1)
        return ends[:, 0] if np.ndim(self.coef_) == 1 else ends

    @property
    def log_evidence_(self) -> Any:
        """Logarithm of the density of the targets under the priors."""
        self._refuse("the evidence")
        precision = np.array([q.precision for q in self._priors])
        if not (precision > 0).all():
            raise WrongUse("a flat prior on a coefficient has no evidence; give each coefficient a Gaussian prior.")
        free = self.fit_intercept and not self._joint
        n = self._count - free
        values = [
            -0.5
            * (
                n * np.log(2 * np.pi * noise)
                + free * np.log(self._count)
                - np.log(precision).sum()
                + Cholesky(A).logdet
                + misfit
            )
            for A, noise, misfit in zip(self._A, self._noise_used, self._misfit, strict=True)
        ]
        return self._fold([float(v) for v in values])


def _level(level: float) -> float:
    if not 0 < level < 1:
        raise WrongUse(f"level is {level}; it must lie between 0 and 1.")
    return level


def _solved(A: Matrix, b: Vector) -> Vector:
    try:
        return Cholesky(A).solve(b)
    except SingularProblem:
        return MinimumNorm.of_scatter(A).solve(b)
