r"""A risk and how sure one can be of it.

The expected prediction error :math:`R(h) = E\, e(h(X), Y)` is never known; a :class:`Risk` is an estimate of it with its
standard error, an interval, and the way it was found. Two risks on the same rows are *paired*: their difference is the
mean of the differences row by row, whose error bar is much smaller than that of two independent figures. The interval of a paired
difference knows the skewness of the differences, or that they are errors of one or of the other; that of two independent risks is made of
their own intervals, and p < 0.05 where the one of 95 % leaves 0 out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from epee.errors import WrongUse
from epee.lazy import Shown, drawn
from epee.losses.names import named
from epee.risk.intervals import (
    Interval,
    check_level,
    interval_of_difference,
    normal_p_value,
    normal_quantile,
    t_interval,
    t_p_value,
    within_range,
)
from epee.risk.kept_ends import KeptEnds
from epee.risk.mean_loss import mean_loss
from epee.risk.skewed import skewed_interval
from epee.risk.units import Units, units_of
from epee.stateful import Part
from epee.typing import Vector
from epee.words.numbers import amount, gap, interval, p_value, plus_minus
from epee.words.risk_words import say

ROUNDING = 1e-9  # relative: by how much an estimate may lie outside its interval before that is a fault


@dataclass(frozen=True, eq=False, repr=False)
class Risk(Shown, Part):
    """An estimate of a risk with its error bar.

    Parameters
    ----------
    value, stderr : float
        The estimate and its standard error.
    interval : Interval
        ``interval.low`` and ``interval.high``; also ``risk.low`` and ``risk.high``.
    level : float
        What the interval claims to cover.
    n : float
        Rows it rests on: the sum of their weights.
    loss : str
        Name of the loss.
    how : str
        How it was found, in words.
    dof : float
        Degrees of freedom of the t interval.
    row_losses, weight, rows : arrays and str, optional
        The losses behind it, how many rows each is worth and which rows they belong to: what a paired difference needs.
    caution : str
        Why the interval cannot be trusted, in words; empty when it can.
    kin : str
        The part of it about rows that belong together, which holds for differences, too.
    ends_at : function of a level
        Makes the interval of another level in the same way, for :meth:`at`; None takes Student's.
    in_units : function of figures (n,)
        Turns figures of the rows into independent units, for differences; None where each row is one.

    Examples
    --------
    >>> print(Risk(0.081, 0.006, Interval(0.0699, 0.0938), n=2000, loss="zero_one", how="held-out rows"))
    0.081 ± 0.006 [0.070, 0.094]
    """

    state_version: ClassVar[int] = 2

    value: float
    stderr: float
    interval: Interval
    level: float = 0.95
    n: float = float("nan")
    loss: str = ""
    how: str = ""
    dof: float = float("inf")
    _: KW_ONLY
    row_losses: Vector | None = None
    weight: Vector | None = None
    rows: str | None = None  # fingerprint of the rows: equal for paired risks
    caution: str = ""  # why the interval cannot be trusted, in words
    kin: str = ""  # why the rows are not independent, in words; empty when nothing shows it
    ends_at: Callable[[float], Interval] | None = None  # the interval at another level
    in_units: Callable[[Vector], Units] | None = None  # of figures of these rows, where groups or time bind them

    def __post_init__(self) -> None:
        """Let no interval stand that does not hold its estimate; what rounding alone parts is brought together."""
        low, high = self.interval
        if not low <= self.value <= high and not math.isnan(low + self.value + high):
            slack = ROUNDING * max(abs(low), abs(self.value), abs(high))
            if max(low - self.value, self.value - high, low - high) > slack:
                raise WrongUse(
                    f"the interval [{low:.6g}, {high:.6g}] does not hold its own estimate {self.value:.6g} ({self.how or self.loss}): "
                    "the digits were lost on the way. Rescale the columns, or leave out those that depend on others."
                )
            object.__setattr__(self, "interval", Interval(min(low, self.value), max(high, self.value)))

    def to_state(self) -> dict[str, Any]:
        """Return what it is made of but functions: of the ends at other levels those that are asked for.

        Without its units a figure of groups, or in time, is paired with no other: ``rows`` stay behind.
        """
        state = {name: value for name, value in super().to_state().items() if not callable(value)}
        state["ends"] = None if self.ends_at is None else KeptEnds.of(self.ends_at, self.level).table
        return state if self.in_units is None else state | {"rows": None}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the risk that :meth:`to_state` described.

        Its first version kept no ends: it knows other levels where its own interval is Student's.
        """
        made, kept = super().from_state(state), state.get("ends")
        if kept is None and state["version"] < 2 and not made._is_students:
            kept = KeptEnds.alone(made.interval, made.level).table
        object.__setattr__(made, "ends_at", None if kept is None else KeptEnds(kept))
        return made

    @property
    def _is_students(self) -> bool:
        """Whether the interval is that of Student's law."""
        ends = t_interval(self.value, self.stderr, self.dof, self.level)
        return all(abs(a - b) <= 1e-9 * max(abs(b), self.stderr) for a, b in zip(self.interval, ends, strict=True))

    def check_state(self) -> None:
        """Name the ends again, which a file holds as a pair, and hold them to the same rule."""
        object.__setattr__(self, "interval", Interval(*self.interval))
        self.__post_init__()

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.interval.low

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.interval.high

    @property
    def has_bar(self) -> bool:
        """Whether there is an error bar: one row, or losses that are all equal, tell none, which ``caution`` says."""
        return self.stderr > 0 or self.low < self.high or not self.caution

    @property
    def losses(self) -> Vector | None:
        """The loss of every row, (n,), where it was kept."""
        return self.row_losses

    def within(self, ends: Interval) -> Interval:
        """Return the part of an interval where the figure can lie."""
        return within_range(ends, self.loss)

    def at(self, level: float) -> Risk:
        """Return the same estimate with an interval of another level, made the same way."""
        check_level(level)
        ends = t_interval(self.value, self.stderr, self.dof, level) if self.ends_at is None else self.ends_at(level)
        return replace(self, interval=ends, level=level)

    def __sub__(self, other: Any) -> Difference:
        """Return the difference: paired when both risks are of the same rows, independent otherwise."""
        if not isinstance(other, Risk):
            return NotImplemented
        a, b = self.losses, other.losses
        if self.rows is not None and self.rows == other.rows and a is not None and b is not None and a.shape == b.shape:
            return self._paired(a - b)
        value, ends_at = self.value - other.value, partial(_apart, self, other)
        low, high = ends_at(0.95)
        reach = value - low if value > 0 else high - value  # as far as 0 may lie
        p = normal_p_value(normal_quantile(0.95) * value / reach) if reach > 0 else float(value == 0)
        caution = " ".join(dict.fromkeys(part for part in (self.caution, other.caution) if part))
        return Difference(
            value, math.hypot(self.stderr, other.stderr), ends_at(self.level), self.level, self.n + other.n, self.loss,
            "independent samples", caution=caution, ends_at=ends_at, p_value=p,
        )  # fmt: skip

    def _paired(self, d: Vector) -> Difference:
        """Return the mean of differences of losses, row by row: as that of two rates, or by its own skewness."""
        units, how = units_of(d, self.weight) if self.in_units is None else self.in_units(d), "paired, row by row"
        (sd, skewness), (free, dof) = units.spread(), units.independent()
        n, told = min(free, units.effective), self.kin if self.in_units is None else self.caution
        stderr = sd / math.sqrt(free) if free > 1 else float("nan")
        if self.is_rate and bool(np.isin(d, (-1.0, 0.0, 1.0)).all()):
            from epee.risk.paired_tests import paired_rates  # which is made of differences

            a, b = (float(np.average(side * d > 0, weights=self.weight)) for side in (1, -1))
            alike = a + b - (a - b) ** 2  # variance of one row
            worth = n if self.in_units is None or not alike * stderr > 0 else min(alike / stderr**2, units.rows)
            found = replace(paired_rates(worth * a, worth * b, worth, self.level, how), loss=self.loss)
            return replace(found, kin=self.kin, caution=told)
        ends_at = partial(skewed_interval, units.mean, sd, skewness, free, dof)
        caution = told or (mean_loss(np.abs(d), self.weight).sentence if sd > 0 else say("caution flat"))
        found = difference(units.mean, stderr, dof, self.level, n, self.loss, how)
        return replace(found, interval=ends_at(self.level), ends_at=ends_at, kin=self.kin, caution=caution)

    def __float__(self) -> float:
        """Return the estimate alone."""
        return float(self.value)

    def __str__(self) -> str:
        """Return ``0.081 ± 0.006 [0.070, 0.094]``; the estimate alone where there is no error bar."""
        if not self.has_bar:
            return plus_minus(self.value, None)
        bar = self.stderr if math.isfinite(self.stderr) else None
        sure = math.isfinite(self.low) and math.isfinite(self.high)
        return plus_minus(self.value, bar) + (f" {interval(self.low, self.high, bar)}" if sure else "")

    @property
    def is_rate(self) -> bool:
        """Whether the figure is a share of rows."""
        return named(self.loss).is_rate

    def shown(self) -> str:
        """Return the figures as a card shows them: ``8.1 ± 0.6 % [7.0, 9.4] %`` for a rate; the estimate alone where there is no bar."""
        if not self.has_bar:
            return amount(self.value, percent=self.is_rate)
        bar = self.stderr if math.isfinite(self.stderr) else None
        first = plus_minus(self.value, bar, percent=self.is_rate)
        return f"{first} {interval(self.low, self.high, bar, percent=self.is_rate)}"

    def __format__(self, spec: str) -> str:
        """Format the estimate alone when a number's format is given."""
        return format(self.value, spec) if spec else str(self)

    def __repr__(self) -> str:
        """Return the figures with their origin."""
        words = ", ".join(w for w in (self.loss, self.how, f"{self.level:.0%}", self.caution) if w)
        return f"{type(self).__name__}({self}; {words})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and words, for JSON."""
        names = ("value", "stderr", "low", "high", "level", "n", "loss", "how", *(("caution",) if self.caution else ()))
        return {name: getattr(self, name) for name in names}

    plot = drawn("risk.plot_risk", "Draw the estimate and its interval; returns the axes.")


