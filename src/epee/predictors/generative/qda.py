r"""Quadratic discriminant analysis.

Every class is a Gaussian cloud of its own shape, :math:`x \mid y = k \sim \mathcal N(\mu_k, \Sigma_k)`, and Bayes' rule
ranks the classes by

.. math:: \delta_k(x) = \log \pi_k - \tfrac12 \log|\Sigma_k| - \tfrac12 (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k). \tag{1}

The frontier :math:`\delta_k = \delta_l` is a quadric; equal covariances make it a plane. Covariances may be tied,
diagonal, spherical, shrunk, or anything between by Friedman's two parameters
(:mod:`epee.predictors.generative.friedman`).

Without row :math:`i` of class :math:`k`, with :math:`q = d^\top S_k^{-1} d` and :math:`h = w n_k / n_k'`,

.. math:: \delta_k'(x_i) = \log\pi_k' - \tfrac12\Big[\log|S_k| - p\log n_k' + \log(1 - hq)
          + n_k' \Big(\frac{n_k}{n_k'}\Big)^2 \frac{q}{1 - hq}\Big]. \tag{2}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from epee.engines.choice import engine_for
from epee.errors import DataError, SingularProblem, Unavailable, WrongUse, of_shares
from epee.estimator.base import list_columns
from epee.estimator.keep import Keep
from epee.estimator.stack import Stack
from epee.moments.moments import Moments
from epee.moments.shrinkage import ledoit_wolf_by_class
from epee.predictors.generative.friedman import LeftOut, friedman_covariances, oas_weights
from epee.predictors.generative.gaussian_stack import AxisGaussians, Gaussians
from epee.predictors.generative.gaussians import DiagonalGaussians, FullGaussians
from epee.predictors.generative.generator import (
    GenerativeClassifier,
    by_blocks,
    check_priors,
    left_out_priors,
    log_of,
    without_row,
)
from epee.settings import progress
from epee.solve.spectral import descending_eigh
from epee.table.block import Block, Source
from epee.typing import Codes, Matrix, Tensor, Vector

TYPES = {"full": "full", "tied": "tied", "diagonal": "diagonal", "diag": "diagonal", "spherical": "spherical",
         "regularised": "regularised", "regularized": "regularised"}  # fmt: skip
GRID = ((0.0, 0.125, 0.354, 0.65, 1.0), (0.0, 0.25, 0.5, 0.75, 1.0))  # Friedman (1989), section 5


class QuadraticDiscriminantAnalysis(GenerativeClassifier):
    r"""Gaussian classes, each with a covariance of its own: a quadratic frontier.

    The score of class :math:`k` is :math:`\log \pi_k - \frac12 \log|\Sigma_k| - \frac12 (x - \mu_k)^\top \Sigma_k^{-1}
    (x - \mu_k)`.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        scikit-learn's names for two roads to the same scores; ``shrinkage`` and ``covariance_estimator`` go with
        "eigen".
    shrinkage : float in [0, 1], "auto" or "oas", default=None
        Weight given to a sphere of the same total variance in place of :math:`\Sigma_k`; 1 makes the classes spheres.
        "auto" chooses it by Ledoit and Wolf's formula, for which the rows are read once more, "oas" by the oracle
        approximating one, from moments alone.
    priors : array (K,), default=None
        :math:`\pi_k`; by default the class frequencies. A larger prior moves the frontier away from its class.
    reg_param : float in [0, 1], default=0.0
        Weight of the identity: :math:`(1 - r)\Sigma_k + r I`. A larger one makes the frontier smoother, in the units of
        the columns.
    store_covariance : bool, default=False
        Keep ``covariance_``.
    tol : float >= 0, default=1e-4
        A covariance with a direction whose variance is at most this, both in the units of the columns and in
        standardised ones, is refused as singular. (scikit-learn looks at the units alone, and so refuses a table in
        small units.)
    covariance_estimator : estimator, default=None
        Gives the covariance of each class from its rows instead.
    covariance_type : {"full", "tied", "diagonal", "spherical", "regularised"}, default="full"
        The shape of the clouds: their own, one for all, with axes along the columns, round, or Friedman's family with
        both parameters chosen by leave-one-out.
    tying : float in [0, 1] or "loo", default=0.0
        Friedman's :math:`\lambda`, the weight of the pooled scatter; 1 gives all classes one shape.
    rounding : float in [0, 1] or "loo", default=0.0
        Friedman's :math:`\gamma`, the weight of a sphere of the same total variance; 1 makes the classes spheres.
    grid : pair of sequences, default=None
        The values of ``tying`` and ``rounding`` that "loo" tries; by default Friedman's five of each.

    Attributes
    ----------
    means_, priors_ : arrays (K, p), (K,)
    rotations_, scalings_ : lists of arrays (p, p), (p,)
        Axes of each cloud, and its variances along them.
    covariance_ : list of arrays (p, p)
    tying_, rounding_ : float
    effective_dof_ : float
        Free numbers of the scores: :math:`K(p + 1)` for tied classes, :math:`K(p + 1)(p + 2)/2` for full ones.
    loo_errors_ : array (values of tying, values of rounding)
        Leave-one-out error rates, infinite where a covariance would be singular; with "loo" only.

    Notes
    -----
    Keeps :math:`K(p^2 + p + 1)` numbers; one pass, then :math:`O(Kp^3)`. A class needs more rows than columns, or a
    regularisation. The grid of "loo" takes one pass more for each value of ``tying`` and no refit.

    References
    ----------
    Friedman, "Regularized discriminant analysis", *JASA* 84 (1989) 165-175.

    Examples
    --------
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    state_parts = ("_sigma", "_gaussians", "_estimates")

    def __init__(
        self, *, solver: str = "svd", shrinkage: Any = None, priors: Any = None, reg_param: float = 0.0,
        store_covariance: bool = False, tol: float = 1e-4, covariance_estimator: Any = None, covariance_type: str = "full",
        tying: Any = 0.0, rounding: Any = 0.0, grid: Any = None,
    ) -> None:  # fmt: skip
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.covariance_type = covariance_type
        self.tying = tying
        self.rounding = rounding
        self.grid = grid

    @property
    def keeps(self) -> Keep:
        """The scatter of each class, as far as the shape of the clouds needs it."""
        shape = TYPES.get(self.covariance_type)
        return Keep(group="y", scatter="diagonal" if shape in ("diagonal", "spherical") else "full")

    @property
    def needs_rows(self) -> bool:
        """Tell whether moments are not enough."""
        return self.shrinkage in ("auto", "ledoit_wolf") or self.covariance_estimator is not None or self._searches

    @property
    def _searches(self) -> bool:
        return "loo" in (self.tying, self.rounding) or TYPES.get(self.covariance_type) == "regularised"

    def _check(self) -> None:
        if self.solver not in ("svd", "eigen"):
            raise WrongUse(f"unknown solver {self.solver!r}; the solvers are 'svd' and 'eigen'.")
        if self.covariance_type not in TYPES:
            raise WrongUse(f"covariance_type {self.covariance_type!r} is not one of {', '.join(TYPES)}.")
        if self.solver == "svd" and self.shrinkage is not None:
            raise Unavailable("shrinkage not supported with 'svd' solver; use solver='eigen'.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise WrongUse("covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead.")
        if self.covariance_estimator is not None and self.shrinkage is not None:
            raise WrongUse(
                "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."
            )
        if not (isinstance(self.shrinkage, str) and self.shrinkage in ("auto", "ledoit_wolf", "oas")):
            _check_weight("shrinkage", 0.0 if self.shrinkage is None else self.shrinkage, "'auto', 'oas'")
        _check_weight("reg_param", self.reg_param)
        for name in ("tying", "rounding"):
            if getattr(self, name) != "loo":
                _check_weight(name, getattr(self, name), "'loo'")
        if not 0 <= self.tol < np.inf:
            raise WrongUse(f"tol is {self.tol!r}; it must be a number of at least 0.")
        shaped = TYPES[self.covariance_type] != "full" or self._searches or self.tying or self.rounding
        if shaped and (self.shrinkage is not None or self.covariance_estimator is not None):
            raise WrongUse(
                "shrinkage and covariance_estimator go with covariance_type='full' and without tying and rounding."
            )

    def _weights(self) -> tuple[float, Any]:
        """Return Friedman's two weights; the second may be one for each class."""
        shape = TYPES[self.covariance_type]
        if self._searches:
            if not hasattr(self, "tying_"):
                raise WrongUse("tying and rounding by 'loo' need the rows: use fit, not moments.")
            return self.tying_, self.rounding_
        lam = 1.0 if shape == "tied" else float(self.tying)
        gamma = 1.0 if shape == "spherical" else float(self.rounding)
        return lam, float(self.shrinkage) if isinstance(self.shrinkage, int | float) else gamma

    def _solve(self, m: Moments) -> None:
        self._check()
        self.means_ = m.mean
        self.priors_ = m.frequencies if self.priors is None else check_priors(self.priors, self.classes_)
        self.tying_, self.rounding_ = lam, gamma = self._weights()
        self._refuse_small_classes(m)
        if self.shrinkage in ("auto", "ledoit_wolf") or self.covariance_estimator is not None:
            if not hasattr(self, "_estimates"):
                raise WrongUse("shrinkage='auto' and covariance_estimator need the rows: use fit, not moments.")
            self._sigma = self._estimates
        else:
            if self.shrinkage == "oas":
                sigma = m.covariance()
                square, trace = (sigma**2).sum(axis=(1, 2)), np.trace(sigma, axis1=1, axis2=2)
                self.rounding_ = gamma = oas_weights(square, trace, m.count, m.p)
            self._sigma = friedman_covariances(m, lam, gamma, self.reg_param)
        self._factor(m, tied=lam == 1 and np.ndim(gamma) == 0)
        if self.store_covariance:
            self.covariance_ = list(self._covariances())

    def _refuse_small_classes(self, m: Moments) -> None:
        small = (m.count > 0) & (m.count <= 1)
        if small.any() and self.tying_ == 0 and self.covariance_estimator is None and self.reg_param == 0:
            k = int(np.flatnonzero(small)[0])
            raise SingularProblem(
                f"y has only {m.count[k]:g} sample in class {self.classes_[k]}, covariance is ill defined. Add rows, drop the class, or "
                f"set `tying`.{of_shares(float(m.count.sum()))}"
            )

    def _factor(self, m: Moments, tied: bool) -> None:
        """Set what the scores need; refuse a singular covariance by the name of its class."""
        empty = m.count == 0
        if self._sigma.ndim == 2:
            variances = np.where(empty[:, None], 1.0, self._sigma)
            bad = np.argwhere(variances <= 1e-13 * _column_scale(m) ** 2)
            if len(bad):
                k, _ = bad[0]
                columns = bad[bad[:, 0] == k, 1]
                raise SingularProblem(
                    f"The covariance matrix of class {self.classes_.tolist()[k]!r} is not full rank: "
                    f"{list_columns(columns, self)} constant in it. "
                    "Increase `reg_param`, `tying` or `rounding`, or drop them."
                )
            self._gaussians: Any = DiagonalGaussians(self.means_, variances, self.means_[~empty].mean(axis=0))
            return
        remedy = "Increase `shrinkage`, or drop collinear columns." if self.solver == "eigen" else (
            "Increase `reg_param`, `tying` or `rounding` (or solver='eigen' with `shrinkage`), give it more rows than columns, or drop "
            "collinear columns."
        )  # fmt: skip
        sigma = self._sigma[:1] if tied else self._sigma
        self._gaussians = FullGaussians.of(self.means_, sigma, self.classes_, self.tol, remedy, empty, _column_scale(m))

    def solve_scores(self, m: Moments) -> Stack | None:
        """Return the scores (1) of every fold at once; None where a covariance is near to singular, or found in another way."""
        if self.needs_rows or self.shrinkage == "oas" or m.kind not in ("full", "diagonal"):
            return None
        self._check()
        lam, gamma = self._weights()
        if not (m.count > 1).all():
            return None
        priors = m.frequencies if self.priors is None else check_priors(self.priors, self.classes_)
        factors = _factors(friedman_covariances(m, lam, gamma, self.reg_param), _column_scale(m), self.tol)
        if factors is None:
            return None
        stack = AxisGaussians if m.kind == "diagonal" else Gaussians
        return stack.of(factors[0], m.mean, log_of(priors) - 0.5 * factors[1])

    def _prepare(self, source: Source, m: Moments) -> None:
        if self._searches:
            self._search(source, m)
        elif self.needs_rows:
            self._estimates = (
                ledoit_wolf_by_class(source, m) if self.covariance_estimator is None else self._estimated(source)
            )

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; weights chosen by "loo" are those of the first rows."""
        if self._searches and not hasattr(self, "moments_"):
            return self.fit(X, y, sample_weight=sample_weight)
        return super().partial_fit(X, y, classes, sample_weight)

    def _estimated(self, source: Source) -> Tensor:
        blocks = list(source.blocks())
        X, codes = np.concatenate([b.X for b in blocks]), np.concatenate([b.group for b in blocks])
        fitted = [clone(self.covariance_estimator, safe=False) for _ in self.classes_]
        for k, estimator in enumerate(fitted):
            estimator.fit(X[codes == k])
        if not all(hasattr(f, "covariance_") for f in fitted):
            raise DataError(f"{type(self.covariance_estimator).__name__} does not have a covariance_ attribute")
        return np.stack([f.covariance_ for f in fitted])

    def _search(self, source: Source, m: Moments) -> None:
        """Choose Friedman's parameters by leave-one-out; among equals the most regularised wins."""
        free = TYPES[self.covariance_type] == "regularised"
        lams, gammas = GRID if self.grid is None else self.grid
        lams = lams if self.tying == "loo" or (free and self.tying == 0) else (float(self.tying),)
        gammas = gammas if self.rounding == "loo" or (free and self.rounding == 0) else (float(self.rounding),)
        for name, values in (("grid[0]", lams), ("grid[1]", gammas)):
            for value in values:
                _check_weight(name, value)
        given = None if self.priors is None else check_priors(self.priors, self.classes_)
        errors = np.empty((len(lams), len(gammas)))
        with progress("leave-one-out of the grid", len(lams)) as tick:
            for i, lam in enumerate(lams):
                left_out = LeftOut.of(m, float(lam), [float(g) for g in gammas], float(self.reg_param), given)
                errors[i] = engine_for(source).reduce(source, _Errors(left_out), rows=1024) / m.count.sum()
                tick()
        if not np.isfinite(errors).any():
            raise SingularProblem(
                "every pair of the grid leaves some class with a singular covariance; try larger values."
            )
        best = np.argwhere(errors <= np.nanmin(errors) + 1e-12)[-1]
        self.tying_, self.rounding_ = float(lams[best[0]]), float(gammas[best[1]])
        self.loo_errors_ = errors

    @property
    def effective_dof_(self) -> float:
        """Free numbers of the K scores (1): a plane each, and what is left of K covariances of their own."""
        if "means_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} is not fitted: it has no degrees of freedom yet.")
        K, p = self.means_.shape
        own = p if TYPES[self.covariance_type] == "diagonal" else p * (p + 1) / 2
        gamma = float(np.mean(self.rounding_))
        return float(K * (p + 1 + (1 - self.tying_) * ((1 - gamma) * own + gamma)))

    def _score(self, X: Matrix) -> Matrix:
        priors = log_of(self.priors_)
        return by_blocks(X, lambda B: self._gaussians.scores(B) + priors, len(self.classes_))

    def mahalanobis(self, X: Any) -> Matrix:
        """Return the Mahalanobis distance of each row to the mean of each class (n, K)."""
        X = self._leave(X)
        return np.sqrt(np.maximum(by_blocks(X, self._gaussians.distances, len(self.classes_)), 0.0))

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector | None) -> Matrix | None:
        m, given = self.moments_, None if self.priors is None else self.priors_
        if self.shrinkage in ("auto", "ledoit_wolf") or self.covariance_estimator is not None:
            return None
        if self._searches:  # they are chosen anew without each row
            return None
        gamma = "oas" if self.shrinkage == "oas" else self.rounding_
        if m.kind == "full" and self.tying_ == 0 and gamma == 0 and self.reg_param == 0:
            out = self._left_out_full(X, codes, w, m, given)
        else:
            left_out = LeftOut.of(m, self.tying_, [gamma], float(self.reg_param), given)
            out = np.concatenate([
                left_out.scores(X[i : i + 2048], codes[i : i + 2048], None if w is None else w[i : i + 2048])[0]
                for i in range(0, len(X), 2048)
            ])  # fmt: skip
        if np.isnan(out).any():
            row = int(np.flatnonzero(np.isnan(out).any(axis=1))[0])
            raise SingularProblem(
                f"without row {row}, class {self.classes_.tolist()[codes[row]]!r} has a singular covariance. "
                "Increase `reg_param`, `tying` or `rounding`."
            )
        return out

    def _left_out_full(self, X: Matrix, codes: Codes, w: Vector | None, m: Moments, given: Vector | None) -> Matrix:
        """Apply (2): only the class of the row changes, but for the priors."""
        K, p, rows = len(self.classes_), X.shape[1], np.arange(len(X))
        squares = by_blocks(X, self._gaussians.distances, K)  # (n, K), of covariances: n_k times those of scatters
        w, own, left = without_row(m.count, codes, w)
        scores = -0.5 * (squares + self._gaussians.logdet)
        n, safe = m.count[codes], np.where(own > 0, own, 1.0)
        q = squares[rows, codes] / n
        rest = 1.0 - w * n / safe * q
        fine = (rest > 1e-12) & (own > 0)
        rest = np.where(fine, rest, 1.0)
        logdet = self._gaussians.logdet[codes] + p * np.log(n / safe) + np.log(rest)
        changed = -0.5 * (logdet + n**2 / safe * q / rest)
        scores[rows, codes] = np.where(own <= 0, -np.inf, np.where(fine, changed, np.nan))
        return scores + left_out_priors(left, given)

    def _covariances(self) -> Tensor:
        check_is_fitted(self)
        return self._sigma if self._sigma.ndim == 3 else self._sigma[:, :, None] * np.eye(self._sigma.shape[1])

    def _axes_of_clouds(self) -> tuple[Tensor, Tensor]:
        if "means_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} is not fitted: it has no axes yet.")
        return descending_eigh(self._covariances())

    @property
    def scalings_(self) -> list[Vector]:
        """Variances of each class along its axes, in decreasing order."""
        return list(self._axes_of_clouds()[0])

    @property
    def rotations_(self) -> list[Matrix]:
        """Axes of each class, as columns."""
        return list(self._axes_of_clouds()[1])

    def _log_priors(self) -> Vector:
        return log_of(self.priors_)

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        values, V = descending_eigh(self._covariances()[k])
        return self.means_[k] + (rng.standard_normal((n, len(values))) * np.sqrt(np.maximum(values, 0.0))) @ V.T


