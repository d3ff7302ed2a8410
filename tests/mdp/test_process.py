"""Processes: what is read, what is refused and how, and that every way of solving gives the same optimum."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from epee.errors import SearchWarning
from epee.mdp import MarkovDecisionProcess, car_dealer, random_process


def small(seed, n=5, m=3, discount=0.9):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(n) * 0.3, size=(n, m))
    return MarkovDecisionProcess(P, rng.normal(size=(n, m)), discount)


def every_policy(process):
    return np.max(
        [process.evaluate(p).values for p in itertools.product(*(np.flatnonzero(a) for a in process.admissible))],
        axis=0,
    )


def ways(process):
    yield process.value_iteration(1e-9)
    yield process.value_iteration(1e-9, sweep="gauss_seidel")
    yield process.value_iteration(1e-9, sweep="prioritised")
    yield process.policy_iteration()
    yield process.modified_policy_iteration(1e-9)
    yield process.linear_program()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 0.9, 0.99]))
def test_all_ways_agree_with_enumeration_within_their_bound(seed, discount):
    process = small(seed, 4, 3, discount)
    best = every_policy(process)
    for solution in ways(process):
        assert solution.converged
        assert np.abs(solution.values - best).max() <= solution.bound
        assert solution.bound <= 2e-9
        np.testing.assert_allclose(process.evaluate(solution.policy).values, best, atol=1e-7)
        np.testing.assert_allclose(solution.q.max(axis=1), solution.values, atol=1e-8)
        assert (solution.policy == solution.q.argmax(axis=1)).all()


def test_the_fixed_point_and_the_direct_inverse():
    process = small(0)
    solution = process.value_iteration(1e-12)
    V = solution.values
    T = (process.rewards + 0.9 * process.transitions @ V).max(axis=1)
    np.testing.assert_allclose(T, V, atol=1e-10)
    rule = np.random.default_rng(0).dirichlet(np.ones(3), size=5)
    P = np.einsum("sa,sat->st", rule, process.transitions)
    r = (rule * process.rewards).sum(axis=1)
    expected = np.linalg.solve(np.eye(5) - 0.9 * P, r)
    for method in ("direct", "iterative"):
        evaluated = process.evaluate(rule, method=method)
        assert np.abs(evaluated.values - expected).max() <= evaluated.bound + 1e-13
        assert evaluated.bound < 1e-9


def test_each_sweep_contracts():
    process = small(1)
    best = process.policy_iteration().values
    start = np.random.default_rng(3).normal(size=5) * 10
    V = start
    for n in range(1, 6):
        V = process.q_values(V).max(axis=1)
        assert np.abs(V - best).max() <= 0.9**n * np.abs(start - best).max() + 1e-12


def test_policy_iteration_never_lowers_a_value():
    history = small(2, 8, 4, 0.97).policy_iteration(history=True).trace
    assert len(history) > 1
    for before, after in itertools.pairwise(history):
        assert (after.values >= before.values - 1e-10).all()


def test_the_trace_says_what_happened():
    solution = small(3).value_iteration(1e-6, history=True)
    assert [t.iteration for t in solution.trace] == list(range(1, solution.iterations + 1))
    best, process = small(3).policy_iteration().values, small(3)
    V = np.zeros(process.n_states)
    for t in solution.trace:
        V = process.q_values(V).max(axis=1)
        np.testing.assert_allclose(t.values, V, atol=1e-12)  # the sweeps themselves, from zero
        assert np.abs(t.values + t.shift - best).max() <= t.bound + 1e-10
    bounds = [t.bound for t in solution.trace]
    assert bounds == sorted(bounds, reverse=True)


def test_a_start_near_the_answer_takes_fewer_sweeps():
    process = small(4, discount=0.99)
    cold = process.value_iteration(1e-6)
    assert process.value_iteration(1e-6, start=cold.values).iterations < cold.iterations


def test_domination():
    process = small(5)
    best = process.value_iteration().policy
    worse = [int((a + 1) % 3) for a in best]
    assert process.dominates(best, worse) and process.dominates(best, best)
    assert not process.dominates(worse, best)


def test_finite_horizon_is_that_many_sweeps_from_zero():
    process = small(6)
    solution = process.backward_induction(7)
    V = np.zeros(5)
    for t in range(6, -1, -1):
        q = process.q_values(V)
        V = q.max(axis=1)
        np.testing.assert_allclose(solution.values[t], V)
        np.testing.assert_allclose(solution.q[t], q)
    final = np.arange(5.0)
    np.testing.assert_allclose(
        process.backward_induction(1, final=final).values[0], process.q_values(final).max(axis=1)
    )


def test_finite_horizon_needs_no_discount_and_no_end():
    P = np.full((2, 1, 2), 0.5)
    assert MarkovDecisionProcess(P, np.ones((2, 1)), 1.0).backward_induction(10).values[0].tolist() == [10.0, 10.0]


def test_average_reward_solves_its_equation():
    process = small(7)
    solution = process.average_reward(1e-11)
    T = (process.rewards + process.transitions @ solution.values).max(axis=1)
    np.testing.assert_allclose(T - solution.values, solution.gain, atol=1e-9)
    near = process.with_discount(0.9999).value_iteration(1e-6).values * 1e-4
    np.testing.assert_allclose(near, solution.gain, atol=1e-2)


def test_average_reward_of_a_periodic_chain():
    P = np.zeros((2, 1, 2))
    P[0, 0, 1] = P[1, 0, 0] = 1
    assert MarkovDecisionProcess(P, [[2.0], [0.0]], 0.9).average_reward().gain == pytest.approx(1.0, abs=1e-8)


def test_average_reward_refuses_what_has_no_single_answer():
    P = np.eye(2)[:, None, :]
    with pytest.raises(ValueError, match=r"depend on the starting state \(state 0 and state 1"):
        MarkovDecisionProcess(P, [[0.0], [1.0]], 0.9).average_reward(max_iter=500)
    with pytest.raises(ValueError, match="can end in state 1"):
        MarkovDecisionProcess(P, [[0.0], [1.0]], 0.9, terminal=[1]).average_reward()


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_dense_and_sparse_are_the_same_process(seed):
    rng = np.random.default_rng(seed)
    n, m = 6, 3
    P = rng.dirichlet(np.ones(n), size=(n, m)) * (rng.random((n, m, n)) < 0.5)
    P[..., 0] += 1e-3
    P /= P.sum(axis=2, keepdims=True)
    R = rng.normal(size=(n, m, n))
    mask = rng.random((n, m)) < 0.7
    mask[:, 0] = True
    kinds = [sparse.csr_matrix, sparse.coo_matrix, sparse.csc_array]
    matrices = [kinds[a % 3](P[:, a]) for a in range(m)]
    dense = MarkovDecisionProcess(P, R, 0.9, terminal=[2], actions=mask)
    for rewards in (R, [sparse.csr_matrix(R[:, a]) for a in range(m)]):
        other = MarkovDecisionProcess(
            matrices, rewards, 0.9, terminal=[2], actions=[np.flatnonzero(row) for row in mask]
        )
        np.testing.assert_allclose(other.transitions, dense.transitions)
        np.testing.assert_allclose(other.rewards, dense.rewards)
        np.testing.assert_allclose(other.layout.payoff, dense.layout.payoff)
    mean = (P * R).sum(axis=2)
    plain = MarkovDecisionProcess(matrices, mean, 0.9, terminal=[2], actions=mask)
    np.testing.assert_allclose(plain.value_iteration().values, dense.value_iteration().values, atol=3e-8)
    assert dense.value_iteration().values[2] == 0
    assert np.isneginf(dense.value_iteration().q[~mask & (np.arange(n) != 2)[:, None]]).all()


def test_explicit_zeros_and_single_precision_are_taken():
    P, R = random_process(40, 3, 4, random_state=0)
    exact = MarkovDecisionProcess(P, R, 0.9).value_iteration().values
    single = MarkovDecisionProcess([p.astype(np.float32) for p in P], R, 0.9).value_iteration().values
    np.testing.assert_allclose(single, exact, atol=1e-4)
    dense = np.stack([p.toarray() for p in P], axis=1).astype(np.float32)
    np.testing.assert_allclose(MarkovDecisionProcess(dense, R, 0.9).value_iteration().values, exact, atol=1e-4)
    stuffed = P[0].copy()
    stuffed.data[0] = 0
    stuffed.data[1] += P[0].data[0]
    assert MarkovDecisionProcess([stuffed, *P[1:]], R, 0.9).layout.n_transitions == 40 * 3 * 4 - 1


def test_threads_do_not_change_the_answer():
    from epee.settings import options

    P, R = random_process(6000, 17, 10, random_state=1)
    process = MarkovDecisionProcess(P, R, 0.95)
    with options(threads=1):
        one = process.value_iteration()
    with options(threads=3):
        many = process.value_iteration()
    assert (one.values == many.values).all() and (one.policy == many.policy).all()


BAD = [
    (lambda P, R: (P * 0.9, R, 0.9, {}), r"state 0, action 0 sum to 0\.9, not 1 \(6 rows are wrong\)"),
    (lambda P, R: (np.where(P[1, 1, 2] == P, np.nan, P), R, 0.9, {}), "NaN: state 1, action 1, to state 2"),
    (lambda P, R: (P - np.array([0.5, -0.5, 0]), R, 0.9, {}), r"has probability -.*must lie in \[0, 1\]"),
    (lambda P, R: (P, R, 1.2, {}), r"discount is 1.2; it must be a number in \[0, 1\]"),
    (lambda P, R: (P, R, "much", {}), "discount is 'much'"),
    (lambda P, R: (P, R[:, :1], 0.9, {}), r"rewards has shape \(3, 1\); it must be \(3, 2\) or \(3, 2, 3\)"),
    (lambda P, R: (P, np.where(R[2, 1] == R, np.inf, R), 0.9, {}), "rewards contain infinity: state 2, action 1"),
    (lambda P, R: (P, np.where(R[2, 1] == R, np.nan, R), 0.9, {}), "rewards contain NaN: state 2, action 1"),
    (lambda P, R: (P, R, 0.9, {"actions": [[0], [], [1]]}), "state 1 has no admissible action"),
    (lambda P, R: (P, R, 0.9, {"actions": [[0], [0]]}), "actions lists 2 states; the process has 3"),
    (lambda P, R: (P, R, 0.9, {"actions": [[0], [7], [1]]}), r"actions of state 1 are \[7\]"),
    (lambda P, R: (P, R, 0.9, {"terminal": [3]}), "terminal names state"),
    (lambda P, R: (P, R, 0.9, {"terminal": [0, 1, 2]}), "every state is terminal"),
    (lambda P, R: (P.transpose(1, 0, 2), R, 0.9, {}), r"looks like \(A, S, S\)"),
    (lambda P, R: (sparse.csr_matrix(P[:, 0]), R, 0.9, {}), "one sparse matrix; give a list"),
    (lambda P, R: ([sparse.csr_matrix(P[:, 0]), sparse.csr_matrix(P[:2, 1])], R, 0.9, {}), "transitions of action 1"),
    (lambda P, R: (P, R, 0.9, {"start": [1.0, 2.0]}), "start must be 3 probabilities"),
]


@pytest.mark.parametrize(("spoil", "sentence"), BAD)
def test_bad_input_is_one_sentence(spoil, sentence):
    rng = np.random.default_rng(0)
    P, R = rng.dirichlet(np.ones(3), size=(3, 2)), rng.normal(size=(3, 2))
    transitions, rewards, discount, more = spoil(P, R)
    with pytest.raises(ValueError, match=sentence):
        MarkovDecisionProcess(transitions, rewards, discount, **more)


def test_bad_policies_and_settings():
    process = car_dealer(3)
    with pytest.raises(ValueError, match=r"takes action 3 in state 1, where the admissible ones are \[0, 1, 2\]"):
        process.evaluate([0, 3, 0, 0])
    with pytest.raises(ValueError, match=r"policy has shape \(2,\)"):
        process.evaluate([0, 0])
    with pytest.raises(ValueError, match="state 0 sum to 0.5"):
        process.evaluate(np.full((4, 4), 0.125))
    with pytest.raises(ValueError, match="sweep is 'fast'"):
        process.value_iteration(sweep="fast")
    with pytest.raises(ValueError, match="tol is 0"):
        process.value_iteration(0)
    with pytest.raises(ValueError, match="horizon is 0"):
        process.backward_induction(0)
    with pytest.raises(ValueError, match="4 finite numbers"):
        process.value_iteration(start=[np.nan] * 4)
    with pytest.raises(ValueError, match="method is 'magic'"):
        process.evaluate([0] * 4, method="magic")


def test_running_out_of_sweeps_warns_and_keeps_an_honest_bound():
    process = small(8, discount=0.999)
    with pytest.warns(
        SearchWarning, match="stopped after 3 sweeps before the tolerance was reached; values are within"
    ):
        solution = process.value_iteration(1e-10, max_iter=3)
    assert not solution.converged
    assert np.abs(solution.values - process.policy_iteration().values).max() <= solution.bound


def test_actions_may_be_listed_for_some_states_only():
    rng = np.random.default_rng(0)
    P, R = rng.dirichlet(np.ones(3), size=(3, 2)), rng.normal(size=(3, 2))
    assert MarkovDecisionProcess(P, R, 0.9, actions={1: [0]}).admissible.tolist() == [
        [True, True],
        [True, False],
        [True, True],
    ]
    assert MarkovDecisionProcess(P, R, 0.9, actions=[[True, True], [True, False], [True, True]]).layout.n_pairs == 5


def test_simulation_follows_the_law():
    process = small(9)
    path = process.simulate([0, 1, 2, 0, 1], 40_000, random_state=0)
    assert (path.states[1:] == path.next_states[:-1]).all() and not path.ended.any()
    seen = np.zeros((5, 5))
    np.add.at(seen, (path.states, path.next_states), 1)
    P = process.transitions[np.arange(5), [0, 1, 2, 0, 1]]
    n = seen.sum(axis=1, keepdims=True)
    assert (np.abs(seen / n - P) < 5 * np.sqrt(P * (1 - P) / n) + 1e-9).all()
    again = process.simulate([0, 1, 2, 0, 1], 40_000, random_state=0)
    assert (again.states == path.states).all()
    assert "->" in str(path)
    with pytest.raises(ValueError, match="steps is 0"):
        process.simulate([0] * 5, 0)
