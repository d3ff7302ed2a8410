r"""Nearest neighbours.

The expectation of :math:`y` given :math:`x` becomes a mean, and "given :math:`x`" becomes "near :math:`x`": with
:math:`V_k(x)` the :math:`k` training rows nearest to :math:`x`,

.. math:: \hat f(x) = \frac1k \sum_{i \in V_k(x)} y_i, \qquad \hat P(g \mid x) = \frac1k \#\{i \in V_k(x) : y_i = g\}. \tag{1}

A larger :math:`k` averages more noise away and looks farther: variance falls as :math:`\sigma^2/k`, bias grows. Without its
own row the prediction of a training row is (1) over the next neighbours, so one table of neighbours gives the leave-one-out
error of every :math:`k` at once.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from epee.arrays import namespace
from epee.errors import DataError, WrongUse, of_shares
from epee.estimator.base import Estimator, ProbabilityMixin, Regressor, say
from epee.estimator.kinship import adopted_by
from epee.estimator.outputs import SeveralLabels, is_several, labels_of
from epee.estimator.protocol import Needs
from epee.estimator.smoother import LinearSmoother
from epee.predictors.neighbours.radius import RadiusQueries, rows_inside
from epee.predictors.neighbours.search import Search
from epee.predictors.neighbours.statistics import centre, power_of
from epee.predictors.neighbours.table import Neighbours
from epee.settings import options
from epee.table.partitions import by_partition
from epee.table.sparse import refuse_lossy_graph
from epee.typing import ArrayLike, Codes, Labels, Matrix, Tensor, Vector


class NeighbourSearch(RadiusQueries, Estimator):
    """What the classifier and the regressor share: the search."""

    state_parts = ("_kept", "_counts", "_fit_X", "_search", "_y")

    _takes_sparse = True
    fits_here = True
    answers_anywhere = True

    @property
    def _takes_missing(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "nan_euclidean"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags

    def _enter(self, X: Any, *, reset: bool, finite: bool = True) -> Any:
        """Check rows; a search that holds some already, of ours or of scikit-learn's, gives them to be learned from."""
        if isinstance(self.metric, str) and self.metric == "precomputed":
            refuse_lossy_graph(X)
        return super()._enter(rows_inside(X) if reset else X, reset=reset, finite=finite)

    def _start(self, X: Any, w: Vector | None) -> None:
        """Check the parameters and keep the rows of positive weight for searching."""
        if isinstance(self.n_neighbors, bool) or int(self.n_neighbors) != self.n_neighbors or self.n_neighbors < 1:
            raise WrongUse(f"n_neighbors is {self.n_neighbors!r}; it must be a whole number of at least 1.")
        if self.algorithm not in ("auto", "ball_tree", "kd_tree", "brute"):
            raise WrongUse(f"algorithm is {self.algorithm!r}; it must be 'auto', 'ball_tree', 'kd_tree' or 'brute'.")
        if isinstance(self.metric, str) and self.metric == "minkowski" and 0 < self.p < 1:
            if self.algorithm not in ("auto", "brute"):
                raise WrongUse(
                    f'algorithm="{self.algorithm}" does not support 0 < p < 1 for the Minkowski metric. To resolve this problem either '
                    'set p >= 1 or algorithm="brute".'
                )
            say(
                "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution with `algorithm='brute'`: "
                "all rows are compared."
            )
        if self.p is not None and "p" in (self.metric_params or {}):
            say(
                "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
                SyntaxWarning,
            )
        self.n_samples_fit_ = int(X.shape[0])
        self.effective_metric_ = self.metric
        self.effective_metric_params_ = dict(self.metric_params or {})
        if isinstance(self.metric, str) and self.metric == "precomputed" and X.shape[0] != X.shape[1]:
            raise DataError(f"a precomputed table of distances must be square; X has shape {X.shape}.")
        self._kept: Codes | None = None
        self._counts: Vector | None = None
        if w is not None and not (w == 1).all():
            self._kept = np.flatnonzero(w > 0)
            self._counts = w[self._kept]
        self._fit_X = X if self._kept is None else X[self._kept]
        self._search = Search(self._fit_X, self.metric, self.p, self.metric_params, self.algorithm, self.leaf_size)

    @property
    def _fit_method(self) -> str:
        """How neighbours are searched for, in scikit-learn's words: among all distances, or down a tree of boxes."""
        return "brute" if self._search.metric is None or self._search.by_products else "kd_tree"

    def _threads(self) -> AbstractContextManager[Any]:
        if self.n_jobs is None or self.n_jobs < 1:
            return nullcontext()
        return options(threads=int(self.n_jobs))

    def _nearest(self, Q: Any, k: int) -> tuple[Matrix, Codes]:
        n = self._fit_X.shape[0]
        if k > n:
            raise DataError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {n}, n_samples = {Q.shape[0]}: "
                f"ask for at most {n} neighbours."
            )
        if self.effective_metric_ == "precomputed" and self._kept is not None and Q is not self._fit_X:
            Q = Q[:, self._kept]
        with self._threads():
            return self._search.nearest(Q, k)

    def _leave(self, X: Any) -> Any:
        """Check the inputs of a prediction; None stands for the training rows, each without itself."""
        if X is None:
            check_is_fitted(self)
            return None
        return super()._leave(X)

    def _table(self, Q: Any, k: int) -> Neighbours:
        """Return enough neighbours for a total count of k; of the training rows among the others where ``Q`` is None."""
        if Q is None:
            return self._others(k)
        if self._counts is None:
            return Neighbours(*self._nearest(Q, k))
        if k > self._counts.sum():
            raise DataError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k} and sample_weight sums to {self._counts.sum():g}: "
                "weights are counts. Ask for fewer neighbours, or multiply shares by the number of rows."
            )
        size = min(k, len(self._counts))
        while True:
            d, rows = self._nearest(Q, size)
            counts = self._counts[rows]
            if size == len(self._counts) or (counts.sum(axis=1) >= k).all():
                return Neighbours(d, rows, counts)
            size = min(2 * size, len(self._counts))

    def _others(self, k: int) -> Neighbours:
        """Return the k nearest of each training row among the others."""
        n = self._fit_X.shape[0]
        available = n if self._counts is None else self._counts.sum()
        if k + 1 > available:
            raise DataError(
                f"Expected n_neighbors < n_samples_fit, but n_neighbors = {k}, n_samples_fit = {available:g}: without its own row "
                f"each row has {max(available - 1, 0):g} neighbours.{of_shares(float(available))}"
            )
        return self._table(self._fit_X, k + 1).without_self()

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return the distances and the row numbers (m, k) of the nearest training rows, nearest first.

        Equal distances are listed by row number. ``X=None`` asks for the training rows, none its own neighbour.
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if isinstance(k, bool) or int(k) != k or k < 1:
            raise WrongUse(f"n_neighbors is {k!r}; it must be a whole number of at least 1.")
        if X is None:
            n = self._fit_X.shape[0]
            if k >= n:
                raise DataError(
                    f"Expected n_neighbors < n_samples_fit, but n_neighbors = {k}, n_samples_fit = {n}, n_samples = {n}."
                )
            table = Neighbours(*self._nearest(self._fit_X, k + 1)).without_self()
        else:
            table = Neighbours(*self._nearest(self._leave_anywhere(X), k))
        rows = table.rows if self._kept is None else self._kept[table.rows]
        return (table.distances, rows) if return_distance else rows

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """Return the sparse graph (m, n) from each query to its neighbours: ones, or distances for ``mode="distance"``."""
        from scipy.sparse import csr_matrix

        if mode not in ("connectivity", "distance"):
            raise WrongUse(f"Unsupported mode, must be one of 'connectivity', or 'distance' but got {mode!r} instead")
        d, rows = self.kneighbors(X, n_neighbors)
        data = d.ravel() if mode == "distance" else np.ones(rows.size)
        return csr_matrix(
            (data, rows.ravel(), np.arange(0, rows.size + 1, rows.shape[1])), shape=(len(rows), self.n_samples_fit_)
        )

    def variants(self, parameter: str, values: Sequence[Any]) -> list[Self] | None:
        """Return searches of the same rows with other numbers of neighbours."""
        if parameter != "n_neighbors":
            return None
        return [copy.copy(self).set_params(n_neighbors=value) for value in values]

    def answer_together(self, variants: Sequence[Any], X: Any, needs: Needs | None = None) -> list[np.ndarray]:
        """Return what each number of neighbours says of clean rows, from one search."""
        table = self._table(X, max(v.n_neighbors for v in variants))
        if needs == "probabilities":
            return [v._votes(table.first(v.n_neighbors)) for v in variants]
        return [v._says(table.first(v.n_neighbors)) for v in variants]

    @property
    def effective_dof_(self) -> float:
        """The trace of the smoother, n / k: one mean for each k rows."""
        check_is_fitted(self)
        return float(self.n_samples_fit_ if self._counts is None else self._counts.sum()) / self.n_neighbors

    def left_out(self, X: Any, y: Any, w: Vector | None = None) -> Tensor:
        """Return what the model fitted without the row predicts for it: probabilities (n, K) or values (n,)."""
        path = self.left_out_path(X, y, w, "n_neighbors", [self.n_neighbors])
        assert path is not None
        return path[0]

    def left_out_path(self, X: Any, y: Any, w: Vector | None, parameter: str, values: ArrayLike) -> Tensor | None:
        """Return the predictions without the row for each number of neighbours (V, n, ...), from one table."""
        if parameter != "n_neighbors":
            return None
        ks = np.asarray(values, dtype=np.intp)
        if ks.ndim != 1 or not len(ks) or ks.min() < 1:
            raise WrongUse(f"n_neighbors takes whole numbers of at least 1, got {values!r}.")
        model = clone(self).set_params(n_neighbors=int(ks.max())).fit(X, y, sample_weight=w)
        table = model._others(int(ks.max()))
        if model._kept is None:
            return model._path(table, ks)
        some = model._path(table, ks)
        out = np.empty((len(ks), model.n_samples_fit_, *some.shape[2:]))
        out[:, model._kept] = some
        absent = np.setdiff1d(np.arange(model.n_samples_fit_), model._kept)
        if len(absent):  # rows that count for nothing are predicted by all the others
            X = model._leave(X)
            out[:, absent] = model._path(model._table(X[absent], int(ks.max())), ks)
        return out


