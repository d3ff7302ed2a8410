"""To and from Gymnasium.

A discrete space, or a product of discrete spaces, is numbered 0 .. n - 1 (row-major for a product). The terminated flag of
a transition cuts its future; the truncated flag does not, it only ends the episode that is played.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from epee.errors import DataError
from epee.mdp.reading import read_table

if TYPE_CHECKING:
    from epee.mdp.process import MarkovDecisionProcess
    from epee.typing import ArrayLike, Seed


class Numbers:
    """The space 0 .. n - 1 of an environment that is a plain function."""

    def __init__(self, n: int) -> None:
        self.n, self.start = n, 0


class Coding:
    """Numbers for the elements of a discrete space."""

    def __init__(self, space: Any, what: str) -> None:
        if isinstance(space, Numbers):
            self.single, self.tuple, self.offset = True, False, 0
            self.sizes, self.starts, self.n = [space.n], [0], space.n
            return
        if space is None:
            raise DataError(
                "the states of this simulator are not numbered: give n_states=, or use an agent with features."
            )
        from gymnasium import spaces

        sizes: Any
        starts: Any
        self.single = isinstance(space, spaces.Discrete)
        if self.single:
            sizes, starts = [space.n], [space.start]
        elif isinstance(space, spaces.MultiDiscrete):
            sizes, starts = np.ravel(space.nvec), np.ravel(space.start)
        elif isinstance(space, spaces.Tuple) and all(isinstance(s, spaces.Discrete) for s in space.spaces):
            sizes, starts = [s.n for s in space.spaces], [s.start for s in space.spaces]
        else:
            raise DataError(
                f"the {what} space is {space}, which is not discrete. Take an agent with features, such as LinearQLearning with "
                "Tiles, or wrap the environment so that it is a Discrete space."
            )
        self.sizes = [int(n) for n in sizes]
        self.starts = [int(n) for n in starts]
        self.n = int(np.prod(self.sizes))
        self.offset = self.starts[0] if self.single else 0
        self.tuple = isinstance(space, spaces.Tuple)

    def number(self, element: Any) -> int:
        """Return the number of an element."""
        if self.single:
            return int(element) - self.offset
        out = 0
        for value, size, start in zip(element, self.sizes, self.starts, strict=True):
            out = out * size + int(value) - start
        return out

    def element(self, number: int) -> Any:
        """Return the element with a number."""
        if self.single:
            return number + self.offset
        digits = np.array(np.unravel_index(number, self.sizes)) + self.starts
        return tuple(int(d) for d in digits) if self.tuple else digits


def opened(env: Any) -> Any:
    """Return the environment, made if it is a name."""
    if isinstance(env, str):
        import gymnasium

        return gymnasium.make(env)
    if not all(hasattr(env, name) for name in ("reset", "step", "observation_space", "action_space")):
        raise DataError(f"{type(env).__name__} is neither a MarkovDecisionProcess nor a Gymnasium environment.")
    return env


def import_environment(
    cls: type[MarkovDecisionProcess], env: Any, discount: float, steps: int | None, random_state: Seed
) -> MarkovDecisionProcess:
    """Make a process of an environment: from its table, else from random play."""
    env = opened(env)
    states, actions = Coding(env.observation_space, "observation"), Coding(env.action_space, "action")
    table = getattr(env.unwrapped, "P", None)
    if table is not None and states.single and steps is None:
        layout = read_table(table, states.n, actions.n)
        start = getattr(env.unwrapped, "initial_state_distrib", None)
        usable = (
            start is not None and np.shape(start) == (states.n,) and np.sum(np.asarray(start)[~layout.terminal]) > 0
        )
        return cls.of_layout(layout, discount, start=start if usable else None, grid=_grid_of(env, states.n))
    if steps is None:
        raise DataError("this environment has no table P of transitions. Give steps= to estimate one from random play.")
    from epee.mdp.estimation import count_transitions

    s, a, r, t, e = _random_play(env, states, actions, steps, random_state)
    return cls.of_layout(count_transitions(s, a, r, t, e, states.n, actions.n), discount)


def _grid_of(env: Any, n: int) -> Any:
    """Return the map of an environment on a grid, for pictures."""
    desc = getattr(env.unwrapped, "desc", None)
    shape = getattr(env.unwrapped, "shape", None)
    if desc is not None and np.size(desc) == n:
        letters = np.asarray(desc).astype(str)
        # FrozenLake's order of actions: left, down, right, up
        return {"shape": letters.shape, "states": np.arange(n).reshape(letters.shape), "letters": letters,
                "moves": [(0, -1), (1, 0), (0, 1), (-1, 0)]}  # fmt: skip
    if shape is not None and len(shape) == 2 and int(np.prod(shape)) == n:
        # CliffWalking's order: up, right, down, left
        return {"shape": tuple(shape), "states": np.arange(n).reshape(shape), "letters": None,
                "moves": [(-1, 0), (0, 1), (1, 0), (0, -1)]}  # fmt: skip
    return None


def _random_play(env: Any, states: Coding, actions: Coding, steps: int, random_state: Seed) -> tuple[Any, ...]:
    rng = np.random.default_rng(
        random_state if not isinstance(random_state, np.random.RandomState) else random_state.randint(2**31)
    )
    seed = int(rng.integers(2**31))
    choices = rng.integers(actions.n, size=steps)
    s, t, r, e = np.empty(steps, np.int64), np.empty(steps, np.int64), np.empty(steps), np.empty(steps, bool)
    here = states.number(env.reset(seed=seed)[0])
    for i in range(steps):
        observation, reward, terminated, truncated, _ = env.step(actions.element(int(choices[i])))
        s[i], t[i], r[i], e[i] = here, states.number(observation), reward, terminated
        here = states.number(env.reset()[0]) if terminated or truncated else int(t[i])
    return s, choices, r, t, e


def episode_player(env: Any, policy: ArrayLike, max_length: int, random_state: Seed) -> tuple[Callable[[], Any], int]:
    """Return a function that plays one episode of a policy: states, rewards, whether it was cut."""
    env = opened(env)
    states, actions = Coding(env.observation_space, "observation"), Coding(env.action_space, "action")
    rule = np.asarray(policy)
    if rule.shape not in ((states.n,), (states.n, actions.n)):
        raise DataError(
            f"policy has shape {rule.shape}; give ({states.n},) actions or ({states.n}, {actions.n}) probabilities."
        )
    rng = np.random.default_rng(random_state)
    seeds = iter([int(rng.integers(2**31))])

    def play_one() -> tuple[Any, Any, bool]:
        here = states.number(env.reset(seed=next(seeds, None))[0])
        seen, earned = [], []
        for _ in range(max_length):
            a = int(rule[here]) if rule.ndim == 1 else int(rng.choice(actions.n, p=rule[here]))
            seen.append(here)
            observation, reward, terminated, truncated, _ = env.step(actions.element(a))
            earned.append(float(reward))
            here = states.number(observation)
            if terminated or truncated:
                return np.array(seen), np.array(earned), not terminated
        return np.array(seen), np.array(earned), True

    return play_one, states.n


def export_environment(process: MarkovDecisionProcess, max_episode_steps: int | None) -> Any:
    """Make a Gymnasium environment of a process."""
    import gymnasium

    layout = process.layout
    payoff = layout.reward[layout.source] if layout.payoff is None else layout.payoff
    stop = (layout.flow == 0.0) | layout.terminal[layout.succ]
    cumulated = np.empty(layout.n_transitions)
    for k in range(layout.n_pairs):
        row = slice(layout.ptr[k], layout.ptr[k + 1])
        cumulated[row] = np.cumsum(layout.prob[row])
    starts = np.cumsum(process.start)
    pair_of = np.full((process.n_states, process.n_actions), -1)
    pair_of[layout.owner, layout.action] = np.arange(layout.n_pairs)
    masks = (pair_of >= 0).astype(np.int8)
    worst = float(payoff.min())

    class ProcessEnv(gymnasium.Env):
        """A Markov decision process to play.

        An action that is not admissible leaves the state as it is and earns the worst reward of the process, so that no
        policy gains by it; ``info["action_mask"]`` tells which are admissible.
        """

        metadata: dict[str, Any] = {"render_modes": []}

        def __init__(self) -> None:
            self.observation_space = gymnasium.spaces.Discrete(process.n_states)
            self.action_space = gymnasium.spaces.Discrete(process.n_actions)
            self.initial_state_distrib = process.start
            self.state = 0

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[int, dict[str, Any]]:
            super().reset(seed=seed)
            self.state = min(int(np.searchsorted(starts, self.np_random.random(), side="right")), int(starts.argmax()))
            return self.state, {"action_mask": masks[self.state].copy()}

        def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
            k = pair_of[self.state, action]
            if k < 0:
                return self.state, worst, False, False, {"action_mask": masks[self.state].copy(), "admissible": False}
            lo, hi = layout.ptr[k], layout.ptr[k + 1]
            j = min(lo + int(np.searchsorted(cumulated[lo:hi], self.np_random.random(), side="right")), hi - 1)
            self.state = int(layout.succ[j])
            return (
                self.state,
                float(payoff[j]),
                bool(stop[j]),
                False,
                {"action_mask": masks[self.state].copy(), "admissible": True},
            )

        @property
        def P(self) -> dict[int, dict[int, list[tuple[float, int, float, bool]]]]:
            """The table: (probability, successor, reward, terminated) for every state and action."""
            out: dict[int, dict[int, list[tuple[float, int, float, bool]]]] = {}
            for s in range(process.n_states):
                out[s] = {}
                for a in range(process.n_actions):
                    k = pair_of[s, a]
                    row = range(layout.ptr[k], layout.ptr[k + 1]) if k >= 0 else ()
                    idle = [(1.0, s, 0.0, True)] if layout.terminal[s] else [(1.0, s, worst, False)]
                    moves = [(float(layout.prob[j]), int(layout.succ[j]), float(payoff[j]), bool(stop[j])) for j in row]
                    out[s][a] = moves or idle
            return out

    env = ProcessEnv()
    return env if max_episode_steps is None else gymnasium.wrappers.TimeLimit(env, max_episode_steps)
