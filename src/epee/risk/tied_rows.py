r"""The error bar of leave-one-out where rows err together: many share their inputs, or much is learned from few.

A classifier decides alike for all rows of one cell of inputs. Near its boundary a cell goes to whatever class its own rows favour, by
little, and to leave out one of them hardly ever turns the decision: the left-out losses of a cell err together, which the spread of
single losses does not show. So it is with neighbours, where a row votes for all rows near it. Halves of the table share no row. With
:math:`e_1, e_2` the left-out error rates of two halves of :math:`n / 2` rows, and their binomial variances,

.. math:: \frac{\overline{(e_1 - e_2)^2}}{4} \Big/ \frac{\overline{e (1 - e)}}{n} \tag{1}

is how many times the variance of a rate of left-out rows is that of a rate of independent ones; as it is itself uncertain, the bar is
longer by Student's law. Only a rate asks for it: a squared loss changes smoothly with the predictor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epee.risk.copies import repeats
from epee.risk.intervals import normal_quantile, t_quantile
from epee.table.fingerprints import row_hashes
from epee.typing import Codes, Matrix, Vector

HALVINGS = 40
FREEDOM = 20.0  # degrees of freedom that (1) is worth: it varies by a third from sample to sample
DISTINCT = 0.75  # of the rows: with more cells than that, hardly any row shares its own
MUCH = 0.1  # degrees of freedom a row, from which on rows err together
MOST_ROWS = 2_000  # that are then halved


def share_inputs(X: Matrix, n: float) -> bool:
    """Tell whether ``n`` rows lie in far fewer cells of inputs.

    >>> share_inputs(np.array([[0.0], [1.0], [0.0]]), 3), share_inputs(np.array([[0.0], [1.0]]), 2)
    (True, False)
    """
    return len(X) - repeats(row_hashes(X)) < DISTINCT * n


def learns_much(dof: float, n: float) -> bool:
    """Tell whether a predictor of these degrees of freedom learns much from ``n`` rows, and these are few enough to be learned from again.

    >>> learns_much(12.0, 60.0), learns_much(3.0, 60.0), learns_much(float("nan"), 60.0)
    (True, False, False)
    """
    return n <= MOST_ROWS and dof > MUCH * n


def cells_of(X: Matrix, y: Vector, counts: Vector) -> tuple[Codes, Vector]:
    """Return a row of each cell of inputs and target, and how many rows are in it: in an order that is no matter of that of the rows.

    >>> [found.tolist() for found in cells_of(np.array([[1.0], [1.0]]), np.zeros(2), np.array([2.0, 3.0]))]
    [[0], [5.0]]
    """
    _, first, cell = np.unique(row_hashes(np.column_stack([X, y])), return_index=True, return_inverse=True)
    return first, np.bincount(cell.reshape(-1), counts).astype(np.float64)


def spread_of_halves(left_out: Callable[[Codes, Vector], Vector], counts: Vector) -> float:
    """Return (1) from a function that gives the left-out losses of some cells with counts; 1 where no half can be learned from.

    >>> e = np.random.default_rng(0).random(400) < 0.3
    >>> bool(0.4 < spread_of_halves(lambda cells, counts: e[cells] * 1.0, np.ones(400)) < 2)      # independent losses
    True
    """
    rng, many = np.random.default_rng(0), counts.astype(np.int64)
    n, gaps, alone = int(many.sum()), [], []
    for _ in range(HALVINGS):
        half = rng.multivariate_hypergeometric(many, n // 2)
        rates = []
        for part in (half, many - half):
            cells = np.flatnonzero(part)
            weight = part[cells].astype(np.float64)
            try:
                rates.append(float(np.average(left_out(cells, weight), weights=weight)))
            except ValueError:  # a class is not in this half
                break
        if len(rates) == 2:
            gaps.append((rates[0] - rates[1]) ** 2 / 4)
            alone.append(sum(e * (1 - e) for e in rates) / 2 / n)
    return float(np.mean(gaps) / np.mean(alone)) if gaps and np.mean(alone) > 0 else 1.0


def longer(ratio: float) -> float:
    """Return how many times longer the error bar is when the variance is ``ratio`` times as large, as far as (1) knows.

    >>> round(longer(1.7), 2), round(longer(0.8), 2)
    (1.39, 1.06)
    """
    return float(np.sqrt(max(ratio, 1.0))) * t_quantile(0.95, FREEDOM) / normal_quantile(0.95)