@adopted_by("sklearn.neighbors._base", "KNeighborsMixin")
class KNeighborsClassifier(NeighbourSearch, ProbabilityMixin, SeveralLabels):
    r"""The majority among the nearest training rows, equation (1).

    Parameters
    ----------
    n_neighbors : int, default=5
        :math:`k`; 1 learns the sample by heart, a larger one gives smoother frontiers, :math:`n` the commonest class.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How a neighbour at distance :math:`d` counts: 1, :math:`1/d`, or a function of the distances.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        "brute" compares all rows by products of matrices, both trees are a search by boxes; "auto" takes boxes below 16
        columns. The answer is always exact and the same.
    leaf_size : int, default=30
        Least number of rows in a box of the search.
    p : float, default=2
        Power of Minkowski's distance: 1 Manhattan, 2 Euclid.
    metric : str or callable, default="minkowski"
        The distance: "euclidean", "manhattan", "chebyshev", "mahalanobis", "cosine", "precomputed", or any of SciPy's.
    metric_params : dict, default=None
        Further arguments of the distance, such as ``V`` of Mahalanobis (by default the covariance of the rows).
    n_jobs : int, default=None
        Threads; None takes those of ``epee.options``.
    ties : {"first", "nearest"}, default="first"
        When classes have equal votes (an even :math:`k`): the first in ``classes_``, or that of the nearest neighbour
        among them.

    Notes
    -----
    The search takes :math:`O(np)` a query in many dimensions and about :math:`O(p \log n)` in few. Weights are counts: a row
    of weight 2 fills two of the :math:`k` places.

    References
    ----------
    T. Hastie, R. Tibshirani, J. Friedman, *The Elements of Statistical Learning*, 2nd ed., 2.3.2 and 13.3.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> KNeighborsClassifier(n_neighbors=3).fit(X, list("aabb")).predict([[1.1], [2.1]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self, n_neighbors: int = 5, *, weights: Any = "uniform", algorithm: str = "auto", leaf_size: int = 30,
        p: float = 2, metric: Any = "minkowski", metric_params: dict[str, Any] | None = None, n_jobs: int | None = None,
        ties: str = "first",
    ) -> None:  # fmt: skip
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.ties = ties

    def _enter_target(self, y: Any, n: int) -> Codes:
        self.outputs_2d_ = is_several(y)
        return super()._enter_target(y, n)

    def _fit(self, X: Any, y: Codes, w: Vector | None) -> None:
        if self.ties not in ("first", "nearest"):
            raise WrongUse(f"ties is {self.ties!r}; it must be 'first' or 'nearest'.")
        self._start(X, w)
        self._y = y if self._kept is None else y[self._kept]

    def _outputs(self) -> list[Self]:
        """Return a classifier for each output, all with the same search."""
        if not self.outputs_2d_:
            return [self]
        made = []
        for o, classes in enumerate(self.classes_):
            one = copy.copy(self)
            one.classes_, one._y, one.outputs_2d_ = classes, self._y[:, o], False
            made.append(one)
        return made

    def _votes(self, table: Neighbours) -> Any:
        """Return the share of each class (m, K) among all neighbours of a table; a list of them for several outputs."""
        if self.outputs_2d_:
            return [one._votes(table) for one in self._outputs()]
        m, K = len(table.rows), len(self.classes_)
        mass = table.mass(self.weights)
        cell = np.arange(m)[:, None] * K + self._y[table.rows]
        votes = np.bincount(cell.ravel(), None if mass is None else mass.ravel(), m * K).reshape(m, K).astype(float)
        total = votes.sum(axis=1, keepdims=True)
        if not (total > 0).all():
            row = int(np.flatnonzero(~(total[:, 0] > 0))[0])
            raise DataError(
                "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you are using a "
                f"user-defined function. The first such query is row {row}."
            )
        return votes / total

    def _proba(self, X: Any) -> Any:
        return self._votes(self._table(X, self.n_neighbors).first(self.n_neighbors))

    def predict(self, X: Any) -> Labels:
        """Return the class of each row (n,), or the classes (n, outputs); ``ties`` says what happens when votes are equal.

        ``X=None`` asks for the training rows, each without itself.
        """
        return self._labels(self._codes(self._leave_anywhere(X)))

    @by_partition
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of :meth:`predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if isinstance(shares, list):
                return [np.log(P) for P in shares]
            return namespace(shares).log(shares)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is found; ``X=None`` judges the training rows, each without itself."""
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    def _labels(self, codes: Codes) -> Labels:
        return labels_of(codes, self.classes_) if self.outputs_2d_ else self.classes_[codes]

    def _codes(self, X: Any) -> Codes:
        return self._decided(self._table(X, self.n_neighbors).first(self.n_neighbors))

    def _decided(self, table: Neighbours) -> Codes:
        if self.outputs_2d_:
            return np.column_stack([one._decided(table) for one in self._outputs()])
        return self._favour(self._votes(table), table).argmax(axis=1)

    def _says(self, table: Neighbours) -> Labels:
        return self._labels(self._decided(table))

    def _favour(self, votes: Matrix, table: Neighbours) -> Matrix:
        """Lift, for ``ties="nearest"``, the class of the nearest neighbour above those with as many votes, by next to nothing."""
        if self.ties == "first":
            return votes
        top = votes >= votes.max(axis=1, keepdims=True) * (1 - 1e-12)  # (m, K)
        rows, codes = np.arange(len(votes)), self._y[table.rows]
        first = np.take_along_axis(top, codes, axis=1).argmax(axis=1)
        votes = votes.copy()
        votes[rows, codes[rows, first]] += 1e-11
        return votes

    def _path(self, table: Neighbours, ks: Codes) -> Tensor:
        if table.counts is not None or callable(self.weights):
            parts = [table.first(int(k)) for k in ks]
            return np.stack([self._favour(self._votes(part), part) for part in parts])
        n, K = len(table.rows), len(self.classes_)
        codes, mass, rows = self._y[table.rows], table.mass(self.weights), np.arange(n)
        votes, out = np.zeros((n, K)), np.empty((len(ks), n, K))
        for k in range(1, table.rows.shape[1] + 1):
            votes[rows, codes[:, k - 1]] += 1.0 if mass is None else mass[:, k - 1]
            if k in ks:
                out[ks == k] = self._favour(votes / votes.sum(axis=1, keepdims=True), table.first(k))
        return out


