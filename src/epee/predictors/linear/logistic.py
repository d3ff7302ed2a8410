r"""Logistic regression.

The log-odds of the classes are linear in :math:`x`. For two classes, and for :math:`K` with one score each (softmax),

.. math:: P(y = 1 \mid x) = \sigma(w^\top x + b), \qquad P(y = k \mid x) = \frac{e^{w_k^\top x + b_k}}{\sum_j
          e^{w_j^\top x + b_j}}. \tag{1}

The weights minimise the penalised cross-entropy

.. math:: C \sum_i \omega_i\, e(x_i, y_i) + \tfrac{1 - \rho}2 \|w\|_2^2 + \rho \|w\|_1, \tag{2}

with a free bias. At the minimum without penalty :math:`\sum_i (P_i - t_i)\, \tilde x_i = 0`, so the mean prediction is
the class frequency. When a plane separates the classes, the unpenalised minimum lies at infinity; that is detected and
said.

Leaving row :math:`i` out changes its score, to first order of Newton's method from the minimum of all rows, to

.. math:: s_i^{(-i)} = s_i + \frac{h_i\,(P_i - t_i)}{1 - h_i P_i(1 - P_i)}, \qquad h_i = \tilde x_i^\top H^{-1} \tilde
          x_i, \tag{3}

with :math:`H` the Hessian of (2) divided by :math:`C`. This is not exact: on 80 rows of 4 columns, 100 of 20 and 300 of 20
the left-out log loss came out too small by 1.5, 2.0 and 0.5 % of what leaving out adds to the training one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.arrays import at_home
from epee.engines.choice import engine_for
from epee.engines.deadline import check_time
from epee.engines.local import in_order, one_blas_thread
from epee.errors import DataError, DataWarning, WrongUse, of_shares
from epee.estimator.base import PosteriorMixin, say
from epee.estimator.callbacks import Callbacks
from epee.losses.entropy import CrossEntropy, sigmoid
from epee.optimize.first_order import gradient_descent
from epee.optimize.linear_descent import LARGEST_HESSIAN, Metric, Minimum, flat, minimise
from epee.optimize.linear_risk import LinearRisk, row_terms
from epee.optimize.linear_sparse import minimise_sparse
from epee.optimize.linear_stochastic import Stochastic, finish
from epee.predictors.linear.descent_base import LinearDescentClassifier, check_number, check_one_of, say_unfinished
from epee.predictors.linear.logistic_lead import Beginning, beginnings
from epee.predictors.linear.logistic_path import LogisticPath, follow_path
from epee.predictors.linear.logistic_side import minima
from epee.predictors.linear.logistic_stack import fit_stack
from epee.predictors.linear.wald import WaldTable, wald_table
from epee.settings import progress
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, refuse_bad_cells
from epee.table.doors import is_stream, passes_over
from epee.table.sparse import SparseSource, is_sparse
from epee.typing import Codes, Matrix, Tensor, Vector

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga", "newton", "gradient", "sgd")


class LogisticRegression(Callbacks, PosteriorMixin, LinearDescentClassifier):
    r"""Linear log-odds: minimise :math:`C \sum_i \omega_i e_i + \frac{1-\rho}2 \|w\|_2^2 + \rho \|w\|_1`, the bias
    free.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet", None}, default="deprecated"
        scikit-learn's older way of saying ``l1_ratio`` and ``C``; understood.
    C : float > 0, default=1
        The weight of the data; smaller shrinks the weights more, infinity is no penalty.
    l1_ratio : float in [0, 1], default=0
        The share :math:`\rho` of the L1 term; more of it gives more zeros.
    dual : bool, default=False
        Accepted for "liblinear"; the minimum is the same.
    tol : float, default=1e-4
        Stop when the largest slope of the mean loss is at most this; smaller is more exact. Small tables are brought
        much further, for nothing.
    fit_intercept : bool, default=True
        Whether there is a bias.
    intercept_scaling : float, default=1
        With "liblinear" only, whose bias is penalised by :math:`b^2 / (2 s^2)`: larger frees it.
    class_weight : dict, "balanced" or None
        Factors of the classes.
    random_state : int or None
        The seed of "sgd".
    solver : str, default="lbfgs"
        "lbfgs" (L-BFGS that starts from a tenth of the rows and their Hessian), "newton" or "newton-cholesky" (Hessians
        of all rows), "gradient" (gradient descent with ``step``), "sgd" (one row at a time). "newton-cg", "sag" and
        "saga" lead to the same minimum and take the road of "lbfgs", "liblinear" too with a penalised bias. With an L1
        term all take proximal Newton steps.
    max_iter : int, default=100
        Steps, passes for "sgd".
    verbose, n_jobs : accepted
        For scikit-learn's sake.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    step : {"line_search", "constant", "inverse"}, default="line_search"
        How "gradient" chooses the length of a step.
    eta : float > 0, default=1
        The first step of "gradient" and "sgd"; too long a constant one diverges, which is said, and the best iterate
        kept.

    Attributes
    ----------
    coef_, intercept_ : arrays (K, p) and (K,), one row with two classes
    n_iter_ : array (1,)
    n_passes_ : int
        How often the table was read whole, by a fit from files, SQL or Dask.
    trace_ : Trace
        Every iterate, value, largest slope and step.
    separated_ : bool
        Whether, without penalty, the classes were found to be separated by a plane.

    Notes
    -----
    Two to four passes over the rows, each a sum that any engine can do: arrays, files, SQL, Dask. Rows stay where they
    are.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 4.4.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> model = LogisticRegression().fit(X, [0, 0, 1, 0, 1, 1])
    >>> model.predict([[0.0], [5.0]])
    array([0, 1])
    """

    state_parts = ("_wald",)

    def __init__(
        self, penalty: Any = "deprecated", *, C: float = 1.0, l1_ratio: float | None = 0.0, dual: bool = False, tol: float = 1e-4,
        fit_intercept: bool = True, intercept_scaling: float = 1, class_weight: Any = None, random_state: Any = None,
        solver: str = "lbfgs", max_iter: int = 100, verbose: int = 0, warm_start: bool = False, n_jobs: Any = None,
        step: str = "line_search", eta: float = 1.0,
    ) -> None:  # fmt: skip
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.step = step
        self.eta = eta

    def _settle_types(self) -> None:
        """Give float32 rows float32 weights; "liblinear" keeps float64, as scikit-learn's does."""
        if self.solver != "liblinear":
            super()._settle_types()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows of ``X`` (n, p), a frame, a path or a Dask collection, and their labels ``y``; weights are counts."""
        self._check()
        self._say_ignored()
        before = passes_over(X)
        source = self._source(X, y, sample_weight)
        self._fit_from(Beginning(), source, X, y, sample_weight)
        if is_stream(X):
            self.n_passes_ = passes_over(source) - before
        return self

    def _fit_from(self, start: Beginning, source: Source, X: Any, y: Any, sample_weight: Any) -> None:
        """Learn from checked rows by a search that begins at ``start``; ``X``, ``y`` and the weights are what they were made of."""
        with source.held() as rows:
            risk = self._risk(rows)
            if self.warm_start and hasattr(self, "coef_") and self.coef_.shape == (risk.M, source.n_columns):
                start = Beginning(self._weights())
            told = self._told(X, y, sample_weight, max(int(self.max_iter), 1) + 1, f"{self.solver}-iter")
            with told as steps, progress("logistic regression", self.max_iter) as tick:
                if steps is not None:
                    steps.begin(self._as_learned(risk, np.zeros((risk.d, risk.M)) if start.W is None else start.W))

                def watch(W: Matrix) -> None:
                    tick()
                    if steps is not None:
                        steps.end(self._as_learned(risk, W))

                try:
                    found = self._minimise(risk, start, watch)
                except Exception:  # a bad cell shows in many ways: if there is one, it is named
                    if isinstance(source, ArraySource):
                        refuse_bad_cells(source.X, source.names)
                    raise
                if steps is not None:
                    if not steps.taken:
                        steps.end(self._as_learned(risk, found.W))
                    steps.close()
                self._keep(risk, replace(found, iterations=found.iterations + start.steps))

    @classmethod
    def fit_together(cls, models: Sequence[Self], rows: Sequence[tuple[Any, Any, Any]]) -> None:
        """Fit several, each on rows (X, y, weights or None) of its own: small tables side by side, larger ones from the minimum of one."""
        if not cls._plain(models, rows):
            for _ in in_order(lambda i: models[i].fit(*rows[i]), range(len(models))):
                check_time()
            return
        sources = cls._sources(models, rows)
        samples = [(X, at_home(source.group), source.weight) for (X, *_), source in zip(rows, sources, strict=True)]
        strengths = [
            1.0 / (float(model.C) * (len(X) if w is None else float(w.sum())))
            for model, (X, _, w) in zip(models, samples, strict=True)
        ]
        bias = bool(models[0].fit_intercept)
        found = minima(samples, strengths, bias)
        if found is not None:
            starts = [Beginning(*one) for one in found]
        elif isinstance(sources[0], ArraySource):
            starts = beginnings(samples, strengths, bias)
        else:  # a device reads many rows sooner than this machine leads
            starts = [Beginning()] * len(models)

        def fit(i: int) -> None:
            check_time()
            models[i]._fit_from(starts[i], sources[i], *rows[i])

        if found is not None:  # what is left of each is too little for threads
            with one_blas_thread():
                for i in range(len(models)):
                    fit(i)
            return
        for _ in in_order(fit, range(len(models))):
            pass

    @classmethod
    def _plain(cls, models: Sequence[Self], rows: Sequence[tuple[Any, Any, Any]]) -> bool:
        """Tell whether models and rows are of the kind whose minima are sought together."""
        first = models[0]
        return (
            all(isinstance(X, np.ndarray) and X.dtype == np.float64 and X.ndim == 2 for X, *_ in rows)
            and len({X.shape[1] for X, *_ in rows}) == 1
            and all(
                m.solver in ("lbfgs", "newton", "newton-cholesky") and m.class_weight is None and not m.warm_start
                and m.fit_intercept == first.fit_intercept and 0 < m._check()[0] < np.inf and not m._check()[1]
                for m in models
            )
        )  # fmt: skip

    @classmethod
    def _sources(cls, models: Sequence[Self], rows: Sequence[tuple[Any, Any, Any]]) -> list[Any]:
        """Return the checked rows of each: the same ones come with every value of a parameter, and are looked at once."""
        entered: dict[tuple[int, ...], tuple[Self, Any]] = {}
        for model, given in zip(models, rows, strict=True):
            model._say_ignored()
            known = entered.get(tuple(map(id, given)))
            if known is None:
                entered[tuple(map(id, given))] = model, model._source(*given)
            else:
                model._enter_like(known[0])
        return [entered[tuple(map(id, given))][1] for given in rows]

    @property
    def _looks_first(self) -> bool:
        return self.solver in ("sgd", "gradient") or bool(np.any(self.l1_ratio)) or self.penalty in ("l1", "elasticnet")

    def _check(self) -> tuple[float, float]:
        """Check the parameters; return C and the share of the L1 term."""
        check_one_of("solver", self.solver, SOLVERS)
        check_one_of("penalty", self.penalty, ("deprecated", "l1", "l2", "elasticnet", None))
        check_one_of("step", self.step, ("line_search", "constant", "inverse"))
        C = check_number("C", self.C, 0.0, strict=True)
        check_number("tol", self.tol, 0.0)
        check_number("max_iter", self.max_iter, 0)
        check_number("eta", self.eta, 0.0, strict=True)
        ratio = check_number("l1_ratio", 0.0 if self.l1_ratio is None else self.l1_ratio, 0.0, high=1.0)
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise WrongUse("l1_ratio must be specified when penalty is elasticnet.")
        if self.penalty is None:
            C = np.inf
        ratio = {"l1": 1.0, "l2": 0.0}.get(self.penalty, ratio)
        if np.inf == C and self.solver == "liblinear":
            raise WrongUse(
                "C=np.inf as well as penalty=None is not supported for the liblinear solver: it needs a penalty."
            )
        return C, ratio

    def _say_ignored(self) -> None:
        """Warn of parameters that another one leaves without effect."""
        ratio = self.l1_ratio or 0.0
        if self.penalty is None and self.C != 1.0:
            say("Setting penalty=None will ignore the C and l1_ratio parameters: leave them out.")
        elif self.penalty in ("l1", "l2") and ratio not in (0.0, {"l1": 1.0, "l2": 0.0}[self.penalty]):
            say(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={self.penalty}); Inconsistent values: "
                f"penalty={self.penalty} with l1_ratio={self.l1_ratio}.")  # fmt: skip

    def fit_stack(self, X: Matrix, y: Codes, weights: Matrix) -> tuple[Tensor, Matrix] | None:
        """Return coefficients (m, 2, p) and biases (m, 2) of fits with ``weights`` (m, n) of the rows; None where that is
        not offered: the hook of nested cross-validation.
        """
        C, ratio = self._check()
        if ratio or self.class_weight is not None or self.solver in ("liblinear", "sgd", "gradient") or y.max() != 1:
            return None
        W = fit_stack(X, y, weights, 1 / C, bool(self.fit_intercept))
        if W is None:
            return None
        half = (W if self.fit_intercept else np.column_stack([W, np.zeros(len(W))])) / 2
        both = np.stack([-half, half], axis=1)  # two scores whose difference is the log-odds
        return both[:, :, :-1], both[:, :, -1]

    def _risk(self, source: Source) -> LinearRisk:
        C, ratio = self._check()
        K = len(self.classes_)
        if self.solver == "liblinear" and K > 2:
            raise WrongUse(
                "The 'liblinear' solver does not support multiclass classification (n_classes >= 3): use 'lbfgs'."
            )
        factors, total = self._weigh_classes(source)
        strength = 1 / (C * total)
        p = source.n_columns
        penalised = np.ones(p + self.fit_intercept)
        if self.fit_intercept:
            penalised[p] = 1 / self.intercept_scaling if self.solver == "liblinear" else 0.0
        l2, l1 = (1 - ratio) * strength * penalised**2, ratio * strength * penalised
        return LinearRisk(source, CrossEntropy(), 1 if K == 2 else K, bool(self.fit_intercept), l2, l1, factors)

    def _minimise(self, risk: LinearRisk, start: Beginning, watch: Any) -> Minimum:
        if self.solver == "sgd":
            return self._stochastic(risk)
        if self.solver == "gradient":
            return self._gradient(risk, start.W)
        levels = start.W is None and risk.source.home != "device" and risk.source.in_order
        options: dict[str, Any] = {"tol": self.tol, "max_iter": int(self.max_iter), "levels": levels, "watch": watch}
        if risk.l1.any():
            return minimise_sparse(risk, start.W, **options)
        newton = self.solver in ("newton", "newton-cholesky")
        return minimise(risk, start.W, newton=newton, metric=start.metric, **options)

    def _gradient(self, risk: LinearRisk, start: Matrix | None) -> Minimum:
        if risk.l1.any():
            raise WrongUse("solver='gradient' needs a smooth penalty; with l1_ratio > 0 use 'lbfgs' or 'sgd'.")
        shape = (risk.M, risk.d)

        def matrix(x: np.ndarray) -> Matrix:
            return x.reshape(shape).T

        x0 = np.zeros(risk.unknowns) if start is None else flat(start)
        step = {"line_search": "armijo"}.get(self.step, self.step)
        walk = gradient_descent(
            lambda x: risk.at(matrix(x))[0], x0, lambda x: flat(risk.at(matrix(x))[1]), step=step, eta=self.eta, tol=self.tol,
            max_iter=max(1, int(self.max_iter)),
        )  # fmt: skip
        return Minimum(
            matrix(walk.x).copy(),
            walk.value,
            matrix(walk.gradient),
            walk.converged,
            walk.reason,
            walk.iterations,
            walk.trace,
        )

    def _stochastic(self, risk: LinearRisk) -> Minimum:
        X, codes, w = gather_rows(risk, as_they_are=True)
        rng = np.random.default_rng(seed_of(self.random_state))
        walk = Stochastic(
            np.zeros((risk.M, X.shape[1])), np.zeros(risk.M), CrossEntropy(), float(risk.l2[0]), float(risk.l1[0]), risk.bias,
            "optimal" if risk.l2.any() or risk.l1.any() else "power", self.eta, average=risk.M == 1,
        )  # fmt: skip
        mean = 1.0 if w is None else w.mean()
        trace, stopped = walk.run(
            X, codes, None if w is None else w / mean, passes=max(1, int(self.max_iter)), tol=self.tol, rng=rng
        )
        return finish(walk, trace, stopped, risk, int(self.max_iter))

    def _settled(self, risk: LinearRisk, W: Matrix) -> Matrix:
        """Return the weights to keep: a change common to all classes changes nothing, and the smallest are kept."""
        if risk.M > 1 and not risk.l1.any():
            return W - W.mean(axis=1, keepdims=True)
        if risk.M > 1 and risk.bias:
            W = W.copy()
            W[-1] -= W[-1].mean()
        return W

    def _as_learned(self, risk: LinearRisk, W: Matrix) -> dict[str, Any]:
        """Return the attributes of a model with these weights."""
        W = self._settled(risk, W)
        p = self.n_features_in_
        b = W[p].copy() if self.fit_intercept else np.zeros(W.shape[1])
        return {"coef_": np.ascontiguousarray(W[:p].T), "intercept_": b}

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set the callbacks of the next fits, which are told of every step of ``solver="lbfgs"``; none takes them away."""
        if callbacks and self.solver != "lbfgs":
            warnings.warn(
                f"Callbacks are only supported in LogisticRegression for solver='lbfgs': with solver={self.solver!r} they are told of "
                "the beginning and the end alone.",
                DataWarning,
                stacklevel=2,
            )
        return super().set_callbacks(*callbacks)

    def _keep(self, risk: LinearRisk, found: Minimum) -> None:
        W = self._settled(risk, found.W)
        self._set_weights(W)
        self.n_iter_ = np.array([found.iterations], dtype=np.int32)
        self.trace_, self.reason_, self.separated_ = found.trace, found.reason, False
        if not found.converged and not found.reason.startswith("diverged"):
            say_unfinished(self, found.reason)
        if not risk.l2.any() and not risk.l1.any():
            self._look_for_separation(risk, found)
        self._wald = (
            wald_table(risk, W, self)
            if not risk.l2.any() and not risk.l1.any() and risk.unknowns <= LARGEST_HESSIAN
            else None
        )

    def _look_for_separation(self, risk: LinearRisk, found: Minimum) -> None:
        """Say so when a plane separates the classes: then the weights have no finite minimum."""
        engine = engine_for(risk.source)
        least, _ = engine.reduce(risk.source, Margins(found.W, risk.bias), merge=_extremes)
        if least > 0:
            what = "a plane separates the classes"
        else:
            if risk.unknowns > LARGEST_HESSIAN:
                return
            metric = (
                found.metric if found.metric is not None and found.metric.factor is not None else Metric(risk, found.W)
            )
            d = -metric.solve(flat(found.gradient)).reshape(risk.M, risk.d).T
            low, high = engine.reduce(risk.source, Margins(d, risk.bias), merge=_extremes)
            if not (high > 0.1 and low >= -0.01 * high):  # Newton's steps are long although the slopes are small
                return
            what = "a plane separates the classes, but for rows that lie on it"
        self.separated_ = True
        say(f"{what}: without a penalty the weights grow for ever, and these are only where the search stopped. Give a finite C.",
            DataWarning)  # fmt: skip

    def path(self, X: Any, y: Any, Cs: Any = 50, sample_weight: Any = None) -> LogisticPath:
        """Fit a whole path of penalties on the same rows.

        Parameters
        ----------
        X, y, sample_weight : the rows
        Cs : int or array, default=50
            The values of C, or how many of them between 1e-4 and 1e4.

        Returns
        -------
        LogisticPath
            ``.Cs .coef (m, K, p) .intercept (m, K) .models()``
        """
        self._check()
        source = self._source(X, y, sample_weight)
        grid = np.logspace(-4, 4, int(Cs)) if np.ndim(Cs) == 0 else np.asarray(Cs, dtype=float)
        if grid.ndim != 1 or not len(grid) or not (grid > 0).all():
            raise WrongUse("Cs must be a number of values or positive values of C.")
        return follow_path(self, self._risk(source), grid)

    def summary(self, level: float = 0.95) -> WaldTable:
        """Return coefficients with standard errors, z, p-values and intervals, deviance and AIC; only without penalty.

        With K classes the weights are differences to those of the first class.
        """
        check_is_fitted(self)
        if self._wald is None:
            raise WrongUse(
                "summary() needs a fit without penalty: C=np.inf. Penalised weights are biased, and have no such errors."
            )
        n, k = self._wald.n, len(self._wald.coef)
        if n <= k:
            raise DataError(
                f"the fit had {n:g} rows for {k} parameters: it has no standard errors.{of_shares(float(n))}"
            )
        return self._wald.at(level)

    def loo_scores(self, X: Any, y: Any, sample_weight: Any = None) -> Tensor:
        """Return the score (n,) or (n, K) of each row by the fit without it, after one step of Newton's method,
        equation (3).

        The model must have been fitted on these rows, without an L1 term. A row of weight w is w rows: one of them is
        left out, or all of a row that is less than one.
        """
        check_is_fitted(self)
        return self._one_step(self._source(X, y, sample_weight, reset=False))

    left_out_by = "one Newton step a row"

    def left_out(self, X: Matrix, y: Codes, w: Vector | None = None) -> Matrix | None:
        """Return the scores (n, K) of each row by the fit without it: what :func:`epee.risk.loo` asks for."""
        if self._risk(ArraySource(X, None, w, None, y)).l1.any():  # one step needs a smooth penalty
            return None
        S = self._one_step(ArraySource(X, None, w, None, y))
        return np.column_stack([np.zeros_like(S), S]) if S.ndim == 1 else S

    def _one_step(self, source: Source) -> Tensor:
        risk = self._risk(source)
        if risk.l1.any():
            raise WrongUse("the one-step leave-one-out needs a smooth penalty: l1_ratio must be 0.")
        W = self._weights()
        metric = Metric(risk, W)
        total = self._weigh_classes(source)[1]
        rows, codes, w = gather_rows(risk, weighted=False)
        A = np.hstack([rows, np.ones((len(rows), 1))]) if risk.bias else rows  # (n, d)
        factor = 1.0 if risk.class_weight is None else risk.class_weight[codes]
        factor = factor if w is None else factor * np.minimum(w, 1.0)  # one copy, or a row that is less than one
        if risk.M == 1:
            s = A @ W[:, 0]
            _, slope, bend = row_terms(risk.loss, s, codes, True)
            assert bend is not None
            h = factor * np.einsum("ij,ij->i", A, metric.solve_columns(A.T).T) / total
            return s + h * slope / (1 - h * bend)
        S, K, d = A @ W, risk.M, risk.d
        _, slope, P = row_terms(risk.loss, S, codes, True)
        assert P is not None
        inverse = metric.solve_columns(np.eye(K * d)).reshape(K, d, K, d)
        B = np.empty((len(A), K, K))  # x' H^-1 x, one block for each pair of classes
        for k in range(K):
            for j in range(K):
                B[:, k, j] = np.einsum("ij,ij->i", A @ inverse[k, :, j], A) / total
        B *= np.reshape(factor, (-1, 1, 1))
        bends = P[:, :, None] * (np.eye(K) - P[:, None, :])
        return S + np.linalg.solve(np.eye(K) - B @ bends, B @ slope[:, :, None])[:, :, 0]

    def loo_proba(self, X: Any, y: Any, sample_weight: Any = None) -> Matrix:
        """Return the class probabilities (n, K) of each row by the fit without it, after one Newton step."""
        S = self.loo_scores(X, y, sample_weight)
        if S.ndim == 1:
            return np.column_stack([sigmoid(-S), sigmoid(S)])
        P = np.exp(S - S.max(axis=1, keepdims=True))
        return P / P.sum(axis=1, keepdims=True)


