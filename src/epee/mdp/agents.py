r"""Learning to act from simulation, one table of values.

Each step moves the estimate of the pair that was tried towards a target, :math:`Q(s,a) \leftarrow Q(s,a) + \alpha_n [y - Q(s,a)]`:

- Q-learning (Watkins): :math:`y = r + \gamma \max_b Q(s', b)`;
- double Q-learning (van Hasselt): two tables, one chooses :math:`b`, the other says what it is worth;
- Sarsa: :math:`y = r + \gamma Q(s', a')` with the action :math:`a'` taken next;
- expected Sarsa: :math:`y = r + \gamma \sum_b \pi(b\mid s') Q(s', b)`;
- R-learning (Schwartz): :math:`y = r - \rho + \max_b Q(s', b)`, and after an update with a greedy action
  :math:`\rho \leftarrow \rho + \beta [r - \rho + \max_b Q(s',b) - \max_b Q(s,b)]`.

Q-learning converges to :math:`Q^*` with probability 1 when every pair is tried for ever, :math:`\sum \alpha_n = \infty`,
:math:`\sum \alpha_n^2 < \infty`, and :math:`\gamma < 1` or all episodes end. Maxima run over admissible actions only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError
from epee.mdp.learning import Agent

if TYPE_CHECKING:
    from epee.typing import Seed, Tensor


class TableAgent(Agent):
    """An agent with a table of pairs, run by one kernel."""

    _method = 0

    def __init__(
        self,
        *,
        discount: float | None = None,
        step: Any = "power",
        exploration: Any = "epsilon_greedy",
        initial: float = 0.0,
        random_state: Seed = None,
    ) -> None:
        self.discount = discount
        self.step = step
        self.exploration = exploration
        self.initial = initial
        self.random_state = random_state

    @property
    def _books(self) -> tuple[Any, ...]:
        return self._q, self._visits, self._law, self._table, self._numbers, self._memory, self._rng

    def _run(self, steps: int, limit: int) -> None:
        from epee.kernels.mdp_agents import runner

        run = runner(self._method, self._explore)
        self._pair = run(steps, limit, self._pair, *self.world_.sampler.arrays, *self._books)

    def _observe(self, k: int, s: int, s2: int, reward: float, ended: bool) -> int:
        from epee.kernels.mdp_agents import observe

        first = self.world_.first
        return int(
            observe(
                self._method,
                self._explore,
                *self._books,
                k,
                first[s],
                first[s + 1],
                reward,
                first[s2],
                first[s2 + 1],
                ended,
            )
        )


class QLearning(TableAgent):
    r"""Q-learning: the value of the best policy, learned while following another.

    Parameters
    ----------
    discount : float in [0, 1], default=None
        :math:`\gamma`; None takes the one of the process (1 for a Gymnasium environment).
    step : "visits", "power", ("power", w) or float, default="power"
        Step of the n-th update of a pair: :math:`1/n`, :math:`n^{-0.8}`, :math:`n^{-w}`, or constant (which follows a
        changing world but breaks :math:`\sum\alpha_n^2 < \infty`: it warns, and the values keep fluctuating).
    exploration : "uniform", "pairs", "epsilon_greedy", "boltzmann", float or object, default="epsilon_greedy"
        How actions are tried; a number is epsilon. See :class:`EpsilonGreedy`, :class:`Boltzmann`, :class:`Uniform`.
    initial : float, default=0.0
        First estimate of every pair; above all values makes the agent try everything once.
    random_state : int, default=None

    Attributes
    ----------
    q_ : array (S, A)
    values_, policy_ : arrays (S,)
        :math:`\max_a Q`, and the action that reaches it.
    visits_ : array (S, A)
    trace_ : LearningTrace

    Notes
    -----
    A step costs O(A), some 50 ns for a few actions on a process of ours.

    References
    ----------
    Watkins and Dayan (1992); Even-Dar and Mansour (2003) for the power of the step.

    Examples
    --------
    >>> from epee.mdp import QLearning, car_dealer
    >>> process = car_dealer(3, 10.0, 4.0, 1.0, 0.8)
    >>> agent = QLearning(exploration="uniform", random_state=0).learn(process, 400_000)
    >>> bool((agent.policy_ == process.value_iteration().policy).all())
    True
    """

    _method = 0


class DoubleQLearning(TableAgent):
    """Q-learning with two tables, so that the luckiest action is not taken for the best. Parameters: :class:`QLearning`.

    Parameters
    ----------
    discount, step, exploration, initial, random_state
        As :class:`QLearning`.

    Examples
    --------
    >>> from epee.mdp import DoubleQLearning, random_walk
    >>> DoubleQLearning(random_state=0).learn(random_walk(4), 20_000).values_.round(1)
    array([0. , 0.2, 0.4, 0.6, 0.8, 0. ])
    """

    _method = 1

    def _estimate(self) -> Tensor:
        return self.world_.table(self._q.mean(axis=0), -np.inf)


class Sarsa(TableAgent):
    """Learn the value of what one does, exploration included. Parameters: :class:`QLearning`.

    With exploration that dies out it comes to the optimum; with a constant one, to the best policy that explores so.

    Parameters
    ----------
    discount, step, exploration, initial, random_state
        As :class:`QLearning`.

    Examples
    --------
    >>> from epee.mdp import Sarsa, random_walk
    >>> Sarsa(random_state=0).learn(random_walk(4), 20_000).values_.round(1)
    array([0. , 0.2, 0.4, 0.6, 0.8, 0. ])
    """

    _method = 2


class ExpectedSarsa(TableAgent):
    """Sarsa with the mean over the next actions, hence with less noise. Parameters: :class:`QLearning`.

    Parameters
    ----------
    discount, step, exploration, initial, random_state
        As :class:`QLearning`.

    Examples
    --------
    >>> from epee.mdp import ExpectedSarsa, random_walk
    >>> ExpectedSarsa(random_state=0).learn(random_walk(4), 20_000).values_.round(1)
    array([0. , 0.2, 0.4, 0.6, 0.8, 0. ])
    """

    _method = 3


class RLearning(TableAgent):
    r"""Maximise the average reward a step, learned while acting (Schwartz 1993).

    Parameters
    ----------
    discount : ignored
        Kept so that all agents are made alike; only the returns of the trace use it.
    step, exploration, initial, random_state
        As :class:`QLearning`.
    gain_step : like ``step``, default=("power", 0.8)
        Step of the average reward :math:`\rho`; smaller steps are steadier and slower.

    Attributes
    ----------
    gain_ : float
        :math:`\rho`; ``trace_.distance`` is its distance to the optimal gain.

    Examples
    --------
    >>> from epee.mdp import RLearning, car_dealer
    >>> process = car_dealer(3, 10.0, 4.0, 1.0, 0.8)
    >>> agent = RLearning(random_state=0).learn(process, 400_000)
    >>> bool(abs(agent.gain_ - process.average_reward().gain) < 0.3)
    True
    """

    _method = 4

    def __init__(
        self,
        *,
        discount: float | None = None,
        step: Any = "power",
        exploration: Any = "epsilon_greedy",
        gain_step: Any = ("power", 0.8),
        initial: float = 0.0,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            discount=discount, step=step, exploration=exploration, initial=initial, random_state=random_state
        )
        self.gain_step = gain_step

    def _goal(self) -> Any:
        process = self.world_.process
        if process is None or process.layout.n_transitions > 2_000_000:
            return None
        try:
            return process.average_reward(1e-6).gain
        except DataError:
            return None

    def _gap(self, goal: Any) -> float:
        return float(abs(self._memory[1] - goal))

    def _publish(self) -> None:
        super()._publish()
        self.gain_ = float(self._memory[1])