@dataclass(frozen=True)
class _Errors:
    """Weight of the rows that each pair of the grid gets wrong when they are left out, infinite where it fails."""

    left_out: LeftOut

    def __call__(self, block: Block) -> Vector:
        assert block.group is not None
        scores = self.left_out.scores(block.X, block.group, block.weight)  # (gammas, n, K)
        wrong = np.where(np.isnan(scores).any(axis=2), np.inf, 1.0 * (scores.argmax(axis=2) != block.group))
        if block.weight is not None:
            wrong = np.where(block.weight > 0, wrong * np.where(block.weight > 0, block.weight, 1.0), 0.0)
        return wrong.sum(axis=1)


def _column_scale(m: Any) -> Vector:
    """Return the standard deviation of each column in the whole sample, (..., p)."""
    n = m.count[..., None]  # (..., K, 1)
    total = n.sum(axis=-2)
    mean = (n * m.shift).sum(axis=-2) / total
    between = (n * (m.shift - mean[..., None, :]) ** 2).sum(axis=-2)
    within = m.scatter if m.kind == "diagonal" else np.diagonal(m.scatter, axis1=-2, axis2=-1)
    return np.sqrt((within.sum(axis=-2) + between) / total)


def _factors(sigma: Tensor, scale: Matrix, tol: float) -> tuple[Tensor, Matrix] | None:
    """Return factors and log-determinants (T, K) of covariances (T, K, p, p), or variances (T, K, p), of columns of a ``scale`` (T, p).

    None where one of them is singular, or so near to it that its eigenvalues must be asked.
    """
    if sigma.ndim == 3:
        if not (sigma > 1e-13 * scale[:, None] ** 2).all():
            return None
        return 1 / np.sqrt(sigma), np.log(sigma).sum(axis=-1)
    unit = np.where(scale > 0, scale, 1.0)[:, None, :]  # (T, 1, p)
    try:
        L = np.linalg.cholesky(sigma / unit[..., None, :] / unit[..., :, None])
    except np.linalg.LinAlgError:
        return None
    inverse = np.linalg.inv(L)
    if not ((inverse**2).sum(axis=(-2, -1)) < 1 / max(tol, 1e-13)).all():
        return None
    logdet = 2 * (np.log(np.diagonal(L, axis1=-2, axis2=-1)).sum(axis=-1) + np.log(unit).sum(axis=-1))
    return inverse.swapaxes(-1, -2) / unit[..., None], logdet


def _check_weight(name: str, value: Any, others: str = "") -> None:
    """Refuse what is not a weight between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1:
        raise WrongUse(
            f"{name} is {value!r}; it must lie between 0 and 1{', or be one of ' + others if others else ''}."
        )