def _apart(a: Risk, b: Risk, level: float) -> Interval:
    """Return the interval of the difference of two risks of independent rows, each of which makes its own."""
    return interval_of_difference(a.value, a.at(level).interval, b.value, b.at(level).interval)


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Risk):
    """The difference of two risks, with the p-value of the hypothesis that there is none."""

    _: KW_ONLY
    p_value: float = float("nan")

    def shown(self) -> str:
        """Return the difference and its error bar: in points for rates."""
        return gap(self.value, self.stderr, rate=self.is_rate)

    def __repr__(self) -> str:
        """Return the figures with the p-value."""
        return f"Difference({self}, p {p_value(self.p_value)}; {self.how})"


def difference(value: float, stderr: float, dof: float, level: float, n: float, loss: str, how: str) -> Difference:
    """Return a difference with its t interval and two-sided p-value."""
    if stderr > 0:
        t = value / stderr
        p = t_p_value(t, dof) if np.isfinite(dof) else normal_p_value(t)
    else:
        p = 1.0 if value == 0 else 0.0
    return Difference(value, stderr, t_interval(value, stderr, dof, level), level, n, loss, how, dof, p_value=p)


@dataclass(frozen=True, eq=False, repr=False)
class Score(Risk):
    """A figure of merit, larger is better, with its error bar and what its picture needs."""

    _: KW_ONLY
    curve: Any = None
    most: float = 1.0  # of the figure
    least: float = 0.0

    def within(self, ends: Interval) -> Interval:
        """Return the part of an interval where the figure can lie."""
        return Interval(max(ends.low, self.least), min(ends.high, self.most))

    plot = drawn(
        "risk.plot_score", "Draw the curve behind the figure where there is one, else the interval; returns the axes."
    )
