"""Decisions in sequence: Markov decision processes, exact solving, and learning from simulation.

>>> from epee.mdp import random_walk
>>> random_walk(5).evaluate([0] * 7).values.round(3)
array([0.   , 0.167, 0.333, 0.5  , 0.667, 0.833, 0.   ])
"""

from __future__ import annotations

from epee.lazy import attach

_PLACES = {
    name: place
    for place, names in {
        "epee.mdp.process": "MarkovDecisionProcess",
        "epee.mdp.solution": "Solution Sweep",
        "epee.mdp.trajectories": "Trajectory monte_carlo MonteCarlo",
        "epee.mdp.step_sizes": "Visits Power Constant",
        "epee.mdp.exploring": "Uniform EpsilonGreedy Boltzmann",
        "epee.mdp.agents": "QLearning DoubleQLearning Sarsa ExpectedSarsa RLearning",
        "epee.mdp.traces": "TDLambda",
        "epee.mdp.learning": "LearningTrace Experience",
        "epee.mdp.simulation": "Simulator play Transitions",
        "epee.mdp.features": "OneHot Tiles Cosines",
        "epee.mdp.linear_values": "LinearTD lstd LinearValues",
        "epee.mdp.linear_control": "LinearQLearning FittedQ",
        "epee.mdp.policy_gradient": "PolicyGradient",
        "epee.mdp.memory": "with_memory",
        "epee.mdp.curves": "learning_curves LearningCurves",
        "epee.mdp.worlds.stock": "car_dealer inventory",
        "epee.mdp.worlds.grids": "gridworld cliff windy_grid",
        "epee.mdp.worlds.chains": "random_walk gambler",
        "epee.mdp.worlds.rental": "car_rental",
        "epee.mdp.worlds.arbitrary": "random_process",
    }.items()
    for name in names.split()
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
