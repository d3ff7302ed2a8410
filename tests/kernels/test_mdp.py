"""Loops of decision processes against dense matrices and plain Python."""

import numpy as np
import pytest

from epee.kernels import mdp_agents as agents
from epee.kernels import mdp_sweeps as sweeps

S, A = 6, 3
MASK = (1 << 64) - 1


class Process:
    """A random process with a terminal last state, flat over its pairs."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.first = np.append(np.arange(0, S * A, A), (S - 1) * A)[: S + 1]
        pairs = (S - 1) * A
        self.ptr = np.arange(0, 2 * pairs + 1, 2)
        self.succ = np.concatenate([rng.choice(S, 2, replace=False) for _ in range(pairs)]).astype(np.int32)
        p = rng.random(pairs)
        self.flow = np.column_stack([p, 1 - p]).ravel()
        self.reward, self.discount, self.V = rng.normal(size=pairs), 0.9, rng.normal(size=S)
        self.P = np.zeros((pairs, S))
        for k in range(pairs):
            np.add.at(self.P[k], self.succ[2 * k : 2 * k + 2], self.flow[2 * k : 2 * k + 2])
        self.rng = rng

    @property
    def flat(self):
        return self.ptr, self.succ, self.flow, self.reward, self.discount

    def values(self, V, discount=None):
        return self.reward + (self.discount if discount is None else discount) * self.P @ V


@pytest.fixture(params=[0, 1])
def p(request):
    return Process(request.param)


def test_rows_of_probabilities(p):
    sums, out = np.empty(len(p.reward)), np.empty(len(p.reward))
    assert sweeps.row_sums(p.ptr, p.flow, sums) == -1 and sums == pytest.approx(np.ones(len(sums)))
    bad = p.flow.copy()
    bad[7] = -0.1
    assert sweeps.row_sums(p.ptr, bad, sums) == 7
    double, twice = 2 * p.flow, np.full(len(sums), 2.0)
    sweeps.normalise(p.ptr, double, twice)
    np.testing.assert_allclose(double, p.flow)
    amount = p.rng.normal(size=len(p.flow))
    sweeps.expected(p.ptr, p.flow, amount, out)
    np.testing.assert_allclose(out, (p.flow * amount).reshape(-1, 2).sum(axis=1))
    indptr, indices, data = np.array([0, 2, 3], np.int32), np.array([1, 4, 0], np.int32), np.array([0.5, 0.0, 2.0])
    succ, prob = np.zeros(2, np.int32), np.zeros(2)
    sweeps.gather(np.array([1, 0]), indptr, indices, data, np.array([0, 1]), succ, prob)
    assert succ.tolist() == [0, 1] and prob.tolist() == [2.0, 0.5]


def test_sweeps(p):
    Q = p.values(p.V).reshape(S - 1, A)
    assert sweeps.lookahead(4, *p.flat, p.V) == pytest.approx(Q.ravel()[4])
    out, best = np.empty(S), np.empty(S, np.int64)
    low, high = sweeps.bellman(0, S, p.first, *p.flat, p.V, out, best)
    np.testing.assert_allclose(out, np.append(Q.max(axis=1), 0.0))
    assert best.tolist() == [*(np.arange(S - 1) * A + Q.argmax(axis=1)), -1]
    change = Q.max(axis=1) - p.V[:-1]
    assert (low, high) == pytest.approx((change.min(), change.max()))
    policy = np.append(np.arange(S - 1) * A + 1, -1)
    sweeps.follow(0, S, policy, *p.flat, p.V, out)
    np.testing.assert_allclose(out, np.append(Q[:, 1], 0.0))
    pairs = np.empty(len(p.reward))
    sweeps.pair_values(0, len(pairs), *p.flat, p.V, pairs)
    np.testing.assert_allclose(pairs, Q.ravel())
    low, high = sweeps.relative(0, S, p.first, p.ptr, p.succ, p.flow, p.reward, 0.25, p.V, out, best)
    top = np.append(p.values(p.V, 1.0).reshape(S - 1, A).max(axis=1), p.V[-1])
    np.testing.assert_allclose(out, p.V + 0.75 * (top - p.V))
    assert (low, high) == pytest.approx(((out - p.V).min(), (out - p.V).max()))


@pytest.mark.parametrize("backwards", [False, True])
def test_gauss_seidel(p, backwards):
    V, twin, worst = p.V.copy(), p.V.copy(), 0.0
    for s in reversed(range(S - 1)) if backwards else range(S - 1):
        new = p.values(twin)[A * s : A * s + A].max()
        worst, twin[s] = max(worst, abs(new - twin[s])), new
    assert sweeps.gauss_seidel(backwards, p.first, *p.flat, V) == pytest.approx(worst)
    np.testing.assert_allclose(V, twin)


def test_prioritised_sweeps_reach_the_fixed_point(p):
    start, source, weight = sweeps.predecessors(p.first, p.ptr, p.succ, p.flow)
    came = {(int(source[j]), s, float(weight[j])) for s in range(S) for j in range(start[s], start[s + 1])}
    assert came == {
        (k // A, int(p.succ[j]), float(p.flow[j])) for k in range(len(p.reward)) for j in (2 * k, 2 * k + 1)
    }
    V = np.append(p.V[:-1], 0.0)
    done, left = sweeps.prioritised(p.first, *p.flat, V, start, source, weight, 1e-10, 100_000)
    assert 0 < done < 100_000 and left <= 1e-10
    np.testing.assert_allclose(V[:-1], p.values(V).reshape(S - 1, A).max(axis=1), atol=1e-9)


def test_a_heap_by_keys(p):
    key = p.rng.random(9)
    heap, place = np.arange(9), np.arange(9)
    for i in range(4, -1, -1):
        sweeps._sink(heap, place, key, i)
    assert heap[0] == key.argmax() and all(key[heap[(i - 1) // 2]] >= key[heap[i]] for i in range(1, 9))
    key[heap[8]] = 2.0
    sweeps._rise(heap, place, key, 8)
    assert key[heap[0]] == 2.0 and (heap[place] == np.arange(9)).all()


def splitmix(state):
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, ((z ^ (z >> 31)) >> 11) / 2**53


def test_random_numbers_are_splitmix64():
    from epee.kernels.trees_grow import uniform as uniform_of_key
    from epee.kernels.trees_split import mix

    rng, state = np.array([12345], np.uint64), 12345
    for _ in range(5):
        state, u = splitmix(state)
        assert agents.uniform(rng) == u
    assert uniform_of_key(np.uint64(12345)) == splitmix(12345)[1] and int(mix(np.uint64(12345))) >> 11 == round(
        splitmix(12345)[1] * 2**53
    )


def test_alias_tables_give_every_entry_its_probability(p):
    prob = p.rng.dirichlet(np.ones(7))
    keep, other = np.empty(7), np.empty(7, np.int64)
    agents.alias_tables(np.array([0, 7]), prob, keep, other)
    given = keep / 7
    np.add.at(given, other, (1 - keep) / 7)
    np.testing.assert_allclose(given, prob, atol=1e-14)
    rng, state = np.array([3], np.uint64), 3
    state, u = splitmix(state)
    i = int(7 * u)
    assert agents.draw(0, 7, keep, other, rng) == (i if 7 * u - i < keep[i] else other[i])


NUMBERS = np.array([0.9, 0.5, 0.7, 0.3, 0.1, 0.02, 0.5, 0.8, 0.6])


def test_rates_and_steps():
    assert agents.rate(NUMBERS, 10.0) == pytest.approx(0.1 + 0.2 / 1.2)
    assert agents.step_size(3, np.array([0, 9.0, 8.0, 7.0]), NUMBERS) == 7.0
    assert agents.step_size(50, np.array([0.0]), NUMBERS) == pytest.approx(0.5 * 50**-0.7)


def test_choices(p):
    q, law, rng = p.rng.normal(size=(2, 4)), np.array([0.0, 0.5, 0.5, 0.0]), np.array([5], np.uint64)
    drawn = [agents.choose(agents.GIVEN, 0.0, q, False, law, rng, 0, 4)[0] for _ in range(200)]
    assert set(drawn) == {1, 2}
    assert agents.choose(agents.EPSILON, 0.0, q, False, law, rng, 0, 4)[0] == q[0].argmax()
    assert agents.choose(agents.EPSILON, 0.0, q, True, law, rng, 0, 4)[0] == q.sum(axis=0).argmax()
    assert agents._score(q, 2, True) == q[:, 2].sum() and agents._top(q, 1, 0, 4) == q[1].max()
    assert agents._greedy(q, 0, 4, False, rng) == (q[0].argmax(), q[0].max())
    tied = {agents._greedy(np.zeros((1, 4)), 1, 4, False, rng)[0] for _ in range(60)}
    assert tied == {1, 2, 3}
    assert {agents.choose(agents.UNIFORM, 0.0, q, False, law, rng, 1, 4)[0] for _ in range(60)} == {1, 2, 3}
    state, u = splitmix(int(rng[0]))
    odds = np.exp((q[0] - q[0].max()) / 0.7)
    assert agents.choose(agents.BOLTZMANN, 0.7, q, False, law, rng, 0, 4)[0] == np.searchsorted(
        np.cumsum(odds) / odds.sum(), u
    )


def test_expected_values_of_the_next_action(p):
    q, law = p.rng.normal(size=(1, 4)), p.rng.dirichlet(np.ones(4))
    odds = np.exp(q[0] / 0.7)
    expected = {
        agents.GIVEN: law @ q[0], agents.BOLTZMANN: odds @ q[0] / odds.sum(), agents.UNIFORM: q[0].mean(),
        agents.EPSILON: 0.7 * q[0].mean() + 0.3 * q[0].max(),
    }  # fmt: skip
    for explore, value in expected.items():
        assert agents._mean_value(explore, 0.7, q, law, 0, 4) == pytest.approx(value)


@pytest.mark.parametrize("method", range(5))
@pytest.mark.parametrize("ended", [False, True])
def test_one_update(p, method, ended):
    """The five targets, with the exploration that draws nothing which matters: epsilon = 0."""
    q, visits, memory = p.rng.normal(size=(2, 6)), np.zeros((2, 6), np.int64), np.zeros(9)
    memory[agents.GAIN], memory[agents.WEIGHT] = 0.2, 1.0
    numbers, table = NUMBERS.copy(), np.array([0.0, 0.25])
    numbers[agents.RATE] = numbers[agents.FLOOR] = numbers[agents.DECAY] = 0.0
    before = q.copy()
    after = agents.observe(
        method,
        agents.EPSILON,
        q,
        visits,
        np.empty(0),
        table,
        numbers,
        memory,
        np.array([9], np.uint64),
        1,
        0,
        3,
        1.5,
        3,
        6,
        ended,
    )
    row = int(visits[1].sum())  # which table the coin of double learning chose
    assert visits.sum() == visits[row, 1] == 1 and (row == 0 or method == agents.DOUBLE)
    own = before[row, 3:].argmax() + 3
    future = 0.0 if ended else before[1 - row, own] if method == agents.DOUBLE else before[0, 3:].max()
    target = 1.5 - 0.2 + future if method == agents.R else 1.5 + 0.9 * future
    expected = before[row, 1] + 0.25 * (target - before[row, 1])
    assert q[row, 1] == pytest.approx(expected) and (np.delete(q[row], 1) == np.delete(before[row], 1)).all()
    assert (
        (after == -1) == ended
        and memory[agents.STEPS] == 1
        and memory[agents.REWARD] == 1.5
        and memory[agents.EPISODES] == ended
    )


def test_accounts():
    memory = np.zeros(9)
    agents.close_episode(memory)
    for reward, ended in ((1.0, False), (2.0, True)):
        agents.account(NUMBERS, memory, reward, ended)
    assert memory[[agents.STEPS, agents.REWARD, agents.EPISODES, agents.RETURNS, agents.LENGTH]].tolist() == [
        2,
        3,
        2,
        1 + 0.9 * 2,
        0,
    ]
    trace, active = np.array([0.0, 0.5, 0.2]), np.array([2, 1, 2, 0])
    agents.drop_traces(trace, active)
    assert not trace.any() and active[0] == 0


def test_traces_are_the_backward_view(p):
    """TD(lambda) with a dense vector of traces, on a given sequence of states."""
    V, trace, active, counts = np.zeros(4), np.zeros(4), np.zeros(5, np.int64), np.zeros(4, np.int64)
    q, visits, memory, table = np.zeros((1, 4)), np.zeros((1, 4), np.int64), np.zeros(9), np.array([0.0])
    U, z, n = np.zeros(4), np.zeros(4), np.zeros(4)
    for s, s2, reward, ended in ((0, 1, 1.0, False), (1, 0, -0.5, False), (0, 3, 2.0, False), (3, 2, 1.0, True)):
        agents.observe_traces(False, agents.UNIFORM, V, q, counts, visits, np.empty(0), table, NUMBERS, memory, np.array([1], np.uint64),
                              trace, active, s, s, s2, reward, s2, s2 + 1, ended)  # fmt: skip
        error = reward + (0 if ended else 0.9 * U[s2]) - U[s]
        n[s], z[s] = n[s] + 1, z[s] + 1
        U += 0.5 * np.maximum(n, 1) ** -0.7 * error * z
        z = np.zeros(4) if ended else z * 0.9 * 0.6
        np.testing.assert_allclose(V, U, atol=1e-12)
        np.testing.assert_allclose(trace, z, atol=1e-12)


@pytest.mark.parametrize("first_visit", [False, True])
def test_returns_of_an_episode(p, first_visit):
    states, rewards = p.rng.integers(0, 3, 12), p.rng.normal(size=12)
    seen, count, total, square = np.zeros(3, np.int64), np.zeros(3, np.int64), np.zeros(3), np.zeros(3)
    agents.episode_returns(first_visit, 0.9, 0, 12, states, rewards, seen, count, total, square)
    G = [sum(0.9**i * r for i, r in enumerate(rewards[t:])) for t in range(12)]
    for s in range(3):
        at = np.flatnonzero(states == s)
        mine = [G[t] for t in (at[:1] if first_visit else at)]
        assert count[s] == len(mine)
        if mine:
            np.testing.assert_allclose([total[s], square[s]], [np.mean(mine), np.var(mine) * len(mine)], atol=1e-12)


def test_runs_keep_to_the_process(p):
    """A run of a method visits pairs as often as it has steps, and a trajectory only makes transitions that there are."""
    ptr, succ = p.ptr, p.succ
    keep, other = np.empty(len(p.flow)), np.empty(len(p.flow), np.int64)
    agents.alias_tables(ptr, p.flow, keep, other)
    pairs = len(p.reward)
    owner, payoff, stop = (np.arange(pairs) // A).astype(np.int32), np.repeat(p.reward, 2), succ == S - 1
    starts, one, zero = np.array([0]), np.ones(1), np.zeros(1, np.int64)
    q, visits, memory, law = np.zeros((1, pairs)), np.zeros((1, pairs), np.int64), np.zeros(9), np.full(pairs, 1 / A)
    memory[agents.WEIGHT] = 1.0
    rng = np.array([2], np.uint64)
    run = agents.runner(agents.Q, agents.UNIFORM)
    world = owner, p.first, ptr, keep, other, succ, payoff, stop, starts, one, zero
    table = np.array([0.0])
    run(500, 0, -1, *world, q, visits, law, table, NUMBERS, memory, rng)
    assert visits.sum() == memory[agents.STEPS] == 500 and q.any()
    V, counts, trace, active = np.zeros(S), np.zeros(S, np.int64), np.zeros(S), np.zeros(S + 1, np.int64)
    memory[:] = 0.0
    agents.run_traces(
        True, agents.UNIFORM, 300, 0, -1, *world, V, q, counts, visits, law, table, NUMBERS, memory, rng, trace, active
    )
    assert counts.sum() == 300 and V.any()
    states, taken, rewards = np.zeros(200, np.int64), np.zeros(200, np.int64), np.zeros(200)
    reached, ended = np.zeros(200, np.int64), np.zeros(200, bool)
    agents.play(
        law,
        -1,
        p.first,
        ptr,
        keep,
        other,
        succ,
        payoff,
        stop,
        starts,
        one,
        zero,
        rng,
        states,
        taken,
        rewards,
        reached,
        ended,
    )
    assert (owner[taken] == states).all() and (p.P[taken, reached] > 0).all() and (rewards == p.reward[taken]).all()
    assert (ended == (reached == S - 1)).all() and (states[1:][~ended[:-1]] == reached[:-1][~ended[:-1]]).all()
    assert (states[1:][ended[:-1]] == 0).all()
    assert 0 <= agents.begin(agents.UNIFORM, q, False, law, NUMBERS, memory, rng, 0, A) < A
