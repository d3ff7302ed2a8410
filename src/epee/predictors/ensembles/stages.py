r"""The risk of a boosted predictor after every number of rounds, from one fit.

The first :math:`t` rounds of a fit are the fit of :math:`t` rounds, so one walk through the trees gives the loss
:math:`e_{it}` of every row after every round. The rounds that are worth having are counted by the paired rule: the fewest with

.. math:: \bar e_t - \bar e_{t^*} \le \mathrm{se}(e_{it} - e_{it^*}), \tag{1}

within one standard error *of the difference* to the best :math:`t^*`. What the best leaves over tells whether rows belong together
(:mod:`epee.risk.watching`): the error bars are then longer, and ``caution`` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.risk.dependence import Dependence
from epee.risk.estimate import Risk
from epee.risk.intervals import Interval, within_range
from epee.risk.mean_loss import mean_loss
from epee.risk.units import per_row, taken_as, units_of, unsaid
from epee.risk.watching import doubt, sentence
from epee.typing import Codes, Matrix, Vector


@dataclass(frozen=True, eq=False)
class Stages:
    """Risks along the rounds.

    Attributes
    ----------
    values : array (T,)
        Numbers of rounds, 1 to T.
    risk, stderr : arrays (T,)
        Mean loss on the rows given, and its standard error.
    excess, excess_stderr : arrays (T,)
        Mean difference to the best, row by row, and its standard error.
    caution : str
        Why intervals cannot be trusted, in words: the shape of the losses of the best, rows that belong together. Empty when they can.
    """

    values: np.ndarray
    risk: Vector
    stderr: Vector
    excess: Vector
    excess_stderr: Vector
    ends: Matrix  # (T, 2) of the interval at ``level``
    n: float
    loss: str
    level: float
    how: str = "held-out rows"
    weights: str = ""  # what they were taken as
    caution: str = ""

    @property
    def best(self) -> int:
        """The number of rounds with the smallest risk."""
        return int(self.values[np.argmin(self.risk)])

    @property
    def chosen(self) -> int:
        """The fewest rounds that cannot be told from the best, by (1)."""
        return int(self.values[np.argmax(self.excess <= self.excess_stderr)])

    def __len__(self) -> int:
        return len(self.values)

    def at(self, rounds: int) -> Risk:
        """Return the risk after a number of rounds, with its interval."""
        i = int(np.flatnonzero(self.values == rounds)[0])
        low, high = self.ends[i]
        how = f"{self.how}, {rounds} rounds{self.weights}"
        return Risk(
            float(self.risk[i]), float(self.stderr[i]), Interval(float(low), float(high)), self.level, self.n, self.loss, how, self.n - 1,
            caution=self.caution,
        )  # fmt: skip


def stages_of(
    losses: Any, rounds: int, w: Vector | None, loss: str, level: float, groups: Codes | None = None, order: Codes | None = None,
    look: Callable[[int], Dependence | None] = lambda best: None,
) -> Stages:  # fmt: skip
    """Return the risks from ``losses()``, which yields the loss of every row (n,) after each round; it is asked twice.

    ``groups`` (n,) bind rows, or they follow each other in the ``order`` (n,) of time; ``look`` tells of the best number of rounds, from 0,
    in which way rows or groups belong together that nobody told.
    """
    rows, asked, taken = slice(None) if order is None else order, unsaid(w), taken_as(w)
    w = per_row(w)[0]
    bound: dict[str, Any] = {"groups": groups, "in_order": order is not None}
    found = [mean_loss(e[rows], None if w is None else w[rows], loss=loss, level=level, **bound) for e in losses()]
    means, ends = np.array([(m.value, m.stderr) for m in found]), np.array([m.interval for m in found])  # (T, 2)
    best = int(np.argmin(means[:, 0]))
    at_best = next(e for t, e in enumerate(losses()) if t == best)
    excess, n = [], 0.0
    for e in losses():
        value, stderr, n = units_of(e - at_best, w).told()
        if groups is not None or order is not None:
            units = units_of((e - at_best)[rows], None if w is None else w[rows], **bound)
            stderr = units.spread()[0] / np.sqrt(units.independent()[0])
        excess.append((value, stderr))
    above = np.array(excess)
    kin = look(best)
    longer = 1.0 if kin is None else float(np.sqrt(kin.effect))
    centre = means[:, :1]
    ends = np.array([within_range(Interval(*pair), loss) for pair in centre + longer * (ends - centre)])
    how = "held-out rows"
    if groups is not None:
        how = f"held-out rows, error bar from {len(np.unique(groups))} groups"
    elif order is not None:
        how = "held-out rows, error bar for rows in time"
    how += doubt(kin)
    return Stages(
        np.arange(1, rounds + 1), means[:, 0], longer * means[:, 1], above[:, 0], longer * above[:, 1], ends, n, loss, level, how, taken,
        " ".join(filter(None, [asked, sentence(kin), found[best].sentence])),
    )  # fmt: skip