@adopted_by("sklearn.neighbors._base", "KNeighborsMixin")
class KNeighborsRegressor(NeighbourSearch, LinearSmoother, Regressor):
    r"""The mean, or the median, of the nearest training rows, equation (1).

    Parameters
    ----------
    n_neighbors : int, default=5
        :math:`k`; 1 passes through every point, a larger one is smoother, :math:`n` is the mean of all.
    weights, algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in :class:`KNeighborsClassifier`.
    statistic : {"mean", "median"} or a power such as "l1.5", default="mean"
        The constant that fits the neighbours best: the mean for the squared loss, the median for the absolute one (one
        wild value among three does not move it far), and for a power :math:`q \ge 1` that of :math:`|y - c|^q`.

    Notes
    -----
    :math:`\hat f` is constant on pieces; with :math:`k \to \infty`, :math:`k/n \to 0` it tends to :math:`E[y \mid x]`.

    References
    ----------
    T. Hastie, R. Tibshirani, J. Friedman, *The Elements of Statistical Learning*, 2nd ed., 2.3.2 and 2.4.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 90.0]
    >>> KNeighborsRegressor(n_neighbors=3, statistic="median").fit(X, y).predict([[1.0]])
    array([2.])
    """

    _several_targets = True

    def __init__(
        self, n_neighbors: int = 5, *, weights: Any = "uniform", algorithm: str = "auto", leaf_size: int = 30,
        p: float = 2, metric: Any = "minkowski", metric_params: dict[str, Any] | None = None, n_jobs: int | None = None,
        statistic: Any = "mean",
    ) -> None:  # fmt: skip
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.statistic = statistic

    def _fit(self, X: Any, y: np.ndarray, w: Vector | None) -> None:
        power_of(self.statistic)
        self._start(X, w)
        self._y = y if self._kept is None else y[self._kept]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the variance of ``y`` that is explained; ``X=None`` judges the training rows, each without itself."""
        from sklearn.metrics import r2_score

        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))

    def _settled(self) -> Any:
        if power_of(self.statistic) != 2:
            raise WrongUse(f"statistic={self.statistic!r} is not linear in y: only the mean has a hat matrix.")
        return super()._settled()

    def _says(self, table: Neighbours) -> Tensor:
        return centre(self._y[table.rows], table.mass(self.weights), power_of(self.statistic))

    def _predict(self, X: Any) -> Tensor:
        return self._says(self._table(X, self.n_neighbors).first(self.n_neighbors))

    def _path(self, table: Neighbours, ks: Codes) -> Tensor:
        if table.counts is not None or callable(self.weights) or power_of(self.statistic) != 2:
            return np.stack([self._says(table.first(int(k))) for k in ks])
        Y, mass = self._y[table.rows], table.mass(self.weights)  # (n, s, ...)
        mass = np.ones(table.rows.shape) if mass is None else mass
        mass = mass.reshape(mass.shape + (1,) * (Y.ndim - 2))
        means = np.cumsum(Y * mass, axis=1) / np.cumsum(mass, axis=1)
        return np.moveaxis(means[:, ks - 1], 1, 0)
