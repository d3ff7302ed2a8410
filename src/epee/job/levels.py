r"""Categories as trees like them.

Linear methods want a category as one column a level; a boosted tree would have to cut them off one by one, and takes codes instead, which
it cuts by sets; a forest draws many cuts and takes the columns as they are. Of a category of many levels both also get the mean of the
target at the level, drawn towards the mean of all,

.. math:: \bar y_\ell^{*} = \frac{n_\ell\, \bar y_\ell + m\, \bar y}{n_\ell + m}, \qquad m = \frac{s^2}{\tau^2}, \tag{1}

with :math:`s^2` the variance of the target within levels and :math:`\tau^2` that of the levels' true means, both estimated (empirical
Bayes). A row that is learned from must not tell its own target: while fitting it gets the means of the other folds. Rare levels share a
column for linear methods; here they are told apart by the codes that :meth:`~epee.table.encoder.TableEncoder.coded` puts behind it.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin

from epee.estimator.base import Estimator, Transformer, encode_labels
from epee.table.block import check_weights
from epee.table.folds import assign_folds
from epee.typing import Codes, Matrix, Vector


class TreeColumns(TransformerMixin, Estimator):
    """Codes of categories in place of one column a level, and the means of the target at the levels of rich ones.

    With levels alone a tree must find out one by one which of them go together, with means alone it cannot tell levels of one mean apart.
    On made tables of one need or the other, both together erred less than the better of the two, or nearly as little.

    Parameters
    ----------
    groups : list of (start, stop)
        Which columns are the levels of one category.
    codes : bool
        Categories become codes; False leaves their columns as they are.
    by_class : bool
        The target holds labels, not numbers: a mean for each class, one for two.
    few : int
        Levels up to which a category is no rich one, and has no means.
    folds, random_state : int
        Of the means of rows that are learned from.
    told : list of int
        Columns right behind those of a rich category that hold the codes of all its levels, 0 for none.

    >>> X = np.array([[0.5, 1, 0], [0.1, 0, 1], [0.3, 0, 0]])
    >>> TreeColumns([(1, 3)]).fit_transform(X, [1.0, 2.0, 3.0])
    array([[0.5, 0. ],
           [0.1, 1. ],
           [0.3, nan]])
    """

    _takes_missing = True

    def __init__(
        self, groups: Any = (), codes: bool = True, by_class: bool = False, few: int = 12, folds: int = 5, random_state: int = 0,
        told: Any = (),
    ) -> None:  # fmt: skip
        self.groups = groups
        self.codes = codes
        self.by_class = by_class
        self.few = few
        self.folds = folds
        self.random_state = random_state
        self.told = told

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the means of rich categories."""
        X = self._enter(X, reset=True)
        Y, _, w = self._target(y, sample_weight, len(X))
        self.means_ = [level_means(*self._levels(X, a, b), Y, w) for a, b in self._rich()]
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Matrix:
        """Fit, and return the rows with the means that other folds give them."""
        self.fit(X, y, sample_weight)
        X = self._enter(X, reset=False)
        if not self._rich():
            return self._transform(X, [])
        Y, labels, w = self._target(y, sample_weight, len(X))
        fold = assign_folds(labels, len(X), max(2, min(self.folds, len(X))), self.random_state)
        parts = []
        for a, b in self._rich():
            out = np.empty((len(X), Y.shape[1]))
            at, L = self._levels(X, a, b)
            for k in range(int(fold.max()) + 1):
                here, rest = fold == k, fold != k
                out[here] = level_means(at[rest], L, Y[rest], None if w is None else w[rest])[at[here]]
            parts.append(out)
        return self._transform(X, parts)

    def transform(self, X: Any) -> Matrix:
        """Return rows with the means of all that was learned from."""
        X = self._leave(X)
        places = zip(self.means_, self._rich(), strict=True)
        return self._transform(X, [m[self._levels(X, a, b, len(m) - 1)[0]] for m, (a, b) in places])

    def _levels(self, X: Matrix, a: int, b: int, known: int | None = None) -> tuple[Codes, int]:
        """Return the level (n,) of a category in each row, and how many are known; that many stands for none, and for others."""
        if b not in self.told:
            return level_of(X[:, a:b]), b - a
        at = X[:, b].astype(np.intp) - 1
        L = int(at.max(initial=-1)) + 1 if known is None else known
        return np.where((at >= 0) & (at < L), at, L), L

    def _rich(self) -> list[tuple[int, int]]:
        return [(a, b) for a, b in self.groups if b - a > self.few]

    def _transform(self, X: Matrix, means: list[Matrix]) -> Matrix:
        plain = np.ones(X.shape[1], dtype=bool)
        plain[list(self.told)] = False
        coded: list[Vector] = []
        for a, b in self.groups if self.codes else ():
            plain[a:b] = False
            codes = level_of(X[:, a:b]).astype(np.float64)
            coded.append(np.where(codes < b - a, codes, np.nan))
        return np.column_stack([X[:, plain], *coded, *means])

    def _target(self, y: Any, sample_weight: Any, n: int) -> tuple[Matrix, Codes | None, Vector | None]:
        """Return the target as numbers (n, K'), its classes, and the weights."""
        w = check_weights(sample_weight, n)
        if not self.by_class:
            return np.asarray(y, dtype=np.float64).reshape(n, -1), None, w
        classes, labels = encode_labels(y, n)
        wide = np.eye(len(classes))[labels]
        return wide[:, 1:] if len(classes) == 2 else wide, labels, w


