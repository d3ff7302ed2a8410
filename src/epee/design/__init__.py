"""Which inputs to measure, before any value is seen: the variance of a linear prediction depends on the inputs alone."""

from __future__ import annotations

from epee.lazy import attach

_PLACES = {
    "prediction_variance": "epee.design.variance",
    "choose_next": "epee.design.variance",
    "select": "epee.design.selection",
    "criterion_value": "epee.design.selection",
    "plot_bands": "epee.figures.regression",
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
