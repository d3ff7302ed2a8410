r"""k-means on sparse rows that are held: distances from the cells that are not 0,

.. math:: \|x - c\|^2 = \|x\|^2 + \bigl(\|c\|^2 - 2 x^\top c\bigr),

so that the nearest centre is the one whose bracket is least, and a pass costs K products a cell. Centres are full, rows never are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.moments.sparse import cell_sums
from epee.structure.kmeans_blocks import Clouds
from epee.table.sparse import AT_ONCE, SparseSource, rows_between
from epee.typing import Codes, Matrix, Vector


class SparseRows:
    """Rows that stay as they are from pass to pass, each with its cluster."""

    def __init__(self, source: SparseSource) -> None:
        self.X, self.w = source.X, source.weight
        n, p = self.X.shape
        self.origin = np.zeros(p)
        self.lengths = np.asarray(self.X.multiply(self.X).sum(axis=1), dtype=np.float64).ravel()
        self.squares = float(self.lengths.sum() if self.w is None else self.w @ self.lengths)
        self.labels, self.scores = np.full(n, -1, dtype=np.int64), np.empty(n)
        step = max(1, n // max(1, self.X.nnz // AT_ONCE + 1))
        self.parts = [slice(i, min(i + step, n)) for i in range(0, n, step)]

    def allocate(self, centres: Matrix) -> tuple[Clouds, int]:
        """Return the clouds around these centres and how many rows changed cluster."""
        from epee.kernels.sparse_sums import nearest_of_sparse

        columns, squares = np.ascontiguousarray(centres.T), np.einsum("kj,kj->k", centres, centres)

        def work(s: slice) -> int:
            rows = rows_between(self.X, s.start, s.stop)
            return int(
                nearest_of_sparse(
                    rows.data, rows.indices, rows.indptr, columns, squares, self.labels[s], self.scores[s]
                )
            )

        return self._clouds(len(centres), sum(in_order(work, self.parts)))

    def _clouds(self, k: int, changed: int) -> tuple[Clouds, int]:
        count = np.bincount(self.labels, self.w, k).astype(np.float64)
        sums = cell_sums(self.X, self.labels, k, self.w)
        none = np.broadcast_to(0.0, sums.shape)
        return Clouds(count, sums, self.squares, np.full(k, -1.0), none, np.zeros(k)), changed

    def give(self, clouds: Clouds, empty: Codes) -> Clouds:
        """Return the clouds after each empty cluster took one of the rows farthest from their centres."""
        away = self.lengths + self.scores
        away = away if self.w is None else np.where(self.w > 0, away, -1.0)
        taken = 0
        for i in np.argsort(-away, kind="stable"):
            if taken == len(empty) or away[i] <= 0:
                break
            if np.count_nonzero(self.labels == self.labels[i]) > 1:
                self.labels[i] = empty[taken]
                taken += 1
        return self._clouds(len(clouds.count), taken)[0]


def sparse_plus_plus(X: Any, w: Vector | None, k: int, rng: np.random.Generator, trials: int | None = None) -> Codes:
    """Return the rows (k,) at which k-means++ puts its centres; see :func:`~epee.structure.kmeans_starts.plus_plus`."""
    n, lengths = X.shape[0], np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    trials = 2 + int(np.log(k)) if trials is None else trials
    weights = np.ones(n) if w is None else w
    chosen = np.empty(k, dtype=np.intp)
    chosen[0] = np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right").clip(0, n - 1)

    def distances(candidates: Codes) -> Matrix:
        products = np.asarray((X @ X[candidates].T).toarray()).T  # (candidates, n), from the columns that both have
        return np.maximum(lengths + lengths[candidates][:, None] - 2 * products, 0.0)

    squared = distances(chosen[:1])[0]
    for c in range(1, k):
        mass = np.cumsum(weights * squared)
        if not mass[-1] > 0:  # every row lies on a centre
            left = np.setdiff1d(np.flatnonzero(weights > 0), chosen[:c])
            chosen[c:] = rng.choice(left, k - c, replace=len(left) < k - c)
            break
        candidates = np.searchsorted(mass, rng.random(trials) * mass[-1], side="right").clip(0, n - 1)
        closer = np.minimum(distances(candidates), squared)
        best = int(np.argmin(closer @ weights))
        chosen[c], squared = candidates[best], closer[best]
    return chosen
