r"""Average reward: relative value iteration.

The gain :math:`g` and the bias :math:`h` of a process solve

.. math:: g + h(s) = \max_a \Big( r(s,a) + \sum_{s'} p(s'\mid s,a)\, h(s') \Big). \tag{1}

Sweeps :math:`V \leftarrow TV` grow by about :math:`g` each, and :math:`\min (TV - V) \le g \le \max (TV - V)` at all times, so the
answer carries its error. The process is slowed down (it stays put with probability :math:`\tau`), which changes neither
gain nor bias up to a factor, and keeps periodic chains from oscillating.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epee.errors import DataError
from epee.mdp.components import ends
from epee.mdp.solution import Solution, Sweep
from epee.mdp.sweeps import Crew, actions_of, pair_values
from epee.settings import progress

if TYPE_CHECKING:
    import numpy.typing as npt

    from epee.mdp.layout import Layout

STAY = 0.1  # probability of staying put


def gain_range(layout: Layout, states: npt.NDArray[np.bool_], sweeps: int = 20_000) -> tuple[float, float]:
    """Enclose the best gain of a closed set of states until its sign is known."""
    from epee.kernels.mdp_sweeps import relative

    V, out = np.zeros(layout.n_states), np.zeros(layout.n_states)
    best = np.empty(layout.n_states, np.int64)
    low, high = -np.inf, np.inf
    for _ in range(sweeps):
        relative(0, layout.n_states, *layout.sweep_arrays, STAY, V, out, best)
        change = (out - V)[states] / (1 - STAY)
        low, high = float(change.min()), float(change.max())
        if low > 0 or high < 0 or high - low < 1e-14:
            break
        V, out = out - out[states].min() * states, V
    return low, high


def average_reward(layout: Layout, tol: float, max_iter: int, history: bool) -> Solution:
    """Solve (1); refuse where the best gain depends on the state one starts in."""
    from epee.kernels.mdp_sweeps import relative

    if layout.leaks:
        state = int(np.argmax(ends(layout)))
        raise DataError(
            f"average_reward: an episode can end in state {state}, and what ends earns 0 on average. "
            "Take a discount, or let the end lead back to the start."
        )
    n = layout.n_states
    V, out, best = np.zeros(n), np.zeros(n), np.empty(n, np.int64)
    trace: list[Sweep] = []
    reference = int(np.argmax(~layout.terminal))
    with Crew(layout) as crew, progress("relative value iteration") as tick:
        for done in range(1, max_iter + 1):
            low, high = crew.sweep(relative, *layout.sweep_arrays, STAY, V, out, best)
            half = (high - low) / (2 * (1 - STAY))
            V, out = out - out[reference], V
            trace.append(Sweep(done, high - low, half, V.copy() if history else None))
            tick()
            if half <= tol:
                break
        else:
            change = V - out
            raise DataError(
                f"after {max_iter} sweeps the average reward is only known to lie in [{low / (1 - STAY):.6g}, "
                f"{high / (1 - STAY):.6g}]: the best gain seems to depend on the starting state (state {int(change.argmin())} "
                f"and state {int(change.argmax())} differ). Solve each closed set of states by itself, or raise max_iter."
            )
    gain = (low + high) / 2 / (1 - STAY)
    q = pair_values(layout, 1.0, V) - gain
    return Solution(
        V,
        actions_of(layout, best),
        layout.table(q, -np.inf),
        done,
        float(half),
        trace,
        "average reward",
        1.0,
        float(gain),
    )
