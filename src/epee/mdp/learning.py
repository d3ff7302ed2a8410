r"""What all agents share: an environment to act in, the books, the checkpoints.

On a process of ours the whole loop is compiled; on a Gymnasium environment the environment's step is Python and ours is one
compiled call. The trace holds, at each checkpoint, the mean reward a step since the last one, the mean return of the
episodes that ended, and :math:`\max |Q - Q^*|` when the process is known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from epee.errors import DataError, WrongUse
from epee.mdp.exploring import exploration_of
from epee.mdp.process import MarkovDecisionProcess
from epee.mdp.reading import check_discount
from epee.mdp.step_sizes import step_of, warn_if_broken
from epee.mdp.trajectories import Sampler, seed_of
from epee.settings import progress

if TYPE_CHECKING:
    from epee.typing import Seed, Tensor, Vector

REFERENCE = 2_000_000  # transitions up to which a known process is solved, for the distance to the optimum


class Experience(NamedTuple):
    """One step of a recorded run: what was seen, and what was learned from it.

    ``before`` and ``after`` are the estimate of the pair, ``step`` its step size, so that
    ``after = before + step * error``.
    """

    state: int
    action: int
    reward: float
    next_state: int
    ended: bool
    before: float
    after: float
    step: float

    @property
    def error(self) -> float:
        """The temporal difference that moved the estimate."""
        return (self.after - self.before) / self.step


@dataclass
class LearningTrace:
    """How learning went, one entry a checkpoint.

    Attributes
    ----------
    steps : array
        Steps done.
    reward : array
        Mean reward a step since the checkpoint before.
    episodes, returns : arrays
        Episodes that ended since then, and their mean discounted return (NaN if none).
    distance : array
        Largest difference to the optimum, where it is known (NaN else).
    """

    steps: list[int] = field(default_factory=list)
    reward: list[float] = field(default_factory=list)
    episodes: list[int] = field(default_factory=list)
    returns: list[float] = field(default_factory=list)
    distance: list[float] = field(default_factory=list)

    def plot(self, ax: Any = None) -> Any:
        """Draw the distance to the optimum, or the rewards where it is not known."""
        from epee.figures.mdp import draw_learning

        return draw_learning(self, ax=ax)


class World:
    """An environment as agents see it: states with a range of pairs each."""

    def __init__(self, environment: Any, seed: int) -> None:
        self.process = environment if isinstance(environment, MarkovDecisionProcess) else None
        if self.process is not None:
            layout = self.process.layout
            self.sampler = Sampler.of(self.process)
            self.n_states, self.n_actions = layout.n_states, layout.n_actions
            self.first, self.action, self.owner = layout.first, layout.action, layout.owner
            return
        from epee.mdp.environments import Coding, opened

        self.env = opened(environment)
        self.states = Coding(self.env.observation_space, "observation")
        self.actions = Coding(self.env.action_space, "action")
        self.n_states, self.n_actions = self.states.n, self.actions.n
        self.first = np.arange(self.n_states + 1) * self.n_actions
        self.action = np.tile(np.arange(self.n_actions, dtype=np.int32), self.n_states)
        self.owner = np.repeat(np.arange(self.n_states, dtype=np.int32), self.n_actions)
        self.seed: int | None = seed

    def reset(self) -> int:
        """Begin an episode; return the state."""
        seed, self.seed = self.seed, None
        return self.states.number(self.env.reset(seed=seed)[0])

    def table(self, pairs: Vector, other: float) -> Tensor:
        """Spread a value per pair over states and actions."""
        if self.process is not None:
            return self.process.layout.table(pairs, other)
        return pairs.reshape(self.n_states, self.n_actions).copy()


class Agent(BaseEstimator, ABC):
    """Base of the agents: options in, ``q_``, ``values_``, ``policy_`` and ``trace_`` out."""

    discount: float | None
    step: Any
    exploration: Any
    initial: float
    random_state: Seed

    def learn(
        self,
        environment: Any,
        steps: int,
        *,
        checkpoints: int = 50,
        episode_length: int | None = None,
        resume: bool = False,
        record: bool = False,
        reference: Any = "auto",
    ) -> Any:
        """Act in an environment and learn from what happens.

        Parameters
        ----------
        environment : MarkovDecisionProcess or Gymnasium environment with discrete spaces
        steps : int
            Transitions to learn from; more come nearer to the limit.
        checkpoints : int
            Entries of the trace.
        episode_length : int, default=None
            Steps after which an episode begins anew, without being taken for an end.
        resume : bool
            Go on from what the last call learned.
        record : bool
            Keep every transition and update in ``experience_``, for teaching (slow).
        reference : "auto", None or array
            The values that ``trace_.distance`` refers to; "auto" solves a process of moderate size.
        """
        if int(steps) != steps or steps < 1:
            raise WrongUse(f"steps is {steps!r}; it must be a whole number of at least 1.")
        warn_if_broken(step_of(self.step))
        if not (resume and hasattr(self, "world_")):
            self._begin(environment)
        elif self.world_.process is not environment and getattr(self.world_, "env", None) is not environment:
            raise WrongUse("resume=True goes on in the same environment; learn anew in another.")
        goal = self._goal() if isinstance(reference, str) and reference == "auto" else reference
        steps, limit = int(steps), int(episode_length or 0)
        marks = np.unique(np.linspace(0, steps, min(max(int(checkpoints), 1), steps) + 1).astype(int))[1:]
        if record:
            self.experience_: list[Experience] = []
        done = 0
        with progress("learning", steps) as tick:
            for mark in marks:
                if record or self.world_.process is None:
                    self._act(int(mark) - done, limit, record)
                else:
                    self._run(int(mark) - done, limit)
                tick(int(mark) - done)
                done = int(mark)
                self._checkpoint(goal)
        self._publish()
        return self

    def _begin(self, environment: Any) -> None:
        from epee.kernels import mdp_agents as kernels

        if hasattr(self, "experience_"):
            del self.experience_
        self._rng = seed_of(self.random_state)
        self.world_ = World(environment, int(self._rng[0] % np.uint64(2**31)))
        discount = self.discount
        if discount is None:
            discount = self.world_.process.discount if self.world_.process is not None else 1.0
        step, exploration = step_of(self.step), exploration_of(self.exploration)
        if exploration.code == kernels.PAIRS and self.world_.process is None:
            raise WrongUse("exploration by pairs puts the agent in any state, which a Gymnasium environment cannot do.")
        if not np.isfinite(self.initial):
            raise WrongUse(f"initial is {self.initial!r}; it must be a finite number.")
        self._explore = exploration.code
        self._law = np.zeros(len(self.world_.owner))
        self._table = step.table()
        gain_step = step_of(getattr(self, "gain_step", 1.0))
        self._numbers = np.array(
            [
                check_discount(discount),
                step.scale,
                step.power,
                *exploration.rates,
                gain_step.scale,
                gain_step.power,
                float(getattr(self, "trace_decay", 0.0)),
            ]
        )
        self._memory = np.zeros(9)
        self._memory[kernels.WEIGHT] = 1.0
        K = len(self.world_.owner)
        self._q = np.full((2, K), float(self.initial))
        self._visits = np.zeros((2, K), np.int64)
        self._pair = -1
        self.trace_ = LearningTrace()

    def _goal(self) -> Any:
        """Return what the estimates should come to, where it can be known."""
        process = self.world_.process
        if process is None or process.layout.n_transitions > REFERENCE:
            return None
        cached = getattr(self, "_reference", None)
        if cached is None or cached[0] is not process or cached[1] != self._numbers[0]:
            try:
                best = process.with_discount(float(self._numbers[0])).value_iteration(1e-8).q
            except DataError:  # no discount, and no end: there is no optimum to compare with
                best = None
            self._reference = cached = (process, self._numbers[0], best)
        return cached[2]

    def _estimate(self) -> Tensor:
        return self.world_.table(self._q[0], -np.inf)

    def _gap(self, goal: Any) -> float:
        """Return the distance of the estimates to the goal."""
        estimate = self._estimate()
        finite = np.isfinite(goal) & np.isfinite(estimate)
        return float(np.abs(estimate[finite] - np.asarray(goal)[finite]).max(initial=0.0))

    def _checkpoint(self, goal: Any) -> None:
        from epee.kernels import mdp_agents as kernels

        memory, trace = self._memory, self.trace_
        since = memory[kernels.STEPS] - (trace.steps[-1] if trace.steps else 0)
        episodes = int(memory[kernels.EPISODES])
        trace.steps.append(int(memory[kernels.STEPS]))
        trace.reward.append(float(memory[kernels.REWARD] / since))
        trace.episodes.append(episodes)
        trace.returns.append(float(memory[kernels.RETURNS] / episodes) if episodes else np.nan)
        trace.distance.append(np.nan if goal is None else self._gap(goal))
        memory[[kernels.REWARD, kernels.EPISODES, kernels.RETURNS]] = 0.0

    def _publish(self) -> None:
        q = self._estimate()
        if not np.isfinite(self._q).all():
            raise DataError("the estimates grew beyond all numbers. Take a smaller step, or scale the rewards.")
        self.q_ = q
        self.values_ = q.max(axis=1)
        self.policy_ = q.argmax(axis=1)
        self.visits_ = self.world_.table(self._visits.sum(axis=0).astype(float), 0.0).astype(np.int64)

    @abstractmethod
    def _run(self, steps: int, limit: int) -> None:
        """Learn on a process, compiled."""

    @abstractmethod
    def _observe(self, k: int, s: int, s2: int, reward: float, ended: bool) -> int:
        """Learn from one transition; return the pair to try next, -1 after an end."""

    def _forget_episode(self) -> None:
        """Drop what belongs to the episode that was cut."""

    def _act(self, steps: int, limit: int, record: bool) -> None:
        """Play step by step, in Python."""
        from epee.kernels import mdp_agents as kernels

        world, memory, first = self.world_, self._memory, self.world_.first
        two = getattr(self, "_method", kernels.Q) == kernels.DOUBLE
        process = world.process
        actions = world.action.tolist()
        for _ in range(steps):
            k = self._pair
            if process is not None and self._explore == kernels.PAIRS:
                k = int(kernels.uniform(self._rng) * len(world.owner))
            elif k < 0:
                if process is None:
                    s = world.reset()
                else:
                    sampler = world.sampler
                    s = sampler.starts[
                        kernels.draw(0, len(sampler.starts), sampler.start_keep, sampler.start_other, self._rng)
                    ]
                k = kernels.begin(
                    self._explore, self._q, two, self._law, self._numbers, memory, self._rng, first[s], first[s + 1]
                )
            s = int(world.owner[k])
            truncated = False
            if process is None:
                observation, reward, ended, truncated, _ = world.env.step(world.actions.element(actions[k]))
                s2 = world.states.number(observation)
            else:
                j = kernels.draw(
                    world.sampler.ptr[k], world.sampler.ptr[k + 1], world.sampler.keep, world.sampler.other, self._rng
                )
                s2, reward, ended = (
                    int(world.sampler.succ[j]),
                    float(world.sampler.payoff[j]),
                    bool(world.sampler.stop[j]),
                )
            before = self._q[:, k].copy()
            self._pair = self._observe(k, s, s2, float(reward), bool(ended))
            if record:
                row = int(np.argmax(np.abs(self._q[:, k] - before)))
                step = step_of(self.step)(int(self._visits[row, k]) or 1)
                self.experience_.append(
                    Experience(
                        s, actions[k], float(reward), s2, bool(ended), float(before[row]), float(self._q[row, k]), step
                    )
                )
            if not ended and (truncated or (limit and memory[kernels.LENGTH] >= limit)):
                kernels.close_episode(memory)
                self._forget_episode()
                self._pair = -1
