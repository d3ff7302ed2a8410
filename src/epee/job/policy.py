"""How much of a table is kept at hand. The only thing in which a small table and a large one differ.

A table of at most ``cells`` is read once and held; a larger one passes by in blocks, and what needs rows looks at a seeded
sample of it. Pictures, findings and the choice of a parameter look at no more than ``looked`` rows of any table. All of it follows from
the number of rows and columns, never from where they come from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epee.typing import Codes


@dataclass(frozen=True)
class Policy:
    """What is kept of a table: ``cells`` (rows times columns) that are held, rows that are ``looked`` at, and of the sealed ones."""

    cells: int = 20_000_000
    looked: int = 40_000
    looked_sealed: int = 10_000

    def holds(self, rows: int, columns: int) -> bool:
        """Tell whether a table is read into memory."""
        return rows * columns <= self.cells

    def sample(self, rows: Codes, most: int, seed: int) -> Codes:
        """Return some of the rows, in order: all of them, or as many as may be looked at, drawn at random.

        >>> len(Policy().sample(np.arange(10), 4, seed=0)), len(Policy().sample(np.arange(3), 4, seed=0))
        (4, 3)
        """
        if len(rows) <= most:
            return rows
        return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


POLICY = Policy()
