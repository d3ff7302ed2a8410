r"""Ridge regression: least squares with a price on large coefficients.

.. math:: \min_{\beta_0, \beta} \; \sum_i w_i (y_i - \beta_0 - x_i^\top \beta)^2 + \alpha \|\beta\|^2
          \quad\Longrightarrow\quad (S + \alpha I)\, \hat\beta = c, \quad \hat\beta_0 = \bar y - \bar x^\top \hat\beta. \tag{1}

A direction of the inputs with scatter :math:`d_j^2` is shrunk by :math:`d_j^2 / (d_j^2 + \alpha)`; the sum of these factors is the
effective number of degrees of freedom. In place of the penalty one may give a bound, :math:`\|\beta\|^2 \le s`: the same
solutions, one penalty for each bound that binds (:mod:`epee.solve.norm_bound`). With fewer rows than columns the same answer comes
from the small side, :math:`\hat\beta = Z^\top (Z Z^\top + \alpha I)^{-1} (y - \bar y)`: a combination of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from epee.arrays import like_together, namespace
from epee.engines.choice import engine_for
from epee.errors import SingularProblem, WrongUse
from epee.estimator.moment import MomentRegressor
from epee.estimator.smoother import LinearSmoother
from epee.moments.moments import Moments
from epee.moments.qr import Factorisation, QRFactor, triangle
from epee.predictors.regression.influence import LeftOut
from epee.predictors.regression.ols import EPS, FACTOR_FROM, REFINE_FROM, factor_of, normal_equations
from epee.predictors.regression.rows import RowSource, uneven, wide_rows
from epee.solve.cholesky import Cholesky
from epee.solve.minimum_norm import MinimumNorm
from epee.solve.norm_bound import penalties_of_bound
from epee.solve.positive import non_negative
from epee.solve.refine import refine
from epee.solve.ridge_path import RidgeSpectrum, effective_dof, ridge_path, ridge_path_with_spectrum
from epee.solve.ridge_path_elsewhere import ridge_path_elsewhere
from epee.solve.sparse_rows import NoFactor, is_large_and_sparse
from epee.solve.stacked import stacked_least_squares
from epee.stateful import Part
from epee.table.block import BLOCK_ROWS, Source
from epee.table.sparse import SparseSource
from epee.typing import ArrayLike, Matrix, Tensor, Vector

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")


class Ridge(RowSource, LeftOut, LinearSmoother, MomentRegressor):
    r"""Least squares plus :math:`\alpha \|\beta\|^2`; the intercept is free.

    Parameters
    ----------
    alpha : float >= 0 or array (m,), default=1.0
        Weight of the penalty in (1), one for each target if an array; 0 is least squares, a large one sends ``coef_`` to 0. It
        is in the units of the scatter: changing the unit of a column changes what it costs.
    fit_intercept : bool, default=True
        Estimate :math:`\beta_0`.
    max_iter : int, default=None
        The most products with sparse rows of thousands of columns, which are solved by such products; None is as many as it takes.
    tol : float, default=1e-4
        Where these stop: at a residual of this share of the right side of (1), as in scikit-learn, once the slopes move by no more than
        that share; a smaller one gives more digits and takes more products. Every other table is solved exactly.
    copy_X, random_state : scikit-learn's
        Accepted; the input is never written to, and nothing is drawn.
    solver : {"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, default="auto"
        scikit-learn's names for roads to the same answer, which is here found from moments, or from the rows' products when
        there are fewer rows than columns.
    positive : bool, default=False
        Force the coefficients to be at least 0.
    bound : float > 0, default=None
        A bound :math:`s` on :math:`\|\beta\|^2` in place of ``alpha``, which then is not used: a smaller one shrinks more, and one
        above that of least squares changes nothing.

    Attributes
    ----------
    coef_, intercept_ : as in least squares
    alpha_ : float or array (m,)
        The penalty in use: ``alpha``, or the one that makes the bound tight.
    effective_dof_ : float or array (m,)
        :math:`\sum_j d_j^2 / (d_j^2 + \alpha)`, intercept apart: from p at :math:`\alpha = 0` down to 0.
    solver_ : str
        The solver that was named; for "auto" "cholesky" (by columns), "svd" (by rows) or, by products with sparse rows of thousands of
        columns, "sparse_cg", "lsqr" where the penalty is next to nothing.

    Notes
    -----
    One pass and :math:`O(p^3)`, or :math:`O(n^2 p)` when n < p. Where :math:`S + \alpha I` is so ill-conditioned that digits
    would be lost, the rows are read again and the answer is refined. Weights are counts.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 3.4.1.

    Examples
    --------
    >>> model = Ridge(alpha=5.0).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0])
    >>> model.coef_, round(float(model.intercept_), 12), model.effective_dof_
    (array([1.]), 2.5, 0.5)
    """

    state_parts = ("_count", "_centre", "_tss", "_scatter", "_factor", "_values", "_wide", "_bounded")

    _takes_sparse = True

    def __init__(
        self, alpha: Any = 1.0, *, fit_intercept: bool = True, copy_X: bool = True, max_iter: int | None = None,
        tol: float = 1e-4, solver: str = "auto", positive: bool = False, random_state: Any = None,
        bound: float | None = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.bound = bound

    def _reset(self) -> None:
        super()._reset()
        self.__dict__.pop("_wide", None)

    def _from_rows(self, source: Source) -> bool:
        if is_large_and_sparse(source):
            self._solve_sparse(source, float(self.tol))  # type: ignore[arg-type]
            return True
        rows = None if self.positive else wide_rows(source)
        if rows is None or uneven(rows[0]):
            return False
        self._solve_wide(*rows)
        return True

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; the order and the cut of the rows do not matter."""
        self._recall()
        return super().partial_fit(X, y, sample_weight)

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out of what was learned; refused when fewer than six digits would be left."""
        check_is_fitted(self)
        self._recall()
        return super().forget(X, y, sample_weight)

    def _check(self) -> None:
        if self.solver not in SOLVERS:
            raise WrongUse(f"solver is {self.solver!r}; it must be one of {', '.join(map(repr, SOLVERS))}.")
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise WrongUse(f"solver={self.solver!r} does not support positive fitting: set it to 'auto' or 'lbfgs'.")
        check_penalties(self.alpha, "alpha")
        if self.bound is not None:
            if not (isinstance(self.bound, Real) and np.isfinite(self.bound) and self.bound > 0):
                raise WrongUse(f"bound is {self.bound!r}; it must be a number above 0: the largest |beta|² allowed.")
            if self.positive:
                raise WrongUse("bound does not go with positive=True; give alpha.")

    def _tighten(self, values: Vector, rotated: Matrix) -> None:
        """Find the penalties that the bound asks for."""
        if self.bound is not None:
            self._bounded = penalties_of_bound(values, rotated, float(self.bound))

    @property
    def alpha_(self) -> Any:
        """The penalty in use."""
        check_is_fitted(self)
        if self.bound is None:
            return self.alpha
        return float(self._bounded[0]) if np.ndim(self.coef_) == 1 else self._bounded.copy()

    def _alphas(self, targets: int) -> Vector:
        if self.bound is not None:
            return self._bounded
        alpha = np.asarray(self.alpha, dtype=np.float64).ravel()
        if len(alpha) not in (1, targets):
            raise WrongUse(
                f"alpha has {len(alpha)} values for {targets} targets. Number of targets and number of penalties do not "
                f"correspond: {len(alpha)} != {targets}."
            )
        return np.broadcast_to(alpha, targets)

    _scatter: Matrix | None

    def _solve(self, m: Moments) -> None:
        """Solve (1)."""
        self._check()
        S, C, tss, mean, level = normal_equations(m, self.fit_intercept)
        if self.bound is not None:
            spectrum = RidgeSpectrum.of_scatter(S, C, tss)
            self._tighten(spectrum.values, spectrum.rotated)
        alphas = self._alphas(m.targets)
        factor = ByTarget([penalised(S, a) for a in dict.fromkeys(alphas)], alphas)
        coef = factor.non_negative(C) if self.positive else factor.solve(C)
        self._count, self._centre, self._tss, self._scatter = float(m.count), mean, tss, S
        self._adopt(factor, coef, level - mean @ coef if self.fit_intercept else level, "cholesky")

    def _adopt(self, factor: Any, coef: Matrix, intercept: Vector, solver: str) -> None:
        self._factor, self.solver_ = factor, solver if self.solver == "auto" else self.solver
        self.n_iter_ = 1  # solved at once
        self._set_linear(np.ascontiguousarray(coef.T), intercept)
        if coef.shape[1] == 1:  # a target (n, 1) is one, too, and as in scikit-learn its constant keeps the axis
            self.coef_ = self.coef_.reshape(-1)
        if not self.fit_intercept:
            self.intercept_ = 0.0

    def refine(self, source: Source, m: Moments) -> None:
        factor = self._factor
        if self.positive or factor.condition <= REFINE_FROM:
            return
        coef, rate = np.atleast_2d(self.coef_).T, EPS * factor.condition
        if factor.condition > FACTOR_FROM:
            q: QRFactor = engine_for(source).reduce(
                source, Factorisation(m.origin), rows=max(BLOCK_ROWS, 4 * m.n_columns)
            )
            R = q.centred if self.fit_intercept else q.uncentred
            Rxx, Rxy = R[: m.p, : m.p], R[: m.p, m.p :]
            factor = ByTarget(
                [factor_of(triangle(np.vstack([Rxx, np.sqrt(a) * np.eye(m.p)])), 1e-13) for a in factor.alphas],
                factor.of,
            )
            coef, rate = factor.solve(Rxx.T @ Rxy), EPS * np.sqrt(min(factor.condition, 1e24))
        level = m.y_mean if self.fit_intercept else None
        done = refine(source, factor, self._centre, coef, level, self._count, rate, self._alphas(m.targets))
        self._adopt(factor, done.coef, done.intercept, self.solver_)

    def _solve_sparse(self, source: SparseSource, tol: float | None = None) -> None:
        """Solve by products with sparse rows, to all digits without ``tol``; nothing of size p x p or n x n is formed."""
        most = None if self.max_iter is None else int(self.max_iter)
        done, intercept, _ = self._iterated(source, self._alphas, tol, most)
        self._scatter = None
        self._values: Vector | None = None
        self._adopt(NoFactor(), done.coef, intercept, done.solver)
        self.n_iter_ = done.iterations

    def _solve_wide(self, X: Matrix, Y: Matrix, w: Vector | None) -> None:
        """Solve from the products of rows; nothing of size p x p is formed."""
        Z, T, mean, level, n = centred_rows(X, Y, w, self.fit_intercept)
        self._check()
        spectrum = RidgeSpectrum.of_rows(Z, T)
        self._tighten(spectrum.values, spectrum.rotated)
        alphas = self._alphas(Y.shape[1])
        path = spectrum.coef(alphas)  # (m, p, m)
        coef = path[np.arange(len(alphas)), :, np.arange(len(alphas))].T  # (p, m)
        self._wide = (X, Y, w)
        self.__dict__.pop("moments_", None)
        self._count, self._centre, self._tss, self._scatter = n, mean, spectrum.tss, None
        self._values = spectrum.values
        unique = list(dict.fromkeys(alphas))
        factor = ByTarget([RowFactor(spectrum, a, X.shape[1]) for a in unique], alphas)
        self._adopt(factor, coef, level - mean @ coef, "svd")

    @property
    def effective_dof_(self) -> Any:
        """Trace of the smoother, intercept apart: the sum of d² / (d² + alpha)."""
        check_is_fitted(self)
        values = self._values if self._scatter is None else np.linalg.eigvalsh(self._scatter)
        if values is None:
            return self._factor.values  # which says why there are none
        dof = effective_dof(values, self._alphas(len(self._tss)))
        return float(dof[0]) if np.ndim(self.coef_) == 1 or self._one_penalty else dof

    @property
    def _one_penalty(self) -> bool:
        return self.bound is None and np.size(self.alpha) == 1

    def _spread(self, X: Matrix) -> Tensor:
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
        spread = self._factor.leverage((X - self._centre).T) + (1 / self._count if self.fit_intercept else 0.0)
        return spread[:, 0] if spread.shape[1] == 1 or self._one_penalty else spread

    def left_out(self, X: Any, y: Any, w: Vector | None = None) -> Tensor | None:
        """Return the prediction of each row by the model fitted without it; None for a bound, whose penalty the row has moved."""
        return None if self.bound is not None else super().left_out(X, y, w)

    def _settled(self) -> Any:
        model = super()._settled()
        return model if self.bound is None else model.set_params(alpha=self._bounded_alpha(), bound=None)

    def _bounded_alpha(self) -> Any:
        if not hasattr(self, "coef_") or np.size(self._bounded) != 1:
            raise WrongUse(
                "the penalty of a bound follows from the values: fit the model to one target before its hat matrix."
            )
        return self.alpha_

    def solve_stack(self, m: Moments) -> tuple[Tensor, Tensor] | None:
        """Return the solutions of all folds at once, (F, m, p) and (F, m); None when some must go back to their rows."""
        self._check()
        if self.positive or not self._one_penalty:
            return None
        return stacked_least_squares(m, float(np.ravel(self.alpha)[0]), intercept=self.fit_intercept)

    def solve_path(self, m: Moments, parameter: str, values: ArrayLike) -> tuple[Tensor, Tensor, Tensor] | None:
        """Return the solutions of all values of a parameter at once, for each fold when the moments have folds.

        None when there is no such path: another parameter than ``alpha``, or ``positive=True``.

        Parameters
        ----------
        m : Moments
            With an optional axis "fold".
        parameter : {"alpha"}
        values : array (V,)

        Returns
        -------
        coef : array (F, V, m, p), without F when there are no folds
        intercept : array (F, V, m)
        dof : array (F, V)
            Trace of the smoother, the intercept counted.
        """
        if parameter != "alpha" or self.positive or self.bound is not None:
            return None
        alphas, m = check_penalties(values, "alpha"), m.here()
        coef, spectrum = ridge_path_with_spectrum(*self._sides(m), alphas)
        coef, intercept = self._with_intercept(m, coef)
        return coef, intercept, effective_dof(spectrum, alphas) + int(self.fit_intercept)

    def solve_penalties(self, m: Moments, alphas: Vector) -> tuple[Tensor, Tensor]:
        """Return coefficients (F, V, m, p) and intercepts (F, V, m) of every fold and penalty, where the moments lie."""
        S, C = self._sides(m)
        coef = None if m.is_here else ridge_path_elsewhere(S, C, alphas)
        if coef is None:  # here, or where some penalty leaves a matrix singular
            m = m.here()
            coef = ridge_path(*self._sides(m), alphas)
        return self._with_intercept(m, coef)

    def _sides(self, m: Moments) -> tuple[Tensor, Tensor]:
        """Return the two sides of (1), about the means or, without an intercept, about zero."""
        S, C, x, y = m.xx, m.xy, m.x_mean, m.y_mean
        if self.fit_intercept:
            return S, C
        n = m.count[..., None, None]
        return S + n * x[..., :, None] * x[..., None, :], C + n * x[..., :, None] * y[..., None, :]

    def _with_intercept(self, m: Moments, coef: Tensor) -> tuple[Tensor, Tensor]:
        """Return coefficients (..., V, p, m) as (..., V, m, p), and their intercepts (..., V, m)."""
        xp = namespace(coef)
        coef = xp.matrix_transpose(coef)
        fitted = (coef @ m.x_mean[..., None, :, None])[..., 0]
        if not self.fit_intercept:
            return coef, xp.zeros_like(fitted)
        return coef, m.y_mean[..., None, :] - fitted

    def path(self, X: Any, y: Any, alphas: ArrayLike | None = None, sample_weight: Any = None) -> RidgePath:
        """Return the coefficients and degrees of freedom for all ``alphas`` from one decomposition; it has a ``plot``."""
        model = clone(self).set_params(alpha=1.0, bound=None)
        source = model.rows_in(X, y, sample_weight)
        rows = wide_rows(source)
        if rows is not None:
            Z, T, mean, level, _ = centred_rows(*rows, self.fit_intercept)
        else:
            S, C, tss, mean, level = normal_equations(model._sum(source), self.fit_intercept)
        spectrum = RidgeSpectrum.of_scatter(S, C, tss) if rows is None else RidgeSpectrum.of_rows(Z, T)
        grid = default_alphas(spectrum.values) if alphas is None else check_penalties(alphas, "alphas")
        coef = spectrum.coef(grid) if rows is not None else ridge_path(S, C, grid)
        coef = np.swapaxes(coef, -1, -2)  # (A, m, p)
        intercept = level - coef @ mean
        names = getattr(model, "feature_names_in_", None)
        one = model._one_target
        return RidgePath(
            grid, coef[:, 0] if one else coef, intercept[:, 0] if one else intercept, spectrum.dof(grid), names
        )

    def left_out_path(self, X: Any, y: Any, w: Vector | None, parameter: str, values: ArrayLike) -> Tensor | None:
        """Return the predictions without the row for every value of ``alpha``, (V, n) or (V, n, m)."""
        if parameter != "alpha" or self.positive or self.bound is not None:
            return None
        alphas = check_penalties(values, "alpha")
        model = clone(self).set_params(alpha=1.0)
        X, y, w = model._enter_both(X, y, w)
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        Z, T, mean, level, n = centred_rows(X, y.reshape(len(X), -1), w, self.fit_intercept)
        spectrum = (
            RidgeSpectrum.of_rows(Z, T)
            if len(X) <= X.shape[1]
            else RidgeSpectrum.of_scatter(Z.T @ Z, Z.T @ T, (T**2).sum(axis=0))
        )
        left, _ = left_out_block(
            (X - mean) @ spectrum.V, y.reshape(len(X), -1) - level, w, spectrum, alphas, n, self.fit_intercept
        )
        left = np.moveaxis(left, 1, 0) + level  # (V, n, m)
        return left[..., 0] if y.ndim == 1 else left


@dataclass(frozen=True, eq=False)
class RidgePath:
    """Coefficients (A, p) or (A, m, p), intercepts and degrees of freedom of every penalty."""

    alphas: Vector
    coef: Tensor
    intercept: Tensor
    dof: Vector
    names: Any = None

    def plot(self, ax: Any = None, *, against: str = "dof") -> Any:
        """Draw the coefficients against degrees of freedom, or against ``"alpha"``."""
        from epee.figures.regression import plot_path

        return plot_path(self, ax, against=against)


class ByTarget(Part):
    """Factors of S + alpha I for the different penalties of several targets."""

    state_parts = ("factors", "of", "alphas", "condition", "scale")

    def __init__(self, factors: list[Any], of: Vector) -> None:
        self.factors, self.of = factors, np.asarray(of)
        self.alphas = list(dict.fromkeys(self.of))
        self.condition = max(f.condition for f in factors)
        self.scale = factors[0].scale

    def _columns(self, B: Matrix, work: Any) -> Matrix:
        if len(self.factors) == 1:
            return work(self.factors[0], B)
        out = np.empty_like(B)
        for a, factor in zip(self.alphas, self.factors, strict=True):
            out[:, self.of == a] = work(factor, B[:, self.of == a])
        return out

    def solve(self, B: Matrix) -> Matrix:
        """Return the solutions (p, m), each target by its own penalty."""
        return self._columns(B, lambda f, b: f.solve(b))

    def non_negative(self, B: Matrix) -> Matrix:
        """Return the solutions (p, m) that are at least 0."""
        return self._columns(B, non_negative)

    def leverage(self, Z: Matrix) -> Matrix:
        """Return z' (S + alpha I)^-1 z for the columns of Z (p, n), by target (n, m)."""
        half = [np.einsum("ij,ij->j", h, h) for h in (f.half_solve(Z) for f in self.factors)]
        return np.column_stack([half[self.alphas.index(a)] for a in self.of])


