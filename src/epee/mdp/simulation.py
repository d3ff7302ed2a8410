"""Acting in anything that can be simulated: a process of ours, a Gymnasium environment, or a plain function ``simulate(s, a)``.

States are what the environment says they are: numbers, or vectors of a box. An end cuts the future of a transition; a step too many
only cuts the episode that is played.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from epee.errors import DataError, WrongUse
from epee.mdp.environments import Coding, Numbers, opened
from epee.mdp.process import MarkovDecisionProcess
from epee.typing import Seed, Vector

Policy = Callable[[Any, np.random.Generator], int]


class Simulator:
    """An environment made of a function: ``simulate(s, a)`` returns the next state and the reward.

    Parameters
    ----------
    simulate : function (state, action) -> (next state, reward) or (next state, reward, ended)
        May take a third argument, a NumPy generator, for its chances.
    n_actions : int
        Actions are 0 to ``n_actions - 1``.
    start : state, or function of a generator
        Where an episode begins.
    n_states : int, optional
        For states that are whole numbers from 0: agents with tables (``QLearning`` and its kin) can then act in it.
    length : int, optional
        Steps after which an episode is cut.

    Examples
    --------
    >>> walk = Simulator(lambda s, a: (s + 2 * a - 1, 1.0 if s + 2 * a - 1 == 5 else 0.0, s + 2 * a - 1 in (0, 5)), 2, 2, n_states=6)
    >>> from epee.mdp import QLearning
    >>> QLearning(discount=0.9, random_state=0).learn(walk, 5000).policy_[1:5]
    array([1, 1, 1, 1])
    """

    def __init__(
        self, simulate: Callable[..., Any], n_actions: int, start: Any, *, n_states: int | None = None, length: int | None = None
    ) -> None:  # fmt: skip
        if not callable(simulate):
            raise WrongUse("simulate must be a function of a state and an action.")
        for name, value in (("n_actions", n_actions), ("n_states", n_states), ("length", length)):
            if value is not None and (int(value) != value or value < 1):
                raise WrongUse(f"{name} is {value!r}; it must be a whole number of at least 1.")
        self.simulate, self.start, self.length = simulate, start, length
        self.action_space = Numbers(int(n_actions))
        self.observation_space = None if n_states is None else Numbers(int(n_states))
        self._chances = _takes(simulate, 3)
        self._rng = np.random.default_rng()
        self._state: Any = None
        self._steps = 0

    @property
    def unwrapped(self) -> Simulator:
        """Itself, as Gymnasium has it."""
        return self

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        begins = self.start
        if callable(begins):
            begins = begins(self._rng) if _takes(begins, 1) else begins()
        self._state, self._steps = begins, 0
        return begins, {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do one step: state, reward, whether it ended, whether it was cut, and nothing more."""
        found = self.simulate(self._state, int(action), *([self._rng] if self._chances else []))
        if not isinstance(found, tuple) or len(found) not in (2, 3):
            raise DataError(
                f"simulate({self._state!r}, {action}) returned {found!r}; it must return (state, reward) or (state, reward, ended)."
            )
        self._state, reward, ended = (*found, False)[:3]
        if not np.isfinite(reward):
            raise DataError(f"simulate gave the reward {reward!r} after action {action}; rewards are finite numbers.")
        self._steps += 1
        cut = self.length is not None and self._steps >= self.length
        return self._state, float(reward), bool(ended), bool(cut and not ended), {}


def _takes(function: Callable[..., Any], count: int) -> bool:
    try:
        return len(inspect.signature(function).parameters) >= count
    except (TypeError, ValueError):
        return False


class Transitions(NamedTuple):
    """What was seen, one entry a step; ``ended`` cuts the future, ``cut`` only the episode."""

    states: Any
    actions: np.ndarray
    rewards: Vector
    next_states: Any
    ended: np.ndarray
    cut: np.ndarray


