r"""Categorical naive Bayes.

Within a class the columns are independent dice. With :math:`c_{kd\ell}` the number of rows of class :math:`k` whose
column :math:`d` holds level :math:`\ell` of :math:`L_d`,

.. math:: p_{kd\ell} = \frac{c_{kd\ell} + \alpha}{n_k + \alpha L_d}, \qquad
          \delta_k(x) = \log \pi_k + \sum_d \log p_{k d x_d}. \tag{1}

A level that no training row has shown has no say: its term is left out of the sum of every class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.estimator.base import say
from epee.estimator.keep import Keep
from epee.moments.counts import Counting, Counts
from epee.predictors.generative.discrete import DiscreteNB, finite_part, settle
from epee.predictors.generative.generator import by_blocks, left_out_priors, log_of, without_row
from epee.table.block import Source, column_name, refuse_bad_cells
from epee.typing import Codes, Matrix, Vector


def level_counts(model: Any, source: Source, folds: int | None, origin: Vector | None) -> Counting:
    """Return how often each class shows each level of each column."""
    p, K = source.n_columns, len(model.classes_)
    return Counting(np.arange(p), model._least_levels(p), folds, K, model.classes_, source.names, type(model).__name__)


class CategoricalNB(DiscreteNB):
    r"""Independent dice in each class, for columns of codes 0, 1, 2, ...

    The score of class :math:`k` is :math:`\log\pi_k + \sum_d \log p_{k d x_d}`.

    Parameters
    ----------
    alpha : float >= 0, default=1.0
        Laplace's smoothing: so many rows are added to each level. A larger one makes all levels equally likely.
    force_alpha : bool, default=True
        Keep an ``alpha`` below 1e-10 as it is.
    fit_prior : bool, default=True
        Learn :math:`\pi_k` from the class frequencies; else all classes are as likely.
    class_prior : array (K,), default=None
        Given :math:`\pi_k`. A larger prior moves the frontier away from its class.
    min_categories : int or array (p,), default=None
        A column has at least so many levels; a larger number leaves room for levels that no training row shows.

    Attributes
    ----------
    category_count_, feature_log_prob_ : lists of arrays (K, L_d)
        Counts and log chances of the levels of each column.
    n_categories_, class_count_, class_log_prior_ : arrays (p,), (K,), (K,)

    Notes
    -----
    Keeps :math:`K \sum_d L_d` counts; one pass. A level unknown at ``predict`` has no say, with a warning; scikit-learn
    stops with an index error. Codes with a fraction are cut to whole numbers, with a warning.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 6.6.3.

    Examples
    --------
    >>> X = [[0, 2], [0, 1], [1, 0], [1, 0]]
    >>> CategoricalNB().fit(X, list("aabb")).predict([[0, 2], [1, 0]])
    array(['a', 'b'], dtype='<U1')
    """

    state_parts = ("_offsets", "_columns", "_table", "_never")

    keeps = Keep(group="y", scatter=None, by=level_counts)
    needs_rows = True  # of folds: its counts are not moments
    _requires_positive = True

    def __init__(
        self, *, alpha: float = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags

    def _enter(self, X: Any, *, reset: bool, finite: bool = True) -> Matrix:
        from epee.kernels.class_sums import first_fraction

        X = super()._enter(X, reset=reset, finite=False)
        if len(X) and X.min() <= -1:  # a fraction between -1 and 0 is taken as 0
            row, j = np.argwhere(X <= -1)[0]
            raise DataError(
                f"Negative values in data passed to CategoricalNB (input X): column {j} holds {X[row, j]:g} in row {row}."
            )
        row, j = first_fraction(X)
        if row < 0:
            return X
        refuse_bad_cells(X, getattr(self, "feature_names_in_", None))
        whole, name = np.trunc(X), column_name(getattr(self, "feature_names_in_", None), j)
        say(
            f"{name} holds {X[row, j]:g} in row {row}: codes of categories are whole numbers, "
            f"so it is taken as {whole[row, j]:g}."
        )
        return whole

    def _least_levels(self, p: int) -> Codes:
        if self.min_categories is None:
            return np.zeros(p, dtype=np.int64)
        least = np.asarray(self.min_categories)
        if least.dtype.kind not in "iu" or (least < 1).any():
            raise WrongUse(
                f"'min_categories' should have integral type and be positive. Got {self.min_categories!r} instead."
            )
        if least.ndim and least.shape != (p,):
            raise WrongUse(
                f"'min_categories' should have shape ({p},) when an array-like is provided. Got {least.shape} instead."
            )
        return np.array(np.broadcast_to(least, (p,)), dtype=np.int64)

    def _solve(self, m: Counts) -> None:
        if np.ndim(self.alpha):
            raise WrongUse("alpha must be one number here.")
        self._set_priors(m.count)
        self.n_categories_ = m.levels
        bounds = m.offsets[1:-1]
        self.category_count_ = np.split(m.cells, bounds, axis=1)
        logs = self._log_chances(m.cells, m.count[:, None])  # (K, L)
        self.feature_log_prob_ = np.split(logs, bounds, axis=1)
        self._offsets, self._columns = m.offsets, np.arange(m.p)
        table, never = finite_part(logs.T)
        self._table, self._never = np.ascontiguousarray(table), np.ascontiguousarray(never)

    def _log_chances(self, cells: Matrix, n: Matrix) -> Matrix:
        """Return the logarithm of (1) for every level."""
        alpha = float(self._smoothing())
        levels = np.repeat(self.n_categories_, self.n_categories_)  # (L,)
        whole = n + alpha * levels
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(whole > 0, np.log(cells + alpha) - np.log(whole), -np.log(levels))

    def _leave(self, X: Any) -> Matrix:
        X = super()._leave(X)
        warn_unseen(X, self._columns, self.n_categories_, getattr(self, "feature_names_in_", None))
        return X

    def _score(self, X: Matrix) -> Matrix:
        return by_blocks(X, self._score_block, len(self.classes_))

    def _score_block(self, X: Matrix) -> Matrix:
        scores = self._looked_up(X, self._table) + self.class_log_prior_
        return settle(scores, self._looked_up(X, self._never)) if self._never.any() else scores

    def _looked_up(self, X: Matrix, table: Matrix) -> Matrix:
        from epee.kernels.class_sums import level_scores

        out = np.zeros((len(X), len(self.classes_)))
        level_scores(np.ascontiguousarray(X), self._columns, self._offsets, table, out)
        return out

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector | None) -> Matrix:
        m: Any = self.moments_  # the levels stay as they are known
        w, own, left = without_row(m.count, codes, w)
        scores, never = self._looked_up(X, self._table), self._looked_up(X, self._never)
        at = self._offsets[:-1] + X.astype(np.int64)  # (n, p) the level of each cell
        alpha, rows = float(self._smoothing()), np.arange(len(X))
        cells = np.maximum(m.cells[codes[:, None], at] - w[:, None], 0.0) + alpha
        whole = own[:, None] + alpha * m.levels
        with np.errstate(invalid="ignore"):
            logs, impossible = finite_part(np.where(whole > 0, log_of(cells) - log_of(whole), -np.log(m.levels)))
        scores[rows, codes], never[rows, codes] = logs.sum(axis=1), impossible.sum(axis=1)
        return settle(scores, never) + left_out_priors(left, self._given_priors())

    def _class_means(self) -> Matrix:
        return np.stack([np.exp(logs) @ np.arange(logs.shape[1]) for logs in self.feature_log_prob_], axis=1)

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        chances = [np.exp(logs[k]) for logs in self.feature_log_prob_]
        return np.stack([rng.choice(len(c), size=n, p=c / c.sum()) for c in chances], axis=1).astype(np.float64)


def warn_unseen(X: Matrix, columns: Codes, levels: Codes, names: Any) -> None:
    """Say which levels no training row has shown."""
    with np.errstate(invalid="ignore"):
        unseen = X[:, columns] >= levels
    if unseen.any():
        row, t = np.argwhere(unseen)[0]
        say(
            f"{column_name(names, int(columns[t]))}: the category in row {row} was in no training row "
            f"({int(unseen.sum())} such cells in all); it has no say."
        )
