r"""Ridge regression whose penalty is chosen by what it would cost on new rows.

From one decomposition of the scatter every penalty :math:`\alpha` has its training error and its degrees of freedom; with an
intercept :math:`t_\alpha = 1 + df(\alpha)` is the trace of the smoother, :math:`h_i` its diagonal:

.. math:: GCV = \frac{RSS/n}{(1 - t/n)^2}, \qquad
          LOO = \frac1n \sum_i \Bigl(\frac{y_i - \hat y_i}{1 - h_i}\Bigr)^2, \qquad
          AIC = \frac{RSS}{n} + 2\,\frac tn\,\hat\sigma^2, \qquad
          BIC = \frac{RSS}{n} + \log(n)\,\frac tn\,\hat\sigma^2, \tag{1}

with :math:`\hat\sigma^2 = RSS / (n - t)` of the smallest penalty. GCV, AIC and BIC need no second look at the rows; LOO
takes one more pass; K-fold cross-validation takes its folds from the same pass as the sums.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.arrays import at_home, home_together, is_elsewhere, like, like_together, namespace, sum_of_rows
from epee.engines.choice import engine_for
from epee.errors import WrongUse
from epee.estimator.moment import MomentRegressor
from epee.moments.moments import Moments
from epee.moments.passes import reduce_source
from epee.predictors.regression.fixed_folds import refuse_empty_folds, row_count, split_rows, with_folds
from epee.predictors.regression.influence import LeftOut
from epee.predictors.regression.ols import normal_equations
from epee.predictors.regression.ridge import Ridge, centred_rows, check_penalties, left_out_block
from epee.predictors.regression.ridge_cv_of_sparse import fold_errors, on_axes
from epee.predictors.regression.rows import RowSource, wide_rows
from epee.solve.ridge_path import RidgeSpectrum, squared_error
from epee.solve.sparse_rows import is_large_and_sparse
from epee.table.block import Block, Source
from epee.table.doors import gather
from epee.table.elsewhere import ElsewhereSource
from epee.table.folds import assign_folds
from epee.table.folds_elsewhere import folds_elsewhere
from epee.table.sparse import SparseSource
from epee.typing import ArrayLike, Codes, Matrix, Tensor, Vector

CRITERIA = ("gcv", "loo", "kfold", "aic", "bic")


class RidgeCV(RowSource, LeftOut, MomentRegressor):
    r"""Ridge regression with the best of several penalties.

    Parameters
    ----------
    alphas : array, default=(0.1, 1.0, 10.0)
        Penalties to try.
    fit_intercept : bool, default=True
        Centre first, so that the constant is not penalised.
    scoring : str or callable, default=None
        scikit-learn's: a score of the left-out predictions instead of their squared error.
    cv : int, splitter or iterable, default=None
        Folds; when given, the criterion is "kfold".
    gcv_mode : {"auto", "svd", "eigen"}, default=None
        scikit-learn's; the cheap side is always chosen.
    store_cv_results : bool, default=False
        Keep ``cv_results_``: squared errors (or predictions, with ``scoring``) of the left-out rows, (n, A) or (n, m, A).
    alpha_per_target : bool, default=False
        Choose a penalty for each target; otherwise the one best on average.
    criterion : {None, "gcv", "loo", "kfold", "aic", "bic"}, default=None
        What is minimised, (1). None is "loo", as scikit-learn's ``cv=None``, and "gcv" where there are sums and no rows.
    rule : {"min", "one_se"}, default="min"
        The best penalty, or the largest whose criterion is within one standard error of the best.
    leave : {"row", "copy"}, default="row"
        What "loo" leaves out of a row of weight above one: all of it, as scikit-learn does, or one copy, where weights are counts.

    Attributes
    ----------
    alpha_ : float or array (m,)
    best_score_ : float or array (m,)
        Minus the criterion at ``alpha_`` (the score itself with ``scoring``).
    criterion_values_, standard_errors_ : arrays (A,), or (A, m) with ``alpha_per_target``
        The criterion of every penalty, and its standard error where the rule needs it.
    effective_dof_, coef_, intercept_ : those of :class:`Ridge` at ``alpha_``

    Notes
    -----
    One pass for GCV, AIC, BIC and K-fold, two for LOO; :math:`O(p^3)` once (once a fold for K-fold), then :math:`O(p)` a penalty.

    References
    ----------
    Golub, Heath and Wahba, *Generalized cross-validation as a method for choosing a good ridge parameter*, 1979.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 3))
    >>> y = X @ [1.0, 0.0, -1.0] + rng.normal(size=40)
    >>> RidgeCV(alphas=[0.1, 1, 10, 100]).fit(X, y).alpha_
    1.0
    """

    state_parts = ("_final", "_factor", "_centre", "_count", "_wide")

    _takes_sparse = True

    def __init__(
        self, alphas: ArrayLike = (0.1, 1.0, 10.0), *, fit_intercept: bool = True, scoring: Any = None, cv: Any = None,
        gcv_mode: str | None = None, store_cv_results: bool = False, alpha_per_target: bool = False,
        criterion: str | None = None, rule: str = "min", leave: str = "row",
    ) -> None:  # fmt: skip
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target
        self.criterion = criterion
        self.rule = rule
        self.leave = leave

    @property
    def needs_rows(self) -> bool:
        return self.criterion is None or self._insists_on_rows()

    def _insists_on_rows(self) -> bool:
        """Tell whether sums will not do, not even by another criterion."""
        named = self.cv is not None or self.criterion in ("loo", "kfold")
        return named or self.rule == "one_se" or self.scoring is not None or self.store_cv_results

    def _how(self) -> str:
        return "kfold" if self.cv is not None else self.criterion or "loo"

    def _check(self) -> Vector:
        if self.criterion is not None and self.criterion not in CRITERIA:
            raise WrongUse(f"criterion is {self.criterion!r}; it must be one of {', '.join(map(repr, CRITERIA))}.")
        if self.rule not in ("min", "one_se"):
            raise WrongUse(f"rule is {self.rule!r}; it must be 'min' or 'one_se'.")
        if self.leave not in ("row", "copy"):
            raise WrongUse(f"leave is {self.leave!r}; it must be 'row' or 'copy'.")
        if self.gcv_mode not in (None, "auto", "svd", "eigen"):
            raise WrongUse(f"gcv_mode is {self.gcv_mode!r}; it must be None, 'auto', 'svd' or 'eigen'.")
        for name in ("store_cv_results", "alpha_per_target"):
            if self.cv is not None and getattr(self, name):
                raise WrongUse(f"cv!=None and {name}=True are incompatible: leave cv=None, or {name}=False.")
        return check_penalties(self.alphas, "alphas").ravel()

    def _reset(self) -> None:
        for name in ("_wide", "cv_results_", "moments_"):
            self.__dict__.pop(name, None)

    def _from_rows(self, source: Source) -> bool:
        """Choose the penalty by the criterion, and solve there: the rows are asked again where sums are not enough."""
        alphas = self._check()
        if self.gcv_mode == "svd" and isinstance(source, SparseSource):
            message = "The 'svd' mode is not supported for sparse X by scikit-learn from 1.11 on; here the mode changes nothing."
            warnings.warn(message, FutureWarning, stacklevel=4)
        if self._how() == "kfold":
            self._fit_folds(source, alphas)
            return True
        if isinstance(source, SparseSource) and is_large_and_sparse(source):
            spectrum, turned, level, n = on_axes(source, self.fit_intercept)
            self._choose(spectrum, np.zeros(turned.n_columns), level, n, alphas, turned)
            return self._finish_sparse(source)
        rows = wide_rows(source)
        if rows is not None:
            Z, T, mean, level, n = centred_rows(*rows, self.fit_intercept)
            self._wide = rows
            self._choose(RidgeSpectrum.of_rows(Z, T), mean, level, n, alphas, source)
            self._final = Ridge(self.alpha_, fit_intercept=self.fit_intercept)
            self._final._one_target, self._final.n_features_in_ = self._one_target, self.n_features_in_
            self._final._solve_wide(*rows)
            self._borrow()
            return True
        m = self._sum(source)
        self._look(m)
        self.moments_ = m
        S, C, tss, mean, level = normal_equations(m, self.fit_intercept)
        self._choose(RidgeSpectrum.of_scatter(S, C, tss), mean, level, float(m.count), alphas, source)
        self._finish_with(m)
        self._final.refine(source, m)
        self._borrow()
        return True

    def _finish_sparse(self, source: SparseSource) -> bool:
        """Solve at the penalty chosen, by products with sparse rows."""
        self._final = Ridge(self.alpha_, fit_intercept=self.fit_intercept)
        self._final._one_target, self._final.n_features_in_ = self._one_target, self.n_features_in_
        self._final._solve_sparse(source)
        self._wide = (source.X, source.y, source.weight)
        self._borrow()
        return True

    def _solve(self, m: Moments) -> None:
        """Choose from moments alone: GCV, AIC or BIC."""
        alphas = self._check()
        if self._insists_on_rows():
            raise WrongUse(
                "criterion 'loo' and 'kfold', rule 'one_se', scoring and store_cv_results need the rows: use fit, not moments."
            )
        S, C, tss, mean, level = normal_equations(m, self.fit_intercept)
        self._choose(RidgeSpectrum.of_scatter(S, C, tss), mean, level, float(m.count), alphas, None)
        self._finish_with(m)
        self._borrow()

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows and choose again."""
        self._recall()
        return super().partial_fit(X, y, sample_weight)

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out and choose again; refused when fewer than six digits would be left."""
        check_is_fitted(self)
        self._recall()
        return super().forget(X, y, sample_weight)

    def _choose(
        self, spectrum: RidgeSpectrum, mean: Vector, level: Vector, n: float, alphas: Vector, source: Source | None
    ) -> None:  # fmt: skip
        """Set ``alpha_`` by (1)."""
        trace = spectrum.dof(alphas)[:, None] + int(self.fit_intercept)  # (A, 1)
        error = spectrum.rss(alphas) / n  # (A, m)
        tiny = bool((error * n < 1e-8 * spectrum.tss).any())
        how, left = self._how(), None
        if source is not None and (self.needs_rows or tiny):
            whole = self.leave == "row"
            work = LeftOutErrors(spectrum, mean, level, alphas, n, self.fit_intercept, self._keeps_rows(), whole)
            left = engine_for(source).reduce(source, work)
            error = left.squares / n
        if self._keeps_rows() and left is not None:
            self._store(left, source)
        if how == "loo" and left is not None:
            values = left.sums / n
        elif how in ("gcv", "loo"):
            values = error / np.maximum(1 - trace / n, 1e-12) ** 2
        else:
            first = int(np.argmin(alphas))
            free = np.maximum(n - trace[first], 1.0)
            price = 2.0 if how == "aic" else np.log(n)
            values = error + price * trace / n * (error[first] * n / free)
        if self.scoring is not None and left is not None:
            values = -self._scored(source)
        se = None
        if left is not None and n > 1:
            se = np.sqrt(np.maximum(left.fourths / n - (left.sums / n) ** 2, 0.0) / (n - 1))  # (A, m)
        self._pick(alphas, values, se)

    def _pick(self, alphas: Vector, values: Matrix, se: Matrix | None) -> None:
        if not self.alpha_per_target:
            m = values.shape[1]
            values, se = (
                values.mean(axis=1, keepdims=True),
                None if se is None else np.sqrt((se**2).sum(axis=1, keepdims=True)) / m,
            )
        best = np.argmin(values, axis=0)  # (m,), of equal ones the first that was given
        where = np.arange(values.shape[1])
        if self.rule == "one_se" and se is not None:
            within = values <= values[best, where] + se[best, where]
            best = np.array([max(np.flatnonzero(within[:, k]), key=lambda i: alphas[i]) for k in where])
        chosen, score = alphas[best], -values[best, where]
        per_target = self.alpha_per_target and not self._one_target
        self.alpha_ = chosen if per_target else float(chosen[0])
        self.best_score_ = score if per_target else float(score[0])
        self.criterion_values_ = values if per_target else values[:, 0]
        self.standard_errors_ = se if per_target or se is None else se[:, 0]

    def _keeps_rows(self) -> bool:
        return self.store_cv_results or self.scoring is not None

    def _store(self, left: LeftOutSums, source: Source | None) -> None:
        predictions = np.concatenate(left.predictions)  # (n, A, m)
        y = np.concatenate([np.asarray(b.y, dtype=float).reshape(len(b), -1) for b in source.blocks()])  # type: ignore[union-attr]
        self._left_predictions, self._left_targets = predictions, y
        kept = predictions if self.scoring is not None else (predictions - y[:, None, :]) ** 2
        w = getattr(source, "weight", None)
        if w is not None and self.scoring is None:
            kept = kept * w[:, None, None]
        self.cv_results_ = kept[..., 0] if self._one_target else np.swapaxes(kept, 1, 2)

    def _scored(self, source: Source | None) -> Matrix:
        """Return the score of the left-out predictions of each penalty, (A, 1) or (A, m)."""
        from sklearn.metrics import check_scoring

        scorer = check_scoring(_Itself(), scoring=self.scoring)
        P, y = self.__dict__.pop("_left_predictions"), self.__dict__.pop("_left_targets")
        if not self.store_cv_results:
            del self.cv_results_
        w = gather(source)[2] if source is not None else None
        more = {} if w is None else {"sample_weight": w}
        if self.alpha_per_target:
            return np.array(
                [[scorer(_Itself(), P[:, a, k], y[:, k], **more) for k in range(y.shape[1])] for a in range(P.shape[1])]
            )
        fold = (lambda v: v[:, 0]) if y.shape[1] == 1 else (lambda v: v)
        return np.array([[scorer(_Itself(), fold(P[:, a]), fold(y), **more)] for a in range(P.shape[1])])

    def _fit_folds(self, source: Source, alphas: Vector) -> Self:
        """Choose by the squared error of K folds, all of them from one pass."""
        fold = None if self.scoring is not None else self._fold_ids(source)
        if fold is None:
            X, y, w = (source.X, source.y, source.weight) if isinstance(source, SparseSource) else gather(source)
            assert y is not None
            return self._fit_scored(X, y[:, 0] if self._one_target and y.ndim == 2 else y, w)
        if isinstance(source, SparseSource) and is_large_and_sparse(source):
            errors = fold_errors(source, fold, alphas, self.fit_intercept)  # (F, A, m)
            self._pick(alphas, errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(len(errors)))
            self._finish_sparse(source)
            return self
        folded = with_folds(source, fold)
        parts = reduce_source(folded, self.summation(folded, int(namespace(fold).max(fold)) + 1), stay=True)
        refuse_empty_folds(parts)
        ridge = Ridge(1.0, fit_intercept=self.fit_intercept)
        training, whole = _unions(parts)
        coef, intercept = ridge.solve_penalties(training, alphas)  # (F, A, m, p)
        parts = parts if is_elsewhere(coef) else parts.here()
        errors = at_home(squared_error(parts, coef, intercept))  # (F, A, m)
        K = len(errors)
        self._pick(alphas, errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(K))
        m = whole.here()
        self._look(m)
        self.moments_ = m
        self._finish_with(m)
        self._final.refine(folded, m)
        return self._borrow()

    def _fold_ids(self, source: Source) -> Codes | None:
        """Return the fold of each row, or None when the splitter does not make a partition."""
        n = row_count(source)
        if self.cv is None and isinstance(source, ElsewhereSource):
            there: Codes = folds_elsewhere(source.X, None, n, min(10, n))
            return there
        if self.cv is None:
            return assign_folds(None, n, min(10, n))
        fold = np.full(n, -1, dtype=np.intp)
        for k, (train, test) in enumerate(split_rows(self.cv, source, n)):
            if (fold[test] >= 0).any() or len(train) + len(test) != n:
                return None
            fold[test] = k
        return fold if (fold >= 0).all() else None

    def _fit_scored(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Refit every fold and penalty: for scores and splitters that sums cannot serve."""
        from sklearn.model_selection import GridSearchCV

        search = GridSearchCV(
            Ridge(fit_intercept=self.fit_intercept), {"alpha": list(self._check())}, scoring=self.scoring or "neg_mean_squared_error",
            cv=self.cv,
        )  # fmt: skip
        search.fit(X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}))
        scores = search.cv_results_
        folds = max(search.n_splits_ - 1, 1)
        self._pick(
            self._check(), -scores["mean_test_score"][:, None], scores["std_test_score"][:, None] / np.sqrt(folds)
        )
        self._final = Ridge(self.alpha_, fit_intercept=self.fit_intercept).fit(X, y, sample_weight)
        if hasattr(self._final, "moments_"):
            self.moments_ = self._final.moments_
        return self._borrow()

    def _finish_with(self, m: Moments) -> None:
        self._final = Ridge(self.alpha_, fit_intercept=self.fit_intercept)
        self._final._one_target = getattr(self, "_one_target", True)
        self._final.fit_moments(m)

    def _borrow(self) -> Self:
        """Take over the coefficients of the ridge at the penalty chosen."""
        for name in ("coef_", "intercept_", "_factor", "_centre", "_count"):
            setattr(self, name, getattr(self._final, name))
        return self

    @property
    def effective_dof_(self) -> Any:
        """Degrees of freedom at ``alpha_``, intercept apart."""
        check_is_fitted(self)
        return self._final.effective_dof_

    def _spread(self, X: Matrix) -> Tensor:
        return self._final._spread(X)