class WithoutCodes(Transformer):
    """The columns of a table but for those that hold codes of levels: for all who take a code for a number.

    >>> WithoutCodes([1]).fit_transform([[0.5, 7.0, 1.0]])
    array([[0.5, 1. ]])
    """

    _takes_missing = True

    def __init__(self, told: Any = ()) -> None:
        self.told = told

    @classmethod
    def of(cls, told: Any, width: int) -> Self:
        """Return the step for rows of so many columns; it has nothing to learn."""
        made = cls(told)
        made.n_features_in_ = width
        return made

    def _fit(self, X: Matrix, w: Vector | None) -> None:
        """Learn nothing."""

    def _transform(self, X: Matrix) -> Matrix:
        return np.delete(X, list(self.told), axis=1)


def level_of(levels: Matrix) -> Codes:
    """Return the level (n,) of rows of zeros and a one; one past the last for a row without any."""
    return np.where(levels.any(axis=1), np.argmax(levels, axis=1), levels.shape[1])


def level_means(at: Codes, L: int, Y: Matrix, w: Vector | None) -> Matrix:
    """Return the means (1) of each of L levels (L + 1, K), the last for rows without one: the mean of all.

    >>> level_means(np.array([0, 1, 0, 1]), 2, np.array([[0.0], [4.0], [0.0], [4.0]]), None)[:, 0]
    array([0., 4., 2.])
    """
    weight = np.ones(len(Y)) if w is None else w
    count = np.bincount(at, weight, minlength=L + 1)[:L]
    out = np.empty((L + 1, Y.shape[1]))
    for k, y in enumerate(Y.T):
        mean = float(np.average(y, weights=weight))
        sums = np.bincount(at, weight * y, minlength=L + 1)[:L]
        means = np.divide(sums, count, out=np.full(L, mean), where=count > 0)
        seen, n = int((count > 0).sum()), float(count.sum())
        within = float(weight @ (y - np.append(means, mean)[at]) ** 2) / max(n - seen, 1.0)
        between = float(count @ (means - mean) ** 2) - (seen - 1) * within
        spread = between / max(n - float(count @ count) / max(n, 1e-300), 1e-300)
        towards = within / spread if spread > 1e-9 * within else 1e9
        out[:L, k] = np.divide(sums + towards * mean, count + towards, out=np.full(L, mean), where=count + towards > 0)
        out[L, k] = mean
    return out
