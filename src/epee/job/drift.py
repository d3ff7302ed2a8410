r"""Drift: do new rows look like those that were learned from?

Of the training rows a few figures are kept: the mean and the spread of every number, the share of missing cells, the share
of every level. New rows are compared with them: a mean :math:`\bar x'` of :math:`n'` rows has drifted when it lies further
from :math:`\bar x` than chance explains and than matters,

.. math:: |\bar x' - \bar x| > 4\, s \sqrt{1/n + 1/n'} \quad\text{and}\quad |\bar x' - \bar x| > s / 4. \tag{1}

However few the new rows are, levels never seen and numbers outside the range of the training rows are said: a predictor answers there too,
and nobody has tested it there. In many rows some lie a little outside by chance: of :math:`n` numbers learned from, the range holds a share
:math:`1 - \pi` of all others with :math:`\pi \sim \mathrm{Beta}(2, n - 1)`. More than one in a hundred, and more than this law explains, or
one as far outside as the range is wide, is worth a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special

from epee.table.encoding import missing_of
from epee.table.raw import RawBlock
from epee.table.schema import Schema
from epee.words.job_words import say
from epee.words.numbers import figures, percent, whole

FEW = 20  # rows of which no mean is compared
RARE = 1e-4  # as rare as (1) is


class Tally:
    """Counts of the cells of some rows, column by column; adds block by block."""

    def __init__(self, schema: Schema, then: Mapping[str, Any] | None = None) -> None:
        self.schema, self.n = schema, 0
        self.known = {name: own["range"] for name, own in (then or {}).get("columns", {}).items() if "range" in own}
        # cells there, their sum, their sum of squares about ``about``
        self.sums = {c.name: np.zeros(3) for c in schema}
        self.about: dict[str, float] = {}
        self.ranges: dict[str, tuple[float, float]] = {}
        self.outside: dict[str, int] = {}
        self.levels: dict[str, Counter[str]] = {c.name: Counter() for c in schema if c.kind == "category"}

    def add(self, raw: RawBlock) -> None:
        """Count the rows of a block."""
        import pyarrow.compute as pc

        self.n += len(raw)
        for c in self.schema:
            column = raw.columns[c.name]
            there = len(raw) - float(missing_of(raw, c).sum())
            if isinstance(column, np.ndarray):
                values = column[np.isfinite(column)].astype(np.float64)
                self._stretch(c.name, values)
                origin = self.about.setdefault(c.name, float(values[0]) if len(values) else 0.0)
                values = values - origin
                self.sums[c.name] += (there, values.sum(), (values**2).sum())
                continue
            self.sums[c.name][0] += there
            if c.name in self.levels:
                texts, counts = (part.to_pylist() for part in pc.value_counts(column.drop_null()).flatten())
                self.levels[c.name].update(dict(zip(texts, counts, strict=True)))

    def _stretch(self, name: str, values: np.ndarray) -> None:
        """Note the range of some values, and how many lie outside that of the training rows."""
        if not len(values):
            return
        low, high = self.ranges.get(name, (np.inf, -np.inf))
        self.ranges[name] = min(low, float(values.min())), max(high, float(values.max()))
        if name in self.known:
            first, last = self.known[name]
            self.outside[name] = self.outside.get(name, 0) + int(((values < first) | (values > last)).sum())

    def figures(self) -> dict[str, Any]:
        """Return plain data: rows, and for each column its missing share, mean and spread, or shares of levels."""
        columns: dict[str, Any] = {}
        for c in self.schema:
            there, total, squares = self.sums[c.name]
            own: dict[str, Any] = {"missing": 1.0 - there / max(self.n, 1)}
            if c.name in self.levels:
                top = sorted(self.levels[c.name].items(), key=lambda item: (-item[1], item[0]))[:50]
                own["shares"] = {text: k / max(self.n, 1) for text, k in top}
            elif c.kind != "text" and there > 0:
                mean = total / there
                own["mean"] = self.about[c.name] + mean
                own["sd"] = float(np.sqrt(max(squares / there - mean**2, 0.0)))
                if c.name in self.ranges:
                    own["range"] = list(self.ranges[c.name])
            columns[c.name] = own
        return {"rows": self.n, "columns": columns}


def tally(schema: Schema, raw: RawBlock) -> dict[str, Any]:
    """Return the figures of some rows."""
    counts = Tally(schema)
    counts.add(raw)
    return counts.figures()


def drifts(then: Mapping[str, Any], now: Tally) -> list[str]:
    """Return one sentence for each column whose new rows are not like the training rows."""
    out: list[str] = []
    if not then or not now.n:
        return out
    chance = np.sqrt(1 / then["rows"] + 1 / now.n)
    current = now.figures()["columns"]
    for name, old in then["columns"].items():
        new = current.get(name)
        if new is None:
            continue
        moved = _missing(old, new, chance) or _mean(old, new, chance) if now.n >= FEW else ""
        what = moved or _strange(old, now, name) or (_shares(old, new, chance) if now.n >= FEW else "")
        what = what or _outside(old, now, name, then["rows"])
        if what:
            out.append(say("drift", name=name, what=what) if now.n >= FEW else say("strange", name=name, what=what))
    return out


def _missing(old: Mapping[str, Any], new: Mapping[str, Any], chance: float) -> str:
    share = (old["missing"] + new["missing"]) / 2
    gap = new["missing"] - old["missing"]
    if abs(gap) > 0.05 and abs(gap) > 4 * np.sqrt(share * (1 - share)) * chance:
        return say("drift_missing", now=percent(new["missing"]), then=percent(old["missing"]))
    return ""


def _mean(old: Mapping[str, Any], new: Mapping[str, Any], chance: float) -> str:
    if "mean" not in old or "mean" not in new:
        return ""
    gap, sd = abs(new["mean"] - old["mean"]), old["sd"]
    if gap > 4 * sd * chance and gap > sd / 4:
        return say("drift_mean", now=figures(new["mean"]), then=figures(old["mean"]), sd=figures(sd))
    return ""


def _strange(old: Mapping[str, Any], now: Tally, name: str) -> str:
    """Say that levels were never seen: any in few rows, one in a hundred in many."""
    if "shares" not in old or name not in now.levels:
        return ""
    known = {level for c in now.schema if c.name == name for level in c.levels or ()}
    strange = {text: k for text, k in now.levels[name].items() if text not in known}
    share = sum(strange.values()) / now.n
    if share <= 0.01:
        return ""
    return say("drift_levels", share=percent(share), example=repr(max(strange, key=lambda t: strange[t])))


def _shares(old: Mapping[str, Any], new: Mapping[str, Any], chance: float) -> str:
    for level, then in old.get("shares", {}).items():
        here = new.get("shares", {}).get(level, 0.0)
        middle = (then + here) / 2
        if abs(here - then) > 0.1 and abs(here - then) > 4 * np.sqrt(middle * (1 - middle)) * chance:
            return say("drift_shares", level=repr(level), now=percent(here), then=percent(then))
    return ""


def _outside(old: Mapping[str, Any], now: Tally, name: str, rows: int) -> str:
    """Say that numbers lie outside the range that was learned from in so many rows."""
    if "range" not in old or not now.outside.get(name):
        return ""
    (low, high), (least, most) = old["range"], now.ranges[name]
    far = max(low - least, most - high)
    k, m = now.outside[name], int(now.sums[name][0])
    many = k > 0.01 * now.n and (now.n < FEW or by_chance(k, m, rows) < RARE)
    if not many and far <= high - low:
        return ""
    example = least if low - least > most - high else most
    return say("drift_range", k=whole(k), example=figures(example), low=figures(low), high=figures(high))


def by_chance(k: int, m: int, n: int) -> float:
    """Return how often ``k`` or more of ``m`` new numbers lie outside the range of ``n`` others of the same law.

    >>> round(by_chance(1, 1, 99), 3), round(by_chance(4, 240, 193), 2)         # two of a hundred places; four are nothing strange
    (0.02, 0.26)
    """
    j = np.arange(min(k, m + 1))
    ways = special.gammaln(m + 1) - special.gammaln(j + 1) - special.gammaln(m - j + 1)
    fewer = np.exp(ways + special.betaln(j + 2, m - j + max(n - 1, 1)) - special.betaln(2, max(n - 1, 1))).sum()
    return float(np.clip(1 - fewer, 0.0, 1.0))
