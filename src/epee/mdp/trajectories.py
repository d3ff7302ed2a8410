r"""Playing a process: trajectories, and values by Monte-Carlo.

Successors are drawn by Walker's alias method, so a step costs the same whatever their number. The mean of the
discounted returns :math:`G = \sum_t \gamma^t r_t` that follow a state estimates :math:`V_\pi(s)`, with a standard error. The
first visit of a state in an episode gives independent returns; every visit gives more of them, correlated. An episode that is cut after
:math:`H` steps hides at most :math:`\gamma^H \max|r| / (1-\gamma)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from epee.errors import WrongUse
from epee.settings import progress

if TYPE_CHECKING:
    import numpy.typing as npt

    from epee.mdp.process import MarkovDecisionProcess
    from epee.typing import ArrayLike, Seed, Vector


def seed_of(random_state: Seed) -> npt.NDArray[np.uint64]:
    """Return the state of the kernels' generator."""
    if random_state is None or isinstance(random_state, (int, np.integer)):
        return np.random.SeedSequence(random_state).generate_state(1, np.uint64).astype(np.uint64)
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(0, 2**63, size=1, dtype=np.int64).astype(np.uint64)
    return np.asarray(random_state.integers(0, 2**63, size=1)).astype(np.uint64)


@dataclass(frozen=True)
class Sampler:
    """The arrays that the kernels draw from."""

    owner: Any
    first: Any
    ptr: Any
    keep: Any
    other: Any
    succ: Any
    payoff: Any
    stop: Any
    starts: Any
    start_keep: Any
    start_other: Any

    @classmethod
    def of(cls, process: MarkovDecisionProcess) -> Sampler:
        from epee.kernels.mdp_agents import alias_tables

        layout = process.layout
        keep, other = np.empty(layout.n_transitions), np.empty(layout.n_transitions, np.int64)
        alias_tables(layout.ptr, layout.prob, keep, other)
        starts = np.flatnonzero(process.start)
        start_keep, start_other = np.empty(len(starts)), np.empty(len(starts), np.int64)
        alias_tables(np.array([0, len(starts)]), process.start[starts], start_keep, start_other)
        payoff = layout.reward[layout.source] if layout.payoff is None else layout.payoff
        stop = (layout.flow == 0.0) | layout.terminal[layout.succ]
        return cls(
            layout.owner,
            layout.first,
            layout.ptr,
            keep,
            other,
            layout.succ,
            payoff,
            stop,
            starts,
            start_keep,
            start_other,
        )

    @property
    def arrays(self) -> tuple[Any, ...]:
        """All of them, in the order of the kernels."""
        return (self.owner, self.first, self.ptr, self.keep, self.other, self.succ, self.payoff, self.stop,
                self.starts, self.start_keep, self.start_other)  # fmt: skip


@dataclass(frozen=True)
class Trajectory:
    """What happened, one entry a step.

    Attributes
    ----------
    states, actions, rewards, next_states : arrays (n,)
    ended : boolean array (n,)
        Whether the step ended an episode; the next one begins anew.
    """

    states: Any
    actions: Any
    rewards: Vector
    next_states: Any
    ended: Any

    def __len__(self) -> int:
        return len(self.states)

    def __str__(self) -> str:
        shown = [f"{s} -{a}-> {r:+.3g}, {t}{' END' if e else ''}" for s, a, r, t, e in zip(
            self.states[:20], self.actions[:20], self.rewards[:20], self.next_states[:20], self.ended[:20], strict=True)]  # fmt: skip
        return "\n".join(shown + (["..."] if len(self) > 20 else []))


def simulate(
    process: MarkovDecisionProcess, law: Vector, steps: int, random_state: Seed, start: int | None
) -> Trajectory:
    """Follow a policy, given as a probability for every pair."""
    from epee.kernels.mdp_agents import play

    if int(steps) != steps or steps < 1:
        raise WrongUse(f"steps is {steps!r}; it must be a whole number of at least 1.")
    if start is not None and not (0 <= start < process.n_states and not process.terminal[start]):
        raise WrongUse(f"start is state {start}; it must be one of 0 .. {process.n_states - 1} that is not terminal.")
    states, pairs, reached = (np.empty(steps, np.int64) for _ in range(3))
    rewards, ended = np.empty(steps), np.empty(steps, bool)
    arrays, rng = Sampler.of(process).arrays[1:], seed_of(random_state)
    play(law, -1 if start is None else start, *arrays, rng, states, pairs, rewards, reached, ended)
    return Trajectory(states, process.layout.action[pairs].astype(np.int64), rewards, reached, ended)


