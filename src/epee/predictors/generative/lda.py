r"""Linear discriminant analysis.

Every class is a Gaussian cloud, and all the clouds have the same shape:

.. math:: x \mid y = k \;\sim\; \mathcal N(\mu_k, \Sigma), \qquad P(y = k) = \pi_k. \tag{1}

Bayes' rule then ranks the classes by a score that is linear in :math:`x`,

.. math:: \delta_k(x) = x^\top \Sigma^{-1} \mu_k
          - \tfrac12\, \mu_k^\top \Sigma^{-1} \mu_k + \log \pi_k, \tag{2}

and the discriminant axes are those that spread the class means most in the metric :math:`\Sigma^{-1}`.

Without one copy of row :math:`x` of class :math:`k`, with :math:`d = x - \mu_k`, the mean moves by :math:`-d / (n_k -
1)` and the pooled scatter loses :math:`\frac{n_k}{n_k - 1} d d^\top`: a change of rank one, so all left-out scores come
from one factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin, clone

from epee.arrays import affine_rows, identity_like, like, namespace
from epee.errors import DataError, SingularProblem, Unavailable, WrongUse, of_shares
from epee.estimator.base import NewAxes, both_sides, say
from epee.estimator.keep import Keep
from epee.estimator.moment import MomentClassifier
from epee.moments.moments import Moments
from epee.moments.shrinkage import ledoit_wolf_by_class, shrink
from epee.solve.spectral import fix_signs, whitening, whitening_factor
from epee.table.block import Source
from epee.table.partitions import by_partition
from epee.typing import Codes, Matrix, Tensor, Vector


class LinearDiscriminantAnalysis(NewAxes, TransformerMixin, MomentClassifier):
    r"""Gaussian classes that share one covariance: a linear frontier.

    The score of class :math:`k` is :math:`x^\top \Sigma^{-1} \mu_k - \frac12 \mu_k^\top \Sigma^{-1} \mu_k + \log
    \pi_k`.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        scikit-learn's names for three roads to (2), which all start from the same moments here: "svd" centres the
        scores on the overall mean and drops directions by ``tol``; "lsqr" has no ``transform``.
    shrinkage : float in [0, 1] or "auto", default=None
        Weight given to a sphere of the same total variance in place of :math:`\Sigma`; 1 ignores all correlations.
        "auto" chooses it by Ledoit and Wolf's formula, for which the rows are read once more. Not with "svd".
    priors : array (K,), default=None
        :math:`\pi_k`; by default the class frequencies. A larger prior moves the frontier away from its class.
    n_components : int, default=None
        Number of discriminant axes kept by ``transform``, at most :math:`\min(K - 1, p)`.
    store_covariance : bool, default=False
        Keep ``covariance_`` with the solver "svd", too.
    tol : float, default=1e-4
        Directions whose standard deviation (in standardised columns) is below are dropped by "svd".
    covariance_estimator : estimator, default=None
        Gives the covariance of each class from its rows instead; not with "svd".

    Attributes
    ----------
    coef_, intercept_ : arrays (K, p) and (K,), one row with two classes
        The linear scores (2).
    means_, priors_, xbar_ : class means (K, p), priors (K,), overall mean (p,)
    scalings_ : array (p, r)
        The discriminant axes.
    explained_variance_ratio_ : array
        Share of the between-class variance that each axis carries.
    covariance_ : array (p, p)

    Notes
    -----
    Keeps :math:`p^2 + Kp + K` numbers whatever the number of rows; one pass, then :math:`O(p^3)`.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 4.3.

    Examples
    --------
    >>> X = [[0, 0], [1, 1], [0, 1], [4, 4], [5, 5], [4, 5]]
    >>> LinearDiscriminantAnalysis().fit(X, list("aaabbb")).predict([[1, 0], [5, 4]])
    array(['a', 'b'], dtype='<U1')
    """

    state_parts = ("_max_components", "_class_covariances")
    answers_anywhere = stacks_there = True

    def __init__(
        self, solver: str = "svd", shrinkage: Any = None, priors: Any = None, n_components: int | None = None,
        store_covariance: bool = False, tol: float = 1e-4, covariance_estimator: Any = None,
    ) -> None:  # fmt: skip
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    @property
    def keeps(self) -> Keep:
        """One pooled scatter, unless given priors weigh the classes' own."""
        own = self.needs_rows or (self.priors is not None and (self.solver != "svd" or self.store_covariance))
        return Keep(group="y", scatter="full" if own else "pooled")

    @property
    def needs_rows(self) -> bool:
        """Tell whether moments are not enough: the route of the folds is then the ordinary one."""
        return self.shrinkage == "auto" or self.covariance_estimator is not None

    def _solve(self, m: Moments) -> None:
        self._check()
        self.means_, self.priors_ = m.mean, self._class_priors(m)
        self.xbar_ = self.priors_ @ self.means_
        if self.needs_rows:
            if not hasattr(self, "_class_covariances"):
                raise WrongUse("shrinkage='auto' and covariance_estimator need the rows: use fit, not moments.")
            self.covariance_ = np.tensordot(self.priors_, self._class_covariances, axes=1)
        elif self.solver != "svd" or self.store_covariance:
            sigma = m.covariance()
            self.covariance_ = sigma if m.kind == "pooled" else np.tensordot(self.priors_, sigma, axes=1)
        else:
            self.__dict__.pop("covariance_", None)  # of an earlier fit
        self._axes(m)

    def _check(self) -> None:
        if self.solver not in ("svd", "lsqr", "eigen"):
            raise WrongUse(f"unknown solver {self.solver!r} (valid solvers are 'svd', 'lsqr', and 'eigen').")
        if self.solver == "svd" and self.shrinkage is not None:
            raise Unavailable("shrinkage not supported with 'svd' solver; use 'lsqr' or 'eigen'.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise WrongUse("covariance estimator is not supported with svd solver. Try another solver.")
        if self.covariance_estimator is not None and self.shrinkage not in (None, 0):
            raise WrongUse(
                "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."
            )
        if self.shrinkage not in (None, "auto") and not 0 <= float(self.shrinkage) <= 1:
            raise WrongUse(f"shrinkage is {self.shrinkage!r}; it must lie between 0 and 1, or be 'auto'.")

    def _class_priors(self, m: Moments) -> np.ndarray:
        if self.priors is None:
            return m.frequencies
        priors = np.array(self.priors, dtype=float)
        if priors.shape != m.count.shape or (priors < 0).any():
            raise WrongUse(
                f"priors must be non-negative, one for each of the {len(m.count)} classes; got {self.priors!r}."
            )
        if not np.isclose(priors.sum(), 1.0):
            say(f"The priors do not sum to 1 (they sum to {priors.sum():g}). Renormalizing")
            priors = priors / priors.sum()
        return priors

    def _axes(self, m: Moments) -> None:
        """Set the whitened axes, the scores (2) and scikit-learn's attributes."""
        K, n = len(self.means_), m.count.sum()
        if n <= K:
            raise DataError(
                f"The number of samples must be more than the number of classes: {n:g} rows, {K} classes; n_samples = 1 a class is few."
                + of_shares(float(n))
            )
        if self.solver == "svd":
            within, tol, centre = self._pooled(m) / n, self.tol, self.xbar_
        else:
            if self.shrinkage not in (None, "auto"):
                self.covariance_ = shrink(self.covariance_, float(self.shrinkage))
            within, tol, centre = self.covariance_, 1e-8, np.zeros_like(self.xbar_)
        W = whitening_factor(within, tol)  # (p, r): W' Σ W = I
        if W.shape[1] == 0:
            raise SingularProblem(
                "every column is constant within its class: there is no covariance to divide by. Add rows, or drop columns."
            )
        scores = (self.means_ - centre) @ W  # (K, r)
        coef = scores @ W.T
        intercept = -0.5 * (scores**2).sum(axis=1) + np.log(self.priors_) - centre @ coef.T
        between = np.sqrt(self.priors_)[:, None] * ((self.means_ - self.xbar_) @ W)
        _, s, V = np.linalg.svd(between, full_matrices=False)
        most = min(K - 1, self.n_features_in_)
        rank = max(int((s > max(self.tol, 1e-12) * s[0]).sum()), 1) if s[0] > 0 else most
        if self.n_components is not None and self.n_components > most:
            raise WrongUse(
                f"n_components cannot be larger than min(n_features, n_classes - 1): {self.n_components} > {most}."
            )
        self._max_components = most if self.n_components is None else self.n_components
        self.explained_variance_ratio_ = (s**2 / max((s**2).sum(), np.finfo(float).tiny))[: self._max_components]
        self.scalings_ = fix_signs(V[: min(rank, most)] @ W.T).T  # (p, r)
        self._n_features_out = min(self._max_components, self.scalings_.shape[1])
        if K == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept

    def _pooled(self, m: Moments) -> Matrix:
        S: Any = m.scatter
        return S if m.kind == "pooled" else S.sum(axis=0)

    def _prepare(self, source: Source, m: Moments) -> None:
        if self.needs_rows:
            self._class_covariances = (
                ledoit_wolf_by_class(source, m) if self.covariance_estimator is None else self._estimated(source)
            )

    def _estimated(self, source: Source) -> np.ndarray:
        blocks = list(source.blocks())
        X, codes = np.concatenate([b.X for b in blocks]), np.concatenate([b.group for b in blocks])
        fitted = [clone(self.covariance_estimator, safe=False) for _ in self.classes_]
        for k, estimator in enumerate(fitted):
            estimator.fit(X[codes == k])
        if not all(hasattr(f, "covariance_") for f in fitted):
            raise DataError(f"{type(self.covariance_estimator).__name__} does not have a covariance_ attribute")
        return np.stack([f.covariance_ for f in fitted])

    def solve_stack(self, m: Moments) -> tuple[Tensor, Tensor] | None:
        """Return the scores (2) of every fold at once, coefficients (F, K, p) and intercepts (F, K), where the moments lie.

        None when a covariance is so near to singular that directions must be dropped one fold at a time.
        """
        if m.kind != "pooled" or m.scatter is None or self.needs_rows:
            return None
        self._check()
        xp = namespace(m.count)
        K, n = m.count.shape[1], xp.sum(m.count, axis=1)  # (F,)
        priors = m.count / n[:, None]
        if self.priors is not None:
            given = like(self._class_priors(m.at("fold", 0)), m.count)
            priors = xp.broadcast_to(given, m.count.shape)
        sigma: Any = m.scatter / n[:, None, None]  # (F, p, p)
        if self.shrinkage is not None:
            sigma = shrink(sigma, float(self.shrinkage))
        with np.errstate(divide="ignore", invalid="ignore"):  # whether all is sound is asked once, at the end
            sd, mean = xp.sqrt(xp.linalg.diagonal(sigma)), m.mean  # (F, p), (F, K, p)
            centre = (priors[:, None, :] @ mean)[:, 0, :] if self.solver == "svd" else xp.zeros_like(sd)
            means = (mean - centre[:, None, :]) / sd[:, None, :]  # (F, K, p)
            R = sigma / (sd[:, :, None] * sd[:, None, :])
            eye = xp.broadcast_to(identity_like(m.p, R), R.shape)
            try:
                whole = xp.linalg.solve(R, xp.concat([xp.matrix_transpose(means), eye], axis=2))
            except (np.linalg.LinAlgError, RuntimeError):  # PyTorch has a word of its own for it
                return None
        inverse = xp.sum(whole[:, :, K:] ** 2, axis=(1, 2))  # no eigenvalue of R is below one over its root
        fewest = max(4 * self.tol**2 if self.solver == "svd" else 0.0, 1e-9)
        sound = (n > K) & (inverse < fewest**-2) & (xp.min(priors, axis=1) > 0)  # NaN where a variance is 0
        if not bool(xp.all(sound)):
            return None
        coef = xp.matrix_transpose(whole[:, :, :K])
        intercept = xp.log(priors) - xp.sum(means * coef, axis=2) / 2
        coef = coef / sd[:, None, :]
        return coef, intercept - (coef @ centre[:, :, None])[:, :, 0]

    def left_out(self, X: Matrix, codes: Codes, w: Vector | None = None) -> Matrix | None:
        """Return the scores (n, K) of each row by the model fitted without one copy of it; None when the rows must be fitted."""
        m, a = self.moments_, float(self.shrinkage or 0.0) if self.shrinkage != "auto" else 0.0
        if m.kind != "pooled" or self.needs_rows:
            return None
        n, p, K = float(m.count.sum()), m.p, len(m.count)
        out = np.ones(len(X)) if w is None else np.minimum(w, 1.0)  # what is left out
        counts = np.broadcast_to(m.count, (len(X), K)).copy()
        rows = np.arange(len(X))
        counts[rows, codes] -= out
        left, own = n - out, counts[rows, codes]  # rows that remain, in all and of the class
        if (own <= 1e-9).any():
            return None
        sigma = m.covariance()
        if a > 0:
            values, basis = np.linalg.eigh(sigma)
        else:
            basis = whitening(sigma, self.tol if self.solver == "svd" else 1e-8)
            values = np.ones(basis.shape[1])
        Z = (X - m.mean.mean(axis=0)) @ basis  # (n, r)
        centres = (m.mean - m.mean.mean(axis=0)) @ basis  # (K, r)
        d = Z - centres[codes]
        lost = out * m.count[codes] / own  # the scatter loses lost d d'
        trace = n * np.trace(sigma) - lost * ((X - m.mean[codes]) ** 2).sum(axis=1) if a > 0 else np.zeros(len(X))
        inverse = 1 / ((1 - a) * values * (n / left)[:, None] + (a * trace / (left * p))[:, None])  # (n, r)
        back = (1 - a) * lost / left
        Md = inverse * d
        h = back * (d * Md).sum(axis=1)
        if (h > 1 - 1e-9).any():
            return None
        scores = np.empty((len(X), K))
        for k in range(K):
            r = np.where(
                (codes == k)[:, None], d * (m.count[k] / np.where(codes == k, own, 1.0))[:, None], Z - centres[k]
            )
            scores[:, k] = (r * r * inverse).sum(axis=1) + back * (r * Md).sum(axis=1) ** 2 / (1 - h)
        with np.errstate(divide="ignore"):
            priors = np.log(counts / left[:, None]) if self.priors is None else np.log(self.priors_)
        return priors - scores / 2

    def _score(self, X: Matrix) -> Matrix:
        scores = affine_rows(X, self.coef_.T, self.intercept_)  # (n, K), equation (2)
        return both_sides(scores) if len(self.classes_) == 2 else scores

    @by_partition
    def transform(self, X: Any) -> Matrix:
        """Return the rows on the discriminant axes (n, r)."""
        if self.solver == "lsqr":
            raise Unavailable("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        X = self._leave(X)
        return ((X - self.xbar_ if self.solver == "svd" else X) @ self.scalings_)[:, : self._max_components]
