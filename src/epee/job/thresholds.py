r"""From which probability on to decide for a class: the threshold of least cost, on rows held out.

With costs :math:`c_{10}` of a false alarm and :math:`c_{01}` of a miss (one each without costs), deciding for the second of two classes
where its probability is at least :math:`t` costs on average

.. math:: C(t) = \frac1n \sum_i \bigl[c_{10}\, 1\{p_i \ge t, y_i = 0\} + c_{01}\, 1\{p_i < t, y_i = 1\}\bigr], \tag{1}

plus what right decisions cost. True probabilities have their least cost at
:math:`(c_{10} - c_{00}) / (c_{10} - c_{00} + c_{01} - c_{11})`; others may have it elsewhere. The probabilities are those of models that
did not see the row, so that the choice of :math:`t` is one of a single number on many rows. Where costs were given the predictor decides by
it, if on these rows it costs less than the threshold of true probabilities by more than the standard error of the difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.decision.bayes_decision import BayesDecision
from epee.job.contest import Entry
from epee.job.effects import CHEAP
from epee.job.ground import Ground
from epee.job.predictor import Predictor
from epee.risk.route import MomentRoute
from epee.risk.steps import last_of

GRID = np.round(np.arange(0.02, 0.99, 0.02), 2)


def threshold_facts(ground: Ground, entry: Entry, predictor: Predictor) -> dict[str, Any] | None:
    """Return cost, precision and recall along the threshold, and where the cost is least; None for more classes, or at too great a cost."""
    classes = ground.asked.classes
    if classes is None or len(classes) != 2 or not predictor.has_probabilities or entry.members:
        return None
    if not isinstance(entry.route, MomentRoute) and entry.candidate.cost(ground.setting) > CHEAP:
        return None
    h = ground.hand
    p, truth = ground.probabilities(entry.route)[:, 1], ground.truth[h.looked]
    w = h.weights(h.train)
    weight = np.ones(len(truth)) if w is None else w[h.looked]
    seen = np.isfinite(p)
    return along(p[seen], truth[seen] == 1, weight[seen], ground.asked.costs) | {"label": str(classes[1])}


def apply_threshold(model: Any, facts: dict[str, Any] | None) -> bool:
    """Let the decision behind a predictor follow the threshold that was found, where it is worth it; tells whether it does."""
    last = last_of(model)
    if facts is None or facts["applied"] is None or not isinstance(last, BayesDecision):
        return False
    last.set_params(threshold=facts["applied"])
    return True


def along(p: np.ndarray, positive: np.ndarray, w: np.ndarray, costs: Any = None) -> dict[str, Any]:
    """Return (1) and its parts along the grid of thresholds.

    >>> found = along(np.array([0.1, 0.3, 0.6, 0.9]), np.array([False, False, True, True]), np.ones(4))
    >>> 0.3 < found["chosen"] <= 0.6, min(found["cost"])
    (True, 0.0)
    """
    c = np.array([[0.0, 1.0], [1.0, 0.0]]) if costs is None else np.asarray(costs, dtype=float)[:2]
    decided = p[:, None] >= GRID  # (n, thresholds)
    total = w.sum()
    hit, alarm = (w * positive) @ decided, (w * ~positive) @ decided
    P, N = float((w * positive).sum()), float((w * ~positive).sum())
    cost = (c[1, 1] * hit + c[1, 0] * alarm + c[0, 1] * (P - hit) + c[0, 0] * (N - alarm)) / total
    least = np.flatnonzero(cost <= cost.min() + 1e-12)
    best = int(least[len(least) // 2])  # the middle of a flat valley
    gain = c[1, 0] - c[0, 0] + c[0, 1] - c[1, 1]
    expected = float((c[1, 0] - c[0, 0]) / gain) if gain > 0 else 0.5
    each = [c[(p >= t).astype(int), positive.astype(int)] for t in (expected, GRID[best])]
    saved = each[0] - each[1]  # (n,) what the chosen threshold spares
    mean = float(np.average(saved, weights=w))
    bar = float(np.sqrt(np.average((saved - mean) ** 2, weights=w) / max(len(p) - 1, 1)))
    return {
        "thresholds": GRID.tolist(), "cost": cost.tolist(), "precision": (hit / np.maximum(hit + alarm, 1e-300)).tolist(),
        "recall": (hit / max(P, 1e-300)).tolist(), "share": ((hit + alarm) / total).tolist(), "chosen": float(GRID[best]),
        "least": float(cost[best]), "expected": expected, "costs": costs is not None, "saves": mean, "saves_stderr": bar,
        "applied": float(GRID[best]) if costs is not None and len(costs) == 2 and mean > bar else None,
    }  # fmt: skip
