r"""Linear classifiers by their loss and their penalty.

.. math:: \min_{W, b} \; \frac1{\sum_i \omega_i} \sum_i \omega_i\, e\bigl(W^\top x_i + b, y_i\bigr) + \alpha\,
          \Omega(W), \qquad
          \Omega = \tfrac12 \|W\|_2^2 \text{ or } \|W\|_1, \tag{1}

with any loss of :mod:`epee.losses` that is a function of scores and a free bias. With two classes there is one score,
with :math:`K` one a class, and the hinge and the perceptron criterion either add all wrong classes (the course's form)
or take the worst one (Crammer and Singer's).

Each combination goes to the solver that fits it: quasi-Newton steps for smooth losses with L2, proximal Newton steps
with L1, an interior-point method for the two-class hinge with L2, and for the other sharp losses, and sparse rows of thousands of columns,
the same on a loss whose corners are rounded less and less (down to a width of 0.001, which is the price in the value). The perceptron
criterion with a penalty has its minimum at 0: it is run as the stochastic rule it was made for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from epee.errors import DataError, SearchWarning, WrongUse
from epee.estimator.base import encode_labels, say, softmax
from epee.losses.margins import HingeLoss, MarginLoss, PerceptronLoss, SquaredHinge
from epee.losses.names import resolve_margin
from epee.losses.smoothing import Smoothed, SoftHinge
from epee.optimize.interior import hinge_interior
from epee.optimize.linear_descent import Minimum, minimise
from epee.optimize.linear_risk import LinearRisk
from epee.optimize.linear_sparse import minimise_sparse
from epee.optimize.linear_stochastic import Stochastic, finish
from epee.predictors.linear.descent_base import (
    LinearDescentClassifier,
    check_number,
    check_one_of,
    class_factors,
    say_unfinished,
)
from epee.predictors.linear.logistic import gather_rows, seed_of
from epee.settings import progress
from epee.solve.sparse_rows import is_large_and_sparse
from epee.table.block import Source, check_weights
from epee.typing import Matrix

WIDTHS = (1.0, 0.1, 0.01, 0.001)  # corners rounded less and less
SOFT = 0.3  # width of the soft hinge that starts the interior method


def _gives_probabilities(self: Any) -> bool:
    return bool(self.loss == "log")


class LinearClassifier(LinearDescentClassifier):
    r"""A linear classifier: mean loss :math:`+ \frac\alpha2 \|W\|^2`, or :math:`+ \alpha \|W\|_1`, the bias free.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "log", "squared", "perceptron"} or MarginLoss, default="hinge"
        What an error costs; "hinge" is the linear support vector machine, "log" logistic regression, "squared" squares
        to -1 and +1.
    penalty : {"l2", "l1", None}, default="l2"
        What large weights cost; L1 gives exact zeros.
    alpha : float >= 0, default=1e-4
        The weight of the penalty; larger shrinks the weights more. scikit-learn's ``C`` is :math:`1 / (\alpha n)`.
    form : {"sum", "max"}, default=None
        With K classes, whether hinges and the perceptron criterion add all wrong classes or take the worst; None is
        "sum" for hinges, "max" for the perceptron.
    solver : {"auto", "sgd"}, default="auto"
        "auto" finds the minimum of (1) by the solver that fits; "sgd" descends one row at a time, as ``partial_fit``
        does.
    fit_intercept : bool, default=True
        Whether there is a bias.
    tol : float, default=1e-4
        Stop when the largest slope is at most this (for the hinge, the duality gap relative to the risk; for "sgd", the
        gain of a pass).
    max_iter : int, default=100
        Steps, or passes of "sgd".
    class_weight : dict, "balanced" or None
        Factors of the classes.
    schedule : {"optimal", "constant", "inverse", "power"}, default="optimal"
        Steps of "sgd"; "optimal" is :math:`1 / (\alpha (t_0 + t))`.
    eta0 : float > 0, default=1
        The first step of the other schedules.
    average : bool, default=False
        Return averaged iterates of "sgd", with two classes.
    shuffle : bool, default=True
        Take the rows of a pass of "sgd" in random order.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    random_state : int or None
        The seed of "sgd".

    Attributes
    ----------
    coef_, intercept_ : arrays (K, p) and (K,), one row with two classes
    n_iter_ : int
    trace_ : Trace
    risk_ : float
        The value of (1) at the end.

    Notes
    -----
    Two to five passes for smooth losses, a dozen weighted Gram matrices for the hinge. The two-class hinge with L2 is
    solved by a primal-dual interior-point method in place of the dual coordinate descent of liblinear
    (``sklearn.svm.LinearSVC``): coordinate descent needs the bias inside the penalty, as a free one ties all dual
    variables together by :math:`\sum_i t_i a_i = 0`, and it slows down as :math:`\alpha` gets small, where a dozen
    interior steps, each one weighted Gram matrix, reach the minimum of (1) whatever :math:`\alpha` is.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, chapters 4 and 12.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0], [3.0, 4.0]]
    >>> LinearClassifier("hinge").fit(X, list("aaabbb")).predict([[1.0, 1.0], [3.0, 2.5]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self, loss: str | MarginLoss = "hinge", penalty: str | None = "l2", alpha: float = 1e-4, *, form: str | None = None,
        solver: str = "auto", fit_intercept: bool = True, tol: float = 1e-4, max_iter: int = 100, class_weight: Any = None,
        schedule: str = "optimal", eta0: float = 1.0, average: bool = False, shuffle: bool = True, warm_start: bool = False,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.form = form
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.schedule = schedule
        self.eta0 = eta0
        self.average = average
        self.shuffle = shuffle
        self.warm_start = warm_start
        self.random_state = random_state

    def _check(self) -> MarginLoss:
        check_one_of("penalty", self.penalty, ("l2", "l1", None))
        check_one_of("solver", self.solver, ("auto", "sgd"))
        check_one_of("form", self.form, (None, "sum", "max"))
        check_one_of("schedule", self.schedule, ("optimal", "constant", "inverse", "power"))
        check_number("alpha", self.alpha, 0.0)
        check_number("tol", self.tol, 0.0)
        check_number("max_iter", self.max_iter, 1)
        check_number("eta0", self.eta0, 0.0, strict=True)
        return resolve_margin(self.loss, self.form)

    def _risk(self, source: Source, loss: MarginLoss) -> LinearRisk:
        K = len(self.classes_)
        factors, _ = self._weigh_classes(source)
        penalised = np.ones(source.n_columns + self.fit_intercept)
        if self.fit_intercept:
            penalised[-1] = 0.0
        zero = np.zeros_like(penalised)
        l2 = self.alpha * penalised if self.penalty == "l2" else zero
        l1 = self.alpha * penalised if self.penalty == "l1" else zero
        return LinearRisk(source, loss, 1 if K == 2 else K, bool(self.fit_intercept), l2, l1, factors)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p) and their labels ``y``; weights are counts."""
        loss = self._check()
        source = self._source(X, y, sample_weight)
        start = None
        with source.held() as rows, progress(f"linear classifier, {loss.name}", self.max_iter) as tick:
            risk = self._risk(rows, loss)
            if self.warm_start and hasattr(self, "coef_") and self.coef_.shape == (risk.M, source.n_columns):
                start = self._weights()
            found = self._stochastic(risk, start) if self._by_rows(loss) else self._minimise(risk, start, tick)
        self._set_weights(found.W)
        self.n_iter_, self.trace_, self.reason_, self.risk_ = found.iterations, found.trace, found.reason, found.value
        self.__dict__.pop("_walk", None)
        if not found.converged:
            say_unfinished(self, found.reason)
        return self

    def _by_rows(self, loss: MarginLoss) -> bool:
        return self.solver == "sgd" or isinstance(loss, PerceptronLoss)

    def _minimise(self, risk: LinearRisk, start: Matrix | None, tick: Any) -> Minimum:
        levels = start is None and risk.source.in_order
        solve = minimise_sparse if risk.l1.any() else minimise
        if risk.M > 1 and isinstance(risk.loss, SquaredHinge) and risk.loss.form == "max":
            raise WrongUse(
                "the squared hinge of the worst class has corners, and no solver here; use form='sum', loss='hinge' or solver='sgd'."
            )
        if not isinstance(risk.loss, HingeLoss):
            return solve(risk, start, tol=self.tol, max_iter=self.max_iter, levels=levels, watch=lambda _: tick())
        if risk.M == 1 and not risk.l1.any() and not is_large_and_sparse(risk.source):
            return self._hinge(risk, start, tick)
        found: Minimum | None = None
        steps = 0
        for width in WIDTHS:
            smooth = replace(risk, loss=Smoothed(sharp=risk.loss, width=width))
            found = solve(
                smooth,
                start,
                tol=max(self.tol, 1e-9),
                max_iter=10 * self.max_iter,
                levels=levels and start is None,
                watch=lambda _: tick(),
            )
            start, steps = found.W, steps + found.iterations
        assert found is not None
        return replace(found, value=risk.at(found.W)[0], iterations=steps)

    def _hinge(self, risk: LinearRisk, start: Matrix | None, tick: Any) -> Minimum:
        """Solve the two-class hinge exactly; without a penalty a tiny one keeps the weights finite."""
        alpha = max(self.alpha if self.penalty == "l2" else 0.0, 1e-9)
        l2 = np.full(risk.d, alpha)
        if risk.bias:
            l2[-1] = 0.0
        soft = SoftHinge(width=SOFT)
        first = minimise(replace(risk, loss=soft, l2=l2), start, tol=min(1e-5, 0.1 * alpha**0.5), max_iter=100)
        X, codes, w = gather_rows(risk)
        t = np.where(codes > 0, 1.0, -1.0)
        u = np.full(len(X), 1.0) if w is None else w
        u = u / (alpha * u.sum())
        if (u == 0).any():
            X, t, u, codes = X[u > 0], t[u > 0], u[u > 0], codes[u > 0]
        s = X @ first.W[: X.shape[1], 0] + (first.W[-1, 0] if risk.bias else 0.0)
        dual = u * np.abs(soft.gradient(s, codes))
        found = hinge_interior(
            X, t, u, risk.bias, first.W, dual, SOFT, tol=self.tol, max_iter=self.max_iter, watch=tick
        )
        return replace(found, value=found.value * alpha, iterations=found.iterations + first.iterations)

    def _make_walk(self, risk: LinearRisk, start: Matrix | None) -> Stochastic:
        W, b = np.zeros((risk.M, risk.source.n_columns)), np.zeros(risk.M)
        if start is not None:
            W[:], b[:] = start[: W.shape[1]].T, start[-1] if risk.bias else 0.0
        schedule = "constant" if isinstance(risk.loss, PerceptronLoss) and self.schedule == "optimal" else self.schedule
        l2, l1 = float(risk.l2[0]), float(risk.l1[0])
        return Stochastic(W, b, risk.loss, l2, l1, risk.bias, schedule, self.eta0, average=self.average)

    def _stochastic(self, risk: LinearRisk, start: Matrix | None) -> Minimum:
        X, codes, w = gather_rows(risk, as_they_are=True)
        walk = self._make_walk(risk, start)
        w = None if w is None else w / w.mean()
        rng = np.random.default_rng(seed_of(self.random_state))
        trace, stopped = walk.run(X, codes, w, passes=self.max_iter, tol=self.tol, shuffle=self.shuffle, rng=rng)
        return finish(walk, trace, stopped, risk, self.max_iter)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Do one stochastic pass over more rows; ``classes`` names all labels at the first call."""
        loss = self._check()
        if not hasattr(self, "_walk"):
            X = self._enter(X, reset=True)
            known = encode_labels(y, X.shape[0])[0] if classes is None else np.unique(np.asarray(classes))
            self.classes_ = known
            self._check_classes(known, None)
            M = 1 if len(known) == 2 else len(known)
            alpha, p = float(self.alpha), X.shape[1]
            l2, l1 = (alpha if self.penalty == "l2" else 0.0), (alpha if self.penalty == "l1" else 0.0)
            schedule = "constant" if isinstance(loss, PerceptronLoss) and self.schedule == "optimal" else self.schedule
            self._walk = Stochastic(
                np.zeros((M, p)),
                np.zeros(M),
                loss,
                l2,
                l1,
                bool(self.fit_intercept),
                schedule,
                self.eta0,
                average=self.average,
            )
            self._rng = np.random.default_rng(seed_of(self.random_state))
        else:
            X = self._enter(X, reset=False)
        codes, w = self._known(y, X.shape[0]), check_weights(sample_weight, X.shape[0])
        if self.class_weight is not None:
            if isinstance(self.class_weight, str):
                raise DataError(
                    "class_weight 'balanced' is not supported for partial_fit: the totals are not known yet; give a dictionary."
                )
            factors = class_factors(self.class_weight, self.classes_, np.ones(len(self.classes_)))
            w = factors[codes] * (1.0 if w is None else w) if factors is not None else w
        self.trace_, _ = self._walk.run(X, codes, w, passes=1, tol=None, shuffle=self.shuffle, rng=self._rng)
        W = self._walk.weights()
        if not np.isfinite(W).all():
            say("the steps are too long and the weights have diverged; lower eta0 and begin again.", SearchWarning)
        self._set_weights(W)
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        return self

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class (n, K); with the log loss only."""
        check_is_fitted(self)
        return softmax(self._score(self._leave(X)))

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> Matrix:
        """Return the logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
