r"""Isomap: distances along the sheet, then classical scaling (Tenenbaum, de Silva and Langford, 2000).

Neighbours are joined, the distance of two rows is the length of the shortest path between them, and :math:`-\frac12 J D^{(2)} J` gives
the coordinates. With *landmarks* only the paths from some rows are walked; the others are placed by their distances to these.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from epee.errors import WrongUse
from epee.estimator.base import NewAxes, Transformer
from epee.solve.spectral import fix_signs
from epee.structure.neighbour_graph import distance_graph, geodesics, in_one_piece, neighbour_search
from epee.structure.scaling import double_centre, leading
from epee.table.sparse import is_sparse, refuse_lossy_graph
from epee.typing import Matrix


class Isomap(NewAxes, Transformer):
    r"""Classical scaling of path lengths in the graph of neighbours.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Neighbours joined; too few break the sheet, too many cut through it.
    radius : float, default=None
        Join all within this distance instead (then ``n_neighbors=None``).
    n_components : int, default=2
        Coordinates that are kept; more keep more of the distances.
    eigen_solver, tol, max_iter, path_method, n_jobs :
        Accepted for scikit-learn's sake: paths are walked by Dijkstra's algorithm in threads, and the spectrum is exact.
    neighbors_algorithm : str, default="auto"
        How neighbours are searched; the answer is the same.
    metric, p, metric_params :
        Distance between rows, as in scikit-learn.
    n_landmarks : int, default=None
        Rows whose paths are walked; None is all. Some hundred are enough for tables of many thousand rows.
    disconnected : {"connect", "raise"}, default="connect"
        What to do with a graph in pieces: join the nearest pairs and warn, or refuse.
    random_state : int, default=0
        Which rows are landmarks.

    Attributes
    ----------
    embedding_ : array (n, q)
    dist_matrix_ : array (L, n)
        Path lengths from the landmarks (all rows without).
    n_pieces_ : int
        Pieces of the graph before they were joined.

    Notes
    -----
    :math:`O(L (n k) \log n)` for the paths and :math:`O(L n)` memory.

    References
    ----------
    Tenenbaum, de Silva and Langford, *Science* 290 (2000).

    Examples
    --------
    >>> t = np.linspace(0, 3, 60)
    >>> curve = np.column_stack([np.cos(t), np.sin(t)])
    >>> x = Isomap(n_neighbors=3, n_components=1).fit_transform(curve)[:, 0]
    >>> bool(abs(np.corrcoef(x, t)[0, 1]) > 0.999)
    True
    """

    state_parts = ("_marks", "_inverse", "_mean_square", "_learned_rows")
    state_skips = ("nbrs_",)

    _minimum_rows = 2

    def __init__(
        self, *, n_neighbors: int | None = 5, radius: float | None = None, n_components: int = 2, eigen_solver: str = "auto",
        tol: float = 0, max_iter: int | None = None, path_method: str = "auto", neighbors_algorithm: str = "auto", n_jobs: Any = None,
        metric: Any = "minkowski", p: float = 2, metric_params: Any = None, n_landmarks: int | None = None,
        disconnected: str = "connect", random_state: Any = 0,
    ) -> None:  # fmt: skip
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_landmarks = n_landmarks
        self.disconnected = disconnected
        self.random_state = random_state

    @property
    def _takes_sparse(self) -> bool | str:
        """Rows are laid out; a graph of distances is not, for what it does not store is out of reach, not at distance 0."""
        return True if isinstance(self.metric, str) and self.metric == "precomputed" else "dense"

    def _enter(self, X: Any, *, reset: bool, finite: bool = True) -> Any:
        """Check rows, or a table of distances."""
        if self._takes_sparse is True:
            refuse_lossy_graph(X)
        return super()._enter(X, reset=reset, finite=finite)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags

    def _restore(self) -> None:
        self.nbrs_ = neighbour_search(
            self._learned_rows, self.n_neighbors, self.radius, algorithm=self.neighbors_algorithm, metric=self.metric, p=self.p,
            metric_params=self.metric_params,
        )  # fmt: skip

    def fit(self, X: Any, y: Any = None) -> Self:
        """Unroll the rows of ``X`` (n, p); ``y`` is ignored."""
        X = _floats(self._enter(X, reset=True))
        n, q = X.shape[0], self.n_components
        if not (int(q) == q and 1 <= q <= n):
            raise WrongUse(f"n_components is {q!r}; it must be between 1 and the {n} rows.")
        if self.disconnected not in ("connect", "raise"):
            raise WrongUse(f"disconnected is {self.disconnected!r}; it must be 'connect' or 'raise'.")
        if self.n_landmarks is not None and not q < self.n_landmarks <= n:
            raise WrongUse(
                f"n_landmarks is {self.n_landmarks!r}; it must be above n_components={q} and at most the {n} rows."
            )
        self._learned_rows = X
        self._restore()
        graph, self.n_pieces_ = in_one_piece(
            distance_graph(self.nbrs_, self.n_neighbors), X, self.disconnected, table=self._takes_sparse is True
        )
        self._marks = np.arange(n)
        if self.n_landmarks is not None:
            self._marks = np.sort(check_random_state(self.random_state).permutation(n)[: int(self.n_landmarks)])
        self.dist_matrix_ = geodesics(graph, self._marks)
        squared = self.dist_matrix_[:, self._marks] ** 2
        squared = (squared + squared.T) / 2
        values, vectors = leading(double_centre(squared), int(q))
        axes = fix_signs(vectors.T.copy()).T
        root = np.sqrt(np.maximum(values, 0.0))
        self._inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 1e-10 * max(root[0], 1e-300)) * axes
        self._mean_square = squared.mean(axis=0)
        self.embedding_ = axes * root if self.n_landmarks is None else self._placed(self.dist_matrix_.T)
        self._n_features_out = int(q)
        return self

    def _placed(self, D: Matrix) -> Matrix:
        """Return the coordinates of rows from their distances (m, L) to the landmarks."""
        return 0.5 * (self._mean_square - D**2) @ self._inverse

    def reconstruction_error(self) -> float:
        r"""Return what the coordinates miss of the centred squares of the path lengths: :math:`\|K - ZZ^\top\|_F / L`."""
        check_is_fitted(self)
        K = double_centre(self.dist_matrix_[:, self._marks] ** 2)
        kept = (self.embedding_[self._marks] ** 2).sum(axis=0)  # the eigenvalues
        return float(np.sqrt(max((K**2).sum() - (kept**2).sum(), 0.0)) / len(K))

    def fit_transform(self, X: Any, y: Any = None) -> Matrix:
        """Return the coordinates of the rows of ``X`` on the unrolled sheet."""
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Matrix:
        """Place new rows by the shortest paths through their neighbours."""
        X = _floats(self._leave(X))
        if self.n_neighbors is not None:
            distances, near = self.nbrs_.kneighbors(X)
        else:
            distances, near = self.nbrs_.radius_neighbors(X)
        D = np.empty((X.shape[0], len(self._marks)))
        for i, (d, j) in enumerate(zip(distances, near, strict=True)):
            D[i] = (self.dist_matrix_[:, j] + d).min(axis=1) if len(j) else np.nan
        if np.isnan(D).any():
            row = int(np.flatnonzero(np.isnan(D).any(axis=1))[0])
            raise WrongUse(
                f"row {row} has no neighbour within radius={self.radius}: it cannot be placed. Raise the radius."
            )
        return self._placed(D)


def _floats(X: Any) -> Any:
    """Return rows, or a graph of distances, in float64."""
    return X.astype(np.float64) if is_sparse(X) else np.asarray(X, dtype=np.float64)
