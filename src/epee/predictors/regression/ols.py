r"""Ordinary least squares.

The value is a linear function of the inputs plus noise of constant variance,

.. math:: y = \beta_0 + x^\top \beta + \varepsilon, \qquad \mathbb E\,\varepsilon = 0, \quad
          \operatorname{Var} \varepsilon = \sigma^2, \tag{1}

and :math:`\beta` minimises the sum of squared residuals. With the scatter :math:`S` of the inputs and :math:`c` of inputs against the
target, the normal equations are

.. math:: S \hat\beta = c, \qquad \hat\beta_0 = \bar y - \bar x^\top \hat\beta, \qquad
          \operatorname{Var} \hat\beta = \sigma^2 S^{-1}. \tag{2}

They square the condition number of the problem. Where that costs more than six digits the rows are read again: corrections from
residuals in double-double (:mod:`epee.solve.refine`), with a QR factor that merges (:mod:`epee.moments.qr`) where even the factor
of :math:`S` would be too poor. So the coefficients are those of the numbers in the table to nearly all their digits.
"""

from __future__ import annotations

import operator
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.engines.choice import engine_for
from epee.errors import ConditionWarning, DataError, SingularProblem, WrongUse
from epee.estimator.base import list_columns, say
from epee.estimator.moment import MomentRegressor
from epee.estimator.smoother import LinearSmoother
from epee.kernels.compensated import add, multiply, subtract, total
from epee.moments.exact import ExactGram, ExactSummation, exact_cholesky, exact_solve
from epee.moments.moments import Moments
from epee.moments.passes import joint_origin, reduce_source
from epee.moments.qr import Factorisation, QRFactor
from epee.predictors.regression.general import fit_general
from epee.predictors.regression.influence import Influence
from epee.predictors.regression.ols_inference import Inference
from epee.predictors.regression.rows import RowSource, wide_rows
from epee.solve.cholesky import Cholesky
from epee.solve.minimum_norm import MinimumNorm, weakest
from epee.solve.positive import non_negative
from epee.solve.refine import CELLS, plain_step, refine
from epee.solve.sparse_rows import NoFactor, is_large_and_sparse
from epee.solve.stacked import stacked_least_squares
from epee.table.block import BLOCK_ROWS, Source
from epee.table.partitions import by_partition
from epee.table.sparse import SparseSource
from epee.typing import ArrayLike, Matrix, Tensor, Vector

REFINE_FROM = 1e6  # condition of S: sums of squares alone would keep fewer than ten digits
FACTOR_FROM = 1e10  # and from here on Cholesky's factor is too poor to refine with
EPS = float(np.finfo(float).eps)


