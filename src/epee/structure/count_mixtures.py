r"""Mixtures of independent counts: Bernoulli for pixels that are on or off, Poisson for numbers of events.

.. math:: p(x) = \sum_k \pi_k \prod_d p_{kd}^{x_d} (1 - p_{kd})^{1 - x_d}
          \qquad\text{or}\qquad \sum_k \pi_k \prod_d e^{-\lambda_{kd}} \frac{\lambda_{kd}^{x_d}}{x_d!}.

Both log-densities are linear in the row, so the E-step is one product of matrices; the M-step is the mean of each column
weighted by the responsibilities. A parameter is held a hair away from the values that make an event impossible, which is
the constrained maximiser; a missing cell (NaN) just leaves its factor out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.special import gammaln
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.engines.choice import engine_for
from epee.errors import DataError, DataWarning, MissingValues, SearchWarning, WrongUse
from epee.estimator.base import Density, list_columns, say
from epee.estimator.kinds import all_here
from epee.structure.em import Climb, Expected, expectation_maximisation
from epee.structure.gaussian_mixture import blank_rows, some_rows
from epee.structure.gaussian_steps import patterns_of, responsibilities
from epee.structure.mixture_starts import first_responsibilities, too_few_points
from epee.structure.switches_left_out import MISSING, Taught, conformal
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, check_weights, refuse_bad_cells
from epee.table.doors import is_stream, open_source
from epee.table.view import View
from epee.typing import Codes, Matrix, Vector

SMALLEST = 1e-10
KEPT_ROWS = 5_000  # of those that a mixture of switches learned, to judge others by
SOME_PATTERNS = 1_000  # of missing cells, looked at together


@dataclass(frozen=True, eq=False)
class Columns:
    """Weights (K,) and the mean of each column in each component (K, p)."""

    weights: Vector
    means: Matrix
    law: str

    def log_joint(self, X: Matrix) -> Matrix:
        """Return log weight plus log-density (n, K); missing cells leave their factor out."""
        missing = np.isnan(X)
        x = np.where(missing, 0.0, X) if missing.any() else X
        with np.errstate(divide="ignore"):
            weights = np.log(self.weights)
        if self.law == "bernoulli":
            on, off = np.log(self.means), np.log1p(-self.means)
            out = x @ (on - off).T + (off.sum(axis=1) if not missing.any() else (~missing).astype(float) @ off.T)
        else:
            rate = self.means.sum(axis=1) if not missing.any() else (~missing).astype(float) @ self.means.T
            out = x @ np.log(self.means).T - rate - gammaln(x + 1).sum(axis=1)[:, None]
        return out + weights

    def __call__(self, block: Block) -> Expected:
        X = np.asarray(block.X, dtype=np.float64)
        X_there = ~np.isnan(X)
        said = X_there.any(axis=1)
        R, ll = responsibilities(self.log_joint(X))
        w = said.astype(float) if block.weight is None else block.weight * said
        R = R * w[:, None]
        x = np.where(X_there, X, 0.0)
        return Expected(float(ll @ w), float(w.sum()), (R.sum(axis=0), R.T @ x, R.T @ X_there.astype(float)))


@dataclass(frozen=True, eq=False)
class Lawful:
    """The change of a block to cells as the law of a mixture wants them; what it cannot take is refused."""

    model: CountMixture
    names: Sequence[str] | None

    def __call__(self, block: Block) -> Block:
        X = np.asarray(block.X, dtype=np.float64)
        if np.isinf(X).any():
            refuse_bad_cells(np.where(np.isnan(X), 0.0, X), self.names, block.start)
        return block.having(X=self.model._values(X, block.start))


def present_cells(block: Block) -> np.ndarray:
    """Return how many cells of each column of a block are there (p,)."""
    return np.asarray((~np.isnan(block.X)).sum(axis=0))


class CountMixture(Density):
    """What the two mixtures share; a subclass names its law and the values it takes."""

    _takes_missing = True
    _law = ""

    def __init__(
        self, n_components: int = 1, *, tol: float = 1e-4, max_iter: int = 200, n_init: int = 1, init_params: str = "kmeans",
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.random_state = random_state

    def _values(self, X: Matrix, start: int = 0) -> Matrix:
        """Return the rows, whose first has the number ``start``, as the law wants them, or refuse them."""
        return X

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Climb from the best of ``n_init`` starts; ``y`` is ignored, weights are counts, NaN is a missing cell."""
        if int(self.n_components) != self.n_components or self.n_components < 1:
            raise WrongUse(f"n_components is {self.n_components!r}; it must be a whole number of at least 1.")
        X, sample_weight = all_here(self, X, sample_weight)
        if is_stream(X):
            plain = self._enter_stream(open_source(X, None, sample_weight), reset=True)
            empty = np.flatnonzero(engine_for(plain).reduce(plain, present_cells) == 0)
            source: Source = View(plain, Lawful(self, plain.names))
        else:
            rows = self._values(self._enter(X, reset=True))
            if len(rows) < self.n_components:
                raise DataError(
                    f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {len(rows)}"
                )
            empty = np.flatnonzero(np.isnan(rows).all(axis=0))
            source = ArraySource(rows, None, check_weights(sample_weight, len(rows)))
        if len(empty):
            raise MissingValues(f"{list_columns(empty, self)} missing in every row: drop it.")
        self.n_skipped_ = int(engine_for(source).reduce(source, blank_rows))
        if self.n_skipped_:
            say(f"rows without any cell: {self.n_skipped_}. They are skipped.", DataWarning)
        rng = check_random_state(self.random_state)
        best: Climb | None = None
        for _ in range(self.n_init):
            climb = expectation_maximisation(
                self, source, theta=self._start(source, rng), tol=self.tol, max_iter=self.max_iter
            )
            best = climb if best is None or climb.trace[-1] > best.trace[-1] else best
        assert best is not None
        self.weights_, self.means_ = best.theta.weights, best.theta.means
        self.lower_bound_, self.trace_, self.n_iter_ = best.trace[-1], best.trace, best.iterations
        self.converged_ = best.converged
        self._keep(source)
        if not best.converged:
            say(f"EM stopped because {best.reason}: raise max_iter or n_init.", SearchWarning)
        return self

    def _keep(self, source: Source) -> None:
        """Keep of the rows what is asked for later: nothing."""

    def start(self, source: Source) -> Columns:
        """Return the first parameters."""
        return self._start(source, check_random_state(self.random_state))

    def _start(self, source: Source, rng: Any) -> Columns:
        X, w = some_rows(source, 20_000, rng)
        filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
        few = too_few_points(filled, int(self.n_components))
        if few:
            say(few, DataWarning)  # a pattern of switches may well be all there is
        R = first_responsibilities(filled, w, int(self.n_components), self.init_params, rng)
        R = R if w is None else R * w[:, None]
        N = R.sum(axis=0) + 10 * np.finfo(float).eps
        means = (R.T @ filled + filled.mean(axis=0)) / (
            N[:, None] + 1
        )  # one row of the mean: no parameter starts at an edge
        return self._inside(Columns(N / N.sum(), means, self._law))

    def _inside(self, theta: Columns) -> Columns:
        high = 1 - SMALLEST if self._law == "bernoulli" else np.inf
        return replace(theta, means=np.clip(theta.means, SMALLEST, high))

    def expect(self, theta: Columns) -> Columns:
        """Return the E-step of a block."""
        return theta

    def maximise(self, expected: Expected, theta: Columns) -> Columns:
        """Return the weighted means of the columns, over the cells that are there."""
        N, sums, there = expected.sums
        means = np.where(there > 0, sums / np.where(there > 0, there, 1.0), theta.means)
        return self._inside(Columns(N / N.sum(), means, self._law))

    def _theta(self) -> Columns:
        return Columns(self.weights_, self.means_, self._law)

    def _leave(self, X: Any) -> Matrix:
        return self._values(np.asarray(super()._leave(X), dtype=np.float64))

    def _log_density(self, X: Matrix) -> Vector:
        return responsibilities(self._theta().log_joint(X))[1]

    def predict_proba(self, X: Any) -> Matrix:
        """Return the responsibility of each component (n, K)."""
        X = self._leave(X)
        return responsibilities(self._theta().log_joint(X))[0]

    def predict(self, X: Any) -> Codes:
        """Return the most responsible component of each row."""
        X = self._leave(X)
        return self._theta().log_joint(X).argmax(axis=1)

    def bic(self, X: Any) -> float:
        """Return -2 log-likelihood + log(n) times the free parameters; smaller is better."""
        X = self._leave(X)
        K, p = self.means_.shape
        return float(-2 * self._log_density(X).sum() + np.log(len(X)) * (K * p + K - 1))

    def impute(self, X: Any) -> Matrix:
        """Return the rows with missing cells filled by their conditional mean."""
        X = np.array(self._leave(X), dtype=np.float64)
        fill = responsibilities(self._theta().log_joint(X))[0] @ self.means_
        return np.where(np.isnan(X), fill, X)

    def sample(self, n_samples: int = 1) -> tuple[Matrix, Codes]:
        """Draw rows and their components."""
        check_is_fitted(self)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        labels = np.sort(rng.choice(len(self.weights_), n_samples, p=self.weights_ / self.weights_.sum()))
        means = self.means_[labels]
        return (rng.random(means.shape) < means).astype(float) if self._law == "bernoulli" else rng.poisson(
            means
        ).astype(float), labels

    def outliers(self, X: Any, level: float = 0.01, *, draws: int = 20_000) -> np.ndarray:
        """Tell which rows are less likely than all but a share ``level`` of rows drawn from this law, on the cells that are there."""
        if not 0 < level < 1:
            raise WrongUse(f"level is {level!r}; it must lie between 0 and 1.")
        X = self._leave(X)
        drawn, out = self.sample(draws)[0], np.zeros(len(X), dtype=bool)
        for missing, rows in patterns_of(X):
            limit = np.quantile(self._log_density(np.where(missing, np.nan, drawn)), level)
            out[rows] = self._log_density(X[rows]) < limit
        return out


