r"""Gaussian naive Bayes.

Within a class the columns are independent and normal:

.. math:: \log p(x \mid k) = -\tfrac12 \sum_d \Big[ \log 2\pi\sigma_{kd}^2 + \frac{(x_d - \mu_{kd})^2}{\sigma_{kd}^2} \Big],
          \qquad \sigma_{kd}^2 = \frac{S_{kd}}{n_k} + \varepsilon \max_d \frac{S_d}{n}. \tag{1}

Expanded about the overall mean, (1) is a product with the squares of the columns and one with the columns themselves. A
column whose class means lie so far apart, in standard deviations, that the expansion would lose digits is summed
directly.

Without row :math:`i` of class :math:`k`, with :math:`d = x_i - \mu_k` and :math:`n_k' = n_k - w`: :math:`\mu_k' = \mu_k
- \frac{w}{n_k'} d`, :math:`S_k' = S_k - \frac{w n_k}{n_k'} d^2`, and the total scatter :math:`S` changes alike, which
moves the floor of every class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import SingularProblem, WrongUse
from epee.estimator.keep import Keep
from epee.estimator.stack import Stack
from epee.moments.moments import Moments
from epee.predictors.generative.gaussian_stack import AxisGaussians
from epee.predictors.generative.gaussians import LOG_2PI, DiagonalGaussians
from epee.predictors.generative.generator import (
    GenerativeClassifier,
    by_blocks,
    check_priors,
    left_out_priors,
    log_of,
    without_row,
)
from epee.table.block import Source, column_name
from epee.typing import Codes, Matrix, Tensor, Vector


class GaussianNB(GenerativeClassifier):
    r"""Independent normal columns in each class: an axis-parallel quadratic frontier.

    The score of class :math:`k` is :math:`\log\pi_k - \frac12\sum_d [\log 2\pi\sigma_{kd}^2 + (x_d - \mu_{kd})^2 /
    \sigma_{kd}^2]`.

    Parameters
    ----------
    priors : array (K,), default=None
        :math:`\pi_k`; by default the class frequencies. A larger prior moves the frontier away from its class.
    var_smoothing : float >= 0, default=1e-9
        Part of the largest variance of a column that is added to all variances; a larger one makes the classes rounder.
        It is added in the solve, so rows that come later by ``partial_fit`` change it as if all had come at once.

    Attributes
    ----------
    theta_, var_ : arrays (K, p)
        Means and variances of the columns in each class.
    class_count_, class_prior_ : arrays (K,)
    epsilon_ : float
        What was added to the variances.

    Notes
    -----
    Keeps :math:`2Kp + K` numbers; one pass at the speed of memory, and two matrix products to score.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 6.6.3.

    Examples
    --------
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> GaussianNB().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    state_parts = ("_gaussians", "_constant")

    keeps = Keep(group="y", scatter="diagonal")
    _minimum_classes = 1

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _check(self) -> None:
        if not 0 <= self.var_smoothing < np.inf:
            raise WrongUse(f"var_smoothing is {self.var_smoothing!r}; it must be a number of at least 0.")

    def _solve(self, m: Moments) -> None:
        self._check()
        self.class_prior_ = m.frequencies if self.priors is None else check_priors(self.priors, self.classes_)
        self.class_count_, self.theta_ = m.count, m.mean
        everyone = m.merge("group")
        self.var_, epsilon = self._variances(m, everyone)
        self.epsilon_ = float(epsilon)
        self.var_[m.count == 0] = max(self.epsilon_, 1.0)  # never seen: any number will do beside a prior of 0
        self._gaussians = DiagonalGaussians(self.theta_, self.var_, everyone.mean)
        self._constant = log_of(self.class_prior_) - 0.5 * LOG_2PI * m.p

    def _variances(self, m: Moments, everyone: Moments) -> tuple[Tensor, Vector]:
        """Return the variances of (1), (..., K, p), and what was added to them, (...,)."""
        variances, own = everyone.variances, m.variances
        epsilon = self.var_smoothing * variances.max(axis=-1, initial=0.0)
        noise = 1e-28 * variances[..., None, :]  # what rounding leaves of the variance of a constant
        return np.where(own > noise, own, 0.0) + epsilon[..., None, None], epsilon

    def solve_scores(self, m: Moments) -> Stack | None:
        """Return the scores of every fold at once; None where a variance is zero."""
        self._check()
        variances, _ = self._variances(m, m.merge("group"))
        if not (variances > 0).all():
            return None
        priors = m.frequencies if self.priors is None else check_priors(self.priors, self.classes_)
        level = log_of(priors) - 0.5 * (LOG_2PI * m.p + np.log(variances).sum(axis=-1))
        return AxisGaussians.of(1 / np.sqrt(variances), m.mean, level)

    @property
    def effective_dof_(self) -> float:
        """Free numbers of the scores: for each class a constant, and a slope and a curvature a column."""
        if "theta_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} is not fitted: it has no degrees of freedom yet.")
        K, p = self.theta_.shape
        return float(K * (2 * p + 1))

    def refine(self, source: Source, m: Moments) -> None:
        self._refuse_zero_variance()

    def _refuse_zero_variance(self) -> None:
        if self.var_.min(initial=1.0) <= 0:
            k, d = np.argwhere(self.var_ <= 0)[0]
            name = column_name(getattr(self, "feature_names_in_", None), int(d))
            raise SingularProblem(
                f"class {self.classes_.tolist()[k]!r}: {name} is constant, so its variance is zero "
                f"(n_samples = {self.class_count_[k]:g} there). Raise var_smoothing, or drop the column."
            )

    def _score(self, X: Matrix) -> Matrix:
        self._refuse_zero_variance()
        return by_blocks(X, lambda B: self._gaussians.log_densities(B) + self._constant, len(self.classes_))

    def predict_joint_log_proba(self, X: Any) -> Matrix:
        """Return log P(x, y) of each row and class (n, K)."""
        return self._score(self._leave(X))

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector | None) -> Matrix:
        m: Any = self.moments_
        total: Any = m.merge("group")
        out = np.empty((len(X), len(self.classes_)))
        given = None if self.priors is None else self.class_prior_
        for i in range(0, len(X), 512):
            part = slice(i, i + 512)
            out[part] = self._left_out_block(X[part], codes[part], None if w is None else w[part], m, total, given)
        return out

    def _left_out_block(
        self, X: Matrix, codes: Codes, w: Vector | None, m: Any, total: Any, given: Vector | None
    ) -> Matrix:
        w, own, left = without_row(m.count, codes, w)
        n, N = m.count[codes], float(total.count)
        rows = np.arange(len(X))
        D = X - total.mean
        spread = total.scatter - (w * N / (N - w))[:, None] * D**2  # (n, p): the total scatter without each row
        floor = self.var_smoothing * (spread / (N - w)[:, None]).max(axis=1)  # (n,)
        d = X - m.mean[codes]
        safe = np.where(own > 0, own, 1.0)
        S = np.maximum(m.scatter[codes] - (w * n / safe)[:, None] * d**2, 0.0)
        var = m.variances[None] + floor[:, None, None]  # (n, K, p)
        var[rows, codes] = np.where(own[:, None] > 0, S / safe[:, None], 0.0) + floor[:, None]
        R = X[:, None, :] - m.mean  # (n, K, p)
        R[rows, codes] = d * (n / safe)[:, None]
        var[left == 0] = 1.0
        if var.min(initial=1.0) <= 0:
            _, k, j = np.argwhere(var <= 0)[0]
            raise SingularProblem(
                f"without one of its rows, class {self.classes_.tolist()[k]!r} is constant in column {j}: its variance is zero. "
                "Raise var_smoothing."
            )
        return left_out_priors(left, given) - 0.5 * (LOG_2PI + np.log(var) + R**2 / var).sum(axis=2)

    def _log_priors(self) -> Vector:
        return log_of(self.class_prior_)

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        return self.theta_[k] + np.sqrt(self.var_[k]) * rng.standard_normal((n, self.n_features_in_))
