r"""The exact search of neighbours: by boxes in few dimensions, by products of matrices in many.

Both rank rows by (distance, row number), so equal distances are settled alike and the answers are the same to the last bit.
Coordinates are first multiplied by a power of two, which rounds nothing, so that none overflows in float32: in it the products screen
candidates, which are settled in float64 (:mod:`.screening`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from epee.arrays import at_home, is_elsewhere, library_of, namespace
from epee.engines.local import in_order
from epee.errors import DataError
from epee.predictors.neighbours.metrics import Metric, distance_table, resolve
from epee.predictors.neighbours.screening import QUERIES, Screen, ScreenThere
from epee.stateful import Part
from epee.typing import Codes, Matrix

MANY_COLUMNS = 16  # from here on boxes leave out too little, unless the rows are few


class Search(Part):
    """Find the k nearest of the rows ``X`` (n, p) to any query."""

    state_parts = ("rows", "given", "metric", "leaf_size", "X", "scale", "by_products")

    def __init__(
        self, X: Any, metric: Any = "minkowski", p: float = 2.0, params: dict[str, Any] | None = None,
        algorithm: str = "auto", leaf_size: int = 30,
    ) -> None:  # fmt: skip
        self.rows = X
        self.given = (metric, p, params)
        self.metric: Metric | None = resolve(metric, p, params, X)
        self.leaf_size = leaf_size
        if self.metric is None:
            return
        self.X = self.metric.enter(X)
        largest = float(np.abs(self.X).max(initial=0.0))
        self.scale = 2.0 ** -np.frexp(largest)[1] if largest > 0 else 1.0
        self.X = self.X * self.scale
        n, columns = self.X.shape
        many = columns >= MANY_COLUMNS and n >= 500
        self.by_products = self.metric.code == 0 and (algorithm == "brute" or (algorithm == "auto" and many))

    def nearest(self, Q: Any, k: int) -> tuple[Matrix, Codes]:
        """Return the distances and the row numbers (m, k) of the nearest rows, nearest first."""
        if is_elsewhere(Q):
            return self._elsewhere(Q, k)
        if self.metric is None:
            return self._from_table(Q, k)
        same = Q is self.rows
        Q = self.X if same else self.metric.enter(Q) * self.scale
        candidates = k + max(16, k // 2)
        if self.by_products and candidates < len(self.X) // 2:
            d, found = self._by_products(Q, k, candidates)
        else:
            d, found = self._by_boxes(Q, k)
        return self.metric.leave(d, self.scale), found

    def _elsewhere(self, Q: Any, k: int) -> tuple[Matrix, Codes]:
        """Do the same for queries that lie elsewhere: there, where the metric is Euclid's and the rows are many."""
        metric, candidates = self.metric, k + max(16, k // 2)
        plain = metric is not None and metric.code == 0 and not metric.cosine and metric.stretch is None
        if not plain or candidates >= len(self.X) // 2:
            return self.nearest(at_home(Q), k)
        assert metric is not None
        sent: ScreenThere | None = self.__dict__.get("_sent")
        if sent is None or library_of(sent.X) != library_of(Q) or sent.X.device != Q.device:
            self._sent = sent = ScreenThere(self.X, Q)
        xp = namespace(Q)
        d, found, doubtful = sent.nearest(xp.astype(Q, xp.float64) * float(self.scale), k, candidates)
        d = metric.leave(d, self.scale)
        if doubtful.any():
            d[doubtful], found[doubtful] = self.nearest(at_home(Q)[doubtful], k)
        return d, found

    def _boxes(self) -> tuple[Any, ...]:
        """Build the tree at the first search that needs it."""
        if not hasattr(self, "_tree"):
            from epee.kernels.neighbours_tree import build

            n, p = self.X.shape
            leaf = max(self.leaf_size, min(16 * p, 256))
            depth = max(0, int(np.ceil(np.log2(n / leaf))))
            centre = self.X.mean(axis=0)
            spread = float(_norms(self.X - centre, self.metric).max())
            rows, boxes = np.arange(n), np.empty((2 ** (depth + 1) - 1, 2, p))
            leaves = np.empty(n * p, dtype=np.float32)
            if depth < 3:
                build(self.X, centre, rows, boxes, leaves, 0, 0, 0, depth)
            else:
                build(self.X, centre, rows, boxes, leaves, 0, 0, 0, 1)
                list(in_order(lambda c: build(self.X, centre, rows, boxes, leaves, 1 + c, 1, c, depth), range(2)))
            self._tree = (centre, spread, rows, boxes, leaves, depth)
        return self._tree

    def _compiled(self, Q: Matrix, d: Matrix, found: Codes) -> bool:
        """Tell whether the search by boxes can be called without a compiler; where not, have it compiled beside the work."""
        from epee.kernels.background import there
        from epee.kernels.neighbours_tree import build, search

        assert self.metric is not None
        if hasattr(self, "_tree"):
            return True
        line, rows, boxes, leaves = np.empty(0), np.empty(0, np.int64), np.empty((0, 2, 0)), np.empty(0, np.float32)
        ways = self.metric.code, self.metric.power
        ready = [
            there(build, (self.X, line, rows, boxes, leaves, 0, 0, 0, 0)),
            there(search, (Q[:1], self.X, line, 0.0, rows, boxes, leaves, 0, *ways, d[:1], found[:1])),
        ]
        return all(ready)

    def _by_boxes(self, Q: Matrix, k: int) -> tuple[Matrix, Codes]:
        from epee.kernels.neighbours_tree import search
        from epee.kernels.neighbours_twin import bearable, few, search_all

        metric = self.metric
        assert metric is not None
        if few(Q, self.X):
            return search_all(Q, self.X, k, metric.code, metric.power)
        d, found = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
        if bearable(Q, self.X, metric.code) and not self._compiled(Q, d, found):
            parts = [
                search_all(Q[i : i + QUERIES], self.X, k, metric.code, metric.power) for i in range(0, len(Q), QUERIES)
            ]
            return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        tree = self._boxes()

        def work(start: int) -> None:
            part = slice(start, start + QUERIES)
            search(Q[part], self.X, *tree, metric.code, metric.power, d[part], found[part])

        list(in_order(work, range(0, len(Q), QUERIES)))
        return d, found

    def _by_products(self, Q: Matrix, k: int, candidates: int) -> tuple[Matrix, Codes]:
        if not hasattr(self, "_screen"):
            self._screen = Screen(self.X)
        d, found, doubtful = self._screen.nearest(Q, k, candidates)
        if doubtful.any():
            d[doubtful], found[doubtful] = self._by_boxes(np.ascontiguousarray(Q[doubtful]), k)
        return d, found

    def tables(self, Q: Any) -> Iterator[tuple[int, Matrix]]:
        """Yield all distances of some queries at a time, with the number of the first of them."""
        metric, p, params = self.given
        n = self.rows.shape[0]
        step = max(1, min(Q.shape[0], 2**24 // max(n, 1)))
        for start in range(0, Q.shape[0], step):
            yield start, distance_table(Q[start : start + step], self.rows, metric, p, params)

    def _from_table(self, Q: Any, k: int) -> tuple[Matrix, Codes]:
        parts = []
        for _, D in self.tables(Q):
            order = np.argsort(D, axis=1, kind="stable")[:, :k]
            parts.append((np.take_along_axis(D, order, axis=1), order))
        d = np.concatenate([d for d, _ in parts])
        if np.isposinf(d).any():
            fewest = int(np.isfinite(d).sum(axis=1).min())
            raise DataError(
                f"{k} neighbors are required for some samples, but some samples have only {fewest} neighbors in precomputed graph "
                "matrix. Decrease number of neighbors used or recompute the graph with more neighbors."
            )
        return d, np.concatenate([f for _, f in parts])


def _norms(X: Matrix, metric: Metric | None) -> Matrix:
    assert metric is not None
    if metric.code == 0:
        return np.sqrt(np.einsum("ij,ij->i", X, X))
    if metric.code == 2:
        return np.abs(X).max(axis=1, initial=0.0)
    return (np.abs(X) ** (1.0 if metric.code == 1 else metric.power)).sum(axis=1) ** (
        1.0 if metric.code == 1 else 1.0 / metric.power
    )
