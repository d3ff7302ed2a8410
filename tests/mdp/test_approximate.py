"""Values and policies with features: the table is a special case, sums add, gradients are those of the value."""

import numpy as np
import pytest

from epee import DecisionTreeRegressor
from epee.errors import DataError, TooLarge, WrongUse
from epee.mdp import (
    Cosines,
    FittedQ,
    LinearQLearning,
    LinearTD,
    MarkovDecisionProcess,
    OneHot,
    PolicyGradient,
    QLearning,
    Simulator,
    Tiles,
    Transitions,
    car_dealer,
    lstd,
    play,
    random_process,
    random_walk,
    with_memory,
)
from epee.mdp.linear_values import BellmanSums


def cut(seen, rows):
    return Transitions(*(np.asarray(column)[rows] for column in seen))


def test_least_squares_with_a_table_is_the_estimated_process():
    process = MarkovDecisionProcess(*random_process(6, 2, 3, random_state=0), 0.9)
    policy = np.array([0, 1, 0, 1, 1, 0])
    seen = play(process, policy, 3000, length=20, random_state=1)  # starts everywhere, so that every state is seen
    model = MarkovDecisionProcess.from_transitions(
        seen.states, np.zeros(3000, int), seen.rewards, seen.next_states, discount=0.9
    )
    np.testing.assert_allclose(
        lstd(seen, discount=0.9).of(range(6)), model.evaluate(np.zeros(6, int)).values, rtol=1e-9
    )
    exact = process.evaluate(policy).values
    assert np.abs(lstd(seen, discount=0.9).of(range(6)) - exact).max() < 0.15 * np.abs(exact).max()


def test_sums_of_any_cut_add():
    process = car_dealer(3, 10.0, 4.0, 1.0, 0.8)
    seen = play(process, None, 500, random_state=2)
    phi = Cosines([0.0], [3.0], order=2)
    pieces = [BellmanSums.of(cut(seen, slice(at, at + 100)), phi, 0.8) for at in range(0, 500, 100)]
    parts = pieces[3] + (pieces[0] + pieces[4]) + (pieces[1] + pieces[2])
    whole = BellmanSums.of(seen, phi, 0.8)
    np.testing.assert_allclose(parts.A, whole.A)
    np.testing.assert_allclose(parts.solve(), lstd(seen, phi, discount=0.8).weights, rtol=1e-8)
    assert parts.count == 500


def test_ends_cut_the_future_and_features_may_be_poor():
    ends = np.array([False, True])
    seen = Transitions(np.array([0, 1]), np.zeros(2, int), np.array([1.0, 5.0]), np.array([1, 0]), ends, ~ends & False)
    np.testing.assert_allclose(lstd(seen, discount=0.5).of([0, 1]), [3.5, 5.0])
    with pytest.raises(Exception, match="depend on each other"):
        lstd(seen, lambda s: [1.0, 1.0], discount=0.5)
    assert np.isfinite(lstd(seen, lambda s: [1.0, 1.0], discount=0.5, ridge=0.1).weights).all()


@pytest.mark.parametrize("lam", [0.0, 0.8])
def test_temporal_differences_go_where_least_squares_are(lam):
    walk = random_walk(5)
    td = LinearTD(lambda s: [1.0, (s - 3) / 2], trace_decay=lam, step=("power", 0.7), random_state=0).learn(
        walk, [0] * 7, 15_000
    )
    exact = walk.evaluate([0] * 7).values[1:6]  # linear in the state, so that two features are enough
    np.testing.assert_allclose(td.values_.of(range(1, 6)), exact, atol=0.06)
    assert td.trace_.shape == (100,)


def test_q_learning_with_a_table_finds_the_best_policy():
    process = car_dealer(3, 10.0, 4.0, 1.0, 0.8)
    agent = LinearQLearning(exploration="uniform", random_state=0).learn(process, 15_000)
    best = process.value_iteration()
    assert [agent.policy(s) for s in range(4)] == best.policy.tolist()
    assert abs(agent.value(0) - best.values[0]) < 0.05 * best.values[0]
    assert agent.trace_.steps[-1] == 15_000 and np.isfinite(agent.trace_.reward).all()


