r"""Evaluating and improving policies.

A policy :math:`\pi` makes a chain, with :math:`V_\pi = r_\pi + \gamma P_\pi V_\pi`, that is

.. math:: V_\pi = (I - \gamma P_\pi)^{-1} r_\pi. \tag{1}

Policy iteration solves (1), takes the greedy policy, and repeats until it is stable; values never decrease, and it ends
since there are finitely many policies. Modified policy iteration replaces the solve by some sweeps of
:math:`V \leftarrow r_\pi + \gamma P_\pi V`: each costs one pair a state where a sweep of value iteration costs all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError, SingularProblem, WrongUse
from epee.mdp.solution import Sweep
from epee.mdp.sweeps import EPS, Crew, actions_of, best_pairs, enclosure, pair_values, rounding, settle
from epee.settings import progress

if TYPE_CHECKING:
    import numpy.typing as npt

    from epee.mdp.layout import Layout
    from epee.typing import ArrayLike, Vector

    Pairs = npt.NDArray[np.int64]

DENSE = 1_500  # states up to which a dense factorisation is the fastest
DIRECT = 20_000  # states up to which a sparse factorisation is tried


def law_of(layout: Layout, policy: ArrayLike) -> Vector:
    """Turn a policy, (S,) actions or (S, A) probabilities, into a probability for every pair."""
    given = np.asarray(policy)
    n = layout.n_states
    if given.shape == (n,):
        actions = given.astype(int)
        if (actions != given).any():
            raise DataError(
                "policy holds numbers that are not whole; give one action a state, or (S, A) probabilities."
            )
        law = (layout.action == actions[layout.owner]).astype(float)
        missing = np.flatnonzero((np.bincount(layout.owner, law, n) == 0) & ~layout.terminal)
        if len(missing):
            s = missing[0]
            allowed = layout.action[layout.first[s] : layout.first[s + 1]].tolist()
            raise DataError(f"policy takes action {actions[s]} in state {s}, where the admissible ones are {allowed}.")
        return law
    if given.shape == (n, layout.n_actions):
        table = given.astype(float)
        law = table[layout.owner, layout.action]
        sums = np.bincount(layout.owner, law, n)
        wrong = np.flatnonzero(
            ((np.abs(sums - 1) > 1e-8) | (table < 0).any(axis=1) | np.isnan(sums)) & ~layout.terminal
        )
        if len(wrong):
            s = wrong[0]
            raise DataError(
                f"policy: the probabilities of the admissible actions of state {s} sum to {sums[s]:.10g}; they must be "
                "at least 0 and sum to 1."
            )
        return law
    raise DataError(f"policy has shape {given.shape}; give ({n},) actions or ({n}, {layout.n_actions}) probabilities.")


@dataclass(frozen=True)
class Chain:
    """The Markov chain with rewards that a policy makes of a process."""

    P: Any  # (S, S) sparse flow
    r: Vector  # (S,)

    @classmethod
    def of(cls, layout: Layout, law: Vector) -> Chain:
        from scipy.sparse import csr_array

        mix = csr_array((law, (layout.owner, np.arange(layout.n_pairs))), shape=(layout.n_states, layout.n_pairs))
        P = (mix @ layout.matrix()).tocsr()
        P.eliminate_zeros()
        return cls(P, np.asarray(mix @ layout.reward))

    def recurrent(self, terminal: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return the states from which the chain never ends; refuse if rewards keep coming there."""
        from scipy.sparse.csgraph import connected_components

        n, part = connected_components(self.P, directed=True, connection="strong")
        rows = np.repeat(np.arange(len(self.r)), np.diff(self.P.indptr))
        open_part = np.zeros(n, bool)
        open_part[part[rows[part[rows] != part[self.P.indices]]]] = True
        open_part[part[(np.asarray(self.P.sum(axis=1)) < 1 - 1e-9) | terminal]] = True
        closed = ~open_part[part]
        paid = np.flatnonzero(closed & (self.r != 0))
        if len(paid):
            raise DataError(
                f"discount is 1 and this policy never ends from state {paid[0]}, where it earns {self.r[paid[0]]:.3g} a step: "
                "its value has no limit. Take a discount below 1, or a policy that ends."
            )
        return closed


def solve_chain(chain: Chain, terminal: npt.NDArray[np.bool_], discount: float) -> Vector:
    """Solve (1) directly, with one step of refinement."""
    from scipy.linalg import lu_factor, lu_solve
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    n = len(chain.r)
    skip = chain.recurrent(terminal) if discount == 1.0 else np.zeros(n, bool)
    keep = np.flatnonzero(~skip)
    V = np.zeros(n)
    A = (eye_array(len(keep)) - discount * chain.P[keep][:, keep]).tocsc()
    b = chain.r[keep]
    if len(keep) <= DENSE:
        factor = lu_factor(A.toarray())
        solve = lambda v: lu_solve(factor, v)  # noqa: E731
    else:
        solve = splu(A).solve
    x = solve(b)
    x += solve(b - A @ x)
    if not np.isfinite(x).all():
        raise SingularProblem(
            "the equations of this policy's value are singular: it hardly ever ends. Take a discount below 1."
        )
    V[keep] = x
    return V


def certified(chain: Chain, layout: Layout, V: Vector) -> float | None:
    """Bound the error of the total reward of a chain, as a process with one action."""
    from epee.mdp.layout import Layout
    from epee.mdp.undiscounted import interval

    live = ~(chain.recurrent(layout.terminal) | layout.terminal)
    rows = chain.P[np.flatnonzero(live)]
    first = np.concatenate([[0], np.cumsum(live)])
    ptr, succ = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    action = np.zeros(int(live.sum()), np.int32)
    enclosed = interval(Layout(1, first, action, ptr, succ, rows.data, rows.data.copy(), chain.r[live]), V)
    return None if enclosed is None else float(np.abs(enclosed).max(initial=0.0))


