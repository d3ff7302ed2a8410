r"""What one pass counts of the columns of a table; tallies add, so the table may be anywhere.

Of a column of numbers: missing cells, the smallest and the largest, whether all are whole, whether days have a time. A column that numbers
the rows, in order or not, with gaps where rows are gone, holds :math:`n` whole numbers close together and none of them twice. If they
were drawn from their range of :math:`R` numbers by chance, none would come twice with a probability of about

.. math:: e^{-n(n - 1) / 2R}. \tag{1}

Whether one comes twice is seen on the values whose 64-bit mix is among the smallest: every part of the table keeps the same ones, with how
often they came, so that they add; of up to some thousand rows these are all values.

Of a column of texts: how often each occurs, in all rows and in those that are learned from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from epee.table.cells import kind_of_texts
from epee.table.folds import mix64
from epee.table.places import frequent
from epee.table.raw import RawBlock
from epee.table.schema import CLOCK, KINDS, PAIRS, WORDS, Column
from epee.table.tally import MOST_LEVELS
from epee.table.words import Reading
from epee.typing import Vector

FEWEST = 20  # rows that a column must number to be called a number of the rows
CHANCE = 1e-3  # of (1), below which it numbers the rows
SPARSE = (
    50  # numbers in the range of a column for each row, beyond which they are codes or measures and no numbers of rows
)
WATCHED = 4096  # values that are watched whether they come twice
_NONE = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True)
class Numbers:
    """What is known of a column of numbers, booleans or dates."""

    missing: int = 0
    low: float = np.inf
    high: float = -np.inf
    whole: bool = True
    clock: bool = False
    watched: np.ndarray = field(
        default_factory=lambda: _NONE
    )  # the smallest mixes of values in order, while all cells are whole
    times: np.ndarray = field(default_factory=lambda: _NONE)  # how often each of them came

    @classmethod
    def of(cls, values: Vector, kind: str) -> Numbers:
        """Count some cells."""
        with np.errstate(invalid="ignore"):
            low = float(values.min()) if len(values) else np.nan  # NaN where a cell is missing
        there = values
        if np.isnan(low):
            there = values[~np.isnan(values)]
            if not len(there):
                return cls(missing=len(values))
            low = float(there.min())
        high = float(there.max())
        whole = kind == "number" and bool(np.isfinite([low, high]).all()) and max(-low, high) < 2**53
        whole = whole and float(there[0]).is_integer() and bool((there == np.floor(there)).all())
        watched, times = _smallest(mix64(there.astype(np.int64).view(np.uint64))) if whole else (_NONE, _NONE)
        clock = kind == "date" and bool((there % 1 != 0).any())
        return cls(len(values) - len(there), low, high, whole, clock, watched, times)

    def __add__(self, other: Numbers) -> Numbers:
        whole, kept = self.whole and other.whole, (_NONE, _NONE)
        if whole:
            kept = _smallest(
                *(np.concatenate([getattr(self, part), getattr(other, part)]) for part in ("watched", "times"))
            )
        return Numbers(
            self.missing + other.missing, min(self.low, other.low), max(self.high, other.high), whole, self.clock or other.clock, *kept
        )  # fmt: skip

    @property
    def infinite(self) -> bool:
        """Whether a value lies beyond all numbers; of a column without any value the ends are turned around."""
        return self.high == np.inf or self.low == -np.inf

    @property
    def constant(self) -> bool:
        """Tell whether all cells that are there are equal."""
        return self.low == self.high

    def numbers_rows(self, n: int) -> bool:
        """Tell whether ``n`` cells are whole numbers close together, each once, by (1).

        >>> Numbers.of(np.arange(30.0)[::-1], "number").numbers_rows(30)
        True
        >>> Numbers.of(np.delete(np.arange(40.0), [3, 4, 20]), "number").numbers_rows(37)
        True
        >>> Numbers.of(np.repeat(np.arange(15.0), 2), "number").numbers_rows(30)
        False
        """
        width = self.high - self.low + 1
        if n < FEWEST or self.missing or not self.whole or not n <= width <= SPARSE * n:
            return False
        return bool((self.times == 1).all() and np.exp(-n * (n - 1) / (2 * width)) < CHANCE)


@dataclass(frozen=True)
class Texts:
    """What is known of a column of texts: ``counts`` of all rows, ``learned`` of those that are learned from; None above the most."""

    missing: int = 0
    counts: dict[str, int] | None = None
    learned: dict[str, int] | None = None
    read: Reading = field(default_factory=Reading)

    @classmethod
    def of(cls, texts: Any, learns: np.ndarray | None) -> Texts:
        """Count some cells; ``learns`` says which rows are learned from, None for all."""
        counts, read = _counted(texts)
        if learns is None:
            return cls(texts.null_count, counts, counts, read)
        learned, seen = _counted(texts.filter(_mask(learns)))
        return cls(texts.null_count, counts, learned, replace(read, places=seen.places))

    def __add__(self, other: Texts) -> Texts:
        return Texts(
            self.missing + other.missing, _both(self.counts, other.counts), _both(self.learned, other.learned), self.read + other.read
        )  # fmt: skip


@dataclass(frozen=True)
class Tallies:
    """Rows, and what is known of each column."""

    n: int
    columns: dict[str, Numbers | Texts]

    def __add__(self, other: Tallies) -> Tallies:
        return Tallies(self.n + other.n, {name: mine + other.columns[name] for name, mine in self.columns.items()})  # type: ignore[operator]

    def beside(self, other: Tallies) -> Tallies:
        """Return the tallies of other columns of the same rows, too."""
        return replace(self, columns={**self.columns, **other.columns})

    def column(self, name: str, kind: str, types: Mapping[str, str]) -> Column:
        """Return a column as the schema has it: its kind, and the levels of a category in the rows that are learned from."""
        found = self.columns[name]
        if isinstance(found, Numbers):
            return Column(name, kind, missing=found.missing, note=CLOCK if found.clock else "")
        note = WORDS if types.get(name) == "text" else ""
        if types.get(name) not in KINDS:
            kind = "text" if found.counts is None else kind_of_texts(len(found.counts), self.n - found.missing)
            note = found.read.note if kind == "text" else ""
        elif note and found.read.note == PAIRS:
            note = PAIRS
        if kind != "category" or found.learned is None:
            own = frequent(found.read.places) if note == PAIRS else None
            return Column(name, kind, missing=found.missing, note=note, own=own)
        levels = tuple(sorted(found.learned))
        return Column(name, kind, levels, tuple(found.learned[level] for level in levels), found.missing)

    def levels(self, name: str) -> list[str]:
        """Return the different texts of a column, in all rows."""
        found = self.columns.get(name)
        return sorted(found.counts) if isinstance(found, Texts) and found.counts is not None else []


@dataclass(frozen=True)
class Tallying:
    """Count the columns of a raw block; ``folds`` are learned from: cells from there on are sealed, below 0 without a target."""

    kinds: Mapping[str, str]
    folds: int | None = None

    def __call__(self, raw: RawBlock) -> Tallies:
        learns = None if raw.fold is None or self.folds is None else (raw.fold >= 0) & (raw.fold < self.folds)
        columns: dict[str, Numbers | Texts] = {}
        for name, kind in self.kinds.items():
            cells = raw.columns[name]
            columns[name] = Numbers.of(cells, kind) if isinstance(cells, np.ndarray) else Texts.of(cells, learns)
        return Tallies(len(raw), columns)


def _smallest(mixes: np.ndarray, times: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest different mixes in order, and how often each came."""
    if times is None and len(mixes) > 4 * WATCHED:
        few = _smallest(
            mixes[mixes <= np.partition(mixes, 2 * WATCHED)[2 * WATCHED]], np.empty(0)
        )  # most are too large
        if len(few[0]) == WATCHED:
            return few
    times = None if times is None or not len(times) else times
    found, where = np.unique(mixes, return_inverse=True)
    counts = np.bincount(where.reshape(-1), None if times is None else times.astype(np.float64), minlength=len(found))
    return found[:WATCHED], counts[:WATCHED].astype(np.uint64)


def _counted(texts: Any) -> tuple[dict[str, int] | None, Reading]:
    """Return how often each text occurs, None above the most, and what they are like."""
    import pyarrow.compute as pc

    plain = texts.dictionary_decode() if hasattr(texts, "dictionary_decode") else texts
    found = pc.value_counts(plain.drop_null())
    read = Reading.of(found.field(0), found.field(1))
    if len(found) > MOST_LEVELS:
        return None, read
    return dict(zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True)), read


def _mask(learns: np.ndarray) -> Any:
    import pyarrow as pa

    return pa.array(learns)


def _both(a: dict[str, int] | None, b: dict[str, int] | None) -> dict[str, int] | None:
    if a is None or b is None:
        return None
    total = dict(a)
    for text, k in b.items():
        total[text] = total.get(text, 0) + k
    return total if len(total) <= MOST_LEVELS else None
