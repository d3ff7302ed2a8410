"""Without discount: certified intervals, components that would fool value iteration, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from epee.errors import SearchWarning
from epee.mdp import MarkovDecisionProcess, cliff, gambler, gridworld, random_walk
from tests.mdp.test_process import ways


def chain(P, R, **more):
    return MarkovDecisionProcess(np.array(P, float), np.array(R, float), 1.0, **more)


def total_rewards(process):
    """The best total reward over all policies that have one, by enumeration."""
    values = []
    for policy in itertools.product(*(np.flatnonzero(a) if a.any() else [0] for a in process.admissible)):
        try:
            values.append(process.evaluate(policy).values)
        except ValueError:
            continue
    return np.max(values, axis=0)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_intervals_hold_on_random_episodes(seed, idle):
    """With zero rewards that make loops free, and without."""
    rng = np.random.default_rng(seed)
    n, m = 5, 2
    P = np.zeros((n, m, n))
    for s, a in itertools.product(range(n), range(m)):
        targets = rng.choice(n, size=rng.integers(1, 3), replace=False)
        P[s, a, targets] = rng.dirichlet(np.ones(len(targets)))
    R = rng.choice([0.0, 0.0, 1.0], size=(n, m)) if idle else -rng.random((n, m)) - 0.1
    process = chain(P, R, terminal=[4])
    try:
        best = total_rewards(process)
    except ValueError:
        assume(False)
    try:
        solutions = list(ways(process))
    except ValueError as refusal:
        assert "infinite" in str(refusal) or "no policy ever ends" in str(refusal)  # noqa: PT017
        return
    for solution in solutions:
        assert solution.bound is not None
        assert np.abs(solution.values - best).max() <= solution.bound + 1e-9
        np.testing.assert_allclose(process.evaluate(solution.policy).values, best, atol=1e-6)


def test_a_free_loop_does_not_fool_anybody():
    """State 0 may idle for nothing, or go and earn: every value would satisfy Bellman, one is right."""
    P = [[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 1]]]
    process = chain(P, [[0, 0], [0, 5], [0, 0]], terminal=[2])
    for solution in ways(process):
        np.testing.assert_allclose(solution.values, [5, 5, 0], atol=1e-8)
        assert solution.policy[:2].tolist() == [1, 1] and solution.bound <= 1e-8


def test_staying_for_ever_is_worth_nothing_and_may_be_best():
    P = [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]
    process = chain(P, [[0, -3], [0, 0]], terminal=[1])
    for solution in ways(process):
        assert solution.values.tolist() == [0, 0] and solution.policy[0] == 0 and solution.bound < 1e-8


def test_an_absorbing_state_without_reward_is_an_end():
    process = chain([[[0, 1]], [[0, 1]]], [[2], [0]])
    assert process.value_iteration().values.tolist() == [2, 0]


def test_refusals():
    with pytest.raises(ValueError, match="discount is 1, and from state 0 no policy ever ends"):
        chain([[[0, 1]], [[1, 0]]], [[1], [0]]).value_iteration()
    with pytest.raises(ValueError, match="from state 0 a policy earns 1 a step without end"):
        chain([[[1, 0], [0, 1]], [[0, 1], [0, 1]]], [[1, 0], [0, 0]], terminal=[1]).policy_iteration()
    with pytest.raises(ValueError, match="this policy never ends from state 0, where it earns -1 a step"):
        chain([[[1, 0], [0, 1]], [[0, 1], [0, 1]]], [[-1, 0], [0, 0]], terminal=[1]).evaluate([0, 0])


def test_a_cycle_that_pays_back_is_not_certified():
    """+1 then -1 for ever: the partial sums of that policy do not settle, so nothing can be certified."""
    P = [[[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 1]]]
    with pytest.warns(SearchWarning, match="no bound is known"):
        solution = chain(P, [[1, 0], [-1, -5], [0, 0]], terminal=[2]).value_iteration(max_iter=200)
    assert solution.bound is None


@pytest.mark.parametrize(
    "world", [random_walk(9), gambler(50), cliff(), gridworld(["..G", ".#T", "S.."], slip=0.2, discount=1.0)]
)
def test_every_way_certifies_the_worlds(world):
    solutions = list(ways(world))
    exact = world.evaluate(solutions[3].policy)
    assert exact.bound < 1e-9
    for solution in solutions:
        assert np.abs(solution.values - exact.values).max() <= solution.bound + exact.bound <= 1e-8


def test_evaluation_without_discount_by_sweeps():
    world = random_walk(9)
    direct, swept = world.evaluate([0] * 11), world.evaluate([0] * 11, method="iterative")
    assert np.abs(direct.values - swept.values).max() <= direct.bound + swept.bound < 1e-8
    np.testing.assert_allclose(direct.values[1:-1], np.arange(1, 10) / 10)
