"""A warning for each thing that is wrong, not for each of a hundred fits that meet it.

A function that fits an estimator again and again is marked by :func:`each_once`: while it runs, in whatever thread, a sentence that was
said is not said again. The next call says it anew.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_said: ContextVar[set[tuple[str, type[Warning]]] | None] = ContextVar("said", default=None)


def is_new(sentence: str, category: type[Warning]) -> bool:
    """Tell whether a sentence is to be said: it was not yet, or nobody keeps count."""
    said = _said.get()
    if said is None:
        return True
    new = (sentence, category) not in said
    said.add((sentence, category))
    return new


def each_once(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function that fits many estimators say each of their sentences once.

    >>> @each_once
    ... def fit_often():
    ...     return [is_new("a column is constant.", UserWarning) for _ in range(3)]
    >>> fit_often(), fit_often()
    ([True, False, False], [True, False, False])
    """

    @wraps(function)
    def quieter(*args: P.args, **kwargs: P.kwargs) -> T:
        if _said.get() is not None:  # one of them within another
            return function(*args, **kwargs)
        token = _said.set(set())
        try:
            return function(*args, **kwargs)
        finally:
            _said.reset(token)

    return quieter
