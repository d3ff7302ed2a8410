r"""What solving a process returns: values, a policy, how it went, and how far the answer can be from the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from epee.typing import Tensor, Vector


class Sweep(NamedTuple):
    """One line of a trace.

    Attributes
    ----------
    iteration : int
        Sweeps (or improvements of the policy) done so far.
    residual : float
        Largest change of a value in this sweep.
    bound : float or None
        Certified distance of ``values + shift`` to the optimum, where it is known.
    values, policy : array or None
        The values and the greedy policy after it, kept when ``history=True``.
    shift : float
        Where the optimum is enclosed, what leads from the values of the sweep to the middle of the enclosure (terminal
        states keep their 0).
    """

    iteration: int
    residual: float
    bound: float | None = None
    values: Vector | None = None
    policy: Any = None
    shift: float = 0.0


@dataclass(frozen=True)
class Solution:
    r"""Values and policy of a decision process.

    Attributes
    ----------
    values : array (S,), or (H + 1, S) over a finite horizon
        :math:`V(s)`; the bias :math:`h(s)` for the average-reward criterion.
    policy : integer array (S,), or (H, S) over a finite horizon
        Action chosen in each state (0 in a terminal state); the array that was given for :meth:`evaluate`.
    q : array (S, A), or (H, S, A)
        :math:`Q(s,a)`; ``-inf`` where the action is not admissible, 0 in a terminal state.
    iterations : int
        Sweeps, or improvements of the policy, or iterations of the simplex.
    bound : float or None
        Certified: no value is farther than this from the true one. None where nothing could be certified.
    trace : list of Sweep
        What happened, sweep by sweep.
    gain : float or None
        Average reward a step, for the average-reward criterion.
    converged : bool
        Whether the sweeps reached the tolerance asked for. With a discount very near 1 the rounding of float64 may keep
        ``bound``, which counts it, above that tolerance.
    """

    values: Tensor
    policy: Any
    q: Tensor
    iterations: int
    bound: float | None
    trace: list[Sweep] = field(default_factory=list, repr=False)
    method: str = ""
    discount: float = 1.0
    gain: float | None = None
    converged: bool = True
    grid: Any = field(default=None, repr=False)

    def __str__(self) -> str:
        certainty = "not certified" if self.bound is None else f"within {self.bound:.1e}"
        states = np.shape(self.values)[-1]
        gain = "" if self.gain is None else f", gain {self.gain:.6g}"
        return f"{self.method}: {states} states, discount {self.discount:g}{gain}, {self.iterations} iterations, {certainty}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the values and the policy: a map with arrows on a grid, else curves over the states."""
        from epee.figures.mdp import draw_solution

        return draw_solution(self, ax=ax)

    def plot_convergence(self, ax: Any = None) -> Any:
        """Draw the residual and the certified bound against the sweeps."""
        from epee.figures.mdp import draw_convergence

        return draw_convergence(self.trace, ax=ax, title=self.method)
