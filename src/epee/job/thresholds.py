r"""From which probability on to decide for a class: the threshold of least cost, on rows held out.

With costs :math:`c_{10}` of a false alarm and :math:`c_{01}` of a miss (one each without costs), deciding for the second of two classes
where its probability is at least :math:`t` costs on average

.. math:: C(t) = \frac1n \sum_i \bigl[c_{10}\, 1\{p_i \ge t, y_i = 0\} + c_{01}\, 1\{p_i < t, y_i = 1\}\bigr], \tag{1}

plus what right decisions cost. True probabilities have their least cost at
:math:`(c_{10} - c_{00}) / (c_{10} - c_{00} + c_{01} - c_{11})`; others may have it elsewhere. The probabilities are those of models that
did not see the row, so that the choice of :math:`t` is one of a single number on many rows. Where costs were given the predictor decides by
it, if on these rows it costs less than the threshold of true probabilities by more than the standard error of the difference.

With a cost :math:`c_{rt}` of not deciding there are two thresholds, :math:`l \le h`: the first class below :math:`l`, the second from
:math:`h` on, rejection between. Their cost is a sum of a function of each,

.. math:: C(l, h) = \frac1n \sum_i \bigl[(c_{0t_i} - c_{rt_i})\, 1\{p_i < l\} + c_{1t_i}\, 1\{p_i \ge h\}
          + c_{rt_i}\, 1\{p_i < h\}\bigr], \tag{2}

so the best pair of a grid costs two passes along it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from epee.decision.bayes_decision import BayesDecision
from epee.job.contest import Entry
from epee.job.effects import CHEAP
from epee.job.ground import Ground
from epee.job.predictor import Predictor
from epee.job.told import Told, told_of_training
from epee.risk.dependence import Dependence
from epee.risk.route import MomentRoute
from epee.risk.steps import last_of

GRID = np.round(np.arange(0.02, 0.99, 0.02), 2)


def threshold_facts(
    ground: Ground, entry: Entry, predictor: Predictor, kin: Dependence | None = None
) -> dict[str, Any] | None:
    """Return cost, precision and recall along the threshold, and where the cost is least; None for more classes, or at too great a cost.

    What it spares has the error bar of the groups, of the rows in time, or of rows that are ``kin``.
    """
    classes = ground.asked.classes
    if classes is None or len(classes) != 2 or not predictor.has_probabilities:
        return None
    if not entry.members and not isinstance(entry.route, MomentRoute) and entry.candidate.cost(ground.setting) > CHEAP:
        return None
    # what a combination says of rows held out is known: its weights were found without them
    P = entry.outcome.predictions[0] if entry.members else ground.probabilities(entry.route)
    p, truth = P[:, 1], ground.truth[ground.hand.looked]
    seen = np.isfinite(p)
    told = told_of_training(ground).of(ground.hand.looked).of(seen)
    found = along(p[seen], truth[seen] == 1, ground.hand.looked_weight[seen], ground.asked.costs, told, kin)
    return found | {"label": str(classes[1]), "other": str(classes[0])}


def apply_threshold(model: Any, facts: dict[str, Any] | None) -> bool:
    """Let the decision behind a predictor follow the threshold that was found, where it is worth it; tells whether it does."""
    last = last_of(model)
    if facts is None or facts["applied"] is None or not isinstance(last, BayesDecision):
        return False
    last.set_params(threshold=facts["applied"])
    return True


def along(
    p: np.ndarray, positive: np.ndarray, w: np.ndarray, costs: Any = None, told: Told | None = None, kin: Dependence | None = None
) -> dict[str, Any]:  # fmt: skip
    """Return (1) and its parts along the grid of thresholds.

    >>> found = along(np.array([0.1, 0.3, 0.6, 0.9]), np.array([False, False, True, True]), np.ones(4))
    >>> 0.3 < found["chosen"] <= 0.6, min(found["cost"])
    (True, 0.0)
    """
    every = np.array([[0.0, 1.0], [1.0, 0.0]]) if costs is None else np.asarray(costs, dtype=float)
    c, truth = every[:2], positive.astype(int)
    decided = p[:, None] >= GRID  # (n, thresholds)
    total = w.sum()
    hit, alarm = (w * positive) @ decided, (w * ~positive) @ decided
    P, N = float((w * positive).sum()), float((w * ~positive).sum())
    cost = (c[1, 1] * hit + c[1, 0] * alarm + c[0, 1] * (P - hit) + c[0, 0] * (N - alarm)) / total
    least = np.flatnonzero(cost <= cost.min() + 1e-12)
    best = int(least[len(least) // 2])  # the middle of a flat valley
    gain = c[1, 0] - c[0, 0] + c[0, 1] - c[1, 1]
    expected = float((c[1, 0] - c[0, 0]) / gain) if gain > 0 else 0.5
    pair = between(p, positive, w, every) if len(every) > 2 else None
    if pair is None:
        saved = c[_turn(p, expected), truth] - c[_turn(p, GRID[best]), truth]
    else:
        alone = (np.column_stack([1 - p, p]) @ every.T).argmin(axis=1)  # the decision of true probabilities
        saved = every[alone, truth] - every[_turn(p, *pair), truth]
    units = (Told() if told is None else told).units(saved, w)
    mean = units.mean  # what the chosen decision spares a row
    longer = 1.0 if kin is None else float(np.sqrt(kin.effect))
    bar = longer * units.spread()[0] / float(np.sqrt(units.independent()[0]))
    chosen: Any = float(GRID[best]) if pair is None else list(pair)
    return {
        "thresholds": GRID.tolist(), "cost": cost.tolist(), "precision": (hit / np.maximum(hit + alarm, 1e-300)).tolist(),
        "recall": (hit / max(P, 1e-300)).tolist(), "share": ((hit + alarm) / total).tolist(), "chosen": float(GRID[best]),
        "least": float(cost[best]), "expected": expected, "costs": costs is not None, "pair": None if pair is None else list(pair),
        "saves": mean, "saves_stderr": bar, "applied": chosen if costs is not None and mean > bar else None,
    }  # fmt: skip


def between(p: np.ndarray, positive: np.ndarray, w: np.ndarray, costs: np.ndarray) -> tuple[float, float]:
    """Return the two thresholds of least cost (2), with rejection between them; in the middle of a flat valley.

    >>> p, truth = np.array([0.1, 0.45, 0.55, 0.9]), np.array([False, True, False, True])
    >>> between(p, truth, np.ones(4), np.array([[0, 1], [1, 0], [0.1, 0.1]]))
    (0.28, 0.74)
    """
    first, second, reject = (w * np.where(positive, row[1], row[0]) for row in costs)
    below = p[:, None] < GRID  # (n, thresholds)
    left = (first - reject) @ below
    right = second @ ~below + reject @ below
    total = np.where(GRID[:, None] <= GRID, left[:, None] + right, np.inf)  # (l, h)
    least = np.argwhere(total <= total.min() + 1e-12 * w.sum())
    lows = np.unique(least[:, 0])
    low = lows[len(lows) // 2]
    highs = least[least[:, 0] == low, 1]
    return float(GRID[low]), float(GRID[highs[len(highs) // 2]])


def _turn(p: np.ndarray, low: float, high: float | None = None) -> np.ndarray:
    """Return the decisions (n,) by one threshold, or by two with rejection (2) between them."""
    return np.where(p >= (low if high is None else high), 1, np.where(p < low, 0, 2))
