r"""The simplest predictors: they look at the target alone.

.. math:: \hat P(y = k \mid x) = \frac{n_k}{n}, \qquad \hat y = \arg\max_k n_k; \qquad\qquad
          \hat y = \bar y \quad\text{or}\quad \hat y = \operatorname{median}(y).

Whatever a table may teach has to be better than this.
"""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np

from epee.errors import WrongUse
from epee.estimator.keep import Keep
from epee.estimator.moment import MomentClassifier, MomentEstimator, MomentRegressor
from epee.estimator.protocol import QuadraticForm
from epee.estimator.stack import Linear
from epee.losses.location import best_constant, best_quantile
from epee.moments.moments import Moments
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source
from epee.table.view import View
from epee.typing import Codes, Matrix, Seed, Tensor, Vector


def unseen(block: Block) -> Block:
    """Return a block whose inputs are all 0: their number is known, and nothing else."""
    return block.having(X=np.broadcast_to(0.0, block.X.shape))


class _TargetAlone(MomentEstimator):
    """Lets the inputs go by; cells may be missing."""

    _takes_missing = True

    def _view(self, source: Source, reset: bool) -> Source:
        if isinstance(source, ArraySource):
            s, blank = source, np.broadcast_to(0.0, source.X.shape)
            return ArraySource(blank, s.y, s.weight, s.fold, s.group, s.names)
        return cast(Source, View(source, unseen, origin=np.zeros(source.n_columns)))

    def _look(self, m: Moments) -> None:
        """Say nothing of inputs that nobody looks at."""


class BaselineClassifier(_TargetAlone, MomentClassifier):
    r"""The class frequencies, whatever the row: :math:`\hat P(y = k \mid x) = n_k / n`.

    Parameters
    ----------
    strategy : {"frequencies", "most_frequent"}, default="frequencies"
        What ``predict_proba`` returns: the frequencies, or certainty for the most frequent class. ``predict`` returns
        the most frequent class, the first among equals.

    Attributes
    ----------
    class_prior_ : array (K,)
        Frequencies of the classes.

    Notes
    -----
    One pass over the target. Its error rate is :math:`1 - \max_k \pi_k`.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 2.4.

    Examples
    --------
    >>> model = BaselineClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> model.predict([[7]]), model.predict_proba([[7]]).round(2)
    (array(['b'], dtype='<U1'), array([[0.33, 0.67]]))
    """

    keeps = Keep(group="y", scatter=None)

    def __init__(self, strategy: str = "frequencies") -> None:
        self.strategy = strategy

    def degrees_of_freedom(self, X: Any = None) -> float:
        """Return the number of frequencies that are free: all classes but one."""
        return len(self.classes_) - 1.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _check(self) -> None:
        if self.strategy not in ("frequencies", "most_frequent"):
            raise WrongUse(f"strategy {self.strategy!r} is not one of 'frequencies' and 'most_frequent'.")

    def _solve(self, m: Moments) -> None:
        self._check()
        self.class_count_ = np.array(m.count)
        self.class_prior_ = m.frequencies

    def solve_scores(self, m: Moments) -> Linear:
        """Return the scores of every fold at once: no slopes, and what the frequencies say."""
        self._check()
        return Linear(np.zeros((*m.count.shape, m.p)), self._logs(m.count))

    def log_odds(self) -> QuadraticForm | None:
        """Return the constant whose sign says which of two classes is more frequent; None for more classes."""
        if len(self.classes_) != 2:
            return None
        p, gap = self.n_features_in_, float(self.class_count_[1] - self.class_count_[0])
        return QuadraticForm(None, None, np.zeros(p), gap, np.zeros(p))

    def _score(self, X: Matrix) -> Matrix:
        return np.tile(self._logs(self.class_count_[None]), (X.shape[0], 1))

    def _logs(self, count: Matrix) -> Matrix:
        """Return the scores (n, K) from counts (n, K)."""
        with np.errstate(divide="ignore"):
            if self.strategy == "frequencies":
                return np.log(count / count.sum(axis=1, keepdims=True))
            return np.where(np.arange(count.shape[1]) == count.argmax(axis=1)[:, None], 0.0, -np.inf)

    def left_out(self, X: Matrix, codes: Codes, w: Vector | None = None) -> Matrix:
        """Return the scores (n, K) of each row by the frequencies without it."""
        w = np.ones(len(codes)) if w is None else np.asarray(w, dtype=np.float64)
        count = np.tile(np.bincount(codes, weights=w).astype(np.float64), (len(codes), 1))
        count[np.arange(len(codes)), codes] -= np.minimum(w, 1.0)
        return self._logs(np.maximum(count, 0.0))

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> np.ndarray:
        """Draw labels from the frequencies."""
        rng = np.random.default_rng(
            random_state if not isinstance(random_state, np.random.RandomState) else random_state.randint(2**31)
        )
        return rng.choice(self.classes_, size=n_samples, p=self.class_prior_)