class RowFactor(Part):
    """The inverse of S + alpha I on the span of the rows."""

    state_parts = ("spectrum", "weight", "scale")

    condition = 1.0

    def __init__(self, spectrum: RidgeSpectrum, alpha: float, p: int) -> None:
        self.spectrum, self.weight, self.scale = spectrum, 1 / np.sqrt(spectrum.values + alpha), np.ones(p)

    def half_solve(self, B: Matrix) -> Matrix:
        """Return H with H'H = B' (S + alpha I)^-1 B for B in the span of the rows."""
        return self.weight[:, None] * (self.spectrum.V.T @ B)


def penalised(S: Matrix, alpha: float) -> Any:
    """Return the factor of S + alpha I; the pseudo-inverse where that has no inverse."""
    A = S + alpha * np.eye(len(S))
    try:
        factor = Cholesky(A)
    except SingularProblem:
        return MinimumNorm.of_scatter(A)
    return factor if factor.condition < 1e14 else MinimumNorm.of_scatter(A)


def centred_rows(X: Matrix, Y: Matrix, w: Vector | None, centred: bool) -> tuple[Matrix, Matrix, Vector, Vector, float]:
    """Return rows and targets about their means times the root of their weights, the means, and the count."""
    mean = np.average(X, axis=0, weights=w) if centred else np.zeros(X.shape[1])
    level = np.average(Y, axis=0, weights=w) if centred else np.zeros(Y.shape[1])
    Z, T = X - mean, Y - level
    if w is None:
        return Z, T, mean, level, float(len(X))
    root = np.sqrt(w)[:, None]
    return root * Z, root * T, mean, level, float(w.sum())


