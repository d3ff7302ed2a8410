r"""What a ranking gives at every depth: the ROC curve, precision against recall, and lift, each with a band.

Rows are taken from the highest score down. At a threshold :math:`t`, of :math:`P` positives and :math:`N` negatives,

.. math:: \mathrm{TPR} = \frac{TP}{P}, \quad \mathrm{FPR} = \frac{FP}{N}, \quad \text{precision} = \frac{TP}{TP + FP}, \quad
          \text{depth} = \frac{TP + FP}{P + N}, \quad \text{lift} = \frac{\mathrm{TPR}}{\text{depth}}. \tag{1}

A band is pointwise. Rows are drawn anew with their scores (the bootstrap), and the curve is read at the same places each time; its
quantiles tell how much both axes move. Of rows that belong together whole groups are drawn, and the ends are as much farther out as
Student's law of :math:`G` groups is wider than the normal one, with :math:`\sqrt{G / (G - 1)}` for the spread of which as many draws from
as many groups see too little. Where every row drawn says the same, as for a perfect ranking, that has seen too little: the band is
widened to hold the interval of the share itself on as many rows as it is a share of; of groups, on as many rows as have the spread that
was seen, and as there are groups where that is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.risk.intervals import normal_quantile, t_quantile
from epee.risk.ranking import counts_drawn
from epee.risk.rates import rate_interval
from epee.typing import Codes, Matrix, Tensor, Vector

PLACES = 41  # at which a curve is read


@dataclass(frozen=True, eq=False)
class Band:
    """A curve ``y`` over ``x`` between ``low`` and ``high``."""

    x: Vector
    y: Vector
    low: Vector
    high: Vector

    def to_dict(self) -> dict[str, list[float]]:
        """Return plain lists."""
        return {name: [float(f"{v:.5g}") for v in getattr(self, name)] for name in ("x", "y", "low", "high")}


@dataclass(frozen=True, eq=False)
class RankingCurves:
    """The three curves of one class against the rest."""

    roc: Band
    precision_recall: Band
    lift: Band


def ranking_curves(
    score: Vector, positive: np.ndarray, w: Vector | None = None, *, groups: Codes | None = None, level: float = 0.95, draws: int = 200,
    seed: int = 0,
) -> RankingCurves:  # fmt: skip
    """Return the curves (1) of scores with their bands.

    Parameters
    ----------
    score : array (n,)
        Larger for rows more likely to be positive.
    positive : boolean array (n,)
        Both kinds must be there.
    w : array (n,), optional
        Counts.
    groups : array (n,), optional
        Codes of rows that belong together, from 0.
    level : float, default=0.95
        What a band covers at each place.
    draws : int, default=200
        Samples of the bootstrap.

    >>> curves = ranking_curves(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    >>> curves.roc.y[[0, 20, 40]].tolist(), float(curves.lift.y[-1])
    ([0.5, 1.0, 1.0], 1.0)
    """
    w = np.ones(len(score)) if w is None else w
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
    own, wo = positive[order], w[order]
    rng = np.random.default_rng(seed)
    P = float(wo[own].sum())
    whole = _read(own, wo[None], last)[0]
    unit = np.arange(len(wo)) if groups is None else groups[order]
    G = int(unit.max()) + 1
    many = counts_drawn(rng, np.arange(G), G, draws)
    drawn = np.concatenate([_read(own, wo * counts[:, unit], last) for counts in many])  # (draws, 3, places)
    known = drawn[np.isfinite(drawn[:, 0, 0])]  # a sample of one kind has no curve
    tails = (1 - level) / 2
    low, high = np.quantile(known, [tails, 1 - tails], axis=0) if len(known) else np.full((2, 3, PLACES), np.nan)
    recall = _grid()
    taken = np.maximum(recall * P / np.maximum(whole[1], 1e-12), 1.0)  # rows said positive at each recall
    rows = np.stack([np.full(PLACES, P), taken, np.full(PLACES, P)])
    if groups is not None:
        stretch = t_quantile(level, G - 1) / normal_quantile(level) * np.sqrt(G / (G - 1))
        low, high = (whole + stretch * (end - whole) for end in (low, high))
        rows = _worth(whole, stretch * known.std(axis=0), rows, len(np.unique(unit[own])))
    roc, precision, gain = (_held(*part, level) for part in zip(whole, low, high, rows, strict=True))
    depth = np.maximum(_grid(), 1 / PLACES)
    return RankingCurves(Band(_grid(), *roc), Band(recall, *precision), Band(depth, *(part / depth for part in gain)))


def _grid() -> Vector:
    return np.linspace(0.0, 1.0, PLACES)


def _read(own: np.ndarray, w: Matrix, last: np.ndarray) -> Tensor:
    """Return TPR over FPR, precision over recall and TPR over depth at the places of the grid, (d, 3, places), for weights (d, n)."""
    tp = np.cumsum(np.where(own, w, 0.0), axis=1)[:, last]
    all_ = np.cumsum(w, axis=1)[:, last]
    fp = all_ - tp
    found = np.full((len(w), 3, PLACES), np.nan)
    x, deep = _grid(), np.maximum(_grid(), 1 / PLACES)
    sought = np.maximum(x, 1e-12) - 1e-12
    for d in np.flatnonzero((tp[:, -1] > 0) & (fp[:, -1] > 0)):
        tpr, fpr, depth = (np.concatenate([[0.0], part[d] / part[d, -1]]) for part in (tp, fp, all_))
        up = np.searchsorted(fpr, x, side="right") - 1  # the highest point at or before each place
        step = np.minimum(up + 1, len(fpr) - 1)
        width = fpr[step] - fpr[up]
        share = np.divide(x - fpr[up], width, out=np.zeros(PLACES), where=width > 0)
        found[d, 0] = tpr[up] + share * (tpr[step] - tpr[up])
        reached = np.minimum(np.searchsorted(tpr[1:], sought), len(last) - 1)
        found[d, 1] = tp[d, reached] / np.maximum(all_[d, reached], 1e-300)
        found[d, 2] = np.interp(deep, depth, tpr)
    return found


def _worth(value: Matrix, spread: Matrix, rows: Matrix, groups: int) -> Matrix:
    """Return how many independent rows have the spread that was seen of each share, (3, places); as there are groups where it is none."""
    alike = np.clip(value * (1 - value), 0.0, None)
    found = np.divide(alike, spread**2, out=np.full_like(value, float(groups)), where=(spread > 0) & (alike > 0))
    return np.minimum(found, rows)


def _held(value: Vector, low: Vector, high: Vector, n: Vector, level: float) -> tuple[Vector, Vector, Vector]:
    """Return a share with its band, which holds the share and the interval of a rate of so many rows."""
    ends = np.array(
        [rate_interval(float(np.clip(v, 0, 1)), max(float(m), 1.0), level) for v, m in zip(value, n, strict=True)]
    )
    return value, np.fmin(np.fmin(low, value), ends[:, 0]), np.fmax(np.fmax(high, value), ends[:, 1])
