r"""The risk of a boosted predictor after every number of rounds, from one fit.

The first :math:`t` rounds of a fit are the fit of :math:`t` rounds, so one walk through the trees gives the loss
:math:`e_{it}` of every row after every round. The rounds that are worth having are counted by the paired rule: the fewest with

.. math:: \bar e_t - \bar e_{t^*} \le \mathrm{se}(e_{it} - e_{it^*}), \tag{1}

within one standard error *of the difference* to the best :math:`t^*`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.risk.estimate import Risk
from epee.risk.intervals import Interval
from epee.risk.mean_loss import mean_loss
from epee.risk.units import per_row, taken_as, units_of, unsaid
from epee.typing import Matrix, Vector


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
    weights: str = ""  # what they were taken as
    caution: str = ""  # asks what they are

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
        how = f"held-out rows, {rounds} rounds{self.weights}"
        return Risk(
            float(self.risk[i]), float(self.stderr[i]), Interval(float(low), float(high)), self.level, self.n, self.loss, how, self.n - 1,
            caution=self.caution,
        )  # fmt: skip


def stages_of(losses: Any, rounds: int, w: Vector | None, loss: str, level: float) -> Stages:
    """Return the risks from ``losses()``, which yields the loss of every row (n,) after each round; it is asked twice."""
    told = taken_as(w), unsaid(w)
    w = per_row(w)[0]
    found = [mean_loss(e, w, loss=loss, level=level) for e in losses()]
    means, ends = np.array([(m.value, m.stderr) for m in found]), np.array([m.interval for m in found])  # (T, 2)
    best = int(np.argmin(means[:, 0]))
    at_best = next(e for t, e in enumerate(losses()) if t == best)
    excess, n = [], 0.0
    for e in losses():
        value, stderr, n = units_of(e - at_best, w).told()
        excess.append((value, stderr))
    above = np.array(excess)
    return Stages(
        np.arange(1, rounds + 1), means[:, 0], means[:, 1], above[:, 0], above[:, 1], ends, n, loss, level, *told
    )
