r"""Poisson naive Bayes.

Within a class the columns are independent counts with rate :math:`\lambda_{kd}`:

.. math:: \delta_k(x) = \log \pi_k + \sum_d \big[ x_d \log \lambda_{kd} - \lambda_{kd} \big], \qquad
          \lambda_{kd} = \frac{\sum_{i \in k} x_{id} + \alpha \bar x_d}{n_k + \alpha}. \tag{1}

The smoothing adds :math:`\alpha` rows at the overall mean :math:`\bar x` to each class, so that a class that has not
seen a count yet does not rule it out. The factorials :math:`x_d!` are the same for all classes and left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere, namespace
from epee.errors import DataError, WrongUse
from epee.estimator.base import say
from epee.estimator.keep import Keep
from epee.moments.class_sums import ClassSummation
from epee.moments.moments import Moments
from epee.moments.passes import Summation
from epee.moments.sparse import rows_times
from epee.predictors.generative.discrete import finite_part, settle
from epee.predictors.generative.generator import (
    GenerativeClassifier,
    by_blocks,
    check_priors,
    left_out_priors,
    log_of,
    without_row,
)
from epee.table.block import Block, Source, column_name
from epee.table.sparse import is_sparse, laid_out
from epee.typing import Codes, Matrix, Vector


def count_sums(model: Any, source: Source, folds: int | None, origin: Vector | None) -> Summation:
    """Return the sums of counts, about zero; a negative one is refused."""
    zero, K = np.zeros(source.n_columns), len(model.classes_)
    return CountSummation(zero, None, folds, K, 0, model.classes_, source.names, type(model).__name__)


class PoissonNB(GenerativeClassifier):
    r"""Independent Poisson counts in each class: a linear frontier between columns of counts.

    The score of class :math:`k` is :math:`\log\pi_k + \sum_d [x_d \log\lambda_{kd} - \lambda_{kd}]`.

    Parameters
    ----------
    alpha : float >= 0, default=1.0
        So many rows at the overall mean are added to each class; a larger one draws the rates of the classes together.
    priors : array (K,), default=None
        :math:`\pi_k`; by default the class frequencies. A larger prior moves the frontier away from its class.

    Attributes
    ----------
    rate_ : array (K, p)
        :math:`\lambda_{kd}`.
    class_count_, class_prior_ : arrays (K,)

    Notes
    -----
    Keeps :math:`Kp + K` numbers; one pass, and one matrix product to score. Training columns must not be negative; they
    need not be whole.

    References
    ----------
    McCullagh and Nelder, *Generalized Linear Models*, chapter 6.

    Examples
    --------
    >>> X = [[0, 5], [1, 4], [0, 6], [5, 1], [6, 0], [4, 0]]
    >>> PoissonNB().fit(X, list("aaabbb")).predict([[0, 4], [7, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    state_parts = ("_linear", "_never", "_constant")

    keeps = Keep(group="y", scatter=None, by=count_sums)
    needs_rows = True  # of folds behind a scaler: its sums do not follow from those of the raw rows
    _requires_positive = True
    _takes_sparse = True

    def __init__(self, alpha: float = 1.0, *, priors: Any = None) -> None:
        self.alpha = alpha
        self.priors = priors

    def _solve(self, m: Moments) -> None:
        if not 0 <= self.alpha < np.inf:
            raise WrongUse(f"alpha is {self.alpha!r}; it must be a number of at least 0.")
        self.class_count_ = m.count
        self.class_prior_ = m.frequencies if self.priors is None else check_priors(self.priors, self.classes_)
        self.rate_ = self._rates(m.count[:, None] * m.mean, m.count[:, None], m.merge("group").mean)
        logs, never = finite_part(log_of(self.rate_))  # (K, p)
        self._linear, self._never = logs.T, (never * (self.rate_.max(axis=0) > 0)).T
        self._constant = log_of(self.class_prior_) - self.rate_.sum(axis=1)

    def _rates(self, total: Matrix, n: Matrix, mean: Matrix) -> Matrix:
        """Return the smoothed rates; a class without rows and without smoothing has the overall ones."""
        whole = n + self.alpha
        return np.where(whole > 0, (total + self.alpha * mean) / np.where(whole > 0, whole, 1.0), mean)

    def _leave(self, X: Any) -> Matrix:
        X = super()._leave(X)
        found = first_negative(X)
        if found is not None:
            row, j, x = found
            name = column_name(getattr(self, "feature_names_in_", None), j)
            say(f"{name} holds {x:g} in row {row}: no count is negative, so the prediction of such rows means little.")
        return X

    def _score(self, X: Matrix) -> Matrix:
        return self._score_block(X) if is_sparse(X) else by_blocks(X, self._score_block, len(self.classes_))

    def _score_block(self, X: Matrix) -> Matrix:
        scores = (rows_times(X, self._linear) if is_sparse(X) else np.asarray(X @ self._linear)) + self._constant
        return scores if not self._never.any() else settle(scores, np.asarray((X > 0).astype(float) @ self._never))

    def _scores_without(self, X: Matrix, codes: Codes, w: Vector | None) -> Matrix:
        m, given = self.moments_, None if self.priors is None else self.class_prior_
        totals = m.count[:, None] * m.mean  # (K, p)
        n = X.shape[0]
        out = np.empty((n, len(self.classes_)))
        for i in range(0, n, 512):
            B, c = np.asarray(laid_out(X[i : i + 512]), dtype=np.float64), codes[i : i + 512]
            u, _, left = without_row(m.count, c, None if w is None else w[i : i + 512])
            rows = np.arange(len(B))
            T = np.tile(totals, (len(B), 1, 1))  # (n, K, p)
            T[rows, c] = np.maximum(T[rows, c] - u[:, None] * B, 0.0)
            mean = T.sum(axis=1) / left.sum(axis=1, keepdims=True)
            rates = self._rates(T, left[:, :, None], mean[:, None, :])
            logs, never = finite_part(log_of(rates))
            never = (never * (mean > 0)[:, None, :] * (B > 0)[:, None, :]).sum(axis=2)
            scores = (B[:, None, :] * logs).sum(axis=2) - rates.sum(axis=2)
            out[i : i + 512] = settle(scores, never) + left_out_priors(left, given)
        return out

    def _class_means(self) -> Matrix:
        return self.rate_

    def _log_priors(self) -> Vector:
        return log_of(self.class_prior_)

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Matrix:
        return rng.poisson(self.rate_[k], (n, self.n_features_in_)).astype(np.float64)


def first_negative(X: Any) -> tuple[int, int, float] | None:
    """Return the row, the column and the value of the first cell below 0, None without one.

    >>> first_negative(np.array([[1.0, 2.0], [0.0, -3.0]]))
    (1, 1, -3.0)
    """
    if is_elsewhere(X):
        return first_negative(at_home(X)) if bool(namespace(X).any(X < 0)) else None
    cells = X.data if is_sparse(X) else X
    if not cells.size or not cells.min() < 0:
        return None
    if is_sparse(X):
        coo = X.tocoo()
        k = int(np.flatnonzero(coo.data < 0)[0])
        return int(coo.row[k]), int(coo.col[k]), float(coo.data[k])
    row, j = np.argwhere(X < 0)[0]
    return int(row), int(j), float(X[row, j])


def refuse_negative(X: Any, names: Any, start: int = 0, method: str = "this method") -> None:
    """Raise a sentence that names the first negative cell."""
    found = first_negative(X)
    if found is not None:
        row, j, x = found
        raise DataError(
            f"Negative values in data passed to {method} (input X): {column_name(names, j)} holds {x:g} in row {start + row}, "
            "and a count cannot be negative."
        )


@dataclass(frozen=True)
class CountSummation(ClassSummation):
    """The sums of rows of counts."""

    names: Any = None
    method: str = "this method"

    def __call__(self, block: Block) -> Moments:
        refuse_negative(block.rows, self.names, block.start, self.method)
        return super().__call__(block)
