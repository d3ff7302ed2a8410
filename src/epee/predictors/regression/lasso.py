r"""The lasso and the elastic net: least squares with a price on the size of the coefficients that sets many to zero.

.. math:: \min_{\beta_0, \beta} \; \frac1{2n} \sum_i (y_i - \beta_0 - x_i^\top\beta)^2
          + \alpha\rho \|\beta\|_1 + \frac{\alpha(1 - \rho)}2 \|\beta\|^2. \tag{1}

At the optimum the residual :math:`r` satisfies :math:`|x_j^\top r| / n \le \alpha\rho` wherever :math:`\beta_j = 0`. The course's form
:math:`\|r\|^2 + \lambda\|\beta\|_1` is (1) with :math:`\rho = 1` and :math:`\alpha = \lambda / 2n`; its constrained form
:math:`\|\beta\|_1 \le t` is (1) at the penalty where the path reaches that norm.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone

from epee.errors import SearchWarning, WrongUse
from epee.estimator.base import say
from epee.estimator.moment import MomentRegressor
from epee.estimator.rows import is_vector
from epee.moments.moments import Moments
from epee.predictors.regression.ridge import RidgePath
from epee.solve.elastic_net import Quadratic, decreasing, penalty_grid
from epee.solve.sparse_elastic_net import SparseColumns
from epee.solve.sparse_rows import has_many_sparse_columns
from epee.table.arrays import ArraySource
from epee.table.block import Source, refuse_bad_cells
from epee.table.sparse import SparseSource
from epee.typing import ArrayLike, Matrix, Tensor

WIDE = 2000  # columns from which on those of few rows are swept one by one, and their scatter is not formed


class ElasticNet(MomentRegressor):
    r"""Least squares with the penalty :math:`\alpha\rho\|\beta\|_1 + \frac12\alpha(1-\rho)\|\beta\|^2`.

    Parameters
    ----------
    alpha : float >= 0, default=1.0
        Weight of the penalty in (1); 0 is least squares, a large one sets every coefficient to zero.
    l1_ratio : float in [0, 1], default=0.5
        :math:`\rho`: 1 is the lasso, 0 ridge regression.
    fit_intercept : bool, default=True
        Centre first, so that the constant is not penalised; False sends the fit through the origin.
    precompute, copy_X, random_state, selection :
        Accepted for scikit-learn's sake: the Gram matrix is always formed, in one pass, and swept in order.
    max_iter : int, default=1000
        Sweeps over the coordinates.
    tol : float, default=1e-4
        The duality gap at which to stop, as a share of :math:`y^\top y / n`.
    warm_start : bool, default=False
        Begin at the last coefficients.
    positive : bool, default=False
        Force the coefficients to be at least 0.
    bound : float, default=None
        Instead of ``alpha``, the largest :math:`\|\beta\|_1`: the constrained form. A larger bound shrinks less.

    Attributes
    ----------
    coef_, intercept_, sparse_coef_, dual_gap_, n_iter_ : as in scikit-learn
    alpha_ : float
        The penalty used: ``alpha``, or the one that meets ``bound``.
    effective_dof_ : int
        Number of coefficients that are not zero, an unbiased estimate of the degrees of freedom of the lasso.

    Notes
    -----
    One pass for the moments, then sweeps that do not see the rows; on sparse rows with thousands of columns the sweeps go over the
    non-zeros instead.

    References
    ----------
    Friedman, Hastie and Tibshirani, *Journal of Statistical Software* 33 (2010).

    Examples
    --------
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> ElasticNet(alpha=0.1, l1_ratio=1.0).fit(X, [0.0, 1.0, 2.0, 3.0]).coef_.round(2)
    array([0.92, 0.  ])
    """

    _takes_sparse = True

    def __init__(
        self, alpha: float = 1.0, *, l1_ratio: float = 0.5, fit_intercept: bool = True, precompute: Any = False, max_iter: int = 1000,
        copy_X: bool = True, tol: float = 1e-4, warm_start: bool = False, positive: bool = False, random_state: Any = None,
        selection: str = "cyclic", bound: float | None = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.bound = bound

    def _ratio(self) -> float:
        return float(self.l1_ratio)

    def _check(self) -> None:
        if not (np.isfinite(self.alpha) and self.alpha >= 0):
            raise WrongUse(f"alpha is {self.alpha!r}; it must be a number of at least 0.")
        if not 0 <= self._ratio() <= 1:
            raise WrongUse(f"l1_ratio is {self.l1_ratio!r}; it must lie between 0 and 1.")
        if self.max_iter < 1 or self.tol < 0:
            raise WrongUse(f"max_iter must be at least 1 and tol at least 0; got {self.max_iter!r} and {self.tol!r}.")
        if self.selection not in ("cyclic", "random"):
            raise WrongUse(f"selection is {self.selection!r}; it must be 'cyclic' or 'random'.")
        if self.bound is not None and not self.bound >= 0:
            raise WrongUse(f"bound is {self.bound!r}; the largest norm must be at least 0.")

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Learn from the rows of ``X`` (n, p) and their values ``y`` (n,) or (n, m); ``check_input`` is scikit-learn's."""
        self.__dict__.pop("_columns", None)  # of other rows
        return super().fit(X, y, sample_weight)

    def _from_rows(self, source: Source) -> bool:
        columns = columns_alone(source, self.fit_intercept)
        if columns is None:
            return False
        self._search(columns)
        if isinstance(source, ArraySource):
            self._columns = columns
        return True

    def variants(self, parameter: str, values: Sequence[Any]) -> list[Self] | None:
        """Return the solutions of the same moments at other values; None where a value asks for other sums."""
        columns = self.__dict__.get("_columns")
        if columns is None or parameter != "alpha" or self.bound is not None:
            return super().variants(parameter, values)
        found: dict[float, Self] = {}
        last = copy.copy(self).set_params(warm_start=False)
        for alpha in sorted(set(values), reverse=True):  # each begins where the one before has ended
            start = np.atleast_2d(last.coef_) if found else None
            last = found[alpha] = copy.copy(last).set_params(alpha=alpha)
            last._search(columns, start)
        return [found[alpha] for alpha in values]

    def _solve(self, m: Moments) -> None:
        self._search(Quadratic.of(m, self.fit_intercept))

    def _search(self, quadratic: Quadratic | SparseColumns, start: Matrix | None = None) -> None:
        """Find the coefficients at the penalty, from a start where there is one."""
        self.alpha_ = float(self.alpha) if self.bound is None else self._penalty_for(quadratic)
        if self.warm_start and hasattr(self, "coef_"):
            start = np.atleast_2d(self.coef_)
        start = start if start is not None and start.shape == (len(quadratic.yy), len(quadratic.x_mean)) else None
        W, gaps, sweeps = quadratic.path(
            np.array([self.alpha_]),
            self._ratio(),
            tol=self.tol,
            max_iter=self.max_iter if self.alpha_ > 0 else 1,
            positive=self.positive,
            start=start,
        )
        if self.alpha_ == 0:  # no penalty, no search: least squares
            W, gaps = quadratic.without_penalty(self.positive)[None], np.zeros_like(gaps)
        self._set_linear(W[0], quadratic.intercepts(W[0]))
        self.coef_ = self.coef_.reshape(-1) if len(W[0]) == 1 else self.coef_  # a target (n, 1) is one, too
        one = np.ndim(self.coef_) == 1
        self.dual_gap_ = float(gaps[0, 0]) if one else gaps[0]
        self.n_iter_ = int(sweeps[0].max())
        self.effective_dof_ = int((W[0] != 0).sum())
        if (gaps[0] > self.tol * quadratic.yy + 1e-15).any() and (sweeps[0] >= self.max_iter).any():
            say(
                f"coordinate descent stopped after max_iter={self.max_iter} sweeps with a duality gap of {gaps[0].max():.3g} "
                f"(wanted {self.tol * quadratic.yy.max():.3g}): raise max_iter, or alpha.", SearchWarning,
            )  # fmt: skip

    def _penalty_for(self, quadratic: Quadratic | SparseColumns) -> float:
        """Return the penalty at which the norm of the coefficients is ``bound``: it decreases along the path."""
        low, high = 0.0, quadratic.largest_alpha(max(self._ratio(), 1e-12))

        def norm(alpha: float) -> float:
            W, _, _ = quadratic.path(
                np.array([alpha]),
                self._ratio(),
                tol=min(self.tol, 1e-10),
                max_iter=max(self.max_iter, 10_000),
                positive=self.positive,
            )
            return float(np.abs(W).sum())

        bound = float(self.bound)  # type: ignore[arg-type]
        if norm(low) <= bound:
            return low
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if norm(middle) > bound else (low, middle)
            if high - low <= 1e-12 * high:
                break
        return high

    def solve_path(self, m: Moments, parameter: str, values: ArrayLike) -> tuple[Tensor, Tensor, Matrix] | None:
        """Return coefficients (F, V, m, p), intercepts (F, V, m) and degrees of freedom (F, V) for penalties, by fold."""
        if parameter != "alpha" or self.bound is not None:
            return None
        from epee.engines.local import in_order

        alphas, back = decreasing(np.asarray(values, dtype=np.float64))
        folds = [m.at("fold", k) for k in range(len(m.count))] if "fold" in m.axes else [m]

        def work(part: Moments) -> tuple[Tensor, Tensor]:
            quadratic = Quadratic.of(part, self.fit_intercept)
            W = quadratic.path(alphas, self._ratio(), tol=self.tol, max_iter=self.max_iter, positive=self.positive)[0][
                back
            ]
            return W, quadratic.intercepts(W)

        done = list(in_order(work, folds))
        coef = np.stack([w for w, _ in done])
        return coef, np.stack([b for _, b in done]), (coef != 0).sum(axis=(2, 3)).astype(float)

    def path(self, X: Any, y: Any, alphas: Any = 100, sample_weight: Any = None, *, eps: float = 1e-3) -> RidgePath:
        """Return coefficients, intercepts and degrees of freedom along a path of penalties; it has a ``plot``.

        ``alphas`` are the penalties, or how many from the one that sets all coefficients to zero down to ``eps`` times it.
        """
        self._check()
        model = clone(self)
        source = model.rows_in(X, y, sample_weight)
        quadratic: Quadratic | SparseColumns | None = columns_alone(source, self.fit_intercept)
        if quadratic is None:
            quadratic = Quadratic.of(MomentRegressor._sum(model, source), self.fit_intercept)
        ratio = max(self._ratio(), 1e-3)  # without a share of the norm no penalty is the largest
        grid = (
            penalty_grid(quadratic.largest_alpha(ratio), int(alphas), eps)
            if np.ndim(alphas) == 0
            else decreasing(alphas)[0]
        )
        W = quadratic.path(
            grid, self._ratio(), tol=min(self.tol, 1e-8), max_iter=max(self.max_iter, 10_000), positive=self.positive
        )[0]
        b, one = quadratic.intercepts(W), model._one_target
        names = getattr(model, "feature_names_in_", None)
        return RidgePath(
            grid, W[:, 0] if one else W, b[:, 0] if one else b, (W != 0).sum(axis=(1, 2)) / W.shape[1], names
        )

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a sparse matrix."""
        return sparse.csr_matrix(np.atleast_2d(self.coef_))


def columns_alone(source: Any, intercept: bool) -> SparseColumns | None:
    """Return the columns of rows whose scatter should not be formed: of many sparse ones, or of far more columns than rows."""
    if has_many_sparse_columns(source):
        return SparseColumns.of(source, intercept)
    if not isinstance(source, ArraySource) or source.n_columns <= max(WIDE, 4 * len(source.X)):
        return None
    refuse_bad_cells(source.X, source.names)
    return SparseColumns.of(SparseSource(sparse.csr_array(source.X), source.y, source.weight), intercept)


class Lasso(ElasticNet):
    r"""Least squares with the penalty :math:`\alpha\|\beta\|_1`, which sets coefficients to zero.

    Parameters
    ----------
    alpha : float >= 0, default=1.0
        Weight of the penalty in (1); a larger one leaves fewer coefficients.
    fit_intercept, precompute, copy_X, max_iter, tol, warm_start, positive, random_state, selection, bound :
        As in :class:`ElasticNet`.

    Attributes
    ----------
    coef_, intercept_, sparse_coef_, dual_gap_, n_iter_, alpha_, effective_dof_ : as in :class:`ElasticNet`

    Notes
    -----
    One pass for the moments, then sweeps that do not see the rows.

    References
    ----------
    Tibshirani, *JRSS B* 58 (1996).

    Examples
    --------
    >>> Lasso(alpha=0.5).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0.0, 1.0, 2.0, 3.0]).coef_
    array([0.6, 0. ])
    """

    def __init__(
        self, alpha: float = 1.0, *, fit_intercept: bool = True, precompute: Any = False, copy_X: bool = True, max_iter: int = 1000,
        tol: float = 1e-4, warm_start: bool = False, positive: bool = False, random_state: Any = None, selection: str = "cyclic",
        bound: float | None = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.bound = bound

    def _ratio(self) -> float:
        return 1.0


def lasso_path(
    X: Any, y: Any, alphas: Any = 100, *, eps: float = 1e-3, n_alphas: Any = "deprecated", precompute: Any = "auto", Xy: Any = None,
    copy_X: bool = True, coef_init: Any = None, verbose: Any = False, return_n_iter: bool = False, positive: bool = False,
    sample_weight: Any = None, tol: float = 1e-8, max_iter: int = 10_000, **params: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Return the lasso's coefficients along a path of penalties.

    Parameters
    ----------
    X : array (n, p)
    y : array (n,) or (n, m)
    alphas : int or array, default=100
        How many penalties, from the one that sets all coefficients to zero down to ``eps`` times it; or the penalties.
    eps : float, default=1e-3
    n_alphas : int, optional
        The number of penalties, by its older name.
    precompute, Xy, copy_X, verbose :
        Taken as scikit-learn's are, and not needed: the products are always formed, in one pass, and ``X`` is never changed.
    coef_init : array (p,) or (m, p), optional
        Where the search starts; it shortens the search and changes nothing else.
    return_n_iter : bool, default=False
        Return the number of sweeps of each penalty, too.
    positive : bool, default=False
        Only coefficients of at least 0; for one target.
    sample_weight : array (n,), optional
    tol, max_iter :
        As in :class:`Lasso`.
    **params
        ``check_input``, ``random_state`` and ``selection``, which change nothing here.

    Returns
    -------
    alphas : array (A,), decreasing
    coefs : array (p, A), or (m, p, A)
    dual_gaps : array (A,), or (m, A)
    n_iters : list (A,), with ``return_n_iter``

    Notes
    -----
    As in scikit-learn there is no intercept: centre the columns first if one is wanted.

    Examples
    --------
    >>> alphas, coefs, gaps = lasso_path([[-1.0], [1.0]], [-2.0, 2.0], alphas=3)
    >>> alphas[0], coefs.round(3).tolist()
    (np.float64(2.0), [[0.0, 1.937, 1.998]])
    """
    unknown = sorted(set(params) - {"check_input", "random_state", "selection"})
    if unknown:
        raise WrongUse(f"Unexpected parameters in params: {unknown}. lasso_path takes those of its signature.")
    if positive and not is_vector(y):
        raise WrongUse("positive=True is not allowed for multi-output (y.ndim != 1): fit one target at a time.")
    if not isinstance(n_alphas, str) and n_alphas is not None:
        alphas = n_alphas
    m = Moments.of(X, y, sample_weight=sample_weight)
    quadratic = Quadratic.of(m, intercept=False)
    alphas = 100 if alphas is None else alphas
    grid = (
        penalty_grid(quadratic.largest_alpha(1.0), int(alphas), eps) if np.ndim(alphas) == 0 else decreasing(alphas)[0]
    )
    start = None if coef_init is None else np.atleast_2d(np.asarray(coef_init, dtype=np.float64))
    if start is not None and start.shape != (len(quadratic.yy), len(quadratic.x_mean)):
        raise WrongUse(
            f"coef_init has shape {np.shape(coef_init)}; it must be that of the coefficients, (p,) or (m, p)."
        )
    W, gaps, sweeps = quadratic.path(grid, 1.0, tol=tol, max_iter=max_iter, positive=positive, start=start)
    coefs = np.moveaxis(W, 0, -1)  # (m, p, A)
    found = (grid, coefs[0], gaps[:, 0]) if is_vector(y) else (grid, coefs, gaps.T)
    return (*found, sweeps.max(axis=1).tolist()) if return_n_iter else found
