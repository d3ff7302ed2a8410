"""Value iteration against the two toolboxes of the field (constructors included), and how it grows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.harness import Problem, Seconds

TOLERANCE = 1e-8


@cache
def process(n: int, actions: int, successors: int) -> tuple[Any, Any]:
    from epee.mdp import random_process

    return random_process(n, actions, successors, random_state=0)


def ours(P: Any, R: Any) -> Any:
    from epee.mdp import MarkovDecisionProcess

    return MarkovDecisionProcess(P, R, 0.9).value_iteration(TOLERANCE)


def toolbox(module: Any, P: Any, R: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = module.ValueIteration(P, R, 0.9, epsilon=TOLERANCE)
        solver.run()
    return solver


def pymdptoolbox(P: Any, R: Any) -> Any:
    import mdptoolbox.mdp

    return toolbox(mdptoolbox.mdp, P, R)


def hiive(P: Any, R: Any) -> Any:
    import hiive.mdptoolbox.mdp

    return toolbox(hiive.mdptoolbox.mdp, P, R)


def once(rival: Callable[..., Any]) -> Callable[..., Any]:
    """Time a rival that takes minutes one single time, and keep its figure for all rounds."""
    known: list[float] = []

    def timed(P: Any, R: Any) -> Seconds:
        if not known:
            start = time.perf_counter()
            rival(P, R)
            known.append(time.perf_counter() - start)
        return Seconds(known[0])

    return timed


def problems() -> Iterator[Problem]:
    yield Problem(
        "value iteration, 1,000 states x 20 actions x 10 successors",
        data=lambda: process(1_000, 20, 10),
        ours=ours,
        rivals={"pymdptoolbox": pymdptoolbox, "mdptoolbox-hiive": hiive},
        claim={"pymdptoolbox": 20, "mdptoolbox-hiive": 20},
        same=lambda a, b: bool((a.policy == np.asarray(b.policy)).all()),
        quick=True,
    )
    yield Problem(
        "value iteration, 10,000 states x 20 actions x 10 successors",
        data=lambda: process(10_000, 20, 10),
        ours=ours,
        rivals={"pymdptoolbox, timed once": once(pymdptoolbox), "mdptoolbox-hiive, timed once": once(hiive)},
        claim={"pymdptoolbox, timed once": 20, "mdptoolbox-hiive, timed once": 20},
    )
    yield Problem(
        "value iteration, twice the transitions (10,000 x 40 x 10)",
        data=lambda: (*process(10_000, 40, 10), *process(10_000, 20, 10)),
        ours=lambda P, R, p, r: ours(P, R),
        limits={"10,000 x 20 x 10": lambda P, R, p, r: ours(p, r)},
        claim={"10,000 x 20 x 10": 2.4},
        quick=True,
    )
    yield Problem(
        "value iteration, one million states x 4 actions x 5 successors",
        data=lambda: process(1_000_000, 4, 5),
        ours=ours,
        claim={"extra MB": 1_000},
    )