@dataclass(frozen=True)
class MonteCarlo:
    """Values of a policy estimated from returns.

    Attributes
    ----------
    values, stderr : arrays (S,)
        Mean return and its standard error; NaN where a state was not visited (twice, for the error).
    visits : array (S,)
        Number of returns.
    truncation : float
        Largest reward that cutting long episodes can hide (inf without discount, if some were cut).
    """

    values: Vector
    stderr: Vector
    visits: Any
    truncation: float
    returns: Vector = field(repr=False)


def monte_carlo(
    environment: Any,
    policy: ArrayLike,
    episodes: int = 1000,
    *,
    discount: float | None = None,
    visits: Literal["first", "every"] = "first",
    max_length: int = 10_000,
    random_state: Seed = None,
) -> MonteCarlo:
    r"""Estimate :math:`V_\pi` by the mean return of episodes.

    Parameters
    ----------
    environment : MarkovDecisionProcess or Gymnasium environment with discrete spaces
    policy : (S,) actions or (S, A) probabilities
    episodes : int
        More make the standard errors smaller, as :math:`1/\sqrt{n}`.
    discount : float, default=None
        None takes the one of the process.
    visits : {"first", "every"}
        Which visits of a state in an episode count; the errors hold for "first".
    max_length : int
        Steps after which an episode is cut.
    random_state : int, default=None

    Examples
    --------
    >>> from epee.mdp import monte_carlo, random_walk
    >>> estimate = monte_carlo(random_walk(5), [0] * 7, 4000, random_state=0)
    >>> bool(abs(estimate.values[3] - 0.5) < 4 * estimate.stderr[3])
    True
    """
    from epee.kernels.mdp_agents import episode_returns
    from epee.mdp.process import MarkovDecisionProcess

    if visits not in ("first", "every"):
        raise WrongUse(f"visits is {visits!r}; it must be 'first' or 'every'.")
    if isinstance(environment, MarkovDecisionProcess):
        discount = environment.discount if discount is None else discount
        play_one = _process_player(environment, policy, max_length, random_state)
        n = environment.n_states
    else:
        from epee.mdp.environments import episode_player

        discount = 1.0 if discount is None else discount
        play_one, n = episode_player(environment, policy, max_length, random_state)
    count, mean, square, seen = np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.empty(n, np.int64)
    returns, hidden = np.empty(episodes), 0.0
    with progress("episodes", episodes) as tick:
        for e in range(episodes):
            states, rewards, cut = play_one()
            episode_returns(visits == "first", discount, 0, len(states), states, rewards, seen, count, mean, square)
            returns[e] = rewards @ discount ** np.arange(len(rewards))
            if cut:
                left = np.inf if discount == 1 else discount ** len(rewards) / (1 - discount)
                hidden = max(hidden, left * np.abs(rewards).max(initial=0.0))
            tick()
    values = np.where(count > 0, mean, np.nan)
    if isinstance(environment, MarkovDecisionProcess):
        values[environment.terminal] = 0.0
    many = count > 1
    stderr = np.where(many, np.sqrt(square / np.maximum(count - 1, 1) / np.maximum(count, 1)), np.nan)
    return MonteCarlo(values, stderr, count, hidden, returns)


def _process_player(process: MarkovDecisionProcess, policy: ArrayLike, max_length: int, random_state: Seed) -> Any:
    from epee.kernels.mdp_agents import play
    from epee.mdp.policies import law_of

    law, arrays, rng = law_of(process.layout, policy), Sampler.of(process).arrays[1:], seed_of(random_state)
    chunk = 256
    room = [np.empty(chunk, np.int64) for _ in range(3)] + [np.empty(chunk), np.empty(chunk, bool)]
    states, pairs, reached, rewards, ended = room

    def play_one() -> tuple[Any, Any, bool]:
        seen, earned, at, length = [], [], -1, 0
        while length < max_length:
            size = min(chunk, max_length - length)
            at = play(law, at, *arrays, rng, states[:size], pairs[:size], rewards[:size], reached[:size], ended[:size])
            stops = np.flatnonzero(ended[:size])
            size = size if len(stops) == 0 else stops[0] + 1
            seen.append(states[:size].copy())
            earned.append(rewards[:size].copy())
            length += size
            if len(stops):
                return np.concatenate(seen), np.concatenate(earned), False
        return np.concatenate(seen), np.concatenate(earned), True

    return play_one
