r"""TD(lambda): values of a policy, by temporal differences with traces.

After each step with :math:`\delta = r + \gamma V(s') - V(s)`,

.. math:: e \leftarrow \gamma\lambda e, \quad e(s) \leftarrow e(s) + 1 \ (\text{accumulating}) \ \text{ or } \ 1 \ (\text{replacing}),
          \qquad V \leftarrow V + \alpha\, \delta\, e. \tag{1}

:math:`\lambda = 0` learns from the next state only; :math:`\lambda = 1` from the whole return, as Monte-Carlo. Traces are cleared
when an episode begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from epee.errors import DataError, WrongUse
from epee.mdp.learning import REFERENCE, Agent

if TYPE_CHECKING:
    from epee.typing import ArrayLike, Seed


class TDLambda(Agent):
    r"""Values of a policy by (1).

    Parameters
    ----------
    discount, step, exploration, initial, random_state
        As :class:`QLearning`; the step is that of each state.
    trace_decay : float in [0, 1], default=0.9
        :math:`\lambda`; larger looks farther back: less bias, more noise.
    traces : {"accumulating", "replacing"}
    policy : (S,) actions or (S, A) probabilities, default=None
        The policy to evaluate; None evaluates the exploring one (greedy exploration then improves it as it goes).

    Attributes
    ----------
    values_ : array (S,)
        The estimate of :math:`V_\pi`.
    q_ : array (S, A)
        One-step estimates :math:`r + \gamma V(s')` of the pairs tried; ``policy_`` is greedy for them.

    References
    ----------
    Sutton and Barto (2018), Reinforcement Learning, chapter 12.

    Examples
    --------
    >>> from epee.mdp import TDLambda, random_walk
    >>> TDLambda(trace_decay=0.5, random_state=0).learn(random_walk(4), 50_000).values_.round(1)
    array([0. , 0.2, 0.4, 0.6, 0.8, 0. ])
    """

    def __init__(
        self,
        *,
        discount: float | None = None,
        step: Any = "power",
        exploration: Any = "uniform",
        trace_decay: float = 0.9,
        traces: Literal["accumulating", "replacing"] = "accumulating",
        policy: ArrayLike | None = None,
        initial: float = 0.0,
        random_state: Seed = None,
    ) -> None:
        self.discount = discount
        self.step = step
        self.exploration = exploration
        self.trace_decay = trace_decay
        self.traces = traces
        self.policy = policy
        self.initial = initial
        self.random_state = random_state

    def _begin(self, environment: Any) -> None:
        from epee.kernels import mdp_agents as kernels

        if not 0 <= self.trace_decay <= 1:
            raise WrongUse(f"trace_decay is {self.trace_decay!r}; it must lie in [0, 1].")
        if self.traces not in ("accumulating", "replacing"):
            raise WrongUse(f"traces is {self.traces!r}; it must be 'accumulating' or 'replacing'.")
        super()._begin(environment)
        if self._explore == kernels.PAIRS:
            raise WrongUse("TD(lambda) follows trajectories; explore with 'uniform', 'epsilon_greedy' or 'boltzmann'.")
        if self.policy is not None:
            self._explore = kernels.GIVEN
            self._law = self._pair_law()
        n = self.world_.n_states
        self._V = np.full(n, float(self.initial))
        if self.world_.process is not None:
            self._V[self.world_.process.terminal] = 0.0
        self._counts = np.zeros(n, np.int64)
        self._trace, self._active = np.zeros(n), np.zeros(n + 2, np.int64)

    def _pair_law(self) -> Any:
        world = self.world_
        if world.process is not None:
            from epee.mdp.policies import law_of

            return law_of(world.process.layout, self.policy)  # type: ignore[arg-type]
        rule = np.asarray(self.policy)
        if rule.shape == (world.n_states, world.n_actions):
            return rule.astype(float).ravel()
        if rule.shape == (world.n_states,):
            return (world.action == rule[world.owner]).astype(float)
        raise DataError(
            f"policy has shape {rule.shape}; give ({world.n_states},) actions or a probability for each pair."
        )

    @property
    def _books(self) -> tuple[Any, ...]:
        return (self._V, self._q, self._counts, self._visits, self._law, self._table, self._numbers, self._memory,
                self._rng, self._trace, self._active)  # fmt: skip

    def _run(self, steps: int, limit: int) -> None:
        from epee.kernels.mdp_agents import run_traces

        self._pair = run_traces(
            self.traces == "replacing",
            self._explore,
            steps,
            limit,
            self._pair,
            *self.world_.sampler.arrays,
            *self._books,
        )

    def _observe(self, k: int, s: int, s2: int, reward: float, ended: bool) -> int:
        from epee.kernels.mdp_agents import observe_traces

        first = self.world_.first
        return int(
            observe_traces(
                self.traces == "replacing",
                self._explore,
                *self._books,
                k,
                s,
                s2,
                reward,
                first[s2],
                first[s2 + 1],
                ended,
            )
        )

    def _forget_episode(self) -> None:
        from epee.kernels.mdp_agents import drop_traces

        drop_traces(self._trace, self._active)

    def _goal(self) -> Any:
        """Return the value of the policy, where it is fixed and the process known."""
        from epee.kernels import mdp_agents as kernels

        process = self.world_.process
        if process is None or process.layout.n_transitions > REFERENCE:
            return None
        if self._explore == kernels.UNIFORM:
            rule = process.admissible / np.maximum(process.admissible.sum(axis=1, keepdims=True), 1)
        elif self._explore == kernels.GIVEN:
            rule = process.layout.table(self._law, 0.0)
        else:
            return None
        try:
            return process.with_discount(float(self._numbers[0])).evaluate(rule).values
        except DataError:
            return None

    def _gap(self, goal: Any) -> float:
        return float(np.abs(self._V - goal)[self._counts > 0].max(initial=0.0))

    def _publish(self) -> None:
        super()._publish()
        if not np.isfinite(self._V).all():
            raise DataError("the values grew beyond all numbers. Take a smaller step, or replacing traces.")
        self.values_ = self._V.copy()
