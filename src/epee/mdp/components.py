r"""End components: where a policy can stay for ever.

An end component is a set of states with some of their pairs such that the pairs never leave the set and connect it. In the
long run every policy lives in one (de Alfaro). They matter without discount: a component whose rewards are all 0 lets
value iteration believe any value, since staying costs nothing, and a greedy policy may loop in it for ever.
:func:`collapse` makes each of those one state, with the added choice of staying, worth 0; what was lost comes back with
:meth:`Quotient.lift`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.mdp.layout import Layout

if TYPE_CHECKING:
    import numpy.typing as npt

    from epee.typing import Vector


def end_components(layout: Layout, usable: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return the maximal end components made of usable pairs: a label a state (-1: in none), and the inner pairs."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    usable = usable & (layout.leak < 1e-12)
    labels = np.full(layout.n_states, -1)
    live = layout.flow > 0
    while usable.any():
        edges = np.flatnonzero(usable[layout.source] & live)
        origin = layout.owner[layout.source[edges]]
        graph = csr_array((np.ones(len(edges), bool), (origin, layout.succ[edges])), shape=(layout.n_states,) * 2)
        _, part = connected_components(graph, directed=True, connection="strong")
        leaves = np.zeros(layout.n_pairs, bool)
        leaves[layout.source[edges[part[origin] != part[layout.succ[edges]]]]] = True
        if not (leaves & usable).any():
            members = np.unique(layout.owner[usable])
            labels[members] = np.unique(part[members], return_inverse=True)[1]
            break
        usable &= ~leaves
    return labels, usable


def distances(layout: Layout, pairs: npt.NDArray[np.bool_], goal: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the fewest steps in which some policy over these pairs can reach the goal states (inf: none can)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    n = layout.n_states
    edges = np.flatnonzero(pairs[layout.source] & (layout.flow > 0))
    origin = layout.owner[layout.source[edges]]
    targets = np.flatnonzero(goal)
    rows = np.concatenate([layout.succ[edges], np.full(len(targets), n)])  # reversed, from a hub behind the goal
    columns = np.concatenate([origin, targets])
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(n + 1, n + 1))
    return np.asarray(dijkstra(graph, indices=n, unweighted=True))[:n] - 1


def ends(layout: Layout) -> npt.NDArray[np.bool_]:
    """Return the states from which one step can end the episode, or that are an end."""
    out = layout.terminal.copy()
    out[layout.owner[layout.leak > 1e-12]] = True
    return out


def towards(layout: Layout, allowed: npt.NDArray[np.bool_], distance: Vector) -> npt.NDArray[np.int64]:
    """Return, for each state, an allowed pair that may come one step nearer (-1: none)."""
    out = np.full(layout.n_states, -1)
    comes_nearer = distance[layout.succ] < distance[layout.owner[layout.source]]
    nearer = allowed[layout.source] & (layout.flow > 0) & comes_nearer
    pairs = np.unique(layout.source[nearer])[::-1]
    out[layout.owner[pairs]] = pairs
    return out


@dataclass(frozen=True)
class Quotient:
    """A process whose zero-reward end components are one state each."""

    whole: Layout
    layout: Layout
    node: npt.NDArray[Any]  # (S,) the node of every state
    inner: npt.NDArray[np.bool_]  # (K,) pairs swallowed by a component
    origin: npt.NDArray[Any]  # pair of the whole for each pair of the quotient, -1 for staying

    def lift(self, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Turn a chosen pair a node into a chosen pair a state: in a component all go to where the pair leaves it."""
        chosen = np.where(pairs[self.node] >= 0, self.origin[pairs[self.node]], -1)
        if not self.inner.any():
            return chosen
        at_home = np.zeros(self.whole.n_states, bool)
        leaving = np.flatnonzero(chosen >= 0)
        at_home[leaving] = self.whole.owner[chosen[leaving]] == leaving
        way = towards(self.whole, self.inner, distances(self.whole, self.inner, at_home))
        stay = np.full(self.whole.n_states, -1)
        swallowed = np.flatnonzero(self.inner)[::-1]
        stay[self.whole.owner[swallowed]] = swallowed
        return np.where(at_home | self.whole.terminal, chosen, np.where(chosen < 0, stay, way))


def collapse(layout: Layout) -> Quotient:
    """Make every end component without rewards one state that may stay where it is, for nothing."""
    labels, inner = end_components(layout, layout.reward == 0.0)
    if not inner.any():
        everyone = np.arange(layout.n_states)
        return Quotient(layout, layout, everyone, inner, np.arange(layout.n_pairs))
    alone = labels < 0
    n_parts = labels.max() + 1
    node = np.where(alone, n_parts + np.cumsum(alone) - 1, labels)
    n = n_parts + int(alone.sum())
    kept = np.flatnonzero(~inner)
    origin = np.concatenate([kept, np.full(n_parts, -1)])
    home = np.concatenate([node[layout.owner[kept]], np.arange(n_parts)])
    order = np.argsort(home, kind="stable")
    origin, home = origin[order], home[order]
    real = origin >= 0
    lengths = np.where(real, np.diff(layout.ptr)[np.maximum(origin, 0)], 0)
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    takes = np.repeat(layout.ptr[np.maximum(origin, 0)] - ptr[:-1], lengths) + np.arange(ptr[-1])
    flow = layout.flow[takes]
    quotient = Layout(
        layout.n_actions,
        np.concatenate([[0], np.cumsum(np.bincount(home, minlength=n))]),
        np.where(real, layout.action[np.maximum(origin, 0)], 0).astype(np.int32),
        ptr,
        node[layout.succ[takes]].astype(np.int32),
        layout.prob[takes],
        flow,
        np.where(real, layout.reward[np.maximum(origin, 0)], 0.0),
    )
    return Quotient(layout, quotient, node, inner, origin)
