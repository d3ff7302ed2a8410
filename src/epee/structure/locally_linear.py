r"""Locally linear embedding (Roweis and Saul, 2000).

Each row is written as a combination of its neighbours, :math:`\min \|x_i - \sum_j w_{ij} x_j\|^2` with :math:`\sum_j w_{ij} = 1`, and the
coordinates are those that the same combinations rebuild best: the eigenvectors of :math:`(I - W)^\top (I - W)` after the constant one.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

from epee.errors import DataError, WrongUse
from epee.estimator.base import NewAxes, Transformer
from epee.solve.spectral import fix_signs
from epee.structure.neighbour_graph import neighbour_search, pieces_of
from epee.typing import Codes, Matrix

METHODS = ("standard", "hessian", "modified", "ltsa")


class LocallyLinearEmbedding(NewAxes, Transformer):
    r"""Coordinates rebuilt by the combinations that rebuild each row from its neighbours.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of a row; more make smoother maps.
    n_components : int, default=2
        Coordinates that are kept.
    reg : float, default=1e-3
        Share of the trace added to the local Gram matrix, which is singular with more neighbours than columns.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        "dense" is safe and costs :math:`O(n^3)`; "arpack" asks only for the smallest eigenvectors.
    tol, max_iter, random_state :
        Of "arpack".
    method : {"standard", "hessian", "modified", "ltsa"}, default="standard"
        "standard" is ours; the others are scikit-learn's.
    hessian_tol, modified_tol, neighbors_algorithm, n_jobs : as in scikit-learn
        The first two are thresholds of the variants of those names.
    disconnected : {"connect", "raise"}, default="connect"
        "raise" refuses a graph of neighbours in pieces; "connect" warns.

    Attributes
    ----------
    embedding_ : array (n, q)
        Centred, with columns of norm 1.
    n_pieces_ : int
        In how many pieces the graph of neighbours is.
    reconstruction_error_ : float

    Notes
    -----
    :math:`O(n k^3)` for the weights, all rows at once, and a sparse eigenproblem.

    References
    ----------
    Roweis and Saul, *Science* 290 (2000).

    Examples
    --------
    >>> t = np.linspace(0, 3, 80)
    >>> curve = np.column_stack([np.cos(t), np.sin(t)])
    >>> x = LocallyLinearEmbedding(n_neighbors=6, n_components=1).fit_transform(curve)[:, 0]
    >>> bool(abs(np.corrcoef(x, t)[0, 1]) > 0.98)
    True
    """

    state_parts = ("_learned_rows",)
    state_skips = ("nbrs_",)

    _minimum_rows = 2

    def __init__(
        self, *, n_neighbors: int = 5, n_components: int = 2, reg: float = 1e-3, eigen_solver: str = "auto", tol: float = 1e-6,
        max_iter: int = 100, method: str = "standard", hessian_tol: float = 1e-4, modified_tol: float = 1e-12,
        neighbors_algorithm: str = "auto", random_state: Any = None, n_jobs: Any = None, disconnected: str = "connect",
    ) -> None:  # fmt: skip
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.neighbors_algorithm = neighbors_algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.disconnected = disconnected

    def _restore(self) -> None:
        self.nbrs_: NearestNeighbors = neighbour_search(
            self._learned_rows, self.n_neighbors, None, algorithm=self.neighbors_algorithm
        )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Unroll the rows of ``X`` (n, p); ``y`` is ignored."""
        X = np.asarray(self._enter(X, reset=True), dtype=np.float64)
        if self.method not in METHODS:
            raise WrongUse(f"method is {self.method!r}; it must be one of {', '.join(METHODS)}.")
        if self.n_components > X.shape[1]:
            raise WrongUse(
                f"n_components is {self.n_components}: the output dimension must be less than or equal to {X.shape[1]}."
            )
        if self.n_components < 1:
            raise WrongUse(f"n_components is {self.n_components!r}; it must be at least 1.")
        self._learned_rows = X
        self._restore()
        near = self.nbrs_.kneighbors(return_distance=False)
        n, k = near.shape
        graph = sparse.csr_matrix((np.ones(n * k), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
        self.n_pieces_ = pieces_of(graph, self.disconnected, "the axes only tell the pieces apart meanwhile")[0]
        if self.method == "standard":
            self._standard(X, near)
        else:
            from sklearn.manifold import locally_linear_embedding

            self.embedding_, self.reconstruction_error_ = locally_linear_embedding(
                X, n_neighbors=self.n_neighbors, n_components=self.n_components, reg=self.reg, eigen_solver=self.eigen_solver, tol=self.tol,
                max_iter=self.max_iter, method=self.method, hessian_tol=self.hessian_tol, modified_tol=self.modified_tol,
                random_state=self.random_state, n_jobs=self.n_jobs,
            )  # fmt: skip
        self.embedding_ = fix_signs(np.ascontiguousarray(self.embedding_.T)).T
        self._n_features_out = self.embedding_.shape[1]
        return self

    def _standard(self, X: Matrix, near: Codes) -> None:
        n, k = near.shape
        W = barycentres(X, X, near, self.reg)
        A = sparse.eye(n, format="csr") - sparse.csr_matrix(
            (W.ravel(), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n)
        )
        M = (A.T @ A).tocsc()
        q = self.n_components
        dense = self.eigen_solver == "dense" or (self.eigen_solver == "auto" and (n <= 200 or q + 1 >= n))
        if dense:
            values, vectors = scipy.linalg.eigh(M.toarray(), subset_by_index=(1, q))
            self.embedding_, self.reconstruction_error_ = vectors, float(values.sum())
            return
        start = check_random_state(self.random_state if self.random_state is not None else 0).uniform(-1, 1, n)
        try:
            values, vectors = eigsh(M, q + 1, sigma=0.0, tol=self.tol, maxiter=self.max_iter, v0=start)
        except RuntimeError as error:
            raise DataError(
                f"the eigenproblem was not solved ({error}): use eigen_solver='dense', or more neighbours."
            ) from error
        order = np.argsort(values)[1:]
        self.embedding_, self.reconstruction_error_ = vectors[:, order], float(values[order].sum())

    def fit_transform(self, X: Any, y: Any = None) -> Matrix:
        """Return the coordinates of the rows of ``X``."""
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Matrix:
        """Place new rows by the combinations that rebuild them from their neighbours."""
        X = np.asarray(self._leave(X), dtype=np.float64)
        near = self.nbrs_.kneighbors(X, return_distance=False)
        W = barycentres(X, self.nbrs_._fit_X, near, self.reg)
        return np.einsum("nk,nkq->nq", W, self.embedding_[near])


def barycentres(X: Matrix, rows: Matrix, near: Codes, reg: float) -> Matrix:
    """Return the weights (n, k), summing to 1, that rebuild each row of ``X`` from its neighbours among ``rows``.

    >>> barycentres(np.array([[1.0]]), np.array([[0.0], [4.0]]), np.array([[0, 1]]), 0.0).round(6)
    array([[0.75, 0.25]])
    """
    n, k = near.shape
    W = np.empty((n, k))
    for i in range(0, n, 4096):
        C = rows[near[i : i + 4096]] - X[i : i + 4096, None, :]  # (n, k, p)
        G = np.matmul(C, C.swapaxes(1, 2))  # (n, k, k)
        trace = np.trace(G, axis1=1, axis2=2)
        ridge = np.where(trace > 0, max(reg, 1e-12) * trace, max(reg, 1e-12))
        G = G + ridge[:, None, None] * np.eye(k)
        w = np.linalg.solve(G, np.ones((len(G), k, 1)))[..., 0]
        W[i : i + 4096] = w / w.sum(axis=1, keepdims=True)
    return W
