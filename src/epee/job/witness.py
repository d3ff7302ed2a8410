"""Who watches a contest: hears of each line of the leaderboard as it is entered, and may end the contest early.

What is done by then is kept: the verdict is given on the predictors that were entered, and the others are named as stopped.

>>> class Loud(Witness):
...     def entered(self, entry):
...         print(entry.name)
>>> import epee
>>> with watched(Loud()):
...     learned = epee.learn(epee.samples.load("iris"), "species", predictors=["lda"])
baseline
linear discriminant
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epee.job.contest import Contest, Entry
    from epee.job.hierarchy import Candidate


class Stopped(Exception):
    """The work on one predictor was ended at the user's wish."""


class Witness:
    """Watches and says nothing; derive from it to listen.

    ``stop`` may be called at any time from the thread that learns, such as by the handler of a signal: it ends the work on the
    predictor at hand, and no other is begun. Where another thread sets ``stopping``, the predictor at hand is finished.
    """

    stopping = False
    _at_work = False

    def begins(self, contest: Contest, candidates: Sequence[Candidate]) -> None:
        """Hear which predictors will be tried, on which ground."""

    def entered(self, entry: Entry) -> None:
        """Hear of a new line."""

    def stop(self) -> None:
        """End the contest with what is done."""
        self.stopping = True
        if self._at_work:
            self._at_work = False
            raise Stopped

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Mark work that may be ended."""
        self._at_work = True
        try:
            yield
        finally:
            self._at_work = False


_watching: ContextVar[Witness | None] = ContextVar("who watches the contests of this context", default=None)


@contextmanager
def watched(witness: Witness) -> Iterator[Witness]:
    """Let someone watch the contests of a ``with`` block."""
    before = _watching.set(witness)
    try:
        yield witness
    finally:
        _watching.reset(before)


def present() -> Witness:
    """Return who watches now."""
    return _watching.get() or Witness()
