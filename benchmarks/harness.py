r"""Our time against theirs, measured alternately in one process.

How to write a benchmark
------------------------
Put ``benchmarks/<room>/bench_<thing>.py``; it needs one function, ``problems()``, that yields :class:`Problem` objects::

    from benchmarks.harness import Problem, gram, memory_copy
    from benchmarks.problems import gaussian_classes

    def problems():
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs
        from epee import LinearDiscriminantAnalysis as Ours

        yield Problem(
            "LDA fit, 200,000 x 100, 10 classes",           # unique in the file; sizes belong in the name
            data=lambda: gaussian_classes(200_000, 100, 10),  # called only when the problem runs, outside the clock
            ours=lambda X, y: Ours().fit(X, y),               # a fresh object inside the timed call; gets *data
            rivals={
                "scikit-learn svd": lambda X, y: Theirs().fit(X, y),
                "scikit-learn lsqr": lambda X, y: Theirs(solver="lsqr").fit(X, y),
            },
            limits={"one X.T @ X": lambda X, y: gram(X), "memory copy": lambda X, y: memory_copy(X)},
            claim={"scikit-learn svd": 20, "scikit-learn lsqr": 5, "one X.T @ X": 1.3},
            same=lambda ours, theirs: abs(ours.coef_ - theirs.coef_).max() < 1e-6,
            quick=True,                                       # also part of ``make bench-quick``: a few seconds, please
        )

``data`` returns a tuple (a lone object is wrapped), and every function is called with its items. To time ``predict`` let
``data`` return fitted models. ``claim`` names what the project promises: for a rival *at least* that many times faster,
for a limit *at most* that many times slower, and for the keys ``"seconds"``, ``"extra MB"`` (memory above what was
there before the call) and ``"process MB"`` (peak of a fresh process, interpreter and data included) *at most* that
figure. "Two threads against one" is a rival named ``"one thread"``. ``same(ours, theirs)`` gets the two results and says
whether they agree: a speed without the same answer is worth nothing. A function that measures itself, for
instance in a child process, returns :class:`Seconds`. A rival that is not installed is shown as absent. ``budget`` is how many seconds
the rounds may take where a rival is slow (at least one is made), and ``fresh=False`` leaves out the process in which nothing is compiled.

Run ``python -m benchmarks [words of names] [--quick] [--repeat N]``; ``make bench`` and ``make bench-quick`` run all.

What is measured
----------------
Everyone is called once, which gives the first-call time, then in rounds: in each round everyone in turn, in an order
that rotates. The ratio of a rival is the median over rounds of (their time / our time in that round), with its
quartiles, so what slows the machine for a while slows both. Calls under 2 ms are repeated within one reading. Before
each reading there is a short rest: the idle threads of one player's BLAS still spin, and would be charged to the next.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.memory import extra_memory

SHORTEST = 0.002  # seconds: a shorter reading is mostly clock and scheduler
REST = 0.25  # seconds between readings: idle threads of BLAS, OpenMP and TBB spin that long, and would slow the next in turn


class Seconds(float):
    """A time that the called function measured itself; taken in place of the clock around the call."""


@dataclass(frozen=True)
class Problem:
    """One question about speed; the module docstring says what each field means."""

    name: str
    ours: Callable[..., Any]
    rivals: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    limits: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    data: Callable[[], Any] = tuple
    claim: Mapping[str, float] = field(default_factory=dict)
    same: Callable[[Any, Any], bool] | None = None
    quick: bool = False
    budget: float = math.inf
    fresh: bool = True

    def __post_init__(self) -> None:
        known = {*self.rivals, *self.limits, "seconds", "extra MB", "process MB"}
        if unknown := set(self.claim) - known:
            raise ValueError(f"{self.name}: the claim {sorted(unknown)} names none of {sorted(known)}.")
        if both := set(self.rivals) & set(self.limits):
            raise ValueError(f"{self.name}: {sorted(both)} cannot be a rival and a limit.")


@dataclass(frozen=True)
class Against:
    """Somebody else's time: the ratio is theirs over ours for a rival, ours over theirs for a limit."""

    seconds: float
    ratio: float
    low: float  # first quartile of the ratios of the rounds
    high: float  # third quartile
    same: bool | None = None


