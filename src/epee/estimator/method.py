"""What the registry says of a method, and how the main job tries it.

Everything here is plain and light: a class is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from epee.settings import options

# a predictor is a classifier or a regressor as what it is made of is
Kind = Literal["classifier", "regressor", "predictor", "transformer", "clusterer", "density"]


@dataclass(frozen=True)
class Setting:
    """What the choice of predictors needs to know of a table: training rows n, encoded columns p, classes, spread of the target."""

    task: str
    n: int
    p: int
    n_classes: int = 0
    smallest_class: int = 0
    n_targets: int = 1
    scale: float = 1.0  # standard deviation of the target
    weighted: bool = False
    holes: bool = False
    costs: Any = None  # checked table of costs, or None
    seed: int = 0
    least: int = 0  # rows of the smallest sample that is learned from; 0 is half of them
    loss: str = ""  # name of the loss that judges
    levels: tuple[tuple[int, int], ...] = ()  # where the encoded columns of each category begin and end
    alone: bool = True  # rows stand alone: there are no groups of them, and no time
    skewed: bool = False  # the target is positive, and its logarithm much less skewed than it is
    codes: tuple[
        int, ...
    ] = ()  # columns of rows at hand that tell all levels of a rich category apart, behind those of levels


Grid = Callable[[Setting], Sequence[Any]]


def _reads_some_times(s: Setting) -> float:
    return 20.0 * s.n * s.p


def _always(s: Setting) -> bool:
    return True


def _never(s: Setting) -> bool:
    return False


def _defaults(s: Setting) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Trial:
    """How the main job tries a method.

    ``before`` names the steps in front of it, ``given(setting)`` the parameters of its constructor; ``grid(setting)`` are the values
    of ``parameter`` to try, from the simplest to the most complex; ``closed`` marks closed forms; ``cost(setting)`` are the cells
    that a run reads; ``suits(setting)`` whether the table is one for it. ``words`` and ``order`` are those of the method unless given.
    ``of_others`` marks what is made of the other candidates, once they have run. ``at_last(setting)`` are parameters of the chosen
    predictor of all rows that ten folds could not afford, such as more trees: they only steady what it says. ``out_of_bag(setting)``
    tells whether one fit of all rows says of each what it would have said without it. ``settled(fitted)`` are parameters that a fit on
    a sample of a large table finds, to be held in all folds: such as a width, of which a tenth of the rows more or less says nothing new.
    """

    key: str
    parameter: str | None = None
    grid: Grid | None = None
    closed: bool = False
    before: tuple[str, ...] = ()
    given: Callable[[Setting], dict[str, Any]] = _defaults
    cost: Callable[[Setting], float] = _reads_some_times
    suits: Callable[[Setting], bool] = _always
    words: tuple[str, str] | None = None
    order: int | None = None
    aliases: tuple[str, ...] = ()
    of_others: bool = False
    at_last: Callable[[Setting], dict[str, Any]] = _defaults
    out_of_bag: Callable[[Setting], bool] = _never
    settled: Callable[[Any], dict[str, Any]] | None = None


@dataclass(frozen=True)
class Method:
    """One method: its class and where it lives, what it is called and where it is explained, how simple it is, how it is tried."""

    name: str
    module: str
    kind: Kind
    section: str
    words: tuple[str, str]  # English, French
    order: int = 50  # of simplicity: families from the baseline (0) up; within one the degrees of freedom decide
    trials: tuple[Trial, ...] = ()
    random: bool = False  # random starts and stochastic descents: weight two and the row twice draw different numbers
    arguments: dict[str, Any] = field(default_factory=dict)  # of the constructor, where the contract tests need some
    inner: str | tuple[str, ...] = ""  # what a wrapper wraps there, one or several
    listed: dict[str, str] = field(default_factory=dict)  # scikit-learn's checks that do not pass, each with the reason
    otherwise: dict[str, Any] = field(
        default_factory=dict
    )  # arguments with which the listed checks pass, where there are any

    def load(self) -> type:
        """Return the class."""
        loaded: type = getattr(import_module(f"epee.{self.module}"), self.name)
        return loaded

    def example(self, **changes: Any) -> Any:
        """Return an estimator as the contract tests take it."""
        from epee.estimator.registry import method

        if isinstance(self.inner, tuple):
            inner: dict[str, Any] = {"estimators": [method(name).example() for name in self.inner]}
        else:
            inner = {"estimator": method(self.inner).example()} if self.inner else {}
        return self.load()(**inner, **{**self.arguments, **changes})

    @property
    def title(self) -> str:
        """What it is called in the language of the moment."""
        return in_language(self.words)


def in_language(words: tuple[str, str]) -> str:
    """Return the English or the French of a pair.

    >>> in_language(("decision tree", "arbre de décision"))
    'decision tree'
    """
    return words[options.language == "fr"]


def spread(low: float, high: float, number: int) -> list[float]:
    """Return values from high to low, evenly in logarithm: for penalties, from the simplest to the most complex.

    >>> spread(0.01, 1.0, 3)
    [1.0, 0.1, 0.01]
    """
    step = (low / high) ** (1 / (number - 1))
    return [float(f"{high * step**i:.3g}") for i in range(number)]


def neighbour_counts(s: Setting) -> list[int]:
    """Return numbers of neighbours, most first, that the smallest training sample can give."""
    most = max(1, min(s.n // 4, s.least or s.n // 2, 101))
    return sorted({k for k in (1, 3, 5, 9, 15, 25, 45, 75, 101) if k <= most}, reverse=True)


def quantile_of(s: Setting) -> float | None:
    """Return which quantile the loss asks for, 1/2 for absolute errors; None where it asks for none.

    >>> quantile_of(Setting("regression", 9, 1, loss="quantile0.9")), quantile_of(Setting("regression", 9, 1, loss="squared"))
    (0.9, None)
    """
    if s.loss == "absolute":
        return 0.5
    return float(s.loss.removeprefix("quantile")) if s.loss.startswith("quantile") else None


def has_room_for_products(s: Setting) -> bool:
    """Tell whether all products of two inputs are few beside the rows."""
    return 2 <= s.p <= 20 and s.n > 5 * s.p * (s.p + 3) / 2


def compares_all_rows(s: Setting) -> float:
    """Return the cells read by an exact search for neighbours in all folds."""
    return 0.9 * s.n * s.n * s.p
