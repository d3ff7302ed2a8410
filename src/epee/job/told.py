"""Which rows belong together, as was told: by groups or copies, or in time. Every error bar of a run asks here.

Groups, copies and times are known of all rows; of a table that passes by, only some rows are at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.job import policy
from epee.job.ground import Ground
from epee.risk.mean_loss import MeanLoss, mean_loss
from epee.risk.splitting import group_codes
from epee.risk.units import Units, units_of
from epee.typing import Codes, Vector


@dataclass(frozen=True, eq=False)
class Told:
    """The group and the time (n,) of some rows, None where nothing was told; copies are groups."""

    groups: np.ndarray | None = None
    time: Vector | None = None

    @property
    def beside(self) -> dict[str, Any]:
        """What figures of these rows are given beside them: an error bar counts groups, or else knows time."""
        return {"groups": self.groups, "time": self.time if self.groups is None else None}

    @property
    def alone(self) -> bool:
        """Whether every row stands alone."""
        return self.groups is None and self.time is None

    def of(self, rows: Any) -> Told:
        """Return what was told of some of the rows."""
        return Told(*(None if part is None else part[rows] for part in (self.groups, self.time)))

    def mean(self, losses: Vector, weight: Vector | None, loss: str, level: float = 0.95) -> MeanLoss:
        """Return the mean of losses (n,) of these rows with its interval, and what there is to say of it."""
        ids = None if self.groups is None else group_codes(self.groups, len(losses))
        in_order = self.time is not None and ids is None
        order: Any = np.argsort(self.time, kind="stable") if in_order else slice(None)  # type: ignore[arg-type]
        w = None if weight is None else weight[order]
        return mean_loss(losses[order], w, loss=loss, level=level, groups=ids, in_order=in_order)

    def members(self, own: np.ndarray) -> int:
        """Return how many of the rows are ``own`` (n,), or how many groups these come from."""
        return int(own.sum()) if self.groups is None else len(np.unique(self.groups[own]))

    def units(self, values: Vector, weight: Vector | None = None) -> Units:
        """Return the independent units behind a mean of values (n,) of these rows.

        >>> Told(np.array(["a", "a", "b"])).units(np.array([1.0, 2.0, 3.0])).n, Told().units(np.array([1.0, 2.0, 3.0])).n
        (2.0, 3.0)
        """
        ids = None if self.groups is None else group_codes(self.groups, len(values))
        if self.time is None or ids is not None:
            return units_of(values, weight, groups=ids)
        order = np.argsort(self.time, kind="stable")
        return units_of(values[order], None if weight is None else weight[order], in_order=True)


def told_of_sealed(ground: Ground) -> Told:
    """Return what was told of the sealed rows at hand."""
    cells = ground.cells
    found = Told(cells.sealed_copies if cells.sealed_groups is None else cells.sealed_groups, cells.sealed_time)
    return found.of(_at_hand(ground, cells.sealed, policy.POLICY.looked_sealed))


def told_of_training(ground: Ground) -> Told:
    """Return what was told of the training rows at hand."""
    cells = ground.cells
    found = Told(cells.copies if cells.groups is None else cells.groups, cells.time)
    return found.of(_at_hand(ground, cells.train, policy.POLICY.looked))


def _at_hand(ground: Ground, rows: Codes, most: int) -> Any:
    """Return the places, among some rows of the table, of those at hand: all, or the sample that was picked as they passed by."""
    if ground.hand.whole:
        return slice(None)
    return np.searchsorted(rows, np.sort(policy.POLICY.sample(rows, most, ground.setting.seed)))