@dataclass(frozen=True)
class Measurement:
    """What one comparison found; times in seconds, memory in bytes."""

    seconds: float
    low: float
    high: float
    rounds: int
    first: float
    extra: int | None
    rivals: dict[str, Against]
    limits: dict[str, Against]
    absent: dict[str, str]


@contextmanager
def _standing_aside() -> Iterator[None]:
    """Let the collections before readings look only at what the players leave, not at all that was there before."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@_standing_aside()
def compare(
    ours: Callable[..., Any],
    rivals: Mapping[str, Callable[..., Any]] | None = None,
    limits: Mapping[str, Callable[..., Any]] | None = None,
    *,
    data: tuple[Any, ...] = (),
    repeat: int = 5,
    budget: float = math.inf,
    same: Callable[[Any, Any], bool] | None = None,
) -> Measurement:
    """Time ``ours`` and the others alternately on ``data``; stop after ``repeat`` rounds or ``budget`` seconds.

    >>> found = compare(lambda: sum(range(10)), {"the same": lambda: sum(range(10))}, repeat=3)
    >>> found.rounds, list(found.rivals)
    (3, ['the same'])
    """
    rivals, limits = dict(rivals or {}), dict(limits or {})
    start = time.perf_counter()
    first, mine = _reading(ours, data, 1)
    players: dict[str | None, Callable[..., Any]] = {None: ours}  # None is us: no rival can bear that name
    agrees: dict[str, bool] = {}
    absent: dict[str, str] = {}
    once: dict[str | None, float] = {None: first}
    for name, fn in {**rivals, **limits}.items():
        try:
            seconds, theirs = _reading(fn, data, 1)
        except ImportError as error:
            absent[name] = f"not installed: {error.name}"
            continue
        players[name], once[name] = fn, seconds
        if same is not None and name in rivals:
            agrees[name] = bool(same(mine, theirs))
        del theirs
    del mine
    extra = extra_memory(lambda: ours(*data))
    inner = {name: _inner_calls(fn, data) if once[name] < 1.0 else 1 for name, fn in players.items()}

    times: dict[str | None, list[float]] = {name: [] for name in players}
    order = list(players)
    for _ in range(repeat):
        for name in order:
            time.sleep(REST)
            times[name].append(_reading(players[name], data, inner[name])[0])
        order = order[1:] + order[:1]
        if time.perf_counter() - start > budget:
            break
    own = np.array(times[None])  # (rounds,)
    low, middle, high = np.quantile(own, [0.25, 0.5, 0.75])

    def against(name: str, ratios: np.ndarray) -> Against:
        q1, ratio, q3 = np.quantile(ratios, [0.25, 0.5, 0.75])
        return Against(float(np.median(times[name])), float(ratio), float(q1), float(q3), agrees.get(name))

    return Measurement(
        seconds=float(middle),
        low=float(low),
        high=float(high),
        rounds=len(own),
        first=first,
        extra=extra,
        rivals={name: against(name, np.array(times[name]) / own) for name in rivals if name in players},
        limits={name: against(name, own / np.array(times[name])) for name in limits if name in players},
        absent=absent,
    )


def gram(X: np.ndarray) -> np.ndarray:
    """Return ``X.T @ X`` by BLAS: the arithmetic that every method with a full scatter must do."""
    return X.T @ X


_buffers: dict[tuple[tuple[int, ...], np.dtype[Any]], np.ndarray] = {}


def memory_copy(X: np.ndarray) -> None:
    """Copy ``X`` into memory that is already mapped: what reading the data once costs at the very least."""
    key = (X.shape, X.dtype)
    if key not in _buffers:
        _buffers.clear()
        _buffers[key] = np.zeros_like(X)
    np.copyto(_buffers[key], X)


def _reading(fn: Callable[..., Any], data: tuple[Any, ...], calls: int) -> tuple[float, Any]:
    """Return the seconds of one call, as the mean of ``calls`` of them, and the last result."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(calls):
            result = fn(*data)
        seconds = (time.perf_counter() - start) / calls
    finally:
        if enabled:
            gc.enable()
    return (float(result) if isinstance(result, Seconds) else seconds), result


def _inner_calls(fn: Callable[..., Any], data: tuple[Any, ...]) -> int:
    """Return how many calls make a reading long enough for the clock."""
    seconds, result = _reading(fn, data, 1)
    return 1 if isinstance(result, Seconds) else max(1, math.ceil(SHORTEST / max(seconds, 1e-8)))
