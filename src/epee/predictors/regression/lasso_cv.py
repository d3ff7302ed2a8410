r"""The lasso with its penalty chosen by cross-validation, all folds and all penalties from one pass.

One pass keeps the moments of each fold. The training moments of fold k are the merge of the others; the path of every fold
is solved from them, and its error on fold k is a quadratic in that fold's own moments, so no row is read again.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np

from epee.engines.local import in_order
from epee.errors import EdgeWarning, WrongUse
from epee.estimator.base import say
from epee.moments.moments import Moments
from epee.predictors.regression.fixed_folds import (
    refuse_empty_folds,
    route_to_splitter,
    row_count,
    split_rows,
    splitter_routing,
    with_folds,
)
from epee.predictors.regression.lasso import ElasticNet
from epee.solve.elastic_net import Quadratic, decreasing, penalty_grid
from epee.solve.sparse_elastic_net import SparseColumns
from epee.solve.sparse_rows import has_many_sparse_columns
from epee.table.block import Source
from epee.table.doors import gather
from epee.table.sparse import SparseSource
from epee.typing import Codes, Matrix, Vector


class LassoCV(ElasticNet):
    r"""The lasso with :math:`\alpha` chosen by K-fold cross-validation.

    Parameters
    ----------
    eps : float, default=1e-3
        Smallest penalty of the path as a share of the largest.
    n_alphas : accepted, as ``alphas``
        For scikit-learn's sake; more penalties find a finer optimum at little cost.
    alphas : int or array, default=100
        How many penalties, or which.
    fit_intercept, precompute, max_iter, tol, copy_X, positive, random_state, selection :
        As in :class:`~epee.Lasso`.
    cv : int, splitter or array (n,) of fold ids, default=None
        Folds; None is 5, cut in the order of the rows as in scikit-learn.
    verbose, n_jobs : accepted
        For scikit-learn's sake; all folds come from one pass.
    rule : {"min", "one_se"}, default="min"
        The penalty of smallest error, or the largest within one standard error of it: fewer inputs.

    Attributes
    ----------
    alpha_, alphas_, mse_path_, coef_, intercept_, dual_gap_, n_iter_ : as in scikit-learn
    mse_se_ : array (A,)
        Standard error of the mean of ``mse_path_``.
    effective_dof_ : int

    Notes
    -----
    One pass, then :math:`O(K A p^2)` at most. A stream is counted, then read once; it is never gathered.

    References
    ----------
    Friedman, Hastie and Tibshirani, *Journal of Statistical Software* 33 (2010).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> model = LassoCV(cv=5, rule="one_se").fit(X, 3 * X[:, 0] + rng.normal(size=100))
    >>> model.coef_[0] > 2, model.effective_dof_
    (np.True_, 1)
    """

    bound = None
    warm_start = False
    _several_targets = False

    def __init__(
        self, *, eps: float = 1e-3, n_alphas: Any = "deprecated", alphas: Any = 100, fit_intercept: bool = True, precompute: Any = "auto",
        max_iter: int = 1000, tol: float = 1e-4, copy_X: bool = True, cv: Any = None, verbose: Any = False, n_jobs: Any = None,
        positive: bool = False, random_state: Any = None, selection: str = "cyclic", rule: str = "min",
    ) -> None:  # fmt: skip
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.rule = rule

    needs_rows = True  # the folds are its own affair
    _routed: dict[str, Any] | None = None  # to the splitter, for the time of a fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True, **params: Any) -> Self:
        """Choose the penalty by the folds and learn with it from all rows; ``params`` are for the splitter, by metadata routing."""
        self._routed = route_to_splitter(self, params)
        try:
            return super().fit(X, y, sample_weight, check_input)
        finally:
            del self._routed

    def get_metadata_routing(self) -> Any:
        """Return who asks for which metadata: ``fit`` itself, and the splitter."""
        return splitter_routing(self)

    def _ratio(self) -> float:
        return 1.0

    @property
    def alpha(self) -> float:
        """The penalty chosen, once fitted."""
        return getattr(self, "alpha_", 1.0)

    def _check(self) -> None:
        if self.rule not in ("min", "one_se"):
            raise WrongUse(f"rule is {self.rule!r}; it must be 'min' or 'one_se'.")

    def _from_rows(self, source: Source) -> bool:
        """Choose and fit without a scatter, where the rows are sparse and have too many columns for one."""
        if not has_many_sparse_columns(source):
            return False
        assert isinstance(source, SparseSource)
        whole = SparseColumns.of(source, self.fit_intercept)
        self.alphas_ = self._grid(whole)

        def work(rows: tuple[Codes, Codes]) -> Vector:
            train, test = source.taking(rows[0]), source.taking(rows[1])
            columns = SparseColumns.of(train, self.fit_intercept)
            W = columns.path(self.alphas_, 1.0, tol=self.tol, max_iter=self.max_iter, positive=self.positive)[0][:, 0]
            R = np.asarray(test.y).reshape(-1, 1) - test.X @ W.T - columns.intercepts(W[:, None])[:, 0]  # (rows, A)
            return np.average(R**2, axis=0, weights=test.weight)

        self._pick(np.column_stack(list(in_order(work, self._splits(source)))))
        self._search(whole)
        return True

    def _sum(self, source: Source, folds: int | None = None) -> Moments:
        """Take the sums of the folds, choose the penalty by them, and return their total."""
        if folds is not None:
            return super()._sum(source, folds)
        fold = self._folds(source)
        if fold is None:
            return self._sum_splits(source)
        m = super()._sum(with_folds(source, fold), int(fold.max()) + 1)
        refuse_empty_folds(m)
        whole = m.merge("fold")
        self.alphas_ = self._grid(Quadratic.of(whole, self.fit_intercept))
        self._choose(m)
        return whole

    def _sum_splits(self, source: Source) -> Moments:
        """Choose by splits that are no partition of the rows: each has sums of its own."""
        X, y, w = gather(source)
        whole = super()._sum(source)
        self.alphas_ = self._grid(Quadratic.of(whole, self.fit_intercept))
        errors = []
        for train, test in split_rows(self.cv, source, len(X), self._routed):
            learn, judge = (
                Moments.of(X[rows], y[rows], sample_weight=None if w is None else w[rows])  # type: ignore[index]
                for rows in (train, test)
            )
            quadratic = Quadratic.of(learn, self.fit_intercept)
            W = quadratic.path(self.alphas_, 1.0, tol=self.tol, max_iter=self.max_iter, positive=self.positive)[0][:, 0]
            errors.append(error_on(judge, W, quadratic.intercepts(W[:, None])[:, 0]))
        self._pick(np.column_stack(errors))
        return whole

    def _grid(self, quadratic: Quadratic | SparseColumns) -> Vector:
        count: Any = self.alphas if isinstance(self.n_alphas, str) or self.n_alphas is None else self.n_alphas
        count = 100 if count is None else count
        if np.ndim(count) == 0:
            return penalty_grid(quadratic.largest_alpha(1.0), int(count), self.eps)
        for k, alpha in enumerate(count):
            if not isinstance(alpha, Real):
                raise TypeError(f"alphas[{k}] must be an instance of float, not {type(alpha).__name__}.")
            if not 0 <= float(alpha) < np.inf:
                raise WrongUse(f"alphas[{k}] == {alpha}, must be >= 0.0. A penalty is a finite number.")
        return decreasing(np.asarray(count))[0]

    def _splits(self, source: Source) -> list[tuple[Codes, Codes]]:
        """Return the rows that are learned from and tested in each split."""
        fold = self._folds(source)
        if fold is None:
            return list(split_rows(self.cv, source, row_count(source), self._routed))
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1)]

    def _folds(self, source: Source) -> Codes | None:
        """Return the fold of each row; None where the splits test a row twice or never, or do not learn from all others."""
        n = row_count(source)
        if isinstance(self.cv, np.ndarray) and self.cv.shape == (n,) and self.cv.dtype.kind in "iu":
            return np.unique(self.cv, return_inverse=True)[1].reshape(-1)
        fold = np.full(n, -1, dtype=np.intp)
        for k, (train, test) in enumerate(split_rows(self.cv, source, n, self._routed)):
            if (fold[test] >= 0).any() or len(train) + len(test) != n:
                return None
            fold[test] = k
        return fold if (fold >= 0).all() else None

    def _choose(self, m: Moments) -> None:
        train = m.leave_one_out("fold")

        def work(k: int) -> Matrix:
            quadratic = Quadratic.of(train.at("fold", k), self.fit_intercept)
            W = quadratic.path(self.alphas_, 1.0, tol=self.tol, max_iter=self.max_iter, positive=self.positive)[0][:, 0]
            return error_on(m.at("fold", k), W, quadratic.intercepts(W[:, None])[:, 0])

        self._pick(np.column_stack(list(in_order(work, range(len(m.count))))))

    def _pick(self, errors: Matrix) -> None:
        """Choose the penalty by the errors (A, K) of every penalty in every fold."""
        self.mse_path_ = errors
        mean = self.mse_path_.mean(axis=1)
        self.mse_se_ = self.mse_path_.std(axis=1, ddof=1) / np.sqrt(self.mse_path_.shape[1])
        best = int(np.argmin(mean))
        if self.rule == "one_se":
            best = int(np.flatnonzero(mean <= mean[best] + self.mse_se_[best])[0])  # the largest penalty comes first
        if best == len(self.alphas_) - 1 and len(self.alphas_) > 3 and self.rule == "min":
            say("the smallest penalty of the path is the best: lower eps, or give smaller alphas.", EdgeWarning)
        self.alpha_ = float(self.alphas_[best])


def error_on(m: Moments, W: Matrix, b: np.ndarray) -> np.ndarray:
    """Return the mean squared error (A,) of linear predictors ``W`` (A, p), ``b`` (A,) on the rows behind moments."""
    n = float(m.count)
    within = m.yy[0, 0] - 2 * W @ m.xy[:, 0] + np.einsum("ap,pq,aq->a", W, m.xx, W, optimize=True)
    shift = m.y_mean[0] - W @ m.x_mean - b
    return np.maximum(within, 0.0) / n + shift**2
