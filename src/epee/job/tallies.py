r"""What one pass counts of the columns of a table; tallies add, so the table may be anywhere.

Of a column of numbers: missing cells, the smallest and the largest, whether all are whole, whether days have a time. A column that numbers
the rows holds each of :math:`n` successive whole numbers once. That is known from sums too: its range is :math:`n - 1`, and the sum of
a 64-bit mix :math:`h` over its cells is that over the range,

.. math:: \sum_i h(x_i) \equiv \sum_{k = low}^{high} h(k) \pmod{2^{64}}. \tag{1}

Of a column of texts: how often each occurs, in all rows and in those that are learned from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epee.table.cells import kind_of_texts
from epee.table.folds import mix64
from epee.table.raw import RawBlock
from epee.table.schema import CLOCK, KINDS, WORDS, Column
from epee.table.tally import MOST_LEVELS
from epee.table.words import FEWEST as FEWEST_WORDS
from epee.table.words import words_in
from epee.typing import Vector

FEWEST = 20  # rows that a column must number to be called a number of the rows
STEP = 1 << 20


@dataclass(frozen=True)
class Numbers:
    """What is known of a column of numbers, booleans or dates."""

    missing: int = 0
    low: float = np.inf
    high: float = -np.inf
    whole: bool = True
    clock: bool = False
    mixed: int = 0  # the left side of (1), while all cells are whole

    @classmethod
    def of(cls, values: Vector, kind: str) -> Numbers:
        """Count some cells."""
        there = values[~np.isnan(values)] if values.dtype.kind == "f" else values
        if not len(there):
            return cls(missing=len(values))
        low, high = float(there.min()), float(there.max())
        whole = kind == "number" and bool(np.isfinite([low, high]).all()) and max(-low, high) < 2**53
        whole = whole and float(there[0]).is_integer() and bool((there == np.floor(there)).all())
        mixed = int(np.sum(mix64(there.astype(np.int64).view(np.uint64)), dtype=np.uint64)) if whole else 0
        clock = kind == "date" and bool((there % 1 != 0).any())
        return cls(len(values) - len(there), low, high, whole, clock, mixed)

    def __add__(self, other: Numbers) -> Numbers:
        return Numbers(
            self.missing + other.missing, min(self.low, other.low), max(self.high, other.high), self.whole and other.whole,
            self.clock or other.clock, (self.mixed + other.mixed) % 2**64,
        )  # fmt: skip

    @property
    def constant(self) -> bool:
        """Tell whether all cells that are there are equal."""
        return self.low == self.high

    def numbers_rows(self, n: int) -> bool:
        """Tell whether ``n`` cells are successive whole numbers, each once.

        >>> Numbers.of(np.arange(30.0)[::-1], "number").numbers_rows(30)
        True
        >>> Numbers.of(np.repeat(np.arange(15.0), 2), "number").numbers_rows(30)
        False
        """
        if n < FEWEST or self.missing or not self.whole or self.high - self.low != n - 1:
            return False
        total = np.uint64(0)
        with np.errstate(over="ignore"):
            for first in range(int(self.low), int(self.high) + 1, STEP):
                part = np.arange(first, min(first + STEP, int(self.high) + 1), dtype=np.int64)
                total += np.sum(mix64(part.view(np.uint64)), dtype=np.uint64)
        return int(total) == self.mixed


@dataclass(frozen=True)
class Texts:
    """What is known of a column of texts: ``counts`` of all rows, ``learned`` of those that are learned from; None above the most."""

    missing: int = 0
    counts: dict[str, int] | None = None
    learned: dict[str, int] | None = None

    @classmethod
    def of(cls, texts: Any, learns: np.ndarray | None) -> Texts:
        """Count some cells; ``learns`` says which rows are learned from, None for all."""
        counts = _counted(texts)
        return cls(texts.null_count, counts, counts if learns is None else _counted(texts.filter(_mask(learns))))

    def __add__(self, other: Texts) -> Texts:
        return Texts(self.missing + other.missing, _both(self.counts, other.counts), _both(self.learned, other.learned))


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
            if (
                kind == "text"
                and found.counts is not None
                and words_in(found.counts, found.counts.values()) >= FEWEST_WORDS
            ):
                note = WORDS
        if kind != "category" or found.learned is None:
            return Column(name, kind, missing=found.missing, note=note)
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


def _counted(texts: Any) -> dict[str, int] | None:
    import pyarrow.compute as pc

    plain = texts.dictionary_decode() if hasattr(texts, "dictionary_decode") else texts
    found = pc.value_counts(plain.drop_null())
    if len(found) > MOST_LEVELS:
        return None
    return dict(zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True))


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