def left_out_block(
    Z: Any, Y: Any, w: Any, spectrum: RidgeSpectrum, alphas: Vector, n: float, centred: bool, whole: bool = False
) -> tuple[Any, Any]:  # fmt: skip
    """Return left-out and ordinary predictions (rows, A, m) of centred targets Y (rows, m); Z (rows, r) are rows on the axes V.

    Of a row of weight above one, one copy is left out, or the ``whole`` row. The rows may lie elsewhere.
    """
    total = spectrum.values + alphas[:, None]  # (A, r)
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    xp, A, m = namespace(Z), len(alphas), Y.shape[1]
    inner = (inverse[:, :, None] * spectrum.rotated).transpose(1, 0, 2).reshape(-1, A * m)  # (r, A m)
    across, inner = like_together(Z, inverse.T, inner)
    h = Z**2 @ across + (1 / n if centred else 0.0)  # (rows, A)
    if w is not None:
        h = h * (w if whole else xp.clip(w, None, 1.0))[:, None]
    fitted = xp.reshape(Z @ inner, (Z.shape[0], A, m))
    left = Y[:, None, :] - (Y[:, None, :] - fitted) / xp.clip(1 - h, 1e-12, None)[:, :, None]
    return (left if w is None else xp.where((w > 0)[:, None, None], left, fitted)), fitted


def check_penalties(values: Any, name: str) -> Vector:
    """Return penalties as an array, or say which is negative or not a number."""
    try:
        alphas = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise WrongUse(f"{name} must be numbers of at least 0, not {values!r}.") from error
    if alphas.size == 0:
        raise WrongUse(f"{name} is empty; give at least one penalty.")
    bad = ~(np.isfinite(alphas) & (alphas >= 0))
    if bad.any():
        raise WrongUse(
            f"{name} == {alphas[bad][0]:g}, must be >= 0 and finite: a penalty cannot be negative, NaN or infinite."
        )
    return alphas


def default_alphas(values: Vector, count: int = 100) -> Vector:
    """Return penalties that lead from nearly no shrinkage to nearly nothing left, evenly on a logarithmic scale."""
    top = float(values.max(initial=0.0)) or 1.0
    low = max(float(values[values > 1e-10 * top].min(initial=top)), 1e-8 * top)
    return np.geomspace(1e-3 * low, 1e3 * top, count)
