r"""The perceptron.

With two classes, :math:`t = \pm 1`, a row that is not on its side, :math:`t_n w^\top \tilde x_n \le 0`, moves the plane
towards itself,

.. math:: w \leftarrow w + \eta\, t_n \tilde x_n, \tag{1}

which raises :math:`t_n w^\top \tilde x_n` by :math:`\eta \|\tilde x_n\|^2`. (The test is :math:`\le`: a strict one
would never leave :math:`w = 0`.) With :math:`K` classes the winner :math:`j \ne t_n` is pushed back and the true class
forward, :math:`w_j \leftarrow w_j - \eta \tilde x_n`, :math:`w_{t_n} \leftarrow w_{t_n} + \eta \tilde x_n`: the sum of
the weights never changes. Rows are taken one by one (stochastic), or all errors at once (batch): (1) is then a gradient
step on the criterion :math:`\sum_{n \in M} -t_n w^\top \tilde x_n`.

If some unit vector separates the rows with margin :math:`\gamma` and :math:`R = \max \|\tilde x_n\|`, the stochastic
rule makes at most :math:`(R/\gamma)^2` corrections (Novikoff), :math:`2 (R/\gamma)^2` with :math:`K` classes. If none
does it never ends; the pocket keeps the weights with the fewest errors seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from epee.engines.local import free_threads, in_order, one_blas_thread
from epee.errors import SearchWarning, WrongUse
from epee.estimator.base import say
from epee.estimator.kinds import all_here
from epee.losses.margins import PerceptronLoss
from epee.moments.sparse import rows_times
from epee.optimize.linear_risk import LinearRisk
from epee.optimize.linear_stochastic import Stochastic, shuffled
from epee.predictors.linear.descent_base import LinearDescentClassifier, check_number, check_one_of
from epee.predictors.linear.logistic import gather_rows, seed_of
from epee.settings import progress
from epee.table.sparse import is_sparse
from epee.typing import Codes, Matrix, Vector

WORTH_A_THREAD = 200_000  # cells: looking at them takes longer than handing them to a thread


class PerceptronTrace:
    """What each pass of a perceptron left: errors, criterion and step; entry 0 is the start."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, float, float]] = []

    def add(self, errors: float, criterion: float, step: float) -> None:
        """Append a pass."""
        self._rows.append((errors, criterion, step))

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def errors(self) -> Vector:
        """The weight of the rows that are wrong, or on the frontier, after each pass."""
        return np.array([row[0] for row in self._rows])

    @property
    def criterion(self) -> Vector:
        """The perceptron criterion, summed over the rows, after each pass."""
        return np.array([row[1] for row in self._rows])

    @property
    def step(self) -> Vector:
        """The step of each pass."""
        return np.array([row[2] for row in self._rows])


