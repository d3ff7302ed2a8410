"""Steps a second: on a process of ours, and our share of a step on Gymnasium."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.harness import Problem, Seconds

STEPS = 10_000_000
PLAY = 20_000


def world() -> Any:
    from epee.mdp import MarkovDecisionProcess, random_process

    return MarkovDecisionProcess(*random_process(100, 4, 5, random_state=0), 0.9)


def learn(process: Any, exploration: Any, agent: str = "QLearning") -> Seconds:
    """Learn in this thread; the time is the processor's, since the claim is about one core."""
    import epee.mdp

    made = getattr(epee.mdp, agent)(exploration=exploration, random_state=0)
    start = time.thread_time()
    made.learn(process, STEPS, checkpoints=10, reference=None)
    return Seconds(time.thread_time() - start)


def environment(name: str) -> Any:
    import gymnasium

    return gymnasium.make(name)


def play(env: Any) -> None:
    """Step an environment with actions drawn before: what it costs without an agent."""
    import numpy as np

    actions = np.random.default_rng(0).integers(env.action_space.n, size=PLAY).tolist()
    env.reset(seed=0)
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()


def act(env: Any) -> Any:
    from epee.mdp import QLearning

    return QLearning(discount=0.99, exploration="uniform", random_state=0).learn(env, PLAY, checkpoints=1)


def problems() -> Iterator[Problem]:
    for exploration in ("uniform", "epsilon_greedy"):
        yield Problem(
            f"Q-learning ({exploration}), 100 states x 4 actions, 10 million steps, one core",
            data=world,
            ours=lambda process, how=exploration: learn(process, how),
            claim={"seconds": 1.0},
            quick=exploration == "uniform",
        )
    for agent in ("DoubleQLearning", "Sarsa", "ExpectedSarsa", "RLearning"):
        yield Problem(
            f"{agent} (epsilon_greedy), 100 states x 4 actions, 10 million steps, one core",
            data=world,
            ours=lambda process, which=agent: learn(process, "epsilon_greedy", which),
        )
    for name in ("FrozenLake-v1", "Taxi-v4", "CliffWalking-v1"):
        yield Problem(
            f"Q-learning on {name}, {PLAY:,} steps",
            data=lambda name=name: environment(name),
            ours=act,
            limits={"the environment alone": play},
            claim={"the environment alone": 2.0},
            quick=name == "FrozenLake-v1",
        )
