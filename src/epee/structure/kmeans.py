r"""k-means.

The partition into :math:`K` clusters with centres :math:`\mu_k` that brings

.. math:: J = \sum_{i=1}^n w_i \min_k \|x_i - \mu_k\|^2 \tag{1}

down: allocate each row to its nearest centre, move each centre to the mean of its rows, and again. Neither half-step raises
:math:`J`, and there are finitely many partitions, so it ends, in a local minimum that depends on the start. An empty cluster takes the
row that lies farthest from its own centre. It is hard-weight moments in a loop, so it runs wherever moments do.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from epee.arrays import at_home, namespace
from epee.engines.choice import LOCAL, engine_for, sent
from epee.errors import SearchWarning, WrongUse
from epee.estimator.base import Clusterer, NewAxes, say
from epee.settings import progress
from epee.solve.sparse_rows import is_large_and_sparse
from epee.structure.kmeans_blocks import labels_of, nearest_centres
from epee.structure.kmeans_of_sparse import SparseRows, sparse_plus_plus
from epee.structure.kmeans_passes import (
    Allocation,
    BoundedRows,
    Descent,
    StreamRows,
    lloyd,
)
from epee.structure.kmeans_starts import Draw, as_generator, check_count, plus_plus, refuse_too_many
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, check_weights, refuse_bad_cells
from epee.table.doors import is_stream, open_source, passes_over
from epee.table.elsewhere import ElsewhereSource
from epee.table.partitions import by_partition
from epee.table.sparse import SparseSource, is_sparse, laid_out
from epee.typing import Codes, Matrix, Vector

SAMPLE_ROWS = 20_000  # rows of a stream from which its start is found


class KMeans(NewAxes, TransformerMixin, Clusterer):
    r"""The partition of smallest :math:`J = \sum_i w_i \min_k \|x_i - \mu_k\|^2`, by alternating allocation and means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters :math:`K`; a larger one lowers :math:`J`, which therefore cannot choose it (see ``choose_clusters``).
    init : {"k-means++", "random"}, array (K, p) or callable, default="k-means++"
        The start: spread over the cloud, rows at random, given, or ``init(X, n_clusters, random_state=...)``.
    n_init : int or "auto", default="auto"
        Starts, of which that with the lowest :math:`J` is kept; more are surer and slower. "auto" is 10 for "random" and callables,
        else 1. A stream tries its starts on a sample of the rows, then runs the best on all of them.
    max_iter : int, default=300
        Largest number of passes.
    tol : float, default=1e-4
        Stop when the centres moved, in total and squared, less than this times the mean variance of the columns; 0 goes on
        until no row changes.
    stop : {"shift", "criterion"}, default="shift"
        "criterion" is the course's rule: stop when :math:`|J_a - J_{a-1}| < \mathrm{tol} \cdot J_a` from one pass to the next
        (or when :math:`J` is 0), whatever the centres do.
    verbose : int, default=0
        Print :math:`J` after each pass, and why a start ended.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    copy_x : bool, default=True
        Accepted for scikit-learn's sake; the rows are never written to.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Both give the same partition; the bounds that spare most rows the distances are used in either case.

    Attributes
    ----------
    cluster_centers_ : array (K, p)
    labels_ : array (n,)
    inertia_ : float
        :math:`J` at the end, by differences.
    n_iter_ : int
    n_passes_ : int
        How often the table was read whole, by a fit from files, SQL or Dask.
    trace_ : array, two for each iteration
        :math:`J` after each half-step of the best start: allocation, means, allocation...
    counts_ : array (K,)
        Total weight of each cluster, which ``partial_fit`` goes on from.

    Notes
    -----
    A pass costs at most :math:`2nKp` operations as matrix products; in memory, bounds spare most rows of later passes. A path, a
    query or any source is read once a pass in constant memory; a Dask collection is reduced where it lies.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 14.3.6; G. Hamerly, Making k-means even faster, 2010.

    Examples
    --------
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> km = KMeans(2, random_state=0).fit(X)
    >>> km.inertia_, sorted(km.cluster_centers_.tolist())
    (16.0, [[1.0, 2.0], [10.0, 2.0]])
    """

    _takes_sparse = True
    answers_anywhere = True

    def __init__(
        self, n_clusters: int = 8, *, init: Any = "k-means++", n_init: Any = "auto", max_iter: int = 300, tol: float = 1e-4,
        verbose: int = 0, random_state: Any = None, copy_x: bool = True, algorithm: str = "lloyd",
        stop: str = "shift",
    ) -> None:  # fmt: skip
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.stop = stop

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _open(self, X: Any, sample_weight: Any = None, *, reset: bool) -> Source:
        """Return the rows as a source of blocks, checked."""
        X = sent(X) if reset else X
        if not is_stream(X):
            X = self._enter(X, reset=reset)
            w = check_weights(sample_weight, X.shape[0])
            if is_sparse(X):
                rows: Any = SparseSource(X, weight=w)
                if is_large_and_sparse(rows):
                    return rows
                X = laid_out(X)
            return ArraySource(X, weight=w, names=getattr(self, "feature_names_in_", None))
        return self._enter_stream(open_source(X, None, sample_weight), reset=reset)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters of the rows of ``X`` (n, p), a frame, a sparse matrix or a path; ``y`` is ignored, weights are counts."""
        k, before = self._check_parameters(), passes_over(X)
        source = self._open(X, sample_weight, reset=True)
        refuse_too_many(source, k, copies=True)
        rng = as_generator(self.random_state)
        with source.held() as rows:
            if isinstance(rows, ArraySource) and engine_for(rows) is LOCAL:
                best = self._best_start(rows.X, rows.weight, k, rng)
            elif isinstance(rows, SparseSource) and engine_for(rows) is LOCAL:
                best = self._best_start(rows.X, rows.weight, k, rng, SparseRows(rows))
            else:
                start = self._stream_start(rows, k, rng)
                with progress("k-means passes", self.max_iter) as tick:
                    best = lloyd(StreamRows(rows), start, self.max_iter, self.tol, tick, self.stop)
                self._tell(best)
            self._keep(best, rows)
        if not np.all(self.counts_ > 0) and (found := len(np.unique(self.labels_))) < k:
            say(
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({k}). Possibly due to duplicate points in X.",
                SearchWarning,
            )
        if is_stream(X):
            self.n_passes_ = passes_over(source) - before
        return self

    def _check_parameters(self) -> int:
        k = check_count(self.n_clusters)
        check_count(self.max_iter, "max_iter")
        if self.n_init != "auto":
            check_count(self.n_init, "n_init")
        if not isinstance(self.tol, Real) or not self.tol >= 0:
            raise WrongUse(f"tol is {self.tol!r}; it must be at least 0.")
        if self.stop not in ("shift", "criterion"):
            raise WrongUse(f"stop is {self.stop!r}; it must be 'shift' or 'criterion'.")
        if self.algorithm not in ("lloyd", "elkan"):
            raise WrongUse(f"algorithm is {self.algorithm!r}; it must be 'lloyd' or 'elkan'.")
        if self.algorithm == "elkan" and k == 1:
            say(
                "algorithm='elkan' doesn't make sense for a single cluster: there is no other centre to rule out.",
                RuntimeWarning,
            )
        if self.n_init not in ("auto", 1) and self._n_init == 1 and not isinstance(self.init, str):
            say(
                f"Explicit initial center position passed: performing only one init in {type(self).__name__} instead of "
                f"n_init={self.n_init}.", RuntimeWarning,
            )  # fmt: skip
        if isinstance(self.init, str) and self.init not in ("k-means++", "random"):
            raise WrongUse(
                f"init is {self.init!r}; it must be 'k-means++', 'random', an array of centres or a function."
            )
        return k

    def _tell(self, run: Descent) -> None:
        if self.verbose:
            print(*run.told(), sep="\n")

    @property
    def _n_init(self) -> int:
        """How many starts ``n_init`` stands for."""
        if not isinstance(self.init, str) and not callable(self.init):
            return 1
        if self.n_init == "auto":
            return 1 if isinstance(self.init, str) and self.init == "k-means++" else 10
        return int(self.n_init)

    def _start(self, X: Matrix, w: Vector | None, k: int, rng: np.random.Generator) -> Matrix:
        """Return the centres (k, p) of one start."""
        if callable(self.init):
            centres = self.init(X, k, random_state=np.random.RandomState(rng.integers(2**31)))
        elif not isinstance(self.init, str):
            centres = self.init
        elif self.init == "random":
            chances = None if w is None else w / w.sum()
            enough = w is None or int((w > 0).sum()) >= k
            centres = laid_out(X[rng.choice(X.shape[0], k, replace=not enough, p=chances)])
        elif is_sparse(X):
            centres = laid_out(X[sparse_plus_plus(X, w, k, rng)])
        else:
            centres = X[plus_plus(np.ascontiguousarray(X), w, k, rng)]
        centres = np.asarray(centres, dtype=np.float64)
        if centres.shape != (k, X.shape[1]):
            raise WrongUse(
                f"The shape of the initial centers {centres.shape} does not match the number of clusters {k} or it does not match "
                f"the number of features of the data {X.shape[1]}: init must give centres of shape {(k, X.shape[1])}."
            )
        refuse_bad_cells(centres, what="init")
        return centres

    def _best_start(
        self, X: Any, w: Vector | None, k: int, rng: np.random.Generator, rows: SparseRows | None = None
    ) -> Descent:
        best: Descent | None = None
        with progress("k-means passes") as tick:
            for _ in range(self._n_init):
                held = BoundedRows(X, w) if rows is None else rows
                run = lloyd(held, self._start(X, w, k, rng), self.max_iter, self.tol, tick, self.stop)
                self._tell(run)
                if best is None or run.trace[-1] < best.trace[-1]:
                    best = run
        assert best is not None
        return best

    def _stream_start(self, source: Source, k: int, rng: np.random.Generator) -> Matrix:
        """Return the start of a stream: the best of several runs on a sample drawn in one pass."""
        if not isinstance(self.init, str) and not callable(self.init):
            return self._start(np.empty((0, source.n_columns)), None, k, rng)
        draw = Draw(max(SAMPLE_ROWS, 50 * k), int(rng.integers(2**62)))
        sample = self._drawn(source, draw)
        refuse_bad_cells(sample, source.names)
        refuse_too_many(ArraySource(sample), k, copies=True)
        return self._best_start(sample, None, k, rng).centres

    def _drawn(self, source: Source, draw: Draw) -> Matrix:
        """Return a sample of a stream; of rows that lie elsewhere only those drawn travel, for their numbers decide."""
        if not isinstance(source, ElsewhereSource):
            rows: Matrix = engine_for(source).reduce(source, draw).X
            return rows
        places: Any = np.arange(source.n_rows)[:, None]
        numbers = LOCAL.reduce(ArraySource(places, weight=source.weight), draw).X
        return np.asarray(source.taken(numbers[:, 0].astype(np.intp)).X, dtype=np.float64)

    def _keep(self, best: Descent, source: Source) -> None:
        single = isinstance(source, ArraySource | ElsewhereSource) and str(source.X.dtype).endswith("float32")
        dtype = np.float32 if single else np.float64
        self.cluster_centers_: Matrix = best.centres.astype(dtype)
        self.n_iter_, self.trace_ = best.iterations, best.trace
        labels, self.inertia_, self.counts_ = self._allocate(source)
        self.labels_ = at_home(labels)
        self._n_features_out = len(self.cluster_centers_)

    def _allocate(self, source: Source) -> tuple[Any, float, Vector]:
        """Return labels where the rows lie, J and the weight of each cluster, for the centres as they are."""
        if isinstance(source, ArraySource):
            blocks: Any = [_Labels(self.cluster_centers_)(Block(source.X, weight=source.weight))]
        else:
            blocks = engine_for(source).map(source, _Labels(self.cluster_centers_))
        labels, J, counts = zip(*blocks)
        return namespace(labels[0]).concat(labels), float(np.sum(J)), np.sum(counts, axis=0)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Allocate more rows to the centres and move these to the means of all rows they have had; the first call is ``fit``."""
        if not hasattr(self, "cluster_centers_"):
            return self.fit(X, sample_weight=sample_weight)
        source = self._open(X, sample_weight, reset=False)
        origin = self.cluster_centers_.mean(axis=0, dtype=np.float64)
        centres = self.cluster_centers_ - origin
        clouds = engine_for(source).reduce(source, Allocation(centres, origin))
        self.counts_ = self.counts_ + clouds.count
        move = (clouds.sums - clouds.count[:, None] * centres) / np.where(self.counts_ > 0, self.counts_, 1.0)[:, None]
        self.cluster_centers_ = (centres + move + origin).astype(self.cluster_centers_.dtype)
        labels, self.inertia_, _ = self._allocate(source)
        self.labels_ = at_home(labels)
        return self

    @by_partition
    def predict(self, X: Any) -> Codes:
        """Return the nearest centre of each row (n,)."""
        check_is_fitted(self)
        labels: Codes = self._allocate(self._open(X, reset=False))[0]
        return labels

    @by_partition
    def transform(self, X: Any) -> Matrix:
        """Return the distance of each row to each centre (n, K)."""
        from sklearn.metrics.pairwise import euclidean_distances

        check_is_fitted(self)
        source = self._open(X, reset=False)
        if isinstance(source, SparseSource):
            return euclidean_distances(source.X, self.cluster_centers_)
        from scipy.spatial.distance import cdist

        out = np.concatenate([cdist(block.X, self.cluster_centers_) for block in source.blocks()])
        single = isinstance(source, ArraySource | SparseSource) and source.X.dtype == np.float32
        return out.astype(np.float32) if single else out

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus J of the rows, so that larger is better."""
        check_is_fitted(self)
        return -self._allocate(self._open(X, sample_weight, reset=False))[1]


def cluster_of_rows(X: Matrix, w: Vector | None, k: int, starts: int, seed: int) -> Codes:
    """Return the cluster of each row (n,), as ``KMeans(k, n_init=starts, random_state=seed)`` has it, of rows that were checked.

    >>> cluster_of_rows(np.array([[0.0], [0.1], [9.0]]), None, 2, 1, 0)
    array([0, 0, 1], dtype=int32)
    """
    model = KMeans(k, n_init=starts, random_state=seed)
    if engine_for(ArraySource(X)) is LOCAL:
        labels = nearest_centres(X, model._best_start(X, w, k, as_generator(seed)).centres)[0]
        if np.bincount(labels, minlength=k).all():
            return labels
    found: Codes = model.fit(X, sample_weight=w).labels_
    return found


class _Labels:
    """Allocate a block to final centres; picklable, so any engine can carry it."""

    def __init__(self, centres: Matrix) -> None:
        self.centres = centres

    anywhere = True

    def width(self) -> int:
        """Return how many numbers a row takes where all of a block is multiplied at once."""
        return 2 * self.centres.shape[1] + 3 * len(self.centres)

    def __call__(self, block: Block) -> tuple[Any, float, Vector]:
        return labels_of(block, self.centres)
