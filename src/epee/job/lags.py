r"""What was known some rows earlier, as inputs: the lags of the target and of chosen columns.

Rows are put in the order of their times, series by series where groups tell several apart, and row :math:`t` gets
:math:`x_{t - k}` beside its own cells, missing where the series has not begun. A lag looks back only, so nothing of a row or of a later one
leaks into its inputs: folds that follow time and the sealed last rows are tested as by someone who
knows the value :math:`k` rows earlier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epee.errors import DataError, WrongUse
from epee.table.raw import RawBlock
from epee.typing import Codes, Vector

UNEVEN = 1.5  # times the usual step in time, from which on rows are said to be unevenly spaced


def parse_lags(words: Sequence[str]) -> dict[str, list[int]]:
    """Return what ``--lags`` says: ``{"": [1, 7]}`` for the target, ``{"temp": [1]}`` from ``"temp=1"``.

    >>> parse_lags(["1,7", "temp=1"])
    {'': [1, 7], 'temp': [1]}
    """
    found: dict[str, list[int]] = {}
    for word in words:
        name, _, numbers = word.rpartition("=")
        try:
            found.setdefault(name, []).extend(int(number) for number in numbers.split(","))
        except ValueError:
            raise WrongUse(
                f"--lags {word!r} should be whole numbers as in 1,7, or a column and its as in temp=1,7."
            ) from None
    return found


def settled_lags(lags: Any, targets: Sequence[str], time: str | None, gap: int = 0) -> dict[str, list[int]]:
    """Return the lags of each column, sorted, from a number, several (both of the targets), or a mapping of columns.

    >>> settled_lags([7, 1], ["y"], "day"), settled_lags({"": 1, "x": [2]}, ["y"], "day")
    ({'y': [1, 7]}, {'y': [1], 'x': [2]})
    """
    if lags is None or (not isinstance(lags, int) and not len(lags)):
        return {}
    if time is None:
        raise WrongUse("lags look back in time: name the column of times too (--time).")
    given = lags if isinstance(lags, Mapping) else {"": lags}
    found: dict[str, list[int]] = {}
    for name, numbers in given.items():
        own = [numbers] if isinstance(numbers, int | np.integer) else list(numbers)
        for k in own:
            if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
                raise WrongUse(f"a lag of {k!r} is no number of rows earlier: give whole numbers of at least 1.")
        for column in [name] if name else targets:
            found[column] = sorted({*found.get(column, ()), *map(int, own)})
            if column in targets and found[column][0] <= gap:
                raise WrongUse(
                    f"gap is {gap}, so the lag {found[column][0]} of {column!r} is not known yet: take lags from {gap + 1} on."
                )
    return found


def lag_name(column: str, k: int) -> str:
    """Return what a lag is called."""
    return f"{column}_lag{k}"


def previous(order: Codes, series: Codes, k: int) -> Codes:
    """Return the row (n,) that lies ``k`` rows before each in its series, -1 where there is none; ``order`` sorts by series and time.

    >>> previous(np.array([2, 0, 1]), np.array([0, 0, 0]), 1).tolist(), previous(np.array([0, 1]), np.array([0, 1]), 1).tolist()
    ([2, 0, -1], [-1, -1])
    """
    out = np.full(len(order), -1, dtype=np.intp)
    if k < len(order):
        later, earlier = order[k:], order[:-k]
        same = series[later] == series[earlier]
        out[later[same]] = earlier[same]
    return out


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of one column as numbers, NaN where missing; of texts, codes of ``levels``."""

    values: Vector
    levels: tuple[str, ...] | None = None

    @classmethod
    def of(cls, cells: Any) -> Cells:
        """Take a column of a raw block."""
        if isinstance(cells, np.ndarray):
            return cls(cells.astype(np.float64))
        coded = cells.dictionary_encode()
        codes = coded.indices.cast("float64").to_numpy(zero_copy_only=False)
        return cls(np.array(codes, dtype=np.float64), tuple(coded.dictionary.to_pylist()))

    def kept(self, rows: Codes) -> Cells:
        """Return some of the cells."""
        return Cells(self.values[rows], self.levels)

    def raw(self, rows: Codes) -> Any:
        """Return the cells at some rows as a raw block has them, missing at -1."""
        import pyarrow as pa

        values = np.where(rows >= 0, self.values[rows], np.nan)
        if self.levels is None:
            return values
        gone = np.isnan(values)
        codes = pa.array(np.where(gone, 0, values).astype(np.int32), mask=gone)
        return pa.array([*self.levels, ""], pa.string()).take(codes)

    def taken(self, rows: Codes, kind: str) -> Any:
        """Return the cells at some rows as Arrow has them, missing at -1."""
        import pyarrow as pa

        found = self.raw(rows)
        array = pa.array(found, from_pandas=True) if isinstance(found, np.ndarray) else found
        return array.cast(pa.bool_()) if kind == "boolean" else array

    def followed_by(self, other: Cells) -> Cells:
        """Return the cells of both; levels of the other that are not here are added."""
        if self.levels is None or other.levels is None:
            return Cells(np.concatenate([self.values, other.values]))
        levels = tuple(dict.fromkeys([*self.levels, *other.levels]))
        place = np.array([*(levels.index(level) for level in other.levels), 0], dtype=np.float64)
        gone = np.isnan(other.values)
        codes = np.where(gone, np.nan, place[np.where(gone, -1, other.values).astype(np.intp)])
        return Cells(np.concatenate([self.values, codes]), levels)

    def told(self, places: Codes, values: np.ndarray) -> Cells:
        """Return the cells with others at some places."""
        out = self.values.copy()
        if self.levels is None:
            out[places] = values.astype(np.float64)
            return Cells(out)
        texts = [str(value) for value in values.tolist()]
        levels = tuple(dict.fromkeys([*self.levels, *texts]))
        out[places] = [levels.index(text) for text in texts]
        return Cells(out, levels)