class BaselineRegressor(_TargetAlone, MomentRegressor):
    r"""The mean, the median or a quantile of the target, whatever the row.

    Parameters
    ----------
    statistic : {"mean", "median", "quantile"}, default="mean"
        The mean has the smallest squared error of all constants, the median the smallest absolute error, and no outlier
        moves it far; a quantile has the smallest pinball loss.
    quantile : float in (0, 1), default=0.5
        Which quantile; a larger one lies higher.

    Attributes
    ----------
    constant_ : float or array (m,)

    Notes
    -----
    One pass over the target. The median of an even sample is the midpoint of its two central values.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 2.4.

    Examples
    --------
    >>> X, y = [[0], [0], [0]], [1.0, 2.0, 6.0]
    >>> BaselineRegressor().fit(X, y).predict([[1]]), BaselineRegressor("median").fit(X, y).predict([[1]])
    (array([3.]), array([2.]))
    """

    keeps = Keep(targets=True, scatter=None)

    def __init__(self, statistic: str = "mean", *, quantile: float = 0.5) -> None:
        self.statistic = statistic
        self.quantile = quantile

    @property
    def _share(self) -> float:
        return self.quantile if self.statistic == "quantile" else 0.5

    @property
    def needs_rows(self) -> bool:
        """Whether sums are not enough: they tell no median."""
        return self.statistic != "mean"

    @property
    def refines(self) -> bool:
        """Whether it goes back to the targets."""
        return self.needs_rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _solve(self, m: Moments) -> None:
        if self.statistic not in ("mean", "median", "quantile"):
            raise WrongUse(f"statistic {self.statistic!r} is not one of 'mean', 'median' and 'quantile'.")
        if not 0 < self.quantile < 1:
            raise WrongUse(f"quantile is {self.quantile!r}; it must lie between 0 and 1.")
        self._set(m.y_mean)

    def solve_stack(self, m: Moments) -> tuple[Tensor, Tensor] | None:
        """Return no slopes (F, m, p), and the means of the target (F, m); None for what sums do not tell."""
        if self.statistic != "mean":
            return None
        means = np.asarray(m.y_mean)
        return np.zeros((*means.shape, m.p)), means

    def refine(self, source: Source, m: Moments) -> None:
        """Find the median, for which all targets are held."""
        if self.statistic == "mean":
            return
        blocks = [(np.array(block.y), block.weight) for block in source.blocks()]
        y = np.concatenate([part for part, _ in blocks])
        w = None if blocks[0][1] is None else np.concatenate([np.array(part) for _, part in blocks])
        self._set(np.array([best_quantile(column, self._share, w) for column in y.reshape(len(y), -1).T]))

    def _set(self, constants: Vector) -> None:
        self._set_linear(np.zeros((len(constants), self.n_features_in_)), constants)
        self.constant_ = self.intercept_

    def _predict(self, X: Matrix) -> Matrix:
        shape = (X.shape[0],) if np.ndim(self.constant_) == 0 else (X.shape[0], np.size(self.constant_))
        return np.broadcast_to(self.constant_, shape).copy()

    def left_out(self, X: Matrix, y: Matrix, w: Vector | None = None) -> Matrix:
        """Return the constant without each row, (n,) or (n, m)."""
        y = np.asarray(y, dtype=np.float64)
        u = np.ones(len(y)) if w is None else np.asarray(w, dtype=np.float64)
        columns = y.reshape(len(y), -1)
        out = np.stack([self._constants_without(column, u) for column in columns.T], axis=1)
        return out.reshape(y.shape)

    def _constants_without(self, y: Vector, w: Vector) -> Vector:
        gone = np.minimum(w, 1.0)
        if self.statistic == "mean":
            n, mean = w.sum(), float(best_constant(y, 2.0, w))
            return mean - gone * (y - mean) / (n - gone)
        values, place = np.unique(y, return_inverse=True)
        total = np.bincount(place, weights=w).astype(np.float64)
        found: dict[tuple[int, float], float] = {}
        out = np.empty(len(y))
        below = np.cumsum(total)
        for i, (j, g) in enumerate(zip(place.ravel(), gone, strict=True)):
            key = (int(j), float(g))
            if key not in found:
                found[key] = _quantile_without(values, below, int(j), float(g), self._share)
            out[i] = found[key]
        return out


def _quantile_without(values: Vector, below: Vector, j: int, gone: float, share: float) -> float:
    """Return a quantile of distinct values with cumulated weights ``below`` when weight ``gone`` of value j is taken out."""
    half = (below[-1] - gone) * share

    def first_above(level: float, side: Literal["left", "right"]) -> int:
        """Return the first place whose cumulated weight without the row reaches the level, or passes it."""
        early = int(np.searchsorted(below[:j], level, side=side))
        return early if early < j else j + int(np.searchsorted(below[j:] - gone, level, side=side))

    low = first_above(half * (1 - 1e-15), "left")
    high = min(first_above(half * (1 + 1e-15), "right"), len(values) - 1)
    return float(values[low] + (values[high] - values[low]) / 2)
