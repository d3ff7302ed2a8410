r"""Multidimensional scaling: points from a table of dissimilarities.

*Classical* scaling turns squared distances into a matrix of inner products by centring it on both sides,

.. math:: B = -\tfrac12 J D^{(2)} J = V \Lambda V^\top, \qquad J = I - \tfrac1n \mathbf 1 \mathbf 1^\top, \qquad
          Y = V_q \Lambda_q^{1/2}. \tag{1}

Of Euclidean distances it gives the principal components; negative eigenvalues tell that no points have such distances. *Metric*
scaling (SMACOF) lowers the stress :math:`\sum_{i<j} (d_{ij} - \|y_i - y_j\|)^2` step by step instead.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import sklearn.manifold
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist

from epee.errors import DataError, DataWarning, WrongUse
from epee.estimator.base import NewAxes, Transformer, say
from epee.estimator.kinds import all_here
from epee.estimator.state import Saved
from epee.solve.spectral import descending_eigh, fix_signs
from epee.table.partitions import sent_back
from epee.typing import Matrix, Vector


def check_dissimilarities(D: Any) -> Matrix:
    """Return a table of dissimilarities (n, n), or raise the sentence that says why it is none.

    >>> check_dissimilarities([[0.0, 1.0], [2.0, 0.0]])
    Traceback (most recent call last):
        ...
    epee.errors.DataError: Array must be symmetric: row 0, column 1 of the dissimilarities holds 1 and row 1, column 0 holds 2. Average the two.
    """
    D = np.asarray(D, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise DataError(
            f"array must be 2-dimensional and square: the dissimilarities are {D.shape}. Give one row and column for each object."
        )
    if (D < 0).any():
        i, j = np.argwhere(D < 0)[0]
        raise DataError(
            f"Negative values in data: the dissimilarity in row {i}, column {j} is {D[i, j]:g}; it must be at least 0."
        )
    scale = max(float(np.abs(D).max(initial=0.0)), 1e-300)
    wrong = np.argwhere(np.abs(D - D.T) > 1e-8 * scale)
    if len(wrong):
        i, j = wrong[0]
        raise DataError(
            f"Array must be symmetric: row {i}, column {j} of the dissimilarities holds {D[i, j]:g} and row {j}, column {i} holds "
            f"{D[j, i]:g}. Average the two."
        )
    diagonal = np.flatnonzero(np.abs(np.diag(D)) > 1e-10 * scale)
    if len(diagonal):
        i = int(diagonal[0])
        raise DataError(f"the diagonal of the dissimilarities is not zero: row {i} holds {D[i, i]:g}. Set it to 0.")
    return D


def double_centre(squared: Matrix) -> Matrix:
    """Return the inner products B of (1) from squared distances."""
    row = squared.mean(axis=0)
    return -0.5 * (squared - row - row[:, None] + row.mean())


def leading(B: Matrix, q: int, seed: Any = 0) -> tuple[Vector, Matrix]:
    """Return the q largest eigenvalues and eigenvectors of a symmetric matrix, by Lanczos when it is large."""
    n = len(B)
    if n > 300 and q < min(10, n - 1):
        start = np.random.default_rng(seed if isinstance(seed, int) else 0).uniform(-1, 1, n)
        values, vectors = eigsh(B, k=q, which="LA", v0=start, tol=0)
        order = np.argsort(-values)
        return values[order], vectors[:, order]
    values, vectors = descending_eigh(B)
    return values[:q], vectors[:, :q]


class ClassicalMDS(NewAxes, Transformer):
    r"""Points whose inner products are :math:`-\frac12 J D^{(2)} J`.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions kept.
    metric : str, default="euclidean"
        A distance of SciPy between rows, or "precomputed" when ``X`` is the table of dissimilarities.
    metric_params : dict, default=None
        Further arguments of the distance.

    Attributes
    ----------
    embedding_ : array (n, q)
    eigenvalues_ : array (q,)
        Of B, decreasing, those of the dimensions kept.
    spectrum_ : array
        All eigenvalues of B, decreasing, when n <= 2,000; else ``eigenvalues_``.
    dissimilarity_matrix_ : array (n, n)
        The distances.
    negative_share_ : float
        Size of the negative eigenvalues among all: 0 for Euclidean distances.
    stress_ : float
        :math:`\sum_{i<j} (d_{ij} - \|y_i - y_j\|)^2`.

    Notes
    -----
    :math:`O(n^2)` memory. ``transform`` places new rows by Gower's formula, from their distances to those learned.

    References
    ----------
    Torgerson, *Psychometrika* 17 (1952); Gower, *Biometrika* 55 (1968).

    Examples
    --------
    >>> D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> Y = ClassicalMDS(metric="precomputed").fit_transform(D)
    >>> float(np.linalg.norm(Y[1] - Y[2]).round(6))
    5.0
    """

    state_parts = ("_rows", "_inverse", "_mean_square")
    state_skips = ("dissimilarity_matrix_",)

    _minimum_rows = 2

    def __init__(
        self, n_components: int = 2, *, metric: str = "euclidean", metric_params: dict[str, Any] | None = None
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the rows of ``X`` (n, p), or the objects of a table of dissimilarities (n, n); ``y`` is ignored."""
        X = self._enter(X, reset=True)
        if self.metric == "precomputed":
            D = check_dissimilarities(X)
        else:
            self._rows = np.asarray(X, dtype=np.float64)
            D = self._distances(self._rows)
        n, q = len(D), self.n_components
        if not (int(q) == q and 1 <= q <= n):
            raise WrongUse(f"n_components is {q!r}; it must be between 1 and the {n} objects.")
        B = double_centre(D**2)
        values, vectors = descending_eigh(B) if n <= 2000 else leading(B, int(q))
        self.spectrum_, self.eigenvalues_ = values, values[: int(q)]
        size = np.abs(values).sum()
        self.negative_share_ = float(-values[values < 0].sum() / size) if size > 0 else 0.0
        kept = values[: int(q)]
        tiny = 1e-10 * max(abs(values[0]), 1e-300)
        if self.negative_share_ > 1e-6:
            say(
                f"the dissimilarities are not Euclidean: {self.negative_share_:.1%} of the spectrum is negative, and dropped.",
                DataWarning,
            )
        if (kept <= tiny).any() and self.metric == "precomputed":
            say(f"only {int((kept > tiny).sum())} of the {q} dimensions asked for carry any distance.", DataWarning)
        root = np.sqrt(np.maximum(kept, 0.0))
        axes = fix_signs(vectors[:, : int(q)].T.copy()).T
        self.embedding_ = axes * root
        self._inverse = np.divide(1.0, root, out=np.zeros_like(root), where=kept > tiny) * axes  # (n, q)
        self._mean_square = (D**2).mean(axis=0)
        gaps = D - cdist(self.embedding_, self.embedding_)
        self.stress_ = float((gaps**2).sum() / 2)
        self._n_features_out = int(q)
        self.dissimilarity_matrix_ = D
        return self

    def _distances(self, X: Matrix) -> Matrix:
        return cdist(X, self._rows, self.metric, **(self.metric_params or {}))

    def fit_transform(self, X: Any, y: Any = None) -> Matrix:
        """Return the points of the objects."""
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Matrix:
        """Place new rows, or rows of dissimilarities (m, n) to the objects learned."""
        X = self._leave(X)
        D = X if self.metric == "precomputed" else self._distances(np.asarray(X, dtype=np.float64))
        return 0.5 * (self._mean_square - D**2) @ self._inverse


