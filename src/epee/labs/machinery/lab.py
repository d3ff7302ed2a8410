"""A lab is a description: a question, controls, a computation, pictures, a formula, three exercises, lines to take away.

Nothing here knows a browser. The marimo page, the static page, the Jupyter notebook and the tests read the same
description, so that a new lab is one file of :mod:`epee.labs.sessions` and one line of :mod:`epee.labs.catalogue`.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from epee.errors import EpeeWarning
from epee.labs.machinery.exercises import Exercise
from epee.labs.machinery.words import tell
from epee.settings import options
from epee.words.catalogue import Words

State = dict[str, Any]
Results = SimpleNamespace

_ONE_AT_A_TIME = threading.RLock()  # filters of warnings are global, and several browsers may ask at once


@dataclass(frozen=True)
class Slider:
    """A number among ``values``."""

    name: str
    label: Words
    values: Sequence[float]
    start: float


@dataclass(frozen=True)
class Choice:
    """One of several; ``options`` may depend on the other controls, then ``start`` is the first of them."""

    name: str
    label: Words
    options: dict[Any, Words] | Callable[[State], dict[Any, Words]]
    start: Any = None

    def offered(self, state: State) -> dict[Any, Words]:
        """Return the options."""
        return self.options(state) if callable(self.options) else self.options


@dataclass(frozen=True)
class Upload:
    """A file that the student brings: (name, bytes), or None; never more than ``limit`` bytes."""

    name: str
    label: Words
    limit: int
    endings: tuple[str, ...]


Control = Slider | Choice | Upload


@dataclass(frozen=True)
class Lab:
    """What a lab is made of.

    Parameters
    ----------
    id : str
        In the address and the file name.
    title, question : Words
    story : Words
        What is simulated and what to look at, in a few sentences; Markdown.
    controls : sequence of Slider, Choice, Upload
    compute : function of the state to the results
        The results carry all that the texts and pictures need; ``results.state`` is added here.
    draw : function of (results, lang) to a list of figures
    formula : function of the results to Words
        Markdown with the live numbers in it.
    answer : function of the results to Words
        The sentence that answers the question, for these settings.
    exercises : three exercises
    code : function of the state to Python lines that run by themselves, in the language that the state names
    own : (name, function of the results), or None
        The lab's own number: what the variable of that name holds after the lines to take away were run.
    waits : bool
        Compute only when a button is pressed: for a lab that takes seconds.
    extra : function of (results, lang) to HTML, or None
        What a lab shows beside pictures.
    """

    id: str
    title: Words
    question: Words
    story: Words
    controls: Sequence[Control]
    compute: Callable[[State], Results]
    draw: Callable[[Results, str], list[Any]]
    formula: Callable[[Results], Words]
    answer: Callable[[Results], Words]
    exercises: Sequence[Exercise]
    code: Callable[[State], str]
    own: tuple[str, Callable[[Results], float]] | None = None
    waits: bool = False
    extra: Callable[[Results, str], str] | None = None

    def start(self, **changes: Any) -> State:
        """Return the first state, with changes."""
        state: State = {}
        for control in self.controls:
            state[control.name] = None if isinstance(control, Upload) else control.start
        for control in self.controls:
            if isinstance(control, Choice) and callable(control.options):
                state[control.name] = next(iter(control.offered(state | changes)), None)
        return state | changes

    def run(self, state: State) -> Results:
        """Return the results of a state."""
        with _ONE_AT_A_TIME, one_thread(not self.waits), warnings.catch_warnings():
            warnings.simplefilter("ignore", EpeeWarning)  # constant pixels and small samples are what a lab is about
            results = self.compute(state)
        results.state = dict(state)
        return results

    def pictures(self, results: Results, lang: str) -> list[Any]:
        """Return the figures in one language."""
        with _ONE_AT_A_TIME, options(language=lang):
            return self.draw(results, lang)

    def script(self, state: State, lang: str) -> str:
        """Return the lines to take away, their comments and prints in one language."""
        return self.code(state | {"lang": lang})

    def say(self, part: str, results: Results, lang: str) -> str:
        """Return one of the texts, in one language and with its decimal mark."""
        return tell(getattr(self, part), results, lang)


@contextmanager
def one_thread(wanted: bool) -> Iterator[None]:
    """Keep BLAS to one thread: for the small matrices of a lab, threads only wait for each other."""
    if not wanted:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def spread(low: float, high: float, step: float) -> list[float]:
    """Return the values of a slider from ``low`` to ``high``, whole where the step is whole.

    >>> spread(0, 1, 0.5), spread(1, 3, 1)
    ([0.0, 0.5, 1.0], [1, 2, 3])
    """
    number = round((high - low) / step)
    if all(float(v).is_integer() for v in (low, step)):
        return [int(low + i * step) for i in range(number + 1)]
    return [round(low + i * step, 10) for i in range(number + 1)]