@dataclass(frozen=True, eq=False)
class Timeline:
    """Rows sorted by series and time: their ``order`` (n,), the ``codes`` of their series with their ``names``, their ``moments``."""

    order: Codes
    codes: Codes
    names: list[str]
    moments: Vector

    def before(self, k: int) -> Codes:
        """Return the row (n,) that lies ``k`` rows before each in its series, -1 where there is none."""
        return previous(self.order, self.codes, k)

    def last(self, k: int) -> Codes:
        """Return the last ``k`` rows of each series, as they come."""
        codes = self.codes[self.order]
        behind = np.searchsorted(codes, codes, "right") - 1 - np.arange(len(codes))
        return np.sort(self.order[behind < k])

    def after_last(self, there: np.ndarray) -> np.ndarray:
        """Return which rows (n,) come after the last of their series that is ``there``.

        >>> line = Timeline(np.arange(4), np.array([0, 0, 0, 1]), ["a", "b"], np.arange(4.0))
        >>> line.after_last(np.array([False, True, False, False])).tolist()
        [False, False, True, True]
        """
        codes, place = self.codes[self.order], np.arange(len(self.order))
        newest = np.full(len(self.names), -1)
        np.maximum.at(newest, codes[there[self.order]], place[there[self.order]])
        out = np.zeros(len(there), dtype=bool)
        out[self.order] = place > newest[codes]
        return out

    @property
    def uneven(self) -> bool:
        """Tell whether some step in time is much longer than the usual one."""
        steps = np.diff(self.moments[self.order])[np.diff(self.codes[self.order]) == 0]
        return bool(len(steps) and steps.max() > UNEVEN * np.median(steps))


def timeline(
    raw: RawBlock, time: str, series: str | None, moments: Vector | None = None, names: Sequence[str] = ()
) -> Timeline:  # fmt: skip
    """Return the order of the rows of a table; ``moments`` and ``names`` are those of rows that come in front of them."""
    own = raw.columns[time]
    if not isinstance(own, np.ndarray):
        raise DataError(f"column {time!r} holds texts, but time is a date or a number.")
    at = own.astype(np.float64) if moments is None else np.concatenate([moments, own])
    k = int(np.isnan(at).sum())
    if k:
        raise DataError(
            f"column {time!r}: {k} cells are missing, and lags need the time of every row; fill or drop these rows."
        )
    found, codes = [""], np.zeros(len(at), dtype=np.intp)
    if series is not None:
        every = [*names, *series_of(raw, series)]
        found = sorted(set(every))
        place = {name: c for c, name in enumerate(found)}
        codes = np.array([place[name] for name in every], dtype=np.intp)
    order = np.lexsort((at, codes))
    same = np.flatnonzero((np.diff(at[order]) == 0) & (np.diff(codes[order]) == 0))
    if len(same):
        first, second = sorted(int(i) - (len(at) - len(own)) + 1 for i in order[same[0] : same[0] + 2])
        more = "" if series else " Name the column that tells several series apart as groups."
        raise DataError(
            f"rows {first} and {second} have the same time in column {time!r}: lags need one row a moment.{more}"
        )
    return Timeline(order, codes, found, at)


def series_of(raw: RawBlock, name: str | None) -> list[str]:
    """Return the series of each row as text."""
    if name is None:
        return [""] * len(raw)
    column = raw.columns[name]
    if isinstance(column, np.ndarray):
        return [repr(value) for value in column.tolist()]
    return ["" if text is None else str(text) for text in column.to_pylist()]