class Margins:
    """The least and the greatest margin of a block's rows under weights (d, M); picklable, for any engine."""

    def __init__(self, W: Matrix, bias: bool) -> None:
        self.W, self.bias = W, bias

    def __call__(self, block: Block) -> tuple[float, float]:
        codes = np.asarray(block.group if block.group is not None else block.y)
        p = block.rows.shape[1]
        S = np.asarray(block.rows @ self.W[:p]) + (self.W[p] if self.bias else 0.0)  # (n, M)
        if block.weight is not None:
            S, codes = S[block.weight > 0], codes[block.weight > 0]
        if not len(S):
            return np.inf, -np.inf
        if S.shape[1] == 1:
            margins = np.where(codes > 0, S[:, 0], -S[:, 0])
        else:
            rows = np.arange(len(S))
            own = S[rows, codes]
            S[rows, codes] = -np.inf
            margins = own - S.max(axis=1)
        return float(margins.min()), float(margins.max())


def _extremes(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return min(a[0], b[0]), max(a[1], b[1])


def gather_rows(risk: LinearRisk, weighted: bool = True, as_they_are: bool = False) -> tuple[Any, Codes, Vector | None]:
    """Return all rows of a risk at once with their codes, and weights that hold the class factors; sparse ones if ``as_they_are``."""
    in_memory = isinstance(risk.source, ArraySource | SparseSource)
    blocks = list(risk.source.blocks(risk.source.n_rows if in_memory else None))  # an array is one block, not copied
    X: Any
    if as_they_are and all(is_sparse(b.rows) for b in blocks):
        from scipy.sparse import vstack

        X = blocks[0].rows if len(blocks) == 1 else vstack([b.rows for b in blocks], format="csr")
    elif len(blocks) == 1:
        X = np.asarray(blocks[0].X, np.float64)
    else:
        X = np.concatenate([np.asarray(b.X, dtype=np.float64) for b in blocks])
    codes = np.concatenate([np.asarray(b.group if b.group is not None else b.y) for b in blocks])
    w = None if blocks[0].weight is None else np.concatenate([b.weight for b in blocks if b.weight is not None])
    if weighted and risk.class_weight is not None:
        w = np.asarray(risk.class_weight[codes] * (1.0 if w is None else w))
    return X, codes, w


def seed_of(random_state: Any) -> Any:
    """Return what NumPy's generator takes for what scikit-learn calls a random state."""
    return random_state.randint(2**31) if isinstance(random_state, np.random.RandomState) else random_state