def evaluate(
    layout: Layout, law: Vector, discount: float, method: str, tol: float, max_iter: int, history: bool
) -> tuple[Vector, int, float | None, list[Sweep]]:
    """Value of a policy: values, sweeps, certified bound, trace."""
    if method not in ("auto", "direct", "iterative"):
        raise WrongUse(f"method is {method!r}; it must be 'auto', 'direct' or 'iterative'.")
    chain = Chain.of(layout, law)
    if method == "direct" or (method == "auto" and layout.n_states <= (DIRECT if discount == 1 else DENSE)):
        V = solve_chain(chain, layout.terminal, discount)
        residual = np.abs(chain.r + discount * (chain.P @ V) - V).max(initial=0.0)
        scale = EPS * (np.abs(V).max(initial=0.0) + np.abs(chain.r).max(initial=0.0))
        bound = certified(chain, layout, V) if discount == 1 else float((residual + 8 * scale) / (1 - discount))
        return V, 1, bound, [Sweep(1, float(residual), bound)]
    from epee.kernels.mdp_sweeps import bellman

    if discount == 1:
        chain.recurrent(layout.terminal)
    n = layout.n_states
    arrays = (
        np.arange(n + 1),
        chain.P.indptr.astype(np.int64),
        chain.P.indices.astype(np.int32),
        chain.P.data,
        chain.r,
    )
    V, out, best = np.zeros(n), np.empty(n), np.empty(n, np.int64)
    trace: list[Sweep] = []
    half, smallest, stalled = None, np.inf, 0
    with progress("policy evaluation") as tick:
        for done in range(1, max_iter + 1):
            low, high = bellman(0, n, *arrays, discount, V, out, best)
            tick()
            V, out = out, V
            below, above = enclosure(layout, discount, low, high) if discount < 1 else (0.0, 0.0)
            if discount < 1:
                half = (above - below) / 2
            size = max(-low, high) if half is None else half
            seen = V.copy() if history else None
            trace.append(Sweep(done, max(-low, high), half, seen, shift=(below + above) / 2))
            stalled = 0 if size < smallest else stalled + 1
            smallest = min(smallest, size)
            if size <= (tol if half is not None else tol / 1000) or stalled >= 50:
                break
    if half is None:
        return V, done, certified(chain, layout, V), trace
    return settle(layout, out, V, below, above), done, half + rounding(layout, discount, V), trace


def policy_iteration(
    layout: Layout, discount: float, pairs: Pairs, max_iter: int, history: bool
) -> tuple[Vector, Pairs, int, list[Sweep], bool]:
    """Improve a policy, given as one pair a state, until it is stable."""
    trace: list[Sweep] = []
    live = ~layout.terminal
    with progress("policy iteration") as tick:
        for done in range(1, max_iter + 1):
            law = np.zeros(layout.n_pairs)
            law[pairs[live]] = 1.0
            if layout.n_states <= DIRECT:
                V = solve_chain(Chain.of(layout, law), layout.terminal, discount)
            else:
                V = evaluate(layout, law, discount, "iterative", 1e-10, 1_000_000, False)[0]
            q = pair_values(layout, discount, V)
            best = best_pairs(layout, q)
            gains = q[best[live]] - V[live]
            trace.append(
                Sweep(
                    done,
                    float(gains.max(initial=0.0)),
                    None,
                    V.copy() if history else None,
                    actions_of(layout, pairs) if history else None,
                )
            )
            tick()
            # A switch must gain more than rounding, or ties would be swapped for ever (and could leave a proper policy).
            noise = 1e-11 * (np.abs(V).max(initial=0.0) + np.abs(layout.reward).max(initial=0.0))
            better = np.zeros(layout.n_states, bool)
            better[live] = gains > noise
            if not better.any():
                return V, pairs, done, trace, True
            pairs = np.where(better, best, pairs)
    return V, pairs, done, trace, False


def modified_policy_iteration(
    layout: Layout, discount: float, V: Vector, sweeps: int, tol: float, max_iter: int, history: bool
) -> tuple[Vector, int, float, list[Sweep], bool]:
    """Alternate one sweep of value iteration with some sweeps of the policy that it chose."""
    from epee.kernels.mdp_sweeps import bellman, follow

    out, best = np.empty_like(V), np.empty(layout.n_states, np.int64)
    trace: list[Sweep] = []
    smallest, stalled = np.inf, 0
    with Crew(layout) as crew, progress("modified policy iteration") as tick:
        for done in range(1, max_iter + 1):
            low, high = crew.sweep(bellman, *layout.sweep_arrays, discount, V, out, best)
            V, out = out, V
            tick()
            residual = max(-low, high)
            if discount < 1:
                below, above = enclosure(layout, discount, low, high)
            else:
                below = above = 0.0  # the caller encloses
            half = (above - below) / 2 if discount < 1 else residual
            seen = (V.copy(), actions_of(layout, best)) if history else (None, None)
            trace.append(Sweep(done, residual, half if discount < 1 else None, seen[0], seen[1], (below + above) / 2))
            stalled = 0 if half < smallest else stalled + 1
            smallest = min(smallest, half)
            if half <= tol or stalled >= 50:
                break
            for _ in range(sweeps):
                crew.sweep(follow, best, *layout.sweep_arrays[1:], discount, V, out)
                V, out = out, V
    V = settle(layout, out, V, below, above)
    bound = half + rounding(layout, discount, V) if discount < 1 else np.inf
    return V, done, bound, trace, bool(half <= tol)