class _Itself:
    """A regressor whose predictions are its inputs, so that scikit-learn's scorers can score predictions."""

    _estimator_type = "regressor"

    def fit(self, X: Any, y: Any = None) -> _Itself:
        return self

    def predict(self, X: Any) -> Any:
        return X

    def score(self, X: Any, y: Any) -> float:
        from sklearn.metrics import r2_score

        return float(r2_score(y, X))

    def __sklearn_tags__(self) -> Any:
        return Ridge().__sklearn_tags__()


@dataclass(frozen=True, eq=False)
class LeftOutSums:
    """Sums over rows (A, m): squared left-out errors, their squares, squared errors; predictions where they are kept."""

    sums: Matrix
    fourths: Matrix
    squares: Matrix
    predictions: list[Tensor]

    def __add__(self, other: LeftOutSums) -> LeftOutSums:
        return LeftOutSums(
            self.sums + other.sums,
            self.fourths + other.fourths,
            self.squares + other.squares,
            self.predictions + other.predictions,
        )


@dataclass(frozen=True, eq=False)
class LeftOutErrors:
    """The pass over the rows: what every penalty would have predicted for each row without it."""

    spectrum: RidgeSpectrum
    mean: Vector
    level: Vector
    alphas: Vector
    count: float
    centred: bool
    keep: bool
    whole: bool = False

    def __call__(self, block: Block) -> LeftOutSums:
        X: Any = block.X
        xp, n = namespace(X), X.shape[0]
        Z = X
        if (
            self.spectrum.axes is not None or self.spectrum.rows is not None
        ):  # otherwise the rows are coordinates on the axes
            mean, V = like_together(X, self.mean, self.spectrum.V)
            Z = (X - mean) @ V  # (rows, r)
        (level,) = like_together(X, self.level)
        Y = xp.reshape(like(block.y, X, level.dtype), (n, -1)) - level
        w = None if block.weight is None else like(block.weight, X, level.dtype)
        left, fitted = left_out_block(
            Z, Y, w, self.spectrum, self.alphas, self.count, self.centred, self.whole
        )  # (rows, A, m)
        plain = (Y[:, None, :] - fitted) ** 2
        error = (Y[:, None, :] - left) ** 2

        def weigh(v: Any) -> Any:
            rows = xp.reshape(v, (n, -1))
            return xp.reshape(sum_of_rows(rows) if w is None else w @ rows, tuple(v.shape[1:]))

        sums, fourths, squares = home_together(weigh(error), weigh(error**2), weigh(plain))
        return LeftOutSums(sums, fourths, squares, [at_home(left + level)] if self.keep else [])

    anywhere = True

    def width(self) -> int:
        """Return how many numbers a row takes where all of a block is multiplied at once."""
        return 4 * len(self.mean) + 5 * len(self.alphas) * len(self.level)


def _unions(parts: Moments) -> tuple[Moments, Moments]:
    """Return the moments without each fold, and those of all rows; on a device they are the same few products."""
    if parts.is_here:
        return parts.leave_one_out("fold"), parts.merge("fold")
    F = parts.count.shape[0]
    both: Any = parts.regroup("fold", np.vstack([1.0 - np.eye(F), np.ones(F)]))
    without = replace(both, count=both.count[:F, ...], shift=both.shift[:F, ...], scatter=both.scatter[:F, ...])
    return without, both.at("fold", F)
