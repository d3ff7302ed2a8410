"""What an error costs: losses with their derivatives, penalties, and the names they go by.

A loss compares one prediction with one truth and returns one number per row; weights and means are the caller's affair.
"""

from __future__ import annotations

from epee.lazy import attach

_PLACES = {
    name: f"epee.losses.{module}"
    for module, names in {
        "loss": "Loss",
        "decisions": "ZeroOne Costs",
        "residuals": "Power",
        "quantiles": "Pinball",
        "counts": "PoissonDeviance",
        "brier": "Brier",
        "ordering": "Ranking",
        "robust": "Huber Tukey Welsch GemanMcClure",
        "margins": "MarginLoss PerceptronLoss HingeLoss SquaredHinge SignedSquares",
        "entropy": "CrossEntropy LogLoss sigmoid softmax",
        "smoothing": "Smoothed SoftHinge",
        "names": "resolve resolve_margin LOSSES",
        "penalties": "Penalty L1 L2 Elastic",
        "location": "best_constant",
    }.items()
    for name in names.split()
}

__getattr__, __dir__, __all__ = attach(__name__, _PLACES)
