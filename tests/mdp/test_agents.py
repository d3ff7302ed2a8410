"""Agents: one entry a step, the right limits, the exact equalities between them, on processes and on Gymnasium."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest

from epee.errors import SearchWarning
from epee.mdp import (
    Boltzmann,
    DoubleQLearning,
    EpsilonGreedy,
    ExpectedSarsa,
    MarkovDecisionProcess,
    QLearning,
    RLearning,
    Sarsa,
    TDLambda,
    car_dealer,
    cliff,
    learning_curves,
    monte_carlo,
    random_process,
    random_walk,
)

AGENTS = [QLearning, DoubleQLearning, Sarsa, ExpectedSarsa, RLearning]
DEALER = car_dealer(3, 10.0, 4.0, 1.0, 0.7)


def test_q_learning_finds_the_dealers_policy_and_values():
    best = DEALER.value_iteration()
    agent = QLearning(exploration="uniform", random_state=0).learn(DEALER, 2_000_000)
    assert (agent.policy_ == best.policy).all()
    finite = np.isfinite(best.q)
    gap = np.abs(agent.q_[finite] - best.q[finite]).max()
    assert gap < 0.25
    assert np.isneginf(agent.q_[~finite]).all()
    assert agent.trace_.distance[-1] == pytest.approx(gap)
    assert agent.trace_.distance[-1] < agent.trace_.distance[0] / 2


@pytest.mark.parametrize(
    "exploration", ["uniform", "pairs", EpsilonGreedy(1.0, decay=1e-4), Boltzmann(20.0, decay=1e-5, floor=2.0)]
)
def test_every_exploration_tries_every_pair(exploration):
    agent = QLearning(exploration=exploration, random_state=1).learn(DEALER, 60_000)
    assert (agent.visits_[DEALER.admissible] > 20).all() and agent.visits_[~DEALER.admissible].sum() == 0
    assert agent.visits_.sum() == 60_000


@pytest.mark.parametrize("cls", [*AGENTS, TDLambda])
def test_one_step_changes_one_pair_by_the_rule(cls):
    agent = cls(random_state=0, step="visits", exploration=0.5)
    agent.learn(DEALER, 500, reference=None)
    before, visits = agent._q.copy(), agent.visits_.copy()
    agent.learn(DEALER, 1, resume=True, record=True, reference=None)
    assert (agent._q != before).sum() <= 1 and (agent.visits_ - visits).sum() == 1
    (seen,) = agent.experience_
    assert seen.after == pytest.approx(seen.before + seen.step * seen.error)


def test_the_recorded_errors_are_those_of_q_learning():
    agent = QLearning(random_state=0, exploration="uniform").learn(DEALER, 200, record=True)
    q, n = np.zeros((4, 4)), np.zeros((4, 4))
    for e in agent.experience_:
        n[e.state, e.action] += 1
        target = e.reward + 0.7 * q[e.next_state][DEALER.admissible[e.next_state]].max()
        assert e.error == pytest.approx(target - q[e.state, e.action])
        q[e.state, e.action] += n[e.state, e.action] ** -0.8 * (target - q[e.state, e.action])
    np.testing.assert_allclose(agent.q_[DEALER.admissible], q[DEALER.admissible])


@pytest.mark.parametrize("cls", [*AGENTS, TDLambda])
@pytest.mark.parametrize("exploration", ["uniform", "epsilon_greedy", "boltzmann"])
def test_compiled_and_stepwise_runs_are_the_same(cls, exploration):
    fast = cls(random_state=3, exploration=exploration).learn(
        cliff(discount=0.9), 400, reference=None, episode_length=50
    )
    slow = cls(random_state=3, exploration=exploration).learn(
        cliff(discount=0.9), 400, reference=None, episode_length=50, record=True
    )
    np.testing.assert_allclose(fast.values_, slow.values_, rtol=1e-12)
    np.testing.assert_allclose(fast.trace_.reward, slow.trace_.reward)
    assert (fast.visits_ == slow.visits_).all()


def test_a_run_may_stop_and_go_on():
    whole = QLearning(random_state=5).learn(DEALER, 1000)
    parts = QLearning(random_state=5).learn(DEALER, 400).learn(DEALER, 600, resume=True)
    assert (whole.q_ == parts.q_).all() and parts.trace_.steps[-1] == 1000
    assert (QLearning(random_state=5).learn(DEALER, 1000).q_ == whole.q_).all()
    assert (QLearning(random_state=6).learn(DEALER, 1000).q_ != whole.q_).any()
    with pytest.raises(ValueError, match="same environment"):
        whole.learn(car_dealer(2), 10, resume=True)


def test_sarsa_is_q_learning_when_greedy():
    greedy = EpsilonGreedy(0.0)
    a = QLearning(random_state=0, exploration=greedy, initial=50.0).learn(DEALER, 5000)
    b = Sarsa(random_state=0, exploration=greedy, initial=50.0).learn(DEALER, 5000)
    c = ExpectedSarsa(random_state=0, exploration=greedy, initial=50.0).learn(DEALER, 5000)
    assert (a.q_ == b.q_).all() and (a.q_ == c.q_).all()


def test_sarsa_learns_the_value_of_what_it_does():
    uniform = DEALER.admissible / DEALER.admissible.sum(axis=1, keepdims=True)
    target = DEALER.evaluate(uniform).q
    for cls in (Sarsa, ExpectedSarsa):
        agent = cls(random_state=0, exploration="uniform").learn(DEALER, 1_000_000)
        assert np.abs(agent.q_[DEALER.admissible] - target[DEALER.admissible]).max() < 0.5


def test_on_the_cliff_sarsa_walks_the_safe_way():
    """Sutton and Barto, example 6.6: exploring, the edge costs Sarsa; Q-learning learns the edge anyway."""
    world = cliff()
    with pytest.warns(
        SearchWarning, match="constant step of 0.5 breaks a condition of convergence: the sum of its squares"
    ):
        off = QLearning(step=0.5, exploration=0.1, random_state=0).learn(world, 100_000, reference=None)
    with pytest.warns(SearchWarning):
        on = Sarsa(step=0.5, exploration=0.1, random_state=0).learn(world, 100_000, reference=None)
    assert off.values_[36] == pytest.approx(-13, abs=0.5)
    assert np.nanmean(on.trace_.returns[10:]) > np.nanmean(off.trace_.returns[10:]) + 5


def test_double_q_learning_is_not_fooled_by_luck():
    """Sutton and Barto, example 6.7: from A one may end for 0, or go to B whose ten actions pay -0.1 on average."""
    n_actions = 10
    P = np.zeros((7, n_actions, 7))
    R = np.zeros((7, n_actions, 7))
    P[0, 0, 6], P[0, 1, 1] = 1, 1
    gains = np.array([-2.0, -1.0, 0.9, 1.7])  # mean -0.1
    P[1, :, 2:6] = 0.25
    R[1, :, 2:6] = gains
    start = np.eye(7)[0]
    actions = [[0, 1], list(range(10)), [], [], [], [], []]
    world = MarkovDecisionProcess(P, R, 1.0, terminal=[2, 3, 4, 5, 6], actions=actions, start=start)
    with pytest.warns(SearchWarning):
        single = learning_curves(QLearning(step=0.1, exploration=0.1), world, 300, seeds=60, reference=None)
    with pytest.warns(SearchWarning):
        double = learning_curves(DoubleQLearning(step=0.1, exploration=0.1), world, 300, seeds=60, reference=None)
    wrong = [np.mean([a.visits_[0, 1] / a.visits_[0].sum() for a in curves.agents]) for curves in (single, double)]
    assert wrong[0] > wrong[1] + 0.1


def test_r_learning_comes_to_the_gain():
    P, R = random_process(20, 3, 4, random_state=0)
    process = MarkovDecisionProcess(P, R, 0.9)
    agent = RLearning(exploration=EpsilonGreedy(0.3, decay=1e-4), random_state=0).learn(process, 2_000_000)
    assert agent.gain_ == pytest.approx(process.average_reward().gain, abs=0.01)
    assert agent.trace_.distance[-1] < 0.01


@pytest.mark.parametrize("traces", ["accumulating", "replacing"])
@pytest.mark.parametrize("decay", [0.0, 0.6, 1.0])
def test_td_lambda_comes_to_the_value_of_the_policy(decay, traces):
    agent = TDLambda(trace_decay=decay, traces=traces, random_state=0).learn(random_walk(5), 400_000)
    np.testing.assert_allclose(agent.values_[1:-1], np.arange(1, 6) / 6, atol=0.03)
    assert agent.trace_.distance[-1] < 0.03


def test_td_lambda_by_hand():
    """One episode of the walk, equation (1) written out."""
    agent = TDLambda(trace_decay=0.5, step="power", random_state=2).learn(random_walk(3), 12, record=True)
    V, counts, e = np.zeros(5), np.zeros(5), np.zeros(5)
    for seen in agent.experience_:
        s, t = seen.state, seen.next_state
        error = seen.reward + (0 if seen.ended else V[t]) - V[s]
        counts[s] += 1
        e[s] += 1
        V += np.where(e > 0, np.maximum(counts, 1) ** -0.8, 0) * error * e
        e *= 0 if seen.ended else 0.5
    np.testing.assert_allclose(agent.values_, V)


def test_td_lambda_evaluates_a_given_policy():
    policy = np.array([0, 1, 0, 0])
    agent = TDLambda(policy=policy, trace_decay=0.3, random_state=0).learn(DEALER, 400_000)
    visited = agent.visits_.sum(axis=1) > 0
    np.testing.assert_allclose(agent.values_[visited], DEALER.evaluate(policy).values[visited], atol=0.5)
    assert agent.visits_[1, 0] == 0


@pytest.mark.parametrize("visits", ["first", "every"])
def test_monte_carlo_covers_the_values(visits):
    world = random_walk(5)
    for environment in (world, world.to_gymnasium()):
        got = monte_carlo(environment, [0] * 7, 1500, visits=visits, random_state=0)
        assert (np.abs(got.values[1:6] - np.arange(1, 6) / 6) < 4.5 * got.stderr[1:6]).all()
        assert got.truncation == 0
    assert got.returns.mean() == pytest.approx(0.5, abs=0.06)


def test_monte_carlo_says_what_it_cut():
    got = monte_carlo(DEALER, [3, 2, 1, 0], 200, max_length=60, random_state=0)
    exact = DEALER.evaluate([3, 2, 1, 0]).values
    assert 0 < got.truncation < 1e-6
    first = DEALER.start @ exact
    assert got.returns.mean() == pytest.approx(first, abs=5 * got.returns.std() / np.sqrt(200))


def test_learning_curves_have_error_bars():
    curves = learning_curves(QLearning(exploration="uniform"), DEALER, 20_000, seeds=8, checkpoints=10)
    distances = np.array([a.trace_.distance for a in curves.agents])
    np.testing.assert_allclose(curves.distance, distances.mean(axis=0))
    np.testing.assert_allclose(curves.distance_stderr, distances.std(axis=0, ddof=1) / np.sqrt(8))
    assert (curves.steps == np.arange(1, 11) * 2000).all()
    assert len({a.q_.tobytes() for a in curves.agents}) == 8
    alone = QLearning(exploration="uniform", random_state=3).learn(DEALER, 20_000)
    assert (alone.q_ == curves.agents[3].q_).all()
    with pytest.raises(ValueError, match="at least two seeds"):
        learning_curves(QLearning(), DEALER, 10, seeds=1)


def test_gymnasium_environments():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    agent = QLearning(discount=0.95, exploration=EpsilonGreedy(1.0, decay=1e-3, floor=0.1), random_state=0).learn(
        env, 20_000
    )
    assert agent.values_[0] == pytest.approx(0.95**5, abs=0.05)
    again = QLearning(discount=0.95, exploration=EpsilonGreedy(1.0, decay=1e-3, floor=0.1), random_state=0)
    assert (again.learn(gymnasium.make("FrozenLake-v1", is_slippery=False), 20_000).q_ == agent.q_).all()
    curves = learning_curves(Sarsa(discount=0.95), env, 500, seeds=2)
    assert np.isnan(curves.distance).all() and np.isfinite(curves.reward).all()


def test_products_of_discrete_spaces():
    agent = QLearning(exploration="uniform", random_state=0).learn(gymnasium.make("Blackjack-v1"), 20_000)
    q = agent.q_.reshape(32, 11, 2, 2)  # sum, dealer's card, usable ace, action
    assert q[20, 5, 0, 0] > 0.3 > q[20, 5, 0, 1]  # with 20: stick


def test_agents_refuse_what_makes_no_sense():
    for step, sentence in [
        (1.5, r"a step of 1.5 makes no sense: it must lie in \(0, 1\]"),
        (("power", 1.5), "the sum of the steps is finite, so learning stops before it arrives"),
        ("fast", "step is 'fast'"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            QLearning(step=step).learn(DEALER, 10)
    with pytest.warns(
        SearchWarning, match=r"1/n\^0.4 breaks a condition of convergence: the sum of its squares is infinite"
    ):
        QLearning(step=("power", 0.4)).learn(DEALER, 10)
    with pytest.raises(ValueError, match="exploration is 'bold'"):
        QLearning(exploration="bold").learn(DEALER, 10)
    with pytest.raises(ValueError, match="floor <= epsilon"):
        QLearning(exploration=1.5).learn(DEALER, 10)
    with pytest.raises(ValueError, match="discount is 2"):
        QLearning(discount=2).learn(DEALER, 10)
    with pytest.raises(ValueError, match="steps is 0"):
        QLearning().learn(DEALER, 0)
    with pytest.raises(ValueError, match="trace_decay is 2"):
        TDLambda(trace_decay=2).learn(DEALER, 10)
    with pytest.raises(ValueError, match="follows trajectories"):
        TDLambda(exploration="pairs").learn(DEALER, 10)
    with pytest.raises(ValueError, match="exploration by pairs"):
        QLearning(exploration="pairs").learn(random_walk(3).to_gymnasium(), 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        QLearning(step="visits").learn(DEALER, 10)
