"""What is found when somebody first asks for it, and what of it travels: the answer, never the table that it was found in.

A result keeps its table, its models and the road between them as long as it stays where it was made, since most of what it could tell is
never asked. Who writes it down by :mod:`pickle`, sends it to another process or makes a deep copy gets the answers alone, which are found
then: the losses of the rows, their mean in halves of the folds, the candidates inside each fold. That takes as long as to ask for them, and
needs no copy of the model, which may be made of functions that no file can hold. Only answers about very many rows that pass by are not
looked for: they stay behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from epee.errors import WrongUse

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class WhenAsked(Generic[T]):
    """An answer that ``find`` gives when it is first asked for; it travels unless it ``stays``.

    >>> import pickle
    >>> asked = WhenAsked(lambda: 2.0 * 3.0)
    >>> asked(), pickle.loads(pickle.dumps(asked))
    (6.0, Told(answer=6.0))
    """

    find: Callable[[], T]
    stays: bool = False

    def __call__(self) -> T:
        """Return the answer."""
        return self._answer

    @cached_property
    def _answer(self) -> T:
        return self.find()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the answer."""
        return (LeftBehind, ()) if self.stays else (Told, (self._answer,))


@dataclass(frozen=True, eq=False)
class Told(Generic[T]):
    """An answer that is known."""

    answer: T

    def __call__(self) -> T:
        """Return the answer."""
        return self.answer


@dataclass(frozen=True, eq=False)
class LeftBehind:
    """Stands for an answer about very many rows, in a result that came back from a file."""

    def __call__(self) -> Any:
        """Say where the answer is."""
        raise WrongUse(
            "the losses, predictions and folds of rows that passed by stay with the result that was made of them; this one is a copy "
            "of it. Ask the first one, before it is written down."
        )
