"""Exercises with a check: a number to find, an option to pick, a goal to reach with the controls.

Each check returns a verdict: right or wrong, with a word of explanation or a hint. The answers are functions of the results,
so that an exercise about "these settings" stays right when the settings move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from epee.labs.machinery.words import Telling, asked_number
from epee.words.catalogue import Words

RIGHT = Words("Right.", "Juste.")
NO_NUMBER = Words("Please type a number, such as 0.25.", "Écrire un nombre, par exemple 0.25.")
NO_CHOICE = Words("Pick one of the answers.", "Choisir une des réponses.")


class Verdict(NamedTuple):
    """Right or wrong, and what to say."""

    right: bool
    words: Words


@dataclass(frozen=True)
class Number:
    """A number to type; right within ``tolerance`` times its size, or within ``margin``."""

    prompt: Telling
    answer: Callable[[Any], float]
    hint: Telling
    why: Telling = RIGHT
    tolerance: float = 0.02
    margin: float = 0.0

    def check(self, answer: Any, results: Any) -> Verdict:
        """Judge what was typed."""
        value = asked_number(str(answer or ""))
        if value is None:
            return Verdict(False, NO_NUMBER)
        truth = float(self.answer(results))
        slack = max(self.tolerance * abs(truth), self.margin, 1e-12)
        return _verdict(self, abs(value - truth) <= slack * (1 + 1e-9), results)

    def right_answer(self, results: Any) -> str:
        """Return what a good student types."""
        return f"{float(self.answer(results)):.6g}"

    def wrong_answer(self, results: Any) -> str:
        """Return what a hasty one types."""
        truth = float(self.answer(results))
        return f"{truth + 3 * max(self.tolerance * abs(truth), self.margin, 0.1):.6g}"


@dataclass(frozen=True)
class Pick:
    """One option among several; ``answer`` is its key or a function of the results that gives it."""

    prompt: Telling
    options: dict[str, Words]
    answer: str | Callable[[Any], str]
    hint: Telling
    why: Telling = RIGHT

    def right_answer(self, results: Any) -> str:
        """Return the key of the right option."""
        return self.answer(results) if callable(self.answer) else self.answer

    def wrong_answer(self, results: Any) -> str:
        """Return the key of a wrong one."""
        truth = self.right_answer(results)
        return next(key for key in self.options if key != truth)

    def check(self, answer: Any, results: Any) -> Verdict:
        """Judge the key that was picked."""
        if answer not in self.options:
            return Verdict(False, NO_CHOICE)
        return _verdict(self, answer == self.right_answer(results), results)


@dataclass(frozen=True)
class Goal:
    """A state of the controls to reach; ``solution`` tells the changes that do it from the results of another state."""

    prompt: Telling
    reached: Callable[[Any], bool]
    hint: Telling
    solution: Callable[[Any], dict[str, Any]]
    why: Telling = RIGHT

    def check(self, answer: Any, results: Any) -> Verdict:
        """Judge the controls as they stand; ``answer`` is not used."""
        return _verdict(self, bool(self.reached(results)), results)


Exercise = Number | Pick | Goal


def _verdict(exercise: Exercise, right: bool, results: Any) -> Verdict:
    telling = exercise.why if right else exercise.hint
    return Verdict(right, telling if isinstance(telling, Words) else telling(results))
