r"""Learning curves with error bars: the same agent, several seeds.

One run of a learning agent is one draw. The mean over :math:`m` seeds has standard error :math:`s/\sqrt m`, and two agents are
told apart by that, not by their luckiest runs.
"""

from __future__ import annotations

import copy
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from epee.errors import SearchWarning, WrongUse
from epee.mdp.process import MarkovDecisionProcess
from epee.mdp.step_sizes import step_of, warn_if_broken
from epee.settings import options, progress

if TYPE_CHECKING:
    from epee.typing import Matrix, Vector


@dataclass(frozen=True)
class LearningCurves:
    """Means and standard errors over seeds, one entry a checkpoint.

    Attributes
    ----------
    steps : array (m,)
    reward, returns, distance : arrays (m,)
        Mean over seeds of what :class:`LearningTrace` holds.
    reward_stderr, returns_stderr, distance_stderr : arrays (m,)
    agents : list
        The agents that learned, one a seed.
    """

    steps: Any
    reward: Vector
    reward_stderr: Vector
    returns: Vector
    returns_stderr: Vector
    distance: Vector
    distance_stderr: Vector
    agents: list[Any] = field(repr=False)
    label: str = ""

    def plot(self, ax: Any = None, what: str = "auto") -> Any:
        """Draw the mean with a band of two standard errors."""
        from epee.figures.mdp import draw_curves

        return draw_curves(self, ax=ax, what=what)


def learning_curves(
    agent: Any, environment: Any, steps: int, *, seeds: Any = 10, **options_of_learn: Any
) -> LearningCurves:
    """Let copies of an agent learn with several seeds, and take the mean.

    Parameters
    ----------
    agent : an agent of this room
    environment : MarkovDecisionProcess or Gymnasium environment
    steps : int
        For each copy.
    seeds : int or sequence of int
        A number n stands for seeds 0 .. n - 1; more make narrower bars.
    **options_of_learn
        Passed to ``learn`` of each agent.

    Examples
    --------
    >>> from epee.mdp import QLearning, learning_curves, random_walk
    >>> curves = learning_curves(QLearning(), random_walk(5), 5_000, seeds=4)
    >>> bool(curves.distance[-1] < curves.distance[0])
    True
    """
    numbers = list(range(seeds)) if isinstance(seeds, (int, np.integer)) else list(seeds)
    if len(numbers) < 2:
        raise WrongUse("error bars need at least two seeds.")
    copies = [clone(agent).set_params(random_state=seed) for seed in numbers]
    ours = isinstance(environment, MarkovDecisionProcess)
    warn_if_broken(step_of(agent.step))

    def one(copied: Any) -> Any:
        place = environment if ours or isinstance(environment, str) else copy.deepcopy(environment)
        return copied.learn(place, steps, **options_of_learn)

    with warnings.catch_warnings(), progress("learning curves", len(copies)) as tick:
        warnings.simplefilter("ignore", SearchWarning)  # said once, above
        if ours:
            one(copies[0])  # solves the process for the reference once
            if "reference" not in options_of_learn and hasattr(copies[0], "_goal"):
                options_of_learn["reference"] = copies[0]._goal()
            tick()
            with ThreadPoolExecutor(options.thread_count()) as pool:  # the loops release the interpreter's lock
                for _ in pool.map(one, copies[1:]):
                    tick()
        else:
            for copied in copies:
                one(copied)
                tick()

    def mean_and_error(name: str) -> tuple[Vector, Vector]:
        values: Matrix = np.array([getattr(c.trace_, name) for c in copies], dtype=float)  # (seeds, m)
        known = np.isfinite(values).sum(axis=0)
        total = np.where(np.isfinite(values), values, 0.0)
        mean = np.where(known > 0, total.sum(axis=0) / np.maximum(known, 1), np.nan)
        squares = np.where(np.isfinite(values), (values - mean) ** 2, 0.0).sum(axis=0)
        return mean, np.where(known > 1, np.sqrt(squares / np.maximum(known - 1, 1) / np.maximum(known, 1)), np.nan)

    return LearningCurves(
        np.array(copies[0].trace_.steps),
        *mean_and_error("reward"), *mean_and_error("returns"), *mean_and_error("distance"),
        copies, type(agent).__name__,
    )  # fmt: skip
