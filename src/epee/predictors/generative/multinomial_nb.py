r"""Multinomial naive Bayes, and its complement: counts of words.

Within a class every count is a draw from the same urn. With :math:`c_{kd}` the sum of column :math:`d` over the rows of class :math:`k`,

.. math:: \delta_k(x) = \log \pi_k + \sum_d x_d \log \theta_{kd}, \qquad
          \theta_{kd} = \frac{c_{kd} + \alpha_d}{\sum_e (c_{ke} + \alpha_e)}. \tag{1}

The complement asks which class a row fits least badly when the urn is that of all the *other* classes, whose counts are larger and more
even where classes differ in size:

.. math:: \delta_k(x) = -\sum_d x_d \log \tilde\theta_{kd}, \qquad
          \tilde\theta_{kd} = \frac{\sum_{l \ne k} c_{ld} + \alpha_d}{\sum_e (\sum_{l \ne k} c_{le} + \alpha_e)}. \tag{2}

Both are linear in the row and see the table through the sums :math:`c` alone: one pass over the cells that are not 0.

Without row :math:`i` of class :math:`k`, :math:`c_{kd}` loses :math:`w x_d`: its own score changes at its own non-zeros only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from epee.errors import WrongUse
from epee.estimator.keep import Keep
from epee.moments.moments import Moments
from epee.moments.sparse import rows_times
from epee.predictors.generative.discrete import DiscreteNB, finite_part, settle
from epee.predictors.generative.generator import by_blocks, left_out_priors, log_of, without_row
from epee.predictors.generative.poisson_nb import count_sums
from epee.table.sparse import is_sparse
from epee.typing import Codes, Matrix, Vector


class CountedNB(DiscreteNB):
    """What both share: the sums of each class, and scores that are linear in the counts of a row."""

    state_parts = ("_linear", "_never", "_constant")

    keeps = Keep(group="y", scatter=None, by=count_sums)
    needs_rows = True  # of folds behind a scaler: its sums do not follow from those of the raw rows
    _takes_sparse = True
    _requires_positive = True

    def _solve(self, m: Moments) -> None:
        self._set_priors(m.count)
        self.feature_count_ = counts = m.mean
        counts *= m.count[:, None]
        self.feature_log_prob_ = self._log_weights(self.feature_count_)
        logs, never = finite_part(self.feature_log_prob_)
        self._linear, self._never = logs.T, never.T
        self._constant = self._log_level()

    def _log_weights(self, counts: Matrix) -> Matrix:
        raise TypeError(f"{type(self).__name__} does not say how counts become weights.")

    def _log_level(self) -> Vector:
        """Return what a row without counts scores (K,)."""
        return self.class_log_prior_

    def _look(self, m: Moments) -> None:
        """A column of zeros is a word that these rows do not use."""

    def _score(self, X: Any) -> Matrix:
        return self._score_block(X) if is_sparse(X) else by_blocks(X, self._score_block, len(self.classes_))

    def _score_block(self, X: Any) -> Matrix:
        scores = rows_times(X, self._linear) if is_sparse(X) else np.asarray(X @ self._linear)
        scores += self._constant
        if not self._never.any():
            return scores
        return settle(scores, np.asarray((X > 0).astype(np.float64) @ self._never))


class MultinomialNB(CountedNB):
    r"""Counts drawn from one urn in each class: a linear frontier between texts.

    The score of class :math:`k` is :math:`\log\pi_k + \sum_d x_d \log\theta_{kd}`.

    Parameters
    ----------
    alpha : float >= 0 or array (p,), default=1.0
        So many counts are added to each column of each class; a larger one makes all columns as likely.
    force_alpha : bool, default=True
        Keep an ``alpha`` below 1e-10 as it is.
    fit_prior : bool, default=True
        Learn :math:`\pi_k` from the class frequencies; else all classes are as likely.
    class_prior : array (K,), default=None
        Given :math:`\pi_k`. A larger prior moves the frontier away from its class.

    Attributes
    ----------
    feature_log_prob_ : array (K, p)
        :math:`\log\theta_{kd}`.
    feature_count_, class_count_, class_log_prior_ : arrays (K, p), (K,), (K,)

    Notes
    -----
    Keeps :math:`Kp + K` numbers; one pass over the non-zeros, and one product to score. Columns must not be negative; they need not
    be whole (tf-idf is common). With ``alpha=0`` the limit of a vanishing ``alpha`` is taken.

    References
    ----------
    Manning, Raghavan and Schütze, *Introduction to Information Retrieval*, section 13.2.

    Examples
    --------
    >>> X = [[2, 1, 0], [3, 0, 0], [0, 1, 4], [0, 2, 3]]
    >>> MultinomialNB().fit(X, list("aabb")).predict([[1, 1, 0], [0, 1, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _log_weights(self, counts: Matrix) -> Matrix:
        return logs_of_shares(counts + self._smoothing())

    def _scores_without(self, X: Any, codes: Codes, w: Vector | None) -> Matrix:
        m, rows = self.moments_, csr_array(X)
        u, _, left = without_row(m.count, codes, w)
        scores, never = np.asarray(rows @ self._linear), np.asarray((rows > 0).astype(np.float64) @ self._never)
        n, p = rows.shape
        alpha = np.broadcast_to(self._smoothing(), p)
        i = np.repeat(np.arange(n), np.diff(rows.indptr))  # the row of each non-zero
        less = np.maximum(self.feature_count_[codes[i], rows.indices] - u[i] * rows.data, 0.0) + alpha[rows.indices]
        sizes = np.asarray(rows.sum(axis=1)).ravel()
        total = np.maximum(self.feature_count_.sum(axis=1)[codes] - u * sizes, 0.0) + alpha.sum()
        empty = total <= 0  # its class had nothing else, and nothing is added: all columns as likely
        logs, impossible = finite_part(
            np.where(empty[i], -np.log(p), log_of(less) - log_of(np.where(empty, 1.0, total))[i])
        )
        own = (np.arange(n), codes)
        scores[own] = np.bincount(i, rows.data * logs, minlength=n)
        never[own] = np.bincount(i, impossible * (rows.data > 0), minlength=n)
        return settle(scores, never) + left_out_priors(left, self._given_priors())

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        mean_size = self.feature_count_[k].sum() / max(float(self.class_count_[k]), 1e-300)
        chances = np.exp(self.feature_log_prob_[k])
        return rng.multinomial(rng.poisson(mean_size, n), chances / chances.sum()).astype(np.float64)


class ComplementNB(CountedNB):
    r"""The class whose complement fits the counts of a row least: for texts in classes of unequal size.

    The score of class :math:`k` is :math:`-\sum_d x_d \log\tilde\theta_{kd}`, equation (2).

    Parameters
    ----------
    alpha : float >= 0 or array (p,), default=1.0
        So many counts are added to each column; a larger one makes all columns as likely.
    force_alpha : bool, default=True
        Keep an ``alpha`` below 1e-10 as it is.
    fit_prior, class_prior : scikit-learn's
        Used only where all rows are of one class.
    norm : bool, default=False
        Divide the weights of each class by their sum: long texts of a class do not weigh more than others.

    Attributes
    ----------
    feature_log_prob_ : array (K, p)
        The weights of the columns in each score.
    feature_all_ : array (p,)
        The sum of each column over all classes.
    feature_count_, class_count_, class_log_prior_ : arrays (K, p), (K,), (K,)

    Notes
    -----
    Keeps :math:`Kp + K` numbers; one pass over the non-zeros, and one product to score.

    References
    ----------
    Rennie, Shih, Teevan and Karger, "Tackling the poor assumptions of naive Bayes text classifiers", *ICML*, 2003.

    Examples
    --------
    >>> X = [[2, 1, 0], [3, 0, 0], [0, 1, 4], [0, 2, 3]]
    >>> ComplementNB().fit(X, list("aabb")).predict([[1, 1, 0], [0, 1, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None, norm: bool = False
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def _log_weights(self, counts: Matrix) -> Matrix:
        if not isinstance(self.norm, bool | np.bool_):
            raise WrongUse(f"norm is {self.norm!r}; it must be True or False.")
        self.feature_all_ = counts.sum(axis=0)
        others = np.maximum(self.feature_all_ - counts, 0.0)
        others += self._smoothing()
        logged = logs_of_shares(others)
        return logged / logged.sum(axis=1, keepdims=True) if self.norm else -logged

    def _log_level(self) -> Vector:
        return self.class_log_prior_ if len(self.classes_) == 1 else np.zeros(len(self.classes_))

    def _solve(self, m: Moments) -> None:
        super()._solve(m)
        unseen = np.isposinf(self.feature_log_prob_)  # no other class has such a word: it speaks for this one alone
        if unseen.any():
            self._linear = np.where(unseen, 0.0, self.feature_log_prob_).T
            self._never = -unseen.T.astype(np.float64)


def logs_of_shares(counts: Matrix) -> Matrix:
    """Return the logarithms of what each count is of its row's sum; all as likely in a row without counts. The counts are written over.

    >>> np.exp(logs_of_shares(np.array([[1.0, 3.0], [0.0, 0.0]])))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    total = counts.sum(axis=1, keepdims=True)
    counts[total[:, 0] <= 0] = 1.0  # a class without counts and without smoothing
    counts /= np.where(total > 0, total, counts.shape[1])
    with np.errstate(divide="ignore"):
        return np.log(counts)
