"""The labs in the order of the course; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from epee.errors import WrongUse
from epee.labs.machinery.lab import Lab

SESSIONS = (
    "first_steps", "active_choice", "generalisation", "criteria", "regularisation", "eigenfaces", "bayes_one", "bayes_two",
    "hebb", "naive_bayes", "pca_proof", "pca_showcase", "covariance",
)  # fmt: skip
BEYOND = (
    "perceptron", "fisher", "softmax", "neighbours", "bias_variance", "lasso_map", "kernels", "forests", "clustering", "em_steps",
    "half_labelled", "manifolds", "descents", "trees", "decision_process", "car_dealer", "own_table",
)  # fmt: skip
IDS = SESSIONS + BEYOND


def lab(name: str) -> Lab:
    """Return a lab by its id.

    >>> lab("first_steps").title("fr")
    'Premiers pas'
    """
    if name not in IDS:
        raise WrongUse(f"there is no lab {name!r}; there are {', '.join(IDS)}.")
    found: Lab = import_module(f"epee.labs.sessions.{name}").LAB
    return found
