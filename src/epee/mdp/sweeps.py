r"""Value iteration with a certificate.

Repeat :math:`V \leftarrow TV`. When :math:`d = TV - V` lies in :math:`[m, M]` the optimum is enclosed (MacQueen, Porteus):

.. math:: TV + \frac{\gamma}{1-\gamma} m \;\le\; V^* \;\le\; TV + \frac{\gamma}{1-\gamma} M, \tag{1}

so the middle is within :math:`\frac{\gamma}{1-\gamma}\frac{M-m}{2}` of :math:`V^*`. It is the span :math:`M - m` that counts, and
it falls much faster than the change itself when the process mixes. Where episodes can end, rows of the flow sum to less
than 1 and (1) holds with :math:`\min(m, 0)` and :math:`\max(M, 0)`. Gauss-Seidel sweeps use each new value at once;
prioritised sweeping backs up the state whose residual may be the largest. Both end with a plain sweep, for (1).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.mdp.solution import Sweep
from epee.settings import options, progress

if TYPE_CHECKING:
    import numpy.typing as npt

    from epee.mdp.layout import Layout
    from epee.typing import Vector

WORTH_THREADS = 1_000_000  # transitions below which a second thread costs more than it brings
EPS = np.finfo(float).eps


class Crew:
    """Threads that share the states of a sweep, equal numbers of transitions each."""

    def __init__(self, layout: Layout) -> None:
        n = options.thread_count() if layout.n_transitions >= WORTH_THREADS else 1
        edges = np.searchsorted(layout.ptr[layout.first], np.linspace(0, layout.n_transitions, n + 1)[1:-1])
        self.states = np.concatenate([[0], edges, [layout.n_states]]).astype(np.int64)
        self.pairs = layout.first[self.states]
        self.pool = ThreadPoolExecutor(n) if n > 1 else None

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def share(self, work: Callable[..., Any], edges: npt.NDArray[np.int64], *arguments: Any) -> list[Any]:
        """Run ``work(lo, hi, *arguments)`` on every slice."""
        if self.pool is None:
            return [work(edges[0], edges[-1], *arguments)]
        return list(self.pool.map(lambda lo, hi: work(lo, hi, *arguments), edges[:-1], edges[1:]))

    def sweep(self, work: Callable[..., Any], *arguments: Any) -> tuple[float, float]:
        """Run a sweep over all states; return the range of the change."""
        ranges = self.share(work, self.states, *arguments)
        low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
        return (0.0, 0.0) if low > high else (low, high)


def enclosure(layout: Layout, discount: float, low: float, high: float) -> tuple[float, float]:
    """Return how far the optimum can lie below and above TV, by (1)."""
    if layout.leaks:
        low, high = min(low, 0.0), max(high, 0.0)
    factor = discount / (1.0 - discount)
    return factor * low, factor * high


def rounding(layout: Layout, discount: float, V: Vector) -> float:
    """Bound what rounding adds to a fixed point of T."""
    widest = int(np.diff(layout.ptr).max(initial=1))
    scale = np.abs(V).max(initial=0.0) + np.abs(layout.reward).max(initial=0.0)
    return float((2 + min(widest, 64)) * EPS * scale / (1.0 - discount))


def settle(layout: Layout, V: Vector, out: Vector, below: float, above: float) -> Vector:
    """Return the middle of the enclosure; terminal states keep their 0."""
    return np.where(layout.terminal, 0.0, out + (below + above) / 2)


def pair_values(layout: Layout, discount: float, V: Vector) -> Vector:
    """Return the look-ahead value of every pair."""
    from epee.kernels import mdp_sweeps as kernels

    out = np.empty(layout.n_pairs)
    with Crew(layout) as crew:
        crew.share(
            kernels.pair_values, crew.pairs, layout.ptr, layout.succ, layout.flow, layout.reward, discount, V, out
        )
    return out


def best_pairs(layout: Layout, values: Vector) -> npt.NDArray[np.int64]:
    """Return the first best pair of every state, -1 for terminal states."""
    best = np.full(layout.n_states, -1)
    live = np.flatnonzero(~layout.terminal)
    if len(live) == 0:
        return best
    top = np.maximum.reduceat(values, layout.first[live])
    hits = np.flatnonzero(values == np.repeat(top, np.diff(layout.first)[live]))
    best[layout.owner[hits[::-1]]] = hits[::-1]
    return best


def actions_of(layout: Layout, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the action of the chosen pair of every state, 0 for terminal states."""
    return np.where(pairs >= 0, layout.action[np.maximum(pairs, 0)], 0).astype(np.int64)


def discounted(
    layout: Layout, discount: float, V: Vector, tol: float, sweep: str, max_iter: int, history: bool
) -> tuple[Vector, int, float, list[Sweep], bool]:
    """Value iteration for a discount below 1: values, sweeps, certified bound, trace, whether tol was reached."""
    from epee.kernels import mdp_sweeps as kernels

    arrays = layout.sweep_arrays
    out, best = np.empty_like(V), np.empty(layout.n_states, np.int64)
    trace: list[Sweep] = []
    target = tol * (1.0 - discount) / max(discount, EPS)
    inner = target  # what the in-place sweeps must reach before the next certificate
    turns, done, smallest, stalled = None, 0, np.inf, 0
    with Crew(layout) as crew, progress("value iteration") as tick:
        while True:
            if sweep == "gauss_seidel":
                for _ in range(max_iter):
                    residual = kernels.gauss_seidel(done % 2 == 1, *arrays, discount, V)
                    done += 1
                    tick()
                    trace.append(Sweep(done, residual, None, V.copy() if history else None))
                    if residual <= inner or done >= max_iter:
                        break
            elif sweep == "prioritised":
                turns = turns or kernels.predecessors(*arrays[:-1])
                budget = max(1, max_iter - done) * layout.n_states
                backups, residual = kernels.prioritised(*arrays, discount, V, *turns, inner, budget)
                done += -(-backups // layout.n_states)
                trace.append(Sweep(done, residual, None, V.copy() if history else None))
            low, high = crew.sweep(kernels.bellman, *arrays, discount, V, out, best)
            done += 1
            tick()
            below, above = enclosure(layout, discount, low, high)
            half = (above - below) / 2
            seen = (out.copy(), actions_of(layout, best)) if history else (None, None)
            trace.append(Sweep(done, max(-low, high), half, seen[0], seen[1], (below + above) / 2))
            stalled = 0 if half < smallest else stalled + 1
            smallest = min(smallest, half)
            V, out = out, V
            if half <= tol or done >= max_iter or stalled >= 50:
                break
            inner = max(inner / 10, 4 * EPS * np.abs(V).max(initial=0.0))
    V = settle(layout, out, V, below, above)
    return V, done, half + rounding(layout, discount, V), trace, bool(half <= tol)
