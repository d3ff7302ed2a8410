r"""What the rows say that a tree has not seen.

A tree on rows drawn with replacement leaves about :math:`1/e` of them out. Each row is judged by the trees that left it out,

.. math:: \hat f^{(-i)}(x_i) = \frac{1}{|T_i|} \sum_{t \in T_i} v_{\ell_t(x_i)}, \qquad T_i = \{t : i \text{ not in tree } t\}; \tag{1}

the mean of the losses estimates the risk without setting rows aside. A row of count :math:`w` is :math:`w` rows: each tree speaks for the
share of them that it has not seen, :math:`(1 - 1/w)^k` of a row that it drew :math:`k` times, and :math:`|T_i|` is the sum of these.

Two things would spoil the interval. Few trees judge a row: with :math:`v_i` the variance of the trees at row i, a forest of :math:`T`
trees has a squared error smaller by

.. math:: v_i \left( \frac{1}{|T_i|} - \frac1T \right), \tag{2}

which is taken off. And rows share their trees, so the mean of the losses varies more about the risk than the losses say: in simulations
(two classes and numbers, 100 to 1,000 rows) by a factor of 1.06 to 1.28 of the naive standard error. Errors here are ``SHARED`` times that.

A copy of a row that a tree has seen tells it of the other. Where chance does not explain copies (:mod:`epee.risk.copies`), trees judge
a row for the risk only if they left out all of them, and one row stands for its copies.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from epee.engines.local import in_order
from epee.losses.names import resolve
from epee.predictors.ensembles.forest_growth import Draw
from epee.predictors.ensembles.forest_structure import Forest
from epee.risk.estimate import Risk
from epee.risk.intervals import Interval, t_interval, wilson, within_range
from epee.risk.units import taken_as, units_of, unsaid
from epee.typing import Matrix, Vector

SHARED = 1.25
AT_ONCE = 100_000  # rows times trees that all rows walk down, those that a tree has seen, too


def out_of_bag(forest: Forest, X: Matrix, draw: Draw) -> tuple[Matrix, Vector, Vector]:
    """Return (1) for each row (n, K), NaN where no tree left it out, how many trees judged it (n,), and (2) for the first output (n,)."""
    total, judged = np.zeros((len(X), forest.value.shape[1])), np.zeros(len(X))
    squares, pairs, T = np.zeros(len(X)), np.zeros(len(X)), len(forest)
    walked = forest.leaves(X) if T * len(X) <= AT_ONCE else None  # calls cost more there than steps

    def work(t: int) -> tuple[np.ndarray, Vector, Matrix]:
        left = draw.left_out(t)
        rows = np.flatnonzero(left > 0)
        leaf = forest.leaves(X[rows], slice(t, t + 1))[:, 0] if walked is None else walked[rows, t]
        return rows, left[rows], forest.value[leaf]

    for rows, left, said in in_order(work, range(len(forest))):
        total[rows] += left[:, None] * said
        judged[rows] += left
        squares[rows] += left * said[:, 0] ** 2
        pairs[rows] += left**2
    with np.errstate(invalid="ignore", divide="ignore"):
        few = pairs / judged**2  # 1 / |T_i| of rows that count once
        spread = (squares - total[:, 0] ** 2 / judged) / (judged * (1 - few))
        fewer = np.where(few < 1, np.maximum(spread, 0.0) * (few - 1 / T), 0.0)
        return total / judged[:, None], judged, fewer


def oob_risk(
    losses: Vector, judged: np.ndarray, w: Vector | None, loss: str, rows: str | None, level: float = 0.95
) -> Risk:
    """Return the risk from the losses of the rows that some tree left out."""
    value, stderr, n = units_of(losses[judged], None if w is None else w[judged]).told()
    value, stderr = max(value, 0.0), SHARED * stderr  # what few trees add to the losses may be more than they are
    if loss == "zero_one":
        stderr = SHARED * float(np.sqrt(value * (1 - value) / n))
    ends_at = partial(_ends, value, stderr, n, loss)
    all_judged = bool(judged.all())
    return Risk(
        value, stderr, ends_at(level), level, n, loss, f"rows out of the bag{taken_as(w)}", n - 1, ends_at=ends_at,
        row_losses=losses if all_judged else None, weight=w if all_judged else None, rows=rows if all_judged else None, caution=unsaid(w),
    )  # fmt: skip


def _ends(value: float, stderr: float, n: float, loss: str, level: float) -> Interval:
    ends = wilson(value, n / SHARED**2, level) if loss == "zero_one" else t_interval(value, stderr, n - 1, level)
    return within_range(ends, loss)


def losses_of(said: np.ndarray, truth: np.ndarray, classes: Any) -> tuple[Vector, str]:
    """Return the loss of each row by the loss of the kind: zero_one for labels, squared for values; and its name."""
    chosen = resolve(None, "regressor" if classes is None else "classifier")
    return chosen.value(said, truth), chosen.name
