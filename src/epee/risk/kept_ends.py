"""The ends of an interval at the levels that one asks for: what a file keeps of the way in which it was made.

An interval is made by a function of its level, from losses, units and bounds that no file holds. A file keeps what it gave at some levels;
at these whoever comes back has the same interval, and for any other is told to measure again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epee.errors import BadFile, WrongUse
from epee.risk.intervals import Interval
from epee.typing import Matrix

LEVELS = (0.5, 0.68, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.98, 0.99, 0.995, 0.999)


@dataclass(frozen=True, eq=False)
class KeptEnds:
    """Levels and the ends at each: the rows of ``table`` (L, 3)."""

    table: Matrix

    def __post_init__(self) -> None:
        """Refuse what no interval could have given, as a file edited by hand may hold."""
        if self.table.ndim != 2 or self.table.shape[1] != 3 or (self.table[:, 1] > self.table[:, 2]).any():
            raise BadFile("an interval of this file has ends that are none.")

    @classmethod
    def of(cls, ends_at: Callable[[float], Interval], level: float) -> KeptEnds:
        """Return what a function of levels gives, at its own ``level`` among others.

        >>> kept = KeptEnds.of(lambda level: Interval(-level, level), 0.93)
        >>> kept(0.93), kept(0.9)
        (Interval(low=-0.93, high=0.93), Interval(low=-0.9, high=0.9))
        """
        if isinstance(ends_at, KeptEnds):
            return ends_at
        return cls(np.array([(one, *ends_at(one)) for one in sorted({*LEVELS, level})], dtype=np.float64))

    @classmethod
    def alone(cls, ends: Interval, level: float) -> KeptEnds:
        """Return the ends at one level."""
        return cls(np.array([(level, *ends)], dtype=np.float64))

    def __call__(self, level: float) -> Interval:
        """Return the ends at a level that was kept."""
        for known, low, high in self.table.tolist():
            if abs(known - level) < 1e-9:
                return Interval(low, high)
        levels = ", ".join(f"{known:g}" for known in self.table[:, 0].tolist())
        raise WrongUse(
            f"this figure comes from a file, which keeps its interval at level {levels}, and not at {level:g}: take one of these, or "
            "measure it again."
        )