def slope(x, a, rng):
    y = float(np.clip(x[0] + 0.1 * (2 * a - 1) + 0.02 * rng.standard_normal(), 0.0, 1.0))
    return np.array([y]), float(y >= 1.0), y >= 1.0


def test_boxes_through_tiles():
    world = Simulator(slope, 2, lambda rng: np.array([rng.random()]), length=60)
    for features in (Tiles([0.0], [1.0], tiles=5, grids=4), Cosines([0.0], [1.0], order=4)):
        agent = LinearQLearning(features, discount=0.9, random_state=0).learn(world, 5000)
        assert [agent.policy(np.array([x])) for x in (0.2, 0.5, 0.8)] == [1, 1, 1]
    seen = play(world, None, 2500, random_state=0)
    fitted = FittedQ(DecisionTreeRegressor(min_samples_leaf=20), discount=0.9, iterations=25).fit(seen)
    assert [fitted.policy(np.array([x])) for x in (0.2, 0.5, 0.8)] == [1, 1, 1]


def test_gymnasium_boxes():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("MountainCar-v0")
    agent = LinearQLearning(discount=0.99, random_state=0).learn(env, 300)  # its box has ends: tiles by themselves
    assert agent.weights_.shape == (3, 8 * 9**2)
    pole = gymnasium.make("CartPole-v1")
    with pytest.raises(WrongUse, match=r"Tiles\(low, high\)"):
        LinearQLearning().learn(pole, 10)
    tiles = Tiles([-2.4, -3.0, -0.21, -3.0], [2.4, 3.0, 0.21, 3.0], tiles=3, grids=4)
    climber = PolicyGradient(tiles, discount=0.99, step=0.05, random_state=0).learn(pole, 80, length=100)
    assert climber.trace_[-3:].mean() > climber.trace_[:3].mean()


def test_fitted_q_with_a_table_is_the_estimated_process():
    process = car_dealer(2, 10.0, 4.0, 1.0, 0.7)
    seen = play(process, None, 2000, random_state=3)
    fitted = FittedQ(discount=0.7, iterations=200).fit(seen)
    model = MarkovDecisionProcess.from_transitions(
        seen.states, seen.actions, seen.rewards, seen.next_states, discount=0.7
    )
    best = model.value_iteration(1e-10)
    for s in range(3):
        open_ = np.flatnonzero(process.admissible[s])
        np.testing.assert_allclose(fitted.q(s)[open_], best.q[s, open_], rtol=1e-5)
    assert (np.diff(fitted.change_) < 1e-9).all()


def test_the_policy_gradient_is_the_gradient_of_the_value():
    process = MarkovDecisionProcess(
        np.array([[[0.1, 0.9, 0.0], [0.8, 0.2, 0.0]], [[0.0, 0.3, 0.7], [0.6, 0.4, 0.0]], [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]]),
        np.array([[1.0, 0.0], [0.5, 2.0], [0.0, 0.0]]), 0.8, terminal=[2], start=[1.0, 0.0, 0.0],
    )  # fmt: skip
    theta = np.array([[0.3, -0.2, 0.0], [0.0, 0.4, 0.0]])

    def value(t):
        p = np.exp(t.reshape(2, 3).T)
        return process.evaluate(p / p.sum(axis=1, keepdims=True)).values[0]

    flat = theta.ravel()
    exact = np.array([(value(flat + 1e-6 * e) - value(flat - 1e-6 * e)) / 2e-6 for e in np.eye(6)]).reshape(2, 3)
    draws = np.array(
        [PolicyGradient(OneHot(3), random_state=k, baseline=False).gradient(process, theta, 60) for k in range(40)]
    )
    error = draws.std(axis=0) / np.sqrt(40)
    assert (np.abs(draws.mean(axis=0) - exact) < 4 * error + 1e-9).all()