class LinearRegression(RowSource, Inference, Influence, LinearSmoother, MomentRegressor):
    r"""Least squares: :math:`\hat\beta = S^{-1} c`, with its standard errors, tests, intervals and diagnostics.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Estimate :math:`\beta_0`; otherwise the line goes through the origin.
    copy_X : bool, default=True
        scikit-learn's; the input is never written to here.
    tol : float, default=1e-6
        Where sparse rows of thousands of columns are solved by products with them (LSQR), the relative error that may be left; a smaller
        one takes more products. Other tables are solved exactly.
    n_jobs : int, default=None
        scikit-learn's; the threads are those of ``epee.options.threads``.
    positive : bool, default=False
        Force the coefficients to be at least 0.

    Attributes
    ----------
    coef_ : array (p,) or (m, p)
    intercept_ : float or array (m,)
    rank_ : int
        Rank of the centred inputs.
    singular_ : array
        Their singular values.
    condition_ : float
        Estimated condition number of the standardised inputs; its decimal logarithm is how many digits of the data are lost.
    sigma2_ : float or array (m,)
        Maximum likelihood variance of the noise, RSS / n.
    residual_variance_ : float or array (m,)
        Unbiased variance, RSS / (n - parameters).
    coef_covariance_ : array (p, p) or (m, p, p)
        :math:`\hat\sigma^2 S^{-1}` with the unbiased variance.

    Notes
    -----
    One pass that keeps :math:`(p + m)^2` numbers, then :math:`O(p^3)`; at most a few passes more for ill-conditioned
    columns (a :class:`~epee.errors.ConditionWarning` names them). Columns that depend on each other, or more columns than rows, have
    no unique answer: the solution of smallest norm is given, and said. Weights are counts.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 3.2.

    Examples
    --------
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.9, 5.1, 7.0])
    >>> model.coef_.round(6), round(float(model.intercept_), 6), round(model.sigma2_, 6)
    (array([2.02]), 0.97, 0.0045)
    >>> model.predict_interval([[1.5]], 0.95, "prediction").round(3)
    array([[3.544, 4.456]])
    """

    state_parts = (
        "_factor",
        "_rss",
        "_count",
        "_tss",
        "_centre",
        "_rounding",
        "_rows",
        "_log_weights",
        "_general",
        "_wide",
    )

    _takes_sparse = True

    def __init__(
        self, *, fit_intercept: bool = True, copy_X: bool = True, tol: float = 1e-6, n_jobs: int | None = None,
        positive: bool = False,
    ) -> None:  # fmt: skip
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: ArrayLike | None = None, covariance: ArrayLike | None = None
    ) -> Self:  # fmt: skip
        """Learn from the rows of ``X`` (n, p) and their values ``y`` (n,) or (n, m).

        Parameters
        ----------
        X : array, frame, path or stream
        y : array (n,) or (n, m), or the name of a column of a stream
        sample_weight : array (n,), optional
            Counts: weight 2 is the row twice.
        offset : array (n,), optional
            A known part of the value, with coefficient 1: ``y - offset`` is regressed.
        covariance : array (n,) or (n, n), optional
            Covariance of the noise of the rows, up to a factor: generalised least squares.
        """
        self._reset()
        if offset is not None:
            y = subtract_offset(y, offset)
        if covariance is not None:
            return fit_general(self, X, y, sample_weight, covariance)
        return super().fit(X, y, sample_weight)

    def _reset(self) -> None:
        for name in ("_wide", "_general", "_exact", "moments_"):
            self.__dict__.pop(name, None)

    def _from_rows(self, source: Source) -> bool:
        if is_large_and_sparse(source):
            self._solve_sparse(source)  # type: ignore[arg-type]
            return True
        rows = None if self.positive else wide_rows(source)
        if rows is not None:
            self._solve_wide(*rows)
        return rows is not None

    def _finish(self, source: Source) -> None:
        if "_wide" not in vars(self):
            self._say_condition()
        self._count_rows(source)

    def fit_moments(self, m: Moments) -> Self:
        """Solve from moments; where they are too ill-conditioned, what is left of the digits is said."""
        super().fit_moments(m)
        self._say_condition(rows=False)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; the order and the cut of the rows do not matter.

        Ill-conditioned columns keep sums in double-double from the first call on, since the rows will not be seen again.
        """
        self._recall()
        if not hasattr(self, "moments_"):
            self.fit(X, y, sample_weight)
            source = self.rows_in(X, y, sample_weight)
            origin = self.moments_.origin if hasattr(self, "moments_") else joint_origin(source)
            self._exact = self._exact_sums(source, origin) if self.condition_**2 > REFINE_FROM else None
            return self
        source = self.rows_in(X, y, sample_weight, reset=False)
        return self._update(source, operator.add)

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out of what was learned; refused when fewer than six digits would be left."""
        check_is_fitted(self)
        self._recall()
        return self._update(self.rows_in(X, y, sample_weight, reset=False), operator.sub)

    def _update(self, source: Source, merge: Any) -> Self:
        part = reduce_source(source, self.summation(source, origin=self.moments_.origin))
        exact = getattr(self, "_exact", None)
        self.moments_ = self.moments_ + part if merge is operator.add else self.moments_.without(part)
        self._solve(self.moments_)
        if exact is not None and self._factor.condition > REFINE_FROM / 100:
            self._exact = merge(exact, self._exact_sums(source, exact.origin))
            self._solve_exact(self._exact)
        else:
            self._exact = None
        self._say_condition(rows=self._exact is not None)
        return self

    def _exact_sums(self, source: Source, origin: Vector) -> ExactGram:
        G: ExactGram = engine_for(source).reduce(source, ExactSummation(origin), rows=max(16, CELLS // len(origin)))
        return G

    def _solve_exact(self, G: ExactGram) -> None:
        """Solve (2) in double-double, as far as its matrix has an inverse."""
        p = self.n_features_in_
        S, mean = G.scatter(), G.mean()
        if not self.fit_intercept:
            n = np.array([self._count])
            S = add(S, multiply(multiply((mean[0][:, None], mean[1][:, None]), mean), (n, 0 * n)))
        try:
            L = exact_cholesky((S[0][:p, :p], S[1][:p, :p]))
        except SingularProblem:
            return
        beta = exact_solve(L, (S[0][:p, p:], S[1][:p, p:]))
        fitted = total(multiply((S[0][:p, p:], S[1][:p, p:]), beta))
        rss = subtract((np.diagonal(S[0])[p:], np.diagonal(S[1])[p:]), fitted)[0]
        line = total(multiply((mean[0][:p, None], mean[1][:p, None]), beta))
        level = subtract((mean[0][p:], mean[1][p:]), line)[0] if self.fit_intercept else np.zeros(len(rss))
        self._adopt(Cholesky.of_factor(L[0].T), beta[0], level, np.maximum(rss, 0.0))

    def _solve(self, m: Moments) -> None:
        """Solve (2)."""
        S, C, tss, mean, level = normal_equations(m, self.fit_intercept)
        try:
            factor: Any = Cholesky(S)
            if factor.condition > 1e14:
                factor = MinimumNorm.of_scatter(S)
        except SingularProblem:
            factor = MinimumNorm.of_scatter(S)
        if self.positive:
            coef = non_negative(factor, C)
            rss = tss - 2 * (C * coef).sum(axis=0) + (coef * (S @ coef)).sum(axis=0)
        else:
            coef = factor.solve(C)  # (p, m)
            rss = tss - (C * coef).sum(axis=0)
        self._adopt(factor, coef, level - mean @ coef if self.fit_intercept else level, np.maximum(rss, 0.0))
        self._count, self._tss, self._centre = float(m.count), tss, mean
        variances = m.variances[: m.p]
        varies = variances > (4 * EPS * m.x_mean) ** 2
        short = getattr(self, "_given_type", None) == np.float32
        unit = float(np.finfo(np.float32).eps) if short else EPS  # what the cells themselves were rounded to
        self._rounding = float(np.max(unit * np.abs(m.x_mean[varies]) / np.sqrt(variances[varies]), initial=unit))

    def solve_stack(self, m: Moments) -> tuple[Tensor, Tensor] | None:
        """Return the solutions of all folds at once, (F, m, p) and (F, m); None when some must go back to their rows."""
        return None if self.positive else stacked_least_squares(m, intercept=self.fit_intercept)

    def _adopt(self, factor: Any, coef: Matrix, intercept: Vector, rss: Vector) -> None:
        self._factor, self._rss, self.rank_ = factor, rss, factor.rank
        self.condition_ = float(np.sqrt(factor.condition))
        self._set_linear(np.ascontiguousarray(coef.T), intercept if self.fit_intercept else np.zeros(len(rss)))
        if not self.fit_intercept:
            self.intercept_ = 0.0

    def refine(self, source: Source, m: Moments) -> None:
        """Go back to the rows where the sums have lost digits of the coefficients, or of a tiny residual."""
        if self.positive:
            return
        factor, condition = self._factor, self._factor.condition
        coef, level = np.atleast_2d(self.coef_).T, m.y_mean if self.fit_intercept else None
        if condition <= REFINE_FROM:
            if (self._rss < 1e-6 * self._tss).any():
                done = plain_step(source, factor, self._centre, coef, level, self._count)
                self._adopt(factor, done.coef, done.intercept, done.rss)
            return
        rate = EPS * condition
        if condition > FACTOR_FROM:
            q: QRFactor = engine_for(source).reduce(
                source, Factorisation(m.origin), rows=max(BLOCK_ROWS, 4 * m.n_columns)
            )  # fmt: skip
            R = q.centred if self.fit_intercept else q.uncentred
            Rxx, Rxy = R[: m.p, : m.p], R[: m.p, m.p :]
            Rxx[:, getattr(factor, "zero", [])] = 0.0  # constant up to rounding
            factor = factor_of(Rxx, max(1e-12, 8 * self._rounding))
            coef, rate = factor.solve(Rxx.T @ Rxy), EPS * np.sqrt(min(factor.condition, 1e24))
        done = refine(source, factor, self._centre, coef, level, self._count, rate)
        self._adopt(factor, done.coef, done.intercept, done.rss)

    def _solve_sparse(self, source: SparseSource) -> None:
        """Solve by products with sparse rows; nothing of size p x p or n x n is formed."""
        done, intercept, rows = self._iterated(source, np.zeros, float(self.tol))
        self._adopt(NoFactor(), done.coef, intercept, rows.squares_left(done.coef))

    def _solve_wide(self, X: Matrix, Y: Matrix, w: Vector | None) -> None:
        """Solve with at most as many rows as columns: the singular values of the rows themselves, shortest solution."""
        n = float(len(X)) if w is None else float(w.sum())
        mean = np.average(X, axis=0, weights=w) if self.fit_intercept else np.zeros(X.shape[1])
        level = np.average(Y, axis=0, weights=w) if self.fit_intercept else np.zeros(Y.shape[1])
        root = np.ones(len(X)) if w is None else np.sqrt(w)
        Z, T = root[:, None] * (X - mean), root[:, None] * (Y - level)
        factor = WideFactor(Z)
        coef = factor.least_squares(T)
        rss = ((T - Z @ coef) ** 2).sum(axis=0)
        self._wide = (X, Y, w)
        self.__dict__.pop("moments_", None)
        self._adopt(factor, coef, level - mean @ coef, rss)
        self._count, self._tss, self._centre = n, (T**2).sum(axis=0), mean
        say(
            f"there are {len(X)} rows for {X.shape[1]} columns: the coefficients are not determined, and the shortest solution "
            f"is given (rank {factor.rank}). Use Ridge, or fewer columns.", ConditionWarning,
        )  # fmt: skip

    def _say_condition(self, rows: bool = True) -> None:
        factor = self._factor
        if isinstance(factor, MinimumNorm) and factor.rank < self.n_features_in_ - len(factor.zero):
            columns = factor.dependent()
            sure = "" if rows else ", or so nearly that sums cannot tell"
            say(
                f"{list_columns(columns, self)} linearly dependent{sure} (rank {factor.rank} of {self.n_features_in_}): the "
                "coefficients are not determined, and the shortest solution is given. Drop one of them.", ConditionWarning,
            )  # fmt: skip
        elif np.isfinite(factor.condition) and factor.condition > FACTOR_FROM:
            columns = weakest(factor.root.T @ factor.root)
            how = "solved from the rows by QR with refinement; small errors in the data move the coefficients much."
            if not rows:
                digits = max(int(-np.log10(EPS * factor.condition)), 0)
                how = (
                    f"from sums alone the coefficients keep about {digits} digits. Use fit on the rows to get them all."
                )
            say(
                f"{list_columns(columns, self)} nearly collinear (condition number {self.condition_:.1e}): {how}",
                ConditionWarning,
            )

    @by_partition
    def predict(self, X: Any, offset: ArrayLike | None = None) -> Matrix:
        """Return the predicted value of each row, plus the known ``offset`` (n,) where there is one."""
        fitted = super().predict(X)
        return fitted if offset is None else fitted + np.asarray(offset, dtype=np.float64).reshape(fitted.shape)

    @property
    def singular_(self) -> Vector:
        """Singular values of the centred inputs, in decreasing order."""
        return np.linalg.svd(self._factor.root, compute_uv=False)


class WideFactor(MinimumNorm):
    """The pseudo-inverse from rows Z (n, p) with n <= p: nothing of size p x p is formed."""

    def __init__(self, Z: Matrix) -> None:
        U, s, Vt = np.linalg.svd(Z, full_matrices=False)
        self.rank, self.condition = int((s > EPS * max(Z.shape) * s.max(initial=0.0)).sum()), float("inf")
        self.U, self.s, self.V1 = U[:, : self.rank], s[: self.rank], Vt[: self.rank].T
        self.scale, self.zero = np.ones(Z.shape[1]), np.empty(0, dtype=np.intp)
        self.V0 = np.zeros((Z.shape[1], 0))

    def _shorten(self, beta: Matrix) -> Matrix:
        return beta  # the rows span the answer already

    def least_squares(self, T: Matrix) -> Matrix:
        """Return the shortest least-squares coefficients (p, m) for the targets T (n, m)."""
        return self.V1 @ ((self.U.T @ T) / self.s[:, None])


def factor_of(R: Matrix, tol: float) -> Any:
    """Return the object that solves R'R b = c: by triangles, or by the pseudo-inverse where the rank is short."""
    try:
        factor = Cholesky.of_factor(R)
    except SingularProblem:
        return MinimumNorm(R, tol)
    if np.sqrt(factor.condition) * tol < 1:
        return factor
    pseudo = MinimumNorm(R, tol)
    return pseudo if pseudo.rank < R.shape[1] else factor


def normal_equations(m: Moments, centred: bool) -> tuple[Matrix, Matrix, Vector, Vector, Vector]:
    """Return the scatters (p, p) and (p, m), the total squares (m,), and the means taken off inputs and targets."""
    tss = np.diagonal(m.yy).copy()
    constant = m.variances[: m.p] <= (4 * EPS * m.x_mean) ** 2  # constant up to rounding
    if centred:
        S, C = m.xx, m.xy
        if constant.any():
            S, C = S.copy(), C.copy()
            S[constant], S[:, constant], C[constant] = 0.0, 0.0, 0.0
        return S, C, tss, m.x_mean, m.y_mean
    x, y, n = m.x_mean, m.y_mean, m.count
    return m.xx + n * np.outer(x, x), m.xy + n * np.outer(x, y), tss + n * y**2, np.zeros(m.p), np.zeros(m.targets)


def subtract_offset(y: Any, offset: ArrayLike) -> Any:
    """Return the target without its known part."""
    if isinstance(y, str):
        raise WrongUse("an offset needs the target as an array; subtract it from the column in the query instead.")
    values, known = np.asarray(y, dtype=np.float64), np.asarray(offset, dtype=np.float64)
    if known.shape not in (values.shape, values.shape[:1]):
        raise DataError(f"offset has shape {known.shape} and y {values.shape}: give one known value for each row.")
    if not np.isfinite(known).all():
        raise DataError(
            f"offset contains NaN or infinity, first in row {int(np.argwhere(~np.isfinite(known))[0][0])}. Fill it."
        )
    return values - (known if known.shape == values.shape else known[:, None])
