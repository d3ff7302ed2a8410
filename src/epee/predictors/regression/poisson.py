r"""Poisson regression: counts whose logarithm is linear in the inputs.

.. math:: y \mid x \;\sim\; \mathcal P(\mu), \quad \log \mu = x^\top w + b, \qquad
          \min_{w, b} \; \frac{1}{\sum_i c_i} \sum_i c_i \bigl( \mu_i - y_i \log \mu_i \bigr) + \frac{\alpha}{2} \|w\|^2, \tag{1}

with :math:`c_i` the weight of row i. Newton's method on (1) is least squares again and again: at the current fit, with
:math:`\eta = \log \mu`, regress the working response

.. math:: z_i = \eta_i + \frac{y_i - \mu_i}{\mu_i} \quad \text{with weights } c_i \mu_i \tag{2}

on the inputs, with a ridge. So a step is one pass that keeps the moments of :math:`(x, z)`: a weighted Gram matrix, added by any
engine. The same pass gives the value of (1), and a step that does not lower it is halved. What is left unexplained is the deviance,

.. math:: D = 2 \sum_i c_i \bigl( y_i \log \frac{y_i}{\mu_i} - y_i + \mu_i \bigr). \tag{3}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import xlogy

from epee.arrays import like, namespace
from epee.engines.choice import engine_for
from epee.errors import DataError, SearchWarning, WrongUse
from epee.estimator.base import Regressor, refuse_large, say
from epee.estimator.keep import Keep
from epee.estimator.rows import FromRows
from epee.moments.moments import Moments, brought_here
from epee.moments.passes import Summation
from epee.optimize.linear_risk import operand
from epee.predictors.regression.ols import normal_equations
from epee.predictors.regression.ridge import penalised
from epee.table.block import Block, Source, check_weights, refuse_bad_source
from epee.table.doors import is_stream
from epee.table.elsewhere import ElsewhereSource
from epee.table.sparse import is_sparse
from epee.typing import Matrix, Vector

SMALLEST = 1e-200  # rates below are taken as this: their rows weigh nothing
STEEPEST = 700.0  # logarithm of the largest rate that float64 holds


class PoissonRegressor(FromRows, Regressor):
    r"""Counts with :math:`E[y \mid x] = e^{x^\top w + b}`, by iterated least squares.

    Parameters
    ----------
    alpha : float >= 0, default=1.0
        Weight of the penalty in (1); 0 is maximum likelihood, large sends ``coef_`` to 0.
    fit_intercept : bool, default=True
        Whether b is free; it is not penalised.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        scikit-learn's names; both are the Newton steps (2) here.
    max_iter : int, default=100
        Steps at most; ten are usual.
    tol : float > 0, default=1e-4
        The last step is the one at which no component of the gradient of (1) exceeds this.
    warm_start : bool, default=False
        Begin where the last fit ended.
    verbose : int, default=0
        Accepted for scikit-learn's sake; progress is a matter of ``epee.options``.

    Attributes
    ----------
    coef_ : array (p,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_ : float
        Equation (3) on the training rows, of the fit and of the best constant rate.
    effective_dof_ : float
        Trace of the last step's smoother, intercept apart: p without a penalty.

    Notes
    -----
    One pass and :math:`O(p^3)` a step; streams and clusters are read once a step. Weights are counts. For a rate per unit of
    exposure, give ``y / exposure`` with ``sample_weight=exposure``.

    References
    ----------
    McCullagh and Nelder, *Generalized Linear Models*, 2nd ed., sections 2.5 and 6.2.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1, 2, 4, 8]
    >>> PoissonRegressor(alpha=0).fit(X, y).predict([[4.0]]).round(6)
    array([16.])
    """

    keeps = Keep(targets=True)
    _takes_sparse = True

    def __init__(
        self, *, alpha: float = 1.0, fit_intercept: bool = True, solver: str = "lbfgs", max_iter: int = 100, tol: float = 1e-4,
        warm_start: bool = False, verbose: int = 0,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _check(self) -> None:
        if not 0 <= self.alpha < np.inf:
            raise WrongUse(f"alpha is {self.alpha!r}; it must be a number of at least 0.")
        if self.solver not in ("lbfgs", "newton-cholesky"):
            raise WrongUse(f"solver is {self.solver!r}; it must be 'lbfgs' or 'newton-cholesky'.")
        if int(self.max_iter) != self.max_iter or self.max_iter < 1 or not self.tol > 0:
            raise WrongUse(
                f"max_iter is {self.max_iter!r} and tol {self.tol!r}; the first must be at least 1, the second above 0."
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p) and their counts ``y`` (n,), at least 0; weights are counts."""
        self._check()
        source = self.rows_in(X, y, sample_weight)
        refuse_large(None, source.n_columns)
        with source.held() as rows:
            counts = rows.narrow() if isinstance(rows, ElsewhereSource) else rows
            total: CountTotals = engine_for(counts).reduce(counts, CountTotals.of)
            if not np.isfinite(total.sum):
                refuse_bad_source(source)
            if not total.sum > 0:
                raise DataError(
                    f"the values of y sum to {total.sum:g}: at least one row of positive weight must count something."
                )
            if not is_stream(X):
                self._note_rows(X, y)  # a test on the same rows is refused
            self._descend(rows, total)
        return self

    def _start(self, p: int, mean: float) -> tuple[Vector, float]:
        if self.warm_start and hasattr(self, "coef_") and len(self.coef_) == p:
            return self.coef_, float(self.intercept_)
        return np.zeros(p), float(np.log(mean)) if self.fit_intercept else 0.0

    def _descend(self, source: Source, total: CountTotals) -> None:
        """Take the steps (2)."""
        n, (coef, intercept) = total.weight, self._start(source.n_columns, total.sum / total.weight)
        here = self._pass(source, coef, intercept, n)
        if not here.m.is_finite():
            refuse_bad_source(source)
        for step in range(1, int(self.max_iter) + 1):
            self.n_iter_ = step
            steepest, ahead = self._step(here, coef, intercept, n)
            share = 0.0 if steepest <= self.tol else 1.0
            while share > 0:
                there = (coef + share * (ahead[0] - coef), intercept + share * (ahead[1] - intercept))
                then = self._pass(source, *there, n)
                if then.value <= here.value + 1e-14 * abs(here.value):
                    break
                share = share / 2 if share > 1e-9 else 0.0
            if share == 0:  # the gradient is flat, or rounding hides the descent: the step itself still gains digits
                coef, intercept = ahead if steepest <= self.tol else (coef, intercept)
                break
            (coef, intercept), here = there, then
        else:
            say(f"PoissonRegressor did not converge in max_iter={self.max_iter} steps (the gradient is {steepest:.3g}): "
                "scale the columns, or raise max_iter or alpha.", SearchWarning)  # fmt: skip
        self._adopt(source, coef, intercept, n, total)

    def _adopt(self, source: Source, coef: Vector, intercept: float, n: float, total: CountTotals) -> None:
        self.coef_, self.intercept_ = coef, float(intercept) if self.fit_intercept else 0.0
        last = self._pass(source, coef, intercept, n)
        S = normal_equations(last.m, self.fit_intercept)[0]
        self.effective_dof_ = float(np.trace(penalised(S, self.alpha * n).solve(S)))
        self.deviance_ = 2 * (total.entropy - total.sum + last.loss)
        self.null_deviance_ = 2 * (total.entropy - xlogy(total.sum, total.sum / n))

    def _pass(self, source: Source, coef: Vector, intercept: float, n: float) -> WorkingSum:
        keep = Summation(np.append(source.origin, 0.0), "full", None, None, 1)
        found: WorkingSum = engine_for(source).reduce(source, Working(coef, float(intercept), keep), rows=keep.rows())
        found.m = brought_here(found.m)
        found.value = found.loss / n + 0.5 * self.alpha * float(coef @ coef)
        return found

    def _step(self, at: WorkingSum, coef: Vector, intercept: float, n: float) -> tuple[float, tuple[Vector, float]]:
        """Return the largest component of the gradient, and where the step leads."""
        S, C, _, mean, level = normal_equations(at.m, self.fit_intercept)
        rest = C[:, 0] - S @ coef - self.alpha * n * coef
        off = float(level[0] - mean @ coef - intercept) if self.fit_intercept else 0.0
        slope = np.append(rest + float(at.m.count) * off * mean, float(at.m.count) * off) / n
        new = coef + penalised(S, self.alpha * n).solve(rest[:, None])[:, 0]
        return float(np.abs(slope).max()), (new, float(level[0] - mean @ new) if self.fit_intercept else 0.0)

    def _predict(self, X: Matrix) -> Vector:
        return np.exp(np.asarray(X @ self.coef_) + self.intercept_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the deviance (3) that is explained: 1 is perfect, 0 a constant rate."""
        mu = self.predict(X)
        values = self._enter_target(y, len(mu))
        w = check_weights(sample_weight, len(mu))
        w = np.ones(len(mu)) if w is None else w
        mean = float(w @ values) / float(w.sum())

        def deviance(rates: Vector) -> float:
            return 2 * float(w @ (xlogy(values, values) - xlogy(values, rates) - values + rates))

        null = deviance(np.full(len(mu), mean))
        return 1 - deviance(mu) / null if null > 0 else float("nan")


@dataclass
class WorkingSum:
    """The moments of inputs and working response, and the sum of the losses of (1); ``value`` is (1) once all is added."""

    m: Moments
    loss: float
    value: float = np.inf

    def __add__(self, other: WorkingSum) -> WorkingSum:
        return WorkingSum(self.m + other.m, self.loss + other.loss)


@dataclass(frozen=True)
class Working:
    """Makes a block the sums of one step: equation (2)."""

    coef: Vector
    intercept: float
    keep: Summation

    anywhere = True

    def width(self) -> int:
        """Return how many numbers a row takes where all of a block is multiplied at once."""
        return self.keep.width() + 8

    def __call__(self, block: Block) -> WorkingSum:
        X = operand(block)
        xp, dtype = namespace(X), X.dtype
        eta = X @ like(self.coef, X, dtype) + self.intercept
        w = xp.ones_like(eta) if block.weight is None else like(block.weight, eta, dtype)
        y = xp.reshape(like(block.y, eta, dtype), (-1,))
        with np.errstate(over="ignore", invalid="ignore"):
            least = max(SMALLEST, float(xp.finfo(dtype).smallest_normal))
            mu = xp.clip(xp.exp(xp.clip(eta, None, STEEPEST)), least, None)
            loss = float(w @ xp.where(eta > STEEPEST, xp.full_like(eta, np.inf), mu - y * eta))
            rows = {"rows": X} if is_sparse(X) else {"X": X}
            m = self.keep(block.having(**rows, y=eta + (y - mu) / mu, weight=w * mu))
        return WorkingSum(m, loss if np.isfinite(loss) else np.inf)


@dataclass(frozen=True)
class CountTotals:
    """The weight of the rows, the sums of y and of y log y; a negative count is refused."""

    weight: float
    sum: float
    entropy: float

    @classmethod
    def of(cls, block: Block) -> CountTotals:
        """Return the totals of a block."""
        y = np.asarray(block.y, dtype=np.float64).reshape(-1)
        if (y < 0).any():
            row = int(np.argmax(y < 0))
            raise DataError(
                f"Some value(s) of y are out of the valid range of the loss 'HalfPoissonLoss': row {block.start + row} has {y[row]:g}, "
                "and a count cannot be negative."
            )
        w = np.ones(len(y)) if block.weight is None else block.weight
        return cls(float(w.sum()), float(w @ y), float(w @ xlogy(y, y)))

    def __add__(self, other: CountTotals) -> CountTotals:
        return CountTotals(self.weight + other.weight, self.sum + other.sum, self.entropy + other.entropy)