def test_a_baseline_takes_noise_away():
    process = car_dealer(2, 10.0, 4.0, 1.0, 0.8)
    spread = []
    for baseline in (False, True):
        agent = PolicyGradient(baseline=baseline, step=1e-12, random_state=0).learn(process, 100, length=15)
        spread.append(np.std([agent._gradient(20)[0] for _ in range(15)], axis=0).mean())
    assert spread[1] < spread[0]


def test_a_plain_function_serves_agents_with_tables():
    world = Simulator(
        lambda s, a: (s + 2 * a - 1, float(s + 2 * a - 1 == 5), s + 2 * a - 1 in (0, 5)), 2, 2, n_states=6
    )
    agent = QLearning(discount=0.9, random_state=0).learn(world, 4000)
    assert agent.policy_[1:5].tolist() == [1, 1, 1, 1]
    assert agent.q_[4, 1] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(DataError, match="give n_states"):
        QLearning().learn(Simulator(lambda s, a: (s, 0.0), 2, 0.5), 10)
    for bad in (lambda s, a: 3, lambda s, a: (s, np.nan)):
        with pytest.raises(DataError, match="simulate"):
            play(Simulator(bad, 2, 0), None, 5)
    with pytest.raises(WrongUse):
        Simulator(3, 2, 0)


def test_memory_gains_nothing_in_a_markov_process():
    process = MarkovDecisionProcess(*random_process(5, 3, 3, random_state=4), 0.9)
    table = np.random.default_rng(0).integers(0, 3, (3, 5))
    larger = with_memory(process, table)
    best = larger.value_iteration(1e-10).values.reshape(3, 5)
    np.testing.assert_allclose(best, np.tile(process.value_iteration(1e-10).values, (3, 1)), rtol=1e-8)
    rule = np.random.default_rng(1).integers(0, 3, (3, 5))  # acts by memory and state
    value = larger.evaluate(rule.ravel()).values.reshape(3, 5)
    assert (value <= best + 1e-7).all()
    forgetful = with_memory(process, lambda m, s, a, t: 0, size=1)
    np.testing.assert_allclose(forgetful.evaluate(rule[0]).values, process.evaluate(rule[0]).values)


def test_memory_gains_where_the_state_is_hidden():
    """Two rooms that look alike: left first, then right. Without memory one action for both; with one bit, the right one each."""
    P = np.zeros((3, 2, 3))
    P[0, 0, 1] = P[0, 1, 2] = P[1, 0, 2] = P[1, 1, 2] = 1.0
    P[2, :, 2] = 1.0
    process = MarkovDecisionProcess(
        P, np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), 0.9, terminal=[2], start=[1.0, 0.0, 0.0]
    )
    blind = max(process.evaluate([a, a, 0]).values[0] for a in (0, 1))
    larger = with_memory(process, lambda m, s, a, t: 1, size=2)
    remembering = larger.evaluate([0, 0, 0, 1, 1, 0]).values[0]
    assert blind == 0 and remembering == pytest.approx(0.9)
    run = larger.simulate([0, 0, 0, 1, 1, 0], 20, random_state=0)
    assert set(run.states) <= {0, 4} and run.rewards.sum() == 10


def test_what_features_and_memories_refuse():
    with pytest.raises(TooLarge, match="Take fewer"):
        Tiles(np.zeros(6), np.ones(6))
    seen = play(random_walk(2), None, 5)
    for bad in (
        lambda: Tiles([0.0], [0.0]),
        lambda: Cosines([0.0], [1.0], order=-1),
        lambda: lstd(seen, 3, discount=1.0),
    ):
        with pytest.raises(WrongUse):
            bad()
    with pytest.raises(DataError, match="coordinates"):
        Tiles([0.0], [1.0])([0.1, 0.2])
    with pytest.raises(WrongUse, match="size"):
        with_memory(random_walk(2), lambda m, s, a, t: 0)
    with pytest.raises(DataError, match="memory 7"):
        with_memory(random_walk(2), lambda m, s, a, t: 7, size=2)