class Perceptron(LinearDescentClassifier):
    r"""The perceptron rule: a row that is not on its side moves the plane,
    :math:`w \leftarrow w + \eta\, t_n \tilde x_n`.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet", None}, default=None
        Shrink the weights at each step of the stochastic mode.
    alpha : float, default=1e-4
        The weight of the penalty.
    l1_ratio : float in [0, 1], default=0.15
        The share of L1 in "elasticnet".
    fit_intercept : bool, default=True
        Whether there is a bias.
    max_iter : int, default=1000
        Passes before giving up.
    tol : float or None, default=1e-3
        Give up when the mean criterion of a pass has not gained this for ``n_iter_no_change`` passes; None goes on to
        ``max_iter``. Either way it stops when no row is wrong.
    shuffle : bool, default=True
        Take the rows of a pass in random order.
    verbose, n_jobs : accepted
        For scikit-learn's sake.
    eta0 : float > 0, default=1
        The step; from weights 0 and without penalty it scales the weights and changes no decision.
    random_state : int or None, default=0
        The seed of the order.
    early_stopping : bool, default=False
        Set rows aside, and stop when their errors do not fall any more.
    validation_fraction : float, default=0.1
        The share of rows set aside.
    n_iter_no_change : int, default=5
        Passes without gain before giving up.
    class_weight : dict, "balanced" or None
        Factors of the classes.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    mode : {"stochastic", "batch"}, default="stochastic"
        Correct row by row, or once a pass by the sum of all errors.
    schedule : {"constant", "inverse"}, default="constant"
        A step of ``eta0``, or ``eta0 / k`` in pass k.

    Attributes
    ----------
    coef_, intercept_ : arrays (K, p) and (K,), one row with two classes
        The last weights when they make no error, else the pocket's.
    trace_ : PerceptronTrace
        Errors, criterion and step of each pass.
    separated_ : bool
        Whether a pass ended without errors.
    errors_ : float
        The weight of the rows that ``coef_`` puts on the wrong side or on the frontier.
    margin_bound_ : float
        :math:`(R/\gamma)^2` for the plane found, a bound on the corrections; infinite when the rows were not separated.
    n_iter_ : int
        Passes made.
    t_ : int
        Rows looked at.

    Notes
    -----
    :math:`O(nKp)` a pass, in memory.

    References
    ----------
    Novikoff, "On convergence proofs on perceptrons", 1962; Gallant, "Perceptron-based learning algorithms", 1990 (the
    pocket).

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0], [3.0, 4.0]]
    >>> model = Perceptron().fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.separated_, model.predict([[1.0, 1.0], [4.0, 4.0]])
    (True, array([0, 1]))
    """

    def __init__(
        self, *, penalty: str | None = None, alpha: float = 1e-4, l1_ratio: float = 0.15, fit_intercept: bool = True,
        max_iter: int = 1000, tol: float | None = 1e-3, shuffle: bool = True, verbose: int = 0, eta0: float = 1.0,
        n_jobs: Any = None, random_state: Any = 0, early_stopping: bool = False, validation_fraction: float = 0.1,
        n_iter_no_change: int = 5, class_weight: Any = None, warm_start: bool = False, mode: str = "stochastic",
        schedule: str = "constant",
    ) -> None:  # fmt: skip
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.mode = mode
        self.schedule = schedule

    def _check(self) -> tuple[float, float]:
        """Check the parameters; return the weights of the L2 and the L1 penalty."""
        check_one_of("penalty", self.penalty, ("l2", "l1", "elasticnet", None))
        check_one_of("mode", self.mode, ("stochastic", "batch"))
        check_one_of("schedule", self.schedule, ("constant", "inverse"))
        check_number("eta0", self.eta0, 0.0, strict=True)
        check_number("alpha", self.alpha, 0.0)
        check_number("max_iter", self.max_iter, 1)
        check_number("l1_ratio", self.l1_ratio, 0.0, high=1.0)
        check_number("n_iter_no_change", self.n_iter_no_change, 1)
        if self.tol is not None:
            check_number("tol", self.tol, -np.inf)
        if self.early_stopping and not 0 < self.validation_fraction < 1:
            raise WrongUse(f"validation_fraction is {self.validation_fraction}; it must lie between 0 and 1.")
        share = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio}.get(self.penalty or "", 0.0)
        alpha = 0.0 if self.penalty is None else self.alpha
        return alpha * (1 - share), alpha * share

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, coef_init: Any = None, intercept_init: Any = None
    ) -> Self:
        """Learn from the rows of ``X`` (n, p) and their labels ``y``; a weight multiplies the corrections of its row.

        ``coef_init`` (K, p) and ``intercept_init`` (K,) are weights to begin with, one row of them with two classes.
        """
        self._check()
        X, y, sample_weight = all_here(self, X, y, sample_weight)
        source = self._source(X, y, sample_weight)
        factors, _ = self._weigh_classes(source)
        M = 1 if len(self.classes_) == 2 else len(self.classes_)
        none = np.zeros(source.n_columns + self.fit_intercept)
        rows, codes, w = gather_rows(
            LinearRisk(source, PerceptronLoss(), M, bool(self.fit_intercept), none, none, factors), as_they_are=True
        )
        rng = np.random.default_rng(seed_of(self.random_state))
        start = None
        if self.warm_start and hasattr(self, "coef_") and self.coef_.shape == (M, rows.shape[1]):
            start = self._weights()
        if coef_init is not None or intercept_init is not None:
            start = self._given_start(coef_init, intercept_init, M, rows.shape[1])
        self._descend(
            rows,
            codes.astype(np.int64),
            np.ones(rows.shape[0]) if w is None else w,
            M,
            start,
            rng,
            int(self.max_iter),
            self.tol,
        )
        if not self.separated_:
            kept = f"the pocket weights, with {self.errors_:g} errors, are kept"
            say(f"no plane that separates the rows was found in {self.n_iter_} passes: {kept}.", SearchWarning)
        return self

    def _given_start(self, coef: Any, intercept: Any, M: int, p: int) -> Matrix:
        """Return the weights (p + 1, M) that the caller begins with; what is not given is 0."""
        W = np.zeros((M, p)) if coef is None else np.array(coef, dtype=np.float64, ndmin=2)
        b = np.zeros(M) if intercept is None else np.array(intercept, dtype=np.float64, ndmin=1)
        if W.shape != (M, p) or b.shape != (M,):
            raise WrongUse(
                f"coef_init and intercept_init have shapes {W.shape} and {b.shape}; these classes and columns need {(M, p)} and {(M,)}."
            )
        return np.vstack([W.T, b]) if self.fit_intercept else W.T

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Do one pass over more rows; ``classes`` names all labels at the first call."""
        self._check()
        first = not hasattr(self, "coef_")
        X = self._enter(X, reset=first)
        n = X.shape[0]
        if first and classes is not None:
            self.classes_ = np.unique(np.asarray(classes))
            self._check_classes(self.classes_, None)
        codes = self._enter_target(y, n) if first and classes is None else self._known(y, n)
        w = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        rng = np.random.default_rng(seed_of(self.random_state))
        M = 1 if len(self.classes_) == 2 else len(self.classes_)
        self._descend(X, codes.astype(np.int64), w, M, None if first else self._weights(), rng, 1, None, pocket=False)
        return self

    def _descend(
        self, X: Any, codes: Codes, w: Vector, M: int, start: Matrix | None, rng: np.random.Generator, passes: int,
        tol: float | None, pocket: bool = True,
    ) -> None:  # fmt: skip
        l2, l1 = self._check()
        X = X.astype(np.float64, copy=False) if is_sparse(X) else np.ascontiguousarray(X, dtype=np.float64)
        X, codes, w, kept = _set_aside(X, codes, w, self.validation_fraction if self.early_stopping else 0.0, rng)
        n = X.shape[0]
        W = np.zeros((M, X.shape[1])) if start is None else np.ascontiguousarray(start[: X.shape[1]].T)
        b = np.zeros(M) if start is None or not self.fit_intercept else start[-1].copy()
        walk = Stochastic(W, b, PerceptronLoss(), l2, l1, bool(self.fit_intercept), "constant", self.eta0)
        trace = PerceptronTrace()
        current, total = walk.weights(), float(w.sum())
        wrong, criterion = look(current, X, codes, w, self.fit_intercept) if current.any() else (total, 0.0)
        trace.add(wrong, criterion, 0.0)
        best, waiting, lowest = (wrong, criterion, current), 0, np.inf
        self.n_iter_ = 0

        def walked() -> Iterator[tuple[int, float, Matrix]]:
            for k in range(1, passes + 1):
                eta = self.eta0 / k if self.schedule == "inverse" else self.eta0
                if self.mode == "batch":
                    correct_all(walk, X, codes, w, eta, l2, l1)
                else:
                    walk.one_pass(X, codes, w, shuffled(n, rng) if self.shuffle else np.arange(n), eta)
                yield k, eta, walk.weights()

        def seen(at: tuple[int, float, Matrix]) -> tuple[int, float, Matrix, float, float]:
            return *at, *look(at[2], X, codes, w, self.fit_intercept)

        beside = (
            is_sparse(X) and X.nnz >= WORTH_A_THREAD and free_threads() > 1
        )  # looks at rows while the next pass is under way
        steps = in_order(seen, walked(), ahead=2 - free_threads()) if beside else map(seen, walked())
        with progress("perceptron", passes) as tick, one_blas_thread():
            for k, eta, current, wrong, criterion in steps:
                self.n_iter_ = k
                trace.add(wrong, criterion, eta)
                tick()
                watched = criterion / total
                if kept is not None:
                    aside, labels, weight = kept
                    watched = look(current, aside, labels, weight, self.fit_intercept)[0] / max(
                        float(weight.sum()), 1e-300
                    )
                if wrong <= best[0] + 1e-6 * total or not pocket:  # of equals the later one, which has seen more
                    best = (wrong, criterion, current)
                if wrong == 0:
                    break
                waiting = waiting + 1 if tol is not None and watched > lowest - tol else 0
                lowest = min(lowest, watched)
                if waiting >= self.n_iter_no_change:
                    break
        self.errors_, _, weights = best
        self.separated_ = bool(best[0] == 0)
        self.trace_ = trace
        self.t_ = getattr(self, "t_", 1) + self.n_iter_ * n if not pocket else 1 + self.n_iter_ * n
        self._set_weights(weights)
        self.margin_bound_ = bound(weights, X, codes, w, self.fit_intercept) if self.separated_ else np.inf

    def plot_trace(self, ax: Any = None) -> Any:
        """Draw errors and criterion against passes."""
        from epee.figures.regions import plot_perceptron_trace

        return plot_perceptron_trace(self.trace_, ax)


def _margins(W: Matrix, X: Any, codes: Codes, bias: bool) -> Vector:
    """Return the score of the true class minus the best of the others (with one score, its sign by the class)."""
    S = (rows_times if is_sparse(X) else np.matmul)(X, W[: X.shape[1]]) + (W[-1] if bias else 0.0)
    if S.shape[1] == 1:
        return np.where(codes > 0, S[:, 0], -S[:, 0])
    rows = np.arange(len(S))
    own = S[rows, codes]
    S[rows, codes] = -np.inf
    return own - S.max(axis=1)


def look(W: Matrix, X: Any, codes: Codes, w: Vector, bias: bool) -> tuple[float, float]:
    """Return the weight of the rows that are wrong or on the frontier, and the criterion."""
    margins = _margins(W, X, codes, bias)
    return float(w[margins <= 0].sum()), float(w @ np.maximum(-margins, 0.0))


def correct_all(walk: Stochastic, X: Any, codes: Codes, w: Vector, eta: float, l2: float, l1: float) -> None:
    """Do one batch correction: the sum of what every wrong row asks for."""
    bias = walk.bias
    S = np.asarray(X @ walk.W.T) + walk.biases  # (n, M)
    if len(walk.W) == 1:
        t = np.where(codes > 0, 1.0, -1.0)
        G = (w * t * (t * S[:, 0] <= 0))[:, None]
    else:
        rows = np.arange(len(S))
        own = S[rows, codes].copy()
        S[rows, codes] = -np.inf
        winner = S.argmax(axis=1)
        wrong = S[rows, winner] >= own
        G = np.zeros_like(S)
        G[rows[wrong], winner[wrong]] -= w[wrong]
        G[rows[wrong], codes[wrong]] += w[wrong]
    walk.W *= max(1 - eta * l2, 0.0)
    walk.W += eta * np.asarray(X.T @ G).T
    if l1 > 0:
        walk.W[:] = np.sign(walk.W) * np.maximum(np.abs(walk.W) - eta * l1, 0.0)
    if bias:
        walk.biases += eta * G.sum(axis=0)


def bound(W: Matrix, X: Any, codes: Codes, w: Vector, bias: bool) -> float:
    """Return Novikoff's bound on the corrections for weights that separate the rows."""
    use = w > 0
    X, codes = X[use], codes[use]
    margin = float(_margins(W, X, codes, bias).min()) / float(np.linalg.norm(W))
    radius2 = float((X.multiply(X) if is_sparse(X) else X * X).sum(axis=1).max()) + bias
    return (1 if W.shape[1] == 1 else 2) * radius2 / margin**2


def _set_aside(X: Any, codes: Codes, w: Vector, share: float, rng: np.random.Generator) -> tuple[Any, ...]:
    if share == 0.0:
        return X, codes, w, None
    n = X.shape[0]
    order = rng.permutation(n)
    cut = max(1, int(share * n))
    out, keep = order[:cut], np.sort(order[cut:])
    return X[keep], codes[keep], w[keep], (X[out], codes[out], w[out])
