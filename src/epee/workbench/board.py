"""The board of a run as the server sees it: lines as they come, how far it is, and about how long it still takes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from epee.job.budgets import seconds_of

SOONEST = 1.0  # seconds before anything is said of the time left
FLOOR = 2e6  # cells: what even the smallest predictor costs


@dataclass
class Board:
    """Lines of a run that goes on, or has ended."""

    budget: str | None = None
    begun: float = field(default_factory=time.monotonic)
    loss: str = ""
    wanted: list[dict[str, Any]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    words: str = ""
    done: int = 0
    total: int | None = None
    stopping: bool = False

    def hear(self, name: str, data: Any) -> None:
        """Take what the worker tells."""
        if name == "wanted":
            self.wanted, self.loss = data["wanted"], data["loss"]
        elif name == "line":
            self.lines = sorted([*self.lines, data], key=_rank)
        else:
            self.words, self.done, self.total = data["words"], data["done"], data["total"]

    @property
    def waiting(self) -> list[dict[str, Any]]:
        """The predictors that have no line yet."""
        entered = {line["key"] for line in self.lines}
        return [one for one in self.wanted if one["key"] not in entered]

    @property
    def share(self) -> float:
        """How much of the work is done, by what each predictor reads."""
        if not self.wanted:
            return 0.0
        whole = sum(_cost(one) for one in self.wanted)
        return 1.0 - sum(_cost(one) for one in self.waiting) / whole

    def left(self, now: float | None = None) -> float | None:
        """Return about how many seconds are left; None while nothing can be said.

        >>> board = Board(begun=0.0)
        >>> board.hear("wanted", {"wanted": [{"key": k, "name": k, "cost": 1e9} for k in "abcd"], "loss": "zero_one"})
        >>> board.hear("line", {"key": "a", "order": [0, 0]})
        >>> round(board.left(now=10.0))
        30
        """
        passed = (time.monotonic() if now is None else now) - self.begun
        if passed < SOONEST or not self.lines or not self.share:
            return None
        guess = passed * (1.0 - self.share) / self.share
        most = seconds_of(self.budget)
        return guess if most is None else min(guess, max(most - passed, 0.0))


def _cost(one: dict[str, Any]) -> float:
    return float(one["cost"] or 0.0) + FLOOR


def _rank(line: dict[str, Any]) -> tuple[float, ...]:
    return tuple(float("inf") if part is None else part for part in line["order"])
