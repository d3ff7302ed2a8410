r"""The mean of a vector of losses and how sure one can be of it: the one place where the library makes such an interval.

Losses come with weights, groups or an order in time, which :mod:`epee.risk.units` turns into independent units. What the loss is decides
how the interval is made:

- a rate, or a table of costs: from the rates of its values (:mod:`epee.risk.rates`), on
  :math:`n^* = \frac{\sigma^2_0}{\mathrm{se}^2} (z / t)^2` rows, with :math:`\sigma^2_0 / n` the variance that independent rows would have;
- any other: Hall's interval for skewed losses (:mod:`epee.risk.skewed`).

An estimate that corrects the mean or its error bar (a nested cross-validation) gives its own ``centre`` and how many times longer the
bar is, ``stretch``; distances to the ends are multiplied by it. The interval always holds the value, and a ``caution`` says where it
cannot be trusted: "few" (fewer than 40 rows of an unbounded loss), "units" (many rows, but fewer than 20 independent ones),
"heavy" (a few losses make the spread, or their tail is so heavy that others, not seen, would; of squared losses where normal errors do
not explain it),
"bursts" (losses in time that come in long bursts), "flat" (a continuous loss without any spread), "one" (a single unit).

Losses that are all 0 are "flat", too: a tree that errs in one row of a hundred shows sixty of them half of the time, and nobody knows what
it pays in the others. What rounding leaves of a rule that fits numbers exactly has a spread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import DataError
from epee.losses.names import named
from epee.risk.intervals import Interval, check_level, normal_quantile, t_quantile, within_range
from epee.risk.rates import few_values_interval, rate_interval, values_of
from epee.risk.skewed import FEWEST, FEWEST_ROWS, as_of_normal_errors, skewed_interval, too_dominant, too_heavy
from epee.risk.units import Units, Weights, units_of
from epee.typing import Codes, Vector
from epee.words import risk_words
from epee.words.numbers import percent, whole


@dataclass(frozen=True)
class MeanLoss:
    """A mean of losses with its error bar.

    Attributes
    ----------
    value, stderr : float
    interval : Interval
        Always holds the value.
    n, dof : float
        Independent units it rests on, and the degrees of freedom of the error bar.
    caution : {"", "few", "units", "heavy", "bursts", "flat", "one"}
        Why the interval cannot be trusted; empty when it can.
    largest : float
        Share of the mean that the largest loss makes.
    """

    value: float
    stderr: float
    interval: Interval
    n: float
    dof: float
    caution: str = ""
    largest: float = 0.0

    @property
    def sentence(self) -> str:
        """The caution in words, in the language of ``epee.options``."""
        if not self.caution:
            return ""
        return risk_words.say(f"caution {self.caution}", n=whole(self.n), share=percent(self.largest, 0))


def mean_loss(
    losses: Vector, weight: Vector | None = None, *, loss: Any = "", level: float = 0.95, weights: Weights | None = None,
    groups: Codes | None = None, in_order: bool = False, centre: float | None = None, stretch: float = 1.0,
) -> MeanLoss:  # fmt: skip
    """Return the mean of losses with an interval that covers what it claims, or says that it does not.

    Parameters
    ----------
    losses : array (n,)
        Not negative; NaN for a row that was not tested.
    weight : array (n,), optional
        Counts or sampling weights; ``weights`` says which, None decides by whether all are whole numbers.
    loss : Loss or its name
        What the losses are: an error rate and a table of costs have intervals of their own.
    level : float in (0, 1), default=0.95
    groups : array (n,), optional
        Rows that belong together; the groups are taken as independent, the rows of one are not.
    in_order : bool, default=False
        The rows follow each other in time, and neighbours may resemble each other.
    centre, stretch : float
        The value and the length of the error bar, relative to that of the plain mean, where a better estimate knows them.

    >>> e = np.random.default_rng(0).normal(size=200) ** 2
    >>> found = mean_loss(e, level=0.9)
    >>> bool(found.interval.high - found.value > found.value - found.interval.low), found.caution
    (True, '')
    >>> [round(end, 3) for end in mean_loss(np.zeros(40), loss="zero_one").interval]
    [0.0, 0.088]
    """
    check_level(level)
    seen = np.isfinite(losses)
    if not seen.all():
        losses = losses[seen]
        weight, groups = None if weight is None else weight[seen], None if groups is None else groups[seen]
    units = units_of(losses, weight, weights=weights, groups=groups, in_order=in_order)
    if not units.n > 0:
        raise DataError("a mean of losses needs at least one row with a positive weight.")
    mean, (sd, skewness), (n, dof) = units.mean, units.spread(), units.independent()
    worth = min(n, units.effective)
    stderr = sd / np.sqrt(n) * stretch
    centre = mean if centre is None else centre
    values = values_of(loss)
    if values is not None and bool(np.isin(losses, np.append(values, 0.0)).all()):
        ends = _rated(losses, weight, values, units, n, dof, level, centre, stretch)
        binomial = np.sqrt(1 - 1 / units.n) if len(values) == 1 else 1.0  # a rate's variance is r (1 - r) / n
        return MeanLoss(centre, float(stderr * binomial), ends, n, dof, units.doubt)
    ends = within_range(_stretched(skewed_interval(mean, sd, skewness, n, dof, level), mean, centre, stretch), loss)
    top = float((units.sums / (units.copies @ units.sums)).max()) if mean > 0 else 0.0
    return MeanLoss(centre, float(stderr), ends, n, dof, _caution(sd, skewness, n, worth, units, loss), top)


def ends_of(of_rows: Callable[..., MeanLoss], level: float) -> Interval:
    """Return the interval at a level of a mean of which all else is given: :func:`mean_loss` of some rows."""
    return of_rows(level=level).interval


def _caution(sd: float, skewness: float, n: float, worth: float, units: Units, loss: Any) -> str:
    if n <= 1:
        return "one"
    if not sd > 0:
        return "flat"
    if units.rows < FEWEST_ROWS:
        return "few"
    if worth < FEWEST:
        return "units"
    heavy = too_dominant(skewness, n) or too_heavy(units.sums, units.copies)
    if heavy and not (named(loss).name == "squared" and as_of_normal_errors(units.sums, units.copies)):
        return "heavy"
    return "bursts" if units.in_bursts else ""


def _stretched(ends: Interval, mean: float, centre: float, stretch: float) -> Interval:
    """Return the interval about another centre, ``stretch`` times as long."""
    scale = centre / mean if mean > 0 else 1.0
    return Interval(centre - scale * stretch * (mean - ends.low), centre + scale * stretch * (ends.high - mean))


def _rated(
    losses: Vector, weight: Vector | None, values: Vector, units: Units, n: float, dof: float, level: float, centre: float, stretch: float
) -> Interval:  # fmt: skip
    """Return the interval of a loss of few values, on as many independent rows as have the same error bar."""
    share = np.array([np.average(losses == v, weights=weight) for v in values])
    mean = float(values @ share)
    alike = float(values**2 @ share) - mean**2  # variance of one row
    found = units.spread()[0] ** 2 * (1 - 1 / units.n) / n  # of the mean
    rows = n if not (alike > 0 and found > 0) else alike / found
    rows = min(rows, units.rows) / stretch**2
    if dof < units.rows - 1.5:  # the error bar itself is uncertain
        rows *= (normal_quantile(level) / t_quantile(level, max(dof, 1.0))) ** 2
    share = share * (centre / mean) if mean > 0 else share
    ends = few_values_interval(values, share / max(1.0, float(share.sum())), rows, level)
    return Interval(min(ends.low, centre), max(ends.high, centre))


def summary_interval(value: float, stderr: float, dof: float, n: float, loss: Any, level: float) -> Interval:
    """Return the interval of a mean of which only the error bar is known: of fold means, or of sums from a stream.

    A rate keeps an honest interval where no error, or hardly any, was seen: that of the rows that are worth as much as its error bar says,
    and of ``n`` rows when there is no spread. For all other losses it is Student's, within the bounds of the loss.

    >>> [round(end, 3) for end in summary_interval(0.0, 0.0, 9, 40, "zero_one", 0.95)]
    [0.0, 0.088]
    >>> [round(end, 3) for end in summary_interval(1.0, 0.5, 9, 40, "squared", 0.95)]
    [0.0, 2.131]
    """
    half = t_quantile(level, dof) * stderr if stderr > 0 else 0.0
    if not named(loss).is_rate:
        return within_range(Interval(value - half, value + half), loss)
    if not 0 < value < 1:
        return rate_interval(value, n, level)
    rows = value * (1 - value) / stderr**2 if stderr > 0 else n
    rows = min(rows, n) * (normal_quantile(level) / t_quantile(level, max(dof, 1.0))) ** 2
    return rate_interval(value, max(rows, 1.0), level)
