r"""The passes of k-means: allocate, add, move.

A pass reduces the rows to sums that merge: of each cluster the count :math:`n_k` and the sum :math:`s_k` of its rows, and
:math:`q = \sum_i w_i \|x_i\|^2`, all about a common origin. They give the criterion for any centres,

.. math:: J(c) = q - 2 \sum_k c_k^\top s_k + \sum_k n_k \|c_k\|^2, \tag{1}

so both half-steps, allocation and means, are known from one pass. Rows in memory keep bounds between passes and add
only what changed; a stream is reduced by its engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from epee.engines.choice import engine_for
from epee.engines.local import in_order, one_blas_thread
from epee.moments.moments import share
from epee.structure.kmeans_blocks import Clouds, clouds_of, contiguous
from epee.structure.kmeans_starts import chunks
from epee.table.arrays import ArraySource
from epee.table.block import Block, Source, refuse_bad_source, rows_for
from epee.typing import Codes, Matrix, Vector

FEW_GAPS = (
    20_000  # numbers in a table of the differences of all centres that is made at once, without SciPy's distances
)


@dataclass(frozen=True)
class Allocation:
    """Reduce a block to clouds; picklable, so any engine can carry it."""

    centres: Matrix  # about the origin
    origin: Vector
    farthest: bool = True  # whether the farthest rows are wanted, where finding them costs

    anywhere = True

    def __call__(self, block: Block) -> Clouds:
        return clouds_of(block, self.centres, self.origin, self.farthest)

    def rows(self) -> int:
        """Return how many rows a block should have."""
        return rows_for(len(self.origin))

    def width(self) -> int:
        """Return how many numbers a row takes where all of a block is multiplied at once."""
        return 2 * len(self.origin) + 3 * len(self.centres)


class Rows(Protocol):
    """What the alternation asks of rows, however they are held."""

    origin: Vector

    def allocate(self, centres: Matrix) -> tuple[Clouds, int | None]:
        """Return the clouds around these centres, and how many rows changed cluster where that is known."""

    def give(self, clouds: Clouds, empty: Codes) -> Clouds:
        """Return the clouds after each empty cluster took a row far from its centre."""


class StreamRows:
    """Rows that are read again at each pass, by whatever engine."""

    def __init__(self, source: Source) -> None:
        self.source, self.origin = source, np.asarray(source.origin, dtype=np.float64)
        self.engine = engine_for(source)

    def allocate(self, centres: Matrix) -> tuple[Clouds, int | None]:
        """Return the clouds around these centres; how many rows changed is not known."""
        with np.errstate(over="ignore", invalid="ignore"):
            work = Allocation(centres, self.origin, farthest=False)
            clouds: Clouds = self.engine.reduce(self.source, work, rows=work.rows())
            if (clouds.count <= 0).any() and (clouds.distance < 0).all():
                work = replace(work, farthest=True)
                clouds = self.engine.reduce(self.source, work, rows=work.rows())
        if not np.isfinite(clouds.squares):
            refuse_bad_source(self.source)
        return clouds, None

    def give(self, clouds: Clouds, empty: Codes) -> Clouds:
        """Return the clouds after each empty cluster took the farthest row of another."""
        count, sums = clouds.count.copy(), clouds.sums.copy()
        donors = [d for d in np.argsort(-clouds.distance, kind="stable") if clouds.distance[d] > 0]
        donors = [d for d in donors if clouds.weight[d] < count[d]]
        for k, d in zip(empty, donors):
            count[k], sums[k] = clouds.weight[d], clouds.weight[d] * clouds.farthest[d]
            count[d], sums[d] = count[d] - count[k], sums[d] - sums[k]
        return Clouds(count, sums, clouds.squares, clouds.distance, clouds.farthest, clouds.weight)


class BoundedRows:
    """Rows in memory, with bounds that spare most of them the product; the partition is that of the plain algorithm."""

    def __init__(self, X: Matrix, w: Vector | None) -> None:
        self.X, self.w = contiguous(X), np.empty(0) if w is None else w
        self.source = ArraySource(self.X, weight=w)
        self.origin = self.source.origin
        n, p = self.X.shape
        self.about = self.origin.astype(self.X.dtype)  # what the kernels subtract
        self.origin = self.about.astype(np.float64)
        self.slack = 4.0 * p * float(np.finfo(self.X.dtype).eps)
        self.parts = chunks(n, min(max(n // 16, 4096), 65536))
        self.labels, self.upper, self.lower = np.empty(n, dtype=np.int32), np.empty(n), np.empty(n)
        self.state: tuple[Matrix, Clouds] | None = None

    def _each(self, kernel: Callable[..., Any], k: int, before: tuple[Any, ...]) -> tuple[Vector, Matrix, list[Any]]:
        """Run a kernel over the parts of the rows, by threads, and add what they found in a fixed order."""

        def work(s: slice) -> tuple[Vector, Matrix, Any]:
            count, sums, squares = np.zeros(k), np.zeros((k, self.X.shape[1])), np.zeros(1)
            arrays = (self.labels[s], self.upper[s], self.lower[s], count, sums)
            extra = (squares,) if self.state is None else ()
            changed = kernel(self.X[s], self.w[s], self.about, *before, *arrays, *extra)
            return count, sums, squares[0] if self.state is None else changed

        counts, sums, rest = zip(*in_order(work, self.parts))
        return np.sum(counts, axis=0), np.sum(sums, axis=0), list(rest)

    def allocate(self, centres: Matrix) -> tuple[Clouds, int | None]:
        """Return the clouds around these centres and how many rows changed cluster."""
        from epee.kernels.cluster_lloyd import first_allocation, next_allocation

        k, dtype = len(centres), self.X.dtype
        here = np.ascontiguousarray(centres, dtype=dtype)
        C, c2 = -2 * here, np.einsum("kj,kj->k", here, here)
        none = (np.full(k, -1.0), np.zeros_like(centres), np.zeros(k))
        if self.state is None:
            count, sums, squares = self._each(first_allocation, k, (C, c2, self.slack))
            clouds, changed = Clouds(count, sums, float(np.sum(squares)), *none), len(self.X)
            if not np.isfinite(clouds.squares):
                refuse_bad_source(self.source)
        else:
            last, clouds = self.state
            drift = np.sqrt(((here.astype(np.float64) - last) ** 2).sum(axis=1)) * (1 + 1e-12)
            first = int(np.argmax(drift))
            others = np.full(k, drift[first])
            others[first] = np.delete(drift, first).max(initial=0.0)
            half = half_gaps(here.astype(np.float64)) * (1 - self.slack)
            before = (here, C, c2, self.slack, drift, others, half)
            count, sums, moved = self._each(next_allocation, k, before)
            changed = int(np.sum(moved))
            clouds = Clouds(clouds.count + count, clouds.sums + sums, clouds.squares, *none)
            clouds.count[np.bincount(self.labels, minlength=k) == 0] = 0.0  # a difference of sums is not quite zero
        self.state = (here.astype(np.float64), clouds)
        return clouds, changed

    def all_passes(self, start: Matrix, max_iter: int, tol: float, stop: str) -> Descent | None:
        """Return the whole run where one part holds all rows; None where they are more, or a cluster becomes empty on the way."""
        from epee.kernels.cluster_lloyd import EMPTY, NEAR, SETTLED, alternate

        if len(self.parts) > 1 or self.state is not None:
            return None
        centres, trace = np.asarray(start, dtype=np.float64) - self.origin, np.empty(2 * max_iter)
        centres = np.ascontiguousarray(centres)
        with one_blas_thread():
            passes, end, shift, bound = alternate(
                self.X, self.w, self.about, centres, self.slack, float(tol), stop == "shift", trace
            )
        if not np.isfinite(trace[0]):
            refuse_bad_source(self.source)
        if end == EMPTY:
            return None
        reason = {SETTLED: STRICT, NEAR: near_enough(stop, shift, bound, tol)}.get(end, "")
        return Descent(centres + self.origin, int(passes), trace[: 2 * passes], reason)

    def give(self, clouds: Clouds, empty: Codes) -> Clouds:
        """Return the clouds after each empty cluster took one of the rows farthest from their centres."""
        from epee.kernels.cluster_lloyd import own_distances

        assert self.state is not None
        squared = np.empty(len(self.X))
        own_distances(self.X, self.about, self.state[0].astype(self.X.dtype), self.labels, squared)
        w = self.w if len(self.w) else np.ones(len(self.X))
        squared[w == 0] = -1.0
        count, sums = clouds.count.copy(), clouds.sums.copy()
        waiting = list(empty)
        for i in np.argsort(-squared, kind="stable"):
            d = self.labels[i]
            if not waiting or squared[i] <= 0:
                break
            if w[i] >= count[d]:
                continue
            k = waiting.pop(0)
            x = self.X[i].astype(np.float64) - self.origin
            count[k], sums[k] = w[i], w[i] * x
            count[d], sums[d] = count[d] - w[i], sums[d] - sums[k]
            self.labels[i], self.upper[i], self.lower[i] = k, np.inf, 0.0
        clouds = Clouds(count, sums, clouds.squares, clouds.distance, clouds.farthest, clouds.weight)
        self.state = (self.state[0], clouds)
        return clouds


def half_gaps(centres: Matrix) -> Vector:
    """Return half the distance from each centre to its nearest other one.

    >>> half_gaps(np.array([[0.0], [2.0], [6.0]]))
    array([1., 1., 2.])
    """
    if len(centres) == 1:
        return np.array([np.inf])
    if len(centres) * centres.size <= FEW_GAPS:
        D = np.sqrt(((centres[:, None] - centres) ** 2).sum(axis=2))
    else:
        from scipy.spatial.distance import cdist

        D = cdist(centres, centres)
    np.fill_diagonal(D, np.inf)
    return D.min(axis=1) / 2


@dataclass(frozen=True)
class Descent:
    """One run of k-means: centres (k, p), how many passes, J after each half-step, and why it ended; "" where passes were used up."""

    centres: Matrix
    iterations: int
    trace: Vector
    reason: str = ""

    @property
    def converged(self) -> bool:
        """Whether it ended before its passes were used up."""
        return bool(self.reason)

    def told(self) -> Iterator[str]:
        """Yield what happened, line by line, in the words of scikit-learn."""
        yield "Initialization complete"
        for i, J in enumerate(self.trace[::2]):
            yield f"Iteration {i}, inertia {J:.9g}."
        if self.reason:
            yield f"Converged at iteration {self.iterations - 1}: {self.reason}."


STRICT = "strict convergence"


def near_enough(stop: str, shift: float, bound: float, tol: float) -> str:
    """Return the reason of a run that ended since little moved."""
    if stop == "shift":
        return f"center shift {shift:.6g} within tolerance {bound:.6g}"
    return f"the criterion moved by less than {tol:g} of itself"


def lloyd(
    rows: Rows, start: Matrix, max_iter: int, tol: float, tick: Callable[[], None],
    stop: str = "shift",
) -> Descent:  # fmt: skip
    """Alternate allocation and means until no row changes, the centres (or the criterion) move little, or passes are used up."""
    whole = rows.all_passes(start, max_iter, tol, stop) if isinstance(rows, BoundedRows) else None
    if whole is not None:
        tick()
        return whole
    centres = np.asarray(start, dtype=np.float64) - rows.origin
    trace: list[float] = []
    bound, reason = 0.0, ""
    for _ in range(max_iter):
        clouds, changed = rows.allocate(centres)
        if not trace:
            n, p = clouds.count.sum(), centres.shape[1]
            bound = tol * max(clouds.squares / n - float((clouds.sums.sum(axis=0) ** 2).sum()) / n**2, 0.0) / p
        trace.append(clouds.criterion(centres))
        empty = np.flatnonzero(clouds.count <= 0)
        if len(empty):
            clouds = rows.give(clouds, empty)
        full = clouds.count[:, None] > 0
        new = np.where(full, share(clouds.sums, np.broadcast_to(clouds.count[:, None], clouds.sums.shape)), centres)
        trace.append(clouds.criterion(new))
        moved = new - centres
        shift = float(np.vdot(moved, moved))
        centres = new
        tick()
        if not len(empty) and (changed == 0 or (changed is None and shift == 0.0)):
            reason = STRICT
            break
        if stop == "shift" and shift <= bound:
            reason = near_enough(stop, shift, bound, tol)
            break
        if stop == "criterion" and len(trace) > 2 and abs(trace[-1] - trace[-3]) <= tol * trace[-1]:
            reason = near_enough(stop, shift, bound, tol)
            break
    return Descent(centres + rows.origin, len(trace) // 2, np.array(trace), reason)
