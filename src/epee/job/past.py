"""What a predictor with lags keeps of the rows it was learned from, and how a new table gets its lags.

A new table seldom reaches back far enough. The predictor therefore keeps the last rows of each series, as many as its largest lag, as they
stood when it was learned, sealed rows among them. The rows of a new table are put in time behind these; where it holds the target, its
own values count. Beyond the last known value of a series a prediction takes the place of what is not known yet, step by step, which is
said: such rows are predicted worse than the error of the predictor tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.job.holding import columns_of, take
from epee.job.lags import Cells, lag_name, series_of, timeline
from epee.table.beside import beside
from epee.table.raw import RawBlock
from epee.table.schema import find_name, refuse_missing
from epee.table.source import TableSource
from epee.typing import Codes, Vector
from epee.words.job_words import say
from epee.words.numbers import listed, whole

MOST_STEPS = 5_000  # predicted one upon the other


@dataclass(eq=False)
class Past:
    """Which lags a predictor reads, and the last rows of each series.

    Parameters
    ----------
    time, series : str, str or None
        The columns that order the rows, and tell series apart.
    lags : dict
        ``{"y": [1, 7]}``.
    targets : tuple of str
        What is predicted, lagged or not.
    kinds : dict
        Of the columns that are read for the lags.
    moments, names : array (m,), list of str
        Times and series of the rows that are kept.
    cells : dict of Cells
        Their lagged columns.
    """

    time: str
    series: str | None
    lags: dict[str, list[int]]
    targets: tuple[str, ...]
    kinds: dict[str, str]
    moments: Vector = field(default_factory=lambda: np.empty(0))
    names: list[str] = field(default_factory=list)
    cells: dict[str, Cells] = field(default_factory=dict)

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """Columns and by how many rows they lag."""
        return [(name, k) for name, own in self.lags.items() for k in own]

    @property
    def columns(self) -> list[str]:
        """The inputs that are lags."""
        return [lag_name(name, k) for name, k in self.pairs]

    @property
    def types(self) -> dict[str, str]:
        """Kinds of the lags that are settled: those of the columns they come from; of texts it is seen how often they come back."""
        return {lag_name(name, k): self.kinds[name] for name, k in self.pairs if self.kinds[name] != "text"}

    def notes(self, uneven: bool) -> list[str]:
        """Say which lags there are, and what the error then is of."""
        parts = [
            say("lags_of" if len(own) > 1 else "lag_one", name=name, ks=", ".join(map(str, own)))
            for name, own in self.lags.items()
        ]
        out = [say("lags", parts=listed(parts, 6))]
        ahead = [own[0] for name, own in self.lags.items() if name in self.targets]
        if ahead:
            out.append(say("horizon", k=min(ahead), names=listed([n for n in self.targets if n in self.lags], 6)))
        return [*out, say("uneven", time=self.time)] if uneven else out

    def describe(self, columns: Sequence[dict[str, Any]]) -> None:
        """Say of the columns of a card which are lags."""
        notes = {lag_name(name, k): say("lag_of", name=name, k=k) for name, k in self.pairs}
        for column in columns:
            column["note"] = column["note"] or notes.get(column["name"], "")

    def to_state(self) -> dict[str, Any]:
        """Return plain values and arrays."""
        return {
            "time": self.time, "series": self.series, "lags": self.lags, "targets": list(self.targets), "kinds": dict(self.kinds),
            "moments": self.moments, "names": list(self.names),
            "cells": {name: [c.values, None if c.levels is None else list(c.levels)] for name, c in self.cells.items()},
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Past:
        """Return what :meth:`to_state` said."""
        cells = {
            str(name): Cells(np.asarray(values, dtype=np.float64), None if levels is None else tuple(map(str, levels)))
            for name, (values, levels) in state["cells"].items()
        }
        lags = {str(name): [int(k) for k in own] for name, own in state["lags"].items()}
        return cls(
            str(state["time"]), None if state["series"] is None else str(state["series"]), lags, tuple(map(str, state["targets"])),
            {str(name): str(kind) for name, kind in state["kinds"].items()}, np.asarray(state["moments"], dtype=np.float64),
            [str(name) for name in state["names"]], cells,
        )  # fmt: skip

    def open(self, batches: Any, predict: Callable[[RawBlock], Any], types: Mapping[str, str]) -> Any:
        """Return the batches of a new table with its lags; one that has columns of their names brings its own.

        ``predict`` answers a raw block with the inputs of the predictor, which are of the kinds ``types``.
        """
        there = list(batches.fields.names)
        if all(name in there for name in self.columns):
            return batches
        inputs = [name for name in types if name not in self.columns]
        wanted = [name for name in (self.time, self.series, *self.lags) if name and name not in self.targets]
        refuse_missing(list(dict.fromkeys([*inputs, *wanted])), there)
        read = list(dict.fromkeys([*wanted, *(name for name in self.lags if name in there)]))
        raw = columns_of(TableSource(batches, types={name: self.kinds[name] for name in read}, columns=read), read)
        filling = Filling(self, raw)
        kinds = {name: types[name] for name in inputs}
        filling.step(lambda: columns_of(TableSource(batches, types=kinds, columns=inputs), inputs), predict, types)
        out = beside(batches, filling.arrays())
        out.notes.extend(filling.notes())
        return out


def make_lags(
    source: TableSource, roles: Mapping[str, Sequence[str]], lags: Mapping[str, list[int]], notes: list[str]
) -> tuple[TableSource, Past]:  # fmt: skip
    """Return the table with its lags as columns, and what a predictor must keep to have them later."""
    there = list(source.batches.fields.names)
    for name in lags:
        find_name(name, there)
        if name in (*roles["time"], *roles["groups"], *roles["weight"]):
            raise WrongUse(
                f"column {name!r} orders, groups or weighs the rows: lags are for the target and for inputs."
            )
        if source.kind(name) == "date":
            raise WrongUse(
                f"column {name!r} holds dates, of which there are no lags; lag numbers, categories or the target."
            )
    time, series = roles["time"][0], next(iter(roles["groups"]), None)
    read = [time, *([series] if series else []), *lags]
    kinds = {name: str(source.kind(name)) for name in read}
    for name in roles["target"]:
        if kinds.get(name) == "text":
            kinds[name] = "category"
    past = Past(time, series, {name: list(own) for name, own in lags.items()}, tuple(roles["target"]), kinds)
    twice = next((name for name in past.columns if name in there), None)
    if twice is not None:
        raise WrongUse(
            f"the table has a column {twice!r} already, which is what a lag would be called: rename it, or leave the lag out."
        )
    raw = columns_of(TableSource(source.batches, types=source.types, columns=read), read)
    line = timeline(raw, time, series)
    cells = {name: Cells.of(raw.columns[name]) for name in lags}
    arrays = {lag_name(name, k): cells[name].taken(line.before(k), kinds[name]) for name, k in past.pairs}
    most = max(k for _, k in past.pairs)
    for (name, k), array in zip(past.pairs, arrays.values(), strict=True):
        if array.null_count == len(array):
            raise DataError(f"column {name!r}: no row has one {k} rows earlier in its series; take a smaller lag.")
    keep = line.last(most)
    past.moments, past.names = line.moments[keep], [line.names[c] for c in line.codes[keep]]
    past.cells = {name: column.kept(keep) for name, column in cells.items()}
    notes.extend(past.notes(line.uneven))
    return TableSource(beside(source.batches, arrays), types={**source.types, **past.types}), past


class Filling:
    """The lags of a new table: its own rows behind those that the predictor kept."""

    def __init__(self, past: Past, raw: RawBlock) -> None:
        self.past, self.n = past, len(raw)
        own = zip(series_of(raw, past.series), raw.columns[past.time].tolist(), strict=True)
        here = {key: i for i, key in enumerate(own)}
        told = list(zip(past.names, past.moments.tolist(), strict=True))
        kept = np.array([j for j, key in enumerate(told) if key not in here], dtype=np.intp)
        again = [(j, here[key]) for j, key in enumerate(told) if key in here]
        self.m = len(kept)
        self.line = timeline(raw, past.time, past.series, past.moments[kept], [past.names[j] for j in kept])
        self.cells: dict[str, Cells] = {}
        for name in past.lags:
            before = past.cells[name]
            cells = raw.columns.get(name)
            after = Cells(np.full(self.n, np.nan), before.levels) if cells is None else Cells.of(cells)
            both, m = before.followed_by(after), len(before.values)
            for j, i in again:  # known when it was learned, and not told again
                if np.isnan(both.values[m + i]):
                    both.values[m + i] = both.values[j]
            self.cells[name] = both.kept(np.concatenate([kept, np.arange(m, m + self.n)]))
        self.stepped = 0

    def arrays(self) -> dict[str, Any]:
        """Return the lags of the rows of the table, as Arrow has them."""
        return {lag_name(n, k): self.cells[n].taken(self._before(k), self.past.kinds[n]) for n, k in self.past.pairs}

    def _before(self, k: int) -> Codes:
        return self.line.before(k)[self.m :]

    def step(self, read: Callable[[], RawBlock], predict: Callable[[RawBlock], Any], types: Mapping[str, str]) -> None:
        """Predict the rows beyond the last known value of their series in the order of time, each from those before.

        ``read`` brings the other inputs of all rows, where any such row is needed.
        """
        steps = [(name, k) for name, k in self.past.pairs if name in self.past.targets]
        pending = np.zeros(self.m + self.n, dtype=bool)
        for name in {name for name, _ in steps}:
            pending |= self.line.after_last(~np.isnan(self.cells[name].values))
        pending[: self.m] = False
        sources = [self.line.before(k) for k in sorted({k for _, k in steps})]
        asked = np.zeros_like(pending)
        for rows in sources:
            asked[rows[rows >= 0]] = True
        pending &= asked  # nobody asks for the last rows
        if not pending.any():
            return
        self.stepped = int(_any_of(sources, pending)[self.m :].sum())
        raw = read()
        for _ in range(MOST_STEPS):
            places = np.flatnonzero(pending & ~_any_of(sources, pending))
            self._tell(places, np.asarray(predict(self._block(raw, places - self.m, types))))
            pending[places] = False
            if not pending.any():
                return
        raise DataError(
            f"the table reaches more than {MOST_STEPS:,} steps beyond the last known {self.past.targets[0]!r}: give the values that are "
            "known, or fewer rows."
        )

    def _block(self, raw: RawBlock, rows: Codes, types: Mapping[str, str]) -> RawBlock:
        """Return some rows with all inputs of the predictor."""
        columns = dict(take(raw, rows).columns)
        for name, k in self.past.pairs:
            columns[lag_name(name, k)] = self.cells[name].raw(self._before(k)[rows])
        return RawBlock({name: columns[name] for name in types}, rows=len(rows))

    def _tell(self, places: Codes, answer: np.ndarray) -> None:
        """Put predictions where values are not known."""
        for name, values in zip(self.past.targets, answer.reshape(len(places), -1).T, strict=True):
            if name in self.cells:
                self.cells[name] = self.cells[name].told(places, values)

    def notes(self) -> list[str]:
        """Say which rows lack their past, and which stand on predictions."""
        lost = np.zeros(self.n, dtype=bool)
        for name, k in self.past.pairs:
            at = self._before(k)
            lost |= (at < 0) | np.isnan(self.cells[name].values[at])
        out = [say("no_past", k=whole(int(lost.sum())))] if lost.any() else []
        names = [name for name in self.past.targets if name in self.past.lags]
        return [*out, say("stepped", k=whole(self.stepped), names=listed(names, 6))] if self.stepped else out


def _any_of(sources: Sequence[Codes], rows: np.ndarray) -> np.ndarray:
    """Return which rows have one of some others among their sources."""
    out: np.ndarray = np.any([(source >= 0) & rows[source] for source in sources], axis=0)
    return out
