r"""Several logistic regressions of nearly the same rows: one sample leads, and the others begin where it ended.

The folds of a cross-validation share most of their rows, so their minima lie near each other and their Hessians are nearly equal. The
longest sample is solved first, penalty by penalty from the strongest, each from the minimum before. Its Hessian :math:`H` there is the
first matrix of every other search,

.. math:: W \leftarrow W - (\text{pairs around } H^{-1}) \nabla R_s(W),

with the gradient of the sample's own rows: a handful of passes, each nearly Newton's step, and no Hessian of its own. What
leads decides the speed and never the answer; where it misleads, the search makes a matrix of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from epee.engines.deadline import check_time
from epee.losses.entropy import CrossEntropy
from epee.optimize.linear_descent import POLISHED, Metric, make_metric, minimise
from epee.optimize.linear_risk import LinearRisk
from epee.predictors.linear.logistic_side import Rows
from epee.table.arrays import ArraySource
from epee.typing import Matrix

WORTH = 40  # unknowns a follower up to which the Hessian of all rows of the leader saves more passes than it costs
NEAR = 2.0  # times that a penalty is stronger or weaker, and still leads


class Beginning(NamedTuple):
    """Where a search begins: weights (d, M), the steps that have led there, and a Hessian of nearly the same risk."""

    W: Matrix | None = None
    steps: int = 0
    metric: Metric | None = None


def beginnings(samples: Sequence[Rows], strengths: Sequence[float], bias: bool) -> list[Beginning]:
    """Return where the search of each sample begins, at its penalty of the mean loss: near the minimum of the longest sample.

    Wherever is best, where a sample has classes or a penalty of its own, and where a few passes over many rows are all that a search takes.

    >>> X, t = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> [start.W.round(4).tolist() for start in beginnings([(X[1:], t[1:], None), (X, t, None)], [0.3, 0.25], True)]
    [[[0.4529], [-0.6793]], [[0.4529], [-0.6793]]]
    """
    X, codes, w = max(samples, key=lambda rows: len(rows[0]))
    K, d = int(codes.max()) + 1, X.shape[1] + bias
    M = 1 if K == 2 else K
    alike = all(len(np.unique(t)) == K for t in {id(t): t for _, t, _ in samples}.values())
    if not alike or len(samples) == 1 or len(X) * M * d > POLISHED or d > len(X):
        return [Beginning()] * len(samples)
    leads = sorted({s for s, rows in zip(strengths, samples, strict=True) if rows[1] is codes}, reverse=True)
    source, followers = ArraySource(X, None, w, None, codes), len(samples) / len(leads) - 1
    found: list[Beginning] = []
    for strength in leads:
        check_time()
        l2 = np.full(d, strength)
        if bias:
            l2[-1] = 0.0
        risk = LinearRisk(source, CrossEntropy(), M, bias, l2, np.zeros(d))
        end = minimise(risk, found[-1].W if found else None)
        metric = Metric(risk, end.W) if M * d <= WORTH * followers else make_metric(risk, end.W, rough=False)
        found.append(Beginning(end.W, end.iterations, metric))

    def start(rows: Rows, strength: float) -> Beginning:
        apart = np.abs(np.log(leads) - np.log(strength))
        if apart.min() > np.log(NEAR):
            return Beginning()
        near = found[int(apart.argmin())]
        return near if rows[1] is codes else near._replace(steps=0)

    return [start(*one) for one in zip(samples, strengths, strict=True)]
