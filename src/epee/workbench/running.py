"""A run that is watched: each line of the board as it is entered, progress in words, and an end that keeps what is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from epee.job.card import plain
from epee.job.contest import Contest, Entry, interval_of
from epee.job.hierarchy import Candidate
from epee.job.witness import Witness

Tell = Callable[[str, Any], None]
BETWEEN = 0.2  # seconds from one word of progress to the next


class Reporter(Witness):
    """Tells a page what becomes of a contest, and keeps it for a closer look."""

    def __init__(self, tell: Tell) -> None:
        self.tell = tell
        self.contest: Contest | None = None
        self.entries: list[Entry] = []

    def begins(self, contest: Contest, candidates: Sequence[Candidate]) -> None:
        self.contest, setting = contest, contest.ground.setting
        wanted = [{"key": c.key, "name": c.name, "cost": c.cost(setting)} for c in candidates]
        self.tell("wanted", plain({"wanted": wanted, "loss": contest.ground.asked.loss.name}))

    def entered(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.tell("line", line_of(entry))


def line_of(entry: Entry) -> dict[str, Any]:
    """Return one line of the board as plain data, before there is a verdict."""
    return plain({
        "key": entry.candidate.key, "name": entry.name, "value": entry.risk.value, "stderr": entry.sure.stderr,
        "low": entry.sure.low, "high": entry.sure.high, "interval": interval_of(entry), "caution": entry.sure.caution,
        "order": list(entry.order), "loss": entry.risk.loss, "seconds": entry.seconds,
    })  # fmt: skip


class Throttled:
    """A listener of progress that tells at most some words a second, and always the first of a new task."""

    def __init__(self, tell: Tell) -> None:
        self.tell, self.last, self.words = tell, 0.0, ""

    def __call__(self, words: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self.last >= BETWEEN or words != self.words:
            self.last, self.words = now, words
            self.tell("progress", {"words": words, "done": done, "total": total})
