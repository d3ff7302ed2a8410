r"""Distances, and how they reduce to a few.

Minkowski's distance of power :math:`p` is :math:`\big(\sum_j |x_j - z_j|^p\big)^{1/p}`: Manhattan for :math:`p = 1`, Euclid
for 2, Chebyshev in the limit. Three others are Euclid's after a change of coordinates:

.. math:: \text{Mahalanobis } \|L^\top (x - z)\|,\; V^{-1} = L L^\top; \qquad
          \text{standardised } \|V^{-1/2}(x - z)\|; \qquad
          \text{cosine } 1 - \cos(x, z) = \tfrac12 \Big\| \frac{x}{\|x\|} - \frac{z}{\|z\|} \Big\|^2. \tag{1}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import DataError, SingularProblem, WrongUse
from epee.stateful import Part
from epee.table.sparse import is_sparse
from epee.typing import Matrix, Vector

ALIASES = {
    "l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean", "infinity": "chebyshev", "p": "minkowski",
}  # fmt: skip


@dataclass(frozen=True)
class Metric(Part):
    """A distance for the fast searches: coordinates to change to, the kernel's code, and how to change back."""

    code: int  # 0 squared Euclidean, 1 Manhattan, 2 Chebyshev, 3 power of Minkowski
    power: float = 2.0
    stretch: Matrix | None = None  # (p,) factors of the columns, or (p, p) a change of axes
    cosine: bool = False

    def enter(self, X: Matrix) -> Matrix:
        """Return rows (n, p) in the coordinates of the search."""
        X = np.asarray(X, dtype=np.float64)
        if self.cosine:
            X = _unit(X)
        elif self.stretch is not None:
            X = X * self.stretch if self.stretch.ndim == 1 else X @ self.stretch
        return np.ascontiguousarray(X)

    def leave(self, d: Matrix, scale: float) -> Matrix:
        """Return distances from the kernel's values, for coordinates that were multiplied by ``scale``."""
        if self.cosine:
            return d / (2.0 * scale**2)
        d = np.sqrt(d) if self.code == 0 else d ** (1.0 / self.power) if self.code == 3 else d
        return d / scale


def resolve(metric: Any, p: float, params: dict[str, Any] | None, X: Any) -> Metric | None:
    """Return the metric for the fast searches, or None if only a table of all distances will do.

    >>> resolve("minkowski", 1, None, np.ones((3, 2))).code
    1
    """
    if is_sparse(X) and isinstance(metric, str):
        from sklearn.neighbors import VALID_METRICS_SPARSE

        plain = metric == "minkowski" and (params or {}).get("p", p) in (1, 2)
        if not plain and metric not in VALID_METRICS_SPARSE["brute"]:
            raise WrongUse(
                f"Metric '{metric}' not valid for sparse input. Use sorted(sklearn.neighbors.VALID_METRICS_SPARSE['brute'])."
            )
    if callable(metric) or hasattr(metric, "pairwise") or is_sparse(X):
        return None
    name, params = ALIASES.get(metric, metric), dict(params or {})
    if name == "minkowski":
        power = float(params.get("p", p))
        if not power > 0:
            raise WrongUse(f"p is {power:g}; the power of Minkowski's distance must be positive.")
        factors = _factors(params.get("w"), power, X.shape[1])
        name = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(power, name)
        if name == "minkowski":
            return Metric(3, power, factors) if power > 1 else None
        return Metric({"euclidean": 0, "manhattan": 1, "chebyshev": 2}[name], stretch=factors)
    if name == "euclidean":
        return Metric(0)
    if name == "manhattan":
        return Metric(1)
    if name == "chebyshev":
        return Metric(2)
    if name == "mahalanobis":
        return Metric(0, stretch=_half_inverse(params, X))
    if name == "seuclidean":
        V = np.asarray(params.get("V", X.var(axis=0, ddof=1)), dtype=float)
        if (V <= 0).any():
            raise SingularProblem(
                f"column {int(np.argmin(V))} has variance {V.min():g}: it cannot be standardised. Drop it."
            )
        return Metric(0, stretch=1 / np.sqrt(V))
    if name == "cosine":
        return Metric(0, cosine=True)
    from sklearn.neighbors import VALID_METRICS

    if name != "precomputed" and name not in VALID_METRICS["brute"]:
        names = "'euclidean', 'manhattan', 'chebyshev', 'minkowski', 'mahalanobis', 'cosine'"
        raise WrongUse(
            f"metric is {metric!r}; it must be one of {names}, a name of SciPy's, or a function of two rows."
        )
    return None


def _factors(w: Any, power: float, columns: int) -> Vector | None:
    if w is None:
        return None
    weights = np.asarray(w, dtype=float)
    if weights.shape != (columns,) or not (weights >= 0).all():
        raise WrongUse(f"metric_params['w'] must hold {columns} non-negative weights, one a column.")
    return np.ones(columns) if power == np.inf else weights ** (1.0 / power)


def _half_inverse(params: dict[str, Any], X: Matrix) -> Matrix:
    """Return L with L L' the inverse covariance, given or that of the rows."""
    try:
        if "VI" in params:
            return np.linalg.cholesky(np.asarray(params["VI"], dtype=float))
        V = np.asarray(params["V"], dtype=float) if "V" in params else np.atleast_2d(np.cov(X.T))
        from scipy.linalg import solve_triangular

        C = np.linalg.cholesky(V)
        if C.diagonal().min() <= 1e-8 * C.diagonal().max():
            raise np.linalg.LinAlgError
        return solve_triangular(C, np.eye(len(C)), lower=True).T
    except np.linalg.LinAlgError:
        raise SingularProblem(
            "the covariance of the Mahalanobis distance is singular: drop the columns that the others determine, or give "
            "metric_params={'V': ...}."
        ) from None


def _unit(X: Matrix) -> Matrix:
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X))
    if not lengths.all():
        row = int(np.flatnonzero(lengths == 0)[0])
        raise DataError(
            f"row {row} is zero and has no direction for the cosine distance. Drop it, or use another metric."
        )
    return X / lengths[:, None]


def distance_table(Q: Any, X: Any, metric: Any, p: float, params: dict[str, Any] | None) -> Vector:
    """Return all distances (m, n), for a metric that has no fast search."""
    from sklearn.metrics import pairwise_distances

    if hasattr(metric, "pairwise"):  # a DistanceMetric of scikit-learn's
        kind = np.float32 if "32" in type(metric).__name__ else np.float64
        return metric.pairwise(np.ascontiguousarray(Q, dtype=kind), np.ascontiguousarray(X, dtype=kind))
    if metric == "precomputed":
        return _from_graph(Q) if is_sparse(Q) else np.asarray(Q, dtype=float)
    extra = dict(params or {})
    if metric == "minkowski":
        if is_sparse(X) and p in (1, 2):
            metric = "manhattan" if p == 1 else "euclidean"
        else:
            extra.setdefault("p", p)
    return pairwise_distances(Q, X, metric=metric, **extra)


def _from_graph(Q: Any) -> Matrix:
    """Return a sparse graph of distances as a table: what is not stored is out of reach."""
    graph = Q.tocsr()
    table = np.full(graph.shape, np.inf)
    table[np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr)), graph.indices] = graph.data
    return table
