"""All rows within a distance, and rows that a search of another kind holds already."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epee.errors import WrongUse
from epee.typing import Codes, Matrix


def rows_inside(X: Any) -> Any:
    """Return the rows that a fitted search, a ``KDTree`` or a ``BallTree`` holds; anything else as it is."""
    if hasattr(X, "_fit_X") and hasattr(X, "kneighbors"):
        return X._fit_X
    if type(X).__module__.startswith("sklearn.neighbors.") and hasattr(X, "query_radius"):
        return np.asarray(X.data)
    return X


class RadiusQueries:
    """``radius_neighbors`` for what keeps its rows in ``_search``."""

    _search: Any
    _kept: Codes | None
    _fit_X: Any
    n_samples_fit_: int
    _leave: Any

    def radius_neighbors(
        self, X: Any = None, radius: float = 1.0, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        """Return, for each query, the distances and the numbers of the training rows at most ``radius`` away.

        Both are arrays (m,) of arrays, in the order of the rows, or nearest first with ``sort_results=True``. ``X=None`` asks for the
        training rows, none its own neighbour.
        """
        check_is_fitted(self)
        if not radius >= 0:
            raise WrongUse(f"radius is {radius!r}; it must be a number of at least 0.")
        if sort_results and not return_distance:
            raise WrongUse("return_distance must be True if sort_results is True.")
        Q = self._fit_X if X is None else self._leave(X)
        far, who = [], []
        for first, D in self._search.tables(Q):
            for i, d in enumerate(D, start=first):
                near = d <= radius
                if X is None:
                    near[i] = False
                found = np.flatnonzero(near)
                if sort_results:
                    found = found[np.argsort(d[found], kind="stable")]
                far.append(d[found])
                who.append(found if self._kept is None else self._kept[found])
        distances, rows = _ragged(far), _ragged(who)
        return (distances, rows) if return_distance else rows

    def radius_neighbors_graph(
        self, X: Any = None, radius: float = 1.0, mode: str = "connectivity", sort_results: bool = False
    ) -> Any:
        """Return the sparse graph (m, n) from each query to the rows within ``radius``: ones, or distances for ``mode="distance"``."""
        from scipy.sparse import csr_matrix

        if mode not in ("connectivity", "distance"):
            raise WrongUse(f"Unsupported mode, must be one of 'connectivity', or 'distance' but got {mode!r} instead")
        d, rows = self.radius_neighbors(X, radius, sort_results=sort_results)
        sizes = np.array([len(found) for found in rows], dtype=np.int64)
        data = np.concatenate(list(d)) if mode == "distance" else np.ones(sizes.sum())
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        return csr_matrix((data, np.concatenate(list(rows)), indptr), shape=(len(rows), self.n_samples_fit_))


def _ragged(parts: list[Any]) -> Matrix:
    """Return an array of arrays."""
    out = np.empty(len(parts), dtype=object)
    for i, part in enumerate(parts):
        out[i] = part
    return out
