"""Worlds whose optimum is known: from the course, from books, from exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

from epee.mdp import car_dealer, car_rental, cliff, gambler, gridworld, inventory, random_walk, windy_grid


def dealer_by_hand(capacity, c, d, u, discount, sweeps=400):
    """The course's exercise written out: immediate delivery."""
    V = np.zeros(capacity + 1)
    for _ in range(sweeps):
        V = np.array(
            [
                max(
                    np.mean([c * k - d * a - u * (s + a - k) + discount * V[s + a - k] for k in range(s + a + 1)])
                    for a in range(capacity - s + 1)
                )
                for s in range(capacity + 1)
            ]
        )
    return V


def test_car_dealer_delivered_now():
    process = car_dealer(4, 10.0, 6.5, 1.0, 0.9)
    np.testing.assert_allclose(process.value_iteration().values, dealer_by_hand(4, 10.0, 6.5, 1.0, 0.9), atol=1e-7)
    row = process.layout.payoff[process.layout.ptr[1] : process.layout.ptr[2]]  # state 0, one car ordered
    assert row.tolist() == [-6.5 - 1.0, 10.0 - 6.5]
    assert process.admissible.sum(axis=1).tolist() == [5, 4, 3, 2, 1]


def test_car_dealer_delivered_next_week():
    process = car_dealer(3, 10.0, 4.0, 1.0, 0.9, delivery="next")
    P, R = process.transitions, process.rewards
    np.testing.assert_allclose(P[1, 2], [0, 0, 0.5, 0.5])  # sell 0 or 1 of the one in stock, two arrive
    assert R[1, 2] == pytest.approx(0.5 * (0 - 1.0) + 0.5 * 10.0 - 2 * 4.0)
    assert R[0, 3] == -12.0 and P[0, 3, 3] == 1
    now = car_dealer(3, 10.0, 4.0, 1.0, 0.9).value_iteration().values
    assert (process.value_iteration().values <= now + 1e-8).all()
    with pytest.raises(ValueError, match="delivery is 'late'"):
        car_dealer(delivery="late")


@pytest.mark.parametrize("delivery", ["now", "next"])
def test_car_dealer_is_monotone_in_prices(delivery):
    def value(c, d, u):
        return car_dealer(5, c, d, u, 0.9, delivery=delivery).policy_iteration().values

    assert (value(11, 6, 1) >= value(10, 6, 1) - 1e-9).all()
    assert (value(10, 7, 1) <= value(10, 6, 1) + 1e-9).all()
    assert (value(10, 6, 2) <= value(10, 6, 1) + 1e-9).all()


def test_inventory_of_puterman():
    """Puterman (1994), section 4.6.1: three months, values in sixteenths and the (s, S) policy."""
    solution = inventory(discount=1.0).backward_induction(3)
    np.testing.assert_allclose(16 * solution.values[0], [67, 129, 194, 227])
    np.testing.assert_allclose(solution.values[1], [2, 25 / 4, 10, 21 / 2])
    np.testing.assert_allclose(solution.values[2], [0, 5, 6, 5])
    assert solution.policy.tolist() == [[3, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]]


def test_random_walks():
    np.testing.assert_allclose(random_walk(19).value_iteration().values[1:-1], np.arange(1, 20) / 20, atol=1e-8)
    both = random_walk(19, left=-1.0).value_iteration().values[1:-1]
    np.testing.assert_allclose(both, np.arange(-9, 10) / 10, atol=1e-8)


def test_gambler_plays_boldly():
    """Dubins and Savage: bold play is optimal below one half; V is a dyadic recursion."""

    def bold(x, p):
        if x in (0, 1):
            return float(x)
        return p * bold(2 * x, p) if x <= 0.5 else p + (1 - p) * bold(2 * x - 1, p)

    for p in (0.25, 0.4):
        values = gambler(64, p).value_iteration().values[1:-1]
        np.testing.assert_allclose(values, [bold(x / 64, p) for x in range(1, 64)], atol=1e-8)
    fair = gambler(20, 0.5).value_iteration().values[1:-1]
    np.testing.assert_allclose(fair, np.arange(1, 20) / 20, atol=1e-8)


def test_cliff_and_wind():
    solution = cliff().value_iteration()
    assert solution.values[36] == pytest.approx(-13, abs=1e-8) and solution.policy[36] == 0
    assert windy_grid().value_iteration().values[30] == pytest.approx(-15, abs=1e-8)
    assert windy_grid(king=True).value_iteration().values[30] == pytest.approx(-7, abs=1e-8)
    stochastic = windy_grid(king=True, stochastic=True).value_iteration()
    assert stochastic.values[30] < -7 and stochastic.bound <= 1e-8


def test_grid_of_russell_and_norvig():
    """Russell and Norvig, Artificial Intelligence, figure 17.3."""
    world = gridworld(["...G", ".#.T", "S..."], living=-0.04, slip=0.2, discount=1.0)
    expected = [[0.812, 0.868, 0.918, 0], [0.762, 0, 0.660, 0], [0.705, 0.655, 0.611, 0.388]]
    solution = world.value_iteration()
    np.testing.assert_allclose(solution.values.reshape(3, 4), expected, atol=5e-4)
    assert solution.policy[[8, 4, 0, 9, 10, 11]].tolist() == [0, 0, 1, 3, 3, 3]
    with pytest.raises(ValueError, match="row 0, column 1 of the grid holds '\\?'"):
        gridworld([".?"])
    with pytest.raises(ValueError, match="strings of one length"):
        gridworld(["..", "."])


def test_car_rental_has_the_policy_of_the_book():
    """Sutton and Barto, figure 4.2: from 5 cars moved to 4 moved back, and a wide band where nothing moves."""
    solution = car_rental().policy_iteration()
    moved = solution.policy.reshape(21, 21) - 5
    assert moved[20, 0] == 5 and moved[0, 20] == -4 and moved.min() == -4
    assert moved[10, 10] == 0 and moved[20, 20] == 0
    assert (np.diff(moved, axis=1) <= 0).all()
    assert solution.values.argmin() == 0 and solution.values.argmax() == 440


def test_one_day_of_the_rental_by_simulation():
    world = car_rental(6, moves=1, asked=(2.0, 1.0), returned=(1.0, 2.0))
    rng = np.random.default_rng(0)
    m = 200_000
    rented = np.minimum(rng.poisson((2.0, 1.0), size=(m, 2)), [3, 5])  # from (4, 4), one car moved to the second
    evening = np.minimum(np.array([3, 5]) - rented + rng.poisson((1.0, 2.0), size=(m, 2)), 6)
    reward = 10 * rented.sum(axis=1) - 2
    s, a = 4 * 7 + 4, 2
    assert world.rewards[s, a] == pytest.approx(reward.mean(), abs=5 * reward.std() / np.sqrt(m))
    law = np.bincount(evening[:, 0] * 7 + evening[:, 1], minlength=49) / m
    assert np.abs(law - world.transitions[s, a]).max() < 5 * np.sqrt(0.25 / m)


def test_a_goal_that_is_no_fortune():
    with pytest.raises(ValueError, match="goal is 0.4; it must be a whole number"):
        gambler(0.4)
