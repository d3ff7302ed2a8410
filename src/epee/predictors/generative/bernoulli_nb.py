r"""Bernoulli naive Bayes.

Within a class the columns are independent coins. With :math:`c_{kd}` the number of ones in column :math:`d` among the
:math:`n_k` rows of class :math:`k`,

.. math:: p_{kd} = \frac{c_{kd} + \alpha}{n_k + 2\alpha}, \qquad
          \delta_k(x) = \log \pi_k + \sum_d \big[ x_d \log p_{kd} + (1 - x_d) \log(1 - p_{kd}) \big]. \tag{1}

Laplace's :math:`\alpha` keeps the logarithms finite. The course adds :math:`\varepsilon` inside both logarithms
instead; divided by :math:`1 + 2\varepsilon`, so that the two chances add up to one, that is :math:`\alpha = \varepsilon
n_k`, with the same posteriors.

Without a row of class :math:`k`, :math:`c_{kd}` loses :math:`w x_d` and :math:`n_k` loses :math:`w`; no other class
changes but by its prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.arrays import as_type, at_home, is_elsewhere, namespace
from epee.errors import DataError, WrongUse
from epee.estimator.keep import Keep
from epee.moments.class_sums import ClassSummation
from epee.moments.moments import Moments
from epee.moments.passes import Summation
from epee.moments.sparse import rows_times
from epee.predictors.generative.discrete import DiscreteNB, finite_part, settle
from epee.predictors.generative.generator import by_blocks, left_out_priors, log_of, without_row
from epee.table.block import Block, Source, column_name
from epee.table.sparse import having_cells, is_sparse, laid_out
from epee.typing import Codes, Matrix, Vector


def binary_sums(model: Any, source: Source, folds: int | None, origin: Vector | None) -> Summation:
    """Return the sums of rows made binary: about zero, so that a level that never occurs counts exactly 0."""
    zero = np.zeros(source.n_columns)
    return BinarySummation(zero, None, folds, len(model.classes_), 0, model.classes_, model.binarize, source.names)


class BernoulliNB(DiscreteNB):
    r"""Independent coins in each class: a linear frontier between 0/1 columns.

    The score of class :math:`k` is :math:`\log\pi_k + \sum_d [x_d \log p_{kd} + (1 - x_d)\log(1 - p_{kd})]`.

    Parameters
    ----------
    alpha : float >= 0 or array (p,), default=1.0
        Laplace's smoothing: so many ones and zeros are added to each class. A larger one draws all chances to one half.
    force_alpha : bool, default=True
        Keep an ``alpha`` below 1e-10 as it is.
    binarize : float or None, default=0.0
        Cells above are 1, others 0. With None the columns must hold 0 and 1 only, and anything else is refused.
    fit_prior : bool, default=True
        Learn :math:`\pi_k` from the class frequencies; else all classes are as likely.
    class_prior : array (K,), default=None
        Given :math:`\pi_k`. A larger prior moves the frontier away from its class.
    epsilon : float > 0, default=None
        The course's smoothing, 1e-8 there, in place of ``alpha``: added to the frequencies of one and of zero.

    Attributes
    ----------
    feature_log_prob_ : array (K, p)
        :math:`\log p_{kd}`.
    feature_count_, class_count_, class_log_prior_ : arrays (K, p), (K,), (K,)

    Notes
    -----
    Keeps :math:`Kp + K` numbers; one pass, of sparse rows over the non-zeros, and one matrix product to score. With ``alpha=0`` the
    limit of a vanishing ``alpha`` is taken.

    References
    ----------
    Manning, Raghavan and Schütze, *Introduction to Information Retrieval*, section 13.3.

    Examples
    --------
    >>> X = [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]]
    >>> BernoulliNB().fit(X, list("aabb")).predict([[1, 0, 0], [0, 0, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    state_parts = ("_linear", "_constant", "_never", "_never_constant")

    keeps = Keep(group="y", scatter=None, by=binary_sums)
    needs_rows = True  # of folds behind a scaler: its sums do not follow from those of the raw rows
    _takes_sparse = True

    def __init__(
        self, alpha: Any = 1.0, *, force_alpha: bool = True, binarize: float | None = 0.0, fit_prior: bool = True,
        class_prior: Any = None, epsilon: float | None = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.epsilon = epsilon

    def _solve(self, m: Moments) -> None:
        if self.epsilon is not None and not 0 < self.epsilon < np.inf:
            raise WrongUse(f"epsilon is {self.epsilon!r}; it must be positive, or None to smooth by alpha.")
        self._set_priors(m.count)
        self.feature_count_ = m.count[:, None] * m.mean
        ones, zeros = self._log_chances(self.feature_count_, m.count[:, None])  # (K, p)
        self.feature_log_prob_ = ones
        (a, never_one), (b, never_zero) = finite_part(ones), finite_part(zeros)
        self._linear, self._constant = (a - b).T, b.sum(axis=1) + self.class_log_prior_
        self._never, self._never_constant = (never_one - never_zero).T, never_zero.sum(axis=1)

    def _log_chances(self, ones: Matrix, n: Matrix) -> tuple[Matrix, Matrix]:
        """Return the logarithms of :math:`p` and :math:`1 - p` from the number of ones among n rows."""
        a = self._smoothing() if self.epsilon is None else self.epsilon * n
        total = log_of(n + 2 * a)
        zeros = np.maximum(n - ones, 0.0)
        half = np.where(n + 2 * a > 0, 0.0, 1.0)  # a class without rows and without smoothing: a fair coin
        with np.errstate(invalid="ignore"):
            return tuple(np.where(half > 0, np.log(0.5), log_of(c + a) - total) for c in (ones, zeros))

    def _binary(self, X: Any) -> Any:
        if is_sparse(X):
            if self.binarize is not None and self.binarize < 0:
                return self._binary(laid_out(X))
            return sparse_to_binary(X, self.binarize)
        return to_binary(X, self.binarize, getattr(self, "feature_names_in_", None))

    def _score(self, X: Matrix) -> Matrix:
        if is_sparse(X):
            return self._score_block(X)
        return by_blocks(X, self._score_block, len(self.classes_))

    def _score_block(self, X: Matrix) -> Matrix:
        B = self._binary(X)
        scores = (rows_times(B, self._linear) if is_sparse(B) else B @ self._linear) + self._constant
        return scores if not self._never.any() else settle(scores, B @ self._never + self._never_constant)

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector | None) -> Matrix:
        m, B = self.moments_, self._binary(X)
        B = laid_out(B)
        w, own, left = without_row(m.count, codes, w)
        rows = np.arange(len(B))
        priors = left_out_priors(left, self._given_priors())
        scores = B @ self._linear + (self._constant - self.class_log_prior_)
        never = B @ self._never + self._never_constant
        ones, zeros = self._log_chances(np.maximum(self.feature_count_[codes] - w[:, None] * B, 0.0), own[:, None])
        logs, impossible = finite_part(np.where(B > 0, ones, zeros))  # (n, p)
        scores[rows, codes], never[rows, codes] = logs.sum(axis=1), impossible.sum(axis=1)
        return settle(scores, never) + priors

    def _class_means(self) -> Matrix:
        return np.exp(self.feature_log_prob_)

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        return (rng.random((n, self.n_features_in_)) < np.exp(self.feature_log_prob_[k])).astype(np.float64)


def to_binary(X: Matrix, threshold: float | None, names: Any, start: int = 0) -> Matrix:
    """Return 1 where X is above the threshold, else 0; with None, X as it is, which must hold 0 and 1.

    >>> to_binary(np.array([[0.2, 3.0]]), 0.5, None)
    array([[0., 1.]])
    """
    xp = namespace(X)
    if threshold is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            if is_elsewhere(X) or X.dtype.kind != "f":
                return as_type(threshold < X, X.dtype) + 0.0 * X  # NaN and infinity stay bad, for the check of the sums
            ones = np.greater(X, threshold, out=np.empty_like(X), casting="unsafe")  # straight into numbers
            return ones if np.isfinite(X.sum()) else ones + 0.0 * X
    bad = (X != 0) & (X != 1) & xp.isfinite(X)
    if bool(xp.any(bad)):
        X = at_home(X)
        row, j = np.argwhere(at_home(bad))[0]
        raise DataError(
            f"{column_name(names, int(j))}: {X[row, j]:g} in row {start + row} is neither 0 nor 1. Give `binarize` a threshold, or recode."
        )
    return X if is_elsewhere(X) else np.asarray(X, dtype=np.float64)


@dataclass(frozen=True)
class BinarySummation(ClassSummation):
    """The sums of rows that are made binary first."""

    threshold: float | None = None
    names: Any = None

    def __call__(self, block: Block) -> Moments:
        if is_sparse(block.rows) and (self.threshold is None or self.threshold >= 0):  # a zero stays one
            return super().__call__(block.having(rows=sparse_to_binary(block.rows, self.threshold)))
        return super().__call__(block.having(X=to_binary(block.X, self.threshold, self.names, block.start)))


def sparse_to_binary(X: Any, threshold: float | None) -> Any:
    """Return the sparse rows with 1 where a cell is above a threshold that is at least 0; the cells stay where they are.

    >>> from scipy.sparse import csr_array
    >>> sparse_to_binary(csr_array([[0.0, 0.2], [3.0, 0.0]]), 0.5).toarray()
    array([[0., 0.],
           [1., 0.]])
    """
    if threshold is None:
        ones = to_binary(X.data[:, None], None, None)[:, 0]
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            ones = np.greater(X.data, threshold, out=np.empty(len(X.data)), casting="unsafe")  # straight into numbers
            if not np.isfinite(X.data.sum()):
                ones += 0.0 * X.data  # NaN and infinity stay bad, for the check of the sums
    return having_cells(X, ones)