@dataclass
class Arena:
    """One way to act in every environment: ``reset`` and ``step``."""

    environment: Any
    seed: int | None = None
    length: int | None = None

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.process = self.environment if isinstance(self.environment, MarkovDecisionProcess) else None
        self._steps = 0
        if self.process is not None:
            layout = self.process.layout
            self.n_actions = layout.n_actions
            self.n_states: int | None = layout.n_states
            self._pair = np.full((layout.n_states, layout.n_actions), -1)
            self._pair[layout.owner, layout.action] = np.arange(layout.n_pairs)
            self._payoff = layout.reward[layout.source] if layout.payoff is None else layout.payoff
            self._stop = (layout.flow == 0.0) | layout.terminal[layout.succ]
            return
        self.env = self.environment if isinstance(self.environment, Simulator) else opened(self.environment)
        self._actions = Coding(self.env.action_space, "action")
        self.n_actions = self._actions.n
        space = self.env.observation_space
        self._states = Coding(space, "observation") if space is not None and hasattr(space, "n") else None
        self.n_states = None if self._states is None else self._states.n
        self._first: int | None = int(self.rng.integers(2**31))

    def admissible(self, state: Any) -> np.ndarray:
        """Return the actions that a state has."""
        return np.flatnonzero(self._pair[state] >= 0) if self.process is not None else np.arange(self.n_actions)

    def box(self) -> tuple[Vector, Vector] | None:
        """Return the ends of the box of states, None where there is none or it has no ends."""
        space = None if self.process is not None else getattr(self.env, "observation_space", None)
        if space is None or not hasattr(space, "low"):
            return None
        low, high = np.ravel(space.low).astype(float), np.ravel(space.high).astype(float)
        return (low, high) if np.isfinite(low).all() and np.isfinite(high).all() and (high < 1e6).all() else None

    def reset(self) -> Any:
        """Begin an episode; return its state."""
        self._steps = 0
        if self.process is not None:
            self._at = int(self.rng.choice(self.process.n_states, p=self.process.start))
            return self._at
        seed, self._first = self._first, None
        return self._seen(self.env.reset(seed=seed)[0])

    def step(self, action: int) -> tuple[Any, float, bool, bool]:
        """Do one step: the next state, the reward, whether it ended, whether the episode is cut."""
        self._steps += 1
        late = self.length is not None and self._steps >= self.length
        if self.process is None:
            seen, reward, ended, cut, _ = self.env.step(self._actions.element(int(action)))
            return self._seen(seen), float(reward), bool(ended), bool((cut or late) and not ended)
        layout, k = self.process.layout, self._pair[self._at, action]
        if k < 0:
            raise DataError(f"action {action} is not admissible in state {self._at}.")
        row = slice(layout.ptr[k], layout.ptr[k + 1])
        j = layout.ptr[k] + int(self.rng.choice(row.stop - row.start, p=layout.prob[row]))
        self._at = int(layout.succ[j])
        ended = bool(self._stop[j])
        return self._at, float(self._payoff[j]), ended, bool(late and not ended)

    def _seen(self, observation: Any) -> Any:
        if self._states is not None:
            return self._states.number(observation)
        return observation if np.ndim(observation) == 0 else np.asarray(observation, dtype=np.float64).ravel()


def policy_of(policy: Any, arena: Arena) -> Policy:
    """Read a policy: None (uniform), (S,) actions, (S, A) probabilities, or a function of a state (and a generator)."""
    if policy is None:
        return lambda s, rng: int(rng.choice(arena.admissible(s)))
    if callable(policy):
        given = policy
        return (lambda s, rng: int(given(s, rng))) if _takes(given, 2) else (lambda s, rng: int(given(s)))
    rule = np.asarray(policy)
    n = arena.n_states
    if n is None or rule.shape not in ((n,), (n, arena.n_actions)):
        raise DataError(
            f"policy has shape {rule.shape}; give a function of a state"
            + ("." if n is None else f", ({n},) actions or ({n}, {arena.n_actions}) probabilities.")
        )
    if rule.ndim == 1:
        return lambda s, rng: int(rule[s])
    return lambda s, rng: int(rng.choice(arena.n_actions, p=rule[s]))


def play(
    environment: Any, policy: Any = None, steps: int = 1000, *, length: int | None = None, random_state: Seed = None
) -> Transitions:
    """Follow a policy for some steps, and note every transition.

    Parameters
    ----------
    environment : MarkovDecisionProcess, Simulator or Gymnasium environment with discrete actions
    policy : None, (S,) actions, (S, A) probabilities, or function of a state (and a generator)
        None tries every action alike.
    steps : int
        Transitions; an episode that ends or is cut is followed by another.
    length : int, optional
        Steps after which an episode is cut.
    random_state : int, default=None

    Examples
    --------
    >>> from epee.mdp import random_walk
    >>> seen = play(random_walk(3), None, 100, random_state=0)
    >>> len(seen.states), bool(seen.ended.any())
    (100, True)
    """
    if int(steps) != steps or steps < 1:
        raise WrongUse(f"steps is {steps!r}; it must be a whole number of at least 1.")
    arena = Arena(environment, None if random_state is None else _seed(random_state), length)
    act, s = policy_of(policy, arena), arena.reset()
    rows = []
    for _ in range(int(steps)):
        a = act(s, arena.rng)
        t, r, ended, cut = arena.step(a)
        rows.append((s, a, r, t, ended, cut))
        s = arena.reset() if ended or cut else t
    states, actions, rewards, successors, ended_, cut_ = zip(*rows, strict=True)
    return Transitions(
        np.asarray(states), np.array(actions), np.array(rewards), np.asarray(successors), np.array(ended_), np.array(cut_)
    )  # fmt: skip


def _seed(random_state: Any) -> int:
    return int(random_state) if isinstance(random_state, int | np.integer) else int(random_state.integers(2**31))
