"""Pictures: that they draw what they are given, in both languages."""

from __future__ import annotations

import numpy as np

from epee.mdp import QLearning, car_dealer, car_rental, cliff, gridworld, learning_curves
from epee.settings import options


def test_a_grid_has_an_arrow_a_free_cell():
    world = gridworld(["..G", ".#T", "S.."], slip=0.2)
    ax = world.value_iteration().plot()
    texts = [t.get_text() for t in ax.texts]
    assert texts.count("G") == 1 and texts.count("T") == 1
    assert sum(t.arrow_patch is not None for t in ax.texts if hasattr(t, "arrow_patch")) == 6
    assert world.plot().get_title() == ""


def test_states_surfaces_and_horizons():
    process = car_dealer(4)
    ax = process.value_iteration().plot()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), process.value_iteration().values)
    assert process.backward_induction(5).plot().images[0].get_array().shape == (5, 5)
    policy, values = car_rental(4, moves=1).policy_iteration().plot()
    assert policy.images[0].get_array().shape == (5, 5) and values.get_title() == "values"


def test_convergence_and_learning():
    solution = cliff(discount=0.9).value_iteration()
    ax = solution.plot_convergence()
    assert len(ax.lines) == 2 and ax.get_yscale() == "log"
    with options(language="fr"):
        assert solution.plot_convergence().get_xlabel() == "balayages"
    curves = learning_curves(QLearning(), car_dealer(2), 2_000, seeds=3)
    drawn = curves.plot()
    curves.plot(drawn)
    assert len(drawn.lines) == 2 and len(drawn.collections) == 2
    assert curves.plot(what="reward").get_ylabel() == "mean reward a step"
    assert curves.agents[0].trace_.plot().get_yscale() == "log"
