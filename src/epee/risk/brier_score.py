r"""How good probabilities are: Brier's score with its error bar, and what was observed where they say so.

For the second of two classes, or added over all of several, with :math:`t_{ik}` 1 for the class of row :math:`i` and 0 for the others,

.. math:: B = \frac1n \sum_i \sum_k (p_{ik} - t_{ik})^2. \tag{1}

It is a mean of losses, and has their interval (:mod:`epee.risk.mean_loss`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from epee.risk.estimate import Score
from epee.risk.held_rows import codes_of, held_rows, probabilities_of
from epee.risk.intervals import Interval
from epee.risk.mean_loss import mean_loss
from epee.risk.rates import rate_interval
from epee.risk.units import Weights
from epee.typing import Vector


def brier(
    model: Any, X: Any, y: Any, *, level: float = 0.95, sample_weight: Any = None, bins: int = 10, weights: Weights | None = None,
    groups: Any = None, time: Any = None,
) -> Score:  # fmt: skip
    r"""Return Brier's score on held-out rows, the mean of :math:`(p_i - t_i)^2`; 0 is perfect, smaller is better.

    With several classes the squares are added over classes. Its ``plot`` shows calibration: observed frequencies against
    predicted probabilities, in ``bins`` of equal counts.

    Parameters
    ----------
    model : fitted classifier
    X, y : test rows and their labels
    level, sample_weight, weights, groups, time
        As in :func:`roc_auc`.
    bins : int, default=10
        Bins of the calibration curve.

    Examples
    --------
    >>> from epee import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> X, y = [[0.5], [2.8], [2.0], [4.5], [1.0], [6.0]], [0, 0, 1, 1, 0, 1]
    >>> print(brier(model, X, y))
    0.33 ± 0.21 [0.00, 1.00]
    """
    held = held_rows(model, X, y, sample_weight, level, weights, groups, time)
    truth, w = held.truth, held.w
    codes, P = codes_of(model, truth), probabilities_of(model, held.X)
    T = np.eye(P.shape[1])[codes]
    losses = (P[:, 1] - T[:, 1]) ** 2 if P.shape[1] == 2 else ((P - T) ** 2).sum(axis=1)
    meant: Weights = "sampling" if held.sampled else "counts"
    ends_at = partial(_brier_ends, losses, w, meant, 1.0 if P.shape[1] == 2 else 2.0)
    found = mean_loss(losses, w, loss="brier", level=level, weights=meant)
    classes = [1] if P.shape[1] == 2 else range(P.shape[1])
    curves = [
        (str(model.classes_[k]), *calibration_bins(P[:, k], T[:, k], w, bins, level, held.sampled)) for k in classes
    ]
    score = Score(
        found.value, found.stderr, ends_at(level), level, held.worth(), "brier", held.how, found.dof, row_losses=losses, weight=w,
        curve=curves, caution=found.sentence, ends_at=ends_at, most=1.0 if P.shape[1] == 2 else 2.0,
    )  # fmt: skip
    return held.watched(score, losses, codes=codes)


def _brier_ends(losses: Vector, w: Vector, weights: Weights, most: float, level: float) -> Interval:
    low, high = mean_loss(losses, w, loss="brier", level=level, weights=weights).interval
    return Interval(low, min(high, most))


def calibration_bins(
    p: Vector, t: Vector, w: Vector, bins: int, level: float, sampled: bool = False
) -> tuple[Vector, Vector, Vector, Vector]:
    """Return mean probability, observed frequency and its interval in bins of equal weight; ``sampled`` weights are worth fewer rows."""
    order = np.argsort(p, kind="stable")
    edge = np.minimum((np.cumsum(w[order]) - w[order] / 2) / w.sum() * bins, bins - 1e-9).astype(int)
    where = np.empty(len(p), dtype=int)
    where[order] = edge
    count = np.bincount(where, w, minlength=bins)
    kept = count > 0
    mean_p, mean_t = (np.bincount(where, w * a, minlength=bins)[kept] / count[kept] for a in (p, t))
    worth = count[kept] ** 2 / np.bincount(where, w**2, minlength=bins)[kept] if sampled else count[kept]
    ends = [rate_interval(float(f), float(c), level) for f, c in zip(mean_t, worth, strict=True)]
    return mean_p, mean_t, np.array([e.low for e in ends]), np.array([e.high for e in ends])