class BernoulliMixture(CountMixture):
    r"""Mixture of independent switches: :math:`\sum_k \pi_k \prod_d p_{kd}^{x_d}(1-p_{kd})^{1-x_d}`.

    Parameters
    ----------
    n_components : int, default=1
        Number of components; 1 is the maximum likelihood of a Bernoulli law per column.
    tol : float, default=1e-4
        Stop when the mean log-likelihood of a row rises by less.
    max_iter, n_init : int
        Largest number of steps, and of starts, of which the likeliest is kept; more are surer and slower.
    init_params : {"kmeans", "random", "k-means++", "random_from_data"}
        Where responsibilities start: from clusters, from chance, or from rows as centres.
    random_state : int or None
        Seed of the starts.
    binarize : float or None, default=0.0
        Cells above are 1, the others 0; None wants zeros and ones.

    Attributes
    ----------
    weights_, means_ : arrays (K,) and (K, p)
        Shares and probabilities; of images, each row of ``means_`` is one.
    rows_, counts_ : arrays (n, p) and (n,)
        Up to 5,000 of the rows learned, -1 in a missing cell, and their weights: :meth:`outliers` judges others by them.

    Notes
    -----
    A step is two products of matrices, :math:`O(nKp)`.

    References
    ----------
    Bishop, *Pattern Recognition and Machine Learning*, section 9.3.3.

    Examples
    --------
    >>> X = [[1, 1, 0, 0]] * 3 + [[0, 0, 1, 1]] * 3
    >>> BernoulliMixture(2, random_state=0).fit(X).predict(X).tolist() in ([0] * 3 + [1] * 3, [1] * 3 + [0] * 3)
    True
    """

    _law = "bernoulli"

    rows_: np.ndarray
    counts_: Vector

    def __init__(
        self, n_components: int = 1, *, tol: float = 1e-4, max_iter: int = 200, n_init: int = 1, init_params: str = "kmeans",
        random_state: Any = None, binarize: float | None = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(
            n_components, tol=tol, max_iter=max_iter, n_init=n_init, init_params=init_params, random_state=random_state
        )
        self.binarize = binarize

    def _keep(self, source: Source) -> None:
        """Keep some rows, by which others are judged."""
        X, w = some_rows(source, KEPT_ROWS, np.random.RandomState(0))
        self.rows_ = np.where(np.isnan(X), MISSING, X).astype(np.int8)
        self.counts_ = np.ones(len(X)) if w is None else np.asarray(w, dtype=np.float64)

    def outliers(self, X: Any, level: float = 0.01, *, draws: int = 5_000) -> np.ndarray:
        r"""Tell which rows are less likely than all but a share ``level`` of the rows learned, each left out of its own density.

        A new row that is like the others is flagged in at most that share of cases; with fewer than :math:`1 / level` rows
        none is. ``draws`` bounds the rows that are left out in turn.
        """
        if not hasattr(self, "rows_"):  # it comes from a file of an older version
            return super().outliers(X, level, draws=draws)
        if not 0 < level < 1:
            raise WrongUse(f"level is {level!r}; it must lie between 0 and 1.")
        X = self._leave(X)
        rows, counts = self.rows_[:draws], self.counts_[:draws]
        known = np.where(rows == MISSING, np.nan, rows)
        taught = Taught(rows, counts, responsibilities(self._theta().log_joint(known))[0])
        patterns, out = list(patterns_of(X)), np.zeros(len(X), dtype=bool)
        for first in range(0, len(patterns), SOME_PATTERNS):
            some = patterns[first : first + SOME_PATTERNS]
            left = taught.left_out(np.array([~missing for missing, _ in some]))
            for j, (_, own) in enumerate(some):
                out[own] = conformal(self._log_density(X[own]), left[:, j], counts) <= level
        return out

    def _values(self, X: Matrix, start: int = 0) -> Matrix:
        if self.binarize is not None:
            return np.where(np.isnan(X), np.nan, (self.binarize < X).astype(float))
        bad = ~(np.isnan(X) | (X == 0) | (X == 1))
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise DataError(
                f"column {j} holds {X[i, j]:g} in row {start + i}: a Bernoulli law takes 0 and 1. Set binarize to a threshold."
            )
        return X


class PoissonMixture(CountMixture):
    r"""Mixture of independent counts: :math:`\sum_k \pi_k \prod_d e^{-\lambda_{kd}} \lambda_{kd}^{x_d} / x_d!`.

    Parameters
    ----------
    n_components : int, default=1
        Number of components; 1 is the maximum likelihood :math:`\hat\lambda = \bar x` of each column.
    tol : float, default=1e-4
        Stop when the mean log-likelihood of a row rises by less.
    max_iter, n_init : int
        Largest number of steps, and of starts, of which the likeliest is kept; more are surer and slower.
    init_params : {"kmeans", "random", "k-means++", "random_from_data"}
        Where responsibilities start: from clusters, from chance, or from rows as centres.
    random_state : int or None
        Seed of the starts.

    Attributes
    ----------
    weights_, means_ : arrays (K,) and (K, p)
        Shares and rates.

    Notes
    -----
    A step is two products of matrices, :math:`O(nKp)`.

    References
    ----------
    Landes, *Introduction à l'apprentissage statistique*, section 2.1.

    Examples
    --------
    >>> PoissonMixture().fit([[1.0], [3.0]]).means_
    array([[2.]])
    """

    _law = "poisson"
    _requires_positive = True

    def _values(self, X: Matrix, start: int = 0) -> Matrix:
        if (X < 0).any():
            i, j = np.argwhere(X < 0)[0]
            raise DataError(
                f"Negative values in data passed to PoissonMixture: column {j} holds {X[i, j]:g} in row {start + i}."
            )
        return X
