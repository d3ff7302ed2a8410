"""Descents with a trace: every iterate, value, gradient norm and step, a verdict and a reason for stopping."""

from __future__ import annotations

from epee.lazy import attach

_PLACES = {
    name: f"epee.optimize.{module}"
    for module, names in {
        "descent": "Descent Trace",
        "steps": "line_search LineSearch",
        "first_order": "gradient_descent",
        "stochastic": "stochastic_gradient_descent",
        "second_order": "newton",
        "quasi_newton": "bfgs lbfgs",
        "updates": "Adam Momentum",
    }.items()
    for name in names.split()
} | {"schedules": "epee.optimize.schedules:"}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
