"""Gymnasium: published optima of its tables, what we export passes its checks, and round trips."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest

from epee.errors import DataWarning
from epee.mdp import MarkovDecisionProcess, QLearning, car_dealer, cliff, gambler, random_walk


def table(name, discount, **options):
    return MarkovDecisionProcess.from_gymnasium(gymnasium.make(name, **options), discount)


def test_frozen_lake():
    """4x4, slippery: 0.5420259 at 0.99 (the figure of OpenAI's and Berkeley's courses), 14/17 of all episodes at best."""
    lake = table("FrozenLake-v1", 0.99, is_slippery=True, map_name="4x4")
    for solution in (lake.value_iteration(1e-10), lake.policy_iteration(), lake.linear_program()):
        assert solution.values[0] == pytest.approx(0.5420259, abs=5e-8)
        assert solution.bound <= 1e-9
    free = table("FrozenLake-v1", 1.0, is_slippery=True, map_name="4x4")
    for solution in (free.value_iteration(1e-10), free.policy_iteration(), free.modified_policy_iteration(1e-10)):
        assert solution.values[0] == pytest.approx(14 / 17, abs=1e-9)
        assert solution.bound is not None and solution.bound <= 2e-9
        assert free.evaluate(solution.policy).values[0] == pytest.approx(14 / 17, abs=1e-9)
    assert table("FrozenLake-v1", 1.0, is_slippery=False).value_iteration().values[0] == pytest.approx(1.0)


def test_the_terminated_flag_cuts_the_future():
    """In Taxi's table the last step leads to a state that goes on; only the flag says that it is over."""
    taxi = gymnasium.make("Taxi-v4").unwrapped
    process = MarkovDecisionProcess.from_gymnasium(taxi, 1.0)
    solution = process.value_iteration()
    assert solution.bound <= 1e-8
    # passenger in the taxi, which stands at the destination (row 0, column 0): drop it, +20, done
    dropping = taxi.encode(0, 0, 4, 0)
    assert solution.values[dropping] == pytest.approx(20) and solution.policy[dropping] == 5
    # the same, one step to the south: -1 first
    assert solution.values[taxi.encode(1, 0, 4, 0)] == pytest.approx(19)
    starts = np.flatnonzero(process.start)
    assert len(starts) == 300
    # Dietterich's deterministic taxi: 7.93 expected at best
    assert solution.values[starts].mean() == pytest.approx(7.93, abs=0.005)


def test_cliff_walking_is_our_cliff():
    theirs = table("CliffWalking-v1", 1.0).value_iteration()
    ours = cliff().value_iteration()
    live = [s for s in range(48) if not 37 <= s <= 47]
    np.testing.assert_allclose(theirs.values[live], ours.values[live], atol=1e-8)
    assert theirs.values[36] == pytest.approx(-13)


@pytest.mark.parametrize(
    "process", [car_dealer(3), random_walk(5), cliff(), gambler(10)], ids=["dealer", "walk", "cliff", "gambler"]
)
def test_what_we_export_passes_their_checks_and_comes_back(process):
    from gymnasium.utils.env_checker import check_env

    env = process.to_gymnasium()
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message=".*"
        )  # check_env also gives advice, such as "register the environment"
        check_env(env, skip_render_check=True)
    back = MarkovDecisionProcess.from_gymnasium(env, process.discount)
    np.testing.assert_allclose(back.value_iteration().values, process.value_iteration().values, atol=3e-8)
    np.testing.assert_allclose(back.start, process.start)


def test_exported_episodes_follow_the_law():
    env = random_walk(3).to_gymnasium(max_episode_steps=500)
    total = 0.0
    for seed in range(400):
        state, info = env.reset(seed=seed)
        assert state == 2 and info["action_mask"].tolist() == [1]
        done = False
        while not done:
            state, reward, terminated, truncated, _ = env.step(0)
            done = terminated or truncated
        total += reward
    assert total / 400 == pytest.approx(0.5, abs=4 * 0.5 / 20)


def test_an_inadmissible_action_never_pays():
    env = car_dealer(2, 10.0, 4.0, 1.0, 0.9).to_gymnasium()
    env.reset(seed=0)
    env.unwrapped.state = 2
    state, reward, terminated, _, info = env.step(2)
    assert (state, terminated, info["admissible"]) == (2, False, False)
    assert reward == min(o[2] for row in env.unwrapped.P.values() for moves in row.values() for o in moves)


def test_a_model_estimated_from_play():
    process = random_walk(3)
    with pytest.raises(ValueError, match="has no table P.*steps="):
        MarkovDecisionProcess.from_gymnasium("Blackjack-v1", 1.0)
    learned = MarkovDecisionProcess.from_gymnasium(process.to_gymnasium(), 1.0, steps=20_000, random_state=0)
    np.testing.assert_allclose(learned.value_iteration().values[1:4], [0.25, 0.5, 0.75], atol=0.03)


def test_estimates_are_frequencies_and_means():
    s, a, r, t = [0, 0, 0, 0, 1], [0, 0, 0, 1, 0], [1.0, 2.0, 3.0, 9.0, 0.0], [0, 1, 1, 1, 0]
    process = MarkovDecisionProcess.from_transitions(s, a, r, t, discount=0.5)
    np.testing.assert_allclose(process.transitions[0], [[1 / 3, 2 / 3], [0, 1]])
    np.testing.assert_allclose(process.rewards[0], [2.0, 9.0])
    assert process.admissible.tolist() == [[True, True], [True, False]]
    cut = MarkovDecisionProcess.from_transitions([0, 0], [0, 0], [1.0, 1.0], [0, 0], [False, True], discount=1.0)
    assert cut.value_iteration().values[0] == pytest.approx(2.0)  # half of the time it ends: two rewards expected
    with pytest.warns(DataWarning, match="state 1 was reached but never left"):
        MarkovDecisionProcess.from_transitions([0], [0], [1.0], [1], discount=0.9)
    with pytest.raises(ValueError, match="states must be whole numbers"):
        MarkovDecisionProcess.from_transitions([0.5], [0], [1.0], [1], discount=0.9)
    with pytest.raises(ValueError, match="first in transition 1"):
        MarkovDecisionProcess.from_transitions([0, 0], [0, 0], [1.0, np.nan], [0, 0], discount=0.9)


def test_spaces_that_are_not_discrete_are_refused():
    for use in (lambda e: MarkovDecisionProcess.from_gymnasium(e, 0.9, steps=10), lambda e: QLearning().learn(e, 10)):
        with pytest.raises(ValueError, match="the observation space is Box.*not discrete"):
            use(gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match="neither a MarkovDecisionProcess nor a Gymnasium environment"):
        QLearning().learn(np.zeros(3), 10)
