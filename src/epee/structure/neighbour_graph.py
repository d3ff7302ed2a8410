"""The graph of neighbours that manifold methods walk on, and whether it is in one piece."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from epee.engines.local import in_order
from epee.errors import DataError, InPieces, WrongUse
from epee.estimator.base import say
from epee.settings import options
from epee.typing import Codes, Matrix

SOURCES = 64  # starting points walked at once


def neighbour_search(X: Matrix, k: int | None, radius: float | None, **how: Any) -> NearestNeighbors:
    """Return a fitted search for ``k`` neighbours or those within ``radius``."""
    if (k is None) == (radius is None):
        raise WrongUse(
            "Both n_neighbors and radius are provided, or neither: give one of the two, and the other as None."
        )
    if k is not None and not (int(k) == k and 1 <= k < X.shape[0]):
        raise DataError(
            f"n_neighbors is {k!r}; it must be at least 1 and below the number of rows, n_samples = {X.shape[0]}."
        )
    if radius is not None and not radius > 0:
        raise WrongUse(f"radius is {radius!r}; it must be positive.")
    return NearestNeighbors(n_neighbors=k or 5, radius=radius or 1.0, n_jobs=options.thread_count(), **how).fit(X)


def distance_graph(search: NearestNeighbors, k: int | None) -> sparse.csr_matrix:
    """Return the symmetric graph of distances between neighbours."""
    graph = (
        search.kneighbors_graph(mode="distance") if k is not None else search.radius_neighbors_graph(mode="distance")
    )
    return undirected(graph)


def undirected(*graphs: Any) -> sparse.csr_matrix:
    """Return the edges of all graphs in both directions, the longest of those between two nodes; edges of length zero are edges.

    >>> undirected(sparse.csr_matrix(([0.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))).nnz
    4
    """
    parts = [graph.tocoo() for graph in graphs]
    a, b, length = (np.concatenate(arrays) for arrays in zip(*((g.row, g.col, g.data) for g in parts), strict=True))
    rows, columns, lengths = np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([length, length])
    order = np.lexsort((-lengths, columns, rows))
    rows, columns, lengths = rows[order], columns[order], lengths[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (np.diff(rows) != 0) | (np.diff(columns) != 0)
    return sparse.csr_matrix((lengths[first], (rows[first], columns[first])), shape=parts[0].shape)


def in_one_piece(
    graph: sparse.csr_matrix, X: Any, disconnected: str, table: bool = False
) -> tuple[sparse.csr_matrix, int]:
    """Return the graph with its pieces bridged by the nearest pairs, and how many pieces there were.

    ``disconnected``: "connect" says so in a warning, "raise" refuses; so does a graph of distances that stores none between the pieces.
    ``table``: ``X`` are distances between the rows, not rows.
    """
    count, piece = pieces_of(
        graph, "raise" if sparse.issparse(X) else disconnected, "the nearest pairs were joined meanwhile"
    )
    if count == 1:
        return graph, 1
    bridges = _bridges(X, piece, count, table)
    rows, columns, lengths = (np.array(part) for part in zip(*bridges, strict=True))
    extra = sparse.csr_matrix((lengths, (rows, columns)), shape=graph.shape)
    return undirected(graph, extra), int(count)


def pieces_of(graph: sparse.csr_matrix, disconnected: str, meanwhile: str) -> tuple[int, Codes]:
    """Return how many pieces a graph has and the piece of each row; several are said with what happens, or refused on "raise"."""
    count, piece = connected_components(graph, directed=False)
    if count > 1:
        sizes = np.sort(np.bincount(piece))[::-1]
        shown = ", ".join(map(str, sizes[:5])) + (", ..." if count > 5 else "")
        sentence = (
            f"the number of connected components is {count}: the graph of neighbours is in {count} pieces of {shown} rows, no path joins "
            "them. Raise n_neighbors or radius"
        )
        if disconnected == "raise":
            raise InPieces(sentence + ", or embed each piece alone.")
        say(f"{sentence}; {meanwhile}.")
    return int(count), piece


def _bridges(X: Matrix, piece: Codes, count: int, table: bool) -> list[tuple[int, int, float]]:
    """Return, for every pair of pieces, the edge between their nearest rows."""
    from scipy.spatial.distance import cdist

    order = np.argsort(piece, kind="stable")
    starts = np.searchsorted(piece[order], np.arange(count + 1))
    found = []
    for a in range(1, count):
        mine, others = order[starts[a] : starts[a + 1]], order[: starts[a]]
        D = X[np.ix_(others, mine)] if table else cdist(X[others], X[mine])
        nearest = D.argmin(axis=1)
        shortest = D[np.arange(len(others)), nearest]
        for b in range(a):
            i = starts[b] + int(np.argmin(shortest[starts[b] : starts[b + 1]]))
            found.append((int(others[i]), int(mine[nearest[i]]), float(shortest[i])))
    return found


def geodesics(graph: sparse.csr_matrix, sources: Codes | None = None) -> Matrix:
    """Return shortest paths (len(sources), n) in a graph, several starting points at once.

    >>> line = sparse.csr_matrix(np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1))
    >>> geodesics(line)[0]
    array([0., 1., 2.])
    """
    from epee.kernels.paths import shortest_paths

    n = graph.shape[0]
    sources = np.arange(n) if sources is None else np.asarray(sources, dtype=np.int64)
    out = np.empty((len(sources), n))
    indptr, indices, weights = (
        graph.indptr.astype(np.int32),
        graph.indices.astype(np.int32),
        graph.data.astype(np.float64),
    )
    longest = float(weights.max(initial=0.0))
    width = max(float(weights[weights > 0].mean()) / 2 if longest > 0 else 1.0, longest / 100_000)
    rings = int(longest / width) + 3

    def walk(i: int) -> None:
        shortest_paths(indptr, indices, weights, width, rings, sources, i, min(i + SOURCES, len(sources)), out)

    work = range(0, len(sources), SOURCES)
    for _ in in_order(walk, work):
        pass
    return out
