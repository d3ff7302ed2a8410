r"""Total reward without discount: enclosing the optimum when nothing contracts.

With :math:`\gamma = 1` the sum of rewards needs a proper policy, one that ends with probability 1 from everywhere. The
usual stop of value iteration then proves nothing. Here the answer is an interval. Let :math:`\delta_k = r_k + P_kV - V` be the
advantage of pair :math:`k`, and :math:`W` any function with

.. math:: W(s) \ge 1 + P_k W \quad \text{for every pair } k \text{ of } s \text{ with } \delta_k \ge -\eta, \tag{1}

that is, a bound of the expected length of episodes under all nearly optimal policies. If :math:`c^- \le \max_k \delta_k` in
every state and :math:`\delta_k \le c^+` for all pairs (:math:`c^- \le 0 \le c^+`), then :math:`U = V + c^+ W` satisfies
:math:`TU \le U` and :math:`L = V + c^- W` satisfies :math:`TL \ge L`, so

.. math:: V + c^- W \;\le\; V^* \;\le\; V + c^+ W. \tag{2}

:math:`W` comes from a few sweeps of its own. It is finite as long as the nearly optimal pairs hold no end component; those
without rewards have been made single states before (``components.py``), as interval iteration asks (Haddad and Monmege
2018; Baier, Klein, Leuschner, Parker and Wunderlich 2017). If one is left, nothing is certified and the bound is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epee.errors import DataError
from epee.mdp.components import collapse, distances, end_components, ends
from epee.mdp.gains import gain_range
from epee.mdp.layout import with_rewards
from epee.mdp.solution import Sweep
from epee.mdp.sweeps import EPS, Crew, pair_values
from epee.settings import progress

if TYPE_CHECKING:
    from epee.mdp.components import Quotient
    from epee.mdp.layout import Layout
    from epee.typing import Vector


def well_posed(layout: Layout) -> Quotient:
    """Return the quotient of a process whose total reward is finite, or refuse with the state that spoils it."""
    quotient = collapse(layout)
    small = quotient.layout
    reach = distances(small, np.ones(small.n_pairs, bool), ends(small))
    stuck = np.flatnonzero(~np.isfinite(reach[quotient.node]))
    if len(stuck):
        raise DataError(
            f"discount is 1, and from state {stuck[0]} no policy ever ends: the sum of rewards has no limit there. "
            "Take a discount below 1, declare terminal states, or use backward_induction or average_reward."
        )
    labels, inner = end_components(small, np.ones(small.n_pairs, bool))
    for part in np.unique(labels[small.owner[inner & (small.reward > 0)]]):
        low, _ = gain_range(small.keep(inner & (labels[small.owner] == part)), labels == part)
        if low > 0:
            state = int(np.flatnonzero(labels[quotient.node] == part)[0])
            raise DataError(
                f"discount is 1, and from state {state} a policy earns {low:.3g} a step without end: the value is infinite. "
                "Take a discount below 1, or use average_reward."
            )
    return quotient


def interval(layout: Layout, V: Vector) -> tuple[Vector, Vector] | None:
    """Return how far the optimum can lie below and above V in every state, by (2), or None."""
    from epee.kernels import mdp_sweeps as kernels

    live = np.flatnonzero(~layout.terminal)
    if len(live) == 0:
        return np.zeros_like(V), np.zeros_like(V)
    advantage = pair_values(layout, 1.0, V) - V[layout.owner]
    best = np.maximum.reduceat(advantage, layout.first[live])
    scale = np.abs(V).max(initial=0.0) + np.abs(layout.reward).max(initial=0.0)
    slack = 16 * EPS * scale
    above, below = max(best.max(), 0.0) + slack, min(best.min(), 0.0) - slack
    sweeps = max(1000, int(5e9 / max(layout.n_transitions, 1)))
    for eta in (np.inf, 1e-1 * scale, 1e-3 * scale, 1e-5 * scale, 1e-7 * scale):
        near = advantage >= -eta
        if -below > eta:
            return None
        if end_components(layout, near)[1].any():
            continue
        lengths = with_rewards(layout.keep(near), np.ones(int(near.sum())))
        W, out, chosen = np.zeros_like(V), np.zeros_like(V), np.empty(len(V), np.int64)
        with Crew(lengths) as crew:
            for _ in range(sweeps):
                growth = crew.sweep(kernels.bellman, *lengths.sweep_arrays, 1.0, W, out, chosen)[1]
                if growth <= 0.5:
                    break
                W, out = out, W
        W = W / (1.0 - min(growth, 0.5)) * (1 + 1e-9)
        drift = np.bincount(layout.source, layout.flow * W[layout.succ], layout.n_pairs) - W[layout.owner]
        if growth <= 0.5 and (advantage[~near] + above * drift[~near] <= 0).all():
            return below * W, above * W
    return None


def total_reward(
    quotient: Quotient, V: Vector, tol: float, sweep: str, max_iter: int, history: bool
) -> tuple[Vector, int, float | None, list[Sweep], bool]:
    """Value iteration without discount on a quotient: values, sweeps, certified bound or None, trace, whether tol holds."""
    from epee.kernels import mdp_sweeps as kernels

    layout = quotient.layout
    arrays = layout.sweep_arrays
    out, best = np.empty_like(V), np.empty(layout.n_states, np.int64)
    turns = kernels.predecessors(*arrays[:-1]) if sweep == "prioritised" else None
    trace: list[Sweep] = []
    stop, done = tol / 100, 0
    with Crew(layout) as crew, progress("value iteration") as tick:
        while True:
            while True:
                if sweep == "gauss_seidel":
                    residual = kernels.gauss_seidel(done % 2 == 1, *arrays, 1.0, V)
                    done += 1
                elif sweep == "prioritised":
                    budget = max(1, max_iter - done) * layout.n_states
                    backups, residual = kernels.prioritised(*arrays, 1.0, V, *turns, stop, budget)
                    done += -(-backups // layout.n_states)
                else:
                    low, high = crew.sweep(kernels.bellman, *arrays, 1.0, V, out, best)
                    V, out = out, V
                    residual = max(-low, high)
                    done += 1
                tick()
                trace.append(Sweep(done, residual, None, V[quotient.node] if history else None))
                if residual <= stop or done >= max_iter:
                    break
            enclosed = interval(layout, V)
            half = None if enclosed is None else float((enclosed[1] - enclosed[0]).max(initial=0.0) / 2)
            floor = 4 * EPS * np.abs(V).max(initial=0.0)
            if half is None or half <= tol or done >= max_iter or stop <= floor:
                break
            stop = max(min(stop / 2, stop * tol / half / 2), floor)
    if enclosed is not None:
        V = V + np.where(layout.terminal, 0.0, (enclosed[0] + enclosed[1]) / 2)
        trace.append(Sweep(done, residual, half, V[quotient.node] if history else None))
    converged = residual <= stop and (half is None or half <= tol)
    return V, done, half, trace, bool(converged)