class MDS(Saved, sklearn.manifold.MDS):
    r"""Metric and non-metric scaling by SMACOF: scikit-learn's own, with our checks of a table of dissimilarities.

    All parameters, attributes and methods are those of :class:`sklearn.manifold.MDS`, whose compiled isotonic steps are used.

    Parameters
    ----------
    n_components, metric_mds, n_init, init, max_iter, verbose, eps, n_jobs
        As in scikit-learn.
    random_state, dissimilarity, metric, metric_params, normalized_stress
        As in scikit-learn.

    Notes
    -----
    Each start lowers the stress :math:`\sum_{i<j} (d_{ij} - \|y_i - y_j\|)^2` at every step; the best of ``n_init`` is kept.

    References
    ----------
    Borg and Groenen, *Modern Multidimensional Scaling* (2005).

    Examples
    --------
    >>> D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> MDS(metric="precomputed", n_init=1, init="random", random_state=0).fit_transform(D).shape
    (3, 2)
    """

    def fit_transform(self, X: Any, y: Any = None, init: Any = None) -> Matrix:
        """Return the points of the rows of ``X``, or of the objects of a table of dissimilarities."""
        given, (X,) = X, all_here(self, X)
        pairwise = "precomputed" in (getattr(self, "metric", None), getattr(self, "dissimilarity", None))
        if pairwise and np.ndim(X) == 2:
            check_dissimilarities(X)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", FutureWarning
            )  # its defaults are on the move; ours follow the release installed
            points: Matrix = sent_back(super().fit_transform(X, y, init=init), given)
        return points
