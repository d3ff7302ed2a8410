"""What to do with a prediction: costs, rejection, changed priors, calibrated probabilities."""

from __future__ import annotations

from epee.lazy import attach

_PLACES = {
    name: f"epee.decision.{module}"
    for module, names in {
        "bayes_decision": "BayesDecision",
        "calibration": "Calibrated",
        "novelty": "OpenClassifier",
        "randomised": "RandomisedClassifier",
        "costs": "read_costs",
        "rejection": "ErrorReject",
        "reliability": "reliability_curve ReliabilityCurve",
    }.items()
    for name in names.split()
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
