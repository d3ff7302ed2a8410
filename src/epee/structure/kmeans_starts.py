r"""Where k-means starts.

*k-means++* draws the first centre at random and each next one with probability in proportion to :math:`w_i D_i^2`, the squared
distance to the nearest centre so far; of :math:`2 + \lfloor \log k \rfloor` draws it keeps the one that lowers
:math:`\sum_i w_i D_i^2` most. The criterion is then within :math:`8(\log k + 2)` of the best in expectation.

Of a stream a sample is drawn first, in one pass: row :math:`i` gets the key :math:`-\log(u_i) / w_i`, where :math:`u_i` is a hash of
its number, and the :math:`m` smallest keys stay. Such samples merge, and do not depend on how the rows were cut into blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.errors import DataError, WrongUse
from epee.table.block import Block, Source
from epee.table.sparse import SparseSource
from epee.typing import Codes, Matrix, Seed, Vector

CHUNK = 16384  # rows a thread works on


def as_generator(seed: Seed) -> np.random.Generator:
    """Return a generator for a seed, a generator or scikit-learn's ``RandomState``.

    >>> int(as_generator(0).integers(10)), int(as_generator(np.random.RandomState(0)).integers(1))
    (8, 0)
    """
    if isinstance(seed, np.random.RandomState):
        seed = int(seed.randint(2**31 - 1))
    elif seed is np.random:
        seed = int(np.random.randint(2**31 - 1))  # noqa: NPY002
    return np.random.default_rng(seed)


def chunks(n: int, rows: int = CHUNK) -> list[slice]:
    """Cut n rows for threads; the cut does not depend on how many there are.

    >>> chunks(5, 3)
    [slice(0, 3, None), slice(3, 6, None)]
    """
    return [slice(i, i + rows) for i in range(0, n, rows)]


def check_count(k: Any, what: str = "n_clusters") -> int:
    """Return a number of clusters, or say why it is none.

    >>> check_count(0)
    Traceback (most recent call last):
        ...
    epee.errors.WrongUse: n_clusters is 0; it must be a whole number of at least 1.
    """
    if isinstance(k, bool | np.bool_) or not isinstance(k, int | np.integer) or k < 1:
        raise WrongUse(f"{what} is {k!r}; it must be a whole number of at least 1.")
    return int(k)


def refuse_too_many(source: Source, k: int, *, copies: bool = False) -> None:
    """Refuse more clusters than there are distinct rows, or with ``copies`` than rows; reads only until k are found."""
    found, n = np.empty((0, source.n_columns)), 0
    if isinstance(source, SparseSource):  # which rows differ is told by a few sums of each
        X = source.X if source.weight is None else source.X[source.weight > 0]
        mark = np.random.default_rng(0).normal(size=source.n_columns)
        some = X[: 4 * k + 256]
        if len(np.unique(np.asarray(some @ mark))) >= k or len(np.unique(np.asarray(X @ mark))) >= k:
            return
    head = source.head() if source.is_away else None  # the others would have to come here
    if head is not None and head.weight is None and len(np.unique(head.X, axis=0)) >= k:
        return
    for block in source.blocks(max(256, 4 * k)):
        rows = block.X if block.weight is None else block.X[block.weight > 0]
        if not n and surely_distinct(rows, k):
            return
        n += len(rows)
        found = np.unique(np.concatenate([found, rows]), axis=0)
        if len(found) >= k:
            return
    if copies and n >= k:
        return
    many = "s" if len(found) != 1 else ""
    raise DataError(
        f"n_samples={n} should be >= n_clusters={k}: the table has only {len(found)} distinct row{many} of positive weight; ask for "
        f"at most {len(found)} cluster{many}."
    )


def surely_distinct(X: Matrix, k: int) -> bool:
    """Tell whether the first rows hold ``k`` distinct ones: what can be said without sorting all of them.

    >>> surely_distinct(np.array([[0.0], [1.0]]), 2), surely_distinct(np.array([[0.0], [-0.0]]), 2)
    (True, False)
    """
    some = np.ascontiguousarray(X[: 4 * k]) + 0  # zero has two spellings; now it has one
    return len({row.tobytes() for row in some}) >= k


def plus_plus(X: Matrix, w: Vector | None, k: int, rng: np.random.Generator, trials: int | None = None) -> Codes:
    """Return the rows (k,) at which k-means++ puts its centres.

    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> sorted(plus_plus(X, None, 2, np.random.default_rng(0)) // 2)
    [np.int64(0), np.int64(1)]
    """
    from epee.kernels.cluster_lloyd import closer

    n = len(X)
    trials = 2 + int(np.log(k)) if trials is None else trials
    weights = np.ones(n) if w is None else w
    chosen = np.empty(k, dtype=np.intp)
    chosen[0] = min(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right"), n - 1)
    squared = np.full(n, np.inf)
    out = np.empty((max(trials, 1), n))

    def shrink(candidates: Codes) -> Vector:
        C = np.ascontiguousarray(X[candidates])

        def work(s: slice) -> Vector:
            part = out[: len(C), s]
            closer(X[s], C, squared[s], part)
            return part @ weights[s]

        if n <= CHUNK:
            return work(slice(0, n))
        return np.sum(list(in_order(work, chunks(n))), axis=0)  # (candidates,) potentials

    shrink(chosen[:1])
    squared[:] = out[0]
    for c in range(1, k):
        mass = np.cumsum(weights * squared)
        if not mass[-1] > 0:  # every row lies on a centre, up to rounding
            left = np.setdiff1d(np.flatnonzero(weights > 0), chosen[:c])
            chosen[c:] = rng.choice(left, k - c, replace=len(left) < k - c)
            break
        candidates = np.minimum(np.searchsorted(mass, rng.random(trials) * mass[-1], side="right"), n - 1)
        best = int(np.argmin(shrink(candidates)))
        chosen[c] = candidates[best]
        squared[:] = out[best]
    return chosen


@dataclass(frozen=True)
class Sample:
    """Rows kept by the smallest keys; two samples merge into the sample of both."""

    X: Matrix
    keys: Vector
    size: int

    def __add__(self, other: Sample) -> Sample:
        return _smallest(np.concatenate([self.X, other.X]), np.concatenate([self.keys, other.keys]), self.size)


def _smallest(X: Matrix, keys: Vector, size: int) -> Sample:
    keep = np.sort(np.argpartition(keys, size)[:size]) if len(keys) > size else np.arange(len(keys))
    keep = keep[np.isfinite(keys[keep])]
    return Sample(X[keep], keys[keep], size)


@dataclass(frozen=True)
class Draw:
    """Draw a sample of a block: a pure function of the seed and the numbers of the rows."""

    size: int
    seed: int
    numbered = True  # it needs the numbers of the rows, on a cluster too

    def __call__(self, block: Block) -> Sample:
        z = np.arange(block.start, block.start + len(block), dtype=np.uint64) + np.uint64(self.seed)
        with np.errstate(over="ignore"):  # splitmix64
            z = z * np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = z ^ (z >> np.uint64(31))
        u = (z >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54
        w = np.ones(len(block)) if block.weight is None else block.weight
        with np.errstate(divide="ignore"):
            keys = np.where(w > 0, -np.log(u) / w, np.inf)
        return _smallest(np.asarray(block.X, dtype=np.float64), keys, self.size)
