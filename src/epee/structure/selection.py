r"""Choosing inputs: one by one with cross-validation, by a filter, or by an L1 penalty.

*Forward* adds, again and again, the column that lowers the cross-validated error most; *backward* drops the one that is missed least.
When the estimator lives on moments, all folds of all candidates are taken out of one set of fold moments: a candidate is a choice of
rows and columns of a small matrix. *Filter* ranks columns one at a time, by the squared correlation with the target or Fisher's
score :math:`(m_1 - m_2)^2 / (s_1^2 + s_2^2)`, for K classes their between over within variance. *L1* takes the columns in the order
in which they enter the path of an L1 penalty.

Choose inside the folds: a choice made on all rows has seen the test rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, WrongUse
from epee.estimator.base import Estimator, encode_labels, enter_values
from epee.estimator.kinds import all_here
from epee.moments.moments import Moments
from epee.risk.cross_validation import cross_validate
from epee.risk.linear_stack import squared_risk
from epee.settings import progress
from epee.table.block import check_weights
from epee.table.doors import gather, is_stream, open_source
from epee.table.folds import assign_folds, first_of_each, same_rows
from epee.typing import Codes, Matrix, Vector

DIRECTIONS = ("forward", "backward", "filter", "l1")


class SelectFeatures(SelectorMixin, MetaEstimatorMixin, Estimator):
    r"""Keep the columns that predict best.

    Parameters
    ----------
    estimator : estimator
        What the columns are for; its cross-validated error judges "forward" and "backward".
    direction : {"forward", "backward", "l1", "filter"}, default="forward"
        Add columns one by one, drop them one by one, follow the lasso path, or rank each column alone.
    n_features : int or None, default=None
        Columns kept; None goes on while the cross-validated error falls (forward, backward), and keeps half otherwise.
    folds : int, default=10
        Parts of the cross-validation; more train on more rows.
    loss : name, default=None
        "zero_one" for classifiers, "squared" for regressors.
    random_state : int, default=0
        Seed of the folds.

    Attributes
    ----------
    support_ : array (p,) of bool
    order_ : array
        Columns in the order in which they were added (or, backward, dropped; or ranked).
    scores_ : array
        The cross-validated error after each step, or the ranking score of each column.

    Notes
    -----
    Forward and backward cost :math:`O(p q)` cross-validations for q steps; from moments each is a solve of side at most q a fold.

    References
    ----------
    Guyon and Elisseeff, *JMLR* 3 (2003).

    Examples
    --------
    >>> from epee import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> SelectFeatures(LinearRegression(), n_features=2).fit(X, X[:, 3] - 2 * X[:, 1]).order_
    array([1, 3])
    """

    def __init__(
        self, estimator: Any, direction: str = "forward", n_features: int | None = None, *, folds: int = 10, loss: Any = None,
        random_state: int = 0,
    ) -> None:  # fmt: skip
        self.estimator = estimator
        self.direction = direction
        self.n_features = n_features
        self.folds = folds
        self.loss = loss
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose columns of ``X`` (n, p) for the target ``y`` (n,)."""
        if self.direction not in DIRECTIONS:
            raise WrongUse(f"direction is {self.direction!r}; it must be one of {', '.join(DIRECTIONS)}.")
        X, y, sample_weight = all_here(self, X, y, sample_weight)
        if is_stream(X):  # every step judges the columns on the rows again
            source = self._enter_stream(open_source(X, y, sample_weight), reset=True)
            names = self.__dict__.get("feature_names_in_")
            X, y, sample_weight = gather(source)
            X = self._enter(X, reset=True)
            if names is not None:
                self.feature_names_in_ = names
        else:
            X = self._enter(X, reset=True)
        n, p = X.shape
        if is_classifier(self.estimator):
            classes, codes = encode_labels(y, n)
            if len(classes) < 2:
                raise DataError(f"y has only one class ({classes.tolist()[0]!r}): there is nothing to tell apart.")
            y, group = np.asarray(y).reshape(-1), codes
        else:
            y, group = enter_values(y, n, several=False), None
        w = check_weights(sample_weight, n)
        if self.n_features is not None and not (int(self.n_features) == self.n_features and 1 <= self.n_features <= p):
            raise WrongUse(f"n_features is {self.n_features!r}; it must be between 1 and the {p} columns.")
        q = p if self.n_features is None else int(self.n_features)
        if self.direction in ("forward", "backward"):
            self._search(X, y, group, w, q)
        else:
            ranked = filter_scores(X, y, group, w) if self.direction == "filter" else self._entry(X, y, w)
            self.scores_ = ranked
            keep = max(p // 2, 1) if self.n_features is None else q
            self.order_ = np.argsort(-ranked, kind="stable")[:keep]
            self.support_ = np.isin(np.arange(p), self.order_)
        return self

    def _search(self, X: Matrix, y: np.ndarray, group: Codes | None, w: Vector | None, q: int) -> None:
        n, p = X.shape
        kept = np.ones(n, dtype=bool) if w is None else w > 0
        first, where = first_of_each(same_rows(X, y if group is None else group)[kept])
        classes = None if group is None else group[kept][first]
        folds = min(self.folds, len(first) if classes is None else int(np.bincount(classes).min()))
        if folds < 2:
            raise DataError(
                f"choosing by cross-validation needs two different rows at least, and two of each class; n_samples = {n}."
            )
        fold = np.zeros(n, dtype=np.intp)  # of rows that count, equal ones together
        fold[kept] = assign_folds(classes, len(first), folds, self.random_state)[where]
        judge = self._judge(X, y, w, fold)
        forward = self.direction == "forward"
        chosen: list[int] = []
        left, best, scores = list(range(p)), np.inf, list[float]()
        with progress(f"{self.direction} selection", q if forward else p - q) as tick:
            while left:
                if (forward and len(chosen) == q) or (not forward and len(left) == q and self.n_features is not None):
                    break
                if not forward and len(left) == 1:
                    break
                sets = [[*chosen, j] if forward else [i for i in left if i != j] for j in left]
                errors = judge(sets)
                k = int(np.argmin(errors))
                if self.n_features is None and errors[k] >= best * (1 - 1e-12) and chosen:
                    break
                best = errors[k]
                chosen.append(left.pop(k))
                scores.append(float(errors[k]))
                tick()
        self.order_, self.scores_ = np.array(chosen, dtype=np.intp), np.array(scores)
        self.support_ = np.isin(np.arange(p), chosen if forward else left)

    def _judge(self, X: Matrix, y: np.ndarray, w: Vector | None, fold: Codes) -> Any:
        """Return a function from sets of columns to their cross-validated errors."""
        moments = (
            hasattr(self.estimator, "solve_stack") and is_regressor(self.estimator) and self.loss in (None, "squared")
        )
        if moments:
            m = Moments.of(X, y, sample_weight=w, fold=fold)
            train = m.leave_one_out("fold")

            def from_moments(sets: list[list[int]]) -> Vector:
                errors = self._errors_from(train, m, sets)
                return rows(sets) if errors is None else errors
        else:
            from_moments = None  # type: ignore[assignment]

        def rows(sets: list[list[int]]) -> Vector:
            return np.array([
                cross_validate(self.estimator, X[:, s], y, folds=fold, loss=self.loss, sample_weight=w).value for s in sets
            ])  # fmt: skip

        return from_moments if moments else rows

    def _errors_from(self, train: Moments, test: Moments, sets: list[list[int]]) -> Vector | None:
        """Return the errors of all sets at once: their moments side by side along the fold axis."""
        S = np.array(sets)  # (C, k)
        C, F, last = len(S), len(train.count), train.n_columns - 1
        columns = np.column_stack([S, np.full(C, last)])  # (C, k + 1)

        def pick(m: Moments) -> Moments:
            assert m.scatter is not None
            scatter = m.scatter[:, columns[:, :, None], columns[:, None, :]]  # (F, C, k + 1, k + 1)
            mean = m.mean[:, columns]  # (F, C, k + 1)
            flat = scatter.reshape(F * C, *scatter.shape[2:])
            return replace(
                m,
                count=np.repeat(m.count, C),
                shift=mean.reshape(F * C, -1),
                scatter=flat,
                origin=np.zeros(columns.shape[1]),
            )

        learned = clone(self.estimator).solve_stack(pick(train))
        if learned is None:
            return None
        coef, intercept = learned
        errors, sound = squared_risk(pick(test), coef[:, None], intercept[:, None])
        return errors[:, 0].reshape(F, C).mean(axis=0) if sound.all() else None

    def _entry(self, X: Matrix, y: np.ndarray, w: Vector | None) -> Vector:
        """Return, for each column, the largest penalty at which it has a coefficient."""
        from epee.structure.l1_entry import entry_penalties

        return entry_penalties(self.estimator, X, y, w)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Matrix:
        """Return the columns that were kept."""
        return self._leave(X)[:, self.support_]


def filter_scores(X: Matrix, y: np.ndarray, group: Codes | None, w: Vector | None) -> Vector:
    """Return the score of each column: squared correlation with the target, or between over within variance of the classes.

    >>> filter_scores(np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), np.array([0.0, 1.0, 2.0]), None, None).round(2)
    array([1., 0.])
    """
    if group is None:
        R = Moments.of(X, y, sample_weight=w).correlation()
        return R[:-1, -1] ** 2
    m = Moments.of(X, sample_weight=w, group=group, scatter="diagonal")
    within = (m.frequencies[:, None] * m.variances).sum(axis=0)
    centre = m.frequencies @ m.mean
    between = (m.frequencies[:, None] * (m.mean - centre) ** 2).sum(axis=0)
    return np.divide(between, within, out=np.where(between > 0, np.inf, 0.0), where=within > 0)
